"""Jobs outside the window's thread: one thread per job, results in the window's thread,
cancellation by token.

A job's work is a function of a `JobContext`. It returns a value, or is a generator that
yields several values (a run yields one result after another); each is delivered in the
window's thread. While a job measures, the others wait at their checkpoints.
"""

from __future__ import annotations

import inspect
import logging
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, TypeVar, overload

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from gui.model.window_thread import WindowThread, is_gone, keep_while_running
from solvers.errors import Cancelled
from solvers.system.cancel import CancelToken, Progress
from solvers.system.quiet import Quiet

PROGRESS_INTERVAL_S = 0.03
_LAST_POST_S = 5.0

log = logging.getLogger(__name__)

ValueT = TypeVar("ValueT")


@dataclass(frozen=True)
class JobTraits:
    """What distinguishes a kind of job from the others.

    ``measures``: its work times solvers: it then enters `Quiet.measuring`, and never
    waits for others that do. Only one such job runs at a time. ``cancellable``: the
    user waits for it and can cancel it. ``background``: nobody waits for it: the card
    of progress shows it only while there is no other.
    """

    name: str
    measures: bool = False
    cancellable: bool = False
    background: bool = False


class JobKind(Enum):
    """Kinds of jobs; at most one job of each kind runs at a time. Cancel looks for one
    in this order.
    """

    SOLVE = JobTraits("solve", measures=True, cancellable=True)
    EXPERIMENT = JobTraits("experiment", measures=True, cancellable=True)
    TRACE = JobTraits("trace", cancellable=True)
    DATA_RACE = JobTraits("data race", cancellable=True)
    KERNEL_CHECK = JobTraits("kernel check", cancellable=True)
    OPEN = JobTraits("open", cancellable=True)
    EXPORT = JobTraits("export", cancellable=True)
    ALL_SOURCES = JobTraits("all sources", cancellable=True)
    FLOWS = JobTraits("flows", cancellable=True)
    LEVELS = JobTraits("levels", cancellable=True)
    LAYOUT = JobTraits("layout")
    HIERARCHY = JobTraits("hierarchy")
    ROADS = JobTraits("roads")
    ENDS = JobTraits("ends")
    ROAD_COMPARISON = JobTraits("road comparison")
    WEIGHTS = JobTraits("weights")
    DOWNLOAD = JobTraits("download")
    REOPEN = JobTraits("reopen")
    IMPORT = JobTraits("import")
    RUNS = JobTraits("runs")
    DEVICES = JobTraits("devices")
    ENCODER = JobTraits("encoder")
    ALL_SOURCES_MAP = JobTraits("all-sources map")
    ALL_SOURCES_LOOK = JobTraits("all-sources estimate")
    EXPERIMENT_LOOK = JobTraits("experiment forecast")
    COMPILE = JobTraits("compile", background=True)
    KERNEL = JobTraits("kernel", background=True)
    LAST_SESSION = JobTraits("last session", background=True)
    PROMINENCE = JobTraits("prominence", background=True)

    @property
    def measures(self) -> bool:
        return self.value.measures

    @property
    def cancellable(self) -> bool:
        return self.value.cancellable

    @property
    def background(self) -> bool:
        return self.value.background


def _nothing(_: JobContext) -> None:
    """The work of a job that has ended."""


class JobContext:
    """Context passed to a job's work: cancellation token and progress reporting.

    ``show`` delivers a value before the work has ended, as a generator does by yielding
    it.
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

        Dropped if the last report is less than 30 ms old, unless the text is new or the
        fraction is 1.
        """
        now = time.monotonic()
        if (
            fraction >= 1.0
            or words != self._last_words
            or now - self._last_report >= PROGRESS_INTERVAL_S
        ):
            self._last_report, self._last_words = now, words
            self._report(fraction, words)

    def progress_for(self, words: str = "") -> Progress:
        """Reports to this job, raises when it is cancelled, and waits while another job
        measures.
        """
        pause = partial(self._quiet.pause, lambda: self.cancel.cancelled)
        return Progress(
            CancelToken(pause, self.cancel.check),
            lambda done, total: self.progress(done / total, words),
        )


