"""Compiles ahead, in the background of the first start after an installation, what `make run` has compiled before."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject

from gui.model.jobs import JobContext, Jobs
from solvers.host.observer import Observer
from solvers.running.compile_ahead.record import RehearsalRecord
from solvers.running.compile_ahead.rehearsing import STEPS, rehearse

JOB = "compile"
TITLE = "Compiling for this machine, once"

log = logging.getLogger(__name__)


class CompilingAhead(QObject):
    """A job that makes the rehearsals that are missing, one at a time and with low priority.

    A run ends it, because it would change the run's times; it goes on afterwards. Cancelled by the user, it goes on at
    the next start.

    Parameters
    ----------
    jobs : Jobs
    record : RehearsalRecord, optional
    """

    def __init__(self, jobs: Jobs, parent: QObject | None = None, record: RehearsalRecord | None = None):
        super().__init__(parent)
        self._jobs, self._record = jobs, record
        self._wanted = False  # of a job that a run interrupted
        jobs.changed.connect(self._follow_jobs)

    def begin(self) -> None:
        """Start, unless everything was rehearsed; while a run is in progress, start after it."""
        record = RehearsalRecord() if self._record is None else self._record
        self._wanted = False
        if not record.missing(step.name for step in STEPS):
            return
        if self._jobs.running("solve"):
            self._wanted = True
            return

        def work(context: JobContext) -> None:
            words = [""]

            def progress(done: float, total: float) -> None:
                context.progress(done / total, f"{TITLE}: {words[0]}" if words[0] else TITLE)

            # Not `context.observer`, which waits during runs: a run ends these processes.
            observer = Observer(context.cancel, progress)
            rehearse(STEPS, observer, record, low_priority=True, say=lambda what: words.__setitem__(0, what))

        self._jobs.start(JOB, TITLE, work, on_failure=_failed, background=True)

    def _follow_jobs(self) -> None:
        running = self._jobs.running("solve") is not None
        if running and self._jobs.running(JOB) is not None:
            self._wanted = True
            self._jobs.drop(JOB)
        elif not running and self._wanted:
            self.begin()


def _failed(error: Exception) -> None:
    """Nothing is lost: what was not compiled ahead is compiled when it is needed."""
    log.warning("%s", error)
