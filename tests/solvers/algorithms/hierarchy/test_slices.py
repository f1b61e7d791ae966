"""A hierarchy is prepared in slices, between which Cancel is looked at; the size of the slices changes nothing."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from solvers.algorithms.hierarchy import adjacency as adjacencies
from solvers.algorithms.hierarchy import adjacency as separator_estimate
from solvers.algorithms.hierarchy import elimination_tree as trees
from solvers.algorithms.hierarchy import supergraph
from solvers.algorithms.hierarchy.adjacency import _largest_search, estimated_separator
from solvers.graphs.csr import slices
from solvers.graphs.graph import Graph
from solvers.system.cancel import CancelToken, Progress
from tests.graphs import at_random, from_list


def prepared(graph: Graph, progress: Progress) -> list[tuple[Any, ...]]:
    """Everything that is prepared, step by step."""
    found: list[tuple[Any, ...]] = []
    adjacency = adjacencies.adjacency_of(graph, progress)
    found.append((adjacency.first, adjacency.neighbours))
    found.append((estimated_separator(adjacency, progress),))
    tree = trees.elimination_tree(adjacency, np.random.default_rng(1).permutation(graph.n).astype(np.int32), progress)
    found.append(tuple(getattr(tree, field.name) for field in fields(tree)))
    counts = trees.count_up_arcs(adjacency, tree, 1 << 40, progress)
    assert counts is not None
    hierarchy = supergraph.build_hierarchy(graph, adjacency, tree, counts, progress)
    found.append(tuple(getattr(hierarchy, field.name) for field in fields(hierarchy) if field.name != "tree"))
    return found


@pytest.mark.parametrize("directed", [True, False])
def test_small_slices_give_the_same(monkeypatch: pytest.MonkeyPatch, directed: bool) -> None:
    graph = at_random(700, 1_200, 5, directed=directed)  # with several components, loops and parallel arcs
    looks: list[None] = []
    counting = Progress(CancelToken(lambda: looks.append(None)))
    whole, few = prepared(graph, counting), len(looks)
    for module in (trees, supergraph):
        monkeypatch.setattr(module, "_ROWS_A_LOOK", 64)
    monkeypatch.setattr(separator_estimate, "_STEPS_A_LOOK", 50)
    for module in (adjacencies, supergraph):
        monkeypatch.setattr(module, "slices", lambda count, size=64: slices(count, size))

    sliced = prepared(graph, counting)

    for before, after in zip(whole, sliced, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    assert len(looks) - few > few + 10 * (700 // 64)


@pytest.mark.parametrize("steps", [7, 1 << 19])
@pytest.mark.parametrize("first", [True, False])
def test_the_largest_component_is_searched(monkeypatch: pytest.MonkeyPatch, steps: int, first: bool) -> None:
    """A path beside a star: its separator is one vertex, wherever in the numbering the path is."""
    monkeypatch.setattr(separator_estimate, "_STEPS_A_LOOK", steps)
    path = [(v, v + 1, 1) for v in (range(300) if first else range(20, 320))]
    small = [(301, v, 1) for v in range(302, 320)] if first else [(0, v, 1) for v in range(1, 19)]
    graph = from_list(321, path + small, directed=False)
    adjacency = adjacencies.adjacency_of(graph)

    assert estimated_separator(adjacency) == 1


def test_levels_of_the_search_are_those_of_scipy() -> None:
    graph = at_random(400, 900, 3, directed=False)
    adjacency = adjacencies.adjacency_of(graph)
    level, queue = np.full(graph.n, -1, np.int32), np.empty(graph.n, np.int32)

    sizes = _largest_search(adjacency, level, queue, Progress())

    matrix = coo_array((np.ones(graph.m), (graph.tails, graph.indices)), shape=(graph.n, graph.n)).tocsr()
    labels = connected_components(matrix, directed=False)[1]
    assert sizes.sum() == np.bincount(labels).max()
    order, before = breadth_first_order(matrix, int(queue[0]), directed=False)
    depth = np.zeros(graph.n, int)
    for v in order[1:]:
        depth[v] = depth[before[v]] + 1
    assert sizes.tolist() == np.bincount(depth[order]).tolist()
