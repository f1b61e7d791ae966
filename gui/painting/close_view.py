"""Painter of a close view: arcs with heads and weights, vertices with ids, and the
lesson of an iteration.

A lesson has a legend and a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath

from gui.painting.bends import arc_controls, as_bounds
from gui.painting.cards import LABEL_POINTS, MARGIN, PADDING
from gui.painting.display import paint_shapes
from gui.painting.drawing import (
    CYCLE_WIDTH,
    PaintedView,
    add_line,
    cut_line,
    draw_card,
    draw_label,
    id_fits,
    in_points,
    pen,
    point_along,
    road_lines,
    small_font,
)
from gui.painting.labels import VALUE_GAP, VALUE_PADDING, Fonts, Labels, labels_of, weight_text
from gui.painting.turns import draw_turns
from gui.style.widgets import CENTRE, RIGHT, outline_with, write
from solvers.core.labelling import Labelling, VertexState, state_words, widest_words
from solvers.graphs.isochrone import Isochrone
from solvers.picture.colours import Tokens
from solvers.picture.display import Stroke
from solvers.picture.raster.marks import PATH_WIDTH, border_radius
from solvers.picture.scene.camera import Bounds
from solvers.picture.scene.close_arcs import ArcLook, CloseArcs, disc_radius, marker_radius
from solvers.picture.scene.content import Layer
from solvers.picture.scene.figure import (
    ACTIVE_OUTLINE,
    ARC_WIDTHS,
    LESSON_OUTLINE,
    MARKER_ROOM,
    OUTLINE,
)
from solvers.picture.scene.lesson import ArcState
from solvers.picture.scene.scene import ArcForm, Detail, DetailArc

_AROUND = 20.0  # pixels around the view in which lines are drawn
_BESIDE_FLOWS = 0.35  # opacity of arcs over roads that show their flow

CYCLE_WORDS, _PATH_WORDS = "negative cycle", "shortest path"
_ARC_WORDS = {
    ArcState.TREE: "tentative path",
    ArcState.RELAXED: "relaxed, no improvement",
    ArcState.IMPROVED: "improved",
}
_DOT, _SAMPLE = 5.5, 24.0  # radius of a vertex and length of an arc in the legend
_GAP, _LEADING = 16.0, 4.0  # between entries, and between rows

_WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft
_SENTENCE_POINTS, _LONG_SENTENCE_POINTS = 10.5, 8.5


@dataclass(frozen=True)
class Fill:
    """Drawing style of a vertex."""

    background: QColor
    outline: QColor
    text: str
    width: float = OUTLINE


def lesson_look(state: ArcState, tokens: Tokens) -> ArcLook:
    """How an arc looks in a lesson; states also differ in width and dashes."""
    colours = (tokens.edge, tokens.edge_dense, tokens.frontier, tokens.good)
    return ArcLook(colours[state], ARC_WIDTHS[state], state is ArcState.RELAXED)


def lesson_fill(state: VertexState, tokens: Tokens) -> Fill:
    """Style of a vertex in a lesson: white, pale, bright or dark."""
    fills = {
        VertexState.UNREACHED: (tokens.panel, tokens.edge, LESSON_OUTLINE),
        VertexState.TENTATIVE: (tokens.selection, tokens.frontier, LESSON_OUTLINE),
        VertexState.ACTIVE: (tokens.frontier, tokens.text, ACTIVE_OUTLINE),
        VertexState.INACTIVE: (tokens.edge_dense, tokens.edge_dense, LESSON_OUTLINE),
    }
    background, outline, width = fills[state]
    return Fill(QColor(background), QColor(outline), text_colour_on(QColor(background)), width)


def text_colour_on(background: QColor) -> str:
    """Black or white, whichever contrasts with ``background``."""
    light = 0.299 * background.redF() + 0.587 * background.greenF() + 0.114 * background.blueF()
    return "#000000" if light > 0.5 else "#FFFFFF"


class DetailPainter:
    """Paints the detail of one view; created for each paint."""

    def __init__(self, view: PaintedView, detail: Detail):
        content = view.content
        self._view = view
        self._painter, self._content, self._detail, self._tokens = (
            view.painter,
            content,
            detail,
            view.tokens,
        )
        self._radius = disc_radius(content.scene, view.camera)
        points = view.points_of(detail.ends)
        self._points = {int(v): QPointF(*p) for v, p in zip(detail.ends, points, strict=True)}
        self._clear = view.clear
        width, height = view.camera.width, view.camera.height
        seen = Bounds(-_AROUND, -_AROUND, width + _AROUND, height + _AROUND)
        self._shades = view.shades()
        self._background = QColor(view.tokens.canvas)
        self._background.setAlphaF(0.8)
        self._frontier = self._frontier_in_view()
        self._marked = {content.source, content.target} if content.has(Layer.MARKERS) else set()
        self._fonts = Fonts.of(view.painter, self._radius)
        self._camera = view.camera
        clear = as_bounds(view.clear)
        self._arcs = CloseArcs(
            content.scene, view.camera, detail, self._radius, clear, seen, self._room
        )
        self._controls = arc_controls(content.scene, view.camera, detail)
        self._labels: Labels = labels_of(detail, view.camera, content, self._fonts, view.clear)

    def draw_arcs(self) -> None:
        """Draw arcs with their heads; in a lesson the important ones last."""
        if not self._content.has(Layer.EDGES):
            return
        for arc in sorted(self._detail.arcs, key=self._state):
            paint_shapes(self._painter, self._arcs.marks(arc, self._look(arc), self._heads(arc)))

    def draw_border(self, isochrone: Isochrone) -> None:
        """Draw the covered parts of the arcs on which the budget ends."""
        for line, _, tail in self._border(isochrone):
            if (shade := self._shade(tail)) is not None:
                outline_with(self._painter, pen(shade, OUTLINE + 0.6))
                self._painter.drawPath(line)

    def draw_border_points(self, isochrone: Isochrone) -> None:
        """Draw the points where the budget ends, also on vertices."""
        radius = border_radius(4.0 * self._radius)
        self._painter.setPen(pen(self._tokens.halo, 1.0))
        self._painter.setBrush(self._tokens.text)
        for _, cut, _ in self._border(isochrone):
            self._painter.drawEllipse(cut, radius, radius)

    def _border(self, isochrone: Isochrone) -> Iterator[tuple[QPainterPath, QPointF, int]]:
        """Covered part, its end and tail of each arc on which the budget ends."""
        seen = self._detail.ends
        inside = np.isin(isochrone.border_tails, seen) & np.isin(isochrone.border_heads, seen)
        border = (
            isochrone.border_tails[inside],
            isochrone.border_heads[inside],
            isochrone.border_shares[inside],
        )
        roads = list(zip(*(values.tolist() for values in border[:2]), strict=True))
        lines = road_lines(self._content.scene, self._camera, roads)
        for tail, head, share in zip(*(values.tolist() for values in border), strict=True):
            covered = QPainterPath()
            if (line := lines.get((tail, head))) is not None:
                part = cut_line(line, share)
                add_line(covered, part)
                yield covered, part[-1], tail
                continue
            start, end = self._points[tail], self._points[head]
            control = self._controls.get((tail, head), (start + end) / 2)
            cut = point_along(start, control, end, share)
            covered.moveTo(start)
            covered.quadTo(start + (control - start) * share, cut)
            yield covered, cut, tail

    def draw_turns(self) -> None:
        """Draw the turns that restricted junctions allow."""
        if self._content.has(Layer.EDGES) and self._content.scene.graph.has_turns:
            draw_turns(self._view, self._detail, self._radius)

    def draw_weights(self) -> None:
        """Draw the weights that fit; called after the path, which would cover them."""
        self._painter.setFont(self._fonts.weights)
        for arc, box in self._labels.weights:
            draw_label(
                self._painter,
                box,
                weight_text(arc, self._content),
                self._tokens.text,
                self._background,
            )

    def draw_vertices(self) -> None:
        """Draw discs with ids, and the tentative distances of a lesson."""
        metrics = QFontMetricsF(self._fonts.ids)
        for vertex in self._detail.vertices.tolist():
            centre = self._points[vertex]
            if vertex not in self._marked:
                fill = self._fill(vertex)
                radius = self._radius * (1.15 if vertex in self._frontier else 1.0)
                self._painter.setPen(pen(fill.outline, fill.width))
                self._painter.setBrush(fill.background)
                self._painter.drawEllipse(centre, radius, radius)
                self._draw_id(vertex, centre, fill.text, metrics)
            elif vertex in self._frontier:
                outline_with(self._painter, pen(self._tokens.frontier, ACTIVE_OUTLINE))
                ring = MARKER_ROOM * marker_radius(self._radius)
                self._painter.drawEllipse(centre, ring, ring)
        for vertex, box in self._labels.values.items():
            self._draw_value(vertex, box)

    def _state(self, arc: DetailArc) -> ArcState:
        """State of an arc in a lesson; of two opposite arcs drawn as one, the more
        important state.
        """
        lesson = self._content.lesson
        if lesson is None:
            return ArcState.IDLE
        there = lesson.arc(arc.tail, arc.head)
        return (
            max(there, lesson.arc(arc.head, arc.tail)) if arc.form is ArcForm.BOTH_WAYS else there
        )

    def _look(self, arc: DetailArc) -> ArcLook:
        content = self._content
        if content.lesson is not None:
            return lesson_look(self._state(arc), self._tokens)
        if content.in_tree(arc.tail, arc.head) or (
            arc.form is ArcForm.BOTH_WAYS and content.in_tree(arc.head, arc.tail)
        ):
            return ArcLook(self._tokens.path, 2.2)
        if self._shade(arc.tail) is not None and (shade := self._shade(arc.head)) is not None:
            return ArcLook(shade.name(), OUTLINE + 0.6)
        opacity = 1.0 if content.flows is None else _BESIDE_FLOWS
        return ArcLook(self._tokens.edge_dense, OUTLINE, opacity=opacity)

    def _heads(self, arc: DetailArc) -> tuple[bool, bool]:
        """Whether to draw an arrow head at the arc's head, and at its tail.

        Opposite arcs drawn as one have none, except for the direction being relaxed in
        a lesson.
        """
        if arc.form is not ArcForm.BOTH_WAYS:
            return True, False
        lesson = self._content.lesson
        if lesson is None:
            return False, False
        there, back = lesson.arc(arc.tail, arc.head), lesson.arc(arc.head, arc.tail)
        return there > max(ArcState.IDLE, back - 1), back > max(ArcState.IDLE, there - 1)

    def _room(self, vertex: int) -> float:
        """Distance from a vertex' centre at which arrows end."""
        if vertex in self._marked:
            return 1.12 * self._radius + 2.0
        return self._radius * (1.15 if vertex in self._frontier else 1.0) + 1.0

    def _draw_id(self, vertex: int, centre: QPointF, colour: str, metrics: QFontMetricsF) -> None:
        self._painter.setFont(self._fonts.ids)
        text = self._content.scene.graph.vertex_label(vertex)
        if id_fits(metrics, text, self._radius):
            side = 2 * self._radius
            box = QRectF(centre.x() - self._radius, centre.y() - self._radius, side, side)
            write(self._painter, box, text, colour, CENTRE)
        elif vertex in self._labels.ids:
            draw_label(
                self._painter, self._labels.ids[vertex], text, self._tokens.muted, self._background
            )

    def _draw_value(self, vertex: int, room: QRectF) -> None:
        """Draw a tentative distance on a chip; after an improvement, next to the former
        one, struck out.
        """
        lesson, painter, tokens = self._content.lesson, self._painter, self._tokens
        assert lesson is not None
        metrics = QFontMetricsF(self._fonts.values)
        value, former = lesson.value(vertex), lesson.former_value(vertex)
        width = metrics.horizontalAdvance(value) + 2 * VALUE_PADDING
        width += metrics.horizontalAdvance(former) + VALUE_GAP if former else 0.0
        chip = self._beside(self._points[vertex], room, width)
        gained = vertex in lesson.improved
        painter.setPen(pen(tokens.good if gained else tokens.border, 1.6 if gained else 1.0))
        painter.setBrush(tokens.panel)
        painter.drawRoundedRect(chip, 3.5, 3.5)
        inside = chip.adjusted(VALUE_PADDING, 0.0, -VALUE_PADDING, 0.0)
        if former:
            painter.setFont(struck(self._fonts.values))
            write(painter, inside, former, tokens.muted)
        painter.setFont(self._fonts.values)
        colour = tokens.muted if value == "∞" else tokens.text
        write(painter, inside, value, tokens.good if gained else colour, RIGHT)

    @staticmethod
    def _beside(vertex: QPointF, room: QRectF, width: float) -> QRectF:
        """The part of ``room`` next to its vertex, ``width`` wide."""
        spare = max(0.0, room.width() - width)
        if room.left() > vertex.x():
            return room.adjusted(0.0, 0.0, -spare, 0.0)
        if room.right() < vertex.x():
            return room.adjusted(spare, 0.0, 0.0, 0.0)
        return room.adjusted(spare / 2, 0.0, -spare / 2, 0.0)

    def _frontier_in_view(self) -> set[int]:
        if not self._content.has(Layer.FRONTIER):
            return set()
        lesson = self._content.lesson
        active = self._content.frontier.tolist() if lesson is None else lesson.relaxing
        return self._points.keys() & active

    def _shade(self, vertex: int) -> QColor | None:
        """The colour of a vertex's value; None if it has none yet."""
        shading = self._content.shading
        if (
            shading is None
            or not len(shading.reveal)
            or shading.reveal[vertex] > self._content.position
        ):
            return None
        return self._shades[int(shading.shade[vertex])]

    def _fill(self, vertex: int) -> Fill:
        if self._content.lesson is not None:
            return lesson_fill(self._content.lesson.vertex(vertex), self._tokens)
        if vertex in self._frontier:
            background = QColor(self._tokens.frontier)
        else:
            background = self._shade(vertex) or QColor(self._tokens.panel)
        return Fill(background, QColor(self._tokens.edge_dense), text_colour_on(background))


