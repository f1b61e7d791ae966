"""Legend and sentence of a lesson."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.painting.annotations import MARGIN, PADDING
from gui.painting.detail_painter import lesson_fill, lesson_stroke
from gui.painting.pens import draw_card, pen, small_font
from gui.picture.scene.lesson import ArcState, VertexState
from gui.style.tokens import Tokens

_ARC_WORDS = {
    ArcState.TREE: "tentative path",
    ArcState.RELAXED: "relaxed, no improvement",
    ArcState.IMPROVED: "improved",
}
_DOT, _SAMPLE = 5.5, 24.0  # radius of a vertex and length of an arc in the legend
_GAP = 16.0  # between entries


def draw_lesson_legend(painter: QPainter, left: float, bottom: float, width: float, tokens: Tokens) -> float:
    """Draw vertex and arc states in as few rows as ``width`` allows; returns the x where it ends."""
    painter.setFont(small_font(painter, 8.5))
    metrics = QFontMetricsF(painter.font())
    rows = legend_rows(metrics, width - 2 * PADDING)
    line = metrics.height() + 4.0
    across = max(row_width(row, metrics) for row in rows)
    height = len(rows) * line + 2 * PADDING - 4.0
    card = QRectF(left, bottom - height, across + 2 * PADDING, height)
    draw_card(painter, card, tokens)
    states = iter([*VertexState, *_ARC_WORDS])
    for i, row in enumerate(rows):
        x, y = card.left() + PADDING, card.top() + PADDING - 2.0 + (i + 0.5) * line
        for sample, words in row:
            _draw_sample(painter, next(states), QPointF(x, y), sample, tokens)
            painter.setPen(QColor(tokens.text))
            box = QRectF(x + sample + 6.0, y - line / 2, metrics.horizontalAdvance(words) + 2.0, line)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)
            x = box.right() + _GAP
    return card.right()


def draw_lesson_words(painter: QPainter, words: str, width: float, tokens: Tokens) -> None:
    """Draw the sentence of the iteration along the top."""
    painter.setFont(small_font(painter, 10.5))
    room = width - 2 * MARGIN - 2 * PADDING
    if QFontMetricsF(painter.font()).horizontalAdvance(words) > room:
        painter.setFont(small_font(painter, 8.5))
    wrap = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft
    text = painter.boundingRect(QRectF(MARGIN + PADDING, MARGIN + PADDING / 2, room, 80.0), wrap, words)
    draw_card(painter, text.adjusted(-PADDING, -PADDING / 2, PADDING, PADDING / 2), tokens)
    painter.setPen(QColor(tokens.text))
    painter.drawText(text, wrap, words)


def legend_rows(metrics: QFontMetricsF, room: float) -> list[list[tuple[float, str]]]:
    """The entries, each a sample's width and words: in one row, in two by their kinds, or in as many as it takes."""
    vertices = [(2 * _DOT, state.value) for state in VertexState]
    arcs = [(_SAMPLE, words) for words in _ARC_WORDS.values()]
    for rows in ([vertices + arcs], [vertices, arcs]):
        if max(row_width(row, metrics) for row in rows) <= room:
            return rows
    return [row for entries in (vertices, arcs) for row in _wrapped(entries, metrics, room)]


def _wrapped(entries: list[tuple[float, str]], metrics: QFontMetricsF, room: float) -> list[list[tuple[float, str]]]:
    rows: list[list[tuple[float, str]]] = [[]]
    for entry in entries:
        if rows[-1] and row_width([*rows[-1], entry], metrics) > room:
            rows.append([])
        rows[-1].append(entry)
    return rows


def row_width(row: list[tuple[float, str]], metrics: QFontMetricsF) -> float:
    """Width of a row of the legend."""
    return sum(sample + 8.0 + metrics.horizontalAdvance(words) for sample, words in row) + _GAP * (len(row) - 1)


def _draw_sample(painter: QPainter, state: VertexState | ArcState, at: QPointF, length: float, tokens: Tokens) -> None:
    if isinstance(state, VertexState):
        fill = lesson_fill(state, tokens)
        painter.setPen(pen(fill.outline, min(1.6, fill.width)))
        painter.setBrush(fill.background)
        painter.drawEllipse(at + QPointF(_DOT, 0.0), _DOT, _DOT)
        return
    stroke = lesson_stroke(state, tokens)
    painter.setPen(pen(stroke.colour, stroke.width, stroke.style))
    painter.drawLine(at, at + QPointF(length, 0.0))
