"""Drawing helpers of Qt: images, pens and fonts."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen

from solvers.picture.scene.camera import Bounds, Camera
from solvers.system.array_types import UInt32s

_TEXT_POINTS = 9.0
_LEAST_POINTS, _STEP_POINTS = 6.5, 0.5


def argb_image(pixels: UInt32s, ratio: float = 1.0) -> QImage:
    """Premultiplied ARGB, (h, w), as an image that shares its memory; keep the pixels
    alive with it.
    """
    height, width = pixels.shape
    image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    return image


def place_of(bounds: Bounds, camera: Camera) -> QRectF:
    """Where a part of the world is on the screen."""
    (dx, dy), scale = camera.offset, camera.scale
    across, down = bounds.x1 - bounds.x0, bounds.y1 - bounds.y0
    return QRectF(bounds.x0 * scale + dx, bounds.y0 * scale + dy, across * scale, down * scale)


def pen(colour: str | QColor, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """A pen with round caps and joins."""
    return QPen(QColor(colour), width, style, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)


def small_font(painter: QPainter, points: float = _TEXT_POINTS, *, bold: bool = False) -> QFont:
    """The painter's font in label size, in pixels, so that it does not depend on the
    screen's DPI.
    """
    font = in_points(painter.font(), points)
    font.setBold(bold)
    return font


def in_points(font: QFont, points: float) -> QFont:
    """The font in that size, in pixels of 96 to the inch."""
    sized = QFont(font)
    sized.setPixelSize(round(points * 96 / 72))
    return sized


def fitting_font(
    painter: QPainter, text: str, width: float, points: float, least: float = _LEAST_POINTS
) -> QFont:
    """The painter's font at ``points`` or, if ``text`` is wider than ``width`` then, as
    much smaller as that takes.
    """
    font = small_font(painter, points)
    while points > least and QFontMetricsF(font).horizontalAdvance(text) > width:
        points -= _STEP_POINTS
        font = small_font(painter, points)
    return font
