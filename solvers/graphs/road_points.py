"""Points of roads that are nearest to places, and networks with such points as vertices.

A place is given by latitude and longitude. Its point lies on the segment of a road, not
only at a junction: segments are searched by samples along them in a tree, and every
segment that a nearer point may lie on is compared exactly. Positions are points of a
sphere in space, so that neither the antimeridian nor the latitude makes a difference.

`with_points` cuts the arcs of roads at points. Weights, other weights, lengths, times and
costs are divided as the length on the map is; of whole numbers each part is rounded, and
the parts add up to the whole. Forbidden turns hold for the parts of their arcs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from solvers.errors import InputError, NoRoadNear, ParameterError, UnsuitableGraph
from solvers.graphs.arc_columns import is_added
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.road_data import ArcColumn, RoadData, Shapes
from solvers.graphs.route import length_text, road_name_between, with_shapes
from solvers.graphs.turn_rules import U_TURN, TurnRules
from solvers.system.array_types import AnyArray, Bools, Float64s, Int64s
from solvers.text import quoted

NO_ARC = -1
MOST_METRES = 10_000.0
"""From a place to the nearest road, unless another limit is given."""

_EARTH_METRES = 6_371_008.8
_STEPS = 2.0**40  # of shares, so that those from the other end are exact
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
        The arcs from ``tail`` to ``head`` and from ``head`` to ``tail``; `NO_ARC` where
        the road is one way.
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
    if type(end) is not tuple or len(end) != 2 or isinstance(end[0], bool | str):
        return False
    places = graph.coordinates
    on_map = places is not None and places.geographic
    if isinstance(graph, LabelledGraph) and (graph.has(end) or not on_map):
        return False
    return all(isinstance(value, float | int | np.floating | np.integer) for value in end)


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
    points = _on_sphere(given[:, ::-1])
    segment, place_on = found.nearest(points)
    shares, xy = found.shares(segment, place_on), found.xy_at(segment, place_on)
    metres = _arc_length(np.linalg.norm(points - _on_sphere(xy), axis=1))
    far = np.flatnonzero(~(metres <= within))
    if len(far):
        raise _too_far(graph, given[far[0]], float(metres[far[0]]), within)
    arcs = found.arcs[segment]
    tails, heads, backs = graph.tails[arcs], graph.indices[arcs], found.opposite[arcs]
    columns = (*given.T, metres, *xy.T, tails, heads, shares, arcs, backs)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return tuple(
        RoadPoint(latitude, longitude, away, (x, y), *of_road)
        for latitude, longitude, away, x, y, *of_road in rows
    )


def with_places(
    graph: Graph, ends: Sequence[Any]
) -> tuple[Graph, list[int | None], list[RoadPoint | None]]:
    """A graph with the points of those ends that are places as further vertices, the vertex
    of each end, and its point, None for a vertex.

    Raises UnknownVertex, and as `nearest_points`.
    """
    places = [end for end in ends if is_place(graph, end)]
    vertices = [None if end is None or end in places else graph.vertex(end) for end in ends]
    if not places:
        return graph, vertices, [None] * len(ends)
    points = iter(nearest_points(graph, places))
    found = [next(points) if end in places else None for end in ends]
    cut, at = with_points(graph, [point for point in found if point is not None])
    of_points = iter(at)
    vertices = [
        vertex if point is None else next(of_points)
        for vertex, point in zip(vertices, found, strict=True)
    ]
    return cut, vertices, found


def with_points(graph: Graph, points: Sequence[RoadPoint]) -> tuple[Graph, list[int]]:
    """The graph with points of its roads as further vertices, and the vertex of each.

    A point at an end of its road is the vertex there, and equal points are one vertex.
    New vertices have the ids after the last one, or the places as names.
    """
    cuts: defaultdict[int, dict[float, int]] = defaultdict(dict)  # vertices by share, by arc
    backs = set[int]()
    vertices, new = list[int](), list[RoadPoint]()
    for point in points:
        vertex = point.vertex
        if vertex is None:
            known = cuts[point.there] if point.there != NO_ARC else {}
            vertex = known.get(point.share, graph.n + len(new))
            if vertex == graph.n + len(new):
                new.append(point)
            for arc, share in ((point.there, point.share), (point.back, 1 - point.share)):
                if arc != NO_ARC:
                    cuts[arc][share] = vertex
                if arc == point.back:
                    backs.add(arc)
        vertices.append(vertex)
    if not new:
        return graph, vertices
    ascending = {arc: dict(sorted(at.items())) for arc, at in cuts.items()}
    return _Cutting(graph, new, ascending, backs).graph, vertices


def divided(value: Any, shares: Iterable[float], *, from_head: bool = False) -> AnyArray:
    """The values of an arc's parts, (k + 1,), cut at ascending shares of its length; whole
    numbers are rounded at each cut, and the parts add up to the value.

    ``from_head``: as the arc back is divided, which is measured from its head.
    """
    steps = np.array([*shares])
    if value.dtype.kind in "iu":
        marks = value - np.rint(value * (1 - steps)) if from_head else np.rint(value * steps)
    else:
        marks = value * steps
    return np.diff(np.array([0, *marks.astype(value.dtype), value], value.dtype))


class _Segments:
    """The straight segments of all roads, and a tree of samples along them."""

    def __init__(self, graph: Graph, closed: Bools | None):
        from solvers.graphs.turns import opposite_arcs  # imports numba, which is slow

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
        self._a, self._b = _on_sphere(self._from), _on_sphere(self._to)
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
        return below * (_EARTH_METRES / np.linalg.norm(below, axis=1))[:, None]

    def xy_at(self, segments: Int64s, place_on: Float64s) -> Float64s:
        begin = self._from[segments]
        return begin + (self._to[segments] - begin) * place_on[:, None]

    def shares(self, segments: Int64s, place_on: Float64s) -> Float64s:
        """Shares of the lengths of whole roads up to places on segments; 0 of one without
        any.
        """
        along = self._before[segments] + self._lengths[segments] * place_on
        whole = self._of_road[segments]
        shares = np.clip(along / np.where(whole > 0, whole, 1.0), 0.0, 1.0)
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


class _Cutting:
    """A graph whose arcs are cut at points: arcs of the graph and parts of them, in a list."""

    def __init__(
        self,
        graph: Graph,
        points: Sequence[RoadPoint],
        cuts: dict[int, dict[float, int]],
        backs: set[int],
    ):
        from solvers.graphs.csr import rows_of_arcs  # imports numba, which is slow

        self._graph, self._cuts, self._backs = graph, cuts, backs
        whole = np.ones(graph.m, np.bool_)
        whole[list(cuts)] = False
        self._whole = np.flatnonzero(whole)
        tails, heads = [graph.tails[whole]], [graph.indices[whole]]
        self._place_of: dict[int, list[int]] = {}  # of the parts of each arc, in the list
        count = len(self._whole)
        for arc in cuts:
            ends = self._ends(arc)
            tails.append(np.array(ends[:-1], np.int32))
            heads.append(np.array(ends[1:], np.int32))
            self._place_of[arc] = list(range(count, count + len(ends) - 1))
            count += len(ends) - 1
        self._n = graph.n + len(points)
        indptr, indices, self._order = rows_of_arcs(
            self._n, np.concatenate(tails), np.concatenate(heads), np.arange(count)
        )
        self._position = np.empty(count, np.int64)  # of each arc of the list in the graph
        self._position[self._order] = np.arange(count)
        labels: dict[str, Any] = {}
        if isinstance(graph, LabelledGraph):
            named = [f"{point.latitude:.6f}, {point.longitude:.6f}" for point in points]
            labels["labels"] = (*graph.labels, *_distinct(named, graph.labels))
        assert graph.coordinates is not None  # of points
        xy = np.concatenate((graph.coordinates.xy, [point.xy for point in points]))
        ids = int(graph.ids[-1]) + 1 + np.arange(len(points))
        self.graph: Graph = replace(
            graph,
            indptr=indptr,
            indices=indices,
            weights=self._divided(graph.weights),
            coordinates=Coordinates(xy, graph.coordinates.geographic),
            ids=np.concatenate((graph.ids, ids)),
            base=None,
            roads=None if graph.roads is None else self._roads(graph.roads),
            turns=None if graph.turns is None else self._rules(graph.turns),
            attributes=tuple(map(self._column, graph.attributes)),
            assume_symmetric=True,
            **labels,
        )

    def _ends(self, arc: int) -> list[int]:
        """The vertices along a cut arc, its ends included."""
        graph = self._graph
        return [int(graph.tails[arc]), *self._cuts[arc].values(), int(graph.indices[arc])]

    def _divided(self, values: AnyArray) -> AnyArray:
        parts = [
            divided(values[arc], at, from_head=arc in self._backs) for arc, at in self._cuts.items()
        ]
        return np.concatenate((values[self._whole], *parts))[self._order]

    def _repeated(self, values: AnyArray) -> AnyArray:
        parts = [np.repeat(values[arc], len(at) + 1) for arc, at in self._cuts.items()]
        return np.concatenate((values[self._whole], *parts))[self._order]

    def _column(self, column: ArcColumn) -> ArcColumn:
        same = self._divided if is_added(column) else self._repeated
        return replace(column, values=same(column.values))

    def _roads(self, roads: RoadData) -> RoadData:
        return replace(
            roads,
            weights=tuple(
                replace(column, values=self._divided(column.values)) for column in roads.weights
            ),
            shapes=None if roads.shapes is None else self._shapes(roads.shapes),
            name_of=self._repeated(roads.name_of),
            class_of=None if roads.class_of is None else self._repeated(roads.class_of),
        )

    def _shapes(self, shapes: Shapes) -> Shapes:
        """The shapes, and those of the parts of arcs that are not straight."""
        points, offsets = [shapes.points], shapes.offsets.tolist()
        numbers = [shapes.of_arc[self._whole]]
        known: dict[tuple[int, int], int] = {}  # by the ends of a part: its shape
        for arc, at in self._cuts.items():
            ends = self._ends(arc)
            for part, (tail, head) in zip(
                self._parts_of_line(shapes, arc, at), pairwise(ends), strict=True
            ):
                number = known.get((head, tail), 0)
                if len(part) and not number:
                    points.append(part)
                    offsets.append(offsets[-1] + len(part))
                    number = -(len(offsets) - 1)
                    known[tail, head] = -number
                numbers.append(np.array([-number], np.int32))
        of_arc = np.concatenate(numbers)[self._order]
        return Shapes(np.concatenate(points), np.array(offsets, np.int64), of_arc)

    def _parts_of_line(self, shapes: Shapes, arc: int, shares: Iterable[float]) -> list[Float64s]:
        """The points of an arc's shape that lie within each of its parts."""
        graph, inner = self._graph, shapes.of(arc)
        assert graph.coordinates is not None
        ends = graph.coordinates.xy[[graph.tails[arc], graph.indices[arc]]]
        line = _on_sphere(np.concatenate((ends[:1], inner, ends[1:])))
        along = np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))
        cuts = np.searchsorted(along[:-1] / (along[-1] or 1.0), [*shares])
        return np.split(inner, cuts)

    def _rules(self, rules: TurnRules) -> TurnRules:
        """Rules in terms of the new arcs: a sequence begins with the last part of its
        first arc, ends with the first part of its last one, and has all parts of others.

        Where U-turns are forbidden by name, so are those at new points on ways round a
        forbidden turn.
        """
        base = self._graph.base
        own = np.arange(self._graph.m)
        if base is not None:  # rules name the arcs of the network with all roads
            own = np.full(base.graph.m, NO_ARC)
            own[base.arcs] = np.arange(self._graph.m)
        place = np.full(self._graph.m, NO_ARC)
        place[self._whole] = self._position[: len(self._whole)]
        parts = {arc: self._position[at].tolist() for arc, at in self._place_of.items()}
        sequences: dict[tuple[int, ...], int] = {}
        for named, relation in rules.forbidden.items():
            arcs = own[list(named)].tolist()
            if NO_ARC in arcs:
                continue
            of_arcs = [parts.get(arc, [int(place[arc])]) for arc in arcs]
            middle = [part for one in of_arcs[1:-1] for part in one]
            sequences[of_arcs[0][-1], *middle, of_arcs[-1][0]] = relation
        if rules.no_u_turns and rules.costs is None:
            sequences |= dict.fromkeys(self._u_turns(parts), U_TURN)
        ends = own[rules.new_ends]
        made = TurnRules.of(sequences, rules.costs, rules.report, no_u_turns=rules.no_u_turns)
        new_ends = [parts.get(arc, [int(place[arc])])[-1] for arc in ends.tolist() if arc != NO_ARC]
        return replace(
            made, signals=rules.signals, new_ends=np.unique(np.array(new_ends, np.int64))
        )

    def _u_turns(self, parts: dict[int, list[int]]) -> list[tuple[int, int]]:
        """At each new point, the part that leads there and the one back."""
        into, out = defaultdict(list), dict[tuple[int, int], int]()
        for arc in self._cuts:
            ends = self._ends(arc)
            for (tail, head), part in zip(pairwise(ends), parts[arc], strict=True):
                out[tail, head] = part
                if head >= self._graph.n:
                    into[head].append((tail, part))
        return [
            (part, out[point, tail])
            for point, comers in into.items()
            for tail, part in comers
            if (point, tail) in out
        ]


def _distinct(names: Sequence[str], known: Sequence[Hashable]) -> list[str]:
    """Names that no vertex has: the same, with a sign where needed."""
    taken, found = set(known), list[str]()
    for name in names:
        while name in taken:
            name += "′"
        taken.add(name)
        found.append(name)
    return found


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


def _on_sphere(xy: Float64s) -> Float64s:
    """Points of the earth in metres, (k, 3), for longitudes and latitudes in degrees."""
    longitude, latitude = np.radians(xy).T
    return _EARTH_METRES * np.stack(
        (
            np.cos(latitude) * np.cos(longitude),
            np.cos(latitude) * np.sin(longitude),
            np.sin(latitude),
        ),
        axis=1,
    )


def _arc_length(chords: Float64s) -> Float64s:
    return 2 * _EARTH_METRES * np.arcsin(np.minimum(1.0, chords / (2 * _EARTH_METRES)))
