"""Painting of the whole graph picture, for screen and export: raster, and over it the
marks of its display list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from gui.painting.display import QtTextSizes, box_of, paint_marks, rectangle
from gui.painting.drawing import argb_image, place_of
from gui.style.paint import smooth
from solvers.picture.colours import Tokens
from solvers.picture.display import Mark
from solvers.picture.overlay.annotations import annotations_of
from solvers.picture.overlay.picture import overlay_marks
from solvers.picture.overlay.view import OverlayView
from solvers.picture.raster.frames import Frame
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import PictureContent


def paint_graph(
    painter: QPainter,
    frame: Frame,
    camera: Camera,
    content: PictureContent,
    tokens: Tokens,
    *,
    type_factor: float = 1.0,
    area: QRectF | None = None,
    cards: Iterable[QRectF] = (),
) -> None:
    """Paint everything but the annotations, in logical pixels; more arguments as in
    `OverlayView`.

    A frame drawn for another camera is scaled and moved, which gives an immediate
    picture while panning or zooming.
    """
    image = argb_image(frame.pixels, frame.ratio)
    if frame.camera == camera:
        painter.drawImage(QPointF(0.0, 0.0), image)
    else:
        painter.drawImage(place_of(frame.camera.bounds, camera), image)
    view = view_of(painter, frame, camera, content, tokens)
    boxes, clear = tuple(map(box_of, cards)), None if area is None else box_of(area)
    view = replace(view, type_factor=type_factor, clear_area=clear, cards=boxes)
    paint_view(painter, view, lambda shown: overlay_marks(shown, frame))


def view_of(
    painter: QPainter, frame: Frame, camera: Camera, content: PictureContent, tokens: Tokens
) -> OverlayView:
    return OverlayView(camera, content, tokens, QtTextSizes(painter.font()), frame.detail)


def paint_view(
    painter: QPainter, view: OverlayView, marks: Callable[[OverlayView], Iterable[Mark]]
) -> None:
    """Paint marks of a view, larger by its type factor if it is a close one."""
    smooth(painter)
    shown = view.enlarged
    factor = view.type_factor / shown.type_factor
    painter.save()
    painter.scale(factor, factor)
    paint_marks(painter, marks(shown))
    painter.restore()


def paint_annotations(
    painter: QPainter,
    frame: Frame,
    camera: Camera,
    content: PictureContent,
    tokens: Tokens,
    **options: Any,
) -> tuple[QRectF, ...]:
    """Paint legend, scale bar, attribution, badge and an explanation's sentence; returns where
    sentence and legends are. ``options`` are those of `annotations_of`.
    """
    found = annotations_of(view_of(painter, frame, camera, content, tokens), frame, **options)
    paint_marks(painter, found.marks)
    return tuple(rectangle(card) for card in found.cards)
