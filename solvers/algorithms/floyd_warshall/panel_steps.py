"""Steps of Floyd-Warshall on a matrix in parts; idea and order are explained in ``blocked_gpus.py``."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.floyd_warshall.matrix_parts import MatrixPart
from solvers.algorithms.floyd_warshall.panels import Panels
from solvers.algorithms.floyd_warshall.snapshots import due_steps
from solvers.algorithms.floyd_warshall.tile_traffic import closing_cells, product_cells
from solvers.algorithms.floyd_warshall.tiles import other_tiles, pivot_cross, pivot_tile, relaxations
from solvers.devices.gpu_group import GpuGroup
from solvers.host.observer import Observer
from solvers.host.timing import Phases

_STEPS_QUEUED = 2  # so no GPU waits for the host, and a cancelled run ends soon


@dataclass
class PanelSteps:
    """The steps of a run, on all members of a group."""

    group: GpuGroup
    parts: list[MatrixPart]
    panels: Panels
    phases: Phases
    _arrived: list[Any] = field(default_factory=list)

    def timed(self, observer: Observer) -> None:
        """All steps, with look-ahead. The host enqueues two steps, so that a cancelled run ends soon."""
        ended: list[list[Any]] = []
        with self.phases.measure("solve"):
            try:
                self._send_pivots(0)
                for step in self.panels:
                    observer.checkpoint(step, len(self.panels))
                    ended.append(self._step(step, ended[-1] if ended else ()))
                    if len(ended) > _STEPS_QUEUED:
                        _wait_for(ended[-1 - _STEPS_QUEUED])
            finally:
                self.group.synchronize()

    def watched(self, observer: Observer, n: int, snapshot: Callable[[], NDArray[Any]]) -> None:
        """All steps, one phase after the other, and each reported."""
        height, across = self.panels.height, len(self.panels)
        due = due_steps(across, sum(part.matrix.buffer.nbytes for part in self.parts))
        for step in self.panels:
            reports: tuple[tuple[Callable[[int], None], NDArray[np.int64]], ...] = (
                (self._send_pivots, pivot_tile(step, height)),
                (self._multiply_columns, pivot_cross(step, height, across)),
                (self._relax_all, other_tiles(step, height, across)),
            )
            work = phase_work(self.panels, step, n)
            for phase, (launch, tiles) in enumerate(reports, start=1):
                observer.checkpoint(step, across)
                began = time.perf_counter()
                launch(step)
                self.group.synchronize()
                ms = (time.perf_counter() - began) * 1e3
                self.phases.solve += ms
                matrix = snapshot() if phase == len(reports) and step in due else None
                relaxed, cells = work[phase - 1]
                sent = self._sent_bytes(step) if phase == 1 else None
                observer.matrix_step(
                    step, phase, np.minimum(tiles, n), matrix, ms, relaxed, cells * self._itemsize, sent
                )

    def _step(self, step: int, free: Sequence[Any]) -> list[Any]:
        """Enqueue a step, and the pivot rows of the next; marks of its end.

        Parameters
        ----------
        step : int
        free : sequence of marks
            One a member, of the end of the step before, which used the memory of the next pivot rows; empty at first.
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
        """Make the pivot rows of a step at their owner, and broadcast them to others when their marks are reached."""
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
    """Relaxations of each phase of a step, without padding, and the cells that its threads read and write.

    First the square of the pivots is closed and their rows are multiplied by it, then their columns are; last, all
    cells are relaxed. Relaxations count where the cell gets its final value of the step.
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
    return tuple((relaxations(ranges, step, height, n), count) for ranges, count in zip(written, cells, strict=True))


def _wait_for(marks: list[Any]) -> None:
    for mark in marks:
        mark.synchronize()
