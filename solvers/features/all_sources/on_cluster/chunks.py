"""Hands chunks of sources out to workers, takes them back as they end, and gives lost
ones to others.

A chunk is some seconds of work for the worker that takes it, by its speed so far, and
no more than fits into its memory. `ChunkMemory` says what fits: chunks that a worker
computes at a time, and sources of each, by the engine's estimates.
"""

from __future__ import annotations

import logging
import queue
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from solvers.errors import (
    GraphNotOnWorker,
    NoWorkers,
    OutOfMemory,
    SchedulerUnreachable,
    TautpathError,
    WorkersLost,
)
from solvers.features.all_sources.on_cluster.worker import (
    ChunkPlan,
    ChunkResult,
    compute_chunk,
    stop_run,
)
from solvers.features.clusters.connection import Connection
from solvers.features.clusters.placing import place
from solvers.system.array_types import Bools, Int64s
from solvers.system.cancel import Progress

log = logging.getLogger(__name__)

_LOOK_S = 0.02
_AHEAD = 2  # chunks of each thread of a worker: one that it computes, and one that waits for it
_PATIENCE_S = 60.0  # without any worker, or without the scheduler
_MOST_PLACINGS = 3  # times that the graph is sent anew


@dataclass(frozen=True)
class _Worker:
    slots: int  # chunks that it computes at a time
    chunks: int  # chunks that it holds
    most_sources: int  # of each chunk


@dataclass(frozen=True)
class _Chunk:
    first: int
    last: int
    worker: str
    placings: int


