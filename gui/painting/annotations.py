"""Annotations of the picture: legend, scale bar, badge, message, hover card, card of an
isochrone, attribution.

Legend and scale bar are drawn as cards or, for strips outside the picture, in one low
row without cards. What they cover of a view is computed here too, so that a fitted
graph stays clear of them. The attribution is the one that the licence of a graph's data
asks for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QLinearGradient, QPainter, QPen

from gui.painting.drawing import (
    CARD_OPACITY,
    SIGN_RADIUS,
    draw_card,
    draw_fault_sign,
    draw_label,
    in_points,
    pen,
    small_font,
)
from solvers.graphs.graph import Graph
from solvers.graphs.isochrone import Isochrone
from solvers.picture.colours import Tokens
from solvers.picture.scene.activity import Legend, band_colours, band_shades
from solvers.picture.scene.camera import Camera, Cover
from solvers.picture.scene.ramps import COMMUNITY_COLOURS, Ramp, RegionRamps, ramp_colours
from solvers.picture.scene.values import rounded, short_distance
from solvers.system.array_types import Float64s
from solvers.text import grouped, plural

PADDING = 10.0
MARGIN = 12.0
LABEL_POINTS = 8.5  # size of the type in cards
_BAR_WIDTH, _BAR_HEIGHT = 150.0, 8.0
_REGION_HEIGHT = 5.0
_RING = 6.0  # radius of the ring around the vertex under the pointer
SELECTION_RING = 11.0
_MOST_BAR, _LEAST_BAR = 150.0, 20.0  # lengths of the scale bar in logical pixels
_WEDGE = 5.0  # height of the line that widens, where it is widest
LEAST_LESSON = 290.0  # height of a page that has room for the legend of a lesson
LONGEST_SCALE_BAR = _MOST_BAR + 2 * PADDING  # width of its card
ROADS_CARD = 150.0  # about the width of the card of roads
NARROW = 520.0  # width of views in which the zoom buttons form a column, and fewer cards are shown

# colour and style of a line, a sign on it or "", and what it stands for
KeyRow = tuple[str, Qt.PenStyle, str, str]
_KEY_LINE = 24.0  # length

_ATTRIBUTION_POINTS = 7.5

ROW_HEIGHT = 26.0
_LEGEND_ROW_POINTS = 8.5
_RAMP_WIDTH, _LEAST_RAMP, _RAMP_HEIGHT = 110.0, 36.0, 12.0
_GAP, _GROUP_GAP, _TICK = 7.0, 24.0, 5.0

_WIDEST_TEXT = "123 456 789"  # at either end of a legend


def draw_legend(
    painter: QPainter, left: float, bottom: float, legend: Legend, tokens: Tokens
) -> QRectF:
    """Draw the legend of the shades, below that of a fault; returns its rectangle."""
    size = legend_size(painter, legend)
    line = QFontMetricsF(painter.font()).height()
    title, low, high = legend_texts(legend)
    bar_height = max(_BAR_HEIGHT, _REGION_HEIGHT * len(_regions(legend)))
    sign = size.height() - legend_height(QFontMetricsF(painter.font()), bar_height)
    card = QRectF(QPointF(left, bottom - size.height()), size)
    draw_card(painter, card, tokens)
    inside = card.adjusted(PADDING, PADDING, -PADDING, -PADDING)
    if legend.fault is not None:
        draw_fault_sign(
            painter, inside.topLeft() + QPointF(1.5, 1.0) * SIGN_RADIUS, legend.fault.looks, tokens
        )
        words = QRectF(inside.left() + sign + 4.0, inside.top(), inside.width(), 2 * SIGN_RADIUS)
        painter.setPen(QColor(tokens.text))
        painter.drawText(
            words,
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
            legend.fault.looks.title,
        )
        inside.setTop(inside.top() + sign)
    painter.setPen(QColor(tokens.muted))
    painter.drawText(inside, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft, title)
    draw_ramp(
        painter,
        QRectF(inside.left(), inside.top() + line, inside.width(), bar_height),
        legend,
        tokens,
    )
    painter.setPen(QColor(tokens.text))
    painter.drawText(inside, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft, low)
    painter.drawText(inside, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight, high)
    return card


def legend_size(painter: QPainter, legend: Legend) -> QSizeF:
    """Size of the card, in the font that the painter has from here on."""
    painter.setFont(small_font(painter, LABEL_POINTS))
    metrics = QFontMetricsF(painter.font())
    height = legend_height(metrics, max(_BAR_HEIGHT, _REGION_HEIGHT * len(_regions(legend))))
    height += 0.0 if legend.fault is None else 3 * SIGN_RADIUS
    return QSizeF(legend_width(metrics, *legend_texts(legend)), height)


def legend_width(metrics: QFontMetricsF, title: str, low: str, high: str) -> float:
    """Width of a legend's card with these texts."""
    ends = metrics.horizontalAdvance(low) + metrics.horizontalAdvance(high) + 16.0
    return max(_BAR_WIDTH, metrics.horizontalAdvance(title), ends) + 2 * PADDING


