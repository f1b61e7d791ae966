"""Size and place of the window and of its docks: at the first start, and as the user left them."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDockWidget, QMainWindow, QSplitter

from gui.model.settings import Settings
from gui.shell import docks

_START_SHARE = 0.85  # of the screen
_LEAST_START = (1280, 720)

Column = list[tuple[QDockWidget, int]]


class WindowArrangement:
    """Arranges a window, and keeps its arrangement between starts.

    Parameters
    ----------
    window : QMainWindow
    settings : Settings
    results : QSplitter
        Between table and charts.
    left, right : list of (QDockWidget, int)
        Docks of each column and their shares of its height.
    """

    def __init__(self, window: QMainWindow, settings: Settings, results: QSplitter, left: Column, right: Column):
        self._window, self._settings, self._results = window, settings, results
        self._left, self._right = left, right

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

    def save(self) -> None:
        """Keep the present arrangement."""
        window = self._window
        self._settings.set_layout(window.saveGeometry(), window.saveState())
        folded = (dock.objectName() for dock in window.findChildren(QDockWidget) if docks.title_of(dock).folded)
        self._settings.set_arrangement(self._results.saveState(), tuple(folded))
