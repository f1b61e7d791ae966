"""Run Floyd-Warshall on a device: upload the matrix, queue the phases in batches,
download the answer.

A variant declares how its matrix is padded and what each phase launches; the rest is
shared. The host queues about 40 ms of work at a time and then checks the cancel flag,
and the device's word that a negative cycle was found.

Two kinds of steps are launched here: one kernel per pivot, which writes the whole
matrix in one phase; and the three kernels of a blocked step, ``pivot_tile``,
``pivot_cross`` and ``other_tiles``, with a thread per cell. The tiled variants differ
in where their kernels read from, not in what is launched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from solvers.algorithms.arcs import upload_arrays
from solvers.algorithms.distance_rows import empty_matrix
from solvers.algorithms.floyd_warshall.matrix import (
    DueCopies,
    cycle_tolerance,
    matrix_bytes,
    negative_cycle,
    padded,
    start_matrix,
)
from solvers.algorithms.floyd_warshall.tiles import (
    TILES,
    other_tiles,
    pivot_cross,
    pivot_tile,
    relaxations,
)
from solvers.core.problem import Phases, Problem, Recorder, Solution
from solvers.core.variant import Algorithm, Answers, RunsOn, variant
from solvers.devices.device import Device, DeviceSession, KernelSource, Program
from solvers.devices.kernel import distance_defines
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.parameters import Parameter
from solvers.system.array_types import AnyArray, Int64s

# Milliseconds of queued work between two cancellation checks.
_BATCH_MS = 40.0

# Cells x pivots that one launch may relax on a processor, where a large matrix would
# take a launch seconds: a tenth of a second's work. A GPU is fast enough to take every
# launch whole.
_BAND_WORK = 500_000_000

# Blocks that a grid may have in its second dimension: CUDA's limit.
_MOST_BLOCKS_DOWN = 65_535

_NEVER = np.iinfo(np.int32).max

_CELLS = {"int16": "short", "int32": "int", "int64": "index_t"}
_BLOCK = 256
_SLOWNESS = 8  # how many times longer than in shared tiles a cell takes on a processor
_CLEARING_BLOCKS = 4096
_BYTES_OF_ARC = 12
_MOST_OF_ARCS = 1 / 16  # of the matrix's bytes, above which the matrix itself is uploaded
_BUFFER_BYTES = 16 << 20

# 256 is where Wang's figure 6 has its peak.
ROW_BLOCK = Parameter(
    "block", 256, "threads in a block, all on one row", choices=(32, 64, 128, 256, 512, 1024)
)

TILE = Parameter("tile", 32, "side of a tile in cells: tile x tile threads a block", choices=TILES)


device_variant = partial(
    variant, algorithm=Algorithm.FLOYD_WARSHALL, answers=Answers.APSP, runs_on=RunsOn.GPU
)
"""Registers a kernel variant of this family."""


@dataclass(frozen=True)
class OnDevice:
    """The matrix on its device, and its form as kernel arguments."""

    device: Device
    matrix: Any  # (size, size)
    size: int  # rows, padding included
    # (1,) int32: number of the first launch that found a negative cycle (see
    # ``detour.h``)
    unsound: Any
    tolerance: Any  # of the distance type


@dataclass(frozen=True)
class Phase:
    # step, number: step from 0, phase from 1
    step: int
    number: int
    # one, or several that share a large launch's rows among them
    launches: tuple[tuple[str, tuple[int, ...], tuple[int, ...], tuple[Any, ...]], ...]
    # gives the (k, 4) cell ranges that the phase writes; asked only in watched runs
    tiles: Callable[[], Int64s]
    # gives the number of cells that its threads read from the device's memory and write
    # to it, at least; asked only in watched runs. It is counted from the text of the
    # kernels, as in `solvers.core.variant`.
    values: Callable[[], int]
    is_last: bool = True  # whether it ends its step
    # gives the ranges that the same launches already relax for the next step; None if they do not
    ahead: Callable[[], Int64s] | None = None


@dataclass(frozen=True)
class DeviceScheme:
    """Description of a Floyd-Warshall variant on a device."""

    # module_file, kernel: the variant's ``__file__`` and the kernel file beside it
    module_file: str
    kernel: str
    # the matrix is padded to a multiple of it, and each step advances by as many
    # vertices
    tile: int
    phases: Callable[[OnDevice, int], Iterator[Phase]]  # the phases of a step
    defines: tuple[tuple[str, int], ...] = ()
    kind: WeightType | None = None  # the type of the matrix's cells; None for the problem's own
    # from such cells, a view without the padding, to distances of the problem's type;
    # the view itself where they are
    as_distances: Callable[[AnyArray], AnyArray] = lambda cells: cells


def bands(on: OnDevice, rows: int, work_per_row: int) -> Iterator[tuple[int, int]]:
    """``(first, count)`` ranges of rows (of cells, blocks or tiles), each short and
    small enough for one launch.
    """
    count = max(1, _BAND_WORK // max(1, work_per_row)) if on.device.is_cpu else _MOST_BLOCKS_DOWN
    for first in range(0, rows, count):
        yield first, min(count, rows - first)


def solve_on_device(problem: Problem, variant_id: str, scheme: DeviceScheme) -> Solution:
    """Distances between all pairs by ``scheme``.

    Raises NegativeCycle, OutOfMemory, KernelBuildError, DeviceUnavailable, Cancelled.
    """
    graph = problem.graph
    kind = scheme.kind or problem.distance_type
    device = problem.given_device
    program = device.compile(_source(problem, scheme))
    phases = Phases()
    with device.session() as session:
        size = padded(graph.n, scheme.tile)
        with phases.measure("prepare"):
            answer = empty_matrix(problem, variant_id)
            tolerance = kind.dtype.type(cycle_tolerance(graph, kind))
            on = OnDevice(
                device,
                session.empty((size, size), kind.dtype),
                size,
                session.empty(1, np.int32),
                tolerance,
            )
        cells = _Cells(problem, session, on, kind)
        cells.begin(scheme.tile, phases)
        with phases.measure("h2d"):
            session.write(on.unsound, np.array([_NEVER], dtype=np.int32))
        steps = size // scheme.tile
        run = _Run(problem, session, program, on, phases, steps)
        run.timed(scheme) if problem.recorder is None else run.watched(scheme, problem.recorder)
        with phases.measure("d2h"):
            cells.take(answer)
        return Solution(answer, steps, phases, graph.n**3, peak_device_bytes=session.peak_bytes)


class _Cells:
    """The matrix between host and device: only arcs are uploaded where they are few,
    and only distances downloaded.
    """

    def __init__(self, problem: Problem, session: DeviceSession, on: OnDevice, kind: WeightType):
        self._problem, self._session, self._on, self._kind = problem, session, on, kind
        defines: dict[str, int | str] = dict(distance_defines(problem.distance_type))
        if kind.is_integer:
            defines |= {"CELL": _CELLS[kind.dtype.name], "CELL_INF": int(kind.infinity)}
        source = KernelSource.beside(__file__, "cells.cu", **defines)
        self._program = session.device.compile(source)

    def begin(self, tile: int, phases: Phases) -> None:
        """Fill the matrix, on the device or, for a dense graph, on the host; raises
        OutOfMemory and Cancelled.
        """
        graph, matrix, size = self._problem.graph, self._on.matrix, self._on.size
        if graph.m * _BYTES_OF_ARC > _MOST_OF_ARCS * matrix.nbytes:
            with phases.measure("prepare"):
                host = start_matrix(graph, self._kind, tile, self._problem.progress)
            with phases.measure("h2d"):
                self._session.write(matrix, host)
            return
        arcs = upload_arrays(
            self._session, phases, graph.indptr, graph.indices, self._problem.weights()
        )
        with phases.measure("prepare"):
            self._program.launch("clear_cells", (_CLEARING_BLOCKS,), (_BLOCK,), size * size, matrix)
            self._program.launch(
                "place_arcs",
                (-(-graph.n // _BLOCK),),
                (_BLOCK,),
                graph.n,
                size,
                *arcs,
                matrix,
            )
            self._session.synchronize()

    def take(self, answer: AnyArray) -> None:
        """Download the distances into ``answer``, (n, n), through a buffer of some
        rows; raises Cancelled.
        """
        n, kind, problem = len(answer), self._kind, self._problem
        rows = max(1, min(n, _MOST_BLOCKS_DOWN, _BUFFER_BYTES // answer[0].nbytes))
        buffer = self._session.empty((rows, n), answer.dtype)
        farthest = kind.infinity - (
            problem.graph.path_bound if problem.graph.has_negative_weights else 0
        )
        unreached = farthest if kind.is_integer else 0
        for first in range(0, n, rows):
            problem.progress.checkpoint()
            grid = (-(-n // _BLOCK), min(rows, n - first))
            sizes = (first, n, self._on.size)
            self._program.launch(
                "take_rows", grid, (_BLOCK, 1), *sizes, unreached, self._on.matrix, buffer
            )
            self._session.download(buffer, into=answer[first : first + rows])


def _source(problem: Problem, scheme: DeviceScheme) -> KernelSource:
    defines: dict[str, int | str] = {
        **distance_defines(scheme.kind or problem.distance_type),
        **dict(scheme.defines),
    }
    if problem.graph.has_negative_weights:
        defines["NEGATIVE_WEIGHTS"] = 1
    return KernelSource.beside(scheme.module_file, scheme.kernel, **defines)


@dataclass(frozen=True)
class _Run:
    """One run of a scheme, from the first step to the last."""

    problem: Problem
    session: DeviceSession
    program: Program
    on: OnDevice
    times: Phases
    steps: int

    def timed(self, scheme: DeviceScheme) -> None:
        """Run all steps, in batches of about 40 ms."""
        step, batch = 0, 1
        while step < self.steps:
            self.problem.progress.checkpoint(step, self.steps)
            end = min(self.steps, step + batch)
            with self.session.timer() as timer:
                for s in range(step, end):
                    for phase in scheme.phases(self.on, s):
                        self._queue(phase)
            self.times.solve += timer.ms
            self._check(end, scheme)
            step = end
            batch = max(1, min(2 * batch, int(batch * _BATCH_MS / max(timer.ms, 1e-3))))

    def watched(self, scheme: DeviceScheme, recorder: Recorder) -> None:
        """Run all steps phase by phase and report each, with the matrix at the due steps."""
        progress = self.problem.progress
        due = DueCopies.of(recorder, self.steps, self.on.matrix.nbytes)
        n = self.problem.graph.n
        for step in range(self.steps):
            for phase in scheme.phases(self.on, step):
                progress.checkpoint(step, self.steps)
                with self.session.timer() as timer:
                    self._queue(phase)
                self.times.solve += timer.ms
                shown = due.after(step, ends_step=phase.is_last)
                matrix = (
                    scheme.as_distances(self.session.download(self.on.matrix)[:n, :n])
                    if shown
                    else None
                )
                recorder.matrix_step(
                    step,
                    phase.number,
                    np.minimum(phase.tiles(), n),
                    matrix,
                    timer.ms,
                    _relaxed(phase, scheme.tile, n),
                    phase.values() * self.on.matrix.dtype.itemsize,
                )
            self._check(step + 1, scheme)

    def _queue(self, phase: Phase) -> None:
        for number, (kernel, grid, block, arguments) in enumerate(phase.launches):
            if number:  # a phase in bands: each takes as long as one may leave Cancel waiting
                self.session.synchronize()
                self.problem.progress.checkpoint()
            self.program.launch(kernel, grid, block, *arguments)

    def _check(self, done: int, scheme: DeviceScheme) -> None:
        """Raise the negative cycle if the diagonal has turned negative."""
        if int(self.session.download(self.on.unsound)[0]) != _NEVER:
            raise negative_cycle(self.problem.graph, done * scheme.tile, self.problem.progress)


def _relaxed(phase: Phase, tile: int, n: int) -> int:
    """Detours that a phase compares with cells of the matrix without its padding."""
    if not phase.launches:  # the step before has done its work
        return 0
    ahead = 0 if phase.ahead is None else relaxations(phase.ahead(), phase.step + 1, tile, n)
    return ahead + relaxations(phase.tiles(), phase.step, tile, n)


@dataclass(frozen=True)
class Blocks:
    """A launch's blocks, and the part of the matrix that each works on."""

    threads: tuple[int, int]  # across and down
    # rows, columns: cells covered, down and across; one block across covers all where
    # it is the width
    rows: int
    columns: int
    # from the rows of the matrix to the cells that the threads of a step read at least;
    # a cell that two threads read counts twice. What falls, and so is written, depends
    # on the graph.
    values: Callable[[int], int]


