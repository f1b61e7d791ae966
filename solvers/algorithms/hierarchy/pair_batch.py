"""Pairs of vertices by the thousand: lengths alone, or whole paths; no array of the
size of the graph for a length.

A length needs two climbs, from the source and, against the arcs, from the target.
Vertices that are near one another in the elimination tree have nearly all of their
ancestors in common: of many pairs, the sources and then the targets climb in the order
of their ranks, sixteen abreast by vector instructions from the lowest ancestor that
they share.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from solvers.algorithms.hierarchy.batched_sweep import LANES
from solvers.algorithms.hierarchy.elimination_tree import NONE
from solvers.algorithms.hierarchy.metric import MetricArrays
from solvers.algorithms.hierarchy.path_query import PathArrays, climb_memory, meet, path_arcs
from solvers.algorithms.hierarchy.supergraph import HierarchyArrays
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Int32s, Int64s, UInt16s
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam, split_evenly

# between two cancellation checks; climbs that are near in the tree are made abreast,
# ...
_PAIRS_A_LOOK = 1 << 15
_CLIMB_BYTES = 1 << 26  # ... and kept for so many pairs


class ClimbArrays(NamedTuple):
    """What lengths of pairs read of a hierarchy: a compiled function takes 0.6 µs for
    each array it is given.
    """

    rank: Int32s
    parent: Int32s
    depth: Int32s
    up_first: Int64s
    up_depth: UInt16s

    @classmethod
    def of(cls, arrays: HierarchyArrays) -> ClimbArrays:
        return cls(arrays.rank, arrays.parent, arrays.depth, arrays.up_first, arrays.up_depth)


@njit
def length_of_pair(
    source: int, target: int, arrays: ClimbArrays, weights: MetricArrays, height: int
) -> Any:
    """The distance between two vertices of the graph; infinity without a path."""
    start, end = arrays.rank[source], arrays.rank[target]
    ahead, behind = np.empty(height, weights.up.dtype), np.empty(height, weights.up.dtype)
    _climb(start, NONE, arrays, weights.up, weights.infinity, weights.guarded, ahead)
    _climb(end, NONE, arrays, weights.down, weights.infinity, weights.guarded, behind)
    return _least(start, end, arrays, weights, ahead, behind)


def lengths_of_pairs(
    arrays: ClimbArrays,
    weights: MetricArrays,
    height: int,
    kind: WeightType,
    sources: AnyArray,
    targets: AnyArray,
    team: ThreadTeam,
) -> AnyArray:
    """Distances of pairs of vertices of the graph, (k,) in ``kind``."""
    starts, ends = arrays.rank[sources], arrays.rank[targets]
    order = np.argsort(starts, kind="stable")
    lengths = np.empty(len(order), kind.dtype)
    step = max(1, min(_PAIRS_A_LOOK, _CLIMB_BYTES // (max(1, height) * kind.dtype.itemsize)))
    for begin in range(0, len(order), step):
        chosen = order[begin : begin + step]
        ahead, of_source = _climbs(starts[chosen], weights.up, arrays, weights, height, team)
        behind, of_target = _climbs(ends[chosen], weights.down, arrays, weights, height, team)
        team.run(
            partial(
                _join,
                starts,
                ends,
                chosen[first:last],
                of_source[first:last],
                of_target[first:last],
                ahead,
                behind,
                arrays,
                weights,
                lengths,
            )
            for first, last in split_evenly(len(chosen), 4 * team.threads)
        )
    return lengths


def _climbs(
    ranks: Int32s,
    ways: AnyArray,
    arrays: ClimbArrays,
    weights: MetricArrays,
    height: int,
    team: ThreadTeam,
) -> tuple[AnyArray, Int64s]:
    """Distances between different vertices and their ancestors, (k, height) by depth,
    and the row of each of ``ranks``.

    Entries below a vertex are not set.
    """
    different, row = np.unique(ranks, return_inverse=True)
    reached = np.empty((len(different), height), ways.dtype)
    team.run(
        partial(_climb_abreast, different[first:last], ways, arrays, weights, reached[first:last])
        for first, last in split_evenly(len(different), 4 * team.threads)
    )
    return reached, row


@njit
def _climb_abreast(
    ranks: Int32s, ways: AnyArray, arrays: ClimbArrays, weights: MetricArrays, found: AnyArray
) -> None:
    """Climb from each vertex, ranks ascending: one by one to the lowest ancestor of a
    batch, from there abreast.
    """
    parent = arrays.parent
    depth = arrays.depth
    up_first = arrays.up_first
    up_depth = arrays.up_depth
    infinity, guarded, height = weights.infinity, weights.guarded, found.shape[1]
    reached, own = np.empty((height, LANES), found.dtype), np.empty(height, found.dtype)
    for begin in range(0, len(ranks), LANES):
        batch = ranks[begin : begin + LANES]
        top = batch[0]
        for v in batch:
            top = _common(top, v, parent)
        if top < 0 or guarded:
            for lane in range(len(batch)):
                _climb(batch[lane], NONE, arrays, ways, infinity, guarded, found[begin + lane])
            continue
        high = depth[top] + 1
        reached[:high] = infinity
        for lane in range(len(batch)):
            v = batch[lane]
            _climb(v, top, arrays, ways, infinity, guarded, own)
            for k in range(high):
                reached[k, lane] = own[k]
            for k in range(high, depth[v] + 1):
                found[begin + lane, k] = own[k]
        v = top
        while v != NONE:
            so_far = reached[depth[v]]
            for a in range(np.uint64(up_first[v]), np.uint64(up_first[v + 1])):
                weight, above = ways[a], reached[up_depth[a]]
                for lane in range(LANES):
                    through = so_far[lane] + weight
                    above[lane] = through if through < above[lane] else above[lane]
            v = parent[v]
        for lane in range(len(batch)):
            for k in range(high):
                found[begin + lane, k] = reached[k, lane]


@njit
def _join(
    starts: Int32s,
    ends: Int32s,
    chosen: Int64s,
    of_source: Int64s,
    of_target: Int64s,
    ahead: AnyArray,
    behind: AnyArray,
    arrays: ClimbArrays,
    weights: MetricArrays,
    lengths: AnyArray,
) -> None:
    for i in range(len(chosen)):
        pair = chosen[i]
        lengths[pair] = _least(
            starts[pair], ends[pair], arrays, weights, ahead[of_source[i]], behind[of_target[i]]
        )


@njit
def _climb(
    v: int,
    top: int,
    arrays: ClimbArrays,
    weights: AnyArray,
    infinity: Any,
    guarded: bool,
    reached: AnyArray,
) -> None:
    """Distances between ``v`` and its ancestors, by depth, over vertices below ``top``
    only, where it is not `NONE`.

    Entries below ``v`` stay as they are.
    """
    parent = arrays.parent
    depth = arrays.depth
    up_first = arrays.up_first
    up_depth = arrays.up_depth
    reached[: depth[v] + 1] = infinity
    reached[depth[v]] = 0
    while v != top:
        so_far = reached[depth[v]]
        if so_far < infinity:
            for a in range(np.uint64(up_first[v]), np.uint64(up_first[v + 1])):
                through, k = so_far + weights[a], up_depth[a]
                if guarded and weights[a] >= infinity:
                    continue
                # Stored in any case: a branch would be mispredicted too often, at 3 ns
                # an arc instead of 2.
                reached[k] = through if through < reached[k] else reached[k]
        v = parent[v]


@njit
def _least(
    start: int,
    end: int,
    arrays: ClimbArrays,
    weights: MetricArrays,
    ahead: AnyArray,
    behind: AnyArray,
) -> Any:
    """The least sum over the ancestors that both ends have in common."""
    infinity, top = weights.infinity, _common(start, end, arrays.parent)
    if top < 0:
        return infinity
    best = infinity
    if weights.guarded:
        for k in range(arrays.depth[top] + 1):
            if ahead[k] < infinity and behind[k] < infinity:
                best = min(best, ahead[k] + behind[k])
    else:
        for k in range(arrays.depth[top] + 1):
            through = ahead[k] + behind[k]
            best = through if through < best else best
    return best


@njit
def _common(v: int, w: int, parent: Int32s) -> int:
    """The lowest common ancestor, `NONE` without one; an ancestor's rank is higher."""
    while v != w and v >= 0 and w >= 0:
        if v < w:
            v = parent[v]
        else:
            w = parent[w]
    return v if v == w else NONE


