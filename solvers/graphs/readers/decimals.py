"""Decimal-to-binary conversion in compiled code, with exactly the results of Python's ``float()``.

A number whose digits form an integer of at most 2**53, with a decimal exponent from -22 to 22, takes one correctly
rounded multiplication or division by an exact power of ten (Clinger's fast path). All other numbers are returned as
HARD and converted by Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.host.jit import njit

NOT_A_NUMBER, INTEGER, DECIMAL, HARD = 0, 1, 2, 3

_EXACT_POWERS = 10.0 ** np.arange(23)
_TEN = np.uint64(10)
_MOST_EXACT = np.uint64(2**53)
_MOST_INTEGER = np.uint64(2**63 - 1)
_MAX_DIGITS = 19  # 10**19 - 1 fits an unsigned 64-bit integer
_PLUS, _MINUS, _POINT, _ZERO, _NINE, _BIG_E, _SMALL_E = 43, 45, 46, 48, 57, 69, 101


@njit(cache=True, nogil=True)
def parse_number(text: NDArray[np.uint8], at: int, end: int) -> tuple[int, int, float, int]:
    """Parse the number that begins at ``text[at]``.

    Returns
    -------
    kind : int
        NOT_A_NUMBER; INTEGER (``whole`` and ``real`` hold); DECIMAL (``real`` holds); HARD (neither does).
    whole, real : int, float
    at : int
        Position after the number.
    """
    negative = False
    if at < end and (text[at] == _MINUS or text[at] == _PLUS):
        negative = text[at] == _MINUS
        at += 1
    mantissa: Any = np.uint64(0)
    digits = 0
    exponent = 0
    point = False
    any_digit = False
    dropped = False
    while at < end:
        byte = text[at]
        if byte >= _ZERO and byte <= _NINE:
            any_digit = True
            if digits < _MAX_DIGITS:
                mantissa = mantissa * _TEN + np.uint64(byte - _ZERO)
                digits += mantissa > 0
                exponent -= point
            else:
                dropped = dropped or byte != _ZERO
                exponent += not point
        elif byte == _POINT and not point:
            point = True
        else:
            break
        at += 1
    if not any_digit:
        return NOT_A_NUMBER, 0, 0.0, at
    scientific = at < end and (text[at] == _BIG_E or text[at] == _SMALL_E)
    if scientific:
        power, at = _parse_exponent(text, at + 1, end)
        if at < 0:
            return NOT_A_NUMBER, 0, 0.0, end
        exponent += power

    if not (point or scientific or dropped) and exponent == 0 and mantissa <= _MOST_INTEGER:
        whole: Any = np.int64(mantissa)
        return INTEGER, -whole if negative else whole, -float(mantissa) if negative else float(mantissa), at
    real = float(mantissa)
    if mantissa > 0:
        if dropped or mantissa > _MOST_EXACT or exponent < -22 or exponent > 22:
            return HARD, 0, 0.0, at
        real = real / _EXACT_POWERS[-exponent] if exponent < 0 else real * _EXACT_POWERS[exponent]
    return DECIMAL, 0, -real if negative else real, at


@njit(cache=True, nogil=True)
def _parse_exponent(text: NDArray[np.uint8], at: int, end: int) -> tuple[int, int]:
    """The exponent after an E and the position after it; position -1 if there are no digits."""
    negative = False
    if at < end and (text[at] == _MINUS or text[at] == _PLUS):
        negative = text[at] == _MINUS
        at += 1
    first = at
    power: Any = 0
    while at < end and text[at] >= _ZERO and text[at] <= _NINE:
        power = min(power * 10 + (np.int64(text[at]) - _ZERO), 99_999)  # beyond the range of double, without overflow
        at += 1
    if at == first:
        return 0, -1
    return -power if negative else power, at
