"""Cores and separators against their definitions: paths through contracted vertices, and regions that fall apart."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.algorithms.hierarchy.levels import Cores, Separators, find_cores, find_separators, levels_of
from solvers.errors import Cancelled, SeparatorsTooLarge
from solvers.graphs import generators
from solvers.graphs.graph import Graph
from solvers.system.cancel import CancelToken, Progress
from solvers.system.threads import ThreadTeam
from tests import graphs
from tests.solvers.algorithms.hierarchy.reference import hierarchy_by

TEAM = ThreadTeam(2)


def streets_of(graph: Graph) -> nx.Graph:
    streets = nx.Graph()
    streets.add_nodes_from(range(graph.n))
    streets.add_edges_from((u, v) for u, v in zip(graph.tails.tolist(), graph.indices.tolist(), strict=True) if u != v)
    return streets


def joined(streets: nx.Graph, kept: set[int]) -> set[frozenset[int]]:
    """Pairs of kept vertices with an edge, or with a path through vertices that are not kept."""
    found = {frozenset(edge) for edge in streets.edges if kept.issuperset(edge)}
    for part in nx.connected_components(streets.subgraph(set(streets) - kept)):
        around = kept & set().union(*(streets[v] for v in part))
        found |= {frozenset(pair) for pair in combinations(around, 2)}
    return found


def edges_of(cores: Cores, k: int) -> list[frozenset[int]]:
    first, heads = cores.edges_of(k)
    tails = np.repeat(np.arange(len(first) - 1), np.diff(first))
    return [frozenset(edge) for edge in zip(tails.tolist(), heads.tolist(), strict=True)]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_core_joins_what_a_path_through_contracted_vertices_joins(data: st.DataObject) -> None:
    graph = data.draw(graphs.graphs())
    hierarchy = hierarchy_by(graph, np.array(data.draw(st.permutations(range(graph.n))), np.int32))
    cores = find_cores(hierarchy, TEAM)
    tree, streets = hierarchy.tree, streets_of(graph)
    for k in range(len(cores)):
        kept = {int(tree.order[v]) for v in range(graph.n) if tree.size[v] >= 2**k}
        edges = edges_of(cores, k)
        assert set(edges) == joined(streets, kept)
        assert len(edges) == len(set(edges)) == cores.edges[k]
        assert len(kept) == cores.vertices[k]


def region_of(separators: Separators, streets: nx.Graph, i: int) -> set[int]:
    """What is left around separator ``i`` without the separators of lower levels."""
    upper = set(
        separators.vertices[: separators.first[np.searchsorted(separators.level, separators.level[i])]].tolist()
    )
    return nx.node_connected_component(streets.subgraph(set(streets) - upper), int(separators.of(i)[0]))


def test_each_separator_divides_its_region(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("pymetis")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_: tmp_path)
    graph = generators.find("road").generate({"vertices": 3000, "seed": 5})
    levels, streets = levels_of(graph), streets_of(graph)
    separators = levels.separators
    assert sorted(separators.vertices.tolist()) == list(range(graph.n))
    assert (np.diff(separators.level) >= 0).all()
    for i in range(20):
        region, own = region_of(separators, streets, i), set(separators.of(i).tolist())
        assert own <= region
        assert (separators.separator[list(own)] == i).all()
        assert len(region) == separators.divides[i]
        parts = [len(part) for part in nx.connected_components(streets.subgraph(region - own))]
        assert max(parts) < 2 / 3 * len(region)


def test_a_small_component_is_not_called_the_top() -> None:
    """Two roots: a path of 16 vertices and a single vertex."""
    path = np.arange(15)
    graph = Graph.from_arcs(17, path, path + 1, np.ones(15, np.int32))
    separators = find_separators(hierarchy_by(graph, np.arange(17, dtype=np.int32)).tree)
    assert separators.level[separators.separator[16]] == 4
    assert separators.level[0] == 0


@pytest.mark.parametrize("name", ["one vertex", "no vertices"])
def test_graphs_without_roads_have_levels(name: str) -> None:
    graph = Graph.from_arcs(int(name == "one vertex"), *(np.empty(0, np.int64),) * 2, np.empty(0, np.int32))
    levels = levels_of(graph)
    assert len(levels.separators) == graph.n
    assert levels.cores.edges.tolist() == [0]


def test_a_social_graph_has_no_picture_of_levels_and_cancelling_leaves_nothing() -> None:
    graph = generators.find("random").generate({"vertices": 20000, "degree": 12, "seed": 1})
    with pytest.raises(SeparatorsTooLarge, match="picture of levels"):
        levels_of(graph)
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        levels_of(graphs.by_hand("a grid"), Progress(cancel))
