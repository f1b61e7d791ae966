"""The tests' own answers are right: held against SciPy and NetworkX wherever these can answer."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import bellman_ford, dijkstra, floyd_warshall

from solvers.graphs.graph import Graph
from tests import graphs


def least_arcs(graph: Graph) -> csr_matrix:
    """For SciPy, which adds up parallel arcs: of each bundle the lightest, no loops.
    All weights must be non-zero.
    """
    matrix = graph.matrix().astype(float)
    matrix[matrix >= graph.weight_type.infinity] = 0
    return csr_matrix(matrix)


def to_networkx(graph: Graph) -> networkx.MultiDiGraph:
    result = networkx.MultiDiGraph()
    result.add_nodes_from(range(graph.n))
    result.add_weighted_edges_from(
        zip(graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True)
    )
    return result


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_scipy_agrees_on_positive_weights(seed: int, dtype: str) -> None:
    graph = graphs.at_random(60, 150, seed, dtype, directed=seed % 2 == 0, low=1)
    ours = graphs.right_matrix(graph)
    np.testing.assert_allclose(ours, dijkstra(least_arcs(graph)), rtol=1e-6)
    np.testing.assert_allclose(ours, floyd_warshall(least_arcs(graph)), rtol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_scipy_agrees_on_negative_weights(seed: int) -> None:
    graph = graphs.hill(40, 120, seed)
    keep = graph.weights != 0
    graph = Graph.from_arcs(graph.n, graph.tails[keep], graph.indices[keep], graph.weights[keep])
    np.testing.assert_array_equal(graphs.right_matrix(graph), bellman_ford(least_arcs(graph)))


@pytest.mark.parametrize("name", [*graphs.BY_HAND, *graphs.NEGATIVE])
def test_networkx_agrees_on_every_graph_made_by_hand(name: str) -> None:
    graph = graphs.by_hand(name)
    lengths = networkx.single_source_bellman_ford_path_length(to_networkx(graph), 0)
    expected = [lengths.get(v, np.inf) for v in range(graph.n)]
    np.testing.assert_array_equal(graphs.right_distances(graph, 0), expected)


@pytest.mark.parametrize("name", graphs.NEGATIVE_CYCLES)
def test_the_negative_cycles_are_where_they_are_said_to_be(name: str) -> None:
    graph, in_reach = graphs.with_negative_cycle(name)
    network = to_networkx(graph)
    assert networkx.negative_edge_cycle(network)
    reached = network.subgraph({0, *networkx.descendants(network, 0)}).copy()
    assert networkx.negative_edge_cycle(reached) == in_reach
