"""Labels of a close view and their places: ids, weights, and the tentative distances of a lesson.

Weights are placed on their arcs, other labels around their vertices, without overlap;
all sizes and places are in logical pixels. Labels are placed once per view and trace,
with room for the widest text of the play-back, so that they do not move.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from gui.painting.bends import arc_controls, as_bounds, as_point, curve_of, qt_point
from gui.painting.drawing import (
    bend_through_middle,
    id_fits,
    is_figure,
    marker_label,
    pin_area,
    road_lines,
    small_font,
)
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.close_arcs import (
    curve_points,
    disc_radius,
    loop_circle,
    marker_radius,
)
from solvers.picture.scene.content import Layer, PictureContent
from solvers.picture.scene.figure import MARKER_ROOM
from solvers.picture.scene.lesson import distance_text
from solvers.picture.scene.scene import ArcForm, Detail, DetailArc
from solvers.picture.scene.values import short_distance
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


@dataclass(frozen=True)
class Fonts:
    """Fonts of the labels, scaled with the discs."""

    ids: QFont
    weights: QFont
    values: QFont

    @classmethod
    def of(cls, painter: QPainter, radius: float) -> Fonts:
        points = min(11.5, max(8.5, 0.6 * radius))
        return cls(
            small_font(painter, max(9.0, points), bold=True),
            small_font(painter, points),
            small_font(painter, max(9.0, points), bold=True),
        )


@dataclass(frozen=True, eq=False)
class Labels:
    weights: tuple[tuple[DetailArc, QRectF], ...]
    ids: dict[int, QRectF]  # ids placed next to their vertices
    values: dict[int, QRectF]  # room for the tentative distance


def labels_of(
    detail: Detail, camera: Camera, content: PictureContent, fonts: Fonts, clear: QRectF
) -> Labels:
    """Places of a view's labels; cached in ``detail`` until camera, marks or trace change.

    Weights of arcs that leave the ``clear`` part of the view are on what is in it.
    """
    trace = None if content.lesson is None else content.lesson.trace
    marks = (content.source, content.target) if content.has(Layer.MARKERS) else (None, None)
    key = (camera, trace, marks, content.has(Layer.EDGES), fonts.ids.toString(), clear.getRect())
    plan = detail.plans.get(key)
    if not isinstance(plan, Labels):
        plan = _Planner(detail, camera, content, fonts, clear).labels()
        for old in [kept for kept, of in detail.plans.items() if isinstance(of, Labels)]:
            del detail.plans[old]
        detail.plans[key] = plan
    return plan


class _Planner:
    """Places labels: ids first, then distances, then weights."""

    def __init__(
        self,
        detail: Detail,
        camera: Camera,
        content: PictureContent,
        fonts: Fonts,
        clear: QRectF,
    ):
        self._detail, self._content, self._fonts = detail, content, fonts
        self._camera, self._clear = camera, clear
        self._radius = disc_radius(content.scene, camera)
        self._vertices = detail.vertices.tolist()
        points = camera.to_screen(content.scene.positions[detail.ends])
        ends = zip(detail.ends.tolist(), points, strict=True)
        self._points = {v: QPointF(*p) for v, p in ends}
        marks = (content.source, content.target) if content.has(Layer.MARKERS) else ()
        self._marked = {vertex for vertex in marks if vertex is not None}
        radii = [
            MARKER_ROOM * marker_radius(self._radius) if v in self._marked else self._radius + 1.0
            for v in self._vertices
        ]
        discs = np.column_stack((points[: len(radii)].reshape(-1, 2), radii))
        self._plan = LabelPlan((camera.width, camera.height), discs, self._curves())

    def labels(self) -> Labels:
        self._reserve_marker_labels()
        ids = self._ids()
        values = self._values()
        return Labels(self._weights(), ids, values)

    def _curves(self) -> Float64s:
        roads = [(arc.tail, arc.head) for arc in self._detail.arcs]
        lines = road_lines(self._content.scene, self._camera, roads)
        controls = arc_controls(self._content.scene, self._camera, self._detail)
        curves = np.empty((len(self._detail.arcs), 3, 2))
        for i, arc in enumerate(self._detail.arcs):
            start, end = self._points[arc.tail], self._points[arc.head]
            control = controls.get((arc.tail, arc.head), (start + end) / 2)
            if arc.form is ArcForm.LOOP:
                middle, side = loop_circle(as_point(start), self._radius)
                centre = qt_point(middle)
                start, control, end = (centre + QPointF(x * side, -side) for x in (-1.0, 0.0, 1.0))
            if (line := lines.get((arc.tail, arc.head))) is not None:
                start, control, end = line[0], bend_through_middle(line), line[-1]
            curve = curve_of(start, control, end)
            curves[i] = (curve.within(as_bounds(self._clear)) or curve).points
        return curves

    def _reserve_marker_labels(self) -> None:
        metrics = QFontMetricsF(self._fonts.ids)
        for v in self._marked & self._points.keys():
            text = self._id(v)
            if not is_figure(self._radius):
                self._plan.reserve(_box(pin_area(self._points[v])))
            if not id_fits(metrics, text, self._radius):
                at = marker_label(self._points[v], self._radius, text, metrics, self._camera)
                box = QRectF(
                    at.x(),
                    at.y() - metrics.ascent(),
                    metrics.horizontalAdvance(text),
                    metrics.height(),
                )
                self._plan.reserve(_box(box))

    def _ids(self) -> dict[int, QRectF]:
        metrics = QFontMetricsF(self._fonts.ids)
        found: dict[int, QRectF] = {}
        if self._radius < IDS_FROM:
            return found
        for i, v in enumerate(self._vertices):
            text = self._id(v)
            if v in self._marked or id_fits(metrics, text, self._radius):
                continue
            box = self._plan.round_disc(i, metrics.horizontalAdvance(text) + 2.0, metrics.height())
            if box is not None:
                found[v] = _rectangle(box)
        return found

    def _values(self) -> dict[int, QRectF]:
        if self._content.lesson is None:
            return {}
        metrics = QFontMetricsF(self._fonts.values)
        history = self._content.lesson.history
        found: dict[int, QRectF] = {}
        for i, v in enumerate(self._vertices):
            box = self._plan.round_disc(
                i, _widest(metrics, history(v)) + 2 * VALUE_PADDING, metrics.height() + 2.0
            )
            if box is not None:
                found[v] = _rectangle(box)
        return found

    def _weights(self) -> tuple[tuple[DetailArc, QRectF], ...]:
        if not self._content.has(Layer.EDGES):
            return ()
        metrics = QFontMetricsF(self._fonts.weights)
        found = []
        for i, arc in enumerate(self._detail.arcs):
            text = weight_text(arc, self._content)
            width, height = metrics.horizontalAdvance(text) + 2.0, metrics.height() - 2.0
            box = self._weight_place(i, arc, width, height)
            if box is not None:
                found.append((arc, _rectangle(box)))
        return tuple(found)

    def _weight_place(self, index: int, arc: DetailArc, width: float, height: float) -> Box | None:
        if arc.form is ArcForm.LOOP:
            centre, side = loop_circle(as_point(self._points[arc.tail]), self._radius)
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


def _widest(metrics: QFontMetricsF, history: np.ndarray) -> float:
    """Width of the widest text at a vertex: a distance, or two of which one is struck out."""
    changes = np.flatnonzero(np.concatenate(([True], history[1:] != history[:-1])))
    texts = [distance_text(float(history[k])) for k in changes]
    width_of = cache(metrics.horizontalAdvance)
    widths = [width_of(text) for text in texts]
    pairs = [
        a + VALUE_GAP + b
        for a, b, text in zip(widths, widths[1:], texts, strict=False)
        if text != "∞"
    ]
    return max([*widths, *pairs])


def _rectangle(box: Box) -> QRectF:
    return QRectF(box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0)


def _box(rectangle: QRectF) -> Box:
    return Box(rectangle.left(), rectangle.top(), rectangle.right(), rectangle.bottom())


@dataclass(frozen=True)
class Box:
    """A rectangle; touching rectangles do not overlap."""

    x0: float
    y0: float
    x1: float
    y1: float

    @classmethod
    def around(cls, x: float, y: float, width: float, height: float) -> Box:
        return cls(x - width / 2, y - height / 2, x + width / 2, y + height / 2)

    def overlaps(self, other: Box) -> bool:
        return (
            self.x0 < other.x1 and other.x0 < self.x1 and self.y0 < other.y1 and other.y0 < self.y1
        )

    def inside(self, width: float, height: float) -> bool:
        """Whether all of it is in a view of that size."""
        return self.x0 >= 0 and self.y0 >= 0 and self.x1 <= width and self.y1 <= height

    def moved_inside(self, width: float, height: float) -> Box:
        """The box moved as little as brings all of it into a view of that size, which is larger."""
        right = max(0.0, -self.x0) - max(0.0, self.x1 - width)
        down = max(0.0, -self.y0) - max(0.0, self.y1 - height)
        return Box(self.x0 + right, self.y0 + down, self.x1 + right, self.y1 + down)


class LabelPlan:
    """Places labels one by one, each inside the view and without overlapping earlier ones.

    ``discs`` are (n, 3) centre and radius of each vertex in view, ``curves`` (k, 3, 2)
    start, control and end of each arc.
    """

    def __init__(self, size: tuple[float, float], discs: Float64s, curves: Float64s):
        self._size, self._discs = size, discs
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
        seen = Box(x, y, x, y).inside(*self._size)
        for ring, gap in enumerate(_RINGS):
            for i, (dx, dy) in enumerate(_DIRECTIONS):
                reach = radius + gap
                across, down = (
                    reach * d + _sign(d) * side / 2 for d, side in ((dx, width), (dy, height))
                )
                box = Box.around(x + across, y + down, width, height)
                yield box.moved_inside(*self._size) if seen else box, 0.3 * i + 3.0 * ring

    def _best(self, places: Iterable[tuple[Box, float]], own: Float64s = _NO_POINTS) -> Box | None:
        """The place of least cost, taken; places ascend by cost without the curves that
        they cross, of which ``own``, (samples, 2), is none.
        """
        best, least = None, math.inf
        for box, cost in places:
            if cost >= least:
                break
            if not box.inside(*self._size) or self._is_taken(box) or self._on_disc(box):
                continue
            crossed = _count_inside(box, self._points.reshape(-1, 2)) - _count_inside(box, own)
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


def _count_inside(box: Box, points: Float64s) -> int:
    x, y = points.T
    return int(np.count_nonzero((x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1)))


def _sign(value: float) -> float:
    """-1, 0 or 1; values within rounding error of 0 count as 0."""
    return 0.0 if abs(value) < 1e-9 else math.copysign(1.0, value)
