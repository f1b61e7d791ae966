"""Runs all sources of a graph in chunks: reduces their rows, proves a row of each
chunk, and keeps what is finished.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from solvers.algorithms.distance_rows import RowSummaries, budget_of, sum_type_of
from solvers.core.result import Verdict
from solvers.features.all_sources.answer import AllSources
from solvers.features.all_sources.betweenness import GROUPS, FlowRun
from solvers.features.all_sources.engine import (
    ReducedSources,
    RowProofs,
    SourceReducer,
)
from solvers.features.all_sources.near import NearTotals
from solvers.features.all_sources.request import (
    OWNER,
    PREPARING,
    AllSourcesRequest,
    Direction,
)
from solvers.features.all_sources.state_file import FoundParts, SourceRange
from solvers.graphs.searched import searched_graph
from solvers.running.prepared_network import PreparedNetwork, prepared_network
from solvers.running.row_engines import DeviceRows, RowEngine
from solvers.system.array_types import Bools
from solvers.system.cancel import SILENT, Progress
from solvers.system.machine import return_free_memory
from solvers.system.openmp import team
from solvers.system.threads import in_background, thread_team
from solvers.text import format_count, plural

log = logging.getLogger(__name__)

Watch = Callable[[str], Progress]
"""Makes the progress of a stage with that name."""

COMPUTING = "all sources"  # a stage, after `PREPARING`
_CHUNK_STEP = 64

_Value = TypeVar("_Value")


def run_all_sources(request: AllSourcesRequest, watch: Watch = lambda words: SILENT) -> AllSources:
    """Compute the numbers of every source; ``watch`` makes the progress of each stage.

    When it cancels, finished chunks are in the state file, if there is one. Raises
    NegativeCycle, UnsuitableGraph, OutOfMemory, Unavailable, ParameterError,
    FileNotWritten, Cancelled; InputError if the file at the path of the state file is
    something else.
    """
    try:
        return _run(request, watch)
    finally:
        in_background(return_free_memory)


def _run(request: AllSourcesRequest, watch: Watch) -> AllSources:
    began = time.perf_counter()
    request.compile_kernels()
    if request.has_flows and request.gpu is not None:
        _load_for(request)
    with (
        team(request.threads, OWNER) as threads,
        thread_team(max(1, threads)) as counters,
        ThreadPoolExecutor(2, "proof") as beside,
        ExitStack() as kept,
    ):
        is_reverse, preparing = request.direction is Direction.IN, watch(PREPARING)
        network = prepared_network(
            request.graph, request.device, preparing, threads, is_reverse=is_reverse
        )
        engine, sum_type = network.sweeps, sum_type_of(network.engine.graph)
        assert engine is not None
        if isinstance(engine, DeviceRows):
            kept.enter_context(engine.kept())
        budget = budget_of(network.kind, request.budget)
        reducer = SourceReducer(network, budget, request.bins, counters)
        found = FoundParts(request, sum_type)
        proofs = RowProofs(network, budget, request.count)
        flows = FlowRun(request, network, threads, watch(PREPARING)) if request.has_flows else None
        state, problem = found.resume(engine.name, proofs, flows)
        kept_count = found.count
        log.info("rows by %s", engine.name)
        progress = watch(COMPUTING)
        near = NearTotals(request) if request.is_limited else None
        if flows is not None:
            flows.expect(beside, progress)
        for first, last in _parts(request, found.finished, engine, threads, flows):
            share = progress.part(found.count, last - first, request.count)
            if flows is not None and flows.gives_rows:
                part = _part_of_flows(flows, reducer, proofs, (first, last), beside, share)
            else:
                sources = request.vertices(first, last)
                part = reducer.reduce(
                    sources,
                    proofs,
                    share if flows is None else share.silent(),
                    None if near is None else partial(near.take, first),
                )
                if part is not None and flows is not None:
                    flows.take(first, last, flows.engine.flows(sources, share))
            if part is None:
                break
            done = SourceRange(first, last, part.summaries, part.counts)
            found.put(done)
            if state is not None:
                state.append(done)
            if flows is not None:
                flows.keep()
        summed = None
        if flows is not None:
            flows.keep(last=True)
        asked = request, network, found.summaries, proofs
        if flows is not None and proofs.verdict.verified:
            ending = _beside(beside, network, threads, _diameter_ends, *asked, progress.silent())
            summed = flows.result(found.summaries, progress.silent())
            ends = ending()
        else:
            ends = _diameter_ends(*asked, progress)
    note = note_of(request, engine, kept_count, problem, sum_type)
    seconds = time.perf_counter() - began
    verdict = verdict_of(proofs, flows)
    return AllSources(
        request,
        found.summaries,
        ends,
        verdict,
        seconds,
        engine.name,
        note,
        found.histogram,
        summed,
        near,
    )


def _load_for(request: AllSourcesRequest) -> None:
    """Have functions loaded while the hierarchy is ordered, for flows on a GPU."""
    from solvers.features.all_sources.flows import device_flows

    kind = searched_graph(request.graph).searched.distance_type
    if kind.is_integer:  # others become whole numbers
        device_flows.load_functions(kind)


def verdict_of(proofs: RowProofs, flows: FlowRun | None) -> Verdict:
    """Of the rows and, if there are any, the flows of a run."""
    if flows is None:
        return proofs.verdict
    if flows.failure is not None:
        return flows.failure
    verdict = proofs.verdict
    return replace(verdict, text=f"{verdict.text} {flows.summary}") if verdict.verified else verdict


def _part_of_flows(
    flows: FlowRun,
    reducer: SourceReducer,
    proofs: RowProofs,
    ends: tuple[int, int],
    beside: ThreadPoolExecutor,
    progress: Progress,
) -> ReducedSources | None:
    """Flows of some sources, and the numbers of their rows, which the same sweep gives; of
    a sample they are compared with those of rows, computed ``beside`` if that may be. None
    if a proof has failed.
    """
    sources = flows.request.vertices(*ends)
    chosen = flows.compared(len(sources))

    of_rows = sources[chosen], proofs, progress.silent()
    reduced = _beside(beside, reducer.network, flows.threads, reducer.reduce, *of_rows)
    own = flows.engine.flows(sources, progress)
    flows.take(*ends, own)
    summaries = flows.rows_of(own)
    part = reduced()
    if part is None or not flows.compare(sources[chosen], part.summaries, summaries.take(chosen)):
        return None
    return ReducedSources(summaries, part.counts)


def _beside(
    beside: ThreadPoolExecutor,
    network: PreparedNetwork,
    threads: int,
    work: Callable[..., _Value],
    *given: object,
) -> Callable[[], _Value]:
    """What returns ``work(*given)``, which is done ``beside`` other work if rows of the network
    may be asked for by several threads, else when it is wanted.
    """

    def done() -> _Value:
        with team(threads, OWNER):
            return work(*given)

    if network.sweeps is not None and network.sweeps.may_be_shared:
        return beside.submit(done).result
    return done


def _parts(
    request: AllSourcesRequest,
    finished: Bools,
    engine: RowEngine,
    threads: int,
    flows: FlowRun | None,
) -> Iterator[tuple[int, int]]:
    """`chunks`, of which an estimate has as many as groups at least."""
    size = chunk_size(request.graph.n, engine, threads)
    if flows is not None and flows.gives_rows:
        size = flows.engine.most_sources
        if request.state is not None and engine.device is not None:
            size = min(size, engine.most_sources)
    if request.estimates:
        size = min(size, -(-request.count // GROUPS))
    log.info("chunks of %s", plural(size, "source"))
    return chunks(finished, size)


def chunk_size(n: int, engine: RowEngine, threads: int) -> int:
    """Sources of some seconds' work on rows of ``n`` vertices."""
    size = max(engine.most_cells // max(1, n), _CHUNK_STEP * threads)
    return min(engine.most_sources, math.ceil(size / _CHUNK_STEP) * _CHUNK_STEP)


def chunks(finished: Bools, size: int) -> Iterator[tuple[int, int]]:
    """Ranges of at most so many sources that are not finished."""
    edges = np.flatnonzero(np.diff(finished, prepend=True, append=True))
    for begin, end in edges.reshape(-1, 2).tolist():
        for first in range(begin, end, size):
            yield first, min(end, first + size)


def _diameter_ends(
    request: AllSourcesRequest,
    network: PreparedNetwork,
    found: RowSummaries,
    proofs: RowProofs,
    progress: Progress,
) -> tuple[int, int]:
    """The first source of greatest eccentricity and the first vertex at that distance,
    in the direction of the path.
    """
    progress.checkpoint()
    greatest = int(found.farthest.argmax())
    start = int(request.vertices(greatest, greatest + 1)[0])
    row = network.row(start, progress.silent())
    end = int((row == found.farthest[greatest]).argmax())
    if proofs.verdict.verified:
        proofs.prove_row(start, found.take(slice(greatest, greatest + 1)), row, progress)
    return (end, start) if request.direction is Direction.IN else (start, end)


def note_of(
    request: AllSourcesRequest, engine: RowEngine, kept: int, problem: str, sum_type: np.dtype[Any]
) -> str:
    """What the user should know of a run: how rows were computed, and what came from
    the state file.
    """
    found = [f"{engine.name}: {engine.note}."]
    if kept:
        found.append(
            f"{format_count(kept)} of {plural(request.count, 'vertex', 'vertices')} "
            "were read from the state file."
        )
    if problem:
        found.append(f"Not all of the state file was used: {problem}.")
    if sum_type.kind == "f" and request.graph.distance_type.is_integer:
        found.append("Sums of distances could pass 64-bit integers and are rounded.")
    return " ".join(found)
