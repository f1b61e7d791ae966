"""Help: about, help pages, keyboard shortcuts (F1) and devices.

Help pages are texts of ``resources/help``, or of features, in a window of their own, which
stays open beside the work. Shortcuts are all commands that have one, by menu, and what the mouse
does on the canvas. Devices are those found on this machine, and the problems with their
remedies.
"""

from __future__ import annotations

import platform
from pathlib import Path

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHeaderView,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from gui.shell.commands import MENUS, Commands
from gui.style.forms import Standard, WrappedLabel, add_action, button_box, column_of, row_of
from gui.style.icons import icon
from gui.style.text import MONO
from gui.style.widgets import PlainLabel, ScaledLabel, mute
from solvers.devices import DeviceList
from solvers.system import machine
from solvers.system.files import RESOURCES
from solvers.text import format_bytes, plural
from solvers.version import __version__

# What the mouse does on the graph canvas.
GESTURES = (
    ("Select a vertex", "Click"),
    ("Deselect", "Click beside it, or Esc"),
    ("Set target", "Shift+click"),
    ("Set source or target", "S or T, then click"),
    ("… between junctions", "S or T, then click on a road more than 12 pixels from them"),
    ("Selected vertex as source or target", "S or T"),
    ("Move source or target", "Drag its marker"),
    ("Return a dragged marker", "Esc"),
    ("Add or remove a source", "Right click"),
    ("Menu of a vertex", "Right click"),
    ("Menu of a road", "Right click"),
    ("Lasso around roads", "Shift+drag"),
    ("Pan", "Drag"),
    ("Zoom", "Wheel or pinch"),
    ("Change the budget of the isochrone", "Shift+wheel"),
    ("Show the whole graph", "Double click beside it"),
    ("Move a vertex of a small graph", "Drag it"),
    ("… that is source or target", "Alt+drag"),
)
_MENU_COLUMNS = (("File", "Edit", "Help"), ("View", "Run"))

_DEVICE_COLUMNS = ("Device", "Key", "Driver", "Memory", "Units")


