"""Sums of floats along their own paths, where the sweep's sums were rounded otherwise."""

from __future__ import annotations

import numpy as np

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
    road = generators.find("road").generate({"vertices": 40_000, "seed": 1})
    ends = np.sort(np.stack((road.tails, road.indices)), axis=0)
    _, edge = np.unique(ends, axis=1, return_inverse=True)
    drawn = np.random.default_rng(1).random(edge.max() + 1)
    lengths = np.where(drawn < 0.7, 0.0, 100 * drawn)
    graph = Graph(road.indptr, road.indices, lengths[edge])
    right = find_variant("dijkstra-heap").solve(Problem(graph, 0)).distances
    near = right * (1 + np.random.default_rng(2).uniform(-1e-15, 1e-15, graph.n))
    found = add_up_again(graph, 0, graph.weights, near, SILENT)
    np.testing.assert_array_equal(found, right)
