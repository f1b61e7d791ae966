"""Near-far in one launch, by a cluster of blocks that share their queues; explained in
``cluster.cu``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from solvers.algorithms.arcs import replayed_distances
from solvers.algorithms.bucket_width import DELTA, LARGE_GRAPH, bucket_width
from solvers.algorithms.near_far.on_device import (
    NearFarRun,
    require_arcs_in_32_bits,
    solve_on_device,
    suitable_lanes,
)
from solvers.core.problem import Phases, Problem, Recorder, Solution
from solvers.core.pseudocode import NEAR_FAR
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
from solvers.graphs.weights import WeightType
from solvers.parameters import Parameter
from solvers.system.array_types import AnyArray, UInt8s

_ID = "sssp-near-far-cluster"

# Shared memory that a block may have on compute capability 9.0, less what the kernel's
# own variables take.
SHARED_BYTES = 224 * 1024
ROUNDS_A_LAUNCH = 2000  # 37 ms on New York on an H200; cancellation is checked between launches
MOST_LOGGED = 1 << 24  # vertices that one launch of a watched run may log
ROUNDS_LOGGED = 256
PACKING_BLOCKS = 1024

_CLUSTER = Parameter(
    "cluster",
    0,
    "blocks in the cluster; 0 chooses 8, or 16 for a million vertices",
    choices=(0, 1, 2, 4, 8, 16),
)
_HOPS = Parameter("hops", 12, "hops that a block makes by itself in each round", low=1, high=64)
_LANES = Parameter(
    "lanes",
    0,
    "threads that share a vertex's arcs; 0 chooses by mean degree",
    choices=(0, 1, 2, 4, 8, 16, 32),
)


@dataclass(frozen=True)
class ClusterShape:
    """Compile-time sizes of the kernel, derived from the graph, the types and the parameters."""

    cluster: int
    threads: int
    lanes: int
    hops: int
    capacity: int  # near entries that a block can hold
    kind: WeightType
    state: np.dtype[Any]  # what outlives a launch, as the kernel's ``State``

    @classmethod
    def of(cls, graph: Graph, kind: WeightType, parameters: dict[str, Any]) -> ClusterShape:
        large = graph.n >= LARGE_GRAPH
        cluster = int(parameters["cluster"]) or (16 if large else 8)
        entry = _entry_bytes(kind.dtype.itemsize)
        word = kind.dtype.str
        fields: list[Any] = [("split", word), ("delta", word), ("rounds", "<i8")]
        fields += [
            ("far_count", "<i4", (cluster,)),
            ("far_side", "<i4", (cluster,)),
            ("done", "<i4"),
        ]
        return cls(
            cluster=cluster,
            threads=1024 if large else 512,
            lanes=int(parameters["lanes"]) or suitable_lanes(graph),
            hops=int(parameters["hops"]),
            capacity=SHARED_BYTES // (2 * entry),
            kind=kind,
            state=np.dtype(fields, align=True),
        )

    @property
    def queue_bytes(self) -> int:
        """Shared memory for the two near queues of a block."""
        return 2 * self.capacity * _entry_bytes(self.kind.dtype.itemsize)

    def source(self, watched: bool) -> KernelSource:
        defines: dict[str, int | str] = distance_defines(self.kind)
        defines |= {"CLUSTER": self.cluster, "THREADS": self.threads, "LANES": self.lanes}
        defines |= {"HOPS": 1 if watched else self.hops, "CAPACITY": self.capacity}
        return KernelSource.beside(
            __file__, "cluster.cu", **defines, **({"WATCHED": 1} if watched else {})
        )


def _far_capacity(graph: Graph, capacity: int) -> int:
    """A pile is sifted once it holds n entries, and in one hop a block adds at most one
    an arc of its near entries.
    """
    widest = graph.greatest_degree
    return graph.n + min(graph.m, capacity * widest) + 1


def memory(graph: Graph) -> int:
    """Device bytes: compressed rows, the packed arcs, distances, and two sides of a far
    pile for each block.
    """
    cluster = 16 if graph.n >= LARGE_GRAPH else 8
    size = graph.distance_type.dtype.itemsize
    capacity = SHARED_BYTES // (2 * _entry_bytes(size))
    piles = 2 * cluster * _far_capacity(graph, capacity) * 2 * size
    return graph.n * (16 + size) + graph.m * (4 + size + _entry_bytes(size)) + piles


def _entry_bytes(size: int) -> int:
    """Bytes of a near entry or a packed arc (row, vertex, distance), with distances of
    ``size`` bytes.
    """
    return 16 if size == 4 else 32


@variant(
    id=_ID,
    title="near-far, one cluster",
    algorithm=Algorithm.MODERN,
    answers=Answers.SSSP,
    runs_on=RunsOn.GPU,
    mapping=WorkMapping.CLUSTER_SHARES_FRONTIER,
    pseudocode=NEAR_FAR,
    device_work=DeviceWork(),
    papers=(
        Citation("beyond the papers", "after Davidson et al. 2014 and ADDS, Wang et al. 2021"),
    ),
    idea=(
        "Vertices near the source are settled first, in buckets delta wide; "
        "farther ones wait in a pile. The whole run is one launch: "
        "a cluster of 8 or 16 blocks shares its queues through shared memory, "
        "and each block makes several hops on its own before it waits for the others."
    ),
    watch=(
        "The frontier advances bucket by bucket: it spreads inside a band of distances until "
        "the band is settled, then the next band starts. Few vertices are active twice; "
        "compare with Bellman-Ford."
    ),
    cost=(
        "Little more than O(n + m) relaxations, depending on delta; as many rounds as the longest "
        "shortest path has arcs, divided by the hops of a block in a round."
    ),
    caveat="Needs thread block clusters (compute capability 9.0). A watched run makes one hop a "
    "round, so that every round can be shown; a timed run makes several.",
    parameters=(DELTA, _CLUSTER, _HOPS, _LANES),
    needs_nonnegative=True,
    cuda_only=True,
    compute_capability=90,
    kernel="cluster.cu",
    memory=memory,
)
def solve(problem: Problem) -> Solution:
    """Distances from the source, (n,).

    Raises UnsuitableGraph, OutOfMemory, KernelBuildError, DeviceUnavailable, Cancelled.
    """
    device = problem.given_device
    require_arcs_in_32_bits(problem.graph, _ID)
    shape = ClusterShape.of(problem.graph, problem.distance_type, dict(problem.parameters))
    program = device.compile(shape.source(problem.recorder is not None))
    if shape.cluster > 8:  # only CUDA devices get here
        program.allow_large_clusters("solve")  # type: ignore[attr-defined]
    return solve_on_device(problem, device, partial(_Run, problem, shape, program))


class _Run(NearFarRun):
    """One launch for the whole run, or several where it is long."""

    def __init__(
        self,
        problem: Problem,
        shape: ClusterShape,
        program: Program,
        session: DeviceSession,
        phases: Phases,
    ):
        graph, kind = problem.graph, shape.kind
        self._problem, self._shape, self._program = problem, shape, program
        self._session, self._phases = session, phases
        source = np.int32(problem.given_source)
        self._known = problem.start_distances(int(source))
        self._capacity = _far_capacity(graph, shape.capacity)
        with phases.measure("prepare"):
            first_state = self._first_state()
            self._distances = session.empty(graph.n, kind.dtype)
            self._far = session.empty((2 * shape.cluster * self._capacity, 2), kind.dtype)
            self._state = session.empty(shape.state.itemsize, np.uint8)
        with phases.measure("h2d"):
            session.write(self._distances, self._known)
            session.write(self._state, first_state)
        self._rows, self._arcs = problem.graph_on(session, "packed", self._pack)
        with session.timer() as timer:
            program.launch("put_first", (1,), (1,), self._far, source)
        phases.prepare += timer.ms

    def _pack(self, keeper: DeviceSession) -> tuple[Any, Any]:
        """Rows and arcs as the kernels read them, in the memory of ``keeper``; the
        graph's own arrays are dropped.
        """
        graph, session, phases = self._problem.graph, self._session, self._phases
        with phases.measure("prepare"):
            rows = keeper.empty((graph.n, 2), np.int32)
            arcs = keeper.empty(graph.m * _entry_bytes(self._shape.kind.dtype.itemsize), np.uint8)
        with phases.measure("h2d"):
            indptr, heads = session.upload(graph.indptr), session.upload(graph.indices)
            weights = session.upload(self._problem.weights())
        with session.timer() as timer:
            grid, block = (PACKING_BLOCKS,), (256,)
            self._program.launch("pack_rows", grid, block, np.int32(graph.n), indptr, rows)
            self._program.launch(
                "pack_arcs", grid, block, np.int32(graph.m), heads, weights, rows, arcs
            )
        phases.prepare += timer.ms
        return rows, arcs

    def queue_batch(self) -> None:
        self._launch(ROUNDS_A_LAUNCH)

    def end_batch(self, seconds: float) -> int | None:
        state = self._read_state()
        return int(state["rounds"]) if state["done"] else None

    def begin_watching(self, recorder: Recorder) -> None:
        self._recorder = recorder
        n, session = self._problem.graph.n, self._session
        self._rounds_logged = max(1, min(ROUNDS_LOGGED, MOST_LOGGED // max(1, n)))
        self._vertices = session.empty(self._rounds_logged * n, np.int32)
        self._ends = session.empty(self._rounds_logged + 2, np.int32)  # the last word counts
        self._improved = session.empty(self._rounds_logged + 1, np.int32)

    def before_rounds(self) -> None:
        self._session.fill(self._ends, 0)
        self._session.fill(self._improved, 0)
        self._rounds_before = int(self._read_state()["rounds"])

    def queue_rounds(self) -> None:
        self._launch(self._rounds_logged, self._vertices, self._ends, self._improved)

    def report_rounds(self, ms: float) -> int | None:
        state, download = self._read_state(), self._session.download
        rounds = int(state["rounds"])
        logged = download(self._vertices), download(self._ends), download(self._improved)
        self._report(*logged, rounds - self._rounds_before, ms)
        return rounds if state["done"] else None

    def answer(self) -> Any:
        return self._distances

    def _report(
        self, vertices: AnyArray, ends: AnyArray, improved: AnyArray, rounds: int, ms: float
    ) -> None:
        if not rounds:
            return
        degrees = self._problem.graph.out_degrees
        offsets = ends[: rounds + 1].astype(np.int64)
        logged = vertices[: offsets[-1]]
        relaxed = np.add.reduceat(np.append(degrees[logged], 0), offsets[:-1])
        relaxed[np.diff(offsets) == 0] = 0
        after = None
        # exact: an entry is relaxed with the distance it was pushed with
        if self._recorder.wants_distances:
            after = replayed_distances(self._problem.graph, self._known, offsets, logged)
            self._known = after[-1]
        times = np.full(rounds, ms / rounds)
        self._recorder.iterations(offsets, logged, relaxed, improved[:rounds], times, after)

    def _launch(self, rounds: int, *log: Any) -> None:
        shape, graph = self._shape, self._problem.graph
        self._program.launch(
            "solve",
            (shape.cluster,),
            (shape.threads,),
            self._rows,
            self._arcs,
            self._distances,
            self._far,
            np.int32(graph.n),
            np.int64(self._capacity),
            self._state,
            np.int32(rounds),
            *log,
            shared_bytes=shape.queue_bytes,
        )

    def _first_state(self) -> UInt8s:
        """The pile holds the source; the first sift moves split from 0 to delta."""
        graph, kind = self._problem.graph, self._shape.kind
        state = np.zeros(1, dtype=self._shape.state)
        state["delta"] = bucket_width(
            graph, kind, float(self._problem.parameters["delta"]), on_cpu=False
        )
        state["far_count"][0, 0] = 1
        return state.view(np.uint8)

    def _read_state(self) -> Any:
        return self._session.download(self._state).view(self._shape.state)[0]
