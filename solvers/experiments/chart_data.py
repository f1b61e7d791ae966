"""What a chart of an experiment shows, as values: the same for SVG, CSV, pgfplots and the window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

LEAST_FOR_SLOPE = 3


@dataclass(frozen=True)
class ChartMark:
    """One value.

    Attributes
    ----------
    x, y : float
        ``x`` is a position from 0 on charts with categories.
    low, high : float
        Interval or range; equal to ``y`` if there is none.
    words : str
        For hovering.
    is_disturbed : bool
        Something may have falsified it.
    point : str
        The measured point, the same in all charts that show it; "" for references and published values.
    """

    x: float
    y: float
    low: float
    high: float
    words: str = ""
    is_disturbed: bool = False
    point: str = ""


@dataclass(frozen=True)
class Line:
    """Marks that belong together.

    Attributes
    ----------
    label : str
    colour : int
        Index into the palette; -1 for the ink of the text.
    shape : int
        Index of the mark's shape.
    marks : tuple of ChartMark
        Ascending in x.
    is_published : bool
        Values of the paper: hollow.
    is_ideal : bool
        A reference without marks.
    slope : Slope or None
    """

    label: str
    colour: int
    shape: int
    marks: tuple[ChartMark, ...]
    is_published: bool = False
    is_ideal: bool = False
    slope: Slope | None = None


@dataclass(frozen=True)
class Slope:
    """Slope of log y over log x, with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def words(self) -> str:
        return f"slope {self.value:.2f} ({self.low:.2f} – {self.high:.2f})".replace("-", "−")


@dataclass(frozen=True)
class Axis:
    """An axis: its label with the unit, whether it is logarithmic, and the categories if it has some."""

    label: str
    is_log: bool = False
    categories: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChartData:
    """A chart.

    Attributes
    ----------
    title : str
    x, y : Axis
    lines : tuple of Line
        For stacked bars, one line for each part, whose marks are the parts' heights.
    is_stacked : bool
    remark : str
        What is left out and why, or that its points come from several hosts; "" if there is nothing to say.
    """

    title: str
    x: Axis
    y: Axis
    lines: tuple[Line, ...]
    is_stacked: bool = False
    remark: str = ""


def slope_of(marks: Sequence[ChartMark]) -> Slope | None:
    """Least-squares slope of log y over log x with the interval of Student's t; None for fewer than three sizes."""
    usable = [mark for mark in marks if mark.x > 0 and mark.y > 0]
    if len({mark.x for mark in usable}) < LEAST_FOR_SLOPE:
        return None
    from scipy import stats  # imported here: it takes long

    found = stats.linregress([math.log(mark.x) for mark in usable], [math.log(mark.y) for mark in usable])
    half = float(stats.t.ppf(0.975, len(usable) - 2)) * float(found.stderr)
    return Slope(float(found.slope), float(found.slope) - half, float(found.slope) + half)
