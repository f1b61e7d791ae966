"""Composition of the matrix picture on a page, with ids and legends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter

from gui.export.composition import CAPTION_HEIGHT, blank_image, paint_caption
from gui.export.encoders.svg import Part, RasterLayer
from gui.export.page import Page
from gui.painting.attribution import attribution_of
from gui.painting.matrix_drawing import MatrixLayout, paint_around
from gui.picture.matrix.content import MatrixContent
from gui.picture.matrix.pixels import MatrixFrame, MatrixFramePainter, MatrixRequest
from gui.picture.raster.tone_map import argb
from gui.picture.scene.camera import Bounds, Camera
from solvers.system.cancel import SILENT, Observer


@dataclass(frozen=True, eq=False)
class MatrixState:
    """Snapshot of what the matrix view shows, for export.

    Attributes
    ----------
    content : MatrixContent
    view : Bounds
        Visible cells: x in columns, y in rows.
    caption : str
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
        return "  ·  ".join(part for part in parts if part)

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
        self._layout = MatrixLayout(page.across, page.down, CAPTION_HEIGHT if state.words else 0.0)
        self._plot = _whole_pixels(self._layout.plot, page.ratio)
        across, down = self._plot[2] / page.ratio, self._plot[3] / page.ratio
        self._camera = Camera.fitting(state.view, across, down, margin=0.0)
        self._frames = MatrixFramePainter()

    def move(self, position: int, gathered: int = 1) -> None:
        self._state = replace(self._state, content=replace(self._state.content, position=position))

    def band(self, first: int, last: int, observer: Observer = SILENT) -> QImage:
        page = self.page
        left, top, _, height = self._plot
        rows = max(0, first - top), min(height, last - top)
        frame = self._frame(rows if rows[0] < rows[1] else (0, 1), observer)
        image = blank_image(page.width, last - first, page)
        with QPainter(image) as painter:
            if rows[0] < rows[1]:
                painter.drawImage(left, top + rows[0] - first, _image(frame))
            painter.translate(0.0, -first)
            painter.scale(page.ratio, page.ratio)
            self._paint_over(painter, frame)
        return image

    def raster_layer(self) -> RasterLayer:
        """The cells; always a raster, since they are too many for vectors."""
        left, top, width, height = self._plot
        ratio = self.page.ratio

        def rows(first: int, last: int, observer: Observer) -> NDArray[np.uint32]:
            return self._frame((first, last), observer).pixels

        return RasterLayer(QRectF(left / ratio, top / ratio, width / ratio, height / ratio), width, height, rows)

    def parts(self, observer: Observer = SILENT) -> Sequence[Part]:
        paint = partial(self._paint_over, frame=self._frame((0, 1), observer))
        return [Part(QRectF(0.0, 0.0, self.page.across, self.page.down), paint)]

    def _paint_over(self, painter: QPainter, frame: MatrixFrame) -> None:
        page, tokens = self.page, self.page.tokens
        shift = QPointF(self._plot[0], self._plot[1]) / page.ratio - self._layout.plot.topLeft()
        painter.save()
        painter.translate(shift)  # by less than a pixel, to align the marks with the cells, which lie on whole pixels
        paint_around(painter, self._layout, frame, self._camera, self._state.content, tokens, page.ratio)
        painter.restore()
        paint_caption(painter, self._state.words, page, tokens)

    def _frame(self, rows: tuple[int, int], observer: Observer) -> MatrixFrame:
        page = self.page
        canvas = np.uint32(0) if page.transparent else argb(page.canvas_colour)
        request = MatrixRequest(self._state.content, self._camera, page.ratio, page.tokens, canvas, rows)
        return self._frames.frame(request, observer)


def _whole_pixels(plot: QRectF, ratio: float) -> tuple[int, int, int, int]:
    """(left, top, width, height) of the plot in pixels of the page."""
    left, top = round(plot.left() * ratio), round(plot.top() * ratio)
    return left, top, max(1, round(plot.right() * ratio) - left), max(1, round(plot.bottom() * ratio) - top)


def _image(frame: MatrixFrame) -> QImage:
    height, width = frame.pixels.shape
    return QImage(frame.pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
