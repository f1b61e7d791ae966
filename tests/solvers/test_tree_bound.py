"""No shortest path is longer than the bound, and road networks are not solved in more bits than they need."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.generators import find as find_generator
from solvers.graph import Graph
from solvers.tree_bound import tree_bound
from solvers.weights import INT32, INT64, distance_type, longest_path_bound
from tests import graphs


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


def test_a_road_network_of_heavy_weights_is_solved_in_32_bits() -> None:
    road = find_generator("road").generate({"vertices": 5_000})
    heavy = Graph(road.indptr, road.indices, (road.weights * 5_000).astype(np.int32), directed=True)
    assert longest_path_bound(heavy) > INT32.infinity
    assert heavy.path_bound < INT32.infinity
    assert distance_type(heavy) is INT32


@pytest.mark.parametrize("weight", [2**30 - 2, 2**30 - 1])
def test_weights_themselves_must_fit(weight: int) -> None:
    triangle = graphs.from_list(3, [(0, 1, 1), (0, 2, 1), (1, 2, weight), (0, 0, weight)], directed=False)
    assert distance_type(triangle) is (INT32 if weight < INT32.infinity else INT64)
