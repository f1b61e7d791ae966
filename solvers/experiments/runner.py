"""Runs an experiment: every point that is not in the store yet, graph by graph, and keeps each as it is finished.

A run that was killed, cancelled or interrupted is resumed by running the experiment again: what the store holds of it,
on the same graph, machine, device and version, is taken from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from solvers.contracts.results import Result, Status
from solvers.devices.base import Device
from solvers.errors import Cancelled, StoreUnavailable, TautlineError
from solvers.experiments.experiment import Experiment, ExperimentScale, Measuring
from solvers.experiments.forecast import GridForecast
from solvers.experiments.graph_files import GraphFiles
from solvers.experiments.graph_picture import GraphPicture, graph_picture
from solvers.experiments.grid import GraphChoice, Point
from solvers.experiments.limits import TimeLimit, source_of, time_limit_s
from solvers.experiments.measurement import Measurement, Omission
from solvers.experiments.pause import Pause
from solvers.experiments.point_devices import PointDevices, of_one_device
from solvers.experiments.point_progress import TOO_SLOW, ExperimentProgress, PointProgress
from solvers.experiments.resumption import MeasuringPlace, Resumption
from solvers.graphs.graph import Graph
from solvers.host.observer import CancelToken, Observer
from solvers.running.listener import RunListener, RunListeners
from solvers.running.progress import Progress
from solvers.running.runner import Choice, RunRequest, new_run_id, run
from solvers.running.store.conversion import kept_variant
from solvers.running.store.kept_run import GraphFacts, GraphSource, KeptRun, MachineFacts
from solvers.running.store.recorder import RunRecorder
from solvers.running.store.run_store import RunStore
from solvers.version import __version__


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


@dataclass
class ExperimentRun:
    """One run of an experiment; `measure` yields what is measured or left out, one point at a time.

    Attributes
    ----------
    problem : StoreUnavailable or None
        Why something was not kept.
    pictures : dict of str to GraphPicture
        Of the graphs that were made, by their hashes.
    """

    request: ExperimentRequest
    cancel: CancelToken = field(default_factory=CancelToken)
    pause: Pause = field(default_factory=Pause)
    listener: RunListener = field(default_factory=RunListener)
    report: Callable[[ExperimentProgress], None] = lambda progress: None
    problem: StoreUnavailable | None = None
    pictures: dict[str, GraphPicture] = field(default_factory=dict)

    def measure(self) -> Iterator[Measurement | Omission]:
        """Measure every point that can run here.

        Yields
        ------
        Measurement or Omission

        Raises
        ------
        Cancelled
            The points that were finished are in the store.
        """
        runnable = self.request.forecast.runnable
        self._progress = PointProgress(runnable)
        yield from (Omission(one.point, one.reason) for one in self.request.forecast.left_out)
        self._devices = PointDevices.of_experiment(self.request.experiment, self.request.device)
        store = self.request.store
        self._kept = Resumption.of(self.request.experiment.key(self.request.scale), store, self.request.measures_again)
        for choice, points in by_graph([one.point for one in runnable]):
            yield from self._measure_graph(choice, points)

    def _measure_graph(self, choice: GraphChoice, points: Sequence[Point]) -> Iterator[Measurement | Omission]:
        self._tell(f"preparing {choice.title}")
        self.pause.wait(self.cancel)
        try:
            graph, where = self.request.files.make(choice, Observer(self.cancel, lambda done, total: None))
            source = source_of(graph, choice)
            self.pictures[graph.sha256] = graph_picture(graph, source)
        except Cancelled:
            raise
        except (TautlineError, MemoryError) as error:
            for point in points:
                self._progress.finish(point)
                yield Omission(point, str(error).removesuffix(".") or "out of memory")
            return
        waiting: list[Point] = []
        for point in points:
            here = MeasuringPlace.here(self._devices.of(point))
            found = self._kept.find(point, graph.sha256, int(graph.ids[source]), here, self.request.measuring)
            if found is not None:
                self._progress.finish(point)
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
            if self._progress.is_too_slow(point, graph.n):
                self._progress.finish(point)
                yield Omission(point, TOO_SLOW)
            else:
                chosen.append(point)
        if not chosen:
            return
        request = RunRequest(
            graph, source, None, tuple(Choice(p.series.variant, p.parameters) for p in chosen),
            self._device_of_batch(chosen), self.request.measuring.plan,
        )  # fmt: skip
        if self.request.store is None:
            facts = GraphFacts.of(graph, where)
            run_of = KeptRun(new_run_id(), "", __version__, self.request.origin, facts, None, None, MachineFacts.here())
            results = run(request, cancel=self.cancel, listener=self._listener_of(None), run_id=run_of.run_id)
        else:
            name = f"{self.request.experiment.title}, {self.request.scale.value}"
            key = self.request.experiment.key(self.request.scale)
            recorder = RunRecorder(self.request.store, request, self.request.origin, where, name, key)
            run_of = recorder.kept_run
            listener = self._listener_of(recorder)
            results = recorder.record(run(request, cancel=self.cancel, listener=listener, run_id=recorder.run_id))
        with closing(results):
            for position, result in enumerate(results):  # to its end, which the recorder writes
                if self.request.store is not None:
                    self.problem = recorder.problem or self.problem
                yield self._outcome(chosen[position], result, run_of)
        self.cancel.forget_skip()  # set by the time limit, it would end what follows
        self.cancel.raise_if_cancelled("The experiment")

    def _device_of_batch(self, batch: Sequence[Point]) -> Device | None:
        return next((device for point in batch if (device := self._devices.of(point)) is not None), None)

    def _outcome(self, point: Point, result: Result, of_run: KeptRun) -> Measurement | Omission:
        if result.status is Status.CANCELLED:
            raise Cancelled("The experiment")
        self._progress.finish(point)
        if result.status is Status.SKIPPED:
            self._progress.note_stopped(point, result.graph.n)
            return Omission(point, f"it was stopped after {self._limit_s:.0f} s")
        if result.status is not Status.OK and not result.trials:
            return Omission(point, result.error.removesuffix("."))
        return Measurement.of(point, of_run, kept_variant(result), is_earlier=False)

    # -- progress ----------------------------------------------------------------------------------------------------

    @property
    def _limit_s(self) -> float:
        return time_limit_s(self.request.measuring)

    def _listener_of(self, recorder: RunRecorder | None) -> RunListener:
        guards = (self.pause.listener(self.cancel), TimeLimit(self.cancel, self._limit_s), _Telling(self))
        return RunListeners(*guards, self.listener, *(() if recorder is None else (recorder,)))

    def _tell(self, words: str) -> None:
        self.report(self._progress.now(words))


class _Telling(RunListener):
    """Tells how far the experiment is with every stage of a run."""

    def __init__(self, of: ExperimentRun):
        self._of = of

    def progress(self, progress: Progress) -> None:
        self._of._tell(f"{progress.variant.id}: {progress.stage}")


def by_graph(points: Sequence[Point]) -> Iterator[tuple[GraphChoice, list[Point]]]:
    """The points in groups of the same graph, in order."""
    groups: list[tuple[GraphChoice, list[Point]]] = []
    for point in points:
        if groups and groups[-1][0] is point.graph:
            groups[-1][1].append(point)
        else:
            groups.append((point.graph, [point]))
    return iter(groups)


def _distinct_variants(points: Sequence[Point]) -> list[Point]:
    """The first point of every variant: a run has each variant once."""
    first: dict[str, Point] = {}
    for point in points:
        first.setdefault(point.series.variant.id, point)
    return list(first.values())
