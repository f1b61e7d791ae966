"""Labels of a close view and their places: ids, weights, and the tentative distances so far.

Weights are placed on their arcs, other labels around their vertices, without overlap;
all sizes and places are in logical pixels. Labels are placed once per view and trace,
with room for the widest text of the play-back, so that they do not move.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from solvers.picture.display import Box, TextSizes, TextStyle, curve_points, part_of_line
from solvers.picture.overlay.markers import marker_label, pin_area
from solvers.picture.overlay.view import LabelStyles, OverlayView, height_of
from solvers.picture.scene.close_arcs import (
    ArcCurve,
    arc_control,
    arc_controls,
    disc_radius,
    loop_circle,
    marker_radius,
    road_lines,
)
from solvers.picture.scene.content import Layer, PictureContent
from solvers.picture.scene.detail import ArcForm, DetailArc
from solvers.picture.scene.figure import MARKER_ROOM, id_fits, is_figure
from solvers.picture.scene.values import bare_distance, short_distance
from solvers.system.array_types import Bools, Float64s
from solvers.system.jit import njit
from solvers.text import grouped

IDS_FROM = 4.0  # disc radius from which ids are shown
VALUE_PADDING = 4.0  # pixels at either side of a tentative distance
VALUE_GAP = 5.0  # between the former and the new distance

# of an arc's length: positions tried for its label, best first
_SHARES = (0.5, 0.4, 0.6, 0.32, 0.68, 0.25, 0.75)
_SHARE_COSTS = np.array([0.1 * i for i in range(len(_SHARES))])
_ANGLES = np.radians((-90, 90, 0, 180, -45, -135, 45, 135))
_RINGS = (3.0, 12.0)  # pixels between a vertex and its label, the nearer first
_GAPS = np.repeat(_RINGS, len(_ANGLES))[:, None]
_AROUND = np.tile(np.stack((np.cos(_ANGLES), np.sin(_ANGLES)), axis=1), (len(_RINGS), 1))
_SIDES = np.sign(_AROUND.round(9))
_AROUND_COSTS = np.add.outer(3.0 * np.arange(len(_RINGS)), 0.3 * np.arange(len(_ANGLES))).ravel()
# sampled points per arc, and of all arcs, for the cost of covering them
_SAMPLE_RANGE, _MOST_SAMPLES = (24, 96), 4_000
_LINE_COST = 1.0  # per covered arc point


@dataclass(frozen=True, eq=False)
class Labels:
    """Where the texts of a close view are."""

    weights: tuple[tuple[DetailArc, Box], ...]
    ids: dict[int, Box]  # ids placed next to their vertices
    values: dict[int, Box]  # room for the tentative distance


def labels_of(view: OverlayView, styles: LabelStyles) -> Labels:
    """Places of a view's labels; cached in its detail until camera, marks or trace change.

    Weights of arcs that leave the clear part of the view are on what is in it.
    """
    content, detail = view.content, view.detail
    assert detail is not None
    trace = None if content.explanation is None else content.explanation.trace
    marks = (content.source, content.target) if content.has(Layer.MARKERS) else (None, None)
    shown = content.has(Layer.EDGES)
    key = (view.camera, trace, marks, shown, styles, view.sizes.name, view.clear)
    plan = detail.plans.get(key)
    if not isinstance(plan, Labels):
        plan = _Planner(view, styles).labels()
        for old in [kept for kept, of in detail.plans.items() if isinstance(of, Labels)]:
            del detail.plans[old]
        detail.plans[key] = plan
    return plan


class _Planner:
    """Places labels: ids first, then distances, then weights."""

    def __init__(self, view: OverlayView, styles: LabelStyles):
        assert view.detail is not None
        self._view, self._styles, self._detail = view, styles, view.detail
        self._sizes, self._content, camera = view.sizes, view.content, view.camera
        self._radius = disc_radius(self._content.scene, camera)
        self._vertices = self._detail.vertices.tolist()
        points = view.points_of(self._detail.ends)
        ends = zip(self._detail.ends.tolist(), points.tolist(), strict=True)
        self._points = {v: complex(*at) for v, at in ends}
        marks = (self._content.source, self._content.target)
        marks = marks if self._content.has(Layer.MARKERS) else (None, None)
        self._marked = {vertex for vertex in marks if vertex is not None}
        radii = [
            MARKER_ROOM * marker_radius(self._radius) if v in self._marked else self._radius + 1.0
            for v in self._vertices
        ]
        discs = np.column_stack((points[: len(radii)].reshape(-1, 2), radii))
        self._plan = LabelPlan(view.area, discs, self._curves())

    def labels(self) -> Labels:
        self._reserve_marker_labels()
        ids = self._ids()
        values = self._values()
        return Labels(self._weights(), ids, values)

    def _curves(self) -> Float64s:
        scene, camera = self._content.scene, self._view.camera
        lines = road_lines(scene, camera, [(arc.tail, arc.head) for arc in self._detail.arcs])
        controls = arc_controls(scene, camera, self._detail)
        curves = np.empty((len(self._detail.arcs), 3, 2))
        for i, arc in enumerate(self._detail.arcs):
            start, end = self._points[arc.tail], self._points[arc.head]
            control = arc_control(controls, arc, start, end)
            if arc.form is ArcForm.LOOP:
                centre, side = loop_circle(start, self._radius, arc.bow)
                start, control, end = (centre + complex(x * side, -side) for x in (-1.0, 0.0, 1.0))
            if (line := lines.get((arc.tail, arc.head))) is not None:
                start, end = complex(*line[0]), complex(*line[-1])
                control = bend_through_middle(line)
            curve = ArcCurve(start, control, end)
            curves[i] = (curve.within(self._view.clear) or curve).points
        return curves

    def _reserve_marker_labels(self) -> None:
        for v in self._marked & self._points.keys():
            text, at = self._id(v), self._points[v]
            if not is_figure(self._radius):
                self._plan.reserve(pin_area(at))
            if not id_fits(self._sizes.width(text, self._styles.ids), self._radius):
                _, box = marker_label(self._view, at, self._radius, text, self._styles.ids)
                self._plan.reserve(box)

    def _ids(self) -> dict[int, Box]:
        found: dict[int, Box] = {}
        if self._radius < IDS_FROM:
            return found
        height = height_of(self._sizes, self._styles.ids)
        for i, v in enumerate(self._vertices):
            width = self._sizes.width(self._id(v), self._styles.ids)
            if v in self._marked or id_fits(width, self._radius):
                continue
            box = self._plan.round_disc(i, width + 2.0, height)
            if box is not None:
                found[v] = box
        return found

    def _values(self) -> dict[int, Box]:
        if self._content.explanation is None:
            return {}
        history, unit = self._content.explanation.history, self._content.scene.graph.weight_unit
        height = height_of(self._sizes, self._styles.values) + 2.0
        found: dict[int, Box] = {}
        for i, v in enumerate(self._vertices):
            width = _widest(self._sizes, self._styles.values, history(v), unit)
            box = self._plan.round_disc(i, width + 2 * VALUE_PADDING, height)
            if box is not None:
                found[v] = box
        return found

    def _weights(self) -> tuple[tuple[DetailArc, Box], ...]:
        if not self._content.has(Layer.EDGES):
            return ()
        style, found = self._styles.weights, []
        height = height_of(self._sizes, style) - 2.0
        for i, arc in enumerate(self._detail.arcs):
            width = self._sizes.width(weight_text(arc, self._content), style) + 2.0
            box = self._weight_place(i, arc, width, height)
            if box is not None:
                found.append((arc, box))
        return tuple(found)

    def _weight_place(self, index: int, arc: DetailArc, width: float, height: float) -> Box | None:
        if arc.form is ArcForm.LOOP:
            centre, side = loop_circle(self._points[arc.tail], self._radius, arc.bow)
            return self._plan.at(
                Box.around(centre.real, centre.imag - side - height / 2, width, height)
            )
        return self._plan.on_curve(index, width, height)

    def _id(self, vertex: int) -> str:
        return self._content.scene.graph.vertex_label(vertex)


def weight_text(arc: DetailArc, content: PictureContent) -> str:
    """The weight of an arc; with its unit in a road network."""
    graph = content.scene.graph
    if graph.roads is None:
        return grouped(arc.weight, "g")
    return short_distance(arc.weight, graph.weight_unit)


def bend_through_middle(line: Float64s) -> complex:
    """Control point of the quadratic curve from start to end that passes the middle of
    a polyline.
    """
    bend = part_of_line(line, 0.5)[-1] * 2 - (line[0] + line[-1]) / 2
    return complex(*bend.tolist())


def _widest(sizes: TextSizes, style: TextStyle, history: np.ndarray, unit: str) -> float:
    """Width of the widest text at a vertex: a distance, or two of which one is struck out."""
    changes = np.flatnonzero(np.concatenate(([True], history[1:] != history[:-1])))
    texts = [bare_distance(float(history[k]), unit) for k in changes]
    width_of = cache(partial(sizes.width, style=style))
    widths = [width_of(text) for text in texts]
    pairs = [
        a + VALUE_GAP + b
        for a, b, text in zip(widths, widths[1:], texts, strict=False)
        if text != "∞"
    ]
    return max([*widths, *pairs])


class LabelPlan:
    """Places labels one by one, each inside an area and without overlapping earlier ones.

    ``discs`` are (n, 3) centre and radius of each vertex in view, ``curves`` (k, 3, 2)
    start, control and end of each arc.
    """

    def __init__(self, area: Box, discs: Float64s, curves: Float64s):
        self._low, self._high = np.array((area.x0, area.y0)), np.array((area.x1, area.y1))
        self._discs = discs
        low, high = _SAMPLE_RANGE
        samples = min(high, max(low, _MOST_SAMPLES // max(1, len(curves))))
        points = curve_points(curves, np.linspace(0.04, 0.96, samples))
        self._points = np.ascontiguousarray(points.transpose(0, 2, 1))
        self._on_curves = curve_points(curves, np.array(_SHARES))
        self._taken, self._count = np.empty((64, 4)), 0

    def reserve(self, box: Box) -> None:
        """Keep labels out of ``box``."""
        if self._count == len(self._taken):
            self._taken = np.concatenate((self._taken, np.empty_like(self._taken)))
        self._taken[self._count] = box.x0, box.y0, box.x1, box.y1
        self._count += 1

    def on_curve(self, index: int, width: float, height: float) -> Box | None:
        """A place for the label of arc ``index`` on the arc; None if there is none."""
        half = np.array((width, height)) / 2
        middles = self._on_curves[index]
        return self._best(middles - half, middles + half, _SHARE_COSTS, index)

    def at(self, box: Box) -> Box | None:
        """``box`` if it is free, else None."""
        low, high = np.array([(box.x0, box.y0)]), np.array([(box.x1, box.y1)])
        return self._best(low, high, np.zeros(1))

    def round_disc(self, index: int, width: float, height: float) -> Box | None:
        """A place for a label next to vertex ``index``; None if there is none."""
        at, half = self._discs[index, :2], np.array((width, height)) / 2
        away = (self._discs[index, 2] + _GAPS) * _AROUND + _SIDES * half
        low, high = at + away - half, at + away + half
        if ((self._low <= at) & (at <= self._high)).all():
            inwards = (self._low - low).clip(0.0) - (high - self._high).clip(0.0)
            low, high = low + inwards, high + inwards
        return self._best(low, high, _AROUND_COSTS)

    def _best(self, low: Float64s, high: Float64s, costs: Float64s, own: int = -1) -> Box | None:
        """The place of least cost, taken; (k, 2) corners of places ascend by cost without
        the curves that they cross, of which curve ``own`` is none.
        """
        free = ((self._low <= low) & (high <= self._high)).all(axis=1)
        taken = self._taken[: self._count]
        best = _best_place(low, high, costs, free, taken, self._discs, self._points, own)
        if best < 0:
            return None
        box = Box(*low[best].tolist(), *high[best].tolist())
        self.reserve(box)
        return box


@njit
def _best_place(
    low: Float64s,
    high: Float64s,
    costs: Float64s,
    free: Bools,
    taken: Float64s,
    discs: Float64s,
    points: Float64s,
    own: int,
) -> int:
    """The number of a ``free`` place that is neither taken nor on a disc; -1 without one."""
    best, least = -1, np.inf
    for place in range(len(costs)):
        if costs[place] >= least:
            break
        x0, y0, x1, y1 = low[place, 0], low[place, 1], high[place, 0], high[place, 1]
        clear = free[place]
        for i in range(len(taken)):
            across = x0 < taken[i, 2] and taken[i, 0] < x1
            clear = clear and not (across and y0 < taken[i, 3] and taken[i, 1] < y1)
        for i in range(len(discs)):
            x, y = discs[i, 0], discs[i, 1]
            across, down = x - min(max(x, x0), x1), y - min(max(y, y0), y1)
            clear = clear and np.hypot(across, down) >= discs[i, 2]
        if not clear:
            continue
        crossed = 0
        for curve in range(len(points)):
            for i in range(points.shape[2] if curve != own else 0):
                x, y = points[curve, 0, i], points[curve, 1, i]
                crossed += (x0 < x) & (x < x1) & (y0 < y) & (y < y1)
        cost = costs[place] + _LINE_COST * crossed
        if cost < least:
            best, least = place, cost
    return best
