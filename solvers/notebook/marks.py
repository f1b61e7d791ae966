"""Lines, discs, boxes and words over a picture: drawn by Pillow, or written as SVG."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from solvers.system.array_types import Float64s
from solvers.system.files import RESOURCES

Pen = ImageDraw.ImageDraw

_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}
_MOST_BYTES = 400_000  # of a PNG in true colours; larger ones get a palette


@dataclass(frozen=True, eq=False)
class Stroke:
    """Points, (k, 2), in logical pixels."""

    points: Float64s
    colour: str
    width: float

    def paint(self, pen: Pen, ratio: float) -> None:
        points = [tuple(point) for point in (self.points * ratio).tolist()]
        pen.line(points, self.colour, max(1, round(self.width * ratio)), joint="curve")

    def svg(self) -> str:
        return (
            f'<polyline points="{_listed(self.points)}" fill="none" stroke="{self.colour}" '
            f'stroke-width="{self.width:g}" stroke-linejoin="round" stroke-linecap="round"/>'
        )


@dataclass(frozen=True, eq=False)
class Area:
    """A filled polygon through points, (k, 2)."""

    points: Float64s
    fill: str

    def paint(self, pen: Pen, ratio: float) -> None:
        pen.polygon([tuple(point) for point in (self.points * ratio).tolist()], self.fill)

    def svg(self) -> str:
        return f'<polygon points="{_listed(self.points)}" fill="{self.fill}"/>'


@dataclass(frozen=True)
class Disc:
    middle: Sequence[float]
    radius: float
    fill: str | None
    outline: str
    width: float = 1.4

    def paint(self, pen: Pen, ratio: float) -> None:
        x, y, radius = (part * ratio for part in (*self.middle, self.radius))
        box = (x - radius, y - radius, x + radius, y + radius)
        pen.ellipse(box, self.fill, self.outline, max(1, round(self.width * ratio)))

    def svg(self) -> str:
        return (
            f'<circle cx="{self.middle[0]:.1f}" cy="{self.middle[1]:.1f}" r="{self.radius:.1f}" '
            f'fill="{self.fill or "none"}" stroke="{self.outline}" stroke-width="{self.width:g}"/>'
        )


@dataclass(frozen=True)
class Words:
    """One line of text; ``y`` is its baseline."""

    x: float
    y: float
    text: str
    colour: str
    size: float = 13.0
    anchor: str = "start"  # "start", "middle" or "end" of the text is at ``x``
    halo: str | None = None

    def paint(self, pen: Pen, ratio: float) -> None:
        pen.text(
            (self.x * ratio, self.y * ratio),
            self.text,
            self.colour,
            font(self.size * ratio),
            _ANCHORS[self.anchor],
            stroke_width=0 if self.halo is None else round(2 * ratio),
            stroke_fill=self.halo,
        )

    def svg(self) -> str:
        halo = "" if self.halo is None else f' stroke="{self.halo}" stroke-width="4"'
        return (
            f'<text x="{self.x:.1f}" y="{self.y:.1f}" fill="{self.colour}"{halo} '
            f'paint-order="stroke" font-size="{self.size:g}" text-anchor="{self.anchor}">'
            f"{escape(self.text)}</text>"
        )


Mark = Stroke | Area | Disc | Words


@cache
def font(size: float) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(RESOURCES / "fonts" / "TautpathSans-Regular.ttf", size)


def box(x: float, y: float, width: float, height: float, fill: str) -> Area:
    return Area(
        np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], np.float64),
        fill,
    )


def wrapped(text: str, width: float, size: float) -> list[str]:
    """``text`` in lines of at most ``width`` pixels; a longer word stands alone."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and font(size).getlength(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def paint(image: Image.Image, marks: Iterable[Mark], ratio: float) -> None:
    pen = ImageDraw.Draw(image)
    for mark in marks:
        mark.paint(pen, ratio)


def png_of(image: Image.Image) -> bytes:
    """The image as PNG; a large one with 256 colours."""
    data = _encoded(image)
    if len(data) <= _MOST_BYTES:
        return data
    return _encoded(image.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE))


def svg_of(image: Image.Image, marks: Sequence[Mark], width: int, height: int) -> str:
    """An SVG of that size with an image below and the marks above."""
    data = base64.b64encode(png_of(image)).decode()
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="Tautpath Sans, sans-serif">',
            f'<image width="{width}" height="{height}" href="data:image/png;base64,{data}"/>',
            *(mark.svg() for mark in marks),
            "</svg>\n",
        )
    )


def _encoded(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _listed(points: Float64s) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points.tolist())
