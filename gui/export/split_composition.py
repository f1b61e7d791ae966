"""Composition of runs side by side on a page: one picture per pane, with headers and separators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from gui.export.composition import (
    GraphComposition,
    PictureState,
    blank_image,
    drawn_as_vectors,
    fitting_caption,
)
from gui.export.margins import CAPTION_HEIGHT
from gui.export.page import SIDE_RANGE, Page
from gui.export.svg import Part, RasterLayer
from gui.model.playback import Pace, run_clock
from gui.painting.display import QtTextSizes, paint_marks
from gui.painting.pane_head import NO_RESULT, UNTRACED, PaneHead, head_height, progress_texts
from gui.style.paint import smooth, write
from gui.style.text import short_title
from solvers.core.labelling import Labelling, common
from solvers.core.trace import ActivityTrace
from solvers.core.variant import find_variant
from solvers.errors import ParameterError
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.overlay.cards import MARGIN, states_card, states_legend_height
from solvers.picture.overlay.legend import ROW_HEIGHT, legend_row
from solvers.picture.raster.pixel_colours import argb
from solvers.picture.scene.activity import Legend
from solvers.picture.scene.figure import SMALL_GRAPH
from solvers.picture.variant_colours import variant_colour
from solvers.system.array_types import UInt32s
from solvers.system.cancel import SILENT, Progress
from solvers.system.threads import ThreadTeam

MOST_PANES = 4
_SEAM = 1.0  # logical pixels between panes
# around an explanation's legend; it takes at most a fourth of the page
_STATES_STRIP_ROOM, _LEGEND_SHARE = 10.0, 4
# limits on a small page: header to a quarter of a pane, caption to an eighth
_HEAD_SHARE, _FOOT_SHARE = 4, 8


def pane_columns(count: int) -> int:
    """Panes per row: four panes form two rows, fewer form one."""
    return 2 if count in (2, MOST_PANES) else max(1, count)


@dataclass(frozen=True, eq=False)
class PaneState:
    """One run: its picture, and its iteration for each one of the leading run; no id or
    title without a result.
    """

    picture: PictureState
    variant_id: str
    title: str
    # (length,) this run's recorded iteration for each of the leader's; empty without a trace
    steps: NDArray[np.integer]
    with_legend: bool = False  # draw the legend; set for one pane only

    @property
    def trace(self) -> ActivityTrace | None:
        return self.picture.content.activity.trace

    @property
    def position(self) -> int:
        return self.picture.content.position

    @property
    def short_title(self) -> str:
        """The title with the algorithm's initials."""
        return short_title(find_variant(self.variant_id)) if self.variant_id else ""

    def at(self, position: int, gathered: int = 1) -> PaneState:
        """The state at the leader's recorded iteration ``position``, which shows so
        many of the leader's together.
        """
        if not len(self.steps):
            return self
        before = int(self.steps[position - gathered]) if position >= gathered else -1
        now = int(self.steps[position])
        return replace(self, picture=self.picture.at(now, max(1, now - before)))

    def head(self, pace: Pace, running: bool) -> PaneHead:
        """The pane's header; ``running`` is True while any run has not ended."""
        trace = self.trace
        if trace is None:
            words = (UNTRACED,) if self.variant_id else NO_RESULT[-1:]
            return PaneHead(self.variant_id, self.title, words, False, self.short_title)
        at_end = self.position >= len(trace) - 1
        elapsed = float(run_clock(trace)[self.position + 1]) if pace is Pace.TIME else None
        progress = progress_texts(trace, self.position, elapsed, at_end and running)
        return PaneHead(self.variant_id, self.title, progress, not at_end, self.short_title)


@dataclass(frozen=True, eq=False)
class SplitState:
    """Snapshot of what the side-by-side canvases show, for export: panes row by row,
    `pane_columns` to a row.

    ``length``, ``position``: recorded iterations of the leading run, 0 without one; the
    one shown.
    """

    panes: tuple[PaneState, ...]
    length: int
    position: int
    pace: Pace  # what runs are synchronised by
    caption: str = ""

    @property
    def words(self) -> str:
        return self.caption

    def whole(self) -> SplitState:
        return replace(
            self, panes=tuple(replace(pane, picture=pane.picture.whole()) for pane in self.panes)
        )

    def compose(self, page: Page) -> SplitComposition:
        return SplitComposition(self, page)

    def at(self, position: int, gathered: int = 1) -> SplitState:
        return replace(
            self, panes=tuple(pane.at(position, gathered) for pane in self.panes), position=position
        )

    @property
    def heads(self) -> tuple[PaneHead, ...]:
        running = self.position < self.length - 1
        return tuple(pane.head(self.pace, running) for pane in self.panes)


