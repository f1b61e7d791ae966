"""Queries to the live solver, and its answers, which are shown as an `UnmeasuredAnswer`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from solvers.errors import ForeignQuery
from solvers.graphs.graph import Graph
from solvers.graphs.network import MOST_SOURCES
from solvers.graphs.weights import exact_distance
from solvers.running.answers.answer import UNMEASURED, DistancesAnswer, PathAnswer
from solvers.running.answers.unmeasured import UnmeasuredAnswer
from solvers.running.prepared_network import PreparedNetwork
from solvers.running.ways import FoundWays
from solvers.system.array_types import AnyArray, Int32s, UInt8s

LIVE = "live"  # what found an answer, in files


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
    # the vertices from the nearest source to another vertex; on the window's thread
    path_to: Callable[[int], Int32s | None]
    ways: FoundWays | None = None  # with alternatives to the path; None if none were looked for

    @property
    def graph(self) -> Graph:
        return self.query.graph

    @property
    def length(self) -> int | float | None:
        """Length of the path, inf if the target is unreachable; None without a target."""
        target = self.query.target
        if self.ways is not None and self.ways.rows:
            return self.ways.rows[0][1].length
        return None if target is None else exact_distance(self.distances, target)

    @cached_property
    def shown(self) -> UnmeasuredAnswer:
        """As the picture and the panel of the path read it."""
        graph, sources = self.graph, self.query.sources
        distances = DistancesAnswer(graph, sources, self.distances, None, LIVE)
        note = "" if self.ways is None else self.ways.note
        ways = tuple(self._shown_ways())
        return UnmeasuredAnswer(distances, self.owners, ways, self.path_to, note=note)

    def _shown_ways(self) -> list[PathAnswer]:
        target, length = self.query.target, self.length
        if self.ways is not None and self.ways.ways:
            return PathAnswer.of_ways(self.graph, self.ways, LIVE, UNMEASURED)
        if target is None or length is None:
            return []
        source = self.query.sources[0] if self.path is None else int(self.path[0])
        return [PathAnswer(self.graph, source, target, self.path, length, LIVE, run=UNMEASURED)]

    def owner(self, vertex: int) -> int | None:
        """The source, as a vertex index, that is nearest to ``vertex``; None if it is
        unreachable.
        """
        from solvers.algorithms.hierarchy.sweep import NO_OWNER

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
