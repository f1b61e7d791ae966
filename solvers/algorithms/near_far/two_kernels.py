"""Near-far by two kernels on any device: one for narrow frontiers, one for wide;
explained in ``two_kernels.cu``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from solvers.algorithms.arcs import upload_arrays
from solvers.algorithms.bucket_width import DELTA, bucket_width
from solvers.algorithms.near_far.on_device import NearFarRun, solve_on_device, suitable_lanes
from solvers.core.problem import Phases, Problem, Recorder, Solution
from solvers.core.pseudocode import NEAR_FAR
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
from solvers.devices.device import Device, DeviceSession, KernelSource, Program
from solvers.devices.kernel import distance_defines
from solvers.graphs.graph import Graph
from solvers.parameters import Parameter
from solvers.system.array_types import AnyArray

# Work of one block per launch: some milliseconds, so that cancellation takes effect immediately.
_TASKS_A_LAUNCH = 256
_LARGEST_BATCH = 32
_BATCH_SECONDS = 0.03

_ROUNDS_NOTED = 256
_NOTED_BEYOND_N = 1 << 16

_DONE = 3  # as two_kernels.cu numbers its tasks

_PIECE = 512  # arcs that a hub's entries share out; a warp takes 16 steps over them

_STATE = np.dtype(
    [
        ("task", "<i4"),
        ("count", "<i4"),
        ("round", "<i4"),
        ("far_side", "<i4"),
        ("near_count", "<i4", (2,)),
        ("far_count", "<i4", (2,)),
        ("improved", "<i4"),
        ("noted", "<i4"),
        ("room", "<i4"),
        ("marks", "<i4"),
    ]
)

_ALONE = Parameter(
    "alone",
    0,
    "vertices up to which one block works by itself; 0 chooses by device",
    low=0,
    title="By one block",
)
_BLOCK = Parameter(
    "block", 0, "threads in a block; 0 chooses by device", choices=(0, 32, 64, 128, 256, 512, 1024)
)
_LANES = Parameter(
    "lanes",
    0,
    "threads that share a vertex's arcs; 0 chooses by device and mean degree",
    choices=(0, 1, 2, 4, 8, 16, 32),
)

_WORK = DeviceWork(traffic=Traffic(active=Bytes(20, 1), relaxed=Bytes(4, 2), improved=Bytes(8, 1)))


@dataclass(frozen=True)
class TwoKernelShape:
    """Compilation and launch parameters of the kernels on a device."""

    # threads in a block; blocks of ``assist``
    block: int
    blocks: int
    alone: int  # entries up to which ``conduct`` does a task by itself
    lanes: int
    # arcs of an entry of the near queue; 0 where no vertex has more, and an entry is a
    # vertex
    piece: int
    room: int  # entries that a near queue can hold

    @classmethod
    def of(cls, graph: Graph, device: Device, parameters: dict[str, Any]) -> TwoKernelShape:
        # A processor runs a block on one core, thread after thread: few of them, and
        # none to share a vertex.
        lanes = int(parameters["lanes"]) or (1 if device.is_cpu else suitable_lanes(graph))
        block = int(parameters["block"]) or min(device.max_block, 64 if device.is_cpu else 1024)
        piece = _PIECE if graph.greatest_degree > _PIECE else 0
        at_once = (1 if piece else 4) * block // lanes
        alone = int(parameters["alone"]) or (2048 if device.is_cpu else at_once)
        blocks = device.compute_units * (4 if device.is_cpu else max(1, 2048 // block))
        return cls(
            max(block, lanes),
            blocks,
            alone,
            lanes,
            piece,
            graph.n + (graph.m // piece if piece else 0),
        )


def memory(graph: Graph) -> int:
    """Device bytes: the graph, distances, two queues, two sides of the pile, a stamp
    and a flag per vertex.
    """
    size = graph.distance_type.dtype.itemsize
    pieces = 2 * (graph.n + 2 * graph.m // _PIECE) if graph.greatest_degree > _PIECE else 0
    words = 6 * graph.n + pieces
    return (
        8 * (graph.n + 1)
        + (4 + size) * graph.m
        + size * graph.n
        + 4 * words
        + _STATE.itemsize
        + 4 * size
    )


@variant(
    id="sssp-near-far",
    title="near-far",
    algorithm=Algorithm.MODERN,
    answers=Answers.SSSP,
    runs_on=RunsOn.GPU,
    mapping=WorkMapping.THREADS_SHARE_FRONTIER,
    pseudocode=NEAR_FAR,
    device_work=_WORK,
    papers=(Citation("beyond the papers", "after Davidson et al. 2014; Meyer and Sanders 2003"),),
    idea=(
        "Vertices near the source are settled first, in buckets delta wide; "
        "farther ones wait in a pile. While the frontier is small, one block does all "
        "rounds by itself; a large frontier is shared by all blocks of the device. "
        "The host only checks from time to time whether the run has ended."
    ),
    watch=(
        "The frontier advances bucket by bucket: it spreads inside a band of distances until "
        "the band is settled, then the next band starts. Few vertices are active twice; "
        "compare with Bellman-Ford."
    ),
    cost=(
        "Little more than O(n + m) relaxations, depending on delta; as many rounds as the longest "
        "shortest path has arcs. Memory: the graph, a distance and six words per vertex."
    ),
    caveat="Runs on every device. On an NVIDIA GPU with thread block clusters, "
    "near-far in one cluster is faster.",
    parameters=(DELTA, _ALONE, _BLOCK, _LANES),
    needs_nonnegative=True,
    kernel="two_kernels.cu",
    memory=memory,
)
def solve(problem: Problem) -> Solution:
    """Distances from the source, (n,).

    Raises UnsuitableGraph, OutOfMemory, KernelBuildError, DeviceUnavailable, Cancelled.
    """
    graph, kind, device = problem.graph, problem.distance_type, problem.given_device
    shape = TwoKernelShape.of(graph, device, dict(problem.parameters))
    defines: dict[str, int | str] = distance_defines(kind) | {
        "LANES": shape.lanes,
        "PIECE": shape.piece,
    }
    if problem.recorder is not None:
        defines["WATCHED"] = 1
    program = device.compile(KernelSource.beside(__file__, "two_kernels.cu", **defines))
    return solve_on_device(problem, device, partial(_Run, problem, shape, program))


class _Run(NearFarRun):
    """Pairs of launches: the conductor and its assistants."""

    def __init__(
        self,
        problem: Problem,
        shape: TwoKernelShape,
        program: Program,
        session: DeviceSession,
        phases: Phases,
    ):
        graph, source = problem.graph, problem.given_source
        self._problem, self._shape, self._program = problem, shape, program
        self._session, self._phases, self._batch = session, phases, 1
        with phases.measure("prepare"):
            near = 2 * shape.room * (2 if shape.piece else 1)
            self._near, self._far, self._queued, self._piled = (
                session.empty(length, np.int32) for length in (near, 2 * graph.n, graph.n, graph.n)
            )
            self._fell = session.empty(1 if problem.recorder is None else graph.n, np.int32)
            self._state = session.empty(_STATE.itemsize // 4, np.int32)
            start = problem.start_distances(source)
        self._graph = problem.graph_on(session, "rows", self._upload_rows)
        with phases.measure("h2d"):
            self._distances = session.upload(start)
            self._bounds = session.upload(_bounds(problem, session.device.is_cpu))
            for buffer, value in ((self._queued, -1), (self._piled, 0), (self._fell, -1)):
                session.fill(buffer, value)
            session.write(self._state, _first_state(graph).view(np.int32))
            self._put_first(source)

    def _upload_rows(self, keeper: DeviceSession) -> tuple[Any, ...]:
        graph = self._problem.graph
        return upload_arrays(
            keeper, self._phases, graph.indptr, graph.indices, self._problem.weights()
        )

    def _put_first(self, source: int) -> None:
        """Put the source into the queue of round 0, split into pieces if it has many arcs."""
        with self._session.timer() as timer:
            self._program.launch(
                "put_first",
                (1,),
                (1,),
                self._shape.room,
                self._graph[0],
                self._near,
                self._state,
                source,
            )
        self._phases.prepare += timer.ms

    def queue_batch(self) -> None:
        for _ in range(self._batch):
            self._launch(_TASKS_A_LAUNCH)
        self._state_read = self._read_state()

    def end_batch(self, seconds: float) -> int | None:
        affordable = int(_BATCH_SECONDS * self._batch / max(seconds, 1e-9))
        self._batch = max(1, min(2 * self._batch, _LARGEST_BATCH, affordable))
        return self._rounds_if_done(self._state_read)

    def begin_watching(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._log = self._session.empty(self._problem.graph.n + _NOTED_BEYOND_N, np.int32)
        self._marks = self._session.empty((_ROUNDS_NOTED, 2), np.int32)

    def queue_rounds(self) -> None:
        """Queue launches of one task each, with copies of their frontiers."""
        for _ in range(1 if self._recorder.wants_distances else _ROUNDS_NOTED):
            self._launch(1)
            self._note(self._log, self._marks)

    def report_rounds(self, ms: float) -> int | None:
        state = self._read_state()
        session = self._session
        self._report(
            session.download(self._log), session.download(self._marks)[: state["marks"]], ms
        )
        if state["task"] != _DONE:
            state["noted"] = state["marks"] = 0
            session.write(self._state, state.reshape(1).view(np.int32))
        return self._rounds_if_done(state)

    def answer(self) -> Any:
        return self._distances

    @staticmethod
    def _rounds_if_done(state: Any) -> int | None:
        return int(state["round"]) if state["task"] == _DONE else None

    def _report(self, log: AnyArray, marks: AnyArray, ms: float) -> None:
        rounds = len(marks)
        if not rounds:
            return
        offsets = np.concatenate(([0], marks[:, 0])).astype(np.int64)
        vertices = log[: offsets[-1]]
        relaxed = np.add.reduceat(self._problem.graph.out_degrees[vertices], offsets[:-1])
        alone = rounds == 1 and self._recorder.wants_distances
        after = self._session.download(self._distances)[None] if alone else None
        shares = np.full(rounds, ms / rounds)
        self._recorder.iterations(offsets, vertices, relaxed, marks[:, 1], shares, after)

    def _launch(self, tasks: int) -> None:
        shape = self._shape
        arrays = (
            self._problem.graph.n,
            shape.room,
            *self._graph,
            self._distances,
            self._near,
            self._far,
        )
        arrays += (self._queued, self._piled, self._fell, self._state, self._bounds)
        self._program.launch("conduct", (1,), (shape.block,), *arrays, tasks, shape.alone)
        self._program.launch("assist", (shape.blocks,), (shape.block,), *arrays, shape.alone)

    def _note(self, log: Any, marks: Any) -> None:
        shape, queue = self._shape, (self._near, self._state)
        self._program.launch("note", (1,), (shape.block,), shape.room, *queue, log, marks)

    def _read_state(self) -> Any:
        return self._session.download(self._state).view(_STATE)[0]


def _first_state(graph: Graph) -> AnyArray:
    """The state of round 0, with an empty queue."""
    state = np.zeros(1, dtype=_STATE)
    state["room"] = graph.n + _NOTED_BEYOND_N
    return state


def _bounds(problem: Problem, on_cpu: bool) -> AnyArray:
    """Split, settled, delta and least, as the kernels' ``bounds``."""
    kind = problem.distance_type
    delta = bucket_width(problem.graph, kind, float(problem.parameters["delta"]), on_cpu)
    return np.array([delta, 0, delta, kind.infinity], dtype=kind.dtype)
