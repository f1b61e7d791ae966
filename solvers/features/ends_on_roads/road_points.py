"""Points of roads that are nearest to places.

A place is given by latitude and longitude. Its point lies on the segment of a road, not
only at a junction: segments are searched by samples along them in a tree, and every
segment that a nearer point may lie on is compared exactly. Positions are points of a
sphere in space, so that neither the antimeridian nor the latitude makes a difference.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from solvers.errors import InputError, NoRoadNear, ParameterError, UnsuitableGraph
from solvers.graphs.following_arcs import NO_ARC, opposite_arcs
from solvers.graphs.graph import Graph
from solvers.graphs.places import RoadPoint
from solvers.graphs.route import on_sphere, with_shapes
from solvers.system.array_types import Bools, Float64s, Int64s
from solvers.system.ranges import numbers_in
from solvers.units import EARTH_METRES

MOST_METRES = 10_000.0
"""From a place to the nearest road, unless another limit is given."""

_STEPS = 2.0**40  # of shares, so that those from the other end are exact
JUNCTION_METRES = 1.0
"""A point of a road so near to an end of it is this end: maps are no more exact."""


def is_on_map(graph: Graph) -> bool:
    """Whether a graph has longitudes and latitudes."""
    return graph.coordinates is not None and graph.coordinates.geographic


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
        if places is None or not is_on_map(graph):
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
        step = numbers_in(0, counts)
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


def _arc_length(chords: Float64s) -> Float64s:
    return 2 * EARTH_METRES * np.arcsin(np.minimum(1.0, chords / (2 * EARTH_METRES)))
