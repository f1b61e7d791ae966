"""Ways to reduce the rows of a graph, the choice between them, and the reduction of
some sources of a run.

A hierarchy's sweeps on a device are reduced there. `SourceReducer` gives summaries of
rows, counts of their distances, and a row proved; `RowProofs` proves sampled rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from solvers.algorithms.distance_rows import RowSummaries, count_distances, sum_type_of
from solvers.algorithms.hierarchy.adjacency import adjacency_of
from solvers.algorithms.hierarchy.batched_sweep import HierarchyRows
from solvers.algorithms.hierarchy.device_sweeps import settle_and_reduce, settle_into_rows
from solvers.algorithms.hierarchy.preparation import prepare, suits_hierarchy
from solvers.algorithms.near_far.lane_search import SearchedRows
from solvers.core.result import Verdict
from solvers.devices.device import Device
from solvers.errors import OutOfMemory, SeparatorsTooLarge, Unavailable, UnsuitableGraph
from solvers.graphs.graph import Graph
from solvers.graphs.junctions import Junctions, junctions_of
from solvers.graphs.weights import weight_type
from solvers.running.all_sources.reductions import DistanceBins
from solvers.running.all_sources.request import AllSourcesRequest, Direction
from solvers.system import machine
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.threads import ThreadTeam
from solvers.text import format_count, plural
from solvers.verification.turns import TurnsProof
from solvers.verification.verify import reversed_by_proof, verify_row

# Seconds of a core for each source and each vertex or arc, on machines of about 2025:
# orders of magnitude.
_SWEEP_S, _SEARCH_S = 0.35e-9, 10e-9

_MOST_ROWS = 256  # in the host's memory at a time

TakeRows = Callable[[slice, AnyArray], None]

_ROWS_BY_TURNS = 8  # of a run, which are proved by turns that the proof derives itself
_SUM_TOLERANCE = 1e-9  # relative: sums of floats differ by the order of additions


class RowEngine(Protocol):
    """Computes rows of distances, and reduces them where they arise."""

    # part of the key of state files: sums of floats differ between engines within
    # rounding
    name: str
    note: str  # for the user
    most_sources: int  # sources that are computed between two records in a state file
    most_cells: int  # distances, likewise

    def thread_bytes(self, *, whole_rows: bool) -> int:
        """Memory of the host that each thread works with, in `rows`, too, or only in
        `summarise`.
        """

    @property
    def device(self) -> Device | None:
        """Where rows are swept; None for the processor."""

    def summarise(self, sources: Int32s, budget: Any, progress: Progress) -> RowSummaries: ...

    def row(self, source: int, progress: Progress) -> AnyArray: ...

    def rows(self, sources: Int32s, progress: Progress) -> Iterator[tuple[slice, AnyArray]]: ...


def choose_engine(
    graph: Graph,
    sum_type: np.dtype[Any],
    threads: int,
    device: Device | None = None,
    progress: Progress = SILENT,
) -> RowEngine:
    """Sweeps of a hierarchy where small separators divide the graph, else searches from
    many sources together.

    ``device`` is for the sweeps; searches are on the processor. Raises NegativeCycle;
    UnsuitableGraph for negative weights where separators are large; OutOfMemory,
    Unavailable, Cancelled.
    """
    try:
        if device is not None:
            return DeviceRows(graph, sum_type, device, progress)
        return HierarchyRows(graph, sum_type, threads, progress)
    except (SeparatorsTooLarge, OutOfMemory, Unavailable) as error:
        if graph.has_negative_weights:
            if isinstance(error, SeparatorsTooLarge):
                raise UnsuitableGraph(
                    f"{graph.name} has negative weights and large separators, so neither sweeps "
                    "nor searches apply. Solve all pairs with a Floyd-Warshall variant."
                ) from error
            raise
        return SearchedRows(graph, sum_type, threads)


def engine_for(
    request: AllSourcesRequest, sum_type: np.dtype[Any], threads: int, progress: Progress = SILENT
) -> RowEngine:
    """As `choose_engine`, for the rows of a request."""
    junctions = junctions_of(request.graph)
    inner = choose_engine(request.searched, sum_type, threads, request.device, progress)
    return on_junctions(inner, junctions, request.direction)


def on_junctions(inner: RowEngine, junctions: Junctions, direction: Direction) -> RowEngine:
    """The rows of a network by an engine of what is searched for it."""
    return JunctionRows(inner, junctions, direction) if junctions.is_split else inner


def estimated_seconds(graph: Graph, progress: Progress = SILENT) -> float:
    """Order of magnitude of the time of a run on this machine; raises Cancelled."""
    each = (
        _SWEEP_S if suits_hierarchy(graph, adjacency_of(graph, progress), progress) else _SEARCH_S
    )
    return graph.n * (graph.n + graph.m) * each / machine.cores()


class DeviceRows:
    """Reduces the rows of a graph with small separators on a device.

    Raises NegativeCycle, SeparatorsTooLarge, OutOfMemory, Unavailable, OrderFailed,
    Cancelled.
    """

    # the hierarchy is copied to the device for each chunk
    most_sources, most_cells = 1 << 16, 20_000_000_000

    def __init__(
        self, graph: Graph, sum_type: np.dtype[Any], device: Device, progress: Progress = SILENT
    ):
        self.device = device
        self.name = f"hierarchy on {device.kind}"
        ready = prepare(graph, None, self.name, progress)
        self.note = f"{device.name}; {ready.note}"
        self._graph, self._kind, self._sum_type = graph, graph.distance_type, sum_type

    def summarise(self, sources: Int32s, budget: Any, progress: Progress) -> RowSummaries:
        """Summaries of the rows of ``sources``, in their order; raises as `settle_and_reduce`."""
        found = RowSummaries.empty(len(sources), self._kind, self._sum_type)
        for part, summaries in settle_and_reduce(
            self._graph, self.device, sources, budget=budget, progress=progress
        ):
            found.put(part, summaries)
        return found

    def rows(self, sources: Int32s, progress: Progress) -> Iterator[tuple[slice, AnyArray]]:
        """Whole rows, (k, n) at a time, with their positions in ``sources``; raises as
        `settle_into_rows`.
        """
        for first in range(0, len(sources), _MOST_ROWS):
            part = sources[first : first + _MOST_ROWS]
            for chosen, rows in settle_into_rows(self._graph, self.device, part, progress=progress):
                yield slice(first + chosen.start, first + chosen.stop), rows

    def thread_bytes(self, *, whole_rows: bool) -> int:
        """As `RowEngine.thread_bytes`; distances are in the device's memory."""
        return (_MOST_ROWS if whole_rows else 1) * self._graph.n * self._kind.dtype.itemsize

    def row(self, source: int, progress: Progress) -> AnyArray:
        """The whole row of one source, (n,); raises as `settle_into_rows`."""
        ((_, rows),) = settle_into_rows(
            self._graph, self.device, np.array([source]), progress=progress
        )
        return rows[0]


