"""What the all-pairs programs of the family share: the matrix they fill row by row, and the arcs they relaxed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers import machine
from solvers.dijkstra.frontier_host import settled_arcs
from solvers.errors import OutOfMemory
from solvers.graph import Graph
from solvers.weights import WeightType


def unreached_matrix(graph: Graph, kind: WeightType, variant_id: str) -> NDArray[Any]:
    """An (n, n) matrix of distances in host memory, all infinite.

    Raises
    ------
    OutOfMemory
        Before anything is allocated.
    """
    needed, free = graph.n * graph.n * kind.dtype.itemsize, machine.memory().free_bytes
    if needed > free > 0:
        raise OutOfMemory(f"{variant_id}: the distance matrix of {graph.name}", needed, free)
    return np.full((graph.n, graph.n), kind.infinity, dtype=kind.dtype)


def settled_arcs_of_all(graph: Graph, distances: NDArray[Any]) -> int:
    """Arcs that n runs of Dijkstra's algorithm relax: each once for every source that reaches its tail."""
    return sum(settled_arcs(graph, row) for row in distances)
