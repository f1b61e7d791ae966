"""Upper bounds on path lengths, which determine the type of distances.

Two bounds. *Any simple path* enters each vertex at most once, so the sum over vertices
of the heaviest arc into each bounds it. *Shortest paths* are bounded by a tree whose
arcs can be walked both ways: from any vertex up the tree to its root and down to
another leads a walk, and no shortest path is longer. Most road networks' weights add up
to more than 32 bits hold, though no two vertices lie so far apart; there the second
bound saves half the memory.
"""

from __future__ import annotations

import numpy as np

from solvers.graphs.csr import first_not_less
from solvers.graphs.weights import INT32, weight_type
from solvers.system.array_types import AnyArray, Int32s, Int64s, UInt64s
from solvers.system.jit import njit

# More than what rounding can take off a pairwise float64 sum of fewer than 2^31 terms.
_ROUNDED_UP = 1 + 2.0**-40


def path_bound(indptr: Int64s, indices: Int32s, weights: AnyArray) -> int | float:
    """A length that no shortest path exceeds, and no weight: what a distance type must hold.

    `simple_path_bound`; where that exceeds 32 bits but no weight does or is negative,
    `shortest_path_bound` if less. Exact for integer weights; for floats never below the
    exact sum, and infinity where that exceeds float64.
    """
    bound = simple_path_bound(len(indptr) - 1, indices, weights)
    if bound < INT32.infinity or weight_type(weights.dtype) is not INT32 or weights.min() < 0:
        return bound
    shortest = shortest_path_bound(indptr, indices, weights)
    return bound if shortest is None else min(bound, max(shortest, int(weights.max())))


def simple_path_bound(n: int, indices: Int32s, weights: AnyArray) -> int | float:
    """An upper bound on the magnitude of any simple path's length; far less than ``max
    weight * (n - 1)`` on roads.

    Returns as `path_bound`.
    """
    if weights.dtype.kind == "f":
        heaviest = np.zeros(n, dtype=np.float64)
        np.maximum.at(heaviest, indices, np.abs(weights, dtype=np.float64))
        with np.errstate(over="ignore"):
            return float(heaviest.sum()) * _ROUNDED_UP
    magnitudes = np.zeros(n, dtype=np.uint64)
    np.maximum.at(magnitudes, indices, _magnitudes(weights))
    # Halves, so that no sum of fewer than 2^32 terms wraps.
    high, low = magnitudes >> np.uint64(32), magnitudes & np.uint64(0xFFFFFFFF)
    return (int(high.sum()) << 32) + int(low.sum())


def _magnitudes(weights: AnyArray) -> UInt64s:
    """Absolute values of integers; of the least int64 too, which has no positive
    counterpart in its own type.
    """
    wide = weights.astype(np.int64, copy=False)
    return np.where(wide < 0, np.uint64(0) - wide.view(np.uint64), wide.view(np.uint64))


def shortest_path_bound(indptr: Int64s, indices: Int32s, weights: AnyArray) -> int | None:
    """An upper bound on the length of any shortest path; None if an arc without
    opposite joins two trees. O(n + m).

    For non-negative integer weights whose sum fits into 64 bits.
    """
    n = len(indptr) - 1
    tree, queue = np.full(n, -1, np.int32), np.empty(n, np.int32)
    down, up = np.empty(n, np.int64), np.empty(n, np.int64)
    bound = int(_farthest(indptr, indices, weights, tree, queue, down, up))
    return bound if bound >= 0 else None


@njit
def _farthest(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    tree: Int32s,
    queue: Int32s,
    down: Int64s,
    up: Int64s,
) -> int:
    """The farthest down and the farthest up, together, of the worst tree; -1 where an
    arc leads from tree to tree.
    """
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
                back = first_not_less(indices, indptr[to], indptr[to + 1], v)
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
