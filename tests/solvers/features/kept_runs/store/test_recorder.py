"""Every trial is stored before the next begins, failing stores end no run, and a kept
run reopens as it was.
"""

from __future__ import annotations

import csv
import itertools
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import fields, replace

import numpy as np
import pytest

from solvers.algorithms.auto.evidence import known_times
from solvers.commands.solve import parse_choices
from solvers.core.result import Status
from solvers.core.variant import find_variant
from solvers.errors import NegativeCycle, OutOfMemory, UnknownVertex
from solvers.features.kept_runs.reopening import with_distances
from solvers.features.kept_runs.store import database
from solvers.features.kept_runs.store.recorder import RunRecorder
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.features.kept_runs.trials_file import read_trials
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.readers import read_graph
from solvers.running.kept_results import results_of, results_on
from solvers.running.kept_run import GraphSource
from solvers.running.records import write_all
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.system.cancel import CancelToken
from tests.data import data_file
from tests.graphs import DTYPES, at_random, with_negative_cycle
from tests.quick import first_quick
from tests.solvers.fakes import diamond, fake_variant, solve_sssp
from tests.solvers.features.kept_runs.store.kept import kept_run_of, kept_variant_of, record

PATIENCE_S = 120


@pytest.fixture
def store(tmp_path):
    return RunStore(tmp_path / "runs.sqlite3")


def recorded(store, *variants, token=None, **options):
    request = RunRequest(
        diamond(), 0, 3, tuple(Choice(v) for v in variants), plan=MeasurementPlan(1, 3), **options
    )
    recorder = RunRecorder(store, request, "window")
    return recorder, recorder.follow(
        run(request, cancel=token, listener=recorder, run_id=recorder.run_id)
    )


def test_a_run_is_kept_with_all_that_the_results_say(store, tmp_path):
    run_id, (result,) = record(store, source=GraphSource(str(tmp_path / "diamond.gr")))
    kept = store.run(run_id)
    (variant,) = kept.variants
    assert kept.complete
    assert kept.graph.source.path == str(tmp_path / "diamond.gr")
    assert (kept.graph.sha256, kept.graph.vertices, kept.graph.arcs) == (diamond().sha256, 5, 5)
    assert (kept.source, kept.target, result.run_id) == (10, 40, run_id)
    assert kept.machine.cpu
    assert kept.machine.cores
    assert (variant.path, variant.target_distance) == ((10, 20, 40), 5)
    plain = next(
        run(RunRequest(diamond(), 0, 3, (Choice(fake_variant()),), plan=MeasurementPlan(1, 5)))
    )
    assert variant.trials == result.trials == plain.trials, "a recorder does not change the results"
    assert variant.verdict == result.verdict == plain.verdict


def test_each_trial_is_readable_by_others_before_the_next_begins(store):
    seen = []

    def look(problem):
        with closing(sqlite3.connect(store.path)) as connection:
            seen.append(connection.execute("SELECT count(*) FROM trials").fetchone()[0])
        return solve_sssp(problem)

    record(store, fake_variant("a", look), trials=3)
    assert seen == [0, 1, 2, 3]


def test_trials_before_a_failure_are_kept_with_the_failed_one(store):
    calls = itertools.count(1)

    def fail_at_third(problem):
        if next(calls) == 3:
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
        raise NegativeCycle(tuple(map(problem.graph.vertex_id, (1, 3))), (1, 3), -2, 7)

    run_id, _ = record(store, fake_variant("a", find))
    (kept,) = store.run(run_id).variants
    assert kept.status is Status.NEGATIVE_CYCLE
    assert kept.cycle == (20, 40)


def test_a_cancelled_run_keeps_the_trials_made_so_far(store):
    token, calls = CancelToken(), itertools.count(1)

    def cancel_in_third(problem):
        if next(calls) == 3:
            token.cancel()
        problem.progress.checkpoint()
        return solve_sssp(problem)

    recorder, results = recorded(
        store, fake_variant("a", cancel_in_third), fake_variant("b"), token=token
    )
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


# -- stores that fail
# ------------------------------------------------------------------------------------------------


def test_a_run_goes_on_where_nothing_can_be_kept(tmp_path):
    (tmp_path / "file").write_text("x")
    recorder, results = recorded(
        RunStore(tmp_path / "file" / "runs.sqlite3"), fake_variant("a"), fake_variant("b")
    )
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

    monkeypatch.setattr("solvers.features.kept_runs.store.recorder.connect", no_room)
    recorder, results = recorded(store, *(fake_variant(f"v{i}") for i in range(40)))
    assert all(r.status is Status.OK for r in results)
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
    assert recorder.problem.reason == "another program has locked it"
    blocker.execute("ROLLBACK")
    blocker.close()
    list(results)
    assert recorder.problem is None
    assert [len(v.trials) for v in store.run(recorder.run_id).variants] == [4, 4]


