"""Close by: every arc with its head and weight, every vertex as a disc with its id."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath

from gui.canvas.camera import Camera
from gui.canvas.detail import Course, Detail, DetailArc
from gui.canvas.pens import arrow_head, draw_label, pen, small_font
from gui.canvas.scene import DrawableGraph
from gui.canvas.shown import Layer, Shown
from gui.canvas.tone import cividis
from gui.theme import Tokens

RADIUS_RANGE = (2.5, 8.0)
FIGURE_RADIUS = 17.0  # of a vertex in a graph small enough for a figure
FIGURE_VERTICES = 64
_RADIUS_SHARE = 0.13  # of the mean edge
_BEND_SHARE, _MOST_BEND = 0.2, 34.0  # of a bent arc's length; pixels
_HEAD_SIZE = 9.0
_LINE = 1.4
_LABEL_SHARES = (0.5, 0.38, 0.62)  # of an arc's way: where its weight is tried
_ID_INSIDE = 9.0  # disc radius from which an id is tried inside
_IDS_FROM = 4.0  # disc radius from which ids are shown at all


def disc_radius(scene: DrawableGraph, camera: Camera) -> float:
    """Radius of a vertex seen close by, in logical pixels."""
    low, high = RADIUS_RANGE
    high = FIGURE_RADIUS if scene.graph.n <= FIGURE_VERTICES else high
    return min(high, max(low, _RADIUS_SHARE * scene.mean_length * camera.scale)) if scene.edges else high


def bend_point(start: QPointF, end: QPointF) -> QPointF:
    """Control point of an arc that bends to its right, out of the way of its opposite."""
    along = end - start
    length = math.hypot(along.x(), along.y()) or 1.0
    bend = min(_BEND_SHARE * length, _MOST_BEND) * 2.0  # the curve itself goes half as far as its control point
    return (start + end) / 2 + QPointF(-along.y(), along.x()) * (bend / length)


def point_along(start: QPointF, control: QPointF, end: QPointF, share: float) -> QPointF:
    """The point of a quadratic curve at ``share`` of its way."""
    rest = 1.0 - share
    return start * (rest * rest) + control * (2.0 * share * rest) + end * (share * share)


class DetailPainter:
    """Paints the detail of one view; made anew for each paint."""

    def __init__(self, painter: QPainter, camera: Camera, shown: Shown, detail: Detail, tokens: Tokens):
        self._painter, self._shown, self._detail, self._tokens = painter, shown, detail, tokens
        self._radius = disc_radius(shown.scene, camera)
        points = camera.to_screen(shown.scene.positions[detail.vertices])
        self._points = {int(v): QPointF(*p) for v, p in zip(detail.vertices, points, strict=True)}
        self._tints = [QColor(*(int(c) for c in row)) for row in np.round(cividis(tokens.dark))]
        self._ground = QColor(tokens.canvas)
        self._ground.setAlphaF(0.8)
        self._frontier = self._frontier_in_view()
        self._marked = {shown.source, shown.target} if shown.has(Layer.MARKERS) else set()

    def draw_arcs(self) -> None:
        """Arcs with their heads."""
        if self._shown.has(Layer.EDGES):
            for arc in self._detail.arcs:
                self._draw_arc(arc)

    def draw_weights(self) -> None:
        """Weights, where they fit; after the path, which would cross them out."""
        if self._shown.has(Layer.EDGES):
            self._painter.setFont(small_font(self._painter, 8.5))
            taken: list[QRectF] = []
            for arc in self._detail.arcs:
                self._draw_weight(arc, taken)

    def draw_vertices(self) -> None:
        tokens, painter = self._tokens, self._painter
        painter.setFont(small_font(painter, 9.0, bold=True))
        metrics = QFontMetricsF(painter.font())
        for vertex, centre in self._points.items():
            if vertex in self._marked:
                continue
            fill, ink = self._vertex_colours(vertex)
            radius = self._radius * (1.25 if vertex in self._frontier else 1.0)
            painter.setPen(pen(tokens.edge_dense, _LINE))
            painter.setBrush(fill)
            painter.drawEllipse(centre, radius, radius)
            self._draw_id(vertex, centre, radius, ink, metrics)

    def _draw_arc(self, arc: DetailArc) -> None:
        painter = self._painter
        visited = self._visited(arc.tail) and self._visited(arc.head)
        colour = self._tints[self._shown.activity.shade[arc.head]] if visited else QColor(self._tokens.edge_dense)
        painter.setPen(pen(colour, _LINE + (0.6 if visited else 0.0)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        start, end = self._points[arc.tail], self._points[arc.head]
        if arc.course is Course.LOOP:
            side = 1.5 * self._radius
            painter.drawEllipse(start - QPointF(0.0, self._radius + 0.55 * side), 0.75 * side, 0.75 * side)
            return
        control = bend_point(start, end) if arc.course is Course.BENT else (start + end) / 2
        tip = _moved(end, control, self._radius + 1.0)
        headed = arc.course is not Course.BOTH_WAYS and _distance(start, end) > 2 * self._radius + _HEAD_SIZE
        line = QPainterPath(start)
        line.quadTo(control, _moved(tip, control, 0.7 * _HEAD_SIZE) if headed else end)
        painter.drawPath(line)
        if headed:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawPolygon(arrow_head(tip, end - control, min(_HEAD_SIZE, 4.0 + self._radius)))

    def _draw_weight(self, arc: DetailArc, taken: list[QRectF]) -> None:
        text = f"{arc.weight:g}"
        metrics = QFontMetricsF(self._painter.font())
        width, height = metrics.horizontalAdvance(text), metrics.height()
        start, end = self._points[arc.tail], self._points[arc.head]
        if arc.course is Course.LOOP:
            places = [start - QPointF(0.0, 3.4 * self._radius)]
        elif _distance(start, end) < width + 2 * self._radius + 2 * _HEAD_SIZE:
            return
        else:
            control = bend_point(start, end) if arc.course is Course.BENT else (start + end) / 2
            places = [point_along(start, control, end, share) for share in _LABEL_SHARES]
        boxes = (QRectF(at.x() - width / 2, at.y() - height / 2, width, height) for at in places)
        free = next((box for box in boxes if not any(box.intersects(other) for other in taken)), None)
        if free is not None:
            taken.append(free)
            draw_label(self._painter, free.adjusted(-1.0, 1.0, 1.0, -1.0), text, self._tokens.text, self._ground)

    def _draw_id(self, vertex: int, centre: QPointF, radius: float, ink: str, metrics: QFontMetricsF) -> None:
        if radius < _IDS_FROM:
            return
        text = str(int(self._shown.scene.graph.ids[vertex]))
        if radius >= _ID_INSIDE and metrics.horizontalAdvance(text) < 1.7 * radius:
            self._painter.setPen(QColor(ink))
            box = QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius)
            self._painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        else:
            box = QRectF(centre.x() + radius + 1.0, centre.y() - radius - 8.0, metrics.horizontalAdvance(text), 12.0)
            draw_label(self._painter, box, text, self._tokens.muted, self._ground)

    def _frontier_in_view(self) -> set[int]:
        if not self._shown.has(Layer.FRONTIER):
            return set()
        return {int(v) for v in self._shown.activity.frontier(self._shown.position)} & self._points.keys()

    def _visited(self, vertex: int) -> bool:
        reveal = self._shown.activity.reveal
        return bool(self._shown.has(Layer.VISITED) and len(reveal) and reveal[vertex] <= self._shown.position)

    def _vertex_colours(self, vertex: int) -> tuple[QColor, str]:
        """Fill, and a colour that can be read on it."""
        if vertex in self._frontier:
            fill = QColor(self._tokens.frontier)
        elif self._visited(vertex):
            fill = self._tints[self._shown.activity.shade[vertex]]
        else:
            fill = QColor(self._tokens.panel)
        return fill, "#000000" if fill.lightnessF() > 0.5 else "#FFFFFF"


def _distance(a: QPointF, b: QPointF) -> float:
    return math.hypot(b.x() - a.x(), b.y() - a.y())


def _moved(point: QPointF, towards: QPointF, by: float) -> QPointF:
    """``point`` moved by so many pixels, but no further than to ``towards``."""
    length = _distance(point, towards)
    return point if length == 0 else point + (towards - point) * min(1.0, by / length)
