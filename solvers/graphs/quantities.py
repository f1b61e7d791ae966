"""Numbers in texts: plain, with a decimal comma, with a unit (5 km) or as a time of the
clock (00:04:00); the weights of a column, and names that are integers.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.titles import unit_named
from solvers.text import quoted

MISSING_WEIGHT = "the weight is missing"
OTHER_WEIGHTS = "choose another column of weights, or take every weight as 1 (weights “unit”)."

_CLOCK = re.compile(r"(\d{1,4}):([0-5]\d):([0-5]\d(?:\.\d+)?)")
_QUANTITY = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*([A-Za-z]+\.?)")
_COMMA = re.compile(r"[+-]?\d+,\d+")
_WHOLE = re.compile(r"[+-]?[0-9]+")
# an id: 007 and -0 are names
_ID = re.compile(r"-?(0|[1-9][0-9]{0,18})", re.ASCII)
_WHOLE_FLOAT = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d+)?", re.ASCII)
# may be thousands: 1,234
_GROUP = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_GROUPED = re.compile(r"[+-]?\d{1,3}([ '.,\u00a0\u2009\u202f]\d{3})+([.,]\d+)?")
_MOST_DIGITS = 18
_INT64 = np.iinfo(np.int64)
_IN_BASE = {"km": 1000.0, "m": 1.0, "mi": 1609.344, "ft": 0.3048, "h": 3600, "min": 60, "s": 1}
_LENGTHS = ("km", "m", "mi", "ft")


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


class BadCell(Exception):
    """A cell that cannot be read; ``row`` is its index among the rows given."""

    def __init__(self, row: int, reason: str, hint: str = ""):
        self.row, self.reason, self.hint = row, reason, hint
        super().__init__(reason)


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


def is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def is_written_number(cell: str) -> bool:
    """Whether a cell holds a number in any usual notation, also one that is not read."""
    forms = (_COMMA, _GROUPED)
    return (
        is_number(cell)
        or any(form.fullmatch(cell) for form in forms)
        or notation_of([cell]).special
    )


def is_whole(word: str) -> bool:
    """True for a count or vertex id that fits 64 bits."""
    return word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS


def number_of(value: object) -> int | float | None:
    """A value, or its text, as a number; None if it is not a number, not finite, or an
    integer past 64 bits.
    """
    if isinstance(value, str):
        stripped = value.strip()
        if _ID.fullmatch(stripped):
            value = int(stripped)  # int() leaves separators such as U+001C
        else:
            try:
                value = float(value) if "_" not in value else None
            except ValueError:
                return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, int):
        return value if _INT64.min <= value <= _INT64.max else None
    return value if math.isfinite(value) else None


def whole_names(nodes: Sequence[Hashable]) -> list[int]:
    """The nodes as 64-bit integers if all are integers, or all are texts of integers; else []."""
    if all(isinstance(node, int) and not isinstance(node, bool) for node in nodes):
        numbers = [operator.index(node) for node in nodes]  # type: ignore[arg-type]
    elif all(isinstance(node, str) and _ID.fullmatch(node) and node != "-0" for node in nodes):
        numbers = [int(node) for node in nodes]  # type: ignore[call-overload]
    else:
        return []
    return numbers if all(_INT64.min <= number <= _INT64.max for number in numbers) else []


def whole_floats(nodes: Sequence[Hashable]) -> list[int]:
    """The nodes as integers if all are texts of whole numbers, some of them with a point or an
    exponent, as NumPy's savetxt and pandas write them; else [].
    """
    if not all(isinstance(node, str) and _WHOLE_FLOAT.fullmatch(node) for node in nodes):
        return []
    if all(node.isdigit() for node in nodes if isinstance(node, str)):
        return []
    numbers = [float(node) for node in nodes]  # type: ignore[arg-type]
    exact = all(number.is_integer() and abs(number) <= 2**53 for number in numbers)
    return list(map(int, numbers)) if exact else []


def weights_of(texts: Sequence[str], notation: Notation = PLAIN) -> NDArray[Any]:
    """Weights from texts: int64 if all are integers, float64 if none is, objects if some are.

    Raises `BadCell` at the first that is not a finite 64-bit number in the notation.
    """
    plain: Sequence[str | None] = texts
    if notation.special:
        plain = [notation.plain(text) for text in texts]
    elif (together := _plain_weights(texts)) is not None:
        return together
    numbers = [None if text is None else _weight(text) for text in plain]
    if None in numbers:
        row = numbers.index(None)
        shown = texts[row].strip()
        reason = "is not a finite 64-bit number"
        if notation.special:
            reason = f"is not like the others of its column, {notation.form.value}"
        reason = f"the weight “{quoted(shown, 40)}” {reason}" if shown else MISSING_WEIGHT
        raise BadCell(row, reason, _remedy(shown))
    kinds = {type(number) for number in numbers}
    one_kind = np.int64 if kinds == {int} else np.float64
    return np.array(numbers, object if len(kinds) > 1 else one_kind)


def _remedy(shown: str) -> str:
    correct = "Correct the cell"
    if _GROUP.fullmatch(shown):
        correct = "Write decimals with a point, and thousands without a comma"
    elif _COMMA.fullmatch(shown):
        correct = "Write decimals with a point"
    elif _GROUPED.fullmatch(shown):
        correct = "Write numbers without separators between their digits"
    return f"{correct}, {OTHER_WEIGHTS}"


def _plain_weights(texts: Sequence[str]) -> NDArray[Any] | None:
    """Weights that are all integers, or all decimals, converted together; None for others."""
    together = "".join(texts)
    if "_" in together or not together.isascii():  # Python takes 1_000, and digits of every script
        return None
    try:
        if "." not in together:
            return np.array(list(map(int, texts)), np.int64)
        if all("." in text for text in texts):
            decimals = np.array(list(map(float, texts)))
            return decimals if np.isfinite(decimals).all() else None
    except (ValueError, OverflowError):
        pass
    return None


def _weight(text: str) -> int | float | None:
    """A text as a number; None if it is not a number, not finite, or an integer past 64 bits."""
    number = number_of(text)
    if isinstance(number, float) and _WHOLE.fullmatch(text.strip()):
        whole = int(Decimal(text.strip()))  # int() refuses thousands of digits
        return whole if -(2**63) <= whole < 2**63 else None
    return number
