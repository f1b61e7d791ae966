"""The algorithm of Harish and Narayanan, included to demonstrate its data race.

Explained in ``harish_narayanan.cu``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.algorithms.dijkstra.frontier_device import BLOCK
from solvers.algorithms.dijkstra.frontier_host import FrontierWatch
from solvers.algorithms.dijkstra.layouts import rows_on_device
from solvers.algorithms.requirements import require_nonnegative, required_device, required_source
from solvers.core.problem import Phases, Problem, Solution
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
from solvers.devices.device import DeviceSession, KernelSource, Program
from solvers.devices.kernel import distance_defines
from solvers.graphs.graph import Graph

_ID = "harish-narayanan-racy"

_WORK = DeviceWork(
    ("relax",),
    ("update",),
    Traffic(vertex=Bytes(1, 2), active=Bytes(17, 1), relaxed=Bytes(4, 2), improved=Bytes(1, 2)),
)


def _memory(graph: Graph) -> int:
    size = graph.distance_type.dtype.itemsize
    return (graph.n + 1) * 8 + graph.m * (4 + size) + graph.n * (2 * size + 1) + 4


@variant(
    id=_ID,
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
    kernel="harish_narayanan.cu",
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
    require_nonnegative(problem.graph, _ID)
    device, source = required_device(problem, _ID), required_source(problem, _ID)
    program = device.compile(
        KernelSource.beside(
            __file__, "harish_narayanan.cu", **distance_defines(problem.distance_type)
        )
    )
    phases = Phases()
    with device.session() as session:
        rows = rows_on_device(problem, session, problem.graph, phases)
        passes = _Passes(problem, session, program, phases, source, rows)
        with session.timer() as timer:
            iterations = passes.run()
        phases.solve = timer.ms
        with phases.measure("d2h"):
            distances = session.download(passes.cost)
        peak = session.peak_bytes
    return Solution(distances, iterations, phases, peak_device_bytes=peak)


class _Passes:
    """Costs, updating costs and mask on the device, and the loop over passes."""

    def __init__(
        self,
        problem: Problem,
        session: DeviceSession,
        program: Program,
        phases: Phases,
        source: int,
        rows: tuple[Any, ...],
    ):
        self._problem = problem
        self._source = np.int32(source)
        self._session = session
        self._program = program
        self._rows = rows
        self._n = problem.graph.n
        self._block = int(problem.parameters["block"])
        with phases.measure("prepare"):
            self.cost = session.empty(self._n, problem.distance_type.dtype)
            self._updating = session.empty(self._n, problem.distance_type.dtype)
            self._mask = session.empty(self._n, np.uint8)
            self._any = session.empty(1, np.int32)

    def run(self) -> int:
        """Make passes until the mask is empty; returns their number.

        Passes are bounded by n even where writes are lost: a cost that is set in pass k
        is that of a path of k arcs, and one that repeats a vertex would not have been
        less than the cost there.
        """
        session = self._session
        watch = FrontierWatch(
            self._problem, lambda: session.download(self.cost), lambda: session.download(self._mask)
        )
        self._launch("initialize", self._source, self.cost, self._updating, self._mask)
        iterations, masked = 0, True
        while masked:
            watch.begin()
            session.fill(self._any, 0)
            self._launch("relax", *self._rows, self.cost, self._updating, self._mask)
            self._launch("update", self.cost, self._updating, self._mask, self._any)
            masked = bool(session.download(self._any)[0])
            watch.end()
            iterations += 1
            self._problem.progress.checkpoint()
        return iterations

    def _launch(self, kernel: str, *arguments: Any) -> None:
        grid = (-(-self._n // self._block),)
        self._program.launch(kernel, grid, (self._block,), np.int32(self._n), *arguments)
