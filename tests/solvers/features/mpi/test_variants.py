"""The variants over MPI: right on one and more ranks, in step with each other, and no
deadlock on any graph.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
import pytest

from solvers.core.availability import start_command
from solvers.core.problem import Problem, Recorder, Solution
from solvers.core.recorder import MatrixRecorder, TraceRecorder
from solvers.core.trace import ActivityTrace
from solvers.core.variant import find_variant
from solvers.errors import OutOfMemory
from solvers.features.mpi.rank_group import DeadlockWatch
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.weights import to_float
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.system import machine
from tests import graphs
from tests.quick import first_quick
from tests.solvers.features.mpi.started import ROOT, needs_ranks

TEXTBOOK = ROOT / "resources" / "samples" / "textbook.gr"


def solve(
    variant_id: str, graph: Graph, recorder: Recorder | None = None, **parameters: object
) -> Solution:
    """Solve; parameters that are not given take their defaults."""
    source = 0 if variant_id == "dijkstra-mpi" else None
    return find_variant(variant_id).solve(
        Problem(graph, source, parameters=parameters, recorder=recorder)
    )


@needs_ranks
def test_a_watched_dijkstra_settles_in_order_of_distance() -> None:
    """Rank 0 tells what all ranks improved: with two, half of it happened elsewhere."""
    earlier = psutil.Process().children()
    graph = graphs.at_random(120, 400, seed=4)
    choice = Choice(find_variant("dijkstra-mpi"), {"layout": "csr"})
    (result,) = run(
        RunRequest(graph, 0, None, (choice,), plan=MeasurementPlan(warmups=0, trials=2), trace=True)
    )
    assert result.ok, result.error
    assert psutil.Process().children() == earlier
    serial = TraceRecorder(graph.n)
    alike = find_variant("dijkstra-array")
    right = alike.solve(Problem(graph, 0, None, alike.settle({}), recorder=serial))
    trace, expected = result.trace, serial.finish()
    assert isinstance(trace, ActivityTrace)
    np.testing.assert_array_equal(trace.vertices, expected.vertices)
    np.testing.assert_array_equal(trace.improved, expected.improved)
    np.testing.assert_array_equal(trace.relaxed, expected.relaxed)
    assert result.relaxations == trace.total_relaxed
    assert result.iterations == len(trace)
    np.testing.assert_array_equal(result.distances, right.distances)
    assert (np.diff(to_float(right.distances)[trace.vertices]) >= 0).all()


@needs_ranks
def test_a_watched_floyd_warshall_shows_one_band_per_rank() -> None:
    graph = graphs.at_random(100, 300, seed=6)
    recorder = MatrixRecorder(graph.n)
    solution = solve("fw-mpi", graph, recorder)
    np.testing.assert_array_equal(to_float(solution.distances), graphs.right_matrix(graph))
    trace = recorder.finish()
    assert [step.step for step in trace.steps] == list(range(graph.n))
    assert trace.steps[0].tiles.tolist() == [[0, 50, 0, 100], [50, 100, 0, 100]]
    shown = [step for step in trace.steps if step.snapshot is not None]
    assert len(shown) == graph.n, "the lesson of so small a matrix has every phase"
    finite = [int(np.isfinite(step.snapshot).sum()) for step in shown if step.snapshot is not None]
    assert finite == sorted(finite), "cells are only ever filled"
    np.testing.assert_array_equal(
        shown[-1].snapshot, to_float(solution.distances).astype(np.float32)
    )
    phases = solution.phases
    assert min(phases.prepare, phases.solve) > 0
    assert phases.h2d == phases.d2h == 0
    assert (solution.iterations, solution.relaxations) == (100, 100**3)


def test_the_matrix_is_refused_before_any_rank_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(10**9, 20_000))
    graph = graphs.at_random(70, 200, seed=3)
    with pytest.raises(OutOfMemory, match="choose layout=csr") as refusal:
        solve("dijkstra-mpi", graph, ranks=3)
    assert refusal.value.needed_bytes == 70 * 72 * 4, "padded to a multiple of the ranks"
    with pytest.raises(OutOfMemory, match="70 x 70"):
        solve("fw-mpi", graph)


# --- by hand, as on a cluster
# -----------------------------------------------------------------------------------------


def by_hand(program: str, *options: object) -> subprocess.CompletedProcess[str]:
    module = f"solvers.features.mpi.{program}_rank"
    command = [*start_command(2), sys.executable, "-m", module, *map(str, options)]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )


@needs_ranks
def test_dijkstra_by_hand(tmp_path: Path) -> None:
    graph = read_graph(TEXTBOOK).graph
    source = int(graph.ids[2])
    output = tmp_path / "distances.npy"
    done = by_hand("dijkstra", "--graph", TEXTBOOK, "--source", source, "--output", output)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(output), graphs.right_distances(graph, 2))
    assert f"{graph.n} vertices, {graph.m} arcs, 2 ranks" in done.stdout


@needs_ranks
def test_floyd_warshall_by_hand(tmp_path: Path) -> None:
    output = tmp_path / "all.npy"
    done = by_hand("floyd_warshall", "--graph", TEXTBOOK, "--output", output)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(output), graphs.right_matrix(read_graph(TEXTBOOK).graph))


@needs_ranks
def test_by_hand_a_negative_cycle_is_shown_and_nothing_written(tmp_path: Path) -> None:
    file = tmp_path / "loss.gr"
    file.write_text("p sp 3 3\na 1 2 1\na 2 3 -4\na 3 1 2\n")
    done = by_hand("floyd_warshall", "--graph", file, "--output", tmp_path / "all.npy")
    assert done.returncode != 0
    assert "tautpath: Negative cycle of 3 vertices, length −1" in done.stderr
    assert list(tmp_path.iterdir()) == [file]


@needs_ranks
def test_by_hand_an_unknown_source_ends_all_ranks(tmp_path: Path) -> None:
    done = by_hand(
        "dijkstra", "--graph", TEXTBOOK, "--source", 999_999, "--output", tmp_path / "d.npy"
    )
    assert done.returncode == 2
    assert "tautpath: There is no vertex “999999”." in done.stderr
    assert "Traceback" not in done.stderr


SLOW_TO_END = """
import sys, time
from solvers.features.mpi.ranks import Ranks

