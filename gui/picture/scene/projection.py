"""Projection of coordinates to world positions: Mercator, centred on 0, y down, longer side 1. No Qt."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gui.picture.scene.camera import Bounds
from solvers.graphs.graph import Coordinates
from solvers.system.cancel import SILENT, Observer
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam, split_evenly

PIECE = 250_000  # vertices between two cancellation checks
_METRES_PER_DEGREE = 111_195.0
_MERCATOR_LIMIT = 85.0  # degrees; Mercator diverges towards the poles
_AS_IT_IS, _FLIPPED, _MERCATOR = 0, 1, 2


def placed(
    points: NDArray[np.float64] | Coordinates, team: ThreadTeam, observer: Observer = SILENT
) -> tuple[NDArray[np.float64], Bounds, float]:
    """World positions of a graph's vertices.

    Longitude and latitude go through Web Mercator in degrees, which preserves shapes at every latitude.

    Parameters
    ----------
    points : Coordinates or (n, 2) float64
        Coordinates of the file (y up), or a layout (y down).
    team : ThreadTeam
    observer : Observer

    Returns
    -------
    positions : (n, 2) float64
        Centred on 0 with a longer side of 1, so that float32 resolves every pixel; NaN for vertices without a place.
    bounds : Bounds
        Bounds of the positions.
    metres_per_unit : float
        At the middle of a geographic extent; 0 if unknown.

    Raises
    ------
    Cancelled
    """
    geographic = isinstance(points, Coordinates) and points.geographic
    way = _MERCATOR if geographic else _FLIPPED if isinstance(points, Coordinates) else _AS_IT_IS
    xy = points.xy if isinstance(points, Coordinates) else np.asarray(points, dtype=np.float64)
    positions = np.empty((len(xy), 2))
    runs = split_evenly(len(xy), max(team.threads, -(-len(xy) // PIECE)))
    extents = np.full((len(runs) + 1, 4), np.nan)
    team.run((partial(_project, xy, way, positions, extents[i], *run) for i, run in enumerate(runs)), observer)
    known = extents[np.isfinite(extents[:, 0])]
    if not len(known):
        return positions, Bounds(-0.5, -0.5, 0.5, 0.5), 0.0
    (x0, y0), (x1, y1) = known[:, :2].min(axis=0), known[:, 2:].max(axis=0)
    extent = float(max(x1 - x0, y1 - y0)) or 1.0
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    team.run((partial(_normalise, positions, x, y, extent, *run) for run in runs), observer)
    ends = ((x0 - x) / extent, (y0 - y) / extent, (x1 - x) / extent, (y1 - y) / extent)
    bounds = Bounds(*(float(end) for end in ends))
    return positions, bounds, extent * _metres_per_degree(y0, y1) if geographic else 0.0


def _metres_per_degree(y0: float, y1: float) -> float:
    """Metres per Mercator degree at the middle latitude of an extent, given by its Mercator bounds."""
    south, north = (math.degrees(math.atan(math.sinh(math.radians(y)))) for y in (y0, y1))
    return _METRES_PER_DEGREE * math.cos(math.radians((south + north) / 2))


@njit(cache=True, nogil=True)
def _project(
    xy: NDArray[np.float64],
    way: int,
    positions: NDArray[np.float64],
    extent: NDArray[np.float64],
    first: int,
    last: int,
) -> None:
    """Vertices ``first .. last - 1``; writes their bounds to ``extent``, which stays NaN if none has a place."""
    x0 = y0 = np.inf
    x1 = y1 = -np.inf
    for v in range(first, last):
        x, y = xy[v, 0], xy[v, 1]
        if way == _MERCATOR:
            y = -math.degrees(math.atanh(math.sin(math.radians(min(_MERCATOR_LIMIT, max(-_MERCATOR_LIMIT, y))))))
        elif way == _FLIPPED:
            y = -y
        if not (np.isfinite(x) and np.isfinite(xy[v, 1])):
            x = y = np.nan
        positions[v, 0], positions[v, 1] = x, y
        if x == x:
            x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
    if x1 >= x0:
        extent[0], extent[1], extent[2], extent[3] = x0, y0, x1, y1


@njit(cache=True, nogil=True)
def _normalise(positions: NDArray[np.float64], x: float, y: float, extent: float, first: int, last: int) -> None:
    for v in range(first, last):
        positions[v, 0] = (positions[v, 0] - x) / extent
        positions[v, 1] = (positions[v, 1] - y) / extent
