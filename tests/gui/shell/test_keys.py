"""Keys that Qt alone does not tell apart."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QMainWindow
from pytestqt.qtbot import QtBot

from gui.shell.keys import ShiftedPlus, is_unused_by_text
from gui.window import MainWindow
from tests.gui.windows import TINY, open_graph


def test_plus_typed_with_shift_triggers_the_action_and_without_it_does_not(qtbot: QtBot) -> None:
    """On an American keyboard Ctrl+Shift+Plus did nothing: Qt called it ambiguous."""
    window = QMainWindow()
    qtbot.addWidget(window)
    field = QLineEdit()
    window.setCentralWidget(field)
    done: list[str] = []
    larger = QAction("larger", window)
    larger.triggered.connect(lambda: done.append("larger"))
    ShiftedPlus(larger, window)
    window.show()
    qtbot.waitExposed(window)
    field.setFocus()
    held = Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(field, Qt.Key.Key_Plus, held | Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(field, Qt.Key.Key_Plus, held)
    assert done == ["larger"]
    assert field.text() == ""


def test_ctrl_shortcuts_work_in_text_fields_and_undo_takes_back_typing_first(qtbot: QtBot, window: MainWindow) -> None:
    """Qt's text fields claimed Ctrl+Z with nothing to undo; on X11 also Ctrl+E and Ctrl+K."""
    open_graph(qtbot, window, TINY)
    session, field = window.parts.session, window.endpoints.source
    session.set_source(3)
    control = Qt.KeyboardModifier.ControlModifier
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "77")
    qtbot.keyClick(field, Qt.Key.Key_Z, control)
    assert (field.text(), session.source) == (str(session.graph.vertex_id(3)), 3)
    qtbot.keyClick(field, Qt.Key.Key_Z, control)
    assert session.source == 0
    qtbot.keyClick(field, Qt.Key.Key_Y, control)
    assert session.source == 3
    for key in (Qt.Key.Key_A, Qt.Key.Key_C, Qt.Key.Key_E, Qt.Key.Key_K):
        press = QKeyEvent(QEvent.Type.ShortcutOverride, key, control)
        assert is_unused_by_text(field, press) == (key in (Qt.Key.Key_E, Qt.Key.Key_K))
