"""Units of weights: the graph of a road network counts in tenths, everything outside it
in metres and seconds.

Whole tenths are exact in every variant, in 32 bits on the longest roads. Results of the
library, files, budgets and labels have the public unit, to which these functions
convert.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any, TypeVar

EARTH_METRES = 6_371_008.8
"""The mean radius of the Earth."""

TENTHS_OF_METRES, TENTHS_OF_SECONDS = "0.1 m", "0.1 s"
# "ds" is in runs kept by earlier versions
_TENTHS = {TENTHS_OF_METRES: "m", TENTHS_OF_SECONDS: "s", "ds": "s"}
METRES_PER_UNIT = {
    "km": 1000.0,
    "m": 1.0,
    TENTHS_OF_METRES: 0.1,
    "dm": 0.1,
    "cm": 0.01,
    "mm": 0.001,
}
SECONDS_PER_UNIT = {"s": 1.0, TENTHS_OF_SECONDS: 0.1, "ds": 0.1}

Values = TypeVar("Values", bound=Any)  # a number, or an array of numbers

_LENGTHS: dict[str, Fraction | int] = {
    "km": 1000,
    "m": 1,
    "dm": Fraction(1, 10),
    "cm": Fraction(1, 100),
    "mm": Fraction(1, 1000),
}  # metres
_TIMES: dict[str, Fraction | int] = {"h": 3600, "min": 60, "s": 1}  # seconds
_WITH_UNIT = re.compile(r"(.*[\d.])\s*([a-z]+)")
QUANTITIES = "a number, or one with a unit, such as 5min or 2km"


def public_unit(unit: str) -> str:
    """The unit in which users meet weights of ``unit``: "m" and "s" for tenths of them,
    else ``unit``.
    """
    return _TENTHS.get(unit, unit)


def to_public_unit(values: Values, unit: str, power: int = 1) -> Values:
    """Values in ``unit`` to a power of 1, 0 or -1, in the public unit to that power:
    71567 tenths are 7156.7.
    """
    if unit not in _TENTHS or power == 0:
        return values
    return values / 10 if power == 1 else values * 10


def to_internal_unit(quantity: float | str, unit: str) -> float:
    """A number in the public unit, or with a unit of its own such as ``"5min"``, in ``unit``.

    Raises ValueError with a sentence for the user, if it is neither, or its unit does
    not measure what ``unit`` does.
    """
    text = str(quantity).strip()
    tenths = 10 if unit in _TENTHS else 1
    if (found := _WITH_UNIT.fullmatch(text)) is None:
        return float(_number(text) * tenths)
    number, name = found.groups()
    for factors, what in ((_LENGTHS, "a length"), (_TIMES, "a time")):
        if name not in factors:
            continue
        if public_unit(unit) not in factors:
            measured = f"in {public_unit(unit)}" if unit else "without a unit"
            raise ValueError(f"{text} is {what}, and the weights are {measured}")
        return float(_number(number) * factors[name] / factors[public_unit(unit)] * tenths)
    raise ValueError(f"it takes {QUANTITIES}")


def to_internal_units(quantities: str, unit: str) -> list[float]:
    """Several quantities in ``unit``, ascending and each once: "5, 10, 15 min"; numbers
    without a unit have that of the next one that has any. Raises as `to_internal_unit`.
    """
    parts = [part.strip() for part in re.split(r";|,\s+|(?<=[a-z]),", quantities)]
    if any("," in part for part in parts):
        raise ValueError("a comma between quantities has a blank behind it, decimals have a point")
    found, name = list[float](), ""
    for part in reversed(parts):
        own = _WITH_UNIT.fullmatch(part)
        name = own[2] if own else name
        found.append(to_internal_unit(part if own else f"{part}{name}", unit))
        if not 0.0 <= found[-1] < math.inf:
            raise ValueError("it takes finite numbers from 0 on")
    return sorted(set(found))


def _number(text: str) -> Fraction | float:
    """The number exactly, so that 2.3 km are 23000 tenths of metres and not less."""
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"it takes {QUANTITIES}") from None
    return Fraction(text) if value and math.isfinite(value) else value
