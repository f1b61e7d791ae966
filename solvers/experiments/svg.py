"""Draws charts of experiments as SVG, without Qt: for reports, files and command lines.

In reports colours are classes, so that one style sheet serves the light and the dark
scheme and print; files of their own have attributes instead. Every mark has a title,
which browsers show on hovering. The shapes of the marks tell lines of one colour apart.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from solvers.experiments.charts import Axis, ChartData, ChartMark, Line
from solvers.picture.palette import DARK, LIGHT
from solvers.text import THIN_SPACE
from solvers.ticks import Ticks

RADIUS = 4.5
"""Of a mark, in pixels."""

WIDTH, HEIGHT = 860, 420
COLOURS = len(LIGHT.series)
_LEFT, _TOP, _BOTTOM, _LEGEND = 78, 40, 62, 250
_KEY_PX, _LINE_PX, _KEY_GAP = 22.0, 15.0, 10.0
_MOST_OWN_TICKS = 8
_MOST_LETTERS = 34  # of a line in the legend
_MOST_NAME_LINES = 4  # below the axis
_CHARACTER_PX = 6.8  # of a digit at most
_MOST_SHIFT = 18.0
_WHISKER = 4.0

# What each class looks like; a later class of an element goes before an earlier one.
_RULES: dict[str, dict[str, str]] = {
    "muted": {"fill": "var(--muted)"},
    "title": {"font-weight": "600", "font-size": "14"},
    "grid": {"stroke": "var(--grid)", "stroke-width": "1"},
    "axis": {"stroke": "var(--axis)"},
    "line": {"fill": "none", "stroke-width": "2"},
    "whisker": {"stroke-width": "1.4"},
    "published": {"stroke-dasharray": "5 4", "stroke-width": "1.4"},
    "ideal": {"stroke-dasharray": "2 4", "stroke-width": "1.5"},
    "hollow": {"fill": "var(--paper)", "stroke-width": "1.8"},
    "doubt": {
        "fill": "none",
        "stroke": "var(--ink)",
        "stroke-width": "1",
        "stroke-dasharray": "2 2",
    },
    "paper": {"fill": "var(--paper)"},
}
_CLASS = re.compile(r'class="([^"]*)"')
_VARIABLE = re.compile(r"var\(--(\w+)\)")


def _corners(count: int, first: float, *radii: float) -> tuple[tuple[float, float], ...]:
    """Corners of a polygon around 0, 0 with these distances in turn; the first one at
    an angle in turns.
    """
    angles = (math.tau * (first + i / count) for i in range(count))
    return tuple(
        (radii[i % len(radii)] * math.cos(a), radii[i % len(radii)] * math.sin(a))
        for i, a in enumerate(angles)
    )


# Triangle, diamond, triangle on its tip, four-pointed star; in radii of a mark.
_POLYGONS = (
    _corners(3, -0.25, 1.35),
    _corners(4, -0.25, 1.35),
    _corners(3, 0.25, 1.35),
    _corners(8, 0.125, 1.6, 0.6),
)


def shape(index: int, x: float, y: float, attributes: str) -> str:
    """A circle, square, or one of `_POLYGONS`, so that lines differ without their colours."""
    r, kind = RADIUS, index % (2 + len(_POLYGONS))
    if kind == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" {attributes}/>'
    if kind == 1:
        return (
            f'<rect x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r}" height="{2 * r}" {attributes}/>'
        )
    points = " ".join(
        f"{x + r * across:.1f},{y + r * down:.1f}" for across, down in _POLYGONS[kind - 2]
    )
    return f'<polygon points="{points}" {attributes}/>'


def style() -> str:
    """The style sheet of the charts of a page, for both schemes."""
    font = "font:12px 'Tautpath Sans',system-ui,'Segoe UI',sans-serif"
    rules = [f".chart text{{fill:var(--ink)}}.chart{{{LIGHT.css()}{font}}}"]
    rules.append(f"@media screen and (prefers-color-scheme:dark){{.chart{{{DARK.css()}}}}}")
    for name, looks in _RULES.items():
        rules.append(
            f".chart .{name}{{{';'.join(f'{key}:{value}' for key, value in looks.items())}}}"
        )
    for i in range(COLOURS):
        rules.append(f".chart .s{i}{{stroke:var(--c{i})}}.chart .f{i}{{fill:var(--c{i})}}")
    rules.append(
        ".chart .sx{stroke:var(--muted)}.chart .fx{fill:var(--muted)}.chart .off{display:none}"
    )
    return "".join(rules).replace("font-size:14", "font-size:14px")


def chart_figure(chart: ChartData) -> str:
    """A chart for a page that has the style sheet: its colours are classes."""
    drawing = _Drawing(chart)
    size = (
        f'viewBox="0 0 {WIDTH} {drawing.height:.0f}" role="img" aria-label="{_text(chart.title)}"'
    )
    return f'<svg class="chart" {size}>{"".join(drawing.parts())}</svg>'


def chart_svg(chart: ChartData, *, dark: bool = False, width: int = WIDTH) -> str:
    """A chart as a file of its own, ``width`` pixels wide; colours are attributes, as few
    programs besides browsers know style sheets.
    """
    drawing, scheme = _Drawing(chart, width), (DARK if dark else LIGHT).variables()
    size = (
        f'width="{width}" height="{drawing.height:.0f}" viewBox="0 0 {width} {drawing.height:.0f}"'
    )
    font = 'font-family="Inter,system-ui,\'Segoe UI\',Helvetica,Arial,sans-serif" font-size="12"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font} fill="{scheme["ink"]}">'
    body = (
        f'<rect class="paper" width="{width}" '
        f'height="{drawing.height:.0f}"/>{"".join(drawing.parts())}'
    )
    return f"{head}{_CLASS.sub(lambda found: _attributes(found.group(1), scheme), body)}</svg>\n"


@dataclass(frozen=True)
class MarkPlace:
    """Where a mark lies in the drawing, in its pixels: the centre of a dot, or that of
    a bar with half its sides.
    """

    line: int
    mark: ChartMark
    x: float
    y: float
    half_width: float = RADIUS
    half_height: float = RADIUS


@dataclass(frozen=True)
class KeyPlace:
    """Where a line's entry in the legend lies: its vertical middle, from ``x`` to the
    right end of the drawing.
    """

    line: int
    x: float
    y: float


@dataclass(frozen=True)
class ChartPlaces:
    """What of a chart can be pointed at."""

    height: float  # of the drawing
    marks: tuple[MarkPlace, ...]  # without those of reference lines
    keys: tuple[KeyPlace, ...]


def chart_places(chart: ChartData, width: int = WIDTH) -> ChartPlaces:
    """Places in the drawing that `chart_svg` makes."""
    drawing = _Drawing(chart, width)
    marks = drawing.bar_places() if chart.is_stacked else drawing.mark_places()
    return ChartPlaces(drawing.height, tuple(marks), tuple(key for key, _ in drawing.key_places()))


def _attributes(classes: str, scheme: Mapping[str, str]) -> str:
    """The presentation attributes that the style sheet gives to these classes."""
    found: dict[str, str] = {}
    for name in classes.split():
        found |= _RULES.get(name, {})
        if name[0] in "sf" and name[1:] in ("x", *map(str, range(COLOURS))):
            colour = "muted" if name[1:] == "x" else f"c{name[1:]}"
            found["stroke" if name[0] == "s" else "fill"] = f"var(--{colour})"
    return " ".join(
        f'{name}="{_VARIABLE.sub(lambda m: scheme[m.group(1)], value)}"'
        for name, value in found.items()
    )


@dataclass(frozen=True)
class _AxisNames:
    """Names below an axis with categories, all of them whole: in lines, or as numbers
    with a key where they have no room.
    """

    lines: Sequence[Sequence[str]] = ()  # at each tick
    by_number: Sequence[str] = ()  # of the key
    key_rows: int = 0
    key_px: float = 0.0  # width of a column of the key

    @classmethod
    def of(cls, names: Sequence[str], width: float) -> _AxisNames:
        """The names below an axis that is ``width`` pixels long."""
        if not names:
            return cls()
        letters = max(1, int(width / len(names) / _CHARACTER_PX) - 1)
        lines = [textwrap.wrap(name, letters, break_long_words=False) or [""] for name in names]
        if all(len(one) <= _MOST_NAME_LINES and max(map(len, one)) <= letters for one in lines):
            return cls(lines)
        column = (max(map(len, names)) + 6) * _CHARACTER_PX
        rows = math.ceil(len(names) / max(1, int((width + _LEGEND) / column)))
        return cls([[str(number + 1)] for number in range(len(names))], names, rows, column)

    @property
    def extra_px(self) -> float:
        """Height of what needs more than one line."""
        below = max((len(one) for one in self.lines), default=1) - 1 + self.key_rows
        return below * _LINE_PX + _KEY_GAP * (self.key_rows > 0)


class _Drawing:
    """One chart: axes, marks and legend."""

    def __init__(self, chart: ChartData, width: int = WIDTH):
        self._chart = chart
        marks = [mark for line in chart.lines for mark in line.marks]
        measured = [mark for line in chart.lines if not line.is_ideal for mark in line.marks]
        self._x = _x_ticks(chart.x, marks, is_stacked=chart.is_stacked)
        self._y = _y_ticks(chart, marks, measured)
        self._right = width - _LEGEND
        self._names = _AxisNames.of(chart.x.categories, self._right - _LEFT)
        self._below = _BOTTOM + self._names.extra_px
        self._legend_names = _legend_names(chart.lines)
        self.height = max(HEIGHT + self._names.extra_px, _TOP + self._legend_px() + 20)
        self._shifts = self._shifts_of_lines()

    def parts(self) -> Iterator[str]:
        yield f'<text class="title" x="{_LEFT}" y="20">{_text(self._chart.title)}</text>'
        yield from self._y_axis()
        yield from self._x_axis()
        if self._chart.is_stacked:
            yield from self._bars()
        else:
            lines = sorted(
                enumerate(self._chart.lines), key=lambda entry: not entry[1].is_published
            )
            for index, line in lines:  # what was measured here lies on top
                yield from self._line(index, line)
        yield from self._legend()

    def _px(self, x: float, line: int = -1) -> float:
        return _LEFT + self._x.position(x) * (self._right - _LEFT) + self._shifts.get(line, 0.0)

    def _shifts_of_lines(self) -> dict[int, float]:
        """Pixels by which lines are moved apart where names are on the x axis, as marks
        would cover each other.
        """
        names = self._chart.x.categories
        lines = [i for i, line in enumerate(self._chart.lines) if line.marks and not line.is_ideal]
        if not names or self._chart.is_stacked or len(lines) < 2:
            return {}
        step = min(_MOST_SHIFT, 0.7 * (self._right - _LEFT) / (len(names) * len(lines)))
        return {line: (index - (len(lines) - 1) / 2) * step for index, line in enumerate(lines)}

    def _py(self, y: float) -> float:
        bottom = self.height - self._below
        return bottom - self._y.position(y) * (bottom - _TOP)

    def _y_axis(self) -> Iterator[str]:
        for value in self._y.places:
            y = self._py(value)
            yield f'<line class="grid" x1="{_LEFT}" x2="{self._right}" y1="{y:.1f}" y2="{y:.1f}"/>'
            yield (
                f'<text class="muted" x="{_LEFT - 8}" y="{y + 4:.1f}" '
                f'text-anchor="end">{self._y.label(value)}</text>'
            )
        middle = (_TOP + self.height - self._below) / 2
        label = _text(self._chart.y.label)
        yield (
            f'<text transform="translate(16 {middle:.0f}) rotate(-90)" '
            f'text-anchor="middle">{label}</text>'
        )

    def _x_axis(self) -> Iterator[str]:
        bottom = self.height - self._below
        yield (
            f'<line class="axis" x1="{_LEFT}" x2="{self._right}" '
            f'y1="{bottom:.1f}" y2="{bottom:.1f}"/>'
        )
        labelled = self._labelled_places()
        for place in self._x.places:
            x = self._px(place)
            yield (
                f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" '
                f'y1="{bottom:.1f}" y2="{bottom + 5:.1f}"/>'
            )
            lines = self._tick_lines(place) if place in labelled else ()
            for number, line in enumerate(lines):
                yield (
                    f'<text class="muted" x="{x:.1f}" y="{bottom + 19 + number * _LINE_PX:.1f}" '
                    f'text-anchor="middle">{_text(line)}</text>'
                )
        yield from self._names_by_number(bottom + 19 + _LINE_PX + _KEY_GAP)
        middle = (_LEFT + self._right) / 2
        label = _text(self._chart.x.label)
        yield (
            f'<text x="{middle:.0f}" y="{self.height - 14:.0f}" text-anchor="middle">{label}</text>'
        )

    def _names_by_number(self, top: float) -> Iterator[str]:
        """The names that numbers on the axis stand for, in columns."""
        names = self._names.by_number
        for index, name in enumerate(names):
            column, row = divmod(index, self._names.key_rows)
            x = _LEFT + column * self._names.key_px
            yield (
                f'<text class="muted" x="{x:.1f}" y="{top + row * _LINE_PX:.1f}">'
                f"{index + 1}  {_text(name)}</text>"
            )

    def _tick_lines(self, place: float) -> Sequence[str]:
        lines = self._names.lines
        return lines[round(place)] if lines else (self._x.label(place),)

    def _labelled_places(self) -> set[float]:
        """Places on the x axis whose labels have room, from the right; all of them
        where they are names.
        """
        if self._names.lines:
            return set(self._x.places)
        found, end = set(), math.inf
        for place in reversed(self._x.places):
            half = _CHARACTER_PX * len(self._x.label(place)) / 2
            if self._px(place) + half + _CHARACTER_PX <= end:
                found.add(place)
                end = self._px(place) - half
        return found

    def _line(self, index: int, line: Line) -> Iterator[str]:
        colour = _class(line.colour)
        kind = line.kind if line.is_ideal or line.is_published else ""
        yield f'<g data-line="{index}">'
        if len(line.marks) > 1 and not self._chart.x.categories:
            points = " ".join(f"{self._px(m.x):.1f},{self._py(m.y):.1f}" for m in line.marks)
            yield f'<polyline class="line s{colour} {kind}" points="{points}"/>'
        if not line.is_ideal:
            for mark in line.marks:
                yield from self._mark(mark, line, self._px(mark.x, index), colour)
        elif line.marks and (self._chart.x.categories or len(line.marks) == 1):
            y = self._py(line.marks[0].y)
            yield (
                f'<line class="line s{colour} ideal" x1="{_LEFT}" x2="{self._right}" '
                f'y1="{y:.1f}" y2="{y:.1f}"/>'
            )
        yield "</g>"

    def _mark(self, mark: ChartMark, line: Line, x: float, colour: str) -> Iterator[str]:
        y = self._py(mark.y)
        yield f'<g data-point="{_text(mark.point)}">' if mark.point else "<g>"
        if mark.words:
            yield f"<title>{_text(mark.words)}</title>"
        if mark.high > mark.low:
            top, bottom = self._py(mark.high), self._py(mark.low)
            ends = "".join(
                f"M{x - _WHISKER:.1f} {at:.1f}h{2 * _WHISKER:.1f}" for at in (top, bottom)
            )
            way = f"M{x:.1f} {top:.1f}V{bottom:.1f}{ends}"
            yield f'<path class="line whisker s{colour}" d="{way}"/>'
        if line.is_published:
            yield shape(_shape_of(line), x, y, f'class="hollow s{colour}"')
        else:
            yield shape(_shape_of(line), x, y, f'class="f{colour}"')
        if mark.is_disturbed:
            yield f'<circle class="doubt" cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS + 4}"/>'
        yield "</g>"

    def _bars(self) -> Iterator[str]:
        places = list(self.bar_places())
        for index, line in enumerate(self._chart.lines):
            yield f'<g data-line="{index}">'
            for at in (one for one in places if one.line == index):
                left = at.x - at.half_width
                top = at.y - at.half_height
                width = at.half_width
                height = at.half_height
                box = (
                    f'x="{left:.1f}" y="{top:.1f}" width="{2 * width:.1f}" '
                    f'height="{2 * height:.1f}"'
                )
                point = f'data-point="{_text(at.mark.point)}"'
                yield (
                    f'<rect {point} class="f{_class(line.colour)}" '
                    f"{box}><title>{_text(at.mark.words)}</title></rect>"
                )
            yield "</g>"

    def bar_places(self) -> Iterator[MarkPlace]:
        count = max(1, len(self._chart.x.categories))
        half = min(56.0, 0.6 * (self._right - _LEFT) / count) / 2
        tops = [0.0] * count
        for index, line in enumerate(self._chart.lines):
            for mark in line.marks:
                place = round(mark.x)
                low, high = self._py(tops[place]), self._py(tops[place] + mark.y)
                tops[place] += mark.y
                yield MarkPlace(
                    index, mark, self._px(mark.x), (low + high) / 2, half, (low - high) / 2
                )

    def mark_places(self) -> Iterator[MarkPlace]:
        for index, line in enumerate(self._chart.lines):
            if not line.is_ideal:
                yield from (
                    MarkPlace(index, mark, self._px(mark.x, index), self._py(mark.y))
                    for mark in line.marks
                )

    def _legend(self) -> Iterator[str]:
        for key, line in self.key_places():
            x, y, colour = key.x, key.y, _class(line.colour)
            faint = "" if line.marks else ' opacity="0.35"'
            yield f'<g class="key" data-key="{key.line}"{faint}>'
            if line.is_ideal:
                yield (
                    f'<line class="line s{colour} ideal" x1="{x - 8}" '
                    f'x2="{x + 8}" y1="{y}" y2="{y}"/>'
                )
            elif self._chart.is_stacked:
                yield f'<rect class="f{colour}" x="{x - 6}" y="{y - 6}" width="12" height="12"/>'
            else:
                kind = f'class="hollow s{colour}"' if line.is_published else f'class="f{colour}"'
                yield shape(_shape_of(line), x, y, kind)
            title = f"<title>{_text(line.label)}</title>"
            for words in self._legend_names[key.line]:
                yield f'<text x="{x + 14}" y="{y + 4}">{_text(words)}{title}</text>'
                y, title = y + _LINE_PX, ""
            yield "</g>"
            if line.slope is not None:
                yield (
                    f'<text class="muted" x="{x + 14}" y="{y + 4}">{_text(line.slope.words)}</text>'
                )

    def key_places(self) -> Iterator[tuple[KeyPlace, Line]]:
        y = float(_TOP - 12)
        for index, line in _legend_entries(self._chart):
            yield KeyPlace(index, self._right + 18, y + _KEY_PX), line
            y += self._key_px(index, line)

    def _key_px(self, index: int, line: Line) -> float:
        """Height of an entry of the legend."""
        more = len(self._legend_names[index]) - 1 + (line.slope is not None)
        return _KEY_PX + _LINE_PX * more

    def _legend_px(self) -> float:
        return sum(self._key_px(index, line) for index, line in _legend_entries(self._chart))


def _legend_entries(chart: ChartData) -> list[tuple[int, Line]]:
    """Every line once; ideal lines that are called the same share an entry."""
    entries, seen = [], set()
    for index, line in enumerate(chart.lines):
        if not (line.is_ideal and line.label in seen):
            entries.append((index, line))
        seen.add(line.label)
    return entries


def _legend_names(lines: Sequence[Line]) -> list[list[str]]:
    """The labels in lines; where one is too long, without the parts that all lines
    measured here have in common.
    """
    if all(len(line.label) <= _MOST_LETTERS for line in lines):
        return [[line.label] for line in lines]
    measured = [
        set(line.label.split(", ")) for line in lines if not (line.is_ideal or line.is_published)
    ]
    shared = set.intersection(*measured) if len(measured) > 1 else set()
    names = []
    for line in lines:
        own = [part for part in line.label.split(", ") if part not in shared]
        kept = line.label if line.is_ideal or line.is_published or not own else ", ".join(own)
        names.append(textwrap.wrap(kept, _MOST_LETTERS))
    return names


def _x_ticks(axis: Axis, marks: Sequence[ChartMark], *, is_stacked: bool) -> Ticks:
    if axis.categories:
        last = len(axis.categories) - 1
        return Ticks(-0.6, last + 0.6, False, tuple(float(i) for i in range(last + 1)))
    places = [mark.x for mark in marks]
    if len(set(places)) <= _MOST_OWN_TICKS:
        return Ticks.at(places, is_log=axis.is_log)
    return Ticks.log(places) if axis.is_log else Ticks.linear(places)


def _y_ticks(chart: ChartData, marks: Sequence[ChartMark], measured: Sequence[ChartMark]) -> Ticks:
    if chart.is_stacked:
        heights: dict[float, float] = {}
        for mark in marks:
            heights[mark.x] = heights.get(mark.x, 0.0) + mark.y
        return Ticks.linear(heights.values(), from_zero=True)
    values = [mark.y for mark in marks] + [
        end for mark in measured for end in (mark.low, mark.high)
    ]
    return Ticks.log(values) if chart.y.is_log else Ticks.linear(values, from_zero=True)


def _shape_of(line: Line) -> int:
    """Its own shape; the next ones where the colours begin anew."""
    return line.shape + max(0, line.colour) // COLOURS


def _class(colour: int) -> str:
    return "x" if colour < 0 else str(colour % COLOURS)


def _text(text: str) -> str:
    return escape("".join(c if c.isprintable() or c == THIN_SPACE else " " for c in text))
