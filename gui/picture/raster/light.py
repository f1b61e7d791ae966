"""Adds spots of light to a picture: the profile of a spot, and the loop over spots and pixels. No Qt."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gui.picture.scene.ramps import rgb
from solvers.system.jit import njit

PROFILE_STEPS = 128  # of the squared distance from the middle of a spot
_HOT = 0.45  # share of white in the middle of a hot spot
_KEPT_PROFILES = 2048
_OPAQUE = np.uint32(0xFF000000)
_EVEN, _ODD = np.uint32(0x00FF00FF), np.uint32(0xFF00FF00)  # channels of ARGB that can be multiplied together
_HALF = np.uint32(0x00800080)  # rounds both of them


@lru_cache(_KEPT_PROFILES)
def spot_profile(
    radius: float, colour: str, opacity: float, *, soft: bool = False, hot: bool = False, adding: int = 0
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], float]:
    """The light of a spot by distance from its middle, for `add_light`.

    Parameters
    ----------
    radius : float
        In pixels.
    colour : str
        "#RRGGBB".
    opacity : float
        In the middle, in 0..1.
    soft : bool
        Whether the light fades with the distance, as a halo does; else the spot has an edge, antialiased.
    hot : bool
        Whether the middle is nearly white.
    adding : int
        0 to lay the colour over, as on a light canvas: a channel keeps all but the light's opacity of what it had. 256
        to add light: it keeps all but the light's own channel, so that it only gets brighter. Between them, light adds
        up and keeps its hue.

    Returns
    -------
    light : (PROFILE_STEPS,) uint32
        Premultiplied ARGB, even in the square of the distance.
    rest : (PROFILE_STEPS, 4) uint32
        What blue, green, red and alpha keep of what they had, in 0..256.
    reach : float
        Distance in pixels at which the light ends.
    """
    reach = radius if soft else radius + 0.5
    distance = np.sqrt(np.linspace(0.0, 1.0, PROFILE_STEPS)) * reach
    alpha = opacity * ((1.0 - distance / reach) ** 2 if soft else np.clip(radius + 0.5 - distance, 0.0, 1.0))
    white = _HOT * np.clip(1.0 - distance / max(radius, 1.0), 0.0, 1.0) if hot else np.zeros(PROFILE_STEPS)
    channels = (rgb(colour)[::-1] * (1.0 - white[:, None]) + 255.0 * white[:, None]) * alpha[:, None]
    light = np.column_stack((channels, 255.0 * alpha))
    taken = (light[:, 3:] * (256 - adding) + light * adding) / 255.0
    rest = 256 - np.round(taken).astype(np.uint32)
    # Rounded down: with what is kept, rounded to nearest, no channel exceeds 255.
    blue, green, red, opaque = np.floor(light + 1e-9).astype(np.uint32).T
    argb: NDArray[np.uint32] = opaque << 24 | red << 16 | green << 8 | blue
    return argb, rest, reach


@njit(cache=True, nogil=True, inline="always")
def _kept(under: np.uint32, shift: int, rest: np.uint32) -> np.uint32:
    """A channel, reduced to ``rest`` 256ths."""
    channel = (under >> np.uint32(shift)) & np.uint32(255)
    return ((channel * rest + np.uint32(128)) >> np.uint32(8)) << np.uint32(shift)


@njit(cache=True, nogil=True, error_model="numpy")
def add_light(
    image: NDArray[np.uint32],
    top: int,
    spots: NDArray[np.float32],
    light: NDArray[np.uint32],
    rest: NDArray[np.uint32],
    reach: float,
) -> None:
    """Add spots to a picture.

    Parameters
    ----------
    image : (h, w) uint32
        Premultiplied ARGB; updated.
    top : int
        Row of the whole picture that row 0 of ``image`` stands for.
    spots : (k, 2) float32
        Pixel coordinates.
    light, rest, reach
        As of `spot_profile`.
    """
    rows, columns = image.shape
    pixels = image.reshape(-1)
    square_reach = reach * reach
    steps = (light.shape[0] - 1) / square_reach
    lays_over = rest[0, 0] == rest[0, 3] and rest[0, 2] == rest[0, 3]  # one factor for all channels
    for i in range(spots.shape[0]):
        x, y = spots[i, 0], spots[i, 1]
        if not (-reach < x < columns + reach and top - reach < y < top + rows + reach):
            continue
        for row in range(max(top, math.floor(y - reach)), min(top + rows - 1, math.floor(y + reach)) + 1):
            down = (row + 0.5 - y) ** 2
            first = (row - top) * columns
            for column in range(max(0, math.floor(x - reach)), min(columns - 1, math.floor(x + reach)) + 1):
                square = (column + 0.5 - x) ** 2 + down
                if square >= square_reach:
                    continue
                step = np.uint64(int(square * steps))  # unsigned: spares numba the check for negative indices
                pixel = np.uint64(first + column)
                under, more = pixels[pixel], light[step]
                if lays_over:
                    kept = rest[step, 3]
                    even = (((under & _EVEN) * kept + _HALF) >> np.uint32(8)) & _EVEN
                    odd = (((under >> np.uint32(8)) & _EVEN) * kept + _HALF) & _ODD
                    pixels[pixel] = more + (even | odd)
                else:
                    below = (
                        _kept(under, 0, rest[step, 0])
                        | _kept(under, 8, rest[step, 1])
                        | _kept(under, 16, rest[step, 2])
                    )
                    pixels[pixel] = (more & ~_OPAQUE) + below + _kept(under, 24, rest[step, 3]) + (more & _OPAQUE)
