"""How long a shortest path can be, by a tree that can be walked both ways: far tighter than the sum over all vertices.

Most road networks' weights add up to more than 32 bits hold, though no two places of them lie so far apart. From any
vertex up the tree to its root and down to another leads a walk, and no shortest path is longer than that one. The tree
takes only arcs that have a counterpart, as nearly all streets do; it bounds nothing where any other arc leaves it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

if TYPE_CHECKING:
    from solvers.graph import Graph


def tree_bound(graph: Graph) -> float:
    """An upper bound on the length of any shortest path; infinity where there is no such tree. O(n + m).

    Parameters
    ----------
    graph : Graph
        With whole weights, none below zero, whose sum 64 bits hold.
    """
    n = graph.n
    tree, queue = np.full(n, -1, np.int32), np.empty(n, np.int32)
    down, up = np.empty(n, np.int64), np.empty(n, np.int64)
    bound = _farthest(graph.indptr, graph.indices, graph.weights, tree, queue, down, up)
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
    """The farthest down and the farthest up, together, of the worst tree; -1 where an arc leads from tree to tree."""
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
