"""Asks questions about traced runs, one dialog at a time."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.canvas.area import CanvasArea
from gui.features.lesson.dialog import QuestionsDialog
from gui.model.playback import Playback
from gui.model.session import Session
from solvers.core.trace import MOST_DISTANCES
from solvers.features.lesson.questions import QuestionKind, questions_of

_GAP = 24
_NONE = (
    "There is nothing to ask about this run: questions need a followed run of "
    f"a graph with at most {MOST_DISTANCES} vertices, or two runs to compare. "
    "Open one of File > Samples, and run two variants."
)


class LessonQuestions:
    """Asks about the traced run that is selected, and which of the runs shown ends
    first; one dialog at a time.
    """

    def __init__(self, session: Session, playback: Playback, area: CanvasArea, window: QWidget):
        self._session, self._playback, self._window = session, playback, window
        self._area = area
        self.dialog: QuestionsDialog | None = None
        area.matrix_view.taker = self._take_cell

    def ask(self) -> None:
        """Ask about the selected run first."""
        results = self._session.results
        first = results.selected
        others = [
            one for one in results.all if one is not first and one.graph is self._session.graph
        ]
        found = [*([first] if first is not None else []), *others]
        questions = questions_of(found)
        if not questions:
            self._session.inform(_NONE)
            return
        if self.dialog is not None:
            self.dialog.close()
            self.dialog.deleteLater()
        self.dialog = QuestionsDialog(self._session, self._playback, found, questions, self._window)
        self.dialog.adjustSize()
        room = self._window.geometry()  # over the panels at the right: the picture stays free
        self.dialog.move(room.right() - self.dialog.width() - _GAP, room.top() + 4 * _GAP)
        self.dialog.show()
        if any(one.kind is QuestionKind.CELLS for one in questions):
            self._area.show_matrix(True)

    def _take_cell(self, row: int, column: int) -> bool:
        if self.dialog is None or not self.dialog.wants_cells:
            return False
        self.dialog.take_cell(row, column)
        return True
