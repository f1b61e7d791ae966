"""Points of roads that are nearest to places.

A place is given by latitude and longitude. Its point lies on the segment of a road, not
only at a junction: segments are searched by samples along them in a tree, and every
segment that a nearer point may lie on is compared exactly. Positions are points of a
sphere in space, so that neither the antimeridian nor the latitude makes a difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from solvers.errors import InputError, NoRoadNear, ParameterError, UnsuitableGraph
from solvers.graphs.following_arcs import opposite_arcs
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.route import length_text, path_polyline, road_name_between, with_shapes
from solvers.system.array_types import Bools, Float64s, Int64s
from solvers.text import quoted
from solvers.units import EARTH_METRES

NO_ARC = -1
MOST_METRES = 10_000.0
"""From a place to the nearest road, unless another limit is given."""

_MOST_LETTERS = 20  # of a road in the name of its point
_STEPS = 2.0**40  # of shares, so that those from the other end are exact
_AT_END = 1e-9  # share of a road from its end that counts as the end
JUNCTION_METRES = 1.0
"""A point of a road so near to an end of it is this end: maps are no more exact."""


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


def nearest_points(
    graph: Graph,
    places: ArrayLike,
    within: float = MOST_METRES,
    *,
    closed: Bools | None = None,
    kept_with: Graph | None = None,
) -> tuple[RoadPoint, ...]:
    """The point of a road nearest to each of several places.

    Parameters
    ----------
    graph : Graph
        With longitudes and latitudes; closed roads have no points.
    places : (k, 2) float64
        Latitudes and longitudes in degrees.
    within : float
        The greatest distance in metres from a place to its road.
    closed : (m,) bool, optional
        Arcs that have no points.
    kept_with : Graph, optional
        What the index of roads is kept with, if some are closed: the graph without them.

    Raises
    ------
    UnsuitableGraph
        Without longitudes and latitudes, or without roads.
    ParameterError
        For latitudes beyond 90 degrees, longitudes beyond 360, or something else than places.
    NoRoadNear
        For the first place that is farther away.
    """
    # not the segments of ``kept_with`` itself, which names its arcs
    key = "road segments" if kept_with is None else "open road segments of the network"
    found = (kept_with or graph).cached(key, lambda: _Segments(graph, closed))
    given = _checked(places)
    points = on_sphere(given[:, ::-1])
    segment, place_on = found.nearest(points)
    shares, xy = found.shares(segment, place_on), found.xy_at(segment, place_on)
    arcs = found.arcs[segment]
    tails, heads, backs = graph.tails[arcs], graph.indices[arcs], found.opposite[arcs]
    assert graph.coordinates is not None  # or there would be no segments
    for share, ends in ((0.0, tails), (1.0, heads)):
        xy = np.where((shares == share)[:, None], graph.coordinates.xy[ends], xy)
    metres = _arc_length(np.linalg.norm(points - on_sphere(xy), axis=1))
    far = np.flatnonzero(~(metres <= within))
    if len(far):
        raise _too_far(graph, given[far[0]], float(metres[far[0]]), within)
    columns = (*given.T, metres, *xy.T, tails, heads, shares, arcs, backs)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return tuple(
        RoadPoint(latitude, longitude, away, (x, y), *of_road)
        for latitude, longitude, away, x, y, *of_road in rows
    )


class _Segments:
    """The straight segments of all roads, and a tree of samples along them."""

    def __init__(self, graph: Graph, closed: Bools | None):
        places = graph.coordinates
        if places is None or not places.geographic:
            raise UnsuitableGraph(
                f"{graph.name} has no longitudes and latitudes, so no place lies on its roads."
            )
        arcs, self.opposite = np.arange(graph.m), opposite_arcs(graph)
        is_open = np.ones(graph.m, np.bool_) if closed is None else ~closed
        self.opposite = np.where(is_open[self.opposite], self.opposite, NO_ARC)
        # arcs of one road there and back count once
        roads = arcs[is_open & ((self.opposite == NO_ARC) | (arcs < self.opposite))]
        line, self.arcs = _lines(graph, roads)
        begins = np.ones(len(self.arcs), np.bool_)
        begins[1:] = self.arcs[1:] != self.arcs[:-1]
        tails = places.xy[graph.tails[self.arcs]]
        before = np.concatenate((line[:1], line[:-1]))
        self._from, self._to = np.where(begins[:, None], tails, before), line
        known = ~(np.isnan(self._from) | np.isnan(self._to)).any(axis=1)
        self.arcs, begins = self.arcs[known], begins[known]
        self._from, self._to = self._from[known], self._to[known]
        if not len(self.arcs):
            raise UnsuitableGraph(f"{graph.name} has no roads on the map.")
        self._a, self._b = on_sphere(self._from), on_sphere(self._to)
        self._lengths = np.linalg.norm(self._b - self._a, axis=1)
        self._weights = graph.weights[self.arcs]
        whole = np.cumsum(self._lengths)
        begin_of = np.flatnonzero(begins)
        ends = np.append(begin_of[1:], len(self.arcs)) - 1
        of_road = np.cumsum(begins) - 1
        start = (whole - self._lengths)[begin_of]
        self._before = whole - self._lengths - start[of_road]
        self._of_road = (whole[ends] - start)[of_road]

    @cached_property
    def _samples(self) -> tuple[Any, Int64s, float]:
        """A tree of samples, the segment of each, and how far a point of a segment is
        from its nearest sample at most, in metres.
        """
        from scipy.spatial import cKDTree  # it takes long to import

        spacing = max(float(self._lengths.mean()), 1e-3)
        counts = np.maximum(1, np.ceil(self._lengths / spacing)).astype(np.int64)
        of = np.repeat(np.arange(len(counts)), counts)
        step = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
        samples = self.points_at(of, (step + 0.5) / counts[of])
        return cKDTree(samples), of, 0.51 * spacing + 1e-3

    def nearest(self, points: Float64s) -> tuple[Int64s, Float64s]:
        """The segment nearest to each point, (k,), of equal ones that of the lightest arc,
        and the place on it from its beginning, 0 to 1.
        """
        tree, of, reach = self._samples
        _, sample = tree.query(points)
        bound = self._distances(points, of[sample])[0]
        near = tree.query_ball_point(points, bound + reach)
        counts = np.array([len(one) for one in near])
        which = np.repeat(np.arange(len(points)), counts)
        segments = of[np.concatenate([np.asarray(one, np.int64) for one in near])]
        found, place_on = self._distances(points[which], segments)
        # a thousandth of a millimetre apart is the same
        order = np.lexsort((self._weights[segments], np.rint(found * 1e6), which))
        first = order[np.cumsum(counts) - counts]
        return segments[first], place_on[first]

    def _distances(self, points: Float64s, segments: Int64s) -> tuple[Float64s, Float64s]:
        """Metres as the crow flies from points to segments, and the places on these."""
        a, along = self._a[segments], self._b[segments] - self._a[segments]
        square = np.maximum((along * along).sum(axis=1), 1e-12)
        place_on = np.clip(((points - a) * along).sum(axis=1) / square, 0.0, 1.0)
        return np.linalg.norm(points - self.points_at(segments, place_on), axis=1), place_on

    def points_at(self, segments: Int64s, place_on: Float64s) -> Float64s:
        """The points of the sphere above places on segments, (k, 3)."""
        a = self._a[segments]
        below: Float64s = a + (self._b[segments] - a) * place_on[:, None]
        return below * (EARTH_METRES / np.linalg.norm(below, axis=1))[:, None]

    def xy_at(self, segments: Int64s, place_on: Float64s) -> Float64s:
        begin = self._from[segments]
        return begin + (self._to[segments] - begin) * place_on[:, None]

    def shares(self, segments: Int64s, place_on: Float64s) -> Float64s:
        """Shares of the lengths of whole roads up to places on segments: 0 and 1 within
        `JUNCTION_METRES` of the ends, and 0 of a road without length.
        """
        along = self._before[segments] + self._lengths[segments] * place_on
        whole = self._of_road[segments]
        shares = np.clip(along / np.where(whole > 0, whole, 1.0), 0.0, 1.0)
        to_end = whole - along
        shares[to_end <= JUNCTION_METRES] = 1.0
        shares[(along <= JUNCTION_METRES) & (along <= to_end)] = 0.0
        return np.rint(shares * _STEPS) / _STEPS


def _lines(graph: Graph, arcs: Int64s) -> tuple[Float64s, Int64s]:
    """The points along arcs, each without its tail, (q, 2), and the arc of each, (q,)."""
    assert graph.coordinates is not None
    heads = graph.coordinates.xy[graph.indices[arcs]]
    shapes = None if graph.roads is None else graph.roads.shapes
    if shapes is None or not len(shapes):
        return heads, arcs
    numbers = shapes.of_arc[arcs]
    shape = np.abs(numbers.astype(np.int64)) - 1
    counts = np.where(shape < 0, 0, np.diff(shapes.offsets)[shape])
    return with_shapes(numbers, shapes, shapes.points, heads), np.repeat(arcs, counts + 1)


def _checked(places: ArrayLike) -> Float64s:
    try:
        given = np.asarray(places, np.float64).reshape(-1, 2)
    except (TypeError, ValueError):
        given = np.full((1, 2), np.nan)
    wrong = np.flatnonzero(~((np.abs(given[:, 0]) <= 90) & (np.abs(given[:, 1]) <= 360)))
    if len(wrong):
        shown = tuple(given[wrong[0]].tolist())
        raise ParameterError(
            "roads", "place", shown, "it takes latitude and longitude in degrees, in this order"
        )
    return given


def _too_far(graph: Graph, place: Float64s, metres: float, within: float) -> InputError:
    assert graph.coordinates is not None
    xy = graph.coordinates.xy
    low, high = np.nanmin(xy, axis=0), np.nanmax(xy, axis=0)
    swapped = bool(((low <= place) & (place <= high)).all())  # as longitude and latitude
    latitude, longitude = place.tolist()
    remedy = (
        "Latitude and longitude seem to be exchanged."
        if swapped
        else ("Give a place nearer to a road, or another vertex by its id.")
    )
    return NoRoadNear(latitude, longitude, metres, within, graph.name, remedy)


def on_sphere(xy: Float64s) -> Float64s:
    """Points of the earth in metres, (k, 3), for longitudes and latitudes in degrees."""
    longitude, latitude = np.radians(xy).T
    return EARTH_METRES * np.stack(
        (
            np.cos(latitude) * np.cos(longitude),
            np.cos(latitude) * np.sin(longitude),
            np.sin(latitude),
        ),
        axis=1,
    )


def _arc_length(chords: Float64s) -> Float64s:
    return 2 * EARTH_METRES * np.arcsin(np.minimum(1.0, chords / (2 * EARTH_METRES)))
