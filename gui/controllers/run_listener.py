"""Reports a timed run to the window between its trials, and keeps the window quiet while it measures."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Protocol

from gui.model.jobs import JobContext
from gui.model.quiet import Quiet
from gui.model.window_turn import WindowTurn
from solvers.core.result import Trial
from solvers.core.variant import Variant
from solvers.running.request import Progress, RunListener

# Drawing between two trials leaves the caches cold for the next one. Of short trials therefore few follow a drawing,
# and the window works for a small share of the time only.
SHOW_TRIALS_S = 0.25
SHOW_TRIALS_SHARE = 0.04
# Within a long trial the window shows progress this often. Its thread works for about a millisecond each time.
SHOW_PROGRESS_S = 1.0


class RunWatcher(Protocol):
    """Follows a timed run in the window's thread, while the run waits."""

    def variant_begins(self, variant: Variant) -> None:
        """Before the first warm-up."""

    def trials_made(self, variant: Variant, trials: tuple[Trial, ...]) -> None:
        """Before the first trial, and between two at most four times a second; ``trials`` are all so far."""

    def measuring_ends(self, variant: Variant, trials: tuple[Trial, ...]) -> None:
        """After the last trial of a variant; the run goes on meanwhile."""


class ProgressListener(RunListener):
    """Reports the progress of a run as that of its job.

    Parameters
    ----------
    context : JobContext
    verb : str
        Text before a variant's title.
    """

    def __init__(self, context: JobContext, verb: str):
        self._context, self._verb = context, verb

    def progress(self, progress: Progress) -> None:
        self._report(progress.fraction, progress.variant, progress.stage)

    def _report(self, fraction: float, variant: Variant, stage: str) -> None:
        self._context.progress(fraction, f"{self._verb} {variant.full_title}, {stage}")


class MeasuringListener(ProgressListener):
    """Also closes the gate for background work while trials run, and tells ``watcher`` of them.

    Parameters
    ----------
    context, verb
        As for `ProgressListener`.
    quiet : Quiet
    turn : WindowTurn
    watcher : RunWatcher
    clock : callable() -> float
        Seconds.
    """

    def __init__(
        self,
        context: JobContext,
        verb: str,
        quiet: Quiet,
        turn: WindowTurn,
        watcher: RunWatcher,
        clock: Callable[[], float] = time.monotonic,
    ):
        super().__init__(context, verb)
        self._quiet, self._turn, self._watcher, self._clock = quiet, turn, watcher, clock
        self._trials: list[Trial] = []
        self._fraction = 0.0
        self._shown = self._reported = -math.inf
        self._due = -math.inf  # when trials may be shown again

    def measuring_begins(self, variant: Variant) -> None:
        self._trials.clear()
        self._quiet.begin(lambda: self._context.cancel.cancelled)
        self._turn.take(partial(self._watcher.variant_begins, variant), self._context.cancel)
        self._due = -math.inf

    def trial_begins(self, variant: Variant, stage: str) -> None:
        began = self._clock()
        if began >= self._due:
            self._report(self._fraction, variant, stage)
            self._turn.take(partial(self._watcher.trials_made, variant, tuple(self._trials)), self._context.cancel)
            self._shown = self._clock()
            self._due = self._shown + max(SHOW_TRIALS_S, (self._shown - began) / SHOW_TRIALS_SHARE)

    def trial_finished(self, variant: Variant, trial: Trial) -> None:
        self._trials.append(trial)

    def measuring_ends(self, variant: Variant) -> None:
        self._quiet.end()
        self._turn.later(partial(self._watcher.measuring_ends, variant, tuple(self._trials)))

    def progress(self, progress: Progress) -> None:
        self._fraction = progress.fraction
        if not self._quiet.measuring or self._clock() - max(self._shown, self._reported) >= SHOW_PROGRESS_S:
            super().progress(progress)
            self._reported = self._clock()
