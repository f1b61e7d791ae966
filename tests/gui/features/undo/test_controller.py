"""Undo and redo in the real window: by keys, after what a user does by hand."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from gui.features.undo import history as history_module
from gui.model.samples import sample
from gui.shell.keys import belongs
from gui.style.widgets import PlainLabel
from gui.window import MainWindow
from solvers.core import variant as variant_module
from solvers.core.variant import register, unregister
from solvers.features.own_kernels.user_variants import ChangedKernel, base_of
from tests.gui.windows import (
    SAMPLE,
    TINY,
    open_graph,
    tick_only,
    type_into,
    undoing,
    wait_until_idle,
)

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setattr(history_module, "_MERGE_S", -1.0)
    open_graph(qtbot, window, TINY)
    qtbot.waitUntil(lambda: window.parts.canvas.canvas.frames.current, timeout=10_000)
    tick_only(window, "dijkstra-heap", "bf-serial")
    undoing(window).start_again()
    return window


def place(window: MainWindow, vertex: int) -> QPoint:
    canvas = window.parts.canvas.canvas
    x, y = canvas.view.camera.to_screen(canvas.content.scene.positions[vertex])
    return QPoint(round(float(x)), round(float(y)))


def drag(qtbot: QtBot, window: MainWindow, start: QPoint, goal: QPoint) -> None:
    canvas = window.parts.canvas.canvas
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    for share in (0.3, 0.7, 1.0):
        qtbot.mouseMove(canvas, start + (goal - start) * share)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=goal)


def undo(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClick(window.parts.canvas.canvas, Qt.Key.Key_Z, CONTROL)


def redo(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClick(window.parts.canvas.canvas, Qt.Key.Key_Z, CONTROL | SHIFT)


def figures(window: MainWindow) -> dict[str, tuple[object, ...]]:
    return {
        r.variant.id: (r.source, r.target, r.trials, tuple(r.path))
        for r in window.parts.session.results.all
    }


def test_a_stray_drag_of_the_source_is_undone_with_all_results(
    qtbot: QtBot, opened: MainWindow
) -> None:
    session = opened.parts.session
    qtbot.mouseClick(opened.run_button, Qt.MouseButton.LeftButton)
    wait_until_idle(qtbot, opened)
    before = figures(opened)
    assert set(before) == {"dijkstra-heap", "bf-serial"}
    source = session.source
    rows = [row.variant.id for row in opened.results_panel.model.rows]
    drag(qtbot, opened, place(opened, source), place(opened, 3))
    assert session.source == 3
    assert session.results.all == ()
    assert not opened.results_panel.model.rows
    assert opened.commands["undo"].text() == "Undo set source"
    undo(qtbot, opened)
    assert session.source == source
    assert figures(opened) == before
    assert [row.variant.id for row in opened.results_panel.model.rows] == rows
    assert opened.path_panel.list.toPlainText(), "the path is back"
    redo(qtbot, opened)
    assert (session.source, session.results.all) == (3, ())
    undo(qtbot, opened)
    assert figures(opened) == before


def test_swap_field_menu_ticks_and_parameters_are_undone_one_by_one(
    opened: MainWindow, qtbot: QtBot
) -> None:
    """The list of shortcuts tells of it; resizing the window is no step."""
    opened.resize(1000, 700)
    qtbot.wait(50)
    assert not opened.commands["undo"].isEnabled()

    session = opened.parts.session
    start = (session.source, session.target)
    opened.commands["swap"].trigger()
    field = opened.endpoints.target
    type_into(qtbot, field, "3")
    assert session.target == 2
    assert opened.commands["undo"].text() == "Undo set target"
    undo(qtbot, opened)
    assert opened.commands["undo"].text() == "Undo swap source and target"
    undo(qtbot, opened)
    assert (session.source, session.target) == start
    assert not opened.commands["undo"].isEnabled()
    assert opened.commands["redo"].isEnabled()

    before = session.choices.ids
    for variant_id in ("bf-vertex", "bf-strided"):  # as a click on a family does, at once
        session.choices.choose(variant_id)
    qtbot.waitUntil(lambda: opened.commands["undo"].text() == "Undo tick 2 variants")
    session.choices.set_parameter("bf-strided", "block", 64)
    undo(qtbot, opened)
    assert session.choices.parameters("bf-strided")["block"] != 64
    assert session.choices.is_chosen("bf-strided")
    undo(qtbot, opened)
    assert session.choices.ids == before
    redo(qtbot, opened)
    redo(qtbot, opened)
    assert session.choices.parameters("bf-strided")["block"] == 64

    dialog = opened.parts.help.show_shortcuts()
    words = {label.text() for label in dialog.findChildren(PlainLabel)}
    assert {
        "Undo",
        "Redo",
        "Drag its marker",
        "Shift+click",
        "Select a vertex",
        "Menu of a vertex",
    } <= words
    dialog.close()


def test_steps_about_a_variant_that_was_deleted_change_nothing(
    qtbot: QtBot, opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    choices, history = opened.parts.session.choices, undoing(opened).history
    monkeypatch.setattr(variant_module, "_REGISTRY", dict(variant_module._REGISTRY))
    mine = ChangedKernel(
        "bf-strided", base_of("bf-strided")[1].read_text("utf-8"), "mine"
    ).variant()
    register(mine)
    choices.own_changed()
    choices.choose(mine.id)
    qtbot.waitUntil(lambda: opened.commands["undo"].text().startswith("Undo tick"))
    choices.set_parameter(mine.id, "block", 64)
    qtbot.waitUntil(lambda: opened.commands["undo"].text().startswith("Undo set block"))
    choices.choose("bf-vertex")
    before = choices.ids
    unregister(mine.id)  # as the kernel editor does
    choices.own_changed()
    qtbot.waitUntil(lambda: opened.commands["undo"].text().startswith("Undo tick"))
    while history.canUndo():
        undo(qtbot, opened)
    while history.canRedo():
        redo(qtbot, opened)
    assert choices.ids == tuple(i for i in before if i != mine.id)


def test_a_moved_vertex_goes_back_and_the_view_is_undone(qtbot: QtBot, opened: MainWindow) -> None:
    canvas = opened.parts.canvas.canvas
    vertex = next(
        v
        for v in range(opened.parts.session.graph.n)
        if v not in (opened.parts.session.source, opened.parts.session.target)
    )
    before = canvas.content.scene.positions.copy()
    drag(qtbot, opened, place(opened, vertex), place(opened, vertex) + QPoint(30, 25))
    moved = canvas.content.scene.positions.copy()
    assert not np.allclose(moved[vertex], before[vertex])
    assert opened.commands["undo"].text() == "Undo move a vertex"
    undo(qtbot, opened)
    assert np.allclose(canvas.content.scene.positions, before)
    redo(qtbot, opened)
    assert np.allclose(canvas.content.scene.positions, moved)

    first = canvas.view.camera
    at = QPointF(canvas.rect().center())
    wheel = QWheelEvent(
        at,
        canvas.mapToGlobal(at),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas, wheel)
    second = canvas.view.camera
    assert second.scale > first.scale
    qtbot.waitUntil(lambda: opened.commands["undo"].text() == "Undo move the view")
    drag(qtbot, opened, QPoint(5, 5), QPoint(65, 45))
    assert canvas.view.camera != second
    qtbot.wait(20)
    while canvas.view.camera.scale == second.scale and opened.commands["undo"].isEnabled():
        undo(qtbot, opened)
    assert canvas.view.camera == first
    redo(qtbot, opened)
    assert canvas.view.camera.scale == pytest.approx(second.scale)


def test_ctrl_z_is_a_field_s_or_undoes_an_added_source_and_a_graph_begins_a_new_history(
    qtbot: QtBot, opened: MainWindow
) -> None:
    opened.commands["swap"].trigger()
    ends = (opened.parts.session.source, opened.parts.session.target)
    field = opened.parts.help.search().field
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    qtbot.keyClicks(field, "12")
    qtbot.keyClick(field, Qt.Key.Key_Z, CONTROL)
    assert field.text() != "12"
    assert (opened.parts.session.source, opened.parts.session.target) == ends

    opened.parts.help.search().close()
    opened.commands["swap"].trigger()
    assert opened.commands["undo"].isEnabled()
    open_graph(qtbot, opened, SAMPLE)
    qtbot.wait(50)
    assert not opened.commands["undo"].isEnabled()
    assert opened.commands["undo"].text() == "Undo"

    session = opened.parts.session
    session.set_source(1)
    session.add_source(3)
    session.add_source(4)
    session.move_source(1, 5)
    session.remove_source(4)
    assert opened.commands["undo"].text() == "Undo remove a source"
    for expected in ((5, 4), (3, 4), (3,), ()):
        undo(qtbot, opened)
        assert (session.sources[1:], session.source) == (expected, 1)
    redo(qtbot, opened)
    assert session.sources[1:] == (3,)
    open_graph(qtbot, opened, SAMPLE)
    assert session.sources[1:] == ()
    assert not opened.commands["undo"].isEnabled()


@pytest.mark.parametrize("kind", [QLineEdit, QPlainTextEdit, QTextEdit])
def test_letters_are_a_text_s_only_if_it_can_be_changed(qtbot: QtBot, kind: type[QWidget]) -> None:
    """B, for the isochrone, did nothing after a click on the list of a path."""
    field = kind()
    qtbot.addWidget(field)
    letter, arrow = (
        QKeyEvent(QEvent.Type.ShortcutOverride, key, Qt.KeyboardModifier.NoModifier)
        for key in (Qt.Key.Key_B, Qt.Key.Key_Left)
    )
    for only_read in (False, True):
        field.setReadOnly(only_read)
        assert (belongs(field, letter), belongs(field, arrow)) == (not only_read, True)


def test_a_sample_s_ticks_end_with_it_unless_they_were_changed(
    qtbot: QtBot, opened: MainWindow
) -> None:
    """The user's ticks were lost with the first lesson."""
    session, own = opened.parts.session, {"dijkstra-heap", "bf-python"}

    def open_sample(name: str) -> None:
        with qtbot.waitSignal(opened.parts.open.sample_opened, timeout=60_000):
            opened.parts.open.open_sample(name)
        wait_until_idle(qtbot, opened)

    tick_only(opened, *own)
    for name in ("tiny", "grid"):
        open_sample(name)
        assert set(session.choices.ids) == set(sample(name).variants)
        assert set(session.choices.persistent_ids) == own
        assert not opened.commands["undo"].isEnabled()
    open_graph(qtbot, opened, SAMPLE)
    assert set(session.choices.ids) == own
    assert not opened.commands["undo"].isEnabled()
    open_sample("tiny")
    session.choices.choose("bf-edge")
    open_graph(qtbot, opened, SAMPLE)
    assert set(session.choices.ids) == {*sample("tiny").variants, "bf-edge"}
