"""How far an experiment is, and which of its lines are too slow to be measured on larger graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from solvers.experiments.forecast import PointForecast
from solvers.experiments.grid import Point

TOO_SLOW = "on a smaller graph it was stopped after its time limit"
"""Why a point is left out that `PointProgress.is_too_slow` tells."""


@dataclass(frozen=True)
class ExperimentProgress:
    """How far an experiment is.

    Attributes
    ----------
    done, total : int
        Points.
    words : str
        What runs now.
    fraction : float
        Of the expected time, 0 to 1.
    seconds_left : float
        Expected.
    """

    done: int
    total: int
    words: str
    fraction: float
    seconds_left: float


class PointProgress:
    """Counts the points of one run.

    Parameters
    ----------
    runnable : sequence of PointForecast
        All points that are to be measured.
    """

    def __init__(self, runnable: Sequence[PointForecast]):
        self._seconds = {id(one.point): one.seconds for one in runnable}
        self._left, self._total, self._done = sum(self._seconds.values()), len(runnable), 0
        self._whole = self._left or 1.0
        self._too_slow: dict[tuple[str, str], int] = {}

    def finish(self, point: Point) -> None:
        """Count a point that was measured, found in the store or left out."""
        self._done += 1
        self._left -= self._seconds.get(id(point), 0.0)

    def note_stopped(self, point: Point, vertices: int) -> None:
        """Remember that a point was stopped by its time limit on a graph of that size."""
        line = _line(point)
        self._too_slow[line] = min(vertices, self._too_slow.get(line, vertices))

    def is_too_slow(self, point: Point, vertices: int) -> bool:
        """Whether a point of the same line was stopped on a graph of this size or a smaller one."""
        limit = self._too_slow.get(_line(point))
        return limit is not None and vertices >= limit

    def now(self, words: str, at_once: int = 1) -> ExperimentProgress:
        """The progress, while ``at_once`` points are measured side by side."""
        fraction = min(1.0, max(0.0, 1 - self._left / self._whole))
        return ExperimentProgress(self._done, self._total, words, fraction, max(0.0, self._left) / max(1, at_once))


def _line(point: Point) -> tuple[str, str]:
    """What points of a series have in common that differ in the graph only."""
    return point.series.label, repr(sorted(point.parameters.items()))
