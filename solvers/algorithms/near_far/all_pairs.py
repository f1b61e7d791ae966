"""All pairs on sparse graphs: one block per source, near-far inside the block;
explained in ``all_pairs.cu``.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.algorithms.arcs import settled_arcs_of_all, upload_arrays
from solvers.algorithms.bucket_width import bucket_width
from solvers.algorithms.distance_rows import answer_matrix
from solvers.algorithms.near_far.on_device import suitable_lanes
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.pseudocode import EVERY_SOURCE
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.devices.device import Device, DeviceSession, KernelSource, Program
from solvers.devices.kernel import distance_defines
from solvers.errors import UnsuitableGraph
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.parameters import Parameter
from solvers.text import format_count

_ID = "apsp-frontier"

# Shared memory that two resident blocks of a multiprocessor can have each, and one
# alone (compute capability 8.0 on).
_SHARED_FOR_TWO = 80 * 1024
_SHARED_FOR_ONE = 160 * 1024
_SHARED_ON_HOPPER = 224 * 1024

_ID_BYTES = 4
_LAUNCH_SECONDS = 0.05
_SHARE_FOR_ROWS = 0.8


@dataclass(frozen=True)
class _Plan:
    """Compilation and launch parameters of the kernel on a device."""

    blocks: int
    threads: int
    lanes: int
    in_shared: int  # 0 nothing, 1 distances, 2 flags and queues as well
    shared_bytes: int
    short_queue: bool  # queue entries of 16 bits

    @classmethod
    def of(cls, graph: Graph, kind: WeightType, device: Device, block: int) -> _Plan:
        short = graph.n <= 2**16
        if device.kind != "cuda":
            threads = 1 if device.is_cpu else block
            return cls(
                max(1, device.compute_units) * (1 if device.is_cpu else 4), threads, 1, 0, 0, short
            )
        most = _SHARED_ON_HOPPER if device.compute_capability >= 90 else _SHARED_FOR_ONE
        distances = -(-graph.n // 4) * 4 * kind.dtype.itemsize
        everything = distances + -(-graph.n // 32) * 4 + 2 * graph.n * (2 if short else 4)
        in_shared, shared = next(
            (level, size)
            for level, size in ((2, everything), (1, distances), (0, 0))
            if size <= most
        )
        resident = 2 if shared <= _SHARED_FOR_TWO else 1
        blocks = device.compute_units * (resident if shared else 4)
        return cls(blocks, block, suitable_lanes(graph), in_shared, shared, short)

    def source(self, kind: WeightType) -> KernelSource:
        defines: dict[str, int | str] = {
            **distance_defines(kind),
            "THREADS": self.threads,
            "LANES": self.lanes,
        }
        if self.threads == 1:
            # keeps a processor's compiler from spreading a lone thread over vector
            # lanes
            defines["FIXED_BLOCK"] = 1
        if self.short_queue:
            defines["SHORT_QUEUE"] = 1
        if self.in_shared:
            defines["IN_SHARED"] = self.in_shared
        return KernelSource.beside(__file__, "all_pairs.cu", **defines)


def _memory(graph: Graph) -> int:
    """Bytes of the graph, and of the rows and queues of the smallest useful batch."""
    size = graph.distance_type.dtype.itemsize
    return (graph.n + 1) * 4 + graph.m * (4 + size) + min(graph.n, 256) * graph.n * (2 * size + 9)


@variant(
    id=_ID,
    title="all pairs, block per source",
    short_title="all pairs, by source",
    algorithm=Algorithm.MODERN,
    answers=Answers.APSP,
    runs_on=RunsOn.GPU,
    mapping=WorkMapping.BLOCK_PER_SOURCE,
    pseudocode=EVERY_SOURCE,
    papers=(Citation("beyond the papers", "near-far after Davidson et al. 2014"),),
    parameters=(
        Parameter("delta", 40.0, "width of a bucket, in mean weights", low=0.01, high=1e6),
        Parameter("block", 1024, "threads in a block on a GPU", choices=(64, 128, 256, 512, 1024)),
    ),
    needs_nonnegative=True,
    kernel="all_pairs.cu",
    idea=(
        "On a sparse graph, n runs from one source each do far less work than Floyd-Warshall. One "
        "block takes one source: its distances, flags and queues are in shared memory where they "
        "fit, and only the finished row is written out."
    ),
    watch="Rows of the matrix are finished in no fixed order, many at a time; "
    "compare the time with Floyd-Warshall.",
    cost="O(n m) relaxations on graphs of small diameter; n² memory for the answer alone.",
    caveat="Best on sparse graphs; on dense ones Floyd-Warshall is faster. "
    "Computes one batch of rows at a time.",
    memory=_memory,
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n).

    Raises UnsuitableGraph, OutOfMemory, KernelBuildError, DeviceUnavailable, Cancelled.
    """
    graph, kind = problem.graph, problem.distance_type
    if graph.m > np.iinfo(np.int32).max:
        raise UnsuitableGraph(
            f"{graph.name} has {format_count(graph.m)} arcs; this kernel counts them in 32 bits."
        )
    device = problem.given_device
    phases = Phases()
    with phases.measure("prepare"):
        distances = answer_matrix(problem, _ID)
    plan = _Plan.of(graph, kind, device, int(problem.parameters["block"]))
    program = device.compile(plan.source(kind))
    with device.session() as session:
        run = _Run(problem, plan, program, session, phases)
        for batch, first in enumerate(range(0, graph.n, run.batch)):
            count = min(run.batch, graph.n - first)
            before = phases.solve
            run.solve_batch(first, count)
            with phases.measure("d2h"):
                session.download(run.answer, into=distances[first : first + count])
            if problem.recorder is not None:
                tile = np.array([[first, first + count, 0, graph.n]])
                arcs = settled_arcs_of_all(graph, distances[first : first + count])
                problem.recorder.matrix_step(
                    batch,
                    1,
                    tile,
                    distances,
                    phases.solve - before,
                    arcs,
                    _requested_bytes(graph, kind, arcs, count),
                )
        peak = session.peak_bytes
    return Solution(distances, -(-graph.n // run.batch), phases, peak_device_bytes=peak)


def _requested_bytes(graph: Graph, kind: WeightType, arcs: int, rows: int) -> int:
    """Bytes that the threads ask of global memory, at least: ids and weights of the
    arcs, and the finished rows.

    Each arc that can be reached is relaxed once or more; how often, no kernel counts.
    Distances and queues may be in shared memory.
    """
    value = kind.dtype.itemsize
    return arcs * (_ID_BYTES + value) + rows * graph.n * value


class _Run:
    """The graph and the scratch memory of all blocks on the device; ``batch`` rows fit
    on it at once.
    """

    def __init__(
        self,
        problem: Problem,
        plan: _Plan,
        program: Program,
        session: DeviceSession,
        phases: Phases,
    ):
        graph, kind = problem.graph, problem.distance_type
        self._problem, self._plan, self._program = problem, plan, program
        self._session, self._phases = session, phases
        n, scratch = graph.n, plan.blocks * graph.n
        with phases.measure("prepare"):
            self._delta = bucket_width(
                graph, kind, float(problem.parameters["delta"]), session.device.is_cpu
            )
        self._arcs = problem.graph_on(session, "rows", self._upload_rows)
        with phases.measure("prepare"):
            queue = np.uint16 if plan.short_queue else np.int32
            self._scratch = (
                session.empty(1 if plan.in_shared else scratch, kind.dtype),
                session.empty(1 if plan.in_shared == 2 else 2 * scratch, queue),
                session.empty(plan.blocks * -(-n // 32), np.uint32),
                session.empty(2 * plan.blocks, kind.dtype),
                session.empty(1, np.int32),
            )
            room = int(_SHARE_FOR_ROWS * session.device.free_bytes() / (n * kind.dtype.itemsize))
            most = n if problem.recorder is None else max(plan.blocks, -(-n // 64))
            self.batch = max(1, min(n, room, most))
            self.answer = session.empty((self.batch, n), kind.dtype)

    def _upload_rows(self, keeper: DeviceSession) -> tuple[Any, ...]:
        graph = self._problem.graph
        with self._phases.measure("prepare"):
            starts = graph.indptr.astype(np.int32)
        return upload_arrays(keeper, self._phases, starts, graph.indices, self._problem.weights())

    def solve_batch(self, first: int, count: int) -> None:
        """Rows of the sources ``first`` to ``first + count - 1``, in launches of about 50 ms."""
        plan, n = self._plan, self._problem.graph.n
        done, sources = 0, plan.blocks
        while done < count:
            self._problem.progress.checkpoint(first + done, n)
            now = min(sources, count - done)
            started = time.perf_counter()
            with self._session.timer() as timer:
                self._session.fill(self._scratch[-1], 0)
                self._program.launch(
                    "solve_sources",
                    (plan.blocks,),
                    (plan.threads,),
                    np.int32(n),
                    *self._arcs,
                    np.int32(first + done),
                    np.int32(done),
                    np.int32(now),
                    self._delta,
                    self.answer,
                    *self._scratch,
                    shared_bytes=plan.shared_bytes,
                )
            self._phases.solve += timer.ms
            done += now
            fitting = int(now * _LAUNCH_SECONDS / max(time.perf_counter() - started, 1e-6))
            sources = max(plan.blocks, fitting)
