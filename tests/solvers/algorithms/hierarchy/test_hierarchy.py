"""Elimination tree, supergraph and customisation against contraction as it is defined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.algorithms.hierarchy.adjacency import adjacency_of, minimum_degree_order
from solvers.algorithms.hierarchy.elimination_tree import count_up_arcs, elimination_tree
from solvers.algorithms.hierarchy.metric import Metric, customise
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.errors import Cancelled
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float, weight_type
from solvers.system.cancel import CancelToken, Progress
from solvers.system.openmp import team
from tests import graphs
from tests.solvers.algorithms.hierarchy.reference import contracted, hierarchy_by, weights_of
from tests.weight_types import types_of


def customised(graph: Graph, hierarchy: Hierarchy, threads: int = 1) -> Metric:
    with team(threads, "test"):
        return customise(hierarchy, graph.weights, weight_type(graph.weights.dtype), threads)


@st.composite
def ordered_graphs(draw: st.DrawFn) -> tuple[Graph, np.ndarray]:
    graph = draw(graphs.graphs(negative=draw(st.booleans())))
    return graph, np.array(draw(st.permutations(range(graph.n))), np.int32)


@settings(max_examples=150, deadline=None)
@given(ordered_graphs())
def test_arcs_and_weights_are_those_of_contraction(drawn: tuple[Graph, np.ndarray]) -> None:
    graph, order = drawn
    hierarchy = hierarchy_by(graph, order)
    metric = customised(graph, hierarchy)
    found = weights_of(hierarchy, to_float(metric.up), to_float(metric.down))
    right = contracted(graph, order)
    assert found.keys() == right.keys()
    for ends, weight in right.items():
        assert found[ends] == pytest.approx(weight, rel=1e-5, abs=1e-5)
    assert not metric.negative_cycle


@settings(max_examples=100, deadline=None)
@given(ordered_graphs())
def test_ranks_are_a_post_order_in_which_the_same_arcs_arise(drawn: tuple[Graph, np.ndarray]) -> None:
    graph, order = drawn
    tree = elimination_tree(adjacency_of(graph), order)
    assert sorted(tree.order.tolist()) == list(range(graph.n))
    np.testing.assert_array_equal(tree.order[tree.rank], np.arange(graph.n))
    for v in range(graph.n):
        below = [u for u in range(graph.n) if v in ancestors(tree.parent, u)]
        assert below == list(range(v + 1 - tree.size[v], v)), "a subtree is a range of ranks"
        assert tree.depth[v] == len(ancestors(tree.parent, v))
    assert contracted(graph, order).keys() == contracted(graph, tree.order).keys()


def ancestors(parent: np.ndarray, v: int) -> set[int]:
    found, v = set(), int(parent[v])
    while v >= 0:
        found.add(v)
        v = int(parent[v])
    return found


def test_counting_stops_past_the_limit() -> None:
    adjacency = adjacency_of(graphs.by_hand("complete"))
    tree = elimination_tree(adjacency, np.arange(9, dtype=np.int32))
    assert count_up_arcs(adjacency, tree, 36).sum() == 36
    assert count_up_arcs(adjacency, tree, 35) is None


@pytest.mark.parametrize("dtype", types_of("cch-tree"))
@pytest.mark.parametrize("name", graphs.NEGATIVE_CYCLES)
def test_a_negative_cycle_shows_whatever_the_order(dtype: str, name: str) -> None:
    graph, _ = graphs.with_negative_cycle(name, dtype)
    if name == "a loop":
        return  # loops are no arcs of a hierarchy
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(graph.n).astype(np.int32)
        assert customised(graph, hierarchy_by(graph, order)).negative_cycle


def test_subtrees_are_shared_among_threads() -> None:
    graph = graphs.at_random(700, 900, seed=4, directed=False)
    hierarchy = hierarchy_by(graph, minimum_degree_order(adjacency_of(graph)))
    assert len(hierarchy.pieces) > 1
    starts = hierarchy.pieces + 1 - hierarchy.piece_sizes
    covered = [r for a, b in zip(starts, hierarchy.pieces, strict=True) for r in range(a, b + 1)]
    assert sorted([*covered, *hierarchy.above.tolist()]) == list(range(graph.n))
    one, two = customised(graph, hierarchy), customised(graph, hierarchy, 2)
    assert one.is_symmetric
    np.testing.assert_array_equal(one.up, two.up)


def test_directions_weigh_what_they_weigh() -> None:
    graph = graphs.from_list(3, [(0, 1, 4), (1, 0, 7), (1, 2, 1), (2, 1, 1)])
    metric = customised(graph, hierarchy_by(graph, np.array([1, 0, 2], np.int32)))
    assert not metric.is_symmetric


def test_customising_is_cancelled() -> None:
    graph = graphs.by_hand("a grid")
    hierarchy = hierarchy_by(graph, np.arange(graph.n, dtype=np.int32))
    token = CancelToken()
    token.cancel()
    with team(1, "test"), pytest.raises(Cancelled):
        customise(hierarchy, graph.weights, graph.weight_type, 1, Progress(token))


def test_the_order_by_degree_takes_a_tree_without_new_arcs() -> None:
    graph = graphs.from_list(50, [(v // 2, v, 1) for v in range(1, 50)], directed=False)
    hierarchy = hierarchy_by(graph, minimum_degree_order(adjacency_of(graph)))
    assert hierarchy.arcs == 49
