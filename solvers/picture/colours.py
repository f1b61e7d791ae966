"""Colour of every role in the light and the dark scheme, and families of evenly spaced
colours. No Qt.

Families are spaced by perceived lightness, chroma and hue (Ottosson's Oklab).

`solvers.picture` reads the colours and must stay free of Qt; a contract of import-linter
holds this module to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from solvers.picture import palette
from solvers.system.array_types import Float64s

# Linear sRGB as people see it: all of them, and those without one kind of cone (Machado,
# Oliveira and Fernandes, IEEE TVCG 15 (6), 2009, severity 1).
_VISIONS = (
    ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
)
# Linear sRGB to cones, and their cube roots to Oklab.
_CONES = ((0.4122, 0.5363, 0.0515), (0.2119, 0.6807, 0.1074), (0.0883, 0.2817, 0.6300))
_LAB = ((0.2105, 0.7936, -0.0041), (1.9780, -2.4286, 0.4506), (0.0259, 0.7828, -0.8087))


def oklch(lightness: float, chroma: float, hue: float) -> str:
    """The colour as #RRGGBB; chroma is reduced until it fits into sRGB.

    Lightness is 0 (black) to 1 (white), chroma 0 (grey) to about 0.3, hue in degrees:
    about 30 red, 70 orange, 110 yellow, 145 green, 250 blue, 310 purple.
    """
    return oklch_colours([(lightness, chroma, hue)])[0]


def oklch_colours(shades: Sequence[Sequence[float]]) -> tuple[str, ...]:
    """`oklch` of many."""
    lightness, chroma, hue = np.array(shades, np.float64).T
    while True:
        linear = _linear_srgb(lightness, chroma, np.radians(hue))
        fits = ((linear >= -1e-4) & (linear <= 1 + 1e-4)).all(axis=0) | (chroma <= 0)
        if fits.all():
            break
        chroma = np.where(fits, chroma, chroma - 0.005)
    share = np.clip(linear, 0.0, 1.0)
    gamma = np.where(share <= 0.0031308, 12.92 * share, 1.055 * share ** (1 / 2.4) - 0.055)
    return tuple(
        f"#{red:02X}{green:02X}{blue:02X}"
        for red, green, blue in np.rint(255 * gamma).astype(int).T.tolist()
    )


def as_seen(colours: Sequence[str]) -> Float64s:
    """(4, k, 3) coordinates in Oklab of k colours as #RRGGBB: with normal vision, and
    without the first, second or third kind of cone. Their distance is the perceived
    difference: 1 between black and white, and 0.02 can just be seen.
    """
    channels = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in colours])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.stack([linear @ np.transpose(vision) for vision in _VISIONS]), 0.0, 1.0)
    lab: Float64s = np.cbrt(seen @ np.transpose(_CONES)) @ np.transpose(_LAB)
    return lab


def _linear_srgb(lightness: Float64s, chroma: Float64s, hue: Float64s) -> Float64s:
    """(3, k) red, green and blue, hue in radians."""
    a, b = chroma * np.cos(hue), chroma * np.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return np.stack(
        (
            4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
            -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
            -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
        )
    )


class Scheme(Enum):
    """Colour scheme chosen by the user; SYSTEM follows the desktop."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True)
class Tokens:
    """Colour of every role, as #RRGGBB. Widgets use roles, never literal colours.

    On the canvas, the ramp of distances (`solvers.picture.scene.ramps`) is cool, and
    everything that marks single things on it (frontier, path) is warm; roads and canvas
    lie beyond the ramp's range of lightness. Source and target, a bright green and a
    deep purple, lie beyond the roads'. So colours of different meaning also differ for
    people who cannot tell red from green, or blue from yellow.
    """

    dark: bool
    window: str
    panel: str
    raised: str
    border: str
    outline: str  # of text fields: contrasts with what is around them as WCAG 2.2 asks of controls
    text: str
    muted: str
    accent: str
    accent_text: str
    selection: str
    canvas: str
    edge: str
    edge_dense: str
    road: str
    road_dense: str
    road_great: str
    frontier: str
    trail: str
    path: str
    halo: str
    source: str
    target: str
    closed: str  # roads
    cycle: str
    good: str
    bad: str
    warning: str
    grid: str


def _scheme(paper: palette.Palette, name: str) -> Tokens:
    """The colours of roles; a role may have one of what is drawn on ``paper``, by its name."""
    named = paper.variables()
    roles = palette.TABLE["roles"][name]
    colours = {role: named.get(colour, colour) for role, colour in roles.items()}
    return Tokens(dark=name == "dark", **colours)


LIGHT, DARK = _scheme(palette.LIGHT, "light"), _scheme(palette.DARK, "dark")
