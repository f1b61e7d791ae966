"""One path: two climbs, from the source and against the arcs from the target, that meet
at a common ancestor; unpacked.

An up arc is an arc of the graph, or goes over a lower vertex that has up arcs to both
of its ends; unpacking replaces it by these two, each of which is unpacked in turn.
`Detours` holds for every arc of the hierarchy the lower triangle that its weight comes
from. Sweeps do not need detours, so they are looked for in a pass of their own after
customising, when they are first asked for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvers.algorithms.hierarchy.elimination_tree import NONE
from solvers.algorithms.hierarchy.metric import Metric, MetricArrays, row_batches
from solvers.algorithms.hierarchy.supergraph import Hierarchy, HierarchyArrays
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.threads import in_threads

_NO_PATH = -1

_NO_ROOM = -1


class Climb(NamedTuple):
    """Working memory of one of the two climbs, (height,) each, by depth."""

    path: Int32s  # rank of the ancestor at that depth
    reached: AnyArray  # of a distance type
    arrived_by: Int64s  # the up arc by which it was reached
    arrived_from: Int32s  # depth of that arc's lower end

    @classmethod
    def allocate(cls, height: int, dtype: np.dtype[Any]) -> Climb:
        return cls(
            np.empty(height, np.int32),
            np.empty(height, dtype),
            np.empty(height, np.int64),
            np.empty(height, np.int32),
        )


@njit
def climb_memory(height: int, weights: AnyArray) -> Climb:
    """`Climb.allocate` for compiled functions, in the type of ``weights``."""
    return Climb(
        np.empty(height, np.int32),
        np.empty(height, weights.dtype),
        np.empty(height, np.int64),
        np.empty(height, np.int32),
    )


class PathArrays(NamedTuple):
    """What queries for one path read of a hierarchy and a metric."""

    tree: HierarchyArrays
    up: AnyArray
    down: AnyArray
    detours: Detours

    @classmethod
    def of(cls, hierarchy: Hierarchy, metric: Metric, detours: Detours) -> PathArrays:
        return cls(hierarchy.arrays, metric.up, metric.down, detours)


@njit
def meet(
    source: int, target: int, arrays: PathArrays, infinity: Any, ahead: Climb, behind: Climb
) -> tuple[int, Any, int, int]:
    """Climb from both ends, given by rank.

    Returns the depth at which a shortest path is highest, -1 if there is none; its
    length, infinity if there is none; and the vertices and up arcs relaxed.
    """
    relaxed_ahead = _climb(source, arrays.up, arrays, infinity, ahead)
    relaxed_behind = _climb(target, arrays.down, arrays, infinity, behind)
    best, top = infinity, _NO_PATH
    for k in range(min(arrays.tree.depth[source], arrays.tree.depth[target]) + 1):
        if ahead.path[k] != behind.path[k]:
            break
        if ahead.reached[k] < infinity and behind.reached[k] < infinity:
            through = ahead.reached[k] + behind.reached[k]
            # from a vertex to itself no cycle of weight 0
            if through < best or (source == target and through == best):
                best, top = through, k
    return top, best, relaxed_ahead[0] + relaxed_behind[0], relaxed_ahead[1] + relaxed_behind[1]


@njit
def path_arcs(
    source: int,
    target: int,
    top: int,
    arrays: PathArrays,
    weights: AnyArray,
    ahead: Climb,
    behind: Climb,
    arcs: Int64s,
) -> int:
    """Unpack the path that is highest at depth ``top`` into the graph's arcs; returns
    how many, as `unpack`.
    """
    waiting = np.empty(len(ahead.path) + 2, np.int64)
    steps, k = np.empty(len(ahead.path), np.int64), top
    taken, count = 0, 0
    while k != arrays.tree.depth[source]:
        steps[taken] = k
        taken += 1
        k = ahead.arrived_from[k]
    for i in range(taken - 1, -1, -1):
        k = steps[i]
        count = unpack(ahead.arrived_by[k], True, arrays, waiting, arcs, count)
        if count < 0:
            return count
    return unpack_down(top, target, arrays, behind, waiting, arcs, count)


@njit
def unpack_down(
    k: int,
    target: int,
    arrays: PathArrays,
    climb: Climb,
    waiting: Int64s,
    arcs: Int64s,
    count: int,
) -> int:
    """Append the arcs from depth ``k`` of the climb from a target down to it, after ``count``
    others; returns how many, as `unpack`.
    """
    while k != arrays.tree.depth[target] and count >= 0:
        count = unpack(climb.arrived_by[k], False, arrays, waiting, arcs, count)
        k = climb.arrived_from[k]
    return count


@njit
def shortest_path(
    source: int,
    target: int,
    arrays: PathArrays,
    weights: AnyArray,
    infinity: Any,
    ahead: Climb,
    behind: Climb,
    arcs: Int64s,
) -> tuple[int, int, int, int]:
    """Climb, meet and unpack.

    Returns the depth of the highest vertex, -1 if there is no path; the number of arcs
    of the path, now in ``arcs``, -1 if there was no room for them; and the vertices and
    up arcs relaxed.
    """
    top, _, taken, relaxed = meet(source, target, arrays, infinity, ahead, behind)
    count = 0
    if top != _NO_PATH:
        count = path_arcs(source, target, top, arrays, weights, ahead, behind, arcs)
    return top, count, taken, relaxed


@njit
def lay(arcs: Int64s, heads: Int32s, weights: AnyArray, source: int, distances: AnyArray) -> None:
    """Set the distances of the vertices along a path, added up from its source."""
    so_far = distances[source] * 0
    distances[source] = so_far
    for arc in arcs:
        so_far += weights[arc]
        distances[heads[arc]] = min(distances[heads[arc]], so_far)


@njit
def is_shortest_throughout(
    path: tuple[Int64s, Int32s, AnyArray],  # arcs of the path; heads and weights of all arcs
    source: int,  # rank of its first vertex
    rank: Int32s,  # (n,) of each vertex
    arrays: PathArrays,
    infinity: Any,
    unit: float,  # unit roundoff of the distances
    ahead: Climb,  # from the source, as `meet` left it
    distances: AnyArray,  # (n,) as `lay` left them
) -> bool:
    """Whether the distances that `lay` set along a path are shortest, but for the
    roundings of their own sums.

    An arc of the hierarchy keeps one of the detours whose rounded lengths are equal.
    Where weights are of very different magnitudes, a detour that is much too long on
    its first arcs may be as short as any once a heavy arc is added. So the path is
    right for its last vertex, and need not be for those before. Distances that are
    swept down to a vertex from its ancestors are right for each, and the vertices of a
    path share most of their ancestors.

    Arrays and infinity are as of `meet`.
    """
    arcs, heads, weights = path
    tree, down = arrays.tree, arrays.down
    parent, depth, up_first, up_depth = tree.parent, tree.depth, tree.up_first, tree.up_depth
    height = len(ahead.path)
    # by depth: the ancestors of the vertex that was looked at last
    holder = np.full(height, NONE, np.int32)
    known = np.empty(height, distances.dtype)  # and their distances
    swept, settled = np.empty(len(rank), distances.dtype), np.zeros(len(rank), np.bool_)
    chain, deepest, so_far, magnitude = np.empty(height, np.int32), 0, 0.0, 0.0
    for step in range(len(arcs)):
        head, weight = heads[arcs[step]], float(weights[arcs[step]])
        so_far += weight
        magnitude += abs(weight)
        if distances[head] != distances.dtype.type(so_far):
            return False  # rounding hides a way round: the path comes to this vertex twice
        last, count = rank[head], 0
        v = last
        while v != NONE and holder[depth[v]] != v:
            chain[count] = v
            count += 1
            v = parent[v]
        for i in range(count - 1, -1, -1):
            v = chain[i]
            k = depth[v]
            holder[k] = v
            if not settled[v]:
                best = ahead.reached[k] if k <= depth[source] and ahead.path[k] == v else infinity
                for a in range(np.uint64(up_first[v]), np.uint64(up_first[v + 1])):
                    best = min(best, known[up_depth[a]] + down[a])
                swept[v], settled[v] = best, True
            known[k] = swept[v]
        holder[depth[last] + 1 : deepest + 1] = NONE
        deepest = depth[last]
        # Both sums have rounded up to ``step`` times; the first weight is added to 0,
        # which is exact.
        if float(distances[head]) - float(swept[last]) > step * unit * magnitude:
            return False
    return True


@njit
def _climb(
    v: int, weights: AnyArray, arrays: PathArrays, infinity: Any, climb: Climb
) -> tuple[int, int]:
    tree = arrays.tree
    parent, up_first, up_depth, depth = tree.parent, tree.up_first, tree.up_depth, tree.depth
    path, reached = climb.path, climb.reached
    for k in range(depth[v] + 1):
        reached[k] = infinity
    reached[depth[v]] = 0
    count, relaxed = 0, 0
    while v != NONE:
        here = depth[v]
        path[here] = v
        so_far = reached[here]
        if so_far < infinity:
            for a in range(np.uint64(up_first[v]), np.uint64(up_first[v + 1])):
                k = up_depth[a]
                if weights[a] < infinity and so_far + weights[a] < reached[k]:
                    reached[k] = so_far + weights[a]
                    climb.arrived_by[k] = a
                    climb.arrived_from[k] = here
            count += 1
            relaxed += up_first[v + 1] - up_first[v]
        v = parent[v]
    return count, relaxed


class Detours(NamedTuple):
    """The lower triangle of each up arc."""

    # up, down: (arcs up,) int32, or int64 for more than 2**31 arcs: by direction of
    # travel: the up arc from the vertex in between to the lower end, or ``~`` of an arc
    # of the graph of the same weight. Anything where there is no path
    up: AnyArray
    down: AnyArray


def find_detours(
    hierarchy: Hierarchy,
    metric: Metric,
    weights: AnyArray,
    threads: int,
    progress: Progress = SILENT,
) -> Detours:
    """Look for the triangles, in ``threads``; weights are of the graph, (m,), in the
    metric's type.

    Raises Cancelled.
    """
    dtype = np.int32 if max(hierarchy.arcs, len(weights)) < 2**31 else np.int64
    up, down = np.full(hierarchy.arcs, -1, dtype), np.full(hierarchy.arcs, -1, dtype)
    arrays, found = hierarchy.arrays, Detours(up, down)
    for first, last in row_batches(hierarchy):
        progress.checkpoint(first, hierarchy.n)
        work = (first, last, threads, arrays, weights, metric.arrays, found, hierarchy.tree.height)
        in_threads(threads, _find_some, *work)
    return found


@njit
def _find_some(
    t: int,
    first: int,
    last: int,
    threads: int,
    arrays: HierarchyArrays,
    weights: AnyArray,
    metric: MetricArrays,
    found: Detours,
    height: int,
) -> None:
    up_first, up_depth = arrays.up_first, arrays.up_depth
    down_first, down_tail, down_arc = arrays.down_first, arrays.down_tail, arrays.down_arc
    input_first, input_arc, input_up = arrays.input_first, arrays.input_arc, arrays.input_up
    up, down, infinity, _, symmetric = metric
    via_up, via_down = found
    arc_at = np.zeros(height, np.uint64)  # by depth: the up arc of the vertex
    for v in range(first + t, last, threads):
        for a in range(np.uint64(up_first[v]), np.uint64(up_first[v + 1])):
            arc_at[up_depth[a]] = a
        for e in range(down_first[v], down_first[v + 1]):
            arc = down_arc[e]
            to_lower, from_lower = down[arc], up[arc]
            for b in range(np.uint64(arc + 1), np.uint64(up_first[down_tail[e] + 1])):
                a = arc_at[up_depth[b]]
                if to_lower + up[b] == up[a] and to_lower < infinity and up[b] < infinity:
                    via_up[a] = arc
                    if symmetric:
                        via_down[a] = arc
                if symmetric:
                    continue
                if down[b] + from_lower == down[a] and down[b] < infinity and from_lower < infinity:
                    via_down[a] = arc
        for k in range(input_first[v], input_first[v + 1]):
            a, weight = input_up[k], weights[input_arc[k]]
            if a >= 0 and weight == up[a]:
                via_up[a] = ~input_arc[k]
            elif a < 0 and weight == down[~a]:
                via_down[~a] = ~input_arc[k]


@njit
def unpack(
    arc: int, upwards: bool, arrays: PathArrays, waiting: Int64s, arcs: Int64s, count: int
) -> int:
    """Append the graph's arcs that an up arc stands for to ``arcs``, in order of
    travel; returns their new number.

    ``upwards``: direction of travel. ``waiting``, (height + 2,) int64: working memory:
    arcs that are still to be unpacked, ``~`` of those that lead down. ``arcs``, (n,)
    int64: of which ``count`` are filled in. If the path has more arcs, because cycles
    of length 0 are part of it, -1 is returned.
    """
    up_depth = arrays.tree.up_depth
    waiting[0] = arc if upwards else ~arc
    left = 1
    while left > 0:
        left -= 1
        rises = waiting[left] >= 0
        a = waiting[left] if rises else ~waiting[left]
        to_low = np.int64(arrays.detours.up[a] if rises else arrays.detours.down[a])
        if to_low < 0:
            if count == len(arcs):
                return _NO_ROOM
            arcs[count] = ~to_low
            count += 1
            continue
        to_head, depth = to_low + 1, up_depth[a]
        while up_depth[to_head] != depth:  # it is in the same row, whose depths descend
            to_head += 1
        # The last to be appended is the next to be unpacked. Lower ends fall, so no
        # more wait than the tree is high.
        waiting[left] = to_head if rises else to_low
        waiting[left + 1] = ~to_low if rises else ~to_head
        left += 2
    return count
