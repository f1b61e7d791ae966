"""Charts drawn by matplotlib, for files. No Qt.

matplotlib is imported late: it is slow, and few sessions export.
"""

from __future__ import annotations

import math
import textwrap
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from solvers.errors import ParameterError
from solvers.picture.charts.table import (
    BAND_WORDS,
    DISTURBED,
    INTERVAL,
    MEDIAN,
    RANGE,
    Axis,
    ChartData,
    ChartMark,
    Curve,
    LegendEntry,
    Line,
    shifts,
    spread,
    stacked,
)
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.palette import PAPER
from solvers.system.files import RESOURCES
from solvers.system.ranges import offsets_of
from solvers.text import THIN_SPACE, format_count, grouped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SCREEN_DPI = 96.0
SIDES = (64, 20_000)  # pixels
_POINTS, _TITLE_POINTS = 9.0, 10.5
_INCH = 72.0  # points
_MARKS = ("o", "s", "^", "D", "v", "*")
_WRAP, _MOST_NAME_LINES = 26, 4
_ROW_POINTS = 13.0  # least height of a row: smaller letters where it has no room
_LETTER_POINTS = 5.2
_LETTER_SHARES = (1.0, 0.8, 0.6, 0.45)  # of the size asked for, tried until the axes have room
_IDEAL = {"linestyle": (0, (1.5, 3.0)), "linewidth": 1.1}  # of a line to be reached
_lock = threading.Lock()  # matplotlib's parameters are those of the process


@dataclass(frozen=True)
class ChartPage:
    """Size and colours of a chart's file.

    Raises ParameterError if a side is out of range.
    """

    width: int = 860  # pixels
    height: int = 420
    dpi: float = SCREEN_DPI  # pixels to the inch; letters and lines keep their size on paper
    background: str | None = "#FFFFFF"  # None is transparent
    dark: bool = False  # for dark paper
    text_scale: float = 1.0  # enlarges letters and lines

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            if not SIDES[0] <= getattr(self, name) <= SIDES[1]:
                takes = f"it takes {SIDES[0]} to {format_count(SIDES[1])}"
                raise ParameterError("chart", name, getattr(self, name), takes)

    @property
    def inches(self) -> tuple[float, float]:
        return self.width / self.dpi / self.text_scale, self.height / self.dpi / self.text_scale


@contextmanager
def drawn(chart: ChartData, page: ChartPage) -> Iterator[Figure]:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    _add_typeface()
    t = DARK if page.dark else LIGHT
    looks = {
        "font.family": ["Tautpath Sans", "DejaVu Sans", "sans-serif"],
        "font.size": _POINTS,
        "svg.fonttype": "none",
        "svg.hashsalt": "tautpath",
        "pdf.fonttype": 42,
        "text.parse_math": False,
        "axes.edgecolor": t.outline,
        "axes.labelcolor": t.text,
        "axes.facecolor": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": t.grid,
        "text.color": t.text,
        "xtick.color": t.outline,
        "ytick.color": t.outline,
        "xtick.labelcolor": t.muted,
        "ytick.labelcolor": t.muted,
        "legend.frameon": False,
        "figure.facecolor": page.background or "none",
        "savefig.facecolor": "auto",
        "lines.scale_dashes": False,
    }
    with _lock, mpl.rc_context(looks):
        for share in _LETTER_SHARES:
            # enlarged letters are those of a smaller page
            smaller = replace(page, text_scale=page.text_scale * share)
            dpi = smaller.dpi * smaller.text_scale
            figure = Figure(smaller.inches, dpi=dpi, layout="constrained")
            _Drawing(chart, smaller, figure, t).draw()
            if _has_room(figure):
                break
        else:
            figure.set_layout_engine("none")  # all of it, though texts overlap
        yield figure


def clean(text: str) -> str:
    """Text as XML has it, and as matplotlib takes it: without formulae."""
    return "".join(c if c.isprintable() or c in (THIN_SPACE, "\n") else " " for c in text)


