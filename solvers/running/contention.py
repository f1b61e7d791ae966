"""Runs a racy variant on graphs of rising contention until a run is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from solvers.contracts.availability import availability
from solvers.contracts.catalog import Variant
from solvers.devices.base import Device
from solvers.graphs import generators
from solvers.graphs.graph import Graph
from solvers.host.cancel_only import CancelOnly
from solvers.host.observer import SILENT, Observer
from solvers.running.data_race import RaceReport, count_wrong_runs

COUNTEREXAMPLE = "contention"

# The paper's graph; its costs in an order in which the last write of neighbouring threads is seldom the least; then
# more vertices that all middle ones write to, each of which is one more chance in every run.
LEVELS: tuple[Mapping[str, Any], ...] = (
    {"vertices": 1024},
    {"vertices": 1024, "order": "scattered"},
    {"vertices": 1024, "lasts": 64, "order": "scattered"},
    {"vertices": 8192, "lasts": 256, "order": "scattered"},
)


@dataclass(frozen=True)
class ContentionLevel:
    """One graph of the experiment and what came of it.

    Attributes
    ----------
    graph : Graph
    writers : int
        Vertices that write to each last vertex at the same time.
    lasts : int
        Last vertices.
    report : RaceReport
    """

    graph: Graph
    writers: int
    lasts: int
    report: RaceReport


def raise_contention(
    variant: Variant, device: Device, runs: int, observer: Observer = SILENT
) -> tuple[ContentionLevel, ...]:
    """Count wrong runs on graph after graph of `LEVELS`, until there is one or the graphs end.

    Parameters
    ----------
    variant : Variant
        A racy variant with one source.
    device : Device
    runs : int
        Runs on each graph, at least 1.
    observer : Observer
        Receives the number of finished runs of all levels; checked for cancellation.

    Returns
    -------
    tuple of ContentionLevel
        At least one; only the last can have wrong runs. Graphs for which the device lacks memory are left out.

    Raises
    ------
    Cancelled, OutOfMemory
    """
    return tuple(_levels(variant, device, runs, observer))


def _levels(variant: Variant, device: Device, runs: int, observer: Observer) -> Iterator[ContentionLevel]:
    family = generators.find(COUNTEREXAMPLE)
    for i, given in enumerate(LEVELS):
        before, total = i * runs, len(LEVELS) * runs
        observer.checkpoint(before, total)
        parameters = family.settle(given)
        graph = family.make(parameters, CancelOnly(observer))
        if i > 0 and not availability(variant, graph, device).available:
            return
        report = count_wrong_runs(graph, 0, variant, device, runs, _PartOfRuns(observer, before, total))
        yield ContentionLevel(graph, graph.n - 1 - parameters["lasts"], parameters["lasts"], report)
        if report.wrong_runs:
            return


class _PartOfRuns(Observer):
    """Reports the runs on one graph as part of those on all graphs."""

    def __init__(self, whole: Observer, before: int, total: int):
        super().__init__()
        self._whole, self._before, self._total = whole, before, total

    def checkpoint(self, done: float | None = None, total: float | None = None) -> None:
        if done is None:
            self._whole.checkpoint()
        else:
            self._whole.checkpoint(self._before + done, self._total)
