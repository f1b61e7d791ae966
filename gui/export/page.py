"""Page of an exported picture: size, resolution, background, colour scheme, and the
proposed file name. No widgets.

Sizes for pictures and charts: a slide, a square, the width of a page, one column of
two. File names tell the graph, what is shown of it, and the kind of picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from solvers.errors import ParameterError
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.text import format_count

SCREEN_DPI = 96.0
TRANSPARENT = "transparent"
SIDE_RANGE = (16, 20_000)  # pixels
DPI_RANGE = (24, 2400)
TEXT_SCALE_RANGE = (0.5, 4.0)

_SUFFIXES = (".gz", ".bz2", ".gr", ".txt", ".csv", ".tmp", ".graph", ".mtx", ".osm", ".pbf")
_MOST_LETTERS = 100


@dataclass(frozen=True)
class Page:
    """Size, resolution and colours of an exported picture.

    Raises ParameterError if size, resolution, text scale or background is invalid.

    ``width``, ``height``: pixels.
    """

    width: int
    height: int
    dpi: int = 144  # pixels per inch; text and lines keep their size in print
    background: str | None = None  # "#RRGGBB" or "transparent"; None is the scheme's canvas colour
    dark: bool = False  # use the dark scheme's colours
    # fit the subject with a margin, and reserve a strip below it for legend and caption
    margin: bool = False
    text_scale: float = 1.0  # enlarges text and lines, which a slide needs larger than paper

    def __post_init__(self) -> None:
        for name, (low, high), unit in (
            ("width", SIDE_RANGE, "pixels"),
            ("height", SIDE_RANGE, "pixels"),
            ("dpi", DPI_RANGE, "dots per inch"),
        ):
            if not low <= getattr(self, name) <= high:
                raise ParameterError(
                    "picture",
                    name,
                    getattr(self, name),
                    f"it takes {format_count(low)} to {format_count(high)} {unit}",
                )
        if not TEXT_SCALE_RANGE[0] <= self.text_scale <= TEXT_SCALE_RANGE[1]:
            takes = "it takes {:g} to {:g}".format(*TEXT_SCALE_RANGE)
            raise ParameterError("picture", "text_scale", self.text_scale, takes)
        if self.background not in (None, TRANSPARENT) and not re.fullmatch(
            "#[0-9A-Fa-f]{6}", self.background
        ):
            raise ParameterError(
                "picture", "background", self.background, "it takes #RRGGBB or transparent"
            )

    def resized(self, width: int, height: int) -> Page:
        """The same page with another size."""
        return replace(self, width=width, height=height)

    @property
    def ratio(self) -> float:
        """Pixels of the picture per logical pixel."""
        return self.dpi / SCREEN_DPI * self.text_scale

    @property
    def across(self) -> float:
        """Width in logical pixels."""
        return self.width / self.ratio

    @property
    def down(self) -> float:
        """Height in logical pixels."""
        return self.height / self.ratio

    @property
    def transparent(self) -> bool:
        """True if the background is transparent."""
        return self.background == TRANSPARENT

    @property
    def canvas_colour(self) -> str:
        """Opaque colour that lines are blended with; for a transparent page, the
        scheme's canvas colour.
        """
        scheme = DARK if self.dark else LIGHT
        return scheme.canvas if self.background is None or self.transparent else self.background

    @property
    def tokens(self) -> Tokens:
        """The scheme's colours, with the page's canvas colour."""
        return replace(DARK if self.dark else LIGHT, canvas=self.canvas_colour)


_MM_PER_INCH = 25.4


@dataclass(frozen=True)
class Preset:
    """A named size in pixels; ``on_white`` proposes a white background, as for paper,
    in place of that on screen.
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


# At 144 pixels per inch, 1920 x 1080 fill a slide of 13.33 x 7.5 inches, the usual
# size. Text of screen size would be too small for an audience: of 9 to 10 points, it
# gets some 18 on a whole slide and 14 on half of one.
PRESETS = (
    Preset("Slide, 16:9, 1\u202f920 × 1\u202f080", 1920, 1080, 144, 1.9),
    Preset("Slide, 16:9, 4K", 3840, 2160, 288, 1.9),
    Preset("Half a slide, 900 × 780", 900, 780, 144, 1.5),
    Preset("Square, 1\u202f080 × 1\u202f080", 1080, 1080, 144, 1.25),
    printed("Paper, page width", 170, 105, 300),
    printed("Paper, column", 85, 60, 600),
    printed("Paper, square", 170, 170, 300),
)


def on_screen(width: int, height: int) -> Preset:
    """The preset that makes a picture as large as it is on screen."""
    return Preset("As on screen", width, height, round(SCREEN_DPI))


def file_name(graph: str, parts: Iterable[str], suffix: str) -> str:
    """A name such as "NY-bf-serial-vs-dijkstra-heap.svg", of letters that every file system takes.

    It begins with the graph's name without the suffixes of its file; empty parts are
    left out.
    """
    words = [_clean(word) for word in (_without_suffixes(graph), *parts)]
    name = "-".join(filter(None, words))[:_MOST_LETTERS].rstrip("-.")
    return f"{name or 'tautpath'}{suffix}"


def _without_suffixes(name: str) -> str:
    known = next((suffix for suffix in _SUFFIXES if name.lower().endswith(suffix)), None)
    return name if known is None else _without_suffixes(name[: -len(known)])


def _clean(word: str) -> str:
    """``word`` with runs of other letters as one hyphen."""
    return re.sub(r"[^\w.+-]+", "-", word).strip("-.")
