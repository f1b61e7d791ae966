"""The lesson panel: steps, pseudo-code and table follow the play-back and the keys."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QSize, Qt
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget
from pytestqt.qtbot import QtBot

from gui.features.lesson.panel import COLUMNS, LessonPanel
from gui.features.lesson.pseudocode import PseudocodeView
from gui.model.playback import Playback
from gui.model.samples import sample
from gui.model.session import Session
from solvers.core.pseudocode import DIJKSTRA, Step
from solvers.core.trace import MatrixStep, MatrixTrace
from solvers.features.lesson.lesson import Lesson
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.picture.scene.figure import SMALL_GRAPH, ArcState
from solvers.running.request import Choice, RunRequest
from solvers.running.run import run
from solvers.text import ungrouped
from tests.gui.panels.sample import line_graph, make_result
from tests.gui.pictures import street_grid
from tests.solvers.running.requests import TRACE_ONLY


def solved(graph: Graph, variant_id: str) -> tuple[Session, Playback]:
    """A session with a traced run from the first vertex to the last, selected, at its
    first iteration.
    """
    session, playback = Session(), Playback()
    session.open_graph(graph)
    session.choices.choose(variant_id)
    entry = session.choices.for_run()[0]
    request = RunRequest(
        graph, 0, graph.n - 1, (Choice(entry.variant),), None, TRACE_ONLY, trace=True
    )
    session.set_endpoints(0, graph.n - 1)
    (result,) = run(request)
    session.results.add([result])
    session.results.select(variant_id)
    playback.load(result.trace)
    playback.to_start()
    return session, playback


def shown(qtbot: QtBot, session: Session, playback: Playback) -> LessonPanel:
    panel = LessonPanel(session, playback)
    qtbot.addWidget(panel)
    panel.resize(360, 700)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


@pytest.fixture
def parts() -> tuple[Session, Playback]:
    return solved(read_graph(sample("tiny").path).graph, "dijkstra-heap")


def rows(panel: LessonPanel) -> list[list[str]]:
    return [
        [panel.table.item(row, column).text() for column in range(panel.table.columnCount())]
        for row in range(panel.table.rowCount())
    ]


def test_the_table_has_the_distances_of_the_iteration(
    qtbot: QtBot, parts: tuple[Session, Playback]
) -> None:
    session, playback = parts
    panel = shown(qtbot, session, playback)
    playback.step(1)
    playback.step(-1)
    assert panel.step.step is Step.SELECT
    assert [row[1] for row in rows(panel)] == ["0", *["∞"] * 7], "before the first arc"
    panel.list.setCurrentRow(3)
    assert rows(panel)[:4] == [
        ["1", "0", "", "", "relaxing its arcs"],
        ["2", "2", "∞", "1", "tentative"],
        ["3", "9", "∞", "1", "tentative"],
        ["4", "6", "∞", "1", "tentative"],
    ]
    assert rows(panel)[7] == ["8", "∞", "", "", "not reached"]
    playback.to_end()
    assert panel.step.step is Step.END
    assert [row[1] for row in rows(panel)] == ["0", "2", "7", "6", "5", "13", "10", "13"]


def test_a_step_shows_what_is_known_by_then(qtbot: QtBot, parts: tuple[Session, Playback]) -> None:
    """At "step 1, take 1" the results of the whole iteration were shown."""
    panel = shown(qtbot, *parts)
    shown_lessons: list[Lesson | None] = []
    panel.step_shown.connect(shown_lessons.append)
    known = []
    for _ in range(3):
        panel.next()
        known.append([panel.table.item(row, 1).text() for row in range(4)])
    assert known == [["0", "2", "∞", "∞"], ["0", "2", "9", "∞"], ["0", "2", "9", "6"]]
    assert [lesson.value(2) for lesson in shown_lessons] == ["∞", "9", "9"]
    assert [lesson.arc(0, 2) for lesson in shown_lessons] == [
        ArcState.IDLE,
        ArcState.IMPROVED,
        ArcState.IMPROVED,
    ]


def test_an_iteration_that_is_gone_to_is_shown_whole_and_stepped_from_its_start(
    qtbot: QtBot, parts: tuple[Session, Playback]
) -> None:
    session, playback = parts
    panel = shown(qtbot, session, playback)
    shown_lessons: list[Lesson | None] = []
    panel.step_shown.connect(shown_lessons.append)
    playback.step(1)
    assert shown_lessons[-1] is None
    assert panel.list.currentRow() == len(panel.steps) - 1
    panel.next()
    assert (playback.position, panel.list.currentRow()) == (1, 0)
    assert len(shown_lessons[-1].progress.done) == 1
    playback.play()
    assert shown_lessons[-1] is None
    playback.pause()
    assert shown_lessons[-1] is None


def test_buttons_go_on_by_one_arc_and_then_by_one_iteration(
    qtbot: QtBot, parts: tuple[Session, Playback]
) -> None:
    session, playback = parts
    panel = shown(qtbot, session, playback)
    assert panel.step.step is Step.SELECT
    assert not panel.back_button.isEnabled()
    marked = []
    for _ in range(4):
        marked.append(panel.code.marked)
        qtbot.mouseClick(panel.next_button, Qt.MouseButton.LeftButton)
    assert marked == [DIJKSTRA.line_of(step) for step in (Step.SELECT, *[Step.IMPROVE] * 3)]
    assert playback.position == 1
    assert panel.list.currentRow() == 0
    qtbot.mouseClick(panel.back_button, Qt.MouseButton.LeftButton)
    assert playback.position == 0
    assert panel.list.currentRow() == 3
    assert panel.count.text() == "Step 4 of 4"
    playback.to_end()
    assert panel.next_button.isEnabled(), "its steps can be followed"
    panel.list.setCurrentRow(0)
    panel.list.setCurrentRow(len(panel.steps) - 1)
    assert not panel.next_button.isEnabled()
    assert panel.step.step is Step.END


def test_the_marked_line_stands_out(qtbot: QtBot, parts: tuple[Session, Playback]) -> None:
    panel = shown(qtbot, *parts)
    panel.next()
    line = panel.code.lines[panel.code.marked or 0]
    assert line.text().startswith("d[v] ← d[u] + w")

    def ground(widget: QWidget) -> str:
        return widget.grab().toImage().pixelColor(2, 2).name()

    others = {ground(label) for label in panel.code.lines if label is not line}
    assert ground(line) not in others


def test_without_a_lesson_it_says_what_helps(qtbot: QtBot, parts: tuple[Session, Playback]) -> None:
    session, playback = Session(), Playback()
    panel = shown(qtbot, session, playback)
    assert "File > Samples" in panel.empty.text()
    session.open_graph(line_graph())
    assert panel.empty.text().startswith("Watch a variant")
    session.results.add([make_result(session, "bf-serial")])
    session.open_graph(line_graph(400))
    assert "up to 100 vertices" in panel.empty.text()
    panel.next()
    panel.previous()
    assert panel.step is None


@pytest.mark.parametrize(
    ("variant_id", "words"), [("fw-blocked-gpus", "lies in panels"), ("fw-cell", "records no")]
)
def test_a_run_without_its_matrices_says_why(qtbot: QtBot, variant_id: str, words: str) -> None:
    """Of the variants that hold their matrix in panels nothing was said but that it is so."""
    session, playback = Session(), Playback()
    session.open_graph(graph := line_graph())
    tiles = np.array([[0, graph.n, 0, graph.n]])
    trace = MatrixTrace(graph.n, tuple(MatrixStep(0, k, tiles, None, 1.0) for k in (1, 2)))
    session.results.add([make_result(session, variant_id, trace=trace)])
    session.results.select(variant_id)
    playback.load(trace)
    assert words in shown(qtbot, session, playback).empty.text()


def test_on_a_large_graph_a_small_one_is_offered(
    qtbot: QtBot, parts: tuple[Session, Playback]
) -> None:
    session, playback = parts
    panel = shown(qtbot, session, playback)
    assert not panel.begin_button.isVisible()
    session.open_graph(line_graph(SMALL_GRAPH + 1))
    assert panel.begin_button.isVisible()
    with qtbot.waitSignal(panel.begin_requested):
        panel.begin_button.click()


def test_a_negative_cycle_can_be_played_and_is_told_at_the_end(qtbot: QtBot) -> None:
    session, playback = solved(read_graph(sample("negative-cycle").path).graph, "bf-serial")
    panel = shown(qtbot, session, playback)
    falls = []
    for k in range(playback.length):
        playback.seek(k)
        panel.list.setCurrentRow(len(panel.steps) - 1)
        falls.append(rows(panel)[1][1])
    numbers = [float(ungrouped(fall)) for fall in falls]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[-1] < numbers[0], "each round lowers the distance of 2"
    assert panel.steps[-1].step is Step.NEGATIVE_CYCLE
    assert "2 → 3 → 4 → 2" in panel.steps[-1].text.replace("3 → 4 → 2 → 3", "2 → 3 → 4 → 2")


def test_pseudo_code_is_as_large_as_the_type_and_not_cut(
    qtbot: QtBot, type_of: Callable[[int], None]
) -> None:
    """In a narrow panel it was half as large; in large type the halves of two lines were
    seen one above the other.
    """
    view = PseudocodeView()
    qtbot.addWidget(view)
    view.show_text(DIJKSTRA)
    view.show()
    heights = []
    for width in (700, 270):
        view.resize(width, 400)
        qtbot.waitUntil(lambda width=width: view.lines[0].width() > 0.9 * width)
        qtbot.waitUntil(
            lambda: all(line.height() >= line.heightForWidth(line.width()) for line in view.lines)
        )
        heights.append(view.lines[0].fontMetrics().height())
    assert heights[0] == heights[1] >= view.fontMetrics().height() - 2
    type_of(200)
    assert view.lines[0].fontMetrics().height() > 1.8 * heights[0]


class Counting(QStyledItemDelegate):
    """Counts how often the size of a cell is asked for."""

    asked = 0

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        self.asked += 1
        return super().sizeHint(option, index)


def test_cells_are_measured_once_an_iteration(qtbot: QtBot) -> None:
    """Each text measured all rows again: seconds on a graph of a hundred vertices."""
    session, playback = solved(street_grid(10, 10), "dijkstra-heap")
    panel = shown(qtbot, session, playback)
    counting = Counting()
    panel.table.setItemDelegate(counting)
    qtbot.wait(50)
    counting.asked = 0
    playback.to_end()
    assert panel.step is not None
    assert 0 < counting.asked < 30 * SMALL_GRAPH
    counting.asked = 0
    panel.next()
    assert counting.asked == 0


def test_the_selected_step_stays_in_sight_in_a_lower_panel(
    qtbot: QtBot, parts: tuple[Session, Playback]
) -> None:
    """At 1280 x 720 the list began with the first step while the last was selected."""
    session, playback = parts
    panel = shown(qtbot, session, playback)
    while len(panel.steps) < 4:
        playback.step(1)
    panel.list.setCurrentRow(len(panel.steps) - 1)
    panel.resize(360, 430)
    panel._body.setSizes([1, 40, 600])
    panel.resize(360, 440)
    seen = panel.list.viewport().rect()
    qtbot.waitUntil(lambda: seen.intersects(panel.list.visualItemRect(panel.list.currentItem())))


def test_the_button_to_begin_stands_below_the_words(qtbot: QtBot) -> None:
    """It stood at the lower edge of the panel, far from what it is about."""
    panel = shown(qtbot, Session(), Playback())
    panel.resize(340, 800)
    words, button = panel.empty, panel.begin_button
    below = panel.mapFromGlobal(words.mapToGlobal(words.rect().bottomLeft())).y()
    top = panel.mapFromGlobal(button.mapToGlobal(button.rect().topLeft())).y()
    assert button.isVisible()
    assert 0 <= top - below < 30


def test_states_are_seen_in_large_type(
    qtbot: QtBot, parts: tuple[Session, Playback], type_of: Callable[[int], None]
) -> None:
    """At 200 % their column went before that of the distances before the iteration."""
    type_of(200)
    panel = shown(qtbot, *parts)
    panel.resize(505, 800)
    assert not panel.table.isColumnHidden(COLUMNS.index("State"))


@pytest.mark.parametrize(("percent", "size"), [(100, (390, 470)), (150, (390, 430))])
def test_table_and_code_are_whole_in_a_small_window(
    qtbot: QtBot,
    parts: tuple[Session, Playback],
    type_of: Callable[[int], None],
    percent: int,
    size: tuple[int, int],
) -> None:
    """At 1280 x 720 the last rows and, at 150 %, the last columns were cut off."""
    type_of(percent)
    panel = shown(qtbot, *parts)
    panel.resize(*size)
    qtbot.wait(20)
    table = panel.table
    assert table.verticalScrollBar().maximum() == 0
    assert table.horizontalHeader().length() <= table.viewport().width()
    assert not any(table.isColumnHidden(column) for column in (0, 1, 3)), (
        "vertex, distance and predecessor"
    )
    assert all(
        label.visibleRegion().boundingRect().height() == label.height()
        for label in panel.code.lines
    )
    assert panel.list.height() >= 2 * table.fontMetrics().height()
