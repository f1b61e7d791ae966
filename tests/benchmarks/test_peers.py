"""Comparing is fair only if both answer the same question: parallel arcs, loops, zeros, unreachable vertices."""

from __future__ import annotations

import numpy as np
import pytest

from tests import graphs
from tests.benchmarks.peers import PEERS, Peer
from tests.benchmarks.side_by_side import contenders_for, main, race

GRAPHS = ("the detour is shorter", "parallel arcs", "self-loops", "two components", "a hub", "a grid")


@pytest.fixture(params=list(PEERS.values()), ids=lambda peer: peer.name)
def peer(request: pytest.FixtureRequest) -> Peer:
    if not request.param.is_here:
        pytest.skip(f"{request.param.name} is not installed; the extra “bench” brings it")
    return request.param


@pytest.mark.parametrize("name", GRAPHS)
def test_a_peer_answers_as_we_do(peer: Peer, name: str) -> None:
    graph = graphs.by_hand(name)
    np.testing.assert_allclose(peer.prepare(graph, 0)(), graphs.right_distances(graph, 0))
    np.testing.assert_allclose(peer.prepare(graph, None)(), graphs.right_matrix(graph))


def test_all_take_turns_and_are_checked() -> None:
    from solvers.commands.console import Console

    graph = graphs.at_random(200, 600, seed=1, low=1)
    found = contenders_for(graph, 0, ("dijkstra-heap",), ("scipy",), None, Console())
    race(found, trials=3)
    assert [(c.name, c.verified, len(c.total_ms)) for c in found] == [("dijkstra-heap", "yes", 3), ("scipy", "yes", 3)]


def test_a_peer_that_is_wrong_is_told() -> None:
    from solvers.commands.console import Console

    graph = graphs.at_random(200, 600, seed=1, low=1)
    found = contenders_for(graph, 0, ("dijkstra-heap",), ("scipy",), None, Console())
    found[1].work = lambda: (1.0, 1.0, np.zeros(graph.n))
    race(found, trials=1)
    assert found[1].verified == "NO"


def test_the_table_names_who_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--graph", "road:500", "--vs", "scipy,nobody", "--ours", "dijkstra-heap,auto", "--trials", "2"]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert "without nobody: no such peer is known" in shown
    assert "peer ÷ ours" in shown
    assert "auto: dijkstra-heap was chosen" in shown


def test_a_wrong_graph_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--graph", "road:many"]) == 2
    assert "comes a whole number" in capsys.readouterr().err
