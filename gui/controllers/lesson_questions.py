"""Run > Questions: asks about the traced run that is selected, and which of the runs shown ends first."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.dialogs.questions import QuestionsDialog
from gui.model.notice import Notice, Severity
from gui.model.playback import Playback
from gui.model.session import Session
from solvers.core.trace import MOST_DISTANCES
from solvers.page.questions import questions_of

_GAP = 24
_NONE = (
    f"There is nothing to ask about this run: questions need a followed run of a graph with at most {MOST_DISTANCES} "
    "vertices, or two runs to compare. Open one of File > Samples, and run two variants."
)


class LessonQuestions:
    """Opens one dialog at a time."""

    def __init__(self, session: Session, playback: Playback, window: QWidget):
        self._session, self._playback, self._window = session, playback, window
        self.dialog: QuestionsDialog | None = None

    def ask(self) -> None:
        """Ask about the selected run first."""
        results = self._session.results
        first = results.selected
        others = [one for one in results.all if one is not first and one.graph is self._session.graph]
        found = [*([first] if first is not None else []), *others]
        questions = questions_of(found)
        if not questions:
            self._session.notice(Notice(Severity.INFO, _NONE))
            return
        if self.dialog is not None:
            self.dialog.close()
            self.dialog.deleteLater()
        self.dialog = QuestionsDialog(self._session, self._playback, found, questions, self._window)
        self.dialog.adjustSize()
        room = self._window.geometry()  # over the panels at the right: the picture stays free
        self.dialog.move(room.right() - self.dialog.width() - _GAP, room.top() + 4 * _GAP)
        self.dialog.show()
