"""What follows the pointer and the selection: ring around a vertex, card of what is under
the pointer; and the message of an empty canvas.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.painting.display import box_of, paint_marks
from gui.painting.drawing import small_font
from gui.style.paint import CENTRE, outline_with, smooth, write
from solvers.picture.colours import Tokens
from solvers.picture.overlay.cards import PADDING, panel
from solvers.picture.scene.camera import Camera
from solvers.text import capitalised

_RING, _SELECTION_RING = 6.0, 11.0  # radii, around the vertex under the pointer and the selected
_BESIDE = 12.0  # pixels between the names and values of a vertex
_POINTS = 8.5  # of the card


def draw_message(painter: QPainter, rectangle: QRect, text: str, tokens: Tokens) -> None:
    """Draw a message in the middle of an empty canvas."""
    painter.setFont(small_font(painter, 11.0))
    write(painter, rectangle, text, tokens.muted, CENTRE)


def draw_ring(painter: QPainter, at: QPointF, tokens: Tokens) -> None:
    """Draw a ring around the selected vertex, readable on any background."""
    smooth(painter)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((tokens.halo, 5.0), (tokens.accent, 2.5)):
        painter.setPen(QPen(QColor(colour), width))
        painter.drawEllipse(at, _SELECTION_RING, _SELECTION_RING)


def draw_hover_card(
    painter: QPainter,
    at: QPointF,
    rows: list[tuple[str, str]],
    camera: Camera,
    tokens: Tokens,
    *,
    ring: bool = True,
) -> None:
    """Draw a ring around the vertex and a table of names and values next to it, inside the view."""
    if ring:
        outline_with(painter, tokens.text)
        painter.drawEllipse(at, _RING, _RING)
    rows = [(capitalised(name), value) for name, value in rows]
    painter.setFont(small_font(painter, _POINTS))
    metrics = QFontMetricsF(painter.font())
    names = max(metrics.horizontalAdvance(name) for name, _ in rows)
    values = max(metrics.horizontalAdvance(value) for _, value in rows)
    line = metrics.height()
    card = QRectF(0.0, 0.0, names + _BESIDE + values + 2 * PADDING, len(rows) * line + 2 * PADDING)
    right = at.x() + 16.0
    x = right if right + card.width() < camera.width else max(4.0, at.x() - 16.0 - card.width())
    y = min(max(4.0, at.y() - card.height() / 2), camera.height - card.height() - 4.0)
    card.moveTo(x, y)
    paint_marks(painter, [panel(box_of(card), tokens)])
    row = card.adjusted(PADDING, PADDING, -PADDING, 0.0)
    row.setHeight(line)
    for name, value in rows:
        write(painter, row, name, tokens.muted)
        write(painter, row.adjusted(names + _BESIDE, 0.0, 0.0, 0.0), value, tokens.text)
        row.translate(0.0, line)
