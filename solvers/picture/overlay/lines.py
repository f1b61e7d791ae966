"""Lines over the pixels: path, ways beside it, negative cycle, climbs; arcs of an explanation's
step and of a sign; separators, and circles of equal distance.

The separators are those of a hierarchy, shown with the climbs and levels of a watched
query. The circles lie under a ring layout, with their distances.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from solvers.picture.display import (
    DASHED,
    Area,
    Box,
    Disc,
    Mark,
    Pixels,
    Spots,
    Stroke,
    curve_points,
    hex_colour,
    text_style,
)
from solvers.picture.overlay.legend import distance_text
from solvers.picture.overlay.signs import sign_shape
from solvers.picture.overlay.view import OverlayView, height_of, label
from solvers.picture.raster.marks import (
    GLOW_OPACITY,
    GLOW_WIDTH,
    HALO_WIDTH,
    PATH_WIDTH,
    PathPicture,
)
from solvers.picture.scene import paths
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.close_arcs import (
    ArcCurve,
    arc_controls,
    arrow_head,
    contains,
    disc_radius,
    marker_radius,
)
from solvers.picture.scene.content import Layer
from solvers.picture.scene.detail import Detail
from solvers.picture.scene.ramps import Ramp, ramp_colours
from solvers.picture.scene.scene import DrawableGraph
from solvers.system.array_types import Bools, Float64s, Int32s

CYCLE_WIDTH = 2.5
HOVER_WIDTH = 1.6
WAY_WIDTH = 3.0
# by place, light and dark: blue, green, purple, teal, red-violet, brown, and again
_WAYS = (
    ("#0B5FA5", "#1B7F3B", "#7A3FB0", "#00808A", "#B02A6F", "#7A5A12", "#45556B"),
    ("#6CB6FF", "#63D489", "#C79BFF", "#4FD6DE", "#FF86BC", "#E0BE6A", "#B8C4D6"),
)
STEP_WIDTH, STEP_OPACITY = 16.0, 0.4
_SIGNED_WIDTH, _SIGN_ROOM = 3.2, 14.0  # of the arc, and between a vertex and its sign
_HEAD_SPACING = 26.0  # pixels of a cycle's length per arrow head
_HEAD_SIZE = 14.0
_COVER = 2.5  # pixels around a head, in which the head of the arc beneath is covered
_HALVINGS = 12  # of an arc, to find where its head is
_HEAD_AT = 0.78  # of an arc's length: clear of its weight and of the vertex
_LINES_OUTSIDE = 20.0  # pixels around the view in which lines are drawn
_ALONG = np.linspace(0.0, 1.0, 17)

_RADII = (5.0, 2.2)  # of the dots of the top separator, and least
_RADIUS_STEP = 0.45  # from one level to the next
_HALO = 1.2  # pixels around a dot ...
_HALO_FROM = 2.8  # ... of at least this radius
_NEWEST = 1.5  # pixels by which the separator lit last is larger
_SETTLED = 3.0  # radius of the separators that a sweep settles
_CLIMB_WIDTH, _CLIMB_HALO, _CLIMB_RADIUS = 1.4, 3.6, 5.0
_DOTS_OUTSIDE = 10.0  # pixels around the view in which dots are drawn

_RING_OPACITY = 0.5
_LABEL_OPACITY = 0.75  # of the canvas behind a label
_LEAST_GAP = 16.0  # pixels between two circles with labels
_PADDING = 3.0


def path_marks(view: OverlayView, drawn: PathPicture | None) -> Iterator[Mark]:
    """The path with casing and glow, from what was ``drawn`` at this scale; explained, only
    at its end, plain.
    """
    path, tokens, camera = view.content.known_path, view.tokens, view.camera
    if path is None or len(path) < 2 or not view.content.has(Layer.PATH):
        return
    explained = view.content.explanation
    if explained is not None and not explained.at_end:
        return
    if drawn is not None and drawn.path is path and drawn.camera.scale == camera.scale:
        x, y = np.array(camera.offset) - drawn.camera.offset + np.array(drawn.corner) / drawn.ratio
        yield Pixels(float(x), float(y), drawn.pixels, drawn.ratio)
        return
    # whose arcs have heads, which the line would cut
    is_plain = view.detail is not None and explained is not None
    line = polyline(view, path)
    if not is_plain:
        yield Stroke(line, tokens.path, GLOW_WIDTH, opacity=GLOW_OPACITY)
    yield Stroke(line, tokens.canvas if is_plain else tokens.halo, HALO_WIDTH)
    yield Stroke(line, tokens.path, PATH_WIDTH)
    if is_plain:
        yield from _heads(view, path, tokens.path)


def way_colour(place: int, dark: bool) -> str:
    """The colour of a way beside the path, cold where the path is warm."""
    return _WAYS[dark][place % len(_WAYS[dark])]


def way_marks(view: OverlayView) -> Iterator[Mark]:
    """The ways beside the path, the best on top; in a legend they have their figures."""
    if view.content.has(Layer.PATH):
        for way in reversed(view.content.other_ways):
            colour = way_colour(way.place, view.tokens.dark)
            yield from cased(view, way.vertices, colour, WAY_WIDTH, WAY_WIDTH + 2.4)


def hover_marks(view: OverlayView, path: Int32s) -> Iterator[Mark]:
    """The way to the vertex under the pointer: thinner than the path, and dashed."""
    if len(path) > 1 and view.content.has(Layer.PATH):
        yield from cased(view, path, view.tokens.text, HOVER_WIDTH, HOVER_WIDTH + 2.0, DASHED)


def path_before_marks(view: OverlayView) -> Iterator[Mark]:
    """The shortest path before the changes, dashed, below the present one."""
    path = view.content.path_before
    if path is not None and len(path) > 1 and view.content.has(Layer.PATH):
        yield from cased(view, path, view.tokens.text, 2.0, HALO_WIDTH, (4.0, 3.0))


def cycle_marks(view: OverlayView) -> Iterator[Mark]:
    """A negative cycle, dashed, with arrow heads; in a close view in place of its arcs,
    with whole heads; explained only at its end.
    """
    explained, tokens, cycle = view.content.explanation, view.tokens, view.content.cycle
    if not cycle or not view.content.has(Layer.CYCLE):
        return
    if explained is not None and not explained.at_end:
        return
    closed = np.array([*cycle, cycle[0]], dtype=np.int64)
    halo = tokens.halo if view.detail is None else tokens.canvas
    yield from cased(view, closed, tokens.cycle, CYCLE_WIDTH, HALO_WIDTH, DASHED, halo)
    yield from _heads(view, closed, tokens.cycle)


def step_marks(view: OverlayView) -> Iterator[Mark]:
    """A broad translucent stroke along the arc of the explained step, or the path that it
    tries.
    """
    explained = view.content.explanation
    path = None if explained is None else explained.step_path
    if path is not None:
        line = polyline(view, np.array(path, dtype=np.int64))
        yield Stroke(line, view.tokens.warning, STEP_WIDTH, opacity=STEP_OPACITY)


def sign_marks(view: OverlayView) -> Iterator[Mark]:
    """The sign of the legend beside its vertex, and its arc."""
    # its legend is at hand; that of a run may be computed in another thread now
    values, tokens = view.content.values, view.tokens
    found = None if values is None else values.legend.sign
    if found is None or found.n != view.content.scene.graph.n:
        return
    if found.arc is not None:
        arc = np.array(found.arc)
        line = tokens.text, _SIGNED_WIDTH, HALO_WIDTH, found.dashes, tokens.canvas
        yield from cased(view, arc, *line)
        yield from _heads(view, arc, tokens.text)
    at = view.points_of(found.vertex)
    if np.isfinite(at).all():
        disc = 0.0 if view.detail is None else disc_radius(view.content.scene, view.camera)
        x, y = (at - disc - _SIGN_ROOM).tolist()
        yield from sign_shape(found, x, y, tokens)


def cased(
    view: OverlayView,
    vertices: NDArray[np.integer],
    colour: str,
    width: float,
    casing: float,
    dashes: Sequence[float] = (),
    halo: str | None = None,
) -> Iterator[Mark]:
    """The line through vertices over a wider one, in the colour of halos by default."""
    line = polyline(view, vertices)
    yield Stroke(line, halo or view.tokens.halo, casing)
    yield Stroke(line, colour, width, dashes=dashes)


def polyline(view: OverlayView, vertices: NDArray[np.integer]) -> Float64s:
    """(k, 2) points of the visible line through ``vertices``, which follows bent arcs and
    the curves of roads; NaN where it is broken.
    """
    return line_through(view.content.scene, vertices, view.camera, view.detail)


def line_through(
    scene: DrawableGraph, vertices: NDArray[np.integer], camera: Camera, detail: Detail | None
) -> Float64s:
    """As `polyline`."""
    if scene.curves is not None:
        points = camera.to_screen(paths.polyline(scene, vertices))
        points = points[paths.distinct(points)]
        return _straight(points, _seen_segments(points, camera))
    points = camera.to_screen(scene.positions[vertices])
    keep = paths.distinct(points)
    points, vertices = points[keep], vertices[keep]
    seen = _seen_segments(points, camera)
    controls = arc_controls(scene, camera, detail)
    if not controls:
        return _straight(points, seen)
    parts: list[Float64s] = []
    gap = np.full((1, 2), np.nan)
    for i in np.flatnonzero(seen).tolist():
        ends = points[i : i + 2]
        if (control := controls.get((int(vertices[i]), int(vertices[i + 1])))) is not None:
            bend = np.array([[ends[0], (control.real, control.imag), ends[1]]])
            ends = curve_points(bend, _ALONG)[0]
        is_going_on = i > 0 and seen[i - 1]
        parts += [ends[1:]] if is_going_on else [gap, ends]
    return np.concatenate(parts[1:]) if parts else np.empty((0, 2))


def _straight(points: Float64s, seen: Bools) -> Float64s:
    """The straight lines from point to point that are seen."""
    from_here, to_here = np.append(seen, False), np.append(False, seen)
    used = np.flatnonzero(from_here | to_here)
    ends = np.flatnonzero(~from_here[used])[:-1] + 1
    return np.insert(points[used], ends, np.nan, axis=0)


def _seen_segments(points: Float64s, camera: Camera) -> Bools:
    low, high = np.minimum(points[:-1], points[1:]), np.maximum(points[:-1], points[1:])
    return camera.sees(low, high, _LINES_OUTSIDE)


def _heads(view: OverlayView, vertices: NDArray[np.integer], colour: str) -> Iterator[Area]:
    """An arrow head on each arc of a line: before its end in a close view, else on the way."""
    points = view.points_of(vertices)
    controls = arc_controls(view.content.scene, view.camera, view.detail)
    for i in range(len(vertices) - 1):
        start, end = (complex(*point) for point in points[i : i + 2].tolist())
        along = end - start
        length = abs(along.real) + abs(along.imag)
        if not np.isfinite(points[i : i + 2]).all() or length < _HEAD_SPACING:
            continue
        control = controls.get((int(vertices[i]), int(vertices[i + 1])), (start + end) / 2)
        curve = ArcCurve(start, control, end)
        if view.detail is not None and not contains(view.clear, end):
            if (seen := curve.within(view.clear)) is None:
                continue
            curve, at = seen, 1.0
        else:
            room = 0.0 if view.detail is None else _disc_of(view, int(vertices[i + 1]))
            at = _share_at(curve, room) if room else _HEAD_AT
        tip, before = (curve.at(share) for share in (at, at - 0.02))
        head = arrow_head(tip, tip - before, _HEAD_SIZE)
        if view.detail is not None:
            yield Area(head, view.tokens.canvas, 1.0, view.tokens.canvas, 2 * _COVER)
            yield Area(head, colour)
        else:
            yield Area(head, colour, 1.0, view.tokens.halo)


def _disc_of(view: OverlayView, vertex: int) -> float:
    """Distance from a vertex' centre at which an arrow ends in a close view."""
    disc = disc_radius(view.content.scene, view.camera)
    is_end = vertex in (view.content.source, view.content.target)
    return marker_radius(disc) if is_end else 1.15 * disc + 1.0


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


