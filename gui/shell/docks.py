"""The docks around the canvas: movable, hideable, with small title bars."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont, QMouseEvent, QPalette
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QMainWindow, QTabWidget, QToolButton, QWidget

from gui.style import type_size
from gui.style.common_widgets import ScaledLabel
from gui.style.icons import icon
from gui.style.theme import tokens

LEFT, RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
LEAST_LEFT, MOST_LEFT = 280, 460  # the card's text and thread map need the least
LEAST_RIGHT, MOST_RIGHT = 330, 800  # the maximum fits two charts side by side
_UNLIMITED = 16_777_215  # Qt's QWIDGETSIZE_MAX


class DockTitle(QWidget):
    """A dock's title bar: its title, a button that folds the dock up to this bar, and one that hides it.

    Dragging it moves the dock, and a double click folds it.
    """

    def __init__(self, dock: QDockWidget):
        super().__init__(dock)
        self._dock = dock
        self._folded = False
        self._label = ScaledLabel(dock.windowTitle(), factor=0.92, weight=QFont.Weight.DemiBold)
        self._label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.fold_button = _button()
        self.fold_button.clicked.connect(lambda: self.fold(not self._folded))
        self._close = _button()
        self._close.setAccessibleName(f"Hide {dock.windowTitle()}")
        self._close.setIconSize(QSize(12, 12))
        self._close.setToolTip(f"Hide (View > Panels > {dock.windowTitle()} shows it again)")
        self._close.clicked.connect(dock.close)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 3, 4, 1)
        row.addWidget(self._label, 1)
        row.addWidget(self.fold_button)
        row.addWidget(self._close)
        self._name_fold()
        self.recolour()

    @property
    def folded(self) -> bool:
        """Whether only the title bar of the dock is shown."""
        return self._folded

    def fold(self, folded: bool) -> None:
        """Show only the title bar, or the whole dock again."""
        self._folded = folded
        content = self._dock.widget()
        if content is not None:
            content.setVisible(not folded)
        self._dock.setMaximumHeight(self.sizeHint().height() + 2 if folded else _UNLIMITED)
        self._name_fold()

    def _name_fold(self) -> None:
        verb = "Unfold" if self._folded else "Fold"
        self.fold_button.setArrowType(Qt.ArrowType.RightArrow if self._folded else Qt.ArrowType.DownArrow)
        self.fold_button.setAccessibleName(f"{verb} {self._dock.windowTitle()}")
        self.fold_button.setToolTip(f"{verb} this panel")

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.fold(not self._folded)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.recolour()

    def recolour(self) -> None:
        self._close.setIcon(icon("close", tokens().muted))


def _button() -> QToolButton:
    button = QToolButton()
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # by keyboard: View > Panels
    return button


def title_of(dock: QDockWidget) -> DockTitle:
    """The title bar of a dock that `add_dock` made."""
    title = dock.titleBarWidget()
    assert isinstance(title, DockTitle)
    return title


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
    least_left, least_right = least_widths()
    widths = (
        min(MOST_LEFT, max(least_left, int(0.23 * width))),
        min(MOST_RIGHT, max(least_right, int(0.36 * width) - 60)),
    )
    for column, column_width in zip((left, right), widths, strict=True):
        docks = [dock for dock, _ in column]
        for dock in docks:
            dock.raise_()
        whole = sum(weight for _, weight in column)
        window.resizeDocks(docks[:1], [column_width], Qt.Orientation.Horizontal)
        window.resizeDocks(docks, [height * weight // whole for _, weight in column], Qt.Orientation.Vertical)


def least_widths() -> tuple[int, int]:
    """Least widths of the left and the right column that are legible, for the size of the type."""
    return _grown(LEAST_LEFT), _grown(LEAST_RIGHT)


def _grown(width: int) -> int:
    """A least width for the size of the type; it grows half as fast as the type, which leaves the canvas room."""
    return round(width * (1.0 + (type_size.factor() - 1.0) / 2))
