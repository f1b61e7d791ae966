"""The sweep: distances of all vertices from those of the source's ancestors, from the roots down.

A vertex's last arc of a shortest path that comes from above is one of its own up arcs, taken downwards. In reverse
post-order all ancestors of a vertex come before it, and at each depth the last vertex that came is its ancestor: an
array indexed by depth holds all that a vertex needs. Disjoint subtrees are independent once what lies above them has
been settled.

On road networks three quarters of the rows have one to three up arcs, and a loop over so few mispredicts its end at
nearly every vertex. So three arcs are relaxed for every row without a branch, those of the next row being left out by
selection, and only what remains of longer rows in a loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.elimination_tree import NONE
from solvers.algorithms.hierarchy.metric import Metric
from solvers.algorithms.hierarchy.supergraph import Hierarchy, batches
from solvers.graphs.weights import WeightType
from solvers.host.atomics import atomic_add
from solvers.host.jit import njit
from solvers.host.observer import Observer

_ARCS_A_LOOK = 20_000_000  # between two cancellation checks


def sweep(
    hierarchy: Hierarchy,
    metric: Metric,
    kind: WeightType,
    path: NDArray[np.int32],
    reached: NDArray[Any],
    distances: NDArray[Any],
    threads: int,
    observer: Observer,
) -> None:
    """Fill ``distances``, by vertex of the graph.

    Parameters
    ----------
    path, reached : (height,)
        What `climb` left.
    distances : (n,) array of ``kind``
        Need not be initialised.

    Raises
    ------
    Cancelled
    """
    tree, infinity = hierarchy.tree, kind.dtype.type(kind.infinity)
    arrays = (
        tree.order, tree.parent, tree.depth, hierarchy.up_first, hierarchy.up_depth, metric.down, infinity,
        metric.guarded and kind.is_integer, path, reached, distances,
    )  # fmt: skip
    for roots, sizes, parallel in reversed(hierarchy.stages):
        ends = roots.astype(np.int64) + 1
        arcs = hierarchy.up_first[ends] - hierarchy.up_first[ends - sizes]
        for first, last in reversed(batches(arcs, _ARCS_A_LOOK)):
            observer.checkpoint()
            work = (roots[first:last], sizes[first:last], np.zeros(1, np.int64), *arrays)
            if parallel:
                _share_subtrees(threads, work)
            else:
                _settle_subtrees(*work)


@njit(cache=True, nogil=True, parallel=True)
def _share_subtrees(threads: int, work: tuple[Any, ...]) -> None:
    """Threads take subtrees as they become free."""
    for _ in prange(threads):
        _settle_subtrees(*work)


@njit(cache=True, nogil=True)
def _settle_subtrees(
    roots: NDArray[np.int32],
    sizes: NDArray[np.int32],
    taken: NDArray[np.int64],
    order: NDArray[np.int32],
    parent: NDArray[np.int32],
    depth: NDArray[np.int32],
    up_first: NDArray[np.int64],
    up_depth: NDArray[np.uint16],
    down: NDArray[Any],
    infinity: Any,
    guarded: bool,
    path: NDArray[np.int32],
    reached: NDArray[Any],
    distances: NDArray[Any],
) -> None:
    """Settle a subtree from its root to its lowest vertex, then take the next; the last in the list comes first."""
    known = np.empty(len(path), distances.dtype)  # by depth: the distances of the ancestors
    holder = np.full(len(path), NONE, np.int32)  # whose they are
    while True:
        i = len(roots) - 1 - atomic_add(taken, 0, 1)
        if i < 0:
            break
        top = depth[roots[i]]
        v = parent[roots[i]]
        while v != NONE and holder[depth[v]] != v:
            known[depth[v]] = distances[order[v]]
            holder[depth[v]] = v
            v = parent[v]
        rows = (order, depth, up_first, up_depth, down, infinity, path, reached, known, distances)
        if not guarded and up_first[roots[i]] + 3 <= len(up_depth):
            deepest = _settle_by_threes(roots[i], sizes[i], *rows)
        else:
            deepest = _settle_one_by_one(roots[i], sizes[i], guarded, *rows)
        holder[top : deepest + 1] = NONE
        if sizes[i] == 1:
            holder[top] = roots[i]


@njit(cache=True, nogil=True)
def _settle_by_threes(
    root: int,
    size: int,
    order: NDArray[np.int32],
    depth: NDArray[np.int32],
    up_first: NDArray[np.int64],
    up_depth: NDArray[np.uint16],
    down: NDArray[Any],
    infinity: Any,
    path: NDArray[np.int32],
    reached: NDArray[Any],
    known: NDArray[Any],
    distances: NDArray[Any],
) -> int:
    """Settle a subtree, where no weight is negative; returns its greatest depth.

    Three arcs must follow the first one of the root, since so many are read for a row that may have fewer.
    """
    deepest = depth[root]
    climbed = path[deepest] == root  # else the climb did not come through this subtree
    for v in range(root, root - size, -1):
        k = depth[v]
        best = infinity
        if climbed and path[k] == v:
            best = reached[k]
        first, last = np.uint64(up_first[v]), np.uint64(up_first[v + 1])
        second, third = first + np.uint64(1), first + np.uint64(2)
        a, b, c = (
            known[up_depth[first]] + down[first],
            known[up_depth[second]] + down[second],
            known[up_depth[third]] + down[third],
        )
        best = min(best, a if first < last else infinity)
        best = min(best, b if second < last else infinity)
        best = min(best, c if third < last else infinity)
        if third + np.uint64(1) < last:
            for arc in range(third + np.uint64(1), last):
                best = min(best, known[up_depth[arc]] + down[arc])
        known[k] = best
        distances[order[v]] = best
        deepest = max(deepest, k)
    return deepest


@njit(cache=True, nogil=True)
def _settle_one_by_one(
    root: int,
    size: int,
    guarded: bool,
    order: NDArray[np.int32],
    depth: NDArray[np.int32],
    up_first: NDArray[np.int64],
    up_depth: NDArray[np.uint16],
    down: NDArray[Any],
    infinity: Any,
    path: NDArray[np.int32],
    reached: NDArray[Any],
    known: NDArray[Any],
    distances: NDArray[Any],
) -> int:
    """Settle a subtree; returns its greatest depth. ``guarded`` leaves out infinite distances and weights."""
    deepest = depth[root]
    for v in range(root, root - size, -1):
        k = depth[v]
        best = reached[k] if path[k] == v else infinity
        for a in range(np.uint64(up_first[v]), np.uint64(up_first[v + 1])):
            above = known[up_depth[a]]
            if not guarded or (above < infinity and down[a] < infinity):
                best = min(best, above + down[a])
        known[k] = best
        distances[order[v]] = best
        deepest = max(deepest, k)
    return deepest
