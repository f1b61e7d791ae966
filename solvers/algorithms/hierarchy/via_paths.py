"""Alternative paths between two vertices: each over a via vertex, by a shortest path to
it and one from it.

Idea: candidates for via vertices are the ancestors, in the elimination tree, of both
ends and of some vertices of the shortest path. These are the separators around both
ends and along the way, and whatever goes another way crosses one of them. The distances
of all candidates follow from the two climbs of a pair query: an ancestor is reached by
the climb, or from one of its own ancestors, so that a sweep down the ancestors of one
vertex settles them all, without a search. Candidates that are on a path already
considered, at the same length, are left out; the others are unpacked and judged.

Why it is correct: a path over a via vertex consists of two shortest paths, hence its
length is the sum of two distances, and it can only be improved around the via vertex.
It is taken if

* it is simple;
* its detours, what it does not share with the shortest path, are at most 1 + ``stretch``
  as long as what they replace;
* it shares at most ``sharing`` of the length of the shortest path with the paths taken
  before it;
* each of its parts of at most ``optimality`` times the length of the shortest path is a
  shortest path itself: tested by one query, for the part that reaches so far from the
  via vertex in both directions.

In a graph whose junctions are split for turns, a path is simple if it meets no junction
twice, and shares the roads of the network, by whatever copies of junctions it passes.

Those of the least sum of twice their length and the length shared with the shortest
path are tried first.

Parameters: `Limits`, whose defaults are those of the paper, and how many vertices of the
shortest path lend their ancestors.

Source: Abraham, Delling, Goldberg and Werneck, "Alternative routes in road networks",
SEA 2010: admissible paths, the test for local optimality and the order; they take via
vertices from the search spaces of contraction hierarchies.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvers.algorithms.hierarchy.elimination_tree import NONE
from solvers.algorithms.hierarchy.path_query import (
    Climb,
    PathArrays,
    climb_memory,
    meet,
    path_arcs,
    unpack,
    unpack_down,
)
from solvers.system.array_types import AnyArray, Bools, Float64s, Int32s, Int64s
from solvers.system.jit import njit

_LENT = 20  # vertices of the shortest path whose ancestors are candidates
_MOST_UNPACKED = 300  # candidates


class Limits(NamedTuple):
    """What makes a path an alternative, relative to the length of the shortest."""

    stretch: float = 0.25
    sharing: float = 0.8
    optimality: float = 0.25


class ViaArcs(NamedTuple):
    """The arcs of the graph, (m,) each; no weight is negative."""

    tails: Int32s
    heads: Int32s
    weights: AnyArray
    infinity: Any
    height: int
    slack: float  # relative difference up to which lengths are equal; 0 of integers
    # (m,) and (n,) the road of each arc, negative for none, and the junction of each vertex;
    # empty where these are the arcs and vertices themselves
    road_of: Int64s
    junction_of: Int32s


class _Swept(NamedTuple):
    """Distances between one end and the ancestors of several vertices, (k, height) by depth."""

    reached: AnyArray
    arc: Int64s  # the up arc to the next ancestor on the way to the end
    above: Int32s  # the depth of that ancestor; -1 where the climb from the end leads there
    # the farthest from the end that a vertex of the shortest path is known to be on the way
    shared: AnyArray


class _Judged(NamedTuple):
    """Paths that keep the limits that concern the shortest path alone."""

    arcs: Int64s  # of all, one behind the other
    first: Int64s  # (k + 1,)
    middle: Int64s  # (k,) arcs before the via vertex
    rank: Float64s  # (k,) the lesser, the earlier it is tried


@njit
def via_paths(
    source: int, target: int, arrays: PathArrays, network: ViaArcs, count: int, limits: Limits
) -> tuple[Int64s, Int64s]:
    """The shortest path and up to ``count - 1`` alternatives between vertices of the graph.

    Returns
    -------
    int64
        Arcs of all paths, one behind the other.
    (k + 1,) int64
        Where each begins; k is 0 without a path, and where cycles of length 0 are part
        of the shortest.
    """
    tree, weights, height = arrays.tree, network.weights, network.height
    ends = tree.rank[source], tree.rank[target]
    climbs = climb_memory(height, weights), climb_memory(height, weights)
    highest, _, _, _ = meet(ends[0], ends[1], arrays, network.infinity, climbs[0], climbs[1])
    room, size = np.empty(len(tree.rank), np.int64), -1
    if highest >= 0:
        size = path_arcs(ends[0], ends[1], highest, arrays, weights, climbs[0], climbs[1], room)
    taken, first = room[: max(0, size)].copy(), np.zeros(count + 1, np.int64)
    k = 1
    if size < 0:
        return taken, first[:1]
    first[1] = size
    length = weights[taken].astype(np.float64).sum()
    found = _judged(taken, length, ends, arrays, network, climbs, room, limits)
    on_taken = np.zeros(len(weights), np.bool_)
    _mark(taken, network.road_of, on_taken)
    for i in np.argsort(found.rank):
        if k == count:
            break
        arcs = found.arcs[found.first[i] : found.first[i + 1]]
        shared, part = _length_on(arcs, network, on_taken), limits.optimality * length
        if shared <= limits.sharing * length and _is_locally_shortest(
            arcs, found.middle[i], part, arrays, network, climbs
        ):
            _mark(arcs, network.road_of, on_taken)
            taken = np.concatenate((taken, arcs))
            k += 1
            first[k] = len(taken)
    return taken, first[: k + 1]


@njit
def _judged(
    shortest: Int64s,
    length: float,
    ends: tuple[int, int],
    arrays: PathArrays,
    network: ViaArcs,
    climbs: tuple[Climb, Climb],
    room: Int64s,
    limits: Limits,
) -> _Judged:
    """Unpack the candidates, those of the shortest paths first."""
    tree, weights = arrays.tree, network.weights
    on_shortest = np.zeros(len(weights), np.bool_)
    _mark(shortest, network.road_of, on_shortest)
    passed = np.zeros(len(tree.rank), np.bool_)  # by rank: vertices of paths looked at
    passed[ends[0]] = True
    passed[tree.rank[network.heads[shortest]]] = True
    lines = _ancestors(_lenders(shortest, length, ends, tree.rank, network), arrays, network.height)
    ahead = _sweep(lines, ends[0], passed, arrays, arrays.down, network.infinity, climbs[0])
    behind = _sweep(lines, ends[1], passed, arrays, arrays.up, network.infinity, climbs[1])
    candidates = _candidates(ahead, behind, network, length, limits)
    visit, looked_at = np.zeros(len(tree.rank), np.int32), 0
    arcs, first = np.empty(1024, np.int64), np.zeros(_MOST_UNPACKED + 1, np.int64)
    middle, rank, k = np.empty(_MOST_UNPACKED, np.int64), np.empty(_MOST_UNPACKED, np.float64), 0
    for place in candidates:
        row, depth = place // network.height, place % network.height
        if passed[lines[row, depth]]:
            continue
        if looked_at == _MOST_UNPACKED:
            break
        looked_at += 1
        middle[k] = _unpack_ahead(row, depth, ends[0], arrays, ahead, climbs[0], room)
        size = _unpack_behind(row, depth, ends[1], arrays, behind, climbs[1], room, middle[k])
        if size < 0:
            continue
        simple = _visit(room[:size], network, tree.rank, looked_at, visit, passed)
        shared = _length_on(room[:size], network, on_shortest)
        own = weights[room[:size]].astype(np.float64).sum()
        detours, replaced = own - shared, length - shared
        if not simple or shared > limits.sharing * length:
            continue
        if detours > (1 + limits.stretch) * replaced * (1 + network.slack):
            continue
        while first[k] + size > len(arcs):
            arcs = np.concatenate((arcs, np.empty_like(arcs)))
        arcs[first[k] : first[k] + size] = room[:size]
        rank[k] = 2 * own + shared
        k += 1
        first[k] = first[k - 1] + size
    return _Judged(arcs, first[: k + 1], middle[:k], rank[:k])


@njit
def _lenders(
    shortest: Int64s, length: float, ends: tuple[int, int], rank: Int32s, network: ViaArcs
) -> Int32s:
    """Both ends, and vertices at even distances along the shortest path, by rank."""
    chosen, k, so_far = np.empty(_LENT + 2, np.int32), 1, 0.0
    chosen[0] = ends[0]
    for arc in shortest:
        so_far += network.weights[arc]
        if k <= _LENT and so_far * (_LENT + 1) >= k * length:
            chosen[k] = rank[network.heads[arc]]
            k += 1
    chosen[k] = ends[1]
    return chosen[: k + 1]


@njit
def _ancestors(vertices: Int32s, arrays: PathArrays, height: int) -> Int32s:
    """The ancestors of each vertex, itself included, (k, height) by depth."""
    lines = np.full((len(vertices), height), NONE, np.int32)
    for row, v in enumerate(vertices):
        while v != NONE:
            lines[row, arrays.tree.depth[v]] = v
            v = arrays.tree.parent[v]
    return lines


@njit
def _sweep(
    lines: Int32s,
    end: int,
    on_shortest: Bools,
    arrays: PathArrays,
    ways: AnyArray,
    infinity: Any,
    climb: Climb,
) -> _Swept:
    """Distances between ``end`` and all of ``lines``; ``ways`` are the weights of up arcs
    in the direction in which they lead away from the end.
    """
    depth, up_first, up_depth = arrays.tree.depth, arrays.tree.up_first, arrays.tree.up_depth
    reached = np.full(lines.shape, infinity, ways.dtype)
    arc, above = np.full(lines.shape, -1, np.int64), np.full(lines.shape, -1, np.int32)
    shared, along = np.zeros(lines.shape, ways.dtype), np.zeros(depth[end] + 1, ways.dtype)
    for k in range(depth[end] - 1, -1, -1):
        if climb.reached[k] < infinity:
            known = on_shortest[climb.path[k]]
            along[k] = climb.reached[k] if known else along[climb.arrived_from[k]]
    for row in range(len(lines)):
        for k in range(lines.shape[1]):
            v = lines[row, k]
            if v == NONE:
                break
            if row > 0 and lines[row - 1, k] == v:
                reached[row, k], arc[row, k] = reached[row - 1, k], arc[row - 1, k]
                above[row, k], shared[row, k] = above[row - 1, k], shared[row - 1, k]
                continue
            if k <= depth[end] and climb.path[k] == v:
                reached[row, k], shared[row, k] = climb.reached[k], along[k]
            for a in range(np.uint64(up_first[v]), np.uint64(up_first[v + 1])):
                before = reached[row, up_depth[a]]
                if before < infinity and ways[a] < infinity and before + ways[a] < reached[row, k]:
                    reached[row, k] = before + ways[a]
                    arc[row, k], above[row, k] = a, up_depth[a]
                    known = on_shortest[lines[row, up_depth[a]]]
                    shared[row, k] = before if known else shared[row, up_depth[a]]
    return _Swept(reached, arc, above, shared)


@njit
def _candidates(
    ahead: _Swept, behind: _Swept, network: ViaArcs, length: float, limits: Limits
) -> Int64s:
    """Where a path may keep the limits, by what it shares at least; the shortest first.
    Places in the flattened arrays.
    """
    there, back = ahead.reached.ravel(), behind.reached.ravel()
    near = np.flatnonzero((there < network.infinity) & (back < network.infinity))
    sums = there[near].astype(np.float64) + back[near]
    shared = ahead.shared.ravel()[near].astype(np.float64) + behind.shared.ravel()[near]
    most = (1 + limits.stretch) * length * (1 + network.slack)
    chosen = (sums + limits.stretch * shared <= most) & (shared <= limits.sharing * length)
    return near[chosen][np.argsort(sums[chosen], kind="mergesort")]


@njit
def _unpack_ahead(
    row: int, k: int, start: int, arrays: PathArrays, swept: _Swept, climb: Climb, room: Int64s
) -> int:
    """Write the arcs from the source to a candidate into ``room``; their number, as `unpack`."""
    waiting, steps = np.empty(len(climb.path) + 2, np.int64), np.empty(len(climb.path), np.int64)
    falls = 0
    while swept.above[row, k] >= 0:
        steps[falls] = swept.arc[row, k]
        falls += 1
        k = swept.above[row, k]
    rises = falls
    while k != arrays.tree.depth[start]:
        steps[rises] = climb.arrived_by[k]
        rises += 1
        k = climb.arrived_from[k]
    count = 0
    for i in range(rises - 1, -1, -1):
        if count >= 0:
            count = unpack(steps[i], i >= falls, arrays, waiting, room, count)
    return count


@njit
def _unpack_behind(
    row: int,
    k: int,
    end: int,
    arrays: PathArrays,
    swept: _Swept,
    climb: Climb,
    room: Int64s,
    count: int,
) -> int:
    """Append the arcs from a candidate to the target, after ``count`` others."""
    waiting = np.empty(len(climb.path) + 2, np.int64)
    while count >= 0 and swept.above[row, k] >= 0:
        count = unpack(swept.arc[row, k], True, arrays, waiting, room, count)
        k = swept.above[row, k]
    return unpack_down(k, end, arrays, climb, waiting, room, count)


@njit
def _visit(
    arcs: Int64s,
    network: ViaArcs,
    rank: Int32s,
    walk: int,
    visit: Int32s,
    passed: Bools,
) -> bool:
    """Mark the vertices of a path: ``passed`` by rank, ``visit`` by junction; False if it
    meets a junction twice.
    """
    simple, road_of, junction_of = True, network.road_of, network.junction_of
    if len(arcs):
        first = network.tails[arcs[0]]
        visit[junction_of[first] if len(junction_of) else first] = walk
    for arc in arcs:
        head = network.heads[arc]
        passed[rank[head]] = True
        if len(road_of) and road_of[arc] < 0:  # to the end of the junction itself
            continue
        junction = junction_of[head] if len(junction_of) else head
        simple &= visit[junction] != walk
        visit[junction] = walk
    return simple


@njit
def _mark(arcs: Int64s, road_of: Int64s, chosen: Bools) -> None:
    """Choose the roads of some arcs."""
    for arc in arcs:
        road = road_of[arc] if len(road_of) else arc
        if road >= 0:
            chosen[road] = True


@njit
def _length_on(arcs: Int64s, network: ViaArcs, chosen: Bools) -> float:
    """The length of those of some arcs whose roads are chosen."""
    total, road_of = 0.0, network.road_of
    for arc in arcs:
        road = road_of[arc] if len(road_of) else arc
        if road >= 0 and chosen[road]:
            total += network.weights[arc]
    return total


@njit
def _is_locally_shortest(
    arcs: Int64s,
    middle: int,
    reach: float,
    arrays: PathArrays,
    network: ViaArcs,
    climbs: tuple[Climb, Climb],
) -> bool:
    """Whether the part of a path from ``reach`` before its via vertex to ``reach`` after
    it is a shortest path.
    """
    weights, rank = network.weights, arrays.tree.rank
    first, last, before, after = middle, middle, 0.0, 0.0
    while first > 0 and before < reach:
        first -= 1
        before += weights[arcs[first]]
    while last < len(arcs) and after < reach:
        after += weights[arcs[last]]
        last += 1
    start, end = rank[network.tails[arcs[first]]], rank[network.heads[arcs[last - 1]]]
    _, best, _, _ = meet(start, end, arrays, network.infinity, climbs[0], climbs[1])
    return before + after <= best * (1 + network.slack)
