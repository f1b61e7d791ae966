"""Runs side by side need traces: those that are missing are recorded one after another."""

from __future__ import annotations

from PySide6.QtCore import QObject

from gui.canvas.area import CanvasArea
from gui.controllers.running import Running
from gui.model.jobs import Jobs
from gui.model.session import Session
from solvers.contracts.results import Result


class Splitting(QObject):
    """Watches the panes and has their results traced, each once, while nothing else runs.

    Parameters
    ----------
    session, running, jobs, area
    """

    def __init__(self, session: Session, running: Running, jobs: Jobs, area: CanvasArea, parent: QObject | None = None):
        super().__init__(parent)
        self._session, self._running, self._jobs, self._area = session, running, jobs, area
        self._tried: list[Result] = []
        area.split_changed.connect(self._begin)
        jobs.changed.connect(self._trace_next)
        session.graph_changed.connect(self._tried.clear)

    def _begin(self) -> None:
        """The user has asked for these panes: a trace that was cancelled before is tried again."""
        self._tried.clear()
        self._trace_next()

    def _trace_next(self) -> None:
        if self._jobs.running("solve") or self._jobs.running("trace"):
            return
        for result in self._area.split_results():
            if result.trace is None and not any(result is tried for tried in self._tried):
                self._tried.append(result)
                self._running.trace(result)
                return
