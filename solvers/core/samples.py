"""Statistics of samples of times: medians, their intervals, and the ratio of two medians.

They assume nothing about the distribution of times, which is skewed: most trials lie
near the shortest, and a few are much longer. Means and intervals from a normal
distribution describe such samples badly (Hoefler and Belli, "Scientific benchmarking of
parallel computing systems", SC 2015); medians and order statistics do not have this
problem.

Source of the interval of a ratio: R. M. Price and D. G. Bonett, "Distribution-free
confidence intervals for difference and ratio of medians", Journal of Statistical
Computation and Simulation 72 (2002), 119-124. The variance of the logarithm of each
median is estimated from two order statistics of its sample; the logarithm of the ratio
is then taken as normal. It assumes nothing about the distribution of the times, not
even the same one for both samples, and needs no random numbers.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

CONFIDENCE = 0.95

LEAST_FOR_INTERVAL = 6
"""The smallest sample with a 95 % interval of the median: even the whole range of five
holds it with 93.75 % only.
"""

LEAST_TRIALS = 5
"""With fewer trials even the whole range of a sample holds its median with less than 93
% confidence.
"""

# Iglewicz and Hoaglin, "How to detect and handle outliers", ASQC 1993: 0.6745 makes the
# median absolute deviation of a normal sample 1 standard deviation, 0.7979 does so for
# the mean absolute deviation.
_MEDIAN_DEVIATION = 0.6745
_MEAN_DEVIATION = 0.7979

_Z = statistics.NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class TimedSample:
    """Trials of one variant, in ms, and what may have falsified their median.

    The interval of the median is its 95 % confidence interval or, with fewer than six
    trials, their range. It is widened where that says too little: of fewer than five
    trials each end by ``variation``; of disturbed times to the quartiles, and its lower
    end by ``slowdown``.
    """

    times: tuple[float, ...]  # not empty
    variation: float = 1.0  # factor by which a single time of this kind may differ from its median
    slowdown: float = 1.0  # factor by which disturbances may have prolonged every time
    is_disturbed: bool = False

    @property
    def median(self) -> float:
        return statistics.median(self.times)

    @property
    def is_small(self) -> bool:
        """Whether there are too few trials for an interval of a ratio."""
        return len(self.times) < LEAST_TRIALS

    @property
    def interval(self) -> tuple[float, float]:
        low, high = median_interval(self.times) or (min(self.times), max(self.times))
        if self.is_small:
            low, high = low / self.variation, high * self.variation
        if self.is_disturbed:
            first, third = quartiles(self.times)
            low, high = min(low, first) / self.slowdown, max(high, third)
        return low, high


@dataclass(frozen=True)
class Ratio:
    """Ratio of two medians with its interval, and why that is wider than chance makes it."""

    value: float  # the second median divided by the first: below 1, the second is faster
    low: float
    high: float
    doubts: tuple[str, ...] = ()  # "times disturbed", "few trials"

    @property
    def differs(self) -> bool:
        """Whether 1 lies outside the interval."""
        return not self.low <= 1 <= self.high

    @property
    def inverse(self) -> Ratio:
        """The first median divided by the second."""
        return Ratio(1 / self.value, 1 / self.high, 1 / self.low, self.doubts)


def ratio_of_medians(first: TimedSample, second: TimedSample) -> Ratio | None:
    """The median of ``second`` divided by that of ``first``; None if a time is not positive.

    The interval is the 95 % confidence interval of the ratio. Where times were disturbed
    or trials are few, it reaches from the least to the greatest ratio of two values in
    the widened intervals of the medians: it contains 1 if these overlap.
    """
    if min(*first.times, *second.times) <= 0:
        return None
    value = second.median / first.median
    is_disturbed = first.is_disturbed or second.is_disturbed
    is_small = first.is_small or second.is_small
    if not is_disturbed and not is_small:
        half = _Z * math.hypot(_log_median_error(first.times), _log_median_error(second.times))
        return Ratio(value, value * math.exp(-half), value * math.exp(half))
    (first_low, first_high), (second_low, second_high) = first.interval, second.interval
    doubts = (("times disturbed", is_disturbed), ("few trials", is_small))
    return Ratio(
        value,
        second_low / first_high,
        second_high / first_low,
        tuple(words for words, holds in doubts if holds),
    )


def _log_median_error(sample: Sequence[float]) -> float:
    """Standard error of the logarithm of the median."""
    n, ordered = len(sample), sorted(sample)
    rank = max(1, round((n + 1) / 2 - math.sqrt(n)))
    outside = sum(math.comb(n, k) for k in range(rank)) / 2**n
    z = statistics.NormalDist().inv_cdf(1 - outside)
    return (math.log(ordered[-rank]) - math.log(ordered[rank - 1])) / (2 * z)


def median_interval(sample: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % confidence interval of the median; None for fewer than six values.

    Both ends are values of the sample: those of ranks k and n - k + 1, with the largest
    k for which the binomial distribution of n and 1/2 puts the median between them with
    at least 95 % probability.

    Source: David and Nagaraja, "Order Statistics", 3rd edition, 2003, section 7.1.
    """
    rank = _rank(len(sample))
    if rank == 0:
        return None
    ordered = sorted(sample)
    return ordered[rank - 1], ordered[-rank]


def relative_half_width(sample: Sequence[float]) -> float:
    """Distance from the median to the farther end of its interval, divided by the
    median; inf without an interval.
    """
    interval = median_interval(sample)
    if interval is None:
        return math.inf
    median = statistics.median(sample)
    width = max(interval[1] - median, median - interval[0])
    if width == 0:
        return 0.0
    return width / median if median > 0 else math.inf


@cache
def _rank(n: int) -> int:
    """The rank, from 1, of the interval's lower end in a sample of n values; 0 if there
    is no interval.
    """
    tail_limit = (1 - CONFIDENCE) / 2
    tail, rank = 0.0, 0
    while rank < n // 2:
        tail += math.exp(
            math.lgamma(n + 1) - math.lgamma(rank + 1) - math.lgamma(n - rank + 1) - n * math.log(2)
        )
        if tail > tail_limit:
            break
        rank += 1
    return rank


def modified_z_scores(sample: Sequence[float]) -> list[float]:
    """Distance of each value from the median, in robust standard deviations; 0 for all
    if all values are equal.

    The scale is the median absolute deviation or, where more than half of the values
    are equal, the mean absolute deviation from the median.

    Source: Iglewicz and Hoaglin, "How to detect and handle outliers", ASQC 1993.
    """
    median = statistics.median(sample)
    deviations = [abs(value - median) for value in sample]
    scale = (
        statistics.median(deviations) / _MEDIAN_DEVIATION
        or statistics.fmean(deviations) / _MEAN_DEVIATION
    )
    return [(value - median) / scale if scale else 0.0 for value in sample]


def quartiles(sample: Sequence[float]) -> tuple[float, float]:
    """The first and the third, interpolated linearly as in ``summary.csv``."""
    if len(sample) < 2:
        return sample[0], sample[0]
    first, _, third = statistics.quantiles(sample, n=4, method="inclusive")
    return first, third
