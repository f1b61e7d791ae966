"""Runs all sources of a graph in chunks: reduces their rows, proves a row of each chunk, and keeps what is finished."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.row_summaries import RowSummaries, budget_of, sum_type_of
from solvers.graphs.weights import WeightType
from solvers.host.cancel_only import CancelOnly
from solvers.host.observer import SILENT, Observer
from solvers.host.openmp import team
from solvers.running.all_sources.engines import RowEngine, choose_engine
from solvers.running.all_sources.outcome import AllSources
from solvers.running.all_sources.proofs import RowProofs
from solvers.running.all_sources.request import OWNER, AllSourcesRequest, Direction
from solvers.running.all_sources.state_file import SourceRange, StateFile
from solvers.text import format_count, plural
from solvers.version import __version__

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
    with team(request.threads, OWNER) as threads:
        engine = choose_engine(graph, sum_type, threads, request.device, watch(PREPARING))
        budget = budget_of(kind, request.budget)
        found = RowSummaries.empty(request.count, kind, sum_type)
        proofs = RowProofs(graph, engine, budget, request.count)
        state = None
        finished, problem = np.zeros(request.count, np.bool_), ""
        if request.state is not None:
            key = state_key(request, engine.name, kind, sum_type)
            state = StateFile(request.state, key, request.count, kind, sum_type)
            kept, problem = state.open()
            for done in kept:
                found.put(slice(done.first, done.last), done.summaries)
                finished[done.first : done.last] = True
            proofs.earlier = len(kept)
        kept_count = int(finished.sum())
        observer = watch(COMPUTING)
        for first, last in chunks(finished, graph.n, engine, max(1, threads)):
            inner = _PartObserver(observer, int(finished.sum()), request.count)
            sources = request.vertices(first, last)
            part = engine.summarise(sources, budget, inner)
            if not proofs.prove(sources, part, observer):
                break
            found.put(slice(first, last), part)
            finished[first:last] = True
            if state is not None:
                state.append(SourceRange(first, last, part))
        ends = _diameter_ends(request, engine, found, proofs, observer)
    note = note_of(request, engine, kept_count, problem, sum_type)
    return AllSources(request, found, ends, proofs.verdict, time.perf_counter() - began, engine.name, note)


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


def state_key(request: AllSourcesRequest, engine: str, kind: WeightType, sum_type: np.dtype[Any]) -> dict[str, Any]:
    """The key of a state file: what determines the numbers.

    The reductions are computed from the same four arrays, so they are no part of it.
    """
    return {
        "graph": request.graph.sha256,
        "direction": request.direction.value,
        "budget": request.budget,
        "engine": engine,
        "types": [kind.name, sum_type.name],
        "version": __version__,
        **request.sources_key,
    }


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
