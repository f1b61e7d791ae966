"""Bellman-Ford with one thread per arc; distances are lowered in place; explained in
``edge.cu``.
"""

from __future__ import annotations

from pathlib import Path

from solvers.algorithms.bellman_ford.passes import device_variant, solve_by_passes
from solvers.algorithms.bellman_ford.workspace import BLOCK, EARLY_EXIT, Plan, Workspace, arc_bytes
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import BELLMAN_FORD
from solvers.core.variant import Bytes, Citation, DeviceWork, Traffic, WorkMapping

_ID = "bf-edge"
KERNEL = Path(__file__).with_name("edge.cu")
_WORK = DeviceWork(
    ("relax",), (), Traffic(arc=Bytes(4, 1), reached_arc=Bytes(4, 2), improved=Bytes(values=1))
)


@device_variant(
    id=_ID,
    title="edge",
    mapping=WorkMapping.THREAD_PER_ARC,
    pseudocode=BELLMAN_FORD,
    device_work=_WORK,
    papers=(Citation("Cholla 2025", "section 4.1, algorithms 1–3 (ver1)"),),
    idea=(
        "Each arc has a thread, which relaxes it in every pass and lowers the head's "
        "distance in place by atomic minimum."
    ),
    watch=(
        "The frontier may advance more than one arc a pass, "
        "because threads see distances that were just lowered. "
        "The number of passes varies a little from run to run; the distances do not."
    ),
    cost="O(n m) work at worst, O(passes × m) with early exit; one launch a pass. Memory: tail, "
    "head and weight of each arc, one distance a vertex.",
    caveat=(
        "The number of passes depends on the order in which threads run. The paper makes n passes, "
        "although n − 1 suffice; so does this variant without early exit."
    ),
    parameters=(EARLY_EXIT, BLOCK),
    kernel=KERNEL.name,
    memory=arc_bytes,
)
def solve(problem: Problem) -> Solution:
    """Run the passes on the problem's device; raises as `solve_by_passes`."""
    return solve_by_passes(problem, _ID, KERNEL, _plan, passes=problem.graph.n)


def _plan(work: Workspace) -> Plan:
    tails, heads, weights = work.arcs()

    def queue(number: int) -> None:
        work.launch("relax", work.m, tails, heads, weights, work.distance, *work.limits(number))

    return Plan(lambda: None, queue)
