"""What of an experiment can run on this machine, and how long it will take: said before the start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from solvers.contracts.availability import availability
from solvers.devices.base import Device
from solvers.errors import format_bytes
from solvers.experiments.experiment import Experiment, ExperimentScale, Measuring
from solvers.experiments.graph_files import GraphFiles
from solvers.experiments.grid import Point, each_graph
from solvers.experiments.point_devices import PointDevices
from solvers.experiments.sketch import SketchedGraph
from solvers.host import machine
from solvers.host.observer import SILENT, Observer
from solvers.running.estimate import EarlierTime, EstimateBasis, estimate_run, rounded_duration
from solvers.running.plan import MeasurementPlan
from solvers.running.runner import Choice, RunRequest
from solvers.text import plural

_ONE_TRIAL = MeasurementPlan(warmups=0, trials=1)
_TEAMS = {"threads": "thread", "ranks": "rank"}
_AROUND_S = 0.05  # proving and keeping a point, and its part of making the graph
_LOADED_BYTES_OF_ARC, _LOADED_BYTES_OF_VERTEX = 24, 40


@dataclass(frozen=True)
class PointForecast:
    """One point before it runs.

    Attributes
    ----------
    point : Point
    seconds : float
        Expected time of its warm-ups and trials; 0 if it is left out.
    basis : EstimateBasis
    reason : str
        Why it is left out; "" if it runs.
    is_too_long : bool
        It is left out because one trial is expected to take too long.
    """

    point: Point
    seconds: float = 0.0
    basis: EstimateBasis = EstimateBasis.MODEL
    reason: str = ""
    is_too_long: bool = False


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
        """One line: "15 points, about 2 min (a rough guess from the size of the graph); 3 are left out"."""
        runnable, left_out = self.runnable, self.left_out
        if not runnable:
            return f"nothing of its {plural(len(self.points), 'point')} can run here"
        basis = max((one.basis for one in runnable if one.seconds >= self.seconds / 10), default=EstimateBasis.MODEL)
        text = f"{plural(len(runnable), 'point')}, about {rounded_duration(self.seconds)} ({basis.words})"
        return f"{text}; {len(left_out)} left out" if left_out else text


def forecast(
    experiment: Experiment,
    scale: ExperimentScale,
    files: GraphFiles,
    device: Device | None,
    earlier: Sequence[EarlierTime] = (),
    measuring: Measuring | None = None,
    observer: Observer = SILENT,
) -> GridForecast:
    """Look at every point before the start; nothing is generated or read.

    Parameters
    ----------
    experiment : Experiment
    scale : ExperimentScale
    files : GraphFiles
    device : Device or None
        The device that would run kernels.
    earlier : sequence of EarlierTime
        Of this machine.
    measuring : Measuring, optional
        In place of the experiment's own.
    observer : Observer
        Asked at every point, of which there may be very many.

    Raises
    ------
    Cancelled
    """
    how = measuring or experiment.measuring[scale]
    devices = PointDevices.of_experiment(experiment, device)
    found: list[PointForecast] = []
    with machine.one_reading_of_memory():
        for choice, points in each_graph(experiment, scale):
            missing = files.missing(choice) or _no_room(choice.vertices, choice.arcs)
            sketch = SketchedGraph.of(choice)
            for point in points:
                observer.checkpoint()
                if reason := missing or devices.missing(point):
                    found.append(PointForecast(point, reason=reason))
                else:
                    found.append(_forecast_point(point, sketch, devices.of(point), earlier, how))
    return GridForecast(tuple(found))


def _no_room(vertices: int, arcs: int) -> str:
    """Why the graph itself does not fit into memory; "" if it does."""
    needed = vertices * _LOADED_BYTES_OF_VERTEX + arcs * _LOADED_BYTES_OF_ARC
    free = machine.memory().free_bytes
    return f"the graph needs about {format_bytes(needed)}; {format_bytes(free)} are free" if 0 < free < needed else ""


def _forecast_point(
    point: Point, sketch: SketchedGraph, used: Device | None, earlier: Sequence[EarlierTime], how: Measuring
) -> PointForecast:
    variant = point.series.variant
    if reason := too_many_workers(point) or availability(variant, sketch, used, point.parameters).reason:
        return PointForecast(point, reason=_without_stop(reason))
    request = RunRequest(sketch, 0, None, (Choice(variant, point.parameters),), used, _ONE_TRIAL)
    (one,) = estimate_run(request, earlier).variants
    if one.seconds > how.longest_trial_s:
        words = f"one trial takes about {rounded_duration(one.seconds)} ({one.basis.words})"
        reason = f"{words}; the limit is {rounded_duration(how.longest_trial_s)}"
        return PointForecast(point, basis=one.basis, reason=reason, is_too_long=True)
    (whole,) = estimate_run(
        RunRequest(sketch, 0, None, (Choice(variant, point.parameters),), used, how.plan), earlier
    ).variants
    return PointForecast(point, whole.seconds + _AROUND_S, whole.basis)


def too_many_workers(point: Point) -> str:
    """Why so many threads or ranks say nothing here; "" if every one has a core."""
    for name, noun in _TEAMS.items():
        wanted, cores = int(point.parameters.get(name, 0)), machine.cores()
        if wanted > cores:
            return f"{plural(wanted, noun)} on {plural(cores, 'core')} would measure how they take turns"
    return ""


def _without_stop(sentence: str) -> str:
    return sentence.removesuffix(".")
