"""Compound frontier shared by CPU and GPU: all but the minimum run on the GPU (the paper's UH3).

Explained in ``u_gpu.cu``.
"""

from __future__ import annotations

from solvers.algorithms.dijkstra.frontier_device import (
    Split,
    frontier_bytes,
    hybrid_variant,
    solve_hybrid,
)
from solvers.core.problem import Problem, Solution
from solvers.core.variant import Citation, DeviceWork


@hybrid_variant(
    id="da2cf-uh3",
    title="hybrid UH3",
    device_work=DeviceWork(("relax",), ("update",)),
    papers=(Citation("Martín 2009", "section 4.1 (UH3)"),),
    idea=(
        "Relaxing and updating are kernels; only the minimum stays on the CPU. "
        "A single number is copied to the device, but to compute it the distances and one flag "
        "array come back in every iteration."
    ),
    watch=(
        "The rings of U. Almost no time is spent on copies to the device any more; UGPU also "
        "removes the copies back, by a reduction on the GPU."
    ),
    cost=(
        "k iterations (one per distinct distance), O(m) on the GPU and O(n) on the CPU; each "
        "copies n distances and n flags back"
    ),
    caveat="The frontier flags stay on the device: the host never reads them.",
    memory=frontier_bytes,
)
def solve(problem: Problem) -> Solution:
    return solve_hybrid(problem, Split(relax_on_device=True, update_on_device=True))
