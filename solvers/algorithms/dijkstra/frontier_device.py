"""Dijkstra adapted to compound frontiers (DA2CF) on a device: relax, minimum and update
are kernels, or some of them.

The host queues the kernels, reads the few values that the minimum's reduction leaves,
and takes the least of them: the next frontier's distance, or infinity at the end. That
one small read an iteration is part of the paper's algorithm, and is timed as solving.

In the loop split between host and device (Martín's UH1 to UH3) the minimum is always
found on the host. Relaxing, updating or both run on the device, and arrays that one
side wrote and the other needs are copied in every iteration. The phases add up these
copies, whose cost the paper set out to show.

Traffic: in every iteration `relax` reads a flag of each vertex, `minimum1` another, and
`update` reads and writes one; the latter two read the distance of each unsettled
vertex.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from solvers.algorithms.arcs import settled_arcs
from solvers.algorithms.dijkstra.frontier_host import (
    FrontierState,
    FrontierWatch,
    least_unresolved,
    promote,
    relax_predecessors,
    slices_of,
    vertex_bytes,
)
from solvers.algorithms.dijkstra.kernel_run import KernelRun, kernel_run
from solvers.algorithms.dijkstra.layouts import MATRIX, device_matrix, rows_on_device
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import UNRESOLVED_DIJKSTRA
from solvers.core.variant import (
    Algorithm,
    Answers,
    Bytes,
    DeviceWork,
    RunsOn,
    Traffic,
    WorkMapping,
    variant,
)
from solvers.graphs.graph import Graph
from solvers.parameters import Parameter
from solvers.system.array_types import AnyArray

BLOCK = Parameter(
    "block",
    256,
    "threads in a block, a power of two for the reduction",
    choices=(32, 64, 128, 256, 512, 1024),
)

_RELAXING = ("relax", "relax_matrix")
_OTHERS = ("minimum1", "minimum2", "update")
_STEPS = 4  # bytes per vertex: the flags

FROM_FRONTIER = DeviceWork(
    _RELAXING,
    _OTHERS,
    Traffic(
        vertex=Bytes(_STEPS),
        unsettled=Bytes(values=2),
        active=Bytes(16, 1),
        relaxed=Bytes(5),
        improved=Bytes(values=2),
    ),
)

FROM_UNSETTLED = DeviceWork(
    _RELAXING,
    _OTHERS,
    Traffic(
        vertex=Bytes(_STEPS),
        unsettled=Bytes(16, 4),
        unsettled_arc=Bytes(5),
        improved=Bytes(values=2),
    ),
)

SHARED_BOUNDS = DeviceWork(
    _RELAXING,
    _OTHERS,
    Traffic(
        vertex=Bytes(_STEPS + 8),
        unsettled=Bytes(values=4),
        unsettled_arc=Bytes(5),
        improved=Bytes(values=2),
    ),
)

KERNEL = Path(__file__).with_name("u_gpu.cu")


def frontier_bytes(graph: Graph) -> int:
    """Device bytes of a compound-frontier program over compressed rows, with blocks of
    the default size.
    """
    size = graph.distance_type.dtype.itemsize
    minimums = -(-graph.n // (2 * int(BLOCK.default)))
    return (graph.n + 1) * 8 + graph.m * (4 + size) + vertex_bytes(graph) + minimums * size


device_variant = partial(
    variant,
    algorithm=Algorithm.DIJKSTRA,
    answers=Answers.SSSP,
    runs_on=RunsOn.GPU,
    needs_nonnegative=True,
    memory=frontier_bytes,
)
"""Registers a program whose every step is a kernel."""

hybrid_variant = partial(
    variant,
    algorithm=Algorithm.DIJKSTRA,
    answers=Answers.SSSP,
    runs_on=RunsOn.HYBRID,
    mapping=WorkMapping.CORE_AND_THREAD_PER_VERTEX,
    pseudocode=UNRESOLVED_DIJKSTRA,
    parameters=(BLOCK,),
    needs_nonnegative=True,
    kernel=KERNEL.name,
)
"""Registers a program that is split between host and device."""


def solve_on_device(
    problem: Problem,
    variant_id: str,
    kernel: Path,
    *,
    predecessors: bool,
    second_minimum: bool = False,
) -> Solution:
    """Run a program whose every step is a kernel.

    Raises UnsuitableGraph, OutOfMemory, KernelBuildError, Cancelled, DeviceUnavailable.

    ``kernel``: holds ``relax`` (rows), ``relax_matrix`` where the variant has a matrix
    layout, and includes ``steps.h``. ``predecessors``: relax from unresolved vertices
    along the rows of the reverse graph (U), not from the frontier (F).
    ``second_minimum``: reduce the minimums once more before the host reads them.
    """
    with kernel_run(problem, kernel, BLOCK=int(problem.parameters["block"])) as run:
        steps = DeviceSteps(run)
        relax = _relaxation(steps, variant_id, predecessors)
        minimum = Minimum(steps, second=second_minimum)
        iterations = run.timed(lambda: _iterate(steps, relax, minimum))
        return _solution(steps, run.download(steps.distance), iterations)


def _solution(steps: DeviceSteps, distances: AnyArray, iterations: int) -> Solution:
    run = steps.run
    relaxations = settled_arcs(run.problem.graph, distances)
    peak = run.session.peak_bytes
    return Solution(distances, iterations, run.phases, relaxations, peak_device_bytes=peak)


def _iterate(steps: DeviceSteps, relax: Callable[[], None], minimum: Minimum) -> int:
    problem, session = steps.run.problem, steps.run.session
    watch = FrontierWatch(
        problem, lambda: session.download(steps.distance), lambda: session.download(steps.frontier)
    )
    infinity = problem.distance_type.infinity
    least, iterations = steps.dtype.type(0), 0
    steps.start()
    while least < infinity:
        watch.begin()
        relax()
        least = minimum()
        if least < infinity:
            steps.update(least)
        watch.end()
        iterations += 1
        problem.progress.checkpoint()
    return iterations


class DeviceSteps:
    """The per-vertex arrays of DA2CF on a device, and the kernels over them.

    ``distance``, ``frontier`` and ``unresolved`` are (n,) of the distance type, uint8
    and uint8.
    """

    def __init__(self, run: KernelRun):
        self.run, self.dtype = run, run.problem.distance_type.dtype
        self.distance = run.empty(self.dtype)
        self.frontier, self.unresolved = run.empty(np.uint8), run.empty(np.uint8)

    def start(self) -> None:
        """Queue the initial state: the source is the frontier."""
        self.run.launch("initialize", self.run.source, *self.arrays)

    def update(self, least: Any) -> None:
        """Queue the update: the unresolved vertices at distance ``least`` become the frontier."""
        self.run.launch("update", *self.arrays, self.dtype.type(least))

    @property
    def arrays(self) -> tuple[Any, Any, Any]:
        return self.distance, self.frontier, self.unresolved


class Minimum:
    """The least distance of an unresolved vertex: reduced by blocks on the device, then
    on the host.
    """

    def __init__(self, steps: DeviceSteps, *, second: bool):
        run = steps.run
        self._steps, self._run = steps, run
        self._blocks = -(-run.n // (2 * run.block))
        self._minimums = run.session.empty(self._blocks, steps.dtype)
        self._fewer_blocks = -(-self._blocks // (2 * run.block))
        self._fewer = run.session.empty(self._fewer_blocks, steps.dtype) if second else None

    def __call__(self) -> Any:
        """Wait for the queued work and read the minimum."""
        steps, session = self._steps, self._run.session
        values = (steps.distance, steps.unresolved, self._minimums)
        self._launch("minimum1", self._blocks, self._run.n, *values)
        if self._fewer is None:
            return session.download(self._minimums).min()
        counted = (self._blocks, self._minimums, self._fewer)
        self._launch("minimum2", self._fewer_blocks, *counted)
        return session.download(self._fewer).min()

    def _launch(self, kernel: str, blocks: int, *arguments: Any) -> None:
        self._run.program.launch(kernel, (blocks,), (self._run.block,), *arguments)


def _relaxation(steps: DeviceSteps, variant_id: str, predecessors: bool) -> Callable[[], None]:
    """Upload the arcs in the chosen layout; returns a function that queues one
    relaxation of all vertices.
    """
    run, problem = steps.run, steps.run.problem
    graph = problem.graph
    if problem.parameters.get("layout") == MATRIX:
        kernel, work = "relax_matrix", float(graph.n)
        arcs: tuple[Any, ...] = (device_matrix(run.session, problem, run.phases, variant_id),)
    else:
        kernel, work = "relax", 1 + graph.m / graph.n
        with run.phases.measure("prepare"):
            rows = graph.reverse if predecessors else graph
        arcs = rows_on_device(problem, run.session, rows, run.phases)
    return partial(run.launch_slices, run.slices(work), kernel, *arcs, *steps.arrays)


@dataclass(frozen=True)
class Split:
    """Which steps are kernels; the others run on the host."""

    relax_on_device: bool
    update_on_device: bool


def solve_hybrid(problem: Problem, split: Split) -> Solution:
    """Run the loop, each step where ``split`` puts it.

    Raises UnsuitableGraph, OutOfMemory, KernelBuildError, Cancelled, DeviceUnavailable.
    """
    with kernel_run(problem, KERNEL, BLOCK=int(problem.parameters["block"])) as run:
        loop = _Loop(DeviceSteps(run), split)
        iterations = loop.run()
        return _solution(loop.steps, loop.distances, iterations)


class _Loop:
    """One run: the arrays on host and device, and when each is copied.

    A side that writes an array is the one that holds it; it is sent over just before
    the other side reads it.
    """

    def __init__(self, steps: DeviceSteps, split: Split):
        run, problem = steps.run, steps.run.problem
        self.steps, self._run, self._split, self._phases = steps, run, split, run.phases
        self._infinity = steps.dtype.type(problem.distance_type.infinity)
        with run.phases.measure("prepare"):
            start = FrontierState.at_start(problem, run.source)
            self.distances, self._frontier, self._unresolved = start.arrays
            rows = problem.graph.reverse
        self._host_rows = (rows.indptr, rows.indices, rows.weights_in(steps.dtype))
        self._slices = tuple(slices_of(rows.n, 1 + rows.m / rows.n))
        self._device_rows: tuple[Any, ...] = ()
        if split.relax_on_device:
            self._device_rows = rows_on_device(problem, run.session, rows, run.phases)
        self._send_distances()
        self._send_flags()

    def run(self) -> int:
        """Iterate until no unresolved vertex can be reached; the number of iterations."""
        watch = FrontierWatch(self._run.problem, lambda: self.distances, self._current_frontier)
        least, iterations = self.steps.dtype.type(0), 0
        while least < self._infinity:
            watch.begin()
            self._relax_on_device() if self._split.relax_on_device else self._relax_on_host()
            with self._phases.measure("solve"):
                least = least_unresolved(self.distances, self._unresolved, self._infinity)
            if least < self._infinity:
                self._update_on_device(
                    least
                ) if self._split.update_on_device else self._update_on_host(least)
            watch.end()
            iterations += 1
            self._run.problem.progress.checkpoint()
        return iterations

    def _relax_on_host(self) -> None:
        with self._phases.measure("solve"):
            for first, last in self._slices:
                self._run.problem.progress.checkpoint()
                relax_predecessors(
                    *self._host_rows, self.distances, self._frontier, self._unresolved, first, last
                )

    def _relax_on_device(self) -> None:
        """The device holds the distances; the host reads them for the minimum."""
        with self._phases.measure("solve"):
            self._run.launch("relax", 0, *self._device_rows, *self.steps.arrays)
            self._run.session.synchronize()
        with self._phases.measure("d2h"):
            self.distances = self._run.session.download(self.steps.distance)

    def _update_on_host(self, least: Any) -> None:
        """The host holds the flags; the device reads them when it relaxes."""
        with self._phases.measure("solve"):
            promote(self.distances, self._frontier, self._unresolved, least)
        self._send_flags()

    def _update_on_device(self, least: Any) -> None:
        """The device holds the flags; the host reads them for the minimum and, if it
        relaxes, for that.
        """
        if not self._split.relax_on_device:
            self._send_distances()
        with self._phases.measure("solve"):
            self.steps.update(least)
            self._run.session.synchronize()
        with self._phases.measure("d2h"):
            self._unresolved = self._run.session.download(self.steps.unresolved)
            if not self._split.relax_on_device:
                self._frontier = self._run.session.download(self.steps.frontier)

    def _send_distances(self) -> None:
        with self._phases.measure("h2d"):
            self._run.session.write(self.steps.distance, self.distances)

    def _send_flags(self) -> None:
        with self._phases.measure("h2d"):
            self._run.session.write(self.steps.frontier, self._frontier)
            self._run.session.write(self.steps.unresolved, self._unresolved)

    def _current_frontier(self) -> AnyArray:
        """The frontier flags, fetched from the device where only it has them (for the
        picture alone).
        """
        if self._split == Split(relax_on_device=True, update_on_device=True):
            return self._run.session.download(self.steps.frontier)
        return self._frontier
