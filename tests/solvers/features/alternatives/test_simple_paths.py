"""The shortest simple paths of a router against those of NetworkX: lengths of every rank,
and all paths of one length, in any order.
"""

from __future__ import annotations

from itertools import groupby, islice
from typing import Any

import networkx as nx
import numpy as np
import pytest

from solvers import prepare, read
from solvers.errors import ParameterError, UnknownVertex
from solvers.features.router.router import Router
from solvers.running import engines
from solvers.verification.networks import verify_path
from tests.quick import first_quick
from tests.streets import Arc, Streets, drawn_streets, turn_cost

K = 40


def searching(graph: Any, monkeypatch: pytest.MonkeyPatch) -> Router:
    def refuse(*_: object, **__: object) -> None:
        raise engines.Unavailable("for a test")

    with monkeypatch.context() as patch:
        patch.setattr(engines, "prepare", refuse)
        router = prepare(graph, device=None)
    assert "Searches" in router.note
    return router


def lightest(graph: nx.MultiDiGraph) -> nx.DiGraph:
    """Without parallel arcs and loops, which NetworkX's function refuses."""
    simple = nx.DiGraph()
    simple.add_nodes_from(graph)
    for u, v, weight in sorted(graph.edges(data="weight"), key=lambda edge: -edge[2]):
        if u != v:
            simple.add_edge(u, v, weight=weight)
    return simple


def require_same(router: Router, graph: nx.DiGraph, source: int, target: int) -> None:
    found = router.shortest_simple_paths(source, target, K)
    try:
        right = list(islice(nx.shortest_simple_paths(graph, source, target, "weight"), K))
    except nx.NetworkXNoPath:
        right = []
    lengths = [nx.path_weight(graph, path, "weight") for path in right]
    assert len(found) == len(right)
    np.testing.assert_allclose(found.distances, lengths, rtol=1e-12)
    paths = [tuple(path) for path in found]
    assert len(set(paths)) == len(paths)
    for path, length in zip(paths, found.distances.tolist(), strict=True):
        assert (path[0], path[-1], len(set(path))) == (source, target, len(path))
        assert nx.path_weight(graph, list(path), "weight") == pytest.approx(length, rel=1e-12)
    if len(right) < K:  # all there are
        assert set(paths) == {tuple(path) for path in right}


@pytest.mark.parametrize("searches", [False, True], ids=["hierarchy", "searches"])
@pytest.mark.parametrize("seed", range(6))
def test_as_networkx_with_ties_loops_and_parallel_arcs(
    seed: int, searches: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = np.random.default_rng(seed)
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(9))
    weights = (lambda: int(draw.integers(0, 4))) if seed % 2 else (lambda: float(draw.random()))
    for u, v in draw.integers(0, 9, (24 + 2 * seed, 2)).tolist():
        graph.add_edge(u, v, weight=weights())
    router = searching(graph, monkeypatch) if searches else prepare(graph, device=None)
    simple = lightest(graph)
    for source, target in draw.integers(0, 9, (8, 2)).tolist():
        require_same(router, simple, source, target)


def test_negative_weights_undirected_edges_and_changes() -> None:
    edges = [(0, 1, 4), (1, 2, -3), (0, 2, 2), (2, 3, 1), (1, 3, 0), (3, 0, 5)]
    router = prepare(read(edges), device=None, verify="all")
    paths = router.shortest_simple_paths(0, 3, 9)
    assert list(zip(paths, paths.distances.tolist(), strict=True)) == [
        ([0, 1, 2, 3], 2),
        ([0, 2, 3], 3),
        ([0, 1, 3], 4),
    ]
    router.close([(1, 2)])
    assert list(router.shortest_simple_paths(0, 3, 9)) == [[0, 2, 3], [0, 1, 3]]
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 4), ordering="sorted")
    nx.set_edge_attributes(grid, 1, "weight")
    require_same(prepare(grid, device=None), grid, 0, 15)


def test_few_paths_none_and_bad_questions() -> None:
    router = prepare([("a", "b", 1), ("c", "b", 2)], device=None)
    assert list(router.shortest_simple_paths("a", "b", 3)) == [["a", "b"]]
    assert list(router.shortest_simple_paths("a", "a", 3)) == [["a"]]
    assert len(router.shortest_simple_paths("a", "c", 3)) == 0
    for k in (0, 1.5, "2"):
        with pytest.raises(ParameterError, match="“k”"):
            router.shortest_simple_paths("a", "b", k)  # type: ignore[arg-type]
    with pytest.raises(UnknownVertex):
        router.shortest_simple_paths("a", "z", 1)


def _simple_by_turns(streets: Streets, source: int, target: int) -> dict[tuple[int, ...], float]:
    """The length of each path that meets no vertex twice, makes allowed turns alone, and
    takes roads for destination only at its ends.
    """
    found: dict[tuple[int, ...], float] = {}
    waiting: list[tuple[tuple[int, ...], tuple[Arc, ...], float]] = [((source,), (), 0.0)]
    while waiting:
        path, walk, length = waiting.pop()
        if path[-1] == target:
            found[path] = min(length, found.get(path, length))
            continue
        for arc in streets.leaving(path[-1]):
            longer = (*walk, arc)
            roads = groupby("v" if one in streets.visitors else "o" for one in longer)
            if (
                arc[1] not in path
                and "ovo" not in "".join(kind for kind, _ in roads)
                and all(longer[i:] not in streets.forbidden for i in range(len(longer)))
            ):
                cost = turn_cost(streets, walk[-1], arc) if walk else 0.0
                waiting.append(((*path, arc[1]), longer, length + streets.weights[arc] + cost))
    return found


@pytest.mark.parametrize("seed", first_quick(range(400), 40))
def test_no_vertex_is_met_twice_where_turns_are_forbidden(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(seed)
    streets = drawn_streets(random)
    graph = streets.graph
    router = searching(graph, monkeypatch) if seed % 2 else prepare(graph, device=None)
    for _ in range(3):
        source, target = random.integers(streets.n, size=2).tolist()
        right = _simple_by_turns(streets, source, target)
        found = router.shortest_simple_paths(int(graph.ids[source]), int(graph.ids[target]), 9)
        index = {int(name): vertex for vertex, name in enumerate(graph.ids)}
        paths = [tuple(index[one] for one in path) for path in found]
        assert [right[path] for path in paths] == found.distances.tolist()
        assert len(set(paths)) == len(paths)
        assert sorted(right.values())[:9] == found.distances.tolist()
        ends = int(graph.ids[source]), int(graph.ids[target])
        for way in router.alternatives(*ends, 2)[:1]:
            vertices = np.array([index[one] for one in way], np.int32)
            assert verify_path(graph, vertices, int(router.distance(*ends))).verified
