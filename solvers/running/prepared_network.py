"""A network that is prepared for questions: what a `Router`, answers without a run, rows of
many sources and alternatives ask. Vertices are indices here.

Questions and answers are of the network; here, and nowhere else, they are translated to
what is searched for it, an ordinary graph, about which an engine answers (`engines`).
Another set of weights makes another value, so any number of threads may ask this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from solvers.errors import OrderFailed, OutOfMemory, SeparatorsTooLarge, Unavailable
from solvers.graphs.graph import Graph
from solvers.graphs.road_patch import changed_graph
from solvers.graphs.searched import (
    SearchedGraph,
    searched_graph,
    searched_whole,
)
from solvers.graphs.weights import WeightType, weight_type
from solvers.system.array_types import AnyArray, Float64s, Int32s, UInt8s
from solvers.system.cancel import SILENT, Progress

if TYPE_CHECKING:
    from solvers.devices.device import Device
    from solvers.running.engines import Engine, Paths, Rows
    from solvers.running.nearest import NearestMemory
    from solvers.verification.hierarchy_bounds import HierarchyBounds


def prepared_network(
    graph: Graph, device: Device | None = None, progress: Progress = SILENT
) -> PreparedNetwork:
    """A hierarchy where separators are small, else searches; raises NegativeCycle,
    UnsuitableGraph.
    """
    # these import numba
    from solvers.algorithms.hierarchy.adjacency import MOST_VERTICES
    from solvers.algorithms.hierarchy.kept_climbs import keep_climbs
    from solvers.running.engines import HierarchyEngine, engine_of

    translation = searched_graph(graph)
    engine = engine_of(translation.searched, device, progress)
    whole = engine.graph
    if isinstance(engine, HierarchyEngine) and whole.n > MOST_VERTICES and whole.base is None:
        keep_climbs(whole, engine.hierarchy, engine.metric)
    return PreparedNetwork(translation, engine, graph)


def searched_network(graph: Graph) -> PreparedNetwork:
    """Searches without preparation, over all roads of a graph with changed ones; raises as
    `searching_engine`.
    """
    from solvers.running.engines import searching_engine  # the window starts first

    engine = searching_engine(searched_graph(graph).searched)
    return PreparedNetwork(searched_whole(graph), engine, graph)


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

    @property
    def network(self) -> Graph:
        """The graph whose arcs have `weights`: with all roads, whatever is closed."""
        return self.translation.network

    @property
    def searched(self) -> PreparedNetwork:
        """What is searched as a network of its own; itself without turns."""
        if not self.translation.is_split:
            return self
        engine = self.engine
        return PreparedNetwork(searched_graph(engine.network), engine, engine.graph)

    @property
    def note(self) -> str:
        """What answers, for the user."""
        return self.engine.note

    @property
    def prepared(self) -> bool:
        """Whether a hierarchy answers."""
        return self.engine.prepared

    @property
    def kind(self) -> WeightType:
        return self.engine.kind

    @property
    def bounds(self) -> HierarchyBounds | None:
        """Proved bounds of the distances of `graph`, made when they are first asked for;
        None where there are none, as with turns.
        """
        return None if self.translation.is_split else self.engine.bounds

    @cached_property
    def weights(self) -> AnyArray:
        """Of all arcs of the network, infinity for closed ones."""
        engine, translation = self.engine, self.translation
        if not translation.is_split:
            return engine.weights
        # of the arcs of the junctions themselves, before which no turn costs anything
        own = np.flatnonzero((translation.arc_of >= 0) & (engine.network.tails < self.network.n))
        weights = np.empty(self.network.m, self.kind.dtype)
        weights[translation.arc_of[own]] = engine.weights[own]
        return weights

    def length(self, source: int, target: int) -> Any:
        return self.engine.length(source, self.translation.end(target))

    def lengths(self, sources: AnyArray, targets: AnyArray) -> AnyArray:
        return self.engine.lengths(sources, self.translation.ends(targets))

    def row(self, source: int) -> AnyArray:
        return self.translation.distances(self.engine.row(source))

    def rows(self, sources: AnyArray) -> Rows:
        for part, rows in self.engine.rows(sources):
            yield part, self.translation.distances(rows)

    def path(self, source: int, target: int) -> Int32s:
        """Vertices of one path, both ends included; none without a path."""
        return self.translation.path(self.engine.path(source, self.translation.end(target)))

    def paths(self, sources: AnyArray, targets: AnyArray) -> Paths:
        vertices, first, lengths = self.engine.paths(sources, self.translation.ends(targets))
        if not self.translation.is_split:
            return vertices, first, lengths
        own = [self.translation.path(one) for one in np.split(vertices, first[1:-1])]
        counts = [len(one) for one in own][: len(lengths)]
        return np.concatenate(own), np.cumsum([0, *counts], dtype=np.int64), lengths

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

    def nearest(
        self, sources: Int32s, distances: AnyArray, memory: NearestMemory, progress: Progress
    ) -> tuple[UInt8s, str]:
        """Fill ``distances`` of what is searched with those from the nearest of several sources.

        Returns the place of that source for each vertex of the network, or `NO_OWNER`, and
        what found it; none for a single source. Raises UnsuitableGraph, Cancelled.
        """
        owners, method = self.engine.nearest(sources, distances, memory, progress)
        return self.translation.distances(owners) if len(owners) else owners, method

    def with_weights(self, weights: AnyArray, said: object = None) -> PreparedNetwork:
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
