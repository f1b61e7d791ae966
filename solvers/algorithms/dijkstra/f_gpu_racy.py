"""FGPU without atomics, for measuring the cost of atomics (FGPU_no_Atomic); explained
in ``f_gpu_racy.cu``.
"""

from __future__ import annotations

from pathlib import Path

from solvers.algorithms.dijkstra.frontier_device import (
    BLOCK,
    FROM_FRONTIER,
    device_variant,
    solve_on_device,
)
from solvers.algorithms.dijkstra.layouts import LAYOUT, matrix_bytes
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import FRONTIER_DIJKSTRA
from solvers.core.variant import Citation, WorkMapping

KERNEL = Path(__file__).with_name("f_gpu_racy.cu")


@device_variant(
    id="da2cf-f-gpu-racy",
    title="FGPU, no atomics (racy)",
    short_title="FGPU, racy",
    mapping=WorkMapping.THREAD_PER_FRONTIER_VERTEX,
    pseudocode=FRONTIER_DIJKSTRA,
    device_work=FROM_FRONTIER,
    papers=(
        Citation("Martín 2009", "sections 4.1 and 6 (FGPU_no_Atomic); section 5 for the matrix"),
    ),
    parameters=(LAYOUT, BLOCK),
    racy=True,
    kernel=KERNEL.name,
    idea=(
        "FGPU with a plain minimum in place of atomicMin: read the distance, compare, write it "
        "back. Between read and write another thread may write a smaller distance, which is then "
        "lost. It shows the cost of atomics, and why they are needed."
    ),
    watch=(
        "Run it on the contention graph several times: the distance of the last vertex differs "
        "from run to run. On sparse graphs with few shared heads it is often correct."
    ),
    cost="as FGPU: k iterations of O(n) and O(m) relaxations, without the cost of atomics",
    caveat=(
        "For measuring only: answers may be wrong by design. A distance is always that of some "
        "path, so never too small; and every iteration settles a vertex, so the run ends."
    ),
    layout_memory=matrix_bytes,
)
def solve(problem: Problem) -> Solution:
    return solve_on_device(problem, "da2cf-f-gpu-racy", KERNEL, predecessors=False)
