"""A lesson on the matrix picture: numbers, what the phase writes, the cell of the step with
the two cells that its sum is made of, and a key.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from solvers.core.trace import MatrixTrace
from solvers.features.lesson.pairs_lesson import PairsLesson, pairs_lesson_of
from solvers.graphs.graph import Graph
from solvers.picture.colours import Tokens
from solvers.picture.display import (
    Area,
    Box,
    Mark,
    Plate,
    TextSizes,
    Words,
    filled,
    hex_colour,
    text_colour_on,
    text_style,
)
from solvers.picture.matrix import MatrixContent
from solvers.picture.matrix_pixels import unreachable_colour
from solvers.picture.overlay.cards import PADDING, LegendCard, row_width, wrapped_rows
from solvers.picture.overlay.legend import LETTERS
from solvers.picture.overlay.view import baseline, height_of
from solvers.picture.scene.activity import Legend
from solvers.picture.scene.ramps import Ramp, ramp_colours

LESSON_NUMBERS_FROM = 20.0  # logical pixels per cell from which distances are written
_POINTS = (7.0, 13.0)  # of distances, least and most
_POINTS_SHARE = 0.22  # of the side of a cell
_CHIP = 3.0  # pixels around a distance that fell
_FORMER = 0.75  # size of the distance that it replaces
_BAND, LESSON_REACH = 2.4, 3.0  # widths of lines; marks reach so far out of the matrix
_EARLIER = 0.4  # opacity of what earlier phases of the step wrote
_SAMPLE, _GAP, _LEADING = 14.0, 16.0, 5.0


@dataclass(frozen=True, eq=False)
class MatrixLesson(PairsLesson):
    """The lesson of a phase, drawn into the matrix."""

    numbers_from = LESSON_NUMBERS_FROM
    reach = LESSON_REACH

    def marks(
        self,
        sizes: TextSizes,
        place: Box,
        plot: Box,
        content: MatrixContent,
        legend: Legend,
        tokens: Tokens,
    ) -> Iterator[Mark]:
        """Numbers and marks in the matrix, which lies at ``place`` and is seen in ``plot``."""
        side = place.width / content.graph.n

        def area(row0: int, row1: int, column0: int, column1: int) -> Box:
            corner = Box(column0 * side, row0 * side, column1 * side, row1 * side)
            return corner.moved(place.x0, place.y0)

        for mark in [] if self.at_end else content.marks():
            for tile in mark.tiles.tolist():
                yield from outline(area(*tile), tokens, is_now=mark.now)
        is_small = side < LESSON_NUMBERS_FROM
        cells = self.fallen.nonzero() if is_small else np.indices(self.fallen.shape).reshape(2, -1)
        for row, column in zip(*(each.tolist() for each in cells), strict=True):
            box = area(row, row + 1, column, column + 1)
            if box.overlaps(plot):
                value = float(self.matrix[row, column])
                shade, former = _shade(value, legend, tokens), self.former_cell(row, column)
                text, fell = self.text_of(value), bool(self.fallen[row, column])
                yield from cell_marks(sizes, box, text, tokens, shade, former, fell=fell)
        if self.cell is not None and self.pivot is not None:
            (row, column), k = self.cell, self.pivot
            parts = (row, k, tokens.frontier), (k, column, tokens.frontier)
            for i, j, colour in (*parts, (row, column, tokens.text)):
                yield from ring(area(i, i + 1, j, j + 1), colour, tokens)

    def key(self, tokens: Tokens) -> list[tuple[str, str, float]]:
        """Words, colour and width of each mark."""
        looks = (
            (tokens.frontier, _BAND),
            (tokens.text, LESSON_REACH),
            (tokens.frontier, LESSON_REACH),
            (tokens.good, 1.6),
        )
        return [(words, *look) for words, look in zip(self.mark_words, looks, strict=True)]

    def card(self, sizes: TextSizes, width: float, tokens: Tokens) -> LegendCard:
        """What the marks stand for, in as many rows as a view so wide takes."""
        key = self.key(tokens)
        rows = wrapped_rows([(_SAMPLE, words) for words, *_ in key], sizes, width - 2 * PADDING)
        line = max(height_of(sizes, LETTERS), _SAMPLE) + _LEADING

        def marks(inside: Box) -> Iterator[Mark]:
            samples = iter(key)
            for i, row in enumerate(rows):
                x, top = inside.x0, inside.y0 + i * line
                y = baseline(sizes, LETTERS, top + _SAMPLE / 2)
                for sample, words in row:
                    _, colour, stroke = next(samples)
                    yield Plate(
                        Box(x + 1.0, top + 1.0, x + 13.0, top + 13.0), None, colour, 2.0, stroke
                    )
                    yield Words(x + sample + 6.0, y, words, tokens.text, LETTERS)
                    x += sample + 8.0 + sizes.width(words, LETTERS) + _GAP

        across = max(row_width(row, sizes) for row in rows)
        return LegendCard(across, len(rows) * line - _LEADING, marks)


def matrix_lesson_of(
    graph: Graph, trace: MatrixTrace | None, position: int, source: int | None
) -> MatrixLesson | None:
    """As `pairs_lesson_of`."""
    found = pairs_lesson_of(graph, trace, position, source)
    if found is None:
        return None
    return MatrixLesson(found.graph, found.trace, found.position, source=found.source)


def outline(tile: Box, tokens: Tokens, *, is_now: bool) -> Iterator[Mark]:
    """The outline of cells that are written now, or were in an earlier phase of the step."""
    corners = filled(tile.grown(-_BAND / 2), "").points
    for tone, width in ((tokens.panel, _BAND + 2.0), (tokens.frontier, _BAND)):
        yield Area(corners, None, 1.0 if is_now else _EARLIER, tone, width)


def ring(cell: Box, colour: str, tokens: Tokens) -> Iterator[Mark]:
    """A ring around a cell: that of the step, or one that its sum is made of."""
    yield Plate(cell, None, tokens.panel, 3.0, LESSON_REACH + 3.0)
    yield Plate(cell, None, colour, 3.0, LESSON_REACH)


def cell_marks(
    sizes: TextSizes,
    box: Box,
    words: str,
    tokens: Tokens,
    shade: str,
    former: str = "",
    *,
    fell: bool,
) -> Iterator[Mark]:
    """The distance in a cell of the colour ``shade``, if there is room; one that fell on a chip,
    with the ``former`` one, or a colour in a small cell.
    """
    side, (least, most) = box.width, _POINTS
    style = text_style(min(most, max(least, _POINTS_SHARE * side)))
    if side < LESSON_NUMBERS_FROM:
        if fell:
            yield filled(box.grown(-1.0), tokens.good)
    elif fell:
        yield from _fallen(sizes, box, words, former, style.size, tokens)
    elif sizes.width(words, style) <= side - 2.0:
        at = box.middle
        y = baseline(sizes, style, at.imag)
        yield Words(at.real, y, words, text_colour_on(shade), style, "middle")


def _fallen(
    sizes: TextSizes, box: Box, words: str, former: str, size: int, tokens: Tokens
) -> Iterator[Mark]:
    """A distance that fell on a chip, below the one that it replaces if there is room."""
    bold = text_style(0.0, bold=True)._replace(size=size)
    small = bold._replace(size=max(7, round(_FORMER * size)), weight=400, is_struck=True)
    width, height = sizes.width(words, bold), height_of(sizes, bold)
    if width > box.width - 2.0:
        return
    above, both = sizes.width(former, small), height + height_of(sizes, small) + 2 * _CHIP
    has_room = max(width, above) <= box.width - 4 * _CHIP
    shows_former = bool(former) and has_room and both <= box.height - 2 * _CHIP
    down = both if shows_former else height + _CHIP
    across = max(width, above if shows_former else 0.0) + 2 * _CHIP + 2.0
    at = box.middle
    chip = Box.around(at.real, at.imag, min(across, box.width - 2.0), min(down, box.height - 2.0))
    yield Plate(chip, tokens.panel, tokens.good, 3.5, 1.6)
    middle = at.imag
    if shows_former:
        line = height_of(sizes, small)
        y = baseline(sizes, small, chip.y0 + (_CHIP + line) / 2)
        yield Words(at.real, y, former, tokens.muted, small, "middle")
        middle = (chip.y0 + _CHIP / 2 + line + chip.y1) / 2
    yield Words(at.real, baseline(sizes, bold, middle), words, tokens.good, bold, "middle")


def _shade(value: float, legend: Legend, tokens: Tokens) -> str:
    """The colour of a cell, as `matrix_pixels` has it."""
    if not math.isfinite(value):
        return unreachable_colour(tokens)
    per_unit = 255.0 / (legend.high - legend.low) if legend.high > legend.low else 0.0
    shade = min(255, max(0, int((value - legend.low) * per_unit)))
    return hex_colour(ramp_colours(Ramp.DISTANCES, tokens.dark)[shade])
