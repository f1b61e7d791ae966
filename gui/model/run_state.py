"""State of the run in progress: the variant being run, its trials so far, and the variants that wait."""

from __future__ import annotations

from dataclasses import dataclass

from solvers.core.result import Trial


@dataclass(frozen=True)
class RunState:
    """State of a run.

    Attributes
    ----------
    queued : tuple of str
        Ids of the variants that have not begun, in order.
    running_variant : str or None
        Id of the variant being run; None between runs.
    live_trials : tuple of Trial
        Its finished trials, warm-ups included. While trials are short they arrive several at a time.
    expected_end : float or None
        When the run is expected to end, in seconds of ``time.monotonic``; None if that is unknown.
    """

    queued: tuple[str, ...] = ()
    running_variant: str | None = None
    live_trials: tuple[Trial, ...] = ()
    expected_end: float | None = None


IDLE = RunState()
