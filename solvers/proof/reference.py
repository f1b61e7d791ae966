"""Reference single-source distances by frontier Bellman-Ford, for counting wrong distances when a proof fails.

Written for simplicity rather than speed, in the widest type, and not used by any solver.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Graph
from solvers.graphs.weights import INT64
from solvers.host.jit import njit
from solvers.host.observer import SILENT, Observer


def reference_distances(graph: Graph, source: int, observer: Observer = SILENT) -> NDArray[Any] | None:
    """Distances from ``source``, or None if it reaches a negative cycle.

    Returns
    -------
    (n,) array or None
        int64 with INT64's infinity for integer weights, else float64 with inf.

    Raises
    ------
    Cancelled
    """
    integer = graph.weight_type.is_integer
    distances = np.full(graph.n, INT64.infinity if integer else np.inf, dtype=np.int64 if integer else np.float64)
    parents = np.full(graph.n, -1, dtype=np.int32)
    distances[source] = 0
    frontier = np.array([source], dtype=np.int32)
    # A negative cycle becomes a cycle of parents soon after it is first traversed. Checking after 1, 2, 4, 8 ... rounds
    # finds it long before round n, at negligible cost.
    rounds, next_check = 0, 1
    while len(frontier):
        observer.checkpoint()
        frontier = _relax_round(graph.indptr, graph.indices, graph.weights, frontier, distances, parents)
        rounds += 1
        if rounds == next_check:
            if parents[source] != -1 or _has_cycle(parents):
                return None
            next_check *= 2
    return distances


@njit(cache=True, nogil=True)
def _relax_round(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[Any],
    frontier: NDArray[np.int32],
    distances: NDArray[Any],
    parents: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Relax the arcs out of the frontier; return the vertices whose distance decreased, possibly with repetitions."""
    improved = []
    for u in frontier:
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            through = distances[u] + weights[arc]
            if through < distances[v]:
                distances[v] = through
                parents[v] = u
                improved.append(v)
    return np.array(improved, dtype=np.int32)


@njit(cache=True, nogil=True)
def _has_cycle(parents: NDArray[np.int32]) -> bool:
    visitor = np.full(parents.shape[0], -1, dtype=np.int32)
    for start in range(parents.shape[0]):
        v = start
        while v != -1 and visitor[v] == -1:
            visitor[v] = start
            v = parents[v]
        if v != -1 and visitor[v] == start:
            return True
    return False
