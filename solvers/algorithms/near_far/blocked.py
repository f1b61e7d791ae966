"""Near-far by parts of the graph: a block relaxes a whole part in shared memory;
explained in ``blocked.cu``.

Partitioning takes longer than many solves. It is done once for a graph and serves every
source; the first run shows it as preparation.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from solvers.algorithms.bucket_width import bucket_width
from solvers.algorithms.near_far.on_device import (
    NearFarRun,
    require_arcs_in_32_bits,
    solve_on_device,
)
from solvers.algorithms.near_far.partition import (
    Partition,
    has_parts,
    load_parts,
    partition_graph,
    save_parts,
    seconds_to_partition,
)
from solvers.core.problem import Phases, Problem, Recorder, Solution
from solvers.core.pseudocode import NEAR_FAR_PARTS
from solvers.core.variant import (
    Algorithm,
    Answers,
    Citation,
    DeviceWork,
    Preparation,
    RunsOn,
    WorkMapping,
    variant,
)
from solvers.devices.device import Device, DeviceSession, KernelSource, Program
from solvers.devices.kernel import distance_defines
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.parameters import Parameter
from solvers.system.array_types import AnyArray, Int32s
from solvers.text import format_count, format_duration

_ID = "sssp-blocked"

_STOP, _BUCKETS, _LOGGED, _RELAXED, _FALLEN, _WORDS = 3, 4, 5, 6, 7, 8  # of the kernel's state
_DONE = 1  # of `_STOP`
_TAKEN_A_LAUNCH = 65_536  # parts; some 40 ms, after which cancellation is checked
_ROUNDS_A_BATCH = 8  # likewise
_ARCS_A_VERTEX = 4  # of a part, for which there is room
_THREADS_A_MULTIPROCESSOR = 1024  # at work at once
_ENDLESS = np.iinfo(np.int32).max

# mean weights: idle blocks cost a GPU nothing, and needless work little
_ON_A_GPU, _ON_A_PROCESSOR = 400.0, 100.0
_DELTA = Parameter(
    "delta",
    0.0,
    "how much farther than the nearest waiting part a part may be, "
    "in mean weights; 0 chooses by device",
    low=0.0,
    high=1e6,
)
_PART = Parameter(
    "part", 0, "most vertices in a part; 0 chooses by device", choices=(0, 256, 512, 1024)
)
_HOPS = Parameter(
    "hops",
    0,
    "most hops of a part in a round; 0 continues until no distance falls",
    low=0,
    high=65_535,
)
_BLOCK = Parameter(
    "block", 0, "threads in a block; 0 chooses by device", choices=(0, 64, 128, 256, 512)
)
_LANES = Parameter(
    "lanes",
    0,
    "threads that share a vertex's arcs; 0 chooses by device",
    choices=(0, 1, 2, 4, 8, 16),
)


@dataclass(frozen=True)
class BlockedShape:
    """Partitioning of the graph, and compilation and launch parameters of the kernel."""

    # most vertices of a part, and arcs that leave them
    part: int
    arcs: int
    block: int
    lanes: int
    blocks: int  # as many as the device holds at once
    rounds: bool  # blocks do not wait for parts: they are let in round by round

    @classmethod
    def of(cls, problem: Problem, device: Device) -> BlockedShape:
        parameters, kind = problem.parameters, problem.distance_type
        part, arcs = _part_limits(problem.graph, device, kind, int(parameters["part"]))
        block = int(parameters["block"]) or (64 if device.is_cpu else 256)
        lanes = int(parameters["lanes"]) or (1 if device.is_cpu else 4)
        blocks = device.compute_units * (
            4 if device.is_cpu else max(1, _THREADS_A_MULTIPROCESSOR // block)
        )
        block = min(block, part, device.max_block)
        return cls(
            part, arcs, block, lanes, blocks, rounds=problem.recorder is not None or device.is_cpu
        )


def _part_limits(graph: Graph, device: Device, kind: WeightType, asked: int = 0) -> tuple[int, int]:
    """Most vertices and most arcs of a part."""
    part = min(asked or _suitable_part(graph, device), _largest_part(kind))
    return part, _ARCS_A_VERTEX * part


def _suitable_part(graph: Graph, device: Device) -> int:
    """Size of a part; on a GPU the largest that leaves a part for every multiprocessor."""
    share = 512 if device.is_cpu else graph.n // device.compute_units
    return max(size for size in (256, 512, 1024) if size <= max(256, share))


def _largest_part(kind: WeightType) -> int:
    """The largest part that fits into the 48 KB of shared memory that every device
    gives a block.
    """
    return 1024 if kind.dtype.itemsize == 4 else 512


def _ring_size(parts: int) -> int:
    """Slots of the ring: a power of two above the number of parts put in during a
    launch, so that none is reused.
    """
    return 1 << (_TAKEN_A_LAUNCH + 2 * parts).bit_length()


def memory(graph: Graph) -> int:
    """Device bytes: the cut graph (every arc inside a part or between two), three
    distances a vertex, and the ring.
    """
    size = graph.distance_type.dtype.itemsize
    ring = 4 * _ring_size(graph.n // 64)
    return graph.m * (12 + size) + graph.n * (12 + 3 * size) + 64 * (1 + graph.n // 64) + ring


def prepared(graph: Graph, device: Device | None) -> Preparation | None:
    """State of the partition for the default parameters."""
    if device is None:
        return None
    limits = _part_limits(graph, device, graph.distance_type)
    if graph.peek_cached(("partition", *limits)) is not None:
        return Preparation("its partition was prepared earlier")
    if has_parts(graph, *limits):
        return Preparation("its parts are on disk", seconds_to_partition(graph, grown=True))
    return Preparation("", seconds_to_partition(graph))


@variant(
    id=_ID,
    title="near-far by parts",
    algorithm=Algorithm.MODERN,
    answers=Answers.SSSP,
    runs_on=RunsOn.GPU,
    mapping=WorkMapping.BLOCK_PER_PART,
    pseudocode=NEAR_FAR_PARTS,
    device_work=DeviceWork(),
    papers=(
        Citation("beyond the papers", "after Davidson et al. 2014; parts settled in shared memory"),
    ),
    idea=(
        "The graph is partitioned into parts of about a thousand neighbouring vertices. "
        "A part with work to do is relaxed by one block in shared memory, "
        "until no distance in it falls any more. Then the arcs that leave the part are relaxed, "
        "and the parts in which they lower a distance wait in turn. "
        "So the frontier crosses a whole part in a round, not one arc."
    ),
    watch=(
        "Whole parts become active one after another instead of a thin frontier; "
        "those next to the source come first, and a part is active again when a shorter path "
        "reaches it from another side."
    ),
    cost=(
        "About five to ten relaxations per arc, nearly all in shared memory; a few more rounds "
        "than there are parts along the longest path. Partitioning takes O(n + m), once per graph; "
        "large graphs' parts are kept on disk."
    ),
    caveat="Fast where few arcs leave their part, as in road networks and meshes. "
    "In social networks most arcs do.",
    parameters=(_DELTA, _PART, _HOPS, _BLOCK, _LANES),
    needs_nonnegative=True,
    kernel="blocked.cu",
    memory=memory,
    prepared=prepared,
)
def solve(problem: Problem) -> Solution:
    """Distances from the source, (n,).

    Raises UnsuitableGraph, OutOfMemory, KernelBuildError, DeviceUnavailable, Cancelled.
    """
    device = problem.given_device
    require_arcs_in_32_bits(problem.graph, _ID)
    shape = BlockedShape.of(problem, device)
    program = device.compile(_source(shape, problem.distance_type, problem.recorder is not None))
    phases = Phases()
    with phases.measure("prepare"):
        partition, note = _partitioned_once(problem, shape)
    return solve_on_device(
        problem, device, partial(_Run, problem, shape, partition, program), phases, note
    )


def _partitioned_once(problem: Problem, shape: BlockedShape) -> tuple[Partition, str]:
    """The graph's partition, cached for other sources, and a sentence about it."""
    graph, limits = problem.graph, (shape.part, shape.arcs)
    made = "partitioned before"

    def make() -> Partition:
        nonlocal made
        began = time.perf_counter()
        known = load_parts(graph, *limits)
        partition = partition_graph(graph, *limits, problem.progress, known)
        read = "" if known is None else ", with parts read from disk"
        made = f"partitioning took {format_duration((time.perf_counter() - began) * 1e3)}{read}"
        if known is None:
            save_parts(graph, *limits, partition.parts)
        return partition

    partition = graph.cached(("partition", *limits), make)
    return partition, f"{format_count(partition.count)} parts; {made}, once for every source."


