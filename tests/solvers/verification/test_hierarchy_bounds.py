"""Bounds of a hierarchy prove right answers, and no wrong one, whatever the hierarchy is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.algorithms.hierarchy.preparation import prepare
from solvers.graphs.graph import Graph
from solvers.verification.hierarchy_bounds import (
    ClaimedHierarchy,
    HierarchyBounds,
    proved_bounds,
)
from tests import graphs

pytestmark = pytest.mark.openmp


def claimed_of(graph: Graph) -> ClaimedHierarchy:
    """Copies, which a test may change."""
    ready = prepare(graph, None, "test")
    hierarchy, metric, tree = ready.hierarchy, ready.metric, ready.hierarchy.tree
    up = metric.up.copy()
    down = up if metric.is_symmetric else metric.down.copy()
    arcs = hierarchy.up_first.copy(), hierarchy.up_depth.copy(), up, down
    return ClaimedHierarchy(tree.rank.copy(), tree.parent.copy(), *arcs)


def shortest(graph: Graph, source: int, target: int) -> tuple[list[int], float]:
    """The vertices of a shortest path by another program, and its length; none without one."""
    import networkx as nx

    made = nx.DiGraph()
    made.add_nodes_from(range(graph.n))
    for u, v, w in zip(graph.tails, graph.indices, graph.weights, strict=True):
        known = made.get_edge_data(int(u), int(v), {"weight": int(w)})["weight"]
        made.add_edge(int(u), int(v), weight=min(known, int(w)))
    try:
        length, path = nx.bidirectional_dijkstra(made, source, target)
    except nx.NetworkXNoPath:
        return [], float("inf")
    return path, float(length)


def bounds_of(graph: Graph, threads: int = 1) -> HierarchyBounds:
    found = proved_bounds(graph, claimed_of(graph), threads)
    assert found is not None
    return found


def cases(dtype: Any = np.int32) -> list[Graph]:
    return [
        graphs.at_random(40, 90, seed=seed, dtype=dtype, directed=bool(seed % 2))
        for seed in range(8)
    ]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("threads", [1, 3])
def test_right_answers_are_proved_and_changed_ones_are_not(dtype: Any, threads: int) -> None:
    proved = unreachable = 0
    for graph in cases(dtype):
        bounds = bounds_of(graph, threads)
        for source, target in [(0, 7), (3, 3), (17, 30), (39, 1)]:
            path, length = shortest(graph, source, target)
            own = np.array(path, np.int32)
            assert bounds.proves(source, target, own, length)
            proved, unreachable = proved + 1, unreachable + (not path)
            for change in (-1, 1, np.inf, np.nan):
                assert not path or not bounds.proves(source, target, own, length + change)
            if len(path) > 1:
                assert not bounds.proves(source, target, own[:-1], length)
                assert not bounds.proves(source, target, own[:0], np.inf)
                assert not bounds.proves(source, target, own[::-1].copy(), length)
            if not path:
                assert not bounds.proves(source, target, np.array([source, target]), 5.0)
    assert proved == 32
    assert unreachable


def test_a_path_that_is_longer_than_another_is_not_proved() -> None:
    """Its own length is told rightly, and it exists."""
    graph = graphs.from_list(4, [(0, 1, 5), (1, 3, 5), (0, 2, 3), (2, 3, 4)])
    bounds = bounds_of(graph)

    assert bounds.proves(0, 3, np.array([0, 2, 3], np.int32), 7)
    assert not bounds.proves(0, 3, np.array([0, 1, 3], np.int32), 10)
    assert not bounds.proves(0, 3, np.array([0, 3], np.int32), 7)


@pytest.mark.parametrize("seed", range(30))
def test_a_hierarchy_with_any_wrong_number_proves_nothing_wrong(seed: int) -> None:
    """Its conditions fail, or its bounds are still none that a distance falls below."""
    rng = np.random.default_rng(seed)
    graph = cases()[seed % 8]
    right = np.stack([graphs.right_distances(graph, source) for source in range(graph.n)])
    refused = 0
    for _ in range(40):
        claimed = claimed_of(graph)
        array = claimed[int(rng.integers(len(claimed)))]
        place = int(rng.integers(len(array)))
        change = int(rng.choice([-7, -1, 1, 2, 50, 2**30]))
        array[place] = np.int64(int(array[place]) + change).astype(array.dtype)  # it may wrap
        bounds = proved_bounds(graph, claimed)
        if bounds is None:
            refused += 1
            continue
        for source in range(0, graph.n, 3):
            for target in range(graph.n):
                least = bounds.least(source, target)
                assert (np.inf if least is None else least) <= right[source, target]
    assert refused > 10


@pytest.mark.parametrize("side", ["up", "down"])
def test_each_arc_that_is_too_heavy_is_found(side: str) -> None:
    """None of them can be heavier: a bound would be above a distance."""
    graph = cases()[1]
    whole = claimed_of(graph)
    infinity = 2**30 - 1
    finite = np.flatnonzero(getattr(whole, side) < infinity).tolist()
    assert finite
    for place in finite:
        for weight in (getattr(whole, side)[place] + 1, infinity):
            claimed = whole._replace(**{side: getattr(whole, side).copy()})
            getattr(claimed, side)[place] = weight
            assert proved_bounds(graph, claimed) is None


def test_arcs_that_are_missing_or_changed_in_the_graph_are_found() -> None:
    """The hierarchy of a graph does not prove distances in one with a shorter arc."""
    graph = cases()[1]
    claimed = claimed_of(graph)
    for arc in range(0, graph.m, 5):
        lists = [graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist()]
        if lists[2][arc] == 0 or lists[0][arc] == lists[1][arc]:
            continue
        lists[2][arc] = 0
        shorter = graphs.from_list(graph.n, list(zip(*lists, strict=True)))
        found = proved_bounds(shorter, claimed)
        tail, head = lists[0][arc], lists[1][arc]
        assert found is None or found.least(tail, head) == 0


def test_what_might_wrap_or_is_rounded_has_no_bounds() -> None:
    few = [(0, 1, 5), (1, 2, 6)]
    claimed = claimed_of(graphs.from_list(3, few))
    heavy = graphs.from_list(3, [(0, 1, 2**61), (1, 2, 6)], np.int64)
    assert proved_bounds(graphs.from_list(3, few), claimed) is not None
    assert proved_bounds(heavy, claimed) is None
    assert proved_bounds(graphs.from_list(3, few, np.float64), claimed) is None
    assert proved_bounds(graphs.from_list(3, [(0, 1, -5), (1, 2, 6)]), claimed) is None


@given(graph=graphs.graphs(), data=st.data())
def test_what_is_proved_is_right(graph: Graph, data: st.DataObject) -> None:
    """Of graphs with arcs of any kind, loops and parallel ones included."""
    if graph.weights.dtype.kind != "i" or graph.has_negative_weights:
        return
    bounds = bounds_of(graph)
    source = data.draw(st.integers(0, graph.n - 1))
    right = graphs.right_distances(graph, source)
    for target in range(graph.n):
        least = bounds.least(source, target)
        assert (np.inf if least is None else least) == right[target]
