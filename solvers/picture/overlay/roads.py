"""Marked roads over the picture, and the border of an isochrone.

The border is the roads on which the budget of an isochrone ends, in a view close enough
to see how far it goes on each.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.isochrone import Isochrone
from solvers.picture.display import (
    Area,
    Disc,
    Mark,
    Stroke,
    Words,
    cross,
    hex_colour,
    part_of_line,
    text_style,
)
from solvers.picture.overlay.labels import bend_through_middle
from solvers.picture.overlay.view import OverlayView
from solvers.picture.raster.edge_buffers import PixelSizes
from solvers.picture.raster.marks import border_points, border_radius
from solvers.picture.raster.pixel_colours import RECEDING, stroke_opacity
from solvers.picture.scene.close_arcs import ArcCurve, arc_controls, arrow_head, road_lines
from solvers.picture.scene.content import Layer
from solvers.picture.scene.ramps import rgb
from solvers.picture.scene.road_marks import RoadMarks
from solvers.system.array_types import Float64s

_LINE, _HALO = 2.5, 5.5
_CROSS = 4.5  # half of a cross's extent
_MOST_SIGNS = 400  # crosses and factors in view: more would hide the roads
_CELL = 16.0  # pixels within which one sign is enough
_LEAST_LENGTH = 26.0  # pixels of a road that has room for its factor, or for an arrow head
_OUTSIDE = 30.0
_GAP = np.full((1, 2), np.nan)

# pixels between vertices; below, the raster's halves of roads are exact enough
_LEAST_SPACING = 6.0
_LEAST_RADIUS = 2.2
_MOST_ROADS = 2_000  # in view, for the time of a repaint
_COVER = 1.2  # pixels by which a line is wider than what it covers


def road_mark_marks(view: OverlayView) -> Iterator[Mark]:
    """Lines over marked roads, with a cross or a sign; arrows where only one direction is meant."""
    marks = view.content.road_marks if view.content.has(Layer.ROADS) else ()
    for one in reversed(marks):
        points = view.points_of(one.ends)
        seen = view.camera.sees(points.min(axis=1), points.max(axis=1), _OUTSIDE)
        roads = [_Road(view, one, int(i)) for i in np.flatnonzero(seen)]
        if not roads:
            continue
        colour, halo = getattr(view.tokens, one.colour), view.tokens.halo
        lines = np.concatenate([part for road in roads for part in (_GAP, road.line)])[1:]
        yield Stroke(lines, halo, _HALO)
        yield Stroke(lines, colour, _LINE, dashes=one.dashes)
        if len(roads) <= _MOST_SIGNS:
            taken: set[tuple[int, int]] = set()  # cells of the view that have a sign
            for road in roads:
                cell = (int(road.middle.real // _CELL), int(road.middle.imag // _CELL))
                if cell not in taken:
                    yield from road.sign(colour, halo)
                    taken.add(cell)


class _Road:
    """One marked road on the screen."""

    def __init__(self, view: OverlayView, marks: RoadMarks, i: int):
        tail, head = (int(v) for v in marks.ends[i])
        start, end = view.point_of(tail), view.point_of(head)
        self._sign = None if marks.sign is None else marks.sign(i)
        self._one_way = bool(marks.one_way[i])
        controls = arc_controls(view.content.scene, view.camera, view.detail)
        self._curve = ArcCurve(start, controls.get((tail, head), (start + end) / 2), end)
        line = road_lines(view.content.scene, view.camera, [(tail, head)]).get((tail, head))
        if line is not None:
            self._curve = ArcCurve(start, bend_through_middle(line), end)
        elif (tail, head) in controls:
            (line,) = Stroke(self._curve.points, "", 1.0, is_curve=True).lines
        self.line = self._curve.points[::2] if line is None else line
        self.middle = self._curve.at(0.5)

    def sign(self, colour: str, halo: str) -> Iterator[Mark]:
        along, x, y = self._curve.end - self._curve.start, self.middle.real, self.middle.imag
        has_room = abs(along.real) + abs(along.imag) >= _LEAST_LENGTH
        if self._sign is None:
            lines = cross(x, y, _CROSS)
            yield Stroke(lines, halo, _HALO)
            yield Stroke(lines, colour, _LINE)
        elif has_room:
            style = text_style(8.5, bold=True)
            yield Words(x + 5.0, y - 5.0, self._sign, colour, style, halo=halo)
        if self._one_way and has_room:
            tip, before = self._curve.at(0.85), self._curve.at(0.83)
            yield Area(arrow_head(tip, tip - before, 11.0), colour, 1.0, halo)


def border_marks(view: OverlayView, isochrone: Isochrone) -> Iterator[Mark]:
    """The roads on which the budget ends, lit as far as it goes; the raster lights halves
    of roads.

    Roads of a close view's detail are among its own marks.
    """
    shading, measures = view.content.shading, PixelSizes.of(view.content.scene, view.camera.scale)
    chosen, tokens = _border_in_view(view, isochrone), view.tokens
    if shading is None or not len(shading.reveal) or not len(chosen):
        return
    whole, lit = _lines(view, isochrone, chosen)
    opacity = stroke_opacity(measures.gain, visited=False, dark=tokens.dark)
    outside = _mixed(tokens.canvas, tokens.edge, RECEDING * opacity)
    for line in whole:
        yield Stroke(line, outside, measures.line + _COVER)
    opacity = stroke_opacity(measures.gain, visited=True, dark=tokens.dark)
    shades = shading.shade[isochrone.border_tails[chosen]].tolist()
    for line, shade in zip(lit, shades, strict=True):
        colour = _mixed(tokens.canvas, view.shade(shade), opacity)
        yield Stroke(line, colour, measures.line + _COVER)


def border_point_marks(view: OverlayView, isochrone: Isochrone) -> Iterator[Mark]:
    """The points where the budget ends on these roads, over vertices."""
    chosen = _border_in_view(view, isochrone)
    spacing = PixelSizes.of(view.content.scene, view.camera.scale).spacing
    radius = max(_LEAST_RADIUS, border_radius(spacing))
    ends = border_points(isochrone, view.content.scene)[chosen]
    for point in view.camera.to_screen(ends).tolist():
        yield Disc(point, radius, view.tokens.text, view.tokens.halo, 1.0)


def _lines(
    view: OverlayView, isochrone: Isochrone, chosen: NDArray[np.intp]
) -> tuple[list[Float64s], list[Float64s]]:
    """The chosen roads on the screen, and the parts of them within the budget."""
    tails, heads = isochrone.border_tails[chosen], isochrone.border_heads[chosen]
    roads = list(zip(tails.tolist(), heads.tolist(), strict=True))
    curved = road_lines(view.content.scene, view.camera, roads)
    if curved:
        whole, shares = [curved[road] for road in roads], isochrone.border_shares[chosen].tolist()
        return whole, [part_of_line(line, share) for line, share in zip(whole, shares, strict=True)]
    starts, ends = view.points_of(tails), view.points_of(heads)
    cuts = view.camera.to_screen(border_points(isochrone, view.content.scene)[chosen])
    return list(np.stack((starts, ends), axis=1)), list(np.stack((starts, cuts), axis=1))


def _border_in_view(view: OverlayView, isochrone: Isochrone) -> NDArray[np.intp]:
    """Numbers of the border's roads that are drawn: none in a far view, or if they are too many."""
    nothing = np.empty(0, np.intp)
    spacing = PixelSizes.of(view.content.scene, view.camera.scale).spacing
    if spacing < _LEAST_SPACING or not view.content.has(Layer.EDGES):
        return nothing
    ends = isochrone.border_tails, isochrone.border_heads
    tails, heads = map(view.points_of, ends)
    # NaN without a place: not seen
    inside = view.camera.sees(np.minimum(tails, heads), np.maximum(tails, heads), 0.0)
    if view.detail is not None and view.detail.arcs:
        inside &= ~(np.isin(ends[0], view.detail.ends) & np.isin(ends[1], view.detail.ends))
    return np.flatnonzero(inside) if np.count_nonzero(inside) <= _MOST_ROADS else nothing


def _mixed(ground: str, colour: str, opacity: float) -> str:
    """``colour`` on the canvas, opaque, so that it covers what the raster drew."""
    return hex_colour(np.rint(opacity * rgb(colour) + (1.0 - opacity) * rgb(ground)))
