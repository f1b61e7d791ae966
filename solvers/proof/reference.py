"""The slow and plain way to the distances from one source, for the verifier to count against when a proof fails.

Rounds over the vertices whose distance fell, and nothing else: written for trust, in the widest type. No solver uses
it.
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
    """Distances from ``source``, (n,), or None where it reaches a negative cycle.

    Returns
    -------
    (n,) int64 with INT64's infinity for integer weights, else float64 with inf; or None

    Raises
    ------
    Cancelled
    """
    integer = graph.weight_type.is_integer
    distances = np.full(graph.n, INT64.infinity if integer else np.inf, dtype=np.int64 if integer else np.float64)
    parents = np.full(graph.n, -1, dtype=np.int32)
    distances[source] = 0
    frontier = np.array([source], dtype=np.int32)
    # The parents close a cycle soon after a negative cycle is first gone round. Looking after 1, 2, 4, 8 ... rounds
    # finds it without waiting for n of them, and costs next to nothing.
    rounds, next_look = 0, 1
    while len(frontier):
        observer.checkpoint()
        frontier = _relax_round(graph.indptr, graph.indices, graph.weights, frontier, distances, parents)
        rounds += 1
        if rounds == next_look:
            if parents[source] != -1 or _has_cycle(parents):
                return None
            next_look *= 2
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
    """Relax the arcs that leave the frontier; the vertices whose distance fell, some perhaps named twice."""
    fallen = []
    for u in frontier:
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            through = distances[u] + weights[arc]
            if through < distances[v]:
                distances[v] = through
                parents[v] = u
                fallen.append(v)
    return np.array(fallen, dtype=np.int32)


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
