"""Cells that the kernels of ``blocked.cu`` read from the device's memory and write to it, counted from their text.

All extents are multiples of `TILE`.
"""

from __future__ import annotations

from solvers.algorithms.floyd_warshall.cells import TILE

CLOSED_TILE = 2 * TILE**2
"""Of ``close_tile``: the tile in and out."""


def product_cells(rows: int, columns: int, depth: int = TILE) -> int:
    """Of a product of that extent: each block takes its tile in and out, and a strip of either factor in."""
    tiles = (rows // TILE) * (columns // TILE)
    return tiles * (2 * TILE**2 + 2 * TILE * depth)


def closing_cells(size: int) -> int:
    """Of closing a square, tile by tile: each step closes its pivot tile and relaxes all others."""
    return size // TILE * (product_cells(size, size) - product_cells(TILE, TILE) + CLOSED_TILE)


def copied_cells(rows: int, columns: int) -> int:
    """Of ``copy_tiles``: in and out."""
    return 2 * rows * columns
