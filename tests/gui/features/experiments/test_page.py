"""Experiments as a user meets them: list, forecast, run, pause, cancel, resume,
claims, report; and bad files.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from gui.features.experiments import tabs as experiment_tabs
from gui.features.experiments.page import (
    Doing,
    ExperimentList,
    ExperimentPage,
    ExperimentState,
    Offer,
)
from gui.model.jobs import JobKind
from gui.style.theme import tokens
from gui.window import MainWindow
from solvers.features.experiments import forecast
from solvers.features.experiments.claims import ClaimVerdict
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.running import estimate
from tests import graphs
from tests.gui.features.experiments.measured import (
    answer_with,
    open_experiments,
    press,
    states,
    wait_for_findings,
)
from tests.gui.windows import (
    PATIENCE_MS,
    TINY,
    controller_of,
    cut_parts,
    open_graph,
    tick_only,
    wait_until_idle,
)
from tests.solvers.features.experiments.samples import waiting_for_ever, write_experiment


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> ExperimentPage:
    """The list with the sample experiment alone, and a store of its own."""
    return open_experiments(qtbot, window, tmp_path)


def test_the_shipped_experiments_are_listed_by_paper_with_what_they_need(
    qtbot: QtBot, window: MainWindow
):
    window.commands["experiments"].trigger()
    page = controller_of(window, "experiments").page
    wait_until_idle(qtbot, window)
    tree = page.listing.tree
    heads = [tree.topLevelItem(i).text(0) for i in range(tree.topLevelItemCount())]
    assert heads == ["Bodra 2025", "Cholla 2025", "Martín 2009", "Song 2025", "Wang 2024"]
    page.listing.choose("bodra-2025-fig-2")
    wait_until_idle(qtbot, window)
    assert len(states(page)) == 15
    page.scale_box.setCurrentIndex(1)
    wait_until_idle(qtbot, window)
    assert all("Gnutella" in words for words in states(page)), "the files are not here"
    assert not page.start_button.isEnabled()


def test_a_run_measures_every_point_and_judges_the_claims(
    qtbot: QtBot, window: MainWindow, page: ExperimentPage
):
    assert all(words.startswith("about") for words in states(page))
    assert not page.progress.isVisible(), "it would look like a scroll bar below the points"
    room = page.tabs.height()
    press(qtbot, page.start_button)
    assert not window.commands["run"].isEnabled()
    wait_for_findings(qtbot, window)
    assert all("2 trials" in words for words in states(page))
    assert page.progress.isVisible()
    assert page.tabs.height() == room, "nothing moved"
    (judged,) = controller_of(window, "experiments").findings.judgements
    assert judged.verdict is ClaimVerdict.HOLDS, "it needs what lies far outside the interval"
    page.tabs.setCurrentIndex(2)
    (chart,) = page.charts.drawings
    image = chart.grab().toImage()
    colours = {
        image.pixelColor(x, y).name() for x in range(0, image.width(), 2) for y in range(40, 300)
    }
    assert chart.plot.geometry().bottom() == chart.rect().bottom(), "no empty room below"
    assert image.pixelColor(image.width() - 2, image.height() - 2).name() == "#ffffff", (
        "the paper covers all of it"
    )
    first = chart.plot.chart.lines[0].colour.on(tokens().dark)
    assert first.lower() in colours, "the first series is drawn in its colour"
    assert page.start_button.text() == "Start"
    assert not window.parts.jobs.quiet.is_measuring
    press(qtbot, page.start_button)
    wait_until_idle(qtbot, window)
    assert all(words.endswith("from the store") for words in states(page))


def test_a_paused_run_waits_and_a_cancelled_one_goes_on_later(
    qtbot: QtBot, window: MainWindow, page: ExperimentPage
):
    press(qtbot, page.start_button)
    press(qtbot, page.start_button)
    assert page.start_button.text() == "Resume"
    press(qtbot, page.cancel_button)
    qtbot.waitUntil(lambda: page.start_button.text() == "Start", timeout=PATIENCE_MS)
    wait_until_idle(qtbot, window)
    press(qtbot, page.start_button)
    wait_for_findings(qtbot, window)
    assert len([words for words in states(page) if "trials" in words]) == 6


def test_the_report_is_written_and_opened(
    qtbot: QtBot,
    window: MainWindow,
    page: ExperimentPage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    assert not page.report_button.isEnabled()
    press(qtbot, page.start_button)
    qtbot.waitUntil(page.report_button.isEnabled, timeout=PATIENCE_MS)
    answer_with(monkeypatch, tmp_path / "report.html")
    press(qtbot, page.report_button)
    qtbot.waitUntil(lambda: bool(opened), timeout=PATIENCE_MS)
    assert opened == [str(tmp_path / "report.html")]
    wait_until_idle(qtbot, window)  # one export at a time
    answer_with(monkeypatch, tmp_path / "charts")
    press(qtbot, page.charts_button)
    wait_until_idle(qtbot, window)
    assert {path.suffix for path in (tmp_path / "charts").iterdir()} == {
        ".pdf",
        ".png",
        ".svg",
        ".tex",
        ".csv",
    }
    assert "A scan takes longer." in (tmp_path / "report.html").read_text(encoding="utf-8")
    page.tabs.setCurrentIndex(2)
    answer_with(monkeypatch, tmp_path / "one.svg")
    press(qtbot, page.charts.drawings[0].export_button)
    wait_until_idle(qtbot, window)
    assert (tmp_path / "one.svg").read_text(encoding="utf-8").startswith(("<svg", "<?xml"))
    press(qtbot, page.listing.own_button)
    assert page.report_button.isEnabled(), "there is still something to report"


@pytest.mark.parametrize(
    ("activity", "offered", "button", "pressable"),
    [
        (Doing.IDLE, True, Offer.CONNECT, True),
        (Doing.IDLE, False, Offer.CONNECT, False),
        (Doing.PROBING, True, Offer.CONNECT, False),
        (Doing.RUNNING, False, Offer.PAUSE, True),
        (Doing.PAUSED, False, Offer.RESUME, True),
    ],
)
def test_the_first_button_does_what_the_state_offers(
    qtbot: QtBot, activity: Doing, offered: bool, button: Offer, pressable: bool
):
    page = ExperimentPage(ExperimentList(()))
    qtbot.addWidget(page)
    page.show_state(ExperimentState(offer=Offer.CONNECT, is_offered=offered, activity=activity))
    assert page.start_button.text() == button.value
    assert page.start_button.isEnabled() is pressable
    assert page.listing.isEnabled() is (activity is Doing.IDLE)
    assert page.cancel_button.isEnabled() is (activity is not Doing.IDLE)
    taken: list[Offer] = []
    page.pressed.connect(taken.append)
    press(qtbot, page.start_button)
    assert taken == [button] * pressable


def test_an_own_experiment_is_added_a_fault_told_and_a_grid_of_a_million_runs_asked_about(
    qtbot: QtBot, window: MainWindow, page: ExperimentPage, tmp_path: Path
):
    controller_of(window, "experiments").open_file(
        write_experiment(tmp_path, ("dijkstra-heap", "dijkstra-hep"))
    )
    assert "line 20" in page.words.text()
    other = tmp_path / "other"
    other.mkdir()
    controller_of(window, "experiments").open_file(
        write_experiment(other, ('id = "own"', 'id = "another"'))
    )
    wait_until_idle(qtbot, window)
    assert page.current.id == "another"
    assert len(states(page)) == 6

    wide = ("degree = 3", "seed = { from = 1, to = 200000, steps = 200000 }, degree = 3")
    controller_of(window, "experiments").open_file(
        write_experiment(tmp_path, wide, ('id = "own"', 'id = "wide"'))
    )
    wait_until_idle(qtbot, window)
    assert states(page) == []
    press(qtbot, page.start_button)
    box = window.findChild(QMessageBox)
    press(qtbot, box.button(QMessageBox.StandardButton.Cancel))
    assert not window.parts.jobs.running(JobKind.EXPERIMENT)


def test_a_large_grid_runs_when_it_is_confirmed(
    qtbot: QtBot, window: MainWindow, page: ExperimentPage, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(forecast, "MOST_POINTS", 5)
    monkeypatch.setattr(experiment_tabs, "MOST_LISTED", 2)
    page.chosen.emit()
    wait_until_idle(qtbot, window)
    press(qtbot, page.start_button)
    box = window.findChild(QMessageBox)
    press(qtbot, next(button for button in box.buttons() if button.text() == "Run"))
    wait_for_findings(qtbot, window)
    assert len(controller_of(window, "experiments").findings.measurements) == 6
    assert [words.partition(", ")[2] for words in states(page)] == ["2 trials", "2 trials", ""]
    assert page.points.tree.topLevelItem(2).text(0) == "and 4 other points"


def test_devices_found_later_are_taken_into_account_and_guesses_probed(
    qtbot: QtBot, window: MainWindow, page: ExperimentPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller_of(window, "experiments").page.show_state(ExperimentState())
    assert states(page) == []
    window.parts.session.device_changed.emit()
    wait_until_idle(qtbot, window)
    assert len(states(page)) == 6

    assert all(words.startswith("about") and words.endswith(", guessed") for words in states(page))
    assert page.probe_button.isVisible()
    monkeypatch.setattr(estimate, "model_seconds", lambda variant, shape, *rest: 30.0)
    page.chosen.emit()
    wait_until_idle(qtbot, window)
    assert all("a rough guess" in words for words in states(page))
    press(qtbot, page.probe_button)
    qtbot.waitUntil(lambda: page.words.text().startswith("Probed"), timeout=PATIENCE_MS)
    assert all(words.startswith("about") and "guess" not in words for words in states(page))
    assert not page.probe_button.isVisible()
    assert page.start_button.isEnabled()


def test_a_new_experiment_has_the_open_graph_and_the_ticked_variants(
    qtbot: QtBot, window: MainWindow, page: ExperimentPage, tmp_path: Path
):
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-heap", "bf-serial")
    controller_of(window, "experiments").write_own(tmp_path / "mine.toml")
    wait_until_idle(qtbot, window)
    assert page.current.id == "mine"
    assert [one.variant.id for one in page.current.series] == ["bf-serial", "dijkstra-heap"]
    assert all(words.startswith("about") for words in states(page)), "its file is found"


# -- its place in the window
# --------------------------------------------------------------------------------------


def click_current(qtbot: QtBot, page: ExperimentPage) -> None:
    tree = page.listing.tree
    spot = tree.visualItemRect(tree.currentItem()).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=spot)


def open_waiting(qtbot: QtBot, window: MainWindow, folder: Path) -> ExperimentPage:
    """The sample experiment, started, whose heap never ends by itself."""
    page = open_experiments(qtbot, window, folder, waiting_for_ever)
    press(qtbot, page.start_button)
    wait_for_point(qtbot, page, 2)
    return page


def wait_for_point(qtbot: QtBot, page: ExperimentPage, number: int) -> None:
    """Wait until the page says that the heap runs at a point, before that is timed out."""
    told = re.compile(rf"Point {number} of 6.*: dijkstra-heap")
    qtbot.waitUntil(lambda: bool(told.fullmatch(page.words.text())), timeout=20_000)


def test_list_and_page_stand_beside_the_graph_one_by_one_where_it_is_narrow_and_whole_in_large_type(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, type_of: Callable[[int], None]
) -> None:
    open_graph(qtbot, window, TINY)
    page = open_experiments(qtbot, window, tmp_path)
    canvas = window.parts.canvas
    assert page.listing.tree.hasFocus()
    assert (page.isVisible(), canvas.isVisible()) == (True, True)
    left, right = (
        page.listing.mapTo(window, QPoint(page.listing.width(), 0)),
        page.mapTo(window, QPoint()),
    )
    assert right.x() - left.x() > 300, "the graph is seen between them"
    assert page.width() > 500

    window.resize(1000, 700)
    assert (page.listing.isVisible(), page.isVisible()) == (True, False)
    click_current(qtbot, page)
    assert (page.listing.isVisible(), page.isVisible()) == (False, True)
    window.bars.open("Experiments", by_user=True)
    qtbot.keyClick(page.listing.tree, Qt.Key.Key_Return)
    assert page.isVisible(), "by the keyboard, too"

    type_of(150)
    window.resize(1280, 720)
    window.bars.open("Experiment", by_user=True)
    for tab in range(3):
        page.tabs.setCurrentIndex(tab)
        qtbot.wait(50)
        assert cut_parts(page) == []
        assert page.rect().contains(page.start_button.geometry())
        assert page.tabs.height() > 150


def test_a_run_goes_on_while_another_panel_is_shown_and_another_graph_is_opened(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    page = open_waiting(qtbot, window, tmp_path)
    window.bars.open("Runs", by_user=True)
    window.bars.open("Variants", by_user=True)
    assert not page.isVisible()
    window.parts.session.open_graph(graphs.at_random(30, 60, seed=1))
    assert window.parts.jobs.running(JobKind.EXPERIMENT)
    window.commands["experiments"].trigger()
    assert page.isVisible()
    assert page.start_button.text() == "Pause"
    qtbot.waitUntil(lambda: "2 trials" in states(page)[0], timeout=20_000)
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: page.start_button.text() == "Start", timeout=PATIENCE_MS)
    assert page.words.text().startswith("Cancelled")
    wait_until_idle(qtbot, window)


def test_the_window_asks_before_it_closes_and_points_are_skipped(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    page = open_waiting(qtbot, window, tmp_path)
    window.quit()
    box = window.findChild(QMessageBox)
    assert "An experiment is in progress." in box.text()
    press(qtbot, box.button(QMessageBox.StandardButton.Cancel))

    press(qtbot, page.skip_button)
    wait_for_point(qtbot, page, 3)
    qtbot.wait(100)  # until it has begun
    press(qtbot, page.skip_button)
    qtbot.waitUntil(lambda: states(page).count("skipped") == 2, timeout=20_000)
    press(qtbot, page.cancel_button)
    wait_until_idle(qtbot, window)
    assert not page.skip_button.isEnabled()


def test_its_runs_are_listed_when_it_ends_and_measured_again_when_deleted(
    qtbot: QtBot, window: MainWindow, page: ExperimentPage
) -> None:
    controller_of(window, "experiments").store = RunStore  # that of the window
    page.chosen.emit()
    wait_until_idle(qtbot, window)
    press(qtbot, page.start_button)
    wait_for_findings(qtbot, window)
    wait_until_idle(qtbot, window)
    panel = window.controller_of("kept_runs").panel
    head = panel.model.rows[0]
    assert head.texts[0].startswith("▸ An own experiment, small: ")
    assert len(head.runs) > 1
    window.controller_of("kept_runs").delete([one.run.run_id for one in head.runs])
    wait_until_idle(qtbot, window)
    press(qtbot, page.start_button)
    wait_for_findings(qtbot, window)
    wait_until_idle(qtbot, window)
    assert all(words.endswith("2 trials") for words in states(page)), "none is from the store"
