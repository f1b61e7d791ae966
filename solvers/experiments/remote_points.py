"""What the hosts of a cluster do for an experiment: look at a graph, measure a point. Runs in their workers.

Failures come back as words, since a point that fails on a host is left out, as it is here.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from solvers.cluster.facts import COUNTER
from solvers.contracts.catalog import Variant, find
from solvers.errors import TautlineError
from solvers.experiments.experiment import Measuring
from solvers.experiments.graph_files import GraphFiles
from solvers.experiments.graph_picture import GraphPicture, graph_picture
from solvers.experiments.grid import GraphChoice, Point
from solvers.experiments.limits import TimeLimit, source_of, time_limit_s
from solvers.graphs.graph import Graph
from solvers.host.observer import CancelToken, Observer
from solvers.running.device_choice import find_device
from solvers.running.runner import Choice, RunRequest, new_run_id, run
from solvers.running.store.conversion import kept_variant
from solvers.running.store.kept_run import GraphFacts, GraphSource, KeptVariant, MachineFacts
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
        variant = find(point.series.variant.id)
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
            graph, where = files_of(around).make(choice, Observer(token_of(around.run)))
            _open.append(_OpenGraph(choice, graph, where, source_of(graph, choice)))
        return _open[0]


def files_of(around: Surroundings) -> GraphFiles:
    return GraphFiles(map(Path, around.folders))


def token_of(run_id: str) -> CancelToken:
    """One for each run; those of earlier runs are dropped when they are many."""
    while len(_tokens) > 16 and run_id not in _tokens:
        _tokens.pop(next(iter(_tokens)))
    return _tokens.setdefault(run_id, CancelToken())