class ChunkRunner:
    """Runs the chunks of one run.

    ``sources``, (k,), are vertices, None for all; ``step`` is as for `ChunkPacing`.
    ``progress`` is asked fifty times a second. While its checkpoint does not return,
    the run is paused: workers finish their chunks, and get no others.
    """

    def __init__(
        self,
        connection: Connection,
        plan: ChunkPlan,
        sources: Int64s | None,
        remaining: Remaining,
        step: int,
        memory: ChunkMemory,
        progress: Progress,
    ):
        self._connection, self._plan, self._sources = connection, plan, sources
        self._remaining, self._memory, self._progress = remaining, memory, progress
        self.pace = ChunkPacing(step)
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._chunks: dict[Any, _Chunk] = {}
        self._placings = 0
        self._alone_since: float | None = None
        self._workers: dict[str, _Worker] = {}
        self._gpus: dict[str, tuple[str, str]] = {}  # of workers, with their hosts
        self._looked = 0.0

    @property
    def gpus(self) -> int:
        """Number of GPUs that have computed chunks."""
        return len(set(self._gpus.values()))

    def run(self, take: Callable[[ChunkResult], bool]) -> None:
        """Run until all chunks are finished, or ``take`` returns False.

        Raises WorkersLost, NoWorkers, SchedulerUnreachable, GraphNotOnWorker,
        OutOfMemory, Cancelled, and what a chunk raises. Finished chunks have been given
        to ``take`` before.
        """
        try:
            self._hand_out()
            while self._chunks or self._remaining.count:
                self._progress.checkpoint()
                try:
                    future = self._ended.get(timeout=_LOOK_S)
                except queue.Empty:
                    self._require_cluster()
                    self._hand_out()
                    continue
                found = self._result(future)
                if found is not None and not take(found):
                    return
                self._progress.checkpoint()
                self._hand_out()
        finally:
            self._stop()

    def _hand_out(self) -> None:
        """Give every worker what it can take."""
        self._look_at_workers()
        slots = sum(worker.slots for worker in self._workers.values())
        if not self._remaining.count:
            return
        held: dict[str, int] = {}
        for chunk in self._chunks.values():
            held[chunk.worker] = held.get(chunk.worker, 0) + 1
        for _ in range(_AHEAD):
            for worker, room in self._workers.items():
                for _ in range(room.slots):
                    if held.get(worker, 0) < room.chunks:
                        size = self.pace.size(
                            worker, self._remaining.count, slots, room.most_sources
                        )
                        taken = self._remaining.take(size)
                        if taken is None:
                            return
                        held[worker] = held.get(worker, 0) + 1
                        self._submit(_Chunk(*taken, worker, self._placings))

    def _submit(self, chunk: _Chunk) -> None:
        future = self._connection.client.submit(
            compute_chunk,
            self._plan,
            chunk.first,
            chunk.last,
            None
            if self._sources is None
            else self._sources[chunk.first : chunk.last].astype(np.int32),
            workers=[chunk.worker],
            allow_other_workers=True,
            pure=False,
            key=f"{self._plan.run}-{chunk.first}-{chunk.last}-{time.monotonic_ns()}",
        )
        self._chunks[future] = chunk
        future.add_done_callback(self._ended.put)

    def _result(self, future: Any) -> ChunkResult | None:
        """The result of a chunk that has ended; None if it was put back."""
        chunk = self._chunks.pop(future)
        if future.status == "finished":
            try:
                found: ChunkResult = future.result(timeout=_PATIENCE_S)
            except (OSError, TimeoutError) as gone:  # its worker has gone before it gave the result
                log.info(
                    "worker %s has gone with its result; its chunk is given to others: %s",
                    chunk.worker,
                    gone,
                )
                self._remaining.put_back(chunk.first, chunk.last)
                return None
            self.pace.note(chunk.worker, found.host, found.last - found.first, found.seconds)
            if found.gpu and chunk.worker in self._workers:
                self._gpus[chunk.worker] = found.host, found.gpu
                self._workers[chunk.worker] = replace(
                    self._workers[chunk.worker], slots=1, chunks=_AHEAD
                )
            return found
        if future.status != "error":  # the scheduler has forgotten it
            log.info(
                "the scheduler has forgotten a chunk of worker %s, which is given out again",
                chunk.worker,
            )
            self._remaining.put_back(chunk.first, chunk.last)
            self._require_cluster()
            return None
        error = future.exception(timeout=_PATIENCE_S)
        if isinstance(error, GraphNotOnWorker) and chunk.placings < _MOST_PLACINGS:
            self._remaining.put_back(chunk.first, chunk.last)
            if chunk.placings == self._placings:  # else it was taken before the graph was sent anew
                self._placings += 1
                place(self._connection, self._plan.pack, self._progress, shared=self._plan.shared)
            return None
        if type(error).__name__ == "KilledWorker":
            raise WorkersLost(
                self._connection.name, f"the sources {chunk.first} to {chunk.last - 1}"
            ) from error
        if isinstance(error, TautpathError):
            raise error
        raise RuntimeError(
            f"a worker failed at the sources {chunk.first} to {chunk.last - 1}: {error!r}"
        ) from error

    def _look_at_workers(self) -> None:
        if self._workers and time.monotonic() - self._looked < 1.0:
            return
        self._looked = time.monotonic()
        try:
            found = self._connection.workers()
        except SchedulerUnreachable as error:
            log.info("workers are as they were: %s", error)
            return
        self._memory.require_room(int(known.get("memory_limit") or 0) for known in found.values())
        for address in found.keys() ^ self._workers.keys():
            log.info("worker %s has %s", address, "come" if address in found else "gone")
        self._workers = {address: self._room(address, known) for address, known in found.items()}

    def _room(self, address: str, known: Mapping[str, Any]) -> _Worker:
        limit, threads = int(known.get("memory_limit") or 0), int(known.get("nthreads", 1))
        if address in self._gpus:
            threads = 1  # they take turns on the GPU
        slots = self._memory.slots(limit, threads)
        # Dask starts what a worker holds as soon as a thread is free, so none waits
        # there that has no room.
        chunks = _AHEAD * slots if slots == threads else slots
        return _Worker(slots, chunks, self._memory.most_sources(limit, slots))

    def _require_cluster(self) -> None:
        """Raise if there has been no scheduler, or no worker, for a while."""
        status = self._connection.client.status
        if status == "running" and (self._workers or self._connection.workers()):
            self._alone_since = None
            return
        now = time.monotonic()
        self._alone_since = self._alone_since or now
        if status not in ("running", "connecting") or now - self._alone_since > _PATIENCE_S:
            self._connection.workers()  # raises if the scheduler is gone
            raise NoWorkers(self._connection.name, _PATIENCE_S)

    def _stop(self) -> None:
        """Cancel what has not ended, in the scheduler and in the workers."""
        futures = list(self._chunks)
        self._chunks.clear()
        if not futures:
            return
        client = self._connection.client
        try:
            client.cancel(futures, force=True)
            client.run(stop_run, self._plan.run, wait=False)
        except (OSError, TimeoutError, RuntimeError) as error:
            log.info("chunks were not cancelled: %s", error)


_SHARE = 0.7  # of the limit of a worker: Dask pauses workers at 80 % of it, and ends them at 95 %
# of a worker before it has opened a graph: libraries and compiled functions
_PROGRAM_BYTES = 300_000_000


