"""Networks cut at points of roads, against networks cut by hand."""

from __future__ import annotations

import math
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.features.ends_on_roads.cut_roads import divided, with_points
from solvers.features.ends_on_roads.road_points import nearest_points
from solvers.graphs.following_arcs import NO_ARC
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.places import with_places
from solvers.graphs.road_data import ArcColumn, RoadData, Shapes
from solvers.graphs.searched import searched_graph
from solvers.graphs.turn_rules import TurnRules
from solvers.library.solving import solve
from tests.solvers.features.ends_on_roads.test_road_points import FAR, network, places_in


def cut_by_hand(graph: Graph, points) -> nx.MultiDiGraph:
    """Arcs cut at points between their ends, whose nodes are ("point", k)."""
    found = nx.MultiDiGraph()
    found.add_nodes_from(range(graph.n))
    for arc in range(graph.m):
        tail, head = int(graph.tails[arc]), int(graph.indices[arc])
        on = [(0.0, tail), (1.0, head)]
        for k, point in enumerate(points):
            if point.vertex is not None:
                continue
            if arc == point.there:
                on.append((point.share, ("point", k)))
            elif arc == point.back:
                on.append((1 - point.share, ("point", k)))
        for (begin, a), (end, b) in pairwise(sorted(on, key=lambda one: one[0])):
            found.add_edge(a, b, weight=graph.weights[arc] * (end - begin))
    return found


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=25)
def test_distances_between_points_of_roads_are_those_of_networkx(seed):
    graph = network(seed)
    points = nearest_points(graph, places_in(graph, 2, seed), FAR)
    by_hand = cut_by_hand(graph, points)
    cut, (source, target) = with_points(graph, points)
    nodes = [
        ("point", k) if point.vertex is None else point.vertex for k, point in enumerate(points)
    ]
    expected = nx.single_source_dijkstra_path_length(by_hand, nodes[0])
    answer = solve(cut, "dijkstra-heap", source=source, target=target)
    for vertex in range(graph.n):
        assert answer.distances[vertex] == pytest.approx(expected.get(vertex, math.inf))
    assert answer.distance == pytest.approx(expected.get(nodes[1], math.inf))


def test_whole_weights_add_up_and_are_the_same_both_ways():
    rng = np.random.default_rng(1)
    for weight in (0, 1, 7, 10**9 + 1):
        shares = np.sort(np.rint(rng.random(3) * 2**40) / 2**40)
        there = divided(np.int32(weight), shares)
        back = divided(np.int32(weight), 1 - shares[::-1], from_head=True)
        assert there.tolist() == back[::-1].tolist()
        assert there.sum() == weight
        assert (there >= 0).all()
    assert (
        divided(np.int32(7), [0.5]).tolist()
        == divided(np.int32(7), [0.5], from_head=True)[::-1].tolist()
    )


def test_an_undirected_network_stays_one():
    path = Graph.from_arcs(
        2,
        np.array([0, 1]),
        np.array([1, 0]),
        np.array([7, 7], np.int32),
        coordinates=Coordinates(np.array([[9.5, 47.1], [9.6, 47.1]]), geographic=True),
        directed=False,
    )
    cut, (vertex,) = with_points(path, nearest_points(path, [(47.1, 9.55)]))
    # the constructor checks that every arc has an opposite of its weight
    again = Graph(cut.indptr, cut.indices, cut.weights, directed=False)
    assert (vertex, again.m, int(cut.weights.sum())) == (2, 4, 14)


def curved() -> Graph:
    """A road from 0 to 1 over a corner, with all that arcs carry, and back."""
    shapes = Shapes(np.array([[9.51, 47.1]]), np.array([0, 1]), np.array([1, -1], np.int32))
    roads = RoadData(
        (ArcColumn("metres", "dm", np.array([1000, 1000], np.int32)),),
        shapes,
        ("Lane",),
        np.zeros(2, np.int32),
        class_of=np.array([3, 3], np.uint8),
    )
    return Graph.from_arcs(
        2,
        np.array([0, 1]),
        np.array([1, 0]),
        np.array([100, 300], np.int32),
        coordinates=Coordinates(np.array([[9.5, 47.1], [9.51, 47.11]]), geographic=True),
        roads=roads,
        weight_unit="s",
        attributes=(
            ArcColumn("cost", "", np.array([4.0, 4.0])),
            ArcColumn("lanes", "", np.array([2, 2])),
            ArcColumn("surface", "", np.array(["asphalt", None], object)),
        ),
    )


