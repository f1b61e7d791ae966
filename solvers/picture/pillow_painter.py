"""Painter of display lists by Pillow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from PIL import Image, ImageDraw

from solvers.picture.display import (
    HALO,
    STRUCK_AT,
    Area,
    Disc,
    Gradient,
    Inset,
    Mark,
    Pixels,
    Plate,
    Spots,
    Stroke,
    Symbol,
    Words,
)
from solvers.picture.images import image_of
from solvers.picture.letters import letters
from solvers.system.array_types import Float64s

_SMOOTH = 4  # pixels of a mask to a pixel of the image, along each side
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}
_AFTER = {"start": 1.0, "middle": 0.5, "end": 0.0}  # share of words after their point

_Placed = Callable[[Float64s], list[tuple[float, ...]]]  # points of the picture on a mask
_Draw = Callable[[ImageDraw.ImageDraw, _Placed, float], None]  # in white, at a scale


def paint(
    image: Image.Image,
    marks: Iterable[Mark],
    ratio: float,
    origin: tuple[float, float] = (0, 0),
) -> None:
    """Draw marks over an image that has so many pixels to a logical pixel."""
    canvas = _Canvas(image, ratio, np.array(origin, np.float64))
    for mark in marks:
        if isinstance(mark, Symbol):
            paint(image, mark.shapes, ratio, (mark.x, mark.y))
        elif isinstance(mark, Words):
            canvas.words(mark)
        elif isinstance(mark, Stroke):
            canvas.stroke(mark)
        elif isinstance(mark, Spots):
            canvas.dots(mark)
        elif isinstance(mark, Gradient):
            paint(image, mark.parts(), ratio, origin)
        elif isinstance(mark, Inset):
            canvas.inset(mark)
        elif isinstance(mark, Pixels):
            canvas.pixels(mark)
        else:
            canvas.shape(mark)


class _Canvas:
    """Draws marks with smooth edges: each on a mask of more pixels."""

    def __init__(self, image: Image.Image, ratio: float, origin: Float64s):
        self._image, self._ratio, self._origin = image, ratio, origin

    def words(self, words: Words) -> None:
        style, pen = words.style, ImageDraw.Draw(self._image)
        x, y = ((np.array((words.x, words.y)) + self._origin) * self._ratio).tolist()
        font, anchor = letters(style, self._ratio), _ANCHORS[words.anchor]
        around = 0 if words.halo is None else round(HALO / 2 * self._ratio)
        halo = words.halo
        if words.is_upward:
            self._upward(words, x, y)
            return
        pen.text(
            (x, y), words.text, words.colour, font, anchor, stroke_width=around, stroke_fill=halo
        )
        if style.is_struck:
            at, length = y - STRUCK_AT * style.size * self._ratio, font.getlength(words.text)
            end = x + _AFTER[words.anchor] * length
            pen.line((end - length, at, end, at), words.colour, round(self._ratio))

    def _upward(self, words: Words, x: float, y: float) -> None:
        font = letters(words.style, self._ratio)
        (above, below), length = font.getmetrics(), math.ceil(font.getlength(words.text))
        mask = Image.new("L", (length, above + below))
        ImageDraw.Draw(mask).text((0, above), words.text, 255, font, "ls")
        mask = mask.transpose(Image.Transpose.ROTATE_90)
        share = _AFTER[words.anchor]
        self._image.paste(words.colour, (round(x) - above, round(y - share * length)), mask)

    def inset(self, inset: Inset) -> None:
        """Draw marks on a copy of a part of the image, of whole pixels."""
        place = inset.box.moved(*self._origin.tolist())
        corner = np.array((place.x0, place.y0)) * self._ratio
        left, top = np.floor(corner).astype(int).tolist()
        box = left, top, math.ceil(place.x1 * self._ratio), math.ceil(place.y1 * self._ratio)
        part, (dx, dy) = self._image.crop(box), (corner - (left, top)) / self._ratio
        paint(part, inset.marks, self._ratio, (float(dx), float(dy)))
        self._image.paste(part, (left, top))

    def pixels(self, pixels: Pixels) -> None:
        image, larger = image_of(pixels.argb), self._ratio / pixels.ratio
        if larger != 1.0:
            image = image.resize((round(image.width * larger), round(image.height * larger)))
        x, y = (np.array((pixels.x, pixels.y)) + self._origin) * self._ratio
        self._image.paste(image, (round(x), round(y)), image)

    def stroke(self, stroke: Stroke) -> None:
        lines = stroke.dashed_lines

        def draw(pen: ImageDraw.ImageDraw, placed: _Placed, scale: float) -> None:
            width = stroke.width * scale
            for line in lines:
                points = placed(line)
                pen.line(points, 255, max(1, round(width)), joint="curve")
                for x, y in (points[0], points[-1]):
                    pen.ellipse(_square(x, y, width / 2), 255)

        if lines:
            self._stamp(np.concatenate(lines), stroke.width, stroke.colour, stroke.opacity, draw)

    def dots(self, dots: Spots) -> None:
        def draw(pen: ImageDraw.ImageDraw, placed: _Placed, scale: float) -> None:
            for x, y in placed(dots.points):
                pen.ellipse(_square(x, y, dots.radius * scale), 255)

        if len(dots.points):
            self._stamp(dots.points, dots.radius, dots.colour, 1.0, draw)

    def shape(self, shape: Area | Disc | Plate) -> None:
        """Fill and outline a shape."""
        points = _corners(shape)
        edge = shape.width / 2

        def draw(pen: ImageDraw.ImageDraw, placed: _Placed, scale: float) -> None:
            corners = placed(points)
            if isinstance(shape, Disc):
                pen.ellipse([*corners[0], *corners[1]], 255)
            elif isinstance(shape, Plate):
                pen.rounded_rectangle([*corners[0], *corners[1]], shape.radius * scale, 255)
            else:
                pen.polygon(corners, 255)

        def outline(pen: ImageDraw.ImageDraw, placed: _Placed, scale: float) -> None:
            width = max(1, round(shape.width * scale))
            if isinstance(shape, Area):
                corners = placed(np.concatenate((points, points[:2])))
                pen.line(corners, 255, width, joint="curve")
                return
            low, high = placed(points + np.array([[-edge], [edge]]))
            if isinstance(shape, Disc):
                pen.ellipse([*low, *high], None, 255, width)
            else:
                pen.rounded_rectangle([*low, *high], shape.radius * scale, None, 255, width)

        if shape.fill is not None:
            self._stamp(points, 1.0, shape.fill, shape.opacity, draw)
        if shape.outline is not None:
            opacity = 1.0 if isinstance(shape, Plate) else shape.opacity
            self._stamp(points, edge + 1.0, shape.outline, opacity, outline)

    def _stamp(
        self, points: Float64s, reach: float, colour: str, opacity: float, draw: _Draw
    ) -> None:
        """Draw what lies within ``reach`` around points in one colour."""
        ratio, origin = self._ratio, self._origin
        low = np.floor((points.min(axis=0) + origin - reach) * ratio - 1)
        high = np.ceil((points.max(axis=0) + origin + reach) * ratio + 1)
        left, top = (int(side) for side in np.maximum(low, 0))
        right, bottom = (int(side) for side in np.minimum(high, self._image.size))
        if left >= right or top >= bottom:
            return
        mask = Image.new("L", ((right - left) * _SMOOTH, (bottom - top) * _SMOOTH))

        def placed(these: Float64s) -> list[tuple[float, ...]]:
            at = ((these + origin) * ratio - (left, top)) * _SMOOTH
            return [tuple(point) for point in at.tolist()]

        draw(ImageDraw.Draw(mask), placed, ratio * _SMOOTH)
        mask = mask.reduce(_SMOOTH)
        if opacity < 1.0:
            mask = mask.point([round(level * opacity) for level in range(256)])
        if self._image.mode == "RGB":
            self._image.paste(colour, (left, top), mask)
        else:  # where pasting would mix the colour with that of what is clear
            layer = Image.new("RGBA", mask.size, colour)
            layer.putalpha(mask)
            self._image.alpha_composite(layer, (left, top))


def _corners(shape: Area | Disc | Plate) -> Float64s:
    """Corners of an area; of the rectangle around another shape, two of them."""
    if isinstance(shape, Area):
        return shape.points
    if isinstance(shape, Plate):
        box = shape.box
        return np.array([(box.x0, box.y0), (box.x1, box.y1)])
    return np.array(shape.middle) + np.array([[-shape.radius], [shape.radius]])


def _square(x: float, y: float, half: float) -> tuple[float, float, float, float]:
    return x - half, y - half, x + half, y + half
