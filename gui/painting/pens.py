"""Drawing helpers: pens, fonts, text with a halo, arrow heads, cards."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from gui.style.tokens import Tokens

CARD_OPACITY = 0.88
_TEXT_POINTS = 9.0
_LEAST_POINTS, _STEP_POINTS = 6.5, 0.5


def pen(colour: str | QColor, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """A pen with round caps and joins."""
    return QPen(QColor(colour), width, style, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)


def small_font(painter: QPainter, points: float = _TEXT_POINTS, *, bold: bool = False) -> QFont:
    """The painter's font in label size, in pixels, so that it does not depend on the screen's DPI."""
    font = in_points(painter.font(), points)
    font.setBold(bold)
    return font


def in_points(font: QFont, points: float) -> QFont:
    """The font in that size, in pixels of 96 to the inch."""
    sized = QFont(font)
    sized.setPixelSize(round(points * 96 / 72))
    return sized


def fitting_font(painter: QPainter, text: str, width: float, points: float, least: float = _LEAST_POINTS) -> QFont:
    """The painter's font at ``points`` or, if ``text`` is wider than ``width`` then, as much smaller as that takes."""
    font = small_font(painter, points)
    while points > least and QFontMetricsF(font).horizontalAdvance(text) > width:
        points -= _STEP_POINTS
        font = small_font(painter, points)
    return font


def draw_haloed_text(painter: QPainter, at: QPointF, text: str, colour: str, halo: str) -> None:
    """Draw text with its baseline starting at ``at``, readable on any background."""
    path = QPainterPath()
    path.addText(at, painter.font(), text)
    painter.strokePath(path, pen(halo, 3.0))
    painter.fillPath(path, QColor(colour))


def draw_label(painter: QPainter, box: QRectF, text: str, colour: str, ground: QColor) -> None:
    """Draw text centred in ``box`` on a background patch, which is cheaper than a halo."""
    painter.fillRect(box, ground)
    painter.setPen(QColor(colour))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def arrow_head(tip: QPointF, towards: QPointF, size: float) -> QPolygonF:
    """A triangle with its tip at ``tip``, in the direction of ``towards``."""
    length = math.hypot(towards.x(), towards.y()) or 1.0
    along, across = towards * (size / length), QPointF(-towards.y(), towards.x()) * (0.42 * size / length)
    return QPolygonF([tip, tip - along + across, tip - along - across])


def draw_card(painter: QPainter, rectangle: QRectF, tokens: Tokens) -> None:
    """Draw the background of annotations: nearly opaque canvas colour with a hairline."""
    ground = QColor(tokens.canvas)
    ground.setAlphaF(CARD_OPACITY)
    painter.setPen(QPen(QColor(tokens.border), 1.0))
    painter.setBrush(ground)
    painter.drawRoundedRect(rectangle, 5.0, 5.0)
