"""Drawing of the matrix picture: cells, ids along the sides, chosen pair, legends. For
screen and export.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from gui.painting.display import QtTextSizes, box_of, paint_marks
from gui.painting.drawing import (
    argb_image,
    pen,
    place_of,
    small_font,
)
from gui.style.widgets import CENTRE, RIGHT, outline_with, smooth, square, write
from solvers.core.trace import Work
from solvers.graphs.weights import to_float
from solvers.picture.colours import Tokens
from solvers.picture.display import Mark, Words, text_style
from solvers.picture.matrix import MatrixContent, MatrixExplanation, Role
from solvers.picture.matrix_pixels import MatrixFrame, mark_swatch, unreachable_colour
from solvers.picture.overlay.annotations import sentence_marks
from solvers.picture.overlay.cards import MARGIN, PADDING, legend_card, panel
from solvers.picture.scene.activity import Legend
from solvers.picture.scene.camera import Bounds, Camera
from solvers.picture.scene.colour_scale import without_rounding
from solvers.system.array_types import Float64s, Int64s

# logical pixels reserved for ids, axis names and legends
_TOP, _LEFT, _RIGHT, _BOTTOM = 44.0, 72.0, 20.0, 84.0
_TICK_SPACING = (96.0, 30.0)  # least logical pixels between ids along the top, and down the side
_NUMBERS_FROM = 34.0  # logical pixels per cell from which distances are written into cells
_SWATCH = 14.0
_SENTENCE = 40.0  # about an explained phase, with the room around it
_BUTTONS = 120.0  # width of the zoom buttons in the corner of the window
_RING = 6.0  # radius of the ring around the source-target cell
_ROLES = {
    Work.TILES: ((Role.PIVOT, 1), (Role.CROSS, 2), (Role.REST, 3)),
    Work.PIVOTS: ((Role.THROUGH, 1),),
    Work.ROWS: ((Role.FINISHED, 1), (Role.PENDING, 0)),
}


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
    def plot(self) -> QRectF:
        """Rectangle in which cells are visible."""
        across = max(32.0, self.width - _LEFT - _RIGHT)
        top = _TOP + self.head
        down = max(32.0, self.height - top - _BOTTOM - self.foot)
        return QRectF(_LEFT, top, across, down)

    @property
    def bottom(self) -> float:
        """Lower edge of the legends."""
        return self.height - MARGIN - self.foot

    def place(self, camera: Camera, n: int) -> QRectF:
        """Rectangle of the whole matrix; may extend beyond the plot."""
        return place_of(Bounds(0.0, 0.0, n, n), camera).translated(self.plot.topLeft())


def paint_cells(
    painter: QPainter, layout: MatrixLayout, frame: MatrixFrame, camera: Camera
) -> None:
    """Paint the frame's pixels, scaled if they were drawn for another view."""
    plot = layout.plot
    painter.save()
    painter.setClipRect(plot)
    place = place_of(frame.camera.bounds, camera).translated(plot.topLeft())
    painter.drawImage(place, argb_image(frame.pixels))
    painter.restore()


def paint_around(
    painter: QPainter,
    layout: MatrixLayout,
    frame: MatrixFrame,
    camera: Camera,
    content: MatrixContent,
    tokens: Tokens,
    ratio: float,
) -> None:
    """Paint everything but the cells: numbers in large cells, frame, ids, chosen pair, legends."""
    smooth(painter)
    explained = content.explanation
    if explained is None and camera.scale >= _NUMBERS_FROM:
        _paint_numbers(painter, layout, camera, content, tokens, frame.legend.high)
    _paint_frame(painter, layout, camera, content, tokens)
    sizes, marks = QtTextSizes(painter.font()), list[Mark]()
    if explained is None:
        _paint_pair(painter, layout, camera, content, tokens)
    else:
        _paint_explanation(painter, layout, camera, content, explained, frame.legend, tokens)
        marks += sentence_marks(sizes, explained.sum_words or explained.words, layout.width, tokens)
        if camera.scale >= explained.numbers_from:  # which need no legend of shades
            room = layout.width - 2 * MARGIN - (0.0 if layout.foot else _BUTTONS)
            card = explained.card(sizes, room, tokens)
            paint_marks(painter, [*marks, *card.placed(MARGIN, layout.bottom, tokens)[1]])
            return
    place, legend = legend_card(sizes, frame.legend, tokens).placed(MARGIN, layout.bottom, tokens)
    paint_marks(painter, [*marks, *legend])
    left = place.x1 + MARGIN
    left = _paint_remarks(painter, left, layout.bottom, frame, tokens)
    if content.trace is not None and not content.at_end and explained is None:
        _paint_work(painter, left, layout.bottom, content, tokens, ratio)


