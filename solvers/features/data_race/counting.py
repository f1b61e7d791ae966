"""Data-race experiment: runs a racy variant many times on one problem and counts wrong
runs and vertices.

`raise_contention` runs it on graphs of rising contention until a run is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.core.availability import availability
from solvers.core.problem import Problem
from solvers.core.requirements import require_nonnegative
from solvers.core.variant import Variant
from solvers.devices.device import Device
from solvers.graphs import generators
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.system.array_types import Bools, Float64s
from solvers.system.cancel import SILENT, Progress
from solvers.verification.reference import reference_distances

# Float sums in another order differ by rounding errors, which are much smaller than the
# errors of a race.
_TOLERANCE = 1e-9  # relative

COUNTEREXAMPLE = "contention"

# The paper's graph; its costs in an order in which the last write of neighbouring
# threads is seldom the least; then more vertices that all middle ones write to, each of
# which is one more chance in every run.
LEVELS: tuple[Mapping[str, Any], ...] = (
    {"vertices": 1024},
    {"vertices": 1024, "order": "scattered"},
    {"vertices": 1024, "lasts": 64, "order": "scattered"},
    {"vertices": 8192, "lasts": 256, "order": "scattered"},
)


@dataclass(frozen=True)
class WrongVertex:
    """A vertex with a wrong distance; distances are inf if it is unreachable."""

    run: int  # index, from 0
    vertex: int
    found: float
    right: float


@dataclass(frozen=True)
class RaceReport:
    """How often a racy variant was wrong."""

    runs: int
    wrong_runs: int
    wrong_vertices_per_run: tuple[int, ...]  # one count for each run, 0 for a correct one
    example: WrongVertex | None  # the vertex with the largest error in the first wrong run


def count_wrong_runs(
    graph: Graph,
    source: int,
    variant: Variant,
    device: Device,
    runs: int,
    progress: Progress = SILENT,
) -> RaceReport:
    """Run ``variant`` repeatedly with its default parameters and compare its answers
    with the correct distances.

    ``progress`` receives the number of finished runs.

    Raises Cancelled, OutOfMemory, UnsuitableGraph.
    """
    require_nonnegative(graph, variant.id)
    truth = reference_distances(graph, source, progress)
    assert truth is not None  # no negative weight, so no negative cycle
    right = to_float(truth)
    wrong_vertices: list[int] = []
    example: WrongVertex | None = None
    for run in range(runs):
        progress.checkpoint(run, runs)
        problem = Problem(
            graph, source, parameters=variant.settle({}), device=device, progress=progress.silent()
        )
        distances = variant.solve(problem).distances
        found = to_float(distances)
        tolerance = _TOLERANCE if distances.dtype.kind == "f" else 0.0
        wrong = ~np.isclose(found, right, rtol=tolerance, atol=0)
        wrong_vertices.append(int(np.count_nonzero(wrong)))
        if example is None and wrong_vertices[-1]:
            example = _furthest_off(run, found, right, wrong)
    return RaceReport(
        runs, sum(count > 0 for count in wrong_vertices), tuple(wrong_vertices), example
    )


def _furthest_off(run: int, found: Float64s, right: Float64s, wrong: Bools) -> WrongVertex:
    candidates = np.flatnonzero(wrong)
    vertex = int(candidates[np.argmax(found[candidates] - right[candidates])])
    return WrongVertex(run, vertex, float(found[vertex]), float(right[vertex]))


@dataclass(frozen=True)
class ContentionLevel:
    """One graph of the experiment and its result."""

    graph: Graph
    writers: int  # vertices that write to each last vertex at the same time
    lasts: int  # last vertices
    report: RaceReport


def raise_contention(
    variant: Variant, device: Device, runs: int, progress: Progress = SILENT
) -> tuple[ContentionLevel, ...]:
    """Count wrong runs on graph after graph of `LEVELS`, until there is one or the graphs end.

    The number of finished runs of all levels is reported. Only the last level can have
    wrong runs; graphs for which the device lacks memory are left out, except the first.
    Raises Cancelled, OutOfMemory.
    """
    family = generators.find(COUNTEREXAMPLE)
    found: list[ContentionLevel] = []
    for i, given in enumerate(LEVELS):
        before, total = i * runs, len(LEVELS) * runs
        progress.checkpoint(before, total)
        parameters = family.settle(given)
        graph = family.make(parameters, progress.silent())
        if found and not availability(variant, graph, device).available:
            break
        report = count_wrong_runs(
            graph, 0, variant, device, runs, progress.part(before, runs, total)
        )
        found.append(
            ContentionLevel(graph, graph.n - 1 - parameters["lasts"], parameters["lasts"], report)
        )
        if report.wrong_runs:
            break
    return tuple(found)
