"""In a worker: a chunk of sources, reduced or written as rows, with a proved row."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.row_summaries import RowSummaries, budget_of
from solvers.cluster.facts import COUNTER
from solvers.cluster.pack import PackName
from solvers.cluster.row_array import RowArray
from solvers.cluster.worker_engines import OpenGraph, open_graph
from solvers.contracts.results import Verdict
from solvers.errors import Cancelled
from solvers.host.observer import Observer
from solvers.host.threads import thread_team
from solvers.running.all_sources.histogram import DistanceBins
from solvers.running.all_sources.proofs import RowProofs
from solvers.running.all_sources.source_reducer import SourceReducer

_MOST_STOPPED = 64  # runs whose end is remembered


@dataclass(frozen=True)
class ChunkPlan:
    """What is the same for all chunks of a run; sent with each, so it is small.

    Attributes
    ----------
    run : str
        Id of the run, for its end.
    pack : PackName
    shared : bool
        Whether workers may use the client's file.
    device : str
        As for `device_for`.
    budget : float or None
    rows : RowArray or None
        Where rows are written.
    bins : DistanceBins or None
        Of a histogram.
    """

    run: str
    pack: PackName
    shared: bool
    device: str
    budget: float | None
    rows: RowArray | None
    bins: DistanceBins | None = None


@dataclass(frozen=True, eq=False)
class ChunkResult:
    """A finished chunk.

    Attributes
    ----------
    first, last : int
        Sources ``first`` to ``last - 1``.
    summaries : RowSummaries
    counts : (bins,) int64
        Of the distances of all of them; empty without a histogram.
    verdict : Verdict
        Of the row that was proved.
    seconds : float
        In the worker, without the first opening of the graph.
    host : str
    gpu : str
        Where it was swept, unique in the host; "" for the processor.
    """

    first: int
    last: int
    summaries: RowSummaries
    counts: NDArray[np.int64]
    verdict: Verdict
    seconds: float
    host: str
    gpu: str = ""


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


class RunObserver(Observer):
    """Raises `Cancelled` once the client has ended the run."""

    def __init__(self, run: str):
        super().__init__()
        self._run = run

    def checkpoint(self, done: float | None = None, total: float | None = None) -> None:
        if self._run in _STOPPED:
            raise Cancelled


async def stop_run(run: str) -> None:
    """End the chunks of a run in this process. A coroutine: the client need not wait for workers that are busy."""
    _STOPPED.add(run)


def compute_chunk(plan: ChunkPlan, first: int, last: int, chosen: NDArray[np.int32] | None = None) -> ChunkResult:
    """Compute the sources ``first`` to ``last - 1``, which are the vertices ``chosen``; None for those numbers.

    Raises
    ------
    GraphNotOnWorker, FileNotWritten, OutOfMemory, Unavailable, Cancelled
    """
    observer = RunObserver(plan.run)
    observer.checkpoint()
    opened = open_graph(plan.pack, plan.device, plan.shared)
    graph, sources = opened.graph, np.arange(first, last, dtype=np.int32) if chosen is None else chosen
    with opened.engine(observer) as engine, thread_team(1) as counters:
        began = time.perf_counter()
        reducer = SourceReducer(graph, engine, budget_of(graph.distance_type, plan.budget), plan.bins, counters)
        proofs = RowProofs(graph, engine, reducer.budget, len(sources))
        take = None if plan.rows is None else plan.rows.block_writer(first, last).take
        part = reducer.reduce(sources, proofs, observer, take)
        seconds = time.perf_counter() - began
        gpu = opened.device.hardware_id if opened.device is not None and engine.device is not None else ""
    COUNTER.add(last - first, seconds)
    COUNTER.say(f"sources {first} to {last - 1} in {seconds:.2f} s")
    part = part or reducer.empty(last - first)  # a failed proof ends the run
    host = socket.gethostname()
    return ChunkResult(first, last, part.summaries, part.counts, proofs.verdict, seconds, host, gpu)


def compute_row_end(plan: ChunkPlan, source: int, claimed: RowSummaries) -> tuple[int, Verdict]:
    """The first vertex at the greatest distance from ``source``, and the proof of its row."""
    observer = RunObserver(plan.run)
    opened: OpenGraph = open_graph(plan.pack, plan.device, plan.shared)
    with opened.engine(observer) as engine:
        proofs = RowProofs(opened.graph, engine, budget_of(opened.graph.distance_type, plan.budget), 1)
        row = engine.row(source, observer)
        proofs.prove_row(source, claimed, row, observer)
    return int((row == claimed.farthest[0]).argmax()), proofs.verdict
