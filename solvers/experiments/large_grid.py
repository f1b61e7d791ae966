"""Grids of very many points: how long one would take, from a few of its points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from solvers.experiments.experiment import Experiment, ExperimentScale
from solvers.experiments.forecast import GridForecast
from solvers.running.estimate import rounded_duration
from solvers.text import plural

MOST_POINTS = 1000
MOST_SECONDS = 8 * 3600.0
"""Beyond either, somebody is asked before the start."""

_MOST_SAMPLED = 500


@dataclass(frozen=True)
class GridSize:
    """Number of points, and the time that they take, in words."""

    points: int
    seconds: float

    @property
    def is_large(self) -> bool:
        return self.points > MOST_POINTS or self.seconds > MOST_SECONDS

    @property
    def words(self) -> str:
        return f"{plural(self.points, 'point')}, about {rounded_duration(self.seconds)}"


def size_of_grid(
    experiment: Experiment, scale: ExperimentScale, look: Callable[[Experiment], GridForecast]
) -> GridSize:
    """Size of the grid; a large one is thinned before its points are looked at.

    Parameters
    ----------
    experiment : Experiment
    scale : ExperimentScale
    look : callable(experiment) -> GridForecast
    """
    count, thinned = experiment.size(scale), experiment
    for most in (16, 8, 4, 3, 2, 1):
        if thinned.size(scale) <= _MOST_SAMPLED:
            break
        thinned = _thinned(experiment, most)
    found = look(thinned)
    return GridSize(count, found.seconds * count / max(1, len(found.points)))


def _thinned(experiment: Experiment, most: int) -> Experiment:
    """The experiment with at most so many values of each parameter, evenly taken."""
    graphs = tuple(replace(one, parameters=_few(dict(one.parameters), most)) for one in experiment.graphs)
    series = tuple(replace(one, parameters=_few(dict(one.parameters), most)) for one in experiment.series)
    return replace(experiment, graphs=graphs, series=series)


def _few(parameters: dict[str, tuple[Any, ...]], most: int) -> dict[str, tuple[Any, ...]]:
    return {name: _evenly(values, most) for name, values in parameters.items()}


def _evenly(values: tuple[Any, ...], most: int) -> tuple[Any, ...]:
    if len(values) <= most:
        return values
    if most == 1:
        return (values[len(values) // 2],)
    return tuple(values[round(i * (len(values) - 1) / (most - 1))] for i in range(most))
