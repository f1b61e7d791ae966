"""The climb and the sweep: distances from one vertex or from the nearest of several, by two passes of the tree.

The climb finds the distances from one vertex to its ancestors in the elimination tree, over up arcs alone. A shortest
path leads up to its highest vertex and then down. All vertices that can be reached upwards are ancestors, so the climb
visits the path to the root and needs neither a queue nor arrays of n.

The sweep finds the distances of all vertices from those of the source's ancestors, from the roots down. A vertex's last
arc of a shortest path that comes from above is one of its own up arcs, taken downwards. In reverse post-order all
ancestors of a vertex come before it, and at each depth the last vertex that came is its ancestor: an array indexed by
depth holds all that a vertex needs. Disjoint subtrees are independent once what lies above them has been settled.

On road networks three quarters of the rows have one to three up arcs, and a loop over so few mispredicts its end at
nearly every vertex. So three arcs are relaxed for every row without a branch, those of the next row being left out by
selection, and only what remains of longer rows in a loop.

For the nearest of several sources there is one climb a source, then one sweep for all. The climbs leave at every vertex
that they reach the least distance and the source it is from. The sweep takes these as it takes the distances of one
climb, and hands the source down with the distance. Of equally near sources the first is taken, at every vertex, so that
the answer does not depend on the threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.elimination_tree import NONE
from solvers.algorithms.hierarchy.metric import Metric
from solvers.algorithms.hierarchy.supergraph import Hierarchy, batches
from solvers.graphs.weights import WeightType
from solvers.system.cancel import SILENT, Progress
from solvers.system.intrinsics import atomic_add
from solvers.system.jit import njit

_ARCS_A_LOOK = 20_000_000  # between two cancellation checks


def sweep(
    hierarchy: Hierarchy,
    metric: Metric,
    kind: WeightType,
    path: NDArray[np.int32],
    reached: NDArray[Any],
    distances: NDArray[Any],
    threads: int,
    progress: Progress,
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
            progress.checkpoint()
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


@njit(cache=True, nogil=True)
def climb(
    v: int,
    parent: NDArray[np.int32],
    depth: NDArray[np.int32],
    up_first: NDArray[np.int64],
    up_depth: NDArray[np.uint16],
    weights: NDArray[Any],
    infinity: Any,
    path: NDArray[np.int32],
    reached: NDArray[Any],
) -> tuple[int, int]:
    """Distances from ``v`` to its ancestors, or from them to ``v`` with the weights of the other direction.

    Parameters
    ----------
    weights : (arcs up,)
    path : (height,) int32
        Set to the rank of ``v``'s ancestor at each depth, -1 below ``v``.
    reached : (height,)
        Set to the distances, by depth.

    Returns
    -------
    int
        Vertices that were reached, ``v`` included.
    int
        Up arcs relaxed.
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


NO_OWNER = 255  # of a vertex that no source reaches


@dataclass(frozen=True)
class ClimbBuffers:
    """Working memory of climbs, to be used again.

    Attributes
    ----------
    least : (n,) array of a distance type
        By rank: the least distance of any climb.
    owner : (n,) uint8
        By rank: the source that it is from.
    path, reached : (height,)
        Of one climb.
    """

    least: NDArray[Any]
    owner: NDArray[np.uint8]
    path: NDArray[np.int32]
    reached: NDArray[Any]

    @classmethod
    def of(cls, hierarchy: Hierarchy, kind: WeightType) -> ClimbBuffers:
        n, height = hierarchy.n, hierarchy.tree.height
        return cls(
            np.empty(n, kind.dtype), np.empty(n, np.uint8), np.empty(height, np.int32), np.empty(height, kind.dtype)
        )