# -- killed
# --------------------------------------------------------------------------------------

_RECORDED_RUN = """
import sys, time
from dataclasses import replace
from pathlib import Path
from solvers.running.request import Choice, MeasurementPlan, RunListener, RunListeners, RunRequest
from solvers.running.run import run
from solvers.features.kept_runs.store import database
from solvers.running.kept_run import GraphSource
from solvers.features.kept_runs.store.recorder import RunRecorder
from solvers.features.kept_runs.store.run_store import RunStore
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
list(recorder.follow(run(request, listener=both, run_id=recorder.run_id)))
"""


@pytest.mark.parametrize("lines", first_quick([21, 1, 9, 30]))
def test_a_killed_process_loses_at_most_the_trial_in_progress(store, lines):
    """It says each trial once that is recorded: all that it said is in the store, and
    at most one trial more.
    """
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
    monkeypatch.setenv("TAUTPATH_DATA", str(tmp_path))
    store = RunStore()
    road = data_file("dimacs/rome99.gr")
    command = [
        sys.executable,
        "main.py",
        "solve",
        str(road),
        "--source",
        "1",
        "--variants",
        "dijkstra-heap,bf-python",
    ]
    process = subprocess.Popen(
        [*command, "--trials", "1000", "--warmup", "1"], stderr=subprocess.DEVNULL
    )
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


def solved(graph: Graph, *ids: str, source=0, target=3, store: RunStore):
    """Real variants, recorded; returns the results and the kept run."""
    request = RunRequest(
        graph, source, target, parse_choices(",".join(ids)), plan=MeasurementPlan(1, 2)
    )
    recorder = RunRecorder(store, request, "window")
    results = list(recorder.follow(run(request, listener=recorder, run_id=recorder.run_id)))
    return results, store.run(recorder.run_id)


def test_a_reopened_run_shows_what_the_run_itself_showed(store):
    graph = diamond()
    results, kept = solved(
        graph, "dijkstra-heap", "bf-serial", "dijkstra-target", "fw-serial", store=store
    )
    assert kept.variants[3].path == (10, 20, 40)
    assert len(kept.variants[3].distances_sha256) == 64
    for before, after in zip(results, results_on(graph, kept), strict=True):
        for name in (
            "variant",
            "parameters",
            "source",
            "target",
            "device_name",
            "status",
            "trials",
            "iterations",
            "relaxations",
            "verdict",
            "target_distance",
            "note",
            "run_id",
            "timestamp_utc",
            "cold_ms",
            "load",
            "disturbances",
        ):
            assert getattr(after, name) == getattr(before, name), name
        assert after.path.tolist() == before.path.tolist()
        assert after.median("solve") == before.median("solve")


@pytest.mark.parametrize("dtype", sorted({*DTYPES} - {"float32"}))  # whose sums depend on the order
def test_distances_are_computed_anew_and_have_the_stored_hash(store, dtype):
    graph = at_random(60, 200, seed=3, dtype=dtype)
    results, kept = solved(graph, "dijkstra-heap", "dijkstra-target", target=17, store=store)
    heap, one_path = with_distances(results_on(graph, kept))
    assert heap.distances.dtype == results[0].distances.dtype
    assert np.array_equal(heap.distances, results[0].distances)
    assert np.array_equal(heap.predecessors, results[0].predecessors)
    assert one_path.distances is None
    assert one_path.target_distance == results[1].target_distance


def test_distances_with_another_hash_are_not_invented(store):
    _, kept = solved(diamond(), "dijkstra-heap", store=store)
    changed = replace(kept, variants=(replace(kept.variants[0], distances_sha256="0" * 64),))
    (result,) = with_distances(results_on(diamond(), changed))
    assert (result.distances, result.target_distance) == (None, 5)


def test_an_unreachable_target_and_a_negative_cycle_come_back(store):
    _, kept = solved(diamond(), "dijkstra-heap", target=4, store=store)
    (result,) = with_distances(results_on(diamond(), kept))
    assert result.target_distance == float("inf")
    assert result.path is None
    graph, _ = with_negative_cycle("of three")
    before, kept = solved(graph, "bf-serial", target=1, store=store)
    assert before[0].status is Status.NEGATIVE_CYCLE
    (after,) = with_distances(results_on(graph, kept))
    assert after.cycle == before[0].cycle


