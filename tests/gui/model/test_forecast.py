"""The estimate of the next run: from results, from earlier sessions, or from a model; none if nothing would run.

The time until a run ends.

The time that is left follows the rate since the job was first seen.
"""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.model.forecast import Forecast, RemainingTime, TimeLeft
from gui.model.session import Session
from solvers.core.problem import Phases
from solvers.core.result import Trial
from solvers.core.variant import find_variant
from solvers.graphs.graph import Graph
from solvers.running.estimate import EarlierTime, EstimateBasis
from solvers.running.request import ADAPTIVE, MeasurementPlan
from solvers.running.run import run


def test_the_estimate_follows_the_session(qtbot: QtBot) -> None:
    session = Session()
    forecast = Forecast(session)
    assert forecast.estimate is None
    session.open_graph(Graph.from_arcs(3, np.array([0, 1]), np.array([1, 2]), np.array([1, 1], dtype=np.int32)))
    assert forecast.estimate is None, "nothing is ticked"
    with qtbot.waitSignal(forecast.changed):
        session.choices.choose("dijkstra-heap")
    assert forecast.estimate is not None
    assert forecast.estimate.basis is EstimateBasis.MODEL
    session.choices.set_plan(MeasurementPlan(warmups=0, trials=10))
    request = session.request()
    assert request is not None
    session.add_results(run(request))
    assert forecast.estimate.basis is EstimateBasis.MEASURED


def test_times_of_earlier_sessions_count(qtbot: QtBot) -> None:
    session = Session()
    forecast = Forecast(session)
    session.open_graph(Graph.from_arcs(3, np.array([0, 1]), np.array([1, 2]), np.array([1, 1], dtype=np.int32)))
    session.choices.choose("dijkstra-heap")
    session.choices.set_plan(MeasurementPlan(warmups=0, trials=10))
    parameters = find_variant("dijkstra-heap").settle({})
    forecast.use([EarlierTime("dijkstra-heap", parameters, 3, 2, "", total_ms=2_000.0)])
    assert forecast.estimate is not None
    assert forecast.estimate.seconds == 20.0


def trials(warmups: int, timed: int) -> list[Trial]:
    return [Trial(i, i < warmups, Phases(solve=1.0)) for i in range(warmups + timed)]


def test_before_its_trials_a_variant_takes_what_was_estimated_and_so_do_those_that_wait() -> None:
    remaining = RemainingTime(MeasurementPlan(trials=5), {"a": 10.0, "b": 20.0})
    remaining.begin("a", 100.0)
    assert remaining.end((), ("b", "unknown"), 103.0) == pytest.approx(130.0)


def test_fixed_counts_are_extrapolated_from_the_trials_made() -> None:
    remaining = RemainingTime(MeasurementPlan(warmups=1, trials=5), {"a": 999.0})
    remaining.begin("a", 0.0)
    assert remaining.end(trials(1, 2), (), 6.0) == pytest.approx(6.0 + 3 * 2.0)


def test_a_time_limit_is_not_exceeded() -> None:
    remaining = RemainingTime(MeasurementPlan(warmups=1, trials=100, time_limit_s=10.0), {})
    remaining.begin("a", 0.0)
    assert remaining.end(trials(1, 2), (), 6.0) == pytest.approx(10.0)


def test_what_takes_longer_than_estimated_ends_now() -> None:
    remaining = RemainingTime(ADAPTIVE, {"a": 1.0})
    remaining.begin("a", 0.0)
    assert remaining.end(trials(2, 6), (), 5.0) == pytest.approx(5.0)


def test_a_resumed_job_is_not_taken_for_a_fast_one() -> None:
    left = TimeLeft()
    assert left.seconds(0.6, 100.0) is None
    assert left.seconds(0.8, 110.0) == pytest.approx(10.0)
    assert left.seconds(1.0, 120.0) == 0.0


def test_nothing_is_said_before_there_is_a_rate() -> None:
    left = TimeLeft()
    assert left.seconds(0.0, 5.0) is None
    assert left.seconds(0.5, 5.1) is None
    assert left.seconds(0.001, 60.0) is None