@dataclass(frozen=True)
class Cell:
    """Rectangle of a pane in pixels of the page: header and the canvas below it."""

    left: int
    top: int
    width: int
    head: int
    height: int

    @property
    def canvas_top(self) -> int:
        return self.top + self.head

    @property
    def bottom(self) -> int:
        return self.canvas_top + self.height


def cells_of(
    count: int,
    page: Page,
    *,
    captioned: bool,
    with_legend: bool = False,
    head_rows: int = 1,
    legend_pixels: int = 0,
) -> tuple[Cell, ...]:
    """Divide the page into whole-pixel cells; legend and caption get the lowest strips.

    The legend's has ``legend_pixels`` or, if they are 0, the height of the caption's.
    Raises ParameterError if a pane would be too small to show anything.
    """
    seam = _seam(page)
    foot = _strip_height(page) * captioned + (legend_pixels or _strip_height(page)) * with_legend
    columns = pane_columns(count)
    across = _shared_out(page.width, columns, seam)
    down = _shared_out(page.height - foot, -(-count // columns), seam)
    cells = []
    for i in range(count):
        (left, width), (top, height) = across[i % columns], down[i // columns]
        head = min(round(head_height(head_rows) * page.ratio), height // _HEAD_SHARE)
        cells.append(Cell(left, top, width, head, height - head))
    if min(min(cell.width, cell.height) for cell in cells) < SIDE_RANGE[0]:
        size = f"{page.width} × {page.height}"
        raise ParameterError("picture", "size", size, f"it is too small for {count} panes")
    return tuple(cells)


def _strip_height(page: Page) -> int:
    """Height in pixels of the strip with the caption, and of that with the legend."""
    return min(round(CAPTION_HEIGHT * page.ratio), page.height // _FOOT_SHARE)


def _seam(page: Page) -> int:
    return max(1, round(_SEAM * page.ratio))


def _shared_out(pixels: int, parts: int, seam: int) -> list[tuple[int, int]]:
    """(start, size) of each part; together with the seams they use all pixels."""
    free = pixels - seam * (parts - 1)
    starts = [free * i // parts for i in range(parts + 1)]
    return [(starts[i] + seam * i, starts[i + 1] - starts[i]) for i in range(parts)]


def _shows_states(state: SplitState) -> bool:
    return any(
        pane.with_legend and pane.picture.content.explanation is not None for pane in state.panes
    )


def _labelling(state: SplitState) -> Labelling:
    explained = (pane.picture.content.explanation for pane in state.panes)
    return common([one.labelling for one in explained if one is not None])


def _states_strip(page: Page) -> int:
    """Height in pixels of the strip with an explanation's legend; 0 where it would take too
    much of the page.
    """
    legend = states_legend_height(QtTextSizes(QFont()), page.across - 2 * MARGIN)
    height = round((legend + _STATES_STRIP_ROOM) * page.ratio)
    return height if _LEGEND_SHARE * height <= page.height else 0


def _legend_of(state: SplitState) -> tuple[Legend | None, float] | None:
    """The legend of all panes and the metres of a world unit; None if there is neither,
    or it is drawn in a pane.
    """
    pane = next((pane for pane in state.panes if pane.with_legend), None)
    if pane is None or pane.picture.content.scene.graph.n <= SMALL_GRAPH:
        return None
    content = pane.picture.content
    if content.legend is None and content.scene.metres_per_unit <= 0:
        return None
    return content.legend, content.scene.metres_per_unit


def _last_heads(state: SplitState) -> tuple[PaneHead, ...]:
    """The headers at the last iteration, which take the most room."""
    return (state.at(state.length - 1) if state.length else state).heads


class SplitComposition:
    """Panes in their cells, with headers, separators and caption above them."""

    def __init__(self, state: SplitState, page: Page):
        self.page = page
        self._state = state
        self._states_strip = _states_strip(page) if _shows_states(state) else 0
        self._legend_below = self._states_strip > 0 or _legend_of(state) is not None
        self._last_heads = _last_heads(state)
        width = page.across / pane_columns(len(state.panes))
        self._head_rows = 1 if all(head.fits(width) for head in self._last_heads) else 2
        self.cells = cells_of(
            len(state.panes),
            page,
            captioned=bool(state.words),
            with_legend=self._legend_below,
            head_rows=self._head_rows,
            legend_pixels=self._states_strip,
        )
        team = ThreadTeam()
        self.panes = tuple(
            GraphComposition(
                pane.picture,
                page.resized(cell.width, cell.height),
                captioned=False,
                with_legend=pane.with_legend and not self._legend_below,
                legend_room=not self._legend_below,
                team=team,
            )
            for pane, cell in zip(state.panes, self.cells, strict=True)
        )
        for composition in self.panes:  # all show the same part
            composition.keep_free([other.insets for other in self.panes])

    @property
    def colours(self) -> tuple[str, ...]:
        dots = (variant_colour(pane.variant_id, self.page.dark) for pane in self._state.panes)
        return self._head_background, self.page.tokens.border, *dots

    def move(self, position: int, gathered: int = 1) -> None:
        self._state = self._state.at(position, gathered)
        for composition, pane in zip(self.panes, self._state.panes, strict=True):
            composition.move(pane.position, pane.picture.content.gathered)

    def band(self, first: int, last: int, progress: Progress = SILENT) -> QImage:
        image = blank_image(self.page.width, last - first, self.page)
        # ended also when cancelled: Qt must not be left with an active painter
        with QPainter(image) as painter:
            for cell, pane in zip(self.cells, self.panes, strict=True):
                rows = max(0, first - cell.canvas_top), min(cell.height, last - cell.canvas_top)
                progress.checkpoint()
                if rows[0] < rows[1]:
                    painter.drawImage(
                        cell.left, cell.canvas_top + rows[0] - first, pane.band(*rows, progress)
                    )
            painter.translate(0.0, -first)
            self._paint_frame(painter)
        return image

    def raster_layer(self) -> RasterLayer | None:
        """The rasters of all panes as one layer; None if the edges are drawn as vectors."""
        if self._as_vectors:
            return None
        page = self.page
        return RasterLayer(
            QRectF(0.0, 0.0, page.across, page.down), page.width, page.height, self._raster
        )

    def parts(self, progress: Progress = SILENT) -> Sequence[Part]:
        page, ratio = self.page, self.page.ratio
        found = []
        for cell, pane in zip(self.cells, self.panes, strict=True):
            place = QRectF(
                *(side / ratio for side in (cell.left, cell.canvas_top, cell.width, cell.height))
            )
            found.append(
                Part(
                    place,
                    partial(pane.paint_vectors, progress=progress, all_of_it=self._as_vectors),
                )
            )

        def paint_frame(painter: QPainter) -> None:
            smooth(painter)
            painter.scale(1.0 / ratio, 1.0 / ratio)
            self._paint_frame(painter)

        return [*found, Part(QRectF(0.0, 0.0, page.across, page.down), paint_frame)]

    @property
    def _as_vectors(self) -> bool:
        return drawn_as_vectors(sum(pane.edges for pane in self.panes))

    def _raster(self, first: int, last: int, progress: Progress) -> UInt32s:
        page = self.page
        pixels = np.full(
            (last - first, page.width),
            0 if page.transparent else argb(page.canvas_colour),
            np.uint32,
        )
        for cell, pane in zip(self.cells, self.panes, strict=True):
            rows = max(0, first - cell.canvas_top), min(cell.height, last - cell.canvas_top)
            if rows[0] < rows[1]:
                top = cell.canvas_top + rows[0] - first
                pixels[top : top + rows[1] - rows[0], cell.left : cell.left + cell.width] = (
                    pane.raster(*rows, progress)
                )
        return pixels

    @property
    def _head_background(self) -> str:
        """Background of the headers: the window's colour on the default canvas, else the page's."""
        scheme = DARK if self.page.dark else LIGHT
        return scheme.window if self.page.background is None else self.page.canvas_colour

    def _paint_frame(self, painter: QPainter) -> None:
        """Paint headers, separators and caption, in pixels of the page."""
        height = head_height(self._head_rows)
        # one size of type in all headers
        points = min(
            head.points_in(painter.font(), cell.width * height / max(1, cell.head))
            for cell, head in zip(self.cells, self._last_heads, strict=True)
        )
        for cell, shown in zip(self.cells, self._state.heads, strict=True):
            place, head = (
                QRectF(cell.left, cell.top, cell.width, cell.head),
                replace(shown, most_points=points),
            )
            paint = head.paint if self._head_rows == 1 else head.paint_in_two_rows
            self._paint_strip(painter, place, height, paint)
        bottom = max(cell.bottom for cell in self.cells)
        top, strip = float(bottom), _strip_height(self.page)
        if self._legend_below:
            height = self._states_strip or strip
            paint_legend, logical = self._paint_legend, CAPTION_HEIGHT
            if self._states_strip:
                paint_legend, logical = self._paint_states_legend, height / self.page.ratio
            self._paint_strip(
                painter, QRectF(0.0, top, self.page.width, height), logical, paint_legend
            )
            top += height
        if top < self.page.height:
            place = QRectF(0.0, top, self.page.width, self.page.height - top)
            self._paint_strip(painter, place, CAPTION_HEIGHT, self._paint_caption)
        self._paint_seams(painter, bottom)

    def _paint_strip(
        self,
        painter: QPainter,
        place: QRectF,
        height: float,
        paint: Callable[[QPainter, float, Tokens], None],
    ) -> None:
        """Paint a strip that is ``height`` logical pixels high, scaled down to fit ``place``."""
        if not self.page.transparent:
            painter.fillRect(place, QColor(self._head_background))
        painter.save()
        painter.translate(place.topLeft())
        scale = place.height() / height
        painter.scale(scale, scale)
        paint(painter, place.width() / scale, self.page.tokens)
        painter.restore()

    def _paint_states_legend(self, painter: QPainter, width: float, tokens: Tokens) -> None:
        smooth(painter)
        bottom = self._states_strip / self.page.ratio - _STATES_STRIP_ROOM / 2
        sizes, labelling = QtTextSizes(painter.font()), _labelling(self._state)
        card = states_card(sizes, width - 2 * MARGIN, tokens, labelling)
        paint_marks(painter, card.placed(MARGIN, bottom, tokens)[1])

    def _paint_legend(self, painter: QPainter, width: float, tokens: Tokens) -> None:
        """Paint legend and scale bar of all panes, smaller where they have no room."""
        legend, metres = _legend_of(self._state) or (None, 0.0)
        camera, room = self.panes[0].camera, width - 2 * MARGIN
        sizes = QtTextSizes(painter.font())
        needed, marks = legend_row(sizes, legend, camera, metres, tokens)
        factor = min(1.0, room / needed) if needed > 0.0 else 1.0
        smooth(painter)
        painter.translate(MARGIN, (CAPTION_HEIGHT - factor * ROW_HEIGHT) / 2)
        painter.scale(factor, factor)
        paint_marks(painter, marks)

    def _paint_caption(self, painter: QPainter, width: float, tokens: Tokens) -> None:
        room = width - 2 * MARGIN
        words = fitting_caption(painter, self._state.words, room)
        line = QRectF(MARGIN, 0.0, room, CAPTION_HEIGHT)
        write(painter, line, words, tokens.text)

    def _paint_seams(self, painter: QPainter, bottom: int) -> None:
        colour = QColor(self.page.tokens.border)
        for cell, after in pairwise(self.cells):
            if after.top == cell.top:
                right = cell.left + cell.width
                painter.fillRect(
                    QRectF(right, cell.top, after.left - right, cell.bottom - cell.top), colour
                )
            else:
                painter.fillRect(
                    QRectF(0.0, cell.bottom, self.page.width, after.top - cell.bottom), colour
                )
        if bottom < self.page.height:
            painter.fillRect(QRectF(0.0, bottom, self.page.width, _seam(self.page)), colour)
