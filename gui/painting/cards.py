"""Cards over the picture: legend, width of roads, key of lines, size of an isochrone, and
scale bar.

What legends and scale bar cover of a view is computed here too, so that a fitted graph
stays clear of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QLinearGradient, QPainter

from gui.painting.drawing import SIGN_RADIUS, draw_card, draw_fault_sign, in_points, pen, small_font
from gui.painting.legend import (
    MOST_BAR,
    distance_text,
    draw_bar,
    draw_ramp,
    legend_regions,
    legend_texts,
    scale_bar,
)
from gui.style.widgets import CENTRE, fill_with, write
from solvers.graphs.isochrone import Isochrone
from solvers.picture.colours import Tokens
from solvers.picture.scene.activity import Legend
from solvers.picture.scene.camera import Camera, Cover
from solvers.text import capitalised, plural

PADDING = 10.0
MARGIN = 12.0
LABEL_POINTS = 8.5  # size of the type in cards
NARROW = 520.0  # width of views in which the zoom buttons form a column, and fewer cards are shown
_BAR_WIDTH, _BAR_HEIGHT = 150.0, 8.0
_REGION_HEIGHT = 5.0
_BAR_ROOM = 6.0  # of a scale bar below its words
_WEDGE = 5.0  # height of the line that widens, where it is widest
_LONGEST_SCALE_BAR = MOST_BAR + 2 * PADDING  # width of its card
_ROADS_CARD = 150.0  # about the width of the card of roads
_KEY_LINE = 24.0  # length
_WIDEST_TEXT = "123 456 789"  # at either end of a legend
_TOP_LEFT = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
_BOTTOM_LEFT = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft
_BOTTOM_RIGHT = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight

# colour and style of a line, a sign on it or "", and what it stands for
KeyRow = tuple[str, Qt.PenStyle, str, str]


@dataclass(frozen=True)
class LegendCard:
    """What is written and drawn on a card, in letters of ``font``."""

    font: QFont
    width: float  # of what is on it
    height: float
    paint: Callable[[QPainter, QRectF], None]  # into a rectangle of that size

    @property
    def size(self) -> QSizeF:
        return QSizeF(self.width + 2 * PADDING, self.height + 2 * PADDING)

    def draw(self, painter: QPainter, left: float, bottom: float, tokens: Tokens) -> QRectF:
        """Draw it; returns its rectangle."""
        place = QRectF(QPointF(left, bottom - self.size.height()), self.size)
        draw_card(painter, place, tokens)
        painter.setFont(self.font)
        self.paint(painter, place.adjusted(PADDING, PADDING, -PADDING, -PADDING))
        return place


def legend_card(painter: QPainter, legend: Legend, tokens: Tokens) -> LegendCard:
    """The legend of the shades, below that of a fault."""
    font = small_font(painter, LABEL_POINTS)
    metrics = QFontMetricsF(font)
    title, low, high = legend_texts(legend)
    bar = max(_BAR_HEIGHT, _REGION_HEIGHT * len(legend_regions(legend)))
    fault, sign = legend.fault, 0.0 if legend.fault is None else 3 * SIGN_RADIUS

    def paint(onto: QPainter, inside: QRectF) -> None:
        if fault is not None:
            at = inside.topLeft() + QPointF(1.5, 1.0) * SIGN_RADIUS
            draw_fault_sign(onto, at, fault.looks, tokens)
            left = inside.left() + sign + 4.0
            words = QRectF(left, inside.top(), inside.width(), 2 * SIGN_RADIUS)
            write(onto, words, fault.looks.title, tokens.text)
            inside.setTop(inside.top() + sign)
        write(onto, inside, title, tokens.muted, _TOP_LEFT)
        top = inside.top() + metrics.height()
        draw_ramp(onto, QRectF(inside.left(), top, inside.width(), bar), legend, tokens)
        write(onto, inside, low, tokens.text, _BOTTOM_LEFT)
        write(onto, inside, high, tokens.text, _BOTTOM_RIGHT)

    width = _legend_width(metrics, title, low, high)
    return LegendCard(font, width, 2 * metrics.height() + bar + sign, paint)


def _legend_width(metrics: QFontMetricsF, title: str, low: str, high: str) -> float:
    ends = metrics.horizontalAdvance(low) + metrics.horizontalAdvance(high) + 16.0
    return max(_BAR_WIDTH, metrics.horizontalAdvance(title), ends)


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
    font = small_font(painter, LABEL_POINTS)
    metrics = QFontMetricsF(font)

    def paint(onto: QPainter, inside: QRectF) -> None:
        where = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter
        write(onto, inside, words, tokens.text, where)
        draw_bar(onto, inside.center().x() - length / 2, inside.bottom(), length, tokens)

    width = max(length, metrics.horizontalAdvance(words))
    card = LegendCard(font, width, metrics.height() + _BAR_ROOM, paint)
    return card.draw(painter, left, bottom, tokens).right()


def scale_bar_width(camera: Camera, metres_per_unit: float) -> float:
    """Width in pixels of the scale bar with its card; 0 if the scale is unknown."""
    bar = scale_bar(camera, metres_per_unit)
    return 0.0 if bar is None else bar[0] + 2 * PADDING


def roads_card(painter: QPainter, words: str, tokens: Tokens) -> LegendCard:
    """What the width of roads stands for, over a line that widens."""
    font, words = small_font(painter, LABEL_POINTS), capitalised(words)
    metrics = QFontMetricsF(font)

    def paint(onto: QPainter, inside: QRectF) -> None:
        write(onto, inside, words, tokens.muted, _TOP_LEFT)
        gradient = QLinearGradient(inside.topLeft(), inside.topRight())
        gradient.setColorAt(0.0, QColor(tokens.road))
        gradient.setColorAt(1.0, QColor(tokens.road_great))
        fill_with(onto, gradient)
        middle, end = inside.bottom() - _WEDGE / 2, inside.right()
        wide = [QPointF(end, middle - _WEDGE / 2), QPointF(end, middle + _WEDGE / 2)]
        onto.drawPolygon([QPointF(inside.left(), middle), *wide])

    return LegendCard(font, metrics.horizontalAdvance(words), metrics.height() + _BAR_ROOM, paint)


def key_card(painter: QPainter, rows: Sequence[KeyRow], tokens: Tokens) -> LegendCard:
    """What lines of these kinds stand for."""
    font = small_font(painter, LABEL_POINTS)
    metrics = QFontMetricsF(font)

    def paint(onto: QPainter, inside: QRectF) -> None:
        inside.setHeight(inside.height() / len(rows))
        for colour, style, sign, words in rows:
            onto.setPen(pen(colour, 2.0, style))
            start = QPointF(inside.left(), inside.center().y())
            onto.drawLine(start, start + QPointF(_KEY_LINE, 0.0))
            on_line = QRectF(start.x(), inside.top(), _KEY_LINE, inside.height())
            onto.drawText(on_line, CENTRE, sign)
            write(onto, inside.adjusted(_KEY_LINE + 6.0, 0.0, 0.0, 0.0), words, tokens.text)
            inside.translate(0.0, inside.height())

    width = max(metrics.horizontalAdvance(words) for *_, words in rows)
    return LegendCard(font, _KEY_LINE + 6.0 + width, len(rows) * metrics.height(), paint)


def isochrone_words(isochrone: Isochrone, unit: str) -> tuple[str, str]:
    """Budget and size: ``("Within 5.00 km", "4 045 vertices, 9 908 arcs, 760 km of road")``."""
    counts = f"{plural(isochrone.vertices, 'vertex', 'vertices')}, {plural(isochrone.arcs, 'arc')}"
    length = distance_text(isochrone.length, isochrone.unit)
    return f"Within {distance_text(isochrone.budget, unit)}", f"{counts}, {length} of road"


def isochrone_card(
    painter: QPainter, isochrone: Isochrone, unit: str, tokens: Tokens
) -> LegendCard:
    """The size of the isochrone."""
    font = small_font(painter, LABEL_POINTS)
    metrics, (title, size) = QFontMetricsF(font), isochrone_words(isochrone, unit)

    def paint(onto: QPainter, inside: QRectF) -> None:
        write(onto, inside, title, tokens.muted, _TOP_LEFT)
        write(onto, inside, size, tokens.text, _BOTTOM_LEFT)

    width = max(map(metrics.horizontalAdvance, (title, size)))
    return LegendCard(font, width, 2 * metrics.height(), paint)


def annotation_covers(font: QFont, width: float, factor: float, *, scale: bool) -> list[Cover]:
    """Covers of the legend and, if there is a ``scale``, of what is beside it, all
    enlarged by ``factor``.

    They are for the longest scale bar that has room, since its length follows from the
    camera that is sought.
    """
    metrics = QFontMetricsF(in_points(font, LABEL_POINTS))
    across = _legend_width(metrics, "", _WIDEST_TEXT, _WIDEST_TEXT) + 2 * PADDING
    height, line = MARGIN + 2 * PADDING, metrics.height()
    covers = [(MARGIN, MARGIN + across, height + 2 * line + _BAR_HEIGHT)]
    if scale:
        left = 2 * MARGIN + across
        roads = 0.0 if width < NARROW else _ROADS_CARD + MARGIN
        covers.append((left, left + roads + _LONGEST_SCALE_BAR, height + line + _BAR_ROOM))
    scaled = (
        Cover(left * factor, min(width, right * factor), height * factor)
        for left, right, height in covers
    )
    return [cover for cover in scaled if cover.left < width]
