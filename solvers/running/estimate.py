"""How long a run will take: from earlier runs where there are some, otherwise from a
rough model of each algorithm.

The model gives orders of magnitude, where nothing was measured yet. A variant does a
number of steps (arcs relaxed, cells scanned) at some speed, in rounds that depend on
each other; each round costs a launch, a barrier or a message. A variant that was never
timed on a device has its functions and kernels compiled first, which takes longer than
many a solve.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from types import MappingProxyType
from typing import Any

from solvers.core.availability import availability
from solvers.core.result import Result
from solvers.core.variant import Algorithm, Answers, RunsOn, Variant
from solvers.devices.device import Device, kind_of_driver
from solvers.graphs.graph import Graph
from solvers.running.request import (
    LEAST_MEASURED_S,
    LEAST_TRIALS,
    Choice,
    MeasurementPlan,
    RunRequest,
)
from solvers.system import machine
from solvers.text import rounded_duration

WORTH_TELLING_S = 10.0
"""Shorter runs are over before a user has read how long they take."""

# For plans without fixed counts, on a machine with little other load; noise and short
# solves need more.
_USUAL_WARMUPS, _USUAL_TRIALS = 2, 2 * LEAST_TRIALS
_LEAST_SPAN = 1.5  # between the models of two probed graphs
_GROWTH = (0.6, 1.2)  # bounds of the measured growth, relative to the model's

_MOST_ROADS, _MOST_ROADS_MEAN = 16, 4.0  # of one crossing

_COMPOUND = "da2cf-"

# Speeds of machines of about 2025.
_SCAN_SPEED = 8.0  # neighbouring cells are handled together, in cache lines and vectors
_STEPS_PER_CORE_S = 2e8
_STEPS_PER_GPU_S = 5e10
_SLOWER_FACTOR = {"bf-python": 30.0}  # interpreted
_ROUND_S = {
    RunsOn.SERIAL: 0.0,
    RunsOn.OPENMP: 10e-6,
    RunsOn.THREADS: 2e-6,
    RunsOn.MPI: 75e-6,
    RunsOn.GPU: 30e-6,
    RunsOn.HYBRID: 400e-6,
    RunsOn.ANY: 10e-6,
}
_ROUND_ON_PROCESSOR_S = 300e-6  # of kernels, whose launches start threads there
_CALL_S = 10e-6
_HAND_OVER_TO_RANKS_S = 2e-3
_START_OF_RANKS_S = 2.0
# functions are mostly in the cache, from the installation
_COMPILE_KERNELS_S, _COMPILE_FUNCTIONS_S = 2.0, 0.5


class EstimateBasis(IntEnum):
    """The source of an estimate, from the best to the worst."""

    MEASURED = 0
    SCALED = 1
    PROBED = 2
    MODEL = 3

    @property
    def words(self) -> str:
        return (
            "measured before on this graph",
            "scaled from earlier runs on other graphs",
            "scaled from single trials on small graphs",
            "a rough guess from the size of the graph",
        )[self]


@dataclass(frozen=True)
class EarlierTime:
    """What a variant took in a run before."""

    variant_id: str
    parameters: Mapping[str, Any]  # settled, as those of a `Result`
    vertices: int
    arcs: int
    device_name: str  # "" for CPU variants
    total_ms: float  # median of the run
    is_probe: bool = False  # one trial, made for a forecast
    # "cuda" or "opencl", whose launches take longer; "" for CPU variants, or if unknown
    device_kind: str = ""
    source: int | None = None  # of a kept run, as the next: id in the file
    graph_sha256: str = ""
    run_id: str = ""

    @classmethod
    def of(cls, result: Result) -> EarlierTime | None:
        """The time of a result; None if it has none."""
        median = result.median()
        if median is None:
            return None
        graph, kind = result.graph, kind_of_driver(result.driver)
        settled = dict(result.parameters)
        return cls(
            result.variant.id,
            settled,
            graph.n,
            graph.m,
            result.device_name,
            median,
            device_kind=kind,
        )

    def is_of(self, device: Device | None) -> bool:
        """Whether it was measured on that device, through the same interface; None for
        CPU variants.
        """
        if device is None:
            return not self.device_name
        return self.device_name == device.name and self.device_kind in ("", device.kind)


@dataclass(frozen=True)
class VariantEstimate:
    """Expected time of one variant, with compilation, warm-ups and trials, and its source."""

    variant_id: str
    seconds: float
    basis: EstimateBasis
    compile_s: float = 0.0  # of these seconds, those that a second run of the variant does not take


@dataclass(frozen=True)
class RunEstimate:
    """Expected time of a run, without verification."""

    variants: tuple[VariantEstimate, ...]  # those that can run on this machine, in order

    @property
    def seconds(self) -> float:
        return sum(estimate.seconds for estimate in self.variants)

    @property
    def basis(self) -> EstimateBasis:
        """The worst basis among the variants that take at least a tenth of the time."""
        return max(
            (e.basis for e in self.variants if e.seconds >= self.seconds / 10),
            default=EstimateBasis.MEASURED,
        )

    @property
    def is_worth_telling(self) -> bool:
        return self.seconds > WORTH_TELLING_S

    @property
    def words(self) -> str:
        """For display: "about 2 min (scaled from earlier runs on other graphs)"."""
        return f"about {rounded_duration(self.seconds)} ({self.basis.words})"


def estimate_run(request: RunRequest, earlier: Iterable[EarlierTime] = ()) -> RunEstimate:
    """Expected time of a run; ``earlier`` are times of any graphs on the same machine.

    Raises UnknownName, ParameterError as `Variant.settle`.
    """
    known = tuple(earlier)
    found = (_estimate_variant(request, choice, known) for choice in request.choices)
    return RunEstimate(tuple(estimate for estimate in found if estimate is not None))


def _estimate_variant(
    request: RunRequest, choice: Choice, known: Sequence[EarlierTime]
) -> VariantEstimate | None:
    """None if the variant cannot run."""
    variant, graph = choice.variant, request.graph
    device = request.device if variant.runs_on.takes_device else None
    parameters = variant.settle(choice.parameters)
    if not availability(variant, graph, device, parameters).available:
        return None
    alike = [e for e in known if e.variant_id == variant.id and e.is_of(device)]
    trial_s, basis = _trial_seconds(variant, parameters, graph, device, alike)
    runs = trial_s if request.trace else 0.0
    compile_s = 0.0 if alike else compile_seconds(variant)
    whole = compile_s + start_seconds(variant) + runs + _plan_seconds(request.plan, trial_s)
    return VariantEstimate(variant.id, whole, basis, compile_s)


def _trial_seconds(
    variant: Variant,
    parameters: Mapping[str, Any],
    graph: Graph,
    device: Device | None,
    alike: Sequence[EarlierTime],
) -> tuple[float, EstimateBasis]:
    """Expected time of one trial; ``alike`` are earlier times of the same variant on
    the same device.

    Of times on other graphs, the one on the graph that is nearest in size is scaled as
    the model grows.
    """
    shape = GraphShape.of(graph)
    guess = model_seconds(variant, shape, device, parameters)
    same_parameters = [e for e in alike if e.parameters == parameters]
    here = [e for e in same_parameters if (e.vertices, e.arcs) == (graph.n, graph.m)]
    if here:
        basis = EstimateBasis.PROBED if all(e.is_probe for e in here) else EstimateBasis.MEASURED
        return statistics.median(e.total_ms for e in here) / 1e3, basis

    def model_of(entry: EarlierTime) -> float:
        return model_seconds(
            variant, replace(shape, n=entry.vertices, m=entry.arcs), device, entry.parameters
        )

    entries = same_parameters or alike
    entries = [e for e in entries if not e.is_probe] or entries
    nearest = min(entries, key=lambda e: abs(math.log(guess / model_of(e))), default=None)
    if nearest is None:
        return guess, EstimateBasis.MODEL
    ratio = guess / model_of(nearest)
    if not nearest.is_probe:
        return nearest.total_ms / 1e3 * ratio, EstimateBasis.SCALED
    growth = _measured_growth(
        [(model_of(e), e.total_ms) for e in entries if e.parameters == nearest.parameters]
    )
    return nearest.total_ms / 1e3 * ratio**growth, EstimateBasis.PROBED


def _measured_growth(points: Sequence[tuple[float, float]]) -> float:
    """Slope of the logarithm of the time over that of the model's; 1, the model's own,
    if the models hardly differ.

    Small graphs show fixed costs rather than growth, and single trials scatter: the
    slope is kept near the model's.
    """
    (least, fast), (most, slow) = min(points), max(points)
    if most < _LEAST_SPAN * least:
        return 1.0
    slope = math.log(slow / fast) / math.log(most / least) if slow > 0 < fast else 1.0
    return min(max(slope, _GROWTH[0]), _GROWTH[1])


def _plan_seconds(plan: MeasurementPlan, trial_s: float) -> float:
    """Time of warm-ups and trials if each takes ``trial_s``."""
    if plan.trials == 0:
        return 0.0
    limit = plan.limit_s
    warmups = _USUAL_WARMUPS if plan.warmups is None else plan.warmups
    first = trial_s if warmups else 0.0
    later_warmups = 0 if trial_s >= limit else max(0, warmups - 1)
    if plan.trials is None:
        least_s = max(
            min(_USUAL_TRIALS, plan.most) * trial_s, min(LEAST_MEASURED_S, plan.most * trial_s)
        )
    else:
        least_s = plan.trials * trial_s
    return first + min(later_warmups * trial_s + least_s, max(limit, trial_s))


@dataclass(frozen=True)
class GraphShape:
    """What the model needs of a graph."""

    n: int
    m: int
    # like road networks and grids: few roads at every crossing, and shortest paths of
    # many arcs
    is_narrow: bool

    @classmethod
    def of(cls, graph: Graph) -> GraphShape:
        has_roads = graph.coordinates is not None or graph.m <= _MOST_ROADS_MEAN * graph.n
        return cls(
            graph.n, graph.m, bool(graph.n and has_roads and graph.greatest_degree <= _MOST_ROADS)
        )

    @property
    def depth(self) -> float:
        """Number of arcs on the shortest path that has most of them."""
        return 2 * math.sqrt(self.n) if self.is_narrow else math.log2(self.n + 2)


@dataclass(frozen=True)
class _Work:
    steps: float
    rounds: float


def _delta_stepping(graph: GraphShape) -> _Work:
    return _Work(2.0 * (graph.n + graph.m), graph.depth)


def _heap(graph: GraphShape) -> _Work:
    return _Work(graph.m + graph.n * math.log2(graph.n + 2), 1)


def _all_passes(graph: GraphShape) -> _Work:
    return _Work(float(graph.n) * graph.m, graph.n)


def _compound_frontiers(graph: GraphShape) -> _Work:
    """Every round settles a frontier, which is few vertices of a road network and many
    of a random graph.
    """
    rounds = graph.n if graph.is_narrow else 2 * graph.depth
    return _Work(rounds * graph.n / _SCAN_SPEED + graph.m, rounds)


_WORK: dict[tuple[Algorithm, Answers], Callable[[GraphShape], _Work]] = {
    (Algorithm.BELLMAN_FORD, Answers.SSSP): lambda graph: _Work(graph.depth * graph.m, graph.depth),
    (Algorithm.DIJKSTRA, Answers.SSSP): lambda graph: _Work(
        graph.n * graph.n / _SCAN_SPEED + graph.m, graph.n
    ),
    (Algorithm.DIJKSTRA, Answers.APSP): lambda graph: _Work(graph.n * _heap(graph).steps, 1),
    (Algorithm.FLOYD_WARSHALL, Answers.APSP): lambda graph: _Work(
        float(graph.n) ** 3 / _SCAN_SPEED, graph.n
    ),
    (Algorithm.MODERN, Answers.APSP): lambda graph: _Work(
        float(graph.n) * (graph.n + graph.m), graph.depth
    ),
}
_WORK_OF_VARIANT: dict[str, Callable[[GraphShape], _Work]] = {
    "dijkstra-heap": _heap,
    "dijkstra-fibonacci": _heap,
    # Half of the scans, as not every vertex reaches all; each thread of the other scans
    # an array of its own by cells.
    "dijkstra-apsp-serial": lambda graph: _Work(float(graph.n) ** 3 / (2 * _SCAN_SPEED), 1),
    "dijkstra-apsp-source": lambda graph: _Work(float(graph.n) ** 3 / 2, 1),
}


def start_seconds(variant: Variant) -> float:
    """Order of magnitude of the time before the first trial that no other trial takes:
    MPI ranks start once for all.
    """
    return _START_OF_RANKS_S if variant.runs_on is RunsOn.MPI else 0.0


def compile_seconds(variant: Variant) -> float:
    """Order of magnitude of the time by which the first solve of a variant on a device
    is longer than the next ones.
    """
    return _COMPILE_KERNELS_S if variant.runs_on.takes_device else _COMPILE_FUNCTIONS_S


def model_seconds(
    variant: Variant,
    graph: GraphShape,
    device: Device | None,
    parameters: Mapping[str, Any] = MappingProxyType({}),
) -> float:
    """Order of magnitude of the time of one trial; ``device`` is the one that the variant uses.

    Without the parameter ``early_exit``, all passes are made, and with ``queue`` "heap"
    nothing is scanned.
    """
    work = _work_of(variant, parameters)(graph)
    speed, round_s = _STEPS_PER_CORE_S, _ROUND_S[variant.runs_on]
    if device is not None and not device.is_cpu:
        speed = _STEPS_PER_GPU_S
    elif variant.runs_on is not RunsOn.SERIAL:
        speed *= machine.cores()
    if device is not None and device.is_cpu:
        round_s = max(round_s, _ROUND_ON_PROCESSOR_S)
    call = _HAND_OVER_TO_RANKS_S if variant.runs_on is RunsOn.MPI else _CALL_S
    return call + _SLOWER_FACTOR.get(variant.id, 1.0) * work.steps / speed + work.rounds * round_s


def _work_of(variant: Variant, parameters: Mapping[str, Any]) -> Callable[[GraphShape], _Work]:
    if parameters.get("early_exit") is False:
        return _all_passes
    by_algorithm = _WORK.get((variant.algorithm, variant.answers), _delta_stepping)
    if variant.id.startswith(_COMPOUND):
        return _compound_frontiers
    return (
        by_algorithm
        if parameters.get("queue") == "heap"
        else _WORK_OF_VARIANT.get(variant.id, by_algorithm)
    )
