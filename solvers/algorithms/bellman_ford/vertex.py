"""Bellman-Ford with one thread per vertex and two distance arrays; explained in ``vertex.cu``."""

from __future__ import annotations

from pathlib import Path

from solvers.algorithms.bellman_ford.passes import device_variant, solve_by_passes
from solvers.algorithms.bellman_ford.workspace import (
    BLOCK,
    EARLY_EXIT,
    LAYOUT,
    Plan,
    Workspace,
    padding_bytes,
    row_bytes,
)
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import BELLMAN_FORD
from solvers.core.variant import Bytes, Citation, DeviceWork, Traffic, WorkMapping

_ID = "bf-vertex"
KERNEL = Path(__file__).with_name("vertex.cu")
WORK = DeviceWork(
    ("relax", "relax_padded"),
    ("keep",),
    Traffic(
        vertex=Bytes(values=3), reached=Bytes(16), reached_arc=Bytes(4, 2), improved=Bytes(values=1)
    ),
)


@device_variant(
    id=_ID,
    title="vertex",
    mapping=WorkMapping.THREAD_PER_VERTEX,
    pseudocode=BELLMAN_FORD,
    device_work=WORK,
    papers=(Citation("Bodra 2025", "Experimental Setup: Bellman-Ford, one thread per vertex"),),
    idea=(
        "Each vertex has a thread, which relaxes all arcs that leave it in every pass. Distances "
        "are read from one array and lowered in another by atomic minimum, then copied."
    ),
    watch=(
        "The frontier advances exactly one arc a pass, yet every arc is relaxed in every pass: "
        "compare relaxed with active."
    ),
    cost="O(n m) work at worst, O(passes × m) with early exit; two launches a pass. Memory: the "
    "graph and two distances a vertex; layouts ell and sliced add rows padded to equal length, "
    "which threads read side by side.",
    caveat=(
        "The paper states O(n² + m) space, for all pairs; one source needs O(n + m). A vertex of "
        "high degree occupies its one thread while the other threads of the warp wait."
    ),
    parameters=(EARLY_EXIT, BLOCK, LAYOUT),
    kernel=KERNEL.name,
    memory=row_bytes,
    layout_memory=padding_bytes,
)
def solve(problem: Problem) -> Solution:
    """Run the passes on the problem's device; raises as `solve_by_passes`."""
    return solve_by_passes(problem, _ID, KERNEL, two_distances, passes=problem.graph.n - 1)


def two_distances(work: Workspace, grid: int | None = None) -> Plan:
    """The arrays and launches of a kernel file with ``relax`` over rows and ``keep``,
    in ``grid`` blocks at most.
    """
    relax, rows = work.rows_in_layout()
    previous = work.distances()

    def queue(number: int) -> None:
        arguments = (*rows, previous, work.distance)
        work.launch(relax, work.n, *arguments, *work.limits(number), grid=grid)
        work.launch("keep", work.n, work.distance, previous, *work.progress(number), grid=grid)

    return Plan(lambda: work.start_distances(previous), queue)