@njit
def paths_of_pairs(
    sources: AnyArray,
    targets: AnyArray,
    arrays: PathArrays,
    weights: AnyArray,
    infinity: Any,
    heads: Int32s,
    height: int,
) -> tuple[Int32s, Int64s, AnyArray]:
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
        Lengths; infinity without a path. A path of which cycles of length 0 are part is
        not unpacked: its only vertex is the source, and its length infinity.
    """
    rank = arrays.tree.rank
    ahead, behind = climb_memory(height, weights), climb_memory(height, weights)
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
                for k in range(end):
                    larger[k] = vertices[k]
                vertices = larger
            vertices[end] = sources[i]
            for k in range(count):
                vertices[end + 1 + k] = heads[arcs[k]]
            end += count + 1
        first[i + 1] = end
    return vertices[:end].copy(), first, lengths


@njit
def path_of_pair(
    source: int,
    target: int,
    arrays: PathArrays,
    weights: AnyArray,
    infinity: Any,
    heads: Int32s,
    height: int,
) -> tuple[Int32s, Any]:
    """One path and its length; otherwise as `paths_of_pairs`."""
    start, end = arrays.tree.rank[source], arrays.tree.rank[target]
    ahead, behind = climb_memory(height, weights), climb_memory(height, weights)
    highest, length, _, _ = meet(start, end, arrays, infinity, ahead, behind)
    if highest < 0:
        return np.empty(0, np.int32), length
    arcs = np.empty(len(arrays.tree.rank), np.int64)
    count = path_arcs(start, end, highest, arrays, weights, ahead, behind, arcs)
    if count < 0:
        count, length = 0, infinity
    vertices = np.empty(count + 1, np.int32)
    vertices[0] = source
    for k in range(count):
        vertices[1 + k] = heads[arcs[k]]
    return vertices, length
