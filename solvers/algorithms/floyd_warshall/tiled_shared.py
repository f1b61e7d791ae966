"""Blocked Floyd-Warshall with the tiles in shared memory; explained in ``tiled_shared.cu``."""

from __future__ import annotations

from solvers.algorithms.floyd_warshall.on_device import (
    TILE,
    TileValues,
    device_variant,
    solve_in_three_phases,
    working_bytes,
)
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import BLOCKED_FLOYD_WARSHALL
from solvers.core.variant import Citation, WorkMapping

_ID = "fw-tiled-shared"


@device_variant(
    id=_ID,
    title="tiled, shared",
    mapping=WorkMapping.BLOCK_PER_TILE,
    pseudocode=BLOCKED_FLOYD_WARSHALL,
    papers=(
        Citation("Bodra 2025", "Experimental Setup: Floyd-Warshall, Tiled with shared memory"),
        Citation("Wang 2024", "Algorithms 5 and 6: CUDA-Tiling"),
    ),
    parameters=(TILE,),
    idea=(
        "The pivot advances a tile at a time. First the tile on the diagonal is closed, then the "
        "tiles in its row and column are relaxed, then all others, each with one tile of that row "
        "and one of that column. A block copies these two into shared memory, so every number "
        "loaded is used as often as the tile is wide."
    ),
    watch=(
        "Three phases a step: the tile on the diagonal, then a cross through it, then the whole "
        "matrix. Nearly all the time goes into the third phase, whose tiles are independent."
    ),
    cost="3n/tile launches; n³ cells relaxed, n² memory, and tile times fewer reads of "
    "it than one thread per cell.",
    caveat=(
        "Wang's phase 3 skips only the tile where both block numbers equal k, and reads a result "
        "that was never set; here it skips the pivot's whole row and column, and starts from the "
        "matrix. The cell a thread works on stays in a register rather than in shared memory, and "
        "phases 2 and 3 wait once rather than after every pivot."
    ),
    kernel="tiled_shared.cu",
    memory=working_bytes,
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n).

    Raises NegativeCycle, OutOfMemory, KernelBuildError, ParameterError, Cancelled.
    """
    # a write where it is made whatever the graph is
    values = TileValues(pivot_tile=2, pivot_cross=3, other_tiles=3)
    return solve_in_three_phases(problem, _ID, __file__, "tiled_shared.cu", values)
