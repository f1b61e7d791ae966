"""Runs variants in jobs over ``solvers.running.run``; trials and results reach the session
one by one.

Timed and traced runs are started one after the other, since nothing may run during a
timed trial. A timed run is reported to the window between its trials, and the window is
kept quiet while it measures.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from gui.model.forecast import Forecast, RemainingTime
from gui.model.jobs import Job, JobContext, JobKind, Jobs
from gui.model.notice import Notice, Severity
from gui.model.run_state import IDLE, RunState
from gui.model.session import Session
from solvers.core.requirements import require_vertices
from solvers.core.result import Result, Status, Trial
from solvers.core.variant import Variant
from solvers.graphs.graph import Graph
from solvers.running.request import (
    ADAPTIVE,
    MeasurementPlan,
    RunFollower,
    RunListener,
    RunListeners,
    RunProgress,
    RunRequest,
)
from solvers.system.cancel import CancelToken
from solvers.text import plural

_NO_ANSWER = (Status.ERROR, Status.OUT_OF_MEMORY, Status.NOT_APPLICABLE)

# Drawing between two trials leaves the caches cold for the next one. Short trials are
# therefore rarely disturbed by a redraw, and the window takes a small share of the time.
SHOW_TRIALS_S = 0.25
SHOW_TRIALS_SHARE = 0.04
# Within a long trial the window shows progress this often. Its thread works for about a
# millisecond each time.
SHOW_PROGRESS_S = 1.0


class RunController(QObject):
    """Starts and stops timed runs, and follows them as a `RunWatcher`."""

    succeeded = Signal()  # all variants have answered, and their results are shown

    def __init__(
        self,
        session: Session,
        forecast: Forecast,
        jobs: Jobs,
        run_jobs: RunJobs,
        parent: QObject,
    ):
        super().__init__(parent)
        self._session, self._forecast, self._jobs = session, forecast, jobs
        self._run_jobs = run_jobs
        self._question: tuple[Graph | None, int | None] = (None, None)
        self._arrived: list[Result] = []
        self._gathered: list[Result] = []  # arrived, not shown yet
        self._had_results = False
        # of the variant that was being run when the run was cancelled
        self._stopped: Result | None = None
        self._said: Notice | None = None
        self._remaining = RemainingTime(ADAPTIVE, {})
        # asked when the user runs what is ticked; True says that this one goes on by itself
        self.before: list[Callable[[], bool]] = []
        # what hears of a run with that id and name; None for nothing
        self.followers: list[Callable[[RunRequest, str, str], RunFollower | None]] = []
        session.graph_changed.connect(self._drop_stale_work)
        session.endpoints_changed.connect(self._drop_stale_work)

    def cancel(self) -> None:
        """Cancel the run or, without one, tracing, reading or writing."""
        running = (kind for kind in JobKind if kind.cancellable and self._jobs.running(kind))
        if (kind := next(running, None)) is not None:
            self._jobs.cancel(kind)

    def skip(self) -> None:
        """End only the variant being run; its trials so far are kept, and the next one begins."""
        if (job := self._jobs.running(JobKind.SOLVE)) is not None:
            job.skip()

    def ask(self) -> None:
        """Run all ticked variants, unless something is to be done before."""
        if not any(comes_first() for comes_first in self.before):
            self.start()

    def start(self, name: str = "", plan: MeasurementPlan | None = None) -> None:
        """Run all ticked variants; results reach the session one by one, and followers are
        told the ``name``.

        ``plan`` is used in place of the session's.
        """
        request = self._session.request()
        if request is None:
            self._refuse()
            return
        if self._jobs.measures:
            return
        if plan is not None:
            request = replace(request, plan=plan)
        choices = request.choices
        self._arrived.clear()
        self._stopped = None
        if self._said is not None:  # it is about an earlier run
            self._session.withdraw(self._said)
        self._had_results = bool(self._session.results.all)
        estimate = self._forecast.estimate
        expected = {} if estimate is None else {e.variant_id: e.seconds for e in estimate.variants}
        self._remaining = RemainingTime(request.plan, expected)
        title = f"Solving {plural(len(choices), 'variant')}"
        self._question = (request.graph, request.source)
        from solvers.running.run import new_run_id

        run_id = new_run_id()
        told = (of_run(request, run_id, name) for of_run in self.followers)
        followers = [one for one in told if one is not None]
        self._run_jobs.start(
            JobKind.SOLVE,
            title,
            request,
            "Solving",
            on_value=self._take,
            on_end=lambda: self._sum_up(len(choices), followers),
            on_failure=self._fail,
            watcher=self,
            run_id=run_id,
            followers=followers,
        )
        self._session.results.set_run_state(
            RunState(tuple(choice.variant.id for choice in choices))
        )

    def _refuse(self) -> None:
        """Say why a graph without vertices is not run."""
        if (graph := self._session.graph) is not None:
            with self._session.reporting_errors():
                require_vertices(graph)

    def variant_begins(self, variant: Variant) -> None:
        """Show the results so far."""
        self._remaining.begin(variant.id, time.monotonic())
        self._hand_over(self._state(variant))

    @property
    def wants_answer(self) -> bool:
        return self._session.results.selected is None

    def answer_found(self, result: Result) -> None:
        if self._jobs.running(JobKind.SOLVE) and result.ok:
            self._session.results.add([result])

    def trials_made(self, variant: Variant, trials: tuple[Trial, ...]) -> None:
        self._show_state(variant, trials)

    def measuring_ends(self, variant: Variant, trials: tuple[Trial, ...]) -> None:
        self._show_state(variant, trials)

    def _show_state(self, variant: Variant, trials: tuple[Trial, ...] = ()) -> None:
        if (state := self._state(variant, trials)) is not None:
            self._session.results.set_run_state(state)

    def _state(self, variant: Variant, trials: tuple[Trial, ...] = ()) -> RunState | None:
        """The run's state with these trials of a variant; None if there is no run any more."""
        if not self._jobs.running(
            JobKind.SOLVE
        ):  # dropped while its job was waiting for this thread
            return None
        left = self._session.results.run_state.queued
        if variant.id in left:
            left = left[left.index(variant.id) + 1 :]
        end = self._remaining.end(trials, left, time.monotonic())
        return RunState(left, variant.id, trials, end)

    def _take(self, result: Result) -> None:
        """Keep a result until the window may show it: before the next variant is
        measured, or after the run.
        """
        if result.status is Status.CANCELLED:
            if not result.times():
                return
            self._stopped = result
        else:
            self._arrived.append(result)
        earlier = self._session.results.get(result.variant.id)
        ended_early = result.status in (Status.SKIPPED, Status.CANCELLED)
        if ended_early and earlier is not None and earlier.ok:
            if earlier.run_id != result.run_id:
                return
            # for the first answer, which stays
            proved = ("distances", "predecessors", "path", "verdict")
            result = replace(result, **{name: getattr(earlier, name) for name in proved})
        self._gathered.append(result)

    def _hand_over(self, state: RunState | None) -> None:
        """Show the results so far, and the state of the run."""
        gathered, self._gathered = self._gathered, []
        self._session.results.add(gathered, state)

    def _sum_up(self, wanted: int, followers: Sequence[RunFollower]) -> None:
        """Notify of a cancelled run or of variants that could not run."""
        self._hand_over(IDLE)
        failed = [r for r in self._arrived if r.status in _NO_ANSWER]
        if len(self._arrived) < wanted:
            done = f"{len(self._arrived)} of {plural(wanted, 'variant')} finished"
            kept = " Earlier results are kept." if self._had_results else ""
            is_kept = any(one.keeps_trials for one in followers)
            trials = "" if self._stopped is None else self._where_trials_are(self._stopped, is_kept)
            self._say(Notice(Severity.INFO, f"Run cancelled: {done}.{trials}{kept}"))
        elif failed:
            text = (
                failed[0].error
                if len(failed) == 1
                else f"{len(failed)} of {plural(wanted, 'variant')} could not run."
            )
            details = "\n\n".join(
                f"{r.variant.id}: {r.error.removeprefix(f'{r.variant.id}: ')}" for r in failed
            )
            report = next((r.report for r in failed if r.report), "")
            self._say(Notice(Severity.WARNING, text, details, report=report))
        else:
            self.succeeded.emit()

    def _where_trials_are(self, stopped: Result, is_kept: bool) -> str:
        """Of a variant that was cancelled, where the trials are seen; ``is_kept``: by Runs."""
        trials, title = plural(len(stopped.times()), "trial"), stopped.variant.full_title
        shown = self._session.results.get(stopped.variant.id)
        if shown is not None and shown.run_id == stopped.run_id:
            return f" The table shows the {trials} of {title}."
        if is_kept:
            return (
                f" The table still shows the earlier trials of {title}; Runs has the {trials}"
                " made now."
            )
        return f" The table still shows the earlier trials of {title}, not the {trials} made now."

    def _say(self, notice: Notice) -> None:
        """Notify of how the run ended; the next run takes that away."""
        self._said = notice
        self._session.notice(notice)

    def _drop_stale_work(self) -> None:
        """Cancel the run if graph or source have changed, which makes its results invalid."""
        if self._question != (self._session.graph, self._session.source):
            self._say_why_stopped()
            self._gathered.clear()
            self._jobs.drop(JobKind.SOLVE)
            self._session.results.set_run_state(IDLE)

    def _fail(self, error: Exception) -> None:
        self._session.results.set_run_state(IDLE)
        self._session.notice_error(error)

    def _say_why_stopped(self) -> None:
        (graph, source), now = self._question, self._session.graph
        if not self._jobs.running(JobKind.SOLVE) or graph is None or now is None:
            return
        text = ""
        if graph is now and source is not None:
            text = (
                f"the source is no longer {graph.vertex_label(source)}. Run again for the new one."
            )
        elif graph is not now and graph.uncut is now.uncut:
            text = "roads are cut at other end points now. Run again for those."
        elif graph is not now and graph.as_read is now.as_read:
            text = f"the graph is now {now.name}. Run again on it."
        if text:
            self._say(Notice(Severity.INFO, f"The run was stopped: {text}"))


