"""UGPU with a second reduction on the GPU (the paper's UGPU+2min); explained in ``u_gpu.cu``."""

from __future__ import annotations

from pathlib import Path

from solvers.algorithms.dijkstra.frontier_device import (
    BLOCK,
    FROM_UNSETTLED,
    device_variant,
    solve_on_device,
)
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import UNRESOLVED_DIJKSTRA
from solvers.core.variant import Citation, WorkMapping

KERNEL = Path(__file__).with_name("u_gpu.cu")


@device_variant(
    id="da2cf-u-gpu-2min",
    title="UGPU + 2min",
    mapping=WorkMapping.THREAD_PER_UNRESOLVED_VERTEX,
    pseudocode=UNRESOLVED_DIJKSTRA,
    device_work=FROM_UNSETTLED,
    papers=(Citation("Martín 2009", "section 4.1 (UGPU+2min)"),),
    parameters=(BLOCK,),
    kernel=KERNEL.name,
    idea=(
        "UGPU, but the values that the first reduction leaves, one per two blocks of vertices, "
        "are reduced once more by a second kernel before the CPU reads them: "
        "fewer bytes to read, one more launch."
    ),
    watch=(
        "The same rings as UGPU. Compare the times: a launch costs about as much as reading a few "
        "thousand values, so the second reduction gains almost nothing."
    ),
    cost="as UGPU; an iteration reads back n / (2 · block)² values instead of n / (2 · block)",
    caveat="The paper found no difference between the two: "
    "there are few values to read back in either case.",
)
def solve(problem: Problem) -> Solution:
    return solve_on_device(
        problem, "da2cf-u-gpu-2min", KERNEL, predecessors=True, second_minimum=True
    )