class JunctionRows:
    """Rows of a network from those of what is searched for it, whose junctions are split."""

    def __init__(self, inner: RowEngine, junctions: Junctions, direction: Direction):
        self.inner, self.junctions, self.direction = inner, junctions, direction
        self.name, self.note, self.device = inner.name, inner.note, inner.device
        self.most_sources, self.most_cells = inner.most_sources, inner.most_cells
        self._turns_to_prove = _ROWS_BY_TURNS

    def thread_bytes(self, *, whole_rows: bool) -> int:
        return self.inner.thread_bytes(whole_rows=True)

    def summarise(self, sources: Int32s, budget: Any, progress: Progress) -> RowSummaries:
        graph = self.junctions.searched
        kind, sum_type = graph.distance_type, sum_type_of(graph)
        found = RowSummaries.empty(len(sources), kind, sum_type)
        for part, rows in self.rows(sources, progress):
            for place, row in zip(range(part.start, part.stop), rows, strict=True):
                at = slice(place, place + 1)
                found.put(at, RowSummaries.of_row(row, kind, sum_type, budget))
        return found

    def rows(self, sources: Int32s, progress: Progress) -> Iterator[tuple[slice, AnyArray]]:
        for part, rows in self.inner.rows(self._starts(sources), progress):
            yield part, self._own(rows)

    def row(self, source: int, progress: Progress) -> AnyArray:
        return self._own(self.inner.row(int(self._starts(np.array([source]))[0]), progress))

    def proof(self, graph: Graph, source: int, row: AnyArray, progress: Progress) -> Verdict:
        """The proof of a row of the network, by the one of ``graph``, which was searched."""
        start = int(self._starts(np.array([source]))[0])
        found = self.inner.row(start, progress)
        verdict = replace(verify_row(graph, start, found, progress), rows=(source,))
        if verdict.verified and not np.array_equal(self._own(found), row):
            words = f"Row {self.junctions.network.vertex_id(source)} is not the one proved."
            return Verdict(False, 1, words, (source,))
        # of a network that another process has split, this one has no turns
        if verdict.verified and self._turns_to_prove and self.junctions.network.m:
            self._turns_to_prove -= 1
            ends = self.direction is Direction.IN
            failure = self._turns.failure(source, row, to_source=ends, progress=progress)
            return failure or verdict
        return verdict

    @cached_property
    def _turns(self) -> TurnsProof:
        return TurnsProof(self.junctions.network)

    def _starts(self, sources: AnyArray) -> Int32s:
        ends = self.direction is Direction.IN
        return (self.junctions.end_of[sources] if ends else sources).astype(np.int32)

    def _own(self, rows: AnyArray) -> AnyArray:
        if self.direction is Direction.IN:
            return np.ascontiguousarray(rows[..., : self.junctions.network.n])
        return self.junctions.distances(rows)


