"""Compound frontier shared by CPU and GPU: only relaxing runs on the GPU (the paper's UH2).

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
    id="da2cf-uh2",
    title="hybrid UH2",
    device_work=DeviceWork(("relax",)),
    papers=(Citation("Martín 2009", "section 4.1 (UH2)"),),
    idea=(
        "Only relaxing runs on the GPU, one thread per unresolved vertex; the CPU finds the "
        "minimum and marks the next frontier. In every iteration the distances are copied to the "
        "host and both flag arrays to the device."
    ),
    watch="The rings of U. Compare host-to-device and device-to-host with the "
    "solve phase: the copies dominate.",
    cost=(
        "k iterations (one per distinct distance), O(m) on the GPU and O(n) on the CPU; each "
        "copies 2n flags over and n distances back"
    ),
    caveat="The flags are one byte per vertex, so 2n bytes are copied "
    "against the 4n or 8n of the distances.",
    memory=frontier_bytes,
)
def solve(problem: Problem) -> Solution:
    return solve_hybrid(problem, Split(relax_on_device=True, update_on_device=False))
