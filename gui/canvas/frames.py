"""From what is shown and a camera to pixels: keeps the buffers of the last view, so that a step only colours. No Qt."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gui.canvas.activity import Legend
from gui.canvas.bands import banded
from gui.canvas.camera import Camera
from gui.canvas.detail import Detail
from gui.canvas.drawing_device import DrawingDevice
from gui.canvas.frontier import draw_frontier
from gui.canvas.ground import Coating, Ground, coloured
from gui.canvas.ink import Ink, Pace, View
from gui.canvas.path_tree import TREE_WIDTH, draw_tree
from gui.canvas.shown import Layer, Shown
from gui.canvas.tone import Tones, argb, make_tones
from gui.tokens import Tokens
from solvers.host.observer import SILENT, Observer
from solvers.host.threads import Crew

PATIENCE_S = 3.0  # after so long the rest of the edges is left out, and the badge says so


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

    @property
    def view(self) -> View:
        return View(self.shown.scene, self.camera, self.ratio, self.rows)


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


class FramePainter:
    """Makes frames; not to be shared between threads.

    Parameters
    ----------
    crew : Crew, optional
        Threads to draw with; those of all cores by default.
    device : DrawingDevice, optional
        Draws edges where that pays, pixel by pixel the same; none by default.
    """

    def __init__(self, crew: Crew | None = None, device: DrawingDevice | None = None) -> None:
        self._crew, self._pace, self._device = crew or Crew(), Pace(), device
        self._ink: Ink | None = None
        self._ground: Ground | None = None
        self._tones: tuple[tuple[Tokens, str | None, Legend | None], Tones] | None = None

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
        ink = self._ink_of(request)
        if ink.drawn > 0.0:
            yield self._stepped(ink, request)
            if ink.drawn >= 1.0 or newer():
                return
        start = time.monotonic()
        for _ in ink.fill():
            yield self._coloured(ink, request)
            if newer() or time.monotonic() - start > patience_s:
                return

    def last_frame(self, request: Request, observer: Observer = SILENT) -> Frame:
        """The picture with every edge, however long it takes.

        Edges are drawn in one slice, whatever their number: so a band has the pixels that the whole picture has there.

        Raises
        ------
        Cancelled
        """
        ink = self._ink_of(request)
        if ink.drawn >= 1.0:
            return self._stepped(ink, request)
        for _ in ink.fill(observer, at_once=True):
            pass
        return self._coloured(ink, request)

    def settle(self, request: Request) -> None:
        """Get ready for steps of the play-back in a view that was drawn; to be called when there is time."""
        ink = self._ink_of(request)
        if ink.drawn > 0.0 and request.shown.activity.trace is not None:
            self._ground_of(ink, request)

    def _ink_of(self, request: Request) -> Ink:
        if self._ink is None or self._ink.view != request.view:
            self._ground = None  # let go of the memory first
            self._ink = None
            self._ink = Ink(request.view, self._crew, self._pace, self._device)
        return self._ink

    def _coloured(self, ink: Ink, request: Request) -> Frame:
        return self._framed(
            ink, request, coloured(ink, self._coating(ink, request), request.shown.position, self._crew)
        )

    def _stepped(self, ink: Ink, request: Request) -> Frame:
        """As `_coloured`, pixel by pixel, in a fraction of the time."""
        return self._framed(ink, request, self._ground_of(ink, request).at(request.shown.position))

    def _ground_of(self, ink: Ink, request: Request) -> Ground:
        coating = self._coating(ink, request)
        if self._ground is None or self._ground.coating != coating:
            self._ground = Ground(ink, coating, self._crew)
        return self._ground

    def _coating(self, ink: Ink, request: Request) -> Coating:
        shown = request.shown
        activity = shown.activity if shown.has(Layer.VISITED) else None
        return Coating(activity, self._tones_of(request), shown.has(Layer.EDGES), ink.drawn)

    def _framed(self, ink: Ink, request: Request, image: NDArray[np.uint32]) -> Frame:
        shown = request.shown
        if shown.has(Layer.TREE) and shown.tree is not None and (ink.detail is None or not ink.detail.arcs):
            view = ink.view.span[0], *ink.view.transform
            pen = argb(request.tokens.path), round(TREE_WIDTH * request.ratio)
            draw_tree(image, shown.tree, shown.scene.positions, view, pen, self._crew)
        if shown.has(Layer.FRONTIER) and ink.detail is None:
            draw_frontier(image, ink, shown, request.tokens, self._crew)
        return Frame(image, request.camera, request.ratio, ink.detail, ink.drawn, shown.legend)

    def _tones_of(self, request: Request) -> Tones:
        legend = request.shown.legend if request.shown.has(Layer.BANDS) else None
        key = (request.tokens, request.background, legend)
        if self._tones is None or self._tones[0] != key:
            tones = make_tones(request.tokens, request.background)
            self._tones = (key, tones if legend is None else replace(tones, tints=banded(tones.tints, legend)))
        return self._tones[1]
