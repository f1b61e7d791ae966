"""Labels of a close view and their places: ids, weights, and the tentative distances of a lesson.

Placed once per view and trace, with room for the widest text of the play-back, so that labels do not move.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from gui.painting.geometry import (
    MARKER_ROOM,
    bend_point,
    disc_radius,
    id_fits,
    loop_circle,
    marker_label,
    marker_radius,
)
from gui.painting.pens import small_font
from gui.painting.road_lines import bend_through_middle, road_lines
from gui.picture.scene.camera import Camera
from gui.picture.scene.content import Layer, PictureContent
from gui.picture.scene.detail import Course, Detail, DetailArc
from gui.picture.scene.labels import Box, LabelPlan
from gui.picture.scene.lesson import distance_text
from solvers.text import format_distance

IDS_FROM = 4.0  # disc radius from which ids are shown
VALUE_PADDING = 4.0  # pixels at either side of a tentative distance
VALUE_GAP = 5.0  # between the former and the new distance


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
    """Places of all labels that fit.

    Attributes
    ----------
    weights : tuple of (DetailArc, QRectF)
    ids : dict of vertex -> QRectF
        Ids placed next to their vertices.
    values : dict of vertex -> QRectF
        Room for the tentative distance.
    """

    weights: tuple[tuple[DetailArc, QRectF], ...]
    ids: dict[int, QRectF]
    values: dict[int, QRectF]


def labels_of(detail: Detail, camera: Camera, content: PictureContent, fonts: Fonts) -> Labels:
    """Places of a view's labels; cached in ``detail`` until camera, marks or trace change."""
    trace = content.activity.trace if content.lesson is not None else None
    marks = (content.source, content.target) if content.has(Layer.MARKERS) else (None, None)
    key = (camera, trace, marks, content.has(Layer.EDGES), fonts.ids.toString())
    plan = detail.plans.get(key)
    if not isinstance(plan, Labels):
        plan = _Planner(detail, camera, content, fonts).labels()
        detail.plans.clear()
        detail.plans[key] = plan
    return plan


class _Planner:
    """Places labels: ids first, then distances, then weights."""

    def __init__(self, detail: Detail, camera: Camera, content: PictureContent, fonts: Fonts):
        self._detail, self._content, self._fonts = detail, content, fonts
        self._camera = camera
        self._radius = disc_radius(content.scene, camera)
        self._vertices = detail.vertices.tolist()
        points = camera.to_screen(content.scene.positions[detail.vertices])
        self._points = {v: QPointF(*p) for v, p in zip(self._vertices, points, strict=True)}
        marks = (content.source, content.target) if content.has(Layer.MARKERS) else ()
        self._marked = {vertex for vertex in marks if vertex is not None}
        radii = [MARKER_ROOM * marker_radius(self._radius) if v in self._marked else self._radius + 1.0
                 for v in self._vertices]  # fmt: skip
        discs = np.column_stack((points.reshape(-1, 2), radii))
        self._plan = LabelPlan((camera.width, camera.height), discs, self._curves())

    def labels(self) -> Labels:
        self._reserve_marker_labels()
        ids = self._ids()
        values = self._values()
        return Labels(self._weights(), ids, values)

    def _curves(self) -> NDArray[np.float64]:
        roads = [(arc.tail, arc.head) for arc in self._detail.arcs]
        lines = road_lines(self._content.scene, self._camera, roads)
        curves = np.empty((len(self._detail.arcs), 3, 2))
        for i, arc in enumerate(self._detail.arcs):
            start, end = self._points[arc.tail], self._points[arc.head]
            control = bend_point(start, end) if arc.course is Course.BENT else (start + end) / 2
            if arc.course is Course.LOOP:
                centre, side = loop_circle(start, self._radius)
                start, control, end = (centre + QPointF(x * side, -side) for x in (-1.0, 0.0, 1.0))
            if (line := lines.get((arc.tail, arc.head))) is not None:
                start, control, end = line[0], bend_through_middle(line), line[-1]
            curves[i] = [(p.x(), p.y()) for p in (start, control, end)]
        return curves

    def _reserve_marker_labels(self) -> None:
        metrics = QFontMetricsF(self._fonts.ids)
        for v in self._marked & self._points.keys():
            text = self._id(v)
            if not id_fits(metrics, text, self._radius):
                at = marker_label(self._points[v], marker_radius(self._radius), text, metrics, self._camera)
                box = QRectF(at.x(), at.y() - metrics.ascent(), metrics.horizontalAdvance(text), metrics.height())
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
        history = self._content.lesson.trace.distances
        assert history is not None
        found: dict[int, QRectF] = {}
        for i, v in enumerate(self._vertices):
            box = self._plan.round_disc(i, _widest(metrics, history[:, v]) + 2 * VALUE_PADDING, metrics.height() + 2.0)
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
        if arc.course is Course.LOOP:
            centre, side = loop_circle(self._points[arc.tail], self._radius)
            return self._plan.at(Box.around(centre.x(), centre.y() - side - height / 2, width, height))
        return self._plan.on_curve(index, width, height)

    def _id(self, vertex: int) -> str:
        return self._content.scene.graph.vertex_label(vertex)


def weight_text(arc: DetailArc, content: PictureContent) -> str:
    """The weight of an arc; with its unit in a road network, whose weights are tenths."""
    graph = content.scene.graph
    return f"{arc.weight:g}" if graph.roads is None else format_distance(arc.weight, graph.weight_unit).split(" (")[0]


def _widest(metrics: QFontMetricsF, history: np.ndarray) -> float:
    """Width of the widest text at a vertex: a distance, or two of which one is struck out."""
    changes = np.flatnonzero(np.concatenate(([True], history[1:] != history[:-1])))
    texts = [distance_text(float(history[k])) for k in changes]
    widths = [metrics.horizontalAdvance(text) for text in texts]
    pairs = [a + VALUE_GAP + b for a, b, text in zip(widths, widths[1:], texts, strict=False) if text != "∞"]
    return max([*widths, *pairs])


def _rectangle(box: Box) -> QRectF:
    return QRectF(box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0)


def _box(rectangle: QRectF) -> Box:
    return Box(rectangle.left(), rectangle.top(), rectangle.right(), rectangle.bottom())
