"""Vector overlay of the raster: path, negative cycle, source and target, separators, and circles of equal distance.

The separators are those of a hierarchy, shown with the climbs and levels of a watched query. The circles lie under a
ring layout, with their distances.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from gui.painting.annotations import distance_text
from gui.painting.close_view import text_colour_on
from gui.painting.drawing import (
    arrow_head,
    bend_point,
    disc_radius,
    draw_haloed_text,
    draw_label,
    id_fits,
    marker_label,
    marker_radius,
    pen,
    point_along,
    small_font,
)
from gui.painting.labels import Fonts
from gui.picture.scene import paths
from gui.picture.scene.camera import Camera
from gui.picture.scene.content import Layer, PictureContent
from gui.picture.scene.detail import Detail
from gui.picture.scene.ramps import Ramp, ramp_colours, region_colour
from gui.picture.scene.scene import DrawableGraph
from gui.style.colours import Tokens

PATH_WIDTH = 3.0
HALO_WIDTH = 6.5
HOVER_WIDTH = 1.6
CYCLE_WIDTH = 2.5
STEP_WIDTH, STEP_OPACITY = 16.0, 0.4
_HEAD_SPACING = 26.0  # pixels of a cycle's length per arrow head
_HEAD_SIZE = 14.0
_COVER = 2.5  # pixels around a head, in which the head of the arc beneath is covered
_HALVINGS = 12  # of an arc, to find where its head is
_HEAD_AT = 0.78  # of an arc's length: clear of its weight and of the vertex
_ID_DROP = 0.08  # of a disc's radius: a triangle is wider below its middle
_LINES_OUTSIDE = 20.0  # pixels around the view in which lines are drawn


def draw_path(
    painter: QPainter, camera: Camera, content: PictureContent, tokens: Tokens, detail: Detail | None
) -> None:
    """Draw the shortest path with a halo; in a lesson only at the end."""
    if content.path is None or len(content.path) < 2 or not content.has(Layer.PATH):
        return
    if content.lesson is not None and content.position < content.activity.last:
        return
    line = polyline(content.scene, content.path, camera, detail)
    lesson = detail is not None and content.lesson is not None  # whose arcs have heads, which the line would cut
    painter.strokePath(line, pen(tokens.canvas if lesson else tokens.halo, HALO_WIDTH))
    painter.strokePath(line, pen(tokens.path, PATH_WIDTH))
    if lesson:
        _draw_heads(painter, camera, content, content.path, tokens.path, tokens, detail)


def draw_hover_path(
    painter: QPainter, camera: Camera, content: PictureContent, path: NDArray[np.int32], tokens: Tokens,
    detail: Detail | None,
) -> None:  # fmt: skip
    """Draw the way to the vertex under the pointer: thinner than the path, and dashed."""
    if len(path) < 2 or not content.has(Layer.PATH):
        return
    line = polyline(content.scene, path, camera, detail)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.strokePath(line, pen(tokens.halo, HOVER_WIDTH + 2.0))
    painter.strokePath(line, pen(tokens.text, HOVER_WIDTH, Qt.PenStyle.DashLine))


def draw_cycle(
    painter: QPainter, camera: Camera, content: PictureContent, tokens: Tokens, detail: Detail | None
) -> None:
    """Draw a negative cycle, dashed, with arrow heads; in a close view in place of its arcs, with whole heads."""
    if not content.cycle or not content.has(Layer.CYCLE):
        return
    closed = np.array([*content.cycle, content.cycle[0]], dtype=np.int64)
    line = polyline(content.scene, closed, camera, detail)
    painter.strokePath(line, pen(tokens.halo if detail is None else tokens.canvas, HALO_WIDTH))
    painter.strokePath(line, pen(tokens.cycle, CYCLE_WIDTH, Qt.PenStyle.DashLine))
    _draw_heads(painter, camera, content, closed, tokens.cycle, tokens, detail)


def draw_step_arc(
    painter: QPainter, camera: Camera, content: PictureContent, tokens: Tokens, detail: Detail | None
) -> None:
    """Mark the arc of the lesson's step by a broad translucent stroke."""
    if content.step_arc is None or content.lesson is None or max(content.step_arc) >= content.scene.graph.n:
        return
    line = polyline(content.scene, np.array(content.step_arc, dtype=np.int64), camera, detail)
    colour = QColor(tokens.warning)
    colour.setAlphaF(STEP_OPACITY)
    stroke = QPen(colour, STEP_WIDTH)
    stroke.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.strokePath(line, stroke)


