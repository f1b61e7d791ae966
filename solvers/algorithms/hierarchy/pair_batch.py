"""Pairs of vertices by the thousand: lengths alone, or whole paths; no array of the size of the graph for a length.

A length needs two climbs, from the source and, against the arcs, from the target. Pairs are sorted by source, so that
pairs with a source in common climb from it once. Threads take ranges of pairs.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.metric import MetricArrays
from solvers.algorithms.hierarchy.path_query import Climb, PathArrays, meet, path_arcs
from solvers.algorithms.hierarchy.supergraph import HierarchyArrays
from solvers.graphs.weights import WeightType
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam, split_evenly

_PAIRS_A_LOOK = 1 << 14  # of a thread, between two cancellation checks


@njit(cache=True, nogil=True)
def length_of_pair(source: int, target: int, arrays: HierarchyArrays, weights: MetricArrays, height: int) -> Any:
    """The distance between two vertices of the graph; infinity without a path."""
    start, end = arrays.rank[source], arrays.rank[target]
    ahead, behind = np.empty(height, weights.up.dtype), np.empty(height, weights.up.dtype)
    _climb(start, arrays, weights.up, weights.infinity, weights.guarded, ahead)
    _climb(end, arrays, weights.down, weights.infinity, weights.guarded, behind)
    return _least(start, end, arrays, weights, ahead, behind)


def lengths_of_pairs(
    arrays: HierarchyArrays,
    weights: MetricArrays,
    height: int,
    kind: WeightType,
    sources: NDArray[Any],
    targets: NDArray[Any],
    team: ThreadTeam,
    progress: Progress = SILENT,
) -> NDArray[Any]:
    """Distances of pairs of vertices of the graph, (k,) in ``kind``.

    Raises
    ------
    Cancelled
    """
    starts, ends = arrays.rank[sources], arrays.rank[targets]
    order = np.argsort(starts, kind="stable")
    lengths = np.empty(len(order), kind.dtype)
    step = _PAIRS_A_LOOK * team.threads
    for begin in range(0, len(order), step):
        progress.checkpoint(begin, len(order))
        chosen = order[begin : begin + step]
        parts = split_evenly(len(chosen), 4 * team.threads)
        team.run(
            partial(_fill_lengths, starts, ends, chosen[first:last], arrays, weights, height, lengths)
            for first, last in parts
        )
    return lengths


@njit(cache=True, nogil=True)
def _fill_lengths(
    starts: NDArray[np.int32],
    ends: NDArray[np.int32],
    chosen: NDArray[np.int64],
    arrays: HierarchyArrays,
    weights: MetricArrays,
    height: int,
    lengths: NDArray[Any],
) -> None:
    ahead, behind = np.empty(height, lengths.dtype), np.empty(height, lengths.dtype)
    before = -1
    for i in chosen:
        start, end = starts[i], ends[i]
        if start != before:
            _climb(start, arrays, weights.up, weights.infinity, weights.guarded, ahead)
            before = start
        _climb(end, arrays, weights.down, weights.infinity, weights.guarded, behind)
        lengths[i] = _least(start, end, arrays, weights, ahead, behind)


@njit(cache=True, nogil=True)
def _climb(
    v: int, arrays: HierarchyArrays, weights: NDArray[Any], infinity: Any, guarded: bool, reached: NDArray[Any]
) -> None:
    """Distances between ``v`` and its ancestors, by depth; entries below ``v`` stay as they are."""
    parent, depth, up_first, up_depth = arrays.parent, arrays.depth, arrays.up_first, arrays.up_depth
    reached[: depth[v] + 1] = infinity
    reached[depth[v]] = 0
    while v >= 0:
        so_far = reached[depth[v]]
        if so_far < infinity:
            for a in range(np.uint64(up_first[v]), np.uint64(up_first[v + 1])):
                through, k = so_far + weights[a], up_depth[a]
                if through < reached[k] and (not guarded or weights[a] < infinity):
                    reached[k] = through
        v = parent[v]


@njit(cache=True, nogil=True)
def _least(
    start: int, end: int, arrays: HierarchyArrays, weights: MetricArrays, ahead: NDArray[Any], behind: NDArray[Any]
) -> Any:
    """The least sum over the ancestors that both ends have in common."""
    parent, depth, infinity = arrays.parent, arrays.depth, weights.infinity
    while start != end and start >= 0 and end >= 0:  # the lowest of them; an ancestor's rank is higher
        if start < end:
            start = parent[start]
        else:
            end = parent[end]
    best = infinity
    if start == end:
        for k in range(depth[start] + 1):
            if ahead[k] < infinity and behind[k] < infinity:
                through = ahead[k] + behind[k]
                best = through if through < best else best
    return best


@njit(cache=True, nogil=True)
def paths_of_pairs(
    sources: NDArray[Any],
    targets: NDArray[Any],
    arrays: PathArrays,
    weights: NDArray[Any],
    infinity: Any,
    heads: NDArray[np.int32],
    height: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[Any]]:
    """Shortest paths of pairs of vertices of the graph, one behind the other, by one thread.

    Parameters
    ----------
    sources, targets : (k,) integers
    weights, heads : (m,)
        Of the graph's arcs, the weights in the distance type.

    Returns
    -------
    (v,) int32
        Vertices of all paths, both ends included; a pair without a path has none.
    (k + 1,) int64
        Where the vertices of each path begin.
    (k,) of the distance type
        Lengths; infinity without a path. A path of which cycles of length 0 are part is not unpacked: its only vertex
        is the source, and its length infinity.
    """
    rank = arrays.tree.rank
    ahead, behind = _climb_memory(height, weights), _climb_memory(height, weights)
    arcs = np.empty(len(rank), np.int64)
    vertices, first = np.empty(1024, np.int32), np.zeros(len(sources) + 1, np.int64)
    lengths = np.empty(len(sources), weights.dtype)
    end = 0
    for i in range(len(sources)):
        source, target = rank[sources[i]], rank[targets[i]]
        highest, best, _, _ = meet(source, target, arrays, infinity, ahead, behind)
        lengths[i] = best
        if highest >= 0:
            count = path_arcs(source, target, highest, arrays, weights, ahead, behind, arcs)
            if count < 0:
                count, lengths[i] = 0, infinity
            if end + count + 1 > len(vertices):
                larger = np.empty(max(2 * len(vertices), end + count + 1), np.int32)
                larger[:end] = vertices[:end]
                vertices = larger
            vertices[end] = sources[i]
            for k in range(count):
                vertices[end + 1 + k] = heads[arcs[k]]
            end += count + 1
        first[i + 1] = end
    return vertices[:end].copy(), first, lengths


@njit(cache=True, nogil=True)
def _climb_memory(height: int, weights: NDArray[Any]) -> Climb:
    return Climb(
        np.empty(height, np.int32), np.empty(height, weights.dtype), np.empty(height, np.int64),
        np.empty(height, np.int32),
    )  # fmt: skip