class AboutDialog(QDialog):
    """Shows the application's name, version, purpose and licence."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWindowTitle("About Tautpath")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        mark = PlainLabel()
        mark.setPixmap(icon("tautpath").pixmap(QSize(64, 64)))
        name = ScaledLabel(f"Tautpath {__version__}", factor=1.6)
        words = WrappedLabel(
            "A laboratory for shortest-path algorithms: on one core, on all of them, on GPUs "
            "and on clusters.\n"
            "A taut line between two points is the shortest path."
        )
        words.setMinimumWidth(380)
        versions = PlainLabel(
            f"Python {platform.python_version()}, PySide6 {pyside_version}. MIT licence."
        )
        mute(versions)
        buttons = button_box(self, Standard.Close)
        grid = QGridLayout(self)
        grid.setContentsMargins(20, 20, 20, 14)
        grid.setHorizontalSpacing(18)
        grid.addWidget(mark, 0, 0, 3, 1, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(name, 0, 1)
        grid.addWidget(words, 1, 1)
        grid.addWidget(versions, 2, 1)
        grid.addWidget(buttons, 3, 0, 1, 2)


_SIZE = (720, 640)
_MARGIN_PX = 18


class HelpPage(QDialog):
    """A page of help, not modal, from an anchor on or, without one, from its top."""

    def __init__(self, html: str, parent: QWidget | None, anchor: str = ""):
        super().__init__(parent)
        title = html.partition("<h1>")[2].partition("</h1>")[0]
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*_SIZE)
        self.text = QTextBrowser()
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.document().setDocumentMargin(_MARGIN_PX)
        self.text.document().setDefaultStyleSheet(f"code, pre {{ font-family: '{MONO}' }}")
        self.text.setHtml(html)
        self.text.setOpenExternalLinks(True)
        self.text.setAccessibleName(title)
        foot = button_box(self, Standard.Close)
        foot.setContentsMargins(0, 0, 14, 0)
        column_of((self.text, 1), foot, parent=self, margins=(0, 0, 0, 14))
        if anchor:
            self.text.scrollToAnchor(anchor)


def show_page(page: str | Path, parent: QWidget | None = None, anchor: str = "") -> HelpPage:
    """Open a page, by its name in ``resources/help`` or the file of a feature: "measuring" has
    an anchor for each kind of disturbance, "glossary" one for each word.
    """
    file = page if isinstance(page, Path) else RESOURCES / "help" / f"{page}.html"
    opened = HelpPage(file.read_text("utf-8"), parent, anchor)
    opened.show()
    return opened


class ShortcutsDialog(QDialog):
    """Read-only list of shortcuts, built from the action table."""

    def __init__(self, commands: Commands, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        columns = (_column(commands, [t for t in MENUS if t in titles]) for titles in _MENU_COLUMNS)
        page = row_of(*columns, _gestures(), spacing=36)
        buttons = button_box(self, Standard.Close)
        column_of(page, buttons, parent=self, margins=(22, 18, 22, 14))


def _gestures() -> QGridLayout:
    grid = _key_grid()
    _add_heading(grid, "Mouse on the canvas")
    for words, gesture in GESTURES:
        _add_keys(grid, words, gesture)
    grid.setRowStretch(grid.rowCount(), 1)
    return grid


def _column(commands: Commands, titles: list[str]) -> QGridLayout:
    grid = _key_grid()
    for title in titles:
        if grid.rowCount() > 1:
            grid.setRowMinimumHeight(grid.rowCount(), 12)
        _add_heading(grid, title)
        for spec, action in commands:
            if spec.menu == title and spec.keys:
                keys = (
                    key.toString(QKeySequence.SequenceFormat.NativeText)
                    for key in action.shortcuts()
                )
                _add_keys(grid, spec.text.rstrip("…"), "  or  ".join(keys))
    grid.setRowStretch(grid.rowCount(), 1)
    return grid


def _key_grid() -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(18)
    grid.setVerticalSpacing(4)
    return grid


def _add_heading(grid: QGridLayout, title: str) -> None:
    heading = PlainLabel(title)
    font = QFont(heading.font())
    font.setBold(True)
    heading.setFont(font)
    grid.addWidget(heading, grid.rowCount() + 1, 0, 1, 2)


def _add_keys(grid: QGridLayout, words: str, keys: str) -> None:
    label = PlainLabel(keys)
    mute(label)
    row = grid.rowCount()
    grid.addWidget(PlainLabel(words), row, 0)
    grid.addWidget(label, row, 1)


class DevicesDialog(QDialog):
    """Table of devices with the list of problems below it; a request to search again is
    answered by `show_list`.
    """

    refresh_requested = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWindowTitle("Devices")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(720, 340)
        memory = machine.memory()
        host = WrappedLabel(
            f"{machine.cpu_name()}, {plural(machine.cores(), 'core')}, "
            f"{format_bytes(memory.total_bytes)} of memory, {format_bytes(memory.free_bytes)} "
            "free: serial, OpenMP and MPI variants run here."
        )
        self._table = QTreeWidget()
        self._table.setHeaderLabels(list(_DEVICE_COLUMNS))
        self._table.setRootIsDecorated(False)
        self._table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._problems = WrappedLabel(selectable=True)
        buttons = button_box(self, Standard.Close)
        self._refresh = add_action(buttons, "Search again", self._ask)
        column_of(host, (self._table, 1), self._problems, buttons, parent=self)

    def show_list(self, found: DeviceList) -> None:
        """Replace the table and the problems by those of ``found``."""
        self._table.clear()
        for d in found.devices:
            units = plural(d.compute_units, "core" if d.is_cpu else "multiprocessor")
            QTreeWidgetItem(
                self._table, [d.name, d.key, d.driver, format_bytes(d.total_bytes), units]
            )
        if not found.devices:
            QTreeWidgetItem(self._table, ["No device for kernels was found"])
        self._table.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self._problems.setText("\n".join(f"{problem}." for problem in found.problems))
        self._problems.setVisible(bool(found.problems))
        self._refresh.setEnabled(True)
        self._refresh.setText("Search again")

    def _ask(self) -> None:
        self._refresh.setEnabled(False)
        self._refresh.setText("Searching…")
        self.refresh_requested.emit()
