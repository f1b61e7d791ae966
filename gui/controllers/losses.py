"""Asks before a run, a generated graph or what a feature has is lost: by another graph, or
with the window.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gui.dialogs.messages import Reply, ask
from gui.model.jobs import JobKind, Jobs
from gui.model.session import Session

_RUN = "A run is in progress. It ends with the open graph."
_AT_CLOSE = {
    JobKind.SOLVE: "A run is in progress.",
    JobKind.EXPERIMENT: "An experiment is in progress.",
    JobKind.EXPORT: "A file is being written.",
}


class UnsavedWorkGuard(QObject):
    """Asks, and lets another graph wait for the end of the run.

    ``others`` say what features would lose, or "".
    """

    def __init__(self, session: Session, jobs: Jobs, window: QWidget):
        super().__init__(window)
        self._session, self._jobs, self._window = session, jobs, window
        self.others: list[Callable[[], str]] = []
        self._waiting: Callable[[], object] | None = None
        self._is_kept = False
        jobs.changed.connect(self._go_on)
        session.graph_changed.connect(self._start_again)

    def open_instead(self, go: Callable[[], object], name: str, *, generates: bool = False) -> None:
        """Call ``go``, which opens the graph of that name; ask first if something is
        lost with the open one.

        A generated graph is replaced by the next one (``generates``) without a
        question.
        """
        self._forget()
        run = self._jobs.running(JobKind.SOLVE)
        runs = run is not None and not run.cancelling
        lost = [_RUN] if runs else []
        lost += self._lost_of_features()
        if not generates and self._has_unkept_graph():
            lost.append(self._generated_words())
        if not lost:
            go()
            return
        replies = [Reply("Open", go)]
        if runs:
            replies = [
                Reply("Stop the run and open", partial(self._stop_and_go, go)),
                Reply("Open after the run", partial(self._wait, go, name)),
            ]
        ask(self._window, "Open another graph", " ".join(lost), replies)

    def ask_to_close(self, close: Callable[[], object]) -> bool:
        """Ask whether to ``close`` the window if something is lost with it; says
        whether it asked.
        """
        lost = [text for kind, text in _AT_CLOSE.items() if self._jobs.running(kind)]
        lost += self._lost_of_features()
        if lost:
            ask(self._window, "Quit", " ".join(lost), [Reply("Quit", close)])
        return bool(lost)

    def _lost_of_features(self) -> list[str]:
        return list(filter(None, (lost() for lost in self.others)))

    def keep_graph(self) -> None:
        """Take note that a session file names the open graph."""
        self._is_kept = True

    def _has_unkept_graph(self) -> bool:
        results, generator = self._session.results, self._session.graph_source.generator
        return bool(generator) and not (self._is_kept or results.all or results.has_aside)

    def _generated_words(self) -> str:
        """That the generated graph is lost, and by what it can be generated again."""
        session = self._session
        source, name = session.graph_source, session.graph.name if session.graph else ""
        values = ", ".join(f"{key} {value}" for key, value in source.parameters.items())
        return (
            f"The generated graph {name} will be lost: no run of it is kept under Runs, and no "
            f"session was saved. {source.generator}, {values}, generates it again."
        )

    def _stop_and_go(self, go: Callable[[], object]) -> None:
        self._jobs.cancel(JobKind.SOLVE)
        go()

    def _wait(self, go: Callable[[], object], name: str) -> None:
        self._waiting = go
        self._session.inform(f"{name} is opened when the run has ended.")
        self._go_on()  # it may have ended while the question was open

    def _go_on(self) -> None:
        if self._waiting is not None and self._jobs.running(JobKind.SOLVE) is None:
            go, self._waiting = self._waiting, None
            go()

    def _forget(self) -> None:
        self._waiting = None

    def _start_again(self) -> None:
        self._forget()
        self._is_kept = False
