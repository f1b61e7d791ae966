"""Floyd-Warshall with one thread per row of the matrix; one launch per pivot k;
explained in ``vertex.cu``.
"""

from __future__ import annotations

from solvers.algorithms.floyd_warshall.matrix import matrix_bytes
from solvers.algorithms.floyd_warshall.on_device import Blocks, device_variant, solve_by_pivots
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import FLOYD_WARSHALL
from solvers.core.variant import Citation, WorkMapping
from solvers.parameters import Parameter

# Small by default: n threads are few, and small blocks reach more multiprocessors.
_BLOCK = Parameter(
    "block",
    64,
    "threads in a block, each with a row of its own",
    choices=(32, 64, 128, 256, 512, 1024),
)


_ID = "fw-vertex"


@device_variant(
    id=_ID,
    title="vertex",
    mapping=WorkMapping.THREAD_PER_ROW,
    pseudocode=FLOYD_WARSHALL,
    papers=(
        Citation(
            "Bodra 2025", "Experimental Setup: Floyd-Warshall, One thread per vertex implementation"
        ),
    ),
    parameters=(_BLOCK,),
    idea=(
        "Each vertex has a thread, which goes along its row of the matrix and checks for each "
        "column whether the path through the pivot is shorter. This takes only n threads instead "
        "of n². But the accesses of adjacent threads are a whole row apart and do not coalesce, "
        "and most of the GPU is idle."
    ),
    watch=(
        "The same steps as one thread per cell, each many times slower. It shows how not to map "
        "threads to a matrix, and is the baseline of the paper's figure 2."
    ),
    cost="n launches of n threads that take n steps each; n³ cells relaxed, "
    "n² memory, none of it read in order.",
    caveat=(
        "The distance to the pivot is read once per row, and a thread loads eight cells of its row "
        "at once, which is faster; the paper's threads load one."
    ),
    kernel="vertex.cu",
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
        "vertex.cu",
        Blocks((block, 1), block, max(1, problem.graph.n), _values),
    )


def _values(size: int) -> int:
    """For each row the way to the pivot, and for each cell its own value and that of
    the pivot's row.
    """
    return size + 2 * size**2
