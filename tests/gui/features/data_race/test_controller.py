"""Show the data race: asked on the card, run in a job, told in words."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.features.data_race import controller as data_race
from gui.features.data_race.dialog import DataRaceDialog
from gui.model.jobs import JobKind
from gui.window import MainWindow
from solvers.features.data_race.counting import ContentionLevel, RaceReport
from solvers.graphs.graph import Graph
from solvers.system.cancel import Progress
from tests.gui.windows import TINY, card_button, controller_of, open_graph, wait_until_idle

RACY = "da2cf-f-gpu-racy"
TEXT = "Show the data race…"


@pytest.fixture
def line() -> Graph:
    return Graph.from_arcs(
        2, np.array([0]), np.array([1]), np.array([2], np.int32), ids=np.array([10, 20])
    )


@pytest.fixture
def dialog(qtbot: QtBot, window: MainWindow) -> DataRaceDialog:
    """The textbook graph is open, the racy variant is selected, its card's button was pressed."""
    if window.parts.session.device is None:
        pytest.skip("racy variants need a device for kernels; there is none here")
    open_graph(qtbot, window, TINY)
    window.parts.session.results.select(RACY)
    wait_until_idle(qtbot, window)
    assert card_button(window, TEXT).isVisibleTo(window.card)
    content = controller_of(window, "data_race").show()
    content.runs_box.setValue(3)
    return content


def test_only_racy_variants_have_the_button_and_a_greyed_one_says_why(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.parts.session.results.select("dijkstra-heap")
    wait_until_idle(qtbot, window)
    assert not card_button(window, TEXT).isVisibleTo(window.card)
    assert not window.commands["data-race"].isEnabled()
    assert controller_of(window, "data_race").show() is None

    window.parts.session.set_device(None)
    window.parts.session.results.select(RACY)
    wait_until_idle(qtbot, window)
    assert not card_button(window, TEXT).isEnabled()
    assert "needs a CUDA or OpenCL device" in window.card.reason.text()
    assert not window.commands["data-race"].isEnabled()
    assert "racy that can run here" in window.commands["data-race"].toolTip().replace("\n", " ")
    assert card_button(window, TEXT).toolTip() == window.commands["data-race"].toolTip()


def test_a_click_on_the_card_opens_the_dialog_and_so_does_enter(
    qtbot: QtBot, window: MainWindow, dialog: DataRaceDialog
) -> None:
    dialog.close()
    qtbot.mouseClick(card_button(window, TEXT), Qt.MouseButton.LeftButton)
    assert window.findChildren(DataRaceDialog)[-1].isVisible()

    window.findChildren(DataRaceDialog)[-1].close()
    before = len(window.findChildren(DataRaceDialog))
    card_button(window, TEXT).setFocus()
    qtbot.keyClick(card_button(window, TEXT), Qt.Key.Key_Return)
    assert len(window.findChildren(DataRaceDialog)) == before + 1
    window.findChildren(DataRaceDialog)[-1].close()


def test_the_open_graph_is_raced_on_and_stays_open_or_the_counterexample_is_opened(
    qtbot: QtBot, window: MainWindow, dialog: DataRaceDialog
) -> None:
    assert not dialog.open_graph.isChecked()
    before = window.parts.session.graph
    dialog.open_graph.setChecked(True)
    dialog.start_button.click()
    wait_until_idle(qtbot, window)
    assert window.parts.session.graph is before
    assert "3 runs" in dialog.outcome.text()

    dialog.counterexample.setChecked(True)
    dialog.start_button.click()
    wait_until_idle(qtbot, window)
    assert window.parts.session.graph.name.startswith("contention-")
    assert "runs" in dialog.outcome.text()
    assert dialog.start_button.text() == "Run again"
    assert dialog.open_graph.isChecked(), "which is the counterexample now"


@pytest.mark.parametrize("place", ["start_button", "runs_box", "counterexample"])
def test_enter_starts_the_runs_wherever_the_focus_is(qtbot: QtBot, place: str) -> None:
    asked = DataRaceDialog("variant", "caveat", "graph")
    qtbot.addWidget(asked)
    asked.show()
    with qtbot.waitSignal(asked.start_requested):
        qtbot.keyClick(getattr(asked, place), Qt.Key.Key_Return)


def test_a_graph_that_was_opened_during_the_race_stays_open(
    qtbot: QtBot,
    window: MainWindow,
    dialog: DataRaceDialog,
    line: Graph,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate = threading.Event()

    def wait(*_: object) -> RaceReport:
        gate.wait(10)
        return RaceReport(3, 0, (0, 0, 0), None)

    monkeypatch.setattr(data_race, "count_wrong_runs", wait)
    dialog.open_graph.setChecked(True)
    dialog.start_button.click()
    window.parts.session.open_graph(line)
    gate.set()
    wait_until_idle(qtbot, window)
    assert window.parts.session.graph is line
    assert "All 3 runs were correct" in dialog.outcome.text()


def test_cancel_stops_the_race_and_says_so(
    qtbot: QtBot, window: MainWindow, dialog: DataRaceDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(*arguments: object) -> tuple[ContentionLevel, ...]:
        *_, progress = arguments
        assert isinstance(progress, Progress)
        while True:
            progress.checkpoint()

    monkeypatch.setattr(data_race, "raise_contention", endless)
    before = window.parts.session.graph
    dialog.start_button.click()
    assert dialog.start_button.text() == "Cancel"
    dialog.start_button.click()
    wait_until_idle(qtbot, window)
    assert dialog.outcome.text() == "Stopped; nothing was counted."
    assert window.parts.session.graph is before


def test_closing_the_dialog_stops_the_race(
    qtbot: QtBot, window: MainWindow, dialog: DataRaceDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, ended = [], []

    def endless(*arguments: object) -> tuple[ContentionLevel, ...]:
        *_, progress = arguments
        assert isinstance(progress, Progress)
        began.append(True)
        try:
            while True:
                progress.checkpoint()
        finally:
            ended.append(True)

    monkeypatch.setattr(data_race, "raise_contention", endless)
    dialog.start_button.click()
    # before, the graph is made, and Cancel would end the job there
    qtbot.waitUntil(lambda: bool(began))
    dialog.close()
    qtbot.waitUntil(lambda: bool(ended))
    assert window.parts.jobs.running(JobKind.DATA_RACE) is None
