"""The docks around the canvas: movable, hideable, with small title bars, and the arrangement of window and docks.

The arrangement is the size and place of the window and of its docks: at the first start, and as the user left them.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QFont, QGuiApplication, QMouseEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QMainWindow, QSplitter, QTabWidget, QToolButton, QWidget

from gui.model.settings import Settings
from gui.shell import docks
from gui.style.text import on_type_size_change, type_scale
from gui.style.theme import icon, tokens
from gui.style.widgets import ScaledLabel

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


def add_tab(window: QMainWindow, first: QDockWidget, second: QDockWidget) -> QDockWidget:
    """Lay ``second`` in the place of ``first``, with tabs above them to choose; returns ``second``."""
    window.setTabPosition(RIGHT, QTabWidget.TabPosition.North)
    window.tabifyDockWidget(first, second)
    return second


def bring_to_front(dock: QDockWidget) -> None:
    """Show a dock, in front of those that share its place."""
    dock.show()
    dock.raise_()


def is_seen(dock: QDockWidget) -> bool:
    """Whether the content of a dock is neither hidden nor folded, nor behind another's tab."""
    content = dock.widget()
    return content is not None and not content.visibleRegion().isEmpty()


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
    return round(width * (1.0 + (type_scale() - 1.0) / 2))


_START_SHARE = 0.85  # of the screen
_LEAST_START = (1280, 720)
_CANVAS_SHARE = 0.42  # of the window's width, which the docks leave free where they can

Column = list[tuple[QDockWidget, int]]


class WindowArrangement(QObject):
    """Arranges a window, and keeps its arrangement between starts.

    In a window that becomes narrow the columns of docks become narrower with it, so that the canvas does not pay for
    all; they have their widths again when there is room. Without this, Qt takes all from the canvas.

    Parameters
    ----------
    left, right : list of (QDockWidget, int)
        Docks of each column and their shares of its height.
    """

    def __init__(self, window: QMainWindow, settings: Settings, results: QSplitter, left: Column, right: Column):
        super().__init__(window)
        self._window, self._settings, self._results = window, settings, results
        self._left, self._right = left, right
        self._wanted = (0, 0)  # widths of the columns in a window that has room for them
        self._given = (0, 0)
        self._canvas_share = _CANVAS_SHARE
        self._fitting = QTimer(self, singleShot=True, interval=0)  # after the window's own layout
        self._fitting.timeout.connect(self._fit)
        self._settled = True  # False from a change of the window's size until the columns have their widths
        window.installEventFilter(self)
        on_type_size_change(self._fit_later)

    def arrange(self) -> None:
        """Arrange the docks as at the first start."""
        docks.arrange(self._window, self._left, self._right)

    def restore(self) -> None:
        """Arrange the window as it was left; at the first start, only give it a size: its docks follow later."""
        window, settings = self._window, self._settings
        if (layout := settings.layout) is None:
            screen = QGuiApplication.primaryScreen().availableGeometry()
            size, (width, height) = screen.size() * _START_SHARE, _LEAST_START
            window.resize(
                max(size.width(), min(width, screen.width())), max(size.height(), min(height, screen.height()))
            )
            window.move(screen.center() - window.rect().center())
            return
        geometry, state = layout
        window.restoreGeometry(geometry)
        window.restoreState(state)
        if (division := settings.results_division) is not None:
            self._results.restoreState(division)
        for dock in window.findChildren(QDockWidget):
            docks.title_of(dock).fold(dock.objectName() in settings.folded_docks)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window and isinstance(event, QResizeEvent):
            self._fit_after(event.oldSize().width())
        return False

    def _fit_later(self) -> None:
        self._fit_after(self._window.width())

    def _fit_after(self, before: int) -> None:
        """Fit the columns once the window has laid itself out; it was ``before`` pixels wide."""
        if self._settled and (widths := self._widths()) != self._given and all(widths):
            self._want(widths, before)  # the user moved the border of a column since
        self._settled = False
        self._fitting.start()

    @property
    def settled(self) -> bool:
        """Whether the columns have the widths that follow from the window's size."""
        return self._settled

    def _columns(self) -> tuple[list[QDockWidget], list[QDockWidget]]:
        """The docks that are seen in the two columns, one each, or none."""
        window = self._window
        found: dict[Qt.DockWidgetArea, list[QDockWidget]] = {docks.LEFT: [], docks.RIGHT: []}
        for dock in window.findChildren(QDockWidget):
            area = window.dockWidgetArea(dock)
            seen = dock.isVisible() and not dock.isFloating() and window.rect().intersects(dock.geometry())
            if seen and area in found and not found[area]:  # docks behind a tab lie outside the window
                found[area].append(dock)
        return found[docks.LEFT], found[docks.RIGHT]

    def _widths(self) -> tuple[int, int]:
        left, right = (sum(dock.width() for dock in column) for column in self._columns())
        return left, right

    def _fit(self) -> None:
        """Give the columns the widths that are wanted, or what a narrow window has for them."""
        left, right = self._columns()
        if left and right and all(self._wanted):  # where a column is hidden, the canvas has its room
            room = round((1.0 - self._canvas_share) * self._window.width())
            fitted = fitted_widths(self._wanted, docks.least_widths(), room)
            if fitted != self._widths():
                self._window.resizeDocks([*left, *right], list(fitted), Qt.Orientation.Horizontal)
        QTimer.singleShot(0, self, self._settle)  # the docks may need more than they were given

    def _settle(self) -> None:
        if not self._fitting.isActive():
            self._given, self._settled = self._widths(), True
            if not all(self._wanted) and all(self._given):
                self._want(self._given, self._window.width())

    def _want(self, widths: tuple[int, int], window_width: int) -> None:
        """Take these for the widths that the user wants of a window so wide, with what they leave the canvas."""
        self._wanted = widths
        self._canvas_share = min(_CANVAS_SHARE, 1.0 - sum(widths) / window_width)

    def save(self) -> None:
        """Keep the present arrangement."""
        window = self._window
        self._settings.set_layout(window.saveGeometry(), window.saveState())
        folded = (dock.objectName() for dock in window.findChildren(QDockWidget) if docks.title_of(dock).folded)
        self._settings.set_arrangement(self._results.saveState(), tuple(folded))


def fitted_widths(wanted: tuple[int, int], least: tuple[int, int], room: int) -> tuple[int, int]:
    """Widths of two columns in ``room``: those wanted or, where that is too narrow, less, down to ``least``."""
    excess = sum(wanted) - room
    spare = [max(0, w - low) for w, low in zip(wanted, least, strict=True)]
    if excess <= 0 or not sum(spare):
        return wanted
    share = min(1.0, excess / sum(spare))
    left, right = (w - round(share * s) for w, s in zip(wanted, spare, strict=True))
    return left, right