@dataclass(frozen=True, eq=False)
class ReducedSources:
    summaries: RowSummaries  # one entry a source
    # (bins,) distances, those to the sources themselves included; empty without a
    # histogram
    counts: Int64s


@dataclass(frozen=True, eq=False)
class SourceReducer:
    """Reduces the rows of sources with an engine."""

    graph: Graph
    engine: RowEngine
    budget: Any  # of the distance type
    bins: DistanceBins | None
    team: ThreadTeam  # for counting

    def reduce(
        self,
        sources: Int32s,
        proofs: RowProofs,
        progress: Progress,
        take: TakeRows | None = None,
    ) -> ReducedSources | None:
        """Summaries and counts of those sources; None if a proof has failed, which
        ``proofs`` keeps.

        ``take`` gets the whole rows of all sources in their order, (m, n) at a time,
        with their positions; the row that is proved is one of them.
        """
        summaries = self.engine.summarise(sources, self.budget, progress)
        counts = self.no_counts()
        if self.bins is None and take is None:
            return (
                ReducedSources(summaries, counts)
                if proofs.prove(sources, summaries, progress)
                else None
            )
        proved = sampled(sources)
        for chosen, rows in self.engine.rows(sources, progress.silent()):
            if self.bins is not None:
                counts += self._count(rows, self.bins)
            if take is not None:
                take(chosen, rows)
            if chosen.start <= proved < chosen.stop:
                claimed = summaries.take(slice(proved, proved + 1))
                row = rows[proved - chosen.start]
                if not proofs.prove_row(int(sources[proved]), claimed, row, progress):
                    return None
        reached, counted = int(summaries.reached.sum()), int(counts.sum())
        if self.bins is not None and not proofs.require_pairs(
            int(sources[proved]), reached, counted
        ):
            return None
        return ReducedSources(summaries, counts)

    def empty(self, sources: int) -> ReducedSources:
        """Zeros for that many sources."""
        summaries = RowSummaries.empty(sources, self.graph.distance_type, sum_type_of(self.graph))
        return ReducedSources(summaries, self.no_counts())

    def no_counts(self) -> Int64s:
        """(bins,) zeros; empty without a histogram."""
        return np.zeros(self.bins.count if self.bins else 0, np.int64)

    def _count(self, rows: AnyArray, bins: DistanceBins) -> Int64s:
        return count_distances(
            rows, self.graph.distance_type, bins.lower, bins.equal_width, self.team
        )


