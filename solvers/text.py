"""Formatting of durations, counts, ratios and distances for display; thousands are separated by thin spaces.

Durations are passed in ms and shown with three significant digits in the unit that fits their magnitude.
"""

from __future__ import annotations

import math

_MINUTE = 60_000.0
THIN_SPACE = "\u202f"
"""The narrow space that does not break lines."""

_UNITS = ((1e-6, "ns"), (1e-3, "µs"), (1.0, "ms"), (1e3, "s"))


def format_duration(ms: float) -> str:
    """A duration: ``"6.40 µs"``, ``"61.2 ms"``, ``"1.14 s"``; past 1,000 s ``"25 min 3 s"``, ``"3 h 5 min"``.

    Parameters
    ----------
    ms : float
        Non-negative duration in ms.
    """
    if ms == 0:
        return "0 ms"
    for scale, unit in _UNITS:
        if ms / scale < 999.5:
            return f"{three_digits(ms / scale)} {unit}"
    if ms < 60 * _MINUTE:
        minutes, seconds = divmod(round(ms / 1e3), 60)
        return f"{minutes} min {seconds} s"
    hours, minutes = divmod(round(ms / _MINUTE), 60)
    return f"{format_count(hours)} h {minutes} min"


def format_count(count: int) -> str:
    """An integer with thin spaces between thousands: 1 014 331."""
    return grouped(count, "d")


def format_value(value: object) -> str:
    """The value of a parameter, with thin spaces between thousands of an integer."""
    return format_count(value) if isinstance(value, int) and not isinstance(value, bool) else str(value)


def grouped(value: float, spec: str) -> str:
    """``value`` in a format such as ".7g" ("" for its default), with thin spaces between thousands."""
    return f"{value:,{spec}}".replace(",", THIN_SPACE)


def ungrouped(text: str) -> str:
    """``text`` of ours without the thin spaces between thousands, for files that programs read."""
    return text.replace(THIN_SPACE, "")


def without_groups(text: str) -> str:
    """``text`` without the characters that may separate thousands in a typed number."""
    return text.translate(_SEPARATORS)


_SEPARATORS = str.maketrans("", "", f",\u2009\u00a0 {THIN_SPACE}")


def format_ratio(ratio: float) -> str:
    """A ratio with three significant digits and a times sign: ``"0.250×"``, ``"2.31×"``, ``"12.4×"``."""
    return f"{three_digits(ratio)}×"


def format_percent(share: float) -> str:
    """A fraction as a percentage without decimals: ``format_percent(0.25) == "25 %"``."""
    return f"{100 * share:.0f} %"


METRES_PER_UNIT = {"km": 1000.0, "m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001}
SECONDS_PER_UNIT = {"s": 1.0, "ds": 0.1}


def format_distance(distance: int | float, unit: str = "") -> str:
    """A path length: ``"0.3125"``, ``"unreachable"`` for infinity.

    If the unit is a length other than metres, the distance in m or km comes first: ``"49.5 km (495306 dm)"``. Tenths of
    seconds are shown as a travel time: ``"12.4 s"``, ``"25 min 3 s"``, ``"3 h 5 min"``.
    """
    if math.isinf(distance):
        return "unreachable"
    if unit == "ds":
        return format_travel_time(distance * SECONDS_PER_UNIT[unit])
    digits = format_count(int(distance)) if float(distance).is_integer() else grouped(distance, ".7g")
    if unit in METRES_PER_UNIT:
        metres = distance * METRES_PER_UNIT[unit]
        if metres == 0 or (unit == "m" and abs(metres) < 1000):
            return f"{digits} m"
        ground = f"{three_digits(metres / 1000)} km" if abs(metres) >= 1000 else f"{three_digits(metres)} m"
        return f"{ground} ({digits} {unit})"
    return f"{digits} {unit}" if unit else digits


def format_travel_time(seconds: float) -> str:
    """A travel time: ``"12.4 s"``, ``"25 min 3 s"``, ``"3 h 5 min"``."""
    if abs(seconds) < 60:
        return f"{seconds:.3g} s"
    sign, length = "-" if seconds < 0 else "", abs(seconds)
    if length < 3600:
        minutes, rest = divmod(round(length), 60)
        return f"{sign}{minutes} min {rest} s" if rest else f"{sign}{minutes} min"
    hours, minutes = divmod(round(length / 60), 60)
    return f"{sign}{format_count(hours)} h {minutes} min" if minutes else f"{sign}{format_count(hours)} h"


def plural(count: int, noun: str, nouns: str = "") -> str:
    """A count and its noun: ``plural(1, "arc") == "1 arc"``, ``plural(2, "vertex", "vertices") == "2 vertices"``."""
    return f"{format_count(count)} {noun if count == 1 else nouns or noun + 's'}"


def three_digits(value: float) -> str:
    """``value`` with three significant digits, without an exponent: ``"6.40"``, ``"0.0430"``."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    rounded = float(f"{value:.2e}")
    decimals = max(0, 2 - math.floor(math.log10(abs(rounded))))
    return grouped(rounded, f".{decimals}f")
