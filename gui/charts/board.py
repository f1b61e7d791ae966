"""Container of all charts: side by side if wide enough, else in tabs."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from gui.charts.chart import Chart
from gui.charts.frontier import FrontierChart
from gui.charts.phases import PhasesChart
from gui.charts.timing import TimingChart
from gui.model.playback import Playback
from gui.model.session import Session

SIDE_BY_SIDE_PX = 760


class ChartBoard(QWidget):
    """Holds the timing, phases and frontier charts."""

    def __init__(self, session: Session, playback: Playback, parent: QWidget | None = None):
        super().__init__(parent)
        self.timing = TimingChart(session)
        self.phases = PhasesChart(session)
        self.frontier = FrontierChart(session, playback)
        self._frames = [_scrolling(chart) for chart in self.charts]
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self._grid_page = QWidget()
        self._grid = QGridLayout(self._grid_page)
        self._grid.setContentsMargins(0, 0, 0, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.tabs)
        layout.addWidget(self._grid_page)
        self._wide: bool | None = None
        self._arrange(wide=False)

    @property
    def charts(self) -> tuple[Chart, ...]:
        return (self.timing, self.phases, self.frontier)

    @property
    def current(self) -> Chart:
        """The chart exported by default: the open tab; side by side, the one with the focus or else the first."""
        if not self._wide:
            return self.charts[self.tabs.currentIndex()]
        return next((chart for chart in self.charts if chart.hasFocus()), self.charts[0])

    @property
    def is_wide(self) -> bool:
        return bool(self._wide)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(wide=self.width() > SIDE_BY_SIDE_PX)

    def _arrange(self, *, wide: bool) -> None:
        if wide == self._wide:
            return
        self._wide = wide
        for i, (frame, chart) in enumerate(zip(self._frames, self.charts, strict=True)):
            if wide:
                last_alone = i == len(self._frames) - 1 and i % 2 == 0
                self._grid.addWidget(frame, i // 2, i % 2, 1, 2 if last_alone else 1)
                frame.show()
            else:
                self.tabs.addTab(frame, chart.title)
            chart.heading.setVisible(wide)  # otherwise shown by the tab
        self.tabs.setVisible(not wide)
        self._grid_page.setVisible(wide)


def _scrolling(chart: Chart) -> QScrollArea:
    """Scroll area for a chart, which can be taller than the space available."""
    frame = QScrollArea()
    frame.setWidgetResizable(True)
    frame.setFrameShape(QFrame.Shape.NoFrame)
    frame.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    frame.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    frame.setWidget(chart)
    return frame
