"""Painting of the whole graph picture, for screen and export: raster, detail, path, markers, annotations."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter

from gui.painting.annotations import (
    MARGIN,
    PADDING,
    attribution_of,
    attribution_width,
    draw_attribution,
    draw_badge,
    draw_isochrone_card,
    draw_legend,
    draw_roads_card,
    draw_scale_bar,
    scale_bar_width,
)
from gui.painting.close_view import DetailPainter, draw_lesson_legend, draw_lesson_words
from gui.painting.drawing import PaintedView
from gui.painting.overlay import (
    draw_climbs,
    draw_cycle,
    draw_markers,
    draw_path,
    draw_ring_guides,
    draw_separators,
    draw_step_arc,
)
from gui.painting.road_names import draw_road_names
from gui.painting.roads import draw_border_points, draw_border_roads, draw_path_before, draw_road_marks
from gui.picture.raster.frames import Frame
from gui.picture.scene.camera import Camera
from gui.picture.scene.content import PictureContent
from gui.style.colours import Tokens

_CARD_GAP = 6.0  # between legends, in pixels
_LEGENDS_HEIGHT = 64.0
BUTTONS_WIDTH = 120.0  # of the zoom buttons in the lower right corner, kept free by legend and scale bar
NARROW, COLUMN_WIDTH = 520.0, 44.0  # in narrower views the buttons form a column so wide
_LEAST_SCALE_BAR = 40.0  # beside the legend


def frame_image(frame: Frame) -> QImage:
    """The frame's pixels as an image that shares their memory; keep the frame alive with it."""
    height, width = frame.pixels.shape
    image = QImage(frame.pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(frame.ratio)
    return image


def paint_graph(
    painter: QPainter, frame: Frame, camera: Camera, content: PictureContent, tokens: Tokens, *,
    type_factor: float = 1.0,
) -> None:  # fmt: skip
    """Paint everything but the annotations, in logical pixels; ``type_factor`` enlarges the ids of the end points.

    A frame drawn for another camera is scaled and moved, which gives an immediate picture while panning or zooming.
    """
    _paint_raster(painter, frame, camera)
    paint_overlay(PaintedView(painter, camera, content, tokens, frame.detail, type_factor), frame)


def paint_overlay(view: PaintedView, frame: Frame) -> None:
    """Paint the vector overlay: detail, path, negative cycle, source and target."""
    isochrone = frame.isochrone
    view.painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    close = None if view.detail is None else DetailPainter(view, view.detail)
    draw_ring_guides(view)
    if isochrone is not None:
        draw_border_roads(view, isochrone)
    draw_step_arc(view)
    if close is not None:
        close.draw_arcs()
        if isochrone is not None:
            close.draw_border(isochrone)
    draw_separators(view)
    draw_climbs(view)
    draw_path_before(view)
    draw_path(view)
    if not frame.roads_drawn:
        draw_road_marks(view)
    draw_cycle(view)
    if close is not None:
        close.draw_weights()
        close.draw_vertices()
    if isochrone is not None:
        draw_border_points(view, isochrone)
        if close is not None:
            close.draw_border_points(isochrone)
    draw_road_names(view)
    draw_markers(view)


def paint_annotations(
    painter: QPainter, frame: Frame, camera: Camera, content: PictureContent, tokens: Tokens, *,
    bottom: float | None = None, with_legend: bool = True, kept_free: float = 0.0, legend_width: float | None = None,
    attribution_bottom: float | None = None,
) -> None:  # fmt: skip
    """Paint legend, scale bar, attribution, badge and a lesson's sentence.

    ``bottom`` defaults to the view's; ``kept_free`` is the width of what lies in the lower right corner. Legends are
    arranged for a view of ``legend_width``, by default the view's, and the attribution is above
    ``attribution_bottom``, by default ``bottom``.
    """
    bottom = camera.height - MARGIN if bottom is None else bottom
    if frame.detail is not None and content.sentence:
        draw_lesson_words(painter, content.sentence, camera.width, tokens)
    left = 0.0
    if with_legend:
        view = camera if legend_width is None else replace(camera, width=legend_width)
        left = paint_legends(painter, frame, view, content, tokens, bottom, kept_free=kept_free)
    if words := attribution_of(content.scene.graph):
        right = camera.width - MARGIN - kept_free
        crowded = right - attribution_width(painter, words) < left + MARGIN
        lowest = bottom if attribution_bottom is None else attribution_bottom
        draw_attribution(painter, right, lowest - (_LEGENDS_HEIGHT if crowded else 0.0), words, tokens)
    if frame.drawn < 1.0:
        draw_badge(painter, f"{max(1, round(100 * frame.drawn))} % of edges drawn", tokens)


def paint_legends(
    painter: QPainter, frame: Frame, camera: Camera, content: PictureContent, tokens: Tokens, bottom: float, *,
    kept_free: float = 0.0,
) -> float:  # fmt: skip
    """Paint legends and scale bar, clear of ``kept_free`` at the right; returns where the lowest row of them ends."""
    left, above = MARGIN, bottom
    right = camera.width - MARGIN - (kept_free if camera.width >= NARROW else min(kept_free, COLUMN_WIDTH))
    if content.lesson is not None and frame.detail is not None:
        room = right - MARGIN
        left = draw_lesson_legend(painter, left, bottom, room, tokens) + MARGIN
    elif frame.legend is not None:
        legend = draw_legend(painter, left, bottom, frame.legend, tokens)
        left = legend.right() + MARGIN
        above = legend.top() - _CARD_GAP
        if frame.isochrone is not None:
            card = draw_isochrone_card(painter, legend.left(), above, frame.isochrone, frame.legend.unit, tokens)
            above = card.top() - _CARD_GAP
    if content.shown_prominence is not None and content.lesson is None:
        roads = draw_roads_card(painter, MARGIN, above, content.shown_prominence.words, tokens)
        above = roads.top() - _CARD_GAP
        left = max(left, roads.right() + MARGIN)
    lowest = left - MARGIN
    metres = content.scene.metres_per_unit
    room = right - left - 2 * PADDING
    if room < min(_LEAST_SCALE_BAR, scale_bar_width(camera, metres)) and above < bottom:  # a narrow pane
        left, bottom, room = MARGIN, above, right - MARGIN
    end = draw_scale_bar(painter, left, bottom, camera, metres, tokens, room)
    return max(end, lowest)


def _paint_raster(painter: QPainter, frame: Frame, camera: Camera) -> None:
    image = frame_image(frame)
    if frame.camera == camera:
        painter.drawImage(QPointF(0.0, 0.0), image)
        return
    then = frame.camera.bounds
    dx, dy = camera.offset
    place = QRectF(
        then.x0 * camera.scale + dx,
        then.y0 * camera.scale + dy,
        (then.x1 - then.x0) * camera.scale,
        (then.y1 - then.y0) * camera.scale,
    )
    painter.drawImage(place, image)
