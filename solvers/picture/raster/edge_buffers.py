"""Density and owner buffers of one view, drawn slice by slice on all cores. No Qt."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solvers.picture.raster import lines
from solvers.picture.raster.device import Buffers, Dots, DrawRequest, SliceBudget, merge
from solvers.picture.scene.camera import Bounds, Camera
from solvers.picture.scene.detail import Detail, detail_of
from solvers.picture.scene.edges import INTERLEAVE
from solvers.picture.scene.lit_roads import EVEN, NO_LEVELS, RoadLevels, RoadPen
from solvers.picture.scene.scene import DrawableGraph, block_edges, visible_blocks
from solvers.system.array_types import AnyArray, Float64s, Int64s, UInt8s
from solvers.system.cancel import SILENT, Progress
from solvers.system.threads import ThreadTeam, split_evenly

if TYPE_CHECKING:
    from solvers.picture.raster.device import DrawingDevice

_NEARLY_ALL = 0.75  # of the edges: a slice that reaches this share draws all the rest
FADE_LENGTH = 220.0  # logical pixels: longer edges are drawn fainter
_BANDS_PER_THREAD = 3  # balances the load, since edges are unevenly distributed
_LEAST_BAND = 64  # rows; edges across a border are processed in both bands
_SHARED_FROM = 20_000  # least number of edges in view for more than one thread
_BLOCKS_PER_PIECE = 2048  # blocks drawn between two cancellation checks
_WHOLE_PIXEL = 1e-3  # a picture that has moved by whole pixels, but for so much, is kept
_NO_SKIP = np.empty(0, np.uint8)
# radius of a vertex of mean degree, in spacings: vertices cover a tenth of the picture
SIZED_DOT = 0.18
# logical pixels: smaller vertices are not drawn, larger ones drawn as this
LEAST_DOT, MOST_DOT = 0.6, 14.0
SIZED_GAIN = 0.12  # density of edges where vertices show their degrees, relative to other pictures
# scaled density of dots, plain ones and those with sizes, which stand out more
DOT_DENSITIES = (0.8, 12.0)
LONE_DOT = 1.5  # logical pixels: radius of vertices of a graph without edges
LEAST_AREA = 1e-3  # square world units of a graph's bounds, of one whose vertices lie on a line too
# Logical pixels: least and greatest width of lines, the width where vertices are dense, and what
# it grows by with each pixel of their spacing.
LINE_WIDTHS, LINE_GROWTH = (1.0, 1.8), (0.9, 0.02)
# radius of a vertex without a size in spacings; in logical pixels the least drawn and the greatest
DOT_SHARE, DOT_RANGE = 0.09, (0.9, 4.0)
FRONTIER_SHARE, FRONTIER_RANGE = 0.22, (1.7, 5.0)  # likewise of a frontier vertex, which is drawn


@dataclass(frozen=True)
class View:
    """A scene, a camera, and the rows of device pixels to draw (None for all)."""

    scene: DrawableGraph
    camera: Camera
    ratio: float
    rows: tuple[int, int] | None = None
    prominence: RoadLevels | None = None
    with_detail: bool = True  # else a close view too is drawn as lines

    @property
    def transform(self) -> tuple[float, float, float]:
        """(scale, dx, dy) of device pixel = world * scale + d, for the whole picture."""
        dx, dy = self.camera.offset
        return self.camera.scale * self.ratio, dx * self.ratio, dy * self.ratio

    @property
    def width(self) -> int:
        return max(1, round(self.camera.width * self.ratio))

    @property
    def span(self) -> tuple[int, int]:
        """First and last + 1 of the rows."""
        return self.rows or (0, max(1, round(self.camera.height * self.ratio)))

    def has_pixels_of(self, other: View) -> bool:
        """Whether edges cover the same pixels as in another view."""
        same = (self.camera, self.ratio, self.rows, self.prominence) == (
            other.camera,
            other.ratio,
            other.rows,
            other.prominence,
        )
        return same and self.scene.draws_like(other.scene)

    def shift_from(self, other: View) -> tuple[int, int] | None:
        """Whole device pixels by which the picture of another view lies left of and
        above this one's.

        None if it is not the same but for that, or if most of this one lies outside it.
        """
        (scale, x, y), (other_scale, other_x, other_y) = self.transform, other.transform
        right, down = round(x - other_x), round(y - other_y)
        height = self.span[1]
        same = (scale, self.width, self.span, self.ratio) == (
            other_scale,
            other.width,
            other.span,
            other.ratio,
        )
        whole = math.hypot(x - other_x - right, y - other_y - down) < _WHOLE_PIXEL
        if not (same and whole and self.rows is None and self.prominence is other.prominence):
            return None
        kept = max(0, self.width - abs(right)) * max(0, height - abs(down))
        return (
            (right, down)
            if kept > 0.5 * self.width * height and self.scene.draws_like(other.scene)
            else None
        )

    def part(self, x0: int, y0: int, x1: int, y1: int) -> View:
        """The view of a rectangle of device pixels."""
        ratio, camera = self.ratio, self.camera
        (x, y), width, height = (
            camera.to_world((x0 + x1) / 2 / ratio, (y0 + y1) / 2 / ratio),
            x1 - x0,
            y1 - y0,
        )
        return replace(self, camera=Camera(x, y, camera.scale, width / ratio, height / ratio))


@dataclass(frozen=True)
class PixelSizes:
    """Sizes in logical pixels that depend on a scene and a scale."""

    spacing: float  # mean distance between neighbouring vertices if they were spread evenly
    line: float  # width
    # radius of a vertex, of one of mean degree if vertices have sizes; 0 if too small
    # to be recognised
    dot: float
    frontier: float  # radius of a frontier vertex
    gain: float  # factor that scales density: about 1 for few lines, smaller for many

    @classmethod
    def of(cls, scene: DrawableGraph, scale: float) -> PixelSizes:
        bounds = scene.bounds
        area = max((bounds.x1 - bounds.x0) * (bounds.y1 - bounds.y0), LEAST_AREA) * scale * scale
        spacing = math.sqrt(area / max(1, scene.vertices))
        line = _within(LINE_WIDTHS, LINE_GROWTH[0] + LINE_GROWTH[1] * spacing)
        least_dot, most_dot = DOT_RANGE
        dot = min(most_dot, DOT_SHARE * spacing)
        # by the mean density
        gain = 1.0 / (1.0 + scene.edges * (scene.mean_length * scale) * line / max(area, 1.0))
        frontier = _within(FRONTIER_RANGE, FRONTIER_SHARE * spacing)
        if len(scene.sizes):
            return cls(spacing, line, SIZED_DOT * spacing, frontier, SIZED_GAIN * gain)
        return cls(spacing, line, dot if dot >= least_dot else 0.0, frontier, gain)


class EdgeBuffers:
    """The buffers of a view, filled slice by slice, on a device where that is faster;
    views of a team share a budget. ``pixels`` are used in place of new ones.

    ``density`` and ``claims``, (h, w) int32, are those of `lines`; ``drawn`` is the
    share of the visible edges drawn.
    """

    def __init__(
        self,
        view: View,
        team: ThreadTeam,
        budget: SliceBudget,
        device: DrawingDevice | None = None,
        pixels: Buffers | None = None,
    ):
        self.view, self._team, self._budget, self._device = view, team, budget, device
        self.detail: Detail | None = (
            detail_of(view.scene, view.camera) if view.with_detail else None
        )
        first, last = view.span
        self.density, self.claims = pixels or lines.blank(view.width, last - first)
        self.measures = PixelSizes.of(view.scene, view.camera.scale)
        self._road_pen, self._levels = roads_drawn(view.scene, view.prominence, self.measures)
        self.drawn = 0.0
        self._blocks = visible_blocks(view.scene, self._bounds())
        self._edges = int(block_edges(view.scene, self._blocks).sum())
        self._order = _draw_order(self._blocks)

    def follow(self, view: View) -> bool:
        """Take over a view of other roads; False if edges must be drawn anew, as where
        arcs are drawn one by one.
        """
        if self.detail is not None or not self.view.has_pixels_of(view):
            return False
        self.view = view
        return True

    def moved_to(self, view: View) -> EdgeBuffers | None:
        """These buffers moved to a view that was panned, drawn where it has left this
        one; None if all must be drawn. They are of no use for this view then.
        """
        shift = view.shift_from(self.view)
        if shift is None or self.drawn < 1.0 or self.detail is not None:
            return None
        pixels = self.density, self.claims
        moved = EdgeBuffers(view, self._team, self._budget, self._device, pixels)
        if moved.detail is not None:
            return None
        for each in pixels:
            move_pixels(each, *shift)
        for x0, y0, x1, y1 in uncovered(moved.density.shape, *shift):
            part = EdgeBuffers(view.part(x0, y0, x1, y1), self._team, self._budget)
            part.detail = None
            for _ in part.fill(at_once=True):
                pass
            moved.density[y0:y1, x0:x1], moved.claims[y0:y1, x0:x1] = part.density, part.claims
        moved.drawn = 1.0
        return moved

    def cleared_for(self, view: View) -> Buffers | None:
        """These pixels, empty, for buffers of a view of the same size that replace them;
        None for another size. To clear memory takes less time than to get it.
        """
        first, last = view.span
        if self.density.shape != (last - first, view.width):
            return None
        lines.clear(self.density, self.claims)
        return self.density, self.claims

    def bands(self) -> list[tuple[int, int]]:
        """The buffers' rows divided into bands for the threads, as (first, last + 1)."""
        rows = len(self.density)
        return split_evenly(rows, min(_BANDS_PER_THREAD * self._team.threads, rows // _LEAST_BAND))

    def fill(self, progress: Progress = SILENT, *, at_once: bool = False) -> Iterator[None]:
        """Draw the edges in slices (or all ``at_once``), yielding after each."""
        skip, pixels = self._drawn_as_vectors(), self._line_pixels()
        while self.drawn < 1.0:
            device = self._device if not len(skip) else None
            if device is not None and not device.serves(self.view.scene, pixels):
                device = None
            budget = self._budget if device is None else device.budget
            upto = 1.0 if at_once else self._upto(pixels, budget)
            start = time.monotonic()
            blocks = self._blocks[(self._order >= self.drawn) & (self._order < upto)]
            if device is None or not self._draw_on(device, blocks, progress):
                bands = self.bands() if self._edges > _SHARED_FROM else [(0, len(self.density))]
                self._team.run(
                    (partial(self._draw_band, *band, blocks, skip, progress) for band in bands),
                    progress,
                )
            budget.learn((upto - self.drawn) * pixels, time.monotonic() - start)
            self.drawn = upto
            yield

    def _draw_on(self, device: DrawingDevice, blocks: Int64s, progress: Progress) -> bool:
        """Draw edges and dots on a device; False if it cannot."""
        view = self.view
        dots = self._dots_of(view.span[0], len(self.density)) if self.drawn == 0.0 else None
        request = DrawRequest(
            blocks,
            view.width,
            view.span,
            view.transform,
            *self._pen,
            dots,
            self._levels,
            self._road_pen,
        )
        drawn = device.draw(view.scene, request, progress)
        if drawn is None:
            return False
        if self.drawn == 0.0:
            self.density, self.claims = drawn
        else:
            merge(self.density, self.claims, *drawn)
        return True

    def _draw_band(
        self, first: int, last: int, blocks: Int64s, skip: UInt8s, progress: Progress
    ) -> None:
        """Draw edges and dots of some rows; the pixels do not depend on the division into bands."""
        view = self.view
        scale, dx, dy = view.transform
        top = view.span[0] + first
        density, claims = self.density[first:last], self.claims[first:last]
        width, fade = self._pen
        boxes, reach = view.scene.boxes[blocks], width * float(self._road_pen.widths.max())
        near = (boxes[:, 1] * scale + dy < top + last - first + reach) & (
            boxes[:, 3] * scale + dy > top - reach
        )
        blocks = blocks[near]
        for start in range(0, len(blocks), _BLOCKS_PER_PIECE):
            progress.checkpoint()
            lines.draw_edges(
                density,
                claims,
                top,
                view.scene.segments,
                view.scene.ends,
                blocks[start : start + _BLOCKS_PER_PIECE],
                skip,
                scale,
                dx,
                dy,
                width,
                fade,
                self._levels,
                self._road_pen.widths,
                self._road_pen.strengths,
            )
        dots = self._dots_of(top, last - first) if self.drawn == 0.0 else None
        if dots is not None:
            lines.draw_vertices(
                density,
                claims,
                top,
                dots.points,
                dots.vertices,
                view.scene.strokes,
                scale,
                dx,
                dy,
                dots.radii,
                dots.strength,
            )

    @property
    def _pen(self) -> tuple[float, float]:
        """Line width, and length from which lines fade, in device pixels."""
        return self.measures.line * self.view.ratio, FADE_LENGTH * self.view.ratio

    def _dots_of(self, top: int, rows: int) -> Dots | None:
        """The vertices drawn as dots in some rows; None if dots are not drawn."""
        scene = self.view.scene
        radius = max(self.measures.dot, LONE_DOT if scene.edges == 0 else 0.0)
        if self.detail is not None or not radius:
            return None
        ratio, (scale, dx, dy) = self.view.ratio, self.view.transform
        reach = ratio * (MOST_DOT if len(scene.sizes) else radius) + 1.0
        seen = Bounds(
            (-reach - dx) / scale,
            (top - reach - dy) / scale,
            (self.view.width + reach - dx) / scale,
            (top + rows + reach - dy) / scale,
        )
        vertices = np.concatenate([np.empty(0, np.int32), *scene.grid.rows_over(seen)])
        radii = dot_radii(scene, vertices, radius)
        shown = radii > 0.0
        if not shown.all():
            vertices, radii = vertices[shown], radii[shown]
        return Dots(
            vertices,
            scene.positions[vertices],
            ratio * radii,
            dot_density(scene) / self.measures.gain,
        )

    def _drawn_as_vectors(self) -> UInt8s:
        if self.detail is None or not self.detail.arcs or self.view.scene.curves is not None:
            # of parallel curved roads, vectors show one: the raster shows all below
            # them
            return _NO_SKIP
        skip = np.zeros(self.view.scene.graph.n, np.uint8)
        skip[self.detail.ends] = 1
        return skip

    def _bounds(self) -> Bounds:
        """World bounds of the buffers, enlarged by the line width."""
        scale, dx, dy = self.view.transform
        first, last = self.view.span
        reach = self.measures.line * float(self._road_pen.widths.max()) * self.view.ratio + 1.0
        left = -reach - dx
        top = first - reach - dy
        right = self.view.width + reach - dx
        bottom = last + reach - dy
        return Bounds(left / scale, top / scale, right / scale, bottom / scale)

    def _line_pixels(self) -> float:
        """Estimated work: the length in pixels of all edges whose boxes meet the view,
        plus one per edge.
        """
        count = block_edges(self.view.scene, self._blocks)
        longest = count * math.hypot(*self.density.shape)
        lengths = np.minimum(
            self.view.scene.lengths[self._blocks] * self.view.transform[0], longest
        )
        return float((lengths + count).sum())

    def _upto(self, pixels: float, budget: SliceBudget) -> float:
        """Share of the edges drawn after the next slice."""
        upto = self.drawn + max(1 / INTERLEAVE, budget.pixels / max(pixels, 1.0))
        return 1.0 if upto >= _NEARLY_ALL else math.ceil(upto * INTERLEAVE) / INTERLEAVE


def move_pixels(pixels: AnyArray, right: int, down: int) -> None:
    """Move all pixels right and down; those `uncovered` have no meaning then."""
    flat = np.reshape(pixels, -1, copy=False)
    by = down * pixels.shape[1] + right
    flat[max(0, by) : len(flat) + min(0, by)] = flat[max(0, -by) : len(flat) - max(0, by)]


def uncovered(shape: tuple[int, ...], right: int, down: int) -> list[tuple[int, int, int, int]]:
    """The rectangles (x0, y0, x1, y1) of a picture that one moved right and down leaves free."""
    rows, columns = shape
    low, high = max(0, down), rows + min(0, down)
    beside = (0, low, right, high) if right > 0 else (columns + right, low, columns, high)
    across = (0, 0, columns, low) if down > 0 else (0, high, columns, rows)
    return [part for part in (beside, across) if part[0] < part[2] and part[1] < part[3]]


def roads_drawn(
    scene: DrawableGraph, prominence: RoadLevels | None, measures: PixelSizes
) -> tuple[RoadPen, UInt8s]:
    """Width and density of lines by level, and (e,) the levels of all segments; not
    read if all are drawn alike.
    """
    if prominence is None:
        return EVEN, NO_LEVELS
    return RoadPen.of(measures.spacing), prominence.on(scene)


def dot_radii(scene: DrawableGraph, vertices: NDArray[np.integer], radius: float) -> Float64s:
    """Radii of dots in logical pixels, 0 for one that is not drawn; ``radius`` is that
    of a vertex of mean degree.
    """
    if not len(scene.sizes):
        return np.full(len(vertices), radius)
    radii = np.minimum(radius * scene.sizes[vertices].astype(np.float64), MOST_DOT)
    return np.where(radii >= LEAST_DOT, radii, 0.0)


def dot_density(scene: DrawableGraph) -> float:
    """Scaled density of dots, which determines their colour; see `pixel_colours`."""
    return DOT_DENSITIES[bool(len(scene.sizes))]


def _within(limits: tuple[float, float], value: float) -> float:
    """The value, or the limit that it is beyond."""
    least, most = limits
    return min(most, max(least, value))


def _draw_order(blocks: Int64s) -> Float64s:
    """Position of each block in the drawing order, in 0..1: one block of each
    neighbourhood, then the next.
    """
    return blocks % INTERLEAVE / INTERLEAVE