def solve_by_pivots(
    problem: Problem, variant_id: str, module_file: str, kernel: str, blocks: Blocks
) -> Solution:
    """Distances between all pairs by the kernel ``<name>`` in ``<name>.cu``, the file
    beside ``module_file``.

    Raises NegativeCycle, OutOfMemory, KernelBuildError, Cancelled.
    """
    entry = kernel.removesuffix(".cu")

    def phases(on: OnDevice, step: int) -> Iterator[Phase]:
        across, down = -(-on.size // blocks.columns), -(-on.size // blocks.rows)
        launches = tuple(
            (
                entry,
                (across, count),
                blocks.threads,
                (
                    on.matrix,
                    on.size,
                    first * blocks.rows,
                    step,
                    on.unsound,
                    on.tolerance,
                ),
            )
            for first, count in bands(on, down, on.size * blocks.rows * _SLOWNESS)
        )
        yield Phase(
            step,
            1,
            launches,
            lambda: np.array([[0, on.size, 0, on.size]]),
            lambda: blocks.values(on.size),
        )

    return solve_on_device(problem, variant_id, DeviceScheme(module_file, kernel, 1, phases))


def cell_values(size: int) -> int:
    """Of ``cell.cu``: for each cell its own value, that of the pivot's column and that
    of the pivot's row.
    """
    return 3 * size**2


@dataclass(frozen=True)
class TileValues:
    """Cells that a thread reads from global memory and writes to it, at least, by kernel."""

    pivot_tile: int
    pivot_cross: int
    other_tiles: int


def working_bytes(graph: Graph) -> int:
    """The matrix, padded to the largest tile."""
    return matrix_bytes(graph, max(TILES))


def solve_in_three_phases(
    problem: Problem,
    variant_id: str,
    module_file: str,
    kernel: str,
    values: TileValues,
    slowness: int = 1,
) -> Solution:
    """Distances between all pairs by the kernels in ``kernel``, in tiles of the parameter ``tile``.

    Raises NegativeCycle, OutOfMemory, KernelBuildError, Cancelled.

    ``module_file`` and ``kernel``: the variant's ``__file__``, and the kernel file
    beside it. ``slowness``: how many times longer than in shared tiles a cell takes on
    a processor.
    """
    tile = int(problem.parameters["tile"])
    block = (tile, tile)

    def phases(on: OnDevice, step: int) -> Iterator[Phase]:
        stride, pivot, across = on.size, step, on.size // tile
        one, two, three = (3 * step + phase for phase in range(3))
        arguments = (on.matrix, stride, pivot, one, on.unsound, on.tolerance)
        closing = ("pivot_tile", (1, 1), block, arguments)
        yield Phase(
            step,
            1,
            (closing,),
            lambda: pivot_tile(step, tile),
            lambda: values.pivot_tile * tile**2,
            False,
        )
        crossing = ("pivot_cross", (across, 2), block, (on.matrix, stride, pivot, two, on.unsound))
        cross_values = 2 * (across - 1) * tile**2 * values.pivot_cross
        yield Phase(
            step,
            2,
            (crossing,),
            lambda: pivot_cross(step, tile, across),
            lambda: cross_values,
            False,
        )
        others = tuple(
            (
                "other_tiles",
                (across, count),
                block,
                (on.matrix, stride, first, pivot, three, on.unsound, on.tolerance),
            )
            for first, count in bands(on, across, on.size * tile * tile * slowness)
        )
        other_values = (across - 1) ** 2 * tile**2 * values.other_tiles
        yield Phase(step, 3, others, lambda: other_tiles(step, tile, across), lambda: other_values)

    return solve_on_device(
        problem, variant_id, DeviceScheme(module_file, kernel, tile, phases, (("TILE", tile),))
    )
