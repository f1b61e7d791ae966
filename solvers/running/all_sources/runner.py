"""Runs all sources of a graph in chunks: reduces their rows, proves a row of each chunk, and keeps what is finished."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.row_summaries import RowSummaries, budget_of, sum_type_of
from solvers.host.cancel_only import CancelOnly
from solvers.host.observer import SILENT, Observer
from solvers.host.openmp import team
from solvers.host.threads import thread_team
from solvers.running.all_sources.engines import RowEngine, choose_engine
from solvers.running.all_sources.found_parts import FoundParts
from solvers.running.all_sources.outcome import AllSources
from solvers.running.all_sources.proofs import RowProofs, proved_graph
from solvers.running.all_sources.request import OWNER, AllSourcesRequest, Direction
from solvers.running.all_sources.source_reducer import SourceReducer
from solvers.running.all_sources.state_file import SourceRange
from solvers.text import format_count, plural

Watch = Callable[[str], Observer]
"""Makes an observer for a stage with that name."""

PREPARING, COMPUTING = "preparing all sources", "all sources"  # the stages
_CHUNK_STEP = 64


def run_all_sources(request: AllSourcesRequest, watch: Watch = lambda words: SILENT) -> AllSources:
    """Compute the numbers of every source.

    Parameters
    ----------
    request : AllSourcesRequest
    watch : callable(str)
        Makes the observer of each stage. When it cancels, finished chunks are in the state file, if there is one.

    Raises
    ------
    NegativeCycle, UnsuitableGraph, OutOfMemory, Unavailable, ParameterError, FileNotWritten, Cancelled
    InputError
        If the state file is none.
    """
    graph, began = request.searched, time.perf_counter()
    kind, sum_type = graph.distance_type, sum_type_of(graph)
    with team(request.threads, OWNER) as threads, thread_team(max(1, threads)) as counters:
        engine = choose_engine(graph, sum_type, threads, request.device, watch(PREPARING))
        reducer = SourceReducer(graph, engine, budget_of(kind, request.budget), request.bins, counters)
        found = FoundParts(request, sum_type)
        proofs = RowProofs(proved_graph(request), engine, reducer.budget, request.count)
        state, problem = found.resume(engine.name, proofs)
        kept_count = found.count
        observer = watch(COMPUTING)
        for first, last in chunks(found.finished, graph.n, engine, max(1, threads)):
            inner = _PartObserver(observer, found.count, request.count)
            part = reducer.reduce(request.vertices(first, last), proofs, inner)
            if part is None:
                break
            done = SourceRange(first, last, part.summaries, part.counts)
            found.put(done)
            if state is not None:
                state.append(done)
        ends = _diameter_ends(request, engine, found.summaries, proofs, observer)
    note = note_of(request, engine, kept_count, problem, sum_type)
    seconds = time.perf_counter() - began
    return AllSources(request, found.summaries, ends, proofs.verdict, seconds, engine.name, note, found.histogram)


def chunks(finished: NDArray[np.bool_], n: int, engine: RowEngine, threads: int) -> Iterator[tuple[int, int]]:
    """Ranges of sources that are not finished, each of some seconds' work on rows of ``n`` vertices."""
    size = max(engine.most_cells // max(1, n), _CHUNK_STEP * threads)
    size = min(engine.most_sources, math.ceil(size / _CHUNK_STEP) * _CHUNK_STEP)
    edges = np.flatnonzero(np.diff(finished, prepend=True, append=True))
    for begin, end in edges.reshape(-1, 2).tolist():
        for first in range(begin, end, size):
            yield first, min(end, first + size)


class _PartObserver(Observer):
    """Reports the progress of a chunk as that of all sources."""

    def __init__(self, outer: Observer, before: int, n: int):
        super().__init__()
        self._outer, self._before, self._n = outer, before, n

    def checkpoint(self, done: float | None = None, total: float | None = None) -> None:
        if done is None:
            self._outer.checkpoint()
        else:
            self._outer.checkpoint(self._before + done, self._n)


def _diameter_ends(
    request: AllSourcesRequest, engine: RowEngine, found: RowSummaries, proofs: RowProofs, observer: Observer
) -> tuple[int, int]:
    """The first source of greatest eccentricity and the first vertex at that distance, in the direction of the path."""
    observer.checkpoint()
    greatest = int(found.farthest.argmax())
    start = int(request.vertices(greatest, greatest + 1)[0])
    row = engine.row(start, CancelOnly(observer))
    end = int((row == found.farthest[greatest]).argmax())
    if proofs.verdict.verified:
        proofs.prove_row(start, found.take(slice(greatest, greatest + 1)), row, observer)
    return (end, start) if request.direction is Direction.IN else (start, end)


def note_of(request: AllSourcesRequest, engine: RowEngine, kept: int, problem: str, sum_type: np.dtype[Any]) -> str:
    """What the user should know of a run: how rows were computed, and what came from the state file."""
    found = [f"{engine.name}: {engine.note}."]
    if kept:
        found.append(
            f"{format_count(kept)} of {plural(request.count, 'vertex', 'vertices')} were read from the state file."
        )
    if problem:
        found.append(f"Not all of the state file was used: {problem}.")
    if sum_type.kind == "f" and request.graph.distance_type.is_integer:
        found.append("Sums of distances could pass 64-bit integers and are rounded.")
    return " ".join(found)
