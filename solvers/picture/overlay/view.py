"""What the marks over a picture are made from: some content, as a camera shows it, in some
letters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvers.picture.colours import Tokens
from solvers.picture.display import (
    Area,
    Box,
    TextSizes,
    TextStyle,
    Words,
    filled,
    hex_colour,
    text_style,
)
from solvers.picture.scene.activity import band_colours
from solvers.picture.scene.camera import Bounds, Camera
from solvers.picture.scene.close_arcs import Point
from solvers.picture.scene.content import Layer, PictureContent
from solvers.picture.scene.detail import Detail
from solvers.picture.scene.ramps import Ramp, ramp_colours
from solvers.system.array_types import Float64s

_MOST_CLEAR = 50
_CLEAR = 6.0


@dataclass(frozen=True, eq=False)
class OverlayView:
    """What the overlay of a picture is made from."""

    camera: Camera
    content: PictureContent
    tokens: Tokens
    sizes: TextSizes
    detail: Detail | None = None  # of a close view
    type_factor: float = 1.0  # enlarges ids and labels, see `enlarged`
    clear_area: Box | None = None  # the part over which no panel lies; None for all of it
    cards: tuple[Box, ...] = ()  # that lie over it, such as the legend

    @property
    def enlarged(self) -> OverlayView:
        """The view whose marks are to be painted larger by the type factor: discs, numbers
        and lines of a close one grow with its type.
        """
        factor, area = self.type_factor, self.clear_area
        if self.detail is None or factor == 1.0:
            return self
        if area is not None:
            area = Box(area.x0 / factor, area.y0 / factor, area.x1 / factor, area.y1 / factor)
        camera = self.camera.enlarged(factor)
        return replace(self, camera=camera, type_factor=1.0, clear_area=area)

    @property
    def area(self) -> Box:
        """The part of the view over which no panel lies."""
        return self.clear_area or Box(0.0, 0.0, self.camera.width, self.camera.height)

    @cached_property
    def clear(self) -> Bounds:
        """The part of the view over which nothing lies, less a margin for arrow heads."""
        inside = self.area.grown(-_CLEAR)
        return Bounds(inside.x0, inside.y0, inside.x1, inside.y1)

    def points_of(self, vertices: NDArray[np.integer] | int) -> Float64s:
        """(..., 2) points of vertices on the screen."""
        return self.camera.to_screen(self.content.scene.positions[vertices])

    def point_of(self, vertex: int) -> Point:
        return complex(*self.points_of(vertex).tolist())

    def crosses(self) -> list[list[float]]:
        """About where crosses on marked roads in view are; none where they are too many to be
        kept clear.
        """
        crossed = [one.ends for one in self.content.road_marks if one.sign is None]
        if not crossed or not self.content.has(Layer.ROADS):
            return []
        points = self.points_of(np.concatenate(crossed)).mean(axis=1)
        points = points[self.camera.sees(points, points, 0.0)]
        return points.tolist() if len(points) <= _MOST_CLEAR else []

    def shade(self, number: int) -> str:
        """The colour of visited vertices of one of the 256 shades."""
        return hex_colour(self._shades[number])

    @cached_property
    def _shades(self) -> Float64s:
        legend = self.content.legend
        colours = ramp_colours(Ramp.DISTANCES if legend is None else legend.ramp, self.tokens.dark)
        return colours if legend is None else band_colours(colours, legend)


@dataclass(frozen=True)
class LabelStyles:
    """Letters of the labels, scaled with the discs."""

    ids: TextStyle
    weights: TextStyle

    @classmethod
    def of(cls, radius: float) -> LabelStyles:
        points = min(11.5, max(8.5, 0.6 * radius))
        return cls(text_style(max(9.0, points), bold=True), text_style(points))

    @property
    def values(self) -> TextStyle:
        return self.ids


def height_of(sizes: TextSizes, style: TextStyle) -> float:
    """Height of a line."""
    return sum(sizes.heights(style))


def baseline(sizes: TextSizes, style: TextStyle, middle: float) -> float:
    """Where the baseline of a line lies whose middle is at some height."""
    above, below = sizes.heights(style)
    return middle + (above - below) / 2


def label(
    sizes: TextSizes,
    box: Box,
    text: str,
    colour: str,
    style: TextStyle,
    ground: str,
    opacity: float,
) -> tuple[Area, Words]:
    """Text centred in a box on a patch, which is cheaper than a halo."""
    at = box.middle
    words = Words(at.real, baseline(sizes, style, at.imag), text, colour, style, "middle")
    return filled(box, ground, opacity), words


def wrapped(sizes: TextSizes, text: str, width: float, style: TextStyle) -> list[str]:
    """``text`` in lines of at most ``width`` pixels; a longer word stands alone."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and sizes.width(longer, style) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
