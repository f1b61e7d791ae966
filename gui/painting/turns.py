"""Painter of the turns that junctions with turn restrictions allow, in a close view.

For each road by which one comes and that a restriction is about, arrows lead over the
junction into the roads by which one may go.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainterPath

from gui.painting.drawing import PaintedView, arrow_head, cut_line, distance, moved, pen, road_lines
from gui.style.widgets import fill_with
from solvers.picture.scene.scene import Detail

_REACH = 28.0  # pixels from the edge of the junction's disc
_ASIDE, _OF_DISC = 6.0, 0.3  # from the middle of the road, to the right; and of the radius
_MOST_OF_ROAD = 0.4
_OUTWARDS = 0.25  # share of the way from the junction to the middle of both ends, twice
_WIDTH, _HALO, _HEAD_SIZE = 2.0, 2.5, 9.0


def draw_turns(view: PaintedView, detail: Detail, radius: float) -> None:
    """Draw the allowed turns at the vertices in view, whose discs have that radius."""
    from solvers.graphs.turns import restricted_turns  # imports numba, which is slow

    graph = view.content.scene.graph.uncut
    turns = restricted_turns(graph)
    shown = [turn for vertex in detail.vertices.tolist() for turn in turns.get(vertex, ())]
    if not shown:
        return
    whole = graph.opened
    arcs = sorted({arc for turn in shown for arc in turn})
    roads = list(zip(whole.tails[arcs].tolist(), whole.indices[arcs].tolist(), strict=True))
    curves = road_lines(view.content.scene, view.camera, roads)
    lines = {
        arc: curves.get(road) or [QPointF(*point) for point in view.points_of(np.array(road))]
        for arc, road in zip(arcs, roads, strict=True)
    }
    painter, colour = view.painter, QColor(view.tokens.good)
    for before, after in shown:
        start = _beside(lines[before][::-1], radius, towards=True)
        tip = _beside(lines[after], radius, towards=False)
        bend = lines[after][0] + (start + tip - lines[after][0] * 2) * _OUTWARDS
        path = QPainterPath(start)
        path.quadTo(bend, moved(tip, bend, _HEAD_SIZE / 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for stroke in (pen(view.tokens.halo, _WIDTH + _HALO), pen(colour, _WIDTH)):
            painter.setPen(stroke)
            painter.drawPath(path)
        fill_with(painter, colour)
        painter.drawPolygon(arrow_head(tip, tip - bend, _HEAD_SIZE))


def _beside(line: Sequence[QPointF], radius: float, *, towards: bool) -> QPointF:
    """A point near the beginning of a road, to the right of who drives ``towards`` it, or
    away.
    """
    length = sum(distance(a, b) for a, b in pairwise(line))
    reach = min(radius + _REACH, _MOST_OF_ROAD * length)
    at = cut_line(line, reach / length if length > 0 else 0.0)
    ahead = (at[-1] - at[0]) * (-1.0 if towards else 1.0)
    size = distance(at[0], at[-1]) or 1.0
    aside = _ASIDE + _OF_DISC * radius
    return at[-1] + QPointF(-ahead.y(), ahead.x()) * (aside / size)
