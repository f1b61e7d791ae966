"""Draws the separators of a hierarchy, and the climbs and levels of a watched query, over the picture."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from gui.painting.overlay import polyline
from gui.painting.pens import pen
from gui.picture.scene.camera import Camera
from gui.picture.scene.content import Layer, PictureContent
from gui.picture.scene.detail import Detail
from gui.picture.scene.ramps import Ramp, ramp_colours
from gui.style.tokens import Tokens

_RADII = (5.0, 2.2)  # of the dots of the top separator, and least
_RADIUS_STEP = 0.45  # from one level to the next
_HALO = 1.2  # pixels around a dot ...
_HALO_FROM = 2.8  # ... of at least this radius
_NEWEST = 1.5  # pixels by which the separator lit last is larger
_SETTLED = 3.0  # radius of the separators that a sweep settles
_CLIMB_WIDTH, _CLIMB_HALO, _CLIMB_RADIUS = 1.4, 3.6, 5.0
_OUTSIDE = 10.0  # pixels around the view in which dots are drawn


def draw_separators(painter: QPainter, camera: Camera, content: PictureContent, tokens: Tokens) -> None:
    """Draw the marked separators as dots in the colour of their level, and those that the play-back is settling."""
    view = content.levels
    if view is None or not content.has(Layer.SEPARATORS):
        return
    colours = ramp_colours(Ramp.LEVELS, tokens.dark)
    levels, shades = view.picture.levels.separators.level, view.picture.values.shade
    largest, least = _RADII
    for place, (number, vertices) in reversed(list(enumerate(view.marked, 1))):
        radius = max(least, largest - _RADIUS_STEP * float(levels[number])) + _NEWEST * (place == view.lit)
        colour = QColor(*(int(channel) for channel in colours[shades[vertices[0]]]))
        _dots(painter, camera, content.scene.positions[vertices], radius, colour, tokens)
    if content.has(Layer.FRONTIER):
        for vertices in view.settling(content.activity, content.position):
            _dots(painter, camera, content.scene.positions[vertices], _SETTLED, QColor(tokens.frontier), tokens)


def draw_climbs(
    painter: QPainter, camera: Camera, content: PictureContent, tokens: Tokens, detail: Detail | None
) -> None:
    """Draw the climbs of a watched query up to the iteration, each with a dot where it is."""
    if not content.has(Layer.FRONTIER):
        return
    for vertices in content.activity.climbs(content.position):
        line = polyline(content.scene, vertices, camera, detail)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.strokePath(line, pen(tokens.halo, _CLIMB_HALO))
        painter.strokePath(line, pen(tokens.frontier, _CLIMB_WIDTH))
        last = content.scene.positions[vertices[-1:]]
        _dots(painter, camera, last, _CLIMB_RADIUS, QColor(tokens.frontier), tokens)


def _dots(
    painter: QPainter, camera: Camera, positions: NDArray[np.float64], radius: float, colour: QColor, tokens: Tokens
) -> None:
    points = camera.to_screen(positions)
    size = np.array([camera.width, camera.height])
    seen = np.all((points >= -_OUTSIDE) & (points <= size + _OUTSIDE), axis=1)  # false for NaN
    polygon = QPolygonF(list(_points(points[seen])))
    rings = [(radius, colour)]
    if radius >= _HALO_FROM:
        rings.insert(0, (radius + _HALO, QColor(tokens.halo)))
    for outer, shade in rings:
        painter.setPen(QPen(shade, 2 * outer, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPoints(polygon)


def _points(points: NDArray[np.float64]) -> Iterable[QPointF]:
    return (QPointF(x, y) for x, y in points.tolist())
