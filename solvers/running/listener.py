"""What a run tells its caller while it is under way."""

from __future__ import annotations

from solvers.contracts.catalog import Variant
from solvers.contracts.results import Trial
from solvers.running.progress import Progress


class RunListener:
    """Receives the events of a run; every method does nothing here.

    All are called in the thread that advances the run, between solves, except ``progress``.
    """

    def measuring_begins(self, variant: Variant) -> None:
        """Called before the first warm-up; may block until nothing else works on this machine for this program.

        It may raise `Cancelled`.
        """

    def measuring_ends(self, variant: Variant) -> None:
        """Called after the last trial, also if the variant failed or was cancelled or skipped."""

    def trial_begins(self, variant: Variant, stage: str) -> None:
        """Called before each warm-up and trial; may block. ``stage`` names it for display: "trial 3 of 5"."""

    def trial_finished(self, variant: Variant, trial: Trial) -> None:
        """Called after each warm-up and trial that ended well."""

    def progress(self, progress: Progress) -> None:
        """Called for every stage and, also from inside a solve, at most every 50 ms."""


class RunListeners(RunListener):
    """Passes every event on to several listeners, in order."""

    def __init__(self, *listeners: RunListener):
        self._listeners = listeners

    def measuring_begins(self, variant: Variant) -> None:
        for listener in self._listeners:
            listener.measuring_begins(variant)

    def measuring_ends(self, variant: Variant) -> None:
        for listener in self._listeners:
            listener.measuring_ends(variant)

    def trial_begins(self, variant: Variant, stage: str) -> None:
        for listener in self._listeners:
            listener.trial_begins(variant, stage)

    def trial_finished(self, variant: Variant, trial: Trial) -> None:
        for listener in self._listeners:
            listener.trial_finished(variant, trial)

    def progress(self, progress: Progress) -> None:
        for listener in self._listeners:
            listener.progress(progress)
