"""Distance bands (isochrones): shades in bands of round width, with a contour at each start. No Qt."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gui.picture.scene.activity import Legend
from gui.picture.scene.ramps import RegionRamps

_MOST_BANDS = 11
_CONTOUR = 0.5  # factor of a colour's brightness at the start of a band
_PALE = 0.3  # lightening of every other band, so that adjacent bands differ


def round_step(low: float, high: float) -> float:
    """Smallest of 1, 2, 5, 10, 20 ... that gives at most `_MOST_BANDS` bands; 0 for an empty range."""
    if not high > low:
        return 0.0
    power = 10.0 ** math.floor(math.log10((high - low) / _MOST_BANDS))
    return next(step * power for step in (1, 2, 5, 10, 20) if (high - low) / (step * power) <= _MOST_BANDS)


def band_shades(legend: Legend) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """For each of the 256 shades: the middle shade of its band, and whether its band starts there."""
    levels = legend.ramp.levels if isinstance(legend.ramp, RegionRamps) else 256
    region, level = np.divmod(np.arange(256), levels)
    last = levels - 1.0
    values = legend.low + level * (legend.high - legend.low) / last
    bands = np.floor(values / legend.step + 1e-9)
    middles = np.clip((bands + 0.5) * legend.step, legend.low, legend.high)
    own = region * levels + np.round((middles - legend.low) * last / (legend.high - legend.low)).astype(np.int64)
    return np.minimum(own, 255), np.concatenate(([False], bands[1:] != bands[:-1])) & (level > 0)


def band_colours(colours: NDArray[np.float64], legend: Legend) -> NDArray[np.float64]:
    """(256, 3) colours of the shades, equal within a band; unchanged if the legend has no step."""
    if legend.step <= 0.0:
        return colours
    own, begins = band_shades(legend)
    pale = np.where(np.cumsum(begins) % 2 == 1, _PALE, 0.0)[:, None]
    return colours[own] * (1.0 - pale) + 255.0 * pale


def banded(shades: NDArray[np.uint32], legend: Legend) -> NDArray[np.uint32]:
    """(256,) opaque ARGB shades in bands; unchanged if the legend has no step."""
    if legend.step <= 0.0:
        return shades
    begins = band_shades(legend)[1]
    channels = np.stack([(shades >> shift) & 0xFF for shift in (16, 8, 0)]).astype(np.float64)
    red, green, blue = np.round(band_colours(channels.T, legend).T * np.where(begins, _CONTOUR, 1.0)).astype(np.uint32)
    return np.uint32(0xFF000000) | (red << 16) | (green << 8) | blue
