"""Blocked Floyd-Warshall by panels of several tiles, for matrices that are stored in parts.

A step takes one panel of pivot vertices. What it launches, by the kernels of ``blocked.cu``:

    close      the square of the pivots is closed, tile by tile
    multiply   pivot rows  = square (x) rows;  pivot columns = columns (x) square;  other cells by the product of both

A product writes to memory of its own, or to the cells that it started from. So pivot rows and columns may be stored
apart from the matrix, which stays where it is: on several devices, or in the host's memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from solvers.algorithms.floyd_warshall.cells import THREADS, TILE
from solvers.devices.base import Program

_NONE_SKIPPED = (np.int32(np.iinfo(np.int32).max), np.int32(0))


class Launcher(Protocol):
    """A queue of a device."""

    def launch(
        self, program: Program, kernel: str, grid: tuple[int, ...], block: tuple[int, ...], *arguments: Any
    ) -> None: ...


@dataclass(frozen=True)
class Panels:
    """Division of the vertices into panels, each of which is the pivots of one step.

    Attributes
    ----------
    size : int
        Rows of the matrix: a multiple of `TILE`.
    height : int
        Vertices of a panel, a multiple of `TILE`; the last panel may have fewer.
    """

    size: int
    height: int

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
    """Cells of a matrix in device memory.

    Attributes
    ----------
    buffer : Buffer
    stride : int
        Cells from one row to the next.
    at : int
        Number of the first cell.
    """

    buffer: Any
    stride: int
    at: int = 0

    def from_cell(self, row: int, column: int = 0) -> Cells:
        """The cells from that one on, counted from the first of these."""
        return replace(self, at=self.at + row * self.stride + column)

    @property
    def arguments(self) -> tuple[Any, ...]:
        return self.buffer, np.int64(self.at), np.int64(self.stride)


@dataclass(frozen=True)
class PanelKernels:
    """Launches of a step on one device, whose program this is. All extents are multiples of `TILE`."""

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
        extent: tuple[int, int, int],
        skipped: slice | None = None,
    ) -> None:
        """``out = min(start, left (x) right)``.

        Parameters
        ----------
        queue : Launcher
        out, start, left, right : Cells
            ``out`` may be ``start``, but neither factor.
        extent : (rows, columns, depth)
            Of the product.
        skipped : slice, optional
            Columns that are not computed.
        """
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
