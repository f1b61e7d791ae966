"""Floyd-Warshall with one thread per cell; one launch per pivot k; explained in ``cell.cu``."""

from __future__ import annotations

from solvers.algorithms.floyd_warshall.matrix import matrix_bytes
from solvers.algorithms.floyd_warshall.on_device import (
    Blocks,
    cell_values,
    device_variant,
    solve_by_pivots,
)
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import FLOYD_WARSHALL
from solvers.core.variant import Citation, WorkMapping
from solvers.parameters import Parameter

# Threads of a block that lie side by side in a row: four warps, so that reads of row
# and pivot row are whole lines, and the number from column k, a line for itself, serves
# all four.
_ACROSS = 128

_ID = "fw-cell"
_BLOCK = Parameter(
    "block", 256, "threads per block, 128 side by side", choices=(128, 256, 512, 1024)
)


@device_variant(
    id=_ID,
    title="cell",
    mapping=WorkMapping.THREAD_PER_CELL,
    pseudocode=FLOYD_WARSHALL,
    papers=(Citation("Bodra 2025", "Experimental Setup: Floyd-Warshall, One thread per edge"),),
    parameters=(_BLOCK,),
    idea=(
        "One thread per pair (i, j). In each launch all of them ask whether the path through one "
        "pivot k is shorter. Threads share no data and do not wait for each other, but each reads "
        "three numbers from global memory for one addition and one comparison."
    ),
    watch=(
        "One step per vertex, the whole matrix in each. The time per step hardly changes: it is "
        "the time to read the matrix once."
    ),
    cost="n launches of n² threads; n³ cells relaxed, n² memory, limited by memory bandwidth.",
    caveat=(
        "The paper calls the variant “one thread per edge”, but it has a thread for each cell of "
        "the matrix, with or without an arc."
    ),
    kernel="cell.cu",
    memory=matrix_bytes,
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n); raises NegativeCycle, OutOfMemory,
    KernelBuildError, Cancelled.
    """
    down = int(problem.parameters["block"]) // _ACROSS
    return solve_by_pivots(
        problem, _ID, __file__, "cell.cu", Blocks((_ACROSS, down), down, _ACROSS, cell_values)
    )