@dataclass(frozen=True)
class ChunkMemory:
    """Memory that the chunks of a run take."""

    name: str  # of the graph, for messages
    graph_bytes: int  # shared by all chunks of a worker, and counted by Dask as the worker's own
    thread_bytes: int  # of a chunk that is computed, however many sources it has
    source_bytes: int  # of each of its sources

    def slots(self, limit: int, threads: int) -> int:
        """Chunks at a time for a worker with that many threads and a limit of bytes; 0
        stands for no limit.
        """
        if not limit:
            return threads
        return max(1, min(threads, self._usable(limit) // max(1, self.thread_bytes)))

    def most_sources(self, limit: int, slots: int) -> int:
        """Sources of each of so many chunks."""
        if not limit:
            return sys.maxsize
        return max(1, (self._usable(limit) // slots - self.thread_bytes) // self.source_bytes)

    def require_room(self, limits: Iterable[int]) -> None:
        """Raise `OutOfMemory` if a chunk fits into no worker with one of these limits."""
        limits = list(limits)
        if limits and all(0 < limit < self.thread_bytes for limit in limits):
            raise OutOfMemory(
                f"A source of {self.name}",
                self.thread_bytes,
                max(limits),
                "the largest worker",
                remedy="Start workers with more memory each, or without a limit "
                "(dask worker --memory-limit 0).",
            )

    def _usable(self, limit: int) -> int:
        return max(0, int(limit * _SHARE) - self.graph_bytes - _PROGRAM_BYTES)


SLOW = 10.0
"""Times slower than the median, from which on a worker or host is named."""

# of a chunk: short enough to lose little and to tell progress, long enough to hide the
# network
_TARGET_S = 2.0
# chunks that scheduler and client take without delay; more threads get longer ones
_MOST_A_SECOND = 50
_FIRST = 64  # sources of a worker's first chunk
_GROWTH = 8  # at most, from one chunk to the next
_MOST = 1 << 16
_COMPILING = 1  # chunks of a worker that do not tell its speed: functions are loaded or compiled


class ChunkPacing:
    """Speeds of workers, and chunk sizes that follow from them.

    Chunks begin at multiples of ``step``, and have a multiple of it as their number of
    sources.
    """

    def __init__(self, step: int):
        self._step = max(1, step)
        self._speeds: dict[str, float] = {}
        self._chunks: dict[str, int] = {}
        self._sizes: dict[str, int] = {}
        self._hosts: dict[str, str] = {}

    def note(self, worker: str, host: str, sources: int, seconds: float) -> None:
        """A worker has finished a chunk."""
        speed = sources / max(seconds, 1e-6)
        chunks = self._chunks[worker] = self._chunks.get(worker, 0) + 1
        if chunks > _COMPILING + 1:
            speed = 0.5 * (self._speeds[worker] + speed)
        self._speeds[worker] = speed
        self._hosts[worker] = host

    def size(self, worker: str, remaining: int, slots: int, most: int = _MOST) -> int:
        """Sources of its next chunk, of those ``remaining`` that no chunk has yet.

        ``slots`` are the chunks that all workers together compute at a time: chunks
        become smaller towards the end, so that workers end at about the same time.
        ``most`` sources fit into its memory; one step is taken in any case.
        """
        last = self._sizes.get(worker, _FIRST // _GROWTH)
        seconds = max(_TARGET_S, slots / _MOST_A_SECOND)
        wanted = self._speeds[worker] * seconds if worker in self._speeds else _FIRST
        wanted = min(
            wanted, last * _GROWTH, _MOST, max(self._step, remaining / (2 * max(1, slots)))
        )
        size = max(1, min(round(wanted / self._step), most // self._step)) * self._step
        self._sizes[worker] = size
        return size

    def slow_hosts(self) -> dict[str, float]:
        """Hosts whose workers are ten times slower than the median worker, with how many times."""
        known = {
            worker: speed
            for worker, speed in self._speeds.items()
            if self._chunks[worker] > _COMPILING
        }
        if len(known) < 2:
            return {}
        median = statistics.median_high(known.values())
        found: dict[str, float] = {}
        for worker, speed in known.items():
            if speed * SLOW <= median:
                host = self._hosts[worker]
                found[host] = max(found.get(host, 0.0), median / max(speed, 1e-9))
        return found


class Remaining:
    """Sources that are not in a chunk yet, taken from the first to the last; chunks
    that failed are put back.

    Chunks do not cross multiples of ``step``, unless they hold whole ones.
    """

    def __init__(self, finished: Bools, step: int):
        edges = np.flatnonzero(np.diff(finished, prepend=True, append=True))
        self._ranges: list[tuple[int, int]] = [(a, b) for a, b in edges.reshape(-1, 2).tolist()]
        self._step = max(1, step)

    @property
    def count(self) -> int:
        return sum(last - first for first, last in self._ranges)

    def take(self, size: int) -> tuple[int, int] | None:
        """About ``size`` sources that follow each other; None if none are left."""
        if not self._ranges:
            return None
        first, last = self._ranges.pop(0)
        cut = (first + size) // self._step * self._step
        cut = max(cut, (first // self._step + 1) * self._step)
        if cut < last:
            self._ranges.insert(0, (cut, last))
            last = cut
        return first, last

    def put_back(self, first: int, last: int) -> None:
        self._ranges.insert(0, (first, last))

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._ranges)
