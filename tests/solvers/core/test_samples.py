"""Statistics of samples: against published values, and against what they claim."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.core.samples import (
    LEAST_FOR_INTERVAL,
    Ratio,
    TimedSample,
    median_interval,
    modified_z_scores,
    quartiles,
    ratio_of_medians,
    relative_half_width,
)

TIMES = st.lists(st.floats(0.001, 1e6), min_size=1, max_size=80)


@pytest.mark.parametrize(
    ("n", "low_rank", "high_rank"),
    # Conover, "Practical Nonparametric Statistics", and other tables of the sign test
    # at 5 %: ranks k and n - k + 1.
    [
        (6, 1, 6),
        (8, 1, 8),
        (9, 2, 8),
        (12, 3, 10),
        (15, 4, 12),
        (20, 6, 15),
        (25, 8, 18),
        (50, 18, 33),
        (100, 40, 61),
    ],
)
def test_ranks_are_those_of_the_tables(n, low_rank, high_rank):
    assert median_interval(list(range(n, 0, -1))) == (low_rank, high_rank)


def test_coverage_is_at_least_95_per_cent_and_the_next_narrower_interval_has_less():
    """The exact probability, from binomial coefficients."""
    for n in range(LEAST_FOR_INTERVAL, 300):
        low, high = median_interval(list(range(1, n + 1)))
        assert low + high == n + 1

        def coverage(rank, n=n):
            return 1 - 2 * sum(math.comb(n, i) for i in range(rank)) / 2**n

        assert coverage(low) >= 0.95
        assert coverage(low + 1) < 0.95


def test_fewer_than_six_values_have_no_interval():
    for n in range(LEAST_FOR_INTERVAL):
        assert median_interval(range(n)) is None
        if n:
            assert relative_half_width(range(n)) == math.inf


@pytest.mark.parametrize("n", [6, 10, 30, 200])
def test_intervals_of_simulated_skewed_times_hold_the_true_median(n):
    """Lognormal times of median 1; the seeds are fixed, and 94 % is two standard errors
    below 95 %.
    """
    samples = np.random.default_rng(n).lognormal(0.0, 0.5, size=(2000, n))
    held = sum(
        low <= 1.0 <= high for low, high in (median_interval(sample.tolist()) for sample in samples)
    )
    assert held >= 0.94 * len(samples)


@given(TIMES)
def test_the_interval_holds_the_sample_median_and_ignores_order(times):
    interval = median_interval(times)
    if interval is None:
        assert len(times) < LEAST_FOR_INTERVAL
        return
    low, high = interval
    assert low <= statistics.median(times) <= high
    assert low in times
    assert high in times
    assert median_interval(times[::-1]) == interval


@given(TIMES, st.floats(0.01, 100))
def test_relative_width_does_not_depend_on_the_unit(times, factor):
    width = relative_half_width(times)
    assert relative_half_width([factor * ms for ms in times]) == pytest.approx(width, rel=1e-9)


def test_relative_width_is_the_farther_end():
    assert relative_half_width([10, 10, 10, 10, 10, 13]) == pytest.approx(0.3)
    assert relative_half_width([6, 10, 10, 10, 10, 11]) == pytest.approx(0.4)
    assert relative_half_width([0.0] * 6) == 0
    assert relative_half_width([0.0] * 5 + [1.0]) == math.inf


def test_modified_z_scores_of_the_published_example():
    """Iglewicz and Hoaglin's example: the last two of ten values are outliers at 3.5,
    the others are not.
    """
    sample = [2.1, 2.6, 2.4, 2.5, 2.3, 2.1, 2.3, 2.6, 8.2, 8.3]
    scores = modified_z_scores(sample)
    assert [abs(score) > 3.5 for score in scores] == [False] * 8 + [True] * 2
    assert scores[-1] == pytest.approx(0.6745 * (8.3 - 2.45) / 0.15, rel=1e-9)


def test_modified_z_scores_where_most_values_are_equal():
    """The median deviation is 0: the mean deviation takes its place."""
    scores = modified_z_scores([10.0] * 9 + [100.0])
    assert scores[0] == 0
    assert scores[-1] == pytest.approx(0.7979 * 90 / 9)
    assert modified_z_scores([5.0] * 4) == [0.0] * 4


@given(TIMES)
def test_quartiles_are_those_of_numpy(times):
    assert quartiles(times) == pytest.approx(tuple(np.quantile(times, (0.25, 0.75))), rel=1e-9)


def ratio_of(first, second) -> Ratio:
    found = ratio_of_medians(TimedSample(tuple(first)), TimedSample(tuple(second)))
    assert found is not None
    return found


def test_the_interval_of_price_and_bonett_by_hand():
    """Five values each: ranks 1 and 5, outside which the median lies with 1/32 a side,
    z = 1.8627.
    """
    first, second = [1.0, 2.0, 4.0, 8.0, 16.0], [2.0, 2.0, 2.0, 2.0, 2.0]
    ratio = ratio_of(first, second)
    half = 1.959964 * math.log(16) / (2 * 1.862732)
    assert ratio.value == 0.5
    assert ratio.low == pytest.approx(0.5 * math.exp(-half), rel=1e-5)
    assert ratio.high == pytest.approx(0.5 * math.exp(half), rel=1e-5)
    assert ratio.differs is False


def test_swapped_runs_have_the_reciprocal_ratio():
    rng = np.random.default_rng(2)
    first, second = rng.lognormal(0, 0.2, 9).tolist(), rng.lognormal(1, 0.4, 14).tolist()
    forth, back = ratio_of(first, second), ratio_of(second, first)
    assert forth.value * back.value == pytest.approx(1)
    assert forth.low * back.high == pytest.approx(1)
    assert forth.differs


@pytest.mark.parametrize("sizes", [(5, 5), (6, 30), (20, 20), (100, 60)])
@pytest.mark.parametrize("kind", ["lognormal", "shifted"])
def test_the_interval_holds_the_true_ratio_in_about_95_of_100_cases(kind, sizes):
    rng = np.random.default_rng(7)
    held, right = 0, 1.5

    def draw(n, factor):  # "shifted" is the shape of program times: a least time, and a long tail
        return factor * (
            rng.lognormal(0, 0.3, n) if kind == "lognormal" else 10 + rng.exponential(2, n)
        )

    for _ in range(1000):
        ratio = ratio_of(draw(sizes[0], 1.0), draw(sizes[1], right))
        held += ratio.low <= right <= ratio.high
    assert held >= 920


@pytest.mark.parametrize("times", [(0.0,) * 6, (0.0, 1.0, 1.0, 1.0, 1.0)])
def test_a_time_of_zero_has_no_ratio(times):
    assert ratio_of_medians(TimedSample(times), TimedSample((1.0,) * 6)) is None


def test_disturbed_times_and_few_trials_widen_the_interval():
    quiet = TimedSample((2.0,) * 6)
    ratio = ratio_of_medians(quiet, TimedSample((8.0,) * 6, slowdown=2.0, is_disturbed=True))
    assert (ratio.value, ratio.low, ratio.high, ratio.differs) == (4.0, 2.0, 4.0, True)
    assert ratio.doubts == ("times disturbed",)
    one = TimedSample((8.0,), variation=2.0)
    ratio = ratio_of_medians(quiet, one)
    assert (ratio.value, ratio.low, ratio.high) == (4.0, 2.0, 8.0)
    assert ratio.doubts == ("few trials",)
    assert not ratio_of_medians(TimedSample((3.0,), variation=2.0), one).differs


def test_the_widened_interval_leaves_out_1_if_the_intervals_do_not_overlap():
    rng = np.random.default_rng(3)
    for _ in range(300):
        first, second = (
            TimedSample(
                tuple(factor * rng.lognormal(0, 0.5, rng.integers(1, 12))),
                variation=rng.uniform(1, 2),
                slowdown=rng.uniform(1, 2),
                is_disturbed=True,
            )
            for factor in (1.0, rng.uniform(0.2, 5))
        )
        (low, high), (other_low, other_high) = first.interval, second.interval
        apart = high < other_low or other_high < low
        assert ratio_of_medians(first, second).differs == apart
        assert low <= first.median <= high
