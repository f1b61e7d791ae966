"""All that lies over the cells of a matrix: numbers in large cells, ids along the sides,
the chosen pair, legends.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from solvers.core.trace import Work
from solvers.graphs.weights import to_float
from solvers.picture.colours import Tokens
from solvers.picture.display import Box, Inset, Mark, Pixels, Plate, TextSizes, Words, text_style
from solvers.picture.matrix import MatrixContent, Role
from solvers.picture.matrix_pixels import MatrixFrame, mark_swatch, unreachable_colour
from solvers.picture.overlay.annotations import sentence_marks
from solvers.picture.overlay.cards import MARGIN, PADDING, legend_card, panel
from solvers.picture.overlay.view import baseline, height_of
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.colour_scale import without_rounding
from solvers.system.array_types import Float64s, Int64s

# logical pixels reserved for ids, axis names and legends
_TOP, _LEFT, _RIGHT, _BOTTOM = 44.0, 72.0, 20.0, 84.0
_TICK_SPACING = (96.0, 30.0)  # least logical pixels between ids along the top, and down the side
_NUMBERS_FROM = 34.0  # logical pixels per cell from which distances are written into cells
_SWATCH, _UNREACHABLE_SWATCH = 14.0, 12.0
_SENTENCE = 40.0  # about an explained phase, with the room around it
_BUTTONS = 120.0  # width of the zoom buttons in the corner of the window
_RING = 6.0  # radius of the ring around the source-target cell
_ROLES = {
    Work.TILES: ((Role.PIVOT, 1), (Role.CROSS, 2), (Role.REST, 3)),
    Work.PIVOTS: ((Role.THROUGH, 1),),
    Work.ROWS: ((Role.FINISHED, 1), (Role.PENDING, 0)),
}
_LETTERS, _BOLD, _NUMBERS = text_style(8.5), text_style(8.5, bold=True), text_style(9.0)


@dataclass(frozen=True)
class MatrixLayout:
    """Layout of the matrix on ``width`` x ``height`` logical pixels, with ``foot`` free
    at the bottom.
    """

    width: float
    height: float
    foot: float = 0.0
    head: float = 0.0  # free at the top, for a sentence

    @classmethod
    def of(
        cls, content: MatrixContent | None, width: float, height: float, foot: float = 0.0
    ) -> MatrixLayout:
        is_explained = content is not None and content.explanation is not None
        return cls(width, height, foot, _SENTENCE if is_explained else 0.0)

    @property
    def plot(self) -> Box:
        """Rectangle in which cells are visible."""
        across = max(32.0, self.width - _LEFT - _RIGHT)
        top = _TOP + self.head
        down = max(32.0, self.height - top - _BOTTOM - self.foot)
        return Box(_LEFT, top, _LEFT + across, top + down)

    @property
    def bottom(self) -> float:
        """Lower edge of the legends."""
        return self.height - MARGIN - self.foot

    def place(self, camera: Camera, n: int) -> Box:
        """Rectangle of the whole matrix; may extend beyond the plot."""
        (dx, dy), plot = camera.offset, self.plot
        return Box(0.0, 0.0, n * camera.scale, n * camera.scale).moved(plot.x0 + dx, plot.y0 + dy)


@dataclass(frozen=True, eq=False)
class MatrixOverlay:
    """Marks over a matrix as a camera shows it, in some letters."""

    layout: MatrixLayout
    frame: MatrixFrame
    camera: Camera
    content: MatrixContent
    tokens: Tokens
    sizes: TextSizes
    ratio: float  # device pixels to a logical one

    def marks(self) -> Iterator[Mark]:
        content, layout, tokens, sizes = self.content, self.layout, self.tokens, self.sizes
        explained, legend = content.explanation, self.frame.legend
        if explained is None and self.camera.scale >= _NUMBERS_FROM:
            yield Inset(layout.plot, list(self._numbers()))
        yield from around_marks(layout, self.camera, content, tokens, sizes)
        card = legend_card(sizes, legend, tokens)
        if explained is None:
            yield from self._pair()
        else:
            box = layout.plot.grown(explained.reach)
            place, plot = (one.moved(-box.x0, -box.y0) for one in (self._place, layout.plot))
            marks = explained.marks(sizes, place, plot, content, legend, tokens)
            yield Inset(box, list(marks))
            words = explained.sum_words or explained.words
            yield from sentence_marks(sizes, words, layout.width, tokens)
            if self.camera.scale >= explained.numbers_from:  # which need no legend of shades
                room = layout.width - 2 * MARGIN - (0.0 if layout.foot else _BUTTONS)
                card = explained.card(sizes, room, tokens)
                yield from card.placed(MARGIN, layout.bottom, tokens)[1]
                return
        place, shown = card.placed(MARGIN, layout.bottom, tokens)
        yield from shown
        left, remarks = self._remarks(place.x1 + MARGIN)
        yield from remarks
        if content.trace is not None and not content.at_end and explained is None:
            yield from self._work(left)

    @property
    def _place(self) -> Box:
        return self.layout.place(self.camera, self.content.graph.n)

    def _numbers(self) -> Iterator[Mark]:
        """Distances in large cells, if the current matrix is known cell by cell."""
        rows, columns = seen_cells(self.camera, self.content.graph.n)
        values = _values(self.content, rows, columns)
        if values is None:
            return
        place, plot, cell = self._place, self.layout.plot, self.camera.scale
        drop, greatest = 0.35 * self.sizes.heights(_NUMBERS)[0], self.frame.legend.high
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                words = number_words(float(values[i, j]), greatest)
                if self.sizes.width(words, _NUMBERS) <= cell - 4.0:
                    x = place.x0 - plot.x0 + (column + 0.5) * cell
                    y = place.y0 - plot.y0 + (row + 0.5) * cell + drop
                    colour, halo = self.tokens.text, self.tokens.halo
                    yield Words(x, y, words, colour, _NUMBERS, "middle", halo)

    def _pair(self) -> Iterator[Mark]:
        """A ring around the source-target cell."""
        content, place, scale = self.content, self._place, self.camera.scale
        if content.source is None or content.target is None:
            return
        x, y = place.x0 + (content.target + 0.5) * scale, place.y0 + (content.source + 0.5) * scale
        if not Box.around(x, y, 0.0, 0.0).inside(self.layout.plot):
            return
        half = max(_RING, scale / 2)
        # circle around a tiny cell, frame around a large one
        corner = 0.15 * half if scale > 2 * _RING else half
        for colour, width in ((self.tokens.halo, 4.5), (self.tokens.path, 2.0)):
            yield Plate(Box.around(x, y, 2 * half, 2 * half), None, colour, corner, width)

    def _remarks(self, left: float) -> tuple[float, list[Mark]]:
        """The swatch of unreachable cells and the group size; and the x where they end."""
        marks, right, tokens = list[Mark](), left, self.tokens
        bottom, line = self.layout.bottom, height_of(self.sizes, _LETTERS)
        if self.frame.unreachable:
            top, text = bottom - 2 * line - 4.0, left + _UNREACHABLE_SWATCH + 6.0
            swatch = Box(left, top, left + _UNREACHABLE_SWATCH, top + _UNREACHABLE_SWATCH)
            marks.append(Plate(swatch, unreachable_colour(tokens), tokens.border, 0.0))
            marks.append(Words(text, bottom - line - 8.0, "unreachable", tokens.text, _LETTERS))
            right = max(right, text + self.sizes.width("unreachable", _LETTERS))
        if self.frame.group > 1:
            words = f"one pixel: least of {self.frame.group} × {self.frame.group} cells"
            marks.append(Words(left, bottom - 5.0, words, tokens.muted, _LETTERS))
            right = max(right, left + self.sizes.width(words, _LETTERS))
        return right + MARGIN if right > left else left, marks

    def _work(self, left: float) -> Iterator[Mark]:
        """The legend of the cells marked now, with the current phase in bold."""
        content, tokens = self.content, self.tokens
        assert content.trace is not None
        assert content.step is not None
        work, lines = content.trace.work, list[tuple[Role, str, bool]]()
        for role, phase in _ROLES[work]:
            words = f"{phase}  {role.value}" if work is Work.TILES else role.value
            if work is Work.PIVOTS:
                pivot = content.graph.vertex_label(min(content.step.step, content.graph.n - 1))
                words = f"{words}, vertex {pivot}"
            lines.append((role, words, phase == content.step.phase))
        line = max(height_of(self.sizes, _BOLD), _SWATCH + 2.0)
        width = max(self.sizes.width(words, _BOLD) for _, words, _ in lines) + _SWATCH + 8.0
        bottom = self.layout.bottom
        top = bottom - len(lines) * line - 2 * PADDING
        yield panel(Box(left, top, left + width + 2 * PADDING, bottom), tokens)
        left, side = left + PADDING, max(1, round(_SWATCH * self.ratio))
        for i, (role, words, now) in enumerate(lines):
            y, style = top + PADDING + i * line, _BOLD if now else _LETTERS
            pixels = mark_swatch(role, side, self.ratio, tokens)
            yield Pixels(left, y + 1.0, pixels, self.ratio)
            middle, colour = self._baseline(y + line / 2), tokens.text if now else tokens.muted
            yield Words(left + _SWATCH + 8.0, middle, words, colour, style)

    def _baseline(self, middle: float) -> float:
        return baseline(self.sizes, _LETTERS, middle)


def around_marks(
    layout: MatrixLayout, camera: Camera, content: MatrixContent, tokens: Tokens, sizes: TextSizes
) -> Iterator[Mark]:
    """A hairline around the visible part, axis names, and the ids that fit."""
    graph, plot = content.graph, layout.plot
    place = layout.place(camera, graph.n)
    seen = place.within(plot)
    middle = seen.middle
    yield Plate(seen, None, tokens.border, 0.0)
    y = baseline(sizes, _LETTERS, seen.y0 - 31.0)
    yield Words(middle.real, y, "to vertex", tokens.muted, _LETTERS, "middle")
    x = baseline(sizes, _LETTERS, seen.x0 - 58.0)
    words = Words(x, middle.imag, "from vertex", tokens.muted, _LETTERS, "middle")
    yield replace(words, is_upward=True)
    rows, columns = seen_cells(camera, graph.n)
    across, down = _TICK_SPACING
    if content.explanation is not None:  # every vertex, where its name fits
        names = map(graph.vertex_label, columns)
        across = 8.0 + max(sizes.width(name, _LETTERS) for name in names)
        down = height_of(sizes, _LETTERS)
    y = baseline(sizes, _LETTERS, seen.y0 - 12.0)
    for index in _ticks(graph.ids, columns, across / camera.scale):
        x = place.x0 + (index + 0.5) * camera.scale
        if plot.x0 <= x <= plot.x1:
            yield Words(x, y, graph.vertex_label(index), tokens.text, _LETTERS, "middle")
    x = seen.x0 - 6.0
    for index in _ticks(graph.ids, rows, down / camera.scale):
        y = place.y0 + (index + 0.5) * camera.scale
        if plot.y0 <= y <= plot.y1:
            label = graph.vertex_label(index)
            middle_of = baseline(sizes, _LETTERS, y)
            yield Words(x, middle_of, label, tokens.text, _LETTERS, "end")


def seen_cells(camera: Camera, n: int) -> tuple[range, range]:
    """Ranges of rows and columns at least partly in view."""
    seen = camera.bounds
    rows = range(max(0, math.floor(seen.y0)), min(n, math.ceil(seen.y1)))
    return rows, range(max(0, math.floor(seen.x0)), min(n, math.ceil(seen.x1)))


def number_words(value: float, greatest: float) -> str:
    """A distance in a cell of a matrix with distances up to ``greatest``."""
    return f"{without_rounding(value, greatest):.6g}" if math.isfinite(value) else "–"


def _values(content: MatrixContent, rows: range, columns: range) -> Float64s | None:
    if not rows or not columns:
        return None
    part = np.s_[rows.start : rows.stop, columns.start : columns.stop]
    if (snapshot := content.snapshot) is not None:
        return snapshot.least[part].astype(np.float64) if snapshot.group == 1 else None
    return None if content.matrix is None else to_float(content.matrix[part])


def _ticks(ids: Int64s, span: range, spacing: float) -> list[int]:
    """Indices within ``span``, at least ``spacing`` apart: at round ids, or evenly
    spaced if ids have gaps.
    """
    if not span:
        return []
    power = 10.0 ** math.floor(math.log10(max(1.0, spacing)))
    step = int(next(m * power for m in (1, 2, 5, 10) if m * power >= max(1.0, spacing)))
    round_ids = np.flatnonzero(ids[span.start : span.stop] % step == 0) + span.start
    even = [index for index in span if index % step == 0]
    dense = len(round_ids) < 2 or np.diff(round_ids).min() >= step
    found = round_ids.tolist() if dense and 2 * len(round_ids) > len(even) else even
    return found or [span[len(span) // 2]]
