"""Shrinking a distance matrix to a picture: the least of each group of cells, at the speed of memory. Knows no Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.weights import weight_type
from solvers.host.jit import njit
from solvers.host.observer import SILENT, Observer

_PIECE_CELLS = 16_000_000  # cells between two looks at whether to cancel: some 10 ms


@dataclass(frozen=True, eq=False)
class Shrunk:
    """Part of a matrix, each entry the least of ``group`` x ``group`` cells; groups are counted from cell 0.

    Attributes
    ----------
    least : (r, c) float32
        inf where every cell of the group is unreachable.
    group : int
    row, column : int
        The group that ``least[0, 0]`` stands for.
    """

    least: NDArray[np.float32]
    group: int
    row: int
    column: int

    def covers(self, group: int, rows: tuple[int, int], columns: tuple[int, int]) -> bool:
        """Whether it holds those ranges of groups, at that group size."""
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
    """Shrink a part of ``matrix``.

    Parameters
    ----------
    matrix : (n, n) array of a distance type
    group : int
        Cells a side.
    rows, columns : (first, last + 1)
        Groups that are wanted.
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
    """Least and greatest distance of reachable pairs; (0, 0) where there is none."""
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
    """Fill ``least``: rows are folded into one first, which the compiler does many cells at a time."""
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
    """Least and greatest below ``infinity``, with no branch, so that the compiler takes many cells at a time."""
    low, high = infinity, -infinity
    for row in range(part.shape[0]):
        cells = part[row]
        for column in range(cells.shape[0]):
            value = cells[column]
            low = min(low, value)
            high = max(high, value if value < infinity else -infinity)
    return low, high
