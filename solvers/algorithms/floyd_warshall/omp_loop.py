"""Floyd-Warshall with the rows of each step shared among OpenMP threads.

Idea
    Each thread takes a band of rows, and all wait for each other before the next pivot. A large matrix is cut
    further, so that a run can be cancelled in time.

Why it is correct
    The loop over pivots is sequential: step k + 1 needs the result of step k. Inside a step all rows are
    independent, because the pivot's row and column do not change in it.

Parameters
    ``threads``: OpenMP threads.

Source
    Wang 2024, section 4.3, Algorithm 2 (OpenMP-Loop).
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from solvers.algorithms.floyd_warshall.matrix import (
    cycle_tolerance,
    due_steps,
    matrix_bytes,
    negative_cycle,
    start_matrix,
)
from solvers.algorithms.floyd_warshall.serial import relax_rows
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.pseudocode import FLOYD_WARSHALL
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.system.jit import njit
from solvers.system.openmp import THREADS, team

# Cells that a thread relaxes between two cancellation checks: about 10 ms.
_CELLS_PER_THREAD = 20_000_000


@variant(
    id="fw-omp-loop",
    title="OpenMP, loop",
    algorithm=Algorithm.FLOYD_WARSHALL,
    answers=Answers.APSP,
    runs_on=RunsOn.OPENMP,
    mapping=WorkMapping.CORES_SHARE_ROWS,
    pseudocode=FLOYD_WARSHALL,
    papers=(Citation("Wang 2024", "section 4.3, Algorithm 2: OpenMP-Loop"),),
    parameters=(THREADS,),
    idea=(
        "The textbook's three loops, with the rows of each step shared among the cores. Nothing is locked: a step "
        "reads the pivot's row and column, which it does not change, and every row has one owner. All threads wait "
        "for each other before the next pivot."
    ),
    watch=(
        "One step per vertex, the whole matrix in each. Run it with 1, 2, 4 threads: the gain shrinks, because every "
        "step reads the whole matrix and the cores share the memory bandwidth."
    ),
    cost="n³ cells relaxed on all cores, n barriers; n² memory, read n times.",
    caveat="The innermost loop is vectorised, which the paper leaves as future work. It needs numba's OpenMP layer.",
    memory=matrix_bytes,
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n).

    Raises
    ------
    NegativeCycle, OutOfMemory, Unavailable, ParameterError, Cancelled
    """
    graph, progress, kind, n = problem.graph, problem.progress, problem.distance_type, problem.graph.n
    recorder = problem.recorder
    phases = Phases()
    with team(int(problem.parameters["threads"]), "fw-omp-loop") as threads:
        with phases.measure("prepare"):
            matrix = start_matrix(graph, kind, progress=progress)
            tolerance = matrix.dtype.type(cycle_tolerance(graph, kind))
            infinity = matrix.dtype.type(kind.infinity)
        whole = np.array([[0, n, 0, n]])
        due = frozenset() if recorder is None else due_steps(n, matrix.nbytes)
        rows = max(threads, _CELLS_PER_THREAD * threads // max(1, n))
        for k in range(n):
            begun = time.perf_counter()
            for first in range(0, n, rows):
                progress.checkpoint(k, n)
                with phases.measure("solve"):
                    last = min(n, first + rows)
                    broken = _share_rows(matrix, k, first, last, infinity, tolerance, graph.has_negative_weights)
                if broken:
                    raise negative_cycle(graph, k + 1, progress)
            if recorder is not None:
                ms = (time.perf_counter() - begun) * 1e3
                recorder.matrix_step(k, 1, whole, matrix if k in due else None, ms)
    return Solution(matrix, n, phases, n**3)


@njit(cache=True, nogil=True, parallel=True)
def _share_rows(
    matrix: NDArray[Any], k: int, first: int, last: int, infinity: Any, tolerance: Any, negative_weights: bool
) -> int:
    """Relax rows ``first`` to ``last - 1`` through ``k``; returns how many diagonal cells turned negative."""
    broken = 0
    for i in prange(first, last):
        if not relax_rows(matrix, k, np.int64(i), np.int64(i) + 1, infinity, tolerance, negative_weights):
            broken += 1
    return broken
