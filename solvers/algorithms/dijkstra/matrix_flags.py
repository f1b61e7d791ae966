"""Relaxation over an adjacency matrix with one thread per row, until no distance falls.

Explained in ``matrix_flags.cu``.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from solvers.algorithms.dijkstra.frontier_device import BLOCK
from solvers.algorithms.dijkstra.frontier_host import slices_of
from solvers.algorithms.dijkstra.layouts import device_matrix
from solvers.algorithms.requirements import require_nonnegative, required_device, required_source
from solvers.core.problem import Phases, Problem, Recorder, Solution
from solvers.core.pseudocode import BELLMAN_FORD
from solvers.core.variant import (
    Algorithm,
    Answers,
    Citation,
    DeviceWork,
    RunsOn,
    WorkMapping,
    variant,
)
from solvers.devices.device import DeviceSession, KernelSource, Program
from solvers.devices.kernel import distance_defines
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Int32s
from solvers.verification.paths import depths

_ID = "dijkstra-matrix-flags"


def _memory(graph: Graph) -> int:
    size = graph.distance_type.dtype.itemsize
    return graph.n * graph.n * size + graph.n * (size + 14) + graph.m * (4 + size)


@variant(
    id=_ID,
    title="matrix + flags",
    algorithm=Algorithm.DIJKSTRA,
    answers=Answers.SSSP,
    runs_on=RunsOn.GPU,
    mapping=WorkMapping.THREAD_PER_ROW,
    pseudocode=BELLMAN_FORD,
    device_work=DeviceWork(("relax",), ("any_updated",)),
    papers=(Citation("Song 2025", "Algorithms 3 and 4"),),
    parameters=(BLOCK,),
    needs_nonnegative=True,
    kernel="matrix_flags.cu",
    idea=(
        "The thread of each row of the adjacency matrix offers every vertex a path through its "
        "own. atomicMin keeps the least distance; the thread that lowered it writes the "
        "predecessor and sets the vertex's flag. The flags are reduced to one word on the GPU, "
        "which is all that the host reads, and passes repeat until no flag is set."
    ),
    watch=(
        "The frontier crosses vertices again and again: their distance falls when they are first "
        "reached, and again through paths of more arcs and less weight. Compare with the rings of "
        "the compound frontier, which settle each vertex once."
    ),
    cost="O(n²) work a pass, as many passes as the longest shortest path has arcs "
    "(at most n); n² cells of memory",
    caveat=(
        "The paper calls it Dijkstra, but it does not search for the nearest vertex: it is "
        "Bellman-Ford over a matrix. Its kernel writes distance and predecessor in two steps, so a "
        "slower thread can leave a wrong predecessor; here a last kernel repairs those, and with "
        "zero weights the host checks that the predecessors form no cycle. The matrix is filled on "
        "the device from the arcs, where the paper copies it."
    ),
    memory=_memory,
)
def solve(problem: Problem) -> Solution:
    require_nonnegative(problem.graph, _ID)
    device, source = required_device(problem, _ID), required_source(problem, _ID)
    kind, block = problem.distance_type, int(problem.parameters["block"])
    kernels = KernelSource.beside(
        __file__, "matrix_flags.cu", **distance_defines(kind), BLOCK=block
    )
    program = device.compile(kernels)
    phases = Phases()
    with device.session() as session:
        matrix = device_matrix(session, problem, phases, _ID)
        passes = _Passes(problem, session, program, phases, source, matrix)
        with session.timer() as timer:
            iterations = passes.run()
        phases.solve = timer.ms
        with phases.measure("d2h"):
            distances = session.download(passes.distance)
            predecessors = session.download(passes.predecessor)
        peak = session.peak_bytes
    tree = predecessors if _is_tree(predecessors, distances, source, problem) else None
    return Solution(distances, iterations, phases, predecessors=tree, peak_device_bytes=peak)


def _is_tree(predecessors: Int32s, distances: AnyArray, source: int, problem: Problem) -> bool:
    """Whether the predecessors of all reached vertices lead to the source, with no
    zero-weight cycle among them.
    """
    reached = distances < problem.distance_type.infinity
    return bool(np.all(depths(predecessors, source)[reached] >= 0))


class _Passes:
    """The arrays over the vertices, and the loop over passes."""

    def __init__(
        self,
        problem: Problem,
        session: DeviceSession,
        program: Program,
        phases: Phases,
        source: int,
        matrix: Any,
    ):
        n = problem.graph.n
        self._problem = problem
        self._session = session
        self._program = program
        self._matrix = matrix
        self._n = n
        self._source = np.int32(source)
        self._block = int(problem.parameters["block"])
        self._slices = tuple(slices_of(n, n)) if session.device.is_cpu else ((0, n),)
        with phases.measure("prepare"):
            self.distance = session.empty(n, problem.distance_type.dtype)
            self.predecessor = session.empty(n, np.int32)
            self._updated = session.empty(n, np.uint8)
            self._relaxing = session.empty(n, np.uint8)
            self._any = session.empty(1, np.int32)

    def run(self) -> int:
        """Make passes until one changes nothing; returns their number, including that one."""
        self._launch(
            "initialize", self._n, self._source, self.distance, self.predecessor, self._updated
        )
        recorder, iterations, changed = self._problem.recorder, 0, True
        while changed:
            changed = self._pass() if recorder is None else self._watched_pass(recorder)
            iterations += 1
        self._each_slice(
            "repair_predecessors", self._source, self._matrix, self.distance, self.predecessor
        )
        return iterations

    def _pass(self) -> bool:
        """Relax every row; returns whether any distance fell."""
        self._session.fill(self._updated, 0)
        self._session.fill(self._any, 0)
        self._each_slice(
            "relax", self._matrix, self.distance, self.predecessor, self._updated, self._relaxing
        )
        self._launch("any_updated", self._n, self._updated, self._any)
        changed = bool(self._session.download(self._any)[0])
        self._problem.progress.checkpoint()
        return changed

    def _watched_pass(self, recorder: Recorder) -> bool:
        """As `_pass`, with a report to the recorder; active vertices are those improved
        in the previous pass.
        """
        active = np.flatnonzero(self._session.download(self._updated))
        started = time.perf_counter()
        changed = self._pass()
        ms = (time.perf_counter() - started) * 1e3
        relaxing = self._session.download(self._relaxing) != 0
        relaxed = int(self._problem.graph.out_degrees[relaxing].sum())
        improved = int(np.count_nonzero(self._session.download(self._updated)))
        distances = self._session.download(self.distance) if recorder.wants_distances else None
        recorder.iteration(active, relaxed, improved, ms, distances)
        return changed

    def _each_slice(self, kernel: str, *arguments: Any) -> None:
        """Launch a kernel for all vertices; on a processor in slices, so that a run can
        be cancelled in between.
        """
        for first, last in self._slices:
            self._launch(kernel, last - first, np.int64(first), *arguments)
            if len(self._slices) > 1:
                self._session.synchronize()
                self._problem.progress.checkpoint()

    def _launch(self, kernel: str, threads: int, *arguments: Any) -> None:
        grid = (-(-threads // self._block),)
        self._program.launch(kernel, grid, (self._block,), np.int32(self._n), *arguments)
