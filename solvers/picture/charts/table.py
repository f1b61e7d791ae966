"""What a chart shows, as a table of values: the window and files draw it alike. No Qt.

A chart has lines of marks, stacked bars, curves over iterations, or bars of a histogram.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from solvers.picture.colours import role
from solvers.picture.palette import Colour
from solvers.system.array_types import Float64s
from solvers.text import grouped

MOST_COLUMNS = 600  # of a curve: more iterations are drawn as their median over a band
_PART_SAMPLES = 512
# of the phases of a trial; solve has the strongest
PHASE_COLOURS = {
    "prepare": role("outline"),
    "h2d": role("warning"),
    "solve": role("accent"),
    "d2h": role("target"),
}
BAND_WORDS = "least, median and most of neighbouring iterations"


@dataclass(frozen=True)
class ChartMark:
    """A point of a chart, with its interval."""

    x: float  # a position from 0 on charts with categories
    y: float
    low: float  # end of an interval or range; equal to `y` if there is none
    high: float  # the other end
    words: str = ""  # for hovering
    is_disturbed: bool = False  # something may have falsified it
    # the measured point, the same in all charts that show it; "" for references and
    # published values
    point: str = ""
    samples: tuple[float, ...] = ()  # what it is the median of, where that is shown

    @property
    def extent(self) -> tuple[float, float]:
        """Ends of the range: of the samples, or of the interval without any."""
        return min(self.samples, default=self.low), max(self.samples, default=self.high)


@dataclass(frozen=True)
class Slope:
    """Slope of log y over log x, with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def words(self) -> str:
        return "slope {} ({} – {})".format(
            *(grouped(value, ".2f") for value in (self.value, self.low, self.high))
        )


@dataclass(frozen=True)
class Line:
    """Marks that belong together."""

    label: str
    colour: Colour
    shape: int  # index of the mark's shape
    marks: tuple[ChartMark, ...]  # ascending in x
    is_published: bool = False  # values of the paper: hollow
    is_ideal: bool = False  # a reference without marks
    slope: Slope | None = None

    @property
    def kind(self) -> str:
        if self.is_published:
            return "published"
        return "ideal" if self.is_ideal else "measured"


