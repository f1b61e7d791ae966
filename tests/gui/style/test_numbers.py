"""Numbers in columns and on axes."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from gui.style import numbers
from gui.style.numbers import FIGURE_SPACE, PUNCTUATION_SPACE


@pytest.mark.parametrize(
    ("durations", "unit"),
    [
        ([0.04, 0.9], "µs"),
        ([9.4, 61.2], "ms"),
        ([61.2, 400.0, 0.6], "ms"),
        ([5e3, 1.2e6], "s"),
        ([], "ms"),
        ([0.0], "ms"),
    ],
)
def test_a_column_takes_the_unit_of_its_middle(durations: list[float], unit: str) -> None:
    assert numbers.column_unit(durations).name == unit


def test_decimal_points_stand_beneath_each_other() -> None:
    padded = numbers.align_decimals(["61.2", "9.41", "121", "—"], "×")
    assert padded == ["61.2×" + FIGURE_SPACE, "9.41×", "121×" + PUNCTUATION_SPACE + 2 * FIGURE_SPACE, "—"]


@pytest.mark.parametrize(
    ("ms", "text"), [(0, "0"), (0.05, "50 µs"), (2.5, "2.5 ms"), (200, "200 ms"), (1000, "1 s"), (2e6, "2\u202f000 s")]
)
def test_ticks_of_durations_carry_their_unit(ms: float, text: str) -> None:
    assert numbers.duration_tick(ms) == text


def test_ticks_of_counts_and_ratios_are_short() -> None:
    assert [numbers.count_tick(c) for c in (5, 500, 20_000, 1_500_000)] == ["5", "500", "20 k", "1.5 M"]
    assert [numbers.ratio_tick(r) for r in (0.5, 1, 1000)] == ["0.5×", "1×", "1\u202f000×"]


def test_ordinals() -> None:
    assert [numbers.ordinal(n) for n in (1, 2, 3, 4, 11, 32, 1024)] == [
        "1st", "2nd", "3rd", "4th", "11th", "32nd", "1\u202f024th",
    ]  # fmt: skip


def test_a_roomy_logarithmic_axis_is_labelled_at_1_2_5() -> None:
    labelled, plain = numbers.log_ticks(0.0, 2.0, gap=0.25)
    assert [round(10**t) for t in labelled] == [1, 2, 5, 10, 20, 50, 100]
    assert round(10 ** plain[2]) == 3


def test_a_narrow_logarithmic_axis_is_labelled_at_every_kth_power() -> None:
    labelled, _ = numbers.log_ticks(-3.0, 6.0, gap=2.5)
    assert [round(t) for t in labelled] == [-3, 0, 3, 6]


@pytest.mark.parametrize(("low", "high"), [(1.70, 1.79), (1.99, 2.31), (0.0, 0.5), (-4.2, 7.7)])
@pytest.mark.parametrize("gap_share", [0.08, 0.2, 0.45])
def test_labels_of_a_logarithmic_axis_never_touch_and_are_inside(low: float, high: float, gap_share: float) -> None:
    gap = gap_share * (high - low)
    labelled, _ = numbers.log_ticks(low, high, gap)
    assert labelled
    assert all(low - 1e-6 <= t <= high + 1e-6 for t in labelled)
    assert all(b - a >= min(gap, 1.0) - 1e-9 for a, b in pairwise(labelled))


@pytest.mark.parametrize("room", [2, 4, 9])
@pytest.mark.parametrize("high", [0.7, 419.0, 1e6])
def test_a_linear_axis_has_at_least_two_round_labels(high: float, room: int) -> None:
    ticks = numbers.linear_ticks(0.0, high, room)
    assert 2 <= len(ticks) <= max(room, 3)
    step = ticks[1] - ticks[0]
    assert round(step / 10 ** math.floor(math.log10(step) + 1e-9)) in (1, 2, 5)
