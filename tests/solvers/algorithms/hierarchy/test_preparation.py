"""What is prepared once: kept with the graph and on disk, made again where a file is bad, refused where useless."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solvers.algorithms.hierarchy import pair, preparation
from solvers.algorithms.hierarchy.adjacency import adjacency_of, estimated_separator
from solvers.core.problem import Problem, Recorder, Solution
from solvers.core.recorder import TraceRecorder
from solvers.core.variant import find_variant
from solvers.errors import OutOfMemory, ParameterError, SeparatorsTooLarge
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.weights import to_float
from solvers.system.machine import Memory
from tests import graphs
from tests.data import data_file

needs_metis = pytest.mark.skipif(importlib.util.find_spec("pymetis") is None, reason="pymetis is not installed")


def network(seed: int = 3) -> Graph:
    """Streets of a town of 40 x 40 crossings, some of them one-way."""
    side = 40
    number = np.arange(side * side).reshape(side, side)
    tails = np.concatenate((number[:, :-1].ravel(), number[:-1].ravel(), number[:, 1:].ravel()))
    heads = np.concatenate((number[:, 1:].ravel(), number[1:].ravel(), number[:, :-1].ravel()))
    weights = np.random.default_rng(seed).integers(1, 100, len(tails)).astype(np.int32)
    return Graph.from_arcs(side * side, tails, heads, weights, name="town")


def solve(graph: Graph, variant_id: str = "cch-tree", target: int = 700, recorder: Recorder | None = None) -> Solution:
    entry = find_variant(variant_id)
    return entry.solve(Problem(graph, 5, target, entry.settle({}), recorder=recorder))


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_: tmp_path)
    return tmp_path / "orders"


@needs_metis
def test_the_order_serves_other_weights_from_disk(cache: Path) -> None:
    first = solve(network(3))
    assert "ordering took" in first.note
    (stored,) = cache.iterdir()
    second_graph = network(4)
    second = solve(second_graph)
    assert "read from disk" in second.note
    np.testing.assert_array_equal(to_float(second.distances), graphs.right_distances(second_graph, 5))
    assert solve(second_graph).note == second.note, "what preparation took is said with every later answer"
    assert list(cache.iterdir()) == [stored]


@needs_metis
@pytest.mark.parametrize("harm", ["damaged", "of an earlier version", "no permutation"])
def test_a_bad_file_is_made_again_and_said(cache: Path, monkeypatch: pytest.MonkeyPatch, harm: str) -> None:
    graph = network()
    solve(graph)
    (stored,) = cache.iterdir()
    if harm == "damaged":
        content = bytearray(stored.read_bytes())
        content[-3] ^= 1
        stored.write_bytes(content)
    elif harm == "no permutation":
        name = preparation.structure_hash(adjacency_of(graph))
        preparation.order_store().save(name, np.zeros(graph.n, np.int32))
    else:
        monkeypatch.setattr(preparation, "_ORDER_VERSION", "another")
        monkeypatch.setattr(preparation, "_EARLIER_NAMES", ())
    again = solve(network())
    assert "ordering took" in again.note
    if harm != "no permutation":
        assert f"the stored order was {harm}" in again.note
    np.testing.assert_array_equal(to_float(again.distances), graphs.right_distances(graph, 5))


@needs_metis
def test_an_order_named_by_a_hash_of_the_code_is_still_read(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as version_before:
        version_before.setattr(preparation, "_ORDER_VERSION", preparation._EARLIER_NAMES[0])
        solve(network())
    assert "the order was read from disk" in solve(network()).note


def test_the_structure_decides_not_weights_or_names() -> None:
    graph = network()
    same = replace(graph, weights=graph.weights[::-1].copy(), ids=np.arange(graph.n) * 7 + 1, name="other")
    kept = (graph.tails != 0) & (graph.indices != 0)
    other = Graph.from_arcs(graph.n, graph.tails[kept], graph.indices[kept], graph.weights[kept])
    hashes = [preparation.structure_hash(adjacency_of(g)) for g in (graph, same, other)]
    assert hashes[0] == hashes[1]
    assert hashes[0] != hashes[2]


def test_a_random_network_is_refused_before_it_is_ordered(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graphs.at_random(30_000, 60_000, seed=1, directed=False)
    monkeypatch.setattr(preparation, "dissection_order", lambda *_: pytest.fail("it was ordered"))
    with pytest.raises(SeparatorsTooLarge, match="road networks") as refusal:
        solve(graph)
    assert refusal.value.arcs > 25 * graph.m


@needs_metis
def test_what_the_estimate_lets_through_is_counted(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "_most_arcs", lambda graph: 2_000)
    monkeypatch.setattr(preparation, "_require_small_separators", lambda *_: None)
    with pytest.raises(SeparatorsTooLarge):
        solve(network())


def test_no_memory_for_the_hierarchy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation.machine, "memory", lambda: Memory(10**6, 1_000))
    with pytest.raises(OutOfMemory, match="the hierarchy of"):
        solve(graphs.by_hand("a grid"), target=3)


@pytest.mark.parametrize(
    ("edges", "at_most"),
    [
        ([(v, v + 1) for v in range(999)], 3),
        ([(0, v) for v in range(1, 1_000)], 1),
        ([(v, (v + 1) % 999 + (v == 998)) for v in range(999)] + [(999, v) for v in range(999)], 4),
    ],
    ids=["path", "star", "wheel"],
)
def test_thin_graphs_have_small_separators(edges: list[tuple[int, int]], at_most: int) -> None:
    graph = graphs.from_list(1_000, [(u, v, 1) for u, v in edges], directed=False)
    assert estimated_separator(adjacency_of(graph)) <= at_most


@pytest.mark.data
def test_real_networks_are_told_apart() -> None:
    roads = read_graph(data_file("dimacs/USA-road-d.NY.gr.gz")).graph
    social = read_graph(data_file("snap/p2p-Gnutella30.txt.gz")).graph
    preparation._require_small_separators(roads, adjacency_of(roads), "cch-tree")
    with pytest.raises(SeparatorsTooLarge):
        preparation._require_small_separators(social, adjacency_of(social), "cch-tree")


@pytest.mark.data
@needs_metis
def test_new_york(cache: Path) -> None:
    graph = read_graph(data_file("dimacs/USA-road-d.NY.gr.gz")).graph
    tree, path = solve(graph, target=graph.n - 1), solve(graph, "cch-pair", graph.n - 1)
    assert tree.distances[graph.n - 1] == path.distances[graph.n - 1]
    assert path.iterations < 600, "two climbs"


def test_a_path_longer_than_its_room_is_answered_by_a_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cycles of length 0 may be part of an unpacked path, in any number."""
    climbs = pair.shortest_path
    monkeypatch.setattr(pair, "shortest_path", lambda *given: (climbs(*given)[0], -1, *climbs(*given)[2:]))
    graph = graphs.by_hand("a grid")
    found = to_float(solve(graph, "cch-pair", 3).distances)
    np.testing.assert_allclose(found, graphs.right_distances(graph, 5))


