"""Blocked Floyd-Warshall by panels of several tiles, for matrices that are stored in
parts, on several GPUs.

A step takes one panel of pivot vertices. What it launches, by the kernels of
``blocked.cu``:

    close      the square of the pivots is closed, tile by tile
    multiply   pivot rows = square (x) rows, pivot columns = columns (x) square,
               and the other cells by the product of both

A product writes to memory of its own, or to the cells that it started from. So pivot
rows and columns may be stored apart from the matrix, which stays where it is: on
several devices, or in the host's memory.

`MatrixPart` is what each GPU of a group holds of the matrix and launches in a step.
``blocked_gpus.py`` explains idea and order of `PanelSteps`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from solvers.algorithms.floyd_warshall.matrix import THREADS, TILE, due_steps
from solvers.algorithms.floyd_warshall.tiles import (
    closing_cells,
    other_tiles,
    pivot_cross,
    pivot_tile,
    product_cells,
    relaxations,
)
from solvers.core.problem import Phases, Recorder
from solvers.devices.device import Program
from solvers.devices.gpu_group import GpuGroup, GpuMember
from solvers.system.array_types import AnyArray, Int64s
from solvers.system.cancel import Progress
from solvers.system.threads import thread_team

_NONE_SKIPPED = (np.int32(np.iinfo(np.int32).max), np.int32(0))

_STEPS_QUEUED = 2  # so no GPU waits for the host, and a cancelled run ends soon


class Launcher(Protocol):
    """A queue of a device."""

    def launch(
        self,
        program: Program,
        kernel: str,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        *arguments: Any,
    ) -> None: ...


@dataclass(frozen=True)
class Panels:
    """Division of the vertices into panels, each of which is the pivots of one step."""

    size: int  # rows of the matrix: a multiple of `TILE`
    height: int  # vertices of a panel, a multiple of `TILE`; the last panel may have fewer

    def __len__(self) -> int:
        return -(-self.size // self.height)

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))

    def first(self, panel: int) -> int:
        return panel * self.height

    def rows(self, panel: int) -> int:
        return min(self.height, self.size - self.first(panel))

    def slice(self, panel: int) -> slice:
        return slice(self.first(panel), self.first(panel) + self.rows(panel))


@dataclass(frozen=True)
class Cells:
    """Cells of a matrix in device memory."""

    buffer: Any
    stride: int  # cells from one row to the next
    at: int = 0  # number of the first cell

    def from_cell(self, row: int, column: int = 0) -> Cells:
        """The cells from that one on, counted from the first of these."""
        return replace(self, at=self.at + row * self.stride + column)

    @property
    def arguments(self) -> tuple[Any, ...]:
        return self.buffer, np.int64(self.at), np.int64(self.stride)


@dataclass(frozen=True)
class PanelKernels:
    """Launches of a step on one device, whose program this is. All extents are
    multiples of `TILE`.
    """

    program: Program

    def close(self, queue: Launcher, square: Cells, size: int) -> None:
        """Floyd-Warshall inside a square."""
        across = size // TILE
        for step in range(across):
            arguments = (*square.arguments, np.int32(step))
            if step == 0:  # the last phase of a step closes the next one's pivot
                queue.launch(self.program, "close_pivot", (1, 1), THREADS, *arguments)
            queue.launch(self.program, "relax_cross", (across - 1, 2), THREADS, *arguments)
            queue.launch(self.program, "relax_rest", (across - 1, across - 1), THREADS, *arguments)

    def multiply(
        self,
        queue: Launcher,
        out: Cells,
        start: Cells,
        left: Cells,
        right: Cells,
        extent: tuple[int, int, int],  # (rows, columns, depth) of the product
        skipped: slice | None = None,  # columns that are not computed
    ) -> None:
        """``out = min(start, left (x) right)``; ``out`` may be ``start``, but neither factor."""
        down, across, depth = extent
        left_out = _NONE_SKIPPED
        if skipped is not None:
            count = (skipped.stop - skipped.start) // TILE
            left_out = (np.int32(skipped.start // TILE), np.int32(count))
            across -= count * TILE
        places = (*out.arguments, *start.arguments, *left.arguments, *right.arguments)
        grid = (across // TILE, down // TILE)
        queue.launch(self.program, "multiply", grid, THREADS, *places, np.int32(depth), *left_out)

    def copy(self, queue: Launcher, out: Cells, origin: Cells, rows: int, columns: int) -> None:
        grid = (columns // TILE, rows // TILE)
        queue.launch(self.program, "copy_tiles", grid, THREADS, *out.arguments, *origin.arguments)


@dataclass(frozen=True)
class Share:
    """The panels of one member: every ``members``-th, from that of its own number."""

    panels: Panels
    number: int
    members: int

    @property
    def own(self) -> range:
        return range(self.number, len(self.panels), self.members)

    def owns(self, panel: int) -> bool:
        return panel % self.members == self.number

    def row_of(self, panel: int) -> int:
        """Row of its own matrix at which a panel of its own begins."""
        return (panel // self.members) * self.panels.height

    @property
    def rows(self) -> int:
        return sum(self.panels.rows(panel) for panel in self.own)

    @property
    def cells(self) -> int:
        """That it holds: its rows, its pivot columns, two panels of pivot rows."""
        return (
            self.rows * (self.panels.size + self.panels.height)
            + 2 * self.panels.height * self.panels.size
        )


@dataclass(frozen=True)
class MatrixPart:
    """What one member holds of the matrix, and what it launches."""

    member: GpuMember
    kernels: PanelKernels
    share: Share
    matrix: Cells  # the rows of its own panels, one panel after the other
    columns: Cells  # the pivot columns of these rows
    pivots: tuple[Cells, Cells]  # pivot rows of this step and the next, in turn

    @classmethod
    def on(
        cls, member: GpuMember, kernels: PanelKernels, share: Share, dtype: np.dtype[Any]
    ) -> MatrixPart:
        """Allocate a member's share."""
        size, height, rows = share.panels.size, share.panels.height, share.rows

        def matrix(down: int, across: int) -> Cells:
            return Cells(member.session.empty((down, across), dtype), across)

        with member.current():
            pivots = matrix(height, size), matrix(height, size)
            return cls(member, kernels, share, matrix(rows, size), matrix(rows, height), pivots)

    def upload(self, matrix: AnyArray) -> None:
        with self.member.current():
            for panel in self.share.own:
                self.member.session.write_rows(
                    self.matrix.buffer,
                    self.share.row_of(panel),
                    matrix[self.share.panels.slice(panel)],
                )

    def download(self, matrix: AnyArray) -> None:
        with self.member.current():
            for panel in self.share.own:
                self.member.session.read_rows(
                    self.matrix.buffer,
                    self.share.row_of(panel),
                    matrix[self.share.panels.slice(panel)],
                )

    def make_pivots(self, queue: Any, step: int) -> None:
        """Close the square of its own panel, and multiply the panel's rows by it into
        the pivot rows of the step.
        """
        panels = self.share.panels
        rows = self.matrix.from_cell(self.share.row_of(step))
        square, extent = rows.from_cell(0, panels.first(step)), panels.rows(step)
        self.kernels.close(queue, square, extent)
        self.kernels.multiply(
            queue, self.pivots[step % 2], rows, square, rows, (extent, panels.size, extent)
        )

    def multiply_columns(self, step: int) -> None:
        """The pivot columns of all its rows."""
        panels, pivots = self.share.panels, self.pivots[step % 2]
        first, extent = panels.first(step), panels.rows(step)
        old, square = self.matrix.from_cell(0, first), pivots.from_cell(0, first)
        self.kernels.multiply(
            self.member.main, self.columns, old, old, square, (self.share.rows, extent, extent)
        )

    def relax(self, step: int, first: int, last: int) -> None:
        """Relax the cells of a range of its rows."""
        if first == last:
            return
        panels, rows = self.share.panels, self.matrix.from_cell(first)
        extent = (last - first, panels.size, panels.rows(step))
        columns = self.columns.from_cell(first)
        self.kernels.multiply(self.member.main, rows, rows, columns, self.pivots[step % 2], extent)


