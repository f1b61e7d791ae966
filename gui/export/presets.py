"""Sizes for exported pictures and charts: a slide, the width of a page, one column of two."""

from __future__ import annotations

from dataclasses import dataclass

_MM_PER_INCH = 25.4


@dataclass(frozen=True)
class Preset:
    """A named size.

    Attributes
    ----------
    title : str
    width, height : int
        Pixels.
    dpi : int
        Pixels per inch: scales text and lines, which on a slide are larger than on paper.
    """

    title: str
    width: int
    height: int
    dpi: int


def printed(title: str, width_mm: float, height_mm: float, dpi: int) -> Preset:
    """A preset for paper, given in millimetres."""
    across, down = (round(side / _MM_PER_INCH * dpi) for side in (width_mm, height_mm))
    return Preset(f"{title}, {width_mm:g} × {height_mm:g} mm", across, down, dpi)


PRESETS = (
    Preset("Slide, Full HD", 1920, 1080, 216),
    Preset("Slide, 4K", 3840, 2160, 432),
    printed("Paper, page width", 170, 105, 300),
    printed("Paper, column", 85, 60, 600),
    printed("Paper, square", 170, 170, 300),
)
