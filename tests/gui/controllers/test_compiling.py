"""Compiling ahead in the background of the window: told in the status bar, ended by a
run, resumed after it.
"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.app import to_canvas
from gui.canvas import graph_canvas
from gui.canvas.graph_canvas import COMPILE_TITLE
from gui.controllers.first_start import OFF_VARIABLE, CompileAheadController
from gui.model.jobs import JobKind
from gui.window import MainWindow
from solvers.running import compile_ahead
from solvers.running.compile_ahead import RehearsalRecord
from solvers.system.long_waits import NOTICE
from tests.gui.windows import TINY, open_graph, tick_only, until_cancelled
from tests.rehearsals import stand_in, steps_started

HANG = "time.sleep(60)"


@pytest.fixture(autouse=True)
def _switched_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also where the user's window has compiled all from this checkout."""
    monkeypatch.delenv(OFF_VARIABLE, raising=True)
    monkeypatch.setattr(compile_ahead, "user_folder", tmp_path.joinpath)


def begun(window: MainWindow, folder: Path) -> CompileAheadController:
    compiling = CompileAheadController(
        window.parts.session, window.parts.jobs, window, RehearsalRecord(folder / "record")
    )
    compiling.begin()
    return compiling


def test_the_window_does_not_start_it_by_itself_and_it_can_be_switched_off(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    assert window.parts.jobs.running(JobKind.COMPILE) is None

    started = stand_in(monkeypatch, tmp_path)
    monkeypatch.setenv(OFF_VARIABLE, "1")
    begun(window, tmp_path)
    qtbot.waitUntil(lambda: not window.parts.session.window.waiting, timeout=20_000)
    assert window.parts.jobs.running(JobKind.COMPILE) is None
    assert not steps_started(started)


def test_it_tells_what_it_does_and_is_done_once(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    started = stand_in(monkeypatch, tmp_path, "time.sleep(0.3)")
    compiling = begun(window, tmp_path)
    qtbot.waitUntil(lambda: window.notices.notice is not None, timeout=20_000)
    assert "once after installation" in window.notices.notice.text
    bar = window.status
    qtbot.waitUntil(lambda: "the first stage" in bar._words.whole_text, timeout=20_000)
    assert bar._words.whole_text.startswith(COMPILE_TITLE)
    assert bar._cancel.isVisible()
    qtbot.waitUntil(lambda: window.parts.jobs.running(JobKind.COMPILE) is None, timeout=30_000)
    assert len(steps_started(started)) == 3
    compiling.begin()
    qtbot.waitUntil(lambda: not window.parts.session.window.waiting, timeout=20_000)
    assert window.parts.jobs.running(JobKind.COMPILE) is None


def test_a_job_of_the_user_is_shown_before_it(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    stand_in(monkeypatch, tmp_path, HANG)
    window.parts.jobs.start(JobKind.OPEN, "Reading", until_cancelled)
    begun(window, tmp_path)
    assert window.status._words.whole_text == "Reading"
    window.parts.jobs.cancel(JobKind.OPEN)
    qtbot.waitUntil(
        lambda: window.status._words.whole_text.startswith(COMPILE_TITLE), timeout=20_000
    )
    window.parts.jobs.cancel(JobKind.COMPILE)
    qtbot.waitUntil(lambda: not window.parts.jobs.all(), timeout=10_000)


def test_a_run_ends_it_and_it_goes_on_afterwards(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    started = stand_in(monkeypatch, tmp_path, HANG)
    open_graph(qtbot, window, TINY)
    begun(window, tmp_path)
    qtbot.waitUntil(lambda: len(steps_started(started)) == 1, timeout=20_000)
    tick_only(window, "bf-serial")
    window.commands["run"].trigger()
    assert window.parts.jobs.running(JobKind.COMPILE) is None
    qtbot.waitUntil(lambda: len(steps_started(started)) == 2, timeout=60_000)
    assert window.parts.session.results.all
    window.parts.jobs.cancel(JobKind.COMPILE)
    qtbot.waitUntil(lambda: not window.parts.jobs.all(), timeout=10_000)


def test_an_experiment_ends_it_too(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Its processes went on during the trials: it looked for runs only."""
    started = stand_in(monkeypatch, tmp_path, HANG)
    open_graph(qtbot, window, TINY)
    begun(window, tmp_path)
    jobs = window.parts.jobs
    qtbot.waitUntil(lambda: len(steps_started(started)) == 1, timeout=20_000)
    jobs.start(JobKind.EXPERIMENT, "Measuring", until_cancelled)
    assert jobs.running(JobKind.COMPILE) is None
    jobs.cancel(JobKind.EXPERIMENT)
    qtbot.waitUntil(lambda: len(steps_started(started)) == 2, timeout=60_000)
    jobs.cancel(JobKind.COMPILE)
    qtbot.waitUntil(lambda: not jobs.all(), timeout=10_000)


def test_a_failure_is_no_concern_of_the_user(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    stand_in(monkeypatch, tmp_path, "sys.exit(1)")
    open_graph(qtbot, window, TINY)
    begun(window, tmp_path)
    qtbot.waitUntil(lambda: window.parts.jobs.running(JobKind.COMPILE) is None, timeout=30_000)
    assert window.notices.notice is None


def test_an_empty_canvas_says_that_drawing_is_compiled(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
):
    """It was empty without a word, for up to a minute."""
    said: list[str] = []
    monkeypatch.setattr(graph_canvas, "draw_message", lambda *given: said.append(given[2]))
    canvas = window.parts.canvas.graph_canvas
    monkeypatch.setattr(canvas.frames, "request", lambda request: None)
    window.parts.open.open(TINY)
    qtbot.waitUntil(lambda: canvas.content is not None, timeout=20_000)
    with NOTICE.said_by(to_canvas(window)):
        threading.Thread(target=NOTICE.say, args=("compiling functions",)).start()
        qtbot.waitUntil(lambda: f"{COMPILE_TITLE} …" in said, timeout=20_000)
    monkeypatch.undo()
    canvas._request()
    qtbot.waitUntil(lambda: canvas.frames.newest is not None, timeout=60_000)
    assert not canvas._compiles
