"""A rough model of the time of each algorithm: orders of magnitude, for estimates where nothing was measured yet.

A variant does a number of steps (arcs relaxed, cells scanned) at some speed, in rounds that depend on each other; each
round costs a launch, a barrier or a message.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from solvers.contracts.catalog import Algorithm, Answers, RunsOn, Variant
from solvers.devices.base import Device
from solvers.graphs.graph import Graph
from solvers.host import machine

_MOST_ROADS = 16  # of one crossing


@dataclass(frozen=True)
class GraphShape:
    """What the model needs of a graph.

    Attributes
    ----------
    n, m : int
        Vertices and arcs.
    is_narrow : bool
        All vertices have few arcs, as in road networks and grids, so that paths of many arcs are the shortest.
    """

    n: int
    m: int
    is_narrow: bool

    @classmethod
    def of(cls, graph: Graph) -> GraphShape:
        return cls(graph.n, graph.m, bool(graph.n and graph.out_degrees.max() <= _MOST_ROADS))

    @property
    def depth(self) -> float:
        """Arcs on the shortest path with the most of them."""
        return 2 * math.sqrt(self.n) if self.is_narrow else math.log2(self.n + 2)


@dataclass(frozen=True)
class _Work:
    steps: float
    rounds: float


def _delta_stepping(graph: GraphShape) -> _Work:
    return _Work(2.0 * (graph.n + graph.m), graph.depth)


def _heap(graph: GraphShape) -> _Work:
    return _Work(graph.m + graph.n * math.log2(graph.n + 2), 1)


def _passes(graph: GraphShape) -> _Work:
    return _Work(graph.depth * graph.m, graph.depth)


def _all_passes(graph: GraphShape) -> _Work:
    return _Work(float(graph.n) * graph.m, graph.n)


def _scan_for_each_vertex(graph: GraphShape) -> _Work:
    return _Work(graph.n * graph.n / _SCAN_SPEED + graph.m, graph.n)


def _search_from_each_vertex(graph: GraphShape) -> _Work:
    return _Work(float(graph.n) * (graph.n + graph.m), graph.depth)


def _heap_from_each_vertex(graph: GraphShape) -> _Work:
    return _Work(graph.n * _heap(graph).steps, 1)


def _scan_from_each_vertex(graph: GraphShape) -> _Work:
    return _Work(float(graph.n) ** 3 / (2 * _SCAN_SPEED), 1)  # half: not every vertex reaches all


def _thread_from_each_vertex(graph: GraphShape) -> _Work:
    return _Work(float(graph.n) ** 3 / 2, 1)  # each thread scans an array of its own, cell by cell


def _cubic(graph: GraphShape) -> _Work:
    return _Work(float(graph.n) ** 3 / _SCAN_SPEED, graph.n)


_WORK: dict[tuple[Algorithm, Answers], Callable[[GraphShape], _Work]] = {
    (Algorithm.BELLMAN_FORD, Answers.SSSP): _passes,
    (Algorithm.DIJKSTRA, Answers.SSSP): _scan_for_each_vertex,
    (Algorithm.DIJKSTRA, Answers.APSP): _heap_from_each_vertex,
    (Algorithm.FLOYD_WARSHALL, Answers.APSP): _cubic,
    (Algorithm.MODERN, Answers.APSP): _search_from_each_vertex,
}
_WORK_OF_VARIANT = {
    "dijkstra-heap": _heap,
    "dijkstra-fibonacci": _heap,
    "dijkstra-apsp-serial": _scan_from_each_vertex,
    "dijkstra-apsp-source": _thread_from_each_vertex,
}

# Speeds of machines of about 2025.
_SCAN_SPEED = 8.0  # neighbouring cells are handled together, in cache lines and vectors
_STEPS_PER_CORE_S = 2e8
_STEPS_PER_GPU_S = 5e10
_SLOWER_FACTOR = {"bf-python": 30.0}  # interpreted
_ROUND_S = {
    RunsOn.SERIAL: 0.0,
    RunsOn.OPENMP: 10e-6,
    RunsOn.MPI: 75e-6,
    RunsOn.GPU: 30e-6,
    RunsOn.HYBRID: 400e-6,
    RunsOn.ANY: 10e-6,
}
_CALL_S = 10e-6
_HAND_OVER_TO_RANKS_S = 2e-3
_START_OF_RANKS_S = 2.0


def start_seconds(variant: Variant) -> float:
    """Order of magnitude of the time before the first trial that no other trial takes: MPI ranks start once for all."""
    return _START_OF_RANKS_S if variant.runs_on is RunsOn.MPI else 0.0


def model_seconds(
    variant: Variant, graph: GraphShape, device: Device | None, parameters: Mapping[str, Any] = MappingProxyType({})
) -> float:
    """Order of magnitude of the time of one trial.

    Parameters
    ----------
    variant : Variant
    graph : GraphShape
    device : Device or None
        The device that the variant uses.
    parameters : mapping
        Its parameters; without ``early_exit``, all passes are made, and with ``queue`` "heap" nothing is scanned.
    """
    work = _work_of(variant, parameters)(graph)
    speed = _STEPS_PER_CORE_S
    if device is not None and not device.is_cpu:
        speed = _STEPS_PER_GPU_S
    elif variant.runs_on is not RunsOn.SERIAL:
        speed *= machine.cores()
    call = _HAND_OVER_TO_RANKS_S if variant.runs_on is RunsOn.MPI else _CALL_S
    return call + _SLOWER_FACTOR.get(variant.id, 1.0) * work.steps / speed + work.rounds * _ROUND_S[variant.runs_on]


def _work_of(variant: Variant, parameters: Mapping[str, Any]) -> Callable[[GraphShape], _Work]:
    if parameters.get("early_exit") is False:
        return _all_passes
    by_algorithm = _WORK.get((variant.algorithm, variant.answers), _delta_stepping)
    return by_algorithm if parameters.get("queue") == "heap" else _WORK_OF_VARIANT.get(variant.id, by_algorithm)
