"""World positions of vertices: Web Mercator of longitudes and latitudes, or plane coordinates
and layouts as they are; centred on 0, y down, longer side 1. No Qt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from solvers.graphs.graph import Coordinates
from solvers.picture.scene.camera import Bounds
from solvers.system.array_types import Float64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam, split_evenly

PIECE = 250_000  # vertices between two cancellation checks
_METRES_PER_DEGREE = 111_195.0
_MERCATOR_LIMIT = 85.0  # degrees; Mercator diverges towards the poles
_AS_IT_IS, _FLIPPED, _MERCATOR = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Projection:
    """Web Mercator in degrees, y down, shifted by ``origin`` and divided by ``extent``."""

    origin: Float64s  # (2,)
    extent: float

    @classmethod
    def of(cls, xy: Float64s, positions: Float64s) -> Projection | None:
        """The projection by which longitudes and latitudes, (n, 2), have these positions; None
        without two places along the longer side.
        """
        if not np.isfinite(positions).any():
            return None
        axis = int(np.argmax(np.nanmax(positions, axis=0) - np.nanmin(positions, axis=0)))
        ends = [int(find(positions[:, axis])) for find in (np.nanargmin, np.nanargmax)]
        low, high = positions[ends]
        if low[axis] == high[axis]:
            return None
        first, last = _mercator(xy[ends])
        extent = float((last - first)[axis] / (high - low)[axis])
        return cls(first - low * extent, extent)

    def positions(self, xy: Float64s) -> Float64s:
        """World coordinates of longitudes and latitudes, (k, 2)."""
        found: Float64s = (_mercator(xy) - self.origin) / self.extent
        return found

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Latitude and longitude of a point of the world."""
        longitude, down = np.array((x, y)) * self.extent + self.origin
        return math.degrees(math.atan(math.sinh(math.radians(-down)))), float(longitude)


def placed(
    points: Float64s | Coordinates, team: ThreadTeam, progress: Progress = SILENT
) -> tuple[Float64s, Bounds, float]:
    """World positions of a graph's vertices, from coordinates of the file (y up) or a
    layout (y down).

    Longitude and latitude go through Web Mercator in degrees, which preserves shapes at
    every latitude.

    Returns
    -------
    positions : (n, 2) float64
        Centred on 0 with a longer side of 1, so that float32 resolves every pixel; NaN
        for vertices without a place.
    bounds : Bounds
    metres_per_unit : float
        At the middle of a geographic extent; 0 if unknown.
    """
    if isinstance(points, Coordinates):
        xy, geographic = points.xy, points.geographic
        way = _MERCATOR if geographic else _FLIPPED
    else:
        xy, geographic, way = np.asarray(points, dtype=np.float64), False, _AS_IT_IS
    positions = np.empty((len(xy), 2))
    runs = split_evenly(len(xy), max(team.threads, -(-len(xy) // PIECE)))
    extents = np.full((len(runs) + 1, 4), np.nan)
    team.run(
        (partial(_project, xy, way, positions, extents[i], *run) for i, run in enumerate(runs)),
        progress,
    )
    known = extents[np.isfinite(extents[:, 0])]
    if not len(known):
        return positions, Bounds(-0.5, -0.5, 0.5, 0.5), 0.0
    (x0, y0), (x1, y1) = known[:, :2].min(axis=0), known[:, 2:].max(axis=0)
    extent = float(max(x1 - x0, y1 - y0)) or 1.0
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    team.run_over(runs, _normalise, positions, x, y, extent, progress=progress)
    ends = ((x0 - x) / extent, (y0 - y) / extent, (x1 - x) / extent, (y1 - y) / extent)
    bounds = Bounds(*(float(end) for end in ends))
    return positions, bounds, extent * _metres_per_degree(y0, y1) if geographic else 0.0


def mercator_degrees(latitudes: Float64s) -> Float64s:
    """Web Mercator's ordinate in degrees, y down, as of `placed`."""
    limited = np.clip(latitudes, -_MERCATOR_LIMIT, _MERCATOR_LIMIT)
    return -np.degrees(np.arctanh(np.sin(np.radians(limited))))


def _mercator(xy: Float64s) -> Float64s:
    return np.stack((xy[:, 0], mercator_degrees(xy[:, 1])), axis=1)


def _metres_per_degree(y0: float, y1: float) -> float:
    """Metres per Mercator degree at the middle latitude of an extent, given by its
    Mercator bounds.
    """
    south, north = (math.degrees(math.atan(math.sinh(math.radians(y)))) for y in (y0, y1))
    return _METRES_PER_DEGREE * math.cos(math.radians((south + north) / 2))


@njit
def _project(
    xy: Float64s, way: int, positions: Float64s, extent: Float64s, first: int, last: int
) -> None:
    """Vertices ``first .. last - 1``; writes their bounds to ``extent``, which stays
    NaN if none has a place.
    """
    x0 = y0 = np.inf
    x1 = y1 = -np.inf
    for v in range(first, last):
        x, y = xy[v, 0], xy[v, 1]
        if way == _MERCATOR:
            y = -math.degrees(
                math.atanh(math.sin(math.radians(min(_MERCATOR_LIMIT, max(-_MERCATOR_LIMIT, y)))))
            )
        elif way == _FLIPPED:
            y = -y
        if not (np.isfinite(x) and np.isfinite(xy[v, 1])):
            x = y = np.nan
        positions[v, 0], positions[v, 1] = x, y
        if x == x:
            x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
    if x1 >= x0:
        extent[0], extent[1], extent[2], extent[3] = x0, y0, x1, y1


@njit
def _normalise(
    positions: Float64s, x: float, y: float, extent: float, first: int, last: int
) -> None:
    for v in range(first, last):
        positions[v, 0] = (positions[v, 0] - x) / extent
        positions[v, 1] = (positions[v, 1] - y) / extent
