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

_OKLAB = {name: np.array(matrices) for name, matrices in palette.TABLE["oklab"].items()}


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
    seen = np.clip(linear @ _OKLAB["visions"].swapaxes(1, 2), 0.0, 1.0)
    lab: Float64s = np.cbrt(seen @ _OKLAB["cones"].T) @ _OKLAB["lab"].T
    return lab


def _linear_srgb(lightness: Float64s, chroma: Float64s, hue: Float64s) -> Float64s:
    """(3, k) red, green and blue, hue in radians."""
    lab = np.stack((lightness, chroma * np.cos(hue), chroma * np.sin(hue)))
    rgb: Float64s = _OKLAB["srgb"] @ (_OKLAB["roots"] @ lab) ** 3
    return rgb


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


def role(name: str) -> palette.Colour:
    """The colour of a role on light and on dark."""
    return palette.Colour(getattr(LIGHT, name), getattr(DARK, name))
