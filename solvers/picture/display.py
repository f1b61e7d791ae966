"""The display list of a picture: strokes, areas, discs and words in logical pixels. No Qt.

It says what a picture consists of besides its pixels, and is made without a window
(`solvers.picture.overlay`). Thin painters draw it: `gui.painting.display` by QPainter,
that of notebooks by Pillow, and marks write themselves as SVG.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from solvers.system.array_types import Float64s, UInt32s

DASHED, DOTTED = (4.0, 2.0), (1.0, 2.0)  # lengths of dashes and gaps, in widths of the line
HALO = 3.0  # width of the outline of words with a halo
STRUCK_AT = 0.3  # of the size of letters that are struck out, above the baseline
_ALONG = np.linspace(0.0, 1.0, 21)  # of a curve that is drawn by lines
_PIXELS_PER_POINT = 96 / 72
_SEAM = 0.5  # pixels


class TextStyle(NamedTuple):
    size: int  # in logical pixels, so that it does not depend on a screen's DPI
    weight: int = 400
    is_struck: bool = False


def text_style(points: float, *, bold: bool = False) -> TextStyle:
    return TextStyle(round(points * _PIXELS_PER_POINT), 700 if bold else 400)


class TextSizes(Protocol):
    """Sizes of words in the letters of a painter, in logical pixels."""

    @property
    def name(self) -> str:
        """Of the letters: what is placed by equal names has equal places."""

    def width(self, text: str, style: TextStyle) -> float: ...

    def heights(self, style: TextStyle) -> tuple[float, float]:
        """Of a line above its baseline, and below it."""


@dataclass(frozen=True)
class Box:
    """A rectangle; touching rectangles do not overlap."""

    x0: float
    y0: float
    x1: float
    y1: float

    @classmethod
    def around(cls, x: float, y: float, width: float, height: float) -> Box:
        return cls(x - width / 2, y - height / 2, x + width / 2, y + height / 2)

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def middle(self) -> complex:
        return complex((self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2)

    def overlaps(self, other: Box) -> bool:
        return (
            self.x0 < other.x1 and other.x0 < self.x1 and self.y0 < other.y1 and other.y0 < self.y1
        )

    def inside(self, area: Box) -> bool:
        """Whether all of it is in an area."""
        across = area.x0 <= self.x0 and self.x1 <= area.x1
        return across and area.y0 <= self.y0 and self.y1 <= area.y1

    def within(self, other: Box) -> Box:
        """The part that lies in another box, which it overlaps."""
        x0, y0 = max(self.x0, other.x0), max(self.y0, other.y0)
        return Box(x0, y0, min(self.x1, other.x1), min(self.y1, other.y1))

    def moved(self, dx: float, dy: float) -> Box:
        return Box(self.x0 + dx, self.y0 + dy, self.x1 + dx, self.y1 + dy)

    def grown(self, by: float, down: float | None = None) -> Box:
        """The box with so much more room on each side."""
        down = by if down is None else down
        return Box(self.x0 - by, self.y0 - down, self.x1 + by, self.y1 + down)

    def count(self, points: Float64s) -> int:
        """How many of (k, 2) points lie inside."""
        x, y = points.T
        inside = (x > self.x0) & (x < self.x1) & (y > self.y0) & (y < self.y1)
        return int(np.count_nonzero(inside))


@dataclass(frozen=True, eq=False)
class Stroke:
    """A line through points, (k, 2), which ends and begins again at NaN; or the quadratic
    curve from the first to the last of three.
    """

    points: Float64s
    colour: str
    width: float
    is_curve: bool = False
    dashes: Sequence[float] = ()  # lengths of dashes and gaps, in widths of the line
    opacity: float = 1.0
    dash_offset: float = 0.0  # what of the dashes lies before the first point, in pixels

    @property
    def lines(self) -> list[Float64s]:
        """Its parts, each (k, 2) points so dense that lines between them look like a curve."""
        if self.is_curve:
            return [curve_points(self.points[None], _ALONG)[0]]
        breaks = np.flatnonzero(np.isnan(self.points[:, 0]))
        parts = np.split(self.points, breaks)
        return [part for part in (parts[0], *(one[1:] for one in parts[1:])) if len(part)]

    @property
    def dashed_lines(self) -> list[Float64s]:
        """Its lines where dashes leave something of them."""
        if not self.dashes:
            return self.lines
        return [dash for line in self.lines for dash in self._dashes_of(line)]

    def _dashes_of(self, line: Float64s) -> list[Float64s]:
        along = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))))
        dash, gap = (length * self.width for length in self.dashes)
        begins = np.arange(-(self.dash_offset % (dash + gap)), along[-1], dash + gap)
        found = []
        for begin in begins.tolist():
            first, last = max(0.0, begin), min(float(along[-1]), begin + dash)
            if last > first:
                inside = along[(along > first) & (along < last)]
                at = np.concatenate(([first], inside, [last]))
                points = [np.interp(at, along, line[:, axis]) for axis in (0, 1)]
                found.append(np.stack(points, axis=1))
        return found

    def svg(self) -> str:
        looks = f'fill="none" stroke="{self.colour}" stroke-width="{self.width:g}"'
        looks += _opacity("stroke", self.opacity)
        if self.dashes:
            pattern = " ".join(f"{length * self.width:g}" for length in self.dashes)
            looks += f' stroke-dasharray="{pattern}" stroke-dashoffset="{self.dash_offset:.1f}"'
        looks += ' stroke-linejoin="round" stroke-linecap="round"'
        if self.is_curve:
            (x0, y0), (x1, y1), (x2, y2) = self.points.tolist()
            way = f"M{x0:.2f} {y0:.2f}Q{x1:.2f} {y1:.2f} {x2:.2f} {y2:.2f}"
        else:
            way = "".join("M" + _listed(line) for line in self.lines)
        return f'<path d="{way}" {looks}/>'


@dataclass(frozen=True, eq=False)
class Area:
    """A polygon through points, (k, 2)."""

    points: Float64s
    fill: str | None
    opacity: float = 1.0
    outline: str | None = None
    width: float = 1.0

    def svg(self) -> str:
        looks = _looks(self.fill, self.outline, self.width, self.opacity)
        return f'<polygon points="{_listed(self.points)}" {looks}/>'


@dataclass(frozen=True)
class Disc:
    """A filled or outlined circle."""

    middle: Sequence[float]
    radius: float
    fill: str | None
    outline: str | None
    width: float = 1.4
    opacity: float = 1.0

    def svg(self) -> str:
        looks = _looks(self.fill, self.outline, self.width, self.opacity)
        x, y = self.middle
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{self.radius:.1f}" {looks}/>'


@dataclass(frozen=True, eq=False)
class Spots:
    """Discs of one size around points, (k, 2)."""

    points: Float64s
    radius: float
    colour: str

    def svg(self) -> str:
        way = "".join(f"M{x:.1f} {y:.1f}h.01" for x, y in self.points.tolist())
        return (
            f'<path d="{way}" stroke="{self.colour}" stroke-width="{2 * self.radius:g}" '
            'stroke-linecap="round"/>'
        )


@dataclass(frozen=True)
class Plate:
    """A rectangle with round corners."""

    box: Box
    fill: str | None
    outline: str
    radius: float
    width: float = 1.0
    opacity: float = 1.0

    def svg(self) -> str:
        looks = _looks(self.fill, self.outline, self.width, self.opacity, of_fill=True)
        box = self.box
        return (
            f'<rect x="{box.x0:.1f}" y="{box.y0:.1f}" width="{box.width:.1f}" '
            f'height="{box.height:.1f}" rx="{self.radius:g}" {looks}/>'
        )


@dataclass(frozen=True, eq=False)
class Gradient:
    """A rectangle in colours from left to right, which are near each other."""

    box: Box
    colours: Sequence[str]

    def parts(self) -> Iterator[Area]:
        """Rectangles of one colour each; one reaches a little beneath the next."""
        box, step = self.box, self.box.width / len(self.colours)
        for k, colour in enumerate(self.colours):
            right = min(box.x1, box.x0 + (k + 1) * step + _SEAM)
            yield filled(Box(box.x0 + k * step, box.y0, right, box.y1), colour)

    def svg(self) -> str:
        return "".join(part.svg() for part in self.parts())


@dataclass(frozen=True, eq=False)
class Pixels:
    """An image of premultiplied ARGB, (h, w), with its upper left corner at a point."""

    x: float
    y: float
    argb: UInt32s
    ratio: float  # of its pixels to logical ones

    def svg(self) -> str:
        from solvers.picture.images import image_of, png_of  # imported here: Pillow is slow

        image = image_of(self.argb)
        size = f'width="{image.width / self.ratio:g}" height="{image.height / self.ratio:g}"'
        data = base64.b64encode(png_of(image)).decode()
        return f'<image x="{self.x:g}" y="{self.y:g}" {size} href="data:image/png;base64,{data}"/>'


@dataclass(frozen=True)
class Words:
    """One line of text; ``y`` is its baseline, or ``x`` of one that reads upwards."""

    x: float
    y: float
    text: str
    colour: str
    style: TextStyle
    anchor: str = "start"  # "start", "middle" or "end" of the text is at ``x``
    halo: str | None = None
    is_upward: bool = False

    def svg(self) -> str:
        halo = "" if self.halo is None else f' stroke="{self.halo}" stroke-width="{HALO:g}"'
        halo += ' stroke-linejoin="round" paint-order="stroke"' if halo else ""
        weight = "" if self.style.weight == 400 else f' font-weight="{self.style.weight}"'
        struck = ' text-decoration="line-through"' if self.style.is_struck else ""
        if self.is_upward:
            struck += f' transform="rotate(-90 {self.x:.1f} {self.y:.1f})"'
        return (
            f'<text x="{self.x:.1f}" y="{self.y:.1f}" fill="{self.colour}"{halo}{weight}{struck} '
            f'font-size="{self.style.size}" text-anchor="{self.anchor}">{escape(self.text)}</text>'
        )


@dataclass(frozen=True, eq=False)
class Symbol:
    """Shapes around a point, that of a name always the same: a painter may keep them."""

    x: float
    y: float
    name: str
    reach: Box  # around the point
    shapes: Sequence[Shape]

    def svg(self) -> str:
        inside = "".join(shape.svg() for shape in self.shapes)
        return f'<g transform="translate({self.x:.1f} {self.y:.1f})">{inside}</g>'


@dataclass(frozen=True, eq=False)
class Inset:
    """Marks in pixels from the upper left corner of a box, which cuts them."""

    box: Box
    marks: Sequence[Mark]

    def svg(self) -> str:
        box, inside = self.box, "".join(mark.svg() for mark in self.marks)
        name = f"cut-{box.width:.1f}-{box.height:.1f}"  # equal boxes cut alike
        cut = f'<rect width="{box.width:.1f}" height="{box.height:.1f}"/>'
        return (
            f'<g transform="translate({box.x0:.1f} {box.y0:.1f})">'
            f'<clipPath id="{name}">{cut}</clipPath><g clip-path="url(#{name})">{inside}</g></g>'
        )


Shape = Stroke | Area | Disc | Spots | Plate | Gradient
Mark = Shape | Words | Symbol | Inset | Pixels


def svg_of(marks: Iterable[Mark], width: float, height: float) -> str:
    """An SVG of that size."""
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="Tautpath Sans, sans-serif">',
            *(mark.svg() for mark in marks),
            "</svg>\n",
        )
    )


def filled(box: Box, fill: str, opacity: float = 1.0) -> Area:
    """A rectangle without an outline."""
    corners = [(box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1)]
    return Area(np.array(corners, np.float64), fill, opacity)


def cross(x: float, y: float, half: float) -> Float64s:
    """The two lines of a cross about a point, as of a stroke."""
    ends = ((-1, -1), (1, 1), (math.nan, math.nan), (-1, 1), (1, -1))
    return half * np.array(ends, np.float64) + np.array((x, y))


def curve_points(curves: Float64s, shares: Float64s) -> Float64s:
    """(k, s, 2) points of quadratic curves given by (k, 3, 2) start, control and end points."""
    t = shares[None, :, None]
    start, control, end = curves[:, None, 0], curves[:, None, 1], curves[:, None, 2]
    return start * (1 - t) ** 2 + control * (2 * t * (1 - t)) + end * t**2


def part_of_line(line: Float64s, share: float) -> Float64s:
    """The part of a polyline, (k, 2), from its start to a share of its length."""
    steps = [float(np.hypot(*(b - a))) for a, b in pairwise(line)]
    left = share * sum(steps)
    for i, step in enumerate(steps):
        if left <= step:
            last = line[i] + (line[i + 1] - line[i]) * (left / step if step > 0 else 0.0)
            return np.concatenate((line[: i + 1], last[None]))
        left -= step
    return line


def hex_colour(channels: Float64s) -> str:
    """Red, green and blue in 0..255 as a colour of a mark."""
    return "#{:02X}{:02X}{:02X}".format(*(int(channel) for channel in channels))


def text_colour_on(background: str) -> str:
    """Black or white, whichever contrasts with ``background``."""
    red, green, blue = (int(background[i : i + 2], 16) for i in (1, 3, 5))
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 127.5 else "#FFFFFF"


def _looks(
    fill: str | None,
    outline: str | None,
    width: float,
    opacity: float,
    *,
    of_fill: bool = False,
) -> str:
    looks = f'fill="{fill or "none"}"'
    looks += _opacity("fill", opacity if fill is not None else 1.0)
    if outline is not None:
        looks += f' stroke="{outline}" stroke-width="{width:g}" stroke-linejoin="round"'
        looks += "" if of_fill else _opacity("stroke", opacity)
    return looks


def _opacity(part: str, opacity: float) -> str:
    return f' {part}-opacity="{opacity:g}"' if opacity < 1.0 else ""


def _listed(points: Float64s) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in points.tolist())
