"""What the canvas shows in live mode: the newest live answer in place of the selected run."""

from __future__ import annotations

from PySide6.QtCore import QObject

from gui.canvas.displayed_run import SelectedRun
from gui.model.playback import Playback
from gui.model.session import Session
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace
from solvers.running.live_query import LiveAnswer


class LiveRun(SelectedRun):
    """The live answer while there is one, else the selected run."""

    def __init__(self, session: Session, playback: Playback, parent: QObject | None = None):
        super().__init__(session, playback, parent)
        self._live = session.live
        for signal in (self._live.answered, self._live.sources_changed):
            signal.connect(self.changed)

    @property
    def live_answer(self) -> LiveAnswer | None:
        return self._live.answer

    @property
    def result(self) -> Result | None:
        return super().result if self._live.answer is None else None

    @property
    def trace(self) -> ActivityTrace | None:
        return super().trace if self._live.answer is None else None

    @property
    def position(self) -> int:
        return super().position if self._live.answer is None else 0
