"""Time until a run ends: from the trials made so far, and from estimates for the variants that wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from solvers.core.result import Trial
from solvers.running.request import MeasurementPlan


class RemainingTime:
    """Follows one run.

    Parameters
    ----------
    plan : MeasurementPlan
    estimates : mapping of str to float
        Expected seconds by variant id; variants without one count nothing.
    """

    def __init__(self, plan: MeasurementPlan, estimates: Mapping[str, float]):
        self._plan, self._estimates = plan, estimates
        self._variant_id, self._began = "", 0.0

    def begin(self, variant_id: str, now: float) -> None:
        """A variant begins at the time ``now``, in seconds of any clock."""
        self._variant_id, self._began = variant_id, now

    def end(self, trials: Sequence[Trial], queued: Sequence[str], now: float) -> float:
        """When the run ends, by the same clock.

        Parameters
        ----------
        trials : sequence of Trial
            Those made of the current variant.
        queued : sequence of str
            Ids of the variants that wait.
        """
        return now + self._of_current(trials, now) + sum(self._estimates.get(variant_id, 0.0) for variant_id in queued)

    def _of_current(self, trials: Sequence[Trial], now: float) -> float:
        elapsed = now - self._began
        timed = sum(not trial.is_warmup for trial in trials)
        if self._plan.trials is None or not timed:
            return max(0.0, self._estimates.get(self._variant_id, 0.0) - elapsed)
        left = elapsed / len(trials) * (self._plan.trials - timed)
        return max(0.0, min(left, self._plan.limit_s - elapsed))