def upload(parts: Sequence[MatrixPart], matrix: AnyArray, progress: Progress) -> None:
    """Copy the host's matrix to all members at once."""
    _on_all(parts, partial(MatrixPart.upload, matrix=matrix), progress)


def download(parts: Sequence[MatrixPart], matrix: AnyArray, progress: Progress) -> None:
    """Copy the rows of all members to the host's matrix at once."""
    _on_all(parts, partial(MatrixPart.download, matrix=matrix), progress)


def _on_all(
    parts: Sequence[MatrixPart], copy: Callable[[MatrixPart], None], progress: Progress
) -> None:
    with thread_team(len(parts)) as team:
        team.run((partial(copy, part) for part in parts), progress)


@dataclass
class PanelSteps:
    """The steps of a run, on all members of a group."""

    group: GpuGroup
    parts: list[MatrixPart]
    panels: Panels
    phases: Phases
    _arrived: list[Any] = field(default_factory=list)

    def timed(self, progress: Progress) -> None:
        """All steps, with look-ahead. The host enqueues two steps, so that a cancelled
        run ends soon.
        """
        ended: list[list[Any]] = []
        with self.phases.measure("solve"):
            try:
                self._send_pivots(0)
                for step in self.panels:
                    progress.checkpoint(step, len(self.panels))
                    ended.append(self._step(step, ended[-1] if ended else ()))
                    if len(ended) > _STEPS_QUEUED:
                        _wait_for(ended[-1 - _STEPS_QUEUED])
            finally:
                self.group.synchronize()

    def watched(
        self, progress: Progress, recorder: Recorder, n: int, snapshot: Callable[[], AnyArray]
    ) -> None:
        """All steps, one phase after the other, and each reported."""
        height, across = self.panels.height, len(self.panels)
        due = due_steps(across, sum(part.matrix.buffer.nbytes for part in self.parts))
        for step in self.panels:
            reports: tuple[tuple[Callable[[int], None], Int64s], ...] = (
                (self._send_pivots, pivot_tile(step, height)),
                (self._multiply_columns, pivot_cross(step, height, across)),
                (self._relax_all, other_tiles(step, height, across)),
            )
            work = phase_work(self.panels, step, n)
            for phase, (launch, tiles) in enumerate(reports, start=1):
                progress.checkpoint(step, across)
                began = time.perf_counter()
                launch(step)
                self.group.synchronize()
                ms = (time.perf_counter() - began) * 1e3
                self.phases.solve += ms
                matrix = snapshot() if phase == len(reports) and step in due else None
                relaxed, cells = work[phase - 1]
                sent = self._sent_bytes(step) if phase == 1 else None
                recorder.matrix_step(
                    step,
                    phase,
                    np.minimum(tiles, n),
                    matrix,
                    ms,
                    relaxed,
                    cells * self._itemsize,
                    sent,
                )

    def _step(self, step: int, free: Sequence[Any]) -> list[Any]:
        """Enqueue a step, and the pivot rows of the next; marks of its end.

        ``free`` are marks of the end of the step before, one a member, which used the
        memory of the next pivot rows; empty at first.
        """
        self._multiply_columns(step)
        after, ahead = step + 1, None
        if after < len(self.panels):
            ahead = next(part for part in self.parts if part.share.owns(after))
            first = ahead.share.row_of(after)
            with ahead.member.current():
                ahead.relax(step, first, first + self.panels.rows(after))
                ahead.member.urgent.wait(ahead.member.main.mark())
            self._send_pivots(after, free)
        return [self._relax_rest(part, step, ahead) for part in self.parts]

    def _relax_rest(self, part: MatrixPart, step: int, ahead: MatrixPart | None) -> Any:
        """All rows but those relaxed ahead; a mark of the end."""
        with part.member.current():
            if part is ahead:
                first = part.share.row_of(step + 1)
                part.relax(step, 0, first)
                part.relax(step, first + self.panels.rows(step + 1), part.share.rows)
            else:
                part.relax(step, 0, part.share.rows)
            return part.member.main.mark()

    @property
    def _itemsize(self) -> int:
        return int(self.parts[0].matrix.buffer.dtype.itemsize)

    def _bytes_of_pivots(self, step: int) -> int:
        return self.panels.rows(step) * self.panels.size * self._itemsize

    def _sent_bytes(self, step: int) -> int | None:
        """To all members but the owner; None if that is the only one."""
        return (len(self.parts) - 1) * self._bytes_of_pivots(step) or None

    def _send_pivots(self, step: int, free: Sequence[Any] = ()) -> None:
        """Make the pivot rows of a step at their owner, and broadcast them to others
        when their marks are reached.
        """
        origin = next(number for number, part in enumerate(self.parts) if part.share.owns(step))
        for number, part in enumerate(self.parts):
            with part.member.current():
                if number == origin:
                    part.make_pivots(part.member.urgent, step)
                    part.member.link.wait(part.member.urgent.mark())
                elif free:
                    part.member.link.wait(free[number])
        buffers = [part.pivots[step % 2].buffer for part in self.parts]
        self.group.broadcast(origin, buffers, self._bytes_of_pivots(step))
        self._arrived = [self._mark_of_link(part) for part in self.parts]

    def _mark_of_link(self, part: MatrixPart) -> Any:
        with part.member.current():
            return part.member.link.mark()

    def _multiply_columns(self, step: int) -> None:
        for part, arrived in zip(self.parts, self._arrived, strict=True):
            with part.member.current():
                part.member.main.wait(arrived)
                part.multiply_columns(step)

    def _relax_all(self, step: int) -> None:
        for part in self.parts:
            with part.member.current():
                part.relax(step, 0, part.share.rows)


def phase_work(panels: Panels, step: int, n: int) -> tuple[tuple[int, int], ...]:
    """Relaxations of each phase of a step, without padding, and the cells that its
    threads read and write.

    First the square of the pivots is closed and their rows are multiplied by it, then
    their columns are; last, all cells are relaxed. Relaxations count where the cell
    gets its final value of the step.
    """
    size, height, rows = panels.size, panels.height, panels.rows(step)
    first, last = panels.first(step), panels.first(step) + rows
    written = (
        np.array([[first, last, 0, size]]),
        np.array([[0, first, first, last], [last, size, first, last]]),
        other_tiles(step, height, len(panels)),
    )
    cells = (
        closing_cells(rows) + product_cells(rows, size, rows),
        product_cells(size, rows, rows),
        product_cells(size, size, rows),
    )
    return tuple(
        (relaxations(ranges, step, height, n), count)
        for ranges, count in zip(written, cells, strict=True)
    )


def _wait_for(marks: list[Any]) -> None:
    for mark in marks:
        mark.synchronize()
