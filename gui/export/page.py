"""Page of an exported picture: size, resolution, background and colour scheme. No widgets."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from gui.style.tokens import DARK, LIGHT, Tokens
from solvers.errors import ParameterError
from solvers.text import format_count

SCREEN_DPI = 96.0
TRANSPARENT = "transparent"
SIDE_RANGE = (16, 20_000)  # pixels
DPI_RANGE = (24, 2400)
TEXT_SCALE_RANGE = (0.5, 4.0)


@dataclass(frozen=True)
class Page:
    """Size, resolution and colours of an exported picture.

    Attributes
    ----------
    width, height : int
        Pixels.
    dpi : int
        Pixels per inch; text and lines keep their size in print.
    text_scale : float
        Enlarges text and lines, which a slide needs larger than paper.
    background : str or None
        "#RRGGBB" or "transparent"; None is the scheme's canvas colour.
    dark : bool
        Use the dark scheme's colours.
    margin : bool
        Fit the subject with a margin, and reserve a strip below it for legend and caption.

    Raises
    ------
    ParameterError
        If size, resolution, text scale or background is invalid.
    """

    width: int
    height: int
    dpi: int = 144
    background: str | None = None
    dark: bool = False
    margin: bool = False
    text_scale: float = 1.0

    def __post_init__(self) -> None:
        for name, (low, high), unit in (
            ("width", SIDE_RANGE, "pixels"), ("height", SIDE_RANGE, "pixels"), ("dpi", DPI_RANGE, "dots per inch"),
        ):  # fmt: skip
            if not low <= getattr(self, name) <= high:
                raise ParameterError(
                    "picture", name, getattr(self, name), f"it takes {format_count(low)} to {format_count(high)} {unit}"
                )
        if not TEXT_SCALE_RANGE[0] <= self.text_scale <= TEXT_SCALE_RANGE[1]:
            takes = "it takes {:g} to {:g}".format(*TEXT_SCALE_RANGE)
            raise ParameterError("picture", "text_scale", self.text_scale, takes)
        if self.background not in (None, TRANSPARENT) and not re.fullmatch("#[0-9A-Fa-f]{6}", self.background):
            raise ParameterError("picture", "background", self.background, "it takes #RRGGBB or transparent")

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
        """Opaque colour that lines are blended with; for a transparent page, the scheme's canvas colour."""
        scheme = DARK if self.dark else LIGHT
        return scheme.canvas if self.background is None or self.transparent else self.background

    @property
    def tokens(self) -> Tokens:
        """The scheme's colours, with the page's canvas colour."""
        return replace(DARK if self.dark else LIGHT, canvas=self.canvas_colour)
