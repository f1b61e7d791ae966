"""Jobs outside the window's thread: one thread per job, results by signals, cancellation by token.

A job's work is a function of a `JobContext`. It returns a value, or is a generator that yields several values (a run
yields one result after another); each is delivered in the window's thread. While a job measures, the others wait at
their checkpoints.
"""

from __future__ import annotations

import inspect
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import partial
from typing import Any, TypeVar, overload

from PySide6.QtCore import QObject, Signal

from gui.model.quiet import Quiet
from gui.model.window_thread import Emissions, Turns, is_gone, keep_while_running
from solvers.errors import Cancelled
from solvers.system.cancel import CancelToken, Progress

PROGRESS_INTERVAL_S = 0.03
_LAST_EMIT_S = 5.0

log = logging.getLogger(__name__)

ValueT = TypeVar("ValueT")


def _nothing(_: JobContext) -> None:
    """The work of a job that has ended."""


class JobContext:
    """Context passed to a job's work: cancellation token and progress reporting.

    Attributes
    ----------
    cancel : CancelToken
    show : callable(object)
        Deliver a value before the work has ended, as a generator does by yielding it.
    """

    def __init__(
        self,
        cancel: CancelToken,
        report: Callable[[float, str], None],
        quiet: Quiet,
        show: Callable[[object], None] = lambda _: None,
    ):
        self.cancel = cancel
        self.show = show
        self._report, self._quiet = report, quiet
        self._last_report = 0.0
        self._last_words = ""

    def progress(self, fraction: float, words: str = "") -> None:
        """Report a fraction in 0..1 and what is being done.

        Dropped if the last report is less than 30 ms old, unless the text is new or the fraction is 1.
        """
        now = time.monotonic()
        if fraction >= 1.0 or words != self._last_words or now - self._last_report >= PROGRESS_INTERVAL_S:
            self._last_report, self._last_words = now, words
            self._report(fraction, words)

    def progress_for(self, words: str = "") -> Progress:
        """Reports to this job, raises when it is cancelled, and waits while another job measures."""
        pause = partial(self._quiet.pause, lambda: self.cancel.cancelled)
        return Progress(CancelToken(pause, self.cancel.check), lambda done, total: self.progress(done / total, words))


