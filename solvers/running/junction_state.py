"""A network whose junctions are split at turns, and how it is asked: another state answers,
about what is searched.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.graphs.junctions import (
    Junctions,
    junctions_by_rules,
    junctions_of,
    whole_junctions_of,
)
from solvers.graphs.weights import WeightType, weight_type
from solvers.running.network_state import Paths, RouterState, Rows
from solvers.running.router_state import (
    HierarchyState,
    SearchState,
    changed_graph,
    first_state,
)
from solvers.system.array_types import AnyArray, Float64s, Int32s, UInt8s
from solvers.system.cancel import SILENT, Progress

if TYPE_CHECKING:
    from solvers.running.nearest import NearestMemory


def first_state_of(graph: Graph, device: Device | None, progress: Progress = SILENT) -> RouterState:
    """As `first_state`, of a network that may have turns."""
    junctions = junctions_of(graph)
    inner = first_state(junctions.searched, device, progress)
    return inner if inner.graph is graph else JunctionState(junctions, inner, graph)


def of_network(graph: Graph, inner: RouterState) -> RouterState:
    """The state for a graph, perhaps with changed roads, of one for what is searched, with
    all roads.
    """
    return inner if inner.graph is graph else JunctionState(whole_junctions_of(graph), inner, graph)


@dataclass(frozen=True, eq=False)
class JunctionState:
    junctions: Junctions  # of the network with all roads
    searched: RouterState
    graph: Graph

    @property
    def network(self) -> Graph:
        return self.junctions.network

    @property
    def note(self) -> str:
        return self.searched.note

    @property
    def prepared(self) -> bool:
        return self.searched.prepared

    @property
    def kind(self) -> WeightType:
        return self.searched.kind

    @property
    def bounds(self) -> None:
        return None  # what is searched has some

    @cached_property
    def weights(self) -> AnyArray:
        searched, arc_of = self.searched, self.junctions.arc_of
        # of the arcs of the junctions themselves, before which no turn costs anything
        own = np.flatnonzero((arc_of >= 0) & (searched.network.tails < self.network.n))
        weights = np.empty(self.network.m, self.kind.dtype)
        weights[arc_of[own]] = searched.weights[own]
        return weights

    def length(self, source: int, target: int) -> Any:
        return self.searched.length(source, int(self.junctions.end_of[target]))

    def lengths(self, sources: AnyArray, targets: AnyArray) -> AnyArray:
        return self.searched.lengths(sources, self.junctions.end_of[targets])

    def row(self, source: int) -> AnyArray:
        return self.junctions.distances(self.searched.row(source))

    def rows(self, sources: AnyArray) -> Rows:
        for part, rows in self.searched.rows(sources):
            yield part, self.junctions.distances(rows)

    def path(self, source: int, target: int) -> Int32s:
        found = self.searched.path(source, int(self.junctions.end_of[target]))
        return self.junctions.path(found)

    def paths(self, sources: AnyArray, targets: AnyArray) -> Paths:
        vertices, first, lengths = self.searched.paths(sources, self.junctions.end_of[targets])
        own = [self.junctions.path(one) for one in np.split(vertices, first[1:-1])]
        counts = [len(one) for one in own][: len(lengths)]
        return np.concatenate(own), np.cumsum([0, *counts], dtype=np.int64), lengths

    def table(self, sources: AnyArray, targets: AnyArray | None) -> Float64s:
        return self.searched.table(sources, self.junctions.ends(targets))

    def rows_on_device(self, sources: AnyArray) -> Any:
        rows = self.searched.rows_on_device(sources)
        return rows[:, self.junctions.end_of]

    def nearest(
        self, sources: Int32s, distances: AnyArray, memory: NearestMemory, progress: Progress
    ) -> tuple[UInt8s, str]:
        found = np.empty(self.searched.network.n, distances.dtype)
        owners, method = self.searched.nearest(sources, found, memory, progress)
        distances[:] = self.junctions.distances(found)
        return owners[self.junctions.end_of] if len(owners) else owners, method

    def with_weights(self, weights: AnyArray) -> JunctionState:
        """As of `RouterState`; where other U-turns are forbidden with these weights, another
        graph is searched, for which a hierarchy is prepared.
        """
        network, inner = self.network, self.searched
        graph = changed_graph(network, weights)
        rules = graph.turns
        junctions = self.junctions if rules is None else junctions_by_rules(network, rules)
        if junctions.searched is not self.junctions.searched:
            inner = _like(inner, junctions.searched)
        infinity = weight_type(weights.dtype).infinity
        return JunctionState(
            junctions, inner.with_weights(junctions.weights(weights, infinity)), graph
        )


def _like(state: RouterState, searched: Graph) -> RouterState:
    """A state of the same kind for something else that is searched."""
    if isinstance(state, HierarchyState):
        return first_state(searched, state.device)
    return SearchState(searched, searched, state.note)
