"""Stress descent over all pairs of vertices, for small components (Zheng, Pawar and Goodman 2018). No Qt."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gui.picture.layout.adjacency import Neighbours
from gui.picture.layout.clutter import clutter
from gui.picture.layout.pivot_mds import pivot_mds
from gui.picture.layout.pivots import hops_from_all
from solvers.system.cancel import SILENT, Observer
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
    adjacency: Neighbours, team: ThreadTeam, observer: Observer = SILENT, *, attempts: bool = True
) -> NDArray[np.float64]:
    """Positions of a small connected component, (n, 2), with a mean edge length of about 1.

    Parameters
    ----------
    attempts : bool
        Whether to take the clearest of several layouts of a graph that is small enough to be read edge by edge.

    Raises
    ------
    Cancelled
    """
    readable = adjacency.n <= CLEAR_LIMIT and len(adjacency.indices) <= 2 * CLEAR_EDGES
    hops = hops_from_all(adjacency, team, observer)
    seeds = range(1, _STARTS + 1) if attempts and readable else range(1, 2)
    figures = [exact_layout(hops, seed, team, observer) for seed in seeds]
    if len(figures) == 1:
        return figures[0]
    return min(figures, key=lambda figure: clutter(figure, adjacency.indptr, adjacency.indices))


def exact_layout(
    hops: NDArray[np.int16], seed: int, team: ThreadTeam, observer: Observer = SILENT
) -> NDArray[np.float64]:
    """Positions from all (n, n) distances.

    Raises
    ------
    Cancelled
    """
    rng = np.random.default_rng(seed)
    step = max(1, len(hops) // _MDS_COLUMNS)
    positions = pivot_mds(np.ascontiguousarray(hops[:, ::step]), -(-len(hops) // step), team).astype(np.float64)
    positions += rng.normal(scale=_JITTER if seed == 1 else _SHAKE, size=positions.shape)
    longest = max(1.0, float(hops.max(initial=0)))
    decay = math.log(longest**2 / _CLOSEST) / (_SWEEPS - 1)
    for sweep in range(_SWEEPS):
        observer.checkpoint()
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
