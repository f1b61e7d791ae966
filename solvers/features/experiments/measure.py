"""One run of an experiment: what is run, how it is paused and cancelled, and what
becomes of every point.

`ExperimentRun` measures on this machine every point that is not in the store yet, graph
by graph, and keeps each as it ends; `ClusterExperimentRun` has hosts of a cluster do
that, point by point. A run that was killed, cancelled or interrupted is resumed by
running the experiment again: what the store holds of it, on the same graph, machine,
device and version, is taken from there.

A pause begins between two points, so that no measurement has a pause in it.
`PointProgress` says how far an experiment is, and which of its lines are too slow to be
measured on larger graphs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from solvers.core.result import Result, Status
from solvers.core.variant import Variant
from solvers.devices.device import Device
from solvers.devices.monitor import memory_bandwidth
from solvers.errors import Cancelled, StoreUnavailable, TautpathError
from solvers.features.experiments.forecast import GridForecast, PointForecast
from solvers.features.experiments.graphs import GraphFiles, GraphPicture, graph_picture
from solvers.features.experiments.grid import (
    GraphChoice,
    Point,
    PointDevices,
    by_graph,
    of_one_device,
)
from solvers.features.experiments.measurement import Equipment, Measurement, Omission, Resumption
from solvers.features.experiments.spec import Experiment, ExperimentScale, Measuring
from solvers.features.kept_runs.store.recorder import RunRecorder
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.graphs.graph import Graph
from solvers.graphs.interpretation import Interpretation
from solvers.graphs.labelled import LabelledGraph
from solvers.running.kept_results import kept_variant
from solvers.running.kept_run import GraphSource, KeptRun
from solvers.running.request import Choice, RunListener, RunListeners, RunProgress, RunRequest
from solvers.running.run import run
from solvers.system.cancel import CancelToken, Progress

_LOOK_S = 0.1
_LEAST_LIMIT_S = 20.0
_LIMIT_FACTOR = 5.0  # of the longest trial expected, as estimates are rough

TOO_SLOW = "on a smaller graph it timed out"
"""Why a point is left out that `PointProgress.is_too_slow` tells."""


def time_limit_s(measuring: Measuring) -> float:
    """After which a warm-up or trial is stopped."""
    return max(_LEAST_LIMIT_S, _LIMIT_FACTOR * measuring.longest_trial_s)


class TimeLimit(RunListener):
    """Ends a variant whose warm-up or trial takes far longer than any was expected to."""

    def __init__(self, cancel: CancelToken, seconds: float):
        self._cancel, self._seconds = cancel, seconds
        self._timer: threading.Timer | None = None

    def trial_begins(self, variant: Variant, stage: str) -> None:
        self._stop()
        self._timer = threading.Timer(self._seconds, self._cancel.time_out)
        self._timer.daemon = True
        self._timer.start()

    def measuring_ends(self, variant: Variant) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def source_of(graph: Graph, choice: GraphChoice) -> int:
    """Index of the source vertex; raises UnknownVertex."""
    wanted = choice.spec.source
    if not wanted:
        return 0
    if isinstance(graph, LabelledGraph):
        return graph.vertex(wanted)
    return graph.vertex(int(wanted) if wanted.lstrip("-").isdigit() else wanted)


class Pause:
    """Set by one thread, obeyed by the thread that runs the experiment before its next point."""

    def __init__(self) -> None:
        self._running = threading.Event()
        self._running.set()

    @property
    def is_paused(self) -> bool:
        return not self._running.is_set()

    def pause(self) -> None:
        self._running.clear()

    def resume(self) -> None:
        self._running.set()

    def wait(self, cancel: CancelToken) -> None:
        """Return when the experiment may go on; raises Cancelled."""
        while not self._running.wait(_LOOK_S):
            cancel.check("The experiment")


@dataclass(frozen=True)
class ExperimentProgress:
    done: int  # points
    total: int  # points
    words: str  # what runs now
    fraction: float  # of the expected time, 0 to 1
    seconds_left: float  # expected


class PointProgress:
    """Counts the points of one run, which are all those to be measured."""

    def __init__(self, runnable: Sequence[PointForecast]):
        self._seconds = {id(one.point): one.seconds for one in runnable}
        self._left, self._total, self._done = sum(self._seconds.values()), len(runnable), 0
        self._whole = self._left or 1.0
        self._too_slow: dict[tuple[str, str], int] = {}

    def finish(self, point: Point) -> None:
        """Count a point that was measured, found in the store or left out."""
        self._done += 1
        self._left -= self._seconds.get(id(point), 0.0)

    def note_timeout(self, point: Point, vertices: int) -> None:
        """Remember that a point timed out on a graph of that size."""
        line = _line(point)
        self._too_slow[line] = min(vertices, self._too_slow.get(line, vertices))

    def is_too_slow(self, point: Point, vertices: int) -> bool:
        """Whether a point of the same line timed out on a graph of this size or a smaller one."""
        limit = self._too_slow.get(_line(point))
        return limit is not None and vertices >= limit

    def now(self, words: str, at_once: int = 1) -> ExperimentProgress:
        """The progress, while ``at_once`` points are measured side by side."""
        fraction = min(1.0, max(0.0, 1 - self._left / self._whole))
        return ExperimentProgress(
            self._done, self._total, words, fraction, max(0.0, self._left) / max(1, at_once)
        )


def _line(point: Point) -> tuple[str, str]:
    """What points of a series have in common that differ in the graph only."""
    return point.series.label, repr(sorted(point.parameters.items()))


@dataclass(frozen=True)
class ExperimentRequest:
    experiment: Experiment
    scale: ExperimentScale
    forecast: GridForecast  # says which points run
    files: GraphFiles
    measuring: Measuring
    device: Device | None = None  # of this machine; None where hosts of a cluster measure
    store: RunStore | None = None  # None keeps nothing, and resumes nothing
    origin: str = "command line"  # "window" or "command line"
    measures_again: bool = False  # take nothing from the store

    @property
    def key(self) -> str:
        """The experiment at its scale, as kept runs name it."""
        return self.experiment.key(self.scale)

    @property
    def title(self) -> str:
        """Name of the kept runs."""
        return f"{self.experiment.title}, {self.scale.value}"


@dataclass(kw_only=True)
class ExperimentRun:
    """One run of an experiment on this machine, in the thread that asks for its outcomes."""

    request: ExperimentRequest
    cancel: CancelToken = field(default_factory=CancelToken)
    pause: Pause = field(default_factory=Pause)
    report: Callable[[ExperimentProgress], None] = lambda progress: None
    listener: RunListener = field(default_factory=RunListener)  # hears of every trial
    kept: Resumption | None = None  # what was measured before; None for what the store holds
    problem: StoreUnavailable | None = None  # why something was not kept
    # of the graphs that were made, by their hashes
    pictures: dict[str, GraphPicture] = field(default_factory=dict)
    # how those that were read from files were read, by their titles
    readings: dict[str, Interpretation] = field(default_factory=dict)

    def measure(self) -> Iterator[Measurement | Omission]:
        """Measure every point that can run.

        Raises Cancelled: the points that were finished are in the store.
        Raises SchedulerUnreachable, NoWorkers: on a cluster, the same.
        """
        request = self.request
        self._words, self._at_once = "starting", 1
        self._kept = self.kept or Resumption.of(request.key, request.store, request.measures_again)
        taken, left_out = list[PointForecast](), list[PointForecast]()
        for one in request.forecast.points:  # what takes too long is looked up in the store
            may_be_had = not one.reason or (one.is_too_long and self._kept.may_have(one.point))
            (taken if may_be_had else left_out).append(one)
        self._looks = {id(one.point): one for one in taken}
        self._progress = PointProgress(taken)
        yield from (Omission(one.point, one.reason) for one in left_out)
        yield from self._measure_points([one.point for one in taken])

    def memory_bandwidth(self) -> float | None:
        """Bytes per second of the device's memory, for charts against the device's
        limit; None if it is not known.

        May take a second: to be called in a job, after `measure` has ended.
        """
        device = self.request.device
        return None if device is None else memory_bandwidth(device)

    def _omit(self, point: Point, reason: str, *, timed_out: bool = False) -> Omission:
        self._finish(point)
        return Omission(point, reason, timed_out)

    def _finish(self, point: Point) -> None:
        """Count a point that was measured, found in the store or left out."""
        self._progress.finish(point)
        self._tell(self._words, self._at_once)

    def _tell(self, words: str, at_once: int = 1) -> None:
        """Report the progress, while that many points are measured side by side."""
        self._words, self._at_once = words, at_once
        self.report(self._progress.now(words, at_once))

    def _measure_points(self, points: list[Point]) -> Iterator[Measurement | Omission]:
        """Measure the points; those that take too long are only looked up."""
        self._devices = PointDevices.of_experiment(self.request.experiment, self.request.device)
        for choice, same in by_graph(points):
            yield from self._measure_graph(choice, same)

    def _measure_graph(
        self, choice: GraphChoice, points: Sequence[Point]
    ) -> Iterator[Measurement | Omission]:
        self._tell(f"preparing {choice.title}")
        self.pause.wait(self.cancel)
        try:
            graph, where = self.request.files.make(choice, Progress(self.cancel))
            if graph.interpretation is not None:
                self.readings[choice.title] = graph.interpretation
            source = source_of(graph, choice)
            if graph.sha256 not in self.pictures:
                self.pictures[graph.sha256] = graph_picture(graph, source)
        except Cancelled:
            raise
        except (TautpathError, MemoryError) as error:
            reason = str(error).removesuffix(".") or "out of memory"
            yield from (self._omit(point, reason) for point in points)
            return
        waiting: list[Point] = []
        for point in points:
            here = Equipment.here(self._devices.of(point))
            found = self._kept.find(
                point, graph.sha256, int(graph.ids[source]), here, self.request.measuring
            )
            if found is not None:
                self._finish(point)
                yield found
            else:
                waiting.append(point)
        while waiting:
            batch = _distinct_variants(of_one_device(waiting))
            waiting = [point for point in waiting if point not in batch]
            yield from self._measure_batch(graph, where, source, batch)

    def _measure_batch(
        self, graph: Graph, where: GraphSource, source: int, batch: Sequence[Point]
    ) -> Iterator[Measurement | Omission]:
        """Points of different variants, which are one run in the store."""
        chosen: list[Point] = []
        for point in batch:
            is_too_slow = self._progress.is_too_slow(point, graph.n)
            if reason := self._looks[id(point)].reason or (TOO_SLOW if is_too_slow else ""):
                yield self._omit(point, reason)
            else:
                chosen.append(point)
        if not chosen:
            return
        choices = tuple(Choice(point.series.variant, point.parameters) for point in chosen)
        device = next(
            (device for point in chosen if (device := self._devices.of(point)) is not None), None
        )
        request = RunRequest(graph, source, None, choices, device, self.request.measuring.plan)
        recorder = RunRecorder(
            self.request.store,
            request,
            self.request.origin,
            where,
            self.request.title,
            self.request.key,
        )
        listener = self._listener_of(recorder)
        results = recorder.follow(
            run(request, cancel=self.cancel, listener=listener, run_id=recorder.run_id)
        )
        with closing(results):
            # results first: to their end, which the recorder writes
            for result, point in zip(results, chosen, strict=False):
                self.problem = recorder.problem or self.problem
                yield self._outcome(point, result, recorder.kept_run)
        self.cancel.forget_skip()  # set by the time limit, it would end what follows
        self.cancel.check("The experiment")

    def _outcome(self, point: Point, result: Result, of_run: KeptRun) -> Measurement | Omission:
        kept = kept_variant(result)
        if kept.status is Status.CANCELLED:
            raise Cancelled("The experiment")
        if kept.status is Status.SKIPPED:
            return self._omit(point, "skipped")
        if kept.status is Status.TIMED_OUT:
            self._progress.note_timeout(point, result.graph.n)
            return self._omit(
                point,
                f"it timed out after {time_limit_s(self.request.measuring):.0f} s",
                timed_out=True,
            )
        if kept.status is not Status.OK and not kept.trials:
            return self._omit(point, kept.error.removesuffix("."))
        self._finish(point)
        return Measurement(point, of_run, kept)

    def _listener_of(self, recorder: RunRecorder) -> RunListener:
        limit = TimeLimit(self.cancel, time_limit_s(self.request.measuring))
        return RunListeners(_PausingAndTelling(self), limit, self.listener, recorder)


class _PausingAndTelling(RunListener):
    """Waits before every point while the run is paused, and tells how far it is with
    every stage.
    """

    def __init__(self, of: ExperimentRun):
        self._of = of

    def measuring_begins(self, variant: Variant) -> None:
        self._of.pause.wait(self._of.cancel)

    def progress(self, progress: RunProgress) -> None:
        self._of._tell(f"{progress.variant.id}: {progress.stage}")


def _distinct_variants(points: Sequence[Point]) -> list[Point]:
    """The first point of every variant: a run has each variant once."""
    first: dict[str, Point] = {}
    for point in points:
        first.setdefault(point.series.variant.id, point)
    return list(first.values())
