"""No shortest path is longer than the bound, and road networks are not solved in more bits than they need."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.graphs.generators import find as find_generator
from solvers.graphs.graph import Graph
from solvers.graphs.path_bounds import shortest_path_bound, simple_path_bound
from solvers.graphs.weights import INT32, INT64
from tests import graphs


def tree_bound(graph: Graph) -> float:
    bound = shortest_path_bound(graph.indptr, graph.indices, graph.weights)
    return np.inf if bound is None else bound


@settings(deadline=None)  # the first call compiles
@given(st.integers(1, 12), st.integers(0, 40), st.integers(0, 2**20), st.booleans())
def test_no_shortest_path_is_longer(n: int, m: int, seed: int, directed: bool) -> None:
    graph = graphs.at_random(n, m, seed, directed=directed)
    right = graphs.right_matrix(graph)
    assert right[np.isfinite(right)].max(initial=0) <= tree_bound(graph)


@settings(deadline=None)  # the first call compiles
@given(st.integers(2, 12), st.integers(1, 40), st.integers(0, 2**20))
def test_every_undirected_graph_is_bounded(n: int, m: int, seed: int) -> None:
    assert np.isfinite(tree_bound(graphs.at_random(n, m, seed, directed=False)))


def test_up_and_down_weigh_as_they_are() -> None:
    graph = graphs.from_list(3, [(0, 1, 5), (1, 0, 7), (1, 2, 10), (2, 1, 20)])
    assert tree_bound(graph) == 15 + 27


def test_components_are_bounded_each_for_itself() -> None:
    two = graphs.from_list(4, [(0, 1, 5), (2, 3, 9)], directed=False)
    assert tree_bound(two) == 18
    assert tree_bound(graphs.from_list(4, [(0, 1, 5), (1, 0, 5), (2, 3, 9), (3, 2, 9), (3, 0, 1)])) == np.inf


def test_one_way_streets_are_no_hindrance_where_another_way_leads_back() -> None:
    ring = [(v, (v + 1) % 5, 4) for v in range(5)]
    both_ways = ring + [(head, tail, weight) for tail, head, weight in ring]
    assert tree_bound(graphs.from_list(5, [*both_ways, (0, 2, 1), (3, 0, 1)])) == 16
    assert tree_bound(graphs.from_list(5, ring)) == np.inf


@pytest.mark.parametrize("has_zeros", [False, True])
def test_a_road_network_of_heavy_weights_is_solved_in_32_bits(has_zeros: bool) -> None:
    road = find_generator("road").generate({"vertices": 5_000})
    weights = (road.weights - road.weights.min() * has_zeros) * 5_000
    heavy = Graph(road.indptr, road.indices, weights.astype(np.int32), directed=True)
    assert simple_path_bound(heavy.n, heavy.indices, heavy.weights) > INT32.infinity
    assert heavy.path_bound < INT32.infinity
    assert heavy.distance_type is INT32


@pytest.mark.parametrize("weight", [2**30 - 2, 2**30 - 1])
def test_weights_themselves_must_fit(weight: int) -> None:
    triangle = graphs.from_list(3, [(0, 1, 1), (0, 2, 1), (1, 2, weight), (0, 0, weight)], directed=False)
    assert triangle.distance_type is (INT32 if weight < INT32.infinity else INT64)
