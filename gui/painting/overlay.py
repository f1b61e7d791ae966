"""Vector overlay of the raster: path, negative cycle, source and target, separators,
and circles of equal distance.

The separators are those of a hierarchy, shown with the climbs and levels of a watched
query. The circles lie under a ring layout, with their distances.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from gui.painting.bends import arc_controls, as_bounds, curve_of, qt_point
from gui.painting.close_view import text_colour_on
from gui.painting.drawing import (
    CYCLE_WIDTH,
    PIN_RADIUS,
    PaintedView,
    argb_image,
    arrow_head,
    draw_fault_sign,
    draw_haloed_text,
    draw_kept,
    draw_label,
    id_fits,
    is_figure,
    marker_label,
    pen,
    pin_area,
    pin_head,
    small_font,
)
from gui.painting.labels import Fonts
from gui.painting.legend import distance_text
from gui.style.widgets import CENTRE, faded, fill_with, outline_with, square, write
from solvers.picture.colours import Tokens
from solvers.picture.raster.marks import (
    GLOW_OPACITY,
    GLOW_WIDTH,
    HALO_WIDTH,
    PATH_WIDTH,
    PathPicture,
)
from solvers.picture.scene import paths
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.close_arcs import ArcCurve, disc_radius, marker_radius
from solvers.picture.scene.content import Layer, PictureContent
from solvers.picture.scene.ramps import Ramp, ramp_colours, region_colour
from solvers.picture.scene.scene import Detail, DrawableGraph
from solvers.running.kernel_check import Looks
from solvers.system.array_types import Bools, Float64s, Int32s

HOVER_WIDTH = 1.6
WAY_WIDTH = 3.0
# by place, light and dark: blue, green, purple, teal, red-violet, brown, and again
_WAYS = (
    ("#0B5FA5", "#1B7F3B", "#7A3FB0", "#00808A", "#B02A6F", "#7A5A12", "#45556B"),
    ("#6CB6FF", "#63D489", "#C79BFF", "#4FD6DE", "#FF86BC", "#E0BE6A", "#B8C4D6"),
)
STEP_WIDTH, STEP_OPACITY = 16.0, 0.4
_FAULT_WIDTH, _FAULT_ROOM = 3.2, 14.0  # of the arc, and between a wrong vertex and its sign
_FAULT_LINES = {Looks.MISSING_PASS: Qt.PenStyle.DashLine, Looks.STALE_FLAG: Qt.PenStyle.DotLine}
_HEAD_SPACING = 26.0  # pixels of a cycle's length per arrow head
_HEAD_SIZE = 14.0
_COVER = 2.5  # pixels around a head, in which the head of the arc beneath is covered
_HALVINGS = 12  # of an arc, to find where its head is
_HEAD_AT = 0.78  # of an arc's length: clear of its weight and of the vertex
_CROSS = 7.0  # half of the sign of a closed road, which ids leave visible
_SHADOW = 0.22  # opacity of the shadow around a marker
_GLYPH = 2.7  # half of the dot in a source's pin, and of the square in a target's
_ID_DROP = 0.08  # of a disc's radius: a triangle is wider below its middle
_LINES_OUTSIDE = 20.0  # pixels around the view in which lines are drawn

_RADII = (5.0, 2.2)  # of the dots of the top separator, and least
_RADIUS_STEP = 0.45  # from one level to the next
_HALO = 1.2  # pixels around a dot ...
_HALO_FROM = 2.8  # ... of at least this radius
_NEWEST = 1.5  # pixels by which the separator lit last is larger
_SETTLED = 3.0  # radius of the separators that a sweep settles
_CLIMB_WIDTH, _CLIMB_HALO, _CLIMB_RADIUS = 1.4, 3.6, 5.0
_DOTS_OUTSIDE = 10.0  # pixels around the view in which dots are drawn

_OPACITY = 0.5
_LABEL_OPACITY = 0.75  # of the canvas behind a label
_LEAST_GAP = 16.0  # pixels between two circles with labels
_PADDING = 3.0


def draw_path(view: PaintedView, drawn: PathPicture | None) -> None:
    """Draw the path with casing and glow, from what was ``drawn`` at this scale; a
    lesson's only at its end, plain.
    """
    path = view.content.known_path
    if path is None or len(path) < 2 or not view.content.has(Layer.PATH):
        return
    lesson = view.content.lesson
    if lesson is not None and not lesson.at_end:
        return
    # whose arcs have heads, which the line would cut
    plain = view.detail is not None and lesson is not None
    halo = view.tokens.canvas if plain else view.tokens.halo
    if drawn is not None and drawn.path is path and drawn.camera.scale == view.camera.scale:
        shift = (
            np.array(view.camera.offset)
            - drawn.camera.offset
            + np.array(drawn.corner) / drawn.ratio
        )
        view.painter.drawImage(QPointF(*shift), argb_image(drawn.pixels, drawn.ratio))
        return
    if not plain:
        stroke_line(view, path, pen(faded(view.tokens.path, GLOW_OPACITY), GLOW_WIDTH))
    stroke_line(view, path, pen(halo, HALO_WIDTH), pen(view.tokens.path, PATH_WIDTH))
    if plain:
        _draw_heads(view, path, view.tokens.path)


def way_colour(place: int, dark: bool) -> str:
    """The colour of a way beside the path, cold where the path is warm."""
    return _WAYS[dark][place % len(_WAYS[dark])]


def draw_other_ways(view: PaintedView) -> None:
    """Draw the ways beside the path, the best on top; in a legend they have their figures."""
    if not view.content.has(Layer.PATH):
        return
    for way in reversed(view.content.other_ways):
        line = pen(way_colour(way.place, view.tokens.dark), WAY_WIDTH)
        stroke_line(view, way.vertices, pen(view.tokens.halo, WAY_WIDTH + 2.4), line)


def draw_hover_path(view: PaintedView, path: Int32s) -> None:
    """Draw the way to the vertex under the pointer: thinner than the path, and dashed."""
    if len(path) < 2 or not view.content.has(Layer.PATH):
        return
    dashes = pen(view.tokens.text, HOVER_WIDTH, Qt.PenStyle.DashLine)
    stroke_line(view, path, pen(view.tokens.halo, HOVER_WIDTH + 2.0), dashes)


def draw_cycle(view: PaintedView) -> None:
    """Draw a negative cycle, dashed, with arrow heads; in a close view in place of its
    arcs, with whole heads; in a lesson only at its end.
    """
    lesson = view.content.lesson
    if not view.content.cycle or not view.content.has(Layer.CYCLE):
        return
    if lesson is not None and not lesson.at_end:
        return
    closed = np.array([*view.content.cycle, view.content.cycle[0]], dtype=np.int64)
    halo = view.tokens.halo if view.detail is None else view.tokens.canvas
    stroke_line(
        view,
        closed,
        pen(halo, HALO_WIDTH),
        pen(view.tokens.cycle, CYCLE_WIDTH, Qt.PenStyle.DashLine),
    )
    _draw_heads(view, closed, view.tokens.cycle)


def draw_step_arc(view: PaintedView) -> None:
    """Mark the arc of the lesson's step, or the path that it tries, by a broad translucent
    stroke.
    """
    lesson = view.content.lesson
    path = None if lesson is None else lesson.step_path
    if path is None:
        return
    stroke = QPen(faded(view.tokens.warning, STEP_OPACITY), STEP_WIDTH)
    stroke.setCapStyle(Qt.PenCapStyle.RoundCap)
    stroke_line(view, np.array(path, dtype=np.int64), stroke)


def draw_fault(view: PaintedView) -> None:
    """Mark the arc whose offer a wrong run misses, and beside the first wrong vertex
    what that looks like.
    """
    # its legend is at hand; that of a run may be computed in another thread now
    values = view.content.values
    found = None if values is None else values.legend.fault
    if found is None or found.vertex is None or found.graph.n != view.content.scene.graph.n:
        return
    if found.arc is not None:
        line = pen(
            view.tokens.text, _FAULT_WIDTH, _FAULT_LINES.get(found.looks, Qt.PenStyle.SolidLine)
        )
        stroke_line(view, np.array(found.arc), pen(view.tokens.canvas, HALO_WIDTH), line)
        _draw_heads(view, np.array(found.arc), view.tokens.text)
    if np.isfinite(at := view.points_of(found.vertex)).all():
        disc = 0.0 if view.detail is None else disc_radius(view.content.scene, view.camera)
        away = disc + _FAULT_ROOM
        draw_fault_sign(view.painter, QPointF(*at) - QPointF(away, away), found.looks, view.tokens)


def draw_markers(view: PaintedView) -> None:
    """Draw source and target as pins with their tips on the vertices, each with its id,
    which grows with the type.

    Where vertices are discs large enough for their ids, the source is a triangle and
    the target a square around its id.
    """
    if not view.content.has(Layer.MARKERS):
        return
    scene, sources = view.content.scene, [view.content.source, *view.content.more_sources]
    colours = [source_colour(view.content, i, view.tokens) for i in range(len(sources))]
    marks = [(view.content.target, False, view.tokens.target)]
    marks += [
        (vertex, True, colour) for vertex, colour in zip(sources[::-1], colours[::-1], strict=True)
    ]
    disc = 0.0 if view.detail is None else disc_radius(scene, view.camera)
    end = np.array([scene.bounds.x1, scene.bounds.y1])
    # labels of a close view are placed
    border = math.inf if view.detail else float(view.camera.to_screen(end)[0])
    # and by ids
    taken = [QRectF(x - _CROSS, y - _CROSS, 2 * _CROSS, 2 * _CROSS) for x, y in view.crosses()]
    for vertex, is_source, colour in marks:
        if vertex is None or not np.isfinite(scene.positions[vertex]).all():
            continue
        centre = QPointF(*view.points_of(vertex))
        paint_marker(view.painter, is_source, centre, colour, view.tokens, disc)
        _draw_marker_id(view, scene.graph.vertex_label(vertex), centre, disc, colour, border, taken)


def source_colour(content: PictureContent, place: int, tokens: Tokens) -> str:
    """Colour of a source's marker: that of its region, if there are several."""
    return region_colour(place, tokens.dark) if content.more_sources else tokens.source


