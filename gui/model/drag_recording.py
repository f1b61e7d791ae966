"""A drag in live mode as a list of end points over time, for a film. No widgets."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

MOST_STEPS = 20_000  # kept of a recording
RATE = 25.0  # steps per second of a film at the speed of the hand
_SCRIPTED = 150  # most steps of a scripted drag


@dataclass(frozen=True)
class DragStep:
    """End points at one moment, as vertex indices."""

    sources: tuple[int, ...]
    target: int | None


class DragRecording:
    """Steps with their times; repeated ones are kept once."""

    def __init__(self) -> None:
        self._steps: list[DragStep] = []
        self._times: list[float] = []

    def __len__(self) -> int:
        return len(self._steps)

    def add(self, step: DragStep, time_s: float) -> None:
        """Add a step at a time in seconds, not before the last one; past `MOST_STEPS` nothing is added."""
        if len(self._steps) < MOST_STEPS and (not self._steps or step != self._steps[-1]):
            self._steps.append(step)
            self._times.append(time_s)

    def steps(self, rate: float = RATE) -> tuple[DragStep, ...]:
        """The steps shown at even times, ``rate`` a second; pauses are shortened to one second."""
        if not self._steps:
            return ()
        gaps = [min(1.0, later - earlier) for earlier, later in pairwise(self._times)]
        times = np.concatenate(([0.0], np.cumsum(gaps)))
        frames = np.arange(0.0, times[-1] + 0.5 / rate, 1.0 / rate)
        places = np.searchsorted(times, frames + 1e-9, side="right") - 1
        shown = [self._steps[place] for place in places.tolist()]
        return (*shown, self._steps[-1]) if shown[-1] != self._steps[-1] else tuple(shown)


def drag_along(path: NDArray[np.integer], others: tuple[int, ...], target: int | None) -> tuple[DragStep, ...]:
    """A scripted drag: the first source moves along ``path``; further sources and the target stay."""
    places = np.unique(np.linspace(0, len(path) - 1, min(_SCRIPTED, len(path))).round().astype(int))
    return tuple(DragStep((int(path[place]), *others), target) for place in places)
