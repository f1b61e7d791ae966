"""The negative cycle behind a negative diagonal.

Floyd-Warshall tells *that* there is a negative cycle: some vertex comes nearer to itself than 0. Which cycle it is, the
matrix no longer says; Bellman-Ford from all vertices at once does.

Why the matrix cannot overflow meanwhile: until a cell of the diagonal is negative, every cell is the length of a simple
path (or infinity), so no sum of two passes twice the path bound. The variants look at the diagonal after every step and
stop there; one step more could already double what a negative cycle has made.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.errors import UnsuitableGraph
from solvers.graph import Graph
from solvers.observer import Observer
from solvers.problem import NegativeCycle


def negative_cycle(graph: Graph, iterations: int, observer: Observer) -> NegativeCycle:
    """The error to raise once a negative cycle is known to exist.

    Parameters
    ----------
    graph : Graph
    iterations : int
        Steps made until it was found.
    observer : Observer
        Asked whether to stop.

    Raises
    ------
    UnsuitableGraph
        Where the weights are so unlike in size that rounding hides the cycle.
    """
    wide = np.int64 if graph.weight_type.is_integer else np.float64
    distances = np.zeros(graph.n, dtype=wide)  # as if from one more vertex with an arc of weight 0 to each
    parents = np.full(graph.n, -1, dtype=np.int32)
    for _ in range(2 * graph.n + 2):
        observer.checkpoint()
        fell = _relax_all(graph.indptr, graph.indices, graph.weights, distances, parents)
        for vertex in _cycle_entries(parents):
            cycle = _around(parents, int(vertex))
            weight = _weight(graph, cycle)
            if weight < 0:
                return NegativeCycle(graph, cycle, weight, iterations)
        if not fell:
            break
    raise UnsuitableGraph(
        f"{graph.name} has a cycle that is negative in {graph.weights.dtype.name} but not when added exactly; "
        "load the weights as float64 or as integers."
    )


def _around(parents: NDArray[np.int32], entry: int) -> tuple[int, ...]:
    """The cycle of parents through ``entry``, in the direction of the arcs."""
    backwards = [entry]
    while (parent := int(parents[backwards[-1]])) != entry:
        backwards.append(parent)
    return tuple(reversed(backwards))


def _weight(graph: Graph, cycle: tuple[int, ...]) -> float:
    """Sum of the lightest arcs round a cycle, rounded once."""
    weights = []
    for tail, head in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
        row = graph.row(tail)
        weights.append(graph.weights[row][graph.indices[row] == head].min().item())
    return math.fsum(weights)


@njit(cache=True, nogil=True)
def _relax_all(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[Any],
    distances: NDArray[Any],
    parents: NDArray[np.int32],
) -> bool:
    """One pass over all arcs; whether a distance fell."""
    fell = False
    for u in range(indptr.shape[0] - 1):
        for arc in range(indptr[u], indptr[u + 1]):
            through = distances[u] + weights[arc]
            if through < distances[indices[arc]]:
                distances[indices[arc]] = through
                parents[indices[arc]] = u
                fell = True
    return fell


@njit(cache=True, nogil=True)
def _cycle_entries(parents: NDArray[np.int32]) -> NDArray[np.int32]:
    """One vertex on each cycle of parents."""
    entries = []
    visitor = np.full(parents.shape[0], -1, dtype=np.int32)
    for start in range(parents.shape[0]):
        v = np.int32(start)
        while v != -1 and visitor[v] == -1:
            visitor[v] = start
            v = parents[v]
        if v != -1 and visitor[v] == start:
            entries.append(v)
    return np.array(entries, dtype=np.int32)
