"""Status bar: progress of the newest job with Cancel on the left, facts of the open graph on the right."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QProgressBar, QStatusBar, QToolButton, QWidget

from gui.model.jobs import Job, Jobs
from gui.model.session import Session
from gui.style.common_widgets import PlainLabel
from solvers.graphs.graph import Graph
from solvers.text import plural

_STEPS = 1000
_HEIGHT = 28
_SHOW_EVERY_MS = 50  # a progress bar repaints at once at every new value


class StatusBar(QStatusBar):
    """Text, progress bar and Cancel button of the newest job; facts of the graph."""

    def __init__(self, session: Session, jobs: Jobs, parent: QWidget | None = None):
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        self._job: Job | None = None
        self._latest: tuple[float, str] | None = None
        self._show_timer = QTimer(self, singleShot=True, interval=_SHOW_EVERY_MS)
        self._show_timer.timeout.connect(self._show_progress)
        self._words = PlainLabel()
        self._words.setContentsMargins(8, 0, 0, 0)
        self._bar = QProgressBar()
        self._bar.setFixedSize(180, 6)
        self._bar.setTextVisible(False)
        self._cancel = QToolButton()
        self._cancel.setText("Cancel")
        self._cancel.setAutoRaise(True)
        self._cancel.clicked.connect(self._stop)
        self._facts = PlainLabel()
        self._facts.setContentsMargins(0, 0, 8, 0)
        for widget in (self._words, self._bar, self._cancel):
            self.addWidget(widget)
        self.addPermanentWidget(self._facts)
        self.setSizeGripEnabled(False)
        self.setMinimumHeight(_HEIGHT)  # keeps the canvas' size when a job starts
        jobs.changed.connect(self._follow)
        session.graph_changed.connect(self._show_facts)
        self._follow()
        self._show_facts()

    def _follow(self) -> None:
        """Show the newest job, or that there is none."""
        running = self._jobs.all()
        job = running[-1] if running else None
        if job is not self._job:
            self._job, self._latest = job, None
            if job is not None:
                self._bar.setRange(0, 0)
                self._words.setText(job.title)
                job.progressed.connect(lambda fraction, words: self._progress(job, fraction, words))
        stopping = job is not None and job.cancelling
        if job is None:
            self._words.setText("Ready" if self._session.graph is not None else "")
        elif stopping:
            self._words.setText(f"{job.title}: stopping")
        self._bar.setVisible(job is not None)
        self._cancel.setVisible(job is not None and not stopping)

    def _progress(self, job: Job, fraction: float, words: str) -> None:
        """Store the progress and show it, at most every `_SHOW_EVERY_MS`."""
        if job is self._job:
            self._latest = (fraction, words)
            if not self._show_timer.isActive():
                self._show_progress()

    def _show_progress(self) -> None:
        if self._job is None or self._job.cancelling or self._latest is None:
            return
        fraction, words = self._latest
        self._latest = None
        self._bar.setRange(0, _STEPS)
        self._bar.setValue(int(fraction * _STEPS))
        self._words.setText(words or self._job.title)
        self._show_timer.start()

    def _stop(self) -> None:
        if self._job is not None:
            self._jobs.cancel_job(self._job)

    def _show_facts(self) -> None:
        graph = self._session.graph
        self._facts.setText(facts(graph) if graph is not None else "")
        self._follow()


def facts(graph: Graph) -> str:
    """The graph in one line: ``"264,346 vertices   733,846 arcs   int32   directed"``."""
    parts = [plural(graph.n, "vertex", "vertices"), plural(graph.m, "arc"), graph.weight_type.name]
    return "\u2003".join([*parts, "directed" if graph.directed else "undirected"])
