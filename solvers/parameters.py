"""Parameters of variants and generators: declared as data (name, type, range, default)
and validated here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from solvers.errors import ParameterError, UnknownName
from solvers.text import capitalised, format_count


@dataclass(frozen=True)
class Parameter:
    """A parameter of a variant or a generator.

    ``default``: also determines the parameter's type.
    ``meaning``: one line for the user, including the unit.
    ``low``, ``high``: inclusive range.
    ``choices``: the only values allowed.
    ``title``: its name in a form, if ``name`` in words does not suffice.
    """

    name: str
    default: bool | int | float | str
    meaning: str
    low: float | None = None
    high: float | None = None
    choices: tuple[int | float | str, ...] = ()
    title: str = ""

    @property
    def label(self) -> str:
        """Its name in a form: ``"Least weight"``."""
        return self.title or capitalised(self.name.replace("_", " "))

    def parse(self, value: object, owner: str) -> bool | int | float | str:
        """Convert ``value``, which may be text from a command line, to this parameter's
        type and check its range.

        Raises ParameterError if it cannot be converted or is out of range.
        """
        try:
            parsed = self._convert(value)
        except (TypeError, ValueError, OverflowError):  # OverflowError: int(inf)
            raise ParameterError(
                owner, self.name, value, f"it takes {self.describe_range()}"
            ) from None
        outside = isinstance(parsed, (int, float)) and (
            (self.low is not None and parsed < self.low)
            or (self.high is not None and parsed > self.high)
        )
        if outside or (self.choices and parsed not in self.choices):
            raise ParameterError(owner, self.name, value, f"it takes {self.describe_range()}")
        return parsed

    def _convert(self, value: object) -> bool | int | float | str:
        if isinstance(self.default, bool):
            if isinstance(value, bool):
                return value
            words = {
                "true": True,
                "on": True,
                "yes": True,
                "1": True,
                "false": False,
                "off": False,
                "no": False,
                "0": False,
            }
            word = str(value).lower()
            if word not in words:
                raise ValueError
            return words[word]
        if isinstance(self.default, int):
            number = _number(value)
            if number != int(number):
                raise ValueError
            return int(number)
        return _number(value) if isinstance(self.default, float) else str(value)

    def describe_range(self) -> str:
        if self.choices:
            return "one of " + ", ".join(map(str, self.choices))
        if isinstance(self.default, bool):
            return "true or false"
        kind = {int: "a whole number", float: "a number"}.get(type(self.default), "text")
        if self.low is not None and self.high is not None:
            return f"{kind} from {_bound(self.low)} to {_bound(self.high)}"
        return f"{kind} of at least {_bound(self.low)}" if self.low is not None else kind


def _number(value: object) -> float:
    """A number or its text as float. NaN is refused: it would pass every range check,
    as it compares false.
    """
    number = float(value) if isinstance(value, (int, float)) else float(str(value))
    if math.isnan(number):
        raise ValueError
    return number


def _bound(value: float) -> str:
    return format_count(int(value)) if float(value).is_integer() else f"{value:g}"


def require_whole(owner: str, name: str, value: object, least: int, most: int | None = None) -> int:
    """A value that is a whole number in a range; raises ParameterError."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or not least <= int(value) <= (most or math.inf):  # type: ignore[call-overload]
        taken = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ParameterError(owner, name, value, f"it takes a whole number {taken}")
    return int(value)  # type: ignore[call-overload]


def settle_parameters(
    declared: tuple[Parameter, ...], given: Mapping[str, object], owner: str
) -> dict[str, Any]:
    """Merge ``given`` into the defaults of the declared parameters and validate every value.

    Raises UnknownName if a given name is not declared; ParameterError if a value is of
    the wrong type or out of range.

    ``given``: values by parameter name; missing ones take their default. ``owner``: id
    of the variant or generator, for error messages.
    """
    known = {p.name: p for p in declared}
    for name in given:
        if name not in known:
            raise UnknownName(f"parameter of {owner}", name, known)
    return {p.name: p.parse(given.get(p.name, p.default), owner) for p in declared}
