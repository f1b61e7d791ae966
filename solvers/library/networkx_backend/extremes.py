"""Diameter, radius, centre and periphery of undirected graphs from few searches, by bounds on eccentricities.

Idea
    A search from u, of eccentricity e, bounds that of a vertex v at distance d: it is at least max(d, e - d) and at
    most e + d. Searches are made alternately from the vertex that may be the farthest out and from the one that may be
    the most central, until the bounds of all others exclude them.

Source
    Takes and Kosters 2011, Determining the diameter of small world networks.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Extreme(Enum):
    """What is asked for."""

    DIAMETER = "diameter"
    RADIUS = "radius"
    CENTER = "center"
    PERIPHERY = "periphery"


DistanceRow = Callable[[int], NDArray[Any]]
"""Distances of a vertex to all, (n,); raises if it does not reach all."""


def find_extreme(wanted: Extreme, n: int, row: DistanceRow) -> int | list[int]:
    """The greatest or least eccentricity, or the vertices that have it.

    Parameters
    ----------
    wanted : Extreme
    n : int
        Number of vertices, at least 1.
    row : callable
        Exact distances of an undirected graph without negative lengths.

    Returns
    -------
    int or list of int
        A distance, or vertices in ascending order.
    """
    low, high = np.zeros(n, np.int64), np.full(n, np.iinfo(np.int64).max // 4)
    outward = wanted in (Extreme.DIAMETER, Extreme.PERIPHERY)
    central = not outward
    open_ = np.arange(n)
    while len(open_):
        central = not central
        place = low[open_].argmin() if central else high[open_].argmax()
        distances = row(int(open_[place]))
        far = int(distances.max())
        np.maximum(low, np.maximum(distances, far - distances), out=low)
        np.minimum(high, far + distances, out=high)
        open_ = np.flatnonzero(_is_open(wanted, low, high))
    if wanted is Extreme.DIAMETER:
        return int(low.max())
    if wanted is Extreme.RADIUS:
        return int(high.min())
    hit = low == low.max() if outward else high == high.min()
    vertices: list[int] = np.flatnonzero(hit).tolist()
    return vertices


def _is_open(wanted: Extreme, low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Vertices whose eccentricity is not known and may matter."""
    unknown = low < high
    if wanted is Extreme.DIAMETER:
        return unknown & (high > low.max())
    if wanted is Extreme.RADIUS:
        return unknown & (low < high.min())
    if wanted is Extreme.PERIPHERY:
        return unknown & (high >= low.max())
    return unknown & (low <= high.min())
