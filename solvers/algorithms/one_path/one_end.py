"""The loop shared by Dijkstra to one target and A*: search from the source until the target is settled."""

from __future__ import annotations

from collections.abc import Callable

from solvers.algorithms.one_path.search import Bound, Log, begin, grow
from solvers.algorithms.requirements import require_nonnegative, required_end_points
from solvers.contracts.problem import Problem, Solution
from solvers.graphs.graph import Graph
from solvers.host.timing import Phases


def memory(graph: Graph) -> int:
    """Bytes of the distances, the incoming arc of each vertex, and the heap's three arrays."""
    return graph.n * (2 * graph.distance_type.dtype.itemsize + 8 + 8)


def solve_from_source(problem: Problem, variant_id: str, bound: Callable[[], Bound]) -> Solution:
    """Distances of the settled vertices, infinity elsewhere; the order of settling proves the target's distance.

    Parameters
    ----------
    bound : callable
        Makes the lower bound; timed as preparation.

    Raises
    ------
    InputError, UnsuitableGraph, Cancelled
    """
    source, target = required_end_points(problem, variant_id)
    require_nonnegative(problem.graph, variant_id)
    phases = Phases()
    with phases.measure("prepare"):
        limits = bound()
        side = begin(problem.graph, source, problem.distance_type)
        log = Log.for_run(problem)
    size, taken, relaxed, found = 1, 0, 0, False
    while size and not found:
        problem.observer.checkpoint()
        before = phases.solve
        known = side.distances.copy() if problem.observer.wants_distances else None
        with phases.measure("solve"):
            size, count, arcs, found = grow(side, size, target, limits, log)
        taken, relaxed = taken + count, relaxed + arcs
        log.report(problem, count, phases.solve - before, known)
    side.forget_unsettled(size)
    return Solution(side.distances, taken, phases, relaxed)
