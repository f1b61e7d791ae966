"""Blocked Floyd-Warshall with its tiles shared among OpenMP threads; a tile's work is
in ``tile_products.py``.

Idea
    Three parallel regions a step: the pivot tile by one thread, then its row and column
    of tiles, then the rest. `strips` holds copies of the tiles of the pivot's row
    without gaps: all tiles of a column of tiles read the same one, and in the matrix
    its rows would be n cells apart, which for n a power of two map to the same cache
    lines.

Why it is correct
    After phase 1 the pivot tile is closed, so phases 2 and 3 are products whose pivots
    may come in any order. A tile is written by one thread, and a region begins after
    the one before has ended, so nothing is locked.

Parameters
    ``threads``: OpenMP threads. ``tile``: rows of a tile.

Source
    Wang 2024, section 4.4, Algorithm 3 (OpenMP-Tiling). The paper runs plain
    Floyd-Warshall in every tile.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.algorithms.floyd_warshall.matrix import (
    DueCopies,
    cycle_tolerance,
    matrix_bytes,
    negative_cycle,
    padded,
    start_matrix,
    without_padding,
)
from solvers.algorithms.floyd_warshall.tiles import (
    close_tile,
    copy_tile,
    other_tiles,
    pivot_cross,
    pivot_tile,
    relax_tile,
)
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.pseudocode import BLOCKED_FLOYD_WARSHALL
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.graphs.graph import Graph
from solvers.parameters import Parameter
from solvers.system.array_types import AnyArray, Int64s
from solvers.system.jit import njit, prange
from solvers.system.openmp import THREADS, team

# Cells x pivots that a thread relaxes between two cancellation checks: 10 to 50 ms.
_WORK_PER_THREAD = 300_000_000

_LAST_PHASE = 3
_TILES = (4, 8, 16, 32, 64, 128, 256)
_TILE = Parameter(
    "tile", 128, "side of a tile in cells; three of them should fit a core's cache", choices=_TILES
)


def _working_bytes(graph: Graph) -> int:
    """The matrix and the pivot's row of tiles, padded to the largest tile."""
    whole = matrix_bytes(graph, max(_TILES))
    return whole + whole // max(1, padded(graph.n, max(_TILES)) // max(_TILES))


