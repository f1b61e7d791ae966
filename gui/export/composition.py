"""Composition of the graph or matrix picture on a page: graphs in bands for images, or as vectors.

The matrix has ids and legends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Protocol, runtime_checkable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from gui.export.margins import (
    CAPTION_HEIGHT,
    CAPTION_POINTS,
    FACTS,
    Insets,
    PageMargins,
    caption_lines,
    margins_of,
)
from gui.export.page import TRANSPARENT, Page
from gui.export.svg import Part, RasterLayer, set_resolution
from gui.painting.display import QtTextSizes, paint_marks
from gui.painting.drawing import argb_image, fitting_font
from gui.painting.picture import paint_annotations, paint_view, view_of
from gui.style.paint import faded, smooth, smoothly, write
from solvers.picture.colours import Tokens
from solvers.picture.display import Box
from solvers.picture.matrix import MatrixContent
from solvers.picture.matrix_pixels import MatrixFrame, MatrixFramePainter, MatrixRequest
from solvers.picture.overlay.annotations import attribution_of
from solvers.picture.overlay.cards import CARD_OPACITY, MARGIN
from solvers.picture.overlay.matrix import MatrixLayout, MatrixOverlay
from solvers.picture.overlay.picture import overlay_marks
from solvers.picture.overlay.vectors import VECTOR_EDGES, raster_strokes
from solvers.picture.raster.frames import Frame, FramePainter, Request
from solvers.picture.raster.pixel_colours import argb
from solvers.picture.scene.camera import Bounds, Camera
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.ramps import sampled_colours
from solvers.picture.scene.scene import MOST_SCALE, visible_edges
from solvers.system.array_types import Int64s, UInt32s
from solvers.system.cancel import SILENT, Progress
from solvers.system.threads import ThreadTeam
from solvers.text import format_count

BAND_PIXELS = 4_000_000  # per band; some 60 MB with the raster's buffers
_OVERLAP = 16  # rows
_SKETCH_RATIO = 0.05  # of a raster used only for its detail and legend


class Composition(Protocol):
    """A picture laid out on its page; not thread-safe."""

    page: Page

    @property
    def colours(self) -> tuple[str, ...]:
        """Significant colours besides the scheme's, as "#RRGGBB"; a GIF palette must
        contain them.
        """

    def band(self, first: int, last: int, progress: Progress = SILENT) -> QImage:
        """Rows ``first`` to ``last - 1`` of the image."""

    def raster_layer(self) -> RasterLayer | None:
        """The part that stays a raster in vector output; None if there is none."""

    def parts(self, progress: Progress = SILENT) -> Sequence[Part]:
        """Everything but the raster layer, as vectors, bottom to top."""

    def move(self, position: int, gathered: int = 1) -> None:
        """Show another recorded iteration, together with those before it up to a number
        of ``gathered``.
        """


class Subject(Protocol):
    """Something that can be exported: holds all data for its picture and may be passed
    to a worker thread.
    """

    @property
    def length(self) -> int:
        """Number of recorded iterations; 0 without a trace."""

    @property
    def words(self) -> str:
        """One-line description of the picture."""

    def whole(self) -> Subject:
        """The same subject with everything in view."""

    def compose(self, page: Page) -> Composition: ...


@runtime_checkable
class LitSubject(Subject, Protocol):
    """An animation that can be lit up to a budget, with what is lit in view."""

    @property
    def budget(self) -> float | None:
        """Distance up to which the graph is lit; None for no limit."""

    def within(self, budget: float) -> LitSubject:
        """The same with another budget."""

    def lit(self) -> LitSubject:
        """The same with what lies within the budget at any moment in view; may compute long,
        and raise TautpathError.
        """


def bands(composition: Composition, progress: Progress = SILENT) -> Iterator[tuple[int, QImage]]:
    """Yield (first row, image) of each band, top to bottom.

    Each band is drawn with some rows of its neighbours and cropped: Qt's antialiasing
    differs slightly next to an image edge, which would show as a seam.
    """
    page = composition.page
    rows = max(1, BAND_PIXELS // page.width)
    for first in range(0, page.height, rows):
        progress.checkpoint(first, page.height)
        last = min(page.height, first + rows)
        above = min(first, _OVERLAP)
        image = composition.band(first - above, min(page.height, last + _OVERLAP), progress)
        yield first, image.copy(0, above, page.width, last - first)


def whole_image(composition: Composition, progress: Progress = SILENT) -> QImage:
    image = composition.band(0, composition.page.height, progress)
    set_resolution(image, composition.page.dpi)
    return image


def image_pixels(image: QImage) -> UInt32s:
    """(h, w) premultiplied ARGB; a copy, since a view would not keep the image alive."""
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width()).copy()


def blank_image(width: int, height: int, page: Page) -> QImage:
    """An image filled with the page's background."""
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    if image.isNull():
        raise MemoryError(f"an image of {format_count(width)} x {format_count(height)} pixels")
    image.fill(QColor(0, 0, 0, 0) if page.transparent else QColor(page.canvas_colour))
    return image