def draw_markers(
    painter: QPainter, camera: Camera, content: PictureContent, tokens: Tokens, detail: Detail | None, *,
    type_factor: float = 1.0,
) -> None:  # fmt: skip
    """Draw source as a triangle and target as a square, each with its id; ids beside them grow with the type."""
    if not content.has(Layer.MARKERS):
        return
    places = range(len(content.more_sources), -1, -1)
    sources = (((content.source, *content.more_sources)[i], _triangle, source_colour(content, i, tokens))
               for i in places)  # fmt: skip
    marks = ((content.target, _square, tokens.target), *sources)
    for vertex, shape, colour in marks:
        if vertex is None or not np.isfinite(content.scene.positions[vertex]).all():
            continue
        centre = QPointF(*camera.to_screen(content.scene.positions[vertex]))
        disc = 0.0 if detail is None else disc_radius(content.scene, camera)
        radius = marker_radius(disc)
        _draw_shape(painter, shape(centre, radius), colour, tokens, outlined=bool(content.more_sources))
        text = content.scene.graph.vertex_label(vertex)
        end = np.array([content.scene.bounds.x1, content.scene.bounds.y1])
        border = float(camera.to_screen(end)[0]) if detail is None else math.inf  # a close view has planned its labels
        _draw_marker_id(painter, text, centre, disc, colour, camera, tokens, type_factor, border)


def source_colour(content: PictureContent, place: int, tokens: Tokens) -> str:
    """Colour of a source's marker: that of its region, if there are several."""
    return region_colour(place, tokens.dark) if content.more_sources else tokens.source


def paint_marker(
    painter: QPainter, is_source: bool, centre: QPointF, radius: float, colour: str, tokens: Tokens, *,
    outlined: bool = False,
) -> None:  # fmt: skip
    """Draw the shape of one marker, without an id."""
    _draw_shape(painter, (_triangle if is_source else _square)(centre, radius), colour, tokens, outlined=outlined)


def _draw_shape(painter: QPainter, outline: QPolygonF, colour: str, tokens: Tokens, *, outlined: bool = False) -> None:
    """Draw a shape with a halo; where it lies on a region of its own colour, also with an outline."""
    painter.setBrush(QColor(colour))
    painter.setPen(pen(tokens.halo, 5.0 if outlined else 2.0))
    painter.drawPolygon(outline)
    if outlined:
        painter.setPen(pen(tokens.text, 1.5))
        painter.drawPolygon(outline)


def _draw_marker_id(
    painter: QPainter, text: str, centre: QPointF, disc: float, colour: str, camera: Camera, tokens: Tokens,
    type_factor: float, border: float,
) -> None:  # fmt: skip
    """Draw the id inside the marker if it fits, else next to it."""
    painter.setFont(Fonts.of(painter, disc).ids)
    metrics = QFontMetricsF(painter.font())
    if id_fits(metrics, text, disc):
        painter.setPen(QColor(text_colour_on(QColor(colour))))
        box = QRectF(centre.x() - disc, centre.y() - disc, 2 * disc, 2 * disc).translated(0.0, _ID_DROP * disc)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    else:
        font = painter.font()
        font.setPixelSize(round(type_factor * font.pixelSize()))
        painter.setFont(font)
        at = marker_label(centre, marker_radius(disc), text, QFontMetricsF(font), camera, border)
        draw_haloed_text(painter, at, text, tokens.text, tokens.canvas)


