"""What asks before it is lost: a run, a recorded drag, a generated graph that no run names."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from gui.model.jobs import JobKind
from gui.window import MainWindow
from solvers.graphs import generators
from tests.gui.controllers.test_run import endless
from tests.gui.windows import (
    PATIENCE_MS,
    SAMPLE,
    TINY,
    open_graph,
    run_only,
    tick_only,
    wait_until_idle,
)

__all__ = ["endless"]


@pytest.fixture
def running(qtbot: QtBot, window: MainWindow, endless: threading.Event) -> MainWindow:
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-array")
    window.commands["run"].trigger()
    qtbot.waitUntil(endless.is_set, timeout=30_000)
    return window


def press(window: MainWindow, text: str) -> None:
    (box,) = (box for box in window.findChildren(QMessageBox) if box.isVisible())
    next(button for button in box.buttons() if button.text().replace("&", "") == text).click()


def test_a_graph_opened_during_a_run_stops_it_or_waits(qtbot: QtBot, running: MainWindow) -> None:
    """It waited for the trials for up to 46 s, with a small grey text."""
    session, jobs = running.parts.session, running.parts.jobs
    running.parts.open.open(SAMPLE)
    assert jobs.running(JobKind.OPEN) is None
    press(running, "Open after the run")
    assert running.notices.notice.text == f"{SAMPLE.name} is opened when the run has ended."
    assert jobs.running(JobKind.OPEN) is None
    with qtbot.waitSignal(session.graph_changed, timeout=PATIENCE_MS):
        running.commands["cancel"].trigger()
    assert session.graph_source.path == str(SAMPLE)


def test_the_graph_stays_if_the_question_is_cancelled_and_the_run_is_stopped_for_another(
    qtbot: QtBot, running: MainWindow
) -> None:
    running.parts.open.open(SAMPLE)
    press(running, "Cancel")
    assert not running.parts.jobs.running(JobKind.SOLVE).cancelling
    assert running.parts.jobs.running(JobKind.OPEN) is None

    running.parts.open.open(SAMPLE)
    with qtbot.waitSignal(running.parts.session.graph_changed, timeout=5000):
        press(running, "Stop the run and open")
    assert running.parts.jobs.running(JobKind.SOLVE) is None


def test_a_generated_graph_without_a_run_is_asked_for_and_one_with_a_run_is_not(
    qtbot: QtBot, window: MainWindow
) -> None:
    session = window.parts.session
    for _ in range(2):  # the next generated graph takes its place without a question
        with qtbot.waitSignal(session.graph_changed, timeout=PATIENCE_MS):
            window.parts.open.generate(generators.find("grid"), {"columns": 5, "rows": 4})
        wait_until_idle(qtbot, window)
    window.parts.open.open(TINY)
    (box,) = (box for box in window.findChildren(QMessageBox) if box.isVisible())
    assert "grid, columns 5, rows 4" in box.text()
    press(window, "Cancel")
    assert session.graph_source.generator == "grid"
    run_only(qtbot, window, "bf-serial")
    open_graph(qtbot, window, TINY)


def test_quit_asks_during_a_run_and_a_signal_does_not(running: MainWindow) -> None:
    running.commands["quit"].trigger()
    assert running.isVisible()
    press(running, "Cancel")
    running.windowHandle().close()  # as the desktop's button
    assert running.isVisible()
    press(running, "Quit")
    assert not running.isVisible()


def test_a_recorded_drag_is_asked_for(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    window.commands["live"].trigger()
    live = window.parts.session.unmeasured
    qtbot.waitUntil(lambda: live.answer is not None, timeout=PATIENCE_MS)
    window.commands["record-drag"].trigger()
    for source in (1, 2):
        with qtbot.waitSignal(live.changed, timeout=PATIENCE_MS):
            window.parts.session.set_source(source)
    window.parts.open.open(SAMPLE)
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        press(window, "Open")
    assert not window.features["live"].lost()