def paint_marker(
    painter: QPainter, is_source: bool, at: QPointF, colour: str, tokens: Tokens, disc: float = 0.0
) -> None:
    """Draw one marker at a vertex whose disc has that radius, without an id."""
    if is_figure(disc):
        outline = QPainterPath()
        outline.addPolygon((_triangle if is_source else _square)(at, marker_radius(disc)))
        outline.closeSubpath()
        _fill(painter, outline, colour)
    else:
        draw_kept(
            painter,
            at,
            pin_area(QPointF()),
            (is_source, colour),
            partial(_paint_pin, is_source=is_source, colour=colour),
        )


def _paint_pin(painter: QPainter, is_source: bool, colour: str) -> None:
    _fill(painter, _pin(QPointF()), colour)
    fill_with(painter, QColor(text_colour_on(QColor(colour))))
    head = pin_head(QPointF())
    if is_source:
        painter.drawEllipse(head, _GLYPH, _GLYPH)
    else:
        painter.drawRect(square(head, _GLYPH))


def _fill(painter: QPainter, outline: QPainterPath, colour: str) -> None:
    """Fill the outline of a marker, with a white edge and a shadow around it."""
    painter.strokePath(outline, pen(faded("#000000", _SHADOW), 4.5))
    painter.strokePath(outline, pen("#FFFFFF", 2.8))
    painter.fillPath(outline, QColor(colour))


