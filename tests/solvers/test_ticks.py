"""Where axes have ticks: the rule of both kinds of charts, and the axes of those in reports."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from solvers.ticks import Ticks, linear_ticks, log_ticks


def test_a_roomy_logarithmic_axis_is_labelled_at_1_2_5() -> None:
    labelled, plain = log_ticks(0.0, 2.0, gap=0.25)
    assert [round(10**t) for t in labelled] == [1, 2, 5, 10, 20, 50, 100]
    assert round(10 ** plain[2]) == 3


def test_a_narrow_logarithmic_axis_is_labelled_at_every_kth_power() -> None:
    labelled, _ = log_ticks(-3.0, 6.0, gap=2.5)
    assert [round(t) for t in labelled] == [-3, 0, 3, 6]


@pytest.mark.parametrize(("low", "high"), [(1.70, 1.79), (1.99, 2.31), (0.0, 0.5), (-4.2, 7.7)])
@pytest.mark.parametrize("gap_share", [0.08, 0.2, 0.45])
def test_labels_of_a_logarithmic_axis_never_touch_and_are_inside(low: float, high: float, gap_share: float) -> None:
    gap = gap_share * (high - low)
    labelled, _ = log_ticks(low, high, gap)
    assert labelled
    assert all(low - 1e-6 <= t <= high + 1e-6 for t in labelled)
    assert all(b - a >= min(gap, 1.0) - 1e-9 for a, b in pairwise(labelled))


@pytest.mark.parametrize("room", [2, 4, 9])
@pytest.mark.parametrize("high", [0.7, 419.0, 1e6])
def test_a_linear_axis_has_at_least_two_round_labels(high: float, room: int) -> None:
    ticks = linear_ticks(0.0, high, room)
    assert 2 <= len(ticks) <= max(room, 3)
    step = ticks[1] - ticks[0]
    assert round(step / 10 ** math.floor(math.log10(step) + 1e-9)) in (1, 2, 5)


@pytest.mark.parametrize("values", [[0.3, 4000], [7, 7], [1, 2], [1e-9, 1e9], [0.002, 0.0021]])
def test_ticks_lie_on_the_axis_and_hold_the_values(values: list[float]) -> None:
    for ticks in (Ticks.log(values), Ticks.linear(values), Ticks.linear(values, from_zero=True)):
        assert 2 <= len(ticks.places) <= 22
        assert all(0 <= ticks.position(place) <= 1 for place in ticks.places)
        assert ticks.low <= min(values) <= max(values) <= ticks.high
        assert len({ticks.label(place) for place in ticks.places}) == len(ticks.places)


@pytest.mark.parametrize("is_log", [False, True])
@pytest.mark.parametrize("values", [[1, 2], [4], [1, 2, 4, 64]])
def test_a_few_sizes_or_threads_have_ticks_of_their_own(values: list[float], is_log: bool) -> None:
    ticks = Ticks.at(values, is_log=is_log)
    assert list(ticks.places) == values
    assert all(0 < ticks.position(value) < 1 for value in values)
    assert [ticks.label(value) for value in values] == [str(value) for value in values]
