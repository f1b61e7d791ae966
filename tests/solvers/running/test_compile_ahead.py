"""Rehearsals in processes, which stand-ins replace: progress, order, cancellation,
failure, and their record.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from solvers.commands.demo import VARIANTS
from solvers.errors import Cancelled, RehearsalFailed
from solvers.features.alternatives import ways as alternatives
from solvers.features.alternatives.ways import find_ways
from solvers.graphs.readers import read_graph
from solvers.running import compile_ahead
from solvers.running.compile_ahead import (
    FIRST,
    FIRST_MINUTE,
    STEPS,
    RehearsalRecord,
    rehearse,
    rehearse_first,
    rehearse_others,
    sample_graph,
)
from solvers.running.ways import FoundWays
from solvers.system.cancel import SILENT, CancelToken, Progress
from solvers.system.files import RESOURCES
from tests.rehearsals import stand_in, steps_started

NAMES = [step.name for step in STEPS]


def test_each_is_made_once_with_progress_and_a_place_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    started = stand_in(
        monkeypatch, tmp_path, f'print("1/2 the second stage"); print("witness {tmp_path}/main.py")'
    )
    record, fractions, said = RehearsalRecord(tmp_path / "record"), [], []
    progress = Progress(report=lambda done, total: fractions.append(done / total))
    rehearse(STEPS, progress, record, low_priority=True, say=said.append)
    assert steps_started(started) == NAMES
    assert fractions == sorted(fractions)
    assert set(said) == {"the first stage", "the second stage"}
    assert record.missing(NAMES) == ()
    assert all(line.split()[2] == "True" for line in started.read_text().splitlines())
    data = {line.split()[3] for line in started.read_text().splitlines()}
    assert not any(Path(folder).exists() for folder in data)  # the user's runs were not touched
    rehearse(STEPS, progress, record)
    assert steps_started(started) == NAMES


def test_several_run_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    meet = f"""
while len(open({str(tmp_path / "started.txt")!r}).readlines()) < 2:
    time.sleep(0.01)
"""
    started = stand_in(monkeypatch, tmp_path, meet)  # each ends only when both are there
    rehearse(FIRST_MINUTE, SILENT, RehearsalRecord(tmp_path / "record"), at_once=2)
    assert len(steps_started(started)) == 2


def test_cancelling_ends_the_process_and_keeps_what_was_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    hang = f'time.sleep(0 if step == "{NAMES[0]}" else 60)'
    started, record, token = (
        stand_in(monkeypatch, tmp_path, hang),
        RehearsalRecord(tmp_path / "record"),
        CancelToken(),
    )
    ended = []

    def work() -> None:
        with pytest.raises(Cancelled):
            rehearse(STEPS, Progress(token), record)
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
    assert not any(
        psutil.pid_exists(int(line.split()[1])) for line in started.read_text().splitlines()
    )


def test_a_failure_is_told_after_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    fail = f'print("no room"); sys.exit(step == "{NAMES[0]}")'
    started, record = stand_in(monkeypatch, tmp_path, fail), RehearsalRecord(tmp_path / "record")
    with pytest.raises(
        RehearsalFailed, match=r"failed at the first variants: no room\. It will be compiled when"
    ):
        rehearse(STEPS, SILENT, record)
    assert steps_started(started) == NAMES
    assert record.missing(NAMES) == (NAMES[0],)


def test_whatever_is_printed_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Digits that are none to int() ended the job, and nothing bounded a line."""
    body = """
for text in ("\u00b2/\u00b2 x", "9" * 5000 + "/1 x", "1/0 x", "7/2 a\u202eb", "/", "0" * 10**7):
    sys.stdout.buffer.write(text.encode() + b"\\n")
sys.stdout.buffer.write(b"\\xff\\x00 1/2 x")
"""
    said: list[str] = []
    stand_in(monkeypatch, tmp_path, body)
    record = RehearsalRecord(tmp_path / "record")
    rehearse(STEPS[:1], SILENT, record, say=said.append)
    assert said == ["the first stage", "x", "a\\u202eb"]
    assert record.missing([STEPS[0].name]) == ()


RECORD_STEPS = ("first", "second")


def test_what_was_rehearsed_is_known_to_the_next_start(tmp_path: Path):
    assert RehearsalRecord(tmp_path).missing(RECORD_STEPS) == RECORD_STEPS
    witness = tmp_path / "function.nbi"
    witness.touch()
    RehearsalRecord(tmp_path).add("first", [str(witness)])
    assert RehearsalRecord(tmp_path).missing(RECORD_STEPS) == ("second",)
    RehearsalRecord(tmp_path).add("second", [str(witness)])
    assert RehearsalRecord(tmp_path).missing(RECORD_STEPS) == ()
    witness.unlink()
    assert RehearsalRecord(tmp_path).missing(RECORD_STEPS) == RECORD_STEPS


def test_records_of_another_cache_unreadable_and_unwritable_ones_count_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    RehearsalRecord(tmp_path).add("first")
    (kept,) = tmp_path.iterdir()
    for content in ("", "[]", '{"steps": 3}', "\x00"):
        kept.write_text(content)
        assert RehearsalRecord(tmp_path).missing(RECORD_STEPS) == RECORD_STEPS
    RehearsalRecord(kept).add("first")
    assert RehearsalRecord(kept).missing(RECORD_STEPS) == RECORD_STEPS
    RehearsalRecord(tmp_path).add("first")
    assert RehearsalRecord(tmp_path).missing(RECORD_STEPS) == ("second",)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "elsewhere"))
    assert RehearsalRecord(tmp_path).missing(RECORD_STEPS) == RECORD_STEPS


@pytest.mark.parametrize("name", ["harbour.gr.gz", "textbook.gr"])
def test_the_sample_is_that_of_the_reader(name: str):
    parsed, read = sample_graph(name), read_graph(RESOURCES / "samples" / name).graph
    assert parsed.weights.dtype == read.weights.dtype
    for array in ("indptr", "indices", "weights", "ids"):
        np.testing.assert_array_equal(getattr(parsed, array), getattr(read, array))


def test_the_variants_of_the_first_start_come_first_and_are_reported(
    monkeypatch: pytest.MonkeyPatch,
):
    assert set(FIRST) == set(VARIANTS.split(","))
    stages = []
    monkeypatch.setattr(compile_ahead, "FIRST", ("dijkstra-heap",))
    rehearse_first(None, lambda *stage: stages.append(stage))
    assert stages == [(0, 1, "Dijkstra heap")]


def test_alternatives_are_found_once_before_somebody_waits_for_them(
    monkeypatch: pytest.MonkeyPatch,
):
    """The first press of A said nothing for some ten seconds, which compiling took."""
    found = []

    def recorded(*arguments: Any) -> FoundWays:
        found.append(find_ways(*arguments))
        return found[-1]

    monkeypatch.setattr(compile_ahead, "_rehearse", lambda *_: None)
    monkeypatch.setattr(alternatives, "find_ways", recorded)
    rehearse_others(None, lambda *_: None)
    assert len(found[0].ways) >= 1
    assert "simple" not in found[0].note, "by the hierarchy"
