"""A network with one set of weights, and how it is asked: by a `Router` and in live mode.

Vertices are indices here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from solvers.graphs.graph import Graph
from solvers.graphs.junctions import Junctions
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s, UInt8s
from solvers.system.cancel import Progress

if TYPE_CHECKING:
    from solvers.running.nearest import NearestMemory
    from solvers.verification.hierarchy_bounds import HierarchyBounds

MOST_ALTERNATIVES = 5
Rows = Iterator[tuple[slice, AnyArray]]
Paths = tuple[Int32s, Int64s, AnyArray]
"""Vertices of all paths, where each begins, (k + 1,), and lengths in the distance type."""


@dataclass(frozen=True, eq=False)
class Way:
    """One of several ways."""

    vertices: Int32s  # (k + 1,)
    arcs: Int64s  # (k,) of the network of the state, closed ones included
    length: int | float  # in the unit of the weights
    shared: float  # with the ways before it, as a share of the length of the shortest


@dataclass(frozen=True, eq=False)
class FoundWays:
    """The shortest way and alternatives to it; none where the target is unreachable."""

    ways: tuple[Way, ...]
    note: str  # what the alternatives are, and why there are not more
    # the best ways by other weights of a road network, "fastest" or "shortest"
    by_others: tuple[tuple[str, Way], ...] = ()

    @property
    def rows(self) -> tuple[tuple[str, Way], ...]:
        """The ways with their numbers from 1, and those that are the best by other weights."""
        return (*((str(k), way) for k, way in enumerate(self.ways, 1)), *self.by_others)


class RouterState(Protocol):
    """Distances are of the type ``kind``, with its infinity where there is no path."""

    @property
    def note(self) -> str:
        """What answers, for the user."""

    @property
    def network(self) -> Graph:
        """The graph whose arcs have `weights`: with all roads, whatever is closed."""

    @property
    def graph(self) -> Graph:
        """The network with the weights of this state, without closed arcs: what answers
        are proved against.
        """

    @property
    def junctions(self) -> Junctions:
        """How the network is searched."""

    @property
    def searched(self) -> RouterState:
        """The state that answers about what is searched; itself without turns."""

    @property
    def prepared(self) -> bool:
        """Whether a hierarchy answers."""

    @property
    def kind(self) -> WeightType: ...

    @property
    def bounds(self) -> HierarchyBounds | None:
        """Proved bounds of the distances of `graph`, made when they are first asked for;
        None where there are none.
        """

    @property
    def weights(self) -> AnyArray:
        """Of all arcs of the network, infinity for closed ones."""

    def length(self, source: int, target: int) -> Any: ...

    def lengths(self, sources: AnyArray, targets: AnyArray) -> AnyArray: ...

    def row(self, source: int) -> AnyArray: ...

    def rows(self, sources: AnyArray) -> Rows: ...

    def path(self, source: int, target: int) -> Int32s:
        """Vertices of one path, both ends included; none without a path."""

    def paths(self, sources: AnyArray, targets: AnyArray) -> Paths: ...

    def table(self, sources: AnyArray, targets: AnyArray | None) -> Float64s:
        """Distances from each source to each target, inf where there is no path; None
        for all vertices.
        """

    def rows_on_device(self, sources: AnyArray) -> Any:
        """Distances from each source to all vertices, an array on an NVIDIA GPU; raises
        `DeviceUnavailable`.
        """

    def nearest(
        self, sources: Int32s, distances: AnyArray, memory: NearestMemory, progress: Progress
    ) -> tuple[UInt8s, str]:
        """Fill ``distances``, (n,), with those from the nearest of several sources.

        Returns the place of that source for each vertex, or `NO_OWNER`, and what found
        it; none for a single source. Raises UnsuitableGraph, Cancelled.
        """

    def with_weights(self, weights: AnyArray) -> RouterState:
        """The state for other weights of all arcs of the network, infinity for closed ones."""


Others = tuple[tuple[str, RouterState], ...]
"""States for other weights of a network, by what is best by them."""
