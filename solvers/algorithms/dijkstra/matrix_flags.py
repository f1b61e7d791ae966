"""Relaxation over an adjacency matrix with one thread per row, until no distance falls.

Explained in ``matrix_flags.cu``.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from solvers.algorithms.dijkstra.frontier_device import BLOCK
from solvers.algorithms.dijkstra.kernel_run import KernelRun, kernel_run
from solvers.algorithms.dijkstra.layouts import device_matrix
from solvers.core.problem import Problem, Recorder, Solution
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
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Int32s
from solvers.verification.paths import depths

_ID = "dijkstra-matrix-flags"
KERNEL = Path(__file__).with_name("matrix_flags.cu")


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
    kernel=KERNEL.name,
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
    block = int(problem.parameters["block"])
    with kernel_run(problem, KERNEL, BLOCK=block) as run:
        passes = _Passes(run, device_matrix(run.session, problem, run.phases, _ID))
        iterations = run.timed(passes.run)
        distances, predecessors = run.download(passes.distance), run.download(passes.predecessor)
        peak = run.session.peak_bytes
    tree = predecessors if _is_tree(predecessors, distances, run.source, problem) else None
    return Solution(distances, iterations, run.phases, predecessors=tree, peak_device_bytes=peak)


def _is_tree(predecessors: Int32s, distances: AnyArray, source: int, problem: Problem) -> bool:
    """Whether the predecessors of all reached vertices lead to the source, with no
    zero-weight cycle among them.
    """
    reached = distances < problem.distance_type.infinity
    return bool(np.all(depths(predecessors, source)[reached] >= 0))


class _Passes:
    """The arrays over the vertices, and the loop over passes."""

    def __init__(self, run: KernelRun, matrix: Any):
        self._run, self._matrix = run, matrix
        self._source, self._slices = run.source, run.slices(run.n)
        self.distance = run.empty(run.problem.distance_type.dtype)
        self.predecessor = run.empty(np.int32)
        self._updated, self._relaxing = run.empty(np.uint8), run.empty(np.uint8)
        self._any = run.empty(np.int32, 1)

    def run(self) -> int:
        """Make passes until one changes nothing; returns their number, including that one."""
        answer = self.distance, self.predecessor
        self._run.launch("initialize", self._source, *answer, self._updated)
        recorder, iterations, changed = self._run.problem.recorder, 0, True
        while changed:
            changed = self._pass() if recorder is None else self._watched_pass(recorder)
            iterations += 1
        self._run.launch_slices(
            self._slices, "repair_predecessors", self._source, self._matrix, *answer
        )
        return iterations

    def _pass(self) -> bool:
        """Relax every row; returns whether any distance fell."""
        run, flags = self._run, (self._updated, self._relaxing)
        run.session.fill(self._updated, 0)
        run.session.fill(self._any, 0)
        run.launch_slices(
            self._slices, "relax", self._matrix, self.distance, self.predecessor, *flags
        )
        run.launch("any_updated", self._updated, self._any)
        changed = bool(run.session.download(self._any)[0])
        run.problem.progress.checkpoint()
        return changed

    def _watched_pass(self, recorder: Recorder) -> bool:
        """As `_pass`, with a report to the recorder; active vertices are those improved
        in the previous pass.
        """
        download, graph = self._run.session.download, self._run.problem.graph
        active = np.flatnonzero(download(self._updated))
        started = time.perf_counter()
        changed = self._pass()
        ms = (time.perf_counter() - started) * 1e3
        relaxed = int(graph.out_degrees[download(self._relaxing) != 0].sum())
        improved = int(np.count_nonzero(download(self._updated)))
        distances = download(self.distance) if recorder.wants_distances else None
        recorder.iteration(active, relaxed, improved, ms, distances)
        return changed
