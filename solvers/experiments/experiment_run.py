"""One run of an experiment: what is run, how it is paused and cancelled, and what becomes of every point.

`LocalExperimentRun` measures on this machine, `ClusterExperimentRun` on the hosts of a cluster. Both leave out, count,
resume and keep points by the same rules, which are here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from solvers.contracts.results import Status
from solvers.devices.base import Device
from solvers.errors import Cancelled, StoreUnavailable
from solvers.experiments.experiment import Experiment, ExperimentScale, Measuring
from solvers.experiments.forecast import GridForecast
from solvers.experiments.graph_files import GraphFiles
from solvers.experiments.graph_picture import GraphPicture
from solvers.experiments.grid import Point
from solvers.experiments.limits import time_limit_s
from solvers.experiments.measurement import Measurement, Omission
from solvers.experiments.pause import Pause
from solvers.experiments.point_progress import TOO_SLOW, ExperimentProgress, PointProgress
from solvers.experiments.resumption import MeasuringPlace, Resumption
from solvers.host.observer import CancelToken
from solvers.running.store.kept_run import KeptVariant
from solvers.running.store.run_store import RunStore


@dataclass(frozen=True)
class ExperimentRequest:
    """What to run, and with what.

    Attributes
    ----------
    experiment : Experiment
    scale : ExperimentScale
    forecast : GridForecast
        Says which points run.
    files : GraphFiles
    measuring : Measuring
    device : Device or None
        Of this machine; None where hosts of a cluster measure.
    store : RunStore or None
        None keeps nothing, and resumes nothing.
    origin : str
        "window" or "command line".
    measures_again : bool
        Take nothing from the store.
    """

    experiment: Experiment
    scale: ExperimentScale
    forecast: GridForecast
    files: GraphFiles
    measuring: Measuring
    device: Device | None = None
    store: RunStore | None = None
    origin: str = "command line"
    measures_again: bool = False

    @property
    def key(self) -> str:
        """The experiment at its scale, as kept runs name it."""
        return self.experiment.key(self.scale)

    @property
    def title(self) -> str:
        """Name of the kept runs."""
        return f"{self.experiment.title}, {self.scale.value}"


@dataclass(kw_only=True)
class ExperimentRun(ABC):
    """One run of an experiment; `measure` yields what is measured or left out.

    Attributes
    ----------
    request : ExperimentRequest
    cancel : CancelToken
    pause : Pause
    report : callable(ExperimentProgress)
    problem : StoreUnavailable or None
        Why something was not kept.
    pictures : dict of str to GraphPicture
        Of the graphs that were made, by their hashes.
    """

    request: ExperimentRequest
    cancel: CancelToken = field(default_factory=CancelToken)
    pause: Pause = field(default_factory=Pause)
    report: Callable[[ExperimentProgress], None] = lambda progress: None
    problem: StoreUnavailable | None = None
    pictures: dict[str, GraphPicture] = field(default_factory=dict)

    def measure(self) -> Iterator[Measurement | Omission]:
        """Measure every point that can run.

        Yields
        ------
        Measurement or Omission

        Raises
        ------
        Cancelled
            The points that were finished are in the store.
        SchedulerUnreachable, NoWorkers
            On a cluster, the same.
        """
        request = self.request
        self._words, self._at_once = "starting", 1
        self._kept = Resumption.of(request.key, request.store, request.measures_again)
        sought = [one for one in request.forecast.left_out if one.is_too_long and self._kept.may_have(one.point)]
        self._too_long = {id(one.point): one.reason for one in sought}
        taken = [one for one in request.forecast.points if not one.reason or id(one.point) in self._too_long]
        self._progress = PointProgress(taken)
        yield from (
            Omission(one.point, one.reason) for one in request.forecast.left_out if id(one.point) not in self._too_long
        )
        yield from self._measure_points([one.point for one in taken])

    @abstractmethod
    def _measure_points(self, points: list[Point]) -> Iterator[Measurement | Omission]:
        """Measure the points, of which those that take too long are only looked up in the store."""

    @abstractmethod
    def memory_bandwidth(self) -> float | None:
        """Bytes per second of the device's memory, for charts against the device's limit; None if it is not known.

        May take a second: to be called in a job, after `measure` has ended.
        """

    # -- what becomes of a point -------------------------------------------------------------------------------------

    def _earlier(self, point: Point, graph_sha256: str, source_id: int, place: MeasuringPlace) -> Measurement | None:
        """What the store has of a point, which is done then."""
        found = self._kept.find(point, graph_sha256, source_id, place, self.request.measuring)
        if found is not None:
            self._finish(point)
        return found

    def _if_left_out(self, point: Point, vertices: int) -> Omission | None:
        """The point left out, if it takes too long, or one of its line was stopped on that graph or a smaller one."""
        reason = self._too_long.get(id(point), TOO_SLOW if self._progress.is_too_slow(point, vertices) else "")
        return self._omit(point, reason) if reason else None

    def _why_unmeasured(self, point: Point, kept: KeptVariant, vertices: int) -> str:
        """Why what was run of a point is no measurement; "" if it is one.

        Raises
        ------
        Cancelled
        """
        if kept.status is Status.CANCELLED:
            raise Cancelled("The experiment")
        if kept.status is Status.SKIPPED:
            self._progress.note_stopped(point, vertices)
            return f"it was stopped after {self._limit_s:.0f} s"
        return kept.error.removesuffix(".") if kept.status is not Status.OK and not kept.trials else ""

    @property
    def _limit_s(self) -> float:
        """After which a warm-up or trial is stopped."""
        return time_limit_s(self.request.measuring)

    def _omit(self, point: Point, reason: str) -> Omission:
        self._finish(point)
        return Omission(point, reason)

    def _finish(self, point: Point) -> None:
        self._progress.finish(point)
        self._tell(self._words, self._at_once)

    def _tell(self, words: str, at_once: int = 1) -> None:
        """Report the progress, while that many points are measured side by side."""
        self._words, self._at_once = words, at_once
        self.report(self._progress.now(words, at_once))
