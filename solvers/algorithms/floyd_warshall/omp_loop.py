"""Floyd-Warshall with the rows of each step shared among OpenMP threads.

Idea
    Each thread takes a band of rows, and all wait for each other before the next pivot.
    A large matrix is cut further, so that a run can be cancelled in time.

Why it is correct
    The loop over pivots is sequential: step k + 1 needs the result of step k. Inside a
    step all rows are independent, because the pivot's row and column do not change in
    it.

Parameters
    ``threads``: OpenMP threads.

Source
    Wang 2024, section 4.3, Algorithm 2 (OpenMP-Loop).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.algorithms.floyd_warshall.matrix import matrix_bytes
from solvers.algorithms.floyd_warshall.serial import relax_rows, solve_in_bands
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import FLOYD_WARSHALL
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.system.array_types import AnyArray
from solvers.system.jit import njit, prange
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
        "The textbook's three loops, with the rows of each step shared among the cores. Nothing is "
        "locked: a step reads the pivot's row and column, which it does not change, and every row "
        "has one owner. All threads wait for each other before the next pivot."
    ),
    watch=(
        "One step per vertex, the whole matrix in each. Run it with 1, 2, 4 threads: "
        "the gain shrinks, because every step reads the whole matrix and the "
        "cores share the memory bandwidth."
    ),
    cost="n³ cells relaxed on all cores, n barriers; n² memory, read n times.",
    caveat="The innermost loop is vectorised, which the paper leaves as future work. "
    "It needs numba's OpenMP layer.",
    memory=matrix_bytes,
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n).

    Raises NegativeCycle, OutOfMemory, Unavailable, ParameterError, Cancelled.
    """
    with team(int(problem.parameters["threads"]), "fw-omp-loop") as threads:
        height = max(threads, _CELLS_PER_THREAD * threads // max(1, problem.graph.n))
        return solve_in_bands(problem, height, _share_rows)


@njit(parallel=True)
def _share_rows(
    matrix: AnyArray,
    k: int,
    first: int,
    last: int,
    infinity: Any,
    tolerance: Any,
    negative_weights: bool,
) -> bool:
    """Relax rows ``first`` to ``last - 1`` through ``k``; False if the diagonal turns negative."""
    broken = 0
    for i in prange(first, last):
        if not relax_rows(
            matrix, k, np.int64(i), np.int64(i) + 1, infinity, tolerance, negative_weights
        ):
            broken += 1
    return broken == 0
