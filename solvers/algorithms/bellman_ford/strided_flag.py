"""Bellman-Ford in a grid-stride loop over flagged vertices; explained in ``strided_flag.cu``."""

from __future__ import annotations

from pathlib import Path

from solvers.algorithms.bellman_ford.passes import device_variant, solve_by_passes
from solvers.algorithms.bellman_ford.workspace import (
    BLOCK,
    EARLY_EXIT,
    GRID,
    LAYOUT,
    Plan,
    Workspace,
    padding_bytes,
    row_bytes,
)
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import FLAGGED_BELLMAN_FORD
from solvers.core.variant import Bytes, Citation, DeviceWork, Traffic, WorkMapping
from solvers.graphs.graph import Graph

_ID = "bf-strided-flag"
KERNEL = Path(__file__).with_name("strided_flag.cu")

_WORK = DeviceWork(
    ("relax", "relax_padded"),
    ("keep",),
    Traffic(vertex=Bytes(1, 2), active=Bytes(17, 1), relaxed=Bytes(4, 2), improved=Bytes(1, 2)),
)


def memory(graph: Graph) -> int:
    """Device bytes."""
    return row_bytes(graph, flags=1)


@device_variant(
    id=_ID,
    title="strided + flag",
    mapping=WorkMapping.THREADS_STRIDED_FLAGGED,
    pseudocode=FLAGGED_BELLMAN_FORD,
    device_work=_WORK,
    papers=(Citation("Bodra 2025", "Experimental Setup: Bellman-Ford, strided with flag"),),
    idea=(
        "Each vertex carries a flag, set when its distance fell in the last pass; only flagged "
        "vertices relax their arcs. The others would only repeat their last offers."
    ),
    watch=(
        "Only the frontier relaxes arcs, while every thread still reads its flags. The number of "
        "relaxed arcs now follows the frontier."
    ),
    cost=(
        "Relaxes only the arcs of the frontier, but reads n flags per pass; O(n m) at worst. "
        "Two launches a pass. Memory: the graph, two distances and a byte per vertex; "
        "layouts ell and sliced add padded rows."
    ),
    caveat=(
        "The paper resets a flag in the pass that may also set it, which can lose an improvement; "
        "here a second kernel sets the flags."
    ),
    parameters=(EARLY_EXIT, BLOCK, GRID, LAYOUT),
    kernel=KERNEL.name,
    memory=memory,
    layout_memory=padding_bytes,
)
def solve(problem: Problem) -> Solution:
    """Run the passes on the problem's device; raises as `solve_by_passes`."""
    grid = int(problem.parameters["grid"])
    return solve_by_passes(
        problem,
        _ID,
        KERNEL,
        lambda work: _plan(work, grid),
        passes=problem.graph.n - 1,
        flagged=True,
    )


def _plan(work: Workspace, grid: int) -> Plan:
    relax, rows = work.rows_in_layout()
    previous, flags = work.distances(), work.flags()

    def start() -> None:
        work.start_distances(previous)
        work.start_flags(flags, source=True)

    def queue(number: int) -> None:
        arguments = (*rows, previous, work.distance, flags)
        work.launch(relax, work.n, *arguments, *work.limits(number), grid=grid)
        work.launch(
            "keep", work.n, work.distance, previous, flags, *work.progress(number), grid=grid
        )

    return Plan(start, queue)
