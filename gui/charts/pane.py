"""Place of the charts in the window; they are made when first needed, because pyqtgraph
takes long to import.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from gui.model.playback import Playback
from gui.model.session import Session
from gui.model.settings import DisplayChoices
from gui.style.forms import NO_MARGINS, column_of

if TYPE_CHECKING:
    from gui.charts.board import ChartBoard
    from gui.charts.chart import Chart
    from solvers.picture.scene.values import ReductionMap

# Of the place, with or without charts: their coming moves nothing, and what they show
# gives them no more room.
_LEAST_WIDTH_EM, _HEIGHT_EM = 9, 10


def load_charts() -> None:
    """Import what `ChartPane.board` needs.

    From Python 3.12 another thread may call this, so that the window need not wait.
    Before, PySide keeps the classes of Qt in a table without a lock, and reads it
    without the interpreter's lock: a thread that makes classes meanwhile, as pyqtgraph
    does hundreds, can end the process.
    """
    import_module("gui.charts.board")


class ChartPane(QWidget):
    """Holds the board of charts as soon as it is shown or asked for; `arranged`: charts
    came, went or moved.
    """

    made = Signal()
    arranged = Signal()

    def __init__(self, session: Session, playback: Playback, choices: DisplayChoices):
        super().__init__()
        self._session, self._playback, self._choices = session, playback, choices
        self._board: ChartBoard | None = None
        self._column = column_of(parent=self, margins=NO_MARGINS)

    def make(self) -> None:
        """Make the charts, unless they are there."""
        if self._board is None:
            from gui.charts.board import ChartBoard

            self._board = ChartBoard(self._session, self._playback, self._choices)
            self._board.arranged.connect(self.arranged)
            self._column.addWidget(self._board)
            self.made.emit()

    @property
    def board(self) -> ChartBoard:
        """The charts; made at the first call."""
        self.make()
        assert self._board is not None
        return self._board

    @property
    def charts(self) -> tuple[Chart, ...]:
        return self.board.charts

    @property
    def current(self) -> Chart:
        return self.board.current

    @property
    def has_histogram(self) -> bool:
        """Whether a number of every vertex is shown."""
        return self._board is not None and self._board.values is not None

    def show_in_window(self, title: str) -> None:
        self.board.show_in_window(title)

    def show_histogram(self, shown: ReductionMap | None) -> None:
        """Show the histogram of a number of every vertex; None takes it away."""
        if shown is not None or self._board is not None:
            self.board.show_histogram(shown)

    def minimumSizeHint(self) -> QSize:
        return (
            super()
            .minimumSizeHint()
            .expandedTo(QSize(_LEAST_WIDTH_EM * self.fontMetrics().height(), 0))
        )

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), _HEIGHT_EM * self.fontMetrics().height())

    def showEvent(self, event: QShowEvent) -> None:
        self.make()
        super().showEvent(event)
