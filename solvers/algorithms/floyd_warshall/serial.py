"""Floyd-Warshall in three loops, compiled, on one core.

Idea
    In step k, ask of every pair (i, j) whether the path through k is shorter. The inner
    loop adds one number to a row and takes the minimum, which the compiler vectorises.
    Each step is cut into bands of rows, between which the run can be cancelled.

Why it is correct
    After step k a cell holds the shortest path from i to j whose inner vertices are
    among 0 ... k. Row k and column k do not change in step k (the detour from k to k
    costs 0), so the matrix is updated in place. A negative diagonal cell proves a
    negative cycle.

Parameters
    None.

Source
    Bodra 2025, "Background of the problem: Floyd-Warshall"; Wang 2024, Algorithm 1.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from solvers.algorithms.floyd_warshall.matrix import (
    DueCopies,
    cycle_tolerance,
    matrix_bytes,
    negative_cycle,
    start_matrix,
)
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.pseudocode import FLOYD_WARSHALL
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.graphs.csr import slices
from solvers.system.array_types import AnyArray
from solvers.system.jit import njit

# Cells relaxed between two cancellation checks: about 10 ms.
_BAND_CELLS = 20_000_000


@variant(
    id="fw-serial",
    title="serial",
    algorithm=Algorithm.FLOYD_WARSHALL,
    answers=Answers.APSP,
    runs_on=RunsOn.SERIAL,
    mapping=WorkMapping.CORE_BY_CELL,
    pseudocode=FLOYD_WARSHALL,
    papers=(
        Citation("Bodra 2025", "Background of the problem: Floyd-Warshall"),
        Citation("Wang 2024", "Algorithm 1"),
    ),
    idea=(
        "Step k checks for every pair (i, j) whether the path from i through k to j is shorter. "
        "After the last vertex, all distances are final. Negative weights are allowed; a negative "
        "cycle appears as a negative distance from a vertex to itself."
    ),
    watch=(
        "The whole matrix is read in every step, though in a sparse graph few distances are known "
        "at first: rows and columns fill as hubs become the pivot."
    ),
    cost="n³ cells relaxed on one core, n² memory. A sparse graph costs as much as a dense one.",
    memory=matrix_bytes,
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n); raises NegativeCycle, OutOfMemory, Cancelled."""
    return solve_in_bands(problem, max(1, _BAND_CELLS // max(1, problem.graph.n)), relax_rows)


def solve_in_bands(problem: Problem, height: int, relax: Callable[..., bool]) -> Solution:
    """Distances between all pairs; a step relaxes bands of so many rows, with a
    cancellation check before each.

    ``relax`` is a function as `relax_rows`.

    Raises NegativeCycle, OutOfMemory, Cancelled.
    """
    graph = problem.graph
    progress = problem.progress
    recorder = problem.recorder
    kind = problem.distance_type
    phases = Phases()
    with phases.measure("prepare"):
        matrix = start_matrix(graph, kind, progress=progress)
        tolerance = matrix.dtype.type(cycle_tolerance(graph, kind))
        infinity = matrix.dtype.type(kind.infinity)
    n = graph.n
    whole = np.array([[0, n, 0, n]])
    due = DueCopies.of(recorder, n, matrix.nbytes)
    for k in range(n):
        begun = time.perf_counter()
        for first, last in slices(n, height):
            progress.checkpoint(k, n)
            with phases.measure("solve"):
                sound = relax(
                    matrix, k, first, last, infinity, tolerance, graph.has_negative_weights
                )
            if not sound:
                raise negative_cycle(graph, k + 1, progress)
        if recorder is not None:
            ms = (time.perf_counter() - begun) * 1e3
            recorder.matrix_step(k, 1, whole, matrix if due.after(k) else None, ms)
    return Solution(matrix, n, phases, n**3)


@njit
def relax_rows(
    matrix: AnyArray,
    k: int,
    first: int,
    last: int,
    infinity: Any,
    tolerance: Any,
    negative_weights: bool,
) -> bool:
    """Relax rows ``first`` to ``last - 1`` through ``k``; False if the diagonal turns negative."""
    pivot = matrix[k]
    for i in range(first, last):
        row = matrix[i]
        to_pivot = row[k]
        if not negative_weights:
            # Infinity plus anything is no less than infinity, so it needs no test.
            for j in range(row.shape[0]):
                row[j] = min(row[j], matrix.dtype.type(to_pivot + pivot[j]))
        elif to_pivot < infinity:
            for j in range(row.shape[0]):
                through = matrix.dtype.type(to_pivot + pivot[j])
                row[j] = through if pivot[j] < infinity and through < row[j] else row[j]
        if row[i] < 0:
            if row[i] < -tolerance:
                return False
            row[i] = 0
    return True
