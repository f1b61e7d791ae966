"""Colours that the window, the charts and the reports share, as #RRGGBB, on light and
on dark paper.

Lines have four colours of the palette of Okabe and Ito, then those that differ most from
them and from each other also for people who lack one kind of cone; on dark the same
hues, lighter.
"""

from __future__ import annotations

from dataclasses import dataclass


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


LIGHT = Palette(
    paper="#FFFFFF",
    ink="#1D2126",
    muted="#5F6872",
    grid="#E4E6E8",
    axis="#7F8891",
    good="#0A6B1D",
    series=(
        "#0072B2",
        "#D55E00",
        "#009E73",
        "#CC79A7",
        "#47025E",
        "#6E2B04",
        "#611BA7",
        "#A76EF8",
        "#023536",
        "#7E3F65",
    ),
)

DARK = Palette(
    paper="#15181C",
    ink="#E6E9EC",
    muted="#9BA5B0",
    grid="#31383F",
    axis="#76828E",
    good="#2CC79A",
    series=(
        "#56B4E9",
        "#FF9E62",
        "#17A47D",
        "#FFB1C8",
        "#983DBC",
        "#D75A07",
        "#A76EF8",
        "#E3D6FE",
        "#0B7F7F",
        "#CB85AD",
    ),
)
