"""Recording: every trial is in the store before the next begins, and no store that fails ends a run."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace

import pytest

from solvers.contracts.problem import NegativeCycle
from solvers.contracts.results import Status
from solvers.errors import OutOfMemory
from solvers.host.observer import CancelToken
from solvers.running.plan import MeasurementPlan
from solvers.running.runner import Choice, RunRequest, run
from solvers.running.store import database
from solvers.running.store.kept_run import GraphSource
from solvers.running.store.recorder import RunRecorder
from solvers.running.store.run_store import RunStore
from tests.data import data_file
from tests.solvers.fakes import diamond, fake_variant, solve_sssp
from tests.solvers.running.store.kept import record

PATIENCE_S = 120


@pytest.fixture
def store(tmp_path):
    return RunStore(tmp_path / "runs.sqlite3")


def recorded(store, *variants, token=None, **options):
    request = RunRequest(diamond(), 0, 3, tuple(Choice(v) for v in variants), plan=MeasurementPlan(1, 3), **options)
    recorder = RunRecorder(store, request, "window")
    return recorder, recorder.record(run(request, cancel=token, listener=recorder, run_id=recorder.run_id))


def test_a_run_is_kept_with_all_that_the_results_say(store, tmp_path):
    run_id, (result,) = record(store, source=GraphSource(str(tmp_path / "diamond.gr")))
    kept = store.run(run_id)
    (variant,) = kept.variants
    assert kept.complete
    assert kept.graph.source.path == str(tmp_path / "diamond.gr")
    assert (kept.graph.sha256, kept.graph.vertices, kept.graph.arcs) == (diamond().sha256, 5, 5)
    assert (kept.source, kept.target) == (10, 40)
    assert kept.machine.cpu
    assert kept.machine.cores
    assert variant.trials == result.trials
    assert variant.path == (10, 20, 40)
    assert variant.target_distance == 5
    assert variant.verdict == result.verdict
    assert result.run_id == run_id


def test_each_trial_is_readable_by_others_before_the_next_begins(store):
    seen = []

    def look(problem):
        with closing(sqlite3.connect(store.path)) as connection:
            seen.append(connection.execute("SELECT count(*) FROM trials").fetchone()[0])
        return solve_sssp(problem)

    record(store, fake_variant("a", look), trials=3)
    assert seen == [0, 1, 2, 3]


def test_trials_before_a_failure_are_kept_with_the_failed_one(store):
    calls = []

    def fail_at_third(problem):
        calls.append(problem)
        if len(calls) == 3:
            raise OutOfMemory("the matrix", 10**12, 10**9)
        return solve_sssp(problem)

    recorder, results = recorded(store, fake_variant("a", fail_at_third), fake_variant("b"))
    assert [r.status for r in results] == [Status.OUT_OF_MEMORY, Status.OK]
    first, second = store.run(recorder.run_id).variants
    assert [t.status for t in first.trials] == [Status.OK, Status.OK, Status.OUT_OF_MEMORY]
    assert first.status is Status.OUT_OF_MEMORY
    assert "1 TB" in first.error
    assert len(second.trials) == 4


def test_a_variant_that_cannot_run_is_kept_with_its_reason(store):
    run_id, (result,) = record(store, fake_variant("a", memory=lambda graph: 10**18))
    (kept,) = store.run(run_id).variants
    assert (kept.status, kept.error, kept.trials) == (result.status, result.error, ())


def test_a_negative_cycle_is_kept_by_its_ids(store):
    def find(problem):
        raise NegativeCycle(problem.graph, (1, 3), -2, 7)

    run_id, _ = record(store, fake_variant("a", find))
    (kept,) = store.run(run_id).variants
    assert kept.status is Status.NEGATIVE_CYCLE
    assert kept.cycle == (20, 40)


def test_a_cancelled_run_keeps_the_trials_made_so_far(store):
    token = CancelToken()

    def cancel_in_third(problem):
        solution = solve_sssp(problem)
        calls.append(solution)
        if len(calls) == 3:
            token.cancel()
        problem.observer.checkpoint()
        return solution

    calls: list[object] = []
    recorder, results = recorded(store, fake_variant("a", cancel_in_third), fake_variant("b"), token=token)
    assert [r.status for r in results] == [Status.CANCELLED]
    kept = store.run(recorder.run_id)
    assert kept.complete
    assert [t.status for t in kept.variants[0].trials] == [Status.OK, Status.OK, Status.CANCELLED]


def test_a_name_given_during_the_run_stays(store):
    recorder, results = recorded(store, fake_variant("a"), fake_variant("b"))
    next(results)
    store.rename(recorder.run_id, "under way")
    list(results)
    assert store.run(recorder.run_id).name == "under way"
    assert store.run(recorder.run_id).complete


# -- stores that fail ------------------------------------------------------------------------------------------------


def test_a_run_goes_on_where_nothing_can_be_kept(tmp_path):
    (tmp_path / "file").write_text("x")
    recorder, results = recorded(RunStore(tmp_path / "file" / "runs.sqlite3"), fake_variant("a"), fake_variant("b"))
    assert [r.status for r in results] == [Status.OK, Status.OK]
    assert recorder.problem is not None
    assert str(tmp_path) in str(recorder.problem)


def test_a_full_disk_is_said_and_the_results_still_come(store, monkeypatch):
    record(store)
    pages = store.path.stat().st_size // 4096

    def no_room(*arguments, **options):
        connection = database.connect(*arguments, **options)
        connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        return connection

    monkeypatch.setattr("solvers.running.store.recorder.connect", no_room)
    recorder, results = recorded(store, *(fake_variant(f"v{i}") for i in range(40)))
    assert all(r.status is Status.OK for r in results)
    assert recorder.problem is not None
    assert recorder.problem.reason == "the disk is full"


def test_what_could_not_be_written_is_written_when_the_store_is_free_again(store, monkeypatch):
    record(store)
    monkeypatch.setattr(database, "BUSY_S", 0.05)
    blocker = sqlite3.connect(store.path, isolation_level=None)

    def lock(problem):
        if not blocker.in_transaction:
            blocker.execute("BEGIN IMMEDIATE")
        return solve_sssp(problem)

    recorder, results = recorded(store, fake_variant("a", lock), fake_variant("b"))
    assert next(results).status is Status.OK
    assert recorder.problem is not None
    assert recorder.problem.reason == "another program has locked it"
    blocker.execute("ROLLBACK")
    blocker.close()
    list(results)
    assert recorder.problem is None
    assert [len(v.trials) for v in store.run(recorder.run_id).variants] == [4, 4]


# -- killed ----------------------------------------------------------------------------------------------------------

_RECORDED_RUN = """
import sys, time
from dataclasses import replace
from pathlib import Path
from solvers.running.listener import RunListener, RunListeners
from solvers.running.plan import MeasurementPlan
from solvers.running.runner import Choice, RunRequest, run
from solvers.running.store import database
from solvers.running.store.kept_run import GraphSource
from solvers.running.store.recorder import RunRecorder
from solvers.running.store.run_store import RunStore
from tests.solvers.fakes import diamond, fake_variant, solve_sssp

