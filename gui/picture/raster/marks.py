"""Marks painted onto a finished picture: discs, the border of an isochrone, and changed roads. No Qt.

Discs are the lights of a frontier and the vertices of a border; the border of an isochrone is the points on roads where
the budget ends. Closed and slowed roads are drawn here where they are too many to be painted one by one.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gui.picture.raster.edge_buffers import EdgeBuffers
from gui.picture.raster.pixel_colours import argb, blend
from gui.picture.scene.paths import PathTree, draw_tree, points_on_roads
from gui.picture.scene.road_marks import RoadMarks
from gui.picture.scene.scene import DrawableGraph
from gui.style.colours import Tokens
from solvers.graphs.isochrone import Isochrone
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam


@njit(cache=True, nogil=True, error_model="numpy")
def place_spots(
    spots: NDArray[np.float32],
    positions: NDArray[np.float64],
    vertices: NDArray[np.int32],
    scale: float,
    dx: float,
    dy: float,
    left: int,
    top: int,
    right: int,
    bottom: int,
    seen: NDArray[np.uint8],
    mark: int,
) -> int:
    """Compute pixel coordinates of the ``vertices`` inside a pixel rectangle.

    Parameters
    ----------
    spots : (k, 2) float32
        Written.
    seen : (bottom - top, right - left) uint8 or (0, 0)
        If given, a spot is moved to the centre of its pixel, which is set to ``mark``, and a pixel with that mark gets
        no second spot. This bounds the work by the number of pixels.

    Returns
    -------
    int
        Number of spots written.
    """
    crowded = seen.shape[0] > 0
    count = 0
    for v in vertices:
        x = positions[v, 0] * scale + dx
        y = positions[v, 1] * scale + dy
        if not (left <= x < right and top <= y < bottom):
            continue
        if crowded:
            row, column = math.floor(y), math.floor(x)
            if seen[row - top, column - left] == mark:
                continue
            seen[row - top, column - left] = mark
            x, y = column + 0.5, row + 0.5
        spots[count, 0], spots[count, 1] = x, y
        count += 1
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def draw_discs(
    image: NDArray[np.uint32], top: int, spots: NDArray[np.float32], radius: float, colour: np.uint32, opacity: float
) -> None:
    """Paint discs onto a picture: ``colour`` opaque ARGB, ``opacity`` in 0..1; ``top`` as in `draw_edges`."""
    rows, columns = image.shape
    reach = radius + 0.5
    outside, inside = reach * reach, max(0.0, radius - 0.5) ** 2
    full = np.uint32(256.0 * opacity)
    for i in range(spots.shape[0]):
        x, y = spots[i, 0], spots[i, 1]
        if not (-reach < x < columns + reach and top - reach < y < top + rows + reach):
            continue
        for row in range(max(top, math.floor(y - reach)), min(top + rows - 1, math.floor(y + reach)) + 1):
            down = (row + 0.5 - y) ** 2
            for column in range(max(0, math.floor(x - reach)), min(columns - 1, math.floor(x + reach)) + 1):
                square = (column + 0.5 - x) ** 2 + down
                if square >= outside:
                    continue
                alpha = full if square <= inside else np.uint32(256.0 * opacity * (reach - math.sqrt(square)))
                image[row - top, column] = blend(image[row - top, column], colour, alpha)


BORDER_RADIUS = 1.3  # logical pixels, at least
_SHARE_OF_SPACING = 0.12  # of the mean distance between vertices
MOST_BORDER_RADIUS = 3.5
_CROWD = 20_000  # points from which at most one is drawn per pixel
_NOTHING_SEEN = np.empty((0, 0), np.uint8)


def border_points(isochrone: Isochrone, scene: DrawableGraph) -> NDArray[np.float64]:
    """(k, 2) world coordinates of the points where the budget ends; NaN where an end has no place."""
    return points_on_roads(scene, isochrone.border_tails, isochrone.border_heads, isochrone.border_shares)


def border_radius(spacing: float) -> float:
    """Radius of a point in logical pixels, for vertices that are ``spacing`` pixels apart."""
    return min(MOST_BORDER_RADIUS, max(BORDER_RADIUS, _SHARE_OF_SPACING * spacing))


def draw_border(
    image: NDArray[np.uint32], buffers: EdgeBuffers, isochrone: Isochrone, tokens: Tokens, team: ThreadTeam
) -> None:
    """Paint the points."""
    points = border_points(isochrone, buffers.view.scene)
    radius = border_radius(buffers.measures.spacing) * buffers.view.ratio
    spots = _placed(points, buffers, radius)

    def draw(first: int, last: int) -> None:
        draw_discs(image[first:last], buffers.view.span[0] + first, spots, radius, argb(tokens.text), 1.0)

    team.run(partial(draw, *band) for band in buffers.bands())


def _placed(points: NDArray[np.float64], buffers: EdgeBuffers, radius: float) -> NDArray[np.float32]:
    """Pixel positions of the visible points; at most one per pixel if there are many."""
    around = math.ceil(radius) + 1
    first, last = buffers.view.span
    left, top, right, bottom = window = (-around, first - around, buffers.view.width + around, last + around)
    seen = np.zeros((bottom - top, right - left), np.uint8) if len(points) > _CROWD else _NOTHING_SEEN
    spots = np.empty((len(points), 2), np.float32)
    every = np.arange(len(points), dtype=np.int32)
    count = place_spots(spots, points, every, *buffers.view.transform, *window, seen, 1)
    return spots[:count]


MOST_PAINTED = 600  # roads in view that are painted one by one, dashed and with signs, for the time of a repaint
_ROAD_WIDTH = 1.5  # logical pixels


def draw_road_lines(
    image: NDArray[np.uint32], buffers: EdgeBuffers, marks: RoadMarks, tokens: Tokens, team: ThreadTeam
) -> bool:
    """Draw the roads in view; False if they are few, so that nothing is drawn."""
    view = buffers.view
    scale, dx, dy = view.transform
    ends = view.scene.positions[marks.ends]
    seen = _roads_in_view(ends * scale + (dx, dy), view.width, max(1, round(view.camera.height * view.ratio)))
    if np.count_nonzero(seen) <= MOST_PAINTED:
        return False
    width = max(1, round(_ROAD_WIDTH * view.ratio))
    closed = np.isinf(marks.factors)
    for chosen, colour in ((seen & ~closed, tokens.warning), (seen & closed, tokens.bad)):
        count = int(np.count_nonzero(chosen))
        if count:
            points = ends[chosen].transpose(1, 0, 2).reshape(-1, 2)  # all tails, then all heads
            roads = PathTree(np.concatenate((np.full(count, -1), np.arange(count))).astype(np.int32))
            draw_tree(image, roads, points, (view.span[0], scale, dx, dy), (argb(colour), width), team)
    return True


def _roads_in_view(points: NDArray[np.float64], width: int, height: int) -> NDArray[np.bool_]:
    """Mask of the roads, (k, 2, 2) in pixels, whose boxes meet the view."""
    low, high = points.min(axis=1), points.max(axis=1)
    finite = np.isfinite(points).all(axis=(1, 2))
    seen: NDArray[np.bool_] = finite & np.all((high >= 0.0) & (low <= (width, height)), axis=1)
    return seen
