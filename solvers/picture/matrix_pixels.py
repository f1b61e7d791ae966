"""Pixels of the matrix picture: shades by distance, unreachable cells in their own
colour, marks on top. No Qt.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from solvers.picture.colours import Tokens
from solvers.picture.matrix import (
    Mark,
    MatrixContent,
    Role,
    Shrunk,
    finite_extremes,
    sample_of,
    shrink,
)
from solvers.picture.raster.pixel_colours import argb, blend, packed
from solvers.picture.scene.activity import Legend
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.colour_scale import ColourScale
from solvers.picture.scene.ramps import Ramp, ramp_colours
from solvers.picture.scene.values import rounded, short_distance
from solvers.system.array_types import Bools, Float32s, Int64s, UInt32s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.kept import KeptValue

_AROUND = 0.25  # share of the view downsampled around it, so that small pans need no new work
EARLIER = 0.45  # opacity of the marks of earlier phases of the step


class Pattern(IntEnum):
    """Fill patterns of marked cells, distinguishable without colours."""

    SOLID = 0
    HATCHED = 1
    DOTTED = 2
    VEILED = 3


@dataclass(frozen=True)
class MarkStyle:
    """Appearance of a role: pattern, name of its colour token, opacity, least extent in
    logical pixels.
    """

    pattern: Pattern
    token: str
    opacity: float
    least: float


MARK_STYLES = {
    Role.PIVOT: MarkStyle(Pattern.SOLID, "path", 0.95, 5.0),
    Role.CROSS: MarkStyle(Pattern.HATCHED, "frontier", 0.95, 3.0),
    Role.REST: MarkStyle(Pattern.DOTTED, "frontier", 0.85, 1.0),
    Role.THROUGH: MarkStyle(Pattern.SOLID, "path", 0.65, 2.0),
    Role.FINISHED: MarkStyle(Pattern.HATCHED, "path", 0.95, 3.0),
    Role.PENDING: MarkStyle(Pattern.VEILED, "muted", 0.7, 0.0),
}


@dataclass(frozen=True, eq=False)
class MatrixRequest:
    """A picture of a matrix that is to be drawn."""

    content: MatrixContent
    camera: Camera  # a world unit is a cell: x counts columns, y rows
    ratio: float  # device pixels per logical pixel
    tokens: Tokens
    canvas: np.uint32  # premultiplied ARGB outside the matrix
    # first and last + 1 row of device pixels to draw; None for all
    rows: tuple[int, int] | None = None
    id: int = 0  # as in `frames.Request`

    @property
    def size(self) -> tuple[int, int]:
        """Size of the whole view in device pixels."""
        return max(1, round(self.camera.width * self.ratio)), max(
            1, round(self.camera.height * self.ratio)
        )


@dataclass(frozen=True, eq=False)
class MatrixFrame:
    """A drawn picture of a matrix."""

    pixels: UInt32s  # (h, w): premultiplied ARGB; device pixels
    camera: Camera
    ratio: float
    legend: Legend
    group: int  # side length in cells of the group that each pixel stands for
    unreachable: bool  # whether any pixel in or near the view is unreachable
    request_id: int  # `MatrixRequest.id` of the request that it answers


class MatrixFramePainter:
    """Draws matrix frames; caches the downsampled matrix, so that a play-back step only
    colours. Not thread-safe.
    """

    def __init__(self) -> None:
        self._shrunk: tuple[object, Shrunk] | None = None
        self._range = KeptValue[ColourScale]()

    def frames(self, request: MatrixRequest, *, newer: Callable[[], bool]) -> Iterator[MatrixFrame]:
        """Yield the frame of ``request``; there is no refinement."""
        yield self.frame(request)

    def settle(self, request: MatrixRequest) -> None:
        """Do nothing: no preparation is needed."""

    def frame(self, request: MatrixRequest, progress: Progress = SILENT) -> MatrixFrame:
        """The picture of ``request``; raises Cancelled."""
        content, tokens, ratio = request.content, request.tokens, request.ratio
        width, height = request.size
        top, bottom = request.rows or (0, height)
        scale = request.camera.scale * ratio
        dx, dy = (offset * ratio for offset in request.camera.offset)
        part = content.snapshot or self._part(request, progress)
        colours = self._scale(content, progress)
        low, high = colours.low, colours.high
        image = np.empty((bottom - top, width), np.uint32)
        table, unreachable = _colours(tokens)
        per_unit = 255.0 / (high - low) if high > low else 0.0
        _paint_cells(
            image,
            part.least,
            part.group,
            part.row,
            part.column,
            content.graph.n,
            scale,
            dx,
            dy,
            top,
            low,
            per_unit,
            table,
            unreachable,
            request.canvas,
        )
        for mark in [] if content.explanation is not None else content.marks():  # it has outlines
            progress.checkpoint()
            _paint_mark(image, mark, scale, dx, dy, top, ratio, tokens)
        unit = content.graph.weight_unit
        ends = colours.ends(*(short_distance(rounded(value), unit) for value in (low, high)))
        legend = Legend("distance", low, high, unit, ends=ends)
        missing = not np.isfinite(part.least).all()
        return MatrixFrame(image, request.camera, ratio, legend, part.group, missing, request.id)

    def _part(self, request: MatrixRequest, progress: Progress) -> Shrunk:
        """The visible part of the result, downsampled to at most one group of cells per pixel."""
        matrix = request.content.matrix
        assert matrix is not None
        group, rows, columns = _groups_in_view(request.camera, request.ratio, len(matrix), 0.0)
        if (
            self._shrunk is None
            or self._shrunk[0] is not matrix
            or not self._shrunk[1].covers(group, rows, columns)
        ):
            group, rows, columns = _groups_in_view(
                request.camera, request.ratio, len(matrix), _AROUND
            )
            self._shrunk = (matrix, shrink(matrix, group, rows, columns, progress))
        return self._shrunk[1]

    def _scale(self, content: MatrixContent, progress: Progress) -> ColourScale:
        """Scale of the result's distances or of those of the last snapshot, so that
        colours keep their meaning during a run.
        """

        def scale() -> ColourScale:
            matrix = _last_snapshot(content) if content.matrix is None else content.matrix
            return ColourScale.of(*finite_extremes(matrix, progress), sample_of(matrix))

        return self._range.of((content.matrix, content.trace), scale)


def mark_swatch(role: Role, side: int, ratio: float, tokens: Tokens) -> UInt32s:
    """(side, side) pixels with a role's style on its usual background, for the legend."""
    table, unreachable = _colours(tokens)
    image = np.full((side, side), unreachable if role is Role.PENDING else table[110], np.uint32)
    _paint_mark(image, Mark(role, np.array([[0, side, 0, side]])), 1.0, 0.0, 0.0, 0, ratio, tokens)
    return image


