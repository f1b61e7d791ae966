"""Ends on roads: the nearest points of segments."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from solvers import read, solve
from solvers.errors import NoRoadNear, ParameterError, UnsuitableGraph
from solvers.features.ends_on_roads.road_points import JUNCTION_METRES, nearest_points
from solvers.graphs.following_arcs import NO_ARC
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.weighting import great_circle
from tests.data import data_file
from tests.graphs import from_list

FAR = 1e9


def network(seed: int, n: int = 12, m: int = 20, **given: object) -> Graph:
    """Roads at random over a kilometre, one in three of them one way."""
    rng = np.random.default_rng(seed)
    xy = np.array((9.5, 47.1)) + rng.random((n, 2)) * 0.01
    pairs = {tuple(pair) for pair in rng.integers(0, n, (m, 2)).tolist() if pair[0] != pair[1]}
    tails, heads, weights = [], [], []
    for k, (tail, head) in enumerate(sorted(pairs)):
        weight = float(rng.integers(100, 10_000))
        both = ((tail, head),) if k % 3 == 0 else ((tail, head), (head, tail))
        for a, b in both:
            tails.append(a)
            heads.append(b)
            weights.append(weight)
    return Graph.from_arcs(
        n,
        np.array(tails),
        np.array(heads),
        np.array(weights),
        coordinates=Coordinates(xy, geographic=True),
        **given,
    )


def places_in(graph: Graph, count: int, seed: int) -> list[tuple[float, float]]:
    xy = graph.coordinates.xy
    low, high = np.nanmin(xy, axis=0), np.nanmax(xy, axis=0)
    found = low + (high - low) * np.random.default_rng(seed).random((count, 2))
    return [(float(y), float(x)) for x, y in found]


def metres_to_arcs(graph: Graph, place: tuple[float, float]) -> np.ndarray:
    """The least distance from a place to each straight arc, by narrowing intervals."""
    xy = graph.coordinates.xy
    tails, heads = xy[graph.tails], xy[graph.indices]
    at = np.array([place[::-1]])

    def metres(share: np.ndarray) -> np.ndarray:
        return great_circle(at, tails + (heads - tails) * share[:, None])

    low, high = np.zeros(graph.m), np.ones(graph.m)
    for _ in range(100):
        one, other = low + (high - low) / 3, high - (high - low) / 3
        is_before = metres(one) < metres(other)
        low, high = np.where(is_before, low, one), np.where(is_before, other, high)
    return metres((low + high) / 2)


@given(st.integers(0, 10_000))
@example(1271)
@settings(deadline=None, max_examples=25)
def test_no_other_road_is_nearer(seed):
    graph = network(seed)
    places = places_in(graph, 5, seed)
    for place, point in zip(places, nearest_points(graph, places, FAR), strict=True):
        assert (point.latitude, point.longitude) == place
        nearest = metres_to_arcs(graph, place).min()
        # a point so near to a junction is the junction
        moved = JUNCTION_METRES if point.vertex is not None else 0.0
        assert nearest - 0.01 <= point.metres <= nearest + moved + 0.01
        own = great_circle(np.array([place[::-1]]), np.array([point.xy]))[0]
        assert own == pytest.approx(point.metres, abs=0.01)
        arcs = [arc for arc in (point.there, point.back) if arc != NO_ARC]
        ends = [(graph.tails[arc], graph.indices[arc]) for arc in arcs]
        assert set(ends) <= {(point.tail, point.head), (point.head, point.tail)}
        assert (point.back == NO_ARC) == (
            (point.head, point.tail)
            not in zip(graph.tails.tolist(), graph.indices.tolist(), strict=True)
        )


def test_roads_over_the_antimeridian():
    xy = np.array([[179.9, 10.0], [180.1, 10.0]])
    graph = Graph.from_arcs(
        2, [0], [1], np.array([10.0]), coordinates=Coordinates(xy, geographic=True)
    )
    points = nearest_points(graph, [(10.0, -179.95), (10.0, 180.05)])
    assert [point.share for point in points] == pytest.approx([0.75, 0.75])


def test_a_place_far_from_any_road_is_refused_with_its_distance():
    graph = network(1)
    with pytest.raises(NoRoadNear, match=r"47.6, 9.5 is [\d,]+ m from the nearest road") as caught:
        nearest_points(graph, [(47.6, 9.5)])
    assert 30_000 < caught.value.metres < 60_000
    with pytest.raises(NoRoadNear, match="exchanged"):
        nearest_points(graph, [(9.505, 47.105)])


@pytest.mark.parametrize("place", [(91.0, 9.5), (math.nan, 9.5), (47.1, 400.0)])
def test_what_is_no_place_is_refused(place):
    with pytest.raises(ParameterError, match="latitude and longitude in degrees"):
        nearest_points(network(1), [place])


def test_a_graph_without_a_map_has_no_places():
    plain = Graph.from_arcs(2, [0], [1], np.array([1]))
    with pytest.raises(UnsuitableGraph, match="no longitudes and latitudes"):
        nearest_points(plain, [(47.1, 9.5)])


@pytest.mark.parametrize(
    ("metres", "vertex"), [(0.0, 0), (0.02, 0), (0.9, 0), (1.2, None), (99.2, 1)]
)
def test_a_point_within_a_metre_of_a_junction_is_the_junction(
    metres: float, vertex: int | None
) -> None:
    """Of a road of 100 m, one way, so that from beyond the junction no path would lead on."""
    degree = 111_194.93  # metres
    arcs = [(0, 1, 100), (2, 0, 50)]
    xy = np.array([[0.0, 0.0], [100 / degree, 0.0], [-50 / degree, 0.0]])
    graph = replace(from_list(3, arcs), coordinates=Coordinates(xy, geographic=True))
    (point,) = nearest_points(graph, [(0.0, metres / degree)])
    assert point.vertex == vertex
    if vertex is not None:
        assert point.xy == pytest.approx(tuple(xy[vertex]), abs=1e-12)
        assert point.metres == pytest.approx(min(metres, 100 - metres), abs=1e-3)


def test_the_shared_case_of_a_point_beside_a_junction() -> None:
    graph = read(data_file("cases/t5-place-near-junction.osm"), weights="metres")
    found = solve(graph, "dijkstra-heap", source=3, target=(0.0, 0.008993))
    assert found.verdict.verified
    assert found.distance == pytest.approx(1000, abs=0.1)
