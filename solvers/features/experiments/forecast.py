"""What of an experiment can run on this machine, and how long it will take: said before the start.

Whether a variant has room, and how long it may take, is asked of a graph known by its
size only. For grids of very many points the time is that of a few of them, scaled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from solvers.core.availability import availability
from solvers.devices.device import Device
from solvers.features.experiments.graphs import GraphFiles
from solvers.features.experiments.grid import GraphChoice, Point, PointDevices, each_graph
from solvers.features.experiments.spec import Experiment, ExperimentScale, Measuring
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.weights import INT32, WeightType
from solvers.running.estimate import EarlierTime, EstimateBasis, estimate_run
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.system import machine
from solvers.system.array_types import Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.text import format_bytes, plural, rounded_duration

_ONE_TRIAL = MeasurementPlan(warmups=0, trials=1)
_TEAMS = {"threads": "thread", "ranks": "rank"}
_AROUND_S = 0.05  # proving and keeping a point, and its part of making the graph
_LOADED_BYTES_OF_ARC, _LOADED_BYTES_OF_VERTEX = 24, 40

_WITH_COORDINATES = ("road", "grid")

MOST_POINTS = 1000
MOST_SECONDS = 8 * 3600.0
"""Beyond either, somebody is asked before the start."""

_MOST_SAMPLED = 500


@dataclass(frozen=True)
class PointForecast:
    point: Point
    seconds: float = 0.0  # expected time of its warm-ups and trials; 0 if it is left out
    basis: EstimateBasis = EstimateBasis.MODEL
    reason: str = ""  # why it is left out; "" if it runs
    is_too_long: bool = False  # it is left out because one trial is expected to take too long


@dataclass(frozen=True)
class GridForecast:
    """What will run, how long it takes, and what is left out."""

    points: tuple[PointForecast, ...]

    @property
    def runnable(self) -> tuple[PointForecast, ...]:
        return tuple(one for one in self.points if not one.reason)

    @property
    def left_out(self) -> tuple[PointForecast, ...]:
        return tuple(one for one in self.points if one.reason)

    @property
    def seconds(self) -> float:
        return sum(one.seconds for one in self.points)

    @property
    def words(self) -> str:
        """One line: "15 points, about 2 min (a rough guess from the size of the graph);
        3 are left out".
        """
        runnable, left_out = self.runnable, self.left_out
        if not runnable:
            return f"nothing of its {plural(len(self.points), 'point')} can run here"
        basis = max(
            (one.basis for one in runnable if one.seconds >= self.seconds / 10),
            default=EstimateBasis.MODEL,
        )
        text = (
            f"{plural(len(runnable), 'point')}, "
            f"about {rounded_duration(self.seconds)} ({basis.words})"
        )
        guessed = sum(one.is_too_long and one.basis is EstimateBasis.MODEL for one in left_out)
        certain = len(left_out) - guessed
        text += f"; {certain} left out" if certain else ""
        return f"{text}; {guessed} guessed to take too long" if guessed else text


def forecast(
    experiment: Experiment,
    scale: ExperimentScale,
    files: GraphFiles,
    device: Device | None,  # the device that would run kernels
    earlier: Sequence[EarlierTime] = (),  # of this machine
    measuring: Measuring | None = None,  # in place of the experiment's own
    progress: Progress = SILENT,  # asked at every point, as there may be very many
) -> GridForecast:
    """Look at every point before the start; nothing is generated or read; raises Cancelled."""
    how = measuring or experiment.measuring[scale]
    devices = PointDevices.of_experiment(experiment, device)
    found: list[PointForecast] = []
    compiled: set[tuple[str, Device | None]] = set()
    with machine.one_reading_of_memory():
        for choice, points in each_graph(experiment, scale):
            missing = files.missing(choice) or _no_room(choice.vertices, choice.arcs)
            sketch = SketchedGraph.of(choice)
            for point in points:
                progress.checkpoint()
                if reason := missing or devices.missing(point):
                    found.append(PointForecast(point, reason=reason))
                else:
                    found.append(
                        _forecast_point(point, sketch, devices.of(point), earlier, how, compiled)
                    )
    return GridForecast(tuple(found))


def _no_room(vertices: int, arcs: int) -> str:
    """Why the graph itself does not fit into memory; "" if it does."""
    needed = vertices * _LOADED_BYTES_OF_VERTEX + arcs * _LOADED_BYTES_OF_ARC
    free = machine.memory().free_bytes
    return (
        f"the graph needs about {format_bytes(needed)}; {format_bytes(free)} are free"
        if 0 < free < needed
        else ""
    )


def _forecast_point(
    point: Point,
    sketch: SketchedGraph,
    used: Device | None,
    earlier: Sequence[EarlierTime],
    how: Measuring,
    compiled: set[tuple[str, Device | None]],
) -> PointForecast:
    """``compiled`` are the variants and devices of earlier points, whose compilation
    the time need not contain.
    """
    variant = point.series.variant
    if (
        reason := too_many_workers(point)
        or availability(variant, sketch, used, point.parameters).reason
    ):
        return PointForecast(point, reason=reason.removesuffix("."))
    request = RunRequest(sketch, 0, None, (Choice(variant, point.parameters),), used, _ONE_TRIAL)
    (one,) = estimate_run(request, earlier).variants
    trial_s = one.seconds - one.compile_s
    if trial_s > how.longest_trial_s:
        words = f"one trial takes about {rounded_duration(trial_s)} ({one.basis.words})"
        reason = f"{words}; the limit is {rounded_duration(how.longest_trial_s)}"
        return PointForecast(point, basis=one.basis, reason=reason, is_too_long=True)
    (whole,) = estimate_run(replace(request, plan=how.plan), earlier).variants
    saved = whole.compile_s if (variant.id, used) in compiled else 0.0
    compiled.add((variant.id, used))
    return PointForecast(point, whole.seconds - saved + _AROUND_S, whole.basis)


def too_many_workers(point: Point) -> str:
    """Why so many threads or ranks say nothing here; "" if every one has a core."""
    for name, noun in _TEAMS.items():
        wanted, cores = int(point.parameters.get(name, 0)), machine.cores()
        if wanted > cores:
            return (
                f"{plural(wanted, noun)} on {plural(cores, 'core')} "
                "would measure how they take turns"
            )
    return ""


class SketchedGraph(Graph):
    """Stands for a graph that is not made yet: name, size and least weight, but no arcs.

    Weights are taken for 32-bit integers whose paths 32 bits hold.
    """

    _size: tuple[int, int]

    @classmethod
    def of(cls, choice: GraphChoice) -> SketchedGraph:
        low, generator = choice.parameters.get("low", 1), choice.spec.generator
        has_coordinates = generator is None or generator.id in _WITH_COORDINATES
        sketch = cls(
            np.array([0, 1]),
            np.zeros(1, np.int32),
            np.array([low], np.int32),
            name=choice.key,
            coordinates=Coordinates(np.zeros((1, 2))) if has_coordinates else None,
        )
        object.__setattr__(sketch, "_size", (max(1, choice.vertices), max(1, choice.arcs)))
        return sketch

    @property
    def n(self) -> int:
        return self._size[0]

    @property
    def m(self) -> int:
        return self._size[1]

    @property
    def distance_type(self) -> WeightType:
        return INT32

    @cached_property
    def out_degrees(self) -> Int64s:
        """The mean degree only."""
        return np.array([-(-self.m // self.n)], dtype=np.int64)


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
    """Size of the grid; a large one is thinned before its points are looked at."""
    count, thinned = experiment.size(scale), experiment
    for most in (16, 8, 4, 3, 2, 1):
        if thinned.size(scale) <= _MOST_SAMPLED:
            break
        thinned = _thinned(experiment, most)
    found = look(thinned)
    return GridSize(count, found.seconds * count / max(1, len(found.points)))


def _thinned(experiment: Experiment, most: int) -> Experiment:
    """The experiment with at most so many values of each parameter, evenly taken."""

    def few(parameters: Mapping[str, tuple[Any, ...]]) -> dict[str, tuple[Any, ...]]:
        return {name: _evenly(values, most) for name, values in parameters.items()}

    graphs = tuple(replace(one, parameters=few(one.parameters)) for one in experiment.graphs)
    series = tuple(replace(one, parameters=few(one.parameters)) for one in experiment.series)
    return replace(experiment, graphs=graphs, series=series)


def _evenly(values: tuple[Any, ...], most: int) -> tuple[Any, ...]:
    if len(values) <= most:
        return values
    if most == 1:
        return (values[len(values) // 2],)
    return tuple(values[round(i * (len(values) - 1) / (most - 1))] for i in range(most))
