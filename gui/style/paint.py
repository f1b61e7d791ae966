"""Shapes, words and fonts by a `QPainter`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QGradient, QPaintDevice, QPainter, QPen

from gui.style.text import type_scale

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter
DOT_PX = 10
RADIUS = 7.0  # of fields and buttons, in pixels
CARD_RADIUS = 12.0
# width of a card's edge: Qt strokes one of 1.0 by other code, in three times as long
HAIRLINE = 1.01
_ARROW = 4.0  # half of the width of a combo box's mark


def faded(colour: QColor | str, opacity: float) -> QColor:
    """A colour of that opacity, whatever its own is."""
    result = QColor(colour)
    result.setAlphaF(opacity)
    return result


def fill_with(painter: QPainter, brush: QBrush | QGradient | QColor | str) -> None:
    """Have shapes filled, without an outline."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(brush)


def outline_with(painter: QPainter, pen: QPen | QColor | str) -> None:
    """Have shapes outlined, and not filled."""
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def paint_frame(
    painter: QPainter,
    place: QRectF | QRect,
    radius: float,
    edge: QColor | str | None,
    ground: QBrush | QColor | str = "transparent",
    width: float = 1.0,
) -> None:
    """Draw a rounded rectangle whose edge lies within ``place``; None for no edge."""
    painter.setPen(Qt.PenStyle.NoPen if edge is None else QPen(QColor(edge), width))
    painter.setBrush(ground)
    painter.drawRoundedRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


def smooth(painter: QPainter) -> None:
    """Draw smooth lines and letters from now on."""
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)


def smooth_painter(device: QPaintDevice) -> QPainter:
    """A painter of smooth lines."""
    painter = QPainter(device)
    smooth(painter)
    return painter


@contextmanager
def smoothly(painter: QPainter) -> Iterator[None]:
    """Draw smooth lines, and as before when it is left."""
    painter.save()
    smooth(painter)
    yield
    painter.restore()


def scaled_font(font: QFont, scale: float) -> QFont:
    """``font`` in type ``scale`` times as large."""
    result = QFont(font)
    result.setPointSizeF(font.pointSizeF() * scale)
    return result


def bold(font: QFont) -> QFont:
    """The font of titles and of a selected row."""
    result = QFont(font)
    result.setWeight(QFont.Weight.DemiBold)
    return result


def paint_dot(painter: QPainter, centre: QPointF, colour: QColor, diameter: float = DOT_PX) -> None:
    """A filled circle without an outline."""
    with smoothly(painter):
        fill_with(painter, colour)
        painter.drawEllipse(centre, diameter / 2, diameter / 2)


def write(
    painter: QPainter,
    place: QRect | QRectF,
    words: str,
    colour: QColor | str,
    where: Qt.AlignmentFlag = LEFT,
) -> None:
    """Write ``words`` into a rectangle, in the font that the painter has."""
    painter.setPen(colour)
    painter.drawText(QRectF(place), where, words)


def draw_mark(
    painter: QPainter, place: QRect, colour: QColor, size: float = 1.0, *, turns: int = 0
) -> None:
    """Draw the mark of a list that opens below, or of a step, after quarter turns clockwise."""
    middle, across = QRectF(place).center(), _ARROW * size * type_scale()
    with smoothly(painter):
        outline_with(painter, QPen(colour, 1.5 * type_scale()))
        painter.translate(middle)
        painter.rotate(90.0 * turns)
        painter.drawPolyline(
            [QPointF(-across, -across / 2), QPointF(0.0, across / 2), QPointF(across, -across / 2)]
        )