@dataclass(frozen=True)
class Receivers:
    """The functions that a job calls in the window's thread; see `Jobs.start`."""

    on_value: Callable[[Any], None] | None = None
    on_success: Callable[[Any], None] | None = None
    on_failure: Callable[[Exception], None] | None = None
    on_cancel: Callable[[], None] | None = None
    on_progress: Callable[[float, str], None] | None = None


class Job:
    """One job in its own thread; made by `Jobs.start`."""

    def __init__(
        self,
        owner: Jobs,
        kind: JobKind,
        title: str,
        work: Callable[[JobContext], object],
        receivers: Receivers,
    ) -> None:
        self.kind, self.title = kind, title
        self.receivers = receivers
        self._work, self._quiet, self._window = work, owner.quiet, owner.window
        self._deliver, self._progressed, self._ended = (
            owner._deliver,
            owner._progressed,
            owner._ended,
        )
        self._token = CancelToken()
        self._thread = threading.Thread(target=self._run, name=f"job: {title}", daemon=True)

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def start(self) -> None:
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

    def wait(self, timeout_s: float) -> bool:
        """Block until the thread has ended (at shutdown, and in tests); False on a timeout."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def release(self) -> None:
        """Let go of the work and its receivers, and of the graph that they may hold,
        after the thread has ended.

        The job itself may be kept, as by one that waited for it. The thread must not do
        this: it could be the last to hold an object of Qt.
        """
        self._work, self.receivers = _nothing, Receivers()
        del self._deliver, self._progressed, self._ended

    def outlive(self) -> None:
        """Keep what the thread holds, since the window's thread does not wait for its
        end any longer.
        """
        keep_while_running(self._thread, self)

    def _run(self) -> None:
        with (
            nullcontext()
            if self.kind.measures
            else self._quiet.working(lambda: self._token.cancelled)
        ):
            self._work_and_report()

    def _work_and_report(self) -> None:
        to, post = self.receivers, self._post
        context = JobContext(
            self._token, self._report, self._quiet, lambda value: post(to.on_value, value)
        )
        try:
            context.cancel.check()
            outcome = self._work(context)
            if inspect.isgenerator(outcome):
                outcome = self._drain(outcome)
            post(to.on_success, outcome)
        except Cancelled:
            post(to.on_cancel)
        except Exception as error:  # converts any failure of a job into a message
            log.info("job %s failed", self.title, exc_info=True)
            post(to.on_failure, error)
        finally:
            self._window.post(partial(self._ended, self))

    def _drain(self, values: Iterator[object]) -> object:
        while True:
            try:
                self._post(self.receivers.on_value, next(values))
            except StopIteration as end:
                return end.value

    def _post(self, receiver: Callable[..., None] | None, *values: object) -> None:
        if receiver is not None:
            self._window.post(partial(self._deliver, self, receiver, *values))

    def _report(self, fraction: float, words: str) -> None:
        self._window.post(partial(self._progressed, self, fraction, words), at_once=True)


class Jobs(QObject):
    """The running jobs, at most one of each kind.

    ``quiet`` keeps jobs and renderers waiting while a job measures; what jobs report is
    delivered in turns of ``window``.
    """

    changed = Signal()  # a job started, was cancelled, or ended
    # Job, float, str: fraction in 0..1 and what is being done
    progressed = Signal(object, float, str)
    measuring_changed = Signal(bool)  # a measurement, by whatever job, began or ended

    def __init__(self, parent: QObject | None = None, window: WindowThread | None = None):
        super().__init__(parent)
        self._jobs: dict[JobKind, Job] = {}
        self._unfinished: set[Job] = set()
        self.quiet = Quiet()
        self.window = window or WindowThread(self)
        self.quiet.on_change(partial(_post_measuring, self.window, weakref.ref(self)))
        self.destroyed.connect(partial(_outlive, self._unfinished))

    @overload
    def start(
        self,
        kind: JobKind,
        title: str,
        work: Callable[[JobContext], Iterator[ValueT]],
        *,
        on_value: Callable[[ValueT], None],
        on_success: Callable[[Any], None] | None = None,
        on_failure: Callable[[Exception], None] | None = None,
        on_cancel: Callable[[], None] | None = None,
        on_progress: Callable[[float, str], None] | None = None,
    ) -> Job: ...

    @overload
    def start(
        self,
        kind: JobKind,
        title: str,
        work: Callable[[JobContext], ValueT],
        *,
        on_value: Callable[[Any], None] | None = None,
        on_success: Callable[[ValueT], None] | None = None,
        on_failure: Callable[[Exception], None] | None = None,
        on_cancel: Callable[[], None] | None = None,
        on_progress: Callable[[float, str], None] | None = None,
    ) -> Job: ...

    def start(
        self,
        kind: JobKind,
        title: str,
        work: Callable[[JobContext], object],
        **receivers: Callable[..., None] | None,
    ) -> Job:
        """Start ``work``; a running job of the same ``kind`` is cancelled first and its
        results are dropped.

        ``on_value``: called with each value that a generator yields, and each that the
        work shows. ``on_failure``: called with any exception other than `Cancelled`.
        ``on_progress``: called with a fraction in 0..1 and what is being done, ahead of
        what waits for a turn.
        """
        self.cancel(kind)
        job = Job(self, kind, title, work, Receivers(**receivers))
        self._jobs[kind] = job
        self._unfinished.add(job)
        # before the start, so that those who follow `changed` receive what a quick job
        # reports
        self.changed.emit()
        job.start()
        return job

    def running(self, kind: JobKind) -> Job | None:
        """The running job of that kind, or None."""
        return self._jobs.get(kind)

    def all(self) -> tuple[Job, ...]:
        return tuple(self._jobs.values())

    @property
    def measures(self) -> bool:
        """Whether a job of a kind that measures is running."""
        return any(kind.measures for kind in self._jobs)

    def waiting(self) -> tuple[Job, ...]:
        """The jobs that wait for the end of a measurement."""
        return (
            tuple(job for job in self.all() if not job.kind.measures)
            if self.quiet.is_measuring
            else ()
        )

    def cancel(self, kind: JobKind) -> None:
        if job := self._jobs.get(kind):
            self.cancel_job(job)

    def cancel_job(self, job: Job) -> None:
        job.cancel()
        self.changed.emit()

    def drop(self, kind: JobKind) -> None:
        """Cancel the job and ignore its results."""
        if job := self._jobs.pop(kind, None):
            job.cancel()
            self.changed.emit()

    def shut_down(self, timeout_s: float = 2.0) -> None:
        """Cancel all jobs and wait for at most ``timeout_s`` in total; called when the
        window closes.

        Nothing is reported of them from then on: receivers may refer to objects that no
        longer exist.
        """
        deadline = time.monotonic() + timeout_s
        # superseded jobs too, that have not reached a checkpoint yet
        jobs = tuple(self._unfinished)
        for job in jobs:
            job.cancel()
        for job in jobs:
            if not job.wait(max(0.0, deadline - time.monotonic())):
                job.outlive()
        self._jobs = {}

    def _deliver(self, job: Job, receiver: Callable[..., None], *values: object) -> None:
        """Pass a report on, unless the job was superseded or dropped."""
        if self._jobs.get(job.kind) is job and not is_gone(receiver):
            receiver(*values)

    def _progressed(self, job: Job, fraction: float, words: str) -> None:
        if self._jobs.get(job.kind) is job:
            self.progressed.emit(job, fraction, words)
            if (receiver := job.receivers.on_progress) is not None:
                self._deliver(job, receiver, fraction, words)

    def _ended(self, job: Job) -> None:
        if self._jobs.get(job.kind) is job:
            del self._jobs[job.kind]
            self.changed.emit()
        self._unfinished.discard(job)
        # its thread may still be inside the emission that led to this call
        if job.wait(_LAST_POST_S):
            # In an event of its own: if the job held the last reference to this object,
            # both are destroyed then.
            QTimer.singleShot(0, lambda: job.release())


def _post_measuring(window: WindowThread, jobs: weakref.ref[Jobs], measuring: bool) -> None:
    """Tell ``jobs``, which this does not keep alive, in the window's thread."""
    window.post(partial(_tell_measuring, jobs, measuring), at_once=True)


def _tell_measuring(jobs: weakref.ref[Jobs], measuring: bool) -> None:
    if (alive := jobs()) is not None and isValid(alive):
        alive.measuring_changed.emit(measuring)


def _outlive(jobs: set[Job], *_: object) -> None:
    """Cancel jobs whose owner is being destroyed."""
    for job in tuple(jobs):
        job.cancel()
        job.outlive()
    jobs.clear()
