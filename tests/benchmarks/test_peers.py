"""Comparing is fair only if both answer the same question: parallel arcs, loops, zeros, unreachable vertices."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra

from solvers.graphs.graph import Graph
from tests import graphs
from tests.benchmarks.peer_process import Dropped, PeerProcess
from tests.benchmarks.peers import PEERS, Peer

GRAPHS = ("the detour is shorter", "parallel arcs", "self-loops", "two components", "a hub", "a grid")


@pytest.fixture(params=list(PEERS.values()), ids=lambda peer: peer.name)
def peer(request: pytest.FixtureRequest) -> Peer:
    if not request.param.is_here:
        pytest.skip(f"{request.param.name} is not installed; the extra “bench” brings it")
    return request.param


def all_weights_one(graph: Graph) -> Graph:
    return Graph(graph.indptr, graph.indices, np.ones(graph.m, dtype=np.int32))


@pytest.mark.parametrize("unit", [False, True], ids=["weights", "all weights 1"])
@pytest.mark.parametrize("name", GRAPHS)
def test_a_peer_answers_as_we_do(peer: Peer, name: str, unit: bool) -> None:
    graph = all_weights_one(graphs.by_hand(name)) if unit else graphs.by_hand(name)
    one, everything = peer.prepare(graph, 0), peer.prepare(graph, None)
    wanted = np.arange(graph.n)
    np.testing.assert_allclose(one.rows(one.solve(), wanted[:1]), graphs.right_distances(graph, 0)[None])
    np.testing.assert_allclose(everything.rows(everything.solve(), wanted), graphs.right_matrix(graph))


def test_a_peer_answers_as_scipy_does(peer: Peer) -> None:
    graph = graphs.at_random(500, 2_000, seed=3, low=1)
    wanted = np.array([2, 77, 499])
    merged = graph.matrix().astype(float)
    right = dijkstra(np.where(merged < graph.weight_type.infinity, merged, 0.0), indices=wanted)
    everything = peer.prepare(graph, None)
    np.testing.assert_allclose(everything.rows(everything.solve(), wanted), right)
    for source, row in zip(wanted.tolist(), right, strict=True):
        one = peer.prepare(graph, source)
        np.testing.assert_allclose(one.rows(one.solve(), wanted[:1])[0], row)


def test_a_peer_is_spared_what_is_too_big() -> None:
    graph = graphs.at_random(50, 200, seed=1, low=1)
    assert not PEERS["igraph"].too_big(graph)
    assert not PEERS["igraph"].too_big(graph, most_arcs=200)
    assert "200 arcs are more than the 199" in PEERS["igraph"].too_big(graph, most_arcs=199)


class TestProcess:
    graph = graphs.at_random(200, 600, seed=1, low=1)

    @pytest.fixture
    def process(self) -> Iterator[PeerProcess]:
        process = PeerProcess("scipy", self.graph, 7, np.array([7]))
        yield process
        process.close()

    def test_it_solves_as_often_as_asked(self, process: PeerProcess) -> None:
        assert process.wait_until_built(120.0) == ""
        assert process.solve(60.0) > 0
        assert process.solve(60.0) > 0
        np.testing.assert_allclose(process.rows()[0], graphs.right_distances(self.graph, 7))

    def test_a_build_that_takes_too_long_is_dropped(self, process: PeerProcess) -> None:
        with pytest.raises(Dropped, match="building its graph took over 0 s"):
            process.wait_until_built(0.0)

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot halt a process by a signal")
    def test_a_solve_that_takes_too_long_is_dropped(self, process: PeerProcess) -> None:
        process.wait_until_built(120.0)
        os.kill(process._process.pid or 0, signal.SIGSTOP)  # it will take for ever
        with pytest.raises(Dropped, match="took over the 0 s left"):
            process.solve(0.1)

    def test_an_error_over_there_is_told_here(self) -> None:
        process = PeerProcess("scipy", self.graph, 1_000_000, np.array([7]))
        process.wait_until_built(120.0)
        with pytest.raises(Dropped, match="Error"):
            process.solve(60.0)
        process.close()

    @pytest.mark.parametrize("long_dead", [False, True])
    def test_a_process_that_dies_is_told(self, process: PeerProcess, long_dead: bool) -> None:
        process.wait_until_built(120.0)
        process._process.kill()
        if long_dead:
            process._process.join()
        with pytest.raises(Dropped, match="exit status -9"):
            process.solve(60.0)
