"""Blocked Floyd-Warshall of a matrix in the host's memory: panels of rows pass through one GPU.

Idea
    The matrix stays in page-locked memory. A step takes a panel of pivot vertices: the
    GPU closes its square and multiplies its rows by it, and keeps them. Then every
    other panel is uploaded, its pivot columns are multiplied by the square, all its
    cells are relaxed by the product of both, and it is downloaded. Uploads, kernels and
    downloads run side by side. The panel of the next pivots comes first and stays, so
    that the next step can begin at once.

    A cell that is moved is relaxed once for each pivot of the panel: with thousands of
    pivots the bus keeps up with arithmetic.

Why it is correct
    The steps are those of ``blocked.cu`` with panels for tiles. A panel is uploaded for
    a step when its download of the step before has ended.

Parameters
    panel: pivots of a step, 0 for as many as fit, at most 4,096. device_gb: limit of
    the GPU's memory.

Source
    Original implementation, after Lund and Smith 2010 and Sao et al. 2021.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from solvers.algorithms.floyd_warshall.matrix import (
    BITS,
    DEVICE_GB,
    TILE,
    allowed_bytes,
    as_distances,
    cell_type,
    distances_of,
    due_steps,
    kernel_defines,
    padded,
    refuse_negative_cycle,
    start_matrix,
)
from solvers.algorithms.floyd_warshall.panels import Cells, PanelKernels, Panels
from solvers.algorithms.floyd_warshall.tiles import (
    closing_cells,
    copied_cells,
    product_cells,
    relaxations,
)
from solvers.core.problem import Phases, Problem, Recorder, Solution
from solvers.core.pseudocode import BLOCKED_FLOYD_WARSHALL
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.devices.device import Device, KernelSource
from solvers.devices.kernel import distance_defines
from solvers.errors import OutOfMemory
from solvers.graphs.weights import WeightType
from solvers.parameters import Parameter
from solvers.system.array_types import AnyArray, Int64s

_ID = "fw-blocked-streamed"
_MOST_PIVOTS = 4096
_PANEL = Parameter(
    "panel",
    0,
    "pivots of a step, rounded up to whole tiles of 128; 0: as many as fit",
    low=0,
    high=_MOST_PIVOTS,
)
_LEAST_PANELS = 4  # of a small matrix, so that copies and kernels overlap there too
_SLOTS = 4  # one is uploaded, one relaxed, one downloaded; one holds the next pivots


@variant(
    id=_ID,
    title="blocked, streamed from host memory",
    short_title="blocked, streamed",
    algorithm=Algorithm.FLOYD_WARSHALL,
    answers=Answers.APSP,
    runs_on=RunsOn.GPU,
    mapping=WorkMapping.BLOCK_PER_TILE,
    pseudocode=BLOCKED_FLOYD_WARSHALL,
    papers=(Citation("beyond the papers", "after Lund and Smith 2010, Sao et al. 2021"),),
    parameters=(_PANEL, BITS, DEVICE_GB),
    idea=(
        "For matrices that do not fit into the GPU's memory: they stay in page-locked memory of "
        "the host, and panels of rows are copied to the GPU and back while it relaxes others. With "
        "thousands of pivots a step, arithmetic takes longer than the bus."
    ),
    watch=(
        "The three phases of every blocked Floyd-Warshall with very large tiles: the square of the "
        "pivots, their rows, and then all other rows, a panel at a time."
    ),
    cost=(
        "2 n³ / 4\u202f096 cells cross the bus; n³ cells relaxed; n² memory of the host, "
        "20\u202f000 n cells of the GPU."
    ),
    caveat="Needs CUDA. The host searches for negative cycles first.",
    cuda_only=True,
    kernel="blocked.cu",
    memory=lambda graph: _bytes_of_panels(
        padded(graph.n, TILE), TILE, graph.distance_type.dtype.itemsize
    ),
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n).

    Raises NegativeCycle, UnsuitableGraph, OutOfMemory, KernelBuildError, Cancelled.
    """
    graph, device = problem.graph, problem.given_device
    refuse_negative_cycle(problem)
    kind = cell_type(graph, problem.distance_type, str(problem.parameters["bits"]))
    panels = _fitting_panels(problem, device, kind)
    source = KernelSource.beside(
        __file__, "blocked.cu", **distance_defines(kind), **dict(kernel_defines(kind))
    )
    kernels = PanelKernels(device.compile(source))
    phases = Phases()
    with device.session() as opened, ExitStack() as stack:
        session: Any = opened
        with phases.measure("prepare"):
            host = start_matrix(graph, kind, TILE, problem.progress)
            stack.enter_context(session.page_locked(host))
            run = StreamedSteps(session, kernels, panels, host)
        if problem.recorder is not None:
            run.watched(problem, problem.recorder, kind, phases)
        else:
            with phases.measure("solve"):
                run.timed(problem.progress)
        with phases.measure("d2h"):
            stack.close()  # unlocks the memory
            answer = distances_of(host, problem, kind)
        return Solution(
            answer, len(panels), phases, graph.n**3, peak_device_bytes=session.peak_bytes
        )


