"""Compound-frontier Dijkstra on a GPU, relaxing unresolved vertices (UGPU); explained
in ``u_gpu.cu``.
"""

from __future__ import annotations

from pathlib import Path

from solvers.algorithms.dijkstra.frontier_device import (
    BLOCK,
    FROM_UNSETTLED,
    device_variant,
    solve_on_device,
)
from solvers.algorithms.dijkstra.layouts import LAYOUT, matrix_bytes
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import UNRESOLVED_DIJKSTRA
from solvers.core.variant import Citation, WorkMapping

KERNEL = Path(__file__).with_name("u_gpu.cu")


@device_variant(
    id="da2cf-u-gpu",
    title="UGPU",
    mapping=WorkMapping.THREAD_PER_UNRESOLVED_VERTEX,
    pseudocode=UNRESOLVED_DIJKSTRA,
    device_work=FROM_UNSETTLED,
    papers=(
        Citation("Martín 2009", "sections 3 and 4.1, Figs. 3–4 (UGPU); section 5 for the matrix"),
    ),
    parameters=(LAYOUT, BLOCK),
    kernel=KERNEL.name,
    idea=(
        "Three kernels an iteration, one thread per vertex. Relax: an unresolved vertex looks for "
        "frontier vertices among its predecessors and keeps the best offer; it writes only its own "
        "distance, so no atomics are needed. Minimum: each block reduces the values in shared "
        "memory, two per thread, to one, and the CPU finds the least of these. Update: unresolved "
        "vertices at that distance become the frontier."
    ),
    watch=(
        "The rings are those of the CPU version. Their number matters, not their size: every ring "
        "costs three launches and one small read-back, however few vertices it holds."
    ),
    cost=(
        "k iterations, one per distinct distance (k ≤ n); each reads every arc into an "
        "unresolved vertex: O(k m) work"
    ),
    caveat=(
        "Designed for GPUs without atomics; on one that has them, F does less work on sparse "
        "graphs. Only unresolved vertices enter the frontier (the paper's update also admits "
        "settled ones, which would matter with arcs of weight zero). The matrix is filled on the "
        "device from the arcs, which avoids copying n² cells."
    ),
    layout_memory=matrix_bytes,
)
def solve(problem: Problem) -> Solution:
    return solve_on_device(problem, "da2cf-u-gpu", KERNEL, predecessors=True)