@dataclass(frozen=True, eq=False)
class PictureState:
    """Snapshot of what the graph canvas shows, for export; may be passed to a worker thread.

    The view is in world coordinates; the iteration is appended to the caption.
    """

    content: PictureContent
    view: Bounds
    caption: str = ""

    @property
    def length(self) -> int:
        trace = self.content.activity.trace
        return 0 if trace is None else len(trace)

    def at(self, position: int, gathered: int = 1) -> PictureState:
        """The state at the end of another recorded iteration."""
        content = replace(self.content, position=position, gathered=gathered, begun=None)
        return replace(self, content=content)

    def whole(self) -> PictureState:
        return replace(self, view=self.content.scene.bounds)

    def compose(self, page: Page) -> GraphComposition:
        return GraphComposition(self, page)

    @property
    def words(self) -> str:
        """The caption with the current iteration."""
        trace = self.content.activity.trace
        if trace is None or not len(trace):
            return self.caption
        return FACTS.join(
            part for part in (self.caption, trace.place(self.content.position)) if part
        )


class GraphComposition:
    """The graph on a page: raster below; path, markers, legend, scale bar and caption
    as vectors above it.

    The caption is along the lower edge. With ``legend_room`` a whole graph is kept
    clear of legend and scale bar, though other panes may draw them. The threads to draw
    with are a new team by default.
    """

    _fixed_words = True  # whether only numbers in the caption change

    def __init__(
        self,
        state: PictureState,
        page: Page,
        *,
        captioned: bool = True,
        with_legend: bool = True,
        legend_room: bool = True,
        team: ThreadTeam | None = None,
    ):
        self.page = page
        self._state = self._first = state
        self._captioned, self._with_legend = captioned, with_legend
        self._tokens = page.tokens
        self._frames = FramePainter(team)
        # The part of the graph that is drawn, in logical pixels.
        self.camera = Camera.fitting(
            state.view, page.across, page.down, margin=0.0, limit=MOST_SCALE
        )
        self._margins: PageMargins | None = None
        if page.margin:
            sketch = self._frames.last_frame(self._request(_SKETCH_RATIO, None))
            self._margins = margins_of(
                state.content,
                sketch,
                state.view,
                page,
                self._words,
                with_legend=legend_room,
                fixed_words=self._fixed_words,
            )
            self.camera = self._margins.camera(state.view, page)

    @property
    def insets(self) -> Insets | None:
        """Left, top, right and bottom margin in logical pixels; None for a page without margins."""
        return None if self._margins is None else self._margins.insets

    def keep_free(self, insets: Sequence[Insets | None]) -> None:
        """Give the page the widest of some margins as well as its own."""
        if self._margins is not None:
            left, top, right, bottom = (
                max(sides) for sides in zip(*filter(None, insets), strict=True)
            )
            self._margins = replace(self._margins, insets=(left, top, right, bottom))
            self.camera = self._margins.camera(self._state.view, self.page)

    @property
    def indent(self) -> float:
        """Logical pixels between the page's margin and the column at the left: with the
        graph beside it, it stands in the middle of the page.
        """
        if self._margins is None or self._margins.column is None:
            return 0.0
        view = self._state.view
        corner = np.array([view.x0, view.y0])
        return max(0.0, float(self.camera.to_screen(corner)[0]) - self._margins.insets[0])

    @property
    def colours(self) -> tuple[str, ...]:
        """A sample of the shades that the legend explains."""
        legend = self._state.content.legend
        return () if legend is None else sampled_colours(legend.ramp, self._tokens.dark)

    def move(self, position: int, gathered: int = 1) -> None:
        self._state = self._first.at(position, gathered)

    def band(self, first: int, last: int, progress: Progress = SILENT) -> QImage:
        page = self.page
        frame = self._frames.last_frame(self._request(page.ratio, (first, last)), progress)
        image = blank_image(page.width, last - first, page)
        with QPainter(image) as painter:
            painter.drawImage(0, 0, argb_image(frame.pixels))
            painter.translate(0.0, -first)
            painter.scale(page.ratio, page.ratio)
            self._paint_over(painter, frame)
        return image

    def raster_layer(self) -> RasterLayer | None:
        """The lines as a raster from `VECTOR_EDGES` visible edges on, where vectors
        make too large a file.
        """
        if drawn_as_vectors(self.edges):
            return None
        page = self.page
        return RasterLayer(
            QRectF(0.0, 0.0, page.across, page.down), page.width, page.height, self.raster
        )

    def parts(self, progress: Progress = SILENT) -> Sequence[Part]:
        paint = partial(
            self.paint_vectors, progress=progress, all_of_it=drawn_as_vectors(self.edges)
        )
        return [Part(QRectF(0.0, 0.0, self.page.across, self.page.down), paint)]

    @property
    def edges(self) -> int:
        return len(self._edges)

    def raster(self, first: int, last: int, progress: Progress) -> UInt32s:
        """Rows ``first`` to ``last - 1`` of the raster layer, premultiplied ARGB."""
        return self._frames.last_frame(
            self._request(self.page.ratio, (first, last)), progress
        ).pixels

    def paint_vectors(
        self, painter: QPainter, *, all_of_it: bool, progress: Progress = SILENT
    ) -> None:
        """Paint what lies over the raster, in logical pixels; with ``all_of_it``, also
        the lines themselves.
        """
        sketch = self._frames.last_frame(self._request(_SKETCH_RATIO, None), progress)
        smooth(painter)
        if all_of_it:
            sketch = replace(sketch, roads_drawn=False)  # there is no raster that would show them
            shown = self.camera, self._state.content, self._tokens, self._edges, sketch
            paint_marks(painter, raster_strokes(*shown, progress))
        progress.checkpoint()
        self._paint_over(painter, sketch)

    @cached_property
    def _edges(self) -> Int64s:
        return visible_edges(self._state.content.scene, self.camera.bounds)

    @property
    def _words(self) -> str:
        return self._state.words if self._captioned else ""

    def _paint_over(self, painter: QPainter, frame: Frame) -> None:
        state, camera, tokens = self._state, self.camera, self._tokens
        view = view_of(painter, frame, camera, state.content, tokens)
        paint_view(painter, view, lambda shown: overlay_marks(shown, frame))
        words, margins, lowest = self._words, self._margins, self.page.down - MARGIN
        caption = CAPTION_HEIGHT if words else 0.0
        in_column = margins is not None and margins.caption_in_column
        below = caption if margins is None else margins.caption_height
        paint_annotations(
            painter,
            frame,
            camera,
            state.content,
            tokens,
            with_legend=self._with_legend,
            bottom=lowest - (0.0 if in_column else below),
            legend_width=None if margins is None else margins.legend_width,
            legend_left=self.indent,
            attribution_bottom=lowest - (0.0 if in_column else caption),
        )
        if margins is not None and margins.column is not None and in_column:
            place = QPointF(MARGIN + self.indent, max(MARGIN, margins.insets[1]))
            paint_caption_in_column(painter, words, place, margins.column, tokens)
        else:
            paint_caption(painter, words, self.page, tokens, self.indent)

    def _request(self, ratio: float, rows: tuple[int, int] | None) -> Request:
        background = TRANSPARENT if self.page.transparent else self.page.canvas_colour
        return Request(self._state.content, self.camera, ratio, self._tokens, background, rows)