def struck(font: QFont) -> QFont:
    struck = QFont(font)
    struck.setStrikeOut(True)
    struck.setBold(False)
    return struck


def draw_lesson_legend(
    painter: QPainter,
    left: float,
    bottom: float,
    width: float,
    tokens: Tokens,
    labelling: Labelling,
    *,
    cycle: bool = False,
) -> float:
    """Draw vertex and arc states in as few rows as ``width`` allows, and the path or a
    negative ``cycle``; returns the x where it ends.
    """
    height = lesson_legend_height(painter.font(), width)
    painter.setFont(small_font(painter, LABEL_POINTS))
    metrics = QFontMetricsF(painter.font())
    rows = legend_rows(metrics, width - 2 * PADDING)
    line = metrics.height() + _LEADING
    across = max(row_width(row, metrics) for row in rows)
    card = QRectF(left, bottom - height, across + 2 * PADDING, height)
    draw_card(painter, card, tokens)
    states, named = iter([*VertexState, *_ARC_WORDS, None]), state_words(labelling)
    path = ArcLook(tokens.path, PATH_WIDTH)
    if cycle:
        path = ArcLook(tokens.cycle, CYCLE_WIDTH, is_dashed=True)
    for i, row in enumerate(rows):
        x, y = card.left() + PADDING, card.top() + PADDING - 2.0 + (i + 0.5) * line
        for sample, words in row:
            state = next(states)
            if isinstance(state, VertexState):
                _draw_dot(painter, lesson_fill(state, tokens), QPointF(x, y))
                words = named[state]
            else:
                look = path if state is None else lesson_look(state, tokens)
                ends = np.array([(x, y), (x + sample, y)])
                stroke = Stroke(ends, look.colour, look.width, is_dashed=look.is_dashed)
                paint_shapes(painter, (stroke,))
            if state is None:
                words = CYCLE_WORDS if cycle else _PATH_WORDS
            box = QRectF(
                x + sample + 6.0, y - line / 2, metrics.horizontalAdvance(words) + 2.0, line
            )
            write(painter, box, words, tokens.text)
            x = box.right() + _GAP
    return card.right()


