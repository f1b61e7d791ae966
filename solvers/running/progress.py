"""Progress of a run: the current stage as text, and the fraction done."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Sequence
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
    shares : sequence of float
        Length of each stage of a variant, in any unit.
    report : callable(Progress)
    """

    def __init__(
        self,
        variant: Variant,
        position: int,
        variants: int,
        shares: Sequence[float],
        report: Callable[[Progress], None],
    ):
        self._variant = variant
        self._send = report
        self._start, self._end = position / variants, (position + 1) / variants
        whole = sum(shares)
        self._bounds = [self._start + done / whole / variants for done in itertools.accumulate(shares, initial=0.0)]
        self._entered = -1
        self._words = ""
        self._span = (0.0, 1.0)
        self._last = -math.inf

    def stage(self, words: str) -> None:
        """Begin the next stage."""
        self._words = words
        self._entered += 1
        self._span = (0.0, 1.0)
        self._report(0.0)

    def part(self, words: str, begin: float, end: float) -> None:
        """Begin a part of this stage, from fraction ``begin`` to ``end``; reported at most every 50 ms."""
        self._words = words
        self._span = (begin, end)
        self.within(0.0, 1.0)

    def within(self, done: float, total: float) -> None:
        """Set the progress in this part; reported at most every 50 ms, which keeps the cost in timed runs low."""
        if time.perf_counter() - self._last >= PROGRESS_INTERVAL_S:
            self._report(min(1.0, done / total))

    def finished(self) -> None:
        """Report that the variant has ended, successfully or not."""
        self._send(Progress(self._variant, "finished", self._end))

    def _report(self, fraction: float) -> None:
        self._last = time.perf_counter()
        begin, end = self._bounds[self._entered : self._entered + 2]
        low, high = self._span
        place = begin + (low + fraction * (high - low)) * (end - begin)
        self._send(Progress(self._variant, self._words, min(1.0, place)))
