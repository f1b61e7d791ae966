"""Ticks of axes, linear and logarithmic."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from solvers.text import THIN_SPACE

_STEPS = (1.0, 2.0, 5.0, 10.0)
_MOST_TICKS = 7
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Ticks:
    """The extent of an axis and its ticks.

    Attributes
    ----------
    low, high : float
    is_log : bool
    places : tuple of float
    """

    low: float
    high: float
    is_log: bool
    places: tuple[float, ...]

    def position(self, value: float) -> float:
        """Share of the axis, 0 at its low end, 1 at its high end; values outside are moved to the ends."""
        low, high, at = self.low, self.high, min(max(value, self.low), self.high)
        if self.is_log:
            low, high, at = math.log(low), math.log(high), math.log(at)
        return (at - low) / (high - low) if high > low else 0.5

    def label(self, value: float) -> str:
        return _label(value, self.is_log)


def linear_ticks(values: Iterable[float], *, from_zero: bool = False) -> Ticks:
    """Ticks at multiples of 1, 2 or 5 powers of ten around the values."""
    found = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(found), max(found)
    if from_zero:
        low = min(0.0, low)
    if high == low:
        low, high = (low - 0.5, high + 0.5) if not from_zero else (low, high or 1.0)
    rough = (high - low) / (_MOST_TICKS - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in _STEPS if factor * power >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    places = tuple(i * step for i in range(first, last + 1))
    return Ticks(places[0], places[-1], False, places)


def log_ticks(values: Iterable[float]) -> Ticks:
    """Ticks at powers of ten or, over fewer than two of them, also at 2 and 5."""
    found = [value for value in values if math.isfinite(value) and value > 0] or [1.0, 10.0]
    low, high = min(found) / 1.15, max(found) * 1.15
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    decades = math.log10(high / low)
    factors = (1.0,) if decades > 2.5 else (1.0, 2.0, 5.0)
    every = max(1, math.ceil((last - first) / (_MOST_TICKS + 1)))
    places = tuple(
        factor * 10.0**power for power in range(first, last + 1, every) for factor in factors
        if low <= factor * 10.0**power <= high
    )  # fmt: skip
    if len(places) < 2:  # a narrow range
        places = tuple(place for place in linear_ticks((low, high)).places if low <= place <= high)
    return Ticks(low, high, True, places)


def ticks_at(values: Iterable[float], *, is_log: bool = True) -> Ticks:
    """Ticks at the values themselves, for a few sizes or threads."""
    places = tuple(sorted({value for value in values if value > 0 or not is_log}))
    if not places:
        return log_ticks(()) if is_log else linear_ticks(())
    if is_log:
        return Ticks(places[0] / 1.12, places[-1] * 1.12, True, places)
    room = (places[-1] - places[0]) / 25 or 0.5
    return Ticks(places[0] - room, places[-1] + room, False, places)


def _label(value: float, is_log: bool) -> str:
    if value == 0:
        return "0"
    power = math.floor(math.log10(abs(value)))
    if is_log and not -3 <= power <= 6:
        factor = round(value / 10.0**power)
        exponent = f"10{str(power).translate(_SUPERSCRIPTS)}"
        return exponent if factor == 1 else f"{factor}·{exponent}"
    return f"{round(value, max(0, 2 - power)):,.10g}".replace(",", THIN_SPACE)
