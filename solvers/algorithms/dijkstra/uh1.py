"""Compound frontier shared by CPU and GPU: only the update runs on the GPU (the paper's UH1).

Explained in ``u_gpu.cu``.
"""

from __future__ import annotations

from solvers.algorithms.dijkstra.frontier_device import Split, hybrid_variant, solve_hybrid
from solvers.algorithms.dijkstra.frontier_host import vertex_bytes
from solvers.core.problem import Problem, Solution
from solvers.core.variant import Citation, DeviceWork


@hybrid_variant(
    id="da2cf-uh1",
    title="hybrid UH1",
    device_work=DeviceWork(others=("update",)),
    papers=(Citation("Martín 2009", "section 4.1 (UH1)"),),
    idea=(
        "The first step of moving the compound-frontier program to the GPU: the CPU relaxes and "
        "finds the minimum, the GPU marks the next frontier, one thread per vertex. In every "
        "iteration the distances are copied to the device, and both flag arrays back."
    ),
    watch=(
        "The rings of U. Look at the phases: the update is a trivial kernel, and the copies before "
        "and after it cost more than it saves."
    ),
    cost="k iterations (one per distinct distance) of O(m) on the CPU; "
    "each copies n distances over and 2n flags back",
    caveat="Slower than the CPU alone on most machines, because of the copies.",
    memory=vertex_bytes,
)
def solve(problem: Problem) -> Solution:
    return solve_hybrid(problem, Split(relax_on_device=False, update_on_device=True))
