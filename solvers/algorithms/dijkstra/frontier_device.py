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
from solvers.algorithms.dijkstra.layouts import MATRIX, device_matrix, rows_on_device
from solvers.algorithms.requirements import require_nonnegative, required_device, required_source
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.variant import Bytes, DeviceWork, Traffic
from solvers.devices.device import DeviceSession, KernelSource, Program
from solvers.devices.kernel import distance_defines
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
    require_nonnegative(problem.graph, variant_id)
    device, source = required_device(problem, variant_id), required_source(problem, variant_id)
    block = int(problem.parameters["block"])
    defines = {**distance_defines(problem.distance_type), "BLOCK": block}
    program = device.compile(KernelSource.beside(str(kernel), kernel.name, **defines))
    phases = Phases()
    with device.session() as session:
        steps = DeviceSteps(problem, session, program, phases, source, block)
        relax = relaxation(problem, session, program, phases, steps, variant_id, predecessors)
        minimum = Minimum(steps, second=second_minimum)
        with session.timer() as timer:
            iterations = _iterate(problem, steps, relax, minimum)
        phases.solve = timer.ms
        with phases.measure("d2h"):
            distances = session.download(steps.distance)
        peak = session.peak_bytes
    return Solution(
        distances,
        iterations,
        phases,
        settled_arcs(problem.graph, distances),
        peak_device_bytes=peak,
    )


