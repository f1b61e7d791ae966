"""The recording of a drag in live mode: end points and closed roads over time, for an
animation. No widgets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.road_changes import RoadChanges

MOST_STEPS = 20_000  # kept of a recording
RECORDING_RATE = 25.0  # steps per second of an animation at the speed of the hand
_SCRIPTED = 150  # most steps of a scripted drag
_STILL = 25  # steps before roads close, and with them closed
_CLOSING = 30  # steps while they close
_SLOWEST = 30.0  # factor of a road in the last step before it is closed
_NO_CHANGES = RoadChanges()


@dataclass(frozen=True)
class DragStep:
    """End points and roads at one moment."""

    sources: tuple[int, ...]
    target: int | None
    changes: RoadChanges = _NO_CHANGES
    # in the picture; while they are being closed, these are closed already
    marked: RoadChanges = _NO_CHANGES
    # whether the picture shows who is farther than with all roads open, not distances
    differences: bool = False


class DragRecording:
    """Steps with their times; repeated ones are kept once."""

    def __init__(self) -> None:
        self._steps: list[DragStep] = []
        self._times: list[float] = []

    def __len__(self) -> int:
        return len(self._steps)

    def add(self, step: DragStep, time_s: float) -> None:
        """Add a step at a time in seconds, not before the last one; past `MOST_STEPS`
        nothing is added.
        """
        if len(self._steps) < MOST_STEPS and (not self._steps or step != self._steps[-1]):
            self._steps.append(step)
            self._times.append(time_s)

    def steps(self, rate: float = RECORDING_RATE) -> tuple[DragStep, ...]:
        """The steps shown at even times, ``rate`` a second; pauses are shortened to one second."""
        if not self._steps:
            return ()
        gaps = [min(1.0, later - earlier) for earlier, later in pairwise(self._times)]
        times = np.concatenate(([0.0], np.cumsum(gaps)))
        frames = np.arange(0.0, times[-1] + 0.5 / rate, 1.0 / rate)
        indices = np.searchsorted(times, frames + 1e-9, side="right") - 1
        shown = [self._steps[index] for index in indices.tolist()]
        return (*shown, self._steps[-1]) if shown[-1] != self._steps[-1] else tuple(shown)


def drag_along(
    path: NDArray[np.integer], others: tuple[int, ...], target: int | None
) -> tuple[DragStep, ...]:
    """A scripted drag: the first source moves along ``path``; the others and the target stay."""
    indices = np.unique(
        np.linspace(0, len(path) - 1, min(_SCRIPTED, len(path))).round().astype(int)
    )
    return tuple(DragStep((vertex, *others), target) for vertex in path[indices].tolist())


def closing_of(
    changes: RoadChanges, sources: tuple[int, ...], target: int | None, *, gradually: bool = True
) -> tuple[DragStep, ...]:
    """Scripted steps before, during and after changes to roads, and the differences that they make.

    If ``gradually``, roads become slower and slower before they are closed, so that
    field and path move. Roads with negative weights cannot be slowed.
    """
    before = DragStep(sources, target, RoadChanges(hour=changes.hour))
    during = [
        DragStep(sources, target, _partly(changes, step / _CLOSING), marked=changes)
        for step in range(1, _CLOSING if gradually else 1)
    ]
    after = DragStep(sources, target, changes, marked=changes)
    return (
        *[before] * _STILL,
        *during,
        *[after] * _STILL,
        *[replace(after, differences=True)] * 2 * _STILL,
    )


def _partly(changes: RoadChanges, share: float) -> RoadChanges:
    """``changes`` on the way: each factor grows evenly from 1, in proportion."""
    roads = tuple(replace(road, factor=_partial(road.factor, share)) for road in changes.roads)
    areas = tuple(replace(area, factor=_partial(area.factor, share)) for area in changes.areas)
    return replace(changes, roads=roads, areas=areas)


def _partial(factor: float, share: float) -> float:
    return float(min(factor, _SLOWEST) ** share)