def _paint_explanation(
    painter: QPainter,
    layout: MatrixLayout,
    camera: Camera,
    content: MatrixContent,
    explained: MatrixExplanation,
    legend: Legend,
    tokens: Tokens,
) -> None:
    """Paint numbers and marks of an explained phase into the matrix."""
    place, plot = layout.place(camera, content.graph.n), layout.plot
    sizes, reach = QtTextSizes(painter.font()), explained.reach
    painter.save()
    painter.setClipRect(plot.adjusted(-reach, -reach, reach, reach))
    where = box_of(place), box_of(plot)
    paint_marks(painter, explained.marks(sizes, *where, content, legend, tokens))
    painter.restore()


def seen_cells(camera: Camera, n: int) -> tuple[range, range]:
    """Ranges of rows and columns at least partly in view."""
    seen = camera.bounds
    rows = range(max(0, math.floor(seen.y0)), min(n, math.ceil(seen.y1)))
    return rows, range(max(0, math.floor(seen.x0)), min(n, math.ceil(seen.x1)))


def number_words(value: float, greatest: float) -> str:
    """A distance in a cell of a matrix with distances up to ``greatest``."""
    return f"{without_rounding(value, greatest):.6g}" if math.isfinite(value) else "–"


def _paint_numbers(
    painter: QPainter,
    layout: MatrixLayout,
    camera: Camera,
    content: MatrixContent,
    tokens: Tokens,
    greatest: float,
) -> None:
    """Paint distances into large cells, if the current matrix is known cell by cell."""
    rows, columns = seen_cells(camera, content.graph.n)
    values = _values(content, rows, columns)
    if values is None:
        return
    place = layout.place(camera, content.graph.n)
    cell = camera.scale
    painter.save()
    painter.setClipRect(layout.plot)
    sizes, style = QtTextSizes(painter.font()), text_style(9.0)
    marks: list[Mark] = []
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            words = number_words(float(values[i, j]), greatest)
            x, y = place.left() + (column + 0.5) * cell, place.top() + (row + 0.5) * cell
            if sizes.width(words, style) <= cell - 4.0:
                y += 0.35 * sizes.heights(style)[0]
                marks.append(Words(x, y, words, tokens.text, style, "middle", tokens.halo))
    paint_marks(painter, marks)
    painter.restore()


def _values(content: MatrixContent, rows: range, columns: range) -> Float64s | None:
    if not rows or not columns:
        return None
    part = np.s_[rows.start : rows.stop, columns.start : columns.stop]
    if (snapshot := content.snapshot) is not None:
        return snapshot.least[part].astype(np.float64) if snapshot.group == 1 else None
    return None if content.matrix is None else to_float(content.matrix[part])


def _paint_frame(
    painter: QPainter, layout: MatrixLayout, camera: Camera, content: MatrixContent, tokens: Tokens
) -> None:
    """Paint a hairline around the visible part, axis names, and the ids that fit."""
    graph, plot = content.graph, layout.plot
    seen = layout.place(camera, graph.n).intersected(plot)
    outline_with(painter, pen(tokens.border, 1.0))
    painter.drawRect(seen)
    painter.setFont(small_font(painter, 8.5))
    above = QRectF(seen.left(), seen.top() - 39.0, seen.width(), 16.0)
    write(painter, above, "to vertex", tokens.muted, CENTRE)
    painter.save()
    painter.translate(seen.left() - 58.0, seen.center().y())
    painter.rotate(-90.0)
    write(painter, QRectF(-80.0, -8.0, 160.0, 16.0), "from vertex", tokens.muted, CENTRE)
    painter.restore()
    rows, columns = seen_cells(camera, graph.n)
    dx, dy = camera.offset
    across, down = _TICK_SPACING
    if content.explanation is not None:  # every vertex, where its name fits
        metrics = QFontMetricsF(painter.font())
        across = 8.0 + max(metrics.horizontalAdvance(graph.vertex_label(v)) for v in columns)
        down = metrics.height()
    for index in _ticks(graph.ids, columns, across / camera.scale):
        x = plot.left() + dx + (index + 0.5) * camera.scale
        box = QRectF(x - 48.0, seen.top() - 20.0, 96.0, 16.0)
        if plot.left() <= x <= plot.right():
            write(painter, box, graph.vertex_label(index), tokens.text, CENTRE)
    for index in _ticks(graph.ids, rows, down / camera.scale):
        y = plot.top() + dy + (index + 0.5) * camera.scale
        box = QRectF(seen.left() - 52.0, y - 8.0, 46.0, 16.0)
        if plot.top() <= y <= plot.bottom():
            write(painter, box, graph.vertex_label(index), tokens.text, RIGHT)


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


