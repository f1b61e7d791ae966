"""Colours of pixels by the density of their lines and by the state of the vertices that they belong to. No Qt.

This is the second pass of `lines`. Line density is unbounded (dense graphs stack a hundred lines on a pixel). It is
scaled by the density expected for the view and mapped by an exponential curve, so that single lines stay visible and
dense regions keep their contrast.

Unvisited edges recede: where they are dense, they approach a colour that is still between the canvas and every colour
of a ramp, and beside visited ones they are fainter, because the run is what is looked at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gui.picture.raster.lines import owner_of
from gui.picture.scene.activity import NEVER
from gui.picture.scene.ramps import Ramp, RegionRamps, ramp_colours, rgb
from gui.style.colours import Tokens
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


STEPS = 1024
_MOST_DENSITY = 64.0  # scaled density at which the curves end; steps are even in its square root
_EDGE_STRENGTH = 2.0
FAINT = 0.62  # opacity of unvisited edges beside visited ones, relative to those of a graph alone
RECEDING = 0.5  # opacity of edges outside a budget
_DENSE_FROM = 0.9  # scaled density from which the colour of dense edges is mixed in
_VISITED_STRENGTH = 3.2
_VISITED_OPACITY = {False: 0.88, True: 0.94}  # by darkness of the scheme


@dataclass(frozen=True, eq=False)
class Tones:
    """Look-up tables for `colour_pixels`; colours are premultiplied ARGB in uint32."""

    edges: NDArray[np.uint32]  # (STEPS,): colours of unvisited edges on the canvas, by step of density
    shade_alphas: NDArray[np.uint32]  # (STEPS,): opacity of visited edges by step of density, 0..256
    shades: NDArray[np.uint32]  # (256,): colours of visited vertices: those of the ramp
    canvas: np.uint32

    @staticmethod
    def steps_per_density(gain: float) -> float:
        """Factor by which `colour_pixels` computes the step of a density."""
        return gain * STEPS * STEPS / _MOST_DENSITY


def argb(colour: str) -> np.uint32:
    """Opaque ARGB of "#RRGGBB"."""
    return np.uint32(0xFF000000 | int(colour[1:], 16))


def make_tones(
    tokens: Tokens,
    background: str | None = None,
    ramp: Ramp | RegionRamps = Ramp.DISTANCES,
    *,
    faint: bool = False,
    receding: bool = False,
) -> Tones:
    """Look-up tables for a colour scheme.

    Parameters
    ----------
    background : str, optional
        "#RRGGBB" or "transparent"; None is the scheme's canvas colour.
    ramp : Ramp or RegionRamps
        Of the visited vertices.
    faint : bool
        Whether unvisited edges are beside visited ones.
    receding : bool
        Whether unvisited edges are fainter, because they lie outside a budget.
    """
    density = np.linspace(0.0, math.sqrt(_MOST_DENSITY), STEPS) ** 2
    strength = RECEDING if receding else FAINT if faint else 1.0
    alpha = strength * (1.0 - np.exp(-_EDGE_STRENGTH * density))
    dense = np.clip(
        np.log(np.maximum(density, _DENSE_FROM) / _DENSE_FROM) / math.log(_MOST_DENSITY / _DENSE_FROM), 0.0, 1.0
    )[:, None]
    colour = rgb(tokens.road) * (1.0 - dense) + rgb(tokens.road_dense) * dense
    clear = background == "transparent"
    canvas = np.array([0.0, 0.0, 0.0]) if clear else rgb(background or tokens.canvas)
    over = colour * alpha[:, None] + canvas * (1.0 - alpha[:, None])
    opacity = alpha * 255.0 if clear else np.full(STEPS, 255.0)
    visited_alpha = _VISITED_OPACITY[tokens.dark] * (1.0 - np.exp(-_VISITED_STRENGTH * density))
    return Tones(
        packed(over, opacity), np.round(256.0 * visited_alpha).astype(np.uint32),
        packed(ramp_colours(ramp, tokens.dark), np.full(256, 255.0)),
        np.uint32(0) if clear else packed(canvas[None], np.array([255.0]))[0],
    )  # fmt: skip


def stroke_opacity(density: float, *, visited: bool, dark: bool, faint: bool = False) -> float:
    """Opacity in 0..1 of a single line of scaled ``density``, drawn as a vector; ``faint`` as in `make_tones`."""
    if visited:
        return _VISITED_OPACITY[dark] * (1.0 - math.exp(-_VISITED_STRENGTH * density))
    return (FAINT if faint else 1.0) * (1.0 - math.exp(-_EDGE_STRENGTH * density))


def expected_density(edges: int, mean_length: float, width: float, area: float) -> float:
    """Mean density of the graph's rectangle; lengths in pixels, area in square pixels."""
    return edges * mean_length * width / max(area, 1.0)


def gain_for(density: float) -> float:
    """Factor that scales a view of mean ``density``: about 1 for few lines, smaller for many."""
    return 1.0 / (1.0 + density)


def packed(colours: NDArray[np.float64], opacity: NDArray[np.float64]) -> NDArray[np.uint32]:
    """(k,) ARGB of (k, 3) colours (not multiplied by alpha here) and (k,) opacities, all in 0..255."""
    red, green, blue = (np.round(colours[:, i]).astype(np.uint32) for i in range(3))
    alpha = np.round(opacity).astype(np.uint32)
    return (alpha << np.uint32(24)) | (red << np.uint32(16)) | (green << np.uint32(8)) | blue
