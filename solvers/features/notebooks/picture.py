"""A graph's picture with legend, histogram and caption, as PNG or SVG; no Qt.

Roads are the pixels of `solvers.picture`; over them are the marks of the window's
pictures.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from PIL import Image

from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.display import (
    Box,
    Disc,
    Inset,
    Mark,
    Pixels,
    Stroke,
    TextStyle,
    Words,
    filled,
    hex_colour,
    svg_of,
)
from solvers.picture.images import png_of
from solvers.picture.letters import PillowTextSizes
from solvers.picture.matrix import MatrixContent
from solvers.picture.matrix_pixels import MatrixFrame, MatrixFramePainter, MatrixRequest
from solvers.picture.overlay.annotations import legends_of
from solvers.picture.overlay.matrix import MatrixLayout, MatrixOverlay
from solvers.picture.overlay.picture import overlay_marks
from solvers.picture.overlay.vectors import VECTOR_EDGES, raster_strokes
from solvers.picture.overlay.view import OverlayView, wrapped
from solvers.picture.pillow_painter import paint
from solvers.picture.raster.frames import Frame, FramePainter, Request
from solvers.picture.raster.pixel_colours import argb
from solvers.picture.scene.camera import Bounds, Camera
from solvers.picture.scene.close_arcs import disc_radius
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.figure import MARKER_RADIUS
from solvers.picture.scene.ramps import ramp_colours
from solvers.picture.scene.scene import visible_edges
from solvers.picture.scene.values import ValueMap
from solvers.system.array_types import Int64s
from solvers.system.threads import thread_team

RATIO = 2  # device pixels per logical pixel
WIDTH, HEIGHTS = 760, (240, 520)  # of the map: its height by the shape of the graph
_MARGIN, _LINE, _GAP = 14.0, 19.0, 6.0
_LETTERS, _SMALL = TextStyle(13), TextStyle(12)
_HISTOGRAM, _MATRIX = 120.0, 520
_AROUND = 36.0  # pixels above and below the graph
_LARGEST_SCALE = 130.0  # pixels of a mean edge: a few close vertices stay a small picture
_SIZES = PillowTextSizes()


@dataclass(frozen=True, eq=False)
class Picture:
    """What is drawn, and what is written below it."""

    content: PictureContent
    caption: Sequence[str]  # sentences, each on lines of its own
    histogram: ValueMap | None = None
    wrong: Int64s = field(default_factory=lambda: np.empty(0, np.int64))  # vertices to mark
    dark: bool = False
    matrix: MatrixContent | None = None  # of all pairs, below the graph

    def png(self) -> bytes:
        return png_of(self.image)

    def svg(self) -> str:
        width, height = self.size
        ground = filled(Box(0.0, 0.0, width, height), self._tokens.panel)
        return svg_of((ground, self._map(), *self._marks()), width, height)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in logical pixels."""
        lower = _MATRIX if self.matrix else 0.0
        return WIDTH, round(self._matrix_top + lower + _LINE * len(self._lines) + _MARGIN)

    @property
    def _matrix_top(self) -> int:
        """Where what is below the graph, its legend and histogram begins."""
        above = self._camera.height + self._legend_height
        return math.ceil(above + (_HISTOGRAM if self.histogram else 0.0))

    @cached_property
    def _legend_height(self) -> float:
        found = legends_of(self._view, self._frame, 0.0, outside=True)
        return _GAP - found.top if found.marks else 0.0

    @cached_property
    def image(self) -> Image.Image:
        width, height = self.size
        image = Image.new("RGB", (width * RATIO, height * RATIO), self._tokens.panel)
        paint(image, (Pixels(0.0, 0.0, self._frame.pixels, RATIO), *self._marks()), RATIO)
        return image

    @cached_property
    def _camera(self) -> Camera:
        """Shows the whole graph, no higher than it needs."""
        scene = self.content.scene
        limit = _LARGEST_SCALE / scene.mean_length if scene.mean_length else math.inf
        widest = Camera.fitting(scene.bounds, WIDTH, HEIGHTS[1], limit=limit)
        needed = (scene.bounds.y1 - scene.bounds.y0) * widest.scale + 2 * _AROUND
        return widest.resized(WIDTH, min(max(needed, HEIGHTS[0]), HEIGHTS[1]))

    @property
    def _tokens(self) -> Tokens:
        return DARK if self.dark else LIGHT

    @cached_property
    def _lines(self) -> list[str]:
        room = WIDTH - 2 * _MARGIN
        return [line for text in self.caption for line in wrapped(_SIZES, text, room, _LETTERS)]

    @cached_property
    def _frame(self) -> Frame:
        request = Request(self.content, self._camera, RATIO, self._tokens)
        with thread_team() as team:
            return FramePainter(team).last_frame(request)

    @property
    def _layout(self) -> MatrixLayout:
        return MatrixLayout(WIDTH, _MATRIX)

    @cached_property
    def _matrix_frame(self) -> MatrixFrame:
        assert self.matrix is not None
        n, plot = self.matrix.graph.n, self._layout.plot
        camera = Camera.fitting(Bounds(0.0, 0.0, n, n), plot.width, plot.height, margin=0.0)
        tokens = self._tokens
        request = MatrixRequest(self.matrix, camera, RATIO, tokens, argb(tokens.panel))
        return MatrixFramePainter().frame(request)

    @cached_property
    def _view(self) -> OverlayView:
        return OverlayView(self._camera, self.content, self._tokens, _SIZES, self._frame.detail)

    def _map(self) -> Mark:
        """What lies below the marks: strokes, or pixels where these are smaller."""
        frame, camera = self._frame, self._camera
        edges = visible_edges(self.content.scene, camera.bounds)
        if len(edges) >= VECTOR_EDGES:
            return Pixels(0.0, 0.0, frame.pixels, RATIO)
        box = Box(0.0, 0.0, camera.width, camera.height)
        strokes = raster_strokes(camera, self.content, self._tokens, edges, frame)
        return Inset(box, [filled(box, self._tokens.canvas), *strokes])

    def _marks(self) -> Iterator[Mark]:
        """What the window draws over the pixels, vertices to mark, and what is below them."""
        frame, view, radius = self._frame, self._view, MARKER_RADIUS
        yield from overlay_marks(view, frame)
        if frame.detail is not None:
            radius = disc_radius(self.content.scene, self._camera)
        places = view.points_of(self.wrong)
        for place in places[np.isfinite(places).all(axis=1)].tolist():
            yield Disc(place, radius + 5, None, self._tokens.bad, 3.0)
        yield from self._below()

    def _below(self) -> Iterator[Mark]:
        """Legends, histogram and caption."""
        y, tokens, top = self._camera.height + self._legend_height, self._tokens, self._matrix_top
        if self._legend_height:
            yield from legends_of(self._view, self._frame, y, outside=True).marks
        if self.histogram is not None:
            yield from _bins(self.histogram, tokens, y)
        if self.matrix is not None:
            frame, plot = self._matrix_frame, self._layout.plot
            cells = Pixels(plot.x0, plot.y0, frame.pixels, RATIO)
            shown = self._layout, frame, frame.camera, self.matrix, tokens, _SIZES, RATIO
            marks = cells, *MatrixOverlay(*shown).marks()
            yield Inset(Box(0.0, top, WIDTH, top + _MATRIX), marks)
            top += _MATRIX
        for i, line in enumerate(self._lines):
            colour = tokens.text if i == 0 else tokens.muted
            yield Words(_MARGIN, top + _LINE * (i + 1) - 2, line, colour, _LETTERS)


def _bins(found: ValueMap, tokens: Tokens, y: float) -> Iterator[Mark]:
    """The histogram: how many vertices or roads have which value."""
    low, most = y + _HISTOGRAM - 20, max(1, int(found.counts.max(initial=0)))
    across = (WIDTH - 2 * _MARGIN) / len(found.counts)
    colours = ramp_colours(found.ramp, tokens.dark)
    heights = (_HISTOGRAM - 44) * found.counts / most
    for i, (height, shade) in enumerate(zip(heights.tolist(), found.bin_shades, strict=True)):
        yield filled(
            Box(_MARGIN + i * across, low - height, _MARGIN + (i + 1) * across, low),
            hex_colour(colours[shade]),
        )
    yield Stroke(np.array([(_MARGIN, low), (WIDTH - _MARGIN, low)]), tokens.grid, 1)
    yield Words(_MARGIN, y + 14, f"{found.title}: {found.things[1]}", tokens.text, _SMALL)
    yield Words(_MARGIN, low + 15, found.write(float(found.edges[0])), tokens.muted, _SMALL)
    last = found.write(float(found.edges[-1]))
    yield Words(WIDTH - _MARGIN, low + 15, last, tokens.muted, _SMALL, "end")
