"""Queries to the live solver, and its answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from solvers.algorithms.hierarchy.metric import Metric
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.algorithms.hierarchy.sweep import NO_OWNER
from solvers.errors import ForeignQuery
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType, exact_distance
from solvers.system.array_types import AnyArray, Int32s, UInt8s

MOST_SOURCES = 6


@dataclass(frozen=True, eq=False)
class LiveWeights:
    """The weights that a live answer holds for: a graph's own, or those of changed roads.

    Raises ForeignQuery if arcs, hierarchy and metric cannot be of one graph: compiled
    functions do not check their arguments.
    """

    graph: Graph  # the graph that is solved; without closed roads
    kind: WeightType  # of the distances
    arcs: AnyArray  # (m,) of ``kind``, of the arcs of `network`; infinity for a closed one
    hierarchy: Hierarchy | None = None  # None if none is prepared
    metric: Metric | None = None  # of ``arcs``; None without a hierarchy

    def __post_init__(self) -> None:
        n, m, hierarchy, metric = self.network.n, self.network.m, self.hierarchy, self.metric
        if self.arcs.shape != (m,) or self.arcs.dtype != self.kind.dtype:
            raise ForeignQuery(
                self.graph.name, f"there are {len(self.arcs)} weights for its {m} arcs"
            )
        if hierarchy is not None and hierarchy.n != n:
            raise ForeignQuery(
                self.graph.name, f"the hierarchy has {hierarchy.n} vertices, and it has {n}"
            )
        if metric is not None and (hierarchy is None or len(metric.up) != hierarchy.arcs):
            raise ForeignQuery(self.graph.name, "the metric is of another hierarchy")

    @property
    def network(self) -> Graph:
        """``graph`` with all its roads: the structure that is solved on, whatever is closed."""
        return network_of(self.graph)

    @property
    def prepared(self) -> bool:
        """Whether the hierarchy answers."""
        return (
            self.hierarchy is not None
            and self.metric is not None
            and not self.metric.negative_cycle
        )

    @cached_property
    def has_negative(self) -> bool:
        """Whether some arc has a negative weight."""
        return bool(len(self.arcs) and self.arcs.min() < 0)


@dataclass(frozen=True, eq=False)
class LiveQuery:
    """Sources, a target and weights.

    Raises ForeignQuery if the weights are of another graph, or a vertex is not in this
    one.
    """

    graph: Graph  # the open one; without closed roads
    sources: tuple[int, ...]  # one to `MOST_SOURCES` vertex indices
    target: int | None
    weights: LiveWeights  # of the same `Graph` value

    def __post_init__(self) -> None:
        name = self.graph.name
        if self.weights.graph is not self.graph:
            raise ForeignQuery(
                name,
                f"the weights are of {self.weights.graph.name}, or of its roads before a change",
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

    @property
    def graph(self) -> Graph:
        return self.query.graph

    @property
    def length(self) -> int | float | None:
        """Distance of the target, inf if it is unreachable; None without a target."""
        target = self.query.target
        return None if target is None else exact_distance(self.distances, target)

    def owner(self, vertex: int) -> int | None:
        """The source, as a vertex index, that is nearest to ``vertex``; None if it is
        unreachable.
        """
        if not self.distances[vertex] < self.query.weights.kind.infinity:
            return None
        position = 0 if self.owners is None else int(self.owners[vertex])
        return None if position == NO_OWNER else self.query.sources[position]


def network_of(graph: Graph) -> Graph:
    """The graph with all its roads that ``graph`` was made from by changes to them;
    itself without changes.
    """
    return graph if graph.base is None else graph.base.graph


def require_vertex(graph: Graph, vertex: int) -> None:
    """Refuse an index that is not a vertex of ``graph``; compiled functions would read
    and write elsewhere.

    Raises ForeignQuery.
    """
    if not 0 <= vertex < graph.n:
        raise ForeignQuery(graph.name, f"vertex {vertex} is not among its {graph.n}")
