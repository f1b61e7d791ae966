"""Values of a swept parameter: listed, spaced over a range, or following another parameter."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MOST_VALUES = 1_000_000
_EXPRESSION = re.compile(r"\s*([a-z_]+)\s*([-+*/])\s*(\d+)\s*")
_RANGE_KEYS = {"from", "to", "steps", "spacing"}


@dataclass(frozen=True)
class Expression:
    """A whole number that follows another parameter: "vertices / 5".

    Attributes
    ----------
    parameter, operator : str
    number : int
    """

    parameter: str
    operator: str
    number: int

    @classmethod
    def parse(cls, text: str) -> Expression | None:
        """None if the text is no expression."""
        found = _EXPRESSION.fullmatch(text)
        if found is None or (found.group(2) == "/" and int(found.group(3)) == 0):
            return None
        return cls(found.group(1), found.group(2), int(found.group(3)))

    def value(self, parameters: Mapping[str, Any]) -> int:
        """The value beside these parameters; divisions round down."""
        other = int(parameters[self.parameter])
        results = {"+": other + self.number, "-": other - self.number, "*": other * self.number}
        return results[self.operator] if self.operator in results else other // self.number


def swept_values(given: object) -> tuple[Any, ...]:
    """The values that a file gives for a parameter: one, a list, or a range.

    A range is a table such as ``{ from = 1024, to = 16384, steps = 5, spacing = "log" }``; whole ends give whole
    values, without repetitions.

    Raises
    ------
    ValueError
        With the reason in words.
    """
    if isinstance(given, list):
        if not given:
            raise ValueError("the list of values is empty")
        if any(isinstance(value, list | dict) for value in given):
            raise ValueError("a list holds single values only")
        return tuple(given)
    if isinstance(given, dict):
        return _range_values(given)
    return (given,)


def _range_values(given: Mapping[str, Any]) -> tuple[Any, ...]:
    if unknown := set(given) - _RANGE_KEYS:
        raise ValueError(f"a range has no “{min(unknown)}”; it takes from, to, steps and spacing")
    first, last, steps = given.get("from"), given.get("to"), given.get("steps", 2)
    spacing = given.get("spacing", "linear")
    if not all(isinstance(end, int | float) and not isinstance(end, bool) for end in (first, last)):
        raise ValueError("a range needs the numbers “from” and “to”")
    if not isinstance(steps, int) or isinstance(steps, bool) or not 2 <= steps <= MOST_VALUES:
        raise ValueError(f"“steps” must be a whole number from 2 to {MOST_VALUES}")
    if spacing not in ("linear", "log"):
        raise ValueError("“spacing” must be linear or log")
    assert first is not None  # checked above
    assert last is not None
    if spacing == "log" and not (first > 0 and last > 0):
        raise ValueError("both ends of a logarithmic range must be above 0")
    if spacing == "log":
        values = [
            math.exp(math.log(first) + (math.log(last) - math.log(first)) * i / (steps - 1)) for i in range(steps)
        ]
    else:
        values = [first + (last - first) * i / (steps - 1) for i in range(steps)]
    if isinstance(first, int) and isinstance(last, int):
        return tuple(dict.fromkeys(round(value) for value in values))
    return tuple(values)
