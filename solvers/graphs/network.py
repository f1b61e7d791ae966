"""A network as it was read, with what is said of it since: closed and slowed roads, an hour,
and ends that are points of roads.

An end is a vertex, or a place on the map that stands for the nearest point of a road.
Places stay as they are when roads are closed or weighted by something else; their points
follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.search import Spot, SpotKind

if TYPE_CHECKING:  # imported for the first end that is a place
    from solvers.graphs.places import RoadPoint

MOST_SOURCES = 6


@dataclass(frozen=True)
class Place:
    """A place on the map, in degrees."""

    latitude: float
    longitude: float
    name: str = ""  # that it was found by

    @property
    def text(self) -> str:
        """Its name or, for a field that takes them, latitude and longitude to a metre."""
        return self.name or f"{self.latitude:.5f}, {self.longitude:.5f}"


End = int | Place
"""A vertex of the network, by its index, or a place."""


def end_of(spot: Spot) -> End:
    """The end that something found by its name means: a street is one of its vertices."""
    if spot.place is None:
        return spot.vertex
    return Place(*spot.place, spot.name if spot.kind is SpotKind.PLACE else "")


@dataclass(frozen=True)
class Ends:
    """Sources and target, as vertices or places."""

    sources: tuple[End, ...] = ()  # at most `MOST_SOURCES`
    target: End | None = None

    @property
    def places(self) -> frozenset[Place]:
        return frozenset(e for e in (*self.sources, self.target) if isinstance(e, Place))


@dataclass(frozen=True, eq=False)
class Network:
    """A network and what is said of it, the overlay of its graph, which is translated once into
    vertices, arcs and weights of an ordinary graph. Forbidden turns are translated where it is
    searched (`solvers.graphs.searched`).
    """

    # at the chosen hour, with closed and slowed roads, and the points of places as vertices:
    # what is solved
    graph: Graph
    points: Mapping[Place, RoadPoint] = field(default_factory=dict)
    vertices: Mapping[Place, int] = field(default_factory=dict)  # in ``graph``

    @classmethod
    def of(cls, uncut: Graph, places: frozenset[Place] = frozenset()) -> Network:
        """The network cut at the nearest points of roads. Raises as `PlaceEnds.nearest`."""
        if not places:
            return cls(uncut)
        from solvers.graphs.places import place_ends

        ordered = sorted(places, key=lambda place: (place.latitude, place.longitude))
        at = [(place.latitude, place.longitude) for place in ordered]
        points = place_ends().nearest(uncut, at)
        graph, vertices = place_ends().cut(uncut, points)
        of_places = dict(zip(ordered, points, strict=True))
        return cls(graph, of_places, dict(zip(ordered, vertices, strict=True)))

    @property
    def roads(self) -> RoadChanges:
        """The part of the overlay that closes, slows and weighs its roads."""
        return RoadChanges.of(self.graph)

    def at_junctions(self, uncut: Graph) -> Network:
        """Another network, with the nearer ends of the roads for the points of this one."""
        nearer = {place: point.junction for place, point in self.points.items()}
        return Network(uncut, self.points, nearer)

    def vertices_of(self, ends: Ends) -> tuple[tuple[int, ...], int | None]:
        """The vertices of sources and target; none for a place at which it is not cut."""
        *sources, target = map(self.vertex_of, (*ends.sources, ends.target))
        return tuple(v for v in sources if v is not None), target

    def vertex_of(self, end: End | None) -> int | None:
        return self.vertices.get(end) if isinstance(end, Place) else end

    def distinct(self, ends: Ends) -> Ends:
        """The ends without sources at the vertex of one before them."""
        first = {self.vertex_of(end): end for end in reversed(ends.sources)}
        return replace(ends, sources=tuple(reversed(first.values())))

    def end(self, vertex: int) -> End:
        """The end that a vertex of ``graph`` stands for."""
        places = (place for place, at in self.vertices.items() if at == vertex)
        return vertex if vertex < self.graph.uncut.n else next(places, vertex)
