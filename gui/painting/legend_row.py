"""Legend and scale bar in one low row without cards, for strips outside the picture."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.painting.annotations import draw_ramp, legend_texts, scale_bar
from gui.painting.pens import pen, small_font
from gui.picture.scene.activity import Legend
from gui.picture.scene.camera import Camera
from gui.style.tokens import Tokens

ROW_HEIGHT = 26.0
_POINTS = 8.5
_RAMP_WIDTH, _RAMP_HEIGHT = 110.0, 12.0
_GAP, _GROUP_GAP, _TICK = 7.0, 24.0, 5.0


def draw_legend_row(
    painter: QPainter, legend: Legend | None, camera: Camera, metres_per_unit: float, tokens: Tokens
) -> float:
    """Draw "Distance 0 m (ramp) 144 km" and the scale bar, from x = 0; returns the x where they end."""
    painter.setFont(small_font(painter, _POINTS))
    x = 0.0
    if legend is not None:
        title, low, high = legend_texts(legend)
        x = _write(painter, title, x, tokens.muted) + _GAP
        x = _write(painter, low, x, tokens.text) + _GAP
        draw_ramp(painter, QRectF(x, (ROW_HEIGHT - _RAMP_HEIGHT) / 2, _RAMP_WIDTH, _RAMP_HEIGHT), legend, tokens)
        x = _write(painter, high, x + _RAMP_WIDTH + _GAP, tokens.text) + _GROUP_GAP
    if (bar := scale_bar(camera, metres_per_unit)) is not None:
        length, words = bar
        y = (ROW_HEIGHT + _TICK) / 2
        painter.setPen(pen(tokens.text, 1.6))
        painter.drawPolyline(
            [QPointF(x, y - _TICK), QPointF(x, y), QPointF(x + length, y), QPointF(x + length, y - _TICK)]
        )
        x = _write(painter, words, x + length + _GAP, tokens.text)
    return x


def _write(painter: QPainter, words: str, x: float, colour: str) -> float:
    """Write ``words`` from ``x``; returns where they end."""
    width = QFontMetricsF(painter.font()).horizontalAdvance(words)
    painter.setPen(QColor(colour))
    box = QRectF(x, 0.0, width + 1.0, ROW_HEIGHT)
    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
    return x + width