def _paint_pair(
    painter: QPainter, layout: MatrixLayout, camera: Camera, content: MatrixContent, tokens: Tokens
) -> None:
    """Paint a ring around the source-target cell."""
    if content.source is None or content.target is None:
        return
    place = layout.place(camera, content.graph.n)
    centre = QPointF(
        place.left() + (content.target + 0.5) * camera.scale,
        place.top() + (content.source + 0.5) * camera.scale,
    )
    if not layout.plot.contains(centre):
        return
    half = max(_RING, camera.scale / 2)
    # circle around a tiny cell, frame around a large one
    corner = 0.15 * half if camera.scale > 2 * _RING else half
    box = square(centre, half)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((tokens.halo, 4.5), (tokens.path, 2.0)):
        painter.setPen(pen(colour, width))
        painter.drawRoundedRect(box, corner, corner)


def _paint_remarks(
    painter: QPainter, left: float, bottom: float, frame: MatrixFrame, tokens: Tokens
) -> float:
    """Paint the swatch of unreachable cells and the group size; returns the x where they end."""
    painter.setFont(small_font(painter, 8.5))
    metrics = QFontMetricsF(painter.font())
    right, line = left, metrics.height()
    if frame.unreachable:
        painter.setPen(pen(tokens.border, 1.0))
        painter.setBrush(unreachable_colour(tokens))
        painter.drawRect(QRectF(left, bottom - 2 * line - 4.0, 12.0, 12.0))
        painter.setPen(tokens.text)
        painter.drawText(QPointF(left + 18.0, bottom - line - 8.0), "unreachable")
        right = max(right, left + 18.0 + metrics.horizontalAdvance("unreachable"))
    if frame.group > 1:
        words = f"one pixel: least of {frame.group} × {frame.group} cells"
        painter.setPen(tokens.muted)
        painter.drawText(QPointF(left, bottom - 5.0), words)
        right = max(right, left + metrics.horizontalAdvance(words))
    return right + MARGIN if right > left else left


def _paint_work(
    painter: QPainter,
    left: float,
    bottom: float,
    content: MatrixContent,
    tokens: Tokens,
    ratio: float,
) -> None:
    """Paint the legend of the marks, with the current phase in bold."""
    assert content.trace is not None
    assert content.step is not None
    work = content.trace.work
    painter.setFont(small_font(painter, 8.5, bold=True))
    metrics = QFontMetricsF(painter.font())
    lines = [
        (
            role,
            f"{phase}  {role.value}" if work is Work.TILES else role.value,
            phase == content.step.phase,
        )
        for role, phase in _ROLES[work]
    ]
    if work is Work.PIVOTS:
        pivot = content.graph.vertex_label(min(content.step.step, content.graph.n - 1))
        lines = [(role, f"{words}, vertex {pivot}", now) for role, words, now in lines]
    line = max(metrics.height(), _SWATCH + 2.0)
    width = max(metrics.horizontalAdvance(words) for _, words, _ in lines) + _SWATCH + 8.0
    card = QRectF(
        left,
        bottom - len(lines) * line - 2 * PADDING,
        width + 2 * PADDING,
        len(lines) * line + 2 * PADDING,
    )
    paint_marks(painter, [panel(box_of(card), tokens)])
    for i, (role, words, now) in enumerate(lines):
        top = card.top() + PADDING + i * line
        _paint_swatch(
            painter, QRectF(card.left() + PADDING, top + 1.0, _SWATCH, _SWATCH), role, tokens, ratio
        )
        painter.setFont(small_font(painter, 8.5, bold=now))
        box = QRectF(card.left() + PADDING + _SWATCH + 8.0, top, width, line)
        write(painter, box, words, tokens.text if now else tokens.muted)


def _paint_swatch(painter: QPainter, box: QRectF, role: Role, tokens: Tokens, ratio: float) -> None:
    side = max(1, round(_SWATCH * ratio))
    pixels = mark_swatch(role, side, ratio, tokens)
    painter.drawImage(box, argb_image(pixels))
