"""Ticks of logarithmic axes that have three labels or more, as those of libraries have not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, pairwise

_LEAST_LABELS = 3  # of a logarithmic axis: two do not tell its scale
_DENSITIES = (range(1, 10), (1, 2, 5), (1, 3), (1,))


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
