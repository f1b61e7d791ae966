"""Runs variants in jobs over ``solvers.running.runner``; results reach the session one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QTimer

from gui.model.jobs import Job, JobContext, Jobs
from gui.model.playback import Playback
from gui.model.session import Notice, Session, Severity
from gui.shell.commands import CANCELLABLE
from solvers.contracts.catalog import Answers
from solvers.contracts.results import Result, Status
from solvers.graphs.graph import Graph
from solvers.running.runner import Choice, Progress, RunRequest, run
from solvers.text import plural

# A traced run starts by itself only where it costs the user nothing they would notice.
_SMALL_GRAPH = 2_000_000  # vertices and arcs
_SMALL_MATRIX = 1024  # vertices
_SMALL_TIME_MS = 3000.0
_POLL_S = 0.05
# Quick variants end faster than their rows and marks can be drawn: what arrives within this time is shown together.
_GATHER_MS = 120


class Running(QObject):
    """What the Run menu does.

    Parameters
    ----------
    session, playback, jobs
    """

    def __init__(self, session: Session, playback: Playback, jobs: Jobs, parent: QObject | None = None):
        super().__init__(parent)
        self._session, self._playback, self._jobs = session, playback, jobs
        self._question: tuple[Graph | None, int | None] = (None, None)
        self._arrived: list[Result] = []
        self._gathered: list[Result] = []
        self._gathering = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._gathering.timeout.connect(self._hand_over)
        self._latest: Job | None = None
        self._watched: Result | None = None
        session.graph_changed.connect(self._drop_stale_work)
        session.endpoints_changed.connect(self._drop_stale_work)
        session.selection_changed.connect(self._show_selected)
        jobs.changed.connect(self._trace_if_cheap)

    def cancel(self) -> None:
        """Stop what the user is waiting for: the run, else tracing, reading or writing."""
        for kind in CANCELLABLE:
            if self._jobs.running(kind):
                self._jobs.cancel(kind)
                return

    # -- timed runs --------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Solve with every ticked variant; results reach the session one by one."""
        graph = self._session.graph
        choices = self._session.choices()
        if graph is None or not choices or self._jobs.running("solve"):
            return
        self._jobs.drop("trace")
        self._arrived.clear()
        request = RunRequest(graph, self._session.source, self._session.target, choices, self._session.device)
        title = f"Solving {plural(len(choices), 'variant')}"
        self._start("solve", title, request, "Solving", on_value=self._take, on_end=lambda: self._sum_up(len(choices)))

    def _take(self, result: Result) -> None:
        if result.status is not Status.CANCELLED:
            self._arrived.append(result)
            self._gathered.append(result)
            if not self._gathering.isActive():
                self._hand_over()
                self._gathering.start()

    def _hand_over(self) -> None:
        gathered, self._gathered = self._gathered, []
        self._session.add_results(gathered)

    def _sum_up(self, wanted: int) -> None:
        """Say what the table alone does not: that the run stopped early, or what could not run."""
        self._hand_over()
        failed = [r for r in self._arrived if r.status in (Status.ERROR, Status.OUT_OF_MEMORY)]
        if len(self._arrived) < wanted:
            done = f"{len(self._arrived)} of {plural(wanted, 'variant')} finished"
            self._session.notice(Notice(Severity.INFO, f"Run cancelled: {done}. Earlier results are kept."))
        elif failed:
            text = (
                failed[0].error if len(failed) == 1 else f"{len(failed)} of {plural(wanted, 'variant')} could not run."
            )
            details = "\n\n".join(f"{r.variant.id}: {r.error.removeprefix(f'{r.variant.id}: ')}" for r in failed)
            self._session.notice(Notice(Severity.WARNING, text, details))

    def _drop_stale_work(self) -> None:
        """Results of another graph or source would be wrong answers: stop making them."""
        if self._question != (self._session.graph, self._session.source):
            self._say_why_stopped()
            self._gathered.clear()
            self._jobs.drop("solve")
            self._jobs.drop("trace")

    def _say_why_stopped(self) -> None:
        graph, source = self._question
        if self._jobs.running("solve") and graph is self._session.graph and graph is not None and source is not None:
            words = f"The run was stopped: the source has moved away from {int(graph.ids[source])}."
            self._session.notice(Notice(Severity.INFO, f"{words} Run again for the new one."))

    # -- watched runs ------------------------------------------------------------------------------------------------

    def trace_selected(self) -> None:
        """Run the selected variant once more, watched, and load its trace."""
        if self._session.selected is not None:
            self.trace(self._session.selected)

    def trace(self, result: Result) -> None:
        """Run a result's variant once more, watched; nothing while a timed run goes on."""
        if self._jobs.running("solve"):
            return
        self._watched = result
        device = self._session.device if result.variant.runs_on.takes_device else None
        choices = (Choice(result.variant, result.parameters),)
        request = RunRequest(
            result.graph, result.source, result.target, choices, device, trials=1, warmup=0, trace=True, verify=False
        )
        self._start("trace", f"Tracing {result.variant.title}", request, "Tracing", on_value=self._take_trace)

    def _take_trace(self, result: Result) -> None:
        if result.trace is not None:
            self._session.attach_trace(result.variant.id, result.trace)
        elif result.status is not Status.CANCELLED:
            self._session.notice(Notice(Severity.WARNING, f"{result.variant.title} was not traced: {result.error}"))

    def _show_selected(self) -> None:
        result = self._session.selected
        self._playback.load(result.trace if result is not None else None)
        self._trace_if_cheap()

    def _trace_if_cheap(self) -> None:
        """Trace the selected result unasked, once, where the user will hardly notice."""
        result = self._session.selected
        if result is None or result.trace is not None or result is self._watched or self._jobs.running("solve"):
            return
        if cheap_to_trace(result):
            self.trace_selected()

    # -- both --------------------------------------------------------------------------------------------------------

    def _start(
        self,
        kind: str,
        title: str,
        request: RunRequest,
        verb: str,
        *,
        on_value: Callable[[Result], None],
        on_end: Callable[[], None] | None = None,
    ) -> None:
        earlier = self._latest

        def work(context: JobContext) -> Iterator[Result]:
            while earlier is not None and not earlier.wait(_POLL_S):  # nothing may run beside a timed trial
                context.cancel.raise_if_cancelled()
            yield from run(request, cancel=context.cancel, on_progress=_reporter(context, verb))

        def ended(_: object = None) -> None:
            if on_end is not None:
                on_end()

        self._question = (request.graph, request.source)
        self._latest = self._jobs.start(
            kind,
            title,
            work,
            on_value=on_value,
            on_success=ended,
            on_cancel=ended,
            on_failure=lambda error: self._session.notice(Notice.of(error)),
        )


def cheap_to_trace(result: Result) -> bool:
    """Whether a watched run may start unasked: a small graph, solved well and quickly."""
    median = result.median()
    if not result.ok or median is None or median > _SMALL_TIME_MS:
        return False
    if result.variant.answers is Answers.APSP:
        return result.graph.n <= _SMALL_MATRIX
    return result.graph.n + result.graph.m < _SMALL_GRAPH


def _reporter(context: JobContext, verb: str) -> Callable[[Progress], None]:
    def report(progress: Progress) -> None:
        context.progress(progress.fraction, f"{verb} {progress.variant.title}, {progress.stage}")

    return report
