"""From what is shown and a camera to pixels: keeps the buffers of the last view, so that a step only colours. No Qt."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gui.canvas import raster
from gui.canvas.activity import Legend
from gui.canvas.camera import Bounds, Camera
from gui.canvas.detail import Detail, detail_of
from gui.canvas.scene import DrawableGraph, visible_runs
from gui.canvas.shown import Layer, Shown
from gui.canvas.tone import Tones, argb, expected_ink, gain_for, make_tones
from gui.theme import Tokens
from solvers.observer import SILENT, Observer

FIRST_SLICE_PIXELS = 6e6  # line pixels that are drawn before a first picture is handed out: some 60 ms
PATIENCE_S = 3.0  # after so long the rest of the edges is left out, and the badge says so
_RUN = 1 << 17  # edges drawn between two looks at whether a newer view is wanted
_FADE_LENGTH = 220.0  # logical pixels: longer edges lose ink
_NO_SKIP = np.empty(0, np.uint8)
_NOTHING_VISITED = (np.empty(0, np.int32), np.empty(0, np.uint8))


@dataclass(frozen=True, eq=False)
class Request:
    """A picture that is wanted.

    Attributes
    ----------
    shown : Shown
    camera : Camera
    ratio : float
        Device pixels per logical pixel.
    tokens : Tokens
    background : str or None
        As in `tone.make_tones`.
    rows : (int, int) or None
        First and last + 1 of the view's rows of device pixels that are drawn (a band of a large picture); all
        where None. Bands laid together are the picture drawn at once.
    """

    shown: Shown
    camera: Camera
    ratio: float
    tokens: Tokens
    background: str | None = None
    rows: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class Frame:
    """A picture that was made.

    Attributes
    ----------
    pixels : (h, w) uint32
        Premultiplied ARGB; h and w are device pixels.
    camera : Camera
    ratio : float
    detail : Detail or None
        What the overlay has to draw arc by arc.
    drawn : float
        Share of the visible edges that were drawn, in 0..1.
    legend : Legend or None
    """

    pixels: NDArray[np.uint32]
    camera: Camera
    ratio: float
    detail: Detail | None
    drawn: float
    legend: Legend | None


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


class _Buffers:
    """Ink and owners of one view, as far as drawn."""

    def __init__(self, request: Request):
        camera, ratio = request.camera, request.ratio
        self.scene, self.camera, self.ratio, self.rows = request.shown.scene, camera, ratio, request.rows
        self.detail = detail_of(self.scene, camera)
        width, height = max(1, round(camera.width * ratio)), max(1, round(camera.height * ratio))
        first, last = request.rows or (0, height)
        self.density, self.owner = raster.blank(width, last - first)
        self.measures = Measures.of(self.scene, camera.scale)
        self.transform = (camera.scale * ratio, camera.offset[0] * ratio, camera.offset[1] * ratio - first)
        self.drawn = 0.0
        self._skip = self._drawn_otherwise()

    def serves(self, request: Request) -> bool:
        mine = (self.scene, self.camera, self.ratio, self.rows)
        return mine == (request.shown.scene, request.camera, request.ratio, request.rows)

    def _drawn_otherwise(self) -> NDArray[np.uint8]:
        if self.detail is None or not self.detail.arcs:
            return _NO_SKIP
        skip = np.zeros(self.scene.graph.n, np.uint8)
        skip[self.detail.vertices] = 1
        return skip

    def _bounds(self) -> Bounds:
        """What the pixels show, and a little more: a line as wide as it is reaches in from outside."""
        scale, dx, dy = self.transform
        rows, columns = self.density.shape
        reach = self.measures.line * self.ratio + 1.0
        left, top, right, bottom = -reach - dx, -reach - dy, columns + reach - dx, rows + reach - dy
        return Bounds(left / scale, top / scale, right / scale, bottom / scale)

    def fill(self, observer: Observer = SILENT, *, at_once: bool = False) -> Iterator[None]:
        """Draw slice after slice of the edges (or all ``at_once``), pausing after each."""
        runs = visible_runs(self.scene, self._bounds(), _RUN)
        share = 1.0 if at_once else self._first_share(runs)
        while self.drawn < 1.0:
            upto = min(1.0, self.drawn + share)
            for first, last in runs:
                observer.checkpoint()
                raster.draw_edges(
                    self.density, self.owner, self.scene.segments, self.scene.ends, first, last,
                    int(self.drawn * raster.HASH_RANGE), int(upto * raster.HASH_RANGE), self._skip, *self.transform,
                    self.measures.line * self.ratio, _FADE_LENGTH * self.ratio,
                )  # fmt: skip
            if self.drawn == 0.0:
                self._draw_dots()
            self.drawn = upto
            yield

    def _draw_dots(self) -> None:
        lonely = self.scene.edges == 0
        if self.detail is None and (self.measures.dot or lonely):
            radius = max(self.measures.dot, 1.5 if lonely else 0.0)
            raster.draw_vertices(
                self.density,
                self.owner,
                self.scene.positions,
                *self.transform,
                radius * self.ratio,
                2.0 / self.measures.gain,
            )

    def _first_share(self, runs: list[tuple[int, int]]) -> float:
        """Share of the edges that fits `FIRST_SLICE_PIXELS`, judged by a sample."""
        total = 0.0
        limit = math.hypot(*self.density.shape)
        for first, last in runs:
            sample = self.scene.segments[first : last : max(1, (last - first) // 256)]
            lengths = np.hypot(sample[:, 2] - sample[:, 0], sample[:, 3] - sample[:, 1]) * self.transform[0]
            total += (last - first) * float(np.nanmean(np.minimum(lengths, limit)) + 1.0)
        return 1.0 if total <= FIRST_SLICE_PIXELS else max(1 / 64, FIRST_SLICE_PIXELS / total)


class FramePainter:
    """Makes frames; not to be shared between threads."""

    def __init__(self) -> None:
        self._buffers: _Buffers | None = None
        self._tones: tuple[tuple[Tokens, str | None], Tones] | None = None

    def frames(
        self, request: Request, *, newer: Callable[[], bool] = lambda: False, patience_s: float = PATIENCE_S
    ) -> Iterator[Frame]:
        """Pictures of ``request``, each with more of the edges than the one before; usually the first is the last.

        Parameters
        ----------
        newer : callable
            Asked after every picture; True stops.
        patience_s : float
            After so long no more edges are drawn.
        """
        if self._buffers is None or not self._buffers.serves(request):
            self._buffers = _Buffers(request)
        buffers = self._buffers
        if buffers.drawn > 0.0:
            yield self._coloured(buffers, request)
            if buffers.drawn >= 1.0 or newer():
                return
        start = time.monotonic()
        for _ in buffers.fill():
            yield self._coloured(buffers, request)
            if newer() or time.monotonic() - start > patience_s:
                return

    def last_frame(self, request: Request, observer: Observer = SILENT) -> Frame:
        """The picture with every edge, however long it takes.

        Edges are drawn in one slice, whatever their number: so a band has the pixels that the whole picture has there.

        Raises
        ------
        Cancelled
        """
        if self._buffers is None or not self._buffers.serves(request):
            self._buffers = _Buffers(request)
        for _ in self._buffers.fill(observer, at_once=True):
            pass
        return self._coloured(self._buffers, request)

    def _coloured(self, buffers: _Buffers, request: Request) -> Frame:
        shown, tones = request.shown, self._tones_of(request)
        image = np.empty(buffers.density.shape, np.uint32)
        visited = shown.has(Layer.VISITED)
        activity = shown.activity
        raster.colour_pixels(
            image, buffers.density, buffers.owner,
            *((activity.reveal, activity.shade) if visited else _NOTHING_VISITED),
            shown.position, tones.edges, tones.tint_alphas, tones.tints, tones.canvas,
            tones.steps_per_ink(buffers.measures.gain), shown.has(Layer.EDGES),
        )  # fmt: skip
        if shown.has(Layer.FRONTIER) and buffers.detail is None:
            self._draw_frontier(image, buffers, request)
        return Frame(
            image, buffers.camera, buffers.ratio, buffers.detail, buffers.drawn, activity.legend if visited else None
        )

    def _draw_frontier(self, image: NDArray[np.uint32], buffers: _Buffers, request: Request) -> None:
        shown, tokens = request.shown, request.tokens
        radius = buffers.measures.frontier * buffers.ratio
        for vertices, freshness in shown.activity.trail(shown.position):
            raster.draw_discs(
                image,
                shown.scene.positions,
                vertices,
                *buffers.transform,
                radius * (0.5 + 0.3 * freshness),
                argb(tokens.trail),
                0.15 + 0.55 * freshness,
            )
        now = shown.activity.frontier(shown.position)
        raster.draw_discs(image, shown.scene.positions, now, *buffers.transform, radius, argb(tokens.frontier), 1.0)

    def _tones_of(self, request: Request) -> Tones:
        key = (request.tokens, request.background)
        if self._tones is None or self._tones[0] != key:
            self._tones = (key, make_tones(*key))
        return self._tones[1]
