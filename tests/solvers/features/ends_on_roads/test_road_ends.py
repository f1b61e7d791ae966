"""Points of roads as ends of a router's questions, against the network cut there."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers import prepare, solve
from solvers.errors import NoRoadNear, ParameterError, UnknownVertex, VerificationFailed
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.places import with_places
from solvers.graphs.road_data import ArcColumn, RoadData, Shapes
from solvers.graphs.searched import searched_graph
from solvers.graphs.turn_rules import TurnCosts, TurnRules
from solvers.running.engines import HierarchyEngine
from tests.solvers.features.ends_on_roads.test_road_points import network, places_in


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
    return whole.with_turns(TurnRules.of(some, costs))


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
    assert searched_graph(graph).is_split or not graph.has_turns
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
        cut = cut.with_turns(TurnRules.of({**cut.turns.forbidden, **backs}))
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


def test_other_questions_take_places_or_say_that_they_do_not():
    graph = network(6)
    router = prepare(graph)
    place, other = places_in(graph, 2, 6)
    row = router.distances(place)
    ids, lengths = router.within(place, 9000)
    assert lengths.tolist() == row[ids].tolist() == sorted(row[row <= 9000])
    assert router.eccentricity(place) == row[np.isfinite(row)].max()
    nearest, lengths = router.nearest(place, [3, other, place], 2)
    assert (nearest[0], lengths[0]) == (place, 0)
    assert lengths[1] == min(router.distance(place, end) for end in (3, other))
    assert router.table(np.array([place, other]), [3])[:, 0].tolist() == [
        router.distance(end, 3) for end in (place, other)
    ]
    block = solve(graph, sources=[place, 3])
    assert block.distances[0][: graph.n] == pytest.approx(row)
    for ask in (
        lambda: router.paths([(place, 3)]),
        lambda: router.shortest_simple_paths(3, place, 2),
        lambda: router.rows_on_device([place]),
    ):
        with pytest.raises(ParameterError, match="takes ids of vertices"):
            ask()
    with pytest.raises(UnknownVertex, match="position 1 of sources"):
        router.table([place, 99], [3])


def test_a_table_of_places_is_written_to_a_file(tmp_path):
    pytest.importorskip("zarr")
    graph = network(6)
    router = prepare(graph)
    places = places_in(graph, 5, 6)
    written = router.table(places, to=tmp_path / "places.zarr")
    np.testing.assert_array_equal(written[:], [router.distances(place) for place in places])


def curved_both_ways():
    shapes = Shapes(np.array([[9.51, 47.1]]), np.array([0, 1]), np.array([1, -1], np.int32))
    metres = ArcColumn("metres", "dm", np.array([1001, 1001], np.int32))
    roads = RoadData(
        (metres,), shapes, ("Lane",), np.zeros(2, np.int32), class_of=np.full(2, 3, np.uint8)
    )
    return Graph.from_arcs(
        2,
        np.array([0, 1]),
        np.array([1, 0]),
        np.array([100, 300], np.int32),
        coordinates=Coordinates(np.array([[9.5, 47.1], [9.51, 47.11]]), geographic=True),
        roads=roads,
        attributes=(
            ArcColumn("cost", "", np.array([4.0, 8.0])),
            ArcColumn("lanes", "", np.array([2, 2])),
        ),
    )


def test_a_path_has_the_parts_of_values_of_its_first_and_last_arc():
    graph = curved_both_ways()
    router, ends = prepare(graph), ((47.1, 9.504), (47.105, 9.51))
    for source, target in (ends, ends[::-1], (ends[0], 1), (0, ends[1]), (1, ends[0])):
        cut, (a, b), _ = with_places(graph, (source, target))
        expected = solve(
            cut, "dijkstra-heap", source=cut.vertex_id(a), target=cut.vertex_id(b)
        ).path
        path = router.path(source, target)
        assert path == expected
        assert path.attributes == expected.attributes
        for name in path.attributes:
            assert path.values(name) == pytest.approx(expected.values(name))
        assert path.arcs == expected.arcs


@pytest.fixture
def crossing():
    """A triangle of roads, with a road from two of its corners, and a place on each of these."""
    arcs = [(0, 1, 10), (0, 2, 10), (2, 1, 10), (3, 0, 8), (1, 4, 8)]
    tails, heads, weights = np.array([*arcs, *((b, a, w) for a, b, w in arcs)], np.int32).T
    xy = np.array([[9.5, 47.1], [9.52, 47.1], [9.51, 47.11], [9.48, 47.1], [9.54, 47.1]])
    graph = Graph.from_arcs(5, tails, heads, weights, coordinates=Coordinates(xy, geographic=True))
    return prepare(graph, verify="all"), ((47.1, 9.485), (47.1, 9.535))


@pytest.mark.parametrize("lie", range(4))
def test_the_length_of_each_way_between_points_is_proved(crossing, monkeypatch, lie):
    """Also of longer ways: one might be the shortest."""
    (router, ends), calls, right = crossing, [], HierarchyEngine.length
    assert router.distance(*ends) == 22

    def lying(state, source, target):
        calls.append((source, target))
        return right(state, source, target) + (len(calls) == lie + 1)

    monkeypatch.setattr(HierarchyEngine, "length", lying)
    with pytest.raises(VerificationFailed):
        router.distance(*ends)
    assert len(calls) == 4


@pytest.mark.parametrize("ask", ["path", "alternatives"])
def test_a_path_between_points_has_the_length_that_is_proved(crossing, monkeypatch, ask):
    router, ends = crossing
    monkeypatch.setattr(HierarchyEngine, "path", lambda *_: np.array([0, 2, 1], np.int32))
    # by rows: the bounds of a pair take its path
    monkeypatch.setattr(HierarchyEngine, "bounds", None)
    with pytest.raises(VerificationFailed, match="do not add up"):
        getattr(router, ask)(*ends)


def test_a_vertex_and_a_place_may_be_asked_for_together():
    graph = network(5)
    router = prepare(graph)
    y, x = places_in(graph, 1, 5)[0]
    assert router.distance((y, x), (y, x)) == 0
    with pytest.raises(UnknownVertex):
        router.distance((y, x), 99)
    with pytest.raises(NoRoadNear):
        router.path((y + 1, x), 3)
