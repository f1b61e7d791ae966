"""Arcs of a close view as strokes and heads: where they run, beside opposite arcs and in a
small graph around vertices between their ends. No Qt.

Points of the screen are complex numbers, x + yj. Window, notebook and vector export draw
the same strokes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product

import numpy as np

from solvers.picture.display import DASHED, Area, Disc, Shape, Stroke, curve_points
from solvers.picture.scene.camera import Bounds, Camera, Margins
from solvers.picture.scene.detail import ArcForm, Detail, DetailArc, detail_of
from solvers.picture.scene.figure import (
    BEND_SHARE,
    FIGURE_RADIUS,
    FIGURE_VERTICES,
    MARKER_RADIUS,
    MOST_BEND,
    OUTLINE,
    RADIUS_RANGE,
    RADIUS_SHARE,
    SMALL_GRAPH,
    SPACING_SHARE,
)
from solvers.picture.scene.paths import road_polylines
from solvers.picture.scene.scene import DrawableGraph
from solvers.system.array_types import Complexes, Float64s
from solvers.system.jit import njit

Road = tuple[int, int]
Point = complex

_CLEARANCE = 3.0  # pixels between an arc and a vertex that it passes
# of a curve's middle, as shares of the length, tried in turn
_DEVIATIONS = (0.08, 0.12, 0.17, 0.23, 0.3, 0.4, 0.5)
_SAMPLES = np.linspace(0.02, 0.98, 33)
_MARKER_SHARE = 1.25  # of a disc's radius
HEAD_SIZE = 9.0
_HEAD_GROWTH = 1.6  # of a head with each pixel that its line is broader than an outline
_HEAD_SHARE = 0.7  # of a head's length, that its line ends beneath it


@dataclass(frozen=True)
class ArcLook:
    """How an arc is drawn."""

    colour: str
    width: float
    is_dashed: bool = False
    opacity: float = 1.0

    @property
    def dashes(self) -> Sequence[float]:
        return DASHED if self.is_dashed else ()


@dataclass(frozen=True)
class ArcCurve:
    """A quadratic curve: an arc's, or a part of it."""

    start: Point
    control: Point
    end: Point

    def reversed(self) -> ArcCurve:
        return ArcCurve(self.end, self.control, self.start)

    def at(self, share: float) -> Point:
        """The point at a parameter."""
        rest = 1.0 - share
        return (
            self.start * (rest * rest)
            + self.control * (2.0 * share * rest)
            + self.end * (share * share)
        )

    def part(self, first: float, last: float) -> ArcCurve:
        """The part between two shares."""
        control = (
            self.start * ((1 - first) * (1 - last))
            + self.control * ((1 - first) * last + first * (1 - last))
            + self.end * (first * last)
        )
        return ArcCurve(self.at(first), control, self.at(last))

    def within(self, area: Bounds) -> ArcCurve | None:
        """The curve from where it first enters ``area`` to where it leaves it for good;
        None if it is outside.
        """
        if contains(area, self.start) and contains(area, self.end):
            return self
        points = self.start, self.control, self.end
        shares = sorted(
            {0.0, 1.0}
            | _crossings([point.real for point in points], area.x0, area.x1)
            | _crossings([point.imag for point in points], area.y0, area.y1)
        )
        inside = [
            (first, last)
            for first, last in pairwise(shares)
            if contains(area, self.at((first + last) / 2))
        ]
        return self.part(inside[0][0], inside[-1][1]) if inside else None

    @property
    def points(self) -> Float64s:
        """(3, 2): start, control and end."""
        return _pairs(self.start, self.control, self.end)


def contains(area: Bounds, point: Point) -> bool:
    return area.x0 <= point.real <= area.x1 and area.y0 <= point.imag <= area.y1


def _crossings(points: Sequence[float], *borders: float) -> set[float]:
    """Shares at which one coordinate of a quadratic curve is that of a border."""
    start, control, end = points
    square, slope = start - 2 * control + end, control - start
    found = set()
    for border in borders:
        root = slope * slope - square * (start - border)
        if root < 0 or slope == square == 0:
            continue
        # stable where the curve is nearly straight
        sum_of_two = -(slope + math.copysign(math.sqrt(root), slope))
        if square:
            found.add(sum_of_two / square)
        if sum_of_two:
            found.add((start - border) / sum_of_two)
    return {share for share in found if 0.0 < share < 1.0}


