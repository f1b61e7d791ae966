"""New metrics of a hierarchy after a few weights have changed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.algorithms.hierarchy import recustomise as recustomise_module
from solvers.algorithms.hierarchy.metric import Metric, customise
from solvers.algorithms.hierarchy.recustomise import recustomise
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.core.problem import Problem
from solvers.core.variant import find_variant
from solvers.errors import (
    Cancelled,
)
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.weights import WeightType, to_float, weight_type
from solvers.system.openmp import team
from tests import graphs
from tests.solvers.algorithms.hierarchy.reference import (
    cancelled,
    hierarchy_by,
    hierarchy_by_degree,
)


@st.composite
def changes(draw: st.DrawFn) -> tuple[Graph, np.ndarray, list[list[tuple[int, float]]]]:
    """A graph, an order, and rounds of new weights for some arcs: more, less, the same,
    or closed.
    """
    graph = draw(graphs.graphs(negative=draw(st.booleans())))
    order = np.array(draw(st.permutations(range(graph.n))), np.int32)
    change = st.tuples(
        st.integers(0, max(0, graph.m - 1)), st.sampled_from([0, 1, 2, 9, 50, np.inf, "as it was"])
    )
    rounds = (
        draw(st.lists(st.lists(change, min_size=1, max_size=5), min_size=1, max_size=3))
        if graph.m
        else []
    )
    return graph, order, rounds


def whole(hierarchy: Hierarchy, weights: np.ndarray, kind: WeightType) -> Metric:
    with team(1, "test"):
        return customise(hierarchy, weights, kind, 1)


@given(changes())
def test_weights_are_those_of_customising_everything(drawn) -> None:
    graph, order, rounds = drawn
    kind, hierarchy = weight_type(graph.weights.dtype), hierarchy_by(graph, order)
    weights = graph.weights.copy()
    metric = whole(hierarchy, weights, kind)
    for changed in rounds:
        before, kept = metric, (metric.up.copy(), metric.down.copy())
        for arc, value in changed:
            weights[arc] = graph.weights[arc] if value == "as it was" else min(value, kind.infinity)
        places = np.unique([arc for arc, _ in changed])
        with team(1, "test"), pytest.MonkeyPatch.context() as patch:
            patch.setattr(recustomise_module, "_FEW", 1 << 40)
            metric = recustomise(graph, hierarchy, metric, weights, places, kind, 1)
        right = whole(hierarchy, weights, kind)
        assert metric.negative_cycle == right.negative_cycle
        if not right.negative_cycle:
            np.testing.assert_array_equal(metric.up, right.up)
            np.testing.assert_array_equal(metric.down, right.down)
            assert metric.guarded >= right.guarded
        np.testing.assert_array_equal(before.up, kept[0])
        np.testing.assert_array_equal(before.down, kept[1])


def town() -> Graph:
    return graphs.at_random(400, 620, seed=5, directed=False, low=1)


def test_a_street_in_both_directions_keeps_one_array_for_both() -> None:
    graph = town()
    hierarchy = hierarchy_by_degree(graph)
    metric = whole(hierarchy, graph.weights, graph.weight_type)
    tail, head = int(graph.tails[70]), int(graph.indices[70])
    street = np.flatnonzero(
        ((graph.tails == tail) & (graph.indices == head))
        | ((graph.tails == head) & (graph.indices == tail))
    )
    for places, symmetric in ((street, True), (street[:1], False)):
        weights = graph.weights.copy()
        weights[places] = graph.weight_type.infinity
        changed = recustomise(graph, hierarchy, metric, weights, places, graph.weight_type, 1)
        assert changed.is_symmetric is symmetric


def test_an_arc_that_no_shortest_way_takes_changes_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = graphs.from_list(4, [(0, 1, 1), (1, 2, 1), (0, 2, 90), (2, 3, 1)], directed=False)
    hierarchy = hierarchy_by(graph, np.arange(4, dtype=np.int32))
    metric = whole(hierarchy, graph.weights, graph.weight_type)
    heavy = np.flatnonzero(graph.weights == 90)
    weights = graph.weights.copy()
    weights[heavy] = 95
    monkeypatch.setattr(recustomise_module, "_FEW", 1 << 40)
    changed = recustomise(graph, hierarchy, metric, weights, heavy, graph.weight_type, 1)
    (differing,) = np.flatnonzero(changed.up != metric.up)
    assert (metric.up[differing], changed.up[differing]) == (90, 95)


def test_updating_is_cancelled() -> None:
    graph = town()
    hierarchy = hierarchy_by_degree(graph)
    metric = whole(hierarchy, graph.weights, graph.weight_type)
    with team(1, "test"), pytest.raises(Cancelled):
        recustomise(
            graph,
            hierarchy,
            metric,
            graph.weights,
            np.array([3]),
            graph.weight_type,
            1,
            cancelled(),
        )


@pytest.mark.parametrize("variant_id", ["cch-tree", "cch-pair"])
def test_a_closed_road_is_solved_from_what_was_prepared(variant_id: str) -> None:
    graph = town()
    entry = find_variant(variant_id)
    source, target = 0, 399

    def solved(on: Graph) -> np.ndarray:
        return to_float(entry.solve(Problem(on, source, target, entry.settle({}))).distances)

    solved(graph)
    right = graphs.right_distances(graph, source)
    target = int(np.argmax(np.where(np.isfinite(right), right, 0)))
    way = int(graph.indices[graph.row(source)][0])
    here, there, beyond = (
        graph.vertex_id(v) for v in (source, way, int(graph.indices[graph.row(way)][-1]))
    )
    changed = RoadChanges().close((here, there)).slow(3, (there, beyond)).apply(graph)
    asked = slice(None) if variant_id == "cch-tree" else [target]
    np.testing.assert_allclose(
        solved(changed)[asked], graphs.right_distances(changed, source)[asked], rtol=1e-12
    )
    np.testing.assert_allclose(solved(graph)[asked], right[asked], rtol=1e-12)