class RowProofs:
    """Proves a row of each chunk, and that its numbers are those of the proved row.

    The graph is the one whose rows are claimed (`proved_graph`), and ``count`` the rows
    of the whole run; ``earlier`` were proved before their chunks were written to the
    state file.
    """

    def __init__(self, graph: Graph, engine: RowEngine, budget: Any, count: int):
        self._graph, self._engine, self._budget, self._count = graph, engine, budget, count
        self.earlier = 0
        self._proved: list[int] = []
        self._failure: Verdict | None = None

    @property
    def verdict(self) -> Verdict:
        if self._failure is not None:
            return self._failure
        rows = tuple(self._proved)
        # a resumed run may have proved a row before
        count = format_count(min(self._count, self.earlier + len(rows)))
        words = (
            f"{count} of {plural(self._count, 'row')} proved, with the numbers computed from them."
        )
        return Verdict(True, 0, words, rows)

    def add(self, verdict: Verdict) -> bool:
        """Take over the proof of another process; returns whether it succeeded."""
        if verdict.verified:
            self._proved += verdict.rows
        elif self._failure is None:
            self._failure = verdict
        return verdict.verified

    def prove(self, sources: Int32s, part: RowSummaries, progress: Progress) -> bool:
        """Prove the row of one source of a chunk; the same one in every run."""
        position = sampled(sources)
        source, claimed = int(sources[position]), part.take(slice(position, position + 1))
        return self.prove_row(
            source, claimed, self._engine.row(source, progress.silent()), progress
        )

    def require_pairs(self, source: int, reached: int, counted: int) -> bool:
        """Compare the number of vertices that the sources of a chunk reach with the
        distances in a histogram.
        """
        if reached != counted:
            words = f"{counted} distances are in bins, but {reached} vertices are reached."
            self._failure = Verdict(False, 1, words, (source,))
        return reached == counted

    def prove_row(
        self, source: int, claimed: RowSummaries, row: AnyArray, progress: Progress
    ) -> bool:
        """Prove a row of distances, and compare ``claimed`` with what NumPy finds in it."""
        engine = self._engine
        if isinstance(engine, JunctionRows):
            verdict = engine.proof(self._graph, source, row, progress)
        else:
            verdict = verify_row(self._graph, source, row, progress)
        if not verdict.verified:
            self._failure = verdict
            return False
        kind = weight_type(row.dtype)
        expected = RowSummaries.of_row(row, kind, claimed.totals.dtype, self._budget)
        tolerance = 0 if claimed.totals.dtype.kind == "i" else _SUM_TOLERANCE
        for name in ("farthest", "totals", "reached", "within"):
            one, other = getattr(claimed, name)[0], getattr(expected, name)[0]
            if one != other and not (
                name == "totals" and math.isclose(one, other, rel_tol=tolerance)
            ):
                vertex = self._graph.vertex_id(source)
                self._failure = Verdict(
                    False,
                    1,
                    f"Vertex {vertex}: {name} is {one}, but its row gives {other}.",
                    (source,),
                )
                return False
        self._proved.append(source)
        return True


def proved_graph(request: AllSourcesRequest) -> Graph:
    """The graph on which the rows of a run are proved.

    For distances to a vertex, it is a reverse that is made for the proof, not
    `AllSourcesRequest.searched`, which the engine is given and which is the graph
    itself if that calls itself undirected.
    """
    graph = junctions_of(request.graph).searched
    return reversed_by_proof(graph) if request.direction is Direction.IN else graph


def sampled(sources: Int32s) -> int:
    """Position of the source of a chunk whose row is proved."""
    return int(np.random.default_rng(int(sources[0])).integers(len(sources)))
