"""Many ends on roads: by a router, against NetworkX on the graph of the arcs travelled last, in
which the ends were put by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers import prepare
from solvers.graphs.following_arcs import NO_ARC
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.places import RoadPoint, with_places
from solvers.graphs.road_data import RoadData, Shapes
from solvers.graphs.turn_rules import TurnRules
from solvers.verification.paths import path_length

Point = tuple[float, float]


def network(xy: Any, arcs: list[tuple[int, int, Any]], dtype: Any = np.int32, **more: Any) -> Graph:
    """A directed graph with longitudes and latitudes; its arcs in their order."""
    ordered = sorted(arcs, key=lambda arc: arc[:2])
    tails, heads = (np.array([arc[i] for arc in ordered], np.int32) for i in (0, 1))
    weights = np.array([arc[2] for arc in ordered], dtype)
    places = Coordinates(np.array(xy, np.float64), geographic=True)
    return Graph.from_arcs(len(xy), tails, heads, weights, coordinates=places, **more)


@dataclass(frozen=True)
class RoadEnd:
    arc: int
    back: int
    fraction: float
    vertex: int


def as_end(point: RoadPoint) -> RoadEnd:
    vertex = -1 if point.vertex is None else point.vertex
    if point.there == NO_ARC:
        return RoadEnd(point.back, NO_ARC, 1 - point.share, vertex)
    return RoadEnd(point.there, point.back, point.share, vertex)


@st.composite
def roads(draw: st.DrawFn) -> Graph:
    """A small network, some roads of which are one-way, parallel, bent or loops, and islands."""
    n, undirected = draw(st.integers(2, 6)), draw(st.booleans())
    xy = [(9.5 + 0.01 * np.cos(2 * i), 47.1 + 0.01 * np.sin(2 * i) + i / 800) for i in range(n)]
    vertex = st.integers(0, n - 1)
    arcs, bends = list[tuple[int, int, int, int]](), list[tuple[float, float]]()
    for a, b in draw(st.lists(st.tuples(vertex, vertex), min_size=1, max_size=2 * n)):
        weight = draw(st.integers(0, 30))
        bent = draw(st.booleans())
        if bent:
            bends.append((9.5 + 0.003 * len(bends), 47.1 + 0.002 * (len(bends) % 5)))
        number = len(bends) if bent else 0
        arcs.append((a, b, weight, number))
        if undirected and (a != b or bent):
            arcs.append((b, a, weight, -number))
        elif draw(st.booleans()):
            arcs.append((b, a, weight + draw(st.integers(0, 1)), -number))
    arcs.sort(key=lambda arc: arc[:2])
    counts, of_arc = np.arange(len(bends) + 1), np.array([arc[3] for arc in arcs], np.int32)
    shapes = Shapes(np.array(bends).reshape(-1, 2), counts, of_arc)
    data = RoadData((), shapes if bends else None, ("",), np.zeros(len(arcs), np.int32))
    kind = draw(st.sampled_from((np.int32, np.float64)))
    plain = [arc[:3] for arc in arcs]
    return network(xy, plain, kind, roads=data, directed=not undirected, assume_symmetric=True)


points = st.lists(st.tuples(st.floats(47.08, 47.13), st.floats(9.48, 9.52)), min_size=2, max_size=4)


def before(weight: Any, end: RoadEnd, arc: int) -> Any:
    """The weight of the part of an arc from its tail to the end on it."""
    whole = isinstance(weight, int)
    ahead = round(weight * end.fraction) if whole else weight * end.fraction
    if arc == end.arc:
        return ahead
    return weight - ahead


def right(graph: Graph, source: RoadEnd, target: RoadEnd) -> float:
    """Over states: the arc travelled last; "begin" and "end" are the ends."""
    forbidden = set() if graph.turns is None else set(graph.turns.forbidden)
    weights, tails, heads = graph.weights.tolist(), graph.tails.tolist(), graph.indices.tolist()
    states = nx.DiGraph()
    states.add_nodes_from(["begin", "end"])
    edges: list[tuple[Any, Any, Any]] = []
    after_begin = []  # arcs travelled from their tails on, from the beginning
    if source.vertex >= 0:
        after_begin = [arc for arc in range(graph.m) if tails[arc] == source.vertex]
    else:
        for arc in {source.arc, source.back} - {NO_ARC}:
            edges.append(("begin", arc, weights[arc] - before(weights[arc], source, arc)))
    roads_of_end = {target.arc, target.back} - {NO_ARC} if target.vertex < 0 else set()
    for arc in range(graph.m):
        ways = ["begin"] if arc in after_begin else []
        ways += [b for b in range(graph.m) if heads[b] == tails[arc] and (b, arc) not in forbidden]
        edges += [(way, arc, weights[arc]) for way in ways]
        if arc in roads_of_end:
            edges += [(way, "end", before(weights[arc], target, arc)) for way in ways]
        if target.vertex >= 0 and heads[arc] == target.vertex:
            edges.append((arc, "end", 0))
    if source.vertex >= 0 and source.vertex == target.vertex:
        return 0
    if source.vertex < 0 and target.vertex < 0 and source.arc == target.arc:
        for arc in roads_of_end:
            is_ahead = target.fraction >= source.fraction
            if is_ahead == (arc == source.arc) or target.fraction == source.fraction:
                step = before(weights[arc], target, arc) - before(weights[arc], source, arc)
                edges.append(("begin", "end", step))
    for tail, head, weight in edges:
        least = states.edges[tail, head]["weight"] if states.has_edge(tail, head) else weight
        states.add_edge(tail, head, weight=min(least, weight))
    try:
        return float(nx.dijkstra_path_length(states, "begin", "end"))
    except nx.NetworkXNoPath:
        return np.inf


def with_rules(draw: Any, graph: Graph) -> Graph:
    pairs = [
        (a, b) for a, b in product(range(graph.m), repeat=2) if graph.indices[a] == graph.tails[b]
    ]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=4)) if pairs else []
    return graph.with_turns(TurnRules.of(dict.fromkeys(chosen, 7))) if chosen else graph


def lightest_arcs_of(graph: Graph, tails: Any, heads: Any) -> list[float]:
    found = []
    for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
        row = graph.row(tail)
        found.append(float(graph.weights[row][graph.indices[row] == head].min()))
    return found


@given(data=st.data(), graph=roads(), places=points)
@settings(max_examples=80, deadline=None)
def test_a_router_answers_between_points_as_a_search_over_arcs(
    data: st.DataObject, graph: Graph, places: list[Point]
) -> None:
    graph = with_rules(data.draw, graph)
    router = prepare(graph, verify="all")
    ends = [as_end(point) for point in router.snap(places)]
    wanted = np.array([[right(graph, a, b) for b in ends] for a in ends])
    np.testing.assert_allclose(router.table(places, places), wanted, rtol=1e-12)
    pairs = list(product(places, repeat=2))
    np.testing.assert_allclose(router.lengths(pairs), wanted.ravel(), rtol=1e-12)
    for (a, b), length in zip(pairs, wanted.ravel(), strict=True):
        assert router.distance(a, b) == pytest.approx(length, rel=1e-12)
        path = router.path(a, b)
        assert (path is None) == np.isinf(length)
        if path is not None:
            assert path.length == pytest.approx(length, rel=1e-12)
            assert sum(path.values("weight")) == pytest.approx(length, rel=1e-12)
            assert list(path.points) == [*router.snap([a, b])]
            cut, _, _ = with_places(graph, (a, b))
            own = np.array([cut.vertex(vertex) for vertex in path], np.int32)
            assert path_length(cut, own) == pytest.approx(length, rel=1e-12)
    everywhere = np.array(
        [[right(graph, a, RoadEnd(0, 0, 0, v)) for v in range(graph.n)] for a in ends]
    )
    np.testing.assert_allclose(router.table(places), everywhere, rtol=1e-12)
    for place, row in zip(places, everywhere, strict=True):
        np.testing.assert_allclose(router.distances(place), row, rtol=1e-12)
        tree = router.tree(place)
        np.testing.assert_allclose(tree.distances, row, rtol=1e-12)
        assert ((tree.predecessors < 0) | np.isfinite(row)).all()
        if not graph.has_turns:
            heads = np.flatnonzero(tree.predecessors >= 0)
            steps = lightest_arcs_of(graph, tree.predecessors[heads], heads)
            np.testing.assert_allclose(row[tree.predecessors[heads]] + steps, row[heads])


def test_ids_and_places_go_together_and_islands_are_not_reached() -> None:
    xy = [(9.5, 47.1), (9.51, 47.1), (9.52, 47.1), (9.5, 47.15), (9.51, 47.15)]
    arcs = [(0, 1, 100), (1, 2, 40), (2, 1, 40), (3, 4, 7), (4, 3, 7)]
    router = prepare(network(xy, arcs))
    table = router.table([0, (47.1, 9.515)], [2, (47.1, 9.51), (47.15, 9.505)])
    assert table.tolist() == [[140, 100, np.inf], [20, 20, np.inf]]
    assert router.lengths(np.array([[(47.1, 9.5025), (47.1, 9.5075)]])).tolist() == [50]
    assert router.lengths([((47.1, 9.5075), (47.1, 9.5025)), (1, 2)]).tolist() == [np.inf, 40]