def separator_marks(view: OverlayView) -> Iterator[Mark]:
    """The marked separators as dots in the colour of their level, and those that the
    play-back is settling.
    """
    levels_view = view.content.levels
    if levels_view is None or not view.content.has(Layer.SEPARATORS):
        return
    colours = ramp_colours(Ramp.LEVELS, view.tokens.dark)
    levels, shades = levels_view.picture.levels.separators.level, levels_view.picture.values.shade
    largest, least = _RADII
    for place, (number, vertices) in reversed(list(enumerate(levels_view.marked, 1))):
        radius = max(least, largest - _RADIUS_STEP * float(levels[number]))
        radius += _NEWEST * (place == levels_view.lit)
        yield from _dots(view, vertices, radius, hex_colour(colours[shades[vertices[0]]]))
    if view.content.has(Layer.FRONTIER):
        for vertices in levels_view.settling(view.content.activity, view.content.position):
            yield from _dots(view, vertices, _SETTLED, view.tokens.frontier)


def climb_marks(view: OverlayView) -> Iterator[Mark]:
    """The climbs of a watched query up to the iteration, each with a dot where it is."""
    if not view.content.has(Layer.FRONTIER):
        return
    colour = view.tokens.frontier
    for vertices in view.content.activity.climbs(view.content.position):
        yield from cased(view, vertices, colour, _CLIMB_WIDTH, _CLIMB_HALO)
        yield from _dots(view, vertices[-1:], _CLIMB_RADIUS, colour)


