"""Undirected adjacency and components: every neighbour once, components contiguous in breadth-first order."""

from __future__ import annotations

import numpy as np

from gui.picture.layout.adjacency import components, undirected
from solvers.graphs.graph import Graph
from tests.gui.pictures import graph_of


def random_graph(n: int = 300, m: int = 330) -> Graph:
    tails, heads = np.random.default_rng(3).integers(0, n, (2, m))
    return Graph.from_arcs(n, tails, heads, np.ones(m, np.int32))


def test_neighbours_by_arcs_of_either_direction_are_listed_once_and_loops_not():
    both = undirected(*rows(graph_of([(0, 1, 1), (1, 0, 1), (0, 1, 5), (2, 0, 1), (2, 2, 1), (3, 4, 1)], None)))
    assert [both.indices[both.indptr[v] : both.indptr[v + 1]].tolist() for v in range(5)] == [
        [1, 2],
        [0],
        [0],
        [4],
        [3],
    ]


def test_components_are_renumbered_without_losing_an_edge():
    graph = random_graph()
    both = undirected(*rows(graph))
    parts = components(both)
    assert sorted(parts.order.tolist()) == list(range(graph.n))
    found = set()
    for component in range(len(parts.sizes)):
        first, last = parts.starts[component], parts.starts[component + 1]
        part = parts.adjacency.part(first, last)
        assert part.n == last - first
        for v in range(part.n):
            for u in part.indices[part.indptr[v] : part.indptr[v + 1]]:
                found.add((int(parts.order[first + v]), int(parts.order[first + u])))
        reached = {0}  # every vertex after the first has a neighbour before it
        for v in range(1, part.n):
            assert reached & set(part.indices[part.indptr[v] : part.indptr[v + 1]].tolist())
            reached.add(v)
    expected = {(u, v) for u, v in zip(graph.tails.tolist(), graph.indices.tolist(), strict=True) if u != v}
    assert found == expected | {(v, u) for u, v in expected}
    assert parts.by_size[0] == parts.sizes.argmax()


def rows(graph: Graph) -> tuple[int, np.ndarray, np.ndarray]:
    return graph.n, graph.indptr, graph.indices
