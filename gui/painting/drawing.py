"""Drawing helpers: pens, fonts, text with a halo, arrow heads, cards, and the shapes of
roads and close views.

Discs, bent arcs, loops and markers of close views are in logical pixels. The lines of
roads on the screen follow their curves; they are here, not in `roads`, because
`close_view` needs them and `roads` needs it by way of `overlay`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPaintEngine,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPixmapCache,
    QPolygonF,
)

from gui.style.theme import HAIRLINE, paint_drawing
from gui.style.widgets import CENTRE, faded, square, write
from solvers.picture.colours import Tokens
from solvers.picture.scene import close_arcs
from solvers.picture.scene.activity import band_colours
from solvers.picture.scene.camera import Bounds, Camera
from solvers.picture.scene.close_arcs import Road, marker_radius
from solvers.picture.scene.content import Layer, PictureContent
from solvers.picture.scene.figure import (
    ID_INSIDE,
    ID_SHARE,
)
from solvers.picture.scene.ramps import Ramp, ramp_colours
from solvers.picture.scene.scene import Detail, DrawableGraph
from solvers.running.kernel_check import Looks
from solvers.system.array_types import Float64s, UInt32s

CARD_OPACITY = 0.9
_CARD_RADIUS = 9.0
_TEXT_POINTS = 9.0
_LEAST_POINTS, _STEP_POINTS = 6.5, 0.5
_MOST_CLEAR = 50
_CLEAR = 6.0
SIGN_RADIUS = 8.0
_SIGN_HALF = 12.0  # of a sign's drawing

CYCLE_WIDTH = 2.5
PIN_RADIUS, _PIN_RISE = 7.5, 18.0  # of its head, and how far that is above the vertex
PIN_HEIGHT = _PIN_RISE + PIN_RADIUS + 3.0  # with its edge
_NEAR_BORDER = 12.0  # farther away an id would not be seen to belong to its marker
# pixels between a marker and its id, and between an id and the edge of the view
_LABEL_GAP, _EDGE = 4.0, 2.0


@dataclass(frozen=True)
class PaintedView:
    """What is painted over a raster: some content, as a camera shows it."""

    painter: QPainter
    camera: Camera
    content: PictureContent
    tokens: Tokens
    detail: Detail | None = None  # of a close view
    type_factor: float = 1.0  # enlarges ids and labels, see `paint_enlarged`
    # the part of the view that has legend and scale bar at its lower edge
    over_legends: QRectF | None = None

    @property
    def clear(self) -> QRectF:
        """The part of the view over which nothing lies, less a margin for arrow heads."""
        whole = self.over_legends or QRectF(0.0, 0.0, self.camera.width, self.camera.height)
        return whole.adjusted(_CLEAR, _CLEAR, -_CLEAR, -_CLEAR)

    def points_of(self, vertices: NDArray[np.integer] | int) -> Float64s:
        """(..., 2) points of vertices on the screen."""
        return self.camera.to_screen(self.content.scene.positions[vertices])

    def crosses(self) -> list[list[float]]:
        """About where the signs of closed roads in view are; none where they are too
        many to be kept clear.
        """
        marks = self.content.road_marks
        if marks is None or not self.content.has(Layer.ROADS):
            return []
        points = self.points_of(marks.ends[np.isinf(marks.factors)]).mean(axis=1)
        points = points[self.camera.sees(points, points, 0.0)]
        return points.tolist() if len(points) <= _MOST_CLEAR else []

    def shades(self) -> list[QColor]:
        """The 256 colours of visited vertices."""
        legend = self.content.legend
        colours = ramp_colours(Ramp.DISTANCES if legend is None else legend.ramp, self.tokens.dark)
        colours = colours if legend is None else band_colours(colours, legend)
        return [QColor(*channels) for channels in colours.astype(int).tolist()]


def paint_enlarged(view: PaintedView, paint: Callable[[PaintedView], None]) -> None:
    """Paint a view; discs, numbers and lines of a close one are larger by its type factor."""
    if view.detail is None:
        paint(view)
        return
    factor, area = view.type_factor, view.over_legends
    if area is not None:
        area = QRectF(area.topLeft() / factor, area.size() / factor)
    view.painter.save()
    view.painter.scale(factor, factor)
    camera = view.camera.enlarged(factor)
    paint(replace(view, camera=camera, type_factor=1.0, over_legends=area))
    view.painter.restore()


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


def count_inside(place: QRectF, points: Float64s) -> int:
    """How many of (k, 2) points lie inside a rectangle."""
    x, y = points.T
    inside = (x > place.left()) & (x < place.right()) & (y > place.top()) & (y < place.bottom())
    return int(np.count_nonzero(inside))


def draw_kept(
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
    on_screen = (
        not isinstance(device, QImage) and painter.paintEngine().type() is QPaintEngine.Type.Raster
    )
    if painter.transform().isScaling() or not on_screen:
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


def draw_haloed_text(painter: QPainter, at: QPointF, text: str, colour: str, halo: str) -> None:
    """Draw text with its baseline starting at ``at``, readable on any background."""
    font = painter.font()

    def paint(onto: QPainter) -> None:
        path = QPainterPath()
        path.addText(QPointF(), font, text)
        onto.strokePath(path, pen(halo, 3.0))
        onto.fillPath(path, QColor(colour))

    area = QFontMetricsF(font).boundingRect(text).adjusted(-3.0, -3.0, 3.0, 3.0)
    draw_kept(painter, at, area, (text, font.key(), colour, halo), paint)


def draw_label(painter: QPainter, box: QRectF, text: str, colour: str, ground: QColor) -> None:
    """Draw text centred in ``box`` on a background patch, which is cheaper than a halo."""
    painter.fillRect(box, ground)
    write(painter, box, text, colour, CENTRE)


def draw_fault_sign(painter: QPainter, at: QPointF, looks: Looks, tokens: Tokens) -> None:
    """Draw what a wrong answer looks like as a sign around ``at``. Signs differ in shape, so
    that no eye needs their colour.
    """
    name = looks.name.lower().replace("_", "-")
    paint_drawing(painter, name, square(at, _SIGN_HALF), tokens)


def arrow_head(tip: QPointF, towards: QPointF, size: float) -> QPolygonF:
    corners = close_arcs.arrow_head(
        complex(tip.x(), tip.y()), complex(towards.x(), towards.y()), size
    )
    return QPolygonF([QPointF(*corner) for corner in corners.tolist()])


def draw_card(painter: QPainter, rectangle: QRectF, tokens: Tokens) -> None:
    """Draw the background of annotations: a nearly opaque card with a hairline."""
    ground = faded(tokens.panel, CARD_OPACITY)
    painter.setPen(QPen(QColor(tokens.border), HAIRLINE))
    painter.setBrush(ground)
    painter.drawRoundedRect(rectangle, _CARD_RADIUS, _CARD_RADIUS)


def is_figure(disc: float) -> bool:
    """Whether discs of that radius may have ids inside, so that markers are shapes
    around them, not pins.
    """
    return disc >= ID_INSIDE


def pin_head(tip: QPointF) -> QPointF:
    """Centre of the round part of a pin."""
    return tip - QPointF(0.0, _PIN_RISE)


def pin_area(tip: QPointF) -> QRectF:
    """What a pin covers, with its edge."""
    side = PIN_RADIUS + 3.0
    return QRectF(tip.x() - side, tip.y() - PIN_HEIGHT, 2 * side, PIN_HEIGHT + 3.0)


def marker_label(
    vertex: QPointF,
    disc: float,
    text: str,
    metrics: QFontMetricsF,
    camera: Camera,
    border: float = math.inf,
    taken: Sequence[QRectF] = (),
) -> QPointF:
    """Start of the id next to a marker, if it does not fit inside: to its right or, at
    the edge of the view, left.

    An id that would lie across ``border``, the right end of the drawing in pixels,
    starts behind it if that is near. One that would overlap ids that have ``taken`` its
    place is to the left.
    """
    centre, radius = (
        (vertex, marker_radius(disc)) if is_figure(disc) else (pin_head(vertex), PIN_RADIUS + 2.0)
    )
    width = metrics.horizontalAdvance(text)
    x = centre.x() + radius + _LABEL_GAP
    if x < border < min(x + width, x + _NEAR_BORDER):
        x = border + _LABEL_GAP
    y = centre.y() - radius + 2.0 if is_figure(disc) else centre.y() + metrics.ascent() / 2 - 1.0
    seen = 0 <= vertex.x() <= camera.width and 0 <= vertex.y() <= camera.height
    if not seen:
        return QPointF(x, y)
    overlaps = any(
        box.intersects(QRectF(x, y - metrics.ascent(), width, metrics.height())) for box in taken
    )
    if overlaps or x + width > camera.width - _EDGE:
        x = max(_EDGE, centre.x() - radius - _LABEL_GAP - width)
    return QPointF(x, max(metrics.ascent() + _EDGE, y))


def id_fits(metrics: QFontMetricsF, text: str, radius: float) -> bool:
    """True if an id fits inside its disc or marker."""
    return radius >= ID_INSIDE and metrics.horizontalAdvance(text) < ID_SHARE * radius


def point_along(start: QPointF, control: QPointF, end: QPointF, share: float) -> QPointF:
    """The point of a quadratic curve at parameter ``share``."""
    rest = 1.0 - share
    return start * (rest * rest) + control * (2.0 * share * rest) + end * (share * share)


def distance(a: QPointF, b: QPointF) -> float:
    """Distance of two points, in pixels."""
    return math.hypot(b.x() - a.x(), b.y() - a.y())


def moved(point: QPointF, towards: QPointF, by: float) -> QPointF:
    """``point`` moved by ``by`` pixels towards ``towards``, but not beyond it."""
    length = distance(point, towards)
    return point if length == 0 else point + (towards - point) * min(1.0, by / length)


def road_lines(
    scene: DrawableGraph, camera: Camera, roads: Sequence[Road]
) -> dict[Road, list[QPointF]]:
    """The points of each road, tail and head included; nothing if all roads of the
    scene are straight.
    """
    found = close_arcs.road_lines(scene, camera, roads)
    return {road: [QPointF(*at) for at in line.tolist()] for road, line in found.items()}


def add_line(path: QPainterPath, line: Sequence[QPointF]) -> None:
    path.moveTo(line[0])
    for point in line[1:]:
        path.lineTo(point)


def cut_line(line: Sequence[QPointF], share: float) -> list[QPointF]:
    """The part of a polyline from its start to a share of its length."""
    steps = [QPointF.dotProduct(b - a, b - a) ** 0.5 for a, b in pairwise(line)]
    left, found = share * sum(steps), [line[0]]
    for start, end, step in zip(line, line[1:], steps, strict=False):
        if left <= step:
            return [*found, start + (end - start) * (left / step if step > 0 else 0.0)]
        left -= step
        found.append(end)
    return found


def bend_through_middle(line: Sequence[QPointF]) -> QPointF:
    """Control point of the quadratic curve from start to end that passes the middle of
    a polyline.
    """
    middle = cut_line(line, 0.5)[-1]
    return middle * 2 - (line[0] + line[-1]) / 2
