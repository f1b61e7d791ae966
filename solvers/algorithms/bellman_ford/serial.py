"""Bellman-Ford on one core, compiled.

Idea
    Relax every arc in vertex order, pass after pass, lowering distances in place. Rows
    of vertices that are not yet reached are skipped. A pass runs in pieces, between
    which it can be cancelled.

Why it is correct
    After pass k, all shortest paths of at most k arcs are known, so n - 1 passes are
    enough. Every value is the length of some path, so lowering in place never needs
    more passes than two arrays. Infinity plus a weight lowers nothing, so unreached
    rows can be skipped.

Parameters
    ``early_exit``: stop after a pass without a change.

Source
    Bodra 2025 (CPU column) and Cholla 2025, section 5 ("sequential").
"""

from __future__ import annotations

from typing import Any

from solvers.algorithms.arcs import vertex_ranges
from solvers.algorithms.bellman_ford.passes import HostPass, PassEnd, solve_on_host
from solvers.algorithms.bellman_ford.workspace import EARLY_EXIT, distance_floor
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import BELLMAN_FORD
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.jit import njit

_ID = "bf-serial"


def memory(graph: Graph) -> int:
    """Host bytes in addition to the graph: distances, and weights if they must be widened."""
    kind = graph.distance_type
    return kind.dtype.itemsize * (graph.n + (graph.m if kind is not graph.weight_type else 0))


@variant(
    id=_ID,
    title="serial",
    algorithm=Algorithm.BELLMAN_FORD,
    answers=Answers.SSSP,
    runs_on=RunsOn.SERIAL,
    mapping=WorkMapping.CORE_BY_VERTEX,
    pseudocode=BELLMAN_FORD,
    papers=(
        Citation("Bodra 2025", "Results: CPU baseline"),
        Citation("Cholla 2025", "section 5, sequential baseline"),
    ),
    idea=(
        "One core relaxes all arcs in vertex order, pass after pass, "
        "and lowers distances in place. Later arcs of the same pass use them, "
        "so it needs fewer passes than the kernels with two arrays."
    ),
    watch=(
        "Compare the number of passes with that of the vertex kernel: the difference is what "
        "updating in place saves when vertex numbers follow the roads."
    ),
    cost="O(n m) at worst, O(passes × m) with early exit. Memory: one distance per vertex.",
    caveat="The number of passes depends on how vertices are numbered.",
    parameters=(EARLY_EXIT,),
    memory=memory,
)
def solve(problem: Problem) -> Solution:
    """Run the passes; raises NegativeCycle, Cancelled."""
    return solve_on_host(problem, _ID, _compiled)


def _compiled(problem: Problem) -> HostPass:
    graph, kind = problem.graph, problem.distance_type
    distance, weights = problem.start_distances(problem.given_source), problem.weights()
    limits = kind.dtype.type(kind.infinity), distance_floor(problem)
    ranges = vertex_ranges(graph.indptr)

    def relax_all() -> PassEnd:
        fell = fell_through = False
        for first, last in ranges:
            outcome = _relax_rows(
                graph.indptr, graph.indices, weights, distance, *limits, first, last
            )
            fell, fell_through = fell or outcome[0], fell_through or outcome[1]
            problem.progress.checkpoint()
        return PassEnd(fell, fell_through)

    return HostPass(relax_all, distance.copy)


@njit
def _relax_rows(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    distance: AnyArray,
    infinity: Any,
    floor: Any,
    first: int,
    last: int,
) -> tuple[bool, bool]:
    fell = False
    fell_through = False
    for tail in range(first, last):
        reached = distance[tail]
        if reached >= infinity:
            continue
        for arc in range(indptr[tail], indptr[tail + 1]):
            candidate = reached + weights[arc]
            if candidate < distance[indices[arc]]:
                if candidate < floor:
                    fell_through = True
                else:
                    distance[indices[arc]] = candidate
                    fell = True
    return fell, fell_through
