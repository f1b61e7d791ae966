"""Starts all traced runs: which results are traced, when, and how often."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from functools import partial

from PySide6.QtCore import QObject

# Limits for traced runs that start automatically.
from gui.canvas.area import CanvasArea
from gui.controllers.run import RunJobs
from gui.model.jobs import JobKind, Jobs
from gui.model.notice import Notice, Severity
from gui.model.playback import Playback
from gui.model.run_state import RunKey
from gui.model.session import Session
from solvers.core.availability import availability
from solvers.core.result import Result, Status
from solvers.core.variant import Answers
from solvers.devices.device import Device
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.system.cancel import CancelToken

_SMALL_GRAPH = 2_000_000  # vertices and arcs
_SMALL_MATRIX = 1024  # vertices
_SMALL_TIME_MS = 3000.0
_SMALL_WORK = 10_000_000  # arcs relaxed until a negative cycle is found
_ONE_TRIAL = MeasurementPlan(warmups=0, trials=1)


class TraceState(Enum):
    IN_PROGRESS = "in progress"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


class TraceController(QObject):
    """Starts traced runs: of the selected result if cheap, of results side by side, and
    on the user's request.

    Each run is traced once; a failed or cancelled trace is repeated only on the user's
    request. Runs are identified by their `RunKey`, which stays the same when a moved
    target replaces the results.
    """

    def __init__(
        self,
        session: Session,
        playback: Playback,
        jobs: Jobs,
        run_jobs: RunJobs,
        area: CanvasArea,
        parent: QObject,
    ):
        super().__init__(parent)
        self._session, self._playback, self._jobs, self._run_jobs = (
            session,
            playback,
            jobs,
            run_jobs,
        )
        self._area = area
        self._states: dict[RunKey, TraceState] = {}
        self._side_by_side: set[RunKey] = set()
        session.results.selection_changed.connect(self._show_selected)
        session.results.changed.connect(self._forget_replaced_runs)
        jobs.changed.connect(self._follow_jobs)
        area.split_changed.connect(self._follow_panes)

    def state(self, result: Result) -> TraceState | None:
        """State of the result's trace; None if none was started."""
        return self._states.get(RunKey.of(result))

    def trace_selected(self) -> None:
        """Trace the selected result, even if its trace failed or was cancelled; does
        nothing during a timed run.

        Cancels a trace of another result in progress.
        """
        result = self._session.results.selected
        if (
            result is not None
            and not self._jobs.running(JobKind.SOLVE)
            and not self._is_in_progress(result)
        ):
            self._start(result)

    def _trace_wanted(self) -> None:
        """Trace the selected result immediately if that is cheap, else the next of the
        results side by side.
        """
        if self._jobs.running(JobKind.SOLVE):
            return
        selected = self._session.results.selected
        if selected is not None and self._is_untried(selected) and cheap_to_trace(selected):
            self._start(selected)
        elif self._in_progress is None:
            untried = next(filter(self._is_untried, self._area.split_results()), None)
            if untried is not None:
                self._start(untried)

    def _is_untried(self, result: Result) -> bool:
        """Whether the result has no trace, none was tried, and it can run here, as a
        stored run may not.
        """
        if result.trace is not None or self.state(result) is not None:
            return False
        return (
            result.stored is None
            or availability(result.variant, result.graph, self._session.device).available
        )

    def _show_selected(self) -> None:
        result = self._session.results.selected
        self._playback.load(result.trace if result is not None else None)
        self._trace_wanted()

    def _follow_panes(self) -> None:
        """Let a cancelled trace start again when its result is newly shown side by
        side; stop one shown no more.
        """
        now = {RunKey.of(result) for result in self._area.split_results()}
        selected = self._session.results.selected
        if self._in_progress in self._side_by_side - now - (
            {RunKey.of(selected)} if selected is not None else set()
        ):
            self._stop()
        for key in now - self._side_by_side:
            if self._states.get(key) is TraceState.CANCELLED:
                del self._states[key]
        self._side_by_side = now
        self._trace_wanted()

    def _follow_jobs(self) -> None:
        if self._jobs.running(JobKind.SOLVE):
            self._stop()  # nothing else may run during a timed trial
        self._trace_wanted()

    def _forget_replaced_runs(self) -> None:
        """Forget the states of replaced or dropped results, and stop a trace of one of them."""
        kept = {RunKey.of(result) for result in self._session.results.all}
        if self._in_progress not in kept:
            self._stop()
        self._states = {key: state for key, state in self._states.items() if key in kept}

    @property
    def _in_progress(self) -> RunKey | None:
        return next(
            (key for key, state in self._states.items() if state is TraceState.IN_PROGRESS), None
        )

    def _is_in_progress(self, result: Result) -> bool:
        job = self._jobs.running(JobKind.TRACE)
        return job is not None and not job.cancelling and RunKey.of(result) == self._in_progress

    def _stop(self) -> None:
        """Cancel the trace in progress and forget that it was started."""
        key = self._in_progress
        if key is not None:
            del self._states[key]
            self._jobs.drop(JobKind.TRACE)

    def _start(self, result: Result) -> None:
        """Trace ``result``; cancels a trace in progress, which may be started again later."""
        key = RunKey.of(result)
        if (interrupted := self._in_progress) is not None:
            del self._states[interrupted]
        self._states[key] = TraceState.IN_PROGRESS
        request = _trace_request(result, self._session.device)
        self._run_jobs.start(
            JobKind.TRACE,
            f"Tracing {result.variant.title}",
            request,
            "Tracing",
            on_value=partial(self._take, key),
            on_end=partial(self._end, key),
            on_failure=partial(self._fail, key),
        )

    def _take(self, key: RunKey, watched: Result) -> None:
        if watched.trace is not None:
            self._states[key] = TraceState.DONE
            self._session.results.attach_trace(key, watched.trace)
        elif watched.status is Status.CANCELLED:
            self._states[key] = TraceState.CANCELLED
        else:
            self._states[key] = TraceState.FAILED
            self._session.notice(
                Notice(
                    Severity.WARNING,
                    f"{watched.variant.title} was not traced: {watched.error}",
                    report=watched.report,
                )
            )

    def _end(self, key: RunKey) -> None:
        if self._states.get(key) is TraceState.IN_PROGRESS:  # cancelled before it began
            self._states[key] = TraceState.CANCELLED

    def _fail(self, key: RunKey, error: Exception) -> None:
        self._states[key] = TraceState.FAILED
        self._session.notice_error(error)


