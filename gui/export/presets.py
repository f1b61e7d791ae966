"""Sizes for exported pictures and charts: a slide, a square, the width of a page, one column of two."""

from __future__ import annotations

from dataclasses import dataclass

from gui.export.page import SCREEN_DPI

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
        Pixels per inch: programs place the picture at that size.
    text_scale : float
        Enlarges text and lines.
    on_white : bool
        Proposed with a white background, as for paper; otherwise as on screen.
    """

    title: str
    width: int
    height: int
    dpi: int
    text_scale: float = 1.0
    on_white: bool = False


def printed(title: str, width_mm: float, height_mm: float, dpi: int) -> Preset:
    """A preset for paper, given in millimetres."""
    across, down = (round(side / _MM_PER_INCH * dpi) for side in (width_mm, height_mm))
    return Preset(f"{title}, {width_mm:g} × {height_mm:g} mm", across, down, dpi, on_white=True)


# At 144 pixels per inch, 1920 x 1080 fill a slide of 13.33 x 7.5 inches, the usual size. Text of screen size would be
# too small for an audience: of 9 to 10 points, it gets some 18 on a whole slide and 14 on half of one.
PRESETS = (
    Preset("Slide, 16:9, 1920 × 1080", 1920, 1080, 144, 1.9),
    Preset("Slide, 16:9, 4K", 3840, 2160, 288, 1.9),
    Preset("Half a slide, 900 × 780", 900, 780, 144, 1.5),
    Preset("Square, 1080 × 1080", 1080, 1080, 144, 1.25),
    printed("Paper, page width", 170, 105, 300),
    printed("Paper, column", 85, 60, 600),
    printed("Paper, square", 170, 170, 300),
)


def on_screen(width: int, height: int) -> Preset:
    """The preset that makes a picture as large as it is on screen."""
    return Preset("As on screen", width, height, round(SCREEN_DPI))