def disc_radius(scene: DrawableGraph, camera: Camera) -> float:
    """Radius of a vertex in a close view; in a small graph, vertices do not overlap."""
    low, high = RADIUS_RANGE
    if scene.graph.n <= FIGURE_VERTICES:
        high = max(low, min(FIGURE_RADIUS, SPACING_SHARE * scene.spacing * camera.scale))
    return (
        min(high, max(low, RADIUS_SHARE * scene.mean_length * camera.scale))
        if scene.edges
        else high
    )


def scale_of_radius(scene: DrawableGraph, radius: float) -> float:
    """The least scale at which discs have that radius, which is one that they can have."""
    growth = [RADIUS_SHARE * scene.mean_length] if scene.edges else []
    if scene.graph.n <= FIGURE_VERTICES:
        growth.append(SPACING_SHARE * scene.spacing)
    return max((radius / each if each else math.inf for each in growth), default=0.0)


def marker_radius(disc: float) -> float:
    """Radius of source and target among discs of radius ``disc``."""
    return max(MARKER_RADIUS, _MARKER_SHARE * disc)


def bend_point(start: Point, end: Point) -> Point:
    """Control point of an arc that bends to its right, away from its opposite arc."""
    along = end - start
    length = abs(along) or 1.0
    # the curve itself goes half as far as its control point
    bend = min(BEND_SHARE * length, MOST_BEND) * 2.0
    return (start + end) / 2 + 1j * along * (bend / length)


def loop_circle(at: Point, radius: float, bow: float = 0.0) -> tuple[Point, float]:
    """Centre and radius of a self-loop at a disc of ``radius``; that of a heavier parallel is
    larger.
    """
    side = 1.05 * radius * (1.0 + 0.5 * bow)
    return at - 1j * (0.7 * radius + side), side


def arc_control(controls: Mapping[Road, Point], arc: DetailArc, start: Point, end: Point) -> Point:
    """Control point of an arc, whose heavier parallels bow out beside it."""
    middle = (start + end) / 2
    lightest = controls.get((arc.tail, arc.head), middle)
    return lightest + (bend_point(start, end) - middle) * arc.bow


def moved(point: Point, towards: Point, by: float) -> Point:
    """``point`` moved by ``by`` pixels towards ``towards``, but not beyond it."""
    length = abs(towards - point)
    return point if length == 0 else point + (towards - point) * min(1.0, by / length)


def arrow_head(tip: Point, towards: Point, size: float) -> Float64s:
    """(3, 2) corners of a head that points in a direction."""
    along = towards * (size / (abs(towards) or 1.0))
    across = 0.42j * along
    return _pairs(tip, tip - along + across, tip - along - across)


def head_size(radius: float, width: float) -> float:
    """Length of the head of a line of that width among discs of that radius."""
    return min(HEAD_SIZE, 4.0 + radius) + _HEAD_GROWTH * max(0.0, width - OUTLINE)


def road_lines(scene: DrawableGraph, camera: Camera, roads: Sequence[Road]) -> dict[Road, Float64s]:
    """The points of each road, (k, 2), tail and head included; nothing if all roads of
    the scene are straight.
    """
    if scene.curves is None or not roads:
        return {}
    ends = np.array(roads, np.int32)
    points, begins = road_polylines(scene, ends[:, 0], ends[:, 1])
    screen = camera.to_screen(points)
    return {road: screen[begins[i] : begins[i + 1]] for i, road in enumerate(roads)}