@variant(
    id="fw-omp-tiled",
    title="OpenMP, tiled",
    algorithm=Algorithm.FLOYD_WARSHALL,
    answers=Answers.APSP,
    runs_on=RunsOn.OPENMP,
    mapping=WorkMapping.CORES_SHARE_TILES,
    pseudocode=BLOCKED_FLOYD_WARSHALL,
    papers=(Citation("Wang 2024", "section 4.4, Algorithm 3: OpenMP-Tiling"),),
    parameters=(THREADS, _TILE),
    idea=(
        "The pivot advances a tile at a time. One thread closes the tile on the diagonal, then all "
        "threads share the tiles in its row and column, then all others. The two tiles that a core "
        "reads stay in its own cache, so memory bandwidth is no longer the limit."
    ),
    watch=(
        "Three phases a step: the tile on the diagonal, then a cross through it, "
        "then the whole matrix. Compare small tiles with large ones, "
        "and the speedup over more threads with that of the plain loop."
    ),
    cost="n³ cells relaxed on all cores, 3n/tile barriers; n² memory, read n/tile times.",
    caveat=(
        "The paper runs plain Floyd-Warshall in every tile. Phases 2 and 3 are products of closed "
        "tiles, whose pivots may come in any order: here four at a time for two rows, in vector "
        "registers, which the paper leaves as future work. It needs numba's OpenMP layer."
    ),
    memory=_working_bytes,
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n).

    Raises NegativeCycle, OutOfMemory, Unavailable, ParameterError, Cancelled.
    """
    graph, kind, tile = problem.graph, problem.distance_type, int(problem.parameters["tile"])
    phases = Phases()
    with team(int(problem.parameters["threads"]), "fw-omp-tiled") as threads:
        with phases.measure("prepare"):
            matrix = start_matrix(graph, kind, tile, problem.progress)
            across = matrix.shape[0] // tile
            strips = np.empty((across, tile, tile), dtype=matrix.dtype)
            tolerance = matrix.dtype.type(cycle_tolerance(graph, kind))
            infinity = matrix.dtype.type(kind.infinity)
        careful = graph.has_negative_weights and kind.is_integer
        due = DueCopies.of(problem.recorder, across, matrix.nbytes)
        run = _Run(
            problem, matrix, strips, tile, infinity, tolerance, careful, threads, phases, due
        )
        for step in range(across):
            run.step(step)
    with phases.measure("solve"):
        distances = without_padding(matrix, graph.n, problem.progress)
    return Solution(distances, across, phases, graph.n**3)


@dataclass(frozen=True)
class _Run:
    """The data shared by all steps of a run."""

    problem: Problem
    matrix: AnyArray
    strips: AnyArray
    tile: int
    infinity: Any
    tolerance: Any
    careful: bool
    threads: int
    times: Phases
    due: DueCopies

    def step(self, step: int) -> None:
        """Process the pivots of one tile; raises as `solve`."""
        tile, across = self.tile, len(self.strips)
        self._phase(step, 1, 1, _close, lambda: pivot_tile(step, tile))
        self._phase(step, 2, 2 * across, _share_cross, lambda: pivot_cross(step, tile, across))
        self._phase(step, 3, across**2, _share_rest, lambda: other_tiles(step, tile, across))

    def _phase(
        self,
        step: int,
        number: int,
        count: int,
        kernel: Callable[..., int],
        written: Callable[[], Int64s],
    ) -> None:
        """Process the ``count`` tiles of a phase in pieces, between which a run can be
        cancelled.
        """
        progress, recorder, graph = self.problem.progress, self.problem.recorder, self.problem.graph
        begun = time.perf_counter()
        at_once = max(self.threads, _WORK_PER_THREAD * self.threads // self.tile**3)
        for first in range(0, count, at_once):
            progress.checkpoint(step, len(self.strips))
            with self.times.measure("solve"):
                last = min(count, first + at_once)
                broken = kernel(
                    self.matrix,
                    self.strips,
                    step,
                    first,
                    last,
                    self.infinity,
                    self.tolerance,
                    self.careful,
                )
            if broken:
                raise negative_cycle(graph, min(graph.n, (step + 1) * self.tile), progress)
        if recorder is not None:
            shown = self.due.after(step, ends_step=number == _LAST_PHASE)
            matrix = self.matrix[: graph.n, : graph.n] if shown else None
            ms = (time.perf_counter() - begun) * 1e3
            recorder.matrix_step(step, number, np.minimum(written(), graph.n), matrix, ms)


@njit
def _close(
    matrix: AnyArray,
    strips: AnyArray,
    pivot: int,
    first: int,
    last: int,
    infinity: Any,
    tolerance: Any,
    careful: bool,
) -> int:
    """Phase 1: close the pivot tile and copy it; returns 1 if its diagonal turns
    negative, else 0.
    """
    tile = strips.shape[1]
    if not close_tile(matrix, pivot * tile, tile, infinity, tolerance, careful):
        return 1
    copy_tile(matrix, pivot * tile, pivot * tile, strips[pivot])
    return 0


@njit(parallel=True)
def _share_cross(
    matrix: AnyArray,
    strips: AnyArray,
    pivot: int,
    first: int,
    last: int,
    infinity: Any,
    tolerance: Any,
    careful: bool,
) -> int:
    """Phase 2: tiles ``first`` to ``last - 1`` of the pivot's row, then of its column;
    returns 0.
    """
    across, tile = strips.shape[0], strips.shape[1]
    origin = pivot * tile
    for number in prange(first, last):
        other = number % across
        if other != pivot:
            if number < across:
                # The strip holds the row tile as it was: what is read is not what is written.
                copy_tile(matrix, origin, other * tile, strips[other])
                relax_tile(matrix, origin, origin, other * tile, strips[other], infinity, careful)
                copy_tile(matrix, origin, other * tile, strips[other])
            else:
                relax_tile(matrix, other * tile, origin, origin, strips[pivot], infinity, careful)
    return 0


@njit(parallel=True)
def _share_rest(
    matrix: AnyArray,
    strips: AnyArray,
    pivot: int,
    first: int,
    last: int,
    infinity: Any,
    tolerance: Any,
    careful: bool,
) -> int:
    """Phase 3: tiles ``first`` to ``last - 1``, row by row; returns how many have a
    negative diagonal.
    """
    across, tile = strips.shape[0], strips.shape[1]
    broken = 0
    for number in prange(first, last):
        row, column = number // across, number % across
        if row != pivot and column != pivot:
            relax_tile(
                matrix, row * tile, pivot * tile, column * tile, strips[column], infinity, careful
            )
            if row == column and not _reset_rounded_diagonal(matrix, row * tile, tile, tolerance):
                broken += 1
    return broken


@njit
def _reset_rounded_diagonal(matrix: AnyArray, first: int, tile: int, tolerance: Any) -> bool:
    """Reset to 0 diagonal cells that only rounding made negative; False if one is
    negative beyond rounding.
    """
    for i in range(first, first + tile):
        if matrix[i, i] < 0:
            if matrix[i, i] < -tolerance:
                return False
            matrix[i, i] = 0
    return True