def _dots(
    view: OverlayView, vertices: NDArray[np.integer], radius: float, colour: str
) -> Iterator[Spots]:
    points = view.points_of(vertices)
    seen = points[view.camera.sees(points, points, _DOTS_OUTSIDE)]
    if radius >= _HALO_FROM:
        yield Spots(seen, radius + _HALO, view.tokens.halo)
    yield Spots(seen, radius, colour)


def ring_marks(view: OverlayView) -> Iterator[Mark]:
    """Circles at round distances from the source; nothing for other layouts. Labels grow
    with the type.
    """
    scale, tokens, camera = view.content.scene.rings, view.tokens, view.camera
    if scale is None:
        return
    x, y = (np.array(scale.centre) * camera.scale + camera.offset).tolist()
    style, grown = text_style(8.0 * view.type_factor), view.type_factor
    labelled = -_LEAST_GAP * grown
    for distance, world in scale.circles:
        radius = world * camera.scale
        yield Disc((x, y), radius, None, tokens.muted, 1.0, _RING_OPACITY)
        top = y - radius
        if radius - labelled >= _LEAST_GAP * grown and 0.0 <= top <= camera.height:
            words = distance_text(distance, scale.unit)
            width = view.sizes.width(words, style) + 2 * _PADDING
            box = Box.around(x, top, width, height_of(view.sizes, style))
            ground = tokens.canvas
            yield from label(view.sizes, box, words, tokens.muted, style, ground, _LABEL_OPACITY)
            labelled = radius