def unreachable_colour(tokens: Tokens) -> str:
    """Colour of cells without a path."""
    return tokens.grid


def _last_snapshot(content: MatrixContent) -> Float32s:
    """The newest one with a distance; else a cell that is unreachable."""
    assert content.trace is not None
    snapshots = (step.snapshot for step in reversed(content.trace.steps))
    found = (one for one in snapshots if one is not None and np.isfinite(one).any())
    return next(found, np.full((1, 1), np.inf, np.float32))


def _groups_in_view(
    camera: Camera, ratio: float, n: int, around: float
) -> tuple[int, tuple[int, int], tuple[int, int]]:
    """Group size and (first, last + 1) groups of rows and columns in view, plus a margin."""
    group = max(1, math.ceil(1.0 / (camera.scale * ratio) - 1e-9))
    seen, most = camera.bounds, -(-n // group)

    def span(low: float, high: float) -> tuple[int, int]:
        more = around * (high - low)
        first = min(most - 1, max(0, math.floor((low - more) / group)))
        return first, min(most, max(first + 1, math.ceil((high + more) / group)))

    return group, span(seen.y0, seen.y1), span(seen.x0, seen.x1)


def _colours(tokens: Tokens) -> tuple[UInt32s, np.uint32]:
    return packed(ramp_colours(Ramp.DISTANCES, tokens.dark), np.full(256, 255.0)), argb(
        unreachable_colour(tokens)
    )


def _paint_mark(
    image: UInt32s,
    mark: Mark,
    scale: float,
    dx: float,
    dy: float,
    top: int,
    ratio: float,
    tokens: Tokens,
) -> None:
    style = MARK_STYLES[mark.role]
    mask = np.zeros(image.shape, np.bool_)
    _fill_tiles(mask, mark.tiles, scale, dx, dy, top, style.least * ratio)
    alpha = np.uint32(256 * style.opacity * (1.0 if mark.now else EARLIER))
    unit = max(1, round(ratio))
    _fill_pattern(
        image, mask, top, int(style.pattern), unit, argb(getattr(tokens, style.token)), alpha
    )


@njit
def _paint_cells(
    image: UInt32s,
    least: Float32s,
    group: int,
    row0: int,
    column0: int,
    n: int,
    scale: float,
    dx: float,
    dy: float,
    top: int,
    low: float,
    per_unit: float,
    table: UInt32s,
    unreachable: np.uint32,
    canvas: np.uint32,
) -> None:
    """Colour every pixel by the cell that contains its centre."""
    rows, columns = image.shape
    across = np.empty(columns, np.int64)
    for x in range(columns):
        cell = math.floor((x + 0.5 - dx) / scale)
        across[x] = cell // group - column0 if 0 <= cell < n else -1
    for y in range(rows):
        cell = math.floor((y + top + 0.5 - dy) / scale)
        inside = 0 <= cell < n
        i = cell // group - row0 if inside else 0
        for x in range(columns):
            j = across[x]
            if not inside or j < 0:
                image[y, x] = canvas
                continue
            value = least[i, j]
            if np.isfinite(value):
                image[y, x] = table[min(255, max(0, int((value - low) * per_unit)))]
            else:
                image[y, x] = unreachable


@njit
def _fill_tiles(
    mask: Bools, tiles: Int64s, scale: float, dx: float, dy: float, top: int, least: float
) -> None:
    """Mark every pixel that a tile touches; a tile narrower than ``least`` pixels is
    widened around its centre.
    """
    rows, columns = mask.shape
    for t in range(tiles.shape[0]):
        y0, y1 = tiles[t, 0] * scale + dy - top, tiles[t, 1] * scale + dy - top
        x0, x1 = tiles[t, 2] * scale + dx, tiles[t, 3] * scale + dx
        grow_y, grow_x = max(0.0, 0.5 * (least - (y1 - y0))), max(0.0, 0.5 * (least - (x1 - x0)))
        first_row, last_row = math.floor(y0 - grow_y + 1e-6), math.ceil(y1 + grow_y - 1e-6)
        first_column, last_column = math.floor(x0 - grow_x + 1e-6), math.ceil(x1 + grow_x - 1e-6)
        for row in range(max(0, first_row), min(rows, last_row)):
            for column in range(max(0, first_column), min(columns, last_column)):
                mask[row, column] = True


@njit
def _fill_pattern(
    image: UInt32s,
    mask: Bools,
    top: int,
    pattern: int,
    unit: int,
    colour: np.uint32,
    alpha: np.uint32,
) -> None:
    """Blend ``colour`` onto the marked pixels selected by the pattern, which is aligned
    to the whole picture.
    """
    for row in range(image.shape[0]):
        y = (row + top) // unit
        for column in range(image.shape[1]):
            if not mask[row, column]:
                continue
            x = column // unit
            taken = True
            if pattern == 1:
                taken = (x + y) % 7 < 4
            elif pattern == 2:
                taken = x % 6 < 2 and y % 6 < 2
            elif pattern == 3:
                taken = (x - y) % 9 < 2
            if taken:
                image[row, column] = blend(image[row, column], colour, alpha)
