"""UGPU with row bounds in shared memory and frontier flags in the read-only cache (UGPU_PLUS).

Explained in ``u_gpu_plus.cu``.
"""

from __future__ import annotations

from pathlib import Path

from solvers.algorithms.dijkstra.frontier_device import (
    BLOCK,
    SHARED_BOUNDS,
    device_variant,
    solve_on_device,
)
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import UNRESOLVED_DIJKSTRA
from solvers.core.variant import Citation, WorkMapping

KERNEL = Path(__file__).with_name("u_gpu_plus.cu")


@device_variant(
    id="da2cf-u-gpu-plus",
    title="UGPU_PLUS",
    mapping=WorkMapping.THREAD_PER_UNRESOLVED_VERTEX,
    pseudocode=UNRESOLVED_DIJKSTRA,
    device_work=SHARED_BOUNDS,
    papers=(Citation("Martín 2009", "section 4.2 (UGPU_PLUS)"),),
    parameters=(BLOCK,),
    kernel=KERNEL.name,
    idea=(
        "UGPU reads two row bounds per thread, one of which the neighbouring thread reads as well. "
        "Here each bound is read once and shared through shared memory. The frontier flags, which "
        "many threads read, come through the read-only cache."
    ),
    watch="The same rings as UGPU; only the time per iteration differs, "
    "and on current GPUs hardly at all.",
    cost="as UGPU: k iterations that read every arc into an unresolved vertex, O(k m) work",
    caveat=(
        "In 2009 global memory was not cached, and a texture was the way to a cache. Here a const "
        "__restrict__ pointer asks CUDA for the same cache. On OpenCL devices it is a plain read."
    ),
)
def solve(problem: Problem) -> Solution:
    return solve_on_device(problem, "da2cf-u-gpu-plus", KERNEL, predecessors=True)