def slow(step):
    step()
    time.sleep(0.5)

ranks = Ranks(2)
if ranks.is_first:
    flush, finalize = sys.stdout.flush, ranks._mpi.Finalize
    sys.stdout.flush = lambda: slow(flush)
    ranks._mpi.Finalize = lambda: slow(finalize)
    sys.stdout.write("all is written")
ranks.end()
"""


@needs_ranks
def test_a_rank_that_ends_later_than_the_others_is_not_killed() -> None:
    """mpiexec kills the others when a rank ends without taking leave of it, and may
    then report success.
    """
    command = [*start_command(2), sys.executable, "-c", SLOW_TO_END]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "all is written", "")


@needs_ranks
@pytest.mark.parametrize("ranks", first_quick([3, 1]))
def test_every_graph_in_every_type(ranks: int) -> None:
    command = [
        *start_command(ranks),
        sys.executable,
        "-m",
        "tests.solvers.features.mpi.every_graph",
    ]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"graphs right on {ranks} ranks" in done.stdout


def found(*looks: tuple[tuple[int, int], ...]) -> list[bool]:
    """What the watch says to looks that are 4 s apart, where 10 s are a deadlock."""
    watch = DeadlockWatch(10.0)
    return [watch.found(waits, 4.0 * k) for k, waits in enumerate(looks)]


def test_ranks_that_all_stay_in_one_wait_are_deadlocked() -> None:
    assert found(*(((7, 1 + 2000 * k), (3, 1 + 900 * k)) for k in range(5))) == [
        False,
        False,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    "waits",
    [
        pytest.param(lambda k: ((7, 1 + 2000 * k), (3, 0)), id="one rank computes for long"),
        pytest.param(
            lambda k: ((7, 1 + 2000 * k), (k // 2, 1 + 2000 * k)), id="one goes from wait to wait"
        ),
        pytest.param(
            lambda k: ((7, 1 + 2000 * k), (3, 1 + k)),
            id="one without time to test may still receive",
        ),
        pytest.param(lambda k: ((0, 0), (0, 0)), id="none has begun"),
    ],
)
def test_other_ranks_are_waited_for(waits: Callable[[int], tuple[tuple[int, int], ...]]) -> None:
    assert not any(found(*map(waits, range(9))))
