"""Points, areas and curves of close views between Qt's types and those of the display list."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF

from solvers.picture.scene import close_arcs
from solvers.picture.scene.camera import Bounds, Camera
from solvers.picture.scene.close_arcs import ArcCurve, Point, Road
from solvers.picture.scene.scene import Detail, DrawableGraph


def qt_point(point: Point) -> QPointF:
    return QPointF(point.real, point.imag)


def as_point(point: QPointF) -> Point:
    return complex(point.x(), point.y())


def as_bounds(area: QRectF) -> Bounds:
    return Bounds(area.left(), area.top(), area.right(), area.bottom())


def curve_of(start: QPointF, control: QPointF, end: QPointF) -> ArcCurve:
    return ArcCurve(as_point(start), as_point(control), as_point(end))


def arc_controls(
    scene: DrawableGraph, camera: Camera, detail: Detail | None
) -> dict[Road, QPointF]:
    """`close_arcs.arc_controls` as Qt's points."""
    found = close_arcs.arc_controls(scene, camera, detail)
    return {road: qt_point(control) for road, control in found.items()}
