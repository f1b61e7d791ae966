"""Distances from the nearest of several sources, and which source that is: one climb a source, then one sweep for all.

The climbs leave at every vertex that they reach the least distance and the source it is from. The sweep takes these as
it takes the distances of one climb, and hands the source down with the distance. Of equally near sources the first is
taken, at every vertex, so that the answer does not depend on the threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.climb import climb
from solvers.algorithms.hierarchy.elimination_tree import NONE
from solvers.algorithms.hierarchy.metric import Metric
from solvers.algorithms.hierarchy.supergraph import Hierarchy, batches
from solvers.graphs.weights import WeightType
from solvers.host.atomics import atomic_add
from solvers.host.jit import njit
from solvers.host.observer import SILENT, Observer

NO_OWNER = 255  # of a vertex that no source reaches
_ARCS_A_LOOK = 20_000_000  # between two cancellation checks


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
    observer: Observer = SILENT,
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
            observer.checkpoint()
            work = (roots[first:last], sizes[first:last], np.zeros(1, np.int64), *arrays)
            if parallel:
                _share_subtrees(threads, work)
            else:
                _settle_subtrees(*work)


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