def polyline(
    scene: DrawableGraph, vertices: NDArray[np.integer], camera: Camera, detail: Detail | None
) -> QPainterPath:
    """The visible polyline through ``vertices``, following bent arcs and the curves of roads."""
    if scene.curves is not None:
        return _line_through(camera.to_screen(paths.polyline(scene, vertices)), camera)
    points = camera.to_screen(scene.positions[vertices])
    keep = _distinct(points)
    points, vertices = points[keep], vertices[keep]
    seen = _seen_segments(points, camera)
    if detail is None or not detail.bent:
        return _straight(points, seen)
    line = QPainterPath()
    broken = True
    for i in np.flatnonzero(seen):
        start, end = QPointF(*points[i]), QPointF(*points[i + 1])
        if broken or not seen[i - 1]:
            line.moveTo(start)
        if (int(vertices[i]), int(vertices[i + 1])) in detail.bent:
            line.quadTo(bend_point(start, end), end)
        else:
            line.lineTo(end)
        broken = False
    return line


def _line_through(points: NDArray[np.float64], camera: Camera) -> QPainterPath:
    """The visible polyline through points of the screen."""
    points = points[_distinct(points)]
    return _straight(points, _seen_segments(points, camera))


def _straight(points: NDArray[np.float64], seen: NDArray[np.bool_]) -> QPainterPath:
    """The straight lines from point to point that are seen; point by point it would take most of a live picture."""
    from pyqtgraph.functions import arrayToQPath  # imported here: it is slow, and at first there is no path

    from_here, to_here = np.append(seen, False), np.append(False, seen)
    used = np.flatnonzero(from_here | to_here)
    if not len(used):
        return QPainterPath()
    line: QPainterPath = arrayToQPath(*points[used].T, connect=from_here[used], finiteCheck=False)
    return line


