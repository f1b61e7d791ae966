"""The sweep settles the same distances by threes as arc by arc, and both are those of the reference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solvers.algorithms.hierarchy.adjacency import adjacency_of, minimum_degree_order
from solvers.algorithms.hierarchy.metric import customise
from solvers.algorithms.hierarchy.sweep import climb, sweep
from solvers.graphs.graph import Graph
from solvers.graphs.weights import INT64
from solvers.system.cancel import SILENT
from solvers.system.openmp import team
from solvers.verification.reference import reference_distances
from tests.graphs import at_random, from_list
from tests.solvers.algorithms.hierarchy.reference import hierarchy_by

GRAPHS = {
    "a path": from_list(40, [(v, v + 1, v + 1) for v in range(39)], directed=False),
    "a star": from_list(40, [(0, v, v) for v in range(1, 40)], directed=False),
    "roots without arcs, and rows at the arrays' end": from_list(6, [(0, 1, 5), (2, 3, 1)], directed=False),
    "many components": at_random(700, 600, 7, directed=False, low=1),
    "long rows": at_random(300, 900, 8, directed=False, low=1),
}


@pytest.mark.parametrize("guarded", [False, True])
@pytest.mark.parametrize("name", GRAPHS)
def test_distances_are_those_of_the_reference(name: str, guarded: bool) -> None:
    """``guarded`` is for negative weights, and settles arc by arc."""
    graph = GRAPHS[name]

    for source in (0, graph.n // 2, graph.n - 1):
        assert np.array_equal(distances(graph, source, guarded), reference_distances(graph, source))


def distances(graph: Graph, source: int, guarded: bool) -> np.ndarray:
    """Distances from a source, with infinity as the reference has it."""
    kind = graph.distance_type
    hierarchy = hierarchy_by(graph, minimum_degree_order(adjacency_of(graph)))
    tree, infinity = hierarchy.tree, kind.dtype.type(kind.infinity)
    path, reached = np.empty(tree.height, np.int32), np.empty(tree.height, kind.dtype)
    found = np.empty(graph.n, kind.dtype)
    with team(1, "test") as threads:
        metric = replace(customise(hierarchy, graph.weights, kind, threads), guarded=guarded)
        climb(
            int(tree.rank[source]), tree.parent, tree.depth, hierarchy.up_first, hierarchy.up_depth, metric.up,
            infinity, path, reached,
        )  # fmt: skip
        sweep(hierarchy, metric, kind, path, reached, found, threads, SILENT)
    return np.where(found == infinity, INT64.infinity, found.astype(np.int64))
