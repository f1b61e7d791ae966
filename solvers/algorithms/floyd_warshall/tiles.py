"""Cells written by the three phases of a blocked step, as ranges (row0, row1, column0, column1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Widths of a tile that kernels and pictures know. 32 x 32 threads are all that a CUDA block can have.
TILES = (8, 16, 32)


def pivot_tile(step: int, tile: int) -> NDArray[np.int64]:
    """Phase 1: the tile on the diagonal."""
    first, last = step * tile, (step + 1) * tile
    return np.array([[first, last, first, last]])


def pivot_cross(step: int, tile: int, across: int) -> NDArray[np.int64]:
    """Phase 2: the pivot's row and column of tiles, without the pivot tile: four strips, fewer at the matrix's edge."""
    first, last, end = step * tile, (step + 1) * tile, across * tile
    strips = np.array(
        [[first, last, 0, first], [first, last, last, end], [0, first, first, last], [last, end, first, last]]
    )
    return _not_empty(strips)


def other_tiles(step: int, tile: int, across: int) -> NDArray[np.int64]:
    """Phase 3: the rest of the matrix, on the four sides of the cross."""
    first, last, end = step * tile, (step + 1) * tile, across * tile
    corners = np.array([[0, first, 0, first], [0, first, last, end], [last, end, 0, first], [last, end, last, end]])
    return _not_empty(corners)


def relaxations(ranges: NDArray[np.int64], step: int, tile: int, n: int) -> int:
    """Detours compared with the cells in ``ranges`` in a step whose pivots are ``tile`` vertices, without padding."""
    row0, row1, column0, column1 = np.minimum(ranges, n).T
    cells = int(((row1 - row0) * (column1 - column0)).sum())
    return cells * max(0, min(n, (step + 1) * tile) - step * tile)


def _not_empty(ranges: NDArray[np.int64]) -> NDArray[np.int64]:
    return ranges[(ranges[:, 0] < ranges[:, 1]) & (ranges[:, 2] < ranges[:, 3])]
