"""What the hosts of a cluster do for an experiment: look at a graph, measure a point, forecast. Runs in their workers.

Failures come back as words, since a point that fails on a host is left out, as it is here. Forecasts say how long the
points take on a host, as it finds itself.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from solvers.cluster.worker_facts import COUNTER
from solvers.core.variant import Variant, find_variant
from solvers.devices.device import Device
from solvers.devices.monitor import memory_bandwidth
from solvers.errors import TautlineError
from solvers.experiments.forecast import GridForecast, forecast
from solvers.experiments.graphs import GraphFiles, GraphPicture, graph_picture
from solvers.experiments.grid import GraphChoice, Point
from solvers.experiments.limits import TimeLimit, source_of, time_limit_s
from solvers.experiments.measure import ExperimentRequest
from solvers.experiments.measurement import Equipment
from solvers.experiments.probe import probed
from solvers.experiments.spec import Experiment, ExperimentScale, Measuring
from solvers.graphs.graph import Graph
from solvers.running.estimate import EarlierTime, EstimateBasis
from solvers.running.request import Choice, RunRequest, find_device
from solvers.running.run import new_run_id, run
from solvers.running.store.kept_run import GraphFacts, GraphSource, KeptVariant, MachineFacts
from solvers.running.store.recorder import kept_variant
from solvers.system import machine
from solvers.system.cancel import CancelToken, Progress
from solvers.text import format_duration


@dataclass(frozen=True)
class Surroundings:
    """What a host needs to know besides the point.

    Attributes
    ----------
    run : str
        Id of the experiment's run, for cancellation.
    folders : tuple of str
        In which graph files are looked for.
    device : str
        As ``--device``.
    measuring : Measuring
    """

    run: str
    folders: tuple[str, ...]
    device: str
    measuring: Measuring

    @classmethod
    def of(cls, folders: Iterable[Path], device: str, measuring: Measuring) -> Surroundings:
        """Those of a new run, with whole paths."""
        return cls(new_run_id(), tuple(str(folder.resolve()) for folder in folders), device, measuring)


@dataclass(frozen=True)
class GraphLook:
    """A graph as one host has it.

    Attributes
    ----------
    facts : GraphFacts or None
        None if it cannot be had there.
    source : int
        Id of the source vertex.
    source_name : str
        Its name, in a graph whose vertices have names.
    reason : str
        Why it cannot be had.
    picture : GraphPicture or None
        For reports.
    """

    facts: GraphFacts | None
    source: int = 0
    source_name: str = ""
    reason: str = ""
    picture: GraphPicture | None = None


@dataclass(frozen=True)
class RemoteOutcome:
    """What came of a point on a host.

    Attributes
    ----------
    machine : MachineFacts
    kept : KeptVariant or None
        None if nothing was measured.
    reason : str
        Why nothing was.
    """

    machine: MachineFacts
    kept: KeptVariant | None = None
    reason: str = ""


@dataclass(frozen=True)
class _OpenGraph:
    choice: GraphChoice
    graph: Graph
    where: GraphSource
    source: int


_lock = threading.Lock()
_open: list[_OpenGraph] = []  # the last one: several may not fit
_tokens: dict[str, CancelToken] = {}


def look_at_graph(choice: GraphChoice, around: Surroundings) -> GraphLook:
    """Make or read a graph, keep it for the points that follow, and draw it."""
    try:
        found = _graph(choice, around)
        picture = graph_picture(found.graph, found.source)
    except (TautlineError, MemoryError) as error:
        return GraphLook(None, reason=str(error).removesuffix(".") or "out of memory")
    graph, source = found.graph, found.source
    name = graph.vertex_text(source) if graph.has_labels else ""
    return GraphLook(GraphFacts.of(graph, found.where), int(graph.ids[source]), name, picture=picture)


def measure_point(point: Point, around: Surroundings) -> RemoteOutcome:
    """Warm-ups, timed trials and proof of one point."""
    began, here = time.perf_counter(), replace(MachineFacts.here(), host=socket.gethostname())
    try:
        opened = _graph(point.graph, around)
        variant = find_variant(point.series.variant.id)
        outcome = _measured(opened, variant, point, around, here)
    except (TautlineError, MemoryError) as error:
        outcome = RemoteOutcome(here, reason=str(error).removesuffix(".") or "out of memory")
    seconds = time.perf_counter() - began
    COUNTER.add(0, seconds)
    COUNTER.say(
        f"{outcome.reason or 'measured'}: {point.title} on {point.graph.title}, {format_duration(seconds * 1e3)}"
    )
    return outcome


def cancel_points(run_id: str) -> None:
    """End what this process measures for a run; called beside the task."""
    token_of(run_id).cancel()


def _measured(
    opened: _OpenGraph, variant: Variant, point: Point, around: Surroundings, here: MachineFacts
) -> RemoteOutcome:
    token, limit_s = token_of(around.run), time_limit_s(around.measuring)
    request = RunRequest(
        opened.graph, opened.source, None, (Choice(variant, point.parameters),), find_device(around.device, [variant]),
        around.measuring.plan,
    )  # fmt: skip
    (result,) = run(request, cancel=token, listener=TimeLimit(token, limit_s))
    return RemoteOutcome(here, kept_variant(result))


def _graph(choice: GraphChoice, around: Surroundings) -> _OpenGraph:
    with _lock:
        if not _open or _open[0].choice != choice:
            _open.clear()
            graph, where = files_of(around).make(choice, Progress(token_of(around.run)))
            _open.append(_OpenGraph(choice, graph, where, source_of(graph, choice)))
        return _open[0]


def files_of(around: Surroundings) -> GraphFiles:
    return GraphFiles(map(Path, around.folders))


def token_of(run_id: str) -> CancelToken:
    """One for each run; those of earlier runs are dropped when they are many."""
    while len(_tokens) > 16 and run_id not in _tokens:
        _tokens.pop(next(iter(_tokens)))
    return _tokens.setdefault(run_id, CancelToken())


@dataclass(frozen=True)
class RemoteForecast:
    """What a host says of one point; attributes as those of `PointForecast`."""

    seconds: float
    basis: EstimateBasis
    reason: str
    is_too_long: bool


def equipment_here(device: str, variant_ids: Sequence[str]) -> Equipment | str:
    """Processor, cores and device of this host, or why it has no such device; none where no variant takes one."""
    try:
        chosen = _device(device, variant_ids)
    except TautlineError as error:
        return str(error).removesuffix(".")
    name, driver = ("", "") if chosen is None else (chosen.name, chosen.driver)
    return Equipment(machine.cpu_name(), machine.cores(), name, driver)


def bandwidth_here(device: str, variant_ids: Sequence[str]) -> float:
    """Bytes per second of the device's memory; 0 if there is no device, or it has no room for the measurement."""
    chosen = _device(device, variant_ids)
    return (0.0 if chosen is None else memory_bandwidth(chosen)) or 0.0


