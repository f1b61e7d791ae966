"""In a worker: a chunk of sources, reduced or written as rows, with a proved row; the
graph, the engines and the GPU.

The graph of a pack, and the engines for its rows, are kept between chunks.

A worker claims the first free NVIDIA GPU that it sees, by a lock on a byte of a file of
its machine, and keeps it as long as it lives; no other worker of its cluster has that
GPU. The system releases the lock with the process. So workers need not be started with
a GPU each. Workers of different clusters do not exclude each other, because an idle one
would keep others from the GPU.
"""

from __future__ import annotations

import hashlib
import logging
import os
import socket
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from solvers.algorithms.distance_rows import RowSummaries, budget_of
from solvers.core.result import Verdict
from solvers.devices.cuda import CudaDevice
from solvers.errors import Cancelled, DeviceUnavailable, GraphNotOnWorker, InputError
from solvers.features.all_sources.betweenness import FlowRun
from solvers.features.all_sources.engine import RowProofs, SourceReducer
from solvers.features.all_sources.flows.path_flows import FlowTotals
from solvers.features.all_sources.on_cluster.row_array import RowArray
from solvers.features.all_sources.reductions import DistanceBins
from solvers.features.all_sources.request import OWNER, AllSourcesRequest, Direction
from solvers.features.clusters import dask_for, nvidia_gpus
from solvers.features.clusters.placing import require_pack
from solvers.features.clusters.workers import COUNTER
from solvers.graphs.graph import Graph
from solvers.running.network_pack import PackName, open_pack
from solvers.running.prepared_network import PreparedNetwork, prepared_elsewhere
from solvers.system.array_types import Float64s, Int32s, Int64s
from solvers.system.cancel import CancelToken, Progress
from solvers.system.file_lock import MOST_PLACE, try_lock
from solvers.system.openmp import team
from solvers.system.threads import thread_team

log = logging.getLogger(__name__)

_MOST_STOPPED = 64  # runs whose end is remembered

_MOST_GRAPHS = 2

_open: OrderedDict[tuple[str, str], OpenGraph] = OrderedDict()
_opening = threading.Lock()

CHOICES = ("auto", "cuda", "none")
"""What ``--device`` may be for a run on a cluster."""

_LOOK_S = 0.02

_claiming = threading.Lock()
_claimed: dict[str, CudaDevice] = {}  # by cluster
_files: list[int] = []  # the open lock file, kept: closing it would release its locks
_sweeping = threading.Lock()


@dataclass(frozen=True)
class ChunkPlan:
    """The parameters of all chunks of a run; sent with each, so it is small."""

    run: str  # id of the run, for its end
    pack: PackName
    shared: bool  # whether workers may use the client's file
    device: str  # as for `device_for`
    budget: float | None
    rows: RowArray | None  # where rows are written
    bins: DistanceBins | None = None  # of a histogram
    has_flows: bool = False
    masses: Float64s | None = None  # (n,), for flows
    direction: Direction = Direction.OUT  # the pack is of the graph that is searched for it


@dataclass(frozen=True, eq=False)
class ChunkResult:
    """A finished chunk: the sources ``first`` to ``last - 1``."""

    first: int
    last: int
    summaries: RowSummaries
    counts: Int64s  # (bins,) distances of all sources; empty without a histogram
    verdict: Verdict  # of the row that was proved
    seconds: float  # in the worker, without the first opening of the graph
    host: str
    gpu: str = ""  # where it was swept, unique in the host; "" for the processor
    flows: FlowTotals | None = None


