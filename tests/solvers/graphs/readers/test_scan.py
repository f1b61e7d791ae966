"""Numbers come out as Python's float() would have them, to the last bit."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from solvers.graphs.readers.scan import HARD, INTEGER, NOT_A_NUMBER, parse_number

decimals = st.from_regex(r"\A[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?\Z")


def parsed(text: str) -> float:
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    kind, _, real, end = parse_number(data, 0, len(data))
    assert kind != NOT_A_NUMBER
    assert end == len(data)
    return float(data[:end].tobytes()) if kind == HARD else real


@given(decimals)
@example("0.1")
@example("-0.0")
@example("9007199254740993")
@example("231.60398908294101261")
@example("123456789012345678901234567890")
@example("0.000000000000000000000000123")
@example("1e22")
@example("1e23")
@example("2.2250738585072011e-308")
@example("1e999")
@example("1e99999999999999999999")
@settings(max_examples=400, deadline=None)
def test_same_bits_as_python(text: str) -> None:
    assert struct.pack("d", parsed(text)) == struct.pack("d", float(text))


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=300, deadline=None)
def test_every_double_survives_its_own_text(number: float) -> None:
    assert struct.pack("d", parsed(repr(number))) == struct.pack("d", number)


@given(st.integers(-(2**63) + 1, 2**63 - 1))
@settings(deadline=None)
def test_integers_are_exact(number: int) -> None:
    data = np.frombuffer(str(number).encode(), dtype=np.uint8)

    assert parse_number(data, 0, len(data))[:2] == (INTEGER, number)


@pytest.mark.parametrize("text", ["", "-", "+", ".", "-.", "e5", "1e", "1e+", "x", "nan", "inf"])
def test_no_number(text: str) -> None:
    data = np.frombuffer(text.encode() + b" ", dtype=np.uint8)

    assert parse_number(data, 0, len(data) - 1)[0] == NOT_A_NUMBER
