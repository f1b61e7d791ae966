"""Closed and slowed roads, one by one and by area: what a changed graph is, shares and refuses."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.errors import (
    ParameterError,
    UnknownArc,
    UnknownName,
    UnknownVertex,
    UnsuitableGraph,
    WeightNotChanged,
)
from solvers.graphs.changed_arcs import CLOSED, RoadArea
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.road_changes import RoadChange, RoadChanges
from solvers.graphs.route import itinerary, other_measures, path_polyline
from solvers.graphs.weights import INT64
from solvers.graphs.writers import write_dimacs
from tests import graphs
from tests.curved import ATTRIBUTION, curved_town
from tests.graphs import from_list

Arcs = list[tuple[int, int, float]]


def of(arcs: Arcs, dtype: str = "int32", directed: bool = True) -> Graph:
    """A graph whose vertex ids begin at 10."""
    tails, heads, weights = zip(*arcs, strict=True)
    n = max(*tails, *heads) + 1
    both = np.array(tails), np.array(heads), np.array(weights, dtype)
    return Graph.from_arcs(n, *both, ids=np.arange(10, 10 + n), directed=directed, name="streets")


def arcs_of(graph: Graph) -> Arcs:
    tails, heads = graph.ids[graph.tails].tolist(), graph.ids[graph.indices].tolist()
    return list(zip(tails, heads, graph.weights.tolist(), strict=True))


STREETS = of([(0, 1, 4), (0, 1, 6), (0, 2, 3), (1, 0, 4), (2, 2, 1), (2, 3, 5)])


def test_a_closed_road_has_no_arcs_in_either_direction() -> None:
    changed = RoadChanges().close((10, 11)).apply(STREETS)
    assert arcs_of(changed) == [(10, 12, 3), (12, 12, 1), (12, 13, 5)]
    assert changed.base.graph is STREETS
    assert changed.base.arcs.tolist() == [2, 4, 5]
    assert changed.coordinates is STREETS.coordinates
    assert changed.name == "streets (1 road closed)"


def test_one_direction_may_be_closed() -> None:
    changed = RoadChanges().close((11, 10), one_way=True).apply(STREETS)
    assert arcs_of(changed) == [arc for arc in arcs_of(STREETS) if arc[:2] != (11, 10)]


def test_a_slowed_road_keeps_its_place() -> None:
    changed = RoadChanges().slow(2.5, (10, 11), (12, 13)).apply(STREETS)
    assert changed.weights.tolist() == [10, 15, 3, 10, 1, 13]
    assert np.shares_memory(changed.indices, STREETS.indices)
    assert np.shares_memory(changed.indptr, STREETS.indptr)
    assert STREETS.weights.tolist() == [4, 6, 3, 4, 1, 5], "the graph itself stays as it is"


def test_no_changes_give_the_graph_itself() -> None:
    assert RoadChanges().apply(STREETS) is STREETS
    assert RoadChanges().close((10, 11)).without((11, 10)) == RoadChanges()


def test_the_later_change_of_a_road_counts() -> None:
    changes = RoadChanges().close((10, 11)).slow(2, (11, 10))
    assert changes.roads == (RoadChange(11, 10, 2.0),)
    one_way = RoadChanges().slow(2, (10, 11)).close((10, 11), one_way=True)
    assert [arc for arc in arcs_of(one_way.apply(STREETS)) if arc[0] + arc[1] == 21] == [
        (11, 10, 8)
    ]
    assert one_way.close((10, 11)).roads == (RoadChange(10, 11),)


def test_a_street_closed_one_way_is_not_undirected() -> None:
    street = of([(0, 1, 4), (1, 0, 4), (1, 2, 1), (2, 1, 1)], directed=False)
    assert not RoadChanges().close((10, 11)).apply(street).directed
    assert RoadChanges().close((10, 11), one_way=True).apply(street).directed


@pytest.mark.parametrize(
    ("weight", "factor", "product"),
    [
        (2**62 - 3, 1.0, 2**62 - 3),  # a float64 does not hold it
        (3, 0.1, 1),  # a road does not become free
        (0, 7.0, 0),
        (5, 0.5, 3),  # halves are rounded up
        (1_000_000_000_000_001, 3.0, 3_000_000_000_000_003),
    ],
)
def test_integers_are_multiplied_exactly(weight: int, factor: float, product: int) -> None:
    graph = of([(0, 1, weight)], "int64")
    assert RoadChanges().slow(factor, (10, 11)).apply(graph).weights.tolist() == [product]


@pytest.mark.parametrize(
    ("dtype", "weight", "factor", "words"),
    [
        ("int32", 700, 1e9, r"700 × 1e\+09 exceeds the range of int32"),
        ("int64", 2**40, 2.0**40, "exceeds the range of int64"),
        ("float32", 1e30, 1e30, "exceeds the range of float32"),
        ("float64", 1e300, 1e300, "exceeds the range of float64"),
        ("int32", -3, 2.0, "its weight -3 is negative"),
    ],
)
def test_what_a_weight_does_not_allow_is_refused_by_name(dtype, weight, factor, words) -> None:
    graph = of([(0, 1, weight)], dtype)
    with pytest.raises(WeightNotChanged, match=words) as refused:
        RoadChanges().slow(factor, (10, 11)).apply(graph)
    assert (refused.value.tail, refused.value.head) == (10, 11)
    assert "close the road" in str(refused.value)


def test_paths_past_64_bits_are_refused_by_the_heaviest_arc() -> None:
    graph = of([(0, 1, 2**61), (1, 2, 2**59)], "int64")
    assert graph.distance_type is INT64
    with pytest.raises(
        WeightNotChanged, match="11 → 12 cannot be slowed by 7: lengths of paths over it"
    ):
        RoadChanges().slow(7, (11, 12)).apply(graph)


@pytest.mark.parametrize(
    ("factor", "reason"),
    [*((factor, "above 0") for factor in (0, -1, math.nan, -math.inf)), (CLOSED, "close the road")],
)
def test_a_factor_is_above_zero_and_finite(factor: float, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        RoadChanges().slow(factor, (10, 11))


def test_unknown_ends_and_arcs_are_named_with_what_is_near() -> None:
    with pytest.raises(UnknownVertex, match="99"):
        RoadChanges().close((10, 99)).apply(STREETS)
    with pytest.raises(UnknownArc, match="10 – 13") as unknown:
        RoadChanges().close((10, 13)).apply(STREETS)
    assert unknown.value.nearest == ("10 – 11", "10 – 12")
    with pytest.raises(UnknownArc):
        RoadChanges().close((13, 12), one_way=True).apply(STREETS)


def test_labels_name_roads_too() -> None:
    base = of([(0, 1, 4), (1, 0, 4)])
    graph = LabelledGraph(base.indptr, base.indices, base.weights, labels=("home", "school"))
    changed = RoadChanges().close(("home", "school")).apply(graph)
    assert (changed.m, changed.vertex("school")) == (0, 1)


roads = st.builds(
    RoadChange,
    st.integers(-5, 9),
    st.integers(-5, 9),
    st.one_of(st.just(CLOSED), st.floats(1e-3, 1e3)),
    st.booleans(),
)


@given(st.lists(roads, max_size=8))
def test_plain_values_give_the_changes_back(drawn: list[RoadChange]) -> None:
    changes = RoadChanges().with_roads(drawn)
    assert RoadChanges.from_dict(json.loads(json.dumps(changes.to_dict()))) == changes


@pytest.mark.parametrize(
    "values",
    [
        None,
        {},
        {"roads": 3},
        {"roads": "12-13"},
        {"roads": [3]},
        {"roads": [{"from": 1}]},
        {"roads": [{"from": 1, "to": [2]}]},
        {"roads": [{"from": 1, "to": True}]},
        {"roads": [{"from": 1, "to": 2, "factor": "fast"}]},
        {"roads": [{"from": 1, "to": 2, "factor": -2}]},
        {"roads": [{"from": 1, "to": 2, "factor": math.nan}]},
    ],
)
def test_other_values_are_refused(values: object) -> None:
    with pytest.raises(ParameterError, match="road changes"):
        RoadChanges.from_dict(values)


@given(st.data(), graphs.graphs(dtypes=("int32",)))
def test_distances_are_those_of_the_arcs_that_are_left(data: st.DataObject, graph: Graph) -> None:
    pairs = sorted({(t, h) for t, h, _ in arcs_of(graph)})
    if not pairs:
        return
    closed = data.draw(st.lists(st.sampled_from(pairs), max_size=4))
    slowed = data.draw(st.lists(st.sampled_from(pairs), max_size=4))
    changes = RoadChanges().close(*closed, one_way=True).slow(3, *slowed, one_way=True)
    changed = changes.apply(graph)
    expected = [
        (t, h, 3 * w if (t, h) in slowed else w)
        for t, h, w in arcs_of(graph)
        if (t, h) in slowed or (t, h) not in closed
    ]
    assert arcs_of(changed) == expected


@given(st.data(), graphs.graphs(dtypes=("int32", "float64")))
def test_what_follows_from_the_base_agrees_with_the_arcs_that_are_left(
    data: st.DataObject, graph: Graph
) -> None:
    """Weights of all roads, and a bound that no distance exceeds; with more changes,
    another hash.
    """
    pairs = sorted({(t, h) for t, h, _ in arcs_of(graph)})
    if not pairs:
        return
    some = st.lists(st.sampled_from(pairs), max_size=4)
    changes = (
        RoadChanges().close(*data.draw(some), one_way=True).slow(3, *data.draw(some), one_way=True)
    )
    changed = changes.apply(graph)
    if changed.base is None:
        return
    weights, kind = changed.base.weights_of_all(changed.distance_type), changed.distance_type
    left = weights < kind.infinity
    assert list(np.flatnonzero(left)) == changed.base.arcs.tolist()
    np.testing.assert_array_equal(weights[left], changed.weights)
    np.testing.assert_array_equal(np.flatnonzero(weights != graph.weights), changed.base.changed)
    distances = graphs.right_distances(changed, 0)
    assert changed.path_bound >= distances[np.isfinite(distances)].max()
    again = RoadChanges(changes.roads[::-1]).apply(graph)
    if arcs_of(again) == arcs_of(changed):
        assert again.sha256 == changed.sha256
    assert (changed.sha256 == graph.sha256) == (arcs_of(changed) == arcs_of(graph))


def test_closing_a_road_of_the_tree_that_bounds_paths_asks_for_another_bound() -> None:
    """A wheel with light spokes: without one of them, the way over the rim is longer
    than the bound by spokes.
    """
    spoke, rim = 2**27, 2**29
    spokes = [arc for v in range(1, 9) for arc in ((0, v, spoke), (v, 0, spoke))]
    wheel = of([*spokes, *((v, (v + d) % 8 + 1, rim) for v in range(1, 9) for d in (0, 6))])
    assert wheel.path_bound == rim < wheel.simple_path_bound
    cut = RoadChanges().close((10, 11)).apply(wheel)
    assert cut.path_bound >= spoke + rim
    slowed = RoadChanges().slow(2, (10, 11)).apply(wheel)
    assert slowed.path_bound == rim + 2 * spoke


def test_a_slow_down_by_one_changes_nothing_but_the_name() -> None:
    same = RoadChanges().slow(1, (10, 11)).apply(STREETS)
    assert same.sha256 == STREETS.sha256
    assert not len(same.base.changed)
    assert same.tails is STREETS.tails


ends = st.tuples(*[st.integers(-3, 6) | st.sampled_from([2**40])] * 2)
pairs = st.lists(ends, max_size=6)


def area(roads: list[tuple[int, int]], factor: float = np.inf) -> RoadArea:
    return RoadArea.of(np.array(roads, np.int64).reshape(-1, 2), factor)


@given(pairs, pairs)
def test_areas_are_sets_of_roads(
    some: list[tuple[int, int]], others: list[tuple[int, int]]
) -> None:
    one, other = ({frozenset(road) for road in roads} for roads in (some, others))
    assert {frozenset(road) for road in area(some).ends.tolist()} == one
    assert area(some) == area([road[::-1] for road in reversed(some)])
    assert hash(area(some)) == hash(area(some[::-1]))
    left = area(some).without(np.array(others, np.int64).reshape(-1, 2))
    assert {frozenset(road) for road in left.ends.tolist()} == one - other
    covered = area(some).covers(np.array(others, np.int64).reshape(-1, 2))
    assert covered.tolist() == [frozenset(road) in one for road in others]


def test_an_area_and_its_roads_change_the_same_arcs() -> None:
    roads = [(11, 10), (12, 13)]
    for factor in (np.inf, 2.5):
        together = RoadChanges().with_area(area(roads, factor)).apply(STREETS)
        one_by_one = (
            RoadChanges().close(*roads) if factor == np.inf else RoadChanges().slow(factor, *roads)
        )
        assert arcs_of(together) == arcs_of(one_by_one.apply(STREETS))
        assert (together.name, together.sha256) == (
            one_by_one.apply(STREETS).name,
            one_by_one.apply(STREETS).sha256,
        )


def test_what_comes_later_counts() -> None:
    slowed = RoadChanges().slow(2, (10, 11), (12, 13))
    closed = slowed.with_area(area([(11, 10)]))
    assert len(closed) == 2
    assert [(road.tail, road.head) for road in closed.roads] == [(12, 13)]
    again = closed.slow(3, (10, 11))
    assert [weight for tail, _, weight in arcs_of(again.apply(STREETS)) if tail == 10] == [
        12,
        18,
        3,
    ]
    assert again.with_area(area([(12, 13), (10, 11)], 5.0)) == RoadChanges().with_area(
        area([(10, 11), (12, 13)], 5.0)
    )


def test_roads_and_areas_are_opened_again() -> None:
    changes = RoadChanges().close((10, 12)).with_area(area([(10, 11), (12, 13)]))
    assert len(changes.without((11, 10))) == 2
    assert changes.without((11, 10), (12, 13)) == RoadChanges().close((10, 12))
    assert changes.without_area(area([(10, 12), (10, 11)])) == RoadChanges().with_area(
        area([(12, 13)])
    )
    assert not changes.without_area(area([(10, 12), (10, 11), (12, 13)]))


def test_plain_values_give_areas_back() -> None:
    changes = (
        RoadChanges()
        .close((10, 12))
        .with_area(area([(10, 11), (12, 13)], 2.0))
        .with_area(area([(1, 2)]))
    )
    assert RoadChanges.from_dict(json.loads(json.dumps(changes.to_dict()))) == changes
    for ends_of in ([[1, 2], [3]], [[1, "a"]], 7, [[1.5, 2.0]]):
        with pytest.raises(ParameterError, match="pairs of whole numbers"):
            RoadChanges.from_dict({"roads": [{"ends": ends_of, "factor": None}]})
    with pytest.raises(ParameterError, match="above 0"):
        area([(1, 2)], 0.0)


def test_an_unknown_road_of_an_area_is_named() -> None:
    with pytest.raises(UnknownArc, match="10 – 13"):
        RoadChanges().with_area(area([(10, 11), (13, 10)])).apply(STREETS)


def test_weights_are_exchanged_and_everything_else_is_kept() -> None:
    town = curved_town()

    by_length = town.with_weights("metres")

    assert by_length.weights.tolist() == [30, 30, 83, 65, 65, 30, 30]
    assert by_length.weight_unit == "0.1 m"
    assert by_length.coordinates is town.coordinates
    assert by_length.roads is town.roads
    assert by_length.structure_sha256 == town.structure_sha256


@pytest.mark.parametrize(
    "graph", [curved_town(), from_list(2, [(0, 1, 1)])], ids=["other name", "no roads"]
)
def test_unknown_weights_are_refused(graph) -> None:
    with pytest.raises(UnknownName, match="There is no column of weights “metre"):
        graph.with_weights("metre" if graph.roads else "metres")


def test_closed_roads_take_their_data_along() -> None:
    closed = RoadChanges().close((20, 10), one_way=True).apply(curved_town())

    assert closed.roads.name_of.tolist() == [0, 1, 2, 2, 0, 0]
    assert closed.roads.shapes.of_arc.tolist() == [0, 1, -2, 2, 0, 0]
    assert closed.roads.column("metres").values.tolist() == [30, 83, 65, 65, 30, 30]
    assert closed.with_weights("metres").m == 6


def test_data_for_another_number_of_arcs_are_refused() -> None:
    town = curved_town()

    with pytest.raises(ParameterError, match="another number of arcs"):
        replace(town, roads=town.roads.of_arcs(np.arange(3)))


def test_the_course_of_arcs() -> None:
    town = curved_town()

    np.testing.assert_array_equal(
        path_polyline(town, np.array([0, 3])), [[0, 0], [3, 0], [4, -2], [6, -2], [7, 0]]
    )
    np.testing.assert_array_equal(
        path_polyline(town, np.array([4])), [[7, 0], [6, -2], [4, -2], [3, 0]]
    )
    np.testing.assert_array_equal(
        path_polyline(replace(town, roads=None), np.array([0, 2])), [[0, 0], [3, 0], [7, 0]]
    )
    assert path_polyline(town, np.array([], np.int64)).shape == (0, 2)
    with pytest.raises(UnsuitableGraph, match="no coordinates"):
        path_polyline(replace(town, coordinates=None, roads=None), np.array([0]))


def test_an_itinerary_joins_arcs_of_one_name() -> None:
    town = curved_town()

    found = itinerary(town, np.array([0, 2, 5]))

    assert [(s.name, s.arcs, s.metres, s.seconds) for s in found] == [
        ("Main Street", 1, 3.0, 1.0),
        ("Hill Road", 1, pytest.approx(8.3), 2.0),
        ("Main Street", 1, 3.0, 1.0),
    ]
    assert [s.text for s in itinerary(town, np.array([1, 0]))] == ["Main Street, 6 m"]
    assert itinerary(town, np.array([], np.int64)) == ()
    with pytest.raises(ParameterError, match="no data of roads"):
        itinerary(from_list(2, [(0, 1, 1)]), np.array([0]))


def test_the_other_measure_of_a_path() -> None:
    town = curved_town()

    assert other_measures(town, np.array([0, 2])) == ["11 m"]
    assert other_measures(town.with_weights("metres"), np.array([0, 2])) == ["3 s"]
    assert other_measures(from_list(2, [(0, 1, 1)]), np.array([0])) == []


def test_the_attribution_goes_into_the_file(tmp_path) -> None:
    write_dimacs(curved_town(), tmp_path / "town.gr")

    assert (tmp_path / "town.gr").read_text().splitlines()[:2] == ["c town", f"c {ATTRIBUTION}"]