class StoppedRuns:
    """Ids of the runs that were cancelled or have ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ids: list[str] = []

    def add(self, run: str) -> None:
        with self._lock:
            self._ids = [*self._ids[-_MOST_STOPPED:], run]

    def __contains__(self, run: object) -> bool:
        return run in self._ids


_STOPPED = StoppedRuns()


def progress_of(run: str) -> Progress:
    """Cancelled once the client has ended the run."""

    def look() -> None:
        if run in _STOPPED:
            raise Cancelled

    return Progress(CancelToken(look))


async def stop_run(run: str) -> None:
    """End the chunks of a run in this process. A coroutine, so that the client need not
    wait for busy workers.
    """
    _STOPPED.add(run)


def compute_chunk(
    plan: ChunkPlan, first: int, last: int, chosen: Int32s | None = None
) -> ChunkResult:
    """Compute the sources ``first`` to ``last - 1``: the vertices ``chosen``, or those
    of these numbers if None.

    Raises GraphNotOnWorker, FileNotWritten, OutOfMemory, Unavailable, Cancelled.
    """
    progress = progress_of(plan.run)
    progress.checkpoint()
    opened = open_graph(plan.pack, plan.device, plan.shared)
    sources = np.arange(first, last, dtype=np.int32) if chosen is None else chosen
    with opened.network(plan, progress) as network, thread_team(1) as counters:
        began = time.perf_counter()
        budget = budget_of(network.kind, plan.budget)
        reducer = SourceReducer(network, budget, plan.bins, counters)
        proofs = RowProofs(network, budget, len(sources), opened.graph)
        take = None if plan.rows is None else plan.rows.block_writer(first, last).take
        part, flows = reducer.reduce(sources, proofs, progress, take), None
        if part is not None and plan.has_flows:
            run = opened.flow_run(plan, network, progress)
            flows = run.compute(sources, progress)
            if run.failure is not None:
                proofs.add(run.failure)
        seconds = time.perf_counter() - began
        gpu = (
            opened.device.hardware_id
            if opened.device is not None and network.device is not None
            else ""
        )
    COUNTER.add(last - first, seconds)
    COUNTER.say(f"sources {first} to {last - 1} in {seconds:.2f} s")
    part = part or reducer.empty(last - first)  # a failed proof ends the run
    host = socket.gethostname()
    return ChunkResult(
        first, last, part.summaries, part.counts, proofs.verdict, seconds, host, gpu, flows
    )


def compute_row_end(plan: ChunkPlan, source: int, claimed: RowSummaries) -> tuple[int, Verdict]:
    """The first vertex at the greatest distance from ``source``, and the proof of its row."""
    progress = progress_of(plan.run)
    opened: OpenGraph = open_graph(plan.pack, plan.device, plan.shared)
    with opened.network(plan, progress) as network:
        budget = budget_of(network.kind, plan.budget)
        proofs = RowProofs(network, budget, 1, opened.graph)
        row = network.row(source, progress)
        proofs.prove_row(source, claimed, row, progress)
    return int((row == claimed.farthest[0]).argmax()), proofs.verdict


class OpenGraph:
    """A graph that this process has open, perhaps what is searched for one with turns. Each
    thread that computes takes a network for rows, whose memory is its own.
    """

    def __init__(self, graph: Graph, end_of: Int32s | None, device: CudaDevice | None):
        self.graph, self.device = graph, device
        self._end_of = end_of
        self._lock = threading.Lock()
        self._idle: list[PreparedNetwork] = []
        self._flow_runs: dict[tuple[str, int], FlowRun] = {}

    def flow_run(self, plan: ChunkPlan, network: PreparedNetwork, progress: Progress) -> FlowRun:
        """What computes the flows of a run for the thread that has ``network``; one
        run's is kept for each.
        """
        key = (plan.run, id(network))
        with self._lock:
            found = self._flow_runs.get(key)
        if found is None:
            request = AllSourcesRequest(
                network.network, budget=plan.budget, has_flows=True, masses=plan.masses
            )
            found = FlowRun(request, network, 1, progress)
            with self._lock:
                self._flow_runs = {k: run for k, run in self._flow_runs.items() if k[0] == plan.run}
                self._flow_runs[key] = found
        return found

    @contextmanager
    def network(self, plan: ChunkPlan, progress: Progress) -> Iterator[PreparedNetwork]:
        """For rows, of one thread, with one thread of OpenMP; on the GPU, threads take turns."""
        with team(1, OWNER):
            with self._lock:
                found = self._idle.pop() if self._idle else None
            if found is None:
                is_reverse = plan.direction is Direction.IN
                found = prepared_elsewhere(
                    self.graph, self._end_of, self.device, progress, is_reverse=is_reverse
                )
            turn = nullcontext() if found.device is None else one_sweep_at_a_time(progress)
            try:
                with turn:
                    yield found
            finally:
                with self._lock:
                    self._idle.append(found)


def open_graph(pack: PackName, device: str, shared: bool) -> OpenGraph:
    """The graph of the pack, opened now or before.

    Raises GraphNotOnWorker; DeviceUnavailable for the device "cuda" without a GPU.
    """
    with _opening:
        key = (pack.digest, device)
        if key not in _open:
            path = require_pack(pack, shared)
            try:
                graph, end_of = open_pack(path)
            except (OSError, ValueError) as error:
                raise GraphNotOnWorker(
                    "this worker", str(path), f"cannot be used ({error})"
                ) from error
            _open[key] = OpenGraph(graph, end_of, device_for(device, _cluster()))
            COUNTER.say(f"opened {graph.name}")
        _open.move_to_end(key)
        while len(_open) > _MOST_GRAPHS:
            _open.popitem(last=False)
        return _open[key]


def _cluster() -> str:
    """Address of the scheduler of this worker."""
    return dask_for("A worker").get_worker().scheduler.address


def forget_graphs() -> None:
    """Close all graphs; their files can then be removed."""
    with _opening:
        _open.clear()


def require_choice(device: str) -> None:
    """Raise `InputError` unless ``device`` is one of `CHOICES`."""
    if device not in CHOICES:
        raise InputError(
            f"“{device}” is not a device for a run on a cluster: each worker has a GPU of its own. "
            "Choose cuda for workers with GPUs only, none for processors, or auto for both."
        )


def device_for(choice: str, cluster: str) -> CudaDevice | None:
    """The GPU of this process, or None for the processor; ``choice`` is one of `CHOICES`.

    ``cluster`` identifies the cluster of the worker: it is the address of its
    scheduler. Raises DeviceUnavailable for "cuda", if this process sees no GPU, or
    other workers have all that it sees.
    """
    if choice == "none":
        return None
    device = claim_gpu(cluster)
    if device is None and choice == "cuda":
        raise DeviceUnavailable(
            "A worker has no GPU: it sees none, or other workers have all of them. Start one "
            "worker per GPU, or choose the device “auto”."
        )
    return device


def claim_gpu(cluster: str) -> CudaDevice | None:
    """The GPU that this process has, or gets now; None if there is no free one."""
    with _claiming:
        if cluster not in _claimed:
            free = next(
                (gpu for gpu in nvidia_gpus() if _lock(f"{cluster} {gpu.hardware_id}")), None
            )
            if free is None:
                return None
            _claimed[cluster] = free
            COUNTER.say(f"sweeps on {free.name} ({free.hardware_id})")
        return _claimed[cluster]


@contextmanager
def one_sweep_at_a_time(progress: Progress) -> Iterator[None]:
    """Threads of a worker take turns on its GPU, whose memory holds one hierarchy with
    its batch.
    """
    while not _sweeping.acquire(timeout=_LOOK_S):
        progress.checkpoint()
    try:
        yield
    finally:
        _sweeping.release()


def _lock(name: str) -> bool:
    """Lock the byte of that name; True where the folder permits no locks."""
    position = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % MOST_PLACE
    try:
        if not _files:
            _files.append(os.open(_lock_path(), os.O_RDWR | os.O_CREAT, 0o600))
    except OSError:
        return True
    return try_lock(_files[0], position)


def _lock_path() -> Path:
    """A file of this machine and user; home folders, where caches are, may belong to
    several machines.
    """
    owner = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    return Path(tempfile.gettempdir()) / f"tautpath-gpus-{owner}.lock"