def test_a_watched_run_climbs_and_then_sweeps_by_levels() -> None:
    graph = graphs.by_hand("a grid")
    recorder = TraceRecorder(graph.n)
    solve(graph, recorder=recorder, target=3)
    trace = recorder.finish()
    tree = preparation.hierarchy_of(graph, "test")[0].tree
    climbed = len(trace) - tree.height
    assert [(phase.name, phase.unit, phase.first, phase.last) for phase in trace.phases] == [
        ("climb", "vertex", 0, climbed), ("sweep", "level", climbed, len(trace)),
    ]  # fmt: skip
    assert [trace.frontier(k).tolist() for k in range(climbed)] == [[v] for v in ancestors(tree, 5)]
    for level in range(tree.height):
        assert set(tree.depth[tree.rank[trace.frontier(climbed + level)]]) == {level}
    assert trace.distances is not None
    assert (trace.distances[1:] <= trace.distances[:-1]).all()
    np.testing.assert_array_equal(trace.distances[-1], graphs.right_distances(graph, 5))


def ancestors(tree: preparation.EliminationTree, vertex: int) -> list[int]:
    found, v = [], int(tree.rank[vertex])
    while v >= 0:
        found.append(int(tree.order[v]))
        v = int(tree.parent[v])
    return found


@pytest.mark.parametrize("n", [0, 1])
def test_graphs_of_no_vertex_and_of_one(n: int) -> None:
    graph = Graph(np.zeros(n + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.int32))
    entry = find_variant("cch-batch")
    assert entry.solve(Problem(graph, None, None, entry.settle({}))).distances.tolist() == [[0]] * n
    for variant_id in ("cch-tree", "cch-pair"):
        entry = find_variant(variant_id)
        if n:
            assert entry.solve(Problem(graph, 0, 0, entry.settle({}))).distances.tolist() == [0]
        else:
            with pytest.raises(ParameterError, match="source"):
                entry.solve(Problem(graph, 0, 0, entry.settle({})))


def test_a_watched_path_query_climbs_from_both_ends() -> None:
    graph = graphs.by_hand("a grid")
    recorder = TraceRecorder(graph.n)
    solve(graph, "cch-pair", recorder=recorder, target=3)
    assert [phase.name for phase in recorder.finish().phases] == ["source climb", "target climb"]
