"""Runs of experiments: what is measured, kept, resumed, left out and cancelled."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from solvers.core.result import Status
from solvers.core.variant import Variant
from solvers.errors import Cancelled
from solvers.features.experiments import forecast as forecast_module
from solvers.features.experiments.forecast import GridForecast, forecast
from solvers.features.experiments.graphs import GraphFiles
from solvers.features.experiments.measure import (
    ExperimentProgress,
    ExperimentRequest,
    ExperimentRun,
)
from solvers.features.experiments.measurement import Measurement, Omission
from solvers.features.experiments.spec import Experiment, ExperimentScale, Measuring
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.running.estimate import EarlierTime
from solvers.running.request import MeasurementPlan, RunListener
from solvers.system.cancel import CancelToken
from tests.solvers.features.experiments.samples import (
    request_on,
    sample,
    waiting_for_ever,
    write_experiment,
)

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def store(tmp_path):
    return RunStore(tmp_path / "data" / "runs.sqlite3")


def request_of(
    experiment: Experiment, store: RunStore | None, **changes: object
) -> ExperimentRequest:
    return replace(request_on(experiment, None), store=store, **changes)


def outcomes(request: ExperimentRequest, **options: object) -> list[Measurement | Omission]:
    return list(ExperimentRun(request=request, **options).measure())


def test_every_point_is_measured_proved_and_kept(tmp_path, store):
    experiment = sample(tmp_path)
    found = outcomes(request_of(experiment, store))
    assert [one.point.title for one in found] == ["scan", "heap, arity 2", "heap, arity 4"] * 2
    assert all(one.is_timed and one.kept.verdict.verified and not one.is_earlier for one in found)
    assert [one.graph.vertices for one in found] == [20, 20, 20, 40, 40, 40]
    runs = store.runs_of_experiment("own/small")
    assert sum(len(run.variants) for run in runs) == 6
    assert all(run.complete for run in runs)
    assert {run.graph.source.generator for run in runs} == {"random"}


def test_what_is_in_the_store_is_not_measured_again(tmp_path, store):
    experiment = sample(tmp_path)
    before = outcomes(request_of(experiment, store))
    after = outcomes(request_of(experiment, store))
    assert all(one.is_earlier for one in after)
    assert [one.kept.trials for one in after] == [one.kept.trials for one in before]
    assert not any(
        one.is_earlier for one in outcomes(request_of(experiment, store, measures_again=True))
    )


def test_another_source_graph_or_more_trials_are_measured_anew(tmp_path, store):
    outcomes(request_of(sample(tmp_path), store))
    other_source = sample(tmp_path, ("degree = 3 }", 'degree = 3 }\nsource = "7"'))
    assert not any(one.is_earlier for one in outcomes(request_of(other_source, store)))
    experiment = sample(tmp_path)
    more = Measuring(MeasurementPlan(warmups=1, trials=3), 20.0)
    assert not any(
        one.is_earlier for one in outcomes(request_of(experiment, store, measuring=more))
    )


def test_without_a_store_everything_runs_and_nothing_is_kept(tmp_path, store):
    assert len(outcomes(request_of(sample(tmp_path), None))) == 6
    assert not store.path.exists()


class _CancelAfter(RunListener):
    def __init__(self, token: CancelToken, variants: int):
        self._token, self._left = token, variants

    def measuring_ends(self, variant):
        self._left -= 1
        if self._left == 0:
            self._token.cancel()


def test_a_cancelled_run_keeps_what_is_finished_and_goes_on_later(tmp_path, store):
    experiment, token = sample(tmp_path), CancelToken()
    run = ExperimentRun(
        request=request_of(experiment, store), cancel=token, listener=_CancelAfter(token, 3)
    )
    found = []
    with pytest.raises(Cancelled):
        found.extend(run.measure())
    again = outcomes(request_of(experiment, store))
    assert 1 <= sum(one.is_earlier for one in again) < 6
    assert len(again) == 6


def test_progress_reaches_the_end(tmp_path, store):
    seen = []
    outcomes(request_of(sample(tmp_path), store), report=seen.append)
    assert seen[0].done == 0
    assert {one.total for one in seen} == {6}
    assert all(earlier.fraction <= later.fraction for earlier, later in itertools.pairwise(seen))


def test_a_paused_run_waits_before_its_next_point_and_can_be_cancelled(tmp_path, store):
    token = CancelToken()
    run = ExperimentRun(request=request_of(sample(tmp_path), store), cancel=token)
    run.pause.pause()
    token.cancel()
    with pytest.raises(Cancelled):
        list(run.measure())
    assert run.pause.is_paused


# -- what cannot run
# -------------------------------------------------------------------------------------------------


def test_a_missing_file_is_said_before_the_start_and_the_rest_runs(tmp_path, store):
    extra = (
        "[[graph]]\n"
        'file = "USA-road-d.E.gr"\n'
        "vertices = 3598623\n"
        "arcs = 8778114\n"
        "\n"
        "[[series]]\n"
        'label = "scan"'
    )
    experiment = sample(tmp_path, ('[[series]]\nlabel = "scan"', extra))
    request = request_of(experiment, store)
    assert ["USA-road-d.E.gr is not here" in one.reason for one in request.forecast.left_out] == [
        True
    ] * 3
    found = outcomes(request)
    assert [type(one) for one in found].count(Omission) == 3
    assert [type(one) for one in found].count(Measurement) == 6


def test_a_file_is_found_compressed_and_one_folder_down(tmp_path):
    place = tmp_path / "graphs" / "dimacs" / "own.gr.gz"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"")
    assert GraphFiles([tmp_path / "graphs"]).find("own.gr") == place
    assert GraphFiles([tmp_path]).find("own.gr") is None


def test_more_threads_than_cores_and_too_long_trials_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(forecast_module.machine, "cores", lambda: 2)
    change = (
        'variant = "dijkstra-array"',
        'variant = "sssp-delta-omp"\nparameters = { threads = [1, 64] }',
    )
    experiment = sample(tmp_path, change)
    how = replace(experiment.measuring[ExperimentScale.SMALL], longest_trial_s=1.0)
    slow = EarlierTime("dijkstra-heap", {"arity": 2}, 40, 120, "", 5000.0)
    found = forecast(experiment, ExperimentScale.SMALL, GraphFiles(), None, (slow,), how)
    reasons = {(one.point.graph.vertices, one.point.title): one.reason for one in found.left_out}
    assert reasons[20, "scan, threads 64"].startswith("64 threads on 2 cores")
    assert "one trial takes about 5 s" in reasons[40, "heap, arity 2"]
    assert "left out" in found.words
    strict = forecast(
        experiment,
        ExperimentScale.SMALL,
        GraphFiles(),
        None,
        (),
        replace(how, longest_trial_s=1e-9),
    )
    assert strict.words == "nothing of its 8 points can run here"


def test_what_the_store_cannot_take_is_measured_all_the_same(tmp_path):
    (tmp_path / "file").write_text("")
    store = RunStore(tmp_path / "file" / "runs.sqlite3")
    run = ExperimentRun(request=request_of(sample(tmp_path), store))
    assert len(list(run.measure())) == 6
    assert run.problem is not None


# -- a process that is killed
# ----------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is of POSIX")
def test_a_killed_run_goes_on_where_it_was(tmp_path, store):
    """The first process measures with very many trials, and is killed once the store
    has finished some of them.
    """
    sizes = ("vertices = [20, 40]", "vertices = [20, 40, 80]")
    path = write_experiment(tmp_path, sizes, ("trials = 2", "trials = 800"))
    environment = os.environ | {"TAUTPATH_DATA": str(store.path.parent), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(ROOT / "main.py"), "experiment", str(path)]
    process = subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 120
        while _finished(store) < 2 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    before = _finished(store)
    assert 2 <= before < 9
    # fewer trials are in those that are kept
    found = outcomes(request_of(sample(tmp_path, sizes), store))
    assert len(found) == 9
    assert sum(one.is_earlier for one in found) == before


def _finished(store: RunStore) -> int:
    return sum(
        v.status is Status.OK for run in store.runs_of_experiment("own/small") for v in run.variants
    )


class SkipsOnce(RunListener):
    """Presses Skip in the first trial of a variant."""

    def __init__(self, variant_id: str, cancel: CancelToken):
        self._variant_id, self._cancel, self._done = variant_id, cancel, False

    def trial_begins(self, variant: Variant, stage: str) -> None:
        if variant.id == self._variant_id and not self._done:
            self._done = True
            self._cancel.skip()


def test_a_skipped_point_is_no_timeout_and_does_not_end_its_series(tmp_path):
    experiment, cancel = sample(tmp_path), CancelToken()
    found = outcomes(
        request_of(experiment, None),
        cancel=cancel,
        listener=SkipsOnce("dijkstra-heap", cancel),
    )
    (omission,) = (one for one in found if isinstance(one, Omission))
    assert (omission.reason, omission.timed_out) == ("skipped", False)
    larger = [one for one in found if one.point.series == omission.point.series]
    assert any(isinstance(one, Measurement) for one in larger), "the larger graph was measured"


def test_a_variant_that_timed_out_for_its_time_does_not_end_the_experiment(tmp_path, monkeypatch):
    """The last of a run was: the request to skip it stayed, and ended all that followed."""
    monkeypatch.setattr("solvers.features.experiments.measure.time_limit_s", lambda measuring: 0.05)
    found = outcomes(request_of(waiting_for_ever(sample(tmp_path)), None))
    assert len(found) == 6, "points of both graphs"
    stopped = sorted(
        one.reason
        for one in found
        if isinstance(one, Omission) and one.point.series.label == "heap"
    )
    assert stopped[:2] == ["it timed out after 0 s"] * 2
    assert stopped[2:] == ["on a smaller graph it timed out"] * 2


def test_what_takes_too_long_is_taken_from_the_store_where_it_is_there(tmp_path, store):
    request = request_of(sample(tmp_path), store)
    points = request.forecast.points

    def with_too_long(*titles: str) -> ExperimentRequest:
        left_out = (
            replace(one, reason="too long", is_too_long=True)
            for one in points
            if one.point.title in titles
        )
        runnable = (one for one in points if one.point.title not in titles)
        return replace(request, forecast=GridForecast((*runnable, *left_out)))

    every = tuple(one.point.title for one in points)
    assert [one.reason for one in outcomes(with_too_long(*every))] == ["too long"] * 6
    assert len(outcomes(with_too_long("heap, arity 2", "heap, arity 4"))) == 6
    seen: list[ExperimentProgress] = []
    found = outcomes(with_too_long(*every), report=seen.append)
    assert {
        one.point.title for one in found if isinstance(one, Measurement) and one.is_earlier
    } == {"scan"}
    assert {one.point.title for one in found if isinstance(one, Omission)} == {
        "heap, arity 2",
        "heap, arity 4",
    }
    assert (seen[-1].done, seen[-1].total) == (2, 2)
