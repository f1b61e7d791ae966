"""The small map in the corner: the whole graph, and a frame round what the canvas shows of it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from gui.canvas.activity import Activity
from gui.canvas.camera import Camera
from gui.canvas.frames import Frame, FramePainter, Request
from gui.canvas.pens import draw_card, pen
from gui.canvas.scene import DrawableGraph
from gui.canvas.shown import Layer, Shown
from gui.picture import frame_image
from gui.theme import Tokens

SIDE = 132.0  # logical pixels of the longer side
CLEARANCE = 52.0  # above the zoom buttons
MOST_EDGES = 1_000_000  # drawn in the window's thread, once: 20 ms
_MARGIN = 12.0
_SHARE = 0.72  # of the graph's longer side in view, below which the map is of use


@dataclass(frozen=True, eq=False)
class _Map:
    frame: Frame
    image: QImage


class Overview:
    """Paints the map; made once per scene and scheme."""

    def __init__(self) -> None:
        self._map: _Map | None = None

    def clear(self) -> None:
        """Forget the map: another scene or scheme."""
        self._map = None

    def paint(self, painter: QPainter, camera: Camera, scene: DrawableGraph, tokens: Tokens, ratio: float) -> None:
        if not self._useful(camera, scene):
            return
        if self._map is None or self._map.frame.ratio != ratio:
            frame = _draw(scene, tokens, ratio)
            self._map = _Map(frame, frame_image(frame))
        card = self._card(camera, self._map.frame.camera)
        draw_card(painter, card, tokens)
        painter.drawImage(card.topLeft(), self._map.image)
        seen, own = camera.bounds, self._map.frame.camera
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
        if self._map is None or not self._useful(camera, scene):
            return None
        card = self._card(camera, self._map.frame.camera)
        return self._map.frame.camera.to_world(at.x() - card.left(), at.y() - card.top()) if card.contains(at) else None

    def _useful(self, camera: Camera, scene: DrawableGraph) -> bool:
        small = min(camera.width, camera.height) < 3 * SIDE
        return (
            not small
            and scene.edges <= MOST_EDGES
            and max(camera.width, camera.height) / camera.scale < _SHARE * scene.bounds.size
        )

    def _card(self, camera: Camera, own: Camera) -> QRectF:
        return QRectF(camera.width - _MARGIN - own.width, camera.height - CLEARANCE - own.height, own.width, own.height)


def _draw(scene: DrawableGraph, tokens: Tokens, ratio: float) -> Frame:
    bounds = scene.bounds
    across, down = bounds.x1 - bounds.x0, bounds.y1 - bounds.y0
    width, height = (max(0.4 * SIDE, side / bounds.size * SIDE) if bounds.size else SIDE for side in (across, down))
    camera = Camera.fitting(bounds, width, height, margin=0.04)
    plain = Shown(scene, Activity(scene.graph.n), layers=frozenset({Layer.EDGES}))
    return FramePainter().last_frame(Request(plain, camera, ratio, tokens, "transparent"))
