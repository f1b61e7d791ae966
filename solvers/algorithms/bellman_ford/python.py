"""Bellman-Ford in plain Python, which shows the cost of an interpreter.

Idea
    Relax all arcs, pass after pass, in interpreted loops over Python lists. Distances
    are lowered in place, so a pass may carry a path over many arcs.

Why it is correct
    After pass k, all shortest paths of at most k arcs are known, so n - 1 passes are
    enough; every value is the length of some path. A pass without a change can be the
    last.

Parameters
    ``early_exit``: stop after a pass without a change.

Source
    Cholla 2025, section 5: the sequential baseline.
"""

from __future__ import annotations

import numpy as np

from solvers.algorithms.bellman_ford.passes import HostPass, PassEnd, solve_on_host
from solvers.algorithms.bellman_ford.workspace import EARLY_EXIT, distance_floor
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import BELLMAN_FORD
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.graphs.graph import Graph

_ID = "bf-python"
_VERTICES_PER_LOOK = 4096


def memory(graph: Graph) -> int:
    """Host bytes of Python's lists: a pointer an entry, and an object for each weight
    and distance.
    """
    return 8 * (graph.n + 1) + 40 * graph.n + (8 + 8 + 32) * graph.m


@variant(
    id=_ID,
    title="plain Python",
    algorithm=Algorithm.BELLMAN_FORD,
    answers=Answers.SSSP,
    runs_on=RunsOn.SERIAL,
    mapping=WorkMapping.CORE_BY_VERTEX,
    pseudocode=BELLMAN_FORD,
    papers=(Citation("Cholla 2025", "section 5, sequential baseline"),),
    idea=(
        "Three nested loops in interpreted Python: passes, vertices, arcs. Each arc is relaxed in "
        "turn and distances are lowered in place, so later arcs of the same pass use them."
    ),
    watch=(
        "Where vertex numbers increase along the roads, distances spread over many arcs in one "
        "pass; where they decrease, over one arc a pass."
    ),
    cost="O(n m) at worst, O(m) per pass in interpreted Python. Memory: "
    "Python lists, about 50 bytes per arc.",
    caveat=(
        "Much slower than the same loops compiled: choose graphs below about 100\u202f000 arcs."
    ),
    parameters=(EARLY_EXIT,),
    memory=memory,
)
def solve(problem: Problem) -> Solution:
    """Run the passes; raises NegativeCycle, Cancelled."""
    return solve_on_host(problem, _ID, _lists)


def _lists(problem: Problem) -> HostPass:
    """A function that makes one pass over Python lists copied from the graph."""
    graph, infinity = problem.graph, problem.distance_type.infinity
    indptr, indices, weights = graph.indptr.tolist(), graph.indices.tolist(), graph.weights.tolist()
    distance = problem.start_distances(problem.given_source).tolist()
    floor = distance_floor(problem).item()

    def relax_all() -> PassEnd:
        fell = fell_through = False
        for tail in range(graph.n):
            if tail % _VERTICES_PER_LOOK == 0:
                problem.progress.checkpoint()
            reached = distance[tail]
            if reached == infinity:
                continue
            for arc in range(indptr[tail], indptr[tail + 1]):
                candidate = reached + weights[arc]
                if candidate < floor:
                    fell_through = True
                elif candidate < distance[indices[arc]]:
                    distance[indices[arc]] = candidate
                    fell = True
        return PassEnd(fell, fell_through)

    return HostPass(relax_all, lambda: np.array(distance, dtype=problem.distance_type.dtype))