def _pin(tip: QPointF) -> QPainterPath:
    head, r = pin_head(tip), PIN_RADIUS
    path = QPainterPath(tip)
    path.cubicTo(
        tip + QPointF(-0.25 * r, -0.75 * r), head + QPointF(-r, 0.75 * r), head + QPointF(-r, 0.0)
    )
    path.arcTo(square(head, r), 180.0, -180.0)
    path.cubicTo(head + QPointF(r, 0.75 * r), tip + QPointF(0.25 * r, -0.75 * r), tip)
    return path


def _draw_marker_id(
    view: PaintedView,
    text: str,
    centre: QPointF,
    disc: float,
    colour: str,
    border: float,
    taken: list[QRectF],
) -> None:
    """Draw the id inside the marker if it fits, else next to it."""
    view.painter.setFont(Fonts.of(view.painter, disc).ids)
    metrics = QFontMetricsF(view.painter.font())
    if id_fits(metrics, text, disc):
        box = square(centre, disc).translated(0.0, _ID_DROP * disc)
        write(view.painter, box, text, text_colour_on(QColor(colour)), CENTRE)
    else:
        font = view.painter.font()
        font.setPixelSize(round(view.type_factor * font.pixelSize()))
        view.painter.setFont(font)
        metrics = QFontMetricsF(font)
        at = marker_label(
            centre, disc, text, metrics, view.camera, border, taken if view.detail is None else ()
        )
        taken.append(
            QRectF(
                at.x(), at.y() - metrics.ascent(), metrics.horizontalAdvance(text), metrics.height()
            )
        )
        draw_haloed_text(view.painter, at, text, view.tokens.text, view.tokens.canvas)


