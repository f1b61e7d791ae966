"""Colours by perceived lightness, chroma and hue (Ottosson's Oklab), for evenly spaced families of colours."""

from __future__ import annotations

import math


def oklch(lightness: float, chroma: float, hue: float) -> str:
    """The colour as #RRGGBB; chroma is reduced until it fits into sRGB.

    Parameters
    ----------
    lightness : float
        0 (black) to 1 (white).
    chroma : float
        0 (grey) to about 0.3.
    hue : float
        Degrees: about 30 red, 70 orange, 110 yellow, 145 green, 250 blue, 310 purple.
    """
    while True:
        channels = _linear_srgb(lightness, chroma, math.radians(hue))
        if all(-1e-4 <= c <= 1 + 1e-4 for c in channels) or chroma <= 0:
            return "#" + "".join(f"{round(255 * _gamma(min(1.0, max(0.0, c)))):02X}" for c in channels)
        chroma -= 0.005


def distance(a: tuple[float, float, float], b: tuple[float, float, float]) -> float:
    """Perceived difference of two colours (lightness, chroma, hue): 0 if equal, 1 between black and white."""
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