@dataclass(frozen=True, eq=False)
class CloseArcs:
    """The arcs of a close view where they are on the screen.

    ``clear``: where heads of arcs that leave the view are; ``seen``: what lines are cut
    to. ``room``: distance from a vertex' centre at which arrows end.
    """

    scene: DrawableGraph
    camera: Camera
    detail: Detail
    radius: float
    clear: Bounds
    seen: Bounds
    room: Callable[[int], float]

    @cached_property
    def points(self) -> dict[int, Point]:
        """Centres of the ends of arcs."""
        ends = self.detail.ends
        at = self.camera.to_screen(self.scene.positions[ends])
        return dict(zip(ends.tolist(), (at[:, 0] + 1j * at[:, 1]).tolist(), strict=True))

    @cached_property
    def lines(self) -> dict[Road, Float64s]:
        """The curves of roads."""
        roads = [(arc.tail, arc.head) for arc in self.detail.arcs]
        return road_lines(self.scene, self.camera, roads)

    @cached_property
    def controls(self) -> Mapping[Road, Point]:
        return arc_controls(self.scene, self.camera, self.detail)

    def curve(self, tail: int, head: int) -> ArcCurve:
        """The curve of the lightest arc between two vertices, from centre to centre."""
        start, end = self.points[tail], self.points[head]
        control = self.controls.get((tail, head), (start + end) / 2)
        return ArcCurve(start, control, end)

    def marks(self, arc: DetailArc, look: ArcLook, heads: tuple[bool, bool]) -> Iterator[Shape]:
        """Line and heads of an arc; ``heads`` says whether there is one at its head, and at
        its tail.
        """
        size = head_size(self.radius, look.width)
        if (line := self.lines.get((arc.tail, arc.head))) is not None:
            yield from self._road(arc, line, look, heads, size)
            return
        if arc.form is ArcForm.LOOP:
            centre, side = loop_circle(self.points[arc.tail], self.radius, arc.bow)
            yield Disc((centre.real, centre.imag), side, None, look.colour, look.width)
            return
        start, end = self.points[arc.tail], self.points[arc.head]
        curve = ArcCurve(start, arc_control(self.controls, arc, start, end), end)
        roomy = abs(curve.end - curve.start) > 2 * self.radius + HEAD_SIZE
        head = self._head(curve, arc.head) if roomy and heads[0] else None
        nock = self._head(curve.reversed(), arc.tail) if roomy and heads[1] else None
        begin = curve.start if nock is None else self._base(curve.start, nock, curve, size)
        finish = curve.end if head is None else self._base(curve.end, head, curve, size)
        drawn = ArcCurve(begin, curve.control, finish)
        if (seen := drawn.within(self.seen)) is not None:
            before = abs(seen.start - begin)
            yield Stroke(
                seen.points, look.colour, look.width, True, look.dashes, look.opacity, before
            )
        for tip in filter(None, (head, nock)):
            yield Area(arrow_head(*tip, size), look.colour, look.opacity)

    def _head(self, curve: ArcCurve, vertex: int) -> tuple[Point, Point] | None:
        """Tip and direction of an arrow head at a vertex, or where the curve to it
        leaves the view; None if it is outside.
        """
        if contains(self.clear, curve.end):
            tip = moved(curve.end, curve.control, self.room(vertex))
            return tip, curve.end - curve.control
        part = curve.within(self.clear)
        return None if part is None else (part.end, part.end - part.control)

    def _base(
        self, vertex: Point, head: tuple[Point, Point], curve: ArcCurve, size: float
    ) -> Point:
        """Where the line ends at a head: beneath it, or at the vertex out of view."""
        if not contains(self.clear, vertex):
            return vertex
        return moved(head[0], curve.control, _HEAD_SHARE * size)

    def _road(
        self,
        arc: DetailArc,
        line: Float64s,
        look: ArcLook,
        heads: tuple[bool, bool],
        size: float,
    ) -> Iterator[Shape]:
        yield Stroke(line, look.colour, look.width, False, look.dashes, look.opacity)
        along = (line[:, 0] + 1j * line[:, 1]).tolist()
        if abs(along[-1] - along[0]) <= 2 * self.radius + HEAD_SIZE:
            return
        ends = ((along[-1], along[-2], arc.head), (along[0], along[1], arc.tail))
        for wanted, (end, before, vertex) in zip(heads, ends, strict=True):
            if wanted:
                tip = moved(end, before, self.room(vertex))
                yield Area(arrow_head(tip, end - before, size), look.colour, look.opacity)


def arc_controls(
    scene: DrawableGraph, camera: Camera, detail: Detail | None
) -> Mapping[Road, Point]:
    """Control points, in pixels, of the quadratic curves of arcs that are not straight,
    by tail and head.

    Of two opposite arcs drawn as one, both are in it. Kept in ``detail`` while the
    camera stays.
    """
    if detail is None:
        return {}
    kept = detail.plans.get(arc_controls)
    if isinstance(kept, tuple) and kept[0] == camera:
        controls: dict[Road, Point] = kept[1]
        return controls
    controls = _controls(scene, camera, detail)
    detail.plans[arc_controls] = camera, controls
    return controls


