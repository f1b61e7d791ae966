"""The letters that Tautpath brings along, and their sizes, by Pillow. No Qt."""

from __future__ import annotations

from functools import cache, lru_cache

from PIL import ImageFont

from solvers.picture.display import TextStyle
from solvers.system.files import RESOURCES

_WEIGHTS = {400: "Regular", 600: "SemiBold", 700: "Bold"}
_FINE = 8  # times the size of letters in which they are measured, so that no pixel is rounded


class PillowTextSizes:
    """Sizes of words in these letters."""

    name = "Pillow"

    def width(self, text: str, style: TextStyle) -> float:
        return _width(text, style)

    def heights(self, style: TextStyle) -> tuple[float, float]:
        above, below = letters(style, _FINE).getmetrics()
        return above / _FINE, below / _FINE


@lru_cache(maxsize=10_000)
def _width(text: str, style: TextStyle) -> float:
    return letters(style, _FINE).getlength(text) / _FINE


@cache
def letters(style: TextStyle, ratio: float) -> ImageFont.FreeTypeFont:
    """The letters for an image with so many pixels to a logical one."""
    path = RESOURCES / "fonts" / f"TautpathSans-{_WEIGHTS[style.weight]}.ttf"
    return ImageFont.truetype(path, style.size * ratio, layout_engine=ImageFont.Layout.BASIC)
