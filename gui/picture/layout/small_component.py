"""Layout of a small component: stress descent over all pairs of vertices (Zheng, Pawar and Goodman 2018). No Qt.

Drawings are compared by their clutter: crossing edges, and vertices that lie on edges or on each other.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gui.picture.layout.adjacency import Neighbours
from gui.picture.layout.pivots import hops_from_all, pivot_mds
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam

MOST_VERTICES = 2_500  # of a component laid out from all pairs
CLEAR_LIMIT, CLEAR_EDGES = 40, 120  # vertices and edges up to which crossings are counted
_STARTS = 24
_SWEEPS = 30
_CLOSEST = 0.1  # the last sweep moves the heaviest term by this share
_MDS_COLUMNS = 50
_JITTER, _SHAKE = 0.05, 1.0  # arcs: of the first attempt, and of further ones


def clearest_layout(
    adjacency: Neighbours, team: ThreadTeam, progress: Progress = SILENT, *, attempts: bool = True
) -> NDArray[np.float64]:
    """Positions of a small connected component, (n, 2), with a mean edge length of about 1.

    Parameters
    ----------
    attempts : bool
        Whether to take the clearest of several layouts of a graph that is small enough to be read edge by edge.
    """
    readable = adjacency.n <= CLEAR_LIMIT and len(adjacency.indices) <= 2 * CLEAR_EDGES
    hops = hops_from_all(adjacency, team, progress)
    seeds = range(1, _STARTS + 1) if attempts and readable else range(1, 2)
    figures = [exact_layout(hops, seed, team, progress) for seed in seeds]
    if len(figures) == 1:
        return figures[0]
    return min(figures, key=lambda figure: clutter(figure, adjacency.indptr, adjacency.indices))


def exact_layout(
    hops: NDArray[np.int16], seed: int, team: ThreadTeam, progress: Progress = SILENT
) -> NDArray[np.float64]:
    """Positions from all (n, n) distances."""
    rng = np.random.default_rng(seed)
    step = max(1, len(hops) // _MDS_COLUMNS)
    positions = pivot_mds(np.ascontiguousarray(hops[:, ::step]), -(-len(hops) // step), team).astype(np.float64)
    positions += rng.normal(scale=_JITTER if seed == 1 else _SHAKE, size=positions.shape)
    longest = max(1.0, float(hops.max(initial=0)))
    decay = math.log(longest**2 / _CLOSEST) / (_SWEEPS - 1)
    for sweep in range(_SWEEPS):
        progress.checkpoint()
        rate = longest**2 * math.exp(-decay * sweep)
        descend(positions, hops, rng.permutation(len(hops)).astype(np.int32), rate)
    return positions


@njit(cache=True, nogil=True)
def descend(positions: NDArray[np.float64], hops: NDArray[np.int16], order: NDArray[np.int32], rate: float) -> None:
    """Move every pair once towards its distance, by at most the whole error; terms weigh 1 / distance^2."""
    for i in range(order.shape[0]):
        u = order[i]
        for j in range(i):
            v = order[j]
            wanted = float(hops[u, v])
            if wanted <= 0.0:
                continue
            dx, dy = positions[u, 0] - positions[v, 0], positions[u, 1] - positions[v, 1]
            distance = math.sqrt(dx * dx + dy * dy)
            if distance < 1e-9:
                dx, dy, distance = 1e-3, 1e-3 * (u - v), 1e-3 * math.sqrt(1.0 + (u - v) ** 2)
            move = min(1.0, rate / (wanted * wanted)) * (distance - wanted) / (2.0 * distance)
            positions[u, 0] -= move * dx
            positions[u, 1] -= move * dy
            positions[v, 0] += move * dx
            positions[v, 1] += move * dy


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
