"""Menus of panels, charts, play bar and tabs: commands of the window that are about what was clicked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractItemView, QAbstractScrollArea, QMenu, QTreeView, QWidget

from gui.model.session import Session
from gui.shell.commands import Commands
from gui.style.text import button_text, short_title
from solvers.core.variant import find_variant

SEPARATOR = ""
OF_VARIANT = ("run", "trace", "data-race", "change-kernel", SEPARATOR, "plan")
OF_RESULT = (
    "trace", "race", SEPARATOR, "zoom-path", "export-path", "export-distances", SEPARATOR, "export-csv",
    "clear-results",
)  # fmt: skip
OF_CHART = ("export-chart", "export-csv")
OF_PLAY_BAR = (
    "play", "step-back", "step", "first", "last", SEPARATOR, "fit-5", "fit-15", "fit-30", SEPARATOR, "pace-iterations",
    "pace-time", "pace-progress", SEPARATOR, "trace", "export-animation",
)  # fmt: skip


class ContextMenus:
    """Gives widgets menus of commands; right-click and the keyboard's menu key open them."""

    def __init__(self, session: Session, commands: Commands):
        self._session, self._commands = session, commands

    def add(
        self, widget: QWidget, command_ids: Sequence[str], *, first: Callable[[], Sequence[QAction]] = tuple
    ) -> None:
        """Give a widget the menu of these commands; ``first`` makes the entries that are above them."""
        widget.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        widget.customContextMenuRequested.connect(partial(self._pop_up, widget, command_ids, first))

    def entries_of_variant(self, set_baseline: bool) -> list[QAction]:
        """Entries about the selected variant: to tick it alone, or to make its result the baseline."""
        selected, results = self._session.results.selected_id, self._session.results
        if selected is None:
            return []
        name = short_title(find_variant(selected))
        if set_baseline:
            entry = QAction(button_text(f"Make {name} the baseline"))
            entry.setEnabled(results.selected is not None and results.selected is not results.baseline)
            entry.triggered.connect(lambda: results.set_baseline(selected))
        else:
            entry = QAction(button_text(f"Tick only {name}"))
            entry.triggered.connect(lambda: self._session.choices.choose_only([selected]))
        return [entry]

    def _pop_up(
        self, widget: QWidget, command_ids: Sequence[str], first: Callable[[], Sequence[QAction]], at: QPoint
    ) -> None:
        menu = QMenu(widget)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        own = first() if _is_about_an_entry(widget, at) else ()
        for entry in own:
            entry.setParent(menu)
            menu.addAction(entry)
        if own:
            menu.addSeparator()
        for command_id in command_ids:
            menu.addAction(self._commands[command_id]) if command_id else menu.addSeparator()
        origin = widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget
        menu.popup(origin.mapToGlobal(at))


def _is_about_an_entry(widget: QWidget, at: QPoint) -> bool:
    """False on the free room of a list, and on the head of a group: the click has selected nothing there."""
    if not isinstance(widget, QAbstractItemView):
        return True
    index = widget.indexAt(at)
    is_group = isinstance(widget, QTreeView) and widget.model().rowCount(index) > 0
    return index.isValid() and not is_group
