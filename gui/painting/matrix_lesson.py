"""Drawing of a lesson on the matrix picture: numbers, what the phase writes, the cell of
the step with the two cells that its sum is made of, a sentence and a key.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.painting.cards import LABEL_POINTS, PADDING
from gui.painting.close_view import row_width, struck, text_colour_on, wrapped_rows
from gui.painting.drawing import draw_card, pen, small_font
from gui.style.widgets import CENTRE, write
from solvers.picture.colours import Tokens
from solvers.picture.matrix import MatrixContent
from solvers.picture.matrix_pixels import unreachable_colour
from solvers.picture.scene.activity import Legend
from solvers.picture.scene.lesson import distance_text
from solvers.picture.scene.pairs_lesson import PairsLesson
from solvers.picture.scene.ramps import Ramp, ramp_colours

LESSON_NUMBERS_FROM = 20.0  # logical pixels per cell from which distances are written
_POINTS = (7.0, 13.0)  # of distances, least and most
_POINTS_SHARE = 0.22  # of the side of a cell
_CHIP = 3.0  # pixels around a distance that fell
_FORMER = 0.75  # size of the distance that it replaces
_BAND, _RING = 2.4, 3.0
_EARLIER = 0.4  # opacity of what earlier phases of the step wrote
_SAMPLE, _GAP, _LEADING = 14.0, 16.0, 5.0
_Place = Callable[[int, int, int, int], QRectF]  # of rows and columns from and to


def paint_matrix_lesson(
    painter: QPainter,
    place: QRectF,
    plot: QRectF,
    content: MatrixContent,
    legend: Legend,
    tokens: Tokens,
) -> None:
    """Paint numbers and marks into the matrix, which lies at ``place`` and is seen in ``plot``."""
    lesson = content.lesson
    assert lesson is not None
    side = place.width() / content.graph.n

    def area(row0: int, row1: int, column0: int, column1: int) -> QRectF:
        left, top = place.left() + column0 * side, place.top() + row0 * side
        return QRectF(left, top, (column1 - column0) * side, (row1 - row0) * side)

    painter.save()
    painter.setClipRect(plot.adjusted(-_RING, -_RING, _RING, _RING))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for mark in [] if lesson.at_end else content.marks():
        colour = QColor(tokens.frontier)
        casing = QColor(tokens.panel)
        for one in (colour, casing):
            one.setAlphaF(1.0 if mark.now else _EARLIER)
        for tone, width in ((casing, _BAND + 2.0), (colour, _BAND)):
            painter.setPen(pen(tone, width))
            for tile in mark.tiles.tolist():
                inset = _BAND / 2
                painter.drawRect(area(*tile).adjusted(inset, inset, -inset, -inset))
    if side >= LESSON_NUMBERS_FROM:
        _paint_numbers(painter, area, plot, lesson, legend, tokens)
    else:
        for row, column in zip(*np.nonzero(lesson.fallen), strict=True):
            inside = area(row, row + 1, column, column + 1).adjusted(1.0, 1.0, -1.0, -1.0)
            painter.fillRect(inside, QColor(tokens.good))
    _paint_cells(painter, area, lesson, tokens)
    painter.restore()


def _paint_numbers(
    painter: QPainter,
    area: _Place,
    plot: QRectF,
    lesson: PairsLesson,
    legend: Legend,
    tokens: Tokens,
) -> None:
    side = area(0, 1, 0, 1).width()
    least, most = _POINTS
    points = min(most, max(least, _POINTS_SHARE * side))
    plain, bold = small_font(painter, points), small_font(painter, points, bold=True)
    n = lesson.graph.n
    for row in range(n):
        for column in range(n):
            box = area(row, row + 1, column, column + 1)
            if not box.intersects(plot):
                continue
            value = float(lesson.matrix[row, column])
            words = distance_text(value)
            if lesson.fallen[row, column]:
                painter.setFont(bold)
                _paint_fallen(painter, box, words, lesson.former_cell(row, column), tokens)
            elif QFontMetricsF(plain).horizontalAdvance(words) <= side - 2.0:
                painter.setFont(plain)
                ground = _shade(value, legend, tokens)
                write(painter, box, words, text_colour_on(ground), CENTRE)


def _paint_fallen(painter: QPainter, box: QRectF, words: str, former: str, tokens: Tokens) -> None:
    """A distance that fell on a chip, below the one that it replaces if there is room."""
    bold = painter.font()
    metrics = QFontMetricsF(bold)
    width = metrics.horizontalAdvance(words)
    if width > box.width() - 2.0:
        return
    small = struck(bold)
    small.setPixelSize(max(7, round(_FORMER * bold.pixelSize())))
    below = QFontMetricsF(small)
    both = metrics.height() + below.height() + 2 * _CHIP
    has_room = max(width, below.horizontalAdvance(former)) <= box.width() - 4 * _CHIP
    shows_former = bool(former) and has_room and both <= box.height() - 2 * _CHIP
    height = both if shows_former else metrics.height() + _CHIP
    across = max(width, below.horizontalAdvance(former) if shows_former else 0.0) + 2 * _CHIP + 2.0
    chip = QRectF(0.0, 0.0, min(across, box.width() - 2.0), min(height, box.height() - 2.0))
    chip.moveCenter(box.center())
    painter.setPen(pen(tokens.good, 1.6))
    painter.setBrush(QColor(tokens.panel))
    painter.drawRoundedRect(chip, 3.5, 3.5)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if shows_former:
        upper = QRectF(chip.left(), chip.top() + _CHIP / 2, chip.width(), below.height())
        painter.setFont(small)
        write(painter, upper, former, tokens.muted, CENTRE)
        chip.setTop(upper.bottom())
    painter.setFont(bold)
    write(painter, chip, words, tokens.good, CENTRE)


def _shade(value: float, legend: Legend, tokens: Tokens) -> QColor:
    """The colour of a cell, as `matrix_pixels` has it."""
    if not math.isfinite(value):
        return QColor(unreachable_colour(tokens))
    per_unit = 255.0 / (legend.high - legend.low) if legend.high > legend.low else 0.0
    shade = min(255, max(0, int((value - legend.low) * per_unit)))
    return QColor(*ramp_colours(Ramp.DISTANCES, tokens.dark)[shade].round().astype(int).tolist())


def _paint_cells(painter: QPainter, area: _Place, lesson: PairsLesson, tokens: Tokens) -> None:
    """Ring the cell of the step, and the two that its sum is made of."""
    if lesson.cell is None or lesson.pivot is None:
        return
    (row, column), k = lesson.cell, lesson.pivot
    for i, j, colour in (
        (row, k, tokens.frontier),
        (k, column, tokens.frontier),
        (row, column, tokens.text),
    ):
        ring = area(i, i + 1, j, j + 1)
        for tone, width in ((tokens.panel, _RING + 3.0), (colour, _RING)):
            painter.setPen(pen(tone, width))
            painter.drawRoundedRect(ring, 3.0, 3.0)


def paint_lesson_key(
    painter: QPainter, left: float, bottom: float, width: float, lesson: PairsLesson, tokens: Tokens
) -> None:
    """Paint what the marks stand for, above ``bottom``, in as many rows as it takes."""
    painter.setFont(small_font(painter, LABEL_POINTS))
    metrics = QFontMetricsF(painter.font())
    entries = [(_SAMPLE, words) for words, _, _ in _key(lesson, tokens)]
    rows = wrapped_rows(entries, metrics, width - 2 * PADDING)
    line = max(metrics.height(), _SAMPLE) + _LEADING
    across = max(row_width(row, metrics) for row in rows)
    height = len(rows) * line + 2 * PADDING - _LEADING
    card = QRectF(left, bottom - height, across + 2 * PADDING, height)
    draw_card(painter, card, tokens)
    samples = iter(_key(lesson, tokens))
    for i, row in enumerate(rows):
        x, top = card.left() + PADDING, card.top() + PADDING + i * line
        for sample, words in row:
            _, colour, stroke = next(samples)
            painter.setPen(pen(colour, stroke))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(x + 1.0, top + 1.0, 12.0, 12.0), 2.0, 2.0)
            box = QRectF(x + sample + 6.0, top, metrics.horizontalAdvance(words) + 2.0, _SAMPLE)
            write(painter, box, words, tokens.text)
            x = box.right() + _GAP


def _key(lesson: PairsLesson, tokens: Tokens) -> list[tuple[str, str, float]]:
    """Words, colour and width of each mark."""
    looks = (
        (tokens.frontier, _BAND),
        (tokens.text, _RING),
        (tokens.frontier, _RING),
        (tokens.good, 1.6),
    )
    return [(words, *look) for words, look in zip(lesson.mark_words, looks, strict=True)]