@dataclass(frozen=True, eq=False)
class Curve:
    """Values of successive iterations; a faint one is the whole that another curve is a
    part of.
    """

    label: str
    colour: Colour
    # (T,) per recorded iteration; the mean over the ``stride`` iterations it stands for
    values: Float64s
    stride: int
    key: str = ""  # the variant
    faint: bool = False
    in_cycle: bool = False  # the run ends with a negative cycle

    @property
    def end(self) -> float:
        """Number of the last iteration, counted from 1."""
        return float((len(self.values) - 1) * self.stride + 1)

    @property
    def has_band(self) -> bool:
        """Whether there are more iterations than are drawn one by one."""
        return len(self.values) > MOST_COLUMNS

    def columns(self) -> tuple[Float64s, Float64s, Float64s, Float64s]:
        """Iterations, and the least, median and greatest value of the part of the run
        around each.
        """
        count = min(len(self.values), MOST_COLUMNS)
        x = np.linspace(1.0, self.end, count)
        if not self.has_band:
            return x, self.values, self.values, self.values
        starts = (np.arange(count) * len(self.values)) // count
        # of an even sample of long parts; odd, as many series alternate
        length = len(self.values) // count
        within = np.arange(0, length, max(1, length // _PART_SAMPLES) | 1)
        return (
            x,
            np.minimum.reduceat(self.values, starts),
            np.median(self.values[starts[:, None] + within], axis=1),
            np.maximum.reduceat(self.values, starts),
        )


@dataclass(frozen=True, eq=False)
class HistogramBars:
    """Bars side by side: (k + 1,) edges as drawn, and their heights and colours."""

    edges: Float64s
    heights: Float64s
    colours: Sequence[Colour]


@dataclass(frozen=True)
class Axis:
    """An axis: its label with the unit, whether it is logarithmic, and the categories
    if it has some.
    """

    label: str
    is_log: bool = False
    categories: tuple[str, ...] = ()
    shorts: tuple[str, ...] = ()  # shorter names of the categories, where there is little room
    # a number in the words of the axis; its default depends on what draws it
    write: Callable[[float], str] | None = field(default=None, compare=False)
    span: tuple[float, float] | None = None  # its ends; what is shown by default

    @property
    def forms(self) -> list[tuple[str, ...]]:
        """The names of each category, from the longest."""
        if not self.shorts:
            return [(name,) for name in self.categories]
        return list(zip(self.categories, self.shorts, strict=True))

    def place(self, value: float) -> float:
        """Coordinate of a value: its logarithm, that of 1e-9 at least, where it is logarithmic."""
        return math.log10(max(value, 1e-9)) if self.is_log else value


@dataclass(frozen=True)
class ChartData:
    """What a chart shows."""

    title: str
    x: Axis
    y: Axis
    lines: tuple[Line, ...] = ()  # of stacked bars one for each part
    is_stacked: bool = False
    remark: str = ""  # what is left out and why, or that its points come from several hosts; or ""
    is_horizontal: bool = False  # x runs from top to bottom, y to the right: a row for each x
    figures: tuple[str, ...] = ()  # of rows, at their right ends
    curves: tuple[Curve, ...] = ()
    bars: HistogramBars | None = None
    subtitle: str = ""  # a second line of the title in files

    @property
    def has_direct_labels(self) -> bool:
        """Whether the names of lines stand at their ends, not in a legend."""
        return bool(self.lines) and not (self.is_stacked or self.is_horizontal or self.x.categories)

    def entries(self) -> list[tuple[int, Line]]:
        """The entries of the legend: every line once, references of one name together."""
        entries, seen = [], set()
        for index, line in enumerate(self.lines):
            if not (line.is_ideal and line.label in seen):
                entries.append((index, line))
            seen.add(line.label)
        return entries

    def names(self) -> list[str]:
        """The labels of the lines; where one is long, without the parts that all lines
        measured here have in common.
        """
        if all(len(line.label) <= _MOST_LETTERS for line in self.lines):
            return [line.label for line in self.lines]
        measured = [set(line.label.split(", ")) for line in self.lines if line.kind == "measured"]
        shared = set.intersection(*measured) if len(measured) > 1 else set()
        names = []
        for line in self.lines:
            own = [part for part in line.label.split(", ") if part not in shared]
            names.append(", ".join(own) if line.kind == "measured" and own else line.label)
        return names

    def legend(self) -> list[LegendEntry]:
        """What window and files explain beside the chart, in this order: kinds of marks,
        lines whose names do not stand at their ends, curves, and their band.
        """
        found = [LegendEntry(self._words_of(kind), kind) for kind in self._kinds_of_marks()]
        if self.is_stacked:
            found += [LegendEntry(line.label, line=index) for index, line in self.entries()]
        elif not (self.is_horizontal or self.has_direct_labels):
            names = self.names()
            found += [LegendEntry(names[index], line=index) for index, _ in self.entries()]
        found += [LegendEntry(one.label, curve=one) for one in self.curves if not one.faint]
        if any(curve.has_band for curve in self.curves):
            found.append(LegendEntry(BAND_WORDS, BAND_WORDS))
        return found

    def _kinds_of_marks(self) -> list[str]:
        """What the marks of rows with samples stand for, among `MEDIAN` and so on."""
        marks = [mark for line in self.lines for mark in line.marks]
        if not any(mark.samples for mark in marks):
            return []
        kinds = [MEDIAN]
        kinds += [DISTURBED] * any(mark.is_disturbed for mark in marks)
        kinds += [INTERVAL] * any(mark.high > mark.low for mark in marks)
        return [*kinds, RANGE, TRIAL]

    def _words_of(self, kind: str) -> str:
        if kind != TRIAL:
            return kind
        counts = {len(mark.samples) for line in self.lines for mark in line.marks}
        trials = f"{min(counts)} to {max(counts)}" if len(counts) > 1 else str(counts.pop())
        return f"{TRIAL}, {trials} each"


@dataclass(frozen=True, eq=False)
class LegendEntry:
    """What a legend says, and the kind of marks, the line or the curve that it is about."""

    words: str
    kind: str = ""  # `MEDIAN`, ..., `TRIAL` or `BAND_WORDS`
    line: int | None = None
    curve: Curve | None = None


MEDIAN, DISTURBED, INTERVAL, RANGE, TRIAL = (
    "median",
    "disturbed",
    "95 % interval",
    "range",
    "trial",
)
_MOST_LETTERS = 34  # of a name in a legend
SHIFT = 0.7  # of the room of a category that its marks share


def span_of(values: Sequence[float], *, is_log: bool) -> tuple[float, float]:
    """Ends of an axis that shows all values with some margin; a linear one begins at zero, or
    below.
    """
    if not values:
        return 0.0, 1.0
    axis = Axis("", is_log)
    low, high = axis.place(min(values)), axis.place(max(values))
    if not is_log:
        return min(0.0, low), high * 1.04 or 1.0
    air = max(0.08, (high - low) * 0.06)
    return 10.0 ** (low - air), 10.0 ** (high + air)


def shifts(chart: ChartData) -> dict[int, float]:
    """By how much of a category lines are moved apart, whose marks would cover each other."""
    lines = [i for i, line in enumerate(chart.lines) if line.marks and not line.is_ideal]
    if not chart.x.categories or chart.is_stacked or chart.is_horizontal or len(lines) < 2:
        return {}
    step = min(0.16, SHIFT / len(lines))
    return {line: (place - (len(lines) - 1) / 2) * step for place, line in enumerate(lines)}


def stacked(
    chart: ChartData, hidden: frozenset[int] = frozenset()
) -> list[tuple[int, ChartMark, float]]:
    """Each part of stacked bars: its line, its mark, and where it begins; those of lines
    that are ``hidden`` are left out.
    """
    tops: dict[float, float] = {}
    found = []
    shown = (entry for entry in enumerate(chart.lines) if entry[0] not in hidden)
    for index, line in shown:
        for mark in line.marks:
            found.append((index, mark, tops.get(mark.x, 0.0)))
            tops[mark.x] = tops.get(mark.x, 0.0) + mark.y
    return found


def spread(places: Sequence[float], gap: float) -> list[float]:
    """The places moved apart until they are ``gap`` from each other, in their order, each
    as near to its own as the others let it be.
    """
    groups: list[tuple[list[int], float]] = []  # members, and where the first is
    for index in sorted(range(len(places)), key=lambda i: places[i]):
        members, start = [index], places[index]
        while groups and groups[-1][1] + gap * len(groups[-1][0]) > start:
            members = groups.pop()[0] + members
            start = sum(places[m] - gap * i for i, m in enumerate(members)) / len(members)
        groups.append((members, start))
    found = [0.0] * len(places)
    for members, start in groups:
        for i, member in enumerate(members):
            found[member] = start + gap * i
    return found