def _iterate(
    problem: Problem, steps: DeviceSteps, relax: Callable[[], None], minimum: Minimum
) -> int:
    session = steps.session
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

    def __init__(
        self,
        problem: Problem,
        session: DeviceSession,
        program: Program,
        phases: Phases,
        source: int,
        block: int,
    ):
        self.session = session
        self.program = program
        self.n = problem.graph.n
        self.block = block
        self.dtype = problem.distance_type.dtype
        self._source = np.int32(source)
        with phases.measure("prepare"):
            self.distance = session.empty(self.n, self.dtype)
            self.frontier = session.empty(self.n, np.uint8)
            self.unresolved = session.empty(self.n, np.uint8)

    def start(self) -> None:
        """Queue the initial state: the source is the frontier."""
        self.launch("initialize", self.n, np.int32(self.n), self._source, *self.arrays)

    def update(self, least: Any) -> None:
        """Queue the update: the unresolved vertices at distance ``least`` become the frontier."""
        self.launch("update", self.n, np.int32(self.n), *self.arrays, self.dtype.type(least))

    def launch(self, kernel: str, threads: int, *arguments: Any) -> None:
        """Queue ``kernel`` with at least ``threads`` threads."""
        self.program.launch(kernel, (-(-threads // self.block),), (self.block,), *arguments)

    @property
    def arrays(self) -> tuple[Any, Any, Any]:
        return self.distance, self.frontier, self.unresolved


class Minimum:
    """The least distance of an unresolved vertex: reduced by blocks on the device, then
    on the host.
    """

    def __init__(self, steps: DeviceSteps, *, second: bool):
        self._steps = steps
        self._blocks = -(-steps.n // (2 * steps.block))
        self._minimums = steps.session.empty(self._blocks, steps.dtype)
        self._fewer_blocks = -(-self._blocks // (2 * steps.block))
        self._fewer = steps.session.empty(self._fewer_blocks, steps.dtype) if second else None

    def __call__(self) -> Any:
        """Wait for the queued work and read the minimum."""
        steps, block = self._steps, (self._steps.block,)
        values = (steps.distance, steps.unresolved, self._minimums)
        steps.program.launch("minimum1", (self._blocks,), block, np.int32(steps.n), *values)
        if self._fewer is None:
            return steps.session.download(self._minimums).min()
        counted = (np.int32(self._blocks), self._minimums, self._fewer)
        steps.program.launch("minimum2", (self._fewer_blocks,), block, *counted)
        return steps.session.download(self._fewer).min()


def relaxation(
    problem: Problem,
    session: DeviceSession,
    program: Program,
    phases: Phases,
    steps: DeviceSteps,
    variant_id: str,
    predecessors: bool,
) -> Callable[[], None]:
    """Upload the arcs in the chosen layout; returns a function that queues one
    relaxation of all vertices.
    """
    graph = problem.graph
    if problem.parameters.get("layout") == MATRIX:
        arcs = (device_matrix(session, problem, phases, variant_id),)
        return _sliced(problem, steps, "relax_matrix", arcs, graph.n)
    with phases.measure("prepare"):
        rows = graph.reverse if predecessors else graph
    return _sliced(
        problem,
        steps,
        "relax",
        rows_on_device(problem, session, rows, phases),
        1 + graph.m / graph.n,
    )


def _sliced(
    problem: Problem,
    steps: DeviceSteps,
    kernel: str,
    arcs: tuple[Any, ...],
    steps_per_vertex: float,
) -> Callable[[], None]:
    """Launch a kernel for all vertices; on a processor in slices, so that a run can be
    cancelled in between.

    The last block of a slice reaches into the next, whose vertices it relaxes too: once
    more never harms.
    """
    is_cpu, n = steps.session.device.is_cpu, steps.n
    slices = tuple(slices_of(n, steps_per_vertex)) if is_cpu else ((0, n),)

    def relax() -> None:
        for first, last in slices:
            steps.launch(kernel, last - first, np.int32(n), np.int64(first), *arcs, *steps.arrays)
            if len(slices) > 1:
                steps.session.synchronize()
                problem.progress.checkpoint()

    return relax


@dataclass(frozen=True)
class Split:
    """Which steps are kernels; the others run on the host."""

    relax_on_device: bool
    update_on_device: bool


def solve_hybrid(problem: Problem, variant_id: str, split: Split) -> Solution:
    """Run the loop, each step where ``split`` puts it.

    Raises UnsuitableGraph, OutOfMemory, KernelBuildError, Cancelled, DeviceUnavailable.
    """
    require_nonnegative(problem.graph, variant_id)
    device, source = required_device(problem, variant_id), required_source(problem, variant_id)
    defines = {**distance_defines(problem.distance_type), "BLOCK": int(problem.parameters["block"])}
    program = device.compile(KernelSource.beside(__file__, KERNEL.name, **defines))
    phases = Phases()
    with device.session() as session:
        steps = DeviceSteps(
            problem, session, program, phases, source, int(problem.parameters["block"])
        )
        loop = _Loop(problem, session, steps, phases, source, split)
        iterations = loop.run()
        peak = session.peak_bytes
    distances = loop.distances
    return Solution(
        distances,
        iterations,
        phases,
        settled_arcs(problem.graph, distances),
        peak_device_bytes=peak,
    )


class _Loop:
    """One run: the arrays on host and device, and when each is copied.

    A side that writes an array is the one that holds it; it is sent over just before
    the other side reads it.
    """

    def __init__(
        self,
        problem: Problem,
        session: DeviceSession,
        steps: DeviceSteps,
        phases: Phases,
        source: int,
        split: Split,
    ):
        self._problem = problem
        self._session = session
        self._steps = steps
        self._phases = phases
        self._split = split
        self._infinity = steps.dtype.type(problem.distance_type.infinity)
        with phases.measure("prepare"):
            start = FrontierState.at_start(problem, source)
            self.distances, self._frontier, self._unresolved = start.arrays
            rows = problem.graph.reverse
        self._host_rows = (rows.indptr, rows.indices, rows.weights_in(steps.dtype))
        self._slices = tuple(slices_of(rows.n, 1 + rows.m / rows.n))
        self._device_rows: tuple[Any, ...] = ()
        if split.relax_on_device:
            self._device_rows = rows_on_device(problem, session, rows, phases)
        self._send_distances()
        self._send_flags()

    def run(self) -> int:
        """Iterate until no unresolved vertex can be reached; the number of iterations."""
        watch = FrontierWatch(self._problem, lambda: self.distances, self._current_frontier)
        least, iterations = self._steps.dtype.type(0), 0
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
            self._problem.progress.checkpoint()
        return iterations

    def _relax_on_host(self) -> None:
        with self._phases.measure("solve"):
            for first, last in self._slices:
                self._problem.progress.checkpoint()
                relax_predecessors(
                    *self._host_rows, self.distances, self._frontier, self._unresolved, first, last
                )

    def _relax_on_device(self) -> None:
        """The device holds the distances; the host reads them for the minimum."""
        n = self._steps.n
        with self._phases.measure("solve"):
            self._steps.launch(
                "relax", n, np.int32(n), np.int64(0), *self._device_rows, *self._steps.arrays
            )
            self._session.synchronize()
        with self._phases.measure("d2h"):
            self.distances = self._session.download(self._steps.distance)

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
            self._steps.update(least)
            self._session.synchronize()
        with self._phases.measure("d2h"):
            self._unresolved = self._session.download(self._steps.unresolved)
            if not self._split.relax_on_device:
                self._frontier = self._session.download(self._steps.frontier)

    def _send_distances(self) -> None:
        with self._phases.measure("h2d"):
            self._session.write(self._steps.distance, self.distances)

    def _send_flags(self) -> None:
        with self._phases.measure("h2d"):
            self._session.write(self._steps.frontier, self._frontier)
            self._session.write(self._steps.unresolved, self._unresolved)

    def _current_frontier(self) -> AnyArray:
        """The frontier flags, fetched from the device where only it has them (for the
        picture alone).
        """
        if self._split == Split(relax_on_device=True, update_on_device=True):
            return self._session.download(self._steps.frontier)
        return self._frontier