_POLL_S = 0.05


class RunJobs:
    """Starts run jobs, each of which waits until the previous one has ended."""

    def __init__(self, jobs: Jobs):
        self._jobs = jobs
        self._latest: Job | None = None

    def start(
        self,
        kind: JobKind,
        title: str,
        request: RunRequest,
        verb: str,  # text in the card of progress before a variant's title
        *,
        on_value: Callable[[Result], None],
        on_end: Callable[[], None],  # called when all variants have run or the job was cancelled
        # called if the job itself fails; a variant's failure is a result
        on_failure: Callable[[Exception], None],
        # follows a timed run, during whose trials all other jobs wait
        watcher: RunWatcher | None = None,
        run_id: str = "",
        followers: Sequence[RunFollower] = (),
    ) -> None:
        """Run ``request`` in a job of that kind; a running job of the same kind is cancelled."""
        from solvers.running.run import followed_run

        earlier = self._latest

        def work(context: JobContext) -> Iterator[Result]:
            try:
                while earlier is not None and not earlier.wait(_POLL_S):
                    context.cancel.check()
                listener: RunListener = ProgressListener(context, verb)
                if watcher is not None:
                    gate = QuietGate(self._jobs, context.cancel, watcher)
                    listener = RunListeners(
                        gate, MeasuringListener(context, verb, self._jobs, watcher)
                    )
                yield from followed_run(request, run_id, followers, listener, context.cancel)
            finally:
                for one in followers:
                    one.close()

        self._latest = self._jobs.start(
            kind,
            title,
            work,
            on_value=on_value,
            on_success=lambda _: on_end(),
            on_cancel=on_end,
            on_failure=on_failure,
        )


