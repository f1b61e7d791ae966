"""Compiles ahead, in the background of the first start after an installation, what `make run` has compiled before."""

from __future__ import annotations

import logging
import os

from PySide6.QtCore import QObject

from gui.model.jobs import JobContext, Jobs
from gui.model.notice import Notice, Severity
from gui.model.session import Session
from solvers.running.compile_ahead import STEPS, WINDOW, RehearsalRecord, rehearse
from solvers.system.cancel import Observer

JOB = "compile"
TITLE = "Compiling for this machine, once"
OFF_VARIABLE = "TAUTLINE_NO_COMPILING_AHEAD"  # for machines whose processor is not to be used unasked
_NOTICE = (
    "Tautline compiles its functions for this machine, once after installation: the first graph and the first run take "
    "some seconds longer."
)

log = logging.getLogger(__name__)


class CompilingAhead(QObject):
    """A job that makes the rehearsals that are missing, one at a time and with low priority.

    A run ends it, because it would change the run's times; it goes on afterwards. Cancelled by the user, it goes on at
    the next start.

    Parameters
    ----------
    session, jobs
    record : RehearsalRecord, optional
    """

    def __init__(
        self, session: Session, jobs: Jobs, parent: QObject | None = None, record: RehearsalRecord | None = None
    ):
        super().__init__(parent)
        self._session, self._jobs, self._record = session, jobs, record
        self._wanted = False  # of a job that a run interrupted
        jobs.changed.connect(self._follow_jobs)

    def begin(self) -> None:
        """Start, unless everything was rehearsed or it is switched off; after a run that is in progress."""
        record = RehearsalRecord() if self._record is None else self._record
        self._wanted = False
        missing = record.missing(step.name for step in STEPS)
        if not missing or os.environ.get(OFF_VARIABLE):
            return
        if WINDOW.name in missing and self._session.graph is None:
            self._session.notice(Notice(Severity.INFO, _NOTICE))  # until the graph is there
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
