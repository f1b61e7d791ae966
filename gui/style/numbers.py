"""Number formats for tables and axes: one unit per column, aligned decimal points, round ticks.

Single numbers are formatted by ``solvers.text``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from solvers.text import format_count, grouped, three_digits

FIGURE_SPACE = "\u2007"  # as wide as a digit
PUNCTUATION_SPACE = "\u2008"  # as wide as a point


@dataclass(frozen=True)
class TimeUnit:
    """A unit of time: ``ms`` milliseconds long, written as ``name``."""

    ms: float
    name: str


MICROSECONDS = TimeUnit(1e-3, "µs")
MILLISECONDS = TimeUnit(1.0, "ms")
SECONDS = TimeUnit(1e3, "s")


UNITS = {unit.name: unit for unit in (MICROSECONDS, MILLISECONDS, SECONDS)}


def column_unit(durations_ms: Sequence[float]) -> TimeUnit:
    """The unit for a column of durations: that of its geometric middle."""
    logs = [math.log10(ms) for ms in durations_ms if ms > 0]
    if not logs:
        return MILLISECONDS
    middle = (min(logs) + max(logs)) / 2
    if middle < -0.5:
        return MICROSECONDS
    return MILLISECONDS if middle < 3.5 else SECONDS


def align_decimals(texts: Sequence[str], suffix: str = "") -> list[str]:
    """Pad numbers on the right with spaces as wide as figures, so that decimal points align in a right-aligned column.

    ``suffix`` is appended to each number. Texts without digits ("", "—") are unchanged.
    """
    decimals = [len(t.partition(".")[2]) for t in texts]
    widest = max(decimals, default=0)
    return [
        t + suffix + _padding(own, widest) if any(map(str.isdigit, t)) else t
        for t, own in zip(texts, decimals, strict=True)
    ]


def _padding(own: int, widest: int) -> str:
    point = PUNCTUATION_SPACE if own == 0 < widest else ""
    return point + FIGURE_SPACE * (widest - own)


def duration_tick(ms: float) -> str:
    """A round duration for an axis: ``"0"``, ``"50 µs"``, ``"2.5 ms"``, ``"10 s"``."""
    if ms == 0:
        return "0"
    for unit in (MICROSECONDS, MILLISECONDS):
        if abs(ms) < 999.5 * unit.ms:
            return f"{ms / unit.ms:.3g} {unit.name}"
    return f"{_plain(ms / SECONDS.ms)} s"


def ratio_tick(ratio: float) -> str:
    """A round ratio for an axis: ``"0.5×"``, ``"1×"``, ``"1,000×"``."""
    return f"{_plain(ratio)}×"


def count_tick(count: float) -> str:
    """A round count for an axis: ``"500"``, ``"20 k"``, ``"1.5 M"``."""
    for scale, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(count) >= scale:
            return f"{_plain(count / scale)} {letter}"
    return _plain(count)


def _plain(value: float) -> str:
    return grouped(value, ".0f") if abs(value) >= 1000 else f"{value:.3g}"


def in_unit(ms: float, unit: TimeUnit) -> str:
    """A duration in ``unit`` without the unit, three significant digits."""
    return three_digits(ms / unit.ms)


def ordinal(number: int) -> str:
    """``"1st"``, ``"2nd"``, ``"4th"``, ``"1,024th"``."""
    endings = {1: "st", 2: "nd", 3: "rd"}
    ending = "th" if 10 <= number % 100 <= 20 else endings.get(number % 10, "th")
    return f"{format_count(number)}{ending}"


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
        Labels at the densest of 1-2-3..., 1-2-5, 1-3 and 1 that keep the gap, or at every k-th power; plain ticks
        at all digits times a power.
    """
    decades = range(math.floor(low), math.ceil(high) + 1)

    def inside(mantissas: Sequence[int], powers: Sequence[int] = decades) -> list[float]:
        ticks = (power + math.log10(m) for power in powers for m in mantissas)
        return [t for t in ticks if low - 1e-9 <= t <= high + 1e-9]

    digits = inside(range(1, 10))
    for mantissas in (range(1, 10), (1, 2, 5), (1, 3), (1,)):
        labelled = inside(mantissas)
        if len(labelled) >= 2 and _least_gap(labelled) >= gap:
            return labelled, digits
    if len(inside((1,))) >= 2:
        every = math.ceil(gap)
        return inside((1,), [power for power in decades if power % every == 0]), inside((1,))
    return _round_between(low, high, gap), digits


def _round_between(low: float, high: float, gap: float) -> list[float]:
    """Ticks of a logarithmic axis too short for two round powers: round steps, at least ``gap`` apart."""
    room = max(2, int((high - low) / gap))
    ticks: list[float] = []
    for value in linear_ticks(10**low, 10**high, room):
        if value > 0 and (not ticks or math.log10(value) - ticks[-1] >= gap):
            ticks.append(math.log10(value))
    return ticks


def _least_gap(ticks: Sequence[float]) -> float:
    return min(b - a for a, b in pairwise(ticks))


def linear_ticks(low: float, high: float, room: int) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten between ``low`` and ``high``: at most ``room``, at least two."""
    span = high - low
    if span <= 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(span))
    ticks = [low]
    for step in (m * power * scale for scale in (1.0, 0.1, 0.01, 0.001) for m in (5, 2, 1)):
        finer = _multiples(step, low, high)
        if len(finer) > room and len(ticks) >= 2:
            break
        ticks = finer
    return ticks


def _multiples(step: float, low: float, high: float) -> list[float]:
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [step * k for k in range(first, last + 1)]


def format_rate(per_second: float, unit: str) -> str:
    """A rate with three significant digits: ``"80.7 M arcs/s"`` for the unit " arcs", ``"3.90 TB/s"`` for "B"."""
    for scale, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(per_second) >= 0.9995 * scale:
            return f"{three_digits(per_second / scale)} {letter}{unit}/s"
    return f"{three_digits(per_second)} {unit.strip()}/s"
