"""Scales of a chart: linear or logarithmic; durations, ratios or counts.

The view box always uses linear coordinates. On a logarithmic scale log10 of the value is plotted, because
pyqtgraph's bars and error bars ignore its log mode (upstream issue 2535).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gui.style.numbers import count_tick, duration_tick, ratio_tick


@dataclass(frozen=True)
class Scale:
    """Maps values to coordinates and to tick labels.

    Attributes
    ----------
    is_log : bool
    write : callable
        Returns the tick label of a value.
    """

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


def durations(is_log: bool) -> Scale:
    return Scale(is_log, duration_tick)


def ratios(is_log: bool) -> Scale:
    return Scale(is_log, ratio_tick)


def counts(is_log: bool) -> Scale:
    return Scale(is_log, count_tick)
