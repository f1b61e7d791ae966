"""Colours of pixels by the density of their lines and by the state of the vertices that
they belong to. No Qt.

This is the second pass of `lines`. Line density is unbounded (dense graphs stack a
hundred lines on a pixel). It is scaled by the density expected for the view and mapped
by an exponential curve, so that single lines stay visible and dense regions keep their
contrast.

Unvisited edges recede: where they are dense, they approach a colour that is still
between the canvas and every colour of a ramp, and beside visited ones they are fainter,
because the run is what is looked at.

While a source is dragged, every picture has other shades on the same pixels. Which
vertex a pixel belongs to and how dense its lines are depend on the view alone: both are
found once, so that new shades are coloured without looking at edges again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from solvers.picture.colours import Tokens
from solvers.picture.raster.edge_buffers import EdgeBuffers
from solvers.picture.raster.lines import UNITS, owner_of
from solvers.picture.scene.activity import NEVER
from solvers.picture.scene.ramps import Ramp, RegionRamps, ramp_colours, rgb
from solvers.picture.scene.values import Shading
from solvers.system.array_types import Float64s, Int32s, UInt8s, UInt16s, UInt32s
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam

STEPS = 1024
# scaled density at which the curves end; steps are even in its square root
MOST_SCALED_DENSITY = 64.0
_EDGE_STRENGTH = 2.0  # beside visited edges
_LONE_STRENGTH = {False: 1.75, True: 4.0}  # of edges alone, by prominence of roads
# share of the colour of great roads where edges alone are dense, and their prominence
# is not known
_LONE_MIX = 0.55
FAINT = 0.62  # opacity of unvisited edges beside visited ones, relative to those of a graph alone
RECEDING = 0.5  # opacity of edges outside a budget
# Scaled density from which the colour of dense edges is mixed in, and from which it is
# alone: beside visited edges; and alone, by prominence of roads.
_DENSE, _LONE_DENSE = (0.9, MOST_SCALED_DENSITY), {False: (0.5, 5.0), True: (0.25, 5.0)}
_VISITED_STRENGTH = 3.2
_VISITED_OPACITY = {False: 0.88, True: 0.94}  # by darkness of the scheme

_NOTHING_VISITED = (np.empty(0, np.int32), np.empty(0, np.uint8))

_NONE = -1


@njit(inline="always")
def blend(under: np.uint32, over: np.uint32, alpha: np.uint32) -> np.uint32:
    """Blend the opaque colour ``over`` onto premultiplied ARGB; ``alpha`` in 0..256."""
    rest = np.uint32(256) - alpha
    low = (
        ((over & np.uint32(0x00FF00FF)) * alpha + (under & np.uint32(0x00FF00FF)) * rest)
        >> np.uint32(8)
    ) & np.uint32(0x00FF00FF)
    high = ((over >> np.uint32(8)) & np.uint32(0x00FF00FF)) * alpha + (
        (under >> np.uint32(8)) & np.uint32(0x00FF00FF)
    ) * rest
    return low | (high & np.uint32(0xFF00FF00))


class Tones(NamedTuple):
    """Look-up tables of a colour scheme, compared by identity; colours are premultiplied
    ARGB in uint32.
    """

    edges: UInt32s  # (STEPS,): colours of unvisited edges on the canvas, by step of density
    shade_alphas: UInt32s  # (STEPS,): opacity of visited edges by step of density, 0..256
    shades: UInt32s  # (256,): colours of visited vertices: those of the ramp
    canvas: np.uint32

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    @staticmethod
    def steps_per_density(gain: float) -> float:
        """Factor by which `colour_pixels` computes the step of a density."""
        return gain * STEPS * STEPS / MOST_SCALED_DENSITY


@njit(error_model="numpy")
def colour_pixels(
    image: UInt32s,
    density: Int32s,
    claims: Int32s,
    ends: Int32s,
    reveal: Int32s,
    shade: UInt8s,
    upto: int,
    tones: Tones,
    steps_per_unit: float,
    show_edges: bool,
) -> None:
    """Write the (h, w) premultiplied ARGB of a frame from the density and claims that
    `draw_edges` filled.

    ``ends`` are (2 * e,) tails and heads, alternating; ``reveal`` (n,) iterations from
    which vertices count as visited, or NEVER, empty if none is; ``shade`` (n,) indices
    into the shades; ``upto`` the current iteration. Tables are by step of the tone
    curve, sqrt(density * steps_per_unit); ``show_edges`` tells whether unvisited ones are drawn.
    """
    edges, alphas, shades, canvas = tones
    rows, columns = density.shape
    any_visited = reveal.shape[0] > 0
    for row in range(rows):
        for column in range(columns):
            amount = density[row, column]
            if amount <= 0:
                image[row, column] = canvas
                continue
            step = min(STEPS - 1, int(math.sqrt(amount * steps_per_unit)))
            v = owner_of(claims[row, column], ends) if any_visited else 0
            if any_visited and reveal[v] <= upto:
                image[row, column] = blend(canvas, shades[shade[v]], alphas[step])
            elif show_edges:
                image[row, column] = edges[step]
            else:
                image[row, column] = canvas


@njit(error_model="numpy")
def fill_two_colours(
    plain: UInt32s,
    visited: UInt32s,
    since: Int32s,
    density: Int32s,
    claims: Int32s,
    ends: Int32s,
    reveal: Int32s,
    shade: UInt8s,
    tones: Tones,
    steps_per_unit: float,
    show_edges: bool,
) -> None:
    """Compute both colours that a pixel can have, before and from iteration ``since``
    on, for `pick_colours`.

    The other parameters are those of `colour_pixels`; ``reveal`` must not be empty.
    """
    edges, alphas, shades, canvas = tones
    rows, columns = density.shape
    for row in range(rows):
        for column in range(columns):
            amount = density[row, column]
            plain[row, column] = visited[row, column] = canvas
            since[row, column] = NEVER
            if amount > 0:
                step = min(STEPS - 1, int(math.sqrt(amount * steps_per_unit)))
                v = owner_of(claims[row, column], ends)
                if show_edges:
                    plain[row, column] = edges[step]
                if reveal[v] != NEVER:
                    visited[row, column] = blend(canvas, shades[shade[v]], alphas[step])
                    since[row, column] = reveal[v]


@njit
def pick_colours(
    image: UInt32s, plain: UInt32s, visited: UInt32s, since: Int32s, upto: int
) -> None:
    """Write the picture of iteration ``upto`` into ``image``, from the arrays of
    `fill_two_colours`.
    """
    rows, columns = image.shape
    for row in range(rows):
        for column in range(columns):
            image[row, column] = (
                visited[row, column] if since[row, column] <= upto else plain[row, column]
            )


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
    prominent: bool = False,
) -> Tones:
    """Look-up tables for a colour scheme on its canvas or on ``background``, "#RRGGBB"
    or "transparent".

    Unvisited edges are ``faint`` beside visited ones, and ``receding`` outside a
    budget. ``prominent`` roads, and many on a pixel, shine, unless they are faint.
    """
    density = np.linspace(0.0, math.sqrt(MOST_SCALED_DENSITY), STEPS) ** 2
    strength = FAINT if faint else 1.0
    if receding:
        strength = RECEDING
    beside = faint or receding
    alpha = strength * (
        1.0 - np.exp(-(_EDGE_STRENGTH if beside else _LONE_STRENGTH[prominent]) * density)
    )
    colour = road_colours(tokens, faint=beside, prominent=prominent)(density)
    clear = background == "transparent"
    canvas = np.array([0.0, 0.0, 0.0]) if clear else rgb(background or tokens.canvas)
    over = colour * alpha[:, None] + canvas * (1.0 - alpha[:, None])
    opacity = alpha * 255.0 if clear else np.full(STEPS, 255.0)
    visited_alpha = _VISITED_OPACITY[tokens.dark] * (1.0 - np.exp(-_VISITED_STRENGTH * density))
    return Tones(
        packed(over, opacity),
        np.round(256.0 * visited_alpha).astype(np.uint32),
        packed(ramp_colours(ramp, tokens.dark), np.full(256, 255.0)),
        np.uint32(0) if clear else packed(canvas[None], np.array([255.0]))[0],
    )


def road_colours(
    tokens: Tokens, *, faint: bool, prominent: bool
) -> Callable[[Float64s | float], Float64s]:
    """The colour of unvisited roads, (..., 3) in 0..255, by scaled density; parameters
    as of `make_tones`.
    """
    least, most = _DENSE if faint else _LONE_DENSE[prominent]
    few, dense, great = (
        rgb(colour) for colour in (tokens.road, tokens.road_dense, tokens.road_great)
    )
    many = great if prominent else _LONE_MIX * great + (1.0 - _LONE_MIX) * dense
    if faint:
        many = dense

    def colour(density: Float64s | float) -> Float64s:
        share = np.log(np.maximum(density, least) / least) / math.log(most / least)
        dense = np.clip(share, 0.0, 1.0)[..., None]
        mixed: Float64s = few * (1.0 - dense) + many * dense
        return mixed

    return colour


def stroke_opacity(
    density: float, *, visited: bool, dark: bool, faint: bool = False, prominent: bool = False
) -> float:
    """Opacity in 0..1 of a single line of scaled ``density``, drawn as a vector;
    parameters as of `make_tones`.
    """
    if visited:
        return _VISITED_OPACITY[dark] * (1.0 - math.exp(-_VISITED_STRENGTH * density))
    opacity = 1.0 - math.exp(-(_EDGE_STRENGTH if faint else _LONE_STRENGTH[prominent]) * density)
    return FAINT * opacity if faint else opacity


def packed(colours: Float64s, opacity: Float64s) -> UInt32s:
    """(k,) ARGB of (k, 3) colours (not multiplied by alpha here) and (k,) opacities,
    all in 0..255.
    """
    red, green, blue = (np.round(colours[:, i]).astype(np.uint32) for i in range(3))
    alpha = np.round(opacity).astype(np.uint32)
    return (alpha << np.uint32(24)) | (red << np.uint32(16)) | (green << np.uint32(8)) | blue


@dataclass(frozen=True)
class Colouring:
    """Parameters that determine a frame's colours; compared to decide whether an image
    can be reused.

    Density is scaled by the inverse of ``drawn``, so that a partial picture is as dark
    as the complete one.
    """

    shading: Shading | None  # None if all edges are drawn as unvisited
    tones: Tones
    edges: bool  # whether unvisited edges are shown
    drawn: float  # share of the edges in the buffers, in 0..1

    def arguments(self, buffers: EdgeBuffers) -> tuple[Tones, float, bool]:
        """Arguments of `colour_pixels` after the buffers and the iteration."""
        gain = self.tones.steps_per_density(buffers.measures.gain / max(self.drawn, 1e-6)) / UNITS
        return self.tones, gain, self.edges


def coloured(
    buffers: EdgeBuffers, colouring: Colouring, position: int, team: ThreadTeam
) -> UInt32s:
    """(h, w) premultiplied ARGB of iteration ``position``."""
    shading = colouring.shading
    visited = _NOTHING_VISITED if shading is None else (shading.reveal, shading.shade)
    image, ends = np.empty(buffers.density.shape, np.uint32), buffers.view.scene.ends.reshape(-1)

    team.run_on_rows(
        buffers.bands(),
        colour_pixels,
        (image, buffers.density, buffers.claims),
        ends,
        *visited,
        position,
        *colouring.arguments(buffers),
    )
    return image


class SteppableImage:
    """Both colours of every pixel and the iteration at which it changes, so that a step
    only selects between them.
    """

    def __init__(self, buffers: EdgeBuffers, colouring: Colouring, team: ThreadTeam):
        self.colouring, self._bands, self._team = colouring, buffers.bands(), team
        shape = buffers.density.shape
        shading = colouring.shading
        if shading is None or not len(shading.reveal):
            self._plain = coloured(buffers, colouring, 0, team)
            self._later: tuple[UInt32s, Int32s] | None = None
            return
        plain = np.empty(shape, np.uint32)
        visited = np.empty(shape, np.uint32)
        since = np.empty(shape, np.int32)
        self._plain, self._later = plain, (visited, since)
        ends = buffers.view.scene.ends.reshape(-1)

        team.run_on_rows(
            self._bands,
            fill_two_colours,
            (plain, visited, since, buffers.density, buffers.claims),
            ends,
            shading.reveal,
            shading.shade,
            *colouring.arguments(buffers),
        )

    def at(self, position: int) -> UInt32s:
        """(h, w) premultiplied ARGB of iteration ``position``; a new array."""
        if self._later is None:
            return self._plain.copy()
        image = np.empty(self._plain.shape, np.uint32)
        arrays = (image, self._plain, *self._later)
        self._team.run_on_rows(self._bands, pick_colours, arrays, position)
        return image


class OwnedPixels:
    """The pixels of complete buffers. Density is scaled as for any colouring of these
    buffers with all edges.
    """

    def __init__(self, buffers: EdgeBuffers, colouring: Colouring, team: ThreadTeam):
        shape = buffers.density.shape
        self.buffers, self._team, self._bands = buffers, team, buffers.bands()
        self._owners, self._steps = np.empty(shape, np.int32), np.empty(shape, np.uint16)
        ends, steps_per_unit = buffers.view.scene.ends.reshape(-1), colouring.arguments(buffers)[1]

        arrays = (self._owners, self._steps, buffers.density, buffers.claims)
        team.run_on_rows(self._bands, _find, arrays, ends, steps_per_unit)

    def coloured(self, colouring: Colouring, position: int) -> UInt32s:
        """(h, w) premultiplied ARGB, the same as of `coloured`; the colouring must have shades."""
        assert colouring.shading is not None
        image = np.empty(self._owners.shape, np.uint32)
        tones, shading = colouring.tones, colouring.shading

        self._team.run_on_rows(
            self._bands,
            _colour,
            (image, self._owners, self._steps),
            shading.reveal,
            shading.shade,
            position,
            tones,
            colouring.edges,
        )
        return image


@njit(error_model="numpy")
def _find(
    owners: Int32s,
    steps: UInt16s,
    density: Int32s,
    claims: Int32s,
    ends: Int32s,
    steps_per_unit: float,
) -> None:
    """Find owner and step of the tone curve of every pixel, as `colour_pixels` does;
    `_NONE` where nothing is.
    """
    rows, columns = density.shape
    for row in range(rows):
        for column in range(columns):
            amount = density[row, column]
            owners[row, column], steps[row, column] = _NONE, 0
            if amount > 0:
                owners[row, column] = owner_of(claims[row, column], ends)
                steps[row, column] = min(STEPS - 1, int(np.sqrt(amount * steps_per_unit)))


@njit(error_model="numpy")
def _colour(
    image: UInt32s,
    owners: Int32s,
    steps: UInt16s,
    reveal: Int32s,
    shade: UInt8s,
    upto: int,
    tones: Tones,
    show_edges: bool,
) -> None:
    """As `colour_pixels`; nothing is at pixels of the owner `_NONE`."""
    edges, alphas, shades, canvas = tones
    rows, columns = owners.shape
    for row in range(rows):
        for column in range(columns):
            v, step = owners[row, column], steps[row, column]
            if v != _NONE and reveal[v] <= upto:
                image[row, column] = blend(canvas, shades[shade[v]], alphas[step])
            elif v != _NONE and show_edges:
                image[row, column] = edges[step]
            else:
                image[row, column] = canvas
