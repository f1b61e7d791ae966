"""Ticks of axes, linear and logarithmic: one rule for the charts of the window and of reports."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from solvers.text import grouped

_MOST_TICKS = 8
_LEAST_LABELS = 3  # of a logarithmic axis: two do not tell its scale
_DENSITIES = (range(1, 10), (1, 2, 5), (1, 3), (1,))
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def log_ticks(low: float, high: float, gap: float) -> tuple[list[float], list[float]]:
    """Tick positions, in log10, of a logarithmic axis from 10**low to 10**high.

    Parameters
    ----------
    low, high : float
        Ends of the axis, in log10.
    gap : float
        Least distance between two labels, in log10.

    Returns
    -------
    labelled, plain : lists of float
        Three labels or more, if the gap leaves room for them: at the densest of 1-2-3...,
        1-2-5, 1-3 and 1 that keep the gap, at every k-th power, or at three of these or
        of other round values; plain ticks at all digits times a power.
    """
    decades = range(math.floor(low), math.ceil(high) + 1)

    def inside(mantissas: Sequence[int], powers: Sequence[int] = decades) -> list[float]:
        ticks = (power + math.log10(m) for power in powers for m in mantissas)
        return [t for t in ticks if low - 1e-9 <= t <= high + 1e-9]

    digits, sets = inside(range(1, 10)), [inside(mantissas) for mantissas in _DENSITIES]
    for labelled in sets:
        if len(labelled) >= _LEAST_LABELS and _least_gap(labelled) >= gap:
            return labelled, digits
    every = max(1, math.ceil(gap))
    powers = inside((1,), [power for power in decades if power % every == 0])
    if len(powers) >= _LEAST_LABELS:
        return powers, inside((1,))
    return _few(low, high, gap, sets[::-1]), digits


def _few(low: float, high: float, gap: float, sets: Sequence[list[float]]) -> list[float]:
    """Three ticks of the first of ``sets`` that has three at least ``gap`` apart, else of
    round steps; two, or one, where three have no room.
    """
    room = max(2, int((high - low) / gap))
    steps = (linear_ticks(10**low, 10**high, room + more) for more in range(_LEAST_LABELS))
    finer = [[math.log10(value) for value in values if value > 0] for values in steps]
    for count in range(_LEAST_LABELS, 1, -1):
        for ticks in (*sets, *finer):
            apart = max(combinations(ticks, count), key=_least_gap, default=None)
            if apart is not None and _least_gap(apart) >= gap:
                return list(apart)
    return finer[0][:1]


def _least_gap(ticks: Sequence[float]) -> float:
    return min(b - a for a, b in pairwise(ticks))


def linear_ticks(low: float, high: float, room: int) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten between ``low`` and ``high``: at most
    ``room``, at least two.
    """
    return _multiples(_linear_step(low, high, room), low, high) if high > low else [low]


def _linear_step(low: float, high: float, room: int) -> float:
    power, count = 10.0 ** math.floor(math.log10(high - low)), 0
    chosen = power
    for step in (m * power * scale for scale in (1.0, 0.1, 0.01, 0.001) for m in (5, 2, 1)):
        finer = len(_multiples(step, low, high))
        if finer > room and count >= 2:
            break
        chosen, count = step, finer
    return chosen


def _multiples(step: float, low: float, high: float) -> list[float]:
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [step * k for k in range(first, last + 1)]


@dataclass(frozen=True)
class Ticks:
    low: float
    high: float
    is_log: bool
    places: tuple[float, ...]

    def position(self, value: float) -> float:
        """Share of the axis, 0 at its low end, 1 at its high end; values outside are
        moved to the ends.
        """
        low, high, at = self.low, self.high, min(max(value, self.low), self.high)
        if self.is_log:
            low, high, at = math.log(low), math.log(high), math.log(at)
        return (at - low) / (high - low) if high > low else 0.5

    @classmethod
    def linear(cls, values: Iterable[float], *, from_zero: bool = False) -> Ticks:
        """An axis that ends at ticks around the values."""
        found = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
        low, high = min(found), max(found)
        if from_zero:
            low = min(0.0, low)
        if high == low:
            low, high = (low - 0.5, high + 0.5) if not from_zero else (low, high or 1.0)
        step = _linear_step(low, high, _MOST_TICKS)
        places = tuple(
            i * step
            for i in range(math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9) + 1)
        )
        return cls(min(low, places[0]), max(high, places[-1]), False, places)

    @classmethod
    def log(cls, values: Iterable[float]) -> Ticks:
        """An axis a little longer than the values."""
        found = [value for value in values if math.isfinite(value) and value > 0] or [1.0, 10.0]
        low, high = min(found) / 1.15, max(found) * 1.15
        ends = math.log10(low), math.log10(high)
        labelled, _ = log_ticks(*ends, (ends[1] - ends[0]) / _MOST_TICKS)
        return cls(low, high, True, tuple(min(max(10.0**place, low), high) for place in labelled))

    @classmethod
    def at(cls, values: Iterable[float], *, is_log: bool = True) -> Ticks:
        """Ticks at the values themselves, for a few sizes or threads."""
        places = tuple(sorted({value for value in values if value > 0 or not is_log}))
        if not places:
            return cls.log(()) if is_log else cls.linear(())
        if is_log:
            return cls(places[0] / 1.12, places[-1] * 1.12, True, places)
        room = (places[-1] - places[0]) / 25 or 0.5
        return cls(places[0] - room, places[-1] + room, False, places)

    def label(self, value: float) -> str:
        """A value as the axis writes all of its ticks: by powers of ten where one of
        them would be long.
        """
        return _label(value, self.is_log and not all(map(_is_short, self.places)))


def _is_short(value: float) -> bool:
    return value == 0 or 1e-3 <= abs(value) < 1e7


def _label(value: float, by_powers: bool) -> str:
    if value == 0:
        return "0"
    power = math.floor(math.log10(abs(value)))
    if by_powers:
        factor = round(value / 10.0**power)
        exponent = f"10{str(power).translate(_SUPERSCRIPTS)}"
        return exponent if factor == 1 else f"{factor}·{exponent}"
    return grouped(round(value, max(0, 2 - power)), ".10g")
