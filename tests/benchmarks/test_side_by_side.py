"""Comparisons are made in turns, of the same question, from proved answers, and nobody
holds them up.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra

from solvers.commands.console import Console
from solvers.core.variant import Answers, RunsOn, all_variants, find_variant
from solvers.graphs.graph import Graph
from tests import graphs
from tests.benchmarks import contenders, gap
from tests.benchmarks.contenders import (
    Contender,
    Question,
    our_contenders,
    ours_for,
    peer_contenders,
    race,
)
from tests.benchmarks.limits import Limit
from tests.benchmarks.peer_process import Dropped, PeerProcess
from tests.benchmarks.peers import PEERS, Peer
from tests.benchmarks.side_by_side import main, rows
from tests.benchmarks.test_limits import CHIP

GRAPH = graphs.at_random(200, 600, seed=1, low=1)
QUESTION = Question(GRAPH, 0)


class Fake:
    """A peer that takes the seconds it is told, by a clock of its own, and answers what
    it is told.
    """

    now = 0.0

    def __init__(self, seconds: Sequence[float], answer: object = None):
        self._seconds, self._answer = list(seconds), answer

    def solve(self, limit_s: float) -> tuple[float, float]:
        seconds = self._seconds.pop(0)
        if seconds > limit_s:
            raise Dropped(f"took over {limit_s:.0f} s")
        Fake.now += seconds
        return seconds * 1e3, seconds * 1e3

    def rows(self) -> object:
        return self._answer

    def close(self) -> None:
        self._seconds.clear()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contenders.time, "monotonic", lambda: Fake.now)


def heap() -> list[Contender]:
    return our_contenders(QUESTION, ["dijkstra-heap"], 60.0, Console())


@pytest.mark.parametrize(
    ("name", "source", "rows"), [("dijkstra-heap", 0, 1), ("dijkstra-apsp-serial", None, 200)]
)
def test_all_take_turns_and_are_checked(name: str, source: int | None, rows: int) -> None:
    question = Question(GRAPH, source)
    found = our_contenders(question, [name], 60.0, Console()) + peer_contenders(
        question, ["scipy"], 120.0, Console()
    )
    left = race(found, 2, Console())
    assert [(c.name, c.verified, len(c.total_ms)) for c in left] == [
        (name, "yes", 2),
        ("scipy", "yes", 2),
    ]
    assert len(question.wanted()) == rows
    for contender in found:
        contender.program.close()


def test_a_peer_that_is_wrong_is_told(clock: None) -> None:
    wrong = Contender("wrong", Fake([1.0] * 9, np.zeros((1, GRAPH.n))), True)
    right = Contender("right", Fake([1.0] * 9, graphs.right_distances(GRAPH, 0)[None]), True)
    left = race([*heap(), wrong, right], 1, Console())
    assert [c.verified for c in left] == ["yes", "NO", "yes"]


def test_a_peer_that_has_used_up_its_time_makes_fewer_trials(clock: None) -> None:
    slow = Contender("slow", Fake([2.0] * 9), True, limit_s=7.0)
    race([slow], 5, Console())
    assert len(slow.total_ms) == 2, "a warm-up and two trials take 6 s, a third would take 8"


@pytest.mark.parametrize(
    ("seconds", "counted"), [([2.0, 2.0, 9.0, 1.0], [2000.0]), ([2.0, 9.0, 1.0], [2000.0])]
)
def test_a_trial_that_outlasts_the_limit_is_the_last(
    clock: None, seconds: list[float], counted: list[float]
) -> None:
    """After a quick warm-up, and after a quick trial: what was measured before stays."""
    slow = Contender("slow", Fake(seconds), True, limit_s=7.0)
    race([slow], 5, Console())
    assert slow.total_ms == counted
    assert slow.warm_up_counts == (len(seconds) == 3)


def test_where_there_is_time_for_the_warm_up_alone_it_counts(clock: None) -> None:
    slow = Contender("slow", Fake([5.0] * 9), True, limit_s=7.0)
    race([slow], 5, Console())
    assert slow.warm_up_counts
    assert slow.total_ms == [5000.0]
    assert rows([slow])[0][4] == "warm-up"


def test_a_peer_that_is_too_slow_is_dropped_with_a_line(
    clock: None, capsys: pytest.CaptureFixture[str]
) -> None:
    left = race([*heap(), Contender("slow", Fake([9.0]), True, limit_s=7.0)], 1, Console())
    assert [c.name for c in left] == ["dijkstra-heap"]
    assert "without slow: took over 7 s" in capsys.readouterr().out


def test_one_of_ours_that_is_too_slow_is_dropped_with_a_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    question = Question(graphs.at_random(1_500, 6_000, seed=1, low=1), None)
    assert (
        race(our_contenders(question, ["dijkstra-apsp-serial"], 1e-3, Console()), 1, Console())
        == []
    )
    assert "without dijkstra-apsp-serial: it took over" in capsys.readouterr().out


def test_ours_are_all_that_could_win() -> None:
    for problem in ("sssp", "apsp"):
        chosen = ours_for(problem)
        assert len(set(chosen)) == len(chosen)
        assert all(
            find_variant(name).answers is Answers(problem) and not find_variant(name).racy
            for name in chosen
        )
        needed = {
            v.id
            for v in all_variants()
            if v.cuda_only and v.answers is Answers(problem) and not v.racy
        }
        assert needed <= set(chosen)
        assert any(find_variant(name).runs_on is RunsOn.SERIAL for name in chosen)


def test_what_the_chip_allows_stands_beside() -> None:
    left = race(heap(), 1, Console())
    left[0].solve_ms, left[0].total_ms = [8.0], [10.0]
    content = rows(left, {"dijkstra-heap": Limit(2.0, "latency", {"latency": 2.0})})
    assert content[0][-2:] == ("2.00 ms, latency", "25.0%")
    assert rows(left)[0][-2:] == ("", "")


def test_the_table_names_who_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "--graph",
        "road:500",
        "--vs",
        "scipy,nobody",
        "--ours",
        "dijkstra-heap,auto",
        "--trials",
        "2",
    ]
    assert main([*arguments, "--from", "corner", "--markdown"]) == 0
    content = capsys.readouterr().out
    assert "without nobody: no such peer is known" in content
    assert "| peer ÷ ours |" in content
    assert "(corner)" in content
    assert "auto: sssp-delta-omp was chosen" in content


def test_the_chip_is_asked_what_it_allows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyopencl")
    monkeypatch.setattr("tests.benchmarks.side_by_side.chip_of", lambda device: CHIP)
    assert main(["--graph", "road:500", "--vs", "", "--trials", "1", "--device", "opencl"]) == 0
    lines = capsys.readouterr().out.splitlines()
    limited = {line.split()[0] for line in lines if "latency" in line}
    assert {"sssp-near-far", "sssp-blocked", "bf-strided-flag"} <= limited
    assert "dijkstra-heap" not in limited
    assert (
        main(
            [
                "--graph",
                "rmat:7",
                "--problem",
                "apsp",
                "--vs",
                "",
                "--trials",
                "1",
                "--device",
                "opencl",
            ]
        )
        == 0
    )
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("fw-tiled-shared") and line.endswith("%") for line in lines)
    assert any(line.startswith("apsp-frontier") and line.endswith("%") for line in lines)


def test_a_wrong_graph_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--graph", "road:many"]) == 2
    assert "comes its size" in capsys.readouterr().err


GRAPHS = (
    "the detour is shorter",
    "parallel arcs",
    "self-loops",
    "two components",
    "a hub",
    "a grid",
)


# GAP's program proves its own answer from one source, and gives no distances
ROWS_OF = [peer for peer in PEERS.values() if peer.name != "gap"]


@pytest.fixture(params=ROWS_OF, ids=lambda peer: peer.name)
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
    np.testing.assert_allclose(
        one.rows(one.solve(), wanted[:1]), graphs.right_distances(graph, 0)[None]
    )
    np.testing.assert_allclose(
        everything.rows(everything.solve(), wanted), graphs.right_matrix(graph)
    )


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
        assert all(ms > 0 for _ in range(2) for ms in process.solve(60.0))
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


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
@pytest.mark.parametrize(("verdict", "is_told"), [("PASS", True), ("FAIL", False)])
def test_gaps_program_is_asked_for_its_own_time_and_proof(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    verdict: str,
    is_told: bool,
) -> None:
    """It says that every trial took 2 ms, whatever the call takes."""
    program = tmp_path / "sssp"
    said = f"for _ in 1 2 3 4; do echo 'Trial Time: 0.00200'; done; echo 'Verification: {verdict}'"
    program.write_text(f"#!/bin/sh\n{said}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv(gap.PROGRAM, str(program))
    found = heap() + peer_contenders(QUESTION, ["gap"], 120.0, Console())
    left = {contender.name: contender for contender in race(found, 2, Console())}
    for contender in found:
        contender.program.close()
    assert ("gap" in left) == is_told
    if is_told:
        assert left["gap"].solve_ms == [2.0, 2.0]
        assert left["gap"].verified == "by itself"
    else:
        assert "refuses its distances" in capsys.readouterr().out


def test_gap_reads_the_graph_as_it_is(tmp_path: Path) -> None:
    gap.write_serialized(GRAPH, tmp_path / "graph.wsg")
    data = (tmp_path / "graph.wsg").read_bytes()
    assert data[:1] == b"\0"
    assert np.frombuffer(data, np.int64, 2, 1).tolist() == [GRAPH.m, GRAPH.n]
    offsets = np.frombuffer(data, np.int64, GRAPH.n + 1, 17)
    np.testing.assert_array_equal(offsets, GRAPH.indptr)
    pairs = np.frombuffer(data, np.int32, 2 * GRAPH.m, 17 + offsets.nbytes).reshape(-1, 2)
    np.testing.assert_array_equal(pairs, np.column_stack((GRAPH.indices, GRAPH.weights)))
