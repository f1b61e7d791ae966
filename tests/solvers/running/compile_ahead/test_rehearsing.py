"""Rehearsals in processes: progress, order, cancellation and failure. The program is a stand-in."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import psutil
import pytest

from solvers.errors import Cancelled, RehearsalFailed
from solvers.host.observer import SILENT, CancelToken, Observer
from solvers.running.compile_ahead.record import RehearsalRecord
from solvers.running.compile_ahead.rehearsing import FIRST_MINUTE, STEPS, rehearse
from tests.rehearsals import stand_in, steps_started

NAMES = [step.name for step in STEPS]


def test_each_is_made_once_with_progress_and_a_place_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    started = stand_in(monkeypatch, tmp_path, f'print("1/2 the second stage"); print("witness {tmp_path}/main.py")')
    record, fractions, said = RehearsalRecord(tmp_path / "record"), [], []
    observer = Observer(None, lambda done, total: fractions.append(done / total))
    rehearse(STEPS, observer, record, low_priority=True, say=said.append)
    assert steps_started(started) == NAMES
    assert fractions == sorted(fractions)
    assert set(said) == {"the first stage", "the second stage"}
    assert record.missing(NAMES) == ()
    assert all(line.split()[2] == "True" for line in started.read_text().splitlines())
    data = {line.split()[3] for line in started.read_text().splitlines()}
    assert not any(Path(folder).exists() for folder in data)  # the user's runs were not touched
    rehearse(STEPS, observer, record)
    assert steps_started(started) == NAMES


def test_several_run_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    meet = f"""
while len(open({str(tmp_path / "started.txt")!r}).readlines()) < 2:
    time.sleep(0.01)
"""
    started = stand_in(monkeypatch, tmp_path, meet)  # each ends only when both are there
    rehearse(FIRST_MINUTE, SILENT, RehearsalRecord(tmp_path / "record"), at_once=2)
    assert len(steps_started(started)) == 2


def test_cancelling_ends_the_process_and_keeps_what_was_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    hang = f'time.sleep(0 if step == "{NAMES[0]}" else 60)'
    started, record, token = stand_in(monkeypatch, tmp_path, hang), RehearsalRecord(tmp_path / "record"), CancelToken()
    ended = []

    def work() -> None:
        with pytest.raises(Cancelled):
            rehearse(STEPS, Observer(token), record)
        ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    deadline = time.monotonic() + 30
    while len(steps_started(started)) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    token.cancel()
    thread.join(30)
    assert ended
    assert record.missing(NAMES) == tuple(NAMES[1:])
    assert not any(psutil.pid_exists(int(line.split()[1])) for line in started.read_text().splitlines())


def test_a_failure_is_told_after_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    fail = f'print("no room"); sys.exit(step == "{NAMES[0]}")'
    started, record = stand_in(monkeypatch, tmp_path, fail), RehearsalRecord(tmp_path / "record")
    with pytest.raises(RehearsalFailed, match=r"failed at the first variants: no room\. It will be compiled when"):
        rehearse(STEPS, SILENT, record)
    assert steps_started(started) == NAMES
    assert record.missing(NAMES) == (NAMES[0],)
