"""Labels above a cut and subtrees below it, wherever the cut lies."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.algorithms.hierarchy import labels as device_layout
from solvers.algorithms.hierarchy import labels as module
from solvers.algorithms.hierarchy.adjacency import adjacency_of, minimum_degree_order
from solvers.algorithms.hierarchy.labels import ancestor_labels, labels_on_device
from solvers.algorithms.hierarchy.metric import customise
from solvers.core.problem import Problem
from solvers.core.variant import find_variant
from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.system.openmp import team
from tests import graphs
from tests.solvers.algorithms.hierarchy.reference import hierarchy_by
from tests.weight_types import types_of


def towns(dtype: str = "int32") -> Graph:
    return graphs.at_random(600, 800, seed=8, dtype=dtype, directed=False)


@pytest.mark.parametrize(("largest", "bundle"), [(1, 16), (4, 4), (64, 256), (1_000, 2_000)])
@pytest.mark.parametrize("source", [0, 77, 301])
def test_every_cut_gives_the_same_distances(
    device: Device, monkeypatch: pytest.MonkeyPatch, largest: int, bundle: int, source: int
) -> None:
    monkeypatch.setattr(module, "_LEAST_SUBTREE", largest)
    monkeypatch.setattr(device_layout, "_BUNDLE", bundle)
    graph, entry = towns(), find_variant("cch-tree-device")
    solution = entry.solve(Problem(graph, source, None, entry.settle({}), device))
    np.testing.assert_array_equal(to_float(solution.distances), graphs.right_distances(graph, source))


@pytest.mark.parametrize("dtype", types_of("cch-tree-device"))
def test_negative_weights_above_the_cut(device: Device, monkeypatch: pytest.MonkeyPatch, dtype: str) -> None:
    monkeypatch.setattr(module, "_LEAST_SUBTREE", 2)
    graph, entry = graphs.hill(90, 200, 3, dtype), find_variant("cch-tree-device")
    solution = entry.solve(Problem(graph, 4, None, entry.settle({}), device))
    np.testing.assert_allclose(
        to_float(solution.distances), graphs.right_distances(graph, 4), rtol=1e-5, atol=1e-4 * (dtype == "float32")
    )


@pytest.mark.parametrize("case", ["int32", "float64", "negative"])
def test_labels_of_the_device_are_those_of_the_host(device: Device, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    monkeypatch.setattr(module, "_LEAST_SUBTREE", 2)
    graph = graphs.hill(90, 200, 3) if case == "negative" else towns(case)
    hierarchy = hierarchy_by(graph, minimum_degree_order(adjacency_of(graph)))
    with team(1, "test"):
        metric = customise(hierarchy, graph.weights, graph.weight_type, 1)
    right = ancestor_labels(hierarchy, metric, graph.weight_type)
    found = labels_on_device(hierarchy, metric, graph.weight_type, device)
    assert len(right.labels)
    np.testing.assert_array_equal(found.labels, right.labels)
    np.testing.assert_array_equal(found.first, right.first)


def test_the_cut_is_lowered_until_labels_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = towns()
    hierarchy = hierarchy_by(graph, minimum_degree_order(adjacency_of(graph)))
    with team(1, "test"):
        metric = customise(hierarchy, graph.weights, graph.weight_type, 1)
    sizes = []
    for entries in (10**6, 2_000, 0):
        monkeypatch.setattr(module, "_ENTRIES", entries)
        monkeypatch.setattr(module, "_MOST_ENTRIES", 0)
        labels = ancestor_labels(hierarchy, metric, graph.weight_type)
        assert len(labels.labels) <= entries
        assert len(labels.above) + hierarchy.tree.size[labels.pieces].sum() == graph.n
        sizes.append(len(labels.above))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[2] == 0
