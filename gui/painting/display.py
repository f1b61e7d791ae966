"""Painter of display lists by QPainter, and the sizes of its letters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QLinearGradient,
    QPaintEngine,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPixmapCache,
    QPolygonF,
)

from gui.painting.drawing import argb_image, pen
from gui.style.paint import faded, outline_with
from solvers.picture.display import (
    HALO,
    Area,
    Box,
    Disc,
    Gradient,
    Inset,
    Mark,
    Pixels,
    Plate,
    Spots,
    Stroke,
    Symbol,
    TextStyle,
    Words,
)
from solvers.system.array_types import Float64s

# of words in a family of letters: measuring them would be a tenth of the time of a picture
_widths: dict[str, dict[tuple[str, TextStyle], float]] = {}
_MOST_WIDTHS = 4_000


class QtTextSizes:
    """Sizes of words in a family of letters; for one thread."""

    def __init__(self, font: QFont):
        self._font = font
        self._known: dict[TextStyle, tuple[QFont, QFontMetricsF]] = {}

    @cached_property
    def name(self) -> str:
        return f"{self._font.toString()} {self._font.hintingPreference()}"

    @cached_property
    def _widths(self) -> dict[tuple[str, TextStyle], float]:
        found = _widths.setdefault(self.name, {})
        if len(found) > _MOST_WIDTHS:
            found.clear()
        return found

    def font(self, style: TextStyle) -> QFont:
        return self._of(style)[0]

    def width(self, text: str, style: TextStyle) -> float:
        known = self._widths.get((text, style))
        if known is None:
            known = self._widths[text, style] = self._of(style)[1].horizontalAdvance(text)
        return known

    def heights(self, style: TextStyle) -> tuple[float, float]:
        metrics = self._of(style)[1]
        return metrics.ascent(), metrics.descent()

    def _of(self, style: TextStyle) -> tuple[QFont, QFontMetricsF]:
        if style not in self._known:
            font = QFont(self._font)
            font.setPixelSize(style.size)
            font.setWeight(QFont.Weight(style.weight))
            font.setStrikeOut(style.is_struck)
            self._known[style] = font, QFontMetricsF(font)
        return self._known[style]


def rectangle(box: Box) -> QRectF:
    return QRectF(box.x0, box.y0, box.width, box.height)


def box_of(area: QRectF) -> Box:
    return Box(area.left(), area.top(), area.right(), area.bottom())


def paint_marks(painter: QPainter, marks: Iterable[Mark]) -> None:
    """Paint marks in logical pixels, words in the painter's family of letters."""
    font, sizes = painter.font(), None
    for mark in marks:
        if isinstance(mark, Words):
            sizes = sizes or QtTextSizes(font)
            _paint_words(painter, mark, sizes)
        else:
            _PAINTERS[type(mark)](painter, mark)
    if sizes is not None:
        painter.setFont(font)


def _paint_stroke(painter: QPainter, stroke: Stroke) -> None:
    if not len(stroke.points):
        return
    line = pen(faded(stroke.colour, stroke.opacity), stroke.width)
    if stroke.dashes:
        line.setDashPattern(list(stroke.dashes))
        line.setDashOffset(stroke.dash_offset / stroke.width)
    outline_with(painter, line)
    if stroke.is_curve:
        start, *others = (QPointF(*point) for point in stroke.points.tolist())
        path = QPainterPath(start)
        path.quadTo(*others)
    else:
        path = _path(stroke.points)
    painter.drawPath(path)


def _path(points: Float64s) -> QPainterPath:
    """Lines through points, which end at NaN; point by point many would take most of a
    live picture.
    """
    # imported here: it is slow, and at first there is no path
    from pyqtgraph.functions import arrayToQPath

    known = ~np.isnan(points[:, 0])
    joined = np.append(known[1:], False)[known]  # "finite" would add a line at each end
    path: QPainterPath = arrayToQPath(*points[known].T, connect=joined)
    return path


def _paint_area(painter: QPainter, area: Area) -> None:
    _take(painter, area.fill, area.outline, area.width, area.opacity)
    painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in area.points.tolist()]))


def _paint_disc(painter: QPainter, disc: Disc) -> None:
    _take(painter, disc.fill, disc.outline, disc.width, disc.opacity)
    painter.drawEllipse(QPointF(*disc.middle), disc.radius, disc.radius)


def _paint_dots(painter: QPainter, dots: Spots) -> None:
    painter.setPen(pen(dots.colour, 2 * dots.radius))
    painter.drawPoints(QPolygonF([QPointF(x, y) for x, y in dots.points.tolist()]))


def _paint_panel(painter: QPainter, panel: Plate) -> None:
    place = rectangle(panel.box)

    def paint(onto: QPainter, box: QRectF) -> None:
        _take(onto, panel.fill, None, panel.width, panel.opacity)
        onto.setPen(QPen(QColor(panel.outline), panel.width))
        onto.drawRoundedRect(box, panel.radius, panel.radius)

    if not _keeps_images(painter):
        paint(painter, place)  # where it is: bands of a picture then round alike
        return
    corner = QPointF(math.floor(place.left()), math.floor(place.top()))
    within = place.translated(-corner)
    key = (panel.fill, panel.outline, panel.radius, panel.width, panel.opacity, within.getRect())
    half = panel.width / 2
    area = within.adjusted(-half, -half, half, half)
    _draw_kept(painter, corner, area, key, lambda onto: paint(onto, within))