def settle_nearest(
    hierarchy: Hierarchy,
    metric: Metric,
    kind: WeightType,
    sources: NDArray[np.int32],
    buffers: ClimbBuffers,
    distances: NDArray[Any],
    owners: NDArray[np.uint8],
    threads: int,
    progress: Progress = SILENT,
) -> None:
    """Fill ``distances`` and ``owners``, by vertex of the graph.

    Parameters
    ----------
    sources : (k,) int32
        Vertices of the graph; fewer than `NO_OWNER`.
    distances : (n,) array of ``kind``
        Need not be initialised.
    owners : (n,) or (0,) uint8
        Places in ``sources``, or `NO_OWNER`; left alone if empty.
    threads : int
        OpenMP threads; the caller has set numba to them.

    Raises
    ------
    Cancelled
    """
    tree, infinity = hierarchy.tree, kind.dtype.type(kind.infinity)
    ways = (tree.parent, tree.depth, hierarchy.up_first, hierarchy.up_depth)
    _climb_all(tree.rank, sources, *ways, metric.up, infinity, buffers.path, buffers.reached, buffers.least,
               buffers.owner)  # fmt: skip
    arrays = (tree.order, *ways, metric.down, infinity, metric.guarded and kind.is_integer, buffers.least,
              buffers.owner, distances, owners, tree.height)  # fmt: skip
    for roots, sizes, parallel in reversed(hierarchy.stages):
        ends = roots.astype(np.int64) + 1
        arcs = hierarchy.up_first[ends] - hierarchy.up_first[ends - sizes]
        for first, last in reversed(batches(arcs, _ARCS_A_LOOK)):
            progress.checkpoint()
            work = (roots[first:last], sizes[first:last], np.zeros(1, np.int64), *arrays)
            if parallel:
                _share_nearest_subtrees(threads, work)
            else:
                _settle_nearest_subtrees(*work)


@njit(cache=True, nogil=True)
def _climb_all(
    rank: NDArray[np.int32],
    sources: NDArray[np.int32],
    parent: NDArray[np.int32],
    depth: NDArray[np.int32],
    up_first: NDArray[np.int64],
    up_depth: NDArray[np.uint16],
    up: NDArray[Any],
    infinity: Any,
    path: NDArray[np.int32],
    reached: NDArray[Any],
    least: NDArray[Any],
    owner: NDArray[np.uint8],
) -> None:
    least[:] = infinity
    for i in range(len(sources)):
        start = rank[sources[i]]
        climb(start, parent, depth, up_first, up_depth, up, infinity, path, reached)
        for k in range(depth[start] + 1):
            v = path[k]
            if reached[k] < least[v]:
                least[v] = reached[k]
                owner[v] = i


@njit(cache=True, nogil=True, parallel=True)
def _share_nearest_subtrees(threads: int, work: tuple[Any, ...]) -> None:
    """Threads take subtrees as they become free."""
    for _ in prange(threads):
        _settle_nearest_subtrees(*work)


@njit(cache=True, nogil=True)
def _settle_nearest_subtrees(
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
    least: NDArray[Any],
    owner: NDArray[np.uint8],
    distances: NDArray[Any],
    owners: NDArray[np.uint8],
    height: int,
) -> None:
    """Settle a subtree from its root to its lowest vertex, then take the next; the last in the list comes first."""
    known = np.empty(height, distances.dtype)  # by depth: the distances of the ancestors
    whose = np.empty(height, np.uint8)  # by depth: the sources that these are from
    holder = np.full(height, NONE, np.int32)  # by depth: the ancestors
    owned = len(owners) > 0
    while True:
        i = len(roots) - 1 - atomic_add(taken, 0, 1)
        if i < 0:
            break
        top = depth[roots[i]]
        v = parent[roots[i]]
        while v != NONE and holder[depth[v]] != v:
            known[depth[v]] = distances[order[v]]
            if owned:
                whose[depth[v]] = owners[order[v]]
            holder[depth[v]] = v
            v = parent[v]
        deepest = top
        for v in range(roots[i], roots[i] - sizes[i], -1):
            k = depth[v]
            best = least[v]
            begin, end = np.uint64(up_first[v]), np.uint64(up_first[v + 1])
            if owned:
                source = owner[v] if best < infinity else np.uint8(NO_OWNER)
                for a in range(begin, end):
                    above = known[up_depth[a]]
                    if above < infinity and down[a] < infinity:
                        through = above + down[a]
                        if through < best or (through == best and whose[up_depth[a]] < source):
                            best, source = through, whose[up_depth[a]]
                whose[k] = source
                owners[order[v]] = source
            elif guarded:
                for a in range(begin, end):
                    above = known[up_depth[a]]
                    if above < infinity and down[a] < infinity:
                        best = min(best, above + down[a])
            else:
                for a in range(begin, end):
                    best = min(best, known[up_depth[a]] + down[a])
            known[k] = best
            distances[order[v]] = best
            deepest = max(deepest, k)
        holder[top : deepest + 1] = NONE
        if sizes[i] == 1:
            holder[top] = roots[i]
