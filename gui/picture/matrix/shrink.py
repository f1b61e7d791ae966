"""Downsampling of a distance matrix: the minimum of each group of cells. No Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.weights import weight_type
from solvers.system.cancel import SILENT, Observer
from solvers.system.jit import njit

_PIECE_CELLS = 16_000_000  # cells between two cancellation checks


@dataclass(frozen=True, eq=False)
class Shrunk:
    """Part of a downsampled matrix: each entry is the minimum of ``group`` x ``group`` cells.

    Attributes
    ----------
    least : (r, c) float32
        Minimum of each group; inf if all its cells are unreachable.
    group : int
    row, column : int
        Group of ``least[0, 0]``, counted from cell (0, 0).
    """

    least: NDArray[np.float32]
    group: int
    row: int
    column: int

    def covers(self, group: int, rows: tuple[int, int], columns: tuple[int, int]) -> bool:
        """True if it contains those ranges of groups at that group size."""
        height, width = self.least.shape
        return (
            group == self.group
            and self.row <= rows[0]
            and rows[1] <= self.row + height
            and self.column <= columns[0]
            and columns[1] <= self.column + width
        )


def shrink(
    matrix: NDArray[Any], group: int, rows: tuple[int, int], columns: tuple[int, int], observer: Observer = SILENT
) -> Shrunk:
    """Downsample a part of ``matrix``.

    Parameters
    ----------
    matrix : (n, n) array of a distance type
    group : int
        Side length of a group in cells.
    rows, columns : (first, last + 1)
        Ranges of groups.
    observer : Observer

    Raises
    ------
    Cancelled
    """
    infinity = _infinity(matrix)
    least = np.empty((rows[1] - rows[0], columns[1] - columns[0]), np.float32)
    step = max(1, _PIECE_CELLS // max(1, group * matrix.shape[1]))
    for first in range(0, len(least), step):
        observer.checkpoint()
        _least_of_groups(matrix, group, rows[0] + first, columns[0], infinity, least[first : first + step])
    return Shrunk(least, group, rows[0], columns[0])


def finite_extremes(matrix: NDArray[Any], observer: Observer = SILENT) -> tuple[float, float]:
    """Least and greatest distance of reachable pairs; (0, 0) if there are none."""
    infinity = _infinity(matrix)
    low, high = math.inf, -math.inf
    step = max(1, _PIECE_CELLS // max(1, matrix.shape[1]))
    for first in range(0, len(matrix), step):
        observer.checkpoint()
        least, greatest = _extremes(matrix[first : first + step], infinity)
        if least < infinity:
            low, high = min(low, float(least)), max(high, float(greatest))
    return (low, high) if low <= high else (0.0, 0.0)


def _infinity(matrix: NDArray[Any]) -> Any:
    return matrix.dtype.type(weight_type(matrix.dtype).infinity)


@njit(cache=True, nogil=True)
def _least_of_groups(
    matrix: NDArray[Any], group: int, first_row: int, first_column: int, infinity: Any, least: NDArray[np.float32]
) -> None:
    """Fill ``least``; rows are reduced first, in a loop that the compiler vectorises."""
    n_rows, n_columns = matrix.shape
    start = first_column * group
    width = min(n_columns, (first_column + least.shape[1]) * group) - start
    folded = np.empty(width, matrix.dtype)
    for i in range(least.shape[0]):
        top = (first_row + i) * group
        folded[:] = matrix[top, start : start + width]
        for row in range(top + 1, min(n_rows, top + group)):
            cells = matrix[row, start : start + width]
            for j in range(width):
                folded[j] = min(folded[j], cells[j])
        for column in range(least.shape[1]):
            best = folded[column * group]
            for j in range(column * group + 1, min(width, (column + 1) * group)):
                best = min(best, folded[j])
            least[i, column] = np.float32(best) if best < infinity else np.float32(np.inf)


@njit(cache=True, nogil=True)
def _extremes(part: NDArray[Any], infinity: Any) -> tuple[Any, Any]:
    """Least and greatest value below ``infinity``, without branches, so that the compiler vectorises the loop."""
    low, high = infinity, -infinity
    for row in range(part.shape[0]):
        cells = part[row]
        for column in range(cells.shape[0]):
            value = cells[column]
            low = min(low, value)
            high = max(high, value if value < infinity else -infinity)
    return low, high
