"""Bellman-Ford with two flags per vertex, and one report of a change per block.

Explained in ``edge_flags_shared.cu``.
"""

from __future__ import annotations

from pathlib import Path

from solvers.algorithms.bellman_ford.edge_flags import WORK, memory, two_flags
from solvers.algorithms.bellman_ford.passes import device_variant, solve_by_passes
from solvers.algorithms.bellman_ford.workspace import BLOCK, EARLY_EXIT
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import FLAGGED_BELLMAN_FORD
from solvers.core.variant import Citation, WorkMapping

_ID = "bf-edge-flags-shared"
KERNEL = Path(__file__).with_name("edge_flags_shared.cu")


@device_variant(
    id=_ID,
    title="edge + flags, shared",
    mapping=WorkMapping.THREAD_PER_FLAGGED_ARC,
    pseudocode=FLAGGED_BELLMAN_FORD,
    device_work=WORK,
    papers=(Citation("Cholla 2025", "section 5 (ver3)"),),
    idea=(
        "As edge + flags, but the threads of a block collect in shared memory whether any "
        "distance fell. One thread per block reports it, and the device itself ends the run "
        "when a pass reports nothing."
    ),
    watch=(
        "Compare the time per pass with edge + flags while the frontier is large, "
        "as on dense graphs: many threads report at once there. While it is small, "
        "the two barriers only add cost."
    ),
    cost=(
        "As edge + flags, plus two barriers per block. Memory: tail, head and weight of each arc, "
        "a distance and two bytes per vertex."
    ),
    caveat=(
        "The paper names shared memory and early termination for ver3 but lists no code; "
        "this is one interpretation of it."
    ),
    parameters=(EARLY_EXIT, BLOCK),
    kernel=KERNEL.name,
    memory=memory,
)
def solve(problem: Problem) -> Solution:
    """Run the passes on the problem's device; raises as `solve_by_passes`."""
    return solve_by_passes(problem, _ID, KERNEL, two_flags, passes=problem.graph.n, flagged=True)
