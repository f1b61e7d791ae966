"""Colours that the window, the charts and the reports share, as #RRGGBB, on light and
on dark paper: those of ``resources/colours.toml``.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import NamedTuple

from solvers.system.files import RESOURCES

TABLE = tomllib.loads((RESOURCES / "colours.toml").read_text("utf-8"))
"""All colours; those of roles and ramps are read where they belong."""


class Colour(NamedTuple):
    """One colour as #RRGGBB on light and on dark paper."""

    light: str
    dark: str

    def on(self, dark: bool) -> str:
        return self.dark if dark else self.light


@dataclass(frozen=True)
class Palette:
    """The colours of what is written and drawn on paper."""

    paper: str
    ink: str
    muted: str  # of what matters less than the text
    grid: str  # of lines behind a chart
    axis: str  # of those that bound it or a text field
    good: str  # of what holds
    # of the lines of a chart, in order; the first is the accent of the window, too
    series: tuple[str, ...]

    def variables(self) -> dict[str, str]:
        """The colours by the names that style sheets have for them; those of lines are
        c0, c1 and so on.
        """
        names = ("paper", "ink", "muted", "grid", "axis", "good")
        series = {f"c{i}": colour for i, colour in enumerate(self.series)}
        return {name: getattr(self, name) for name in names} | series

    def css(self) -> str:
        """Declarations of the variables in a style sheet."""
        return "".join(f"--{name}:{colour};" for name, colour in self.variables().items())


def _palette(scheme: str) -> Palette:
    colours = TABLE["palette"][scheme]
    return Palette(**colours | {"series": tuple(colours["series"])})


LIGHT, DARK = _palette("light"), _palette("dark")
PAPER = Colour(LIGHT.paper, DARK.paper)
