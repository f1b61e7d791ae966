"""Dragging of the source's or target's marker, and the painting of a marker in hand."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainter

from gui.model.live_state import HeldMarker
from gui.painting.geometry import MARKER_RADIUS, distance
from gui.painting.overlay import paint_marker, source_colour
from gui.picture.scene.camera import Camera
from gui.picture.scene.content import Layer, PictureContent
from gui.style.tokens import Tokens

SOURCE, TARGET = "source", "target"
_REACH = 1.3  # of a marker's radius
_SEARCH_PX = (12.0, 60.0, 300.0)  # a drop takes the nearest vertex, however far


@dataclass(frozen=True)
class MarkerDrag:
    """A marker in hand.

    Attributes
    ----------
    what : str
        "source" or "target".
    place : int
        Place among several sources; 0 for the first, and for the target.
    at : QPointF
        Pointer in the widget.
    vertex : int
        Nearest vertex, which a drop would choose; -1 if the graph has none in view.
    """

    what: str
    place: int
    at: QPointF
    vertex: int

    @property
    def held(self) -> HeldMarker | None:
        """The same for live mode; None while there is no vertex to drop on."""
        return HeldMarker(self.what == SOURCE, self.place, self.vertex) if self.vertex >= 0 else None

    def without_marker(self, content: PictureContent) -> PictureContent:
        """``content`` without the marker that is in hand."""
        if self.place > 0:
            others = tuple(None if i == self.place else v for i, v in enumerate(content.more_sources, 1))
            return replace(content, more_sources=others)
        return replace(content, source=None) if self.what == SOURCE else replace(content, target=None)

    def paint(self, painter: QPainter, camera: Camera, content: PictureContent, tokens: Tokens) -> None:
        """Paint the marker at the pointer, and a line to the vertex that it would drop on."""
        colour = source_colour(content, self.place, tokens) if self.what == SOURCE else tokens.target
        if self.vertex >= 0:
            there = QPointF(*camera.to_screen(content.scene.positions[self.vertex]))
            painter.setPen(QColor(colour))
            painter.drawLine(self.at, there)
            painter.drawEllipse(there, MARKER_RADIUS, MARKER_RADIUS)
        several = bool(content.more_sources)
        paint_marker(painter, self.what == SOURCE, self.at, MARKER_RADIUS, colour, tokens, outlined=several)


def marker_at(content: PictureContent, camera: Camera, at: QPointF) -> tuple[str, int] | None:
    """The marker under a point, by what it is and its place: sources, drawn above, or the target."""
    if not content.has(Layer.MARKERS):
        return None
    more = ((SOURCE, i, vertex) for i, vertex in enumerate(content.more_sources, 1))
    for what, place, vertex in ((SOURCE, 0, content.source), *more, (TARGET, 0, content.target)):
        if vertex is None or not np.isfinite(content.scene.positions[vertex]).all():
            continue
        if distance(QPointF(*camera.to_screen(content.scene.positions[vertex])), at) <= _REACH * MARKER_RADIUS:
            return what, place
    return None


def nearest_vertex(content: PictureContent, camera: Camera, at: QPointF) -> int:
    """The vertex nearest to a point of the widget; -1 if there is none."""
    x, y = camera.to_world(at.x(), at.y())
    reaches = [*(pixels / camera.scale for pixels in _SEARCH_PX), 4.0 * content.scene.bounds.size + 1.0]
    return next((v for reach in reaches if (v := content.scene.grid.nearest(x, y, reach)) >= 0), -1)
