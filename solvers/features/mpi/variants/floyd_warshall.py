"""Floyd-Warshall over MPI ranks; the rank program is ``floyd_warshall_rank.py``.

Idea
    Each rank owns a range of rows. In step k the owner of row k broadcasts it, and
    every rank relaxes its own rows through k.

Why it is correct
    Step k of a row needs only that row and row k, which does not change in step k; so
    one broadcast a step is all the communication needed. With negative weights the
    ranks also agree after each step whether the diagonal has turned negative.

Parameters
    ``ranks``: processes.

Source
    Wang 2024, section 4.2. The paper gives no listing.
"""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np

from solvers.algorithms.floyd_warshall.matrix import (
    DueCopies,
    cycle_tolerance,
    matrix_bytes,
    negative_cycle,
)
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.pseudocode import FLOYD_WARSHALL
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.features.mpi.handover import Arcs, Ending, HandOver
from solvers.features.mpi.rank_group import RANKS, count_of_ranks, solve_by_ranks
from solvers.graphs.graph import Graph
from solvers.system import machine
from solvers.text import format_count


def _memory(graph: Graph) -> int:
    """Bytes of the ranks' rows and of the file that returns them."""
    return 2 * matrix_bytes(graph)


@variant(
    id="fw-mpi",
    title="MPI",
    algorithm=Algorithm.FLOYD_WARSHALL,
    answers=Answers.APSP,
    runs_on=RunsOn.MPI,
    mapping=WorkMapping.RANKS_OWN_ROWS,
    pseudocode=FLOYD_WARSHALL,
    papers=(Citation("Wang 2024", "section 4.2"),),
    parameters=(RANKS,),
    idea=(
        "The rows of the matrix are distributed over processes that share no memory. In step k the "
        "owner of row k broadcasts it; with that row and its own, every rank relaxes its rows "
        "through k. The only communication is one broadcast a step."
    ),
    watch="Each step writes one band of rows per rank, all at the same time. "
    "Only the pivot row is exchanged.",
    cost="n steps, each with n² / ranks cells and one broadcast of n; "
    "n² memory over all ranks, twice at the end",
    caveat=(
        "The paper gives no listing; equal bands of rows and one broadcast per step is the "
        "straightforward way. With negative weights the ranks also agree after every step whether "
        "the diagonal has turned negative. Solve time is rank 0's clock over all steps; filling "
        "the rows, and collecting the matrix from the ranks, counts as preparation. The ranks are "
        "started for every trial; their start does not count."
    ),
    memory=_memory,
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n); raises NegativeCycle, OutOfMemory,
    MpiUnavailable, RankFailed, Cancelled.
    """
    from solvers.features.mpi.floyd_warshall_rank import FloydWarshallSettings

    graph, kind, phases = problem.graph, problem.distance_type, Phases()
    ranks = count_of_ranks(problem.parameters["ranks"])
    machine.require_memory(
        f"The {format_count(graph.n)} x {format_count(graph.n)} distance matrix over {ranks} ranks",
        _memory(graph),
    )
    started = time.perf_counter()
    picture = _Picture(problem, ranks)
    settings = FloydWarshallSettings(
        cycle_tolerance(graph, kind), graph.has_negative_weights, picture.due
    )
    arcs = Arcs(graph.indptr, graph.indices, problem.weights())
    program, progress = "solvers.features.mpi.floyd_warshall_rank", problem.progress
    answer = solve_by_ranks(program, arcs, settings, ranks, progress, picture.look)
    phases.solve = answer.solve_ms
    passed_ms = (time.perf_counter() - started) * 1e3
    phases.prepare = passed_ms - phases.solve - answer.start_ms
    if answer.ending is Ending.NEGATIVE_CYCLE:
        raise negative_cycle(graph, answer.iterations, problem.progress)
    return Solution(answer.arrays["distances"], answer.iterations, phases, graph.n**3)


class _Picture:
    """Shows the matrix of the ranks to the recorder of a watched run, step by step;
    does nothing in others.

    The ranks wait while it is read, so that it shows a single step.
    """

    def __init__(self, problem: Problem, ranks: int):
        from solvers.features.mpi.floyd_warshall_rank import row_bounds

        graph = problem.graph
        size = graph.n**2 * problem.distance_type.dtype.itemsize
        self.due = tuple(sorted(DueCopies.of(problem.recorder, graph.n, size).steps))
        bounds = row_bounds(graph.n, ranks)
        self._tiles = np.array(
            [(top, end, 0, graph.n) for top, end in pairwise(bounds) if end > top]
        )
        self._recorder = problem.recorder
        self._told = 0

    def look(self, hand_over: HandOver) -> None:
        shown = hand_over.control.shown
        if self._recorder is None or shown == self._told:
            return
        matrix, ms = hand_over.peek("distances"), hand_over.peek("step_ms")
        for step in range(self._told, shown):
            self._recorder.matrix_step(
                step, 1, self._tiles, matrix if step == shown - 1 else None, float(ms[step])
            )
        self._told = shown
        hand_over.control.acknowledge()
