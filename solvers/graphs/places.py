"""Ends that are places on the map, and the points of roads that stand for them.

How a place becomes a vertex is said by a feature, in its `PlaceEnds`; without it, a place as an
end is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress
from numbers import Real
from typing import Any

import numpy as np

from solvers.errors import PlacesNotTaken
from solvers.graphs.following_arcs import NO_ARC
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.route import length_text, on_sphere, path_polyline, road_name_between
from solvers.system.feature import offered
from solvers.text import quoted

_MOST_LETTERS = 20  # of a road in the name of its point
_AT_END = 1e-9  # share of a road from its end that counts as the end


@dataclass(frozen=True)
class RoadPoint:
    """The point of a road that is nearest to a place.

    Attributes
    ----------
    latitude, longitude : float
        Of the place, in degrees.
    metres : float
        From the place to the point, as the crow flies.
    xy : (float, float)
        Longitude and latitude of the point.
    tail, head : int
        Vertices at the ends of the road.
    share : float
        Of the road's length on the map from ``tail`` to the point, 0 to 1.
    there, back : int
        The arcs from ``tail`` to ``head`` and back; the latter `NO_ARC` where the road is
        one way.
    """

    latitude: float
    longitude: float
    metres: float
    xy: tuple[float, float]
    tail: int
    head: int
    share: float
    there: int
    back: int

    @property
    def vertex(self) -> int | None:
        """The end of the road that the point is; None between the ends."""
        if self.share <= _AT_END:
            return self.tail
        return self.head if self.share >= 1 - _AT_END else None

    @property
    def junction(self) -> int:
        """The nearer end of the road."""
        return self.tail if self.share <= 0.5 else self.head

    def name_on(self, graph: Graph) -> str:
        """``"Lane, 12 m from 17"``: where it is along its road."""
        line = on_sphere(path_polyline(graph, np.array([self.there])))
        whole = float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())
        along = length_text(whole * min(self.share, 1 - self.share))
        road = quoted(road_name_between(graph, self.tail, self.head), _MOST_LETTERS) or "Road"
        return f"{road}, {along} from {graph.vertex_text(self.junction)}"

    def sentence(self, graph: Graph, name: str = "") -> str:
        """``"47.1, 9.52: on Lane between 17 and 18, 12 m away."``, or the name of the place."""
        if self.vertex is not None:
            where = f"vertex {graph.vertex_label(self.vertex)}"
        else:
            ends = " and ".join(graph.vertex_label(end) for end in (self.tail, self.head))
            road = road_name_between(graph, self.tail, self.head) or "the road"
            where = f"{quoted(road)} between {ends}"
        place = name or f"{self.latitude:g}, {self.longitude:g}"
        return f"{place}: on {where}, {length_text(self.metres)} away."

    def described(self, graph: Graph) -> dict[str, object]:
        """For JSON: the place, the point, and the ids of the ends of its road."""
        return {
            "latitude": self.latitude,
            "longitude": self.longitude,
            "metres": self.metres,
            "on": {"latitude": self.xy[1], "longitude": self.xy[0]},
            "between": [graph.vertex_id(self.tail), graph.vertex_id(self.head)],
            "share": self.share,
            "one_way": self.back == NO_ARC,
        }


@dataclass(frozen=True)
class RoadPoints:
    """Points between the ends of roads, at which these are cut, in the order of the vertices
    that they become; a `Said`.
    """

    points: tuple[RoadPoint, ...]
    at = ""

    def __str__(self) -> str:
        return ""  # it is told with each end


RoadEnds = tuple[RoadPoint | None, RoadPoint | None]
"""The points that stand for a source and a target; None for vertices."""


def is_place(graph: Graph, end: object) -> bool:
    """Whether an end is given as latitude and longitude: two real numbers that are no
    vertex of a graph with names.
    """
    if type(end) is not tuple or len(end) != 2:
        return False
    places = graph.coordinates
    on_map = places is not None and places.geographic
    if isinstance(graph, LabelledGraph) and (graph.has(end) or not on_map):
        return False
    return all(isinstance(value, Real) and not isinstance(value, bool) for value in end)


def _refused(graph: Graph, *_: object) -> Any:
    raise PlacesNotTaken(graph.name)


@dataclass(frozen=True)
class PlaceEnds:
    """How places become vertices: ``PLACES`` in the module that `Feature.places` names. The
    defaults hold where no feature says it.
    """

    # whether points of a graph's roads can be ends
    possible: Callable[[Graph], bool] = lambda graph: False
    # the points of roads that are nearest to places, (k, 2) latitudes and longitudes
    nearest: Callable[[Graph, Any], tuple[RoadPoint, ...]] = _refused
    # a graph with such points as further vertices, and the vertex of each
    cut: Callable[[Graph, Sequence[RoadPoint]], tuple[Graph, list[int]]] = _refused


@cache
def place_ends() -> PlaceEnds:
    found: PlaceEnds = next(iter(offered(lambda one: one.places, "PLACES")), PlaceEnds())
    return found


def with_places(
    graph: Graph, ends: Sequence[Any]
) -> tuple[Graph, list[int | None], list[RoadPoint | None]]:
    """A graph with the points of those ends that are places as further vertices, the vertex
    of each end, and its point, None for a vertex.

    Raises UnknownVertex, `PlacesNotTaken` without the feature, and what that raises.
    """
    are_places = [is_place(graph, end) for end in ends]
    vertices = [
        None if end is None or on_road else graph.vertex(end)
        for end, on_road in zip(ends, are_places, strict=True)
    ]
    if not any(are_places):
        return graph, vertices, [None] * len(ends)
    found = place_ends().nearest(graph, list(compress(ends, are_places)))
    cut, at = place_ends().cut(graph, found)
    points, of_points = iter(found), iter(at)
    return (
        cut,
        [next(of_points) if each else vertices[i] for i, each in enumerate(are_places)],
        [next(points) if each else None for each in are_places],
    )
