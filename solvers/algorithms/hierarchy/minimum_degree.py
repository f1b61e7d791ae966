"""The order of small graphs: always contract a vertex with the fewest neighbours left. Needs no METIS."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.adjacency import Adjacency
from solvers.host.jit import njit

MOST_VERTICES = 1_000  # one byte for every pair of them


def minimum_degree_order(adjacency: Adjacency) -> NDArray[np.int32]:
    """The vertices in order of contraction, (n,); of equal degrees the first."""
    return _contract_all(adjacency.first, adjacency.neighbours)


@njit(cache=True, nogil=True)
def _contract_all(first: NDArray[np.int64], neighbours: NDArray[np.int32]) -> NDArray[np.int32]:
    n = len(first) - 1
    adjacent = np.zeros((n, n), np.bool_)
    degree, order = np.zeros(n, np.int32), np.empty(n, np.int32)
    left, around = np.ones(n, np.bool_), np.empty(n, np.int32)
    for v in range(n):
        for k in range(first[v], first[v + 1]):
            adjacent[v, neighbours[k]] = True
        degree[v] = first[v + 1] - first[v]
    for i in range(n):
        least = -1
        for v in range(n):
            if left[v] and (least < 0 or degree[v] < degree[least]):
                least = v
        order[i] = least
        left[least] = False
        count = 0
        for w in range(n):
            if left[w] and adjacent[least, w]:
                around[count] = w
                count += 1
        for i_u in range(count):
            u = around[i_u]
            degree[u] -= 1
            for i_w in range(count):
                w = around[i_w]
                if u != w and not adjacent[u, w]:
                    adjacent[u, w] = True
                    degree[u] += 1
    return order
