"""How the numbers of a column are written: plain, with a decimal comma, with a unit
(5 km) or as a time of the clock (00:04:00).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from solvers.graphs.titles import unit_named

_CLOCK = re.compile(r"(\d{1,4}):([0-5]\d):([0-5]\d(?:\.\d+)?)")
_QUANTITY = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*([A-Za-z]+\.?)")
_COMMA = re.compile(r"[+-]?\d+,\d+")
_WHOLE = re.compile(r"[+-]?\d+")
# may be thousands: 1,234
_GROUP = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_IN_BASE = {"km": 1000.0, "m": 1.0, "mi": 1609.344, "ft": 0.3048, "h": 3600, "min": 60, "s": 1}
_LENGTHS = ("km", "m", "mi", "ft")


WHOLE_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,18})", re.ASCII)
"""An integer that is written in the only way."""


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


def number_of(value: object) -> int | float | None:
    """A value, or its text, as a number; None if it is not a number, not finite, or an
    integer past 64 bits.
    """
    if isinstance(value, str):
        if WHOLE_NUMBER.fullmatch(value.strip()):
            value = int(value)
        else:
            try:
                value = float(value) if "_" not in value else None
            except ValueError:
                return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else None
    return value if math.isfinite(value) else None


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
