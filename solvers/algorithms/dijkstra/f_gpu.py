"""Compound-frontier Dijkstra on a GPU, relaxing the arcs that leave the frontier (FGPU).

Explained in ``f_gpu.cu``.
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

KERNEL = Path(__file__).with_name("f_gpu.cu")


@device_variant(
    id="da2cf-f-gpu",
    title="FGPU",
    mapping=WorkMapping.THREAD_PER_FRONTIER_VERTEX,
    pseudocode=FRONTIER_DIJKSTRA,
    device_work=FROM_FRONTIER,
    papers=(
        Citation("Martín 2009", "sections 3 and 4.1, Figs. 3–4 (FGPU); section 5 for the matrix"),
    ),
    parameters=(LAYOUT, BLOCK),
    kernel=KERNEL.name,
    idea=(
        "Three kernels an iteration, one thread per vertex. "
        "Relax: the threads of frontier vertices relax the arcs that leave them; "
        "if two reach the same head, atomicMin keeps the smaller distance. "
        "Minimum and update are those of UGPU. Every arc is relaxed once in the whole run."
    ),
    watch=(
        "The same rings as UGPU, in less time on sparse graphs: threads outside the "
        "frontier return at once. With the matrix the paper found the opposite, "
        "because adjacent threads then read different rows."
    ),
    cost="k iterations of O(n), one per distinct distance (k ≤ n), and O(m) relaxations in all",
    caveat=(
        "Only unresolved vertices enter the frontier (the paper's update also "
        "lets settled ones in, which would matter with arcs of weight zero). "
        "The matrix is filled on the device from the arcs; cells without an arc are skipped, "
        "because the atomic minimum would change nothing."
    ),
    layout_memory=matrix_bytes,
)
def solve(problem: Problem) -> Solution:
    return solve_on_device(problem, "da2cf-f-gpu", KERNEL, predecessors=False)