def test_parts_of_a_curved_road_have_their_share_of_all_values():
    graph = curved()
    (point,) = nearest_points(graph, [(47.1001, 9.505)])
    assert point.xy == pytest.approx((9.505, 47.1))
    cut, (vertex,) = with_points(graph, (point,))
    first = cut.row(0).start
    assert cut.indices[first] == vertex
    assert cut.roads.shapes.of(first).tolist() == []
    onward = next(a for a in range(cut.row(vertex).start, cut.row(vertex).stop) if cut.indices[a])
    assert cut.roads.shapes.of(onward).tolist() == [[9.51, 47.1]]
    metres = cut.roads.column("metres").values
    assert metres[first] + metres[onward] == 1000
    assert metres[first] / 1000 == pytest.approx(point.share, abs=0.001)
    cost, lanes, surface = cut.attributes
    assert cost.values[first] + cost.values[onward] == pytest.approx(4.0)
    assert set(lanes.values.tolist()) == {2}
    assert surface.values[first] == "asphalt"
    assert {cut.roads.name(arc) for arc in range(cut.m)} == {"Lane"}
    path = solve(cut, "dijkstra-heap", source=vertex, target=0).path
    assert path.sum("metres") == pytest.approx(point.share * 1000, abs=1)


def test_two_ends_on_one_road_may_not_go_against_its_way():
    xy = np.array([[9.5, 47.1], [9.6, 47.1]])
    one_way = Graph.from_arcs(
        2, [0], [1], np.array([1000]), coordinates=Coordinates(xy, geographic=True)
    )
    cut, (a, b), _ = with_places(one_way, [(47.1, 9.52), (47.1, 9.57)])
    assert solve(cut, "dijkstra-heap", source=a, target=b).distance == 500
    assert solve(cut, "dijkstra-heap", source=b, target=a).distance == math.inf
    same, (c, d), _ = with_places(one_way, [(47.1, 9.52), (47.1, 9.52)])
    assert c == d
    assert same.n == 3


def loop(*numbers: int, **more) -> Graph:
    """A road from 0 to 1 and back, and a square loop at 1: along its shape, against it, or both."""
    shape = np.array([[9.51, 47.11], [9.52, 47.11], [9.52, 47.1]])
    of_arc = np.array([0, 0, *numbers], np.int32)
    m = len(of_arc)
    return Graph.from_arcs(
        2,
        np.array([0, 1, *[1] * len(numbers)]),
        np.array([1, 0, *[1] * len(numbers)]),
        np.array([50, 50, *[400] * len(numbers)], np.int32),
        coordinates=Coordinates(np.array([[9.5, 47.1], [9.51, 47.1]]), geographic=True),
        roads=RoadData((), Shapes(shape, np.array([0, 3]), of_arc), ("",), np.zeros(m, np.int32)),
        **more,
    )


ON_LOOP = [(47.105, 9.51), (47.1, 9.515)]


@pytest.mark.parametrize("numbers", [(1, -1), (-1, 1), (1,), (-1,)])
def test_a_loop_is_travelled_both_ways_or_one(numbers):
    graph = loop(*numbers)
    points = nearest_points(graph, ON_LOOP)
    assert [point.back != NO_ARC for point in points] == [len(numbers) == 2] * 2
    by_hand = cut_by_hand(graph, points)
    cut, vertices = with_points(graph, points)
    answer = solve(cut, "fw-serial")
    nodes = [0, 1, ("point", 0), ("point", 1)]
    for a, source in zip(nodes, [0, 1, *vertices], strict=True):
        expected = nx.single_source_dijkstra_path_length(by_hand, a)
        for b, target in zip(nodes, [0, 1, *vertices], strict=True):
            assert answer.distances[source, target] == pytest.approx(expected[b], abs=1)
    corners = graph.roads.shapes.points.tolist()
    for arc in range(cut.m):
        on = cut.roads.shapes.of(arc).tolist()
        if {int(cut.tails[arc]), int(cut.indices[arc])} == set(vertices):
            assert on == (corners if cut.tails[arc] == vertices[0] else corners[::-1])
        else:
            assert not on


def test_where_u_turns_are_forbidden_those_at_points_of_loops_are():
    rules = TurnRules.of({(1, 0): 1}, no_u_turns=True)
    ruled = loop(1, -1).with_turns(rules)
    cut, (vertex,) = with_points(ruled, nearest_points(ruled, ON_LOOP[:1]))
    at_point = [turn for turn in cut.turns.forbidden if cut.indices[turn[0]] == vertex]
    assert len(at_point) == 2
    for arc, back in at_point:
        assert cut.tails[back] == vertex
        assert cut.weights[arc] == cut.weights[back]