def _bytes_of_panels(size: int, height: int, itemsize: int) -> int:
    """Device memory for panels of that height: the slots, the pivot rows, and pivot columns."""
    return ((_SLOTS + 1) * size + height) * height * itemsize


def _fitting_panels(problem: Problem, device: Device, kind: WeightType) -> Panels:
    """Panels of the height asked for, or the highest that fit; raises OutOfMemory."""
    size, allowed = padded(problem.graph.n, TILE), allowed_bytes(problem, device)
    asked = padded(int(problem.parameters["panel"]), TILE)
    height = asked or min(_MOST_PIVOTS, padded(-(-size // _LEAST_PANELS), TILE))
    while (
        not asked
        and height > TILE
        and _bytes_of_panels(size, height, kind.dtype.itemsize) > allowed
    ):
        height -= TILE
    panels = Panels(size, min(size, height))
    needed = _bytes_of_panels(size, panels.height, kind.dtype.itemsize)
    if needed > allowed:
        what = f"{_ID}: panels of {panels.height} rows of the matrix of {problem.graph.name}"
        raise OutOfMemory(
            what, needed, allowed, device.name, remedy="Choose panel=0." if asked else ""
        )
    return panels


@dataclass
class _Slot:
    """Device memory for one panel of rows."""

    rows: Cells
    free: Any = None  # of the end of its last use


@dataclass
class StreamedSteps:
    """The steps of a run. All queues are those of one device."""

    session: Any
    kernels: PanelKernels
    panels: Panels
    host: AnyArray
    _downloaded: dict[int, Any] = field(default_factory=dict)
    _copied_bytes: int = 0  # since the last report

    def __post_init__(self) -> None:
        size, height = self.panels.size, self.panels.height
        self._up, self._work, self._down = (self.session.queue() for _ in range(3))
        self._free = [
            _Slot(self._matrix(height, size)) for _ in range(min(_SLOTS, len(self.panels) + 1))
        ]
        self._pivots, self._columns = self._matrix(height, size), self._matrix(height, height)

    def timed(self, progress: Any) -> None:
        """All steps; the host is one panel ahead of the copies, so that a cancelled run
        ends soon.
        """
        try:
            for step, _ in self._phases():
                progress.checkpoint(step, len(self.panels))
        finally:
            self._synchronize()

    def watched(
        self, problem: Problem, recorder: Recorder, kind: WeightType, phases: Phases
    ) -> None:
        """All steps; each phase is reported when it has ended."""
        progress, n = problem.progress, problem.graph.n
        due = due_steps(len(self.panels), self.host.nbytes)
        began = time.perf_counter()
        for step, phase in self._phases():
            progress.checkpoint(step, len(self.panels))
            if phase == 0:  # one panel of several
                continue
            self._synchronize()
            ms = (time.perf_counter() - began) * 1e3
            phases.solve += ms
            matrix = None
            if phase == 3 and step in due:
                matrix = np.array(
                    as_distances(
                        self.host[:n, :n].copy(), kind, problem.distance_type, problem.graph
                    )
                )
            written, copied = self._written(step, phase), self._copied_bytes
            relaxed = relaxations(written, step, self.panels.height, n)
            asked = self._cells_of(step, phase) * self.host.dtype.itemsize
            recorder.matrix_step(
                step, phase, np.minimum(written, n), matrix, ms, relaxed, asked, copied or None
            )
            self._copied_bytes = 0
            began = time.perf_counter()

    def _phases(self) -> Iterator[tuple[int, int]]:
        """Enqueue everything; (step, phase) after each phase, and phase 0 after each
        panel of the third.
        """
        pivots = self._uploaded(0)
        for step in self.panels:
            first, extent = self.panels.first(step), self.panels.rows(step)
            square = pivots.rows.from_cell(0, first)
            self.kernels.close(self._work, square, extent)
            yield step, 1
            self._make_pivots(step, pivots, square)
            yield step, 2
            for panel in self._others(step):
                slot = self._uploaded(panel)
                self._relax(step, panel, slot)
                self._download(panel, slot.rows)
                if panel == step + 1:
                    pivots = slot
                else:
                    self._release(slot, self._downloaded[panel])
                yield step, 0
            yield step, 3

    def _others(self, step: int) -> Iterator[int]:
        """All panels but that of the pivots; that of the next pivots first."""
        count = len(self.panels)
        return ((step + offset) % count for offset in range(1, count))

    def _make_pivots(self, step: int, slot: _Slot, square: Cells) -> None:
        """The pivot rows, on the device and in the host's matrix."""
        first, extent, size = self.panels.first(step), self.panels.rows(step), self.panels.size
        if step - 1 in self._downloaded:
            self._work.wait(self._downloaded[step - 1])  # the pivot rows of the step before
        inside = slice(first, first + extent)
        shape = (extent, size, extent)
        self.kernels.multiply(self._work, self._pivots, slot.rows, square, slot.rows, shape, inside)
        self.kernels.copy(self._work, self._pivots.from_cell(0, first), square, extent, extent)
        self._release(slot, self._work.mark())
        self._download(step, self._pivots)

    def _uploaded(self, panel: int) -> _Slot:
        """A slot with a panel, ready for the queue of kernels."""
        slot = self._free.pop(0)
        for mark in (slot.free, self._downloaded.get(panel)):
            if mark is not None:
                self._up.wait(mark)
        if slot.free is not None:
            slot.free.synchronize()  # bounds the work enqueued
        rows = self.host[self.panels.slice(panel)]
        self._up.upload(slot.rows.buffer, rows)
        self._copied_bytes += rows.nbytes
        self._work.wait(self._up.mark())
        return slot

    def _release(self, slot: _Slot, mark: Any) -> None:
        """Let the slot be used again when the mark is reached."""
        slot.free = mark
        self._free.append(slot)

    def _relax(self, step: int, panel: int, slot: _Slot) -> None:
        first = self.panels.first(step)
        extent = self.panels.rows(step)
        rows = self.panels.rows(panel)
        old, square = slot.rows.from_cell(0, first), self._pivots.from_cell(0, first)
        self.kernels.multiply(self._work, self._columns, old, old, square, (rows, extent, extent))
        shape = (rows, self.panels.size, extent)
        inside = slice(first, first + extent)
        self.kernels.multiply(
            self._work, slot.rows, slot.rows, self._columns, self._pivots, shape, inside
        )
        self.kernels.copy(self._work, old, self._columns, rows, extent)

    def _download(self, panel: int, rows: Cells) -> None:
        """Copy finished rows of a panel to the host's matrix."""
        place = self.host[self.panels.slice(panel)]
        self._down.wait(self._work.mark())
        self._down.download(rows.buffer, place)
        self._copied_bytes += place.nbytes
        self._downloaded[panel] = self._down.mark()

    def _written(self, step: int, phase: int) -> Int64s:
        """Cells that a phase writes, as ranges (row0, row1, column0, column1)."""
        first = self.panels.first(step)
        last = self.panels.first(step) + self.panels.rows(step)
        size = self.panels.size
        ranges = {
            1: [[first, last, first, last]],
            2: [[first, last, 0, first], [first, last, last, size]],
            3: [[0, first, 0, size], [last, size, 0, size]],
        }[phase]
        return np.array([r for r in ranges if r[0] < r[1] and r[2] < r[3]], dtype=np.int64).reshape(
            -1, 4
        )

    def _cells_of(self, step: int, phase: int) -> int:
        """Cells that the threads of a phase read from the device's memory and write to it."""
        size, extent = self.panels.size, self.panels.rows(step)
        others = size - extent
        if phase == 1:
            return closing_cells(extent)
        if phase == 2:
            return product_cells(extent, others, extent) + copied_cells(extent, extent)
        columns = product_cells(others, extent, extent) + copied_cells(others, extent)
        return columns + product_cells(others, others, extent)

    def _matrix(self, down: int, across: int) -> Cells:
        return Cells(self.session.empty((down, across), self.host.dtype), across)

    def _synchronize(self) -> None:
        for queue in (self._up, self._work, self._down):
            queue.synchronize()
