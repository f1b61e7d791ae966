"""An error in a loop is told once a second, others each time."""

from __future__ import annotations

import pytest

from gui.model.repeated_errors import RepeatedErrors


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:
        return caught


def test_only_the_same_error_from_the_same_line_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = [100.0]
    monkeypatch.setattr("gui.model.repeated_errors.time.monotonic", lambda: seconds[0])
    errors = RepeatedErrors()
    assert not errors.is_repeated(raised(ValueError("a")))
    assert errors.is_repeated(raised(ValueError("a")))
    assert not errors.is_repeated(raised(ValueError("b")))
    assert not errors.is_repeated(raised(KeyError("b")))
    seconds[0] += 1
    assert not errors.is_repeated(raised(KeyError("b"))), "a second has passed"
