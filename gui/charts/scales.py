"""Scales of a chart, and the downsampling of a long series to pixel columns. No pyqtgraph.

A scale is linear or logarithmic, of durations, ratios or counts. Downsampling keeps the
peaks of the series.

Panels import this module, so that nothing here may import pyqtgraph.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from gui.style.text import MILLISECONDS, TimeUnit, count_tick, duration_tick, ratio_tick
from solvers.system.array_types import Float64s, Int64s

_SAMPLES = 4096  # of a series, for its median


@dataclass(frozen=True)
class Scale:
    """Maps values to coordinates and, by ``write``, to tick labels."""

    is_log: bool
    write: Callable[[float], str]

    def place(self, value: float) -> float:
        """Coordinate of a value; a logarithmic scale clamps values to at least 1e-9."""
        return math.log10(max(value, 1e-9)) if self.is_log else value

    def value(self, place: float) -> float:
        return 10.0**place if self.is_log else place

    def span(self, values: Sequence[float]) -> tuple[float, float]:
        """Range of an axis that shows all values with some margin; starts at zero if linear."""
        if not values:
            return (0.0, 1.0)
        low, high = self.place(min(values)), self.place(max(values))
        if not self.is_log:
            return (min(0.0, low), high * 1.04 or 1.0)
        air = max(0.08, (high - low) * 0.06)
        return (low - air, high + air)


@cache
def durations(is_log: bool, unit: TimeUnit = MILLISECONDS) -> Scale:
    """A scale of milliseconds with labels in one unit, which the legend names."""
    return Scale(is_log, lambda ms: duration_tick(ms, unit))


def ratios(is_log: bool) -> Scale:
    return Scale(is_log, ratio_tick)


def counts(is_log: bool, low: float, top: float) -> Scale:
    """A scale of counts from ``low`` to ``top`` with one letter, as k, for all: a linear
    one has that of its greatest, a logarithmic one that of its least, so that labels
    are whole numbers.
    """
    size = low if is_log else top
    return Scale(is_log, lambda count: count_tick(count, size))


def peaks(values: NDArray[np.integer], columns: int) -> Float64s:
    """(min(T, columns),) maximum of each of ``columns`` equal parts of a series of counts."""
    count = min(len(values), max(1, columns))
    if count == 0:
        return np.empty(0)
    return np.maximum.reduceat(values, (np.arange(count) * len(values)) // count).astype(np.float64)


def wants_log(values: Int64s) -> bool:
    """True if the maximum is so far above the median that a linear scale would flatten most values.

    The median is that of an even sample: sorting a run of millions of iterations would
    be felt.
    """
    if not len(values):
        return False
    sample = values[:: max(1, len(values) // _SAMPLES)]
    positive = sample[sample > 0]
    return len(positive) > 2 and float(values.max()) > 100 * float(np.median(positive))