class Say(RunListener):
    def trial_finished(self, variant, trial):
        print("kept", variant.id, trial.index, flush=True)

def slow(problem):
    time.sleep(0.005)
    return solve_sssp(problem)

choices = tuple(Choice(fake_variant(name, slow)) for name in ("a", "b"))
request = RunRequest(diamond(), 0, 3, choices, plan=MeasurementPlan(1, 20))
recorder = RunRecorder(RunStore(Path(sys.argv[1])), request, "window")
both = RunListeners(recorder, Say())
list(recorder.record(run(request, listener=both, run_id=recorder.run_id)))
"""


@pytest.mark.parametrize("lines", [1, 9, 21, 30])
def test_a_killed_process_loses_at_most_the_trial_in_progress(store, lines):
    """It says each trial once that is recorded: all that it said is in the store, and at most one trial more."""
    command = [sys.executable, "-c", _RECORDED_RUN, str(store.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        said = [process.stdout.readline().split() for _ in range(lines)]
        process.kill()
        said += [line.split() for line in process.stdout]
    said = [(words[1], int(words[2])) for words in said if len(words) == 3]
    assert store.prepare() == ""
    (summary,) = store.summaries()
    assert not summary.run.complete
    kept = [(v.variant, t.index) for v in store.run(summary.run.run_id).variants for t in v.trials]
    assert kept[: len(said)] == said
    assert len(kept) <= len(said) + 1


@pytest.mark.data
def test_the_command_line_killed_in_the_middle_of_trials(tmp_path, monkeypatch):
    monkeypatch.setenv("TAUTLINE_DATA", str(tmp_path))
    store = RunStore()
    road = data_file("dimacs/rome99.gr")
    command = [sys.executable, "main.py", "solve", str(road), "--source", "1", "--variants", "dijkstra-heap,bf-python"]
    process = subprocess.Popen([*command, "--trials", "1000", "--warmup", "1"], stderr=subprocess.DEVNULL)
    try:
        before = _trials_when(store, lambda counts: counts.get("bf-python", 0) >= 3)
    finally:
        process.kill()
    assert process.wait(PATIENCE_S) == -signal.SIGKILL
    assert store.prepare() == ""
    (summary,) = store.summaries()
    heap, python = store.run(summary.run.run_id).variants
    assert (heap.status, len(heap.trials)) == (Status.OK, 1001)
    assert python.status is None
    assert [t.index for t in python.trials] == list(range(len(python.trials)))
    assert len(python.trials) >= before["bf-python"]
    assert python.median() > 0
    assert summary.run.graph.source.path == str(road)


def _trials_when(store, reached):
    """The number of trials by variant, as soon as ``reached`` says so."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        for summary in store.summaries():
            counts = {v.variant: len(v.trials) for v in store.run(summary.run.run_id).variants}
            if reached(counts):
                return counts
        time.sleep(0.05)
    raise AssertionError("the run did not get so far")


def test_a_recorder_does_not_change_the_results(store):
    plain = next(run(RunRequest(diamond(), 0, 3, (Choice(fake_variant("a")),), plan=MeasurementPlan(1, 3))))
    _, (result,) = record(store, fake_variant("a"), trials=3)
    assert result.trials == plain.trials
    assert replace(result.verdict) == plain.verdict
