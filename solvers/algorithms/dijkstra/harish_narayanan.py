"""The algorithm of Harish and Narayanan, included to demonstrate its data race.

Explained in ``harish_narayanan.cu``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from solvers.algorithms.dijkstra.frontier_device import BLOCK
from solvers.algorithms.dijkstra.frontier_host import FrontierWatch
from solvers.algorithms.dijkstra.kernel_run import KernelRun, kernel_run
from solvers.algorithms.dijkstra.layouts import rows_on_device
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import FLAGGED_BELLMAN_FORD
from solvers.core.variant import (
    Algorithm,
    Answers,
    Bytes,
    Citation,
    DeviceWork,
    RunsOn,
    Traffic,
    WorkMapping,
    variant,
)
from solvers.graphs.graph import Graph

KERNEL = Path(__file__).with_name("harish_narayanan.cu")

_WORK = DeviceWork(
    ("relax",),
    ("update",),
    Traffic(vertex=Bytes(1, 2), active=Bytes(17, 1), relaxed=Bytes(4, 2), improved=Bytes(1, 2)),
)


def _memory(graph: Graph) -> int:
    size = graph.distance_type.dtype.itemsize
    return (graph.n + 1) * 8 + graph.m * (4 + size) + graph.n * (2 * size + 1) + 4


@variant(
    id="harish-narayanan-racy",
    title="Harish-Narayanan (racy)",
    short_title="Harish-Narayanan",
    algorithm=Algorithm.DIJKSTRA,
    answers=Answers.SSSP,
    runs_on=RunsOn.GPU,
    mapping=WorkMapping.THREAD_PER_FRONTIER_VERTEX,
    pseudocode=FLAGGED_BELLMAN_FORD,
    device_work=_WORK,
    papers=(
        Citation(
            "Martín 2009", "section 4.3 and Fig. 5: the implementation it shows to be incorrect"
        ),
    ),
    parameters=(BLOCK,),
    needs_nonnegative=True,
    racy=True,
    kernel=KERNEL.name,
    idea=(
        "The first shortest-path program for CUDA. Masked vertices offer their successors "
        "a new cost in a second array, so that no cost is read while it changes; "
        "a second kernel copies the new costs and masks the vertices that have one. "
        "But two vertices may offer the same successor different costs at once: "
        "both find their own cost lower, both write, and the greater cost may remain."
    ),
    watch=(
        "Run it on the contention graph: in the second pass all middle vertices offer the last one "
        "different costs. Its final cost differs from run to run; the correct one is 2."
    ),
    cost="as many passes as the longest shortest path has arcs (at most n), "
    "each O(n) and the arcs of the mask",
    caveat=(
        "For measuring only. Its authors call it Dijkstra, but it is closer to Bellman-Ford: every "
        "vertex whose cost fell is relaxed in the next pass, not only the nearest. A cost is "
        "always that of some path, and is only replaced by a smaller one, so the run ends."
    ),
    memory=_memory,
)
def solve(problem: Problem) -> Solution:
    with kernel_run(problem, KERNEL) as run:
        passes = _Passes(run)
        iterations = run.timed(passes.run)
        distances = run.download(passes.cost)
        peak = run.session.peak_bytes
    return Solution(distances, iterations, run.phases, peak_device_bytes=peak)


class _Passes:
    """Costs, updating costs and mask on the device, and the loop over passes."""

    def __init__(self, run: KernelRun):
        problem, kind = run.problem, run.problem.distance_type.dtype
        self._run = run
        self._rows = rows_on_device(problem, run.session, problem.graph, run.phases)
        self.cost, self._updating = run.empty(kind), run.empty(kind)
        self._mask, self._any = run.empty(np.uint8), run.empty(np.int32, 1)

    def run(self) -> int:
        """Make passes until the mask is empty; returns their number.

        Passes are bounded by n even where writes are lost: a cost that is set in pass k
        is that of a path of k arcs, and one that repeats a vertex would not have been
        less than the cost there.
        """
        run, session = self._run, self._run.session
        watch = FrontierWatch(
            run.problem, lambda: session.download(self.cost), lambda: session.download(self._mask)
        )
        costs = self.cost, self._updating, self._mask
        run.launch("initialize", run.source, *costs)
        iterations, masked = 0, True
        while masked:
            watch.begin()
            session.fill(self._any, 0)
            run.launch("relax", *self._rows, *costs)
            run.launch("update", *costs, self._any)
            masked = bool(session.download(self._any)[0])
            watch.end()
            iterations += 1
            run.problem.progress.checkpoint()
        return iterations
