"""DA2CF as its paper's figure 2 has it, in NumPy: what every compound-frontier program must do, step by step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Graph


def compound_frontiers(graph: Graph, source: int) -> list[list[int]]:
    """The frontier of every iteration, as ascending vertex indices.

    Integers are summed in 64 bits and floats in the graph's own type, as the programs do.
    """
    whole = graph.weight_type.is_integer
    infinity = np.iinfo(np.int64).max // 2 if whole else np.inf
    distances = np.full(graph.n, infinity, dtype=np.int64 if whole else graph.weights.dtype)
    distances[source] = 0
    unresolved = np.ones(graph.n, dtype=bool)
    frontier: NDArray[np.bool_] = np.arange(graph.n) == source
    frontiers = []
    while frontier.any():
        frontiers.append(np.flatnonzero(frontier).tolist())
        unresolved &= ~frontier
        used = frontier[graph.tails] & unresolved[graph.indices]
        np.minimum.at(distances, graph.indices[used], distances[graph.tails[used]] + graph.weights[used])
        open_distances = np.where(unresolved, distances, infinity)
        least = open_distances.min()
        frontier = unresolved & (distances == least) & (least < infinity)
    return frontiers
