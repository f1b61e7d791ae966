"""The first start shows a page with one obvious way in: the sample solved and playing,
unless the user does something else first.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QCommandLinkButton, QPushButton
from pytestqt.qtbot import QtBot

from gui import app
from gui.controllers import first_start
from gui.model.jobs import JobKind
from gui.model.settings import Settings
from gui.style.theme import tokens
from gui.window import MainWindow
from solvers.running.request import MeasurementPlan
from tests.gui.windows import PATIENCE_MS, TINY, open_graph, tick_only, wait_until_idle


def press_first(qtbot: QtBot, window: MainWindow) -> None:
    app.begin(window, [])
    qtbot.mouseClick(window.start_page.first_button, Qt.MouseButton.LeftButton)


def test_a_new_user_sees_the_start_page_with_one_way_in(
    qtbot: QtBot, window: MainWindow, settings: Settings
) -> None:
    app.begin(window, [])
    wait_until_idle(qtbot, window)
    assert window.parts.session.graph is None
    page = window.start_page
    assert page.isVisible()
    filled = QColor(tokens().accent)
    buttons = [b for b in page.findChildren(QPushButton) if b.isVisible()]
    (obvious,) = (b for b in buttons if b.palette().button().color() == filled)
    assert obvious is page.first_button
    assert not page.findChildren(QCommandLinkButton), "the sample is offered once"
    settings.remember_file(TINY)
    assert not page.first_button.isVisible()
    assert [b.text() for b in page.findChildren(QCommandLinkButton)][-1] == "Open the sample"


def test_the_sample_is_solved_and_playing(qtbot: QtBot, window: MainWindow, monkeypatch) -> None:
    monkeypatch.setattr(first_start, "QUICK", MeasurementPlan(warmups=0, trials=1))
    tick_only(window, "dijkstra-heap", "bf-serial")
    press_first(qtbot, window)
    qtbot.waitUntil(lambda: window.parts.playback.playing, timeout=PATIENCE_MS)
    assert window.parts.session.graph.name == "harbour"
    assert len(window.parts.session.results.all) == 2
    assert all(len(result.times()) == 1 for result in window.parts.session.results.all)
    window.parts.playback.pause()


def test_after_a_cancelled_run_nothing_begins_by_itself(
    qtbot: QtBot, window: MainWindow, monkeypatch
) -> None:
    lasting = MeasurementPlan(warmups=0, trials=100_000)  # until it is cancelled
    monkeypatch.setattr(first_start, "QUICK", lasting)
    tick_only(window, "dijkstra-heap")
    press_first(qtbot, window)
    qtbot.waitUntil(
        lambda: window.parts.jobs.running(JobKind.SOLVE) is not None, timeout=PATIENCE_MS
    )
    window.parts.jobs.cancel(JobKind.SOLVE)
    wait_until_idle(qtbot, window)
    assert window.parts.session.results.all == ()
    window.parts.first_start._waits = True  # as where giving up has not had its turn yet
    window.parts.devices.found.emit(window.parts.devices.list)
    qtbot.wait(20)
    assert window.parts.jobs.running(JobKind.SOLVE) is None
    window.parts.run.start()
    wait_until_idle(qtbot, window)
    assert len(window.parts.session.results.all) == 1
    assert not window.parts.playback.playing


def test_a_graph_that_is_opened_instead_is_not_solved(qtbot: QtBot, window: MainWindow) -> None:
    tick_only(window, "dijkstra-heap")
    window.parts.first_start._waits = True
    open_graph(qtbot, window, TINY)
    wait_until_idle(qtbot, window)
    assert window.parts.session.results.all == ()
    assert not window.parts.playback.playing


def test_it_plays_when_the_picture_is_there(qtbot: QtBot, window: MainWindow, monkeypatch) -> None:
    """On a slow machine half of the run was played on an empty canvas."""
    monkeypatch.setattr(first_start, "QUICK", MeasurementPlan(warmups=0, trials=1))
    tick_only(window, "dijkstra-heap")
    canvas = window.parts.canvas.graph_canvas
    without: list[bool] = []
    window.parts.playback.state_changed.connect(
        lambda: without.append(window.parts.playback.playing and canvas.frames.newest is None)
    )
    press_first(qtbot, window)
    qtbot.waitUntil(lambda: window.parts.playback.playing, timeout=PATIENCE_MS)
    assert not any(without)
    window.parts.playback.pause()
