"""``compile``: says what it does the first time, and nothing after that."""

from __future__ import annotations

from pathlib import Path

import pytest

from solvers import cli
from solvers.commands import compile as compile_module
from solvers.running.compile_ahead import RehearsalRecord
from tests.rehearsals import stand_in, steps_started


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(
        compile_module, "RehearsalRecord", lambda: RehearsalRecord(tmp_path / "record")
    )
    return stand_in(monkeypatch, tmp_path)


def test_the_first_minute_then_the_rest_then_nothing(started: Path):
    assert cli.main(["compile", "--first-minute"]) == 0
    first = steps_started(started)
    assert not {"other-variants", "library"} & set(first)
    assert cli.main(["compile"]) == 0
    started_now = steps_started(started)
    assert started_now[: len(first)] == first
    assert sorted(started_now[len(first) :]) == ["library", "other-variants"], "side by side"


def test_without_qt_the_window_is_left_out(started: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(compile_module, "find_spec", lambda name: None)
    assert cli.main(["compile"]) == 0
    assert set(steps_started(started)) == {"first-variants", "other-variants", "library"}


def test_a_step_prints_its_stages_and_a_witness(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert (
        cli.main(
            ["compile", "--step", "window"], rehearse_window=lambda report: report(0, 3, "opening")
        )
        == 0
    )
    stage, witness = capsys.readouterr().out.splitlines()
    assert stage == "0/3 opening"
    assert witness.startswith("witness ")
