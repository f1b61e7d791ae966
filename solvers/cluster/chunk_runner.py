"""Hands chunks out to workers, takes them back in the order in which they end, and gives lost ones to others."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.cluster.chunk_memory import ChunkMemory
from solvers.cluster.chunk_task import ChunkPlan, ChunkResult, compute_chunk, stop_run
from solvers.cluster.connection import Connection
from solvers.cluster.pacing import ChunkPacing, Remaining
from solvers.cluster.placing import place
from solvers.errors import GraphNotOnWorker, NoWorkers, SchedulerUnreachable, TautlineError, WorkersLost
from solvers.host.observer import Observer

_LOOK_S = 0.02
_AHEAD = 2  # chunks of each thread of a worker: one that it computes, and one that waits for it
_PATIENCE_S = 60.0  # without any worker, or without the scheduler
_MOST_PLACINGS = 3  # times that the graph is sent anew


@dataclass(frozen=True)
class _Worker:
    """What a worker takes: chunks that it computes at a time, chunks that it holds, and sources of each."""

    slots: int
    chunks: int
    most_sources: int


@dataclass(frozen=True)
class _Chunk:
    first: int
    last: int
    worker: str
    placings: int


class ChunkRunner:
    """Runs the chunks of one run.

    Parameters
    ----------
    connection : Connection
    plan : ChunkPlan
    sources : (k,) int64 or None
        Vertices; None for all.
    remaining : Remaining
    step : int
        As for `ChunkPacing`.
    memory : ChunkMemory
    observer : Observer
        Asked fifty times a second. While its checkpoint does not return, the run is paused: workers end the chunks that
        they have, and get no others.
    """

    def __init__(
        self,
        connection: Connection,
        plan: ChunkPlan,
        sources: NDArray[np.int64] | None,
        remaining: Remaining,
        step: int,
        memory: ChunkMemory,
        observer: Observer,
    ):
        self._connection, self._plan, self._sources = connection, plan, sources
        self._remaining, self._memory, self._observer = remaining, memory, observer
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

        Raises
        ------
        WorkersLost, NoWorkers, SchedulerUnreachable, GraphNotOnWorker, OutOfMemory, Cancelled
            Also what a chunk raises. Finished chunks have been given to ``take`` before.
        """
        try:
            self._hand_out()
            while self._chunks or self._remaining.count:
                self._observer.checkpoint()
                try:
                    future = self._ended.get(timeout=_LOOK_S)
                except queue.Empty:
                    self._require_cluster()
                    self._hand_out()
                    continue
                found = self._result(future)
                if found is not None and not take(found):
                    return
                self._observer.checkpoint()
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
                        size = self.pace.size(worker, self._remaining.count, slots, room.most_sources)
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
            None if self._sources is None else self._sources[chunk.first : chunk.last].astype(np.int32),
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
            except (OSError, TimeoutError):  # its worker has gone before it gave the result
                self._remaining.put_back(chunk.first, chunk.last)
                return None
            self.pace.note(chunk.worker, found.host, found.last - found.first, found.seconds)
            if found.gpu and chunk.worker in self._workers:
                self._gpus[chunk.worker] = found.host, found.gpu
                self._workers[chunk.worker] = replace(self._workers[chunk.worker], slots=1, chunks=_AHEAD)
            return found
        if future.status != "error":  # the scheduler has forgotten it
            self._remaining.put_back(chunk.first, chunk.last)
            self._require_cluster()
            return None
        error = future.exception(timeout=_PATIENCE_S)
        if isinstance(error, GraphNotOnWorker) and chunk.placings < _MOST_PLACINGS:
            self._remaining.put_back(chunk.first, chunk.last)
            if chunk.placings == self._placings:  # else it was taken before the graph was sent anew
                self._placings += 1
                place(self._connection, self._plan.pack, self._observer, shared=self._plan.shared)
            return None
        if type(error).__name__ == "KilledWorker":
            raise WorkersLost(self._connection.name, f"the sources {chunk.first} to {chunk.last - 1}") from error
        if isinstance(error, TautlineError):
            raise error
        raise RuntimeError(f"a worker failed at the sources {chunk.first} to {chunk.last - 1}: {error!r}") from error

    def _look_at_workers(self) -> None:
        if self._workers and time.monotonic() - self._looked < 1.0:
            return
        self._looked = time.monotonic()
        with suppress(SchedulerUnreachable):
            found = self._connection.workers()
            self._memory.require_room(int(known.get("memory_limit") or 0) for known in found.values())
            self._workers = {address: self._room(address, known) for address, known in found.items()}

    def _room(self, address: str, known: Mapping[str, Any]) -> _Worker:
        limit, threads = int(known.get("memory_limit") or 0), int(known.get("nthreads", 1))
        if address in self._gpus:
            threads = 1  # they take turns on the GPU
        slots = self._memory.slots(limit, threads)
        # Dask starts what a worker holds as soon as a thread is free, so none waits there that has no room.
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
        with suppress(OSError, TimeoutError, RuntimeError):
            client.cancel(futures, force=True)
            client.run(stop_run, self._plan.run, wait=False)
