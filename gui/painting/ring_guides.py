"""Circles of equal distance under a ring layout, with their distances."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.painting.annotations import distance_text
from gui.painting.pens import draw_label, pen, small_font
from gui.picture.scene.camera import Camera
from gui.picture.scene.content import PictureContent
from gui.style.tokens import Tokens

_OPACITY = 0.5
_LABEL_OPACITY = 0.75  # of the canvas behind a label
_LEAST_GAP = 16.0  # pixels between two circles with labels
_PADDING = 3.0


def draw_ring_guides(
    painter: QPainter, camera: Camera, content: PictureContent, tokens: Tokens, *, type_factor: float = 1.0
) -> None:
    """Draw circles at round distances from the source; nothing for other layouts. Labels grow with the type."""
    scale = content.scene.rings
    if scale is None:
        return
    dx, dy = camera.offset
    centre = QPointF(scale.centre[0] * camera.scale + dx, scale.centre[1] * camera.scale + dy)
    line, background = QColor(tokens.muted), QColor(tokens.canvas)
    line.setAlphaF(_OPACITY)
    background.setAlphaF(_LABEL_OPACITY)
    painter.setFont(small_font(painter, 8.0 * type_factor))
    metrics = QFontMetricsF(painter.font())
    labelled = -_LEAST_GAP * type_factor
    for distance, world in scale.circles:
        radius = world * camera.scale
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(line, 1.0))
        painter.drawEllipse(centre, radius, radius)
        top = centre.y() - radius
        if radius - labelled >= _LEAST_GAP * type_factor and 0.0 <= top <= camera.height:
            words = distance_text(distance, scale.unit)
            width, height = metrics.horizontalAdvance(words) + 2 * _PADDING, metrics.height()
            box = QRectF(centre.x() - width / 2, top - height / 2, width, height)
            draw_label(painter, box, words, tokens.muted, background)
            labelled = radius