def _distinct(points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Mask of points to keep: drops unplaced ones and those on the previous point's pixel, except the last."""
    finite: NDArray[np.bool_] = np.all(np.isfinite(points), axis=1)
    pixels = np.round(np.where(finite[:, None], points, 0.0))
    keep = finite & np.concatenate(([True], np.any(pixels[1:] != pixels[:-1], axis=1)))
    if len(keep) and finite[-1]:
        keep[-1] = True
    return keep


def _seen_segments(points: NDArray[np.float64], camera: Camera) -> NDArray[np.bool_]:
    low, high = np.minimum(points[:-1], points[1:]), np.maximum(points[:-1], points[1:])
    size = np.array([camera.width, camera.height])
    seen: NDArray[np.bool_] = np.all((high >= -_LINES_OUTSIDE) & (low <= size + _LINES_OUTSIDE), axis=1)
    return seen


def _draw_heads(
    painter: QPainter, camera: Camera, content: PictureContent, vertices: NDArray[np.integer], colour: str,
    tokens: Tokens, detail: Detail | None,
) -> None:  # fmt: skip
    """Draw an arrow head on each arc of a line: before its end in a close view, else on the way."""
    points = camera.to_screen(content.scene.positions[vertices])
    painter.setPen(pen(tokens.halo, 1.0))
    painter.setBrush(QColor(colour))
    bent = detail.bent if detail is not None else frozenset()
    for i in range(len(vertices) - 1):
        start, end = QPointF(*points[i]), QPointF(*points[i + 1])
        along = end - start
        if not np.isfinite(points[i : i + 2]).all() or along.manhattanLength() < _HEAD_SPACING:
            continue
        curved = (int(vertices[i]), int(vertices[i + 1])) in bent
        control = bend_point(start, end) if curved else (start + end) / 2
        room = 0.0 if detail is None else _disc_of(content, camera, int(vertices[i + 1]))
        at = _share_at(start, control, end, room) if room else _HEAD_AT
        tip, before = (point_along(start, control, end, share) for share in (at, at - 0.02))
        head = arrow_head(tip, tip - before, _HEAD_SIZE)
        if detail is not None:
            painter.setPen(pen(tokens.canvas, 2 * _COVER))
            painter.drawPolygon(head)
            painter.setPen(Qt.PenStyle.NoPen)
        painter.drawPolygon(head)


def _disc_of(content: PictureContent, camera: Camera, vertex: int) -> float:
    """Distance from a vertex' centre at which an arrow ends in a close view."""
    disc = disc_radius(content.scene, camera)
    return marker_radius(disc) if vertex in (content.source, content.target) else 1.15 * disc + 1.0


def _share_at(start: QPointF, control: QPointF, end: QPointF, room: float) -> float:
    """Parameter of the last point of a curve that is at least ``room`` from its end, by bisection."""
    near, far = 1.0, 0.0
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        left = end - point_along(start, control, end, middle)
        if math.hypot(left.x(), left.y()) >= room:
            far = middle
        else:
            near = middle
    return far


def _triangle(centre: QPointF, radius: float) -> QPolygonF:
    offsets: Sequence[tuple[float, float]] = ((0.0, -1.15), (1.05, 0.75), (-1.05, 0.75))
    return QPolygonF([centre + QPointF(x * radius, y * radius) for x, y in offsets])


def _square(centre: QPointF, radius: float) -> QPolygonF:
    side = 0.86 * radius
    return QPolygonF(QRectF(centre.x() - side, centre.y() - side, 2 * side, 2 * side))


_RADII = (5.0, 2.2)  # of the dots of the top separator, and least
_RADIUS_STEP = 0.45  # from one level to the next
_HALO = 1.2  # pixels around a dot ...
_HALO_FROM = 2.8  # ... of at least this radius
_NEWEST = 1.5  # pixels by which the separator lit last is larger
_SETTLED = 3.0  # radius of the separators that a sweep settles
_CLIMB_WIDTH, _CLIMB_HALO, _CLIMB_RADIUS = 1.4, 3.6, 5.0
_DOTS_OUTSIDE = 10.0  # pixels around the view in which dots are drawn


def draw_separators(painter: QPainter, camera: Camera, content: PictureContent, tokens: Tokens) -> None:
    """Draw the marked separators as dots in the colour of their level, and those that the play-back is settling."""
    view = content.levels
    if view is None or not content.has(Layer.SEPARATORS):
        return
    colours = ramp_colours(Ramp.LEVELS, tokens.dark)
    levels, shades = view.picture.levels.separators.level, view.picture.values.shade
    largest, least = _RADII
    for place, (number, vertices) in reversed(list(enumerate(view.marked, 1))):
        radius = max(least, largest - _RADIUS_STEP * float(levels[number])) + _NEWEST * (place == view.lit)
        colour = QColor(*(int(channel) for channel in colours[shades[vertices[0]]]))
        _dots(painter, camera, content.scene.positions[vertices], radius, colour, tokens)
    if content.has(Layer.FRONTIER):
        for vertices in view.settling(content.activity, content.position):
            _dots(painter, camera, content.scene.positions[vertices], _SETTLED, QColor(tokens.frontier), tokens)


def draw_climbs(
    painter: QPainter, camera: Camera, content: PictureContent, tokens: Tokens, detail: Detail | None
) -> None:
    """Draw the climbs of a watched query up to the iteration, each with a dot where it is."""
    if not content.has(Layer.FRONTIER):
        return
    for vertices in content.activity.climbs(content.position):
        line = polyline(content.scene, vertices, camera, detail)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.strokePath(line, pen(tokens.halo, _CLIMB_HALO))
        painter.strokePath(line, pen(tokens.frontier, _CLIMB_WIDTH))
        last = content.scene.positions[vertices[-1:]]
        _dots(painter, camera, last, _CLIMB_RADIUS, QColor(tokens.frontier), tokens)


def _dots(
    painter: QPainter, camera: Camera, positions: NDArray[np.float64], radius: float, colour: QColor, tokens: Tokens
) -> None:
    points = camera.to_screen(positions)
    size = np.array([camera.width, camera.height])
    seen = np.all((points >= -_DOTS_OUTSIDE) & (points <= size + _DOTS_OUTSIDE), axis=1)  # false for NaN
    polygon = QPolygonF(list(_points(points[seen])))
    rings = [(radius, colour)]
    if radius >= _HALO_FROM:
        rings.insert(0, (radius + _HALO, QColor(tokens.halo)))
    for outer, shade in rings:
        painter.setPen(QPen(shade, 2 * outer, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPoints(polygon)


def _points(points: NDArray[np.float64]) -> Iterable[QPointF]:
    return (QPointF(x, y) for x, y in points.tolist())


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
