"""Dijkstra's algorithm from both ends at once.

Idea
    One search grows from the source along the arcs, one from the target against them.
    Whenever either relaxes an arc whose far end the other has reached, that is a path,
    and the best of them is kept.

Why it is correct
    Once the least keys of both heaps add up to no less than the best path, no better
    one is left: it would have to cross from one settled region into the other by an arc
    that was examined. In floating point, rounding can hide that the path to a vertex on
    the way is too long; so the search from the source then continues to the target,
    over the vertices of paths that are equally good up to rounding.

Parameters
    None.

Source
    After Nicholson 1966 and Pohl 1971.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.algorithms.one_path.search import ARITY, BATCH, Log, Side, begin, search_memory
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.pseudocode import BIDIRECTIONAL
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.graphs.csr import row_of
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.system.array_types import Int32s
from solvers.system.dary_heap import offer, pop
from solvers.system.jit import njit

_NOWHERE = -1
TURN = 64  # vertices that one search takes before the other is asked
# of a path, whose roundings are allowed for: more of them cancel out rather than add up
_ARCS = 4_096


def memory(graph: Graph) -> int:
    """Twice the bytes of one search, and the reverse of a directed graph."""
    reverse = graph.m * (4 + graph.weights.dtype.itemsize) + 8 * graph.n if graph.directed else 0
    return 2 * search_memory(graph) + reverse


@variant(
    id="dijkstra-bidirectional",
    title="bidirectional Dijkstra",
    algorithm=Algorithm.MODERN,
    answers=Answers.TARGET,
    runs_on=RunsOn.SERIAL,
    mapping=WorkMapping.CORE_FROM_BOTH_ENDS,
    pseudocode=BIDIRECTIONAL,
    papers=(Citation("beyond the papers", "after Nicholson 1966 and Pohl 1971"),),
    idea=(
        "Two searches grow towards each other: one from the source, one from the target against "
        "the arcs. Two discs of half the radius cover half the area of one, and the searches stop "
        "when the sum of their radii reaches the length of the best path found."
    ),
    watch=(
        "Two settled regions, round source and target. They grow a little after they have met: the "
        "first path across need not be the best."
    ),
    cost=(
        "On road networks about half of Dijkstra to the target; on social networks a small part. "
        "The reverse graph is made once and kept."
    ),
    caveat="Only the vertices settled from the source and those of the path have a distance.",
    needs_nonnegative=True,
    memory=memory,
)
def solve(problem: Problem) -> Solution:
    """Distances of the vertices settled from the source and of the path, (n,); infinity elsewhere.

    Raises InputError, UnsuitableGraph, Cancelled.
    """
    source, target = problem.given_source, problem.given_target
    graph, kind, progress = problem.graph, problem.distance_type, problem.progress
    phases = Phases()
    with phases.measure("prepare"):
        back = graph.reverse if graph.directed else graph
        sides = begin(problem, graph, source), begin(problem, back, target)
        log = Log.for_run(problem)
        stretch = _stretch(graph.n, kind)
    best = kind.dtype.type(0 if source == target else kind.infinity)
    meeting = source if source == target else _NOWHERE
    sizes, taken, relaxed, going = (1, 1), 0, 0, True
    while going:
        progress.checkpoint()
        before = phases.solve
        with phases.measure("solve"):
            sizes, count, arcs, best, meeting, going = _approach(
                *sides, sizes, best, stretch, meeting, log
            )
        taken, relaxed = taken + count, relaxed + arcs
        log.report(problem, count, phases.solve - before)
    ahead, behind = sides
    found, late = False, [np.empty(0, np.int32)]
    if meeting != _NOWHERE and not kind.is_integer:
        size, going = sizes[0], True
        while going:
            progress.checkpoint()
            before = phases.solve
            with phases.measure("solve"):
                size, count, arcs, found, settled = _go_on(
                    ahead, behind, size, best * stretch, target, log
                )
            late.append(settled)
            going = size > 0 and not found
            taken, relaxed = taken + count, relaxed + arcs
            log.report(problem, count, phases.solve - before)
        sizes = size, sizes[1]
    with phases.measure("solve"):
        # perhaps an offer still; of any vertex where the searches never met
        reached = ahead.distances[meeting]
        path = _path_of(ahead, target) if found else np.empty(0, np.int32)
        lengths = ahead.distances[path]
        ahead.forget_unsettled(sizes[0])
        ahead.distances[np.concatenate(late)] = kind.infinity
        ahead.distances[path] = lengths
        if meeting != _NOWHERE and not found:
            _lay_path(ahead, behind, target, meeting, reached)
    return Solution(ahead.distances, taken, phases, relaxed)


def _stretch(n: int, kind: WeightType) -> Any:
    """By how much of the best path's length the searches go on, so that no path is
    missed that rounding hides.
    """
    if kind.is_integer:
        return kind.dtype.type(1)
    return kind.dtype.type(1 + 2 * min(n, _ARCS) * float(np.finfo(kind.dtype).eps))


@njit
def _approach(
    ahead: Side,
    behind: Side,
    sizes: tuple[int, int],
    best: Any,
    stretch: Any,
    meeting: int,
    log: Log,
) -> tuple[tuple[int, int], int, int, Any, int, bool]:
    """Take turns, settling up to ``BATCH`` vertices in all; also returns whether there
    is more to do.
    """
    ahead_size, behind_size = sizes
    taken, relaxed = 0, 0
    while taken + TURN <= BATCH:
        if (
            ahead_size == 0
            or behind_size == 0
            or not ahead.heap.keys[0] + behind.heap.keys[0] < best * stretch
        ):
            return (ahead_size, behind_size), taken, relaxed, best, meeting, False
        if ahead_size <= behind_size:
            ahead_size, count, arcs, best, meeting = _take_turn(
                ahead, behind, ahead_size, best, stretch, meeting, log, taken
            )
        else:
            behind_size, count, arcs, best, meeting = _take_turn(
                behind, ahead, behind_size, best, stretch, meeting, log, taken
            )
        taken += count
        relaxed += arcs
    return (ahead_size, behind_size), taken, relaxed, best, meeting, True


@njit
def _take_turn(
    own: Side, other: Side, size: int, best: Any, stretch: Any, meeting: int, log: Log, logged: int
) -> tuple[int, int, int, Any, int]:
    """Take up to ``TURN`` vertices of one search; its heap's size, vertices, arcs, the
    best path and where it meets.
    """
    indptr, indices, weights, distances, arrived_by, heap = own
    keys, vertices, position = heap
    others, far_side = other.distances, other.heap.keys[0]
    taken, relaxed, limit = 0, 0, best * stretch
    while size > 0 and taken < TURN and keys[0] + far_side < limit:
        u = vertices[0]
        size = pop(keys, vertices, position, size, ARITY)
        improved = 0
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            through = distances[u] + weights[arc]
            if through < distances[v]:
                distances[v] = through
                arrived_by[v] = arc
                improved += 1
                if through < best and others[v] < best - through:
                    best = through + others[v]
                    limit = best * stretch
                    meeting = v
                size = offer(keys, vertices, position, size, through, v, ARITY)
        if log.vertices.shape[0] > 0:
            log.vertices[logged + taken] = u
            log.relaxed[logged + taken] = indptr[u + 1] - indptr[u]
            log.improved[logged + taken] = improved
        taken += 1
        relaxed += indptr[u + 1] - indptr[u]
    return size, taken, relaxed, best, meeting


@njit
def _go_on(
    ahead: Side, behind: Side, size: int, limit: Any, target: int, log: Log
) -> tuple[int, int, int, bool, Int32s]:
    """Let the search from the source go on to the target, over vertices on paths no
    longer than ``limit`` only.

    In floating point a path that is best as a whole may be too long up to a vertex on
    the way: where weights are of very different magnitudes, the sum hides it. So the
    vertices behind the meeting point get their distances from the source, as the others
    do. Returns the heap's size, the counts of vertices and arcs, whether the target is
    settled, and the vertices.
    """
    indptr, indices, weights, distances, arrived_by, heap = ahead
    keys, vertices, position = heap
    settled = np.empty(BATCH, np.int32)
    taken, relaxed, found = 0, 0, False
    while size > 0 and taken < BATCH and not found:
        u = vertices[0]
        size = pop(keys, vertices, position, size, ARITY)
        found = u == target
        improved, looked_at = 0, 0
        if not found and behind.distances[u] <= limit - distances[u]:
            looked_at = indptr[u + 1] - indptr[u]
            for arc in range(indptr[u], indptr[u + 1]):
                v = indices[arc]
                through = distances[u] + weights[arc]
                if through < distances[v]:
                    distances[v] = through
                    arrived_by[v] = arc
                    improved += 1
                    size = offer(keys, vertices, position, size, through, v, ARITY)
        if log.vertices.shape[0] > 0:
            log.vertices[taken] = u
            log.relaxed[taken] = looked_at
            log.improved[taken] = improved
        settled[taken] = u
        taken += 1
        relaxed += looked_at
    return size, taken, relaxed, found, settled[:taken].copy()


@njit
def _path_of(side: Side, end: int) -> Int32s:
    """The vertices by which a search reached ``end``, from there to its start."""
    path, v = [np.int32(end)], end
    while side.arrived_by[v] >= 0:
        v = row_of(side.indptr, side.arrived_by[v])
        path.append(np.int32(v))
    return np.array(path)


@njit
def _lay_path(ahead: Side, behind: Side, target: int, meeting: int, reached: Any) -> None:
    """Set the distances from the source of the vertices from ``meeting`` to the target,
    along the best path.

    Vertices settled by the search from the source keep their distances.
    """
    v = meeting
    ahead.distances[v] = min(ahead.distances[v], reached)
    while v != target:
        arc = behind.arrived_by[v]
        through = ahead.distances[v] + behind.weights[arc]
        v = row_of(behind.indptr, arc)
        ahead.distances[v] = min(ahead.distances[v], through)
