"""Alternatives between two vertices against what NetworkX knows of their graph: every limit
is checked again, on every part of every way.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import pytest

from solvers import generate, prepare, read, to_networkx
from solvers.errors import ParameterError, UnknownVertex
from solvers.features.alternatives.ways import LIMITS
from solvers.features.router.router import Router
from solvers.graphs.graph import Graph
from solvers.graphs.turn_rules import TurnCosts, TurnRules
from solvers.library.paths import Alternatives
from solvers.verification.networks import verify_path
from solvers.verification.paths import path_arcs, path_weights
from tests.solvers.features.alternatives.test_simple_paths import searching

REL = 1e-9


def lengths_of(graph: nx.DiGraph, path: Any) -> list[float]:
    return [graph[u][v]["weight"] for u, v in pairwise(path)]


def require_admissible(
    router: Router, graph: nx.DiGraph, source: Any, target: Any, k: int, asked: Any = None
) -> int:
    """Check all that is promised of the ways; returns how many there are. ``asked``: the ends as
    the router is asked for them, which have other names in the graph.
    """
    ways = router.alternatives(*(asked or (source, target)), k)
    if not nx.has_path(graph, source, target):
        assert (len(ways), ways.note) == (0, "There is no way.")
        return 0
    best = nx.dijkstra_path_length(graph, source, target)
    assert ways[0].length == pytest.approx(best, rel=REL)
    assert len(ways) <= k + 1
    first, taken = set(pairwise(ways[0])), set[Any]()
    for way, share in zip(ways, ways.shared, strict=True):
        arcs, weights = list(pairwise(way)), lengths_of(graph, way)
        assert (way[0], way[-1], len(set(way))) == (source, target, len(way))
        assert way.length == pytest.approx(sum(weights), rel=REL)
        common = sum(w for arc, w in zip(arcs, weights, strict=True) if arc in taken)
        assert share == pytest.approx(common / best if best else 0, rel=REL)
        if taken:
            kept = sum(w for arc, w in zip(arcs, weights, strict=True) if arc in first)
            assert share <= LIMITS.sharing * (1 + REL)
            assert sum(weights) - kept <= (1 + LIMITS.stretch) * (best - kept) * (1 + REL)
        require_locally_optimal(graph, way, weights, LIMITS.optimality * best)
        taken.update(arcs)
    assert ("no further one" in ways.note) == (len(ways) < k + 1)
    return len(ways)


def require_locally_optimal(graph: nx.DiGraph, way: Any, weights: list[float], most: float) -> None:
    """Every longest part of at most ``most`` is a shortest path, hence each part of it."""
    sums = np.concatenate(([0.0], np.cumsum(weights)))
    ends = np.searchsorted(sums, sums + most * (1 - REL), side="right") - 1
    for i, j in enumerate(ends.tolist()):
        if j > i and (i == 0 or j > ends[i - 1]):
            least = nx.dijkstra_path_length(graph, way[i], way[j])
            assert sums[j] - sums[i] == pytest.approx(least, rel=1e-6)


def simple(graph: Graph) -> nx.DiGraph:
    return nx.DiGraph(to_networkx(graph, multigraph=False))


@pytest.mark.parametrize("seed", range(6))
def test_ways_on_roads_keep_all_limits(seed: int) -> None:
    graph = generate("road", vertices=1200, seed=seed)
    router, plain, random = prepare(graph, device=None), simple(graph), np.random.default_rng(seed)
    pairs = random.integers(0, graph.n, (12, 2)).tolist()
    counts = [require_admissible(router, plain, *graph.ids[pair].tolist(), 3) for pair in pairs]
    assert max(counts) >= 2  # there is something to choose from


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.float32, np.float64])
def test_ways_of_every_weight_type_and_one_way_streets(kind: type) -> None:
    random = np.random.default_rng(7)
    grid = nx.DiGraph(nx.grid_2d_graph(14, 14))
    drawn = (random.random(grid.number_of_edges()) * 40 + 30).astype(kind)
    for (u, v), weight in zip(list(grid.edges), drawn.tolist(), strict=True):
        grid[u][v]["weight"] = weight
    grid.remove_edges_from([edge for edge in list(grid.edges) if random.random() < 0.12])
    router = prepare(read(grid), np.array([w for *_, w in sorted_arcs(grid)], kind), device=None)
    nodes = list(grid)
    counts = [
        require_admissible(router, grid, nodes[a], nodes[b], 5)
        for a, b in random.integers(0, len(nodes), (12, 2)).tolist()
    ]
    assert max(counts) >= 3


def sorted_arcs(grid: nx.DiGraph) -> list[tuple[Any, Any, Any]]:
    """In the order of the graph that is read from it."""
    number = {node: place for place, node in enumerate(grid)}
    return sorted(grid.edges(data="weight"), key=lambda arc: (number[arc[0]], number[arc[1]]))


def test_where_there_is_one_way_it_is_told_and_no_error() -> None:
    ways = prepare(nx.path_graph(20), device=None).alternatives(0, 19, 2)
    assert list(ways) == [list(range(20))]
    assert ways.note.startswith("There is one way; no further one is at most 25 % longer")
    assert list(prepare(nx.path_graph(3), device=None).alternatives(1, 1)) == [[1]]


def test_closed_roads_are_no_part_of_a_way() -> None:
    graph = generate("road", vertices=1200, seed=3)
    router, plain = prepare(graph, device=None), simple(graph)
    a, b = graph.ids[[5, graph.n - 9]].tolist()
    closed = list(pairwise(router.path(a, b)))[4::9]
    router.close(closed, both_ways=True)
    plain.remove_edges_from([arc for u, v in closed for arc in ((u, v), (v, u))])
    assert require_admissible(router, plain, a, b, 4) > 0


def test_searches_answer_with_simple_paths_and_say_so(monkeypatch) -> None:
    grid = nx.grid_2d_graph(4, 4)
    ways = searching(grid, monkeypatch).alternatives((0, 0), (3, 3), 5)
    assert [way.length for way in ways] == [6] * 6
    assert len({tuple(way) for way in ways}) == 6
    assert "without a hierarchy" in ways.note


def test_negative_weights_have_simple_paths() -> None:
    arcs = [("a", "b", 4), ("b", "c", -3), ("a", "c", 2), ("c", "d", 1)]
    ways = prepare(arcs, device=None, verify="all").alternatives("a", "d", 2)
    assert [(list(way), way.length) for way in ways] == [
        (["a", "b", "c", "d"], 2),
        (["a", "c", "d"], 3),
    ]


@pytest.mark.parametrize("k", [0, 6, 1.5, True])
def test_up_to_five_may_be_asked_for(k: Any) -> None:
    with pytest.raises(ParameterError, match="from 1 to 5"):
        prepare([("a", "b", 1)], device=None).alternatives("a", "b", k)
    with pytest.raises(UnknownVertex):
        prepare([("a", "b", 1)], device=None).alternatives("a", "z")


def require_limits_of_roads(graph: Graph, ways: Alternatives) -> None:
    """Check simple ways, sharing and detours by roads, whatever is searched for turns."""
    roads = [
        list(zip(path_arcs(graph, at).tolist(), path_weights(graph, at).tolist(), strict=True))
        for at in map(graph.vertices, ways)
    ]
    taken: set[int] = set()
    for k, (way, arcs) in enumerate(zip(ways, roads, strict=True)):
        shared = sum(weight for arc, weight in arcs if arc in taken)
        if k:
            first, length = {arc for arc, _ in roads[0]}, ways[0].length
            assert len(set(way)) == len(way)
            assert shared <= LIMITS.sharing * length
            assert ways.shared[k] == pytest.approx(shared / length)
            on_first = sum(weight for arc, weight in arcs if arc in first)
            replaced = length - on_first
            assert way.length - on_first <= (1 + LIMITS.stretch) * replaced * (1 + REL)
        taken.update(arc for arc, _ in arcs)


@pytest.mark.parametrize("costs", [None, TurnCosts(left=7, right=3)])
def test_ways_obey_and_pay_for_turns(costs: TurnCosts | None) -> None:
    random = np.random.default_rng(11)
    roads = generate("road", vertices=900, seed=2)
    graph = replace(roads, directed=True, weight_unit="s" if costs else "", assume_symmetric=True)
    first = random.choice(graph.m, 200, replace=False)
    degrees = graph.out_degrees[graph.indices[first]]
    second = graph.indptr[graph.indices[first]] + random.integers(0, degrees)
    turns = dict.fromkeys(zip(first.tolist(), second.tolist(), strict=True), 1)
    rules = TurnRules.of(turns, costs) if costs else TurnRules.of(turns)
    graph = graph.with_turns(rules)
    router, counts = prepare(graph, device=None), []
    for a, b in graph.ids[random.integers(0, graph.n, (12, 2))].tolist():
        ways = router.alternatives(a, b, 5)
        counts.append(len(ways))
        assert not len(ways) or ways[0].length == router.distance(a, b)
        for way in ways:
            verdict = verify_path(graph, graph.vertices(way), way.length)
            assert verdict.verified, verdict.text
        require_limits_of_roads(graph, ways)
    assert max(counts) >= 2
