"""Runs an experiment on this machine: every point that is not in the store yet, graph by graph; keeps each as it ends.

A run that was killed, cancelled or interrupted is resumed by running the experiment again: what the store holds of it,
on the same graph, machine, device and version, is taken from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from solvers.contracts.results import Result
from solvers.devices.bandwidth import memory_bandwidth
from solvers.devices.base import Device
from solvers.errors import Cancelled, TautlineError
from solvers.experiments.experiment_run import ExperimentRun
from solvers.experiments.graph_picture import graph_picture
from solvers.experiments.grid import GraphChoice, Point, by_graph
from solvers.experiments.limits import TimeLimit, source_of
from solvers.experiments.measurement import Measurement, Omission
from solvers.experiments.point_devices import PointDevices, of_one_device
from solvers.experiments.resumption import MeasuringPlace
from solvers.graphs.graph import Graph
from solvers.host.observer import Observer
from solvers.running.listener import RunListener, RunListeners
from solvers.running.progress import Progress
from solvers.running.runner import Choice, RunRequest, new_run_id, run
from solvers.running.store.conversion import kept_variant
from solvers.running.store.kept_run import GraphFacts, GraphSource, KeptRun, MachineFacts
from solvers.running.store.recorder import RunRecorder
from solvers.version import __version__


@dataclass(kw_only=True)
class LocalExperimentRun(ExperimentRun):
    """One run of an experiment on this machine, in the thread that asks for its outcomes.

    Attributes
    ----------
    listener : RunListener
        Hears of every trial.
    """

    listener: RunListener = field(default_factory=RunListener)

    def memory_bandwidth(self) -> float | None:
        device = self.request.device
        return None if device is None else memory_bandwidth(device)

    def _measure_points(self, points: list[Point]) -> Iterator[Measurement | Omission]:
        self._devices = PointDevices.of_experiment(self.request.experiment, self.request.device)
        for choice, same in by_graph(points):
            yield from self._measure_graph(choice, same)

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
            reason = str(error).removesuffix(".") or "out of memory"
            yield from (self._omit(point, reason) for point in points)
            return
        waiting: list[Point] = []
        for point in points:
            here = MeasuringPlace.here(self._devices.of(point))
            found = self._earlier(point, graph.sha256, int(graph.ids[source]), here)
            if found is not None:
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
            if (left_out := self._if_left_out(point, graph.n)) is not None:
                yield left_out
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
            recorder = RunRecorder(
                self.request.store, request, self.request.origin, where, self.request.title, self.request.key
            )
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
        kept = kept_variant(result)
        if reason := self._why_unmeasured(point, kept, result.graph.n):
            return self._omit(point, reason)
        self._finish(point)
        return Measurement.of(point, of_run, kept, is_earlier=False)

    def _listener_of(self, recorder: RunRecorder | None) -> RunListener:
        limit = TimeLimit(self.cancel, self._limit_s)
        guards = (self.pause.listener(self.cancel), limit, _Telling(self))
        return RunListeners(*guards, self.listener, *(() if recorder is None else (recorder,)))


class _Telling(RunListener):
    """Tells how far the experiment is with every stage of a run."""

    def __init__(self, of: LocalExperimentRun):
        self._of = of

    def progress(self, progress: Progress) -> None:
        self._of._tell(f"{progress.variant.id}: {progress.stage}")


def _distinct_variants(points: Sequence[Point]) -> list[Point]:
    """The first point of every variant: a run has each variant once."""
    first: dict[str, Point] = {}
    for point in points:
        first.setdefault(point.series.variant.id, point)
    return list(first.values())
