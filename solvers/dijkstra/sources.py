"""What the all-pairs programs of the family share: the matrix they fill row by row, and the arcs they relaxed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers import machine
from solvers.dijkstra.frontier_host import settled_arcs
from solvers.dijkstra.layouts import cell_slices
from solvers.errors import OutOfMemory
from solvers.graph import Graph
from solvers.problem import Problem


def unreached_matrix(problem: Problem, variant_id: str) -> NDArray[Any]:
    """An (n, n) matrix of distances in host memory, all infinite.

    Raises
    ------
    OutOfMemory
        Before anything is allocated.
    Cancelled
    """
    graph, kind = problem.graph, problem.distance_type
    needed, free = graph.n * graph.n * kind.dtype.itemsize, machine.memory().free_bytes
    if needed > free > 0:
        raise OutOfMemory(f"{variant_id}: the distance matrix of {graph.name}", needed, free)
    matrix = np.empty((graph.n, graph.n), dtype=kind.dtype)
    for first, last in cell_slices(graph.n, graph.n):
        problem.observer.checkpoint()
        matrix[first:last] = kind.infinity
    return matrix


def settled_arcs_of_all(graph: Graph, distances: NDArray[Any]) -> int:
    """Arcs that n runs of Dijkstra's algorithm relax: each once for every source that reaches its tail."""
    return sum(settled_arcs(graph, row) for row in distances)