class RunWatcher(Protocol):
    """Follows a timed run in the window's thread, while the run waits."""

    def variant_begins(self, variant: Variant) -> None:
        """Before the first warm-up."""

    @property
    def wants_answer(self) -> bool:
        """Whether nothing is shown that a first answer would replace; asked in the run's thread."""

    def answer_found(self, result: Result) -> None:
        """Between two trials; the next comes when that is painted, and the picture drawn."""

    def trials_made(self, variant: Variant, trials: tuple[Trial, ...]) -> None:
        """Before the first trial, and between two at most four times a second;
        ``trials`` are all so far.
        """

    def measuring_ends(self, variant: Variant, trials: tuple[Trial, ...]) -> None:
        """After the last trial of a variant, if it is time to show trials; the run goes on
        meanwhile.
        """


class ProgressListener(RunListener):
    """Reports the progress of a run as that of its job, with ``verb`` before a variant's title."""

    def __init__(self, context: JobContext, verb: str):
        self._context, self._verb = context, verb

    def progress(self, progress: RunProgress) -> None:
        self._report(progress.fraction, progress.variant, progress.stage)

    def _report(self, fraction: float, variant: Variant, stage: str) -> None:
        self._context.progress(fraction, f"{self._verb} {variant.full_title}, {stage}")


