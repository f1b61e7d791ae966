"""Overview map in the corner: the whole graph, with a frame around the visible part.

It is drawn in a separate thread, on one core. Of a large graph, growing random samples
of the edges are drawn for a short time; on so few pixels a large sample looks the same
as all edges.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QObject, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QImage, QPainter

from gui.canvas.pointer import Tool
from gui.canvas.renderer import Renderer
from gui.canvas.view import GraphView
from gui.model.window_thread import WindowThread
from gui.painting.display import box_of, paint_marks
from gui.painting.drawing import argb_image, pen, place_of
from gui.style.paint import outline_with
from solvers.picture.colours import Tokens
from solvers.picture.overlay.cards import panel
from solvers.picture.raster.frames import Frame, FramePainter, Request
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import Layer, PictureContent
from solvers.picture.scene.scene import DrawableGraph
from solvers.system.quiet import Quiet
from solvers.system.threads import ThreadTeam

SIDE = 132.0  # logical pixels of the longer side
CLEARANCE = 52.0  # above the zoom buttons
PATIENCE_S = 0.25  # edges not drawn by then are left out; millions are drawn
_MARGIN = 12.0
_SHARE = 0.72  # the map is shown if less than this share of the graph's longer side is in view


@dataclass(frozen=True)
class _Wanted:
    """Identifies a map. The reference to the scene is weak, because the renderer keeps
    its last request.
    """

    scene: weakref.ref[DrawableGraph]
    tokens: Tokens
    ratio: float

    def looks_like(self, other: _Wanted) -> bool:
        """Whether both maps have the same pixels: closing roads makes another scene
        with the same edges.
        """
        own, others = self.scene(), other.scene()
        same_edges = own is not None and others is not None and own.draws_like(others)
        return same_edges and (self.tokens, self.ratio) == (other.tokens, other.ratio)


@dataclass(frozen=True, eq=False)
class _Map:
    of: _Wanted
    frame: Frame  # whose pixels the image shares
    image: QImage


class Overview(QObject):
    """Paints the map, which is drawn again when the scene, the colour scheme or the
    pixel ratio changes.
    """

    drawn = Signal()  # a new or finer map is ready to be painted

    def __init__(
        self, window: WindowThread, parent: QObject, *, quiet: Quiet | None = None
    ) -> None:
        super().__init__(parent)
        self._window, self._quiet = window, quiet
        self._wanted: _Wanted | None = None
        self._map: _Map | None = None
        self._renderer: Renderer[_Wanted] | None = None

    @property
    def shown(self) -> object:
        """Identifies the map that is painted; None without one."""
        return self._map

    def clear(self) -> None:
        """Discard the map, because another graph is open."""
        self._wanted = self._map = None

    @staticmethod
    def place(camera: Camera, scene: DrawableGraph) -> QRectF | None:
        """Where the map is in the view; None where it is of no use."""
        return _card(camera, _camera_of(scene)) if _useful(camera, scene) else None

    def paint(
        self, painter: QPainter, camera: Camera, scene: DrawableGraph, tokens: Tokens, ratio: float
    ) -> None:
        """Paint the current map; the first map of a scene is announced by `drawn`."""
        if (card := self.place(camera, scene)) is None:
            return
        self._want(_Wanted(weakref.ref(scene), tokens, ratio))
        own = _camera_of(scene)
        paint_marks(painter, [panel(box_of(card), tokens)])
        if self._map is not None and self._map.of == self._wanted:
            painter.drawImage(card.topLeft(), self._map.image)
        elif self._map is not None:
            painter.drawImage(card, self._map.image)
        frame = place_of(camera.bounds, own).translated(card.topLeft())
        frame.setSize(frame.size().expandedTo(QSizeF(3.0, 3.0)))
        outline_with(painter, pen(tokens.accent, 1.5))
        painter.drawRect(frame.intersected(card))

    def world_at(
        self, at: QPointF, camera: Camera, scene: DrawableGraph
    ) -> tuple[float, float] | None:
        """The world point at a point of the map; None outside the map."""
        if (card := self.place(camera, scene)) is None:
            return None
        own = _camera_of(scene)
        return (
            own.to_world(at.x() - card.left(), at.y() - card.top()) if card.contains(at) else None
        )

    def _want(self, wanted: _Wanted) -> None:
        """Request a map unless it exists or is being drawn; the previous map is shown meanwhile."""
        if self._wanted is not None and self._wanted.looks_like(wanted):
            return
        self._wanted = wanted
        if self._renderer is None:
            self._renderer = renderer = Renderer(_MapPainter, self._window, self._quiet)
            renderer.rendered.connect(self._take)
            self.destroyed.connect(lambda: renderer.stop())  # not self, which is deleted by then
        self._renderer.request(wanted)

    def _take(self, drawn: tuple[_Wanted, Frame]) -> None:
        wanted, frame = drawn
        if wanted == self._wanted:
            self._map = _Map(wanted, frame, argb_image(frame.pixels, frame.ratio))
            self.drawn.emit()


class MapTool(Tool):
    def __init__(self, overview: Overview, view: GraphView):
        self._overview, self._view = overview, view

    def click(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> bool:
        content = self._view.content
        inside = at - self._view.clear_area.topLeft()
        goal = (
            None
            if content is None
            else self._overview.world_at(inside, self._view.clear_camera, content.scene)
        )
        if goal is not None:
            self._view.centre(*goal)
        return goal is not None


class _MapPainter:
    """Draws maps in the renderer's thread; stateless."""

    def frames(
        self, request: _Wanted, *, newer: Callable[[], bool]
    ) -> Iterator[tuple[_Wanted, Frame]]:
        """Maps of growing samples of the edges."""
        if (scene := request.scene()) is None:
            return
        plain = PictureContent(scene, Activity(scene.graph.n), layers=frozenset({Layer.EDGES}))
        wanted = Request(
            plain,
            _camera_of(scene),
            request.ratio,
            request.tokens,
            "transparent",
            with_detail=False,
        )
        for frame in FramePainter(ThreadTeam(1)).frames(wanted, newer=newer, patience_s=PATIENCE_S):
            yield request, frame

    def settle(self, request: _Wanted) -> None:
        """Does nothing, since a map does not change."""


def _useful(camera: Camera, scene: DrawableGraph) -> bool:
    small = min(camera.width, camera.height) < 3 * SIDE
    return (
        not small and max(camera.width, camera.height) / camera.scale < _SHARE * scene.bounds.size
    )


def _camera_of(scene: DrawableGraph) -> Camera:
    """The map's camera, which shows the whole graph."""
    bounds = scene.bounds
    across, down = bounds.x1 - bounds.x0, bounds.y1 - bounds.y0
    width, height = (
        max(0.4 * SIDE, side / bounds.size * SIDE) if bounds.size else SIDE
        for side in (across, down)
    )
    return Camera.fitting(bounds, width, height, margin=0.04)


def _card(camera: Camera, own: Camera) -> QRectF:
    return QRectF(
        camera.width - _MARGIN - own.width,
        camera.height - CLEARANCE - own.height,
        own.width,
        own.height,
    )
