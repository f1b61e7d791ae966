"""Painting of the whole graph picture, for screen and export: raster, detail, path,
markers, annotations.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QPainter

from gui.painting.annotations import (
    attribution_of,
    attribution_width,
    draw_attribution,
    draw_badge,
)
from gui.painting.cards import (
    MARGIN,
    NARROW,
    PADDING,
    LegendCard,
    draw_scale_bar,
    isochrone_card,
    key_card,
    legend_card,
    roads_card,
    scale_bar_width,
)
from gui.painting.close_view import (
    CYCLE_WORDS,
    DetailPainter,
    draw_lesson_legend,
    draw_lesson_words,
    lesson_legend_height,
)
from gui.painting.drawing import PaintedView, argb_image, count_inside, paint_enlarged, place_of
from gui.painting.overlay import (
    draw_climbs,
    draw_cycle,
    draw_fault,
    draw_markers,
    draw_other_ways,
    draw_path,
    draw_ring_guides,
    draw_separators,
    draw_step_arc,
)
from gui.painting.road_names import draw_road_names
from gui.painting.roads import (
    draw_border_points,
    draw_border_roads,
    draw_path_before,
    draw_road_marks,
    road_key,
)
from gui.style.widgets import smooth
from solvers.core.labelling import Labelling, common
from solvers.picture.colours import Tokens
from solvers.picture.raster.frames import Frame
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import Layer, PictureContent
from solvers.system.array_types import Float64s

_CARD_GAP = 6.0  # between legends, in pixels
_LEGENDS_HEIGHT = 64.0
# of the zoom buttons in the lower right corner, kept free by legend and scale bar
BUTTONS_WIDTH = 120.0
COLUMN_WIDTH = 44.0  # of the buttons in narrow views
_LEAST_SCALE_BAR = 40.0  # beside the legend
_BADGES = 76.0  # height of the badges in the upper left corner, below which cards may move
_LESSON_ROOM = 135.0  # height that fitting leaves around a graph for sentence, discs and labels
LEAST_LESSON = 290.0  # height of a page that has room for the legend of a lesson
_LEAST_GRAPH = 120.0  # height of a small graph beside which a legend is shown
_GRAPH_SHARE, _SIZE_STEP = 0.36, 0.05  # of a view's height that larger type leaves to the graph
_LESSON_WIDTH = 400.0  # of a view in which a lesson's type has 100 per cent, in pixels
_NEAR = 8.0  # pixels about a card in which a point counts as covered


def paint_graph(
    painter: QPainter,
    frame: Frame,
    camera: Camera,
    content: PictureContent,
    tokens: Tokens,
    *,
    type_factor: float = 1.0,
    over_legends: QRectF | None = None,
) -> None:
    """Paint everything but the annotations, in logical pixels; more arguments as in `PaintedView`.

    A frame drawn for another camera is scaled and moved, which gives an immediate
    picture while panning or zooming.
    """
    _paint_raster(painter, frame, camera)
    view = PaintedView(painter, camera, content, tokens, frame.detail, type_factor, over_legends)
    paint_enlarged(view, partial(paint_overlay, frame=frame))


def paint_overlay(view: PaintedView, frame: Frame) -> None:
    """Paint the vector overlay: detail, path, negative cycle, source and target."""
    isochrone = frame.isochrone
    smooth(view.painter)
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
    draw_other_ways(view)
    draw_path(view, frame.path)
    if not frame.roads_drawn:
        draw_road_marks(view)
    draw_cycle(view)
    if close is not None:
        close.draw_turns()
        close.draw_weights()
        close.draw_vertices()
    if isochrone is not None:
        draw_border_points(view, isochrone)
        if close is not None:
            close.draw_border_points(isochrone)
    draw_road_names(view)
    draw_markers(view)
    draw_fault(view)


def paint_annotations(
    painter: QPainter,
    frame: Frame,
    camera: Camera,
    content: PictureContent,
    tokens: Tokens,
    *,
    bottom: float | None = None,
    with_legend: bool = True,
    kept_free: float = 0.0,
    legend_width: float | None = None,
    legend_left: float = 0.0,
    attribution_bottom: float | None = None,
    clear_of: Float64s | None = None,
) -> tuple[QRectF, ...]:
    """Paint legend, scale bar, attribution, badge and a lesson's sentence; returns where
    sentence and legends are.

    ``bottom`` defaults to the view's; ``kept_free`` is the width of what lies in the
    lower right corner. Legends are arranged for a view of ``legend_width``, by default
    the view's, that begins at ``legend_left``, and move to be ``clear_of`` (k, 2)
    points. The attribution is above ``attribution_bottom``, by default in the strip
    below everything else.
    """
    bottom = camera.height - MARGIN if bottom is None else bottom
    left = 0.0
    cards: list[QRectF] = []
    if frame.detail is not None and content.sentence:
        cards.append(draw_lesson_words(painter, content.sentence, camera.width, tokens))
    if with_legend:
        view = camera if legend_width is None else replace(camera, width=legend_width)
        painter.translate(legend_left, 0.0)
        end, legends = paint_legends(
            painter, frame, view, content, tokens, bottom, kept_free=kept_free, clear_of=clear_of
        )
        cards += legends
        left = legend_left + end
        painter.translate(-legend_left, 0.0)
    if words := attribution_of(content.scene.graph):
        right, lowest = camera.width - MARGIN, camera.height + 1.0
        if attribution_bottom is not None:
            crowded = right - attribution_width(painter, words) < left + MARGIN
            lowest = attribution_bottom - (_LEGENDS_HEIGHT if crowded else 0.0)
        draw_attribution(painter, right, lowest, words, tokens)
    if frame.drawn < 1.0:
        draw_badge(painter, f"{max(1, round(100 * frame.drawn))} % of edges drawn", tokens)
    return tuple(cards)


def paint_legends(
    painter: QPainter,
    frame: Frame,
    camera: Camera,
    content: PictureContent,
    tokens: Tokens,
    bottom: float,
    *,
    kept_free: float = 0.0,
    clear_of: Float64s | None = None,
    outside: bool = False,
    beside: Collection[Labelling] = (),
) -> tuple[float, tuple[QRectF, ...]]:
    """Paint legends and scale bar, clear of ``kept_free`` at the right; returns where
    the lowest row of them ends, and the places of the legends. ``outside`` the picture a
    lesson's has room in any case. Lessons of other families may be ``beside`` it.

    They stand side by side while there is room, else one above the other. One that
    would cover some of the (k, 2) points ``clear_of`` goes to the upper left corner, if
    it covers fewer of them there.
    """
    right = _right_of(camera.width, kept_free)
    places = _CardPlaces(painter, bottom, right, clear_of, tokens)
    if content.lesson is not None and frame.detail is not None:
        room = lesson_legend_room(painter.font(), camera.width, camera.height, kept_free)
        # a page has a margin for it
        if outside or (room if kept_free else camera.height >= LEAST_LESSON):
            cycle, room = bool(content.cycle), right - MARGIN
            labelling = common([content.lesson.labelling, *beside])
            end = draw_lesson_legend(painter, MARGIN, bottom, room, tokens, labelling, cycle=cycle)
            places.left = end + MARGIN
    else:
        for card in _cards(painter, frame, content, tokens, is_narrow=camera.width < NARROW):
            places.draw(card)
    metres = content.scene.metres_per_unit
    lowest = places.left - MARGIN
    left, room = places.left, right - places.left - 2 * PADDING
    # a narrow pane
    if room < min(_LEAST_SCALE_BAR, scale_bar_width(camera, metres)) and places.above < bottom:
        left, bottom, room = MARGIN, places.above, right - MARGIN
    end = draw_scale_bar(painter, left, bottom, camera, metres, tokens, room)
    return max(end, lowest), tuple(places.drawn)


def lesson_legend_room(
    font: QFont, width: float, height: float, kept_free: float = BUTTONS_WIDTH
) -> float:
    """Height that a lesson's legend takes in a view of that size, with its margin; 0
    where there is no room for it.
    """
    legend = lesson_legend_height(font, _right_of(width, kept_free) - MARGIN) + MARGIN
    return legend if height - legend >= _LESSON_ROOM + _LEAST_GRAPH else 0.0


def lesson_strip_size(font: QFont, width: float, size: float) -> float:
    """Factor of a lesson's legend below a picture in type of that ``size``: as large as
    leaves it two rows.
    """
    two = lesson_legend_height(font, math.inf, rows=2)
    while size > 1.0 and lesson_legend_height(font, _strip_room(width / size)) > two:
        size -= _SIZE_STEP
    return size


def lesson_size(font: QFont, width: float, height: float, size: float, *, legend: bool) -> float:
    """Factor of discs, labels and annotations of a small graph in type of that ``size``:
    as large as leaves room for the graph, and for a ``legend`` on the picture.
    """
    factor = min(size, width / _LESSON_WIDTH)
    while factor > 1.0:
        room = lesson_legend_room(font, width / factor, height / factor) if legend else 0.0
        fits = bool(room) or not legend
        if fits and height - factor * (_LESSON_ROOM + room) >= _GRAPH_SHARE * height:
            return factor
        factor -= _SIZE_STEP
    return 1.0


def _right_of(width: float, kept_free: float) -> float:
    """Where legends end in a view so wide."""
    return width - MARGIN - (kept_free if width >= NARROW else min(kept_free, COLUMN_WIDTH))


def _strip_room(width: float) -> float:
    """Width of a legend in a strip so wide."""
    return _right_of(width, BUTTONS_WIDTH) - MARGIN


def _cards(
    painter: QPainter, frame: Frame, content: PictureContent, tokens: Tokens, *, is_narrow: bool
) -> list[LegendCard]:
    """What the picture needs explained; width of roads, and size of an isochrone, only
    where there is room.
    """
    cards: list[LegendCard] = []
    legend, roads, isochrone = frame.legend, content.shown_prominence, frame.isochrone
    if legend is not None:
        cards.append(legend_card(painter, legend, tokens))
        if isochrone is not None and not is_narrow:
            cards.append(isochrone_card(painter, isochrone, legend.unit, tokens))
    if roads is not None and content.lesson is None and not (cards and is_narrow):
        if content.lit_roads is roads:
            cards.append(legend_card(painter, roads.legend, tokens))
        else:
            cards.append(roads_card(painter, roads.words, tokens))
    key = road_key(content, tokens)
    if content.cycle and content.has(Layer.CYCLE):
        key = [*key, (tokens.cycle, Qt.PenStyle.DashLine, "", CYCLE_WORDS)]
    if key:
        cards.append(key_card(painter, key, tokens))
    return cards


class _CardPlaces:
    """Where the next card goes: beside the last one, above it, or in the upper left corner.

    ``drawn``: places of the cards.
    ``left``: where the lowest row goes on.
    ``above``: lower edge of a card above all cards at the left.
    """

    def __init__(
        self,
        painter: QPainter,
        bottom: float,
        right: float,
        clear_of: Float64s | None,
        tokens: Tokens,
    ):
        self._painter, self._tokens = painter, tokens
        self._bottom, self._right, self._clear_of = bottom, right, clear_of
        self.left, self.above, self._top = MARGIN, bottom, _BADGES
        self.drawn: list[QRectF] = []

    def draw(self, card: LegendCard) -> None:
        size = card.size
        places = [QPointF(self.left, self._bottom), QPointF(MARGIN, self.above)]
        if self.left > MARGIN and self.left + size.width() > self._right:
            places = places[1:]
        if self._clear_of is not None:
            places.append(QPointF(MARGIN, self._top + size.height()))
        at = min(
            places,
            key=lambda place: self._covered(
                QRectF(QPointF(place.x(), place.y() - size.height()), size)
            ),
        )
        drawn = card.draw(self._painter, at.x(), at.y(), self._tokens)
        self.drawn.append(drawn)
        if at.y() == self._bottom:
            self.left = max(self.left, drawn.right() + MARGIN)
        if self._clear_of is not None and at == places[-1]:
            self._top = drawn.bottom() + _CARD_GAP
        else:
            self.above = min(self.above, drawn.top() - _CARD_GAP)

    def _covered(self, place: QRectF) -> int:
        """Number of points that a card in that place would cover."""
        if self._clear_of is None:
            return 0
        return count_inside(place.adjusted(-_NEAR, -_NEAR, _NEAR, _NEAR), self._clear_of)


def _paint_raster(painter: QPainter, frame: Frame, camera: Camera) -> None:
    image = argb_image(frame.pixels, frame.ratio)
    if frame.camera == camera:
        painter.drawImage(QPointF(0.0, 0.0), image)
        return
    painter.drawImage(place_of(frame.camera.bounds, camera), image)
