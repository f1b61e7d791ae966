"""A distance matrix as pixels: near to far by tint, unreachable in a colour of its own, tiles at work marked. No Qt."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gui.canvas.activity import Legend
from gui.canvas.raster import blend
from gui.canvas.tone import argb, cividis
from gui.theme import Tokens
from solvers.trace import MatrixTrace

PIXELS = 768  # rows and columns that a matrix is shrunk to at most
_TILE_OPACITY = 0.55


def matrix_pixels(small: NDArray[np.float32], tokens: Tokens) -> NDArray[np.uint32]:
    """(p, p) premultiplied ARGB of least distances, inf where unreachable."""
    low, high = finite_range(small)
    colours = np.round(cividis(tokens.dark)).astype(np.uint32)
    table = np.uint32(0xFF000000) | (colours[:, 0] << 16) | (colours[:, 1] << 8) | colours[:, 2]
    return _coloured(small, low, 255.0 / (high - low) if high > low else 0.0, table, argb(tokens.grid))


def finite_range(small: NDArray[np.float32]) -> tuple[float, float]:
    """Least and greatest finite value; (0, 0) where there is none."""
    finite = small[np.isfinite(small)]
    return (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)


def matrix_legend(small: NDArray[np.float32], unit: str) -> Legend:
    return Legend("distance", *finite_range(small), unit)


def mark_tiles(pixels: NDArray[np.uint32], tiles: NDArray[np.int64], n: int, tokens: Tokens) -> NDArray[np.uint32]:
    """A copy of ``pixels`` with the cell ranges ``tiles`` of an n x n matrix tinted in the frontier's colour."""
    mask = np.zeros(pixels.shape, np.bool_)
    _fill_tiles(mask, tiles, n)
    marked = pixels.copy()
    _tint(marked, mask, argb(tokens.frontier), np.uint32(256 * _TILE_OPACITY))
    return marked


def snapshot_before(trace: MatrixTrace, position: int) -> NDArray[np.float32] | None:
    """The newest snapshot taken at or before ``position``."""
    for step in reversed(trace.steps[: position + 1]):
        if step.snapshot is not None:
            return step.snapshot
    return None


@njit(cache=True, nogil=True)
def _coloured(small, low, steps_per_unit, table, unreachable):
    pixels = np.empty(small.shape, np.uint32)
    for row in range(small.shape[0]):
        for column in range(small.shape[1]):
            value = small[row, column]
            reached = np.isfinite(value)
            pixels[row, column] = table[int((value - low) * steps_per_unit)] if reached else unreachable
    return pixels


@njit(cache=True, nogil=True)
def _tint(pixels, mask, colour, alpha):
    for row in range(pixels.shape[0]):
        for column in range(pixels.shape[1]):
            if mask[row, column]:
                pixels[row, column] = blend(pixels[row, column], colour, alpha)


@njit(cache=True, nogil=True)
def _fill_tiles(mask, tiles, n):
    """Mark every pixel that a tile touches."""
    rows, columns = mask.shape
    for t in range(tiles.shape[0]):
        first_row, last_row = tiles[t, 0] * rows // n, (max(tiles[t, 1], tiles[t, 0] + 1) * rows - 1) // n
        first_column, last_column = tiles[t, 2] * columns // n, (max(tiles[t, 3], tiles[t, 2] + 1) * columns - 1) // n
        for row in range(max(0, first_row), min(rows - 1, last_row) + 1):
            for column in range(max(0, first_column), min(columns - 1, last_column) + 1):
                mask[row, column] = True
