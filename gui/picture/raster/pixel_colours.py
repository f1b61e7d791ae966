"""Colours of pixels by the state of the vertices that they belong to: the second pass of `lines`. No Qt."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gui.picture.raster.lines import owner_of
from gui.picture.scene.activity import NEVER
from solvers.system.jit import njit


@njit(cache=True, nogil=True, inline="always")
def blend(under: np.uint32, over: np.uint32, alpha: np.uint32) -> np.uint32:
    """Blend the opaque colour ``over`` onto premultiplied ARGB; ``alpha`` in 0..256."""
    rest = np.uint32(256) - alpha
    low = (
        ((over & np.uint32(0x00FF00FF)) * alpha + (under & np.uint32(0x00FF00FF)) * rest) >> np.uint32(8)
    ) & np.uint32(0x00FF00FF)
    high = ((over >> np.uint32(8)) & np.uint32(0x00FF00FF)) * alpha + (
        (under >> np.uint32(8)) & np.uint32(0x00FF00FF)
    ) * rest
    return low | (high & np.uint32(0xFF00FF00))


@njit(cache=True, nogil=True, error_model="numpy")
def colour_pixels(
    image: NDArray[np.uint32],
    density: NDArray[np.int32],
    claims: NDArray[np.int32],
    ends: NDArray[np.int32],
    reveal: NDArray[np.int32],
    shade: NDArray[np.uint8],
    upto: int,
    edge_colours: NDArray[np.uint32],
    shade_alphas: NDArray[np.uint32],
    shades: NDArray[np.uint32],
    canvas: np.uint32,
    steps_per_unit: float,
    show_edges: bool,
) -> None:
    """Colour the pixels of a frame.

    Parameters
    ----------
    image : (h, w) uint32
        Premultiplied ARGB; written.
    density, claims : (h, w)
        As filled by `draw_edges`.
    ends : (2 * e,) int32
        Tail and head of each edge, alternating.
    reveal : (n,) int32 or (0,)
        Iteration from which a vertex counts as visited, or NEVER; empty if nothing is visited.
    shade : (n,) uint8
        Index into ``shades`` of each visited vertex.
    upto : int
        Current iteration.
    edge_colours : (s,) uint32
        Colour of unvisited edges for each step of the tone curve.
    shade_alphas : (s,) uint32
        Opacity of visited edges for each step of the tone curve, 0..256.
    shades : (256,) uint32
        Colours of visited vertices.
    canvas : uint32
    steps_per_unit : float
        Step of the tone curve = sqrt(density * steps_per_unit).
    show_edges : bool
        Draw unvisited edges.
    """
    rows, columns = density.shape
    last = edge_colours.shape[0] - 1
    any_visited = reveal.shape[0] > 0
    for row in range(rows):
        for column in range(columns):
            amount = density[row, column]
            if amount <= 0:
                image[row, column] = canvas
                continue
            step = min(last, int(math.sqrt(amount * steps_per_unit)))
            v = owner_of(claims[row, column], ends) if any_visited else 0
            if any_visited and reveal[v] <= upto:
                image[row, column] = blend(canvas, shades[shade[v]], shade_alphas[step])
            elif show_edges:
                image[row, column] = edge_colours[step]
            else:
                image[row, column] = canvas


@njit(cache=True, nogil=True, error_model="numpy")
def fill_two_colours(
    plain: NDArray[np.uint32],
    visited: NDArray[np.uint32],
    since: NDArray[np.int32],
    density: NDArray[np.int32],
    claims: NDArray[np.int32],
    ends: NDArray[np.int32],
    reveal: NDArray[np.int32],
    shade: NDArray[np.uint8],
    edge_colours: NDArray[np.uint32],
    shade_alphas: NDArray[np.uint32],
    shades: NDArray[np.uint32],
    canvas: np.uint32,
    steps_per_unit: float,
    show_edges: bool,
) -> None:
    """Compute both colours that a pixel can have, and the iteration at which it changes, for `pick_colours`.

    Parameters
    ----------
    plain, visited : (h, w) uint32
        Premultiplied ARGB before and from iteration ``since``; written.
    since : (h, w) int32
        Iteration of the change, or NEVER; written.

    The other parameters are those of `colour_pixels`; ``reveal`` must not be empty.
    """
    rows, columns = density.shape
    last = edge_colours.shape[0] - 1
    for row in range(rows):
        for column in range(columns):
            amount = density[row, column]
            plain[row, column] = visited[row, column] = canvas
            since[row, column] = NEVER
            if amount <= 0:
                continue
            step = min(last, int(math.sqrt(amount * steps_per_unit)))
            if show_edges:
                plain[row, column] = edge_colours[step]
            v = owner_of(claims[row, column], ends)
            if reveal[v] != NEVER:
                visited[row, column] = blend(canvas, shades[shade[v]], shade_alphas[step])
                since[row, column] = reveal[v]


@njit(cache=True, nogil=True)
def pick_colours(
    image: NDArray[np.uint32],
    plain: NDArray[np.uint32],
    visited: NDArray[np.uint32],
    since: NDArray[np.int32],
    upto: int,
) -> None:
    """Write the picture of iteration ``upto`` into ``image``, from the arrays of `fill_two_colours`."""
    rows, columns = image.shape
    for row in range(rows):
        for column in range(columns):
            image[row, column] = visited[row, column] if since[row, column] <= upto else plain[row, column]
