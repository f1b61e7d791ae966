"""The probe: single trials of the smallest points, in place of guesses that would leave
points out.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from solvers.errors import Cancelled
from solvers.features.experiments import probe as probe_module
from solvers.features.experiments.forecast import forecast
from solvers.features.experiments.graphs import GraphFiles
from solvers.features.experiments.measure import ExperimentRequest
from solvers.features.experiments.probe import is_worth_probing, probed
from solvers.features.experiments.spec import ExperimentScale, Measuring
from solvers.running import estimate
from solvers.running.estimate import EarlierTime, EstimateBasis
from solvers.running.request import MeasurementPlan
from solvers.system.cancel import CancelToken
from tests.solvers.features.experiments.samples import sample

SMALL = ExperimentScale.SMALL
STRICT = Measuring(MeasurementPlan(1, 2), longest_trial_s=20.0)
SIZES = ("vertices = [20, 40]", "vertices = [20, 40, 80]")


@pytest.fixture
def slow_guesses(monkeypatch):
    """A model that takes any graph of 20 vertices for half a minute, and grows with the arcs."""
    monkeypatch.setattr(
        estimate, "model_seconds", lambda variant, shape, *rest: 30.0 * shape.m / 60
    )


def request_of(tmp_path, *earlier) -> ExperimentRequest:
    experiment = sample(tmp_path, SIZES)
    look = forecast(experiment, SMALL, GraphFiles(), None, earlier, STRICT)
    return ExperimentRequest(experiment, SMALL, look, GraphFiles(), STRICT)


def test_guesses_that_leave_points_out_are_replaced(tmp_path, slow_guesses):
    request = request_of(tmp_path)
    assert request.forecast.runnable == ()
    assert all("a rough guess" in one.reason for one in request.forecast.points)
    heard = []
    found = probed(request, (), CancelToken(), heard.append)
    assert len(found.forecast.runnable) == 9, "all run in no time"
    assert {one.basis for one in found.forecast.points} == {EstimateBasis.PROBED}
    assert "scaled from single trials on small graphs" in found.forecast.words
    assert heard == [
        "probing scan on random, vertices 20",
        "probing scan on random, vertices 80",
        "probing heap, arity 2 on random, vertices 20",
        "probing heap, arity 2 on random, vertices 80",
    ]


def test_a_larger_graph_is_probed_only_if_it_must_be_quick(tmp_path, slow_guesses, monkeypatch):
    monkeypatch.setattr(probe_module, "_QUICK_MS", 0.0)
    heard = []
    probed(request_of(tmp_path), (), CancelToken(), heard.append)
    assert heard == [
        "probing scan on random, vertices 20",
        "probing heap, arity 2 on random, vertices 20",
    ]


def test_guesses_of_some_seconds_are_replaced_too(tmp_path, monkeypatch):
    monkeypatch.setattr(estimate, "model_seconds", lambda variant, shape, *rest: 0.3)
    request = request_of(tmp_path)
    assert 5 < request.forecast.seconds < 20
    assert probed(request, (), CancelToken()).forecast.seconds < 1, "they take no time"


def test_the_compilation_of_a_variant_is_counted_once(tmp_path, monkeypatch):
    monkeypatch.setattr(estimate, "model_seconds", lambda variant, shape, *rest: 0.01)
    before = request_of(tmp_path).forecast
    monkeypatch.setattr(estimate, "compile_seconds", lambda variant: 100.0)
    after = request_of(tmp_path).forecast
    assert after.seconds - before.seconds == pytest.approx(2 * 100.0 - 2 * 0.5), "of two variants"
    assert not after.left_out, "a trial is not longer for it"


def test_what_is_known_or_quick_is_not_probed(tmp_path, slow_guesses, monkeypatch):
    known = [EarlierTime(name, {}, 20, 60, "", 1.0) for name in ("dijkstra-array", "dijkstra-heap")]
    request = request_of(tmp_path, *known)
    assert not is_worth_probing(request.forecast)
    monkeypatch.setattr(probe_module, "run", pytest.fail)
    assert probed(request, known, CancelToken()) is request
    monkeypatch.setattr(estimate, "model_seconds", lambda variant, shape, *rest: 0.001)
    request = request_of(tmp_path)
    assert probed(request, (), CancelToken()) is request


def test_a_probe_that_takes_long_timed_out_and_the_guess_stays(tmp_path, slow_guesses, monkeypatch):
    monkeypatch.setattr(probe_module, "_TRIAL_S", 0.0)
    monkeypatch.setattr(EarlierTime, "of", classmethod(lambda cls, result: None))
    found = probed(request_of(tmp_path), (), CancelToken())
    assert found.forecast.runnable == ()
    assert {one.basis for one in found.forecast.points} == {EstimateBasis.MODEL}


def test_a_probe_can_be_cancelled(tmp_path, slow_guesses):
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        probed(request_of(tmp_path), (), token)


def test_two_probed_sizes_show_how_a_variant_grows():
    assert estimate._measured_growth([(1.0, 10.0), (4.0, 20.0)]) == 0.6, (
        "not below, as small graphs show fixed costs"
    )
    assert estimate._measured_growth([(1.0, 10.0), (4.0, 40.0)]) == pytest.approx(1.0)
    assert estimate._measured_growth([(4.0, 90.0), (1.0, 10.0)]) == 1.2
    assert estimate._measured_growth([(1.0, 10.0), (1.2, 90.0)]) == 1.0, "sizes too near to tell"


def test_a_real_run_counts_more_than_a_probe(tmp_path, slow_guesses):
    probe = EarlierTime("dijkstra-array", {}, 80, 240, "", 1.0, is_probe=True)
    measured = replace(probe, vertices=20, arcs=60, total_ms=100.0, is_probe=False)
    both = request_of(tmp_path, probe, measured).forecast.points
    alone = request_of(tmp_path, measured).forecast.points
    middle = [
        one for one in both if one.point.series.label == "scan" and one.point.graph.vertices == 40
    ]
    assert [one.seconds for one in middle] == [
        one.seconds
        for one in alone
        if one.point.series.label == "scan" and one.point.graph.vertices == 40
    ]
    assert {one.basis for one in middle} == {EstimateBasis.SCALED}
