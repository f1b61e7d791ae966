"""Keys that Qt alone does not tell apart."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QMainWindow
from pytestqt.qtbot import QtBot

from gui.shell.keys import ShiftedPlus


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
