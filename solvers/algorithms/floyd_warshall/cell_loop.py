"""One thread per matrix cell in blocks along the rows, one launch per pivot; the kernel
is in ``cell.cu``.
"""

from __future__ import annotations

from solvers.algorithms.floyd_warshall.matrix import matrix_bytes
from solvers.algorithms.floyd_warshall.on_device import (
    ROW_BLOCK,
    Blocks,
    cell_values,
    device_variant,
    solve_by_pivots,
)
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import FLOYD_WARSHALL
from solvers.core.variant import Citation, WorkMapping

_ID = "fw-cell-loop"


@device_variant(
    id=_ID,
    title="cell, CUDA-Loop",
    mapping=WorkMapping.THREAD_PER_CELL,
    pseudocode=FLOYD_WARSHALL,
    papers=(Citation("Wang 2024", "section 4.5, Algorithm 4: CUDA-Loop"),),
    parameters=(ROW_BLOCK,),
    idea=(
        "The two inner loops of the textbook become threads: "
        "one for every pair (i, j), in blocks that each cover a piece of one row. "
        "The loop over the pivots becomes a sequence of launches. "
        "Neighbouring threads access neighbouring cells, so that memory is read in whole lines."
    ),
    watch=(
        "One step per vertex, the whole matrix in each. Run it with several block sizes: "
        "the more threads a multiprocessor can hold, the better it hides memory latency; "
        "the paper's peak is at 256."
    ),
    cost="n launches of n² threads; n³ cells relaxed, n² memory, "
    "limited by memory, not by arithmetic.",
    caveat=(
        "The comparison in the paper's listing is reversed and would keep the longer path; here "
        "the shorter one wins. It differs from the cell variant only in the shape of its blocks."
    ),
    kernel="cell.cu",
    memory=matrix_bytes,
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n); raises NegativeCycle, OutOfMemory,
    KernelBuildError, Cancelled.
    """
    block = int(problem.parameters["block"])
    return solve_by_pivots(
        problem, _ID, __file__, "cell.cu", Blocks((block, 1), 1, block, cell_values)
    )
