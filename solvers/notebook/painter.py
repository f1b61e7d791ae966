"""Painter of display lists by Pillow, and pictures as PNG or SVG."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from functools import cache

from PIL import Image, ImageDraw, ImageFont

from solvers.picture.display import Area, Disc, Mark, Stroke
from solvers.system.files import RESOURCES

_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}
_MOST_BYTES = 400_000  # of a PNG in true colours; larger ones get a palette


@cache
def font(size: float) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(RESOURCES / "fonts" / "TautpathSans-Regular.ttf", size)


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
    """Draw marks over an image that has so many pixels to a logical pixel."""
    pen = ImageDraw.Draw(image)
    for mark in marks:
        _paint(pen, mark, ratio)


def _paint(pen: ImageDraw.ImageDraw, mark: Mark, ratio: float) -> None:
    if isinstance(mark, Stroke):
        points = [tuple(point) for point in (mark.outline * ratio).tolist()]
        pen.line(points, mark.colour, max(1, round(mark.width * ratio)), joint="curve")
    elif isinstance(mark, Area):
        pen.polygon([tuple(point) for point in (mark.points * ratio).tolist()], mark.fill)
    elif isinstance(mark, Disc):
        x, y, radius = (part * ratio for part in (*mark.middle, mark.radius))
        box = (x - radius, y - radius, x + radius, y + radius)
        pen.ellipse(box, mark.fill, mark.outline, max(1, round(mark.width * ratio)))
    else:
        pen.text(
            (mark.x * ratio, mark.y * ratio),
            mark.text,
            mark.colour,
            font(mark.size * ratio),
            _ANCHORS[mark.anchor],
            stroke_width=0 if mark.halo is None else round(2 * ratio),
            stroke_fill=mark.halo,
        )


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
