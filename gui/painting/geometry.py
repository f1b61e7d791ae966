"""Shared geometry of close views: discs, bent arcs, loops and markers. Logical pixels."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetricsF

from gui.picture.scene.camera import Camera
from gui.picture.scene.scene import DrawableGraph

RADIUS_RANGE = (2.5, 8.0)
FIGURE_RADIUS = 19.0  # of a vertex in a small graph
FIGURE_VERTICES = 64
MARKER_RADIUS = 8.5
MARKER_ROOM = 1.25  # extent relative to the radius: a triangle's tip, and the ring of an active marker
_RADIUS_SHARE = 0.13  # of the mean edge
_SPACING_SHARE = 0.44  # of the distance of near neighbours
_MARKER_SHARE = 1.25  # of a disc's radius
_BEND_SHARE, _MOST_BEND = 0.2, 34.0  # of a bent arc's length; pixels
_ID_INSIDE = 9.0  # disc radius from which an id is tried inside
_LABEL_GAP, _EDGE = 4.0, 2.0  # pixels between a marker and its id, and between an id and the edge of the view


def disc_radius(scene: DrawableGraph, camera: Camera) -> float:
    """Radius of a vertex in a close view; in a small graph, vertices do not overlap."""
    low, high = RADIUS_RANGE
    if scene.graph.n <= FIGURE_VERTICES:
        high = max(low, min(FIGURE_RADIUS, _SPACING_SHARE * scene.spacing * camera.scale))
    return min(high, max(low, _RADIUS_SHARE * scene.mean_length * camera.scale)) if scene.edges else high


def marker_radius(disc: float) -> float:
    """Radius of source and target among discs of radius ``disc``."""
    return max(MARKER_RADIUS, _MARKER_SHARE * disc)


def marker_label(
    centre: QPointF, radius: float, text: str, metrics: QFontMetricsF, camera: Camera, border: float = math.inf
) -> QPointF:
    """Start of the id next to a marker, if it does not fit inside: to its right or, at the edge of the view, left.

    An id that would lie across ``border``, the right end of the drawing in pixels, starts behind it.
    """
    width = metrics.horizontalAdvance(text)
    x = centre.x() + radius + _LABEL_GAP
    if x < border < x + width:
        x = border + _LABEL_GAP
    seen = 0 <= centre.x() <= camera.width and 0 <= centre.y() <= camera.height
    if not seen:
        return QPointF(x, centre.y() - radius + 2.0)
    if x + width > camera.width - _EDGE:
        x = max(_EDGE, centre.x() - radius - _LABEL_GAP - width)
    return QPointF(x, max(metrics.ascent() + _EDGE, centre.y() - radius + 2.0))


def id_fits(metrics: QFontMetricsF, text: str, radius: float) -> bool:
    """True if an id fits inside its disc or marker."""
    return radius >= _ID_INSIDE and metrics.horizontalAdvance(text) < 1.7 * radius


def bend_point(start: QPointF, end: QPointF) -> QPointF:
    """Control point of an arc that bends to its right, away from its opposite arc."""
    along = end - start
    length = math.hypot(along.x(), along.y()) or 1.0
    bend = min(_BEND_SHARE * length, _MOST_BEND) * 2.0  # the curve itself goes half as far as its control point
    return (start + end) / 2 + QPointF(-along.y(), along.x()) * (bend / length)


def point_along(start: QPointF, control: QPointF, end: QPointF, share: float) -> QPointF:
    """The point of a quadratic curve at parameter ``share``."""
    rest = 1.0 - share
    return start * (rest * rest) + control * (2.0 * share * rest) + end * (share * share)


def loop_circle(at: QPointF, radius: float) -> tuple[QPointF, float]:
    """Centre and radius of a self-loop at a disc of ``radius``."""
    return at - QPointF(0.0, 1.75 * radius), 1.05 * radius


def distance(a: QPointF, b: QPointF) -> float:
    return math.hypot(b.x() - a.x(), b.y() - a.y())


def moved(point: QPointF, towards: QPointF, by: float) -> QPointF:
    """``point`` moved by ``by`` pixels towards ``towards``, but not beyond it."""
    length = distance(point, towards)
    return point if length == 0 else point + (towards - point) * min(1.0, by / length)
