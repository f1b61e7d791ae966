"""What a host of a cluster does for an experiment, in its worker: it measures a point as this
machine would, by an `ExperimentRun` of that point alone, and says what it is equipped with.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from solvers.core.variant import find_variant
from solvers.devices.device import Device
from solvers.devices.monitor import memory_bandwidth
from solvers.errors import TautpathError
from solvers.features.clusters.workers import COUNTER
from solvers.features.experiments.forecast import GridForecast, PointForecast, forecast
from solvers.features.experiments.graphs import GraphFiles, GraphPicture
from solvers.features.experiments.grid import GraphChoice
from solvers.features.experiments.measure import ExperimentRequest, ExperimentRun, source_of
from solvers.features.experiments.measurement import Equipment, Measurement, Omission, Resumption
from solvers.features.experiments.probe import probed
from solvers.features.experiments.spec import Experiment
from solvers.graphs.graph import Graph
from solvers.running.estimate import EarlierTime
from solvers.running.kept_run import GraphFacts, GraphSource, KeptRun, MachineFacts
from solvers.running.request import find_device
from solvers.running.run import new_run_id
from solvers.system.cancel import SILENT, CancelToken, Progress
from solvers.version import __version__

_lock = threading.Lock()
_open: list[tuple[GraphChoice, Graph, GraphSource]] = []  # the last one: several may not fit
_pictures: dict[str, GraphPicture] = {}
_tokens: dict[str, CancelToken] = {}


class LastGraph(GraphFiles):
    """Keeps the graph that was made last in this process for the points that follow."""

    def make(self, choice: GraphChoice, progress: Progress = SILENT) -> tuple[Graph, GraphSource]:
        with _lock:
            if not _open or _open[0][0] != choice:
                _open.clear()
                _pictures.clear()
                _open.append((choice, *super().make(choice, progress)))
            return _open[0][1:]


@dataclass(frozen=True)
class Surroundings:
    """What a host needs to know besides the point: what is wanted, without what belongs
    to one machine.

    ``run`` is the id for cancellation; graph files are looked for in the ``folders``;
    ``device`` is as ``--device``.
    """

    run: str
    wanted: ExperimentRequest
    folders: tuple[str, ...]
    device: str

    @classmethod
    def of(cls, wanted: ExperimentRequest, folders: Iterable[Path], device: str) -> Surroundings:
        """Those of a new run, with whole paths."""
        sent = replace(
            wanted, forecast=GridForecast(()), files=GraphFiles(), device=None, store=None
        )
        return cls(new_run_id(), sent, tuple(str(one.resolve()) for one in folders), device)

    def request(self, look: GridForecast) -> ExperimentRequest:
        """What is wanted, with the files and the device of this host."""
        return replace(
            self.wanted,
            forecast=look,
            files=LastGraph(map(Path, self.folders)),
            device=self.found_device(),
        )

    def found_device(self) -> Device | None:
        return find_device(
            self.device, [find_variant(one.variant.id) for one in self.wanted.experiment.series]
        )


@dataclass(frozen=True)
class HostOutcome:
    """What came of a point on a host; ``run`` names graph, source and machine, and
    holds no variant yet.
    """

    found: Measurement | Omission
    run: KeptRun
    picture: GraphPicture | None  # None where no point of the graph has been measured


def measure_point(look: PointForecast, kept: Resumption, around: Surroundings) -> HostOutcome | str:
    """Look up or measure one point as this machine does; a text says why its graph
    cannot be had here.
    """
    request, point, token = around.request(GridForecast((look,))), look.point, _token_of(around.run)
    try:
        graph, where = request.files.make(point.graph, Progress(token))
        source = source_of(graph, point.graph)
    except (TautpathError, MemoryError) as error:
        return str(error).removesuffix(".") or "out of memory"
    began = time.perf_counter()
    (found,) = ExperimentRun(request=request, cancel=token, kept=kept, pictures=_pictures).measure()
    name = graph.vertex_text(source) if graph.has_labels else ""
    run = KeptRun(
        new_run_id(),
        "",
        __version__,
        request.origin,
        GraphFacts.of(graph, where),
        int(graph.ids[source]),
        None,
        replace(MachineFacts.here(), host=socket.gethostname()),
        name=request.title,
        experiment=request.key,
        source_name=name,
    )
    COUNTER.add(0, time.perf_counter() - began)
    COUNTER.say(
        f"{found.reason if isinstance(found, Omission) else 'measured'}: "
        f"{point.title} on {point.graph.title}"
    )
    return HostOutcome(found, run, _pictures.get(graph.sha256))


def equipment_here(around: Surroundings) -> Equipment:
    """Processor, cores and device of this host; no device where no variant takes one."""
    return Equipment.here(around.found_device())


def bandwidth_here(around: Surroundings) -> float:
    """Bytes per second of the device's memory; 0 if there is no device, or it has no
    room for the measurement.
    """
    device = around.found_device()
    return (0.0 if device is None else memory_bandwidth(device)) or 0.0


def forecast_here(
    around: Surroundings, experiment: Experiment, earlier: Sequence[EarlierTime], probes: bool
) -> Any:
    """How long the points take on this host, or why they are left out; after single
    trials if it ``probes``.
    """
    request = replace(around.request(GridForecast(())), experiment=experiment)
    token = _token_of(around.run)
    look = forecast(
        experiment,
        request.scale,
        request.files,
        request.device,
        earlier,
        request.measuring,
        Progress(token),
    )
    request = replace(request, forecast=look)
    return (
        probed(request, earlier, token, COUNTER.say, always=True) if probes else request
    ).forecast


async def cancel_points(run_id: str) -> None:
    """End what this process measures for a run; called beside the task."""
    _token_of(run_id).cancel()


def _token_of(run_id: str) -> CancelToken:
    """One for each run; those of earlier runs are dropped when they are many."""
    while len(_tokens) > 16 and run_id not in _tokens:
        _tokens.pop(next(iter(_tokens)))
    return _tokens.setdefault(run_id, CancelToken())
