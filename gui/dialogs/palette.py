"""Command palette (Ctrl+K): fuzzy search over all commands and variants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from gui.model.session import Session
from gui.shell.commands import Commands
from gui.shell.fuzzy import rank
from solvers.contracts import catalog

_SIZE = (520, 380)
_LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


@dataclass(frozen=True)
class Entry:
    """One entry: text, note to the right of it, and action."""

    text: str
    note: str
    enabled: bool
    act: Callable[[], object]


def entries(commands: Commands, session: Session) -> list[Entry]:
    """All commands, then all variants; a variant's action ticks or unticks it."""
    found = [
        Entry(
            f"{spec.menu}: {spec.text}",
            action.shortcut().toString(QKeySequence.SequenceFormat.NativeText),
            action.isEnabled(),
            action.trigger,
        )
        for spec, action in commands
        if spec.id != "palette"
    ]
    for variant in catalog.variants():
        ticked = session.is_chosen(variant.id)
        found.append(
            Entry(
                f"{'Untick' if ticked else 'Tick'} {variant.algorithm.value}: {variant.title}",
                variant.id,
                True,
                partial(session.choose, variant.id, not ticked),
            )
        )
    return found


class PaletteDialog(QDialog):
    """Search field above the matching entries; Enter runs the selected entry, the arrow keys change it."""

    def __init__(self, commands: Commands, session: Session, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWindowTitle("Command palette")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*_SIZE)
        self._entries = entries(commands, session)
        self._content: list[Entry] = []
        self.field = QLineEdit()
        self.field.setPlaceholderText("Search commands and variants")
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._filter)
        self.field.returnPressed.connect(self._act)
        self.field.installEventFilter(self)
        self.list = QTreeWidget()
        self.list.setColumnCount(2)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(0, self.list.header().ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(1, self.list.header().ResizeMode.ResizeToContents)
        self.list.itemActivated.connect(self._act)
        column = QVBoxLayout(self)
        column.addWidget(self.field)
        column.addWidget(self.list)
        self._filter("")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pass the arrow and page keys from the field to the list."""
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in _LIST_KEYS:
            self.list.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)

    def _filter(self, text: str) -> None:
        self._content = rank(text, self._entries, lambda entry: entry.text)
        self.list.clear()
        for entry in self._content:
            item = QTreeWidgetItem(self.list, [entry.text, entry.note])
            item.setDisabled(not entry.enabled)
            item.setForeground(1, self.palette().placeholderText())
            if entry.enabled and self.list.currentItem() is None:
                self.list.setCurrentItem(item)

    def _act(self) -> None:
        item = self.list.currentItem()
        if item is None:
            return
        entry = self._content[self.list.indexOfTopLevelItem(item)]
        if entry.enabled:
            self.accept()
            entry.act()