def drawn_as_vectors(edges: int) -> bool:
    """True if so many visible edges are better drawn as vectors than as a raster."""
    return edges < VECTOR_EDGES


def paint_caption(
    painter: QPainter, words: str, page: Page, tokens: Tokens, indent: float = 0.0
) -> None:
    """Paint a one-line caption along the lower edge, in smaller letters if it is long."""
    if not words:
        return
    room = page.across - 2 * MARGIN - indent
    words = fitting_caption(painter, words, room)
    if not page.margin and not page.transparent:  # the graph extends below the caption
        width = QFontMetricsF(painter.font()).horizontalAdvance(words)
        background = faded(tokens.canvas, CARD_OPACITY)
        top = page.down - MARGIN - CAPTION_HEIGHT + 6.0
        left = MARGIN + indent - 3.0
        painter.fillRect(QRectF(left, top, width + 6.0, CAPTION_HEIGHT), background)
    top = page.down - MARGIN - CAPTION_HEIGHT + 4.0
    line = QRectF(MARGIN + indent, top, room, CAPTION_HEIGHT)
    where = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom
    write(painter, line, words, tokens.text, where)


def fitting_caption(painter: QPainter, words: str, room: float) -> str:
    """A caption that fits into a line, in smaller letters or elided; sets the font."""
    painter.setFont(fitting_font(painter, words, room, CAPTION_POINTS))
    return QFontMetricsF(painter.font()).elidedText(words, Qt.TextElideMode.ElideMiddle, room)


