"""Closed and slowed roads over the picture, the path before the changes, and the border
of an isochrone.

The border is the roads on which the budget of an isochrone ends, in a view close enough
to see how far it goes on each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath

from gui.painting.bends import arc_controls
from gui.painting.cards import KeyRow
from gui.painting.drawing import (
    PaintedView,
    add_line,
    arrow_head,
    bend_through_middle,
    cut_line,
    draw_haloed_text,
    pen,
    point_along,
    road_lines,
    small_font,
)
from gui.painting.overlay import stroke_line, way_colour
from gui.style.widgets import outline_with
from solvers.graphs.isochrone import Isochrone
from solvers.picture.colours import Tokens
from solvers.picture.raster.edge_buffers import PixelSizes
from solvers.picture.raster.marks import HALO_WIDTH, border_points, border_radius
from solvers.picture.raster.pixel_colours import RECEDING, stroke_opacity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import Layer, PictureContent
from solvers.picture.scene.road_marks import RoadMarks
from solvers.picture.scene.scene import DrawableGraph

_LINE, _HALO = 2.5, 5.5
_CROSS = 4.5  # half of a cross's extent
_MOST_SIGNS = 400  # crosses and factors in view: more would hide the roads
_CELL = 16.0  # pixels within which one sign is enough
_LEAST_LENGTH = 26.0  # pixels of a road that has room for its factor, or for an arrow head
_OUTSIDE = 30.0

# pixels between vertices; below, the raster's halves of roads are exact enough
_LEAST_SPACING = 6.0
_LEAST_RADIUS = 2.2
_MOST_ROADS = 2_000  # in view, for the time of a repaint
_COVER = 1.2  # pixels by which a line is wider than what it covers


def draw_road_marks(view: PaintedView) -> None:
    """Draw closed roads dashed and crossed out, slowed ones dotted with their factor."""
    marks = view.content.road_marks
    if marks is None or not view.content.has(Layer.ROADS):
        return
    points = view.points_of(marks.ends)
    seen = view.camera.sees(points.min(axis=1), points.max(axis=1), _OUTSIDE)
    for closed, colour, style in (
        (False, view.tokens.warning, Qt.PenStyle.DotLine),
        (True, view.tokens.closed, Qt.PenStyle.DashLine),
    ):
        chosen = np.flatnonzero(seen & (np.isinf(marks.factors) == closed))
        roads = [_Road(view, marks, int(i)) for i in chosen]
        lines = QPainterPath()
        for road in roads:
            road.add_to(lines)
        view.painter.setBrush(Qt.BrushStyle.NoBrush)
        view.painter.strokePath(lines, pen(view.tokens.halo, _HALO))
        view.painter.strokePath(lines, pen(colour, _LINE, style))
        if len(roads) <= _MOST_SIGNS:
            taken: set[tuple[int, int]] = set()  # cells of the view that have a sign
            for road in roads:
                cell = (int(road.middle.x() // _CELL), int(road.middle.y() // _CELL))
                if cell not in taken:
                    road.draw_sign(view.painter, colour, view.tokens)
                    taken.add(cell)


def draw_path_before(view: PaintedView) -> None:
    """Draw the shortest path before the changes, dashed, below the present one."""
    path = view.content.path_before
    if path is None or len(path) < 2 or not view.content.has(Layer.PATH):
        return
    dashes = pen(view.tokens.text, 2.0, Qt.PenStyle.CustomDashLine)
    dashes.setDashPattern([4.0, 3.0])
    stroke_line(view, path, pen(view.tokens.halo, HALO_WIDTH), dashes)


def road_key(content: PictureContent, tokens: Tokens) -> list[KeyRow]:
    """Rows of the legend for what is drawn of changed roads."""
    marks, rows = content.road_marks, list[KeyRow]()
    if marks is not None and content.has(Layer.ROADS):
        closed = np.isinf(marks.factors)
        rows += [(tokens.closed, Qt.PenStyle.DashLine, "✕", "closed")] * bool(closed.any())
        rows += [(tokens.warning, Qt.PenStyle.DotLine, "", "slowed")] * bool((~closed).any())
    for way in content.other_ways if content.has(Layer.PATH) else ():
        rows.append((way_colour(way.place, tokens.dark), Qt.PenStyle.SolidLine, "", way.text))
    if content.path_before is not None and content.has(Layer.PATH):
        rows.append((tokens.text, Qt.PenStyle.DashLine, "", "path before"))
    return rows


class _Road:
    """One changed road on the screen."""

    def __init__(self, view: PaintedView, marks: RoadMarks, i: int):
        tail, head = (int(v) for v in marks.ends[i])
        self.start, self.end = (QPointF(*view.points_of(v)) for v in (tail, head))
        self.factor, self.one_way = float(marks.factors[i]), bool(marks.one_way[i])
        controls = arc_controls(view.content.scene, view.camera, view.detail)
        self.is_curved = (tail, head) in controls
        self.control = controls.get((tail, head), (self.start + self.end) / 2)
        self.line = road_lines(view.content.scene, view.camera, [(tail, head)]).get((tail, head))
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
            draw_haloed_text(
                painter, middle + QPointF(5.0, -5.0), f"×{self.factor:g}", colour, tokens.halo
            )
        if self.one_way and has_room:
            tip, before = (
                point_along(self.start, self.control, self.end, share) for share in (0.85, 0.83)
            )
            painter.setPen(pen(tokens.halo, 1.0))
            painter.setBrush(pen(colour, 1.0).color())
            painter.drawPolygon(arrow_head(tip, tip - before, 11.0))


def draw_border_roads(view: PaintedView, isochrone: Isochrone) -> None:
    """Draw the roads on which the budget ends, lit as far as it goes; the raster lights
    halves of roads.

    Roads that the detail draws are left to its painter.
    """
    shading, measures = view.content.shading, PixelSizes.of(view.content.scene, view.camera.scale)
    chosen = _border_in_view(view, isochrone)
    if shading is None or not len(shading.reveal) or not len(chosen):
        return
    whole, lit = _lines(view.camera, view.content.scene, isochrone, chosen)
    opacity = stroke_opacity(measures.gain, visited=False, dark=view.tokens.dark)
    outside = _mixed(view.tokens.canvas, QColor(view.tokens.edge), RECEDING * opacity)
    outline_with(view.painter, pen(outside, measures.line + _COVER))
    for line in whole:
        view.painter.drawPolyline(line)
    shades = view.shades()
    opacity = stroke_opacity(measures.gain, visited=True, dark=view.tokens.dark)
    for line, shade in zip(
        lit, shading.shade[isochrone.border_tails[chosen]].tolist(), strict=True
    ):
        view.painter.setPen(
            pen(_mixed(view.tokens.canvas, shades[shade], opacity), measures.line + _COVER)
        )
        view.painter.drawPolyline(line)


def draw_border_points(view: PaintedView, isochrone: Isochrone) -> None:
    """Draw the points where the budget ends on these roads, over vertices."""
    chosen = _border_in_view(view, isochrone)
    radius = max(
        _LEAST_RADIUS, border_radius(PixelSizes.of(view.content.scene, view.camera.scale).spacing)
    )
    view.painter.setPen(pen(view.tokens.halo, 1.0))
    view.painter.setBrush(view.tokens.text)
    for point in view.camera.to_screen(
        border_points(isochrone, view.content.scene)[chosen]
    ).tolist():
        view.painter.drawEllipse(QPointF(*point), radius, radius)


def _lines(
    camera: Camera, scene: DrawableGraph, isochrone: Isochrone, chosen: NDArray[np.intp]
) -> tuple[list[list[QPointF]], list[list[QPointF]]]:
    """The chosen roads on the screen, and the parts of them within the budget."""
    roads = list(
        zip(
            isochrone.border_tails[chosen].tolist(),
            isochrone.border_heads[chosen].tolist(),
            strict=True,
        )
    )
    shares = isochrone.border_shares[chosen].tolist()
    curved = road_lines(scene, camera, roads)
    if curved:
        whole = [curved[road] for road in roads]
        return whole, [cut_line(line, share) for line, share in zip(whole, shares, strict=True)]
    ends = (
        scene.positions[isochrone.border_tails[chosen]],
        border_points(isochrone, scene)[chosen],
    )
    starts, cuts, heads = (
        [QPointF(*point) for point in camera.to_screen(points).tolist()]
        for points in (*ends, scene.positions[isochrone.border_heads[chosen]])
    )
    lines = list(zip(starts, heads, cuts, strict=True))
    return [[start, head] for start, head, _ in lines], [[start, cut] for start, _, cut in lines]


def _border_in_view(view: PaintedView, isochrone: Isochrone) -> NDArray[np.intp]:
    """Numbers of the border's roads that are drawn: none in a far view, or if they are too many."""
    if PixelSizes.of(
        view.content.scene, view.camera.scale
    ).spacing < _LEAST_SPACING or not view.content.has(Layer.EDGES):
        return np.empty(0, np.intp)
    ends = isochrone.border_tails, isochrone.border_heads
    tails, heads = map(view.points_of, ends)
    # NaN without a place: not seen
    inside = view.camera.sees(np.minimum(tails, heads), np.maximum(tails, heads), 0.0)
    if view.detail is not None and view.detail.arcs:
        inside &= ~(np.isin(ends[0], view.detail.ends) & np.isin(ends[1], view.detail.ends))
    return (
        np.flatnonzero(inside) if np.count_nonzero(inside) <= _MOST_ROADS else np.empty(0, np.intp)
    )


def _mixed(ground: str, colour: QColor, opacity: float) -> QColor:
    """``colour`` on the canvas, opaque, so that it covers what the raster drew."""
    under = QColor(ground)
    parts = (
        (colour.red(), under.red()),
        (colour.green(), under.green()),
        (colour.blue(), under.blue()),
    )
    return QColor(*(round(opacity * above + (1.0 - opacity) * below) for above, below in parts))