def stroke_line(view: PaintedView, vertices: NDArray[np.integer], *pens: QPen) -> None:
    """Stroke the polyline through ``vertices`` with one pen after the other."""
    line = polyline(view.content.scene, vertices, view.camera, view.detail)
    for stroke in pens:
        view.painter.strokePath(line, stroke)


def polyline(
    scene: DrawableGraph, vertices: NDArray[np.integer], camera: Camera, detail: Detail | None
) -> QPainterPath:
    """The visible polyline through ``vertices``, following bent arcs and the curves of roads."""
    if scene.curves is not None:
        return _line_through(camera.to_screen(paths.polyline(scene, vertices)), camera)
    points = camera.to_screen(scene.positions[vertices])
    keep = paths.distinct(points)
    points, vertices = points[keep], vertices[keep]
    seen = _seen_segments(points, camera)
    controls = arc_controls(scene, camera, detail)
    if not controls:
        return _straight(points, seen)
    line = QPainterPath()
    broken = True
    for i in np.flatnonzero(seen):
        start, end = QPointF(*points[i]), QPointF(*points[i + 1])
        if broken or not seen[i - 1]:
            line.moveTo(start)
        if (control := controls.get((int(vertices[i]), int(vertices[i + 1])))) is not None:
            line.quadTo(control, end)
        else:
            line.lineTo(end)
        broken = False
    return line


def _line_through(points: Float64s, camera: Camera) -> QPainterPath:
    """The visible polyline through points of the screen."""
    points = points[paths.distinct(points)]
    return _straight(points, _seen_segments(points, camera))


def _straight(points: Float64s, seen: Bools) -> QPainterPath:
    """The straight lines from point to point that are seen; point by point it would
    take most of a live picture.
    """
    # imported here: it is slow, and at first there is no path
    from pyqtgraph.functions import arrayToQPath

    from_here, to_here = np.append(seen, False), np.append(False, seen)
    used = np.flatnonzero(from_here | to_here)
    if not len(used):
        return QPainterPath()
    line: QPainterPath = arrayToQPath(*points[used].T, connect=from_here[used], finiteCheck=False)
    return line


def _seen_segments(points: Float64s, camera: Camera) -> Bools:
    low, high = np.minimum(points[:-1], points[1:]), np.maximum(points[:-1], points[1:])
    return camera.sees(low, high, _LINES_OUTSIDE)


def _draw_heads(view: PaintedView, vertices: NDArray[np.integer], colour: str) -> None:
    """Draw an arrow head on each arc of a line: before its end in a close view, else on the way."""
    points = view.points_of(vertices)
    view.painter.setPen(pen(view.tokens.halo, 1.0))
    view.painter.setBrush(colour)
    controls = arc_controls(view.content.scene, view.camera, view.detail)
    for i in range(len(vertices) - 1):
        start, end = QPointF(*points[i]), QPointF(*points[i + 1])
        along = end - start
        if not np.isfinite(points[i : i + 2]).all() or along.manhattanLength() < _HEAD_SPACING:
            continue
        control = controls.get((int(vertices[i]), int(vertices[i + 1])), (start + end) / 2)
        curve = curve_of(start, control, end)
        if view.detail is not None and not view.clear.contains(end):
            if (seen := curve.within(as_bounds(view.clear))) is None:
                continue
            curve, at = seen, 1.0
        else:
            room = 0.0 if view.detail is None else _disc_of(view, int(vertices[i + 1]))
            at = _share_at(curve, room) if room else _HEAD_AT
        tip, before = (qt_point(curve.at(share)) for share in (at, at - 0.02))
        head = arrow_head(tip, tip - before, _HEAD_SIZE)
        if view.detail is not None:
            view.painter.setPen(pen(view.tokens.canvas, 2 * _COVER))
            view.painter.drawPolygon(head)
            view.painter.setPen(Qt.PenStyle.NoPen)
        view.painter.drawPolygon(head)


def _disc_of(view: PaintedView, vertex: int) -> float:
    """Distance from a vertex' centre at which an arrow ends in a close view."""
    disc = disc_radius(view.content.scene, view.camera)
    return (
        marker_radius(disc)
        if vertex in (view.content.source, view.content.target)
        else 1.15 * disc + 1.0
    )


