"""Dijkstra's algorithm, stopped when the target is settled.

Idea
    Settle vertices in the order of their distance, and stop at the target.

Why it is correct
    With non-negative weights a settled distance is final; no vertex settled later can
    shorten it.

Parameters
    None.

Source
    Dijkstra 1959, the second problem.
"""

from __future__ import annotations

from solvers.algorithms.one_path.search import Bound, search_memory, solve_from_source
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import ONE_TARGET
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant


@variant(
    id="dijkstra-target",
    title="Dijkstra to the target",
    algorithm=Algorithm.MODERN,
    answers=Answers.TARGET,
    runs_on=RunsOn.SERIAL,
    mapping=WorkMapping.CORE_BY_VERTEX,
    pseudocode=ONE_TARGET,
    papers=(Citation("beyond the papers", "Dijkstra 1959, his second problem"),),
    idea=(
        "Dijkstra's algorithm settles vertices in order of distance. For one path it can stop when "
        "the target is settled: no later vertex can shorten it."
    ),
    watch=(
        "The settled region grows round the source until it reaches the target. On average it has "
        "then covered half of the graph."
    ),
    cost="As the heap variant, for the vertices nearer than the target only. "
    "Memory: three words per vertex.",
    caveat="Vertices that were not settled have no distance here, though they may be reachable.",
    needs_nonnegative=True,
    memory=search_memory,
)
def solve(problem: Problem) -> Solution:
    """Distances of the settled vertices, (n,), including the target if it can be
    reached; as `solve_from_source`.
    """
    return solve_from_source(problem, lambda: Bound.none(problem.graph.n))
