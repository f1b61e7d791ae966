"""The turns that junctions with turn restrictions allow, in a close view.

For each road by which one comes and that a restriction is about, arrows lead over the
junction into the roads by which one may go.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from solvers.features.turns.u_turns import restricted_turns
from solvers.picture.display import Area, Mark, Stroke, part_of_line
from solvers.picture.overlay.view import OverlayView
from solvers.picture.scene.close_arcs import ArcCurve, Point, arrow_head, moved, road_lines
from solvers.picture.scene.content import Layer
from solvers.system.array_types import Float64s

_REACH = 28.0  # pixels from the edge of the junction's disc
_ASIDE, _OF_DISC = 6.0, 0.3  # from the middle of the road, to the right; and of the radius
_MOST_OF_ROAD = 0.4
_OUTWARDS = 0.25  # share of the way from the junction to the middle of both ends, twice
_WIDTH, _HALO, _HEAD_SIZE = 2.0, 2.5, 9.0


def close_marks(view: OverlayView, radius: float) -> Iterator[Mark]:
    """The allowed turns at the vertices in view, whose discs have that radius."""
    assert view.detail is not None
    graph = view.content.scene.graph.uncut
    if not (graph.has_turns and view.content.has(Layer.EDGES)):
        return
    turns = restricted_turns(graph)
    shown = [turn for vertex in view.detail.vertices.tolist() for turn in turns.get(vertex, ())]
    if not shown:
        return
    whole, tokens = graph.as_read, view.tokens
    arcs = sorted({arc for turn in shown for arc in turn})
    roads = list(zip(whole.tails[arcs].tolist(), whole.indices[arcs].tolist(), strict=True))
    curves = road_lines(view.content.scene, view.camera, roads)
    lines = {
        arc: curves[road] if road in curves else view.points_of(np.array(road))
        for arc, road in zip(arcs, roads, strict=True)
    }
    for before, after in shown:
        junction = complex(*lines[after][0].tolist())
        start = _beside(lines[before][::-1], radius, towards=True)
        tip = _beside(lines[after], radius, towards=False)
        bend = junction + (start + tip - junction * 2) * _OUTWARDS
        curve = ArcCurve(start, bend, moved(tip, bend, _HEAD_SIZE / 2)).points
        yield Stroke(curve, tokens.halo, _WIDTH + _HALO, is_curve=True)
        yield Stroke(curve, tokens.good, _WIDTH, is_curve=True)
        yield Area(arrow_head(tip, tip - bend, _HEAD_SIZE), tokens.good)


def _beside(line: Float64s, radius: float, *, towards: bool) -> Point:
    """A point near the beginning of a road, to the right of who drives ``towards`` it, or
    away.
    """
    length = float(np.hypot(*np.diff(line, axis=0).T).sum())
    reach = min(radius + _REACH, _MOST_OF_ROAD * length)
    at = part_of_line(line, reach / length if length > 0 else 0.0)
    first, last = complex(*at[0].tolist()), complex(*at[-1].tolist())
    ahead = (last - first) * (-1.0 if towards else 1.0)
    size = abs(last - first) or 1.0
    return last + 1j * ahead * ((_ASIDE + _OF_DISC * radius) / size)