def lesson_legend_height(font: QFont, width: float, *, rows: int = 0) -> float:
    """Height of a lesson's legend that may be so wide, or has so many rows."""
    metrics = QFontMetricsF(in_points(font, LABEL_POINTS))
    rows = rows or len(legend_rows(metrics, width - 2 * PADDING))
    return rows * (metrics.height() + _LEADING) + 2 * PADDING - _LEADING


def draw_lesson_words(painter: QPainter, words: str, width: float, tokens: Tokens) -> QRectF:
    """Draw the sentence of the iteration along the top; returns the place of its card."""
    font, text = _sentence_layout(painter.font(), words, width)
    card = text.adjusted(-PADDING, -PADDING / 2, PADDING, PADDING / 2)
    draw_card(painter, card, tokens)
    painter.setFont(font)
    painter.setPen(tokens.text)
    painter.drawText(text, _WRAPPED, words)
    return card


def _sentence_layout(font: QFont, words: str, width: float) -> tuple[QFont, QRectF]:
    """Font and rectangle of a sentence in a view so wide."""
    font, room = in_points(font, _SENTENCE_POINTS), width - 2 * MARGIN - 2 * PADDING
    font.setBold(False)
    if QFontMetricsF(font).horizontalAdvance(words) > room:
        font = in_points(font, _LONG_SENTENCE_POINTS)
    place = QRectF(MARGIN + PADDING, MARGIN + PADDING / 2, room, 80.0)
    return font, QFontMetricsF(font).boundingRect(place, _WRAPPED, words)


