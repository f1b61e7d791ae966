"""From ink to colour: the tone curves of edges and of visited ground, and cividis. Knows no Qt.

Ink adds up without bound (a hairball's core is a hundred lines deep), so it is scaled by how much of it the view is
expected to hold, then laid on an exponential curve: a single line stays visible, a dense quarter stays readable.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gui.style.tokens import Tokens

STEPS = 1024
_MOST_INK = 64.0  # scaled ink at which the curves end; the steps are even in its square root
_EDGE_STRENGTH = 2.0
_DENSE_FROM = 0.9  # scaled ink at which the colour of dense edges begins to come in
_TINT_STRENGTH = 3.2
_TINT_OPACITY = {False: 0.88, True: 0.94}  # by darkness of the scheme
# The part of cividis used: its ends would melt into a dark or a light canvas.
_CIVIDIS_RANGE = {False: (0.0, 0.86), True: (0.24, 1.0)}
# Every 16th of cividis' 256 colours (Nunez, Anderton and Renslow 2018), and its last.
_CIVIDIS = (
    0x00204D, 0x002C69, 0x06366E, 0x2D426C, 0x414D6B, 0x52596C, 0x61646F, 0x6F7073, 0x7D7C78,
    0x8C8879, 0x9C9577, 0xADA274, 0xBEAF6F, 0xCFBD67, 0xE1CC5D, 0xF3DB4F, 0xFFEA46,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Tones:
    """Look-up tables for `raster.colour_pixels`; colours are premultiplied ARGB in uint32.

    Attributes
    ----------
    edges : (STEPS,) uint32
        Edge colours over the canvas, by ink.
    tint_alphas : (STEPS,) uint32
        0..256.
    tints : (256,) uint32
    canvas : uint32
    """

    edges: NDArray[np.uint32]
    tint_alphas: NDArray[np.uint32]
    tints: NDArray[np.uint32]
    canvas: np.uint32

    @staticmethod
    def steps_per_ink(gain: float) -> float:
        """Factor by which `raster.colour_pixels` finds the step of an amount of ink."""
        return gain * STEPS * STEPS / _MOST_INK


def rgb(colour: str) -> NDArray[np.float64]:
    """(3,) floats in 0..255 of "#RRGGBB"."""
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.float64)


def argb(colour: str) -> np.uint32:
    """Opaque ARGB of "#RRGGBB"."""
    return np.uint32(0xFF000000 | int(colour[1:], 16))


def cividis(dark: bool) -> NDArray[np.float64]:
    """(256, 3) floats in 0..255: the part of cividis that shows on the scheme's canvas, near to far."""
    anchors = np.array([rgb(f"#{value:06X}") for value in _CIVIDIS])
    at = np.linspace(*_CIVIDIS_RANGE[dark], 256) * (len(anchors) - 1)
    return np.column_stack([np.interp(at, np.arange(len(anchors)), anchors[:, i]) for i in range(3)])


def make_tones(tokens: Tokens, background: str | None = None) -> Tones:
    """The tables of a colour scheme.

    Parameters
    ----------
    background : str, optional
        "#RRGGBB" or "transparent"; the scheme's canvas where None.
    """
    ink = np.linspace(0.0, math.sqrt(_MOST_INK), STEPS) ** 2
    alpha = 1.0 - np.exp(-_EDGE_STRENGTH * ink)
    density = np.clip(np.log(np.maximum(ink, _DENSE_FROM) / _DENSE_FROM) / math.log(_MOST_INK / _DENSE_FROM), 0.0, 1.0)[
        :, None
    ]
    colour = rgb(tokens.edge) * (1.0 - density) + rgb(tokens.edge_dense) * density
    clear = background == "transparent"
    canvas = np.array([0.0, 0.0, 0.0]) if clear else rgb(background or tokens.canvas)
    over = colour * alpha[:, None] + canvas * (1.0 - alpha[:, None])
    opacity = alpha * 255.0 if clear else np.full(STEPS, 255.0)
    tint_alpha = _TINT_OPACITY[tokens.dark] * (1.0 - np.exp(-_TINT_STRENGTH * ink))
    return Tones(
        packed(over, opacity), np.round(256.0 * tint_alpha).astype(np.uint32),
        packed(cividis(tokens.dark), np.full(256, 255.0)),
        np.uint32(0) if clear else packed(canvas[None], np.array([255.0]))[0],
    )  # fmt: skip


def stroke_opacity(ink: float, *, tinted: bool, dark: bool) -> float:
    """Opacity in 0..1 of a single line that carries ``ink`` (scaled), where it is drawn as a vector."""
    if tinted:
        return _TINT_OPACITY[dark] * (1.0 - math.exp(-_TINT_STRENGTH * ink))
    return 1.0 - math.exp(-_EDGE_STRENGTH * ink)


def expected_ink(edges: int, mean_length: float, width: float, area: float) -> float:
    """Mean ink on a pixel of the graph's rectangle; lengths in pixels, area in square pixels."""
    return edges * mean_length * width / max(area, 1.0)


def gain_for(ink: float) -> float:
    """Scale of ink for a view that holds ``ink`` on its mean pixel: 1 for a few lines, falling as they crowd."""
    return 1.0 / (1.0 + ink)


def packed(colours: NDArray[np.float64], opacity: NDArray[np.float64]) -> NDArray[np.uint32]:
    """(k,) ARGB of (k, 3) colours, which are taken as they are, and (k,) opacities; all in 0..255."""
    red, green, blue = (np.round(colours[:, i]).astype(np.uint32) for i in range(3))
    alpha = np.round(opacity).astype(np.uint32)
    return (alpha << np.uint32(24)) | (red << np.uint32(16)) | (green << np.uint32(8)) | blue
