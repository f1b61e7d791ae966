"""Formatting of durations, counts, bytes and distances for display, and quotation of
foreign text in messages.

One rule for the numbers that people read, in the window, terminals, charts and reports:
thin spaces between thousands, from 1,000 on; a decimal point; a minus sign (U+2212); an
en dash between spaces in a range, ``0.2 – 0.4``; a space before a unit, also before
``%``, but none before ``×``. Names, ids and values that were typed stay as they are.

Files, pipes and JSON are read by programs: no separators, and a hyphen for the minus
sign. `grouped` writes a number for people, and `ungrouped` and `Console` turn it back.

Durations are passed in ms and shown with three significant digits in the unit that fits
their magnitude.
"""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from solvers.units import METRES_PER_UNIT, public_unit, to_public_unit

_MINUTE = 60_000.0
_LEAST_DECIMAL = 0.1  # of a ratio
THIN_SPACE = "\u202f"
"""The narrow space that does not break lines."""
MINUS = "\N{MINUS SIGN}"
MOST_QUOTED = 80
"""Characters of a name or value that a message quotes."""
MOST_REASON = 400
"""Characters of one sentence of a message; libraries whose words are passed on write of
any length.
"""

_UNITS = ((1e-6, "ns"), (1e-3, "µs"), (1.0, "ms"), (1e3, "s"))

_SEPARATORS = str.maketrans("", "", f",\u2009\u00a0 {THIN_SPACE}") | {ord(MINUS): "-"}


