"""Notices say what happened, why and what to do, with the details apart.

An error in a loop is told once a second, others each time.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gui.model.notice import Notice, RepeatedErrors, Severity
from solvers.errors import FileFormatError, KernelBuildError


def test_a_format_error_lays_out_file_line_text_and_remedy() -> None:
    error = FileFormatError(
        Path("/data/town.gr"), "the tail is no number", line=12, text="a x 2 3", hint="Mend the line."
    )
    notice = Notice.of(error)
    assert notice.severity is Severity.ERROR
    for words in ("town.gr", "line 12", "a x 2 3", "Mend the line."):
        assert words in notice.text
    assert notice.details.splitlines() == [
        "File: /data/town.gr", "Line: 12", "Text: a x 2 3",
        "Reason: the tail is no number", "What to do: Mend the line.",
    ]  # fmt: skip


def test_a_compiler_s_log_is_the_details() -> None:
    assert Notice.of(KernelBuildError("vertex.cu", "GPU", "line 3: error\nmore")).details == "line 3: error\nmore"


def test_a_fault_of_ours_says_so_and_comes_with_a_crash_report() -> None:
    try:
        _ = 1 // 0
    except ZeroDivisionError as error:
        notice = Notice.of(error)
    assert "inside Tautline" in notice.text
    assert "ZeroDivisionError" in notice.report
    assert "tests.gui.model.test_notice, line" in notice.report


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:
        return caught


def test_only_the_same_error_from_the_same_line_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = [100.0]
    monkeypatch.setattr("gui.model.notice.time.monotonic", lambda: seconds[0])
    errors = RepeatedErrors()
    assert not errors.is_repeated(raised(ValueError("a")))
    assert errors.is_repeated(raised(ValueError("a")))
    assert not errors.is_repeated(raised(ValueError("b")))
    assert not errors.is_repeated(raised(KeyError("b")))
    seconds[0] += 1
    assert not errors.is_repeated(raised(KeyError("b"))), "a second has passed"
