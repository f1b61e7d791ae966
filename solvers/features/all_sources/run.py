"""Runs all sources of a graph in chunks: reduces their rows, proves a row of each
chunk, and keeps what is finished.

`AllSources` holds the numbers of a run, by source, and what follows from them for the
graph. Its table has one row a source.
"""

from __future__ import annotations

import importlib
import logging
import math
import time
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np

from solvers.algorithms.distance_rows import RowSummaries, budget_of, sum_type_of
from solvers.core.result import Verdict
from solvers.errors import InputError
from solvers.features.all_sources.betweenness import GROUPS, FlowRun, Flows
from solvers.features.all_sources.engine import (
    ReducedSources,
    RowProofs,
    SourceReducer,
)
from solvers.features.all_sources.near import NearTotals
from solvers.features.all_sources.reductions import (
    BETWEENNESS,
    CLOSENESS,
    REDUCTIONS,
    Histogram,
    Reduction,
    find_reductions,
)
from solvers.features.all_sources.request import (
    OWNER,
    PREPARING,
    AllSourcesRequest,
    Direction,
)
from solvers.features.all_sources.state_file import FoundParts, SourceRange
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import VertexIds
from solvers.graphs.route import place_text
from solvers.graphs.searched import searched_graph
from solvers.running.answers.columns import (
    TableColumn,
    budget_column,
    place_columns,
    roads_column,
    vertex_column,
)
from solvers.running.answers.frames import Tabular
from solvers.running.answers.table import MAP_KINDS, AnswerTable, point_shapes
from solvers.running.prepared_network import PreparedNetwork, prepared_network
from solvers.running.row_engines import DeviceRows, RowEngine
from solvers.system.array_types import AnyArray, Bools, Float64s, Int32s
from solvers.system.cancel import SILENT, Progress
from solvers.system.machine import return_free_memory
from solvers.system.openmp import team
from solvers.system.threads import in_background, thread_team
from solvers.text import format_count, format_distance, format_duration, plural
from solvers.units import public_unit, to_public_unit

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


