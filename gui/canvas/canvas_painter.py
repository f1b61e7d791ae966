"""Painting of the graph canvas: the newest frame, what lies over it, badges, and what
follows the pointer.

A painted picture is kept, so that a marker or the pointer can move over it without
painting it again. Of an unmeasured answer the way to the vertex under the pointer is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPixmap, QTransform
from PySide6.QtWidgets import QWidget

from gui.canvas.content import PictureOptions
from gui.canvas.overview import Overview
from gui.canvas.pointer import Tool
from gui.canvas.vertex_tools import MarkerTool, SelectTool
from gui.canvas.view import GraphView
from gui.model.session import Session
from gui.model.shown_run import DisplayedRun
from gui.painting.annotations import draw_ring
from gui.painting.display import QtTextSizes, paint_marks, rectangle
from gui.painting.picture import paint_graph, paint_view, view_of
from gui.style.paint import smooth
from gui.style.text import type_scale
from solvers.picture.colours import Tokens
from solvers.picture.display import Mark, Plate
from solvers.picture.overlay.annotations import BUTTONS_WIDTH, annotations_of, badge
from solvers.picture.overlay.cards import MARGIN
from solvers.picture.overlay.lines import hover_marks
from solvers.picture.raster.frames import Frame
from solvers.picture.scene.content import PictureContent
from solvers.system.array_types import Int32s
from solvers.system.kept import KeptValue, same

# of the badge that says that an answer was not measured, below those of the edges and of a
# choice
_ANSWER_TOP = 76.0
_ARMED_TOP = 44.0  # of the badge that says what a click does


@dataclass(frozen=True)
class Legends:
    """Where legend and scale bar are, and how large they and labels are."""

    shown: bool  # on the canvas
    elsewhere: bool  # outside the canvas, with the zoom buttons: nothing lies in its corners
    size: float  # factor of annotations and of what labels a close view


class CanvasPainter:
    """Paints in this order: picture, badges, ring of the selected vertex, path to the
    hovered one, what tools add.
    """

    def __init__(
        self,
        session: Session,
        displayed_run: DisplayedRun,
        options: PictureOptions,
        view: GraphView,
        overview: Overview,
        tools: Sequence[Tool],
        marker: MarkerTool,
        select: SelectTool,
    ):
        self._session, self._displayed_run, self._options = session, displayed_run, options
        self._view, self._overview = view, overview
        self._tools, self._marker, self._select = tools, marker, select
        self._layer = PaintedLayer()
        self._hover_path = KeptValue[Int32s | None]()
        self._remark = KeptValue[tuple[Mark, ...]]()
        # of sentence and legends, in the widget, as painted last
        self.cards: tuple[QRectF, ...] = ()

    def paint(
        self,
        painter: QPainter,
        frame: Frame,
        content: PictureContent,
        tokens: Tokens,
        legends: Legends,
    ) -> None:
        """Paint a frame, and over it what belongs to ``content``, which the frame shows
        as nearly as is known.
        """
        smooth(painter)
        self._paint_picture(painter, frame, content, tokens, legends)
        self._paint_badges(painter, frame, tokens)
        if (selected := self._view.point_of(self._session.selected_vertex)) is not None:
            draw_ring(painter, selected, tokens)
        self._paint_hover_path(painter, frame, tokens, legends)
        for tool in self._tools:
            tool.paint(painter, content, tokens)

    def forget(self) -> None:
        """Let go of the picture that is kept, and of what it was painted from."""
        self._layer.forget()

    def _paint_picture(
        self,
        painter: QPainter,
        frame: Frame,
        content: PictureContent,
        tokens: Tokens,
        legends: Legends,
    ) -> None:
        """Paint all but what follows the pointer; the same pixels serve while only that
        moves, or something that lies over the canvas changes.
        """
        widget, carried, camera = self._view.widget, self._marker.carried, self._view.camera
        clear, area = self._view.clear_camera, self._view.clear_area
        corner, size = area.topLeft(), legends.size
        kept_free = 0.0 if legends.elsewhere else BUTTONS_WIDTH

        def paint(onto: QPainter) -> None:
            height, width = (pixels / frame.ratio for pixels in frame.pixels.shape)
            fills = width >= widget.width() and height >= widget.height()
            if frame.camera != camera or not fills:  # half a pixel is rounded down
                # one further, as half a pixel would be filled with half the colour
                onto.fillRect(widget.rect().adjusted(0, 0, 1, 1), QColor(tokens.canvas))
            bare = content if carried is None else carried.without_marker(content)
            annotations = annotations_of(
                view_of(onto, frame, clear.enlarged(size), content, tokens),
                frame,
                with_legend=legends.shown,
                kept_free=kept_free,
                clear_of=(self._view.points_to_see - (corner.x(), corner.y())) / size,
            )
            placed = QTransform.fromTranslate(corner.x(), corner.y()).scale(size, size)
            self.cards = tuple(placed.mapRect(rectangle(card)) for card in annotations.cards)
            plates = [mark.box for mark in annotations.marks if isinstance(mark, Plate)]
            over = [self._view.buttons, *(placed.mapRect(rectangle(plate)) for plate in plates)]
            if (overview := self._overview.place(clear, content.scene)) is not None:
                over.append(overview.translated(corner))
            paint_graph(
                onto,
                frame,
                camera,
                bare,
                tokens,
                type_factor=size,
                area=area if legends.shown else None,
                cards=over if legends.shown else (),
            )
            onto.save()
            onto.setTransform(placed, combine=True)
            paint_marks(onto, annotations.marks)
            onto.restore()
            onto.save()
            onto.translate(corner)
            self._overview.paint(onto, clear, content.scene, tokens, widget.devicePixelRatioF())
            onto.restore()

        hidden = None if carried is None else (carried.what, carried.place)
        shown = frame, content, camera, clear, size, hidden, tokens, legends, self._overview.shown
        at_once = any(tool.follows_pointer for tool in self._tools)
        self._layer.draw(painter, widget, shown, paint, at_once=at_once)

    def _paint_badges(self, painter: QPainter, frame: Frame, tokens: Tokens) -> None:
        """Say that the answer was not measured, and what the next click does."""
        size, sizes = type_scale(), QtTextSizes(painter.font())
        painter.save()
        painter.translate(self._view.clear_area.topLeft())
        painter.scale(size, size)
        if self._displayed_run.answer is not None:
            top = _ANSWER_TOP if frame.drawn < 1.0 else MARGIN
            words = self._session.unmeasured.words
            marks = self._remark.of(
                (words, painter.font(), tokens, top),
                lambda: tuple(badge(sizes, words, tokens, top=top)),
            )
            paint_marks(painter, marks)
        if (armed := self._options.armed) is not None:
            content = self._view.content
            on_map = content is not None and content.scene.projection is not None
            what = "vertex or a road" if on_map else "vertex"
            words = f"Click a {what} to make it the {armed}; Esc cancels"
            paint_marks(painter, badge(sizes, words, tokens, top=_ARMED_TOP))
        painter.restore()

    def _paint_hover_path(
        self, painter: QPainter, frame: Frame, tokens: Tokens, legends: Legends
    ) -> None:
        """Of an unmeasured answer, paint the way to the vertex under the pointer."""
        answer, vertex, content = (
            self._displayed_run.answer,
            self._select.hovered,
            self._view.content,
        )
        if (
            vertex < 0
            or answer is None
            or content is None
            or answer.graph is not content.scene.graph
        ):
            return
        path = self._hover_path.of((answer, vertex), lambda: answer.path_to(vertex))
        if path is not None:
            view = view_of(painter, frame, self._view.camera, content, tokens)
            view = replace(view, type_factor=legends.size)
            paint_view(painter, view, lambda shown: hover_marks(shown, path))


class PaintedLayer:
    """A pixmap as large as a widget, with what was painted last, if that is wanted twice:
    a play-back paints each picture once, which a pixmap would only delay.
    """

    def __init__(self) -> None:
        self._pixmap: QPixmap | None = None
        self._is_painted = False  # the pixmap, with what `_key` says
        self._key: tuple[object, ...] = ()

    def draw(
        self,
        painter: QPainter,
        widget: QWidget,
        key: tuple[object, ...],
        paint: Callable[[QPainter], None],
        *,
        at_once: bool,
    ) -> None:
        """Draw what ``paint`` paints, which is not called where the picture is kept. It
        is kept the second time that ``key``, the widget's size and font are the same, or
        ``at_once``.

        ``key`` is everything else that the picture depends on; values are compared by
        identity, then by equality. ``paint`` must fill the widget; its painter has the
        widget's font.
        """
        ratio = widget.devicePixelRatioF()
        key = (*key, widget.size(), widget.font(), ratio)
        if not same(key, self._key):
            self._is_painted = False
            if not at_once:
                self._pixmap = None
                paint(painter)
                self._key = key
                return
        if self._pixmap is None or not self._is_painted:
            self._key = ()
            self._pixmap = self._painted_pixmap(widget, paint)
            self._key, self._is_painted = key, True
        painter.drawPixmap(QPointF(0.0, 0.0), self._pixmap)

    def _painted_pixmap(self, widget: QWidget, paint: Callable[[QPainter], None]) -> QPixmap:
        """Paint into the pixmap that is there, if it is as large: a new one takes as long as
        the picture.
        """
        ratio = widget.devicePixelRatioF()
        pixmap = self._pixmap
        if pixmap is None or (pixmap.size(), pixmap.devicePixelRatio()) != (
            widget.size() * ratio,
            ratio,
        ):
            pixmap = QPixmap(widget.size() * ratio)
            pixmap.setDevicePixelRatio(ratio)
        with QPainter(pixmap) as own:
            own.setFont(widget.font())
            paint(own)
        return pixmap

    def forget(self) -> None:
        self._pixmap, self._is_painted, self._key = None, False, ()
