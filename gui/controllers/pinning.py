"""Makes a measured run of a live answer."""

from __future__ import annotations

from PySide6.QtCore import QObject

from gui.controllers.running import Running
from gui.model.notice import Notice, Severity
from gui.model.session import Session
from solvers.text import plural


class Pinning(QObject):
    """Handles Run > Pin live answer.

    Parameters
    ----------
    session, running
    """

    def __init__(self, session: Session, running: Running, parent: QObject | None = None):
        super().__init__(parent)
        self._session, self._running = session, running

    def pin(self) -> None:
        """Run the ticked variants on the present end points and roads; the kept run is named after them."""
        graph, source = self._session.graph, self._session.source
        if graph is None or source is None:
            return
        self._running.run(self.name)
        if further := len(self._session.live.more_sources):
            left_out = f"{plural(further, 'further source')} left out"
            words = f"A measured run has one source, {graph.vertex_label(source)}: {left_out}."
            self._session.notice(Notice(Severity.INFO, words))

    @property
    def name(self) -> str:
        """Name of the run: its end points and what was changed."""
        graph = self._session.graph
        if graph is None:
            return ""
        ends = (self._session.source, self._session.target)
        words = "Live " + " → ".join(graph.vertex_label(vertex) for vertex in ends if vertex is not None)
        return ", ".join(part for part in (words, str(self._session.roads.applied_changes)) if part)
