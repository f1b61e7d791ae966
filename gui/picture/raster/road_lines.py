"""Draws closed and slowed roads onto a coloured picture where they are too many to be painted one by one. No Qt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gui.picture.raster.edge_buffers import EdgeBuffers
from gui.picture.raster.tone_map import argb
from gui.picture.scene.path_tree import PathTree, draw_tree
from gui.picture.scene.road_marks import RoadMarks
from gui.style.tokens import Tokens
from solvers.system.threads import ThreadTeam

MOST_PAINTED = 600  # roads in view that are painted one by one, dashed and with signs, for the time of a repaint
_WIDTH = 1.5  # logical pixels


def draw_road_lines(
    image: NDArray[np.uint32], buffers: EdgeBuffers, marks: RoadMarks, tokens: Tokens, team: ThreadTeam
) -> bool:
    """Draw the roads in view; False if they are few, so that nothing is drawn."""
    view = buffers.view
    scale, dx, dy = view.transform
    ends = view.scene.positions[marks.ends]
    seen = _in_view(ends * scale + (dx, dy), view.width, max(1, round(view.camera.height * view.ratio)))
    if np.count_nonzero(seen) <= MOST_PAINTED:
        return False
    width = max(1, round(_WIDTH * view.ratio))
    closed = np.isinf(marks.factors)
    for chosen, colour in ((seen & ~closed, tokens.warning), (seen & closed, tokens.bad)):
        count = int(np.count_nonzero(chosen))
        if count:
            points = ends[chosen].transpose(1, 0, 2).reshape(-1, 2)  # all tails, then all heads
            roads = PathTree(np.concatenate((np.full(count, -1), np.arange(count))).astype(np.int32))
            draw_tree(image, roads, points, (view.span[0], scale, dx, dy), (argb(colour), width), team)
    return True


def _in_view(points: NDArray[np.float64], width: int, height: int) -> NDArray[np.bool_]:
    """Mask of the roads, (k, 2, 2) in pixels, whose boxes meet the view."""
    low, high = points.min(axis=1), points.max(axis=1)
    finite = np.isfinite(points).all(axis=(1, 2))
    seen: NDArray[np.bool_] = finite & np.all((high >= 0.0) & (low <= (width, height)), axis=1)
    return seen
