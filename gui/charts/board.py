"""Container of all charts: side by side if wide enough, else in tabs; each can be moved
to a window of its own.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QGridLayout, QScrollArea, QTabWidget, QToolButton, QWidget

from gui.charts.chart import Chart
from gui.charts.tables import DEVICE, FRONTIER, PHASES_KIND, TIMING, ShownHistogram, histogram_kind
from gui.model.playback import Playback
from gui.model.session import Session
from gui.model.settings import CHART, DisplayChoices
from gui.style.forms import NO_MARGINS, column_of, scrolling, tool_button
from gui.style.widgets import EmptyState
from solvers.picture.scene.values import ValueMap

SIDE_BY_SIDE_PX = 760
# Of the board: what the charts show gives it no more room.
_LEAST_WIDTH_EM, _HEIGHT_EM = 9, 10
_WINDOW_SIZE = QSize(900, 560)
_EMPTY_TEXT = "All charts are in separate windows. Close a window to bring its chart back."


class ChartBoard(QWidget):
    """Holds the charts, and the histogram if there is one to show; `arranged`: charts
    came, went or moved.
    """

    arranged = Signal()

    def __init__(
        self,
        session: Session,
        playback: Playback,
        choices: DisplayChoices | None = None,
    ):
        super().__init__()
        self._choices = choices or DisplayChoices(parent=self)
        self.timing = Chart(session, TIMING, self._choices)
        self.phases = Chart(session, PHASES_KIND, self._choices)
        self.frontier = Chart(session, FRONTIER, self._choices, playback)
        self.device = Chart(session, DEVICE, self._choices, playback)
        self._values = ShownHistogram()
        self.histogram = Chart(session, histogram_kind(self._values), self._choices)
        self._frames = {chart: _scrolling(chart) for chart in (*self.charts, self.histogram)}
        self._windows: dict[Chart, ChartWindow] = {}
        self._buttons = {chart: self._add_button(chart) for chart in self._frames}
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self._empty = EmptyState(_EMPTY_TEXT)
        self._grid_page = QWidget()
        self._grid = QGridLayout(self._grid_page)
        self._grid.setContentsMargins(0, 0, 0, 0)
        column_of(self.tabs, self._grid_page, self._empty, parent=self, margins=NO_MARGINS)
        self.is_wide = False
        self._arrange()
        self.tabs.currentChanged.connect(self._keep_tab)

    @property
    def values(self) -> ValueMap | None:
        """What the histogram shows."""
        return self._values.shown

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Those on the board or in windows: the histogram only if there is one to show."""
        own = (self.timing, self.phases, self.frontier, self.device)
        return own if self.values is None else (*own, self.histogram)

    @property
    def current(self) -> Chart:
        """The chart exported by default: the one in the active window or with the
        focus, else the open tab.
        """
        for chart, window in self._windows.items():
            if window.isActiveWindow():
                return chart
        inside = self._inside
        focused = (
            next((chart for chart in inside if chart.hasFocus()), None) if self.is_wide else None
        )
        by_tab = next((chart for chart in inside if chart.title == self._choices[CHART]), None)
        return focused or by_tab or next(iter(inside or self.charts))

    def pop_out(self, chart: Chart) -> ChartWindow:
        """Move a chart to a window of its own; closing the window moves it back."""
        if chart not in self._windows:
            window = ChartWindow(chart, self._frames[chart], self.window())
            window.closed.connect(self._take_back)
            self._windows[chart] = window
            self._arrange()
            window.show()
        self._windows[chart].raise_()
        self._windows[chart].activateWindow()
        return self._windows[chart]

    def show_in_window(self, title: str) -> None:
        self.pop_out(next(chart for chart in self.charts if chart.title == title))

    def show_histogram(self, shown: ValueMap | None) -> None:
        """Show the histogram of a number of every vertex, in front; None takes it away."""
        if shown is self._values.shown:
            return
        appears = self._values.shown is None
        self._values.shown = shown
        self.histogram.follow()
        self._arrange()
        if appears and self.histogram in self._inside:
            self.tabs.setCurrentWidget(self._frames[self.histogram])

    def _take_back(self, chart: Chart) -> None:
        window = self._windows.pop(chart)
        self._arrange()
        window.deleteLater()

    @property
    def _inside(self) -> list[Chart]:
        return [chart for chart in self.charts if chart not in self._windows]

    def minimumSizeHint(self) -> QSize:
        least = QSize(_LEAST_WIDTH_EM * self.fontMetrics().height(), 0)
        return super().minimumSizeHint().expandedTo(least)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), _HEIGHT_EM * self.fontMetrics().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() > SIDE_BY_SIDE_PX
        if wide != self.is_wide:
            self.is_wide = wide
            self._arrange()

    def _arrange(self) -> None:
        """Put the charts that are not in windows into the grid or into the tabs."""
        self.tabs.blockSignals(True)
        while self.tabs.count():
            self.tabs.removeTab(0)
        inside = self._inside
        for i, chart in enumerate(inside):
            frame = self._frames[chart]
            if self.is_wide:
                last_alone = i == len(inside) - 1 and i % 2 == 0
                self._grid.addWidget(frame, i // 2, i % 2, 1, 2 if last_alone else 1)
                frame.show()
            else:
                self.tabs.addTab(frame, chart.title)
                if chart.title == self._choices[CHART]:
                    self.tabs.setCurrentWidget(frame)
            chart.heading.setVisible(self.is_wide)  # otherwise shown by the tab
        for chart in self._frames:
            if chart not in inside and chart not in self._windows:
                self._frames[chart].setParent(self)
                self._frames[chart].hide()
        for chart in self._windows:
            chart.heading.hide()  # shown by the window's title
        for chart, button in self._buttons.items():
            button.setVisible(chart not in self._windows)
        self.tabs.blockSignals(False)
        self.tabs.setVisible(bool(inside) and not self.is_wide)
        self._grid_page.setVisible(bool(inside) and self.is_wide)
        self._empty.setVisible(not inside)
        self.arranged.emit()

    def _keep_tab(self, index: int) -> None:
        if index >= 0:
            self._choices.choose(CHART, self.tabs.tabText(index))

    def _add_button(self, chart: Chart) -> QToolButton:
        button = tool_button(
            tip="Open in a separate window",
            act=lambda: self.pop_out(chart),
            name=f"{chart.title} chart in a window of its own",
            icon="pop-out",
        )
        chart.controls.addWidget(button)
        return button


class ChartWindow(QWidget):
    """A window with one chart; belongs to the main window and stays above it."""

    closed = Signal(object)

    def __init__(self, chart: Chart, frame: QScrollArea, parent: QWidget):
        super().__init__(parent, Qt.WindowType.Window)
        self.chart = chart
        self.setWindowTitle(f"{chart.title} \N{EN DASH} Tautpath")
        self.resize(_WINDOW_SIZE)
        column_of(frame, parent=self, margins=NO_MARGINS)
        frame.show()
        QShortcut(QKeySequence.StandardKey.Close, self, self.close)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit(self.chart)


def _scrolling(chart: Chart) -> QScrollArea:
    """Scroll area for a chart, which can be taller than the space available."""
    frame = scrolling(chart)
    frame.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return frame
