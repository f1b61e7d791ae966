"""Upper bounds on path lengths, which determine the distance type of a graph.

There are two bounds. A *simple path* enters each vertex at most once, so its length is at most the sum, over vertices,
of the heaviest arc into each. A *shortest path* is no longer than the walk up a spanning tree to its root and down
again, if the tree's arcs exist in both directions. On large road networks the first bound exceeds 32 bits although no
shortest path does; there the second bound halves the memory for distances.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.weights import INT32, weight_type
from solvers.host.jit import njit


def path_bound(indptr: NDArray[np.int64], indices: NDArray[np.int32], weights: NDArray[Any]) -> float:
    """An upper bound on the length of any shortest path and on any weight, which the distance type must represent.

    This is `simple_path_bound`, or `shortest_path_bound` if that is less; the latter is computed only for non-negative
    int32 weights whose simple-path bound exceeds 32 bits.
    """
    bound = simple_path_bound(len(indptr) - 1, indices, weights)
    if bound < INT32.infinity or weight_type(weights.dtype) is not INT32 or weights.min() < 0:
        return bound
    return min(bound, max(shortest_path_bound(indptr, indices, weights), float(weights.max())))


def simple_path_bound(n: int, indices: NDArray[np.int32], weights: NDArray[Any]) -> float:
    """An upper bound on the magnitude of any simple path's length: the sum of the heaviest arcs into each vertex."""
    if len(indices) == 0:
        return 0.0
    heaviest = np.zeros(n, dtype=np.float64)
    np.maximum.at(heaviest, indices, np.abs(weights.astype(np.float64)))
    return float(heaviest.sum())


def shortest_path_bound(indptr: NDArray[np.int64], indices: NDArray[np.int32], weights: NDArray[Any]) -> float:
    """An upper bound on the length of any shortest path. O(n + m).

    Infinity if an arc without an opposite arc leads from one tree of the spanning forest to another.

    Parameters
    ----------
    indptr, indices, weights : arrays
        CSR arrays of a graph with non-negative integer weights, whose sum fits 64 bits.
    """
    n = len(indptr) - 1
    tree, queue = np.full(n, -1, np.int32), np.empty(n, np.int32)
    down, up = np.empty(n, np.int64), np.empty(n, np.int64)
    bound = _farthest(indptr, indices, weights, tree, queue, down, up)
    return float(bound) if bound >= 0 else float("inf")


@njit(cache=True, nogil=True)
def _farthest(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[Any],
    tree: NDArray[np.int32],
    queue: NDArray[np.int32],
    down: NDArray[np.int64],
    up: NDArray[np.int64],
) -> int:
    """Greatest sum, over trees, of the longest ways down from and up to the root; -1 if an arc connects two trees."""
    n, worst = len(tree), 0
    for root in range(n):
        if tree[root] >= 0:
            continue
        tree[root], down[root], up[root] = root, 0, 0
        queue[0], head, tail = root, 0, 1
        deepest, highest = 0, 0
        while head < tail:
            v = queue[head]
            head += 1
            deepest, highest = max(deepest, down[v]), max(highest, up[v])
            for arc in range(indptr[v], indptr[v + 1]):
                to = indices[arc]
                if tree[to] >= 0:
                    continue
                back = indptr[to] + np.searchsorted(indices[indptr[to] : indptr[to + 1]], v)
                if back < indptr[to + 1] and indices[back] == v:
                    tree[to], down[to], up[to] = root, down[v] + weights[arc], up[v] + weights[back]
                    queue[tail] = to
                    tail += 1
        worst = max(worst, deepest + highest)
    for v in range(n):
        for arc in range(indptr[v], indptr[v + 1]):
            if tree[indices[arc]] != tree[v]:
                return -1
    return worst
