"""Isochrones: the tint in bands of a round width, with a contour where each begins. Knows no Qt."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gui.picture.scene.activity import Legend

_MOST_BANDS = 11
_CONTOUR = 0.5  # of a colour's brightness, where a band begins
_PALE = 0.3  # how far every other band is washed out, so that neighbours differ


def round_step(low: float, high: float) -> float:
    """The least of 1, 2, 5, 10, 20 ... that makes at most `_MOST_BANDS` bands; 0 for an empty range."""
    if not high > low:
        return 0.0
    power = 10.0 ** math.floor(math.log10((high - low) / _MOST_BANDS))
    return next(step * power for step in (1, 2, 5, 10, 20) if (high - low) / (step * power) <= _MOST_BANDS)


def band_shades(legend: Legend) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """For each of the 256 shades: the shade in the middle of its band, and whether its band begins there."""
    shades = np.arange(256)
    values = legend.low + shades * (legend.high - legend.low) / 255.0
    bands = np.floor(values / legend.step + 1e-9)
    middles = np.clip((bands + 0.5) * legend.step, legend.low, legend.high)
    own = np.round((middles - legend.low) * 255.0 / (legend.high - legend.low)).astype(np.int64)
    return own, np.concatenate(([False], bands[1:] != bands[:-1]))


def band_colours(colours: NDArray[np.float64], legend: Legend) -> NDArray[np.float64]:
    """(256, 3) colours of the shades, each that of its band; unchanged where the legend has no step."""
    if legend.step <= 0.0:
        return colours
    own, begins = band_shades(legend)
    pale = np.where(np.cumsum(begins) % 2 == 1, _PALE, 0.0)[:, None]
    return colours[own] * (1.0 - pale) + 255.0 * pale


def banded(tints: NDArray[np.uint32], legend: Legend) -> NDArray[np.uint32]:
    """(256,) opaque ARGB tints in bands; unchanged where the legend has no step."""
    if legend.step <= 0.0:
        return tints
    begins = band_shades(legend)[1]
    channels = np.stack([(tints >> shift) & 0xFF for shift in (16, 8, 0)]).astype(np.float64)
    red, green, blue = np.round(band_colours(channels.T, legend).T * np.where(begins, _CONTOUR, 1.0)).astype(np.uint32)
    return np.uint32(0xFF000000) | (red << 16) | (green << 8) | blue
