"""Colour of every role in the light and the dark scheme, and families of evenly spaced
colours. No Qt.

Families are spaced by perceived lightness, chroma and hue (Ottosson's Oklab).

`solvers.picture` reads the colours and must stay free of Qt; a contract of import-linter
holds this module to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from solvers.picture import palette

_ON_LIGHT, _ON_DARK = palette.LIGHT, palette.DARK


def oklch(lightness: float, chroma: float, hue: float) -> str:
    """The colour as #RRGGBB; chroma is reduced until it fits into sRGB.

    Lightness is 0 (black) to 1 (white), chroma 0 (grey) to about 0.3, hue in degrees:
    about 30 red, 70 orange, 110 yellow, 145 green, 250 blue, 310 purple.
    """
    while True:
        channels = _linear_srgb(lightness, chroma, math.radians(hue))
        if all(-1e-4 <= c <= 1 + 1e-4 for c in channels) or chroma <= 0:
            return "#" + "".join(
                f"{round(255 * _gamma(min(1.0, max(0.0, c)))):02X}" for c in channels
            )
        chroma -= 0.005


def distance(a: tuple[float, float, float], b: tuple[float, float, float]) -> float:
    """Perceived difference of two colours (lightness, chroma, hue): 0 if equal, 1
    between black and white.
    """
    (la, ca, ha), (lb, cb, hb) = a, b
    half = math.radians(ha - hb) / 2
    return math.hypot(la - lb, math.hypot(ca - cb, 2 * math.sqrt(ca * cb) * math.sin(half)))


def _linear_srgb(lightness: float, chroma: float, hue: float) -> tuple[float, float, float]:
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _gamma(channel: float) -> float:
    return 12.92 * channel if channel <= 0.0031308 else 1.055 * channel ** (1 / 2.4) - 0.055


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


LIGHT = Tokens(
    dark=False,
    window="#F6F6F4",
    panel=_ON_LIGHT.paper,
    raised="#FAFAF8",
    border="#D5D7DA",
    outline=_ON_LIGHT.axis,
    text=_ON_LIGHT.ink,
    muted=_ON_LIGHT.muted,
    accent=_ON_LIGHT.series[0],
    accent_text="#FFFFFF",
    selection="#D6E8F4",
    canvas="#FAFAF8",
    edge="#9AA3AD",
    edge_dense="#59626C",
    road="#C3C9CF",
    road_dense="#ABB3BB",
    road_great="#3F5569",
    frontier="#C8102E",
    trail="#F08A5D",
    path="#E05A00",
    halo="#FFFFFF",
    source="#16D934",
    target="#12004A",
    closed="#2B0901",
    cycle="#8E24AA",
    good=_ON_LIGHT.good,
    bad="#C04F00",
    warning="#8A6100",
    grid=_ON_LIGHT.grid,
)

DARK = Tokens(
    dark=True,
    window="#12161B",
    panel="#171B21",
    raised="#20262D",
    border="#2D353E",
    outline=_ON_DARK.axis,
    text=_ON_DARK.ink,
    muted=_ON_DARK.muted,
    accent=_ON_DARK.series[0],
    accent_text="#0D1115",
    selection="#1F3D54",
    canvas="#0D1014",
    edge="#5B6570",
    edge_dense="#B4BEC9",
    road="#424C57",
    road_dense="#525D69",
    road_great="#C7D2DE",
    frontier="#FFC46B",
    trail="#E2541B",
    path="#FF8A3D",
    halo="#000000",
    source="#C8FF60",
    target="#BB12BC",
    closed="#FFFFFF",
    cycle="#D08CFF",
    good=_ON_DARK.good,
    bad="#F0803C",
    warning="#E8B93A",
    grid=_ON_DARK.grid,
)
