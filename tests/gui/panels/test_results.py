"""The line above the results: who won, by how much, and whether it is proved."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.charts.board import ChartBoard
from gui.model.playback import Playback
from gui.model.run_state import RunState
from gui.model.session import Session
from gui.model.settings import DisplayChoices
from gui.panels.results import Headline, ResultsPlace
from gui.panels.results_table import ResultsPanel
from gui.style.theme import tokens
from gui.style.widgets import GAP
from solvers.core.problem import Phases
from solvers.core.result import Disturbance, DisturbanceKind, Status, Trial, Verdict
from solvers.running.answers.fastest import fastest
from tests.gui.panels.sample import failed_result, make_result

SLOW, FAST, MIDDLE = "bf-edge-flags", "sssp-near-far", "dijkstra-heap"
SLOW_TITLE = "Bellman-Ford edge + flags"
LOAD = Disturbance(DisturbanceKind.LOAD, "busy")
NOT_A_GPU = Disturbance(DisturbanceKind.NOT_A_GPU, "a processor")


@pytest.fixture
def line(qtbot: QtBot, qapp: object, session: Session) -> Headline:
    made = Headline(session, DisplayChoices())
    qtbot.addWidget(made)
    made.resize(420, 120)
    return made


@pytest.mark.parametrize(
    ("times", "baseline", "headline"),
    [
        (
            {SLOW: (32.0,) * 5, FAST: (2.0,) * 5, MIDDLE: (4.0,) * 5},
            0,
            f"16 times faster than {SLOW_TITLE}",
        ),
        (
            {FAST: (2.0,) * 5, SLOW: (32.0,) * 5, MIDDLE: (3.0,) * 5},
            0,
            "50 % faster than Dijkstra heap",
        ),
        ({SLOW: (9.0,) * 5, FAST: (2.0,) * 5}, None, f"4.50 times faster than {SLOW_TITLE}"),
    ],
)
def test_the_fastest_is_compared_with_the_baseline_or_the_next(
    session: Session, times: dict[str, tuple[float, ...]], baseline: int | None, headline: str
) -> None:
    results = [make_result(session, variant_id, ms) for variant_id, ms in times.items()]
    found = fastest(results, None if baseline is None else results[baseline], "solve")
    assert found.headline() == f"Near-far: {headline}"
    assert (found.variant.id, found.remark[-6:]) == (FAST, "proved")


@pytest.mark.parametrize(
    ("trials", "disturbances", "is_uncertain", "remark", "doubts"),
    [
        (1, (), True, "✓ 6.00 ms against 10.0 ms, both proved", "Few trials"),
        (6, (LOAD,), True, "✓ 6.00 ms against 10.0 ms, both proved", "Times disturbed"),
        (6, (NOT_A_GPU,), False, "✓ 6.00 ms, proved", ""),
    ],
)
def test_only_a_comparison_in_doubt_is_called_uncertain(
    session: Session,
    line: Headline,
    trials: int,
    disturbances: tuple[Disturbance, ...],
    is_uncertain: bool,
    remark: str,
    doubts: str,
) -> None:
    slow = replace(make_result(session, SLOW, (9.0,) * trials), disturbances=disturbances)
    session.results.add([slow, make_result(session, FAST, (5.0,) * trials)])
    assert "faster" in line.headline.text()
    assert ("Uncertain whether" in line.headline.text()) is is_uncertain
    assert (line.remark.text(), line.doubts.text()) == (remark, doubts)
    if doubts:
        shown = line.doubts.palette().color(QPalette.ColorRole.WindowText).name()
        assert shown == QColor(tokens().warning).name(), "not the green of a proof"


def test_wrong_and_failed_answers_do_not_compete(session: Session) -> None:
    wrong = make_result(session, FAST, (1.0,), verdict=Verdict(False, 3, "wrong"))
    failed = failed_result(session, MIDDLE, Status.OUT_OF_MEMORY, "too large")
    right = make_result(session, SLOW, (9.0,))
    found = fastest([wrong, failed, right], right, "solve")
    assert (found.variant.id, found.headline()) == (SLOW, "Bellman-Ford edge + flags")
    assert fastest([wrong, failed], None, "solve") is None


def test_other_questions_are_not_compared(session: Session) -> None:
    one_source, all_pairs = (
        make_result(session, SLOW, (9.0,)),
        make_result(session, "fw-serial", (1.0,)),
    )
    found = fastest([one_source, all_pairs], one_source, "solve")
    assert found.variant.id == SLOW


def test_the_line_follows_results_and_selects_what_it_is_about(
    qtbot: QtBot, session: Session, line: Headline
) -> None:
    assert line.isHidden()
    session.results.add([make_result(session, SLOW, (32.0,) * 5)])
    session.results.add([make_result(session, FAST, (2.0,) * 5)])
    assert not line.isHidden()
    assert "times faster" in line.headline.text()
    assert line.remark.text() == "✓ 3.00 ms, proved"  # total: 1 ms of preparation
    qtbot.mouseClick(line, Qt.MouseButton.LeftButton)
    assert session.results.selected_id == FAST


def test_during_a_run_it_shows_the_trials(session: Session, line: Headline) -> None:
    trials = tuple(Trial(i, i == 0, Phases(solve=ms)) for i, ms in enumerate((8.0, 4.0, 2.0)))
    session.results.set_run_state(RunState((SLOW,), FAST, trials, None))
    assert line.headline.text() == "Measuring Near-far"
    assert line.remark.text() == "2 trials, then 1 variant more"
    assert not line.trials.isHidden()
    left, right = 6.0, line.trials.width() - 6.0
    assert line.trials.places() == pytest.approx(
        [right, (left + right) / 2, left + (right - left) / 4]
    )
    session.results.set_run_state(RunState())
    assert line.trials.isHidden()


def test_what_the_table_leaves_goes_to_the_charts(qtbot: QtBot, session: Session) -> None:
    """160 pixels were empty below two rows, and a headline that grew hid the line below
    them. What the user divides stays so, and is kept.
    """
    choices = DisplayChoices()
    table, charts = ResultsPanel(session, choices), ChartBoard(session, Playback(), choices)
    place = ResultsPlace(session, choices, table, charts)
    qtbot.addWidget(place)
    place.resize(338, 760)
    place.show()
    for name, ms in ((SLOW, 32.0), (MIDDLE, 4.0)):
        session.results.add([make_result(session, name, (ms,) * 5)])
    qtbot.waitUntil(charts.isVisible)
    rows = table.model.rowCount() * table.table.verticalHeader().defaultSectionSize()
    qtbot.waitUntil(lambda: 0 <= table.table.viewport().height() - rows < 3 * GAP)
    below = place.splitter.y()
    place.hero.setFixedHeight(place.hero.height() + 40)
    qtbot.waitUntil(lambda: place.splitter.y() == below + 40)
    assert table.height() == table.needed()
    assert table.detail.isVisible()
    assert place.division is None
    handle = place.splitter.handle(1)
    qtbot.mousePress(handle, Qt.MouseButton.LeftButton, pos=handle.rect().center())
    qtbot.mouseMove(handle, handle.rect().center() + QPoint(0, 150))
    qtbot.mouseRelease(handle, Qt.MouseButton.LeftButton)
    divided = place.splitter.sizes()
    session.results.add([make_result(session, FAST, (2.0,) * 5)])
    assert place.splitter.sizes() == divided
    assert place.division is not None


def test_a_headline_of_three_lines_is_whole(qtbot: QtBot, session: Session) -> None:
    """In large type the first and the last of its lines were cut."""
    holder = QWidget()
    qtbot.addWidget(holder)
    line = Headline(session, DisplayChoices())
    column = QVBoxLayout(holder)
    column.addWidget(line)
    column.addWidget(QWidget(), 1)
    for name, ms in ((SLOW, 32.0), (MIDDLE, 4.0)):
        session.results.add([make_result(session, name, (ms,) * 5)])
    holder.resize(190, 500)
    holder.show()
    label = line.headline
    qtbot.waitUntil(lambda: label.width() < 190)
    assert label.heightForWidth(label.width()) > 2.5 * label.fontMetrics().height()
    qtbot.waitUntil(lambda: label.height() >= label.heightForWidth(label.width()))
