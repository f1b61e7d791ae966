"""Notices say what happened, why and what to do, with the details apart."""

from __future__ import annotations

from pathlib import Path

from gui.model.notice import Notice, Severity
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
