"""Networks whose roads are cut at points, which are vertices then.

Weights, other weights, lengths, times and costs are divided as the length on the map is;
of whole numbers each part is rounded, and the parts add up to the whole. Forbidden turns
hold for the parts of their arcs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any

import numpy as np

from solvers.features.ends_on_roads.road_points import is_on_map, nearest_points
from solvers.graphs.arc_columns import is_added
from solvers.graphs.csr import rows_of_arcs
from solvers.graphs.following_arcs import NO_ARC
from solvers.graphs.graph import Graph, Overlay, RoadCut
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.places import PlaceEnds, RoadPoint, RoadPoints
from solvers.graphs.road_data import ArcColumn, RoadData, Shapes
from solvers.graphs.route import on_sphere
from solvers.graphs.turn_rules import U_TURN, TurnRules
from solvers.system.array_types import AnyArray, Float64s, Int64s


def with_points(graph: Graph, points: Sequence[RoadPoint]) -> tuple[Graph, list[int]]:
    """The graph with points of its roads as further vertices, and the vertex of each.

    A point at an end of its road is the vertex there, and equal points are one vertex.
    New vertices have the ids after the last one, or the places as names.
    """
    cuts: defaultdict[int, dict[float, int]] = defaultdict(dict)  # vertices by share, by arc
    backs: dict[int, int] = {}  # the other arc of the road of each arc back
    vertices, new = list[int](), list[RoadPoint]()
    for point in points:
        vertex = point.vertex
        if vertex is None:
            vertex = cuts[point.there].get(point.share, graph.n + len(new))
            if vertex == graph.n + len(new):
                new.append(point)
            cuts[point.there][point.share] = vertex
            if point.back != NO_ARC:
                cuts[point.back][1 - point.share] = vertex
                backs[point.back] = point.there
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
    marks = before(value, np.array([*shares]), from_head)
    return np.diff(np.array([0, *marks, value], value.dtype))


def before(values: Any, shares: Float64s, are_backs: Any) -> AnyArray:
    """The values of arcs up to shares of their lengths; the parameters as of `divided`."""
    if values.dtype.kind not in "iu":
        return np.asarray(values * shares, values.dtype)
    whole = np.where(are_backs, values - np.rint(values * (1 - shares)), np.rint(values * shares))
    return whole.astype(values.dtype)


class _Cutting:
    """A graph whose arcs are cut at points: arcs of the graph and parts of them, in a list."""

    def __init__(
        self,
        graph: Graph,
        points: Sequence[RoadPoint],
        cuts: dict[int, dict[float, int]],
        backs: dict[int, int],
    ):
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
            labels["labels"] = (*graph.labels, *new_ids(graph, points))
        assert graph.coordinates is not None  # of points
        xy = np.concatenate((graph.coordinates.xy, [point.xy for point in points]))
        ids = graph.ids[-1] + 1 + np.arange(len(points))
        self.graph: Graph = replace(
            graph,
            indptr=indptr,
            indices=indices,
            weights=self._divided(graph.weights),
            coordinates=replace(graph.coordinates, xy=xy),
            ids=np.concatenate((graph.ids, ids)),
            overlay=Overlay(
                (*graph.overlay.said, RoadPoints(tuple(points))),
                None if graph.turns is None else self._rules(graph.turns),
                cut=RoadCut(
                    graph,
                    tuple(point.name_on(graph) for point in points),
                    self._repeated(np.arange(graph.m)),
                ),
            ),
            roads=None if graph.roads is None else self._roads(graph.roads),
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
        of_road: dict[int, list[int]] = {}  # the shapes of an arc's parts
        for arc, at in self._cuts.items():
            there = of_road.get(self._backs.get(arc, NO_ARC))
            if there is None:
                of_road[arc] = []
                for part in self._parts_of_line(shapes, arc, at):
                    if len(part):
                        points.append(part)
                        offsets.append(offsets[-1] + len(part))
                    of_road[arc].append(len(offsets) - 1 if len(part) else 0)
            else:
                of_road[arc] = [-number for number in reversed(there)]
            numbers.append(np.array(of_road[arc], np.int32))
        of_arc = np.concatenate(numbers)[self._order]
        return Shapes(np.concatenate(points), np.array(offsets, np.int64), of_arc)

    def _parts_of_line(self, shapes: Shapes, arc: int, shares: Iterable[float]) -> list[Float64s]:
        """The points of an arc's shape that lie within each of its parts."""
        graph, inner = self._graph, shapes.of(arc)
        assert graph.coordinates is not None
        ends = graph.coordinates.xy[[graph.tails[arc], graph.indices[arc]]]
        line = on_sphere(np.concatenate((ends[:1], inner, ends[1:])))
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

        def parts_of(named: Int64s) -> list[list[int]]:
            return [parts.get(arc, [int(place[arc])]) for arc in own[named].tolist() if arc >= 0]

        made = TurnRules.of(sequences, rules.costs, rules.report, no_u_turns=rules.no_u_turns)
        return replace(
            made,
            signals=_ascending(of_arc[-1] for of_arc in parts_of(rules.signals)),
            new_ends=_ascending(of_arc[-1] for of_arc in parts_of(rules.new_ends)),
            for_destination=_ascending(chain(*parts_of(rules.for_destination))),
        )

    def _u_turns(self, parts: dict[int, list[int]]) -> list[tuple[int, int]]:
        """At each new point, the part that leads there and the one back."""
        return [
            turn
            for arc, there in self._backs.items()
            for (a, b), (x, y) in zip(
                pairwise(parts[there]), pairwise(reversed(parts[arc])), strict=True
            )
            for turn in ((a, x), (y, b))
        ]


def _ascending(arcs: Iterable[int]) -> Int64s:
    return np.unique(np.array([*arcs], np.int64))


def new_ids(graph: Graph, points: Sequence[RoadPoint]) -> list[Hashable]:
    """The ids of points as further vertices of a graph: those after the last one, or the places
    as names, with a sign where a vertex has that name.
    """
    if not isinstance(graph, LabelledGraph):
        return [int(graph.ids[-1]) + 1 + k for k in range(len(points))]
    found = list[Hashable]()
    for point in points:
        name = f"{point.latitude:.6f}, {point.longitude:.6f}"
        while graph.has(name) or name in found:
            name += "′"
        found.append(name)
    return found


PLACES = PlaceEnds(is_on_map, nearest_points, with_points)