def _source(shape: BlockedShape, kind: WeightType, watched: bool) -> KernelSource:
    defines: dict[str, int | str] = distance_defines(kind)
    defines |= {"PART": shape.part, "ARCS": shape.arcs, "BLOCK": shape.block, "LANES": shape.lanes}
    defines |= {"ROUNDS": 1} if shape.rounds else {}
    defines |= {"WATCHED": 1} if watched else {}
    return KernelSource.beside(__file__, "blocked.cu", **defines)


def _limits_type(kind: WeightType) -> np.dtype[Any]:
    """The kernel's ``Limits``."""
    names = ("ring_mask", "part_count", "vertex_count", "most_hops", "most_taken", "round")
    return np.dtype([("delta", kind.dtype), *((name, np.int32) for name in names)], align=True)


class _Run(NearFarRun):
    """The partitioned graph on the device, and the launches until no part is queued."""

    def __init__(
        self,
        problem: Problem,
        shape: BlockedShape,
        partition: Partition,
        program: Program,
        session: DeviceSession,
        phases: Phases,
    ):
        graph, kind = problem.graph, problem.distance_type
        n, source = graph.n, int(partition.positions[problem.given_source])
        self._problem = problem
        self._shape = shape
        self._partition = partition
        self._program = program
        self._session, self._phases = session, phases
        self._hops = int(problem.parameters["hops"]) or _ENDLESS
        self._limits = self._first_limits(session.device.is_cpu)
        with phases.measure("prepare"):
            self._distance, self._relaxed_at, self._answer = (
                session.empty(n, kind.dtype) for _ in range(3)
            )
            self._nearest = session.empty(partition.count, kind.dtype)
            self._split = session.empty(1, kind.dtype)
            self._ring = session.empty(_ring_size(partition.count), np.int32)
            self._state = session.empty(_WORDS, np.int32)
        with phases.measure("h2d"):
            self._graph, self._positions = problem.graph_on(
                session, "parts", partial(_upload, partition, kind)
            )
            self._watched = session.upload(_first_watched(partition, problem.recorder is not None))
            for buffer in (self._distance, self._relaxed_at, self._nearest):
                session.fill(buffer, kind.infinity)
            self._begin(source)

    def _first_limits(self, on_cpu: bool) -> AnyArray:
        problem, kind = self._problem, self._problem.distance_type
        limits = np.zeros((), _limits_type(kind))
        width = float(problem.parameters["delta"]) or (_ON_A_PROCESSOR if on_cpu else _ON_A_GPU)
        limits["delta"] = bucket_width(problem.graph, kind, width, on_cpu=False)
        limits["ring_mask"] = _ring_size(self._partition.count) - 1
        limits["part_count"], limits["vertex_count"] = self._partition.count, problem.graph.n
        limits["most_hops"] = self._hops
        limits["most_taken"] = _ENDLESS if self._shape.rounds else _TAKEN_A_LAUNCH
        return limits

    def _begin(self, source: int) -> None:
        """Queue the source's part, with distance 0."""
        part = int(np.searchsorted(self._partition.first, source, side="right")) - 1
        arrays = (self._distance, self._nearest, self._state)
        with self._session.timer() as timer:
            self._program.launch("begin", (1,), (1,), np.int32(source), np.int32(part), *arrays)
            if self._shape.rounds:  # without rounds each launch begins with it
                self._clear()
        self._phases.prepare += timer.ms

    def queue_batch(self) -> None:
        if self._shape.rounds:
            for _ in range(_ROUNDS_A_BATCH):
                self._round()
        else:
            self._clear()
            self._settle()
        self._state_read = self._session.download(self._state)

    def end_batch(self, seconds: float) -> int | None:
        return int(self._state_read[_BUCKETS]) if self._state_read[_STOP] == _DONE else None

    def begin_watching(self, recorder: Recorder) -> None:
        """Limit the first round to one hop, so that it shows the source alone."""
        self._recorder = recorder
        self._limits["most_hops"] = 1

    def queue_rounds(self) -> None:
        self._round()

    def report_rounds(self, ms: float) -> int | None:
        session = self._session
        recorder = self._recorder
        state = self._session.download(self._state)
        rounds = int(self._limits["round"])
        if state[_STOP] == _DONE:
            return rounds
        active = session.download(self._watched, into=np.empty(state[_LOGGED], np.int32))
        after = session.download(self.answer()) if recorder.wants_distances else None
        recorder.iteration(active, int(state[_RELAXED]), int(state[_FALLEN]), ms, after)
        self._limits["most_hops"], self._limits["round"] = self._hops, rounds + 1
        return None

    def _round(self) -> None:
        waiting = (self._nearest, self._split, self._ring, self._state)
        self._program.launch("admit_parts", (1,), (self._shape.block,), *waiting, self._limits)
        self._settle()

    def _settle(self) -> None:
        shape = self._shape
        self._program.launch(
            "settle_parts",
            (min(self._partition.count, shape.blocks),),
            (shape.block,),
            *self._graph,
            self._distance,
            self._relaxed_at,
            self._nearest,
            self._split,
            self._ring,
            self._state,
            self._watched,
            self._limits,
        )

    def _clear(self) -> None:
        size = self._ring.shape[0]
        grid = (min(self._shape.blocks, -(-size // self._shape.block)),)
        self._program.launch(
            "clear", grid, (self._shape.block,), np.int32(size), self._ring, self._state
        )

    def answer(self) -> Any:
        grid, block = (self._shape.blocks,), (self._shape.block,)
        n = np.int32(self._problem.graph.n)
        self._program.launch(
            "put_back", grid, block, n, self._positions, self._distance, self._answer
        )
        return self._answer


def _first_watched(partition: Partition, watching: bool) -> Int32s:
    """The kernel's ``watched``: log, order, and for each vertex the last round in which
    it was logged and fell.
    """
    if not watching:
        return np.zeros(1, np.int32)
    arrays = np.full((4, len(partition.order)), -1, np.int32)
    arrays[1] = partition.order
    return arrays.reshape(-1)


def _upload(
    partition: Partition, kind: WeightType, session: DeviceSession
) -> tuple[tuple[Any, ...], Any]:
    """The partitioned graph and the positions on the device."""
    return tuple(session.upload(array) for array in _arrays(partition, kind)), session.upload(
        partition.positions
    )


def _arrays(partition: Partition, kind: WeightType) -> tuple[Any, ...]:
    """The partitioned graph as kernel arguments, with weights in the distance type."""
    table = np.zeros((partition.count, 8), np.int32)
    for column, bounds in (
        (0, partition.first),
        (2, partition.arc_first),
        (4, partition.cut_first),
    ):
        table[:, column], table[:, column + 1] = bounds[:-1], np.diff(bounds)
    weights, cut_weights = (
        w.astype(kind.dtype, copy=False) for w in (partition.weights, partition.cut_weights)
    )
    inside = (table, partition.rows, partition.heads, weights)
    return (*inside, partition.cut_tails, partition.cut_heads, partition.cut_parts, cut_weights)
