"""Discs painted onto a finished picture: the lights of a frontier, the vertices of a border. No Qt."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gui.picture.raster.pixel_colours import blend
from solvers.system.jit import njit


@njit(cache=True, nogil=True, error_model="numpy")
def place_spots(
    spots: NDArray[np.float32],
    positions: NDArray[np.float64],
    vertices: NDArray[np.int32],
    scale: float,
    dx: float,
    dy: float,
    left: int,
    top: int,
    right: int,
    bottom: int,
    seen: NDArray[np.uint8],
    mark: int,
) -> int:
    """Compute pixel coordinates of the ``vertices`` inside a pixel rectangle.

    Parameters
    ----------
    spots : (k, 2) float32
        Written.
    left, top, right, bottom : int
    seen : (bottom - top, right - left) uint8 or (0, 0)
        If given, a spot is moved to the centre of its pixel, which is set to ``mark``, and a pixel with that mark gets
        no second spot. This bounds the work by the number of pixels.
    mark : int

    Returns
    -------
    int
        Number of spots written.
    """
    crowded = seen.shape[0] > 0
    count = 0
    for v in vertices:
        x = positions[v, 0] * scale + dx
        y = positions[v, 1] * scale + dy
        if not (left <= x < right and top <= y < bottom):
            continue
        if crowded:
            row, column = math.floor(y), math.floor(x)
            if seen[row - top, column - left] == mark:
                continue
            seen[row - top, column - left] = mark
            x, y = column + 0.5, row + 0.5
        spots[count, 0], spots[count, 1] = x, y
        count += 1
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def draw_discs(
    image: NDArray[np.uint32], top: int, spots: NDArray[np.float32], radius: float, colour: np.uint32, opacity: float
) -> None:
    """Paint discs onto a picture: ``colour`` opaque ARGB, ``opacity`` in 0..1; ``top`` as in `draw_edges`."""
    rows, columns = image.shape
    reach = radius + 0.5
    outside, inside = reach * reach, max(0.0, radius - 0.5) ** 2
    full = np.uint32(256.0 * opacity)
    for i in range(spots.shape[0]):
        x, y = spots[i, 0], spots[i, 1]
        if not (-reach < x < columns + reach and top - reach < y < top + rows + reach):
            continue
        for row in range(max(top, math.floor(y - reach)), min(top + rows - 1, math.floor(y + reach)) + 1):
            down = (row + 0.5 - y) ** 2
            for column in range(max(0, math.floor(x - reach)), min(columns - 1, math.floor(x + reach)) + 1):
                square = (column + 0.5 - x) ** 2 + down
                if square >= outside:
                    continue
                alpha = full if square <= inside else np.uint32(256.0 * opacity * (reach - math.sqrt(square)))
                image[row - top, column] = blend(image[row - top, column], colour, alpha)
