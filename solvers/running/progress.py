"""Progress of a run: the current stage as text, and the fraction done."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from solvers.contracts.catalog import Variant

PROGRESS_INTERVAL_S = 0.05


@dataclass(frozen=True)
class Progress:
    """Progress of a run.

    Attributes
    ----------
    variant : Variant
        The variant being run.
    stage : str
        For display: "trial 3 of 5".
    fraction : float
        Of the whole run, 0 to 1.
    """

    variant: Variant
    stage: str
    fraction: float


class Meter:
    """Converts the stage of one variant, and the progress in it, into the progress of the whole run.

    Parameters
    ----------
    variant : Variant
    position, variants : int
        Position of the variant in the run, and number of variants.
    stages : int
        Number of stages per variant.
    on_progress : callable(Progress) or None
    """

    def __init__(
        self,
        variant: Variant,
        position: int,
        variants: int,
        stages: int,
        on_progress: Callable[[Progress], None] | None,
    ):
        self._variant = variant
        self._on_progress = on_progress
        self._share = 1 / variants
        self._start = position * self._share
        self._stage_share = self._share / stages
        self._entered = 0
        self._words = ""
        self._last = 0.0

    def stage(self, words: str) -> None:
        """Begin the next stage."""
        self._words = words
        self._entered += 1
        self._report(0.0)

    def within(self, done: float, total: float) -> None:
        """Set the progress in this stage; reported at most every 50 ms, which keeps the cost in timed runs low."""
        if time.perf_counter() - self._last >= PROGRESS_INTERVAL_S:
            self._report(min(1.0, done / total))

    def finished(self) -> None:
        """Report that the variant has ended, successfully or not."""
        if self._on_progress is not None:
            self._on_progress(Progress(self._variant, "finished", min(1.0, self._start + self._share)))

    def _report(self, part: float) -> None:
        self._last = time.perf_counter()
        if self._on_progress is not None:
            fraction = self._start + (self._entered - 1 + part) * self._stage_share
            self._on_progress(Progress(self._variant, self._words, min(1.0, fraction)))
