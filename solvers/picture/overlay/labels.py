"""Labels of a close view and their places: ids, weights, and the tentative distances so far.

Weights are placed on their arcs, other labels around their vertices, without overlap;
all sizes and places are in logical pixels. Labels are placed once per view and trace,
with room for the widest text of the play-back, so that they do not move.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
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
from solvers.picture.scene.figure import MARKER_ROOM, id_fits, is_figure
from solvers.picture.scene.scene import ArcForm, DetailArc
from solvers.picture.scene.values import bare_distance, short_distance
from solvers.system.array_types import Float64s
from solvers.text import grouped

IDS_FROM = 4.0  # disc radius from which ids are shown
VALUE_PADDING = 4.0  # pixels at either side of a tentative distance
VALUE_GAP = 5.0  # between the former and the new distance

# of an arc's length: positions tried for its label, best first
_SHARES = (0.5, 0.4, 0.6, 0.32, 0.68, 0.25, 0.75)
_DIRECTIONS = tuple(
    (math.cos(math.radians(a)), math.sin(math.radians(a)))
    for a in (-90, 90, 0, 180, -45, -135, 45, 135)
)
_RINGS = (3.0, 12.0)  # pixels between a vertex and its label, the nearer first
# sampled points per arc, and of all arcs, for the cost of covering them
_SAMPLE_RANGE, _MOST_SAMPLES = (24, 96), 4_000
_LINE_COST = 1.0  # per covered arc point
_NO_POINTS = np.empty((0, 2))


@dataclass(frozen=True, eq=False)
class Labels:
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
        self._area, self._discs = area, discs
        low, high = _SAMPLE_RANGE
        samples = min(high, max(low, _MOST_SAMPLES // max(1, len(curves))))
        self._points = curve_points(curves, np.linspace(0.04, 0.96, samples))
        self._curves = curves
        self._taken: list[Box] = []
        self._corners = np.empty((64, 4))  # of those taken

    @property
    def taken(self) -> Sequence[Box]:
        return self._taken

    def reserve(self, box: Box) -> None:
        """Keep labels out of ``box``."""
        if len(self._taken) == len(self._corners):
            self._corners = np.concatenate((self._corners, np.empty_like(self._corners)))
        self._corners[len(self._taken)] = box.x0, box.y0, box.x1, box.y1
        self._taken.append(box)

    def on_curve(self, index: int, width: float, height: float) -> Box | None:
        """A place for the label of arc ``index`` on the arc; None if there is none."""
        places = curve_points(self._curves[index : index + 1], np.array(_SHARES))[0]
        boxes = (
            (Box.around(x, y, width, height), 0.1 * i) for i, (x, y) in enumerate(places.tolist())
        )
        return self._best(boxes, self._points[index])

    def at(self, box: Box) -> Box | None:
        """``box`` if it is free, else None."""
        return self._best([(box, 0.0)])

    def round_disc(self, index: int, width: float, height: float) -> Box | None:
        """A place for a label next to vertex ``index``; None if there is none."""
        return self._best(self._places_round(index, width, height))

    def _places_round(self, index: int, width: float, height: float) -> Iterator[tuple[Box, float]]:
        x, y, radius = self._discs[index].tolist()
        seen = Box(x, y, x, y).inside(self._area)
        for ring, gap in enumerate(_RINGS):
            for i, (dx, dy) in enumerate(_DIRECTIONS):
                reach = radius + gap
                across, down = (
                    reach * d + _sign(d) * side / 2 for d, side in ((dx, width), (dy, height))
                )
                box = Box.around(x + across, y + down, width, height)
                yield box.moved_inside(self._area) if seen else box, 0.3 * i + 3.0 * ring

    def _best(self, places: Iterable[tuple[Box, float]], own: Float64s = _NO_POINTS) -> Box | None:
        """The place of least cost, taken; places ascend by cost without the curves that
        they cross, of which ``own``, (samples, 2), is none.
        """
        best, least = None, math.inf
        for box, cost in places:
            if cost >= least:
                break
            if not box.inside(self._area) or self._is_taken(box) or self._on_disc(box):
                continue
            crossed = box.count(self._points.reshape(-1, 2)) - box.count(own)
            if cost + _LINE_COST * crossed < least:
                best, least = box, cost + _LINE_COST * crossed
        if best is not None:
            self.reserve(best)
        return best

    def _is_taken(self, box: Box) -> bool:
        x0, y0, x1, y1 = self._corners[: len(self._taken)].T
        return bool(((box.x0 < x1) & (x0 < box.x1) & (box.y0 < y1) & (y0 < box.y1)).any())

    def _on_disc(self, box: Box) -> bool:
        x, y, radius = self._discs.T
        across, down = x - x.clip(box.x0, box.x1), y - y.clip(box.y0, box.y1)
        return bool((np.hypot(across, down) < radius).any())


def _sign(value: float) -> float:
    """-1, 0 or 1; values within rounding error of 0 count as 0."""
    return 0.0 if abs(value) < 1e-9 else math.copysign(1.0, value)