class QuietGate(RunListener):
    """Has everything else in the window wait from a variant's first warm-up to its last trial.

    The ``watcher`` is told of each variant and of the first answer; measuring goes on
    when that is painted, and the picture drawn.
    """

    def __init__(self, jobs: Jobs, cancel: CancelToken, watcher: RunWatcher | None = None):
        self._quiet, self._window, self._cancel, self._watcher = (
            jobs.quiet,
            jobs.window,
            cancel,
            watcher,
        )
        self._measurement = ExitStack()

    def measuring_begins(self, variant: Variant) -> None:
        self._measure_after(
            None if self._watcher is None else partial(self._watcher.variant_begins, variant)
        )

    def answer_found(self, variant: Variant, judge: Callable[[], Result]) -> None:
        if self._watcher is not None and self._watcher.wants_answer:
            self._measurement.close()
            self._measure_after(partial(self._watcher.answer_found, judge()))

    def _measure_after(self, act: Callable[[], object] | None) -> None:
        # first, for the picture would wait as well
        self._window.call(act or (lambda: None), self._cancel)
        self._measurement.enter_context(self._quiet.measuring(lambda: self._cancel.cancelled))
        self._window.call(lambda: None, self._cancel)

    def measuring_ends(self, variant: Variant) -> None:
        self._measurement.close()


class MeasuringListener(ProgressListener):
    """Also tells ``watcher`` of the trials."""

    def __init__(
        self,
        context: JobContext,
        verb: str,
        jobs: Jobs,
        watcher: RunWatcher,
        clock: Callable[[], float] = time.monotonic,
    ):
        super().__init__(context, verb)
        self._quiet, self._window, self._watcher, self._clock = (
            jobs.quiet,
            jobs.window,
            watcher,
            clock,
        )
        self._trials: list[Trial] = []
        self._fraction = 0.0
        self._shown = self._reported = -math.inf
        self._due = -math.inf  # when trials may be shown again

    def measuring_begins(self, variant: Variant) -> None:
        self._trials.clear()
        self._due = -math.inf

    def trial_begins(self, variant: Variant, stage: str) -> None:
        began = self._clock()
        if began >= self._due:
            self._report(self._fraction, variant, stage)
            self._window.call(
                partial(self._watcher.trials_made, variant, tuple(self._trials)),
                self._context.cancel,
            )
            self._shown = self._clock()
            self._due = self._shown + max(SHOW_TRIALS_S, (self._shown - began) / SHOW_TRIALS_SHARE)

    def trial_finished(self, variant: Variant, trial: Trial) -> None:
        self._trials.append(trial)

    def measuring_ends(self, variant: Variant) -> None:
        if self._clock() >= self._due:  # else the result is shown soon enough
            self._window.post(partial(self._watcher.measuring_ends, variant, tuple(self._trials)))

    def progress(self, progress: RunProgress) -> None:
        self._fraction = progress.fraction
        if (
            not self._quiet.is_measuring
            or self._clock() - max(self._shown, self._reported) >= SHOW_PROGRESS_S
        ):
            super().progress(progress)
            self._reported = self._clock()
