"""Ink of one view, and whose pixels are whose, drawn slice by slice on all cores. Knows no Qt."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gui.picture.raster import lines
from gui.picture.raster.device_raster import Dots, DrawRequest, merge
from gui.picture.raster.slice_budget import SliceBudget
from gui.picture.raster.tone_map import expected_ink, gain_for
from gui.picture.scene.camera import Bounds, Camera
from gui.picture.scene.detail import Detail, detail_of
from gui.picture.scene.edge_order import HAND
from gui.picture.scene.scene import DrawableGraph, block_edges, visible_blocks
from solvers.host.observer import SILENT, Observer
from solvers.host.threads import ThreadTeam, split_evenly

if TYPE_CHECKING:
    from gui.picture.raster.drawing_device import DrawingDevice

_NEARLY_ALL = 0.75  # of the edges: the few that are left are then drawn with them
FADE_LENGTH = 220.0  # logical pixels: longer edges lose ink
_BANDS_PER_THREAD = 3  # so that none is left waiting for the one with the city
_LEAST_BAND = 64  # rows; what lies on a border is looked at twice
_SHARED_FROM = 20_000  # edges in view from which other threads are called
_BLOCKS_PER_PIECE = 2048  # blocks drawn between two looks at whether to cancel
_NO_SKIP = np.empty(0, np.uint8)


@dataclass(frozen=True)
class View:
    """A scene, where it is looked at from, and which rows of device pixels are wanted (all where None)."""

    scene: DrawableGraph
    camera: Camera
    ratio: float
    rows: tuple[int, int] | None = None

    @property
    def transform(self) -> tuple[float, float, float]:
        """(scale, dx, dy) of device pixel = world * scale + d, in the whole picture."""
        dx, dy = self.camera.offset
        return self.camera.scale * self.ratio, dx * self.ratio, dy * self.ratio

    @property
    def width(self) -> int:
        return max(1, round(self.camera.width * self.ratio))

    @property
    def span(self) -> tuple[int, int]:
        """First and last + 1 of the rows."""
        return self.rows or (0, max(1, round(self.camera.height * self.ratio)))


@dataclass(frozen=True)
class Measures:
    """Sizes that follow from a scene and a scale; logical pixels.

    Attributes
    ----------
    spacing : float
        Mean distance between neighbouring vertices, were they spread evenly.
    line, dot, frontier : float
        Line width; radius of a vertex (0 where it would only be dirt) and of a frontier vertex.
    gain : float
        See `tone.gain_for`.
    """

    spacing: float
    line: float
    dot: float
    frontier: float
    gain: float

    @classmethod
    def of(cls, scene: DrawableGraph, scale: float) -> Measures:
        bounds = scene.bounds
        area = max((bounds.x1 - bounds.x0) * (bounds.y1 - bounds.y0), 1e-3) * scale * scale
        spacing = math.sqrt(area / max(1, scene.graph.n))
        line = min(1.8, max(1.0, 0.9 + 0.02 * spacing))
        dot = min(4.0, 0.09 * spacing)
        ink = expected_ink(scene.edges, scene.mean_length * scale, line, area)
        return cls(spacing, line, dot if dot >= 0.9 else 0.0, min(5.0, max(1.7, 0.22 * spacing)), gain_for(ink))


class EdgeBuffers:
    """The buffers of a view, as far as drawn.

    Parameters
    ----------
    view : View
    crew : Crew
    budget : SliceBudget
        Of all views that the same crew draws.
    device : DrawingDevice, optional
        Draws instead of the crew where that pays; the same pixels.

    Attributes
    ----------
    view : View
    density, claims : (h, w) int32
        See `raster`.
    detail : Detail or None
    measures : Measures
    drawn : float
        Share of the visible edges, in 0..1.
    """

    def __init__(self, view: View, team: ThreadTeam, budget: SliceBudget, device: DrawingDevice | None = None):
        self.view, self._team, self._budget, self._device = view, team, budget, device
        self.detail: Detail | None = detail_of(view.scene, view.camera)
        first, last = view.span
        self.density, self.claims = lines.blank(view.width, last - first)
        self.measures = Measures.of(view.scene, view.camera.scale)
        self.drawn = 0.0
        self._blocks = visible_blocks(view.scene, self._bounds())
        self._edges = int(block_edges(view.scene, self._blocks).sum())
        self._turns = _turn_of(self._blocks)

    def bands(self) -> list[tuple[int, int]]:
        """Rows of the buffers that are worth a thread's while, as (first, last + 1)."""
        rows = len(self.density)
        return split_evenly(rows, min(_BANDS_PER_THREAD * self._team.threads, rows // _LEAST_BAND))

    def fill(self, observer: Observer = SILENT, *, at_once: bool = False) -> Iterator[None]:
        """Draw slice after slice of the edges (or all ``at_once``), pausing after each.

        Raises
        ------
        Cancelled
        """
        skip, pixels = self._drawn_otherwise(), self._line_pixels()
        while self.drawn < 1.0:
            device = self._device if not len(skip) else None
            if device is not None and not device.serves(self.view.scene, pixels):
                device = None
            budget = self._budget if device is None else device.budget
            upto = 1.0 if at_once else self._upto(pixels, budget)
            start = time.monotonic()
            blocks = self._blocks[(self._turns >= self.drawn) & (self._turns < upto)]
            if device is None or not self._draw_on(device, blocks, observer):
                bands = self.bands() if self._edges > _SHARED_FROM else [(0, len(self.density))]
                self._team.run((partial(self._draw_band, *band, blocks, skip, observer) for band in bands), observer)
            budget.learn((upto - self.drawn) * pixels, time.monotonic() - start)
            self.drawn = upto
            yield

    def _draw_on(self, device: DrawingDevice, blocks: NDArray[np.int64], observer: Observer) -> bool:
        """Have a device draw edges and dots; False where it cannot."""
        view = self.view
        dots = self._dots_of(view.span[0], len(self.density)) if self.drawn == 0.0 else None
        request = DrawRequest(blocks, view.width, view.span, view.transform, *self._pen, dots)
        drawn = device.draw(view.scene, request, observer)
        if drawn is None:
            return False
        if self.drawn == 0.0:
            self.density, self.claims = drawn
        else:
            merge(self.density, self.claims, *drawn)
        return True

    def _draw_band(
        self, first: int, last: int, blocks: NDArray[np.int64], skip: NDArray[np.uint8], observer: Observer
    ) -> None:
        """Edges and dots of some rows of the buffers; the same pixels whatever the band."""
        view = self.view
        scale, dx, dy = view.transform
        top = view.span[0] + first
        density, claims = self.density[first:last], self.claims[first:last]
        width, fade = self._pen
        boxes = view.scene.boxes[blocks]
        near = (boxes[:, 1] * scale + dy < top + last - first + width) & (boxes[:, 3] * scale + dy > top - width)
        blocks = blocks[near]
        for start in range(0, len(blocks), _BLOCKS_PER_PIECE):
            observer.checkpoint()
            lines.draw_edges(
                density, claims, top, view.scene.segments, view.scene.ends, blocks[start : start + _BLOCKS_PER_PIECE],
                skip, scale, dx, dy, width, fade,
            )  # fmt: skip
        dots = self._dots_of(top, last - first) if self.drawn == 0.0 else None
        if dots is not None:
            lines.draw_vertices(
                density, claims, top, dots.points, dots.vertices, view.scene.edges, scale, dx, dy, dots.radius, dots.ink
            )

    @property
    def _pen(self) -> tuple[float, float]:
        """Width, and length from which lines fade, in device pixels."""
        return self.measures.line * self.view.ratio, FADE_LENGTH * self.view.ratio

    def _dots_of(self, top: int, rows: int) -> Dots | None:
        """The vertices that show as dots in some rows; None where they do not."""
        scene = self.view.scene
        lonely = scene.edges == 0
        if self.detail is not None or not (self.measures.dot or lonely):
            return None
        radius = max(self.measures.dot, 1.5 if lonely else 0.0) * self.view.ratio
        scale, dx, dy = self.view.transform
        reach = radius + 1.0
        seen = Bounds(
            (-reach - dx) / scale, (top - reach - dy) / scale,
            (self.view.width + reach - dx) / scale, (top + rows + reach - dy) / scale,
        )  # fmt: skip
        vertices = np.concatenate([np.empty(0, np.int32), *scene.grid.rows_over(seen)])
        return Dots(vertices, scene.positions[vertices], radius, 2.0 / self.measures.gain)

    def _drawn_otherwise(self) -> NDArray[np.uint8]:
        if self.detail is None or not self.detail.arcs:
            return _NO_SKIP
        skip = np.zeros(self.view.scene.graph.n, np.uint8)
        skip[self.detail.vertices] = 1
        return skip

    def _bounds(self) -> Bounds:
        """What the pixels show, and a little more: a line as wide as it is reaches in from outside."""
        scale, dx, dy = self.view.transform
        first, last = self.view.span
        reach = self.measures.line * self.view.ratio + 1.0
        left, top, right, bottom = -reach - dx, first - reach - dy, self.view.width + reach - dx, last + reach - dy
        return Bounds(left / scale, top / scale, right / scale, bottom / scale)

    def _line_pixels(self) -> float:
        """About what is to be drawn: the length of all edges that meet the view, and one for each."""
        count = block_edges(self.view.scene, self._blocks)
        longest = count * math.hypot(*self.density.shape)
        lengths = np.minimum(self.view.scene.lengths[self._blocks] * self.view.transform[0], longest)
        return float((lengths + count).sum())

    def _upto(self, pixels: float, budget: SliceBudget) -> float:
        """The share of the edges that the next slice reaches."""
        upto = self.drawn + max(1 / HAND, budget.pixels / max(pixels, 1.0))
        return 1.0 if upto >= _NEARLY_ALL else math.ceil(upto * HAND) / HAND


def _turn_of(blocks: NDArray[np.int64]) -> NDArray[np.float64]:
    """When each block is drawn, in 0..1: one of every neighbourhood before the next."""
    return blocks % HAND / HAND
