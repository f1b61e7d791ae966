"""Compound-frontier Dijkstra on one core, relaxing the successors of the frontier (FCPU).

Idea
    All unresolved vertices that share the least distance form the frontier. Each
    iteration relaxes the arcs that leave it, finds the next least distance by a scan,
    and marks the vertices that have it.

Why it is correct
    All unresolved vertices at the least distance can be settled together: with
    non-negative weights none can improve another. The unresolved vertices at the next
    least distance form the next frontier, so settled vertices never return.

Parameters
    ``layout``: compressed rows or adjacency matrix.

Source
    Martín 2009, section 3, Figs. 2–4 (FCPU); section 5 for the matrix. The paper's
    update also admits settled vertices, which would relax arcs of weight zero again.
"""

from __future__ import annotations

from functools import partial

from solvers.algorithms.dijkstra.frontier_host import (
    FrontierState,
    Relax,
    relax_matrix_rows,
    relax_successors,
    settle_all,
    vertex_bytes,
)
from solvers.algorithms.dijkstra.layouts import LAYOUT, MATRIX, host_matrix, matrix_bytes
from solvers.algorithms.requirements import require_nonnegative, required_source
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.pseudocode import FRONTIER_DIJKSTRA
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant

_ID = "da2cf-f-cpu"


@variant(
    id=_ID,
    title="compound frontier F, CPU",
    short_title="frontier F, CPU",
    algorithm=Algorithm.DIJKSTRA,
    answers=Answers.SSSP,
    runs_on=RunsOn.SERIAL,
    mapping=WorkMapping.CORE_BY_VERTEX,
    pseudocode=FRONTIER_DIJKSTRA,
    papers=(Citation("Martín 2009", "section 3, Figs. 2–4 (FCPU); section 5 for the matrix"),),
    parameters=(LAYOUT,),
    needs_nonnegative=True,
    idea=(
        "Dijkstra's algorithm settles one vertex at a time. All vertices at the same least "
        "distance may be settled together: none can improve another. They form the compound "
        "frontier. F relaxes the arcs that leave frontier vertices, then scans for the next least "
        "distance, then marks the vertices that have it."
    ),
    watch=(
        "Each step is a ring of vertices at exactly the same distance. With few different weights "
        "the rings are large and few; on a road network nearly every ring is a single vertex."
    ),
    cost="k iterations of O(n), one per distinct distance (k ≤ n), "
    "and O(m) relaxations in all; matrix: O(n²) for them",
    caveat=(
        "The paper's update step makes every vertex at the least distance the frontier, "
        "settled ones too; with arcs of weight zero those would be relaxed again. "
        "Here only unresolved vertices enter it."
    ),
    memory=vertex_bytes,
    layout_memory=matrix_bytes,
)
def solve(problem: Problem) -> Solution:
    require_nonnegative(problem.graph, _ID)
    source = required_source(problem, _ID)
    phases = Phases()
    with phases.measure("prepare"):
        state = FrontierState.at_start(problem, source)
        relax, steps = _relaxation(problem)
    return settle_all(problem, state, phases, relax, steps)


def _relaxation(problem: Problem) -> tuple[Relax, float]:
    """How to relax a range of vertices in the chosen layout, and its steps per vertex."""
    graph = problem.graph
    if problem.parameters["layout"] == MATRIX:
        matrix = host_matrix(graph, problem.distance_type, _ID, problem.progress)
        return partial(relax_matrix_rows, matrix), float(graph.n)
    return partial(
        relax_successors, graph.indptr, graph.indices, problem.weights()
    ), 1 + graph.m / graph.n
