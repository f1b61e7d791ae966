"""Bellman-Ford with two flags per vertex, and one report of a change per block.

Explained in ``edge_flags_shared.cu``.
"""

from __future__ import annotations

from pathlib import Path

from solvers.algorithms.bellman_ford.edge_flags import memory, two_flags
from solvers.algorithms.bellman_ford.parameters import BLOCK, EARLY_EXIT
from solvers.algorithms.bellman_ford.passes import solve_by_passes
from solvers.contracts.catalog import Algorithm, Answers, Citation, RunsOn, variant
from solvers.contracts.mapping import WorkMapping
from solvers.contracts.problem import Problem, Solution

_ID = "bf-edge-flags-shared"
KERNEL = Path(__file__).with_name("edge_flags_shared.cu")


@variant(
    id=_ID,
    title="edge + flags, shared",
    algorithm=Algorithm.BELLMAN_FORD,
    answers=Answers.SSSP,
    runs_on=RunsOn.GPU,
    mapping=WorkMapping.THREAD_PER_FLAGGED_ARC,
    papers=(Citation("Cholla 2025", "section 5 (ver3)"),),
    idea="The two-flag kernel, whose blocks gather in shared memory whether anything fell. One thread a block reports "
    "it, and the device itself ends the run once a pass reports nothing.",
    watch="Compare the time of a pass with edge + flags while the frontier is large (dense graphs): there many "
    "threads report at once. While it is small, the two barriers only cost.",
    cost="As edge + flags, and two barriers a block. Memory: tail, head and weight of each arc, a distance and two "
    "bytes a vertex.",
    caveat="The paper names shared memory and early termination for ver3 but lists no code; this is one reading of it.",
    parameters=(EARLY_EXIT, BLOCK),
    kernel=KERNEL.name,
    memory=memory,
)
def solve(problem: Problem) -> Solution:
    """Run the passes on the problem's device; raises as `solve_by_passes`."""
    return solve_by_passes(problem, _ID, KERNEL, two_flags, passes=problem.graph.n, flagged=True)
