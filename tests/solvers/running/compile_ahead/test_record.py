"""The record of rehearsals: kept, and void once numba's cache was emptied."""

from __future__ import annotations

from pathlib import Path

import pytest

from solvers.running.compile_ahead.record import RehearsalRecord

STEPS = ("first", "second")


def test_what_was_rehearsed_is_known_to_the_next_start(tmp_path: Path):
    assert RehearsalRecord(tmp_path).missing(STEPS) == STEPS
    witness = tmp_path / "function.nbi"
    witness.touch()
    RehearsalRecord(tmp_path).add("first", [str(witness)])
    assert RehearsalRecord(tmp_path).missing(STEPS) == ("second",)
    RehearsalRecord(tmp_path).add("second", [str(witness)])
    assert RehearsalRecord(tmp_path).missing(STEPS) == ()
    witness.unlink()
    assert RehearsalRecord(tmp_path).missing(STEPS) == STEPS


def test_another_cache_of_numba_has_a_record_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    RehearsalRecord(tmp_path).add("first")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "elsewhere"))
    assert RehearsalRecord(tmp_path).missing(STEPS) == STEPS


@pytest.mark.parametrize("content", ["", "[]", '{"steps": 3}', "\x00"])
def test_an_unreadable_record_counts_as_none(tmp_path: Path, content: str):
    RehearsalRecord(tmp_path).add("first")
    (kept,) = tmp_path.iterdir()
    kept.write_text(content)
    assert RehearsalRecord(tmp_path).missing(STEPS) == STEPS


def test_where_nothing_can_be_written_nothing_fails(tmp_path: Path):
    (tmp_path / "file").touch()
    record = RehearsalRecord(tmp_path / "file")
    record.add("first")
    assert record.missing(STEPS) == STEPS
