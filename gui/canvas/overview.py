"""Overview map in the corner: the whole graph, with a frame around the visible part.

Drawn in a thread of its own, on one core. Of a large graph it takes a fair sample of the edges, more by more for a
moment: on so few pixels one cannot tell it from all of them.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter

from gui.canvas.renderer import Renderer
from gui.painting.pens import draw_card, pen
from gui.painting.picture import frame_image
from gui.picture.raster.frames import Frame, FramePainter, Request
from gui.picture.scene.activity import Activity
from gui.picture.scene.camera import Camera
from gui.picture.scene.content import Layer, PictureContent
from gui.picture.scene.scene import DrawableGraph
from gui.style.tokens import Tokens
from solvers.host.threads import ThreadTeam

SIDE = 132.0  # logical pixels of the longer side
CLEARANCE = 52.0  # above the zoom buttons
PATIENCE_S = 0.25  # after so long the rest of the edges is left out: millions are drawn by then
_MARGIN = 12.0
_SHARE = 0.72  # of the graph's longer side in view, below which the map is of use


@dataclass(frozen=True)
class _Wanted:
    """What a map is of. It does not keep the scene alive: the renderer remembers its last request."""

    scene: weakref.ref[DrawableGraph]
    tokens: Tokens
    ratio: float


@dataclass(frozen=True, eq=False)
class _Map:
    of: _Wanted
    frame: Frame  # whose pixels the image shares
    image: QImage


class Overview(QObject):
    """Paints the map; it is made anew for another scene, scheme or pixel ratio.

    Signals
    -------
    drawn()
        A map, or a finer one, is there to be painted.
    """

    drawn = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted: _Wanted | None = None
        self._map: _Map | None = None
        self._renderer: Renderer[_Wanted] | None = None

    def clear(self) -> None:
        """Forget the map: another graph."""
        self._wanted = self._map = None

    def paint(self, painter: QPainter, camera: Camera, scene: DrawableGraph, tokens: Tokens, ratio: float) -> None:
        """Draw the map as it is by now; a scene's first one follows with `drawn`."""
        if not _useful(camera, scene):
            return
        self._want(_Wanted(weakref.ref(scene), tokens, ratio))
        own = _camera_of(scene)
        card = _card(camera, own)
        draw_card(painter, card, tokens)
        if self._map is not None and self._map.of == self._wanted:
            painter.drawImage(card.topLeft(), self._map.image)
        elif self._map is not None:
            painter.drawImage(card, self._map.image)
        seen = camera.bounds
        left, top = own.offset
        frame = QRectF(
            card.left() + seen.x0 * own.scale + left, card.top() + seen.y0 * own.scale + top,
            max(3.0, (seen.x1 - seen.x0) * own.scale), max(3.0, (seen.y1 - seen.y0) * own.scale),
        )  # fmt: skip
        painter.setPen(pen(QColor(tokens.accent), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(frame.intersected(card))

    def world_at(self, at: QPointF, camera: Camera, scene: DrawableGraph) -> tuple[float, float] | None:
        """The world point under a point of the map; None beside it."""
        if not _useful(camera, scene):
            return None
        own = _camera_of(scene)
        card = _card(camera, own)
        return own.to_world(at.x() - card.left(), at.y() - card.top()) if card.contains(at) else None

    def _want(self, wanted: _Wanted) -> None:
        """Have a map drawn, unless it is there or on its way; the one before stands until then."""
        if wanted == self._wanted:
            return
        self._wanted = wanted
        if self._renderer is None:
            self._renderer = renderer = Renderer(_MapPainter)
            renderer.rendered.connect(self._take)
            self.destroyed.connect(lambda: renderer.stop())  # not self: it is gone by then
        self._renderer.request(wanted)

    def _take(self, drawn: tuple[_Wanted, Frame]) -> None:
        wanted, frame = drawn
        if wanted == self._wanted:
            self._map = _Map(wanted, frame, frame_image(frame))
            self.drawn.emit()


class _MapPainter:
    """Draws maps in the renderer's thread, and keeps nothing of them."""

    def frames(self, request: _Wanted, *, newer: Callable[[], bool]) -> Iterator[tuple[_Wanted, Frame]]:
        """Maps with ever more of the edges."""
        if (scene := request.scene()) is None:
            return
        plain = PictureContent(scene, Activity(scene.graph.n), layers=frozenset({Layer.EDGES}))
        wanted = Request(plain, _camera_of(scene), request.ratio, request.tokens, "transparent")
        for frame in FramePainter(ThreadTeam(1)).frames(wanted, newer=newer, patience_s=PATIENCE_S):
            yield request, frame

    def settle(self, request: _Wanted) -> None:
        """Nothing to prepare: a map does not change."""


def _useful(camera: Camera, scene: DrawableGraph) -> bool:
    small = min(camera.width, camera.height) < 3 * SIDE
    return not small and max(camera.width, camera.height) / camera.scale < _SHARE * scene.bounds.size


def _camera_of(scene: DrawableGraph) -> Camera:
    """How the map looks at the graph: all of it."""
    bounds = scene.bounds
    across, down = bounds.x1 - bounds.x0, bounds.y1 - bounds.y0
    width, height = (max(0.4 * SIDE, side / bounds.size * SIDE) if bounds.size else SIDE for side in (across, down))
    return Camera.fitting(bounds, width, height, margin=0.04)


def _card(camera: Camera, own: Camera) -> QRectF:
    return QRectF(camera.width - _MARGIN - own.width, camera.height - CLEARANCE - own.height, own.width, own.height)
