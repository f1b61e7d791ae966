"""All pairs with one thread per source, each running an array-based Dijkstra; explained
in ``apsp_source.cu``.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from solvers.algorithms.arcs import settled_arcs_of_all
from solvers.algorithms.dijkstra.layouts import (
    LAYOUT,
    MATRIX,
    device_matrix,
    matrix_bytes,
    rows_on_device,
)
from solvers.algorithms.distance_rows import answer_matrix
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.pseudocode import EVERY_SOURCE
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.devices.device import DeviceSession, KernelSource, Program
from solvers.devices.kernel import distance_defines
from solvers.graphs.graph import Graph
from solvers.parameters import Parameter
from solvers.system.array_types import AnyArray

# of a visited flag, a head and an offset in the kernel
_FLAG_BYTES, _ID_BYTES, _OFFSET_BYTES = 1, 4, 8
_ID = "dijkstra-apsp-source"

# Target duration of a launch: between launches the run can be cancelled and displays are updated.
_LAUNCH_SECONDS = 0.05
_MOST_STEPS = 4096

# Of the free device memory, what the rows of a batch may fill.
_SHARE_FOR_ROWS = 0.9

# A processor gains nothing from more sources at once than keep its cores busy, and one
# step of theirs must be short.
_ROOM_ON_CPU = 2**26


def _memory(graph: Graph) -> int:
    """The graph, and the rows of 32 sources: the smallest useful batch."""
    size = graph.distance_type.dtype.itemsize
    return (graph.n + 1) * 8 + graph.m * (4 + size) + min(graph.n, 32) * graph.n * (size + 1)


@variant(
    id=_ID,
    title="per source, GPU",
    algorithm=Algorithm.DIJKSTRA,
    answers=Answers.APSP,
    runs_on=RunsOn.GPU,
    mapping=WorkMapping.THREAD_PER_SOURCE,
    pseudocode=EVERY_SOURCE,
    papers=(Citation("Bodra 2025", "Experimental Setup: Dijkstra algorithm; Table"),),
    parameters=(
        LAYOUT,
        Parameter(
            "batch",
            0,
            "sources solved at once; 0 takes as many as the device's memory holds",
            low=0,
        ),
        Parameter("block", 64, "threads in a block", low=32, high=1024),
    ),
    needs_nonnegative=True,
    kernel="apsp_source.cu",
    idea=(
        "Dijkstra's algorithm is sequential, but n runs from n sources are independent. "
        "One thread runs one source from beginning to end: it scans its row of the distance matrix "
        "for the nearest unvisited vertex, marks it as visited, relaxes its arcs, and repeats. "
        "No thread waits for another."
    ),
    watch=(
        "Rows of the matrix are finished a batch at a time. Threads of a warp scan different rows, "
        "so their reads do not coalesce; that, not arithmetic, takes most of the time."
    ),
    cost="O(n (n² + m)) work over n threads; n² distances, and a byte for each cell of a batch",
    caveat=(
        "The paper's launch runs until every source is done, over a minute on the graph it "
        "measures; here each launch takes about 50 ms and settles a few vertices for every source, "
        "which does not change the result. The paper keeps the graph as an adjacency matrix "
        "(layout = matrix) but states the cost of compressed rows, the default here. A source "
        "stops once nothing more can be reached."
    ),
    memory=_memory,
    layout_memory=matrix_bytes,
)
def solve(problem: Problem) -> Solution:
    graph, kind = problem.graph, problem.distance_type
    device = problem.given_device
    phases = Phases()
    with phases.measure("prepare"):
        distances = answer_matrix(problem, _ID)
    program = device.compile(
        KernelSource.beside(__file__, "apsp_source.cu", **distance_defines(kind))
    )
    with device.session() as session:
        run = _Run(problem, session, program, phases)
        for first in range(0, graph.n, run.batch):
            count = min(run.batch, graph.n - first)
            with session.timer() as timer:
                run.solve_batch(first, count)
            phases.solve += timer.ms
            with phases.measure("d2h"):
                session.download(run.distances, into=distances[first : first + count])
            if problem.recorder is not None:
                tile = np.array([[first, first + count, 0, graph.n]])
                done = distances[first : first + count]
                problem.recorder.matrix_step(
                    first // run.batch,
                    1,
                    tile,
                    distances,
                    timer.ms,
                    settled_arcs_of_all(graph, done),
                    run.requested_bytes(done),
                )
        peak = session.peak_bytes
    batches = -(-graph.n // run.batch)
    return Solution(
        distances, batches, phases, settled_arcs_of_all(graph, distances), peak_device_bytes=peak
    )


class _Run:
    """The graph and the rows of one batch on the device; ``batch`` sources are solved at once."""

    def __init__(self, problem: Problem, session: DeviceSession, program: Program, phases: Phases):
        graph, kind = problem.graph, problem.distance_type
        self._problem = problem
        self._session = session
        self._program = program
        self._block = int(problem.parameters["block"])
        self._kernel = "settle"
        self._arcs: tuple[Any, ...]
        if problem.parameters["layout"] == MATRIX:
            self._kernel = "settle_matrix"
            self._arcs = (device_matrix(session, problem, phases, _ID),)
        else:
            self._arcs = rows_on_device(problem, session, graph, phases)
        self.batch = _batch_size(problem, session)
        with phases.measure("prepare"):
            self.distances = session.empty(self.batch * graph.n, kind.dtype)
            self._visited = session.empty(self.batch * graph.n, np.uint8)
            self._unfinished = session.empty(1, np.int32)

    def solve_batch(self, first: int, count: int) -> None:
        """Run Dijkstra from the vertices ``first`` to ``first + count - 1``."""
        progress, n = self._problem.progress, self._problem.graph.n
        rows = (self.distances, self._visited)
        self._launch("initialize", n, count, first, *rows)
        settled, steps, unfinished = 0, 1, True
        while unfinished:
            progress.checkpoint(first + count * min(1.0, settled / n), n)
            started = time.perf_counter()
            self._session.fill(self._unfinished, 0)
            self._launch(self._kernel, n, count, steps, *self._arcs, *rows, self._unfinished)
            unfinished = bool(self._session.download(self._unfinished)[0])
            settled += steps
            steps = _next_steps(steps, time.perf_counter() - started)

    def requested_bytes(self, rows: AnyArray) -> int:
        """Bytes that the threads of a batch ask for, at least; ``rows``, (count, n),
        are its finished distances.

        Every vertex that is settled takes a scan of the row's distances and flags, two
        of its own, and a look at its arcs or at its row of the matrix. Distances that
        fall depend on the order of the vertices, and are left out.
        """
        graph, kind = self._problem.graph, self._problem.distance_type
        value = kind.dtype.itemsize
        settled = int((rows < kind.infinity).sum())
        # one more writes the first distances
        scans = (settled + len(rows)) * graph.n * (value + _FLAG_BYTES)
        if self._kernel == "settle":
            looks = settled * 2 * _OFFSET_BYTES + settled_arcs_of_all(graph, rows) * (
                _ID_BYTES + value + _FLAG_BYTES
            )
        else:
            looks = settled * graph.n * value
        return scans + settled * (value + _FLAG_BYTES) + looks

    def _launch(self, kernel: str, *arguments: Any) -> None:
        self._program.launch(kernel, (-(-self.batch // self._block),), (self._block,), *arguments)


def _batch_size(problem: Problem, session: DeviceSession) -> int:
    """Sources to solve at once: as many as the parameter says, else all that fit."""
    n = problem.graph.n
    per_source = n * (problem.distance_type.dtype.itemsize + 1)
    room = _SHARE_FOR_ROWS * session.device.free_bytes()
    if session.device.is_cpu:
        room = min(room, _ROOM_ON_CPU)
    asked = int(problem.parameters["batch"])
    return max(1, min(n, asked or int(room / per_source)))


def _next_steps(steps: int, seconds: float) -> int:
    """Vertices to settle in the next launch, after one that settled ``steps`` in ``seconds``."""
    fitting = int(steps * _LAUNCH_SECONDS / max(seconds, 1e-6))
    return max(1, min(fitting, 2 * steps, _MOST_STEPS))