def format_duration(ms: float) -> str:
    """A duration: ``"6.40 µs"``, ``"61.2 ms"``, ``"1.14 s"``; past 1,000 s ``"25 min 3
    s"``, ``"3 h 5 min"``.
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


def rounded_duration(seconds: float) -> str:
    """A rough duration: "8 s", "25 s", "3 min", "45 min", "2 h"."""
    if seconds < 90:
        return f"{_rounded(seconds)} s"
    if seconds < 90 * 60:
        return f"{_rounded(seconds / 60)} min"
    return f"{format_count(_rounded(seconds / 3600))} h"


def _rounded(value: float) -> int:
    """To a multiple of 5 from 20 on: an estimate is not known better."""
    return max(1, round(value)) if value < 20 else 5 * round(value / 5)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: "a", "a and b", "a, b and c"."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def capitalised(text: str) -> str:
    """``text`` with a capital first letter; the others stay as they are."""
    return text[:1].upper() + text[1:]


def format_count(count: int) -> str:
    """An integer with thin spaces between thousands: 1 014 331."""
    return grouped(count, "d")


def format_value(value: object) -> str:
    return (
        grouped(value, "")
        if isinstance(value, int | float) and not isinstance(value, bool)
        else str(value)
    )


def grouped(value: float, spec: str) -> str:
    """``value`` in a format such as ".7g" ("" for its default), with thin spaces
    between thousands and a minus sign.
    """
    return f"{value:,{spec}}".replace(",", THIN_SPACE).replace("-", MINUS)


def format_amount(value: float, digits: int) -> str:
    """``value`` with so many significant digits, at most six, and no exponent where it
    is large: "12 810 000 000".
    """
    rounded = float(f"{value:.{digits}g}")
    return grouped(rounded, ".0f" if rounded >= 10**digits else "g")


def ungrouped(text: str) -> str:
    """``text`` of ours without thin spaces between thousands, and with hyphens, for
    files that programs read.
    """
    return text.replace(THIN_SPACE, "").replace(MINUS, "-")


def without_groups(text: str) -> str:
    """A typed number without the characters that may separate thousands, and with a
    hyphen for its minus sign.
    """
    return text.translate(_SEPARATORS)


def format_ratio(ratio: float) -> str:
    """A ratio with three significant digits and a times sign: ``"0.250×"``,
    ``"2.31×"``, ``"12.4×"``; below a tenth as a fraction: ``"1/176"``.
    """
    if 0 < ratio < _LEAST_DECIMAL:
        return f"1/{three_digits(1 / ratio)}"
    return f"{three_digits(ratio)}×"


def format_percent(share: float) -> str:
    """A fraction as a percentage without decimals: ``format_percent(0.25) == "25 %"``."""
    return f"{grouped(100 * share, '.0f')} %"


def format_distance(distance: int | float, unit: str = "", *, exact: bool = True) -> str:
    """A path length: ``"0.3125"``, ``"unreachable"`` for infinity.

    If the unit is a length, the distance in m or km comes first: ``"49.5 km (495306
    dm)"``; alone without ``exact``. Seconds are shown as a travel time: ``"12.4 s"``,
    ``"25 min 3 s"``, ``"3 h 5 min"``.
    """
    if math.isinf(distance):
        return "unreachable"
    distance, unit = to_public_unit(distance, unit), public_unit(unit)
    if unit == "s":
        return format_travel_time(distance)
    digits = (
        format_count(int(distance)) if float(distance).is_integer() else grouped(distance, ".7g")
    )
    if unit in METRES_PER_UNIT:
        metres = distance * METRES_PER_UNIT[unit]
        if metres == 0 or (unit == "m" and abs(metres) < 1000):
            return f"{digits} m"
        ground = (
            f"{three_digits(metres / 1000)} km"
            if abs(metres) >= 1000
            else f"{three_digits(metres)} m"
        )
        if unit == "km" and abs(metres) >= 1000 and exact:
            return f"{digits} km"
        return f"{ground} ({digits} {unit})" if exact else ground
    return f"{digits} {unit}" if unit else digits


def format_travel_time(seconds: float) -> str:
    """A travel time: ``"12.4 s"``, ``"25 min 3 s"``, ``"3 h 5 min"``."""
    if abs(seconds) < 60:
        return f"{grouped(seconds, '.3g')} s"
    sign, length = MINUS if seconds < 0 else "", abs(seconds)
    if length < 3600:
        minutes, rest = divmod(round(length), 60)
        return f"{sign}{minutes} min {rest} s" if rest else f"{sign}{minutes} min"
    hours, minutes = divmod(round(length / 60), 60)
    return (
        f"{sign}{format_count(hours)} h {minutes} min"
        if minutes
        else f"{sign}{format_count(hours)} h"
    )


def plural(count: int, noun: str, nouns: str = "") -> str:
    """A count and its noun: ``plural(1, "arc") == "1 arc"``, ``plural(2, "vertex",
    "vertices") == "2 vertices"``.
    """
    return f"{format_count(count)} {noun if count == 1 else nouns or noun + 's'}"


def three_digits(value: float) -> str:
    """``value`` with three significant digits, without an exponent: ``"6.40"``, ``"0.0430"``."""
    if value == 0 or not math.isfinite(value):
        return grouped(value, "g")
    rounded = float(f"{value:.2e}")
    decimals = max(0, 2 - math.floor(math.log10(abs(rounded))))
    return grouped(rounded, f".{decimals}f")


def format_bytes(count: float) -> str:
    """A byte count in decimal units with up to three digits:
    ``format_bytes(5_400_000_000) == '5.4 GB'``.
    """
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if abs(value) < 999.5:
            return f"{grouped(value, '.0f' if unit == 'B' else '.3g')} {unit}"
        value /= 1000
    return f"{grouped(value, '.3g')} TB"


def printable(text: str) -> str:
    """Text from a file, or a file's name, safe to print: what a terminal would obey, or
    cannot encode, is escaped.

    ``printable("a\\x1b[31m") == "a\\\\x1b[31m"``; a byte of a file name that is not
    UTF-8 is shown as ``\\xff``. Tabs become spaces; the thin spaces of counts stay.
    """
    return "".join(
        character if character.isprintable() or character == THIN_SPACE else _escape(character)
        for character in text
    )


def _escape(character: str) -> str:
    if character == "\t":
        return " "
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that Python could not decode
        code -= 0xDC00
    return (
        f"\\x{code:02x}" if code < 0x100 else character.encode("ascii", "backslashreplace").decode()
    )


def quoted(text: str, most: int = MOST_QUOTED) -> str:
    """Text of any origin and length as a message quotes it: `printable`, and of
    ``most`` characters at most.
    """
    # cut first, since escaping takes time for each character
    return shortened(printable(shortened(text, most)), most)


def shortened(text: str, most: int) -> str:
    """Text of ``most`` characters at most; what is too long loses its middle: ``"abc…xyz"``."""
    if len(text) <= most:
        return text
    tail = (most - 1) // 2
    return f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"


def filled_in(template: str, values: Mapping[str, Any]) -> str:
    """A template with its values: ``filled_in("{what} needs {size:bytes}.", {"what":
    "It", "size": 1000})``.

    Beside the specifications of `format` there are ``quoted``; ``cut``, to the length
    of a sentence; ``value``; ``bytes``; ``count``; and ``line``, the first line of a
    log.
    """
    return _Template().vformat(template, (), values)


class _Template(string.Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        return (
            _WRITERS[format_spec](value) if format_spec in _WRITERS else format(value, format_spec)
        )


def _quoted_value(value: object) -> str:
    try:
        return f"“{quoted(value)}”" if isinstance(value, str) else quoted(repr(value))
    except ValueError:  # Python writes integers of 4,300 digits at most
        return (
            f"a number of {value.bit_length()} bits"
            if isinstance(value, int)
            else type(value).__name__
        )


_WRITERS: dict[str, Callable[[Any], str]] = {
    "quoted": lambda value: quoted(str(value)),
    "cut": lambda sentence: quoted(sentence, MOST_REASON),
    "value": _quoted_value,
    "bytes": format_bytes,
    "count": format_count,
    "line": lambda log: next(iter(log.strip().splitlines()), "no log"),
}


def local_time(timestamp: str) -> datetime | None:
    """A time that was written down, on the clock here; None if it is no time of a calendar."""
    try:
        return datetime.fromisoformat(timestamp).astimezone()
    except (ValueError, OverflowError, OSError):  # of a foreign table
        return None


def long_time(timestamp: str) -> str:
    """A local date and time: ``"22 Nov 2026, 14:05"``; the text itself if it is not a timestamp."""
    moment = local_time(timestamp)
    return timestamp or "unknown time" if moment is None else f"{day_of(moment)}, {moment:%H:%M}"


def day_of(moment: datetime) -> str:
    """``"22 Nov 2026"``."""
    return f"{moment.day} {moment:%b %Y}"
