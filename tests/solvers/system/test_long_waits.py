"""Whoever waits is told, of the compiler once and of progress in lines; what is quick or in
the background is not.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from solvers.commands.console import Console
from solvers.library import progress
from solvers.program import QUIET_VARIABLE
from solvers.system.long_waits import CompileNotice, ProgressLines

PROGRAM = """
from solvers.system.long_waits import NOTICE
NOTICE._patience = 0.01
from solvers.graphs.isochrone import _covered
assert _covered(1.0, 2.0, 2.0) == 0.5
"""


@pytest.fixture(autouse=True)
def _loud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(QUIET_VARIABLE)


def test_a_long_wait_is_told_while_it_lasts_and_once() -> None:
    said: list[str] = []
    notice = CompileNotice(said.append, patience=0.02)
    with notice.compiling():
        deadline = time.monotonic() + 20
        while not said:
            assert time.monotonic() < deadline
            with notice.compiling():  # what the function calls
                time.sleep(0.005)
    for _ in range(3):
        with notice.compiling():
            time.sleep(0.03)
    assert len(said) == 1
    assert "compile” does it ahead" in said[0]


def test_many_short_ones_are_a_long_wait_and_a_short_one_is_none() -> None:
    said: list[str] = []
    notice = CompileNotice(said.append, patience=0.2)
    with notice.compiling():
        time.sleep(0.001)
    time.sleep(0.3)
    assert said == []
    deadline = time.monotonic() + 20
    while not said and time.monotonic() < deadline:
        with notice.compiling():
            time.sleep(0.02)
    assert len(said) == 1


def lines_of(cache: Path, **settings: str) -> list[str]:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)} | settings
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stderr.splitlines()


def test_a_program_says_it_when_it_compiles_and_not_when_it_loads(tmp_path: Path) -> None:
    quiet = lines_of(tmp_path / "quiet", **{QUIET_VARIABLE: "1"})
    first, second = lines_of(tmp_path / "loud"), lines_of(tmp_path / "loud")
    assert (quiet, second) == ([], [])
    assert [line[:29] for line in first] == ["tautpath: compiling functions"]


def test_without_a_terminal_progress_is_lines_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    err = io.StringIO()
    console = Console(out=io.StringIO(), err=err)
    for i in range(50):
        console.progress(i / 50, "reading")
    assert err.getvalue() == ""  # a short command has none
    console = Console(out=io.StringIO(), err=err, _lines=ProgressLines(0.0, interval=0.1))
    deadline = time.monotonic() + 20
    while err.getvalue().count("\n") < 3 and time.monotonic() < deadline:
        console.progress(0.25, "reading")
    assert err.getvalue() == "tautpath: 25% reading\n" * 3
    console.quiet = True
    console.progress(0.5, "reading")
    console.notice("compiling")
    monkeypatch.setenv(QUIET_VARIABLE, "1")
    console.quiet = False
    time.sleep(0.11)
    console.progress(0.5, "reading")
    assert err.getvalue().count("\n") == 3


def test_a_bar_without_a_terminal_is_a_line_for_each_stage(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with progress.watched(True, "solve") as watch:
        for stage in ("reading", "solving"):
            told = watch(stage)
            for done in range(5):
                told.checkpoint(done, 4)
    assert capsys.readouterr().err == "  0% reading\n  0% solving\n"
