"""Tiles of a blocked step: cells that its phases write, cells that kernels read and
write, and products on a processor.

Cells are ranges (row0, row1, column0, column1). The traffic of the kernels of
``blocked.cu`` with the device's memory is counted from their text; all its extents are
multiples of `TILE`.

On a processor, the work inside a tile is closing the pivot tile, and the min-plus
product of two tiles. How the product is made fast:

* Row `i` of the result stays in the first-level cache while four pivots at a time pass
  over it: five reads and one write for four relaxations, and two rows together share
  the reads of the four pivots' rows.
* The innermost loop runs along rows, in which everything lies in order; the compiler
  turns it into vector code (16 cells at a time with AVX-512). For that the slices must
  be of C order, hence `matrix[i, a:b]` and no views of tiles.

Why any order of pivots is right: the factors are closed, so that a detour over two
pivots is already a cell of one.

Infinity plus a weight of zero or more is no less than infinity, and floating infinity
absorbs what is added to it; only integers with negative weights (``careful``) need to
ask, and go one pivot at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.algorithms.floyd_warshall.matrix import TILE
from solvers.system.array_types import AnyArray, Int64s
from solvers.system.jit import njit

# Widths of a tile that kernels and pictures know. 32 x 32 threads are all that a CUDA
# block can have.
TILES = (4, 8, 16, 32)

CLOSED_TILE = 2 * TILE**2
"""Of ``close_tile``: the tile in and out."""


def pivot_tile(step: int, tile: int) -> Int64s:
    """Phase 1: the tile on the diagonal."""
    first, last = step * tile, (step + 1) * tile
    return np.array([[first, last, first, last]])


def pivot_cross(step: int, tile: int, across: int) -> Int64s:
    """Phase 2: the pivot's row and column of tiles, without the pivot tile: four
    strips, fewer at the matrix's edge.
    """
    first, last, end = step * tile, (step + 1) * tile, across * tile
    strips = np.array(
        [
            [first, last, 0, first],
            [first, last, last, end],
            [0, first, first, last],
            [last, end, first, last],
        ]
    )
    return _not_empty(strips)


def other_tiles(step: int, tile: int, across: int) -> Int64s:
    """Phase 3: the rest of the matrix, on the four sides of the cross."""
    first, last, end = step * tile, (step + 1) * tile, across * tile
    corners = np.array(
        [[0, first, 0, first], [0, first, last, end], [last, end, 0, first], [last, end, last, end]]
    )
    return _not_empty(corners)


def relaxations(ranges: Int64s, step: int, tile: int, n: int) -> int:
    """Detours compared with the cells in ``ranges`` in a step whose pivots are ``tile``
    vertices, without padding.
    """
    row0, row1, column0, column1 = np.minimum(ranges, n).T
    cells = int(((row1 - row0) * (column1 - column0)).sum())
    return cells * max(0, min(n, (step + 1) * tile) - step * tile)


def _not_empty(ranges: Int64s) -> Int64s:
    return ranges[(ranges[:, 0] < ranges[:, 1]) & (ranges[:, 2] < ranges[:, 3])]


def product_cells(rows: int, columns: int, depth: int = TILE) -> int:
    """Of a product of that extent: each block takes its tile in and out, and a strip of
    either factor in.
    """
    tiles = (rows // TILE) * (columns // TILE)
    return tiles * (2 * TILE**2 + 2 * TILE * depth)


def closing_cells(size: int) -> int:
    """Of closing a square, tile by tile: each step closes its pivot tile and relaxes all others."""
    return size // TILE * (product_cells(size, size) - product_cells(TILE, TILE) + CLOSED_TILE)


def copied_cells(rows: int, columns: int) -> int:
    """Of ``copy_tiles``: in and out."""
    return 2 * rows * columns


@njit
def close_tile(
    matrix: AnyArray, first: int, tile: int, infinity: Any, tolerance: Any, careful: bool
) -> bool:
    """Floyd-Warshall inside the diagonal tile that begins at ``first``; False if its
    diagonal turns negative.

    Stops at once then: each pivot more could double the cells of a negative cycle.
    """
    end = first + tile
    for k in range(first, end):
        pivot_row = matrix[k, first:end]
        for i in range(first, end):
            row = matrix[i, first:end]
            _relax_row(row, matrix[i, k], pivot_row, infinity, careful)
            if row[i - first] < 0:
                if row[i - first] < -tolerance:
                    return False
                row[i - first] = 0
    return True


@njit
def relax_tile(
    matrix: AnyArray,
    row: int,
    pivot: int,
    column: int,
    factor: AnyArray,
    infinity: Any,
    careful: bool,
) -> None:
    """C = min(C, A x B): C begins at (``row``, ``column``), A at (``row``, ``pivot``),
    B is ``factor``.

    Parameters
    ----------
    matrix : (p, p) array
    row, pivot, column : int
        First rows and columns of tiles; C may be A.
    factor : (tile, tile) array
        Not a part of ``matrix``; the tile is a multiple of 4.
    infinity : scalar of the matrix's type
    careful : bool
        Whether infinity must be distinguished from a length before an addition.
    """
    tile = factor.shape[0]
    if careful:
        for i in range(row, row + tile):
            for k in range(tile):
                _relax_row(
                    matrix[i, column : column + tile],
                    matrix[i, pivot + k],
                    factor[k],
                    infinity,
                    True,
                )
    else:
        for i in range(row, row + tile, 2):
            _relax_two_rows(
                matrix[i, column : column + tile],
                matrix[i + 1, column : column + tile],
                matrix[i, pivot : pivot + tile],
                matrix[i + 1, pivot : pivot + tile],
                factor,
            )


@njit
def copy_tile(matrix: AnyArray, row: int, column: int, target: AnyArray) -> None:
    """Copy the tile that begins at (``row``, ``column``) to ``target``."""
    for i in range(target.shape[0]):
        for j in range(target.shape[1]):
            target[i, j] = matrix[row + i, column + j]


@njit
def _relax_row(
    row: AnyArray, to_pivot: Any, pivot_row: AnyArray, infinity: Any, careful: bool
) -> None:
    kind = row.dtype.type
    if not careful:
        for j in range(row.shape[0]):
            row[j] = min(row[j], kind(to_pivot + pivot_row[j]))
    elif to_pivot < infinity:
        for j in range(row.shape[0]):
            through = kind(to_pivot + pivot_row[j])
            row[j] = through if pivot_row[j] < infinity and through < row[j] else row[j]


@njit
def _relax_two_rows(
    upper: AnyArray, lower: AnyArray, a: AnyArray, b: AnyArray, factor: AnyArray
) -> None:
    """Two rows of the result with all pivots, four at a time; ``a`` and ``b`` are the
    left factor's rows.
    """
    kind = upper.dtype.type
    for k in range(0, factor.shape[0], 4):
        a0, a1, a2, a3 = a[k], a[k + 1], a[k + 2], a[k + 3]
        b0, b1, b2, b3 = b[k], b[k + 1], b[k + 2], b[k + 3]
        row0, row1, row2, row3 = factor[k], factor[k + 1], factor[k + 2], factor[k + 3]
        for j in range(upper.shape[0]):
            c0, c1, c2, c3 = row0[j], row1[j], row2[j], row3[j]
            through = min(min(kind(a0 + c0), kind(a1 + c1)), min(kind(a2 + c2), kind(a3 + c3)))
            upper[j] = min(upper[j], through)
            through = min(min(kind(b0 + c0), kind(b1 + c1)), min(kind(b2 + c2), kind(b3 + c3)))
            lower[j] = min(lower[j], through)