def test_a_killed_variant_is_shown_as_cancelled_with_its_trials(store):
    kept = kept_run_of("a", kept_variant_of("bf-serial", 1.0, 2.0, status=None), ended_utc="")
    (result,) = results_on(diamond(), kept)
    assert result.status is Status.CANCELLED
    assert result.times("solve") == [1.0, 2.0]


def test_variants_that_are_not_in_the_catalogue_are_left_out_of_the_window_but_not_of_tables(
    tmp_path,
):
    kept = kept_run_of(
        "a", kept_variant_of("bf-of-the-future", 1.0), kept_variant_of("bf-serial", 2.0)
    )
    assert [r.variant.id for r in results_on(diamond(), kept)] == ["bf-serial"]
    trials, *_ = write_all(results_of(kept), tmp_path)
    assert trials.read_text("utf-8").count("bf-of-the-future") == 2


def test_a_vertex_that_the_graph_lacks_is_named():
    with pytest.raises(UnknownVertex):
        results_on(
            diamond(), kept_run_of("a", kept_variant_of("bf-serial", 1.0, path=(10, 11, 40)))
        )


def test_tables_of_a_kept_run_are_those_of_the_run_itself(store, tmp_path):
    results, kept = solved(diamond(), "dijkstra-heap", "fw-serial", "dijkstra-target", store=store)
    for name, of in (
        ("before", results),
        ("after", results_of(kept)),
        ("shown", results_on(diamond(), kept)),
    ):
        write_all(of, tmp_path / name)
    for table in ("trials.csv", "summary.csv"):
        assert (
            len(
                {
                    (tmp_path / name / table).read_text("utf-8")
                    for name in ("before", "after", "shown")
                }
            )
            == 1
        )


@pytest.mark.data
def test_new_york_reopens_with_its_path(store):
    graph = read_graph(data_file("dimacs/USA-road-d.NY.gr.gz")).graph
    results, kept = solved(graph, "dijkstra-heap", target=graph.n - 1, store=store)
    (after,) = with_distances(results_on(graph, kept))
    assert np.array_equal(after.distances, results[0].distances)
    assert np.array_equal(after.path, results[0].path)
    assert store.path.stat().st_size < 200_000, "the distances alone would be a megabyte"


def test_names_of_vertices_are_kept_and_a_number_is_not_taken_for_a_name(store, tmp_path):
    plain = diamond()
    attributes = {f.name: getattr(plain, f.name) for f in fields(plain) if f.init}
    attributes["ids"] = np.arange(plain.n)
    graph = LabelledGraph(**attributes, labels=("=A", "3", "b", "Zürich", "e"), numbered=True)
    results, kept = solved(graph, "dijkstra-heap", store=store)
    assert (kept.source_text, kept.target_text, kept.source, kept.target) == ("=A", "Zürich", 0, 3)
    (again,) = results_on(graph, kept)
    assert (again.source, again.target, again.path.tolist()) == (0, 3, results[0].path.tolist())
    for part, found in (("own", results), ("stored", results_of(kept))):
        write_all(found, tmp_path / part)
        with (tmp_path / part / "trials.csv").open(encoding="utf-8", newline="") as file:
            row = next(csv.DictReader(file))
        assert (row["source"], row["target"]) == ("'=A", "Zürich")
    imported = read_trials(tmp_path / "own" / "trials.csv")[0]
    assert (imported.source, imported.target_text) == (None, "Zürich")


def test_the_automatic_choice_knows_what_kept_runs_took(store):
    """On the same graph, read again by another process, from a source that reaches much: the
    least times, which others are compared with.
    """
    first, again, other = (at_random(2_000, 9_000, seed=seed) for seed in (1, 1, 2))
    names = ("dijkstra-heap", "sssp-delta-omp")
    record(store, *map(find_variant, names), graph=first)
    (kept,) = (store.run(summary.run.run_id) for summary in store.summaries())
    least = {one.variant: min(one.times()) for one in kept.variants}
    for graph, known in (again, set(names)), (other, set()):
        recorder = RunRecorder(
            store, RunRequest(graph, 0, 3, (Choice(find_variant("auto")),)), "window"
        )
        assert list(recorder.follow(iter(()))) == []
        found = known_times(graph, None, stays=False)
        assert found == {name: least[name] for name in known}
