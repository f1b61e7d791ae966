"""Sums of floats along their own paths, where the sweep's sums were rounded otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.algorithms.hierarchy import path_sums
from solvers.algorithms.hierarchy.path_sums import add_up_again
from solvers.core.problem import Problem
from solvers.core.variant import find_variant
from solvers.graphs import generators
from solvers.graphs.graph import Graph
from solvers.system.cancel import SILENT


def test_cycles_of_zeros_do_not_use_up_the_work_that_rounding_may_take() -> None:
    """Vertices beyond two-way arcs of length 0 get their first sum after the tree was added up;
    a queue relaxed them so often that the limit was reached: 44,012 of 87,575 vertices of the
    lower 48 states kept a wrong distance.
    """
    graph = _road_of_zeros()
    right = find_variant("dijkstra-heap").solve(Problem(graph, 0)).distances
    near = right * (1 + np.random.default_rng(2).uniform(-1e-15, 1e-15, graph.n))
    found = add_up_again(graph, 0, graph.weights, near, SILENT)
    np.testing.assert_array_equal(found, right)


def test_vertices_beyond_arcs_of_length_0_wait_for_no_heap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the sums before are right, the tree gives all of them."""
    graph = _road_of_zeros()
    right = find_variant("dijkstra-heap").solve(Problem(graph, 0)).distances
    monkeypatch.setattr(path_sums, "_relax", lambda *_: pytest.fail("vertices were left"))
    found = add_up_again(graph, 0, graph.weights, right, SILENT)
    np.testing.assert_array_equal(found, right)


def _road_of_zeros() -> Graph:
    """A road network of which seven arcs in ten have length 0."""
    road = generators.find("road").generate({"vertices": 40_000, "seed": 1})
    ends = np.sort(np.stack((road.tails, road.indices)), axis=0)
    _, edge = np.unique(ends, axis=1, return_inverse=True)
    drawn = np.random.default_rng(1).random(edge.max() + 1)
    lengths = np.where(drawn < 0.7, 0.0, 100 * drawn)
    return Graph(road.indptr, road.indices, lengths[edge])
