"""How long the next run, the rest of this run, and the rest of a job will take.

The next run: an estimate from earlier results, or from a model of each algorithm. This
run: from the trials made so far, and from estimates for the variants that wait. A job:
from the progress that it has made since it was first seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.model.session import Session
from solvers.core.result import Trial
from solvers.running.request import MeasurementPlan

if TYPE_CHECKING:  # imported when something can be run
    from solvers.running.estimate import EarlierTime, RunEstimate


class Forecast(QObject):
    """Expected time of what Run would run."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None):
        super().__init__(parent)
        self._session = session
        self._kept: tuple[EarlierTime, ...] = ()
        self._estimate: RunEstimate | None = None
        self._is_known = False
        self._question: tuple[object, ...] | None = None  # that the estimate answers
        for signal in (
            session.graph_changed,
            session.endpoints_changed,
            session.choices.changed,
            session.device_changed,
            session.results.changed,
            session.choices.plan_changed,
        ):
            signal.connect(self._forget)

    def use(self, kept: Iterable[EarlierTime]) -> None:
        """Also take account of times of earlier sessions on this machine."""
        self._kept = tuple(kept)
        self._forget()

    @property
    def estimate(self) -> RunEstimate | None:
        """None if nothing would run."""
        if not self._is_known:
            self._estimate_again()
            self._is_known = True
        return self._estimate

    def _estimate_again(self) -> None:
        """Estimate, unless only the end points differ from those of the last estimate."""
        request = self._session.request()
        if request is None:
            self._estimate, self._question = None, None
            return
        from solvers.running.estimate import estimate_run

        times = self._own_times()
        question = (request.graph, request.choices, request.device, request.plan, times, self._kept)
        if question != self._question:
            self._estimate, self._question = estimate_run(request, [*times, *self._kept]), question

    def _own_times(self) -> list[EarlierTime]:
        from solvers.running.estimate import EarlierTime

        times = (EarlierTime.of(result) for result in self._session.results.all)
        return [time for time in times if time is not None]

    def _forget(self) -> None:
        self._is_known = False
        self.changed.emit()


class RemainingTime:
    """Follows one run; ``estimates`` are expected seconds by variant id, and variants
    without one count nothing.
    """

    def __init__(self, plan: MeasurementPlan, estimates: Mapping[str, float]):
        self._plan, self._estimates = plan, estimates
        self._variant_id, self._began = "", 0.0

    def begin(self, variant_id: str, now: float) -> None:
        """A variant begins at the time ``now``, in seconds of any clock."""
        self._variant_id, self._began = variant_id, now

    def end(self, trials: Sequence[Trial], queued: Sequence[str], now: float) -> float:
        """When the run ends, by the same clock."""
        return (
            now
            + self._of_current(trials, now)
            + sum(self._estimates.get(variant_id, 0.0) for variant_id in queued)
        )

    def _of_current(self, trials: Sequence[Trial], now: float) -> float:
        elapsed = now - self._began
        timed = sum(not trial.is_warmup for trial in trials)
        if self._plan.trials is None or not timed:
            return max(0.0, self._estimates.get(self._variant_id, 0.0) - elapsed)
        left = elapsed / len(trials) * (self._plan.trials - timed)
        return max(0.0, min(left, self._plan.limit_s - elapsed))


_LEAST_S, _LEAST_SHARE = 1.0, 0.005  # of progress, before which a rate means little


class TimeLeft:
    """Follows one stage of a job, which may begin at any fraction, as a resumed one does."""

    def __init__(self) -> None:
        self._first: tuple[float, float] | None = None

    def seconds(self, fraction: float, now: float) -> float | None:
        """Expected seconds until the fraction is 1; None while too little is known."""
        if self._first is None:
            self._first = now, fraction
        elapsed, done = now - self._first[0], fraction - self._first[1]
        if elapsed < _LEAST_S or done < _LEAST_SHARE:
            return None
        return elapsed / done * (1.0 - fraction)
