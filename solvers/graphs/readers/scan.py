"""Compiled parser from a block of text to columns of numbers, without Python objects per line.

Decimals are converted to binary in compiled code, with exactly the results of Python's
``float()``. A number whose digits form an integer of at most 2**53, with a decimal
exponent from -22 to 22, takes one correctly rounded multiplication or division by an
exact power of ten (Clinger's fast path). All other numbers are returned as HARD and
converted by Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.system.jit import njit

# Reasons for which a scan stops. Values from FAULTS on are errors.
DONE, FULL, HEADER, FRACTION, WIDE, INCOMPLETE = 0, 1, 2, 3, 4, 5
FAULTS = 10
BAD_TAG, MISSING, BAD_ID, NEGATIVE_ID, HUGE_ID, BAD_VALUE, EXTRA, SPLIT, PADDED_ID = range(10, 19)

_NEWLINE, _SPACE, _TAB, _COMMA, _MINUS, _PLUS, _ZERO, _NINE = 10, 32, 9, 44, 45, 43, 48, 57
_VERTICAL_TAB, _FORM_FEED = 11, 12
_HASH, _PERCENT, _LETTER_C = 35, 37, 99
_LAST_BEFORE_HUGE = 10**17  # 18 digits; a 19th might not fit 64 bits
_LARGEST_EXACT = 2**53  # up to here every integer is a float64

NOT_A_NUMBER, INTEGER, DECIMAL, HARD = 0, 1, 2, 3

_EXACT_POWERS = 10.0 ** np.arange(23)
_TEN = np.uint64(10)
_MOST_EXACT = np.uint64(2**53)
_MOST_INTEGER = np.uint64(2**63 - 1)
_MAX_DIGITS = 19  # 10**19 - 1 fits an unsigned 64-bit integer
_POINT, _BIG_E, _SMALL_E = 46, 69, 101


@njit
def _is_blank(byte: int) -> bool:
    return byte in (_SPACE, _TAB, _COMMA, _VERTICAL_TAB, _FORM_FEED)


@njit
def _ends_token(text: NDArray[np.uint8], at: int) -> bool:
    return at >= len(text) or text[at] == _NEWLINE or _is_blank(text[at])


@njit
def _skip_blanks(text: NDArray[np.uint8], at: int) -> int:
    while at < len(text) and _is_blank(text[at]):
        at += 1
    return at


@njit
def _skip_line(text: NDArray[np.uint8], at: int) -> int:
    """Position of the next newline, or the end."""
    while at < len(text) and text[at] != _NEWLINE:
        at += 1
    return at


@njit
def _commas(text: NDArray[np.uint8], begin: int, end: int) -> int:
    """Number of commas in a part of a text."""
    count = 0
    for at in range(begin, end):
        count += text[at] == _COMMA
    return count


@njit
def _is_among(byte: int, bytes_sought: NDArray[np.uint8]) -> bool:
    for sought in bytes_sought:  # noqa: SIM110
        if byte == sought:
            return True
    return False


@njit
def is_whole_number(text: NDArray[np.uint8], begin: int, end: int) -> bool:
    """Whether a number is written as an integer: a sign at most, and digits."""
    at = begin + 1 if text[begin] == _MINUS or text[begin] == _PLUS else begin
    while at < end and text[at] >= _ZERO and text[at] <= _NINE:
        at += 1
    return at == end


@njit
def skip_to_row(text: NDArray[np.uint8], at: int, comments: bool) -> tuple[int, int]:
    """Skip blank lines and, if ``comments``, comments as a sample knows them: #, %, or
    the lone letter c.

    Returns the beginning of the first other line, or the end, and the newlines before
    it.
    """
    lines = 0
    start = at
    while True:
        at = _skip_blanks(text, at)
        if at >= len(text):
            return at, lines
        byte = text[at]
        if comments and (
            byte in (_HASH, _PERCENT) or (byte == _LETTER_C and _ends_token(text, at + 1))
        ):
            at = _skip_line(text, at)
        elif byte != _NEWLINE:
            return start, lines
        if at < len(text):
            at += 1
            lines += 1
            start = at


@njit
def find_row(
    text: NDArray[np.uint8], index: int, skipped: NDArray[np.uint8]
) -> tuple[int, int, int]:
    """Find the row with that index, among lines that are neither blank nor begin with a
    byte of ``skipped``.

    Returns the position of the row's first token, or the end, and the newlines and rows
    before it.
    """
    at = lines = rows = 0
    while True:
        at = _skip_blanks(text, at)
        if at >= len(text):
            return at, lines, rows
        if text[at] != _NEWLINE and not _is_among(text[at], skipped):
            if rows == index:
                return at, lines, rows
            rows += 1
        at = _skip_line(text, at)
        if at < len(text):
            at += 1
            lines += 1


@njit
def _parse_id(text: NDArray[np.uint8], at: int, may_be_padded: bool) -> tuple[int, int]:
    """A vertex id and the position after it; on error the error code and ``-position - 1``."""
    first = at
    value: Any = 0
    while at < len(text) and text[at] >= _ZERO and text[at] <= _NINE:
        if value >= _LAST_BEFORE_HUGE:
            return HUGE_ID, -first - 1
        value = value * 10 + (np.int64(text[at]) - _ZERO)
        at += 1
    if at == first and at < len(text) and text[at] == _MINUS:
        return NEGATIVE_ID, -first - 1
    if at == first or not _ends_token(text, at):
        return BAD_ID, -first - 1
    if text[first] == _ZERO and at > first + 1 and not may_be_padded:
        return PADDED_ID, -first - 1
    return value, at


@njit
def scan_rows(
    text: NDArray[np.uint8],  # (bytes,) ends at the end of a line
    at: int,  # start position: the beginning of a line
    tag: int,  # byte that begins every row ("a"), or 0
    # (k,) bytes that begin a header line ("p"); the scan stops before it
    headers: NDArray[np.uint8],
    comments: NDArray[np.uint8],  # (k,) bytes that begin a comment line, which is skipped
    may_be_padded: bool,  # ids may begin with zeros
    spanning: bool,  # rows may extend over line ends
    ignore_rest: bool,  # text after the last column is ignored instead of being an error
    separator: int,
    limit: int,  # maximum number of rows to parse
    ids: NDArray[np.int64],  # (capacity, i) output
    as_real: bool,
    whole: NDArray[np.int64],
    real: NDArray[np.float64],
    hard: NDArray[np.int64],
) -> tuple[int, int, int, int, int, int, bool]:
    """Parse rows of ``ids.shape[1]`` vertex ids followed by ``real.shape[1]`` numbers.

    Parameters
    ----------
    separator : int
        Where text is ignored: a comma if one must be before it, a blank if none may be
        there, 0 for either. A number such as "1 234" or "1,5" is not taken for two
        cells so. With a comma, no cell may be empty: the next would be taken for it.
    as_real : bool
        Numbers are stored in ``real``; otherwise in ``whole``, and the first that is
        not an int64 stops the scan: with WIDE if it is an integer nonetheless, else
        with FRACTION.
    whole, real : (capacity, v), output
    hard : (capacity * v, 4) int64, output
        Row, column, begin and end of each number that Python must convert, or compare
        with its integer (only if ``as_real``).

    Returns
    -------
    status, at, lines, rows, hard, column : int
        Reason for stopping; position (of the row, or of the wrong token on error);
        newlines before it; numbers of rows and of entries of ``hard``; column.
    fraction : bool
        Whether a number with a point or an exponent was stored.
    """
    end = len(text)
    n_ids, n_values = ids.shape[1], real.shape[1]
    line = row = n_hard = 0
    fraction = False
    while True:
        start, start_line = at, line
        at = _skip_blanks(text, at)
        if at >= end:
            return DONE, end, line, row, n_hard, 0, fraction
        byte = text[at]
        if byte == _NEWLINE:
            at += 1
            line += 1
            continue
        if _is_among(byte, comments):
            at = _skip_line(text, at)
            continue
        if _is_among(byte, headers):
            return HEADER, start, start_line, row, n_hard, 0, fraction
        if row == limit:
            return FULL, start, start_line, row, n_hard, 0, fraction
        if tag != 0:
            if byte != tag or not _ends_token(text, at + 1):
                return BAD_TAG, at, line, row, n_hard, 0, fraction
            at += 1

        for column in range(n_ids + n_values):
            begin = at if column else start
            at = _skip_blanks(text, at)
            if separator == _COMMA and _commas(text, begin, at) > min(column, 1):
                return MISSING, begin, line, row, n_hard, column, fraction
            while spanning and at < end and text[at] == _NEWLINE:
                line += 1
                at = _skip_blanks(text, at + 1)
            if at >= end or text[at] == _NEWLINE:
                if spanning:
                    return INCOMPLETE, start, start_line, row, n_hard, column, fraction
                return MISSING, at, line, row, n_hard, column, fraction
            if column < n_ids:
                value, at = _parse_id(text, at, may_be_padded)
                if at < 0:
                    return value, -at - 1, line, row, n_hard, column, fraction
                ids[row, column] = value
                continue
            begin = at
            kind, integer, decimal, at = parse_number(text, begin, end)
            if kind == NOT_A_NUMBER or not _ends_token(text, at):
                return BAD_VALUE, begin, line, row, n_hard, column, fraction
            if as_real:
                real[row, column - n_ids] = decimal
                whole_number = kind != DECIMAL and is_whole_number(text, begin, at)
                fraction = fraction or not whole_number
                if kind == HARD or (whole_number and abs(decimal) >= _LARGEST_EXACT):
                    hard[n_hard, 0], hard[n_hard, 1] = row, column - n_ids
                    hard[n_hard, 2], hard[n_hard, 3] = begin, at
                    n_hard += 1
            elif kind == INTEGER:
                whole[row, column - n_ids] = integer
            else:
                stop = WIDE if is_whole_number(text, begin, at) else FRACTION
                return stop, start, start_line, row, n_hard, column, fraction

        if ignore_rest:
            begin = at
            at = _skip_blanks(text, at)
            has_rest = separator != 0 and at < end and text[at] != _NEWLINE
            if has_rest and (_commas(text, begin, at) > 0) != (separator == _COMMA):
                return SPLIT, at, line, row, n_hard, n_ids + n_values, fraction
            at = _skip_line(text, at)
        else:
            at = _skip_blanks(text, at)
            if at < end and text[at] != _NEWLINE:
                return EXTRA, at, line, row, n_hard, n_ids + n_values, fraction
        row += 1


@njit
def parse_number(text: NDArray[np.uint8], at: int, end: int) -> tuple[int, int, float, int]:
    """Parse the number that begins at ``text[at]``.

    Returns
    -------
    kind : int
        NOT_A_NUMBER; INTEGER (``whole`` and ``real`` hold); DECIMAL (``real`` holds);
        HARD (neither does).
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
        return (
            INTEGER,
            -whole if negative else whole,
            -float(mantissa) if negative else float(mantissa),
            at,
        )
    real = float(mantissa)
    if mantissa > 0:
        if dropped or mantissa > _MOST_EXACT or exponent < -22 or exponent > 22:
            return HARD, 0, 0.0, at
        real = real / _EXACT_POWERS[-exponent] if exponent < 0 else real * _EXACT_POWERS[exponent]
    return DECIMAL, 0, -real if negative else real, at


@njit
def _parse_exponent(text: NDArray[np.uint8], at: int, end: int) -> tuple[int, int]:
    """The exponent after an E and the position after it; position -1 if there are no digits."""
    negative = False
    if at < end and (text[at] == _MINUS or text[at] == _PLUS):
        negative = text[at] == _MINUS
        at += 1
    first = at
    power: Any = 0
    while at < end and text[at] >= _ZERO and text[at] <= _NINE:
        # beyond the range of double, without overflow
        power = min(power * 10 + (np.int64(text[at]) - _ZERO), 99_999)
        at += 1
    if at == first:
        return 0, -1
    return -power if negative else power, at
