"""Ramps of 256 colours for values of vertices, each for the light and the dark scheme. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache

import numpy as np

from solvers.picture.colours import oklch
from solvers.system.array_types import Float64s

# Lightness, chroma and hue of the shortest and the longest distance: even in all three,
# between violet and cyan. Roads and canvas are darker (on light: lighter) than all of
# them; what marks single things is warm, so that people who cannot tell red from green,
# or blue from yellow, tell it from the ramp. The shortest contrasts most with the
# canvas.
_DISTANCES = {
    False: ((0.34, 0.20, 285.0), (0.66, 0.12, 220.0)),
    True: ((0.90, 0.11, 205.0), (0.56, 0.22, 285.0)),
}
# Lightness, chroma and hue of the first and the last colour of the levels: the first
# contrasts most with the canvas.
_LEVELS = {
    False: ((0.32, 0.20, 350.0), (0.80, 0.06, 200.0)),
    True: ((0.93, 0.10, 350.0), (0.46, 0.07, 200.0)),
}
# As before, of the least and the greatest difference: the greatest contrasts most with the canvas.
# rose
_FARTHER = {
    False: ((0.80, 0.09, 8.0), (0.48, 0.24, 8.0)),
    True: ((0.44, 0.12, 8.0), (0.80, 0.16, 8.0)),
}
# blue, which those who cannot tell red from green tell from rose
_NEARER = {
    False: ((0.80, 0.09, 250.0), (0.48, 0.24, 250.0)),
    True: ((0.44, 0.12, 250.0), (0.80, 0.16, 250.0)),
}

# Lightness, chroma and hue of flows, from the least to the greatest: from the canvas's
# colour to what stands out most.
_FLOWS = {
    False: (
        (0.88, 0.02, 250.0),
        (0.80, 0.04, 252.0),
        (0.70, 0.08, 254.0),
        (0.57, 0.11, 257.0),
        (0.45, 0.13, 261.0),
        (0.34, 0.13, 268.0),
        (0.44, 0.15, 35.0),
    ),
    True: (
        (0.26, 0.05, 268.0),
        (0.34, 0.09, 267.0),
        (0.43, 0.13, 264.0),
        (0.54, 0.14, 256.0),
        (0.67, 0.11, 245.0),
        (0.82, 0.10, 75.0),
        (0.92, 0.07, 84.0),
    ),
}

# Of regions: lightness and chroma of what is near their source and of what is far, and
# of the source's marker.
_REGIONS = {False: ((0.42, 0.20), (0.80, 0.09)), True: ((0.88, 0.14), (0.46, 0.09))}
_REGION_MARK = {False: (0.55, 0.20), True: (0.80, 0.15)}
# In the order in which sources are added; the orange of the path, at 50 to 75, is left out.
_REGION_HUES = (150.0, 262.0, 335.0, 105.0, 205.0, 25.0)

# Lightness, chroma and hue of communities, the largest first: all who see them tell them apart.
_COMMUNITIES = {
    False: (
        (0.54, 0.13, 255.0),
        (0.64, 0.13, 150.0),
        (0.49, 0.13, 15.0),
        (0.39, 0.09, 90.0),
        (0.64, 0.13, 300.0),
        (0.34, 0.17, 270.0),
        (0.69, 0.17, 255.0),
        (0.59, 0.09, 0.0),
        (0.74, 0.05, 90.0),
        (0.44, 0.13, 240.0),
        (0.39, 0.13, 345.0),
        (0.69, 0.05, 270.0),
    ),
    True: (
        (0.70, 0.12, 255.0),
        (0.80, 0.09, 150.0),
        (0.65, 0.09, 345.0),
        (0.85, 0.12, 195.0),
        (0.55, 0.09, 105.0),
        (0.65, 0.18, 285.0),
        (0.85, 0.18, 105.0),
        (0.50, 0.09, 210.0),
        (0.80, 0.12, 300.0),
        (0.55, 0.18, 255.0),
        (0.90, 0.12, 150.0),
        (0.75, 0.15, 195.0),
    ),
}
COMMUNITY_COLOURS = len(_COMMUNITIES[True])


class Ramp(Enum):
    """The ramps; the value says what they colour."""

    DISTANCES = "distances"
    LEVELS = "levels of a hierarchy"
    INCREASES = "increases of distances"
    DIFFERENCES = "decreases and increases of distances"
    FLOWS = "flows of roads"
    FLOW_CHANGES = "losses and gains of flows"
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
    colours = _regions(ramp, dark) if isinstance(ramp, RegionRamps) else _COLOURS[ramp](dark)
    colours.setflags(write=False)
    return colours


def sampled_colours(ramp: Ramp | RegionRamps, dark: bool) -> tuple[str, ...]:
    """Every 17th colour, as "#RRGGBB"."""
    return tuple(
        "#{:02X}{:02X}{:02X}".format(*colour)
        for colour in ramp_colours(ramp, dark)[::17].round().astype(int)
    )


def _distances(dark: bool) -> Float64s:
    """Between violet and cyan, near to far: towards the canvas."""
    return _between(_even(*_DISTANCES[dark]), np.linspace(0.0, 1.0, 256))


def _levels(dark: bool) -> Float64s:
    """From crimson over violet to pale green, even in lightness, from the top separator
    to the leaves.
    """
    return _between(_even(*_LEVELS[dark]), np.linspace(0.0, 1.0, 256))


def _increases(dark: bool) -> Float64s:
    """Rose, from a small increase to the greatest."""
    return _between(_even(*_FARTHER[dark]), np.linspace(0.0, 1.0, 256))


def _differences(dark: bool) -> Float64s:
    """Blue from the greatest decrease to a small one, then rose to the greatest increase."""
    both = _even(*_NEARER[dark])[::-1], _even(*_FARTHER[dark])
    return _between(np.concatenate(both), np.linspace(0.0, 1.0, 256))


def _flows(dark: bool) -> Float64s:
    anchors = np.array([rgb(oklch(*colour)) for colour in _FLOWS[dark]])
    return _between(anchors, np.linspace(0.0, 1.0, 256))


def _communities(dark: bool) -> Float64s:
    """A block of equal colours for each of `COMMUNITY_COLOURS`."""
    blocks = [rgb(oklch(*colour)) for colour in _COMMUNITIES[dark]]
    return np.array(blocks)[np.arange(256) * COMMUNITY_COLOURS // 256]


def _even(first: tuple[float, float, float], last: tuple[float, float, float]) -> Float64s:
    """17 colours, even in lightness, chroma and hue, which both ends give."""
    return np.array([rgb(oklch(*colour)) for colour in np.linspace(first, last, 17).tolist()])


def region_colour(region: int, dark: bool) -> str:
    """The colour that stands for a region, as of its source: "#RRGGBB"."""
    lightness, chroma = _REGION_MARK[dark]
    return oklch(lightness, chroma, _REGION_HUES[region])


def _regions(ramps: RegionRamps, dark: bool) -> Float64s:
    (light, vivid), (last_light, last_vivid) = _REGIONS[dark]
    shares = np.linspace(0.0, 1.0, 9)
    rows = []
    for hue in _REGION_HUES[: ramps.count]:
        anchors = [
            rgb(
                oklch(
                    light + share * (last_light - light), vivid + share * (last_vivid - vivid), hue
                )
            )
            for share in shares
        ]
        rows.append(_between(np.array(anchors), np.linspace(0.0, 1.0, ramps.levels)))
    colours = np.concatenate(rows)
    return np.concatenate((colours, np.repeat(colours[-1:], 256 - len(colours), axis=0)))


def _between(anchors: Float64s, at: Float64s) -> Float64s:
    """Colours at the shares ``at`` of a row of evenly spaced ones."""
    places = at * (len(anchors) - 1)
    return np.column_stack(
        [np.interp(places, np.arange(len(anchors)), anchors[:, i]) for i in range(3)]
    )


_COLOURS = {
    Ramp.DISTANCES: _distances,
    Ramp.LEVELS: _levels,
    Ramp.INCREASES: _increases,
    Ramp.DIFFERENCES: _differences,
    Ramp.FLOWS: _flows,
    Ramp.FLOW_CHANGES: _differences,
    Ramp.COMMUNITIES: _communities,
}