def _has_room(figure: Figure) -> bool:
    """Whether the axes have room beside their texts, of which matplotlib only warns."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "constrained_layout not applied")
        try:
            figure.draw_without_rendering()
        except UserWarning:
            return False
    return True


@cache
def _add_typeface() -> None:
    from matplotlib import font_manager

    for path in sorted((RESOURCES / "fonts").glob("TautpathSans-*.ttf")):
        font_manager.fontManager.addfont(path)


class _Drawing:
    """One chart on matplotlib's axes."""

    def __init__(self, chart: ChartData, page: ChartPage, figure: Figure, t: Tokens):
        self._chart, self._page, self._figure, self._t = chart, page, figure, t
        self._axes: Axes = figure.subplots()
        self._shifts = shifts(chart)
        self._marks = 0  # drawn so far
        self._names = chart.names()

    def draw(self) -> None:
        chart, axes = self._chart, self._axes
        self._draw_title()
        across, down = (chart.y, chart.x) if chart.is_horizontal else (chart.x, chart.y)
        axes.set_xlabel(clean(across.label))
        axes.set_ylabel(clean(down.label))
        self._set_scales()
        if chart.is_stacked:
            self._draw_stacks()
        else:
            order = sorted(enumerate(chart.lines), key=lambda entry: not entry[1].is_published)
            numbers = self._numbers_of_marks()
            for index, line in order:  # what was measured here lies on top
                self._draw_line(index, line, numbers[index])
        for curve in chart.curves:
            self._draw_curve(curve)
        if chart.bars is not None:
            bars = chart.bars
            colours = [colour.on(self._t.dark) for colour in bars.colours]
            axes.bar(
                bars.edges[:-1], bars.heights, np.diff(bars.edges), align="edge", color=colours
            )
        self._set_categories()
        self._set_ends()
        if chart.has_direct_labels:
            self._label_ends()
        else:
            self._add_legend()

    def _draw_title(self) -> None:
        """The title, and below it the second line, wrapped to the page."""
        letters = max(12, int(self._page.inches[0] * _INCH / _LETTER_POINTS))
        title = textwrap.fill(clean(self._chart.title), letters)
        below = textwrap.fill(clean(self._chart.subtitle), letters)
        self._figure.suptitle(title, x=0.01, ha="left", fontsize=_TITLE_POINTS, fontweight="bold")
        if below:
            self._axes.set_title(below, loc="left", fontsize=_POINTS, color=self._t.muted)

    def _set_scales(self) -> None:
        chart, axes = self._chart, self._axes
        x, y = axes.xaxis, axes.yaxis
        sides = (
            ((chart.x, y), (chart.y, x)) if chart.is_horizontal else ((chart.x, x), (chart.y, y))
        )
        for side, drawn in sides:
            if side.is_log:
                (axes.set_xscale if drawn is x else axes.set_yscale)("log")
            if not side.categories:
                _write_ticks(drawn, side, room=6 if drawn is x else 10)
        if chart.is_horizontal:
            axes.grid(False, axis="y")
        elif chart.x.categories or chart.bars is not None:
            axes.grid(False, axis="x")

    def _numbers_of_marks(self) -> list[int]:
        """Number of the first mark of each line."""
        return offsets_of([len(line.marks) for line in self._chart.lines]).tolist()

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return (y, x) if self._chart.is_horizontal else (x, y)

    def _draw_line(self, index: int, line: Line, first: int) -> None:
        chart, axes = self._chart, self._axes
        colour = line.colour.on(self._t.dark)
        looks: dict[str, Any] = {"color": colour, "linewidth": 1.5, "gid": f"line-{index}"}
        if line.is_ideal:
            looks |= _IDEAL
            if line.marks and (chart.x.categories or len(line.marks) == 1):
                draw = axes.axvline if chart.is_horizontal else axes.axhline
                draw(line.marks[0].y, **looks)
                return
        if line.is_published:
            looks |= {"linestyle": (0, (4.0, 3.0)), "linewidth": 1.0}
        if len(line.marks) > 1 and not chart.x.categories:
            axes.plot([mark.x for mark in line.marks], [mark.y for mark in line.marks], **looks)
        if not line.is_ideal:
            for number, mark in enumerate(line.marks, first):
                self._draw_mark(number, mark, line, mark.x + self._shifts.get(index, 0.0))

    def _draw_mark(self, number: int, mark: ChartMark, line: Line, x: float) -> None:
        chart, axes, colour = self._chart, self._axes, line.colour.on(self._t.dark)
        low, high = mark.extent
        if high > low:
            axes.plot(*_two(self._at(x, low), self._at(x, high)), color=colour, linewidth=1.1)
            cap = "|" if chart.is_horizontal else "_"
            for end in (low, high):
                axes.plot(*self._at(x, end), marker=cap, markersize=5, color=colour)
        if mark.samples:
            across, down = zip(*(self._at(x, sample) for sample in mark.samples), strict=True)
            axes.scatter(across, down, s=11, color=colour, alpha=0.4, linewidths=0, zorder=2.5)
            if mark.high > mark.low:
                axes.plot(
                    *_two(self._at(x, mark.low), self._at(x, mark.high)),
                    color=colour,
                    linewidth=3.4,
                    solid_capstyle="butt",
                )
        hollow = line.is_published or (mark.is_disturbed and mark.samples)
        ground = self._page.background or PAPER.on(self._t.dark)
        axes.plot(
            *self._at(x, mark.y),
            marker=_MARKS[line.shape % len(_MARKS)],
            markersize=6,
            color=colour,
            markerfacecolor=ground if hollow else colour,
            gid=f"mark-{number}",
            zorder=3,
        )
        if mark.is_disturbed and not mark.samples:
            axes.plot(
                *self._at(x, mark.y),
                marker="o",
                markersize=12,
                markerfacecolor="none",
                markeredgecolor=self._t.text,
                markeredgewidth=0.7,
                linestyle=(0, (2, 2)),
            )

    def _draw_stacks(self) -> None:
        chart, axes = self._chart, self._axes
        draw: Callable[..., Any] = axes.barh if chart.is_horizontal else axes.bar
        numbers = self._numbers_of_marks()
        for index, mark, begin in stacked(chart):
            start = {"left" if chart.is_horizontal else "bottom": begin}
            colour = chart.lines[index].colour.on(self._t.dark)
            bars = draw(mark.x, mark.y, 0.6, color=colour, **start)
            bars[0].set_gid(f"mark-{numbers[index]}")
            numbers[index] += 1

    def _draw_curve(self, curve: Curve) -> None:
        axes, colour = self._axes, curve.colour.on(self._t.dark)
        alpha = 0.45 if curve.faint else 1.0
        x, low, middle, high = curve.columns()
        floor = 0.5 if self._chart.y.is_log else -math.inf
        low, middle, high = (np.maximum(values, floor) for values in (low, middle, high))
        if curve.has_band:
            axes.fill_between(x, low, high, color=colour, alpha=0.3 * alpha, linewidth=0)
        axes.plot(x, middle, color=colour, alpha=alpha, linewidth=1.1)
        if curve.in_cycle:
            axes.plot(x[-1], middle[-1], marker="D", markersize=7, color=self._t.cycle)

    def _set_categories(self) -> None:
        """Names of the categories, whole: in lines, turned where they have no room."""
        chart, axes = self._chart, self._axes
        names = [clean(name) for name in chart.x.categories]
        if not names:
            return
        places = range(len(names))
        if chart.is_horizontal:
            points = min(
                _POINTS, _POINTS * self._page.inches[1] * _INCH * 0.8 / len(names) / _ROW_POINTS
            )
            axes.set_yticks(places, names, fontsize=points)
            axes.set_ylim(len(names) - 0.5, -0.5)
            axes.tick_params(axis="y", length=0, labelcolor=self._t.text)
            if chart.figures:
                beside = axes.secondary_yaxis("right")
                beside.set_yticks(places, chart.figures, fontsize=points)
                beside.tick_params(length=0, labelcolor=self._t.text)
                beside.spines["right"].set_visible(False)
            return
        axes.set_xlim(-0.6, len(names) - 0.4)
        room = self._page.inches[0] * _INCH * 0.75 / len(names) / _LETTER_POINTS
        lines = [textwrap.wrap(name, max(1, int(room)), break_long_words=False) for name in names]
        fits = all(len(one) <= _MOST_NAME_LINES and max(map(len, one)) <= room for one in lines)
        if fits:
            axes.set_xticks(places, ["\n".join(one) for one in lines])
        else:
            wrapped = [textwrap.fill(name, _WRAP) for name in names]
            axes.set_xticks(places, wrapped, rotation=35, ha="right", rotation_mode="anchor")

    def _set_ends(self) -> None:
        chart, axes = self._chart, self._axes
        across, down = (chart.y, chart.x) if chart.is_horizontal else (chart.x, chart.y)
        if across.span is not None:
            axes.set_xlim(across.span)
        if down.span is not None:
            axes.set_ylim(down.span)
        if chart.is_horizontal or chart.y.span is not None or chart.y.is_log:
            return
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0] if _has_negative(chart) else 0.0))

    def _label_ends(self) -> None:
        """The names of the lines at their ends, in their colours, none over another."""
        chart, axes = self._chart, self._axes
        entries = [(i, line) for i, line in chart.entries() if line.marks]
        texts = []
        for index, line in entries:
            words = textwrap.fill(clean(self._names[index]), _WRAP + 8)
            if line.slope is not None:
                words += f"\n{line.slope.words}"
            texts.append(
                axes.annotate(
                    words,
                    (1.0, 0.0),
                    (1.045, 0.0),
                    xycoords="axes fraction",
                    fontsize=_POINTS,
                    color=line.colour.on(self._t.dark),
                    va="center",
                    annotation_clip=False,
                    gid=f"key-{index}",
                    arrowprops={
                        "arrowstyle": "-",
                        "linewidth": 0.6,
                        "color": line.colour.on(self._t.dark),
                        "shrinkA": 1,
                        "shrinkB": 1,
                    },
                )
            )
        self._figure.draw_without_rendering()
        height = axes.bbox.height
        to_axes = axes.transData + axes.transAxes.inverted()
        ends = [to_axes.transform((line.marks[-1].x, line.marks[-1].y)) for _, line in entries]
        lines = max((text.get_text().count("\n") + 1 for text in texts), default=1)
        gap = lines * 1.25 * _POINTS * self._figure.dpi / _INCH / height
        gap = min(gap, 1.0 / max(1, len(texts) - 1))
        places = spread([end[1] for end in ends], gap)
        shift = max(0.0, max(places, default=0.0) - 1.0) + min(0.0, min(places, default=0.0))
        for text, end, place in zip(texts, ends, places, strict=True):
            text.set_position((1.045, place - shift))
            text.xy = (end[0] + 0.012, end[1])

    def _add_legend(self) -> None:
        chart, entries = self._chart, self._chart.legend()
        handles = [self._sample(entry) for entry in entries]
        if not handles:
            return
        beside = bool(chart.lines) and not chart.is_horizontal
        if beside:
            legend = self._figure.legend(handles=handles, loc="outside right upper")
        else:
            widest = max(len(handle.get_label()) for handle in handles) + 6
            columns = max(1, int(self._page.inches[0] * _INCH / _LETTER_POINTS / widest))
            legend = self._figure.legend(
                handles=handles, loc="outside lower left", ncols=min(columns, len(handles))
            )
        if beside and not chart.is_stacked:
            for entry, words in zip(entries, legend.get_texts(), strict=True):
                if entry.line is not None:
                    words.set_gid(f"key-{entry.line}")

    def _sample(self, entry: LegendEntry) -> Any:
        """What a legend shows beside the words of an entry."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        t, label = self._t, clean(entry.words)
        muted = {"color": t.muted, "linewidth": 0}
        if entry.curve is not None:
            return Line2D([], [], color=entry.curve.colour.on(t.dark), label=label)
        if entry.line is not None:
            line = self._chart.lines[entry.line]
            colour = line.colour.on(t.dark)
            if self._chart.is_stacked:
                return Patch(color=colour, label=label)
            looks: dict[str, Any] = {"color": colour, "linewidth": 0}
            if line.is_ideal:
                looks |= _IDEAL
            else:
                looks |= {"marker": _MARKS[line.shape % len(_MARKS)], "markersize": 6}
            if line.is_published:
                looks["markerfacecolor"] = "none"
            return Line2D([], [], label=textwrap.fill(label, _WRAP + 8), **looks)
        if entry.kind == BAND_WORDS:
            return Patch(color=t.muted, alpha=0.35, label=label)
        kinds: dict[str, dict[str, Any]] = {
            MEDIAN: {**muted, "marker": "o", "markersize": 6},
            DISTURBED: {**muted, "marker": "o", "markersize": 6, "markerfacecolor": "none"},
            INTERVAL: {"color": t.muted, "linewidth": 3.4},
            RANGE: {"color": t.muted, "linewidth": 1.1},
        }
        trial = {**muted, "marker": "o", "markersize": 3.6, "alpha": 0.5}
        return Line2D([], [], label=label, **kinds.get(entry.kind, trial))


def _two(start: tuple[float, float], end: tuple[float, float]) -> tuple[list[float], list[float]]:
    return [start[0], end[0]], [start[1], end[1]]


def _has_negative(chart: ChartData) -> bool:
    return any(mark.low < 0 for line in chart.lines for mark in line.marks)


def _write_ticks(drawn: Any, axis: Axis, room: int) -> None:
    """Numbers at the ticks in the words of the axis."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    write = axis.write or (lambda value: grouped(value, ".10g"))
    if axis.is_log:
        drawn.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=room))
        drawn.set_minor_formatter(NullFormatter())
    else:
        drawn.set_major_locator(MaxNLocator(room, steps=[1, 2, 5, 10]))
    drawn.set_major_formatter(FuncFormatter(lambda value, _: write(float(f"{value:.10g}"))))
