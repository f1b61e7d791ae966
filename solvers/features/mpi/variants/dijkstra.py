"""Dijkstra's algorithm over MPI ranks; the rank program is ``dijkstra_rank.py``.

Idea
    Each rank owns a range of vertices. In each round every rank names its nearest
    unsettled vertex, one Allreduce finds the nearest of all, and each rank relaxes the
    arcs from it to its own vertices. At the end the distances are gathered.

Why it is correct
    The minimum over the ranks is the minimum over all unsettled vertices, which is
    final with non-negative weights. Each arc's head has one owner, so no distance is
    written by two ranks.

Parameters
    ``ranks``: processes. ``layout``: compressed rows or adjacency matrix.

Source
    Song 2025, Algorithm 2. The listing omits the relaxation after the Allreduce, which
    is done here.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from solvers.algorithms.arcs import replayed_distances, settled_arcs
from solvers.algorithms.dijkstra.layouts import CSR, MATRIX
from solvers.core.problem import Phases, Problem, Recorder, Solution
from solvers.core.pseudocode import DIJKSTRA
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.features.mpi.handover import Answer, Arcs
from solvers.features.mpi.rank_group import RANKS, count_of_ranks, solve_by_ranks
from solvers.graphs.graph import Graph
from solvers.parameters import Parameter
from solvers.system import machine

_ID = "dijkstra-mpi"
_LAYOUT = Parameter(
    "layout",
    MATRIX,
    "what a rank holds: its columns of the adjacency matrix (matrix, as the paper), "
    "or the arcs into them (csr)",
    choices=(MATRIX, CSR),
)


def _matrix_bytes(graph: Graph, parameters: Mapping[str, Any]) -> int:
    """Bytes of all ranks' columns of the matrix; every rank has equally many."""
    if parameters["layout"] != MATRIX:
        return 0
    ranks = count_of_ranks(parameters["ranks"])
    return graph.n * (-(-graph.n // ranks)) * ranks * graph.distance_type.dtype.itemsize


@variant(
    id=_ID,
    title="MPI",
    algorithm=Algorithm.DIJKSTRA,
    answers=Answers.SSSP,
    runs_on=RunsOn.MPI,
    mapping=WorkMapping.RANKS_OWN_VERTICES,
    pseudocode=DIJKSTRA,
    papers=(Citation("Song 2025", "Algorithm 2"),),
    parameters=(RANKS, _LAYOUT),
    needs_nonnegative=True,
    idea=(
        "Vertices are distributed over processes that share no memory. In every round each rank "
        "names its nearest unsettled vertex, and one Allreduce finds the nearest of all; every "
        "rank then relaxes the arcs from it to its own vertices. At the end the parts are gathered."
    ),
    watch=(
        "One vertex settles per step, as with one process: the ranks share the work within a step, "
        "not the steps. Each vertex costs one Allreduce, so more ranks help only on large graphs."
    ),
    cost="n rounds, each with O(n / ranks) work and one Allreduce; "
    "n² cells of memory over all ranks with the matrix",
    caveat=(
        "The paper's listing leaves out the relaxation between the Allreduce and the next round; "
        "this variant has it. The loop stops early where no unsettled vertex can be reached. Each "
        "rank takes its columns from a mapped file instead of having them sent. Solve time is rank "
        "0's clock from the first round to the end of the gather; filling the columns and handing "
        "over the answer count as preparation. The ranks are started for every trial; as in the "
        "paper, their start does not count."
    ),
    layout_memory=_matrix_bytes,
)
def solve(problem: Problem) -> Solution:
    """Distances from the source, (n,); raises UnsuitableGraph, OutOfMemory,
    MpiUnavailable, RankFailed, Cancelled.
    """
    from solvers.features.mpi.dijkstra_rank import DijkstraSettings

    source = problem.given_source
    graph, phases = problem.graph, Phases()
    ranks, layout = count_of_ranks(problem.parameters["ranks"]), problem.parameters["layout"]
    if layout == MATRIX:
        _require_memory(problem)
    started = time.perf_counter()
    settings = DijkstraSettings(source, layout, problem.recorder is not None)
    arcs = Arcs(graph.indptr, graph.indices, problem.weights())
    program, progress = "solvers.features.mpi.dijkstra_rank", problem.progress
    answer = solve_by_ranks(program, arcs, settings, ranks, progress)
    phases.solve = answer.solve_ms
    passed_ms = (time.perf_counter() - started) * 1e3
    phases.prepare = passed_ms - phases.solve - answer.start_ms
    if problem.recorder is not None:
        _report_iterations(problem, problem.recorder, answer)
    distances, predecessors = answer.arrays["distances"], answer.arrays["predecessors"]
    return Solution(
        distances, answer.iterations, phases, settled_arcs(graph, distances), predecessors
    )


def _require_memory(problem: Problem) -> None:
    """Raise `OutOfMemory`, before any rank is started, if the matrix does not fit."""
    what = f"{_ID}: the adjacency matrix of {problem.graph.name} (choose layout=csr to avoid it)"
    machine.require_memory(what, _matrix_bytes(problem.graph, problem.parameters))


def _report_iterations(problem: Problem, recorder: Recorder, answer: Answer) -> None:
    """Report each settled vertex as one iteration."""
    order = answer.arrays["order"]
    degrees = problem.graph.out_degrees[order]
    arrays, passes = answer.arrays, np.arange(len(order) + 1)
    after = None
    if recorder.wants_distances:  # the ranks had them, each its own part, and have gone
        before = problem.start_distances(problem.given_source)
        after = replayed_distances(problem.graph, before, passes, order)
    recorder.iterations(passes, order, degrees, arrays["improved"], arrays["ms"], after)
