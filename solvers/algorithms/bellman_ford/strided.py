"""Bellman-Ford with fewer threads than vertices, in a grid-stride loop; explained in
``strided.cu``.
"""

from __future__ import annotations

from pathlib import Path

from solvers.algorithms.bellman_ford.passes import device_variant, solve_by_passes
from solvers.algorithms.bellman_ford.vertex import WORK, two_distances
from solvers.algorithms.bellman_ford.workspace import (
    BLOCK,
    EARLY_EXIT,
    GRID,
    LAYOUT,
    padding_bytes,
    row_bytes,
)
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import BELLMAN_FORD
from solvers.core.variant import Citation, WorkMapping

_ID = "bf-strided"
KERNEL = Path(__file__).with_name("strided.cu")


@device_variant(
    id=_ID,
    title="strided",
    mapping=WorkMapping.THREADS_STRIDED,
    pseudocode=BELLMAN_FORD,
    device_work=WORK,
    papers=(Citation("Bodra 2025", "Experimental Setup: Bellman-Ford, strided"),),
    idea=(
        "The vertex kernel with a fixed number of threads: each loops over the vertices in steps "
        "of the number of threads. The grid size is a parameter, to be tuned for device and graph."
    ),
    watch="The frontiers are those of the vertex kernel, pass for pass; "
    "only the time per pass changes with the grid.",
    cost="O(n m) work at worst, O(passes × m) with early exit; two launches a pass. Memory: the "
    "graph and two distances a vertex; layouts ell and sliced add rows padded to equal length, "
    "which threads read side by side.",
    caveat=(
        "The paper finds it slower than one thread per vertex on small graphs: with more threads "
        "than vertices the loop only adds cost."
    ),
    parameters=(EARLY_EXIT, BLOCK, GRID, LAYOUT),
    kernel=KERNEL.name,
    memory=row_bytes,
    layout_memory=padding_bytes,
)
def solve(problem: Problem) -> Solution:
    """Run the passes on the problem's device; raises as `solve_by_passes`."""
    grid = int(problem.parameters["grid"])
    return solve_by_passes(
        problem, _ID, KERNEL, lambda work: two_distances(work, grid), passes=problem.graph.n - 1
    )
