"""Bellman-Ford with one thread per arc and two flags per vertex; explained in ``edge_flags.cu``."""

from __future__ import annotations

from pathlib import Path

from solvers.algorithms.bellman_ford.passes import device_variant, solve_by_passes
from solvers.algorithms.bellman_ford.workspace import BLOCK, EARLY_EXIT, Plan, Workspace, arc_bytes
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import FLAGGED_BELLMAN_FORD
from solvers.core.variant import Bytes, Citation, DeviceWork, Traffic, WorkMapping
from solvers.graphs.graph import Graph

_ID = "bf-edge-flags"
KERNEL = Path(__file__).with_name("edge_flags.cu")

WORK = DeviceWork(
    ("relax",),
    ("copy_flags",),
    Traffic(vertex=Bytes(3), arc=Bytes(5), relaxed=Bytes(4, 3), improved=Bytes(1, 1)),
)


def memory(graph: Graph) -> int:
    """Device bytes."""
    return arc_bytes(graph, flags=2)


@device_variant(
    id=_ID,
    title="edge + flags",
    mapping=WorkMapping.THREAD_PER_FLAGGED_ARC,
    pseudocode=FLAGGED_BELLMAN_FORD,
    device_work=WORK,
    papers=(Citation("Cholla 2025", "section 4.2, algorithms 4–7 (ver2)"),),
    idea=(
        "Each arc has a thread, but it relaxes the arc only if its tail's distance fell in the "
        "last pass. One flag array holds the vertices that fell then, a second collects those of "
        "this pass, and a small kernel swaps them."
    ),
    watch=(
        "The number of relaxed arcs follows the frontier, though a thread is started for every "
        "arc: on a road network most of them find the flag cleared and return."
    ),
    cost="Relaxes only the arcs of the frontier, but starts m threads a pass; "
    "O(n m) at worst. Two launches a pass. Memory: tail, head and weight of each arc, "
    "a distance and two bytes a vertex.",
    caveat=(
        "The paper's algorithm 6 uses the distance Na[id] as if it were a vertex; the arc's tail "
        "Sa[id] is meant and used here."
    ),
    parameters=(EARLY_EXIT, BLOCK),
    kernel=KERNEL.name,
    memory=memory,
)
def solve(problem: Problem) -> Solution:
    """Run the passes on the problem's device; raises as `solve_by_passes`."""
    return solve_by_passes(problem, _ID, KERNEL, two_flags, passes=problem.graph.n, flagged=True)


def two_flags(work: Workspace) -> Plan:
    """The arrays and launches of a kernel file with ``relax`` and ``copy_flags`` over
    two flag arrays.
    """
    tails, heads, weights = work.arcs()
    active, following = work.flags(), work.flags()

    def start() -> None:
        work.start_flags(active, source=True)
        work.start_flags(following, source=False)

    def queue(number: int) -> None:
        arguments = (tails, heads, weights, work.distance, active, following)
        work.launch("relax", work.m, *arguments, *work.limits(number))
        work.launch("copy_flags", work.n, active, following, *work.progress(number))

    return Plan(start, queue)
