"""Source and target as the user has set them, and the network that is cut at those which
are points of roads. No widgets.

An end is a vertex, or a place on the map that stands for the nearest point of a road.
Places stay as they are when roads are closed or weighted by something else; their points
follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from solvers.graphs.cut_roads import with_points
from solvers.graphs.graph import Graph
from solvers.graphs.road_points import RoadPoint, nearest_points
from solvers.graphs.search import Spot, SpotKind


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
    sources: tuple[End, ...] = ()
    target: End | None = None

    @property
    def places(self) -> frozenset[Place]:
        return frozenset(e for e in (*self.sources, self.target) if isinstance(e, Place))


@dataclass(frozen=True, eq=False)
class CutNetwork:
    """A network with the points of places as vertices; itself without any."""

    network: Graph
    graph: Graph
    points: Mapping[Place, RoadPoint] = field(default_factory=dict)
    vertices: Mapping[Place, int] = field(default_factory=dict)  # in ``graph``

    @classmethod
    def of(cls, network: Graph, places: frozenset[Place]) -> CutNetwork:
        """The network cut at the nearest points of roads. Raises as `nearest_points`."""
        ordered = sorted(places, key=lambda place: (place.latitude, place.longitude))
        at = [(place.latitude, place.longitude) for place in ordered]
        points = nearest_points(network, at)
        graph, vertices = with_points(network, points)
        of_places = dict(zip(ordered, points, strict=True))
        return cls(network, graph, of_places, dict(zip(ordered, vertices, strict=True)))

    @property
    def at_junctions(self) -> CutNetwork:
        """The network as it is, with the nearer ends of the roads for the points."""
        nearer = {place: point.junction for place, point in self.points.items()}
        return CutNetwork(self.network, self.network, self.points, nearer)

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
        return vertex if vertex < self.network.n else next(places, vertex)