def paint_caption_in_column(
    painter: QPainter, words: str, place: QPointF, width: float, tokens: Tokens
) -> None:
    """Paint a caption below a point as a heading, with a line for each of its facts."""
    painter.setPen(tokens.text)
    for font, fact, height in caption_lines(words, width):
        painter.setFont(font)
        box = QRectF(place.x(), place.y(), width, height)
        painter.drawText(box, Qt.TextFlag.TextWordWrap, fact)
        place = place + QPointF(0.0, height)


@dataclass(frozen=True, eq=False)
class MatrixState:
    """Snapshot of what the matrix view shows, for export; the view has columns as x and
    rows as y.
    """

    content: MatrixContent
    view: Bounds
    caption: str = ""

    @property
    def length(self) -> int:
        return 0 if self.content.trace is None else len(self.content.trace)

    @property
    def words(self) -> str:
        parts = (self.caption, self.content.words, attribution_of(self.content.graph))
        return FACTS.join(part for part in parts if part)

    def whole(self) -> MatrixState:
        n = self.content.graph.n
        return replace(self, view=Bounds(0.0, 0.0, n, n))

    def compose(self, page: Page) -> MatrixComposition:
        return MatrixComposition(self, page)


class MatrixComposition:
    """The matrix on a page: cells as a raster; ids, source-target pair and legends as vectors."""

    colours: tuple[str, ...] = ()

    def __init__(self, state: MatrixState, page: Page):
        self.page = page
        self._state = state
        foot = CAPTION_HEIGHT if state.words else 0.0
        self._layout = MatrixLayout.of(state.content, page.across, page.down, foot)
        self._plot = _whole_pixels(self._layout.plot, page.ratio)
        across, down = self._plot[2] / page.ratio, self._plot[3] / page.ratio
        self._camera = Camera.fitting(state.view, across, down, margin=0.0)
        self._frames = MatrixFramePainter()

    def move(self, position: int, gathered: int = 1) -> None:
        self._state = replace(self._state, content=self._state.content.at(position))

    def band(self, first: int, last: int, progress: Progress = SILENT) -> QImage:
        page = self.page
        left, top, _, height = self._plot
        rows = max(0, first - top), min(height, last - top)
        frame = self._frame(rows if rows[0] < rows[1] else (0, 1), progress)
        image = blank_image(page.width, last - first, page)
        with QPainter(image) as painter:
            if rows[0] < rows[1]:
                painter.drawImage(left, top + rows[0] - first, argb_image(frame.pixels))
            painter.translate(0.0, -first)
            painter.scale(page.ratio, page.ratio)
            self._paint_over(painter, frame)
        return image

    def raster_layer(self) -> RasterLayer:
        """The cells; always a raster, since they are too many for vectors."""
        left, top, width, height = self._plot
        ratio = self.page.ratio

        def rows(first: int, last: int, progress: Progress) -> UInt32s:
            return self._frame((first, last), progress).pixels

        return RasterLayer(
            QRectF(left / ratio, top / ratio, width / ratio, height / ratio), width, height, rows
        )

    def parts(self, progress: Progress = SILENT) -> Sequence[Part]:
        paint = partial(self._paint_over, frame=self._frame((0, 1), progress))
        return [Part(QRectF(0.0, 0.0, self.page.across, self.page.down), paint)]

    def _paint_over(self, painter: QPainter, frame: MatrixFrame) -> None:
        page, tokens = self.page, self.page.tokens
        plot, sizes = self._layout.plot, QtTextSizes(painter.font())
        with smoothly(painter):
            # by less than a pixel, to align the marks with the cells, which lie on whole
            # pixels
            painter.translate(
                self._plot[0] / page.ratio - plot.x0, self._plot[1] / page.ratio - plot.y0
            )
            content, camera = self._state.content, self._camera
            shown = MatrixOverlay(self._layout, frame, camera, content, tokens, sizes, page.ratio)
            paint_marks(painter, shown.marks())
        paint_caption(painter, self._state.words, page, tokens)

    def _frame(self, rows: tuple[int, int], progress: Progress) -> MatrixFrame:
        page = self.page
        canvas = np.uint32(0) if page.transparent else argb(page.canvas_colour)
        request = MatrixRequest(
            self._state.content, self._camera, page.ratio, page.tokens, canvas, rows
        )
        return self._frames.frame(request, progress)


def _whole_pixels(plot: Box, ratio: float) -> tuple[int, int, int, int]:
    """(left, top, width, height) of the plot in pixels of the page."""
    left, top = round(plot.x0 * ratio), round(plot.y0 * ratio)
    return (
        left,
        top,
        max(1, round(plot.x1 * ratio) - left),
        max(1, round(plot.y1 * ratio) - top),
    )
