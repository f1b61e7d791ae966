"""Blocked Floyd-Warshall with the tiles in shared memory; the kernels are in ``tiled_shared.cu``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from solvers.catalog import Algorithm, Answers, Citation, Parameter, RunsOn, variant
from solvers.floyd_warshall.matrix import matrix_bytes
from solvers.floyd_warshall.on_device import OnDevice, Phase, Scheme, bands, solve_on_device
from solvers.floyd_warshall.tiles import TILES, other_tiles, pivot_cross, pivot_tile
from solvers.graph import Graph
from solvers.problem import Problem, Solution

_TILE = Parameter("tile", 32, "side of a tile in cells: tile x tile threads a block", choices=TILES)


def _working_bytes(graph: Graph) -> int:
    """The matrix, padded to the largest tile."""
    return matrix_bytes(graph, max(TILES))


@variant(
    id="fw-tiled-shared",
    title="tiled, shared",
    algorithm=Algorithm.FLOYD_WARSHALL,
    answers=Answers.APSP,
    runs_on=RunsOn.GPU,
    papers=(
        Citation("Bodra 2025", "Experimental Setup: Floyd-Warshall, Tiled with shared memory"),
        Citation("Wang 2024", "Algorithms 5 and 6: CUDA-Tiling"),
    ),
    parameters=(_TILE,),
    idea=(
        "Take the pivots a tile at a time. First close the tile on the diagonal, then the tiles in its row and its "
        "column, then all others: each from the one beside it and the one above it. A block copies these two into its "
        "shared memory, and every number fetched is used as often as the tile is wide."
    ),
    watch=(
        "Three phases a step: a dot moving down the diagonal, then a cross through it, then the whole matrix. Nearly "
        "all the time goes into the third, and all its tiles can be done at once."
    ),
    cost="3n/tile launches; n³ cells relaxed, n² memory, and tile times fewer reads of it than one thread per cell.",
    caveat=(
        "Wang's phase 3 skips only the tile where both block numbers equal k, and reads a result that was never set; "
        "here it skips the pivot's whole row and column, and starts from the matrix. The cell a thread works on stays "
        "in a register rather than in shared memory, and phases 2 and 3 wait once rather than after every pivot."
    ),
    kernel="tiled_shared.cu",
    memory=_working_bytes,
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n).

    Raises
    ------
    NegativeCycle, OutOfMemory, KernelBuildError, ParameterError, Cancelled
    """
    tile = int(problem.parameters["tile"])
    block = (tile, tile)

    def phases(on: OnDevice, step: int) -> Iterator[Phase]:
        stride, pivot, across = np.int64(on.size), np.int32(step), on.size // tile
        one, two, three = (np.int32(3 * step + phase) for phase in range(3))
        arguments = (on.matrix, stride, pivot, one, on.unsound, on.tolerance)
        yield Phase(step, 1, (("pivot_tile", (1, 1), block, arguments),), lambda: pivot_tile(step, tile), False)
        crossing = ("pivot_cross", (across, 2), block, (on.matrix, stride, pivot, two, on.unsound))
        yield Phase(step, 2, (crossing,), lambda: pivot_cross(step, tile, across), False)
        others = tuple(
            (
                "other_tiles",
                (across, count),
                block,
                (on.matrix, stride, np.int32(first), pivot, three, on.unsound, on.tolerance),
            )
            for first, count in bands(on, across, on.size * tile * tile)
        )
        yield Phase(step, 3, others, lambda: other_tiles(step, tile, across))

    return solve_on_device(problem, Scheme(__file__, "tiled_shared.cu", tile, phases, (("TILE", tile),)))
