"""A search from one end until a vertex is settled: in Dijkstra's order, or A*'s if
coordinates are given.

`solve_from_source` is the loop shared by Dijkstra to one target and A*.

A* takes vertices in the order of distance plus a lower bound on what is left to the
target: ``pace`` times the straight distance. If the bound never exceeds the remaining
distance, and falls along an arc by at most the arc's weight, the distance of a vertex
is final when it is first taken. If rounding violates this slightly, a vertex whose
distance falls again is taken again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from solvers.algorithms.arcs import replayed_distances
from solvers.core.problem import Phases, Problem, Solution
from solvers.graphs.graph import Graph
from solvers.graphs.weights import weight_type
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.system.dary_heap import Heap, heap_of_one, offer, pop
from solvers.system.jit import njit

ARITY = 4
BATCH = 32_768  # vertices between two cancellation checks: some 10 ms


class Bound(NamedTuple):
    """A lower bound on the distance from each vertex to the target."""

    # (n, k): coordinates of the vertices in the plane (k = 2) or on the unit sphere
    # (3); k = 0 for no bound at all
    points: Float64s
    pace: float  # least weight of an arc per unit of straight distance
    most: float  # the bound is cut off here, so that sums do not overflow

    @classmethod
    def none(cls, n: int) -> Bound:
        return cls(np.empty((n, 0)), 0.0, 0.0)


class Log(NamedTuple):
    """Log of the vertices settled in the last call: (BATCH,) each, or (0,) in unwatched runs."""

    vertices: Int32s
    relaxed: Int64s
    improved: Int64s

    @classmethod
    def for_run(cls, problem: Problem) -> Log:
        length = 0 if problem.recorder is None else BATCH
        return cls(
            np.empty(length, np.int32), np.empty(length, np.int64), np.empty(length, np.int64)
        )

    def report(
        self, problem: Problem, count: int, ms: float, before: AnyArray | None = None
    ) -> None:
        """Report one iteration per vertex to the recorder, each with an equal share of
        the call's time.

        ``before`` are the distances before the call, for a recorder that wants them
        after each iteration.
        """
        if problem.recorder is not None:
            passes, vertices = np.arange(count + 1), self.vertices[:count]
            counts = self.relaxed[:count], self.improved[:count], np.full(count, ms / max(1, count))
            after = (
                None
                if before is None
                else replayed_distances(problem.graph, before, passes, vertices)
            )
            problem.recorder.iterations(passes, vertices, *counts, after)


class Side(NamedTuple):
    """The state of a search, and the arcs that it follows."""

    indptr: Int64s
    indices: Int32s
    weights: AnyArray
    # (n,) of the distance type: from the search's own end; those in the heap may still
    # fall
    distances: AnyArray
    # (n,): arc by which each vertex was reached last, -1 for none: a position in ``indices``
    arrived_by: Int64s
    heap: Heap

    def forget_unsettled(self, size: int) -> None:
        """Set the tentative distances of vertices still in the heap to infinity."""
        self.distances[self.heap.vertices[:size]] = weight_type(self.distances.dtype).infinity


def begin(problem: Problem, graph: Graph, start: int) -> Side:
    """A search along the arcs of ``graph``, the problem's or its reverse, whose heap
    holds only ``start``.
    """
    kind = problem.distance_type
    return Side(
        graph.indptr,
        graph.indices,
        graph.weights_in(kind.dtype),
        problem.start_distances(start),
        np.full(graph.n, -1, dtype=np.int64),
        heap_of_one(graph.n, kind.dtype, start),
    )


@njit
def grow(side: Side, size: int, target: int, bound: Bound, log: Log) -> tuple[int, int, int, bool]:
    """Settle up to ``BATCH`` vertices; returns heap size, vertices settled, arcs
    relaxed, and whether target is.
    """
    indptr, indices, weights, distances, arrived_by, heap = side
    keys, vertices, position = heap
    points, pace, most = bound
    taken, relaxed, found = 0, 0, False
    while size > 0 and taken < BATCH and not found:
        u = vertices[0]
        size = pop(keys, vertices, position, size, ARITY)
        found = u == target
        improved = 0
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            through = distances[u] + weights[arc]
            if through < distances[v]:
                distances[v] = through
                arrived_by[v] = arc
                improved += 1
                key = through
                if points.shape[1] > 0:
                    square = 0.0
                    for axis in range(points.shape[1]):
                        square += (points[v, axis] - points[target, axis]) ** 2
                    key += weights.dtype.type(min(pace * np.sqrt(square), most))
                size = offer(keys, vertices, position, size, key, v, ARITY)
        if log.vertices.shape[0] > 0:
            log.vertices[taken] = u
            log.relaxed[taken] = indptr[u + 1] - indptr[u]
            log.improved[taken] = improved
        taken += 1
        relaxed += indptr[u + 1] - indptr[u]
    return size, taken, relaxed, found


def search_memory(graph: Graph) -> int:
    """Bytes of the distances, the incoming arc of each vertex, and the heap's three arrays."""
    return graph.n * (2 * graph.distance_type.dtype.itemsize + 8 + 8)


def solve_from_source(problem: Problem, bound: Callable[[], Bound]) -> Solution:
    """Distances of the settled vertices, infinity elsewhere; the order of settling
    proves the target's distance.

    ``bound`` makes the lower bound; timed as preparation. Raises InputError,
    UnsuitableGraph, Cancelled.
    """
    source, target = problem.given_source, problem.given_target
    phases = Phases()
    with phases.measure("prepare"):
        limits = bound()
        side = begin(problem, problem.graph, source)
        log = Log.for_run(problem)
    size, taken, relaxed, found = 1, 0, 0, False
    wants_distances = problem.recorder is not None and problem.recorder.wants_distances
    while size and not found:
        problem.progress.checkpoint()
        before = phases.solve
        known = side.distances.copy() if wants_distances else None
        with phases.measure("solve"):
            size, count, arcs, found = grow(side, size, target, limits, log)
        taken, relaxed = taken + count, relaxed + arcs
        log.report(problem, count, phases.solve - before, known)
    side.forget_unsettled(size)
    return Solution(side.distances, taken, phases, relaxed)
