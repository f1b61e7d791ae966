"""Which cases of a parametrised test `make test` runs; the others run in `make test-all`."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import pytest

from tests.weight_types import ALL, chosen_types

THOROUGH = chosen_types() == ALL
"""Whether `make test-all` runs, or whoever asks for every weight type."""

_SAMPLED = 6  # of which one is tried


def sampled(cases: range) -> range:
    """Every case, or in `make test` one of several."""
    return cases if THOROUGH else cases[::_SAMPLED]


def first_quick(cases: Iterable[Any], quick: int = 1) -> list[Any]:
    """All cases; those after the first few are marked ``slow``."""
    return [_slow(case) if number >= quick else case for number, case in enumerate(cases)]


def only_quick(cases: Iterable[Any], quick: Container[Any]) -> list[Any]:
    """All cases; those that are not among ``quick`` are marked ``slow``."""
    return [case if case in quick else _slow(case) for case in cases]


def _slow(case: Any) -> Any:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.slow)