class Job(QObject):
    """One job in its own thread.

    Parameters
    ----------
    title : str
    work : callable(JobContext)
    quiet : Quiet
    measures : bool
        Whether its work times solvers: it then calls ``quiet.begin`` and ``quiet.end``, and never waits itself.
    background : bool
        Whether nobody waits for it.

    Signals (all delivered in the thread that made the job)
    -------
    progressed(float, str)
        Fraction in 0..1 and what is being done.
    yielded(object)
        Each value that a generator yields, and each that the work shows.
    succeeded(object)
        The return value.
    failed(Exception)
        Any exception other than `Cancelled`.
    cancelled()
    finished()
        After `succeeded`, `failed` or `cancelled`.
    """

    progressed = Signal(float, str)
    yielded = Signal(object)
    succeeded = Signal(object)
    failed = Signal(object)
    cancelled = Signal()
    finished = Signal()

    def __init__(
        self,
        title: str,
        work: Callable[[JobContext], object],
        quiet: Quiet,
        parent: QObject | None = None,
        *,
        measures: bool = False,
        background: bool = False,
    ):
        super().__init__(parent)
        self.title = title
        self.measures = measures
        self.background = background
        self._work, self._quiet = work, quiet
        self._token = CancelToken()
        self._emissions = Emissions()
        self._thread = threading.Thread(target=self._run, name=f"job: {title}", daemon=True)

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def start(self) -> None:
        """Start the thread; connect signals before."""
        self._thread.start()

    def cancel(self) -> None:
        """Request cancellation, which takes effect at the work's next checkpoint."""
        self._token.cancel()
        self._quiet.wake()

    def skip(self) -> None:
        """End only the variant being run, in a job that runs variants."""
        self._token.skip()

    @property
    def cancelling(self) -> bool:
        """Whether cancellation was requested and the job has not ended."""
        return self._token.cancelled

    def abandon(self) -> None:
        """Emit nothing from now on: this object is about to be destroyed, and its thread would not end in time.

        Waits for an emission in progress.
        """
        self._emissions.end()
        keep_while_running(self._thread, self)

    def release(self) -> None:
        """Let go of the work, and of the graph that it may hold, after its end; for the window's thread.

        The job itself may be kept, as by one that waited for it. The thread must not do this: it could be the last to
        hold an object of Qt.
        """
        self._work = _nothing

    def wait(self, timeout_s: float) -> bool:
        """Block until the thread has ended (at shutdown, and in tests); False on a timeout."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        with nullcontext() if self.measures else self._quiet.working(lambda: self._token.cancelled):
            self._work_and_report()

    def _work_and_report(self) -> None:
        emit = self._emissions.emit
        context = JobContext(
            self._token,
            lambda *values: emit(self.progressed, *values),
            self._quiet,
            lambda value: emit(self.yielded, value),
        )
        try:
            context.cancel.check()
            outcome = self._work(context)
            if inspect.isgenerator(outcome):
                outcome = self._drain(outcome)
            emit(self.succeeded, outcome)
        except Cancelled:
            emit(self.cancelled)
        except Exception as error:  # converts any failure of a job into a message
            log.info("job %s failed", self.title, exc_info=True)
            emit(self.failed, error)
        finally:
            emit(self.finished)

    def _drain(self, values: Iterator[object]) -> object:
        while True:
            try:
                self._emissions.emit(self.yielded, next(values))
            except StopIteration as end:
                return end.value


class Jobs(QObject):
    """The running jobs, at most one of each kind.

    Parameters
    ----------
    parent : QObject, optional
    turns : Turns, optional
        In which what jobs report is delivered.

    Attributes
    ----------
    quiet : Quiet
        Keeps jobs and renderers waiting while a job measures.
    turns : Turns

    Signals
    -------
    changed()
        A job started, was cancelled, or ended.
    measuring_changed(bool)
        A measurement began or ended.
    """

    changed = Signal()
    measuring_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None, turns: Turns | None = None):
        super().__init__(parent)
        self._jobs: dict[str, Job] = {}
        self._unfinished: set[Job] = set()
        self.quiet = Quiet()
        self.turns = turns or Turns(self)
        self.destroyed.connect(partial(_abandon, self._unfinished))

    @overload
    def start(
        self,
        kind: str,
        title: str,
        work: Callable[[JobContext], Iterator[ValueT]],
        *,
        on_value: Callable[[ValueT], None],
        on_success: Callable[[Any], None] | None = None,
        on_failure: Callable[[Exception], None] | None = None,
        on_cancel: Callable[[], None] | None = None,
        measures: bool = False,
    ) -> Job: ...

    @overload
    def start(
        self,
        kind: str,
        title: str,
        work: Callable[[JobContext], ValueT],
        *,
        on_value: Callable[[Any], None] | None = None,
        on_success: Callable[[ValueT], None] | None = None,
        on_failure: Callable[[Exception], None] | None = None,
        on_cancel: Callable[[], None] | None = None,
        background: bool = False,
    ) -> Job: ...

    def start(
        self,
        kind: str,
        title: str,
        work: Callable[[JobContext], object],
        *,
        on_value: Callable[[Any], None] | None = None,
        on_success: Callable[[Any], None] | None = None,
        on_failure: Callable[[Exception], None] | None = None,
        on_cancel: Callable[[], None] | None = None,
        measures: bool = False,
        background: bool = False,
    ) -> Job:
        """Start ``work``; a running job of the same ``kind`` is cancelled first and its results are dropped.

        Parameters
        ----------
        kind : str
            "open", "solve", "layout", "export" ...
        title : str
            Text for the status bar.
        measures : bool
            Whether the work times solvers; the others then wait for it.
        background : bool
            Whether nobody waits for it: the status bar shows it only while there is no other.
        """
        self.cancel(kind)
        job = Job(title, work, self.quiet, self, measures=measures, background=background)
        self._jobs[kind] = job
        self._unfinished.add(job)

        def current(deliver: Callable[..., None] | None) -> Callable[..., None]:
            def guarded(*values: Any) -> None:
                if deliver is not None and self._jobs.get(kind) is job and not is_gone(deliver):
                    deliver(*values)

            return lambda *values: self.turns.later(partial(guarded, *values))

        job.yielded.connect(current(on_value))
        job.succeeded.connect(current(on_success))
        job.failed.connect(current(on_failure))
        job.cancelled.connect(current(on_cancel))
        job.finished.connect(lambda: self.turns.later(partial(self._ended, kind, job)))
        self.changed.emit()  # before the start, so that views connect in time: a quick job may report immediately
        job.start()
        return job

    def running(self, kind: str) -> Job | None:
        """The running job of that kind; None if there is none."""
        return self._jobs.get(kind)

    def all(self) -> tuple[Job, ...]:
        return tuple(self._jobs.values())

    def waiting(self) -> tuple[Job, ...]:
        """The jobs that wait for the end of a measurement."""
        return tuple(job for job in self.all() if not job.measures) if self.quiet.measuring else ()

    def cancel(self, kind: str) -> None:
        if job := self._jobs.get(kind):
            self.cancel_job(job)

    def cancel_job(self, job: Job) -> None:
        """Cancel a running job."""
        job.cancel()
        self.changed.emit()

    def drop(self, kind: str) -> None:
        """Cancel the job and ignore its results."""
        if job := self._jobs.pop(kind, None):
            job.cancel()
            self.changed.emit()

    def shut_down(self, timeout_s: float = 2.0) -> None:
        """Cancel all jobs and wait for at most ``timeout_s`` in total; called when the window closes."""
        deadline = time.monotonic() + timeout_s
        jobs = self.findChildren(Job)  # includes superseded jobs that have not reached a checkpoint yet
        for job in jobs:
            job.cancel()
        for job in jobs:
            if not job.wait(max(0.0, deadline - time.monotonic())):
                job.abandon()

    def _ended(self, kind: str, job: Job) -> None:
        if self._jobs.get(kind) is job:
            del self._jobs[kind]
            self.changed.emit()
        self._unfinished.discard(job)
        if job.wait(_LAST_EMIT_S):  # its thread may still be inside the emission that called this method
            job.release()
        # Closures connected to its signals are released while it is destroyed. If they hold the last reference to this
        # object, it is destroyed too, and would destroy its children once more.
        job.setParent(None)
        job.deleteLater()


def _abandon(jobs: Iterable[Job], *_: object) -> None:
    """Silence jobs whose owner is being destroyed; it destroys them next."""
    for job in tuple(jobs):
        job.cancel()
        job.abandon()
