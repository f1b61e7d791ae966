"""What is prepared for a graph: the hierarchy that is kept and shared, and its queries."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from solvers.algorithms.hierarchy import ordering, pair, preparation
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.core.problem import Problem
from solvers.core.recorder import TraceRecorder
from solvers.core.variant import find_variant
from solvers.errors import (
    OutOfMemory,
    ParameterError,
)
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.weights import to_float
from solvers.system.machine import Memory
from tests import graphs
from tests.data import data_file
from tests.solvers.algorithms.hierarchy.reference import (
    needs_metis,
    network,
    solve,
)


@needs_metis
@pytest.mark.parametrize("harm", ["", "damaged", "of an earlier version"])
def test_a_hierarchy_is_read_from_disk_whole(
    cache: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    monkeypatch.setattr(preparation, "_CONTRACTED_SOONER", 0)
    first, _ = preparation.hierarchy_of(network(3), "test")
    (stored,) = (cache.parent / "hierarchies").iterdir()
    if harm == "damaged":
        stored.write_bytes(stored.read_bytes()[:-4] + b"1234")
    elif harm:
        monkeypatch.setattr(preparation, "_HIERARCHY_VERSION", "another")
    else:
        monkeypatch.setattr(
            ordering, "adjacency_of", lambda *_: pytest.fail("it is contracted again")
        )
    second, note = preparation.hierarchy_of(network(3), "test")
    assert note.startswith("the order was" if harm else "reading the hierarchy from disk took")
    for field in fields(Hierarchy):
        one, other = (getattr(found, field.name) for found in (first, second))
        for name in [entry.name for entry in fields(one)] if field.name == "tree" else [""]:
            a, b = (getattr(tree, name) if name else tree for tree in (one, other))
            np.testing.assert_array_equal(a, b)
            assert (a.dtype, b.flags.writeable, b.flags.aligned) == (b.dtype, True, True)
    if not harm:
        right = network(4)
        np.testing.assert_array_equal(
            to_float(solve(right).distances), graphs.right_distances(right, 5)
        )


def test_no_memory_for_the_hierarchy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation.machine, "memory", lambda: Memory(10**6, 1_000))
    with pytest.raises(OutOfMemory, match="the hierarchy of"):
        solve(graphs.by_hand("a grid"), target=3)


@pytest.mark.data
@needs_metis
def test_new_york(cache: Path) -> None:
    graph = read_graph(data_file("dimacs/USA-road-d.NY.gr.gz")).graph
    tree, path = solve(graph, target=graph.n - 1), solve(graph, "cch-pair", graph.n - 1)
    assert tree.distances[graph.n - 1] == path.distances[graph.n - 1]
    assert path.iterations < 600, "two climbs"


def test_a_path_longer_than_its_room_is_answered_by_a_sweep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Cycles of length 0 may be part of an unpacked path, in any number."""
    climbs = pair.shortest_path
    monkeypatch.setattr(
        pair, "shortest_path", lambda *given: (climbs(*given)[0], -1, *climbs(*given)[2:])
    )
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
        ("climb", "vertex", 0, climbed),
        ("sweep", "level", climbed, len(trace)),
    ]
    assert [trace.frontier(k).tolist() for k in range(climbed)] == [[v] for v in ancestors(tree, 5)]
    for level in range(tree.height):
        assert set(tree.depth[tree.rank[trace.frontier(climbed + level)]]) == {level}
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