def reach_of_arcs(scene: DrawableGraph, camera: Camera, bounds: Bounds) -> Margins:
    """Pixels that arcs between vertices within ``bounds`` reach beyond them on each side, where
    they bend.
    """
    if scene.curves is not None or (detail := detail_of(scene, camera)) is None:
        return Margins()

    def is_within(vertex: int) -> bool:
        return contains(bounds, complex(*scene.positions[vertex]))

    inside = [arc for arc in detail.arcs if is_within(arc.tail) and is_within(arc.head)]
    if not inside:
        return Margins()
    arcs = CloseArcs(scene, camera, detail, disc_radius(scene, camera), bounds, bounds, float)
    curves, corners = [], []
    for arc in inside:
        start, end = arcs.points[arc.tail], arcs.points[arc.head]
        if arc.form is ArcForm.LOOP:
            centre, side = loop_circle(start, arcs.radius, arc.bow)
            corners += [centre - side * (1 + 1j), centre + side * (1 + 1j)]
        else:
            control = arc_control(arcs.controls, arc, start, end)
            curves.append(ArcCurve(start, control, end).points)
    along = curve_points(np.array(curves).reshape(-1, 3, 2), _SAMPLES).reshape(-1, 2)
    found = np.concatenate((along, _pairs(*corners).reshape(-1, 2)))
    (x0, y0), (x1, y1) = found.min(axis=0), found.max(axis=0)
    corner = np.array([(bounds.x0, bounds.y0), (bounds.x1, bounds.y1)])
    (left, top), (right, bottom) = camera.to_screen(corner)
    return Margins(*(max(0.0, float(by)) for by in (left - x0, top - y0, x1 - right, y1 - bottom)))


def _controls(scene: DrawableGraph, camera: Camera, detail: Detail) -> dict[Road, Point]:
    arcs = [arc for arc in detail.arcs if arc.form is not ArcForm.LOOP and not arc.bow]
    if not arcs or scene.curves is not None:
        return {}
    index = {int(v): i for i, v in enumerate(detail.ends)}
    points = camera.to_screen(scene.positions[detail.ends]) @ np.array((1.0, 1.0j))
    is_small = scene.graph.n <= SMALL_GRAPH
    room = marker_radius(disc_radius(scene, camera)) + _CLEARANCE if is_small else 0.0
    controls = {}
    for arc in arcs:
        ends, is_bent = (index[arc.tail], index[arc.head]), arc.form is ArcForm.BENT
        start, end = points[[*ends]].tolist()
        middle = bend_point(start, end) if is_bent else (start + end) / 2
        if is_crowded := _gap(points, *ends, middle, room) < room:
            middle = _around(points, ends, middle, room, one_sided=is_bent)
        if is_bent or is_crowded:
            controls[arc.tail, arc.head] = middle
            if arc.form is ArcForm.BOTH_WAYS:
                controls[arc.head, arc.tail] = middle
    return controls


def _around(
    points: Complexes, ends: tuple[int, int], middle: Point, room: float, *, one_sided: bool
) -> Point:
    """Control point of the flattest curve that is clear of other vertices, or of the
    clearest, if none is; ``middle`` is that of the present one. An arc beside an opposite
    one stays on its side.
    """
    best, gap = middle, _gap(points, *ends, middle, room)
    start, end = points[[*ends]].tolist()
    sides = (1.0,) if one_sided else (1.0, -1.0)
    for share, side in product(_DEVIATIONS, sides):
        if gap >= room:
            break
        control = (start + end) / 2 + 1j * (end - start) * (2.0 * share * side)
        if (found := _gap(points, *ends, control, room)) > gap:
            best, gap = control, found
    return best


@njit
def _gap(points: Complexes, tail: int, head: int, control: Point, room: float) -> float:
    """Distance of a curve from the nearest vertex that is not at one of its ends; infinity
    where none is as near as ``room``.
    """
    start, end, least = points[tail], points[head], np.inf
    from_ends = np.minimum(np.abs(points - start), np.abs(points - end))
    # no curve is clear of another vertex at its end, as on the two sides of a bollard
    others = from_ends >= _CLEARANCE
    reach = abs(control - start) + abs(end - control) + room
    near = points[others & (from_ends <= reach)]
    for t in _SAMPLES:
        at = start * (1 - t) ** 2 + control * (2 * t * (1 - t)) + end * t**2
        for other in near:
            x, y = at.real - other.real, at.imag - other.imag
            least = min(least, x * x + y * y)
    return math.sqrt(least)


def _pairs(*points: Point) -> Float64s:
    """(k, 2) coordinates of points."""
    return np.array([(point.real, point.imag) for point in points])