@dataclass(frozen=True, eq=False, repr=False)
class AllSources(Tabular):
    """Numbers of k sources of a graph, from their distances to all its vertices.

    Attributes
    ----------
    request : AllSourcesRequest
        What was asked.
    summaries : RowSummaries
        Of the row of each source, in the unit of the weights.
    end_vertices : (int, int)
        Indices of `diameter_ends`.
    verdict : Verdict
        Its ``rows`` are the vertices whose rows were proved.
    seconds : float
        Time of this run, without that of sources read from a state file.
    engine : str
        What computed the rows.
    note : str
        How rows were computed, and what came from the state file.
    histogram : Histogram or None
        If it was requested.
    flows : Flows or None
        If betweenness was requested, and the answer is not wrong.
    near : NearTotals or None
        What closeness is computed from, if it is limited to targets or by a cutoff.
    """

    request: AllSourcesRequest
    summaries: RowSummaries
    end_vertices: tuple[int, int]
    verdict: Verdict
    seconds: float
    engine: str
    note: str
    histogram: Histogram | None = None
    flows: Flows | None = None
    near: NearTotals | None = None

    def _table(self) -> AnswerTable:
        """One row a source: ids and coordinates, the reductions that were asked for, betweenness
        if it was, the number reached, budget.

        Columns are named after the reductions, with the public unit of the weights if it is
        known: ``eccentricity_m``.
        """
        graph, request, vertices = self.graph, self.request, self.source_vertices
        numbers = [
            TableColumn(one.column(graph.weight_unit), self.public_values(one))
            for one in request.reductions
        ]
        if self.flows is not None:
            numbers.append(TableColumn(BETWEENNESS, self.betweenness[vertices]))
        numbers.append(TableColumn("reached", self.reached))
        columns = [
            vertex_column(graph, vertices),
            *place_columns(graph, vertices),
            *roads_column(graph, vertices),
            *numbers,
            *budget_column(graph, request.budget, request.count),
        ]
        return AnswerTable(
            graph,
            f"all sources of {graph.name}",
            self.engine,
            columns,
            ("vertex",),
            numbers[0].name,
            MAP_KINDS,
            point_shapes(graph, vertices),
        )

    @property
    def graph(self) -> Graph:
        return self.request.graph

    @cached_property
    def source_vertices(self) -> Int32s:
        """(k,) indices of `sources`."""
        return self.request.vertices(0, self.request.count)

    @property
    def sources(self) -> list[Hashable]:
        """Ids of the k vertices that the numbers belong to, in their order: all of the
        graph, unless some were chosen.
        """
        return VertexIds(self.graph).listed(self.source_vertices)

    @property
    def centre(self) -> list[Hashable]:
        """Ids of the sources in the largest part whose eccentricity is the radius."""
        return VertexIds(self.graph).listed(self.centre_vertices)

    @property
    def diameter_ends(self) -> tuple[Hashable, Hashable]:
        """Ids of the first source of greatest eccentricity, and of a vertex at that
        distance from it; with direction “in” the other way round.
        """
        first, last = self.end_vertices
        return self.graph.vertex_id(first), self.graph.vertex_id(last)

    def values(self, name: str) -> AnyArray:
        """(k,) values of a reduction in the public unit, in the order of ``sources``;
        "betweenness", (n,), too. Raises `UnknownName`.
        """
        if name == BETWEENNESS:
            return self.betweenness
        return self.public_values(find_reductions([name])[0])

    def public_values(self, reduction: Reduction) -> AnyArray:
        """(k,) `values_of`, in the public unit of the weights: metres for tenths of them."""
        return to_public_unit(self.values_of(reduction), self.graph.weight_unit, reduction.power)

    def values_of(self, reduction: Reduction) -> AnyArray:
        """(k,) in the unit of the weights."""
        summaries = self.summaries
        if reduction is CLOSENESS and self.near is not None:
            summaries = self.near.summaries(summaries)
        return reduction.values(summaries, self.graph.n, self.request.corrected)

    @property
    def eccentricity(self) -> AnyArray:
        """(k,) greatest distance to a vertex that is reached."""
        return self.public_values(REDUCTIONS[0])

    @property
    def closeness(self) -> Float64s:
        """(k,) number of other vertices reached, divided by the sum of their distances;
        where a cutoff or targets were given, of those that count.
        """
        return self.public_values(CLOSENESS)

    @property
    def betweenness(self) -> Float64s:
        """(n,) of all vertices, in the order of ``graph.ids``: the shortest paths that pass
        through each, ``flows.vertices``, if ``normalized`` as a share of the pairs of others.

        Raises InputError if it was not requested, or the answer is wrong.
        """
        if self.flows is None:
            reason = 'reduce="betweenness" computes it' if self.verified else self.verdict.text
            raise InputError(f"There is no betweenness: {reason}.")
        return self.flows.betweenness

    @property
    def verified(self) -> bool:
        """Whether the sampled rows and flows were proved."""
        return self.verdict.verified

    @property
    def reached(self) -> Int32s:
        """(k,) number of vertices reached, the vertex itself included."""
        return self.summaries.reached

    @property
    def radius(self) -> int | float:
        """Least eccentricity of a source in the largest part (`in_part`): the radius
        where all vertices are sources.
        """
        least: int | float = self.eccentricity[self.in_part].min().item()
        return least

    @property
    def diameter(self) -> int | float:
        """Greatest eccentricity of a source: that of the farthest pair where one
        reaches the other.
        """
        greatest: int | float = self.eccentricity.max().item()
        return greatest

    @cached_property
    def centre_vertices(self) -> Int32s:
        """Indices of `centre`."""
        return self.source_vertices[self.in_part & (self.eccentricity == self.radius)]

    @cached_property
    def in_part(self) -> Bools:
        """(k,) whether each source is in the largest strongly connected part that has sources.

        A vertex at the end of a one-way road, which reaches nothing, is the centre of
        nothing.
        """
        if not self.incomplete:
            return np.ones(self.request.count, np.bool_)
        parts = self._strong_parts
        own = parts[self.source_vertices]
        return own == own[np.bincount(parts)[own].argmax()]

    @cached_property
    def _strong_parts(self) -> Int32s:
        """(n,) number of the strongly connected part of each vertex."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        graph = self.graph
        # Converted, parallel arcs become one: with repeated entries SciPy's search does not end.
        arcs = coo_array(
            (np.ones(graph.m, np.bool_), (graph.tails, graph.indices)), shape=(graph.n, graph.n)
        ).tocsr()
        parts: Int32s = connected_components(arcs, connection="strong")[1]
        return parts

    @property
    def incomplete(self) -> int:
        """Number of sources that do not reach all others, or are not reached by all for
        direction “in”.
        """
        return int((self.reached < self.graph.n).sum())

    @property
    def centre_text(self) -> str:
        """What follows the first vertex of the centre in a sentence: how many others,
        and of which part; or "".
        """
        others = len(self.centre_vertices) - 1
        more = f" and {plural(others, 'other')}" if others else ""
        if not self.incomplete:
            return more
        count = int((self._strong_parts == self._strong_parts[self.centre_vertices[0]]).sum())
        kind = "strongly connected" if self.graph.directed else "connected"
        of_all = f"{format_count(count)} of {plural(self.graph.n, 'vertex', 'vertices')}"
        return f"{more}, in the largest {kind} part ({of_all})"

    @property
    def sentences(self) -> tuple[str, ...]:
        """Radius, diameter and what limits them, for display."""
        graph, unit = self.graph, public_unit(self.graph.weight_unit)
        centre, first, last = (
            place_text(graph, v) for v in (int(self.centre_vertices[0]), *self.end_vertices)
        )
        is_whole = self.request.sources is None
        least, greatest = (
            ("Radius", "Diameter") if is_whole else ("Least eccentricity", "Greatest eccentricity")
        )
        found = [
            f"{least} {format_distance(self.radius, unit)}, at vertex {centre}{self.centre_text}.",
            f"{greatest} {format_distance(self.diameter, unit)}, from {first} to {last}.",
        ]
        if not is_whole:
            found.append(
                f"Of {plural(self.request.count, 'source')} "
                f"among {plural(graph.n, 'vertex', 'vertices')}: "
                "radius and diameter of the graph may differ."
            )
        if self.incomplete:
            names = ("vertex", "vertices") if is_whole else ("source", "sources")
            found.append(
                f"{format_count(self.incomplete)} of {plural(self.request.count, *names)} do not "
                "reach all others: eccentricity counts only the vertices reached."
            )
        return tuple(found)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        # what draws answers stands above them
        pictures = importlib.import_module(f"{__package__}.pictures")
        return pictures.display_of(self)._repr_mimebundle_(include, exclude)

    def __repr__(self) -> str:
        proof = "verified" if self.verified else "WRONG"
        return (
            f"AllSources({self.graph.name}, n={self.graph.n}, "
            f"{format_duration(self.seconds * 1e3)}, {proof})"
        )
