"""Painter of display lists by QPainter."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPolygonF

from gui.painting.drawing import pen
from gui.style.widgets import faded, fill_with, outline_with
from solvers.picture.display import Area, Shape, Stroke


def paint_shapes(painter: QPainter, shapes: Iterable[Shape]) -> None:
    """Paint strokes, areas and discs, in logical pixels."""
    for shape in shapes:
        if isinstance(shape, Stroke):
            _paint_stroke(painter, shape)
        elif isinstance(shape, Area):
            fill_with(painter, faded(shape.fill, shape.opacity))
            painter.drawPolygon(QPolygonF([QPointF(*point) for point in shape.points.tolist()]))
        else:
            outline_with(painter, pen(shape.outline, shape.width))
            if shape.fill is not None:
                painter.setBrush(QColor(shape.fill))
            painter.drawEllipse(QPointF(*shape.middle), shape.radius, shape.radius)


def _paint_stroke(painter: QPainter, stroke: Stroke) -> None:
    style = Qt.PenStyle.DashLine if stroke.is_dashed else Qt.PenStyle.SolidLine
    line = pen(faded(stroke.colour, stroke.opacity), stroke.width, style)
    if stroke.is_dashed:
        line.setDashOffset(stroke.dash_offset / stroke.width)
    outline_with(painter, line)
    first, *others = (QPointF(*point) for point in stroke.points.tolist())
    path = QPainterPath(first)
    if stroke.is_curve:
        path.quadTo(*others)
    else:
        for point in others:
            path.lineTo(point)
    painter.drawPath(path)
