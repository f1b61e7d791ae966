"""Roads on which the budget of a reach ends, in a view close enough to see how far it goes on each of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.painting.pens import pen
from gui.painting.road_lines import cut_line, road_lines
from gui.picture.raster.border import border_points, border_radius
from gui.picture.raster.edge_buffers import Measures
from gui.picture.raster.tone_map import RECEDING, stroke_opacity
from gui.picture.scene.bands import band_colours
from gui.picture.scene.camera import Camera
from gui.picture.scene.content import Layer, PictureContent
from gui.picture.scene.detail import Detail
from gui.picture.scene.ramps import Ramp, ramp_colours
from gui.picture.scene.scene import DrawableGraph
from gui.style.tokens import Tokens
from solvers.graphs.isochrone import Reach

_LEAST_SPACING = 6.0  # pixels between vertices; below, the raster's halves of roads are exact enough
_LEAST_RADIUS = 2.2
_MOST_ROADS = 2_000  # in view, for the time of a repaint
_COVER = 1.2  # pixels by which a line is wider than what it covers


def draw_border_roads(
    painter: QPainter, camera: Camera, content: PictureContent, reach: Reach, tokens: Tokens, detail: Detail | None
) -> None:
    """Draw the roads on which the budget ends, lit as far as it goes; the raster lights halves of roads.

    Roads that the detail draws are left to its painter.
    """
    shading, measures = content.shading, Measures.of(content.scene, camera.scale)
    chosen = _in_view(camera, content, reach, detail)
    if shading is None or not len(shading.reveal) or not len(chosen):
        return
    whole, lit = _lines(camera, content.scene, reach, chosen)
    outside = _mixed(tokens.canvas, QColor(tokens.edge), RECEDING * _opacity(measures, tokens, visited=False))
    painter.setPen(pen(outside, measures.line + _COVER))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for line in whole:
        painter.drawPolyline(line)
    shades, opacity = _shades(content, tokens), _opacity(measures, tokens, visited=True)
    for line, shade in zip(lit, shading.shade[reach.border_tails[chosen]].tolist(), strict=True):
        painter.setPen(pen(_mixed(tokens.canvas, shades[shade], opacity), measures.line + _COVER))
        painter.drawPolyline(line)


def draw_border_points(
    painter: QPainter, camera: Camera, content: PictureContent, reach: Reach, tokens: Tokens, detail: Detail | None
) -> None:
    """Draw the points where the budget ends on these roads, over vertices."""
    chosen = _in_view(camera, content, reach, detail)
    radius = max(_LEAST_RADIUS, border_radius(Measures.of(content.scene, camera.scale).spacing))
    painter.setPen(pen(tokens.halo, 1.0))
    painter.setBrush(QColor(tokens.text))
    for point in camera.to_screen(border_points(reach, content.scene)[chosen]).tolist():
        painter.drawEllipse(QPointF(*point), radius, radius)


def _lines(
    camera: Camera, scene: DrawableGraph, reach: Reach, chosen: NDArray[np.intp]
) -> tuple[list[list[QPointF]], list[list[QPointF]]]:
    """The chosen roads on the screen, and the parts of them within the budget."""
    roads = list(zip(reach.border_tails[chosen].tolist(), reach.border_heads[chosen].tolist(), strict=True))
    shares = reach.border_shares[chosen].tolist()
    curved = road_lines(scene, camera, roads)
    if curved:
        whole = [curved[road] for road in roads]
        return whole, [cut_line(line, share) for line, share in zip(whole, shares, strict=True)]
    ends = (scene.positions[reach.border_tails[chosen]], border_points(reach, scene)[chosen])
    starts, cuts, heads = (
        [QPointF(*point) for point in camera.to_screen(points).tolist()]
        for points in (*ends, scene.positions[reach.border_heads[chosen]])
    )
    lines = list(zip(starts, heads, cuts, strict=True))
    return [[start, head] for start, head, _ in lines], [[start, cut] for start, _, cut in lines]


def _in_view(camera: Camera, content: PictureContent, reach: Reach, detail: Detail | None) -> NDArray[np.intp]:
    """Numbers of the border's roads that are drawn: none in a far view, or if they are too many."""
    if Measures.of(content.scene, camera.scale).spacing < _LEAST_SPACING or not content.has(Layer.EDGES):
        return np.empty(0, np.intp)
    tails, heads = (content.scene.positions[ends] for ends in (reach.border_tails, reach.border_heads))
    seen = camera.bounds
    low, high = np.minimum(tails, heads), np.maximum(tails, heads)  # NaN without a place: not seen
    inside = (low[:, 0] <= seen.x1) & (high[:, 0] >= seen.x0) & (low[:, 1] <= seen.y1) & (high[:, 1] >= seen.y0)
    if detail is not None and detail.arcs:
        ends = reach.border_tails, reach.border_heads
        inside &= ~(np.isin(ends[0], detail.vertices) & np.isin(ends[1], detail.vertices))
    return np.flatnonzero(inside) if np.count_nonzero(inside) <= _MOST_ROADS else np.empty(0, np.intp)


def _shades(content: PictureContent, tokens: Tokens) -> list[QColor]:
    legend = content.legend
    colours = ramp_colours(Ramp.DISTANCES if legend is None else legend.ramp, tokens.dark)
    colours = colours if legend is None else band_colours(colours, legend)
    return [QColor(*(int(channel) for channel in colour)) for colour in colours]


def _opacity(measures: Measures, tokens: Tokens, *, visited: bool) -> float:
    return stroke_opacity(measures.gain, visited=visited, dark=tokens.dark)


def _mixed(ground: str, colour: QColor, opacity: float) -> QColor:
    """``colour`` on the canvas, opaque, so that it covers what the raster drew."""
    under = QColor(ground)
    parts = ((colour.red(), under.red()), (colour.green(), under.green()), (colour.blue(), under.blue()))
    return QColor(*(round(opacity * above + (1.0 - opacity) * below) for above, below in parts))
