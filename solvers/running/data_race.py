"""Data-race experiment: runs a racy variant many times on one problem and counts wrong runs and vertices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.requirements import require_nonnegative
from solvers.contracts.catalog import Variant
from solvers.contracts.problem import Problem
from solvers.devices.base import Device
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.host.cancel_only import CancelOnly
from solvers.host.observer import SILENT, Observer
from solvers.proof.reference import reference_distances

# Float sums in another order differ by rounding errors, which are much smaller than the errors of a race.
_RELATIVE_TOLERANCE = {"float32": 1e-4, "float64": 1e-9}


@dataclass(frozen=True)
class WrongVertex:
    """A vertex with a wrong distance.

    Attributes
    ----------
    run : int
        Index of the run, from 0.
    vertex : int
        Vertex index.
    found, right : float
        Its distance in that run, and the correct one; inf if unreachable.
    """

    run: int
    vertex: int
    found: float
    right: float


@dataclass(frozen=True)
class RaceReport:
    """How often a racy variant was wrong.

    Attributes
    ----------
    runs, wrong_runs : int
    wrong_vertices_per_run : tuple of int
        One count per run, 0 for a correct run.
    example : WrongVertex or None
        The vertex with the largest error in the first wrong run.
    """

    runs: int
    wrong_runs: int
    wrong_vertices_per_run: tuple[int, ...]
    example: WrongVertex | None


def count_wrong_runs(
    graph: Graph, source: int, variant: Variant, device: Device, runs: int, observer: Observer = SILENT
) -> RaceReport:
    """Run ``variant`` repeatedly with its default parameters and compare its answers with the correct distances.

    Parameters
    ----------
    graph : Graph
        The generator ``contention`` makes the graph of Martín's counterexample.
    source : int
        Vertex index.
    variant : Variant
        A single-source variant, usually a racy one.
    device : Device
    runs : int
        At least 1.
    observer : Observer
        Receives the number of finished runs; checked for cancellation between and during runs.

    Raises
    ------
    Cancelled, OutOfMemory, UnsuitableGraph
    """
    require_nonnegative(graph, variant.id)
    truth = reference_distances(graph, source, observer)
    assert truth is not None  # no negative weight, so no negative cycle
    right = to_float(truth)
    wrong_vertices: list[int] = []
    example: WrongVertex | None = None
    for run in range(runs):
        observer.checkpoint(run, runs)
        problem = Problem(graph, source, parameters=variant.settle({}), device=device, observer=CancelOnly(observer))
        distances = variant.solve(problem).distances
        found = to_float(distances)
        wrong = ~np.isclose(found, right, rtol=_RELATIVE_TOLERANCE.get(distances.dtype.name, 0), atol=0)
        wrong_vertices.append(int(np.count_nonzero(wrong)))
        if example is None and wrong_vertices[-1]:
            example = _furthest_off(run, found, right, wrong)
    return RaceReport(runs, sum(count > 0 for count in wrong_vertices), tuple(wrong_vertices), example)


def _furthest_off(
    run: int, found: NDArray[np.float64], right: NDArray[np.float64], wrong: NDArray[np.bool_]
) -> WrongVertex:
    candidates = np.flatnonzero(wrong)
    vertex = int(candidates[np.argmax(found[candidates] - right[candidates])])
    return WrongVertex(run, vertex, float(found[vertex]), float(right[vertex]))