def legend_height(metrics: QFontMetricsF, bar: float = _BAR_HEIGHT) -> float:
    return 2 * PADDING + 2 * metrics.height() + bar


def legend_texts(legend: Legend) -> tuple[str, str, str]:
    """What the shades stand for, and the values at both ends."""
    low, high = legend.ends or (
        distance_text(legend.low, legend.unit),
        distance_text(legend.high, legend.unit),
    )
    bands = f", bands of {distance_text(legend.step, legend.unit)}" if legend.step > 0.0 else ""
    return _capitalised(legend.quantity) + bands, low, high


def draw_ramp(painter: QPainter, place: QRectF, legend: Legend, tokens: Tokens) -> None:
    """Draw the shades, those of several regions one above the other."""
    colours, regions = ramp_colours(legend.ramp, tokens.dark), _regions(legend)
    painter.setPen(Qt.PenStyle.NoPen)
    each = place.height() / len(regions)
    for i, shades in enumerate(regions):
        bar = QRectF(place.left(), place.top() + i * each, place.width(), each)
        if legend.ramp is Ramp.COMMUNITIES:
            count = min(COMMUNITY_COLOURS, int(legend.high))
            for k in range(count):
                block = QRectF(
                    bar.left() + k * bar.width() / count,
                    bar.top(),
                    bar.width() / count - 0.8,
                    bar.height(),
                )
                painter.fillRect(
                    block,
                    QColor(*colours[(2 * k + 1) * 128 // COMMUNITY_COLOURS].astype(int).tolist()),
                )
        elif legend.step > 0.0:
            _draw_bands(painter, bar, legend, colours, shades)
        else:
            _draw_gradient(painter, bar, colours[shades])
    for tick in legend.ticks:
        x = place.left() + tick * place.width()
        painter.fillRect(QRectF(x - 0.5, place.top(), 1.0, place.height()), QColor(tokens.panel))


def _regions(legend: Legend) -> list[slice]:
    """The shades of each region; all if there are no regions."""
    if not isinstance(legend.ramp, RegionRamps):
        return [slice(0, 256)]
    levels = legend.ramp.levels
    return [slice(i * levels, (i + 1) * levels) for i in range(legend.ramp.count)]


def _draw_gradient(painter: QPainter, bar: QRectF, colours: Float64s) -> None:
    gradient = QLinearGradient(bar.left(), 0.0, bar.right(), 0.0)
    for at in np.linspace(0.0, 1.0, 17):
        gradient.setColorAt(
            float(at), QColor(*(int(c) for c in colours[round(at * (len(colours) - 1))]))
        )
    painter.setBrush(gradient)
    painter.drawRoundedRect(bar, 2.0, 2.0)


def _draw_bands(
    painter: QPainter, bar: QRectF, legend: Legend, colours: Float64s, shades: slice
) -> None:
    """Draw the legend bar of some shades in the colours of the bands, with proportional widths."""
    inside, begins = band_colours(colours, legend)[shades], band_shades(legend)[1][shades]
    starts = [0, *np.flatnonzero(begins).tolist(), len(inside)]
    for first, last in pairwise(starts):
        colour = QColor(*(int(c) for c in inside[first]))
        left, right = (bar.left() + bar.width() * shade / len(inside) for shade in (first, last))
        painter.fillRect(
            QRectF(left, bar.top(), max(1.0, right - left - 0.8), bar.height()), colour
        )


def scale_bar(
    camera: Camera, metres_per_unit: float, room: float = math.inf
) -> tuple[float, str] | None:
    """Length in pixels and text of a round distance that is no longer than ``room``;
    None if the scale is unknown.
    """
    if metres_per_unit <= 0:
        return None
    metres_per_pixel = metres_per_unit / camera.scale
    most = max(_LEAST_BAR, min(_MOST_BAR, room)) * metres_per_pixel
    power = 10.0 ** math.floor(math.log10(most))
    metres = max(step * power for step in (1, 2, 5) if step * power <= most)
    return metres / metres_per_pixel, _length_text(metres)


def _length_text(metres: float) -> str:
    if metres >= 1000:
        return f"{grouped(metres / 1000, 'g')} km"
    return f"{metres:g} m" if metres >= 1 else f"{metres * 100:g} cm"


def scale_bar_width(camera: Camera, metres_per_unit: float) -> float:
    """Width in pixels of the scale bar with its card; 0 if the scale is unknown."""
    bar = scale_bar(camera, metres_per_unit)
    return 0.0 if bar is None else bar[0] + 2 * PADDING


def scale_bar_height(metrics: QFontMetricsF) -> float:
    return 2 * PADDING + metrics.height() + 6.0


def draw_scale_bar(
    painter: QPainter,
    left: float,
    bottom: float,
    camera: Camera,
    metres_per_unit: float,
    tokens: Tokens,
    room: float = math.inf,
) -> float:
    """Draw the scale bar, no longer than ``room``, with its length; returns the x where it ends."""
    bar = scale_bar(camera, metres_per_unit, room)
    if bar is None:
        return left
    length, words = bar
    painter.setFont(small_font(painter, LABEL_POINTS))
    metrics = QFontMetricsF(painter.font())
    width, height = max(length, metrics.horizontalAdvance(words)), scale_bar_height(metrics)
    card = QRectF(left, bottom - height, width + 2 * PADDING, height)
    draw_card(painter, card, tokens)
    painter.setPen(QColor(tokens.text))
    painter.drawText(
        card.adjusted(PADDING, PADDING, -PADDING, 0),
        Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter,
        words,
    )
    y, x0 = card.bottom() - PADDING, card.center().x() - length / 2
    painter.setPen(pen(tokens.text, 1.6))
    painter.drawPolyline(
        [
            QPointF(x0, y - 5.0),
            QPointF(x0, y),
            QPointF(x0 + length, y),
            QPointF(x0 + length, y - 5.0),
        ]
    )
    return card.right()


def draw_roads_card(
    painter: QPainter, left: float, bottom: float, words: str, tokens: Tokens
) -> QRectF:
    """Draw what the width of roads stands for, over a line that widens; returns the
    card's rectangle.
    """
    size = roads_card_size(painter, words)
    card = QRectF(QPointF(left, bottom - size.height()), size)
    draw_card(painter, card, tokens)
    inside = card.adjusted(PADDING, PADDING, -PADDING, -PADDING)
    painter.setPen(QColor(tokens.muted))
    painter.drawText(
        inside, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft, _capitalised(words)
    )
    gradient = QLinearGradient(inside.topLeft(), inside.topRight())
    gradient.setColorAt(0.0, QColor(tokens.road))
    gradient.setColorAt(1.0, QColor(tokens.road_great))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(gradient)
    middle, end = inside.bottom() - _WEDGE / 2, inside.right()
    painter.drawPolygon(
        [
            QPointF(inside.left(), middle),
            QPointF(end, middle - _WEDGE / 2),
            QPointF(end, middle + _WEDGE / 2),
        ]
    )
    return card


def roads_card_size(painter: QPainter, words: str) -> QSizeF:
    """Size of the card, in the font that the painter has from here on."""
    painter.setFont(small_font(painter, LABEL_POINTS))
    metrics = QFontMetricsF(painter.font())
    return QSizeF(
        metrics.horizontalAdvance(_capitalised(words)) + 2 * PADDING, scale_bar_height(metrics)
    )


def key_card_size(painter: QPainter, rows: Sequence[KeyRow]) -> QSizeF:
    """Size of the card, in the font that the painter has from here on."""
    painter.setFont(small_font(painter, LABEL_POINTS))
    metrics = QFontMetricsF(painter.font())
    width = max(metrics.horizontalAdvance(words) for *_, words in rows)
    return QSizeF(_KEY_LINE + 6.0 + width + 2 * PADDING, len(rows) * metrics.height() + 2 * PADDING)


def draw_key_card(
    painter: QPainter, left: float, bottom: float, rows: Sequence[KeyRow], tokens: Tokens
) -> QRectF:
    """Draw what lines of these kinds stand for; returns the card's rectangle."""
    size = key_card_size(painter, rows)
    card = QRectF(QPointF(left, bottom - size.height()), size)
    draw_card(painter, card, tokens)
    inside = card.adjusted(PADDING, PADDING, -PADDING, -PADDING)
    inside.setHeight(inside.height() / len(rows))
    for colour, style, sign, words in rows:
        painter.setPen(pen(colour, 2.0, style))
        start = QPointF(inside.left(), inside.center().y())
        painter.drawLine(start, start + QPointF(_KEY_LINE, 0.0))
        painter.drawText(
            QRectF(start.x(), inside.top(), _KEY_LINE, inside.height()),
            Qt.AlignmentFlag.AlignCenter,
            sign,
        )
        painter.setPen(QColor(tokens.text))
        box = inside.adjusted(_KEY_LINE + 6.0, 0.0, 0.0, 0.0)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
        inside.translate(0.0, inside.height())
    return card


def draw_badge(
    painter: QPainter, text: str, tokens: Tokens, *, left: float = MARGIN, top: float = MARGIN
) -> None:
    """Draw a short remark in the upper left corner."""
    painter.setFont(small_font(painter, LABEL_POINTS))
    metrics = QFontMetricsF(painter.font())
    card = QRectF(
        left, top, metrics.horizontalAdvance(text) + 2 * PADDING, metrics.height() + PADDING
    )
    draw_card(painter, card, tokens)
    painter.setPen(QColor(tokens.text))
    painter.drawText(card, Qt.AlignmentFlag.AlignCenter, text)


def draw_message(painter: QPainter, rectangle: QRect, text: str, tokens: Tokens) -> None:
    """Draw a message in the middle of an empty canvas."""
    painter.setFont(small_font(painter, 11.0))
    painter.setPen(QColor(tokens.muted))
    painter.drawText(QRectF(rectangle), Qt.AlignmentFlag.AlignCenter, text)


def draw_ring(painter: QPainter, at: QPointF, tokens: Tokens) -> None:
    """Draw a ring around the selected vertex, readable on any background."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((tokens.halo, 5.0), (tokens.accent, 2.5)):
        painter.setPen(QPen(QColor(colour), width))
        painter.drawEllipse(at, SELECTION_RING, SELECTION_RING)


def draw_hover_card(
    painter: QPainter,
    at: QPointF,
    rows: list[tuple[str, str]],
    camera: Camera,
    tokens: Tokens,
    *,
    ring: bool = True,
) -> None:
    """Draw a ring around the vertex and a table of names and values next to it, inside the view."""
    if ring:
        painter.setPen(QColor(tokens.text))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(at, _RING, _RING)
    rows = [(_capitalised(name), value) for name, value in rows]
    painter.setFont(small_font(painter, LABEL_POINTS))
    metrics = QFontMetricsF(painter.font())
    names = max(metrics.horizontalAdvance(name) for name, _ in rows)
    values = max(metrics.horizontalAdvance(value) for _, value in rows)
    line = metrics.height()
    card = QRectF(0.0, 0.0, names + values + 12.0 + 2 * PADDING, len(rows) * line + 2 * PADDING)
    right = at.x() + 16.0
    x = right if right + card.width() < camera.width else max(4.0, at.x() - 16.0 - card.width())
    y = min(max(4.0, at.y() - card.height() / 2), camera.height - card.height() - 4.0)
    card.moveTo(x, y)
    draw_card(painter, card, tokens)
    for i, (name, value) in enumerate(rows):
        row = QRectF(
            card.left() + PADDING, card.top() + PADDING + i * line, card.width() - 2 * PADDING, line
        )
        painter.setPen(QColor(tokens.muted))
        painter.drawText(row, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        painter.setPen(QColor(tokens.text))
        painter.drawText(
            row.adjusted(names + 12.0, 0, 0, 0),
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
            value,
        )


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def distance_text(value: float, unit: str) -> str:
    """A distance as legends and cards say it."""
    return short_distance(rounded(value), unit)


def attribution_of(graph: Graph) -> str:
    """Text of the attribution; "" if the data need none."""
    return "" if graph.roads is None else graph.roads.attribution


def attribution_width(painter: QPainter, text: str) -> float:
    return QFontMetricsF(small_font(painter, _ATTRIBUTION_POINTS)).horizontalAdvance(text)


def draw_attribution(
    painter: QPainter, right: float, bottom: float, text: str, tokens: Tokens
) -> None:
    """Draw the attribution so that it ends at ``right`` and stands on ``bottom``."""
    painter.setFont(small_font(painter, _ATTRIBUTION_POINTS))
    metrics = QFontMetricsF(painter.font())
    width, height = metrics.horizontalAdvance(text), metrics.height()
    ground = QColor(tokens.canvas)
    ground.setAlphaF(CARD_OPACITY)
    draw_label(
        painter,
        QRectF(right - width - 2.0, bottom - height, width + 4.0, height),
        text,
        tokens.muted,
        ground,
    )


def draw_legend_row(
    painter: QPainter,
    legend: Legend | None,
    camera: Camera,
    metres_per_unit: float,
    tokens: Tokens,
    room: float = math.inf,
    kept_free: float = 0.0,
) -> float:
    """Draw "Distance 0 m (ramp) 144 km" and the scale bar, from x = 0; returns the x
    where they end.

    In a narrow ``room`` the ramp is shorter and the scale bar is left out, so that as
    much as ``kept_free`` of it is free; then the words beside the sign of a fault are
    left out.
    """
    painter.setFont(small_font(painter, _LEGEND_ROW_POINTS))
    across = QFontMetricsF(painter.font()).horizontalAdvance
    x = 0.0
    if legend is not None:
        title, low, high = legend_texts(legend)
        needed = across(title) + across(low) + across(high) + 3 * _GAP
        name = "" if legend.fault is None else legend.fault.looks.title
        if legend.fault is not None:
            needed += _GROUP_GAP + 2 * SIGN_RADIUS
            name = name if needed + _GAP + across(name) + _LEAST_RAMP <= room else ""
            needed += _GAP + across(name) if name else 0.0
        beside = room - kept_free - needed
        ramp = min(
            _RAMP_WIDTH, beside if beside >= _LEAST_RAMP else max(_LEAST_RAMP, room - needed)
        )
        x = _write(painter, title, x, tokens.muted) + _GAP
        x = _write(painter, low, x, tokens.text) + _GAP
        draw_ramp(
            painter, QRectF(x, (ROW_HEIGHT - _RAMP_HEIGHT) / 2, ramp, _RAMP_HEIGHT), legend, tokens
        )
        x = _write(painter, high, x + ramp + _GAP, tokens.text)
        if legend.fault is not None:
            x += _GROUP_GAP + SIGN_RADIUS
            draw_fault_sign(painter, QPointF(x, ROW_HEIGHT / 2), legend.fault.looks, tokens)
            x = (
                _write(painter, name, x + SIGN_RADIUS + _GAP, tokens.text)
                if name
                else x + SIGN_RADIUS
            )
    bar, end = scale_bar(camera, metres_per_unit), x
    x += _GROUP_GAP if x else 0.0
    if bar is None or x + bar[0] + _GAP + across(bar[1]) > room - kept_free:
        return end
    length, words = bar
    y = (ROW_HEIGHT + _TICK) / 2
    painter.setPen(pen(tokens.text, 1.6))
    painter.drawPolyline(
        [
            QPointF(x, y - _TICK),
            QPointF(x, y),
            QPointF(x + length, y),
            QPointF(x + length, y - _TICK),
        ]
    )
    return _write(painter, words, x + length + _GAP, tokens.text)


def _write(painter: QPainter, words: str, x: float, colour: str) -> float:
    """Write ``words`` from ``x``; returns where they end."""
    width = QFontMetricsF(painter.font()).horizontalAdvance(words)
    painter.setPen(QColor(colour))
    box = QRectF(x, 0.0, width + 1.0, ROW_HEIGHT)
    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
    return x + width


def annotation_covers(font: QFont, width: float, factor: float, *, scale: bool) -> list[Cover]:
    """Covers of the legend and, if there is a ``scale``, of what is beside it, all
    enlarged by ``factor``.

    They are for the longest scale bar that has room, since its length follows from the
    camera that is sought.
    """
    metrics = QFontMetricsF(in_points(font, LABEL_POINTS))
    across = legend_width(metrics, "", _WIDEST_TEXT, _WIDEST_TEXT)
    covers = [(MARGIN, MARGIN + across, MARGIN + legend_height(metrics))]
    if scale:
        left = 2 * MARGIN + across
        roads = 0.0 if width < NARROW else ROADS_CARD + MARGIN
        covers.append((left, left + roads + LONGEST_SCALE_BAR, MARGIN + scale_bar_height(metrics)))
    scaled = (
        Cover(left * factor, min(width, right * factor), height * factor)
        for left, right, height in covers
    )
    return [cover for cover in scaled if cover.left < width]


def isochrone_words(isochrone: Isochrone, unit: str) -> tuple[str, str]:
    """Budget and size: ``("Within 5.00 km", "4 045 vertices, 9 908 arcs, 760 km of road")``."""
    counts = f"{plural(isochrone.vertices, 'vertex', 'vertices')}, {plural(isochrone.arcs, 'arc')}"
    length = distance_text(isochrone.length, isochrone.unit)
    return f"Within {distance_text(isochrone.budget, unit)}", f"{counts}, {length} of road"


def draw_isochrone_card(
    painter: QPainter, left: float, bottom: float, isochrone: Isochrone, unit: str, tokens: Tokens
) -> QRectF:
    """Draw the size of the isochrone; returns its rectangle."""
    room = isochrone_card_size(painter, isochrone, unit)
    title, size = isochrone_words(isochrone, unit)
    card = QRectF(QPointF(left, bottom - room.height()), room)
    draw_card(painter, card, tokens)
    inside = card.adjusted(PADDING, PADDING, -PADDING, -PADDING)
    painter.setPen(QColor(tokens.muted))
    painter.drawText(inside, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft, title)
    painter.setPen(QColor(tokens.text))
    painter.drawText(inside, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft, size)
    return card


def isochrone_card_size(painter: QPainter, isochrone: Isochrone, unit: str) -> QSizeF:
    """Size of the card, in the font that the painter has from here on."""
    painter.setFont(small_font(painter, LABEL_POINTS))
    metrics = QFontMetricsF(painter.font())
    width = max(metrics.horizontalAdvance(words) for words in isochrone_words(isochrone, unit))
    return QSizeF(width + 2 * PADDING, 2 * metrics.height() + 2 * PADDING)
