"""Alternatives between points of roads: every limit is checked on the network cut there."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from solvers import generate, prepare
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.places import with_places
from solvers.graphs.turn_rules import TurnRules
from tests.solvers.features.alternatives.test_simple_paths import searching
from tests.solvers.features.alternatives.test_ways import require_admissible, simple
from tests.solvers.features.ends_on_roads.test_road_points import network, places_in


def roads(seed: int, kind: type = np.int32) -> Graph:
    """A road network over some kilometres."""
    graph = generate("road", vertices=1200, seed=seed)
    xy = graph.coordinates.xy
    xy = np.array((9.0, 47.0)) + xy / np.abs(xy).max() * 0.2
    places, weights = Coordinates(xy, geographic=True), graph.weights.astype(kind)
    if kind == np.float64:
        weights = weights * 1.1
    return replace(graph, coordinates=places, weights=weights, assume_symmetric=True)


@pytest.mark.parametrize(("seed", "kind"), [(1, np.int32), (2, np.float64)])
def test_ways_between_points_of_roads_keep_all_limits(seed: int, kind: type) -> None:
    graph = roads(seed, kind)
    router = prepare(graph, device=None, verify="all" if seed == 1 else "none")
    places, counts = places_in(graph, 16, seed), []
    for asked in zip(places, (*places[1:], int(graph.ids[7])), strict=True):
        cut, ends, points = with_places(graph, asked)
        plain = simple(cut)
        names = [cut.vertex_id(end) for end in ends]
        counts.append(require_admissible(router, plain, *names, 3, asked))
        assert router.alternatives(*asked, 3)[0].points == tuple(points)
    assert max(counts) >= 3


def test_both_ends_on_one_road() -> None:
    graph = roads(4)
    long = np.argsort(graph.weights)[-3:]
    xy, router = graph.coordinates.xy, prepare(graph, device=None)
    for arc in long.tolist():
        a, b = xy[graph.tails[arc]], xy[graph.indices[arc]]
        asked = tuple(tuple((a + (b - a) * share)[::-1].tolist()) for share in (0.3, 0.7))
        for pair in (asked, asked[::-1]):
            cut, ends, _ = with_places(graph, pair)
            require_admissible(router, simple(cut), *map(cut.vertex_id, ends), 3, pair)
        assert len(router.alternatives(asked[0], asked[0])) == 1


def test_without_a_hierarchy_the_simple_paths_of_the_cut_network_are_found(monkeypatch) -> None:
    graph = network(3)
    source, target = places_in(graph, 2, 3)
    cut, (a, b), _ = with_places(graph, (source, target))
    router = searching(graph, monkeypatch)
    ways, expected = router.alternatives(source, target, 4), None
    expected = prepare(cut).shortest_simple_paths(*map(cut.vertex_id, (a, b)), 5)
    assert [way.length for way in ways] == pytest.approx(expected.distances.tolist())
    assert ways[0].length == pytest.approx(router.distance(source, target))


def test_ways_obey_turns() -> None:
    graph = roads(5)
    router = prepare(graph, device=None)
    source, target = places_in(graph, 2, 5)
    arcs = [graph.row(graph.vertex(u)) for u, _, _ in router.path(source, target).arcs[5:6]]
    vertex = graph.vertex(router.path(source, target)[6])
    after = range(*graph.row(vertex).indices(graph.m))
    before = [arc for arc in range(arcs[0].start, arcs[0].stop) if graph.indices[arc] == vertex]
    rules = TurnRules.of({(arc, follow): 1 for arc in before for follow in after})
    ruled = prepare(graph.with_turns(rules), device=None, verify="all")
    ways = ruled.alternatives(source, target, 3)
    assert ways[0].length == ruled.distance(source, target) >= router.distance(source, target)
    for way in ways:
        steps = list(pairwise(way))
        assert (graph.vertex_id(int(graph.tails[before[0]])), graph.vertex_id(vertex)) not in steps


def test_of_a_way_without_length_there_is_no_alternative() -> None:
    xy = np.array([[9.5, 47.1], [9.51, 47.1], [9.505, 47.105]])
    tails, heads = np.array([(a, b) for a in range(3) for b in range(3) if a != b], np.int32).T
    places = Coordinates(xy, geographic=True)
    graph = Graph.from_arcs(3, tails, heads, np.zeros(6, np.int32), coordinates=places)
    ways = prepare(graph, device=None).alternatives((47.1, 9.503), (47.1, 9.507))
    assert [way.length for way in ways] == [0]
