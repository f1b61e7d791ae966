"""Queries to the live solver, and its answers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from solvers.algorithms.hierarchy.sweep import NO_OWNER
from solvers.errors import ForeignQuery
from solvers.graphs.graph import Graph
from solvers.graphs.weights import exact_distance
from solvers.running.prepared_network import PreparedNetwork
from solvers.running.ways import FoundWays
from solvers.system.array_types import AnyArray, Int32s, UInt8s

MOST_SOURCES = 6


@dataclass(frozen=True, eq=False)
class LiveQuery:
    """Sources, a target and weights.

    Raises ForeignQuery if the weights are of another graph, or a vertex is not in this
    one.
    """

    graph: Graph  # the open one; without closed roads
    sources: tuple[int, ...]  # one to `MOST_SOURCES` vertex indices
    target: int | None
    state: PreparedNetwork  # with the weights, of the same `Graph` value
    alternatives: int = 0  # to the path, if a hierarchy is prepared

    def __post_init__(self) -> None:
        name = self.graph.name
        if self.state.graph is not self.graph:
            raise ForeignQuery(
                name,
                f"the weights are of {self.state.graph.name}, or of its roads before a change",
            )
        if not 1 <= len(self.sources) <= MOST_SOURCES:
            raise ForeignQuery(
                name, f"it has {len(self.sources)} sources, and can have 1 to {MOST_SOURCES}"
            )
        vertices = self.sources if self.target is None else (*self.sources, self.target)
        for vertex in vertices:
            require_vertex(self.graph, vertex)


@dataclass(frozen=True, eq=False)
class LiveAnswer:
    """Distances of all vertices from the nearest source, and the path to the target.
    Not a measurement.

    Floating-point sums of distances may differ from those along the path in their last
    digits.
    """

    query: LiveQuery
    distances: AnyArray  # (n,) with infinity of the distance type for unreachable vertices
    # (n,) places of nearest sources in the query, or `NO_OWNER`; None for one source
    owners: UInt8s | None
    # (k,) from the target's nearest source to the target; None if there is none
    path: Int32s | None
    reached: int  # vertices with a finite distance
    method: str  # what computed the distances, for display
    solve_ms: float  # time for all of this
    searched: AnyArray  # distances of what was searched for the network
    ways: FoundWays | None = None  # with alternatives to the path; None if none were looked for
    chosen: int = 0  # which of the rows of ``ways`` the path is

    @property
    def graph(self) -> Graph:
        return self.query.graph

    @property
    def length(self) -> int | float | None:
        """Length of the path, inf if the target is unreachable; None without a target."""
        target = self.query.target
        if self.ways is not None and self.ways.rows:
            return self.ways.rows[self.chosen][1].length
        return None if target is None else exact_distance(self.distances, target)

    def is_of(self, graph: Graph) -> bool:
        """Whether it is of this network, at any hour, cut anywhere."""
        return self.graph.as_read is graph.as_read

    def choosing(self, place: int) -> LiveAnswer:
        """The same with another of its ways as the path."""
        assert self.ways is not None  # else there is nothing to choose from
        return replace(self, path=self.ways.rows[place][1].vertices, chosen=place)

    def keeping(self, before: LiveAnswer | None) -> LiveAnswer:
        """The same with the alternative that was chosen of the answer before, if it is found
        again: an answer may come anew since a hierarchy is ready.
        """
        if before is None or not before.chosen or self.ways is None:
            return self
        same = (
            place
            for place, (_, way) in enumerate(self.ways.rows)
            if before.path is not None and np.array_equal(way.vertices, before.path)
        )
        return self.choosing(next(same, 0)) if self.ways.rows else self

    def owner(self, vertex: int) -> int | None:
        """The source, as a vertex index, that is nearest to ``vertex``; None if it is
        unreachable.
        """
        if not self.distances[vertex] < self.query.state.kind.infinity:
            return None
        position = 0 if self.owners is None else int(self.owners[vertex])
        return None if position == NO_OWNER else self.query.sources[position]


def require_vertex(graph: Graph, vertex: int) -> None:
    """Refuse an index that is not a vertex of ``graph``; compiled functions would read
    and write elsewhere.

    Raises ForeignQuery.
    """
    if not 0 <= vertex < graph.n:
        raise ForeignQuery(graph.name, f"vertex {vertex} is not among its {graph.n}")
