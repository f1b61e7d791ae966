"""Blocked Floyd-Warshall that reads its tiles from global memory; explained in
``tiled_global.cu``.
"""

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

_ID = "fw-tiled-global"


@device_variant(
    id=_ID,
    title="tiled, global",
    mapping=WorkMapping.BLOCK_PER_TILE,
    pseudocode=BLOCKED_FLOYD_WARSHALL,
    papers=(Citation("Bodra 2025", "Experimental Setup: Floyd-Warshall, Tiled implementation"),),
    parameters=(TILE,),
    idea=(
        "The pivot advances a tile at a time. First the tile on the diagonal is closed, then the "
        "tiles in its row and column are relaxed, then all others, each with one tile of that row "
        "and one of that column. Every cell is read and written once per tile of pivots; the "
        "numbers from the two other tiles are read from global memory, mostly through the cache."
    ),
    watch=(
        "Three phases a step: the tile on the diagonal, then a cross through it, "
        "then the whole matrix. Compare its third phase with the variant in shared memory: "
        "the difference is the gain from shared memory."
    ),
    cost="3n/tile launches; n³ cells relaxed, n² memory, and two reads, "
    "mostly from cache, for every relaxation.",
    caveat=(
        "The paper says that each memory location is accessed once per iteration; that holds for "
        "the cell a thread works on, which stays in a register here. The cells of the other two "
        "tiles are read as often as they are used."
    ),
    kernel="tiled_global.cu",
    memory=working_bytes,
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n).

    Raises NegativeCycle, OutOfMemory, KernelBuildError, ParameterError, Cancelled.
    """
    # of the two other tiles; only what is always written counts as written
    read = 2 * int(problem.parameters["tile"])
    values = TileValues(pivot_tile=1 + read, pivot_cross=2 + read, other_tiles=1 + read)
    return solve_in_three_phases(problem, _ID, __file__, "tiled_global.cu", values, slowness=6)
