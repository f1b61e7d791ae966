"""A network that is prepared for questions: what a `Router`, answers without a run, all
sources, flows and alternatives ask. Vertices are indices here.

Questions and answers are of the network; here, and nowhere else, they are translated to
what is searched for it, an ordinary graph, about which an engine answers (`engines`).
Another set of weights makes another value, so any number of threads may ask this one, but
for one that is made for rows (`PreparedNetwork.for_rows`).
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from solvers.errors import OrderFailed, OutOfMemory, SeparatorsTooLarge, Unavailable
from solvers.graphs.graph import Graph, Said
from solvers.graphs.labelled import ROUTER_NAME
from solvers.graphs.road_patch import changed_graph
from solvers.graphs.searched import SearchedGraph, searched_graph, searched_whole, turn_search
from solvers.graphs.weights import WeightType, weight_type
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s, UInt8s
from solvers.system.cancel import SILENT, Progress
from solvers.system.ranges import offsets_of

if TYPE_CHECKING:
    from solvers.algorithms.distance_rows import RowSummaries
    from solvers.algorithms.hierarchy.via_paths import Limits
    from solvers.core.result import Verdict
    from solvers.devices.device import Device
    from solvers.running.engines import Engine, Paths, Rows
    from solvers.running.nearest import NearestMemory
    from solvers.running.row_engines import RowEngine


def prepared_network(
    graph: Graph,
    device: Device | None = None,
    progress: Progress = SILENT,
    threads: int = 0,
    *,
    is_reverse: bool = False,
) -> PreparedNetwork:
    """A hierarchy where separators are small, else searches; raises as `engine_of`.

    ``threads`` prepare, 0 for all cores. If that many are given, of OpenMP, which the caller
    has set, they also compute the rows of many sources, as `PreparedNetwork.for_rows` says.
    """
    from solvers.running.engines import engine_of  # this imports numba

    translation, searched = searched_graph(graph), _searched(graph, is_reverse=is_reverse)
    engine = engine_of(searched, device, progress, threads)
    found = PreparedNetwork(translation, engine, graph, is_reverse)
    return found.for_rows(threads) if threads else found


def ordered_ahead(
    graph: Graph, progress: Progress = SILENT, *, is_reverse: bool = False
) -> AbstractContextManager[None]:
    """Have METIS order a graph for `prepared_network` while the block finds a device; what
    the block has not used ends with it. Raises Cancelled.
    """
    from solvers.algorithms.hierarchy import ordering  # this imports numba

    searched = _searched(graph, is_reverse=is_reverse)
    return ordering.ordered_ahead(searched, ROUTER_NAME, progress)


def _searched(graph: Graph, *, is_reverse: bool) -> Graph:
    """What is searched for rows of a graph, or to its vertices."""
    searched = searched_graph(graph).searched
    return searched.reverse if is_reverse and searched.directed else searched


def prepared_elsewhere(
    searched: Graph,
    end_of: Int32s | None,
    device: Device | None,
    progress: Progress,
    *,
    is_reverse: bool,
) -> PreparedNetwork:
    """For rows, by one thread, of a network of which another process has sent what is searched
    for it, with the ends as of `SearchedGraph.ends`; raises as `prepared_network`.
    """
    from solvers.running.engines import engine_of  # this imports numba

    own = searched_graph(searched) if end_of is None else turn_search().elsewhere(searched, end_of)
    engine = engine_of(searched, device, progress, 1)
    return PreparedNetwork(own, engine, own.network, is_reverse).for_rows(1)


def searched_network(graph: Graph) -> PreparedNetwork:
    """Searches without preparation, over all roads of a graph with changed ones; raises as
    `searching_engine`.
    """
    from solvers.running.engines import searching_engine  # the window starts first

    engine = searching_engine(searched_graph(graph).searched)
    return PreparedNetwork(searched_whole(graph), engine, graph)


def starts_by_search(graph: Graph, source: int) -> Float64s | None:
    """The distances at which arcs can be entered from a source, by one search; None where
    they are those of the tails, without a search. Raises as `searching_engine`.
    """
    if not searched_graph(graph).is_split:
        return None
    return searched_network(graph).row_and_starts(source)[1]


def network_with_hierarchy(graph: Graph, progress: Progress = SILENT) -> PreparedNetwork:
    """A hierarchy over all roads of a graph, some of which may be changed, and everything else
    that the first answer needs; raises as `engine_with_hierarchy`.
    """
    from solvers.running.engines import engine_with_hierarchy  # the window starts first

    engine = engine_with_hierarchy(searched_graph(graph).searched, progress)
    return PreparedNetwork(searched_whole(graph), engine, graph)


def network_as_possible(graph: Graph, progress: Progress = SILENT) -> PreparedNetwork:
    """A hierarchy as by `network_with_hierarchy` where this graph and this machine allow one,
    else searches; raises UnsuitableGraph, Cancelled.
    """
    try:
        return network_with_hierarchy(graph, progress)
    except (SeparatorsTooLarge, OutOfMemory, OrderFailed, Unavailable):
        return searched_network(graph)


@dataclass(frozen=True, eq=False)
class PreparedNetwork:
    """Distances are of the type ``kind``, with its infinity where there is no path."""

    # between the network, with all roads, whatever is closed, and what is searched
    translation: SearchedGraph
    engine: Engine  # answers about what is searched
    # the network with the weights of the engine, without closed arcs: what answers are
    # proved against
    graph: Graph
    # whether the engine has the reverse of what is searched: rows lead to their vertex, and
    # nothing else is asked
    is_reverse: bool = False
    sweeps: RowEngine | None = None  # what computes rows of what is searched, by `for_rows`

    def for_rows(self, threads: int) -> PreparedNetwork:
        """The same for rows of many sources, with so many threads of OpenMP, which the caller
        has set, and with working memory, for one thread to ask.
        """
        return replace(self, sweeps=self.engine.sweeps(threads))

    @property
    def network(self) -> Graph:
        """The graph whose arcs have `weights`: with all roads, whatever is closed."""
        return self.translation.network

    @property
    def asks_when_proved(self) -> bool:
        """Whether the proof of a row asks this network for it again, in the same thread."""
        return self.translation.is_split

    def keep_climbs(self) -> None:
        """Keep on disk what single lengths read, see `kept_climbs`, where a hierarchy of the
        network itself answers, without changed roads.
        """
        from solvers.algorithms.hierarchy.adjacency import MOST_VERTICES
        from solvers.algorithms.hierarchy.kept_climbs import keep_climbs
        from solvers.running.engines import HierarchyEngine

        engine, graph = self.engine, self.graph
        is_plain = graph.base is None and not self.translation.is_split
        if isinstance(engine, HierarchyEngine) and graph.n > MOST_VERTICES and is_plain:
            keep_climbs(graph, engine.hierarchy, engine.metric)

    @property
    def searched(self) -> PreparedNetwork:
        """What is searched as a network of its own; itself without turns."""
        if self.engine.network is self.network:
            return self
        own, graph = searched_graph(self.engine.network), self.engine.graph
        return replace(self, translation=own, graph=graph, is_reverse=False)

    @property
    def note(self) -> str:
        """What answers, for the user."""
        return self.engine.note

    @property
    def prepared(self) -> bool:
        """Whether a hierarchy answers."""
        return self.engine.prepared

    @property
    def device(self) -> Device | None:
        """What `sweeps` run on; None for the processor."""
        return None if self.sweeps is None else self.sweeps.device

    @property
    def kind(self) -> WeightType:
        return self.engine.kind

    @cached_property
    def weights(self) -> AnyArray:
        """Of all arcs of the network, infinity for closed ones."""
        return self.translation.own_weights(self.engine.weights)

    def require(self, verdict: Verdict | None) -> None:
        """Raise VerificationFailed if a verdict on an answer says that it is wrong."""
        if verdict is not None:
            verdict.require(f"An answer of the router ({self.note})")

    def length(self, source: int, target: int) -> Any:
        return self.engine.length(source, self.translation.end(target))

    def lengths(self, sources: AnyArray, targets: AnyArray) -> AnyArray:
        return self.engine.lengths(sources, self.translation.ends(targets))

    def row(self, source: int, progress: Progress = SILENT) -> AnyArray:
        return self.own(self.searched_row(source, progress))

    def rows(self, sources: AnyArray, progress: Progress = SILENT) -> Rows:
        starts, sweeps = self._starts(sources), self.sweeps
        found = self.engine.rows(starts) if sweeps is None else sweeps.rows(starts, progress)
        for part, rows in found:
            yield part, self.own(rows)

    def summarise(self, sources: Int32s, budget: Any, progress: Progress) -> RowSummaries:
        """Summaries of the rows of ``sources``, in their order, by `sweeps`; raises as these."""
        from solvers.algorithms.distance_rows import RowSummaries, sum_type_of

        assert self.sweeps is not None
        if not self.translation.is_split:
            return self.sweeps.summarise(sources, budget, progress)
        kind, sum_type = self.kind, sum_type_of(self.engine.graph)
        found = RowSummaries.empty(len(sources), kind, sum_type)
        for part, rows in self.rows(sources, progress):
            for place, row in zip(range(part.start, part.stop), rows, strict=True):
                at = slice(place, place + 1)
                found.put(at, RowSummaries.of_row(row, kind, sum_type, budget))
        return found

    def thread_bytes(self, *, whole_rows: bool) -> int:
        """Memory of the host that each thread of `sweeps` works with, in `rows`, too, or only
        in `summarise`.
        """
        assert self.sweeps is not None
        return self.sweeps.thread_bytes(whole_rows=whole_rows or self.translation.is_split)

    def start(self, source: int) -> int:
        """The vertex of what is searched whose row is that of a vertex."""
        return self.translation.end(source) if self.is_reverse else source

    def end(self, target: int) -> int:
        """The vertex of what is searched that stands for one as a target."""
        return self.translation.end(target)

    def searched_row(self, source: int, progress: Progress = SILENT) -> AnyArray:
        """The row of `start` in what is searched."""
        start, sweeps = self.start(source), self.sweeps
        return self.engine.row(start) if sweeps is None else sweeps.row(start, progress)

    def own(self, rows: AnyArray) -> AnyArray:
        """Rows of the network from those of what is searched."""
        way_back = self.translation
        return way_back.distances_to(rows) if self.is_reverse else way_back.distances(rows)

    def row_and_starts(self, source: int) -> tuple[AnyArray, Float64s | None]:
        """A row, and the distances at which arcs of the network can be entered, as of
        `SearchedGraph.starts`.
        """
        found = self.searched_row(source)
        return self.own(found), self.translation.starts(found)

    def predecessors(self, start: int, row: AnyArray) -> Int32s:
        """The vertex before each, (n,), on its own shortest path from a vertex of what is
        searched, the row of which is given; -1 without one.
        """
        from solvers.verification.paths import recover_predecessors

        searched = self.searched
        found = row if searched is self else searched.row(start)
        before = recover_predecessors(searched.graph, start, found)
        return self.translation.predecessors(before)

    def _starts(self, sources: AnyArray) -> AnyArray:
        return self.translation.ends(sources) if self.is_reverse else sources

    def path(self, source: int, target: int) -> Int32s:
        """Vertices of one path, both ends included; none without a path."""
        return self.translation.path(self.engine.path(source, self.translation.end(target)))

    def paths(self, sources: AnyArray, targets: AnyArray) -> Paths:
        vertices, first, lengths = self.engine.paths(sources, self.translation.ends(targets))
        if not self.translation.is_split:
            return vertices, first, lengths
        own = [self.translation.path(one) for one in np.split(vertices, first[1:-1])]
        counts = [len(one) for one in own][: len(lengths)]
        return np.concatenate(own), offsets_of(counts), lengths

    def table(self, sources: AnyArray, targets: AnyArray | None) -> Float64s:
        """Distances from each source to each target, inf where there is no path; None
        for all vertices.
        """
        return self.engine.table(sources, self.translation.ends(targets))

    def rows_on_device(self, sources: AnyArray) -> Any:
        """Distances from each source to all vertices, an array on an NVIDIA GPU; raises
        `DeviceUnavailable`.
        """
        rows = self.engine.rows_on_device(sources)
        return rows[:, self.translation.end_of] if self.translation.is_split else rows

    @property
    def finds_alternatives(self) -> bool:
        """Whether a hierarchy answers, and no weight is negative."""
        return self.engine.finds_alternatives

    def alternatives(self, start: int, end: int, count: int, limits: Limits) -> list[Int64s]:
        """Arcs of what is searched on the shortest path between two vertices of it, and on up
        to ``count - 1`` alternatives; none without a path. They share roads of the network, and
        meet no vertex of it twice. Asked where `finds_alternatives`.
        """
        from solvers.running.engines import HierarchyEngine

        assert isinstance(self.engine, HierarchyEngine)
        roads = self.translation.arc_of, self.translation.vertex_of
        return self.engine.alternatives(start, end, count, limits, *roads)

    def travelled(self, found: Int64s) -> tuple[Int64s, AnyArray]:
        """The arcs of the network that arcs of what is searched are, and their weights with
        those of the turns before them.
        """
        arcs, weights = self.translation.arcs(found), self.engine.weights[found]
        real = arcs >= 0  # not to the end of a vertex
        return arcs[real], weights[real]

    def retraced(self, other: PreparedNetwork, source: int, found: Int64s) -> Int64s | None:
        """The arcs of what is searched along a way from ``source``, of which those of another
        state of the network are given; None where a turn of it is forbidden here.

        Other weights may need other U-turns forbidden, and then something else is searched.
        """
        own, graph = self.translation, self.translation.searched
        if other.translation.searched is graph:
            return found
        vertex, arcs = source, list[int]()
        for arc in other.translation.arcs(found).tolist():
            row = graph.row(vertex)
            at = row.start + np.flatnonzero(own.arc_of[row] == arc)
            if not len(at):
                return None
            arcs.append(int(at[0]))
            vertex = int(graph.indices[at[0]])
        return np.array(arcs, np.int64)

    def nearest(
        self, sources: Int32s, distances: AnyArray, memory: NearestMemory, progress: Progress
    ) -> tuple[UInt8s, str]:
        """Fill ``distances`` of what is searched with those from the nearest of several sources.

        Returns the place of that source for each vertex of the network, or `NO_OWNER`, and
        what found it; none for a single source. Raises UnsuitableGraph, Cancelled.
        """
        owners, method = self.engine.nearest(sources, distances, memory, progress)
        return self.translation.distances(owners) if len(owners) else owners, method

    def with_weights(self, weights: AnyArray, said: Said | None = None) -> PreparedNetwork:
        """The same with other weights of all arcs of the network, infinity for closed ones;
        ``said`` as of `changed_graph`.

        Where other U-turns are forbidden with these, another graph is searched, for which a
        hierarchy is prepared.
        """
        from solvers.running.engines import engine_like

        network, engine = self.network, self.engine
        graph = changed_graph(network, weights, said)
        translation = searched_whole(graph, network)
        if translation.searched is not self.translation.searched:
            engine = engine_like(engine, translation.searched)
        own, searched = weights, graph
        if translation.is_split:
            own = translation.weights(weights, weight_type(weights.dtype).infinity)
            searched = changed_graph(translation.searched, own)
        return PreparedNetwork(translation, engine.with_weights(own, searched), graph)
