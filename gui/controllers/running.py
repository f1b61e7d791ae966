"""Runs variants in jobs over ``solvers.running.run``; trials and results reach the session one by one."""

from __future__ import annotations

import time
from dataclasses import replace

from PySide6.QtCore import QObject

from gui.controllers.run_jobs import RunJobs
from gui.model.forecast import Forecast
from gui.model.jobs import Jobs
from gui.model.notice import Notice, Severity
from gui.model.remaining import RemainingTime
from gui.model.run_list import RunList
from gui.model.run_state import IDLE, RunState
from gui.model.session import Session
from gui.shell.commands import CANCELLABLE, MEASURING
from solvers.core.result import Result, Status, Trial
from solvers.core.variant import Variant
from solvers.graphs.graph import Graph
from solvers.running.request import ADAPTIVE, MeasurementPlan
from solvers.text import plural

_NO_ANSWER = (Status.ERROR, Status.OUT_OF_MEMORY, Status.NOT_APPLICABLE)


class Running(QObject):
    """Starts and stops timed runs, and follows them as a `RunWatcher`.

    Parameters
    ----------
    session, forecast, jobs, run_jobs
    run_list : RunList
        Keeps the runs.
    """

    def __init__(
        self,
        session: Session,
        forecast: Forecast,
        jobs: Jobs,
        run_jobs: RunJobs,
        run_list: RunList,
        parent: QObject | None = None,
    ):
        super().__init__(parent)
        self._session, self._forecast, self._jobs = session, forecast, jobs
        self._run_jobs, self._run_list = run_jobs, run_list
        self._question: tuple[Graph | None, int | None] = (None, None)
        self._arrived: list[Result] = []
        self._gathered: list[Result] = []  # arrived, not shown yet
        self._had_results = False
        self._remaining = RemainingTime(ADAPTIVE, {})
        session.graph_changed.connect(self._drop_stale_work)
        session.endpoints_changed.connect(self._drop_stale_work)

    def cancel(self) -> None:
        """Cancel the run or, without one, tracing, reading or writing."""
        for kind in CANCELLABLE:
            if self._jobs.running(kind):
                self._jobs.cancel(kind)
                return

    def skip(self) -> None:
        """End only the variant being run; its trials so far are kept, and the next one begins."""
        if (job := self._jobs.running("solve")) is not None:
            job.skip()

    def run(self, name: str = "", plan: MeasurementPlan | None = None) -> None:
        """Run all ticked variants; results reach the session one by one, and the kept run has ``name``.

        ``plan`` is used in place of the session's.
        """
        request = self._session.request()
        if request is None or any(self._jobs.running(kind) for kind in MEASURING):
            return
        if plan is not None:
            request = replace(request, plan=plan)
        choices = request.choices
        self._arrived.clear()
        self._had_results = bool(self._session.results)
        estimate = self._forecast.estimate
        expected = {} if estimate is None else {e.variant_id: e.seconds for e in estimate.variants}
        self._remaining = RemainingTime(request.plan, expected)
        title = f"Solving {plural(len(choices), 'variant')}"
        self._question = (request.graph, request.source)
        self._run_jobs.start(
            "solve", title, request, "Solving", on_value=self._take, on_end=lambda: self._sum_up(len(choices)),
            on_failure=self._fail, watcher=self, recorder=self._run_list.recorder(request, name),
        )  # fmt: skip
        self._session.set_run_state(RunState(tuple(choice.variant.id for choice in choices)))

    # -- following the run -------------------------------------------------------------------------------------------

    def variant_begins(self, variant: Variant) -> None:
        """Show the results so far, and hold everything in the window that works by itself."""
        self._remaining.begin(variant.id, time.monotonic())
        self._hand_over(self._state(variant))
        self._jobs.measuring_changed.emit(True)

    def trials_made(self, variant: Variant, trials: tuple[Trial, ...]) -> None:
        self._show_state(variant, trials)

    def measuring_ends(self, variant: Variant, trials: tuple[Trial, ...]) -> None:
        self._show_state(variant, trials)
        self._jobs.measuring_changed.emit(False)

    def _show_state(self, variant: Variant, trials: tuple[Trial, ...] = ()) -> None:
        if (state := self._state(variant, trials)) is not None:
            self._session.set_run_state(state)

    def _state(self, variant: Variant, trials: tuple[Trial, ...] = ()) -> RunState | None:
        """The run's state with these trials of a variant; None if there is no run any more."""
        if not self._jobs.running("solve"):  # dropped while its job was waiting for this thread
            return None
        left = self._session.run_state.queued
        if variant.id in left:
            left = left[left.index(variant.id) + 1 :]
        end = self._remaining.end(trials, left, time.monotonic())
        return RunState(left, variant.id, trials, end)

    def _take(self, result: Result) -> None:
        """Keep a result until the window may show it: before the next variant is measured, or after the run."""
        if result.status is Status.CANCELLED:
            return
        self._arrived.append(result)
        earlier = self._session.result(result.variant.id)
        if result.status is not Status.SKIPPED or earlier is None or not earlier.ok:
            self._gathered.append(result)

    def _hand_over(self, state: RunState | None) -> None:
        """Show the results so far, and the state of the run."""
        gathered, self._gathered = self._gathered, []
        self._session.add_results(gathered, state)

    def _sum_up(self, wanted: int) -> None:
        """Notify of a cancelled run or of variants that could not run."""
        self._hand_over(IDLE)
        failed = [r for r in self._arrived if r.status in _NO_ANSWER]
        if len(self._arrived) < wanted:
            done = f"{len(self._arrived)} of {plural(wanted, 'variant')} finished"
            kept = " Earlier results are kept." if self._had_results else ""
            self._session.notice(Notice(Severity.INFO, f"Run cancelled: {done}.{kept}"))
        elif failed:
            text = (
                failed[0].error if len(failed) == 1 else f"{len(failed)} of {plural(wanted, 'variant')} could not run."
            )
            details = "\n\n".join(f"{r.variant.id}: {r.error.removeprefix(f'{r.variant.id}: ')}" for r in failed)
            report = next((r.report for r in failed if r.report), "")
            self._session.notice(Notice(Severity.WARNING, text, details, report=report))

    def _drop_stale_work(self) -> None:
        """Cancel the run if graph or source have changed, which makes its results invalid."""
        if self._question != (self._session.graph, self._session.source):
            self._say_why_stopped()
            self._gathered.clear()
            self._jobs.drop("solve")
            self._session.set_run_state(IDLE)

    def _fail(self, error: Exception) -> None:
        self._session.set_run_state(IDLE)
        self._session.notice_error(error)

    def _say_why_stopped(self) -> None:
        graph, source = self._question
        if self._jobs.running("solve") and graph is self._session.graph and graph is not None and source is not None:
            words = f"The run was stopped: the source is no longer {graph.vertex_label(source)}."
            self._session.notice(Notice(Severity.INFO, f"{words} Run again for the new source."))
