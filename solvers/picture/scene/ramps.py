"""Ramps of 256 colours for values of vertices, each for the light and the dark scheme. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

import numpy as np

from solvers.picture.colours import oklch, oklch_colours
from solvers.picture.palette import TABLE
from solvers.system.array_types import Float64s

_SCHEMES = ("light", "dark")
_REGIONS = TABLE["regions"]
_COMMUNITIES = TABLE["blocks"]["communities"]
COMMUNITY_COLOURS = len(_COMMUNITIES["dark"])
_SPAN, _REGION = 17, 9  # colours of a span of a ramp, and of a region's ramp


class Ramp(Enum):
    """The ramps; the value is the name in ``resources/colours.toml``, which describes them."""

    DISTANCES = "distances"
    LEVELS = "levels"
    INCREASES = "increases"
    DIFFERENCES = "differences"
    FLOWS = "flows"
    FLOW_CHANGES = DIFFERENCES  # losses, then gains
    COMMUNITIES = "communities"


@dataclass(frozen=True)
class RegionRamps:
    """One ramp for each of several regions, side by side in the 256 shades."""

    count: int  # number of regions, at most 6

    @property
    def levels(self) -> int:
        """Shades of a region; region ``i`` has those from ``i * levels``."""
        return 256 // self.count


def rgb(colour: str) -> Float64s:
    """(3,) floats in 0..255 of "#RRGGBB"."""
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.float64)


@cache
def ramp_colours(ramp: Ramp | RegionRamps, dark: bool) -> Float64s:
    """(256, 3) floats in 0..255, from the least value to the greatest, of one region
    after another; read-only.
    """
    if isinstance(ramp, RegionRamps):
        colours = _regions(ramp, dark)
    elif ramp is Ramp.COMMUNITIES:
        blocks = _rgb_of(_COMMUNITIES[_SCHEMES[dark]])
        colours = blocks[np.arange(256) * COMMUNITY_COLOURS // 256]
    else:
        spans = TABLE["spans"][ramp.value][_SCHEMES[dark]]
        colours = _between([shade for span in spans for shade in _even(span, _SPAN)], 256)
    colours.setflags(write=False)
    return colours


def sampled_colours(ramp: Ramp | RegionRamps, dark: bool) -> tuple[str, ...]:
    """Every 17th colour, as "#RRGGBB"."""
    return tuple(
        "#{:02X}{:02X}{:02X}".format(*colour)
        for colour in ramp_colours(ramp, dark)[::17].round().astype(int)
    )


def region_colour(region: int, dark: bool) -> str:
    """The colour that stands for a region, as of its source: "#RRGGBB"."""
    lightness, chroma = _REGIONS[_SCHEMES[dark]]["marker"]
    return oklch(lightness, chroma, _REGIONS["hues"][region])


def _regions(ramps: RegionRamps, dark: bool) -> Float64s:
    ends = [_REGIONS[_SCHEMES[dark]][end] for end in ("near", "far")]
    colours = np.concatenate(
        [
            _between(_even([[*end, hue] for end in ends], _REGION), ramps.levels)
            for hue in _REGIONS["hues"][: ramps.count]
        ]
    )
    return np.concatenate((colours, np.repeat(colours[-1:], 256 - len(colours), axis=0)))


def _even(span: Sequence[Sequence[float]], count: int) -> list[list[float]]:
    """Colours from the first to the last of a span, even in lightness, chroma and hue; one
    for a span of one.
    """
    shades: list[list[float]] = np.linspace(
        span[0], span[-1], count if len(span) > 1 else 1
    ).tolist()
    return shades


def _between(shades: Sequence[Sequence[float]], count: int) -> Float64s:
    """(count, 3) colours from the first to the last of a row of evenly spaced ones."""
    anchors, places = _rgb_of(shades), np.linspace(0.0, 1.0, count) * (len(shades) - 1)
    return np.column_stack(
        [np.interp(places, np.arange(len(anchors)), anchors[:, i]) for i in range(3)]
    )


def _rgb_of(shades: Sequence[Sequence[float]]) -> Float64s:
    """(k, 3) floats in 0..255 of lightness, chroma and hue."""
    return np.array([rgb(colour) for colour in oklch_colours(shades)])
