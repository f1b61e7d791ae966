"""Prominence of roads: sampled flows are great on the roads that all share, kept on
disk, and cancelled.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solvers.errors import Cancelled, UnsuitableGraph
from solvers.features.prominence import flows as prominence
from solvers.features.prominence.flows import known_flows, sampled_flows
from solvers.graphs.generators import find
from solvers.graphs.graph import Graph
from solvers.system.cancel import CancelToken, Progress
from solvers.system.disk_cache import ArrayStore


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(prominence, "user_folder", lambda kind: tmp_path / kind)
    return tmp_path


def two_towns(size: int) -> Graph:
    """Two complete graphs joined by one road; vertex 0 and vertex ``size`` are its ends."""
    town = np.array([(u, v) for u in range(size) for v in range(size) if u != v])
    arcs = np.concatenate((town, town + size, [(0, size), (size, 0)]))
    return Graph.from_arcs(2 * size, arcs[:, 0], arcs[:, 1], np.ones(len(arcs), np.int32))


def test_the_road_that_joins_two_towns_has_the_greatest_flow() -> None:
    graph = two_towns(12)
    flows = sampled_flows(graph)
    bridge = (graph.tails == 0) & (graph.indices == 12)
    assert flows.argmax() in np.flatnonzero(bridge | ((graph.tails == 12) & (graph.indices == 0)))
    assert flows[bridge][0] > 3 * np.median(flows)


def test_the_street_of_a_single_source_does_not_stand_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a path graph's ends, only the source's own group sends anything over the first arc."""
    monkeypatch.setattr(prominence, "draw_sources", lambda graph, _: np.array([0]))
    n = 40
    graph = Graph.from_arcs(n, np.arange(n - 1), np.arange(1, n), np.ones(n - 1, np.int32))
    assert (sampled_flows(graph) == 0).all()


def test_flows_are_kept_by_structure_weights_and_version(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = find("road").generate({"vertices": 300})
    assert known_flows(graph) is None
    flows = sampled_flows(graph)
    monkeypatch.setattr(prominence, "_computed", lambda *_: pytest.fail("computed again"))
    np.testing.assert_array_equal(sampled_flows(graph), flows)
    other = Graph(graph.indptr, graph.indices, graph.weights + 1)
    assert known_flows(other) is None
    monkeypatch.setattr(
        prominence, "prominence_store", lambda: ArrayStore(folder / "prominence", "another")
    )
    assert known_flows(graph) is None


def test_cancelling_ends_it_and_keeps_nothing() -> None:
    graph, token = find("road").generate({"vertices": 300}), CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        sampled_flows(graph, Progress(token))
    assert known_flows(graph) is None


def test_paths_that_cannot_be_counted_are_refused() -> None:
    with pytest.raises(UnsuitableGraph):
        sampled_flows(Graph.from_arcs(3, [0, 1], [1, 2], np.array([0, -1], np.int32)))
