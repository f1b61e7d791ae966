"""Communities of graphs with hubs: those that a graph is made of are found, whatever its numbering."""

from __future__ import annotations

import numpy as np
import pytest

from gui.picture.scene.communities import communities, community_values
from solvers.graphs.graph import Graph
from solvers.system.cancel import SILENT


def cliques(sizes: list[int], seed: int) -> tuple[Graph, np.ndarray]:
    """Cliques joined in a row by one arc each, numbered at random; and the clique of each vertex."""
    of = np.repeat(np.arange(len(sizes)), sizes)
    tails, heads = (ends for ends in np.nonzero(np.triu(of[:, None] == of, 1)))
    starts = np.cumsum([0, *sizes[:-1]])
    tails, heads = np.append(tails, starts[:-1]), np.append(heads, starts[1:])
    names = np.random.default_rng(seed).permutation(len(of))
    clique = np.empty(len(of), int)
    clique[names] = of
    return Graph.from_arcs(len(of), names[tails], names[heads], np.ones(len(tails), np.int32)), clique


@pytest.mark.parametrize("sizes", [[9, 7, 5], [30, 20, 12, 6], [5, 4]])
def test_cliques_are_communities_numbered_by_size(sizes):
    for seed in range(3):
        graph, clique = cliques(sizes, seed)
        assert communities(graph, SILENT).tolist() == clique.tolist()


@pytest.mark.parametrize("hub", [True, False])
def test_only_graphs_with_hubs_are_coloured(hub):
    leaves = np.arange(2, 200)
    graph = (
        Graph.from_arcs(200, leaves % 2, leaves, np.ones(198, np.int32))
        if hub
        else Graph.from_arcs(200, np.arange(199), np.arange(1, 200), np.ones(199, np.int32))
    )
    found = community_values(graph, SILENT)
    assert (found is not None) == hub
    if found is not None:
        assert len(set(found.shade.tolist())) == 2
        assert found.shade[2] == found.shade[0] != found.shade[1]
        assert found.words_of is not None
        assert found.words_of(0) == "1 of 2, 100 vertices"