def test_a_place_at_a_junction_is_its_vertex():
    graph = network(3)
    x, y = graph.coordinates.xy[4]
    (point,) = nearest_points(graph, [(y, x)])
    assert point.metres < 0.01
    cut, (vertex,) = with_points(graph, (point,))
    assert cut is graph
    assert vertex == 4


def test_a_node_that_is_a_pair_of_numbers_is_no_place():
    xy = np.array([[9.5, 47.1], [9.6, 47.1]])
    graph = LabelledGraph.from_arcs(
        2,
        [0],
        [1],
        np.array([1000]),
        coordinates=Coordinates(xy, geographic=True),
        labels=((0, 0), (0, 1)),
    )
    _, (vertex,), (point,) = with_places(graph, [(0, 1)])
    assert (vertex, point) == (1, None)
    cut, _, _ = with_places(graph, [(47.1, 9.55)])
    assert cut.vertex_id(2) == "47.100000, 9.550000"


def by_states(graph: Graph, points, forbidden: set[tuple[int, int]]) -> float:
    """The distance between two points of roads where pairs of arcs are forbidden, by a
    search whose nodes are the arcs that have been travelled.
    """
    states = nx.DiGraph()
    start, end = points
    for arc in range(graph.m):
        head = int(graph.indices[arc])
        for following in range(graph.row(head).start, graph.row(head).stop):
            if (arc, following) not in forbidden:
                states.add_edge(arc, following, weight=graph.weights[following])
    at = {
        arc: share
        for arc, share in ((start.there, start.share), (start.back, 1 - start.share))
        if arc != NO_ARC
    }
    until = {
        arc: share
        for arc, share in ((end.there, end.share), (end.back, 1 - end.share))
        if arc != NO_ARC
    }
    best = math.inf
    for arc, share in at.items():
        if arc in until and until[arc] >= share:
            best = min(best, graph.weights[arc] * (until[arc] - share))
        states.add_node(arc)
        reached = nx.single_source_dijkstra_path_length(states, arc)
        for before, length in reached.items():
            head = int(graph.indices[before])
            for last, part in until.items():
                if graph.tails[last] == head and (before, last) not in forbidden:
                    rest = graph.weights[arc] * (1 - share)
                    best = min(best, rest + length + graph.weights[last] * part)
    return best


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=40)
def test_forbidden_turns_hold_for_the_parts_of_roads(seed):
    graph = network(seed, n=8, m=14)
    rng = np.random.default_rng(seed + 1)
    turns = [
        (arc, following)
        for arc in range(graph.m)
        for following in range(
            graph.row(int(graph.indices[arc])).start, graph.row(int(graph.indices[arc])).stop
        )
    ]
    some = {turn for turn in turns if rng.random() < 0.3}
    ruled = graph.with_turns(TurnRules.of(dict.fromkeys(some, 1)))
    points = nearest_points(ruled, places_in(ruled, 2, seed), FAR)
    if any(point.vertex is not None for point in points):
        return
    cut, (source, target) = with_points(ruled, points)
    # whoever may turn round on the road has another choice than the search over states
    u_turns = _u_turns_at(cut, (source, target))
    cut_rules = TurnRules.of({**cut.turns.forbidden, **dict.fromkeys(u_turns, 1)})
    without = cut.with_turns(cut_rules)
    assert not len(some) or searched_graph(without).is_split
    found = solve(without, "dijkstra-heap", source=source, target=target)
    assert found.verified
    assert found.distance == pytest.approx(by_states(ruled, points, some))


def _u_turns_at(graph: Graph, vertices) -> list[tuple[int, int]]:
    return [
        (arc, back)
        for arc in range(graph.m)
        if graph.indices[arc] in vertices
        for back in range(
            graph.row(int(graph.indices[arc])).start, graph.row(int(graph.indices[arc])).stop
        )
        if graph.indices[back] == graph.tails[arc]
    ]


def test_a_cut_graph_knows_what_it_was_and_names_its_points() -> None:
    graph = network(3)
    cut, (vertex,), (point,) = with_places(graph, places_in(graph, 1, 5))
    assert cut.uncut is graph
    assert cut.as_read is graph
    assert graph.uncut is graph
    assert cut.vertex_label(vertex) == point.name_on(graph)
    assert cut.vertex_label(vertex).endswith(f" from {graph.vertex_label(point.junction)}")
    assert cut.vertex_label(0) == graph.vertex_label(0)
