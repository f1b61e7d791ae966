"""Points of roads as ends of a router's questions, against the network cut there."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers import prepare, solve
from solvers.errors import NoRoadNear, UnknownVertex
from solvers.graphs.cut_roads import with_places
from solvers.graphs.junctions import junctions_of
from solvers.graphs.turn_rules import TurnCosts, TurnRules
from tests.solvers.graphs.test_road_points import network, places_in


def ruled(seed: int, costs: TurnCosts | None):
    graph = network(seed, n=9, m=16)
    turns = [
        (arc, following)
        for arc in range(graph.m)
        for following in range(*graph.row(int(graph.indices[arc])).indices(graph.m))
    ]
    rng = np.random.default_rng(seed)
    some = {turn: 1 for turn in turns if rng.random() < 0.2}
    whole = replace(graph, weights=graph.weights.astype(np.int32), weight_unit="s")
    return replace(whole, turns=TurnRules.of(some, costs))


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=25)
def test_a_router_answers_as_the_network_cut_at_the_points(seed):
    graph = network(seed)
    router = prepare(graph)
    places = places_in(graph, 4, seed)
    for source, target in zip(places, (*places[1:], 3), strict=True):
        cut, (a, b), _ = with_places(graph, (source, target))
        expected = solve(cut, "dijkstra-heap", source=a, target=b)
        assert router.distance(source, target) == pytest.approx(expected.distance)
        path = router.path(source, target)
        assert (path is None) == (expected.path is None)
        if path is not None:
            assert path.length == pytest.approx(expected.distance)


@pytest.mark.parametrize("costs", [None, TurnCosts(30, 10, 5, 0, 20)])
@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=15)
def test_turns_hold_and_cost_between_points_of_roads(costs, seed):
    graph = ruled(seed, costs)
    assert junctions_of(graph).is_split or not graph.has_turns
    router = prepare(graph, verify="all")
    source, target = places_in(graph, 2, seed)
    cut, (a, b), points = with_places(graph, (source, target))
    if costs is None:  # those who may turn round in the road have another choice
        backs = {
            (arc, back): 1
            for arc in range(cut.m)
            if cut.indices[arc] >= graph.n
            for back in range(*cut.row(int(cut.indices[arc])).indices(cut.m))
            if cut.indices[back] == cut.tails[arc]
        }
        cut = replace(cut, turns=TurnRules.of({**cut.turns.forbidden, **backs}))
    expected = solve(cut, "dijkstra-heap", source=a, target=b)
    # whole weights of parts are rounded, as those of the router
    assert router.distance(source, target) == expected.distance
    assert all(point is not None for point in points)


def test_closed_roads_have_no_points():
    graph = network(2)
    router = prepare(graph)
    (place,) = places_in(graph, 1, 2)
    (before,) = router.snap([place])
    ends = [int(graph.ids[before.tail]), int(graph.ids[before.head])]
    router.close([ends if before.there >= 0 else ends[::-1]], both_ways=True)
    (after,) = router.snap([place])
    assert {after.tail, after.head} != {before.tail, before.head}
    assert after.metres >= before.metres
    assert math.isfinite(router.distance(place, int(graph.ids[after.head])))


def test_the_changed_graph_of_a_router_has_points_of_its_own():
    graph = network(2)
    router = prepare(graph)
    source, target = places_in(graph, 2, 7)
    router.close([[int(graph.tails[0]), int(graph.indices[0])]], both_ways=True)
    expected = router.distance(source, target)
    assert router.graph.m < graph.m
    assert solve(router.graph, source=source, target=target).distance == pytest.approx(expected)


def test_a_vertex_and_a_place_may_be_asked_for_together():
    graph = network(5)
    router = prepare(graph)
    y, x = places_in(graph, 1, 5)[0]
    assert router.distance((y, x), (y, x)) == 0
    with pytest.raises(UnknownVertex):
        router.distance((y, x), 99)
    with pytest.raises(NoRoadNear):
        router.path((y + 1, x), 3)
