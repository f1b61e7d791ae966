"""The climb and the sweep: distances from one vertex or from the nearest of several, by
two passes of the tree.

The climb finds the distances from one vertex to its ancestors in the elimination tree,
over up arcs alone. A shortest path leads up to its highest vertex and then down. All
vertices that can be reached upwards are ancestors, so the climb visits the path to the
root and needs neither a queue nor arrays of n.

The sweep finds the distances of all vertices from those of the source's ancestors, from
the roots down. A vertex's last arc of a shortest path that comes from above is one of
its own up arcs, taken downwards. In reverse post-order all ancestors of a vertex come
before it, and at each depth the last vertex that came is its ancestor: an array indexed
by depth holds all that a vertex needs. Disjoint subtrees are independent once what lies
above them has been settled.

On road networks three quarters of the rows have one to three up arcs, and a loop over
so few mispredicts its end at nearly every vertex. So three arcs are relaxed for every
row without a branch, those of the next row being left out by selection, and only what
remains of longer rows in a loop.

For the nearest of several sources there is one climb a source, then one sweep for all.
The climbs leave at every vertex that they reach the least distance and the source it is
from. The sweep takes these as it takes the distances of one climb, and passes the
source down with the distance. Of equally near sources the first is taken, at every
vertex, so that the answer does not depend on the threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.algorithms.hierarchy.elimination_tree import NONE
from solvers.algorithms.hierarchy.metric import Metric, MetricArrays
from solvers.algorithms.hierarchy.supergraph import (
    Hierarchy,
    HierarchyArrays,
    Subtrees,
    subtree_batches,
    take_subtree,
)
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Int32s, Int64s, UInt8s, UInt16s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit, prange

_ARCS_A_LOOK = 20_000_000  # between two cancellation checks

NO_OWNER = 255  # of a vertex that no source reaches
_OWNER_BITS, _PACKED_BYTES = 8, 4  # of a distance that leaves room for its owner in 64 bits


def sweep(
    hierarchy: Hierarchy,
    metric: Metric,
    path: Int32s,
    reached: AnyArray,
    distances: AnyArray,  # (n,) need not be initialised
    threads: int,
    progress: Progress,
) -> None:
    """Fill ``distances``, by vertex of the graph; ``path`` and ``reached`` are what
    `climb` left; raises Cancelled.
    """
    arrays, weights, rows = hierarchy.arrays, metric.arrays, (path, reached, distances)
    for subtrees, independent in subtree_batches(
        hierarchy, hierarchy.up_first, _ARCS_A_LOOK, from_roots=True
    ):
        progress.checkpoint()
        if independent:
            _share_subtrees(threads, subtrees, arrays, weights, rows)
        else:
            _settle_subtrees(subtrees, arrays, weights, *rows)


def settle_row(
    hierarchy: Hierarchy,
    metric: Metric,
    kind: WeightType,
    source: int,
    threads: int,
    progress: Progress,
    into: AnyArray | None = None,  # (n,) need not be initialised; else a new array
) -> AnyArray:
    """Distances from one vertex of the graph, (n,), by climb and sweep; raises Cancelled."""
    row = np.empty(hierarchy.n, kind.dtype) if into is None else into
    path, reached, _, _ = climb_from(hierarchy, metric, kind, source)
    sweep(hierarchy, metric, path, reached, row, threads, progress)
    return row


def climb_from(
    hierarchy: Hierarchy, metric: Metric, kind: WeightType, source: int
) -> tuple[Int32s, AnyArray, int, int]:
    """What `climb` leaves, and returns, for a vertex of the graph."""
    tree = hierarchy.tree
    path, reached = np.empty(tree.height, np.int32), np.empty(tree.height, kind.dtype)
    ways = (tree.parent, tree.depth, hierarchy.up_first, hierarchy.up_depth, metric.up)
    infinity = kind.dtype.type(kind.infinity)
    return path, reached, *climb(int(tree.rank[source]), *ways, infinity, path, reached)


@njit(parallel=True)
def _share_subtrees(
    threads: int,
    subtrees: Subtrees,
    arrays: HierarchyArrays,
    weights: MetricArrays,
    rows: tuple[Any, ...],
) -> None:
    for _ in prange(threads):
        _settle_subtrees(subtrees, arrays, weights, *rows)


@njit
def _settle_subtrees(
    subtrees: Subtrees,
    arrays: HierarchyArrays,
    weights: MetricArrays,
    path: Int32s,
    reached: AnyArray,
    distances: AnyArray,
) -> None:
    """Settle a subtree from its root to its lowest vertex, then take the next."""
    order, depth, parent, up_first = arrays.order, arrays.depth, arrays.parent, arrays.up_first
    known = np.empty(len(path), distances.dtype)  # by depth: the distances of the ancestors
    holder = np.full(len(path), NONE, np.int32)  # whose they are
    while True:
        i = take_subtree(subtrees)
        if i < 0:
            break
        root, size = subtrees.roots[i], subtrees.sizes[i]
        v = parent[root]
        while v != NONE and holder[depth[v]] != v:
            known[depth[v]] = distances[order[v]]
            holder[depth[v]] = v
            v = parent[v]
        if not weights.guarded and up_first[root] + 3 <= len(arrays.up_depth):
            deepest = _settle_by_threes(
                root, size, arrays, weights, path, reached, known, distances
            )
        else:
            deepest = _settle_one_by_one(
                root, size, arrays, weights, path, reached, known, distances
            )
        holder[depth[root] : deepest + 1] = NONE
        if size == 1:
            holder[depth[root]] = root


@njit
def _settle_by_threes(
    root: int,
    size: int,
    arrays: HierarchyArrays,
    weights: MetricArrays,
    path: Int32s,
    reached: AnyArray,
    known: AnyArray,
    distances: AnyArray,
) -> int:
    """Settle a subtree, where no weight is negative; returns its greatest depth.

    Three arcs must follow the first one of the root, since so many are read for a row
    that may have fewer.
    """
    order, depth, up_first, up_depth = arrays.order, arrays.depth, arrays.up_first, arrays.up_depth
    down, infinity = weights.down, weights.infinity
    deepest = depth[root]
    climbed = path[deepest] == root  # else the climb did not come through this subtree
    for v in range(root, root - size, -1):
        k = depth[v]
        best = infinity
        if climbed and path[k] == v:
            best = reached[k]
        first, last = np.uint64(up_first[v]), np.uint64(up_first[v + 1])
        second, third = first + np.uint64(1), first + np.uint64(2)
        a = known[up_depth[first]] + down[first]
        b = known[up_depth[second]] + down[second]
        c = known[up_depth[third]] + down[third]
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


@njit
def _settle_one_by_one(
    root: int,
    size: int,
    arrays: HierarchyArrays,
    weights: MetricArrays,
    path: Int32s,
    reached: AnyArray,
    known: AnyArray,
    distances: AnyArray,
) -> int:
    """Settle a subtree, one arc after another; returns its greatest depth."""
    order, depth, up_first, up_depth = arrays.order, arrays.depth, arrays.up_first, arrays.up_depth
    _, down, infinity, guarded, _ = weights
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


@njit
def climb(
    v: int,
    parent: Int32s,
    depth: Int32s,
    up_first: Int64s,
    up_depth: UInt16s,
    weights: AnyArray,  # (arcs up,)
    infinity: Any,
    # (height,) set to the rank of ``v``'s ancestor at each depth, -1 below ``v``
    path: Int32s,
    reached: AnyArray,  # (height,) set to the distances, by depth
) -> tuple[int, int]:
    """Distances from ``v`` to its ancestors, or from them to ``v`` with the weights of
    the other direction.

    Returns the number of vertices that were reached, ``v`` included, and of up arcs
    relaxed.
    """
    path[:] = NONE
    reached[:] = infinity
    reached[depth[v]] = 0
    count, relaxed = 0, 0
    while v != NONE:
        path[depth[v]] = v
        so_far = reached[depth[v]]
        if so_far < infinity:
            for a in range(np.uint64(up_first[v]), np.uint64(up_first[v + 1])):
                if weights[a] < infinity:
                    k = up_depth[a]
                    reached[k] = min(reached[k], so_far + weights[a])
            count += 1
            relaxed += up_first[v + 1] - up_first[v]
        v = parent[v]
    return count, relaxed


@dataclass(frozen=True)
class ClimbBuffers:
    """Working memory of climbs, to be used again."""

    least: AnyArray  # (n,) of a distance type, by rank: the least distance of any climb
    owner: UInt8s  # (n,), by rank: the source that it is from
    # path, reached: (height,), of one climb
    path: Int32s
    reached: AnyArray

    @classmethod
    def of(cls, hierarchy: Hierarchy, kind: WeightType) -> ClimbBuffers:
        n, height = hierarchy.n, hierarchy.tree.height
        return cls(
            np.empty(n, kind.dtype),
            np.empty(n, np.uint8),
            np.empty(height, np.int32),
            np.empty(height, kind.dtype),
        )


def settle_nearest(
    hierarchy: Hierarchy,
    metric: Metric,
    kind: WeightType,
    sources: Int32s,  # (k,) vertices of the graph; two or more, fewer than `NO_OWNER`
    buffers: ClimbBuffers,
    distances: AnyArray,  # (n,) need not be initialised
    owners: UInt8s,  # (n,) places in ``sources``, or `NO_OWNER`
    threads: int,  # OpenMP threads; the caller has set numba to them
    progress: Progress = SILENT,
) -> None:
    """Fill ``distances`` and ``owners``, by vertex of the graph; raises Cancelled."""
    arrays, weights = hierarchy.arrays, metric.arrays
    _climb_all(
        sources, arrays, weights, buffers.path, buffers.reached, buffers.least, buffers.owner
    )
    rows = (buffers.least, buffers.owner, distances, owners, hierarchy.tree.height)
    fits = kind.is_integer and kind.dtype.itemsize <= _PACKED_BYTES and not weights.guarded
    share = _share_packed_subtrees if fits else _share_nearest_subtrees
    settle = _settle_packed_subtrees if fits else _settle_nearest_subtrees
    for subtrees, independent in subtree_batches(
        hierarchy, hierarchy.up_first, _ARCS_A_LOOK, from_roots=True
    ):
        progress.checkpoint()
        if independent:
            share(threads, subtrees, arrays, weights, rows)
        else:
            settle(subtrees, arrays, weights, *rows)


@njit
def _climb_all(
    sources: Int32s,
    arrays: HierarchyArrays,
    weights: MetricArrays,
    path: Int32s,
    reached: AnyArray,
    least: AnyArray,
    owner: UInt8s,
) -> None:
    parent = arrays.parent
    depth = arrays.depth
    up_first = arrays.up_first
    up_depth = arrays.up_depth
    least[:] = weights.infinity
    for i in range(len(sources)):
        start = arrays.rank[sources[i]]
        climb(start, parent, depth, up_first, up_depth, weights.up, weights.infinity, path, reached)
        for k in range(depth[start] + 1):
            v = path[k]
            if reached[k] < least[v]:
                least[v] = reached[k]
                owner[v] = i


@njit(parallel=True)
def _share_nearest_subtrees(
    threads: int,
    subtrees: Subtrees,
    arrays: HierarchyArrays,
    weights: MetricArrays,
    rows: tuple[Any, ...],
) -> None:
    for _ in prange(threads):
        _settle_nearest_subtrees(subtrees, arrays, weights, *rows)


@njit
def _settle_nearest_subtrees(
    subtrees: Subtrees,
    arrays: HierarchyArrays,
    weights: MetricArrays,
    least: AnyArray,
    owner: UInt8s,
    distances: AnyArray,
    owners: UInt8s,
    height: int,
) -> None:
    """Settle a subtree from its root to its lowest vertex, then take the next."""
    order, depth, parent = arrays.order, arrays.depth, arrays.parent
    up_first, up_depth = arrays.up_first, arrays.up_depth
    down, infinity = weights.down, weights.infinity
    known = np.empty(height, distances.dtype)  # by depth: the distances of the ancestors
    whose = np.empty(height, np.uint8)  # by depth: the sources that these are from
    holder = np.full(height, NONE, np.int32)  # by depth: the ancestors
    while True:
        i = take_subtree(subtrees)
        if i < 0:
            break
        root, size = subtrees.roots[i], subtrees.sizes[i]
        v = parent[root]
        while v != NONE and holder[depth[v]] != v:
            known[depth[v]] = distances[order[v]]
            whose[depth[v]] = owners[order[v]]
            holder[depth[v]] = v
            v = parent[v]
        deepest = depth[root]
        for v in range(root, root - size, -1):
            k = depth[v]
            best = least[v]
            source = owner[v] if best < infinity else np.uint8(NO_OWNER)
            for a in range(np.uint64(up_first[v]), np.uint64(up_first[v + 1])):
                above = known[up_depth[a]]
                if above < infinity and down[a] < infinity:
                    through = above + down[a]
                    if through < best or (through == best and whose[up_depth[a]] < source):
                        best, source = through, whose[up_depth[a]]
            whose[k] = source
            owners[order[v]] = source
            known[k] = best
            distances[order[v]] = best
            deepest = max(deepest, k)
        holder[depth[root] : deepest + 1] = NONE
        if size == 1:
            holder[depth[root]] = root


@njit(parallel=True)
def _share_packed_subtrees(
    threads: int,
    subtrees: Subtrees,
    arrays: HierarchyArrays,
    weights: MetricArrays,
    rows: tuple[Any, ...],
) -> None:
    for _ in prange(threads):
        _settle_packed_subtrees(subtrees, arrays, weights, *rows)


@njit
def _settle_packed_subtrees(
    subtrees: Subtrees,
    arrays: HierarchyArrays,
    weights: MetricArrays,
    least: AnyArray,
    owner: UInt8s,
    distances: AnyArray,
    owners: UInt8s,
    height: int,
) -> None:
    """As `_settle_nearest_subtrees`, in half the time: a distance and its owner are one
    number, so that the least one needs no condition.

    For integers of 32 bits, none of them negative.
    """
    order, depth, parent = arrays.order, arrays.depth, arrays.parent
    up_first, up_depth, down = arrays.up_first, arrays.up_depth, weights.down
    infinity = np.int64(weights.infinity)
    unreached = infinity << _OWNER_BITS
    known = np.empty(height, np.int64)  # by depth: what is known of the ancestors
    holder = np.full(height, NONE, np.int32)  # by depth: the ancestors
    while True:
        i = take_subtree(subtrees)
        if i < 0:
            break
        root, size = subtrees.roots[i], subtrees.sizes[i]
        v = parent[root]
        while v != NONE and holder[depth[v]] != v:
            known[depth[v]] = (np.int64(distances[order[v]]) << _OWNER_BITS) | owners[order[v]]
            holder[depth[v]] = v
            v = parent[v]
        deepest = depth[root]
        for v in range(root, root - size, -1):
            k = depth[v]
            best = unreached
            if least[v] < infinity:
                best = (np.int64(least[v]) << _OWNER_BITS) | owner[v]
            for a in range(np.uint64(up_first[v]), np.uint64(up_first[v + 1])):
                best = min(best, known[up_depth[a]] + (np.int64(down[a]) << _OWNER_BITS))
            known[k] = best
            distances[order[v]] = best >> _OWNER_BITS
            owners[order[v]] = NO_OWNER if best == unreached else best & NO_OWNER
            deepest = max(deepest, k)
        holder[depth[root] : deepest + 1] = NONE
        if size == 1:
            holder[depth[root]] = root
