"""Closed and slowed roads over the picture, and the path before the changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from gui.painting.geometry import bend_point, point_along
from gui.painting.overlay import HALO_WIDTH, polyline
from gui.painting.pens import arrow_head, draw_haloed_text, pen, small_font
from gui.painting.road_lines import add_line, bend_through_middle, road_lines
from gui.picture.scene.camera import Camera
from gui.picture.scene.content import Layer, PictureContent
from gui.picture.scene.detail import Detail
from gui.picture.scene.road_marks import RoadMarks
from gui.style.tokens import Tokens

_LINE, _HALO = 2.5, 5.5
_CROSS = 4.5  # half of a cross's extent
_MOST_SIGNS = 400  # crosses and factors in view: more would hide the roads
_CELL = 16.0  # pixels within which one sign is enough
_LEAST_LENGTH = 26.0  # pixels of a road that has room for its factor, or for an arrow head
_OUTSIDE = 30.0


def draw_road_marks(
    painter: QPainter, camera: Camera, content: PictureContent, tokens: Tokens, detail: Detail | None
) -> None:
    """Draw closed roads dashed and crossed out, slowed ones dotted with their factor."""
    marks = content.road_marks
    if marks is None or not content.has(Layer.ROADS):
        return
    seen = _in_view(camera.to_screen(content.scene.positions[marks.ends]), camera)
    for closed, colour, style in (
        (False, tokens.warning, Qt.PenStyle.DotLine),
        (True, tokens.bad, Qt.PenStyle.DashLine),
    ):
        chosen = np.flatnonzero(seen & (np.isinf(marks.factors) == closed))
        roads = [_Road(camera, content, marks, int(i), detail) for i in chosen]
        lines = QPainterPath()
        for road in roads:
            road.add_to(lines)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.strokePath(lines, pen(tokens.halo, _HALO))
        painter.strokePath(lines, pen(colour, _LINE, style))
        if len(roads) <= _MOST_SIGNS:
            taken: set[tuple[int, int]] = set()  # cells of the view that have a sign
            for road in roads:
                cell = (int(road.middle.x() // _CELL), int(road.middle.y() // _CELL))
                if cell not in taken:
                    road.draw_sign(painter, colour, tokens)
                    taken.add(cell)


def draw_path_before(
    painter: QPainter, camera: Camera, content: PictureContent, tokens: Tokens, detail: Detail | None
) -> None:
    """Draw the shortest path before the changes, dashed, below the present one."""
    path = content.path_before
    if path is None or len(path) < 2 or not content.has(Layer.PATH):
        return
    line = polyline(content.scene, path, camera, detail)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.strokePath(line, pen(tokens.halo, HALO_WIDTH))
    dashes = pen(tokens.text, 2.0, Qt.PenStyle.CustomDashLine)
    dashes.setDashPattern([4.0, 3.0])
    painter.strokePath(line, dashes)


class _Road:
    """One changed road on the screen."""

    def __init__(self, camera: Camera, content: PictureContent, marks: RoadMarks, i: int, detail: Detail | None):
        tail, head = (int(v) for v in marks.ends[i])
        self.start, self.end = (QPointF(*camera.to_screen(content.scene.positions[v])) for v in (tail, head))
        self.factor, self.one_way = float(marks.factors[i]), bool(marks.one_way[i])
        bent = detail is not None and (tail, head) in detail.bent
        self.control = bend_point(self.start, self.end) if bent else (self.start + self.end) / 2
        self.is_curved = bent
        self.line = road_lines(content.scene, camera, [(tail, head)]).get((tail, head))
        if self.line is not None:
            self.control, self.is_curved = bend_through_middle(self.line), True
        self.middle = point_along(self.start, self.control, self.end, 0.5)

    def add_to(self, lines: QPainterPath) -> None:
        if self.line is not None:
            add_line(lines, self.line)
            return
        lines.moveTo(self.start)
        if self.is_curved:
            lines.quadTo(self.control, self.end)
        else:
            lines.lineTo(self.end)

    def draw_sign(self, painter: QPainter, colour: str, tokens: Tokens) -> None:
        middle, along = self.middle, self.end - self.start
        has_room = along.manhattanLength() >= _LEAST_LENGTH
        if np.isinf(self.factor):
            cross = QPainterPath()
            for dx, dy in ((_CROSS, _CROSS), (_CROSS, -_CROSS)):
                cross.moveTo(middle - QPointF(dx, dy))
                cross.lineTo(middle + QPointF(dx, dy))
            painter.strokePath(cross, pen(tokens.halo, _HALO))
            painter.strokePath(cross, pen(colour, _LINE))
        elif has_room:
            painter.setFont(small_font(painter, 8.5, bold=True))
            draw_haloed_text(painter, middle + QPointF(5.0, -5.0), f"×{self.factor:g}", colour, tokens.halo)
        if self.one_way and has_room:
            tip, before = (point_along(self.start, self.control, self.end, share) for share in (0.85, 0.83))
            painter.setPen(pen(tokens.halo, 1.0))
            painter.setBrush(pen(colour, 1.0).color())
            painter.drawPolygon(arrow_head(tip, tip - before, 11.0))


def _in_view(points: NDArray[np.float64], camera: Camera) -> NDArray[np.bool_]:
    """Mask of the roads, (k, 2, 2) on screen, of which something may be seen."""
    low, high = points.min(axis=1), points.max(axis=1)
    size = np.array([camera.width, camera.height])
    seen: NDArray[np.bool_] = np.isfinite(points).all(axis=(1, 2)) & np.all(
        (high >= -_OUTSIDE) & (low <= size + _OUTSIDE), axis=1
    )
    return seen
