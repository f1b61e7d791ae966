"""The time until a run ends."""

from __future__ import annotations

import pytest

from gui.model.remaining import RemainingTime
from solvers.core.problem import Phases
from solvers.core.result import Trial
from solvers.running.request import ADAPTIVE, MeasurementPlan


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