def lesson_words_height(font: QFont, words: str, width: float) -> float:
    """Height of the sentence's card."""
    return _sentence_layout(font, words, width)[1].height() + PADDING


def legend_rows(metrics: QFontMetricsF, room: float) -> list[list[tuple[float, str]]]:
    """The entries, each a sample's width and words: in one row, in two by their kinds,
    or in as many as it takes. Words of other families are shorter, and a negative cycle
    stands in place of the path.
    """
    vertices = [(2 * _DOT, words) for words in widest_words()]
    last = max((CYCLE_WORDS, _PATH_WORDS), key=metrics.horizontalAdvance)
    arcs = [(_SAMPLE, words) for words in (*_ARC_WORDS.values(), last)]
    for rows in ([vertices + arcs], [vertices, arcs]):
        if max(row_width(row, metrics) for row in rows) <= room:
            return rows
    return [row for entries in (vertices, arcs) for row in wrapped_rows(entries, metrics, room)]


def wrapped_rows(
    entries: list[tuple[float, str]], metrics: QFontMetricsF, room: float
) -> list[list[tuple[float, str]]]:
    rows: list[list[tuple[float, str]]] = [[]]
    for entry in entries:
        if rows[-1] and row_width([*rows[-1], entry], metrics) > room:
            rows.append([])
        rows[-1].append(entry)
    return rows


def row_width(row: list[tuple[float, str]], metrics: QFontMetricsF) -> float:
    return sum(sample + 8.0 + metrics.horizontalAdvance(words) for sample, words in row) + _GAP * (
        len(row) - 1
    )


def _draw_dot(painter: QPainter, fill: Fill, at: QPointF) -> None:
    painter.setPen(pen(fill.outline, min(1.6, fill.width)))
    painter.setBrush(fill.background)
    painter.drawEllipse(at + QPointF(_DOT, 0.0), _DOT, _DOT)
