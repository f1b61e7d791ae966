"""Clutter of a small drawing: crossing edges, and vertices that lie on edges or on each other. No Qt."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from solvers.system.jit import njit

_CLEARANCE = 0.28  # edge lengths: wanted distance of a vertex from other edges


@njit(cache=True, nogil=True)
def clutter(positions: NDArray[np.float64], indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> float:
    """Clutter score of (n, 2) positions: crossing edges, and vertices on edges or on each other."""
    n = positions.shape[0]
    count = 0.0
    for u in range(n):
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            if v < u:
                continue
            for w in range(n):
                apart = w != u and w != v  # numba has no `in` for mixed integers
                if apart and _gap(positions, u, v, w) < _CLEARANCE:
                    count += 3.0
                for other in range(indptr[w], indptr[w + 1]):
                    x = indices[other]
                    if u < w < x and v != w and v != x and _cross(positions, u, v, w, x):
                        count += 1.0
    return count


@njit(cache=True, nogil=True)
def _gap(positions: NDArray[np.float64], u: int, v: int, w: int) -> float:
    """Distance of vertex ``w`` from the edge (u, v)."""
    ax, ay = positions[v, 0] - positions[u, 0], positions[v, 1] - positions[u, 1]
    bx, by = positions[w, 0] - positions[u, 0], positions[w, 1] - positions[u, 1]
    share = min(1.0, max(0.0, (ax * bx + ay * by) / max(1e-12, ax * ax + ay * ay)))
    return math.hypot(bx - share * ax, by - share * ay)


@njit(cache=True, nogil=True)
def _side(positions: NDArray[np.float64], u: int, v: int, w: int) -> float:
    return (positions[v, 0] - positions[u, 0]) * (positions[w, 1] - positions[u, 1]) - (
        positions[v, 1] - positions[u, 1]
    ) * (positions[w, 0] - positions[u, 0])


@njit(cache=True, nogil=True)
def _cross(positions: NDArray[np.float64], u: int, v: int, w: int, x: int) -> bool:
    """Whether the edges (u, v) and (w, x) cross."""
    apart = _side(positions, u, v, w) * _side(positions, u, v, x) < 0.0
    return apart and _side(positions, w, x, u) * _side(positions, w, x, v) < 0.0
