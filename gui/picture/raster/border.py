"""Draws the border of a reach, the points on roads where the budget ends, onto a coloured picture. No Qt."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gui.picture.raster import discs
from gui.picture.raster.edge_buffers import EdgeBuffers
from gui.picture.raster.tone_map import argb
from gui.picture.scene.courses import points_on_roads
from gui.picture.scene.scene import DrawableGraph
from gui.style.tokens import Tokens
from solvers.graphs.isochrone import Reach
from solvers.system.threads import ThreadTeam

BORDER_RADIUS = 1.3  # logical pixels, at least
_SHARE_OF_SPACING = 0.12  # of the mean distance between vertices
MOST_RADIUS = 3.5
_CROWD = 20_000  # points from which at most one is drawn per pixel
_NOTHING_SEEN = np.empty((0, 0), np.uint8)


def border_points(reach: Reach, scene: DrawableGraph) -> NDArray[np.float64]:
    """(k, 2) world coordinates of the points where the budget ends; NaN where an end has no place."""
    return points_on_roads(scene, reach.border_tails, reach.border_heads, reach.border_shares)


def border_radius(spacing: float) -> float:
    """Radius of a point in logical pixels, for vertices that are ``spacing`` pixels apart."""
    return min(MOST_RADIUS, max(BORDER_RADIUS, _SHARE_OF_SPACING * spacing))


def draw_border(
    image: NDArray[np.uint32], buffers: EdgeBuffers, reach: Reach, tokens: Tokens, team: ThreadTeam
) -> None:
    """Paint the points."""
    points = border_points(reach, buffers.view.scene)
    radius = border_radius(buffers.measures.spacing) * buffers.view.ratio
    spots = _placed(points, buffers, radius)

    def draw(first: int, last: int) -> None:
        discs.draw_discs(image[first:last], buffers.view.span[0] + first, spots, radius, argb(tokens.text), 1.0)

    team.run(partial(draw, *band) for band in buffers.bands())


def _placed(points: NDArray[np.float64], buffers: EdgeBuffers, radius: float) -> NDArray[np.float32]:
    """Pixel positions of the visible points; at most one per pixel if there are many."""
    around = math.ceil(radius) + 1
    first, last = buffers.view.span
    left, top, right, bottom = window = (-around, first - around, buffers.view.width + around, last + around)
    seen = np.zeros((bottom - top, right - left), np.uint8) if len(points) > _CROWD else _NOTHING_SEEN
    spots = np.empty((len(points), 2), np.float32)
    every = np.arange(len(points), dtype=np.int32)
    count = discs.place_spots(spots, points, every, *buffers.view.transform, *window, seen, 1)
    return spots[:count]
