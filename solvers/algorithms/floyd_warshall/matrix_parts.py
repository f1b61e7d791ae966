"""A matrix in parts: what each GPU of a group holds of it, and what it launches in a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.floyd_warshall.panels import Cells, PanelKernels, Panels
from solvers.devices.gpu_group import GpuMember
from solvers.host.observer import Observer
from solvers.host.threads import thread_team


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
        return self.rows * (self.panels.size + self.panels.height) + 2 * self.panels.height * self.panels.size


@dataclass(frozen=True)
class MatrixPart:
    """What one member holds of the matrix, and what it launches.

    Attributes
    ----------
    matrix : Cells
        The rows of its own panels, one panel after the other.
    columns : Cells
        The pivot columns of these rows.
    pivots : pair of Cells
        Pivot rows of this step and the next, in turn.
    """

    member: GpuMember
    kernels: PanelKernels
    share: Share
    matrix: Cells
    columns: Cells
    pivots: tuple[Cells, Cells]

    @classmethod
    def on(cls, member: GpuMember, kernels: PanelKernels, share: Share, dtype: np.dtype[Any]) -> MatrixPart:
        """Allocate a member's share."""
        size, height, rows = share.panels.size, share.panels.height, share.rows

        def matrix(down: int, across: int) -> Cells:
            return Cells(member.session.empty((down, across), dtype), across)

        with member.current():
            pivots = matrix(height, size), matrix(height, size)
            return cls(member, kernels, share, matrix(rows, size), matrix(rows, height), pivots)

    def upload(self, matrix: NDArray[Any]) -> None:
        with self.member.current():
            for panel in self.share.own:
                self.member.session.write_rows(
                    self.matrix.buffer, self.share.row_of(panel), matrix[self.share.panels.slice(panel)]
                )

    def download(self, matrix: NDArray[Any]) -> None:
        with self.member.current():
            for panel in self.share.own:
                self.member.session.read_rows(
                    self.matrix.buffer, self.share.row_of(panel), matrix[self.share.panels.slice(panel)]
                )

    def make_pivots(self, queue: Any, step: int) -> None:
        """Close the square of its own panel, and multiply the panel's rows by it into the pivot rows of the step."""
        panels = self.share.panels
        rows = self.matrix.from_cell(self.share.row_of(step))
        square, extent = rows.from_cell(0, panels.first(step)), panels.rows(step)
        self.kernels.close(queue, square, extent)
        self.kernels.multiply(queue, self.pivots[step % 2], rows, square, rows, (extent, panels.size, extent))

    def multiply_columns(self, step: int) -> None:
        """The pivot columns of all its rows."""
        panels, pivots = self.share.panels, self.pivots[step % 2]
        first, extent = panels.first(step), panels.rows(step)
        old, square = self.matrix.from_cell(0, first), pivots.from_cell(0, first)
        self.kernels.multiply(self.member.main, self.columns, old, old, square, (self.share.rows, extent, extent))

    def relax(self, step: int, first: int, last: int) -> None:
        """Relax the cells of a range of its rows."""
        if first == last:
            return
        panels, rows = self.share.panels, self.matrix.from_cell(first)
        extent = (last - first, panels.size, panels.rows(step))
        columns = self.columns.from_cell(first)
        self.kernels.multiply(self.member.main, rows, rows, columns, self.pivots[step % 2], extent)


def upload(parts: Sequence[MatrixPart], matrix: NDArray[Any], observer: Observer) -> None:
    """Copy the host's matrix to all members at once."""
    _on_all(parts, partial(MatrixPart.upload, matrix=matrix), observer)


def download(parts: Sequence[MatrixPart], matrix: NDArray[Any], observer: Observer) -> None:
    """Copy the rows of all members to the host's matrix at once."""
    _on_all(parts, partial(MatrixPart.download, matrix=matrix), observer)


def _on_all(parts: Sequence[MatrixPart], copy: Callable[[MatrixPart], None], observer: Observer) -> None:
    with thread_team(len(parts)) as team:
        team.run((partial(copy, part) for part in parts), observer)
