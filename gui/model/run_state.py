"""The run in progress, and what tells runs apart. No widgets."""

from __future__ import annotations

from dataclasses import dataclass

from solvers.core.result import Result, Trial


@dataclass(frozen=True)
class RunKey:
    """Identifies one variant in one run; all variants that ran together share ``run_id``.

    When the target moves, every result is replaced by a copy with another path; its key
    stays the same.
    """

    run_id: str
    variant_id: str

    @classmethod
    def of(cls, result: Result) -> RunKey:
        return cls(result.run_id, result.variant.id)


@dataclass(frozen=True)
class RunState:
    """How far the run in progress has come."""

    queued: tuple[str, ...] = ()  # ids of the variants that have not begun, in order
    running_variant: str | None = None  # id of the variant being run; None between runs
    # its finished ones, warm-ups included; short ones arrive several at a time
    live_trials: tuple[Trial, ...] = ()
    expected_end: float | None = None  # in seconds of ``time.monotonic``; None if unknown


IDLE = RunState()
