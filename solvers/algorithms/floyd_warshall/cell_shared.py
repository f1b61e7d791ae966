"""Floyd-Warshall with one thread per cell, in blocks that each lie in one row;
explained in ``cell_shared.cu``.
"""

from __future__ import annotations

from functools import partial

from solvers.algorithms.floyd_warshall.matrix import matrix_bytes
from solvers.algorithms.floyd_warshall.on_device import (
    ROW_BLOCK,
    Blocks,
    device_variant,
    solve_by_pivots,
)
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import FLOYD_WARSHALL
from solvers.core.variant import Citation, WorkMapping

_ID = "fw-cell-shared"


@device_variant(
    id=_ID,
    title="cell, shared",
    mapping=WorkMapping.THREAD_PER_CELL,
    pseudocode=FLOYD_WARSHALL,
    papers=(
        Citation(
            "Bodra 2025",
            "Experimental Setup: Floyd-Warshall, One thread per edge with shared memory",
        ),
    ),
    parameters=(ROW_BLOCK,),
    idea=(
        "One thread per pair (i, j), in blocks that each lie in one row. All threads of a block "
        "need the same number, the distance from i to the pivot: the first thread loads it, and "
        "the others read it from shared memory."
    ),
    watch=(
        "The same steps as one thread per cell, and nearly the same time: it saves a read that the "
        "cache would have served, and all threads of a block wait for the first."
    ),
    cost="n launches of n² threads, a barrier in each block; n³ cells relaxed, n² memory.",
    caveat=(
        "The paper calls the variant “one thread per edge”, but it has a thread for each cell of "
        "the matrix. Here a thread loads its own two numbers before it waits for the shared one."
    ),
    kernel="cell_shared.cu",
    memory=matrix_bytes,
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n); raises NegativeCycle, OutOfMemory,
    KernelBuildError, Cancelled.
    """
    block = int(problem.parameters["block"])
    return solve_by_pivots(
        problem,
        _ID,
        __file__,
        "cell_shared.cu",
        Blocks((block, 1), 1, block, partial(_values, block)),
    )


def _values(block: int, size: int) -> int:
    """For each thread its cell and that of the pivot's row, also past the last column;
    for each block the way to the pivot.
    """
    blocks = -(-size // block) * size
    return blocks * (2 * block + 1)
