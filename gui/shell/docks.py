"""The docks around the canvas: movable, hideable, with small title bars."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QMainWindow, QTabWidget, QToolButton, QWidget

from gui.style.common_widgets import PlainLabel
from gui.style.icons import icon
from gui.style.theme import tokens

LEFT, RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
LEAST_LEFT, MOST_LEFT = 250, 340
LEAST_RIGHT, MOST_RIGHT = 330, 800  # the maximum fits two charts side by side


class DockTitle(QWidget):
    """A dock's title bar: small title and a button that hides the dock. Dragging it moves the dock."""

    def __init__(self, dock: QDockWidget):
        super().__init__(dock)
        self._label = PlainLabel(dock.windowTitle())
        font = QFont(self._label.font())
        font.setPointSizeF(font.pointSizeF() * 0.92)
        font.setWeight(QFont.Weight.DemiBold)
        self._label.setFont(font)
        self._label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._close = QToolButton()
        self._close.setAutoRaise(True)
        self._close.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # by keyboard: View > Panels
        self._close.setAccessibleName(f"Hide {dock.windowTitle()}")
        self._close.setIconSize(QSize(12, 12))
        self._close.setToolTip(f"Hide (View > Panels > {dock.windowTitle()} shows it again)")
        self._close.clicked.connect(dock.close)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 3, 4, 1)
        row.addWidget(self._label, 1)
        row.addWidget(self._close)
        self.recolour()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.recolour()

    def recolour(self) -> None:
        self._close.setIcon(icon("close", tokens().muted))


def add_dock(window: QMainWindow, title: str, content: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
    """Add a dock with ``content`` at the bottom of ``area``."""
    dock = QDockWidget(title, window)
    dock.setObjectName(f"{title.lower()} dock")
    dock.setTitleBarWidget(DockTitle(dock))
    dock.setWidget(content)
    window.addDockWidget(area, dock)
    return dock


def add_tab(window: QMainWindow, first: QDockWidget, second: QDockWidget) -> None:
    """Lay ``second`` in the place of ``first``, with tabs above them to choose."""
    window.setTabPosition(RIGHT, QTabWidget.TabPosition.North)
    window.tabifyDockWidget(first, second)


def arrange(window: QMainWindow, left: list[tuple[QDockWidget, int]], right: list[tuple[QDockWidget, int]]) -> None:
    """Set the columns' widths, and divide each column's height among its docks by their weights.

    Docks that share their place with others come to the front.
    """
    width, height = window.width(), window.height()
    widths = (
        min(MOST_LEFT, max(LEAST_LEFT, width // 5)),
        min(MOST_RIGHT, max(LEAST_RIGHT, int(0.36 * width) - 60)),
    )
    for column, column_width in zip((left, right), widths, strict=True):
        docks = [dock for dock, _ in column]
        for dock in docks:
            dock.raise_()
        whole = sum(weight for _, weight in column)
        window.resizeDocks(docks[:1], [column_width], Qt.Orientation.Horizontal)
        window.resizeDocks(docks, [height * weight // whole for _, weight in column], Qt.Orientation.Vertical)
