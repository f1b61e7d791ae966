"""Run > Experiments as a user meets it: list, forecast, run, pause, cancel, resume,
claims, report; and bad files.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from gui.dialogs import experiment_tabs
from gui.dialogs.experiments import Doing, ExperimentsDialog, ExperimentState, Offer
from gui.model.jobs import JobKind
from gui.window import MainWindow
from solvers.experiments import forecast
from solvers.experiments.claims import ClaimVerdict
from solvers.running import estimate
from tests.gui.dialogs.measured import open_experiments, press, states, wait_for_findings
from tests.gui.windows import PATIENCE_MS, TINY, open_graph, tick_only, wait_until_idle
from tests.solvers.experiments.samples import write_experiment


@pytest.fixture
def dialog(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> ExperimentsDialog:
    """The list with the sample experiment alone, and a store of its own."""
    return open_experiments(qtbot, window, tmp_path)


def test_the_shipped_experiments_are_listed_by_paper_with_what_they_need(
    qtbot: QtBot, window: MainWindow
):
    window.commands["experiments"].trigger()
    dialog = window.findChild(ExperimentsDialog)
    wait_until_idle(qtbot, window)
    heads = [dialog.list.topLevelItem(i).text(0) for i in range(dialog.list.topLevelItemCount())]
    assert heads == ["Bodra 2025", "Cholla 2025", "Martín 2009", "Song 2025", "Wang 2024"]
    dialog.choose("bodra-2025-fig-2")
    wait_until_idle(qtbot, window)
    assert len(states(dialog)) == 15
    dialog.scale_box.setCurrentIndex(1)
    wait_until_idle(qtbot, window)
    assert all("Gnutella" in words for words in states(dialog)), "the files are not here"
    assert not dialog.start_button.isEnabled()


def test_a_run_measures_every_point_and_judges_the_claims(
    qtbot: QtBot, window: MainWindow, dialog: ExperimentsDialog
):
    assert all(words.startswith("about") for words in states(dialog))
    press(qtbot, dialog.start_button)
    assert not window.commands["run"].isEnabled()
    wait_for_findings(qtbot, window)
    assert all("2 trials" in words for words in states(dialog))
    (judged,) = window.parts.experiments.findings.judgements
    assert judged.verdict is ClaimVerdict.HOLDS, "it needs what lies far outside the interval"
    dialog.tabs.setCurrentIndex(2)
    (chart,) = dialog.charts.drawings
    image = chart.grab().toImage()
    colours = {
        image.pixelColor(x, y).name() for x in range(0, image.width(), 2) for y in range(40, 300)
    }
    assert chart.height() == pytest.approx(chart.width() * 420 / 860, abs=1), "no empty room below"
    assert image.pixelColor(image.width() - 2, image.height() - 2).name() == "#ffffff", (
        "the paper covers all of it"
    )
    assert "#0072b2" in colours, "the first series is drawn in its colour"
    assert dialog.start_button.text() == "Start"
    assert not window.parts.jobs.quiet.is_measuring
    press(qtbot, dialog.start_button)
    wait_until_idle(qtbot, window)
    assert all(words.endswith("from the store") for words in states(dialog))


def test_a_paused_run_waits_and_a_cancelled_one_goes_on_later(
    qtbot: QtBot, window: MainWindow, dialog: ExperimentsDialog
):
    press(qtbot, dialog.start_button)
    press(qtbot, dialog.start_button)
    assert dialog.start_button.text() == "Resume"
    press(qtbot, dialog.cancel_button)
    qtbot.waitUntil(lambda: dialog.start_button.text() == "Start", timeout=PATIENCE_MS)
    wait_until_idle(qtbot, window)
    press(qtbot, dialog.start_button)
    wait_for_findings(qtbot, window)
    assert len([words for words in states(dialog) if "trials" in words]) == 6


def test_the_report_is_written_and_opened(
    qtbot: QtBot,
    window: MainWindow,
    dialog: ExperimentsDialog,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    assert not dialog.report_button.isEnabled()
    press(qtbot, dialog.start_button)
    qtbot.waitUntil(dialog.report_button.isEnabled, timeout=PATIENCE_MS)
    window.parts.experiments.exports.write_report(tmp_path / "report.html")
    qtbot.waitUntil(lambda: bool(opened), timeout=PATIENCE_MS)
    assert opened == [str(tmp_path / "report.html")]
    wait_until_idle(qtbot, window)  # one export at a time
    window.parts.experiments.exports.export_charts(tmp_path / "charts")
    wait_until_idle(qtbot, window)
    assert {path.suffix for path in (tmp_path / "charts").iterdir()} == {
        ".png",
        ".svg",
        ".tex",
        ".csv",
    }
    assert "A scan takes longer." in (tmp_path / "report.html").read_text(encoding="utf-8")
    press(qtbot, dialog.own_button)
    assert dialog.report_button.isEnabled(), "there is still something to report"


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
    dialog = ExperimentsDialog(())
    qtbot.addWidget(dialog)
    dialog.show_state(ExperimentState(offer=Offer.CONNECT, is_offered=offered, activity=activity))
    assert dialog.start_button.text() == button.value
    assert dialog.start_button.isEnabled() is pressable
    assert dialog.list.isEnabled() is (activity is Doing.IDLE)
    assert dialog.cancel_button.isEnabled() is (activity is not Doing.IDLE)
    taken: list[Offer] = []
    dialog.pressed.connect(taken.append)
    press(qtbot, dialog.start_button)
    assert taken == [button] * pressable


def test_an_own_experiment_is_added_and_a_fault_in_it_is_told(
    qtbot: QtBot, window: MainWindow, dialog: ExperimentsDialog, tmp_path: Path
):
    window.parts.experiments.open_file(
        write_experiment(tmp_path, ("dijkstra-heap", "dijkstra-hep"))
    )
    assert "line 20" in dialog.words.text()
    other = tmp_path / "other"
    other.mkdir()
    window.parts.experiments.open_file(write_experiment(other, ('id = "own"', 'id = "another"')))
    wait_until_idle(qtbot, window)
    assert dialog.current.id == "another"
    assert len(states(dialog)) == 6


def test_a_grid_of_a_million_runs_is_a_question(
    qtbot: QtBot, window: MainWindow, dialog: ExperimentsDialog, tmp_path: Path
):
    wide = ("degree = 3", "seed = { from = 1, to = 200000, steps = 200000 }, degree = 3")
    window.parts.experiments.open_file(
        write_experiment(tmp_path, wide, ('id = "own"', 'id = "wide"'))
    )
    wait_until_idle(qtbot, window)
    assert states(dialog) == []
    press(qtbot, dialog.start_button)
    box = dialog.findChild(QMessageBox)
    press(qtbot, box.button(QMessageBox.StandardButton.Cancel))
    assert not window.parts.jobs.running(JobKind.EXPERIMENT)


def test_a_large_grid_runs_when_it_is_confirmed(
    qtbot: QtBot, window: MainWindow, dialog: ExperimentsDialog, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(forecast, "MOST_POINTS", 5)
    monkeypatch.setattr(experiment_tabs, "MOST_LISTED", 2)
    dialog.chosen.emit()
    wait_until_idle(qtbot, window)
    press(qtbot, dialog.start_button)
    box = dialog.findChild(QMessageBox)
    press(qtbot, next(button for button in box.buttons() if button.text() == "Run"))
    wait_for_findings(qtbot, window)
    assert len(window.parts.experiments.findings.measurements) == 6
    assert [words.partition(", ")[2] for words in states(dialog)] == ["2 trials", "2 trials", ""]
    assert dialog.points.tree.topLevelItem(2).text(0) == "and 4 other points"


def test_guesses_are_called_so_and_probed_on_demand(
    qtbot: QtBot, window: MainWindow, dialog: ExperimentsDialog, monkeypatch: pytest.MonkeyPatch
):
    assert all(
        words.startswith("about") and words.endswith(", guessed") for words in states(dialog)
    )
    assert dialog.probe_button.isVisible()
    monkeypatch.setattr(estimate, "model_seconds", lambda variant, shape, *rest: 30.0)
    dialog.chosen.emit()
    wait_until_idle(qtbot, window)
    assert all("a rough guess" in words for words in states(dialog))
    press(qtbot, dialog.probe_button)
    qtbot.waitUntil(lambda: dialog.words.text().startswith("Probed"), timeout=PATIENCE_MS)
    assert all(words.startswith("about") and "guess" not in words for words in states(dialog))
    assert not dialog.probe_button.isVisible()
    assert dialog.start_button.isEnabled()


def test_a_new_experiment_has_the_open_graph_and_the_ticked_variants(
    qtbot: QtBot, window: MainWindow, dialog: ExperimentsDialog, tmp_path: Path
):
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-heap", "bf-serial")
    window.parts.experiments.write_own(tmp_path / "mine.toml")
    wait_until_idle(qtbot, window)
    assert dialog.current.id == "mine"
    assert [one.variant.id for one in dialog.current.series] == ["bf-serial", "dijkstra-heap"]
    assert all(words.startswith("about") for words in states(dialog)), "its file is found"