def forecast_here(
    experiment: Experiment, scale: ExperimentScale, around: Surroundings, earlier: Sequence[EarlierTime]
) -> tuple[RemoteForecast, ...]:
    """Expected time of every point in order, or why it is left out."""
    return _told(_request(experiment, scale, around, earlier).forecast)


def probe_here(
    experiment: Experiment, scale: ExperimentScale, around: Surroundings, earlier: Sequence[EarlierTime]
) -> tuple[RemoteForecast, ...]:
    """The same after single trials of the smallest points that are guessed."""
    request = _request(experiment, scale, around, earlier)
    return _told(probed(request, earlier, token_of(around.run), COUNTER.say, always=True).forecast)


def _request(
    experiment: Experiment, scale: ExperimentScale, around: Surroundings, earlier: Sequence[EarlierTime]
) -> ExperimentRequest:
    device, files = _device(around.device, [one.variant.id for one in experiment.series]), files_of(around)
    progress = Progress(token_of(around.run))
    look = forecast(experiment, scale, files, device, earlier, around.measuring, progress)
    return ExperimentRequest(experiment, scale, look, files, around.measuring, device)


def _device(spec: str, variant_ids: Sequence[str]) -> Device | None:
    return find_device(spec, [find_variant(one) for one in variant_ids])


def _told(look: GridForecast) -> tuple[RemoteForecast, ...]:
    return tuple(RemoteForecast(one.seconds, one.basis, one.reason, one.is_too_long) for one in look.points)
