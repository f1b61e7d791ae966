"""Several sources in the real window: chips, and one truth in picture, path, roads,
isochrone, exports and runs.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu
from pytestqt.qtbot import QtBot

from gui.canvas.vertex_card import add_vertex_entries
from gui.controllers import losses
from gui.features.undo import history as history_module
from gui.window import MainWindow
from solvers.graphs.network import MOST_SOURCES
from solvers.graphs.weights import to_float
from solvers.running.answers.unmeasured import UnmeasuredAnswer
from tests.gui.windows import (
    SAMPLE,
    comparison_of,
    open_graph,
    roads_panel,
    tick_only,
    trigger,
    undoing,
    wait_until_idle,
)
from tests.solvers.features.live.test_solver import rows_of_scipy

FIRST, OTHER, TARGET = 0, 40, 43


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setattr(history_module, "_MERGE_S", -1.0)
    monkeypatch.setattr(losses, "ask", lambda *arguments: arguments[-1][0].act())
    open_graph(qtbot, window, SAMPLE)
    qtbot.waitUntil(lambda: window.parts.canvas.canvas.frames.current, timeout=10_000)
    tick_only(window, "dijkstra-heap")
    window.parts.session.set_question((FIRST,), TARGET)
    undoing(window).start_again()
    return window


def answer_of(qtbot: QtBot, window: MainWindow) -> UnmeasuredAnswer:
    """The answer to the present question, once it is shown."""
    session = window.parts.session

    def arrived() -> bool:
        answer = session.unmeasured.answer
        return (
            answer is not None
            and answer.graph is session.graph
            and ((answer.sources, answer.target) == (session.sources, session.target))
        )

    qtbot.waitUntil(arrived, timeout=20_000)
    return session.unmeasured.answer


def type_source(window: MainWindow, vertex: int) -> None:
    QTest.mouseClick(window.endpoints.more, Qt.MouseButton.LeftButton)
    field = window.sources_bar.field
    field.setText("")
    QTest.keyClicks(field, str(window.parts.session.graph.vertex_id(vertex)))
    QTest.keyClick(field, Qt.Key.Key_Return)


def close_first_road(qtbot: QtBot, window: MainWindow, path: np.ndarray) -> None:
    session = window.parts.session
    graph = session.graph
    middle = len(path) // 2
    road = (int(graph.vertex_id(path[middle - 1])), int(graph.vertex_id(path[middle])))
    session.want_roads(session.roads.close(road))
    qtbot.waitUntil(lambda: session.graph is not graph, timeout=20_000)
    qtbot.waitUntil(
        lambda: (found := comparison_of(window)) is not None and found.graph is session.graph,
        timeout=20_000,
    )
    answer_of(qtbot, window)
    wait_until_idle(qtbot, window)


@pytest.mark.parametrize("live", [False, True])
def test_roads_path_and_toolbar_speak_of_the_same_sources(
    qtbot: QtBot, opened: MainWindow, live: bool
) -> None:
    """The comparison was from the first source, the solid path from the nearest."""
    session = opened.parts.session
    if live:
        opened.commands["live"].trigger()
    session.add_source(OTHER)
    first = answer_of(qtbot, opened)
    close_first_road(qtbot, opened, first.path)
    answer, comparison = answer_of(qtbot, opened), comparison_of(opened)
    whole, changed = session.graph.as_read, session.graph
    for graph, shown in (
        (whole, comparison.differences.before),
        (changed, comparison.differences.after),
    ):
        np.testing.assert_array_equal(
            to_float(shown), rows_of_scipy(graph, session.sources).min(axis=0)
        )
    assert comparison.before.length == first.way.length
    assert comparison.after.length == answer.way.length
    content = opened.parts.canvas.canvas.content
    assert (content.source, *content.more_sources) == session.sources == (FIRST, OTHER)
    np.testing.assert_array_equal(content.path, answer.path)
    np.testing.assert_array_equal(content.path_before, first.path)
    text = roads_panel(opened).words.text()
    assert f"from {whole.vertex_label(int(first.path[0]))}" in text
    assert f"from {whole.vertex_label(int(answer.path[0]))}" in text
    assert "from the nearest of 2 sources" in opened.path_panel.facts.text()
    assert [chip.text() for chip in opened.sources_bar.chips] == [
        whole.vertex_label(v) for v in session.sources
    ]


def test_chips_are_added_by_typing_removed_by_a_click_and_undone(
    qtbot: QtBot, opened: MainWindow
) -> None:
    session, bar = opened.parts.session, opened.sources_bar
    assert bar.isHidden()
    type_source(opened, OTHER)
    type_source(opened, 7)
    assert session.sources == (FIRST, OTHER, 7)
    assert not bar.isHidden()
    assert bar.field.text() == ""
    bar.chips[0].click()
    assert session.sources == (OTHER, 7)
    assert opened.endpoints.source.text() == str(session.graph.vertex_id(OTHER))
    assert opened.commands["undo"].text() == "Undo remove a source"
    for expected in ((FIRST, OTHER, 7), (FIRST, OTHER), (FIRST,)):
        opened.commands["undo"].trigger()
        assert session.sources == expected
    assert bar.isHidden()
    opened.commands["redo"].trigger()
    assert session.sources == (FIRST, OTHER)
    assert len(bar.chips) == 2
    open_graph(qtbot, opened, SAMPLE)
    assert bar.isHidden()
    assert session.unmeasured.answer is None


def test_the_row_goes_when_no_source_is_added(opened: MainWindow) -> None:
    QTest.mouseClick(opened.endpoints.more, Qt.MouseButton.LeftButton)
    assert not opened.sources_bar.isHidden()
    QTest.keyClick(opened.sources_bar.field, Qt.Key.Key_Escape)
    assert opened.sources_bar.isHidden()


def test_sources_are_distinct_and_bounded(opened: MainWindow) -> None:
    session = opened.parts.session
    for vertex in (FIRST, OTHER, OTHER, *range(1, 9)):
        session.add_source(vertex)
    assert session.sources == (FIRST, OTHER, *range(1, MOST_SOURCES - 1))
    assert not opened.endpoints.more.isEnabled()
    assert not opened.sources_bar.field.isEnabled()
    session.set_question((FIRST,), TARGET)
    session.remove_source(FIRST)
    assert session.sources == (FIRST,), "the only source stays"


def test_a_run_measures_from_the_first_source_and_the_window_says_so(
    qtbot: QtBot, opened: MainWindow
) -> None:
    session = opened.parts.session
    session.add_source(OTHER)
    answer = answer_of(qtbot, opened)
    opened.parts.run.start()
    wait_until_idle(qtbot, opened)
    (result,) = session.results.all
    assert result.source == FIRST
    first = session.graph.vertex_label(FIRST)
    assert opened.sources_bar.remark.whole_text.startswith(f"A run measures from {first} only")
    content = opened.parts.canvas.canvas.content
    assert opened.parts.canvas.canvas.result is None
    np.testing.assert_array_equal(content.path, answer.path)
    session.remove_source(OTHER)
    qtbot.waitUntil(lambda: session.unmeasured.answer is None, timeout=20_000)
    assert opened.parts.canvas.canvas.result is result
    assert opened.path_panel.facts.text().startswith("length")
    assert session.results.all == (result,)


def test_the_first_source_is_named_however_many_there_are(qtbot: QtBot, opened: MainWindow) -> None:
    """With six long ids in a small window, Qt would move the remark into a menu."""
    opened.resize(1280, 720)
    session = opened.parts.session
    session.set_question(tuple(range(MOST_SOURCES)), TARGET)
    qtbot.waitUntil(opened.sources_bar.remark.isVisible)
    assert (
        f"from {session.graph.vertex_label(0)}, the first of 6 sources"
        in opened.run_button.toolTip().replace("\n", " ")
    )
    session.set_question((FIRST,), TARGET)
    assert "the first of" not in opened.run_button.toolTip().replace("\n", " ")


def test_a_presentation_hides_the_row(qtbot: QtBot, opened: MainWindow) -> None:
    session, bar = opened.parts.session, opened.sources_bar
    opened.commands["present"].trigger()
    session.set_question((FIRST, OTHER), TARGET)
    assert bar.isHidden()
    opened.commands["present"].trigger()
    qtbot.waitUntil(lambda: not bar.isHidden())
    opened.commands["present"].trigger()
    assert bar.isHidden()
    session.set_question((FIRST,), TARGET)
    opened.commands["present"].trigger()
    assert bar.isHidden()


def test_the_menu_of_a_vertex_adds_and_removes_a_source(opened: MainWindow) -> None:
    session, view = opened.parts.session, opened.parts.canvas.canvas.view

    def choose(text: str) -> None:
        menu = QMenu()
        add_vertex_entries(menu, session, session.graph, OTHER, view)
        next(action for action in menu.actions() if action.text() == text).trigger()

    choose("Add a source here")
    assert session.sources == (FIRST, OTHER)
    choose("Remove this source")
    assert session.sources == (FIRST,)


def test_isochrone_and_exports_count_all_sources(
    qtbot: QtBot, opened: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    session = opened.parts.session
    session.add_source(OTHER)
    answer_of(qtbot, opened)
    right = rows_of_scipy(session.graph, session.sources).min(axis=0)
    assert opened.controller_of("isochrone").farthest == right[np.isfinite(right)].max()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "all.csv"), ""))
    trigger(qtbot, opened, "export-distances")
    with (tmp_path / "all.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    column = next(name for name in rows[0] if name.startswith("distance"))
    assert [float(row[column]) for row in rows] == right.tolist()
    assert "nearest of 2 sources" in opened.parts.canvas.picture_state().caption
