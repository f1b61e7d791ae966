"""Help > Keyboard shortcuts (F1): all commands with a shortcut, by menu, and what the mouse does on the canvas."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QKeySequence, QPalette
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from gui.dialogs.buttons import button_box
from gui.shell.actions import GESTURES, MENUS
from gui.shell.commands import Commands
from gui.style.common_widgets import PlainLabel

_COLUMNS = (("File", "Edit", "Help"), ("View", "Run"))


class ShortcutsDialog(QDialog):
    """Read-only list of shortcuts, built from the action table."""

    def __init__(self, commands: Commands, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        page = QHBoxLayout()
        page.setSpacing(36)
        for titles in _COLUMNS:
            page.addLayout(_column(commands, [t for t in MENUS if t in titles]))
        page.addLayout(_gestures())
        buttons = button_box(self, QDialogButtonBox.StandardButton.Close)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(22, 18, 22, 14)
        outer.addLayout(page)
        outer.addWidget(buttons)


def _gestures() -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(18)
    grid.setVerticalSpacing(4)
    grid.addWidget(_heading("Mouse on the canvas"), 0, 0, 1, 2)
    for row, (words, gesture) in enumerate(GESTURES, 1):
        keys = PlainLabel(gesture)
        keys.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        grid.addWidget(PlainLabel(words), row, 0)
        grid.addWidget(keys, row, 1)
    grid.setRowStretch(grid.rowCount(), 1)
    return grid


def _heading(title: str) -> PlainLabel:
    heading = PlainLabel(title)
    font = QFont(heading.font())
    font.setBold(True)
    heading.setFont(font)
    return heading


def _column(commands: Commands, titles: list[str]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(18)
    grid.setVerticalSpacing(4)
    for title in titles:
        if grid.rowCount() > 1:
            grid.setRowMinimumHeight(grid.rowCount(), 12)
        grid.addWidget(_heading(title), grid.rowCount() + 1, 0, 1, 2)
        for spec, action in commands:
            if spec.menu == title and spec.shortcuts:
                keys = PlainLabel(
                    "  or  ".join(k.toString(QKeySequence.SequenceFormat.NativeText) for k in action.shortcuts())
                )
                keys.setForegroundRole(QPalette.ColorRole.PlaceholderText)
                row = grid.rowCount()
                grid.addWidget(PlainLabel(spec.text.rstrip("…")), row, 0)
                grid.addWidget(keys, row, 1)
    grid.setRowStretch(grid.rowCount(), 1)
    return grid