def _paint_gradient(painter: QPainter, gradient: Gradient) -> None:
    box, last = gradient.box, len(gradient.colours) - 1
    colours = QLinearGradient(box.x0, 0.0, box.x1, 0.0)
    for k, colour in enumerate(gradient.colours):
        colours.setColorAt(k / last, QColor(colour))
    painter.fillRect(rectangle(box), colours)


def _paint_pixels(painter: QPainter, pixels: Pixels) -> None:
    painter.drawImage(QPointF(pixels.x, pixels.y), argb_image(pixels.argb, pixels.ratio))


def _paint_symbol(painter: QPainter, symbol: Symbol) -> None:
    def paint(onto: QPainter) -> None:
        paint_marks(onto, symbol.shapes)

    at = QPointF(symbol.x, symbol.y)
    _draw_kept(painter, at, rectangle(symbol.reach), (symbol.name,), paint)


def _paint_inset(painter: QPainter, inset: Inset) -> None:
    painter.save()
    painter.setClipRect(rectangle(inset.box))
    painter.translate(inset.box.x0, inset.box.y0)
    paint_marks(painter, inset.marks)
    painter.restore()


def _paint_words(painter: QPainter, words: Words, sizes: QtTextSizes) -> None:
    if words.is_upward:
        painter.save()
        painter.translate(words.x, words.y)
        painter.rotate(-90.0)
        _paint_words(painter, replace(words, x=0.0, y=0.0, is_upward=False), sizes)
        painter.restore()
        return
    x, font = words.x, sizes.font(words.style)
    if words.anchor != "start":
        x -= sizes.width(words.text, words.style) / (2 if words.anchor == "middle" else 1)
    if words.halo is None:
        painter.setFont(font)
        painter.setPen(QColor(words.colour))
        painter.drawText(QPointF(x, words.y), words.text)
        return
    halo, colour = pen(words.halo, HALO), QColor(words.colour)

    def paint(onto: QPainter) -> None:
        path = QPainterPath()
        path.addText(QPointF(), font, words.text)
        onto.strokePath(path, halo)
        onto.fillPath(path, colour)

    area = QFontMetricsF(font).boundingRect(words.text).adjusted(-HALO, -HALO, HALO, HALO)
    key = words.text, font.key(), words.colour, words.halo
    _draw_kept(painter, QPointF(x, words.y), area, key, paint)


_PAINTERS: dict[type, Callable[[QPainter, Any], None]] = {
    Stroke: _paint_stroke,
    Area: _paint_area,
    Disc: _paint_disc,
    Spots: _paint_dots,
    Plate: _paint_panel,
    Gradient: _paint_gradient,
    Pixels: _paint_pixels,
    Inset: _paint_inset,
    Symbol: _paint_symbol,
}


def _take(
    painter: QPainter, fill: str | None, outline: str | None, width: float, opacity: float
) -> None:
    """Take a brush and a pen, none where there is no colour."""
    if fill is None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
    else:
        painter.setBrush(faded(fill, opacity))
    if outline is None:
        painter.setPen(Qt.PenStyle.NoPen)
    else:
        painter.setPen(pen(faded(outline, opacity), width))


def _draw_kept(
    painter: QPainter,
    at: QPointF,
    area: QRectF,
    key: tuple[object, ...],
    paint: Callable[[QPainter], None],
) -> None:
    """Draw at ``at`` what ``paint`` paints into ``area`` about its origin, on a screen
    from an image that Qt keeps.

    Images and vectors for export, and what is scaled, are painted. Kept images begin at
    whole pixels.
    """
    device, origin = painter.device(), painter.transform().map(QPointF())
    if not _keeps_images(painter):
        painter.save()
        painter.translate(at)
        paint(painter)
        painter.restore()
        return
    ratio = device.devicePixelRatioF()
    left, top = math.floor(area.left() * ratio), math.floor(area.top() * ratio)
    kept, name = QPixmap(), f"kept {ratio} {key}"
    if not QPixmapCache.find(name, kept):
        right, bottom = math.ceil(area.right() * ratio), math.ceil(area.bottom() * ratio)
        image = QImage(right - left, bottom - top, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(ratio)
        image.fill(0)
        with QPainter(image) as onto:
            onto.setRenderHints(painter.renderHints())
            onto.translate(-left / ratio, -top / ratio)
            paint(onto)
        kept = QPixmap.fromImage(image)
        QPixmapCache.insert(name, kept)
    corner = (at + origin) * ratio
    painter.drawPixmap(
        QPointF(round(corner.x()) + left, round(corner.y()) + top) / ratio - origin, kept
    )


def _keeps_images(painter: QPainter) -> bool:
    """Whether it paints on a screen, unscaled."""
    return (
        not painter.transform().isScaling()
        and not isinstance(painter.device(), QImage)
        and painter.paintEngine().type() is QPaintEngine.Type.Raster
    )