def _trace_request(result: Result, device: Device | None) -> RunRequest:
    device = device if result.variant.runs_on.takes_device else None
    choices = (Choice(result.variant, result.parameters),)
    return RunRequest(
        result.graph,
        result.source,
        result.target,
        choices,
        device,
        _ONE_TRIAL,
        trace=True,
        verify=False,
    )


def with_trace(result: Result, device: Device | None, cancel: CancelToken) -> Result:
    """A result with its trace, for which it is run once more if it has none; as it is
    where that fails.
    """
    from solvers.running.run import run

    if result.trace is not None:
        return result
    watched = next(run(_trace_request(result, device), cancel=cancel))
    cancel.check()
    return replace(result, trace=watched.trace)


def cheap_to_trace(result: Result) -> bool:
    """Whether a traced run may start automatically: the graph is small, and the run ended quickly.

    A run that found a negative cycle has no times; it makes at most n passes over the
    arcs.
    """
    graph = result.graph
    if result.status is Status.NEGATIVE_CYCLE:
        return graph.n * graph.m <= _SMALL_WORK
    median = result.median()
    if not result.ok or median is None or median > _SMALL_TIME_MS:
        return False
    if result.variant.answers is Answers.APSP:
        return graph.n <= _SMALL_MATRIX
    return graph.n + graph.m < _SMALL_GRAPH
