"""Distances and paths by a hierarchy: up and down, swept, as tables, level by level."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.algorithms.hierarchy.adjacency import adjacency_of
from solvers.algorithms.hierarchy.elimination_tree import count_up_arcs, elimination_tree
from solvers.algorithms.hierarchy.levels import (
    Cores,
    Separators,
    find_cores,
    find_separators,
    levels_of,
)
from solvers.algorithms.hierarchy.metric import Metric, customise, triangle_batches
from solvers.algorithms.hierarchy.preparation import prepare
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.algorithms.hierarchy.sweep import settle_row
from solvers.algorithms.hierarchy.table import climbs_of_targets, fill_table
from solvers.errors import Cancelled, NegativeCycle, SeparatorsTooLarge
from solvers.graphs import generators
from solvers.graphs.graph import Graph
from solvers.graphs.weights import INT64, to_float, weight_type
from solvers.system.cancel import SILENT, Progress
from solvers.system.openmp import team
from solvers.system.threads import ThreadTeam, thread_team
from solvers.verification.reference import reference_distances
from tests import graphs
from tests.graphs import at_random, from_list
from tests.solvers.algorithms.hierarchy.reference import (
    cancelled,
    contracted,
    hierarchy_by,
    hierarchy_by_degree,
    weights_of,
)


def customised(graph: Graph, hierarchy: Hierarchy, threads: int = 1) -> Metric:
    with team(threads, "test"):
        return customise(hierarchy, graph.weights, weight_type(graph.weights.dtype), threads)


@st.composite
def ordered_graphs(draw: st.DrawFn) -> tuple[Graph, np.ndarray]:
    graph = draw(graphs.graphs(negative=draw(st.booleans())))
    return graph, np.array(draw(st.permutations(range(graph.n))), np.int32)


@given(ordered_graphs())
def test_arcs_and_weights_are_those_of_contraction(drawn: tuple[Graph, np.ndarray]) -> None:
    graph, order = drawn
    hierarchy = hierarchy_by(graph, order)
    metric = customised(graph, hierarchy)
    found = weights_of(hierarchy, to_float(metric.up), to_float(metric.down))
    right = contracted(graph, order)
    assert found.keys() == right.keys()
    for ends, weight in right.items():
        assert found[ends] == pytest.approx(weight, rel=1e-5, abs=1e-5)
    assert not metric.negative_cycle


@given(ordered_graphs())
def test_ranks_are_a_post_order_in_which_the_same_arcs_arise(
    drawn: tuple[Graph, np.ndarray],
) -> None:
    graph, order = drawn
    tree = elimination_tree(adjacency_of(graph), order)
    assert sorted(tree.order.tolist()) == list(range(graph.n))
    np.testing.assert_array_equal(tree.order[tree.rank], np.arange(graph.n))
    for v in range(graph.n):
        below = [u for u in range(graph.n) if v in ancestors(tree.parent, u)]
        assert below == list(range(v + 1 - tree.size[v], v)), "a subtree is a range of ranks"
        assert tree.depth[v] == len(ancestors(tree.parent, v))
    assert contracted(graph, order).keys() == contracted(graph, tree.order).keys()


def ancestors(parent: np.ndarray, v: int) -> set[int]:
    found, v = set(), int(parent[v])
    while v >= 0:
        found.add(v)
        v = int(parent[v])
    return found


def test_counting_stops_past_the_limit() -> None:
    adjacency = adjacency_of(graphs.by_hand("complete"))
    tree = elimination_tree(adjacency, np.arange(9, dtype=np.int32))
    assert count_up_arcs(adjacency, tree, 36).sum() == 36
    assert count_up_arcs(adjacency, tree, 35) is None


@pytest.mark.parametrize("dtype", graphs.DTYPES)
@pytest.mark.parametrize("name", graphs.NEGATIVE_CYCLES)
def test_a_negative_cycle_shows_whatever_the_order(dtype: str, name: str) -> None:
    graph, _ = graphs.with_negative_cycle(name, dtype)
    if name == "a loop":
        return  # loops are no arcs of a hierarchy
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(graph.n).astype(np.int32)
        assert customised(graph, hierarchy_by(graph, order)).negative_cycle


def test_subtrees_are_shared_among_threads() -> None:
    graph = graphs.at_random(1500, 2000, seed=4, directed=False)
    hierarchy = hierarchy_by_degree(graph)
    assert len(hierarchy.pieces) > 1
    starts = hierarchy.pieces + 1 - hierarchy.piece_sizes
    covered = [r for a, b in zip(starts, hierarchy.pieces, strict=True) for r in range(a, b + 1)]
    assert sorted([*covered, *hierarchy.above.tolist()]) == list(range(graph.n))
    assert [shared for _, shared in triangle_batches(hierarchy)] == [True, False]
    one, two = customised(graph, hierarchy), customised(graph, hierarchy, 2)
    assert one.is_symmetric
    np.testing.assert_array_equal(one.up, two.up)


def test_a_small_hierarchy_is_not_shared() -> None:
    """The function that shares would be compiled for microseconds of work."""
    hierarchy = hierarchy_by_degree(graphs.at_random(60, 70, seed=4, directed=False))
    assert len(hierarchy.pieces) > 1
    assert [shared for _, shared in triangle_batches(hierarchy)] == [False, False]


def test_directions_weigh_what_they_weigh() -> None:
    graph = graphs.from_list(3, [(0, 1, 4), (1, 0, 7), (1, 2, 1), (2, 1, 1)])
    metric = customised(graph, hierarchy_by(graph, np.array([1, 0, 2], np.int32)))
    assert not metric.is_symmetric


def test_customising_is_cancelled() -> None:
    graph = graphs.by_hand("a grid")
    hierarchy = hierarchy_by(graph, np.arange(graph.n, dtype=np.int32))
    with team(1, "test"), pytest.raises(Cancelled):
        customise(hierarchy, graph.weights, graph.weight_type, 1, cancelled())


def test_the_order_by_degree_takes_a_tree_without_new_arcs() -> None:
    graph = graphs.from_list(50, [(v // 2, v, 1) for v in range(1, 50)], directed=False)
    hierarchy = hierarchy_by_degree(graph)
    assert hierarchy.arcs == 49


GRAPHS = {
    "a path": from_list(40, [(v, v + 1, v + 1) for v in range(39)], directed=False),
    "a star": from_list(40, [(0, v, v) for v in range(1, 40)], directed=False),
    "roots without arcs, and rows at the arrays' end": from_list(
        6, [(0, 1, 5), (2, 3, 1)], directed=False
    ),
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
    kind, hierarchy = graph.distance_type, hierarchy_by_degree(graph)
    with team(1, "test") as threads:
        metric = replace(customise(hierarchy, graph.weights, kind, threads), guarded=guarded)
        found = settle_row(hierarchy, metric, kind, source, threads, SILENT)
    return np.where(found == kind.infinity, INT64.infinity, found.astype(np.int64))


def distance_matrix(
    graph: Graph,
    sources: np.ndarray,
    targets: np.ndarray,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> np.ndarray:
    ready, kind = prepare(graph, None, "test", progress), graph.distance_type
    matrix = np.empty((len(sources), len(targets)), kind.dtype)
    with thread_team(threads) as workers:
        back = climbs_of_targets(ready.hierarchy, ready.metric, kind, targets, workers)
        fill_table(ready.hierarchy, ready.metric, kind, sources, back, matrix, workers, progress)
    return matrix


@given(data=st.data())
def test_every_pair_of_any_graph(data: st.DataObject) -> None:
    graph = data.draw(graphs.graphs(negative=data.draw(st.booleans())))
    vertices = st.lists(st.integers(0, graph.n - 1), max_size=6)
    sources, targets = data.draw(vertices), data.draw(vertices)
    found = distance_matrix(
        graph, np.array(sources, np.int64), np.array(targets, np.int64), threads=1
    )
    right = graphs.right_matrix(graph)[np.ix_(sources, targets)] if sources and targets else found
    np.testing.assert_allclose(to_float(found), right, rtol=1e-5, atol=1e-5)


def test_blocks_of_sources_on_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvers.algorithms.hierarchy.table._PAIRS_A_LOOK", 100)
    graph = graphs.at_random(300, 500, seed=2)
    sources, targets = np.arange(0, 300, 7), np.arange(1, 300, 11)
    found = distance_matrix(graph, sources, targets)
    right = [graphs.right_distances(graph, s)[targets] for s in sources.tolist()]
    np.testing.assert_array_equal(to_float(found), right)


def test_what_cannot_be_answered_is_said() -> None:
    graph, _ = graphs.with_negative_cycle("of three")
    with pytest.raises(NegativeCycle):
        distance_matrix(graph, np.array([0]), np.array([4]))
    with pytest.raises(Cancelled):
        distance_matrix(
            graphs.by_hand("a grid"), np.array([0]), np.array([1]), progress=cancelled()
        )


TEAM = ThreadTeam(2)


def streets_of(graph: Graph) -> nx.Graph:
    streets = nx.Graph()
    streets.add_nodes_from(range(graph.n))
    streets.add_edges_from(
        (u, v) for u, v in zip(graph.tails.tolist(), graph.indices.tolist(), strict=True) if u != v
    )
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
        separators.vertices[
            : separators.first[np.searchsorted(separators.level, separators.level[i])]
        ].tolist()
    )
    return nx.node_connected_component(
        streets.subgraph(set(streets) - upper), int(separators.of(i)[0])
    )


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
    graph = Graph.from_arcs(
        int(name == "one vertex"), *(np.empty(0, np.int64),) * 2, np.empty(0, np.int32)
    )
    levels = levels_of(graph)
    assert len(levels.separators) == graph.n
    assert levels.cores.edges.tolist() == [0]


def test_a_social_graph_has_no_picture_of_levels_and_cancelling_leaves_nothing() -> None:
    graph = generators.find("random").generate({"vertices": 20000, "degree": 12, "seed": 1})
    with pytest.raises(SeparatorsTooLarge, match="picture of levels"):
        levels_of(graph)
    with pytest.raises(Cancelled):
        levels_of(graphs.by_hand("a grid"), cancelled())