def _share_at(curve: ArcCurve, room: float) -> float:
    """Parameter of the last point of a curve that is at least ``room`` from its end, by
    bisection.
    """
    near, far = 1.0, 0.0
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        if abs(curve.end - curve.at(middle)) >= room:
            far = middle
        else:
            near = middle
    return far


def _triangle(centre: QPointF, radius: float) -> QPolygonF:
    offsets: Sequence[tuple[float, float]] = ((0.0, -1.15), (1.05, 0.75), (-1.05, 0.75))
    return QPolygonF([centre + QPointF(x * radius, y * radius) for x, y in offsets])


def _square(centre: QPointF, radius: float) -> QPolygonF:
    side = 0.86 * radius
    return QPolygonF(square(centre, side))


def draw_separators(view: PaintedView) -> None:
    """Draw the marked separators as dots in the colour of their level, and those that
    the play-back is settling.
    """
    levels_view = view.content.levels
    if levels_view is None or not view.content.has(Layer.SEPARATORS):
        return
    colours = ramp_colours(Ramp.LEVELS, view.tokens.dark)
    levels, shades = levels_view.picture.levels.separators.level, levels_view.picture.values.shade
    largest, least = _RADII
    for place, (number, vertices) in reversed(list(enumerate(levels_view.marked, 1))):
        radius = max(least, largest - _RADIUS_STEP * float(levels[number])) + _NEWEST * (
            place == levels_view.lit
        )
        colour = QColor(*(int(channel) for channel in colours[shades[vertices[0]]]))
        _dots(view, vertices, radius, colour)
    if view.content.has(Layer.FRONTIER):
        for vertices in levels_view.settling(view.content.activity, view.content.position):
            _dots(view, vertices, _SETTLED, QColor(view.tokens.frontier))


def draw_climbs(view: PaintedView) -> None:
    """Draw the climbs of a watched query up to the iteration, each with a dot where it is."""
    if not view.content.has(Layer.FRONTIER):
        return
    for vertices in view.content.activity.climbs(view.content.position):
        stroke_line(
            view,
            vertices,
            pen(view.tokens.halo, _CLIMB_HALO),
            pen(view.tokens.frontier, _CLIMB_WIDTH),
        )
        _dots(view, vertices[-1:], _CLIMB_RADIUS, QColor(view.tokens.frontier))


def _dots(view: PaintedView, vertices: NDArray[np.integer], radius: float, colour: QColor) -> None:
    points = view.points_of(vertices)
    seen = points[view.camera.sees(points, points, _DOTS_OUTSIDE)]
    polygon = QPolygonF([QPointF(x, y) for x, y in seen.tolist()])
    rings = [(radius, colour)]
    if radius >= _HALO_FROM:
        rings.insert(0, (radius + _HALO, QColor(view.tokens.halo)))
    for outer, shade in rings:
        view.painter.setPen(QPen(shade, 2 * outer, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        view.painter.drawPoints(polygon)


def draw_ring_guides(view: PaintedView) -> None:
    """Draw circles at round distances from the source; nothing for other layouts.
    Labels grow with the type.
    """
    scale = view.content.scene.rings
    if scale is None:
        return
    dx, dy = view.camera.offset
    centre = QPointF(
        scale.centre[0] * view.camera.scale + dx, scale.centre[1] * view.camera.scale + dy
    )
    line, background = faded(view.tokens.muted, _OPACITY), QColor(view.tokens.canvas)
    background.setAlphaF(_LABEL_OPACITY)
    view.painter.setFont(small_font(view.painter, 8.0 * view.type_factor))
    metrics = QFontMetricsF(view.painter.font())
    labelled = -_LEAST_GAP * view.type_factor
    for distance, world in scale.circles:
        radius = world * view.camera.scale
        outline_with(view.painter, pen(line, 1.0))
        view.painter.drawEllipse(centre, radius, radius)
        top = centre.y() - radius
        if radius - labelled >= _LEAST_GAP * view.type_factor and 0.0 <= top <= view.camera.height:
            words = distance_text(distance, scale.unit)
            width, height = metrics.horizontalAdvance(words) + 2 * _PADDING, metrics.height()
            box = QRectF(centre.x() - width / 2, top - height / 2, width, height)
            draw_label(view.painter, box, words, view.tokens.muted, background)
            labelled = radius
