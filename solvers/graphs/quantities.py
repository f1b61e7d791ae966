"""How the numbers of a column are written: plain, with a decimal comma, with a unit
(5 km) or as a time of the clock (00:04:00); and which columns of numbers without titles
may be weights.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from solvers.graphs.titles import unit_named
from solvers.system.array_types import AnyArray
from solvers.text import listed

_CLOCK = re.compile(r"(\d{1,4}):([0-5]\d):([0-5]\d(?:\.\d+)?)")
_QUANTITY = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*([A-Za-z]+\.?)")
_COMMA = re.compile(r"[+-]?\d+,\d+")
_WHOLE = re.compile(r"[+-]?\d+")
# may be thousands: 1,234
_GROUP = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_IN_BASE = {"km": 1000.0, "m": 1.0, "mi": 1609.344, "ft": 0.3048, "h": 3600, "min": 60, "s": 1}
_LENGTHS = ("km", "m", "mi", "ft")
_MOMENTS = (10**9, 10**10)  # seconds of Unix time from 2001 on, which have ten digits
_ENOUGH_MOMENTS = 3  # fewer weights may rise by chance


class Form(Enum):
    PLAIN = "numbers"
    COMMA = "numbers with a decimal comma"
    UNIT = "numbers with a unit"
    CLOCK = "times as hours:minutes:seconds"


@dataclass(frozen=True)
class Notation:
    """The form of all numbers of a column, and the unit that their cells name."""

    form: Form = Form.PLAIN
    unit: str = ""

    @property
    def special(self) -> bool:
        """Whether it is none that `float` reads."""
        return self.form is not Form.PLAIN

    def plain(self, cell: str) -> str | None:
        """A cell as `float` reads it, in the unit of the column; None if it is of another form."""
        text = cell.strip()
        match self.form:
            case Form.COMMA if _COMMA.fullmatch(text) or _WHOLE.fullmatch(text):
                return text.replace(",", ".")
            case Form.CLOCK if found := _CLOCK.fullmatch(text):
                seconds = int(found[1]) * 3600 + int(found[2]) * 60 + float(found[3])
                return str(int(seconds) if seconds.is_integer() else seconds)
            case Form.UNIT if found := _QUANTITY.fullmatch(text):
                return _converted(found[1], unit_named(found[2]), self.unit)
        return None


PLAIN = Notation()


def _converted(number: str, unit: str, to: str) -> str | None:
    if unit == to:
        return number
    if not unit or (unit in _LENGTHS) != (to in _LENGTHS):
        return None
    return repr(float(number) * _IN_BASE[unit] / _IN_BASE[to])


def notation_of(cells: Sequence[str]) -> Notation:
    """The notation of cells, which all have it; plain if they do not agree on another."""
    given = [text for text in map(str.strip, cells) if text]
    if not given:
        return PLAIN
    if all(map(_CLOCK.fullmatch, given)):
        return Notation(Form.CLOCK, "s")
    if all(_COMMA.fullmatch(text) or _WHOLE.fullmatch(text) for text in given):
        commas = [text for text in given if "," in text]
        if commas and not all(map(_GROUP.fullmatch, commas)):
            return Notation(Form.COMMA)
    quantities = [_QUANTITY.fullmatch(text) for text in given]
    units = [unit_named(found[2]) for found in quantities if found]
    if len(units) == len(given) and all(units):
        return Notation(Form.UNIT, units[0])
    return PLAIN


def unclear_weights(columns: Mapping[int, AnyArray]) -> str:
    """What columns of numbers without titles leave open about the weights; "" if these are
    in the third column, which is the only one of numbers, or that may hold weights.

    ``columns`` are those beside the ends, by their places from 2; every column is (m,).
    """
    possible = [place for place, numbers in columns.items() if not why_no_weights(numbers)]
    if list(columns) in ([], [2]):
        times = [place for place, numbers in columns.items() if _are_moments(numbers)]
        return f"column {times[0] + 1} may hold moments instead of weights" if times else ""
    if possible == [2]:
        return ""
    shown = [str(place + 1) for place in possible or columns]
    if len(shown) == 1:
        return f"whether column {shown[0]} holds the weights is not clear"
    return f"columns {listed(shown)} may each be the weights"


def why_no_weights(numbers: AnyArray) -> str:
    """Why a column of numbers beside others does not hold the weights; "" if it may."""
    if len(numbers) and numbers[0] in (0, 1) and (numbers == numbers[0]).all():
        return f"is {numbers[0]:g} in every row"
    return "holds moments" if _are_moments(numbers) else ""


def _are_moments(numbers: AnyArray) -> bool:
    """Whether these are Unix times in seconds, as of a list in the order of time."""
    first, end = _MOMENTS
    return bool(
        len(numbers) >= _ENOUGH_MOMENTS
        and ((numbers >= first) & (numbers < end)).all()
        and (np.diff(numbers) >= 0).all()
    )
