"""Statistics of a sample of trial times that assume nothing about their distribution.

Times of programs are skewed: most trials lie near the shortest, and a few are much longer. Means, standard deviations
and intervals from a normal distribution describe such samples badly (Hoefler and Belli, "Scientific benchmarking of
parallel computing systems", SC 2015); medians and order statistics do not have this problem.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from functools import cache

CONFIDENCE = 0.95

LEAST_FOR_INTERVAL = 6
"""The smallest sample with a 95 % interval of the median: even the whole range of five holds it with 93.75 % only."""

# Iglewicz and Hoaglin, "How to detect and handle outliers", ASQC 1993: 0.6745 makes the median absolute deviation of a
# normal sample 1 standard deviation, 0.7979 does so for the mean absolute deviation.
_MEDIAN_DEVIATION = 0.6745
_MEAN_DEVIATION = 0.7979


def median_interval(sample: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % confidence interval of the median; None for fewer than six values.

    Both ends are values of the sample: those of ranks k and n - k + 1, with the largest k for which the binomial
    distribution of n and 1/2 puts the median between them with at least 95 % probability.

    Source: David and Nagaraja, "Order Statistics", 3rd edition, 2003, section 7.1.
    """
    rank = _rank(len(sample))
    if rank == 0:
        return None
    ordered = sorted(sample)
    return ordered[rank - 1], ordered[-rank]


def relative_half_width(sample: Sequence[float]) -> float:
    """Distance from the median to the farther end of its interval, divided by the median; inf without an interval."""
    interval = median_interval(sample)
    if interval is None:
        return math.inf
    median = statistics.median(sample)
    width = max(interval[1] - median, median - interval[0])
    return width / median if median > 0 else (0.0 if width == 0 else math.inf)


@cache
def _rank(n: int) -> int:
    """The rank, from 1, of the interval's lower end in a sample of n values; 0 if there is no interval."""
    tail_limit = (1 - CONFIDENCE) / 2
    tail, rank = 0.0, 0
    while rank < n // 2:
        tail += math.exp(math.lgamma(n + 1) - math.lgamma(rank + 1) - math.lgamma(n - rank + 1) - n * math.log(2))
        if tail > tail_limit:
            break
        rank += 1
    return rank


def modified_z_scores(sample: Sequence[float]) -> list[float]:
    """Distance of each value from the median, in robust standard deviations; 0 for all if all values are equal.

    The scale is the median absolute deviation or, where more than half of the values are equal, the mean absolute
    deviation from the median.

    Source: Iglewicz and Hoaglin, "How to detect and handle outliers", ASQC 1993.
    """
    median = statistics.median(sample)
    deviations = [abs(value - median) for value in sample]
    scale = statistics.median(deviations) / _MEDIAN_DEVIATION or statistics.fmean(deviations) / _MEAN_DEVIATION
    return [(value - median) / scale if scale else 0.0 for value in sample]


def interquartile_range(sample: Sequence[float]) -> float:
    """Distance between the quartiles, interpolated linearly as in ``summary.csv``; 0 for one value."""
    if len(sample) < 2:
        return 0.0
    quarter, _, three_quarters = statistics.quantiles(sample, n=4, method="inclusive")
    return three_quarters - quarter
