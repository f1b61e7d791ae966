"""Painting of the graph canvas: the newest frame, what lies over it, badges, and what follows the pointer.

A painted picture is kept, so that a marker or the pointer can move over it without painting it again. In live mode the
way to the vertex under the pointer is shown.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from gui.canvas.overview import Overview
from gui.canvas.renderer import Frames
from gui.canvas.road_tools import RoadPointing
from gui.canvas.scene_store import SceneStore
from gui.canvas.shown_run import DisplayedRun
from gui.painting.annotations import MARGIN, draw_badge, draw_hover_card, draw_message, draw_ring
from gui.painting.overlay import draw_hover_path
from gui.painting.picture import BUTTONS_WIDTH, paint_annotations, paint_graph
from gui.picture.raster.frames import Frame, Request
from gui.picture.scene.content import PictureContent, vertex_rows
from gui.style.colours import Tokens
from gui.style.text import type_scale
from solvers.graphs.graph import Graph
from solvers.running.live import PathWalk
from solvers.running.live_query import LiveAnswer
from solvers.text import format_duration

_LESSON_WIDTH = 540.0  # of a canvas whose lesson has legends of 100 per cent, in pixels
_LIVE_TOP = 76.0  # of the badge that says that the picture is live, below those of the edges and of a choice


class GraphPainting(RoadPointing):
    """Base class of the graph canvas, which provides what is declared here."""

    _tokens: Tokens
    _scenes: SceneStore
    _displayed_run: DisplayedRun
    _content: PictureContent | None
    frames: Frames[Request, Frame]
    _layer: PaintedLayer
    _overview: Overview
    _hover_path: HoverPath

    def _request(self) -> None:
        """Have a frame drawn for the present content and camera."""
        raise NotImplementedError

    @property
    def _has_legend(self) -> bool:
        return self.with_legend and not self.legend_is_elsewhere

    def _annotation_size(self, content: PictureContent) -> float:
        """Factor of legend, scale bar and badges, which have the size of the window's type."""
        size = type_scale()
        if content.lesson is None:
            return size
        return max(1.0, min(size, self.width() / _LESSON_WIDTH))  # two rows of a lesson's large legend have to do

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            content, frame = self._content_of_frame(), self.frames.newest
            if content is None or frame is None:
                painter.fillRect(self.rect(), QColor(self._tokens.canvas))
                draw_message(painter, self.rect(), self._scenes.message, self._tokens)
                return
            if frame.ratio != self.devicePixelRatioF():
                self._request()
            self._paint_picture(painter, frame, content)
            self._paint_badges(painter, frame)
            if (selected := self.view.point_of(self._session.selected_vertex)) is not None:
                draw_ring(painter, selected, self._tokens)
            self.paint_lasso(painter, self._tokens)
            if (carried := self.marker_in_hand) is not None:
                carried.paint(painter, self.view.camera, content, self._tokens)
            elif self._hovered >= 0 and self._hovered != self._session.selected_vertex:
                self._paint_hover_path(painter)
                rows = vertex_rows(content, self._displayed_run.result, self._hovered)
                at = QPointF(*self.view.camera.to_screen(content.scene.positions[self._hovered]))
                size = type_scale()
                painter.scale(size, size)
                draw_hover_card(painter, at / size, rows, self.view.clear_camera.enlarged(size), self._tokens)
            else:
                self.paint_hovered_road(painter, self._tokens)

    def _content_of_frame(self) -> PictureContent | None:
        """What is painted over the frame: in live mode what the frame was drawn from, so that path and field agree."""
        answered = self.frames.answered
        if self._content is None or self._displayed_run.live_answer is None or answered is None:
            return self._content
        return answered.content if answered.content.scene.draws_like(self._content.scene) else self._content

    def _paint_picture(self, painter: QPainter, frame: Frame, content: PictureContent) -> None:
        """Paint all but what follows the pointer; the same pixels serve while only that moves."""
        carried = self.marker_in_hand
        clear, size, legend = self.view.clear_camera, self._annotation_size(content), self._has_legend
        kept_free = 0.0 if self.legend_is_elsewhere else BUTTONS_WIDTH

        def paint(onto: QPainter) -> None:
            onto.fillRect(self.rect(), QColor(self._tokens.canvas))
            bare = content if carried is None else carried.without_marker(content)
            paint_graph(onto, frame, self.view.camera, bare, self._tokens, type_factor=size)
            onto.save()
            onto.scale(size, size)
            paint_annotations(
                onto, frame, clear.enlarged(size), content, self._tokens, with_legend=legend, kept_free=kept_free
            )
            onto.restore()
            self._overview.paint(onto, clear, content.scene, self._tokens, self.devicePixelRatioF())

        if carried is None and self._hovered < 0 and self._hovered_road is None and not self.has_lasso:
            self._layer.forget()
            paint(painter)
            return
        hidden = None if carried is None else (carried.what, carried.place)
        shown = (
            frame, content, self.view.camera, clear, size, hidden, self._tokens, legend, kept_free,
            self._overview.shown,
        )  # fmt: skip
        self._layer.draw(painter, self, shown, paint)

    def _paint_badges(self, painter: QPainter, frame: Frame) -> None:
        """Say that the picture is live, and what the next click does."""
        size = type_scale()
        painter.save()
        painter.scale(size, size)
        if self._displayed_run.live_answer is not None:
            live = self._session.live
            words = live.words if live.usual_ms is None else f"{live.words}; {format_duration(live.usual_ms)}"
            draw_badge(painter, words, self._tokens, top=_LIVE_TOP if frame.drawn < 1.0 else MARGIN)
        if self.options.armed is not None:
            draw_badge(
                painter, f"Click a vertex to make it the {self.options.armed}; Esc cancels", self._tokens, top=44.0
            )
        painter.restore()

    def _paint_hover_path(self, painter: QPainter) -> None:
        """In live mode, paint the way to the vertex under the pointer."""
        answer = self._displayed_run.live_answer
        if answer is None or self._content is None or answer.graph is not self._content.scene.graph:
            return
        path = self._hover_path.path(answer, self._hovered)
        if path is not None and (frame := self.frames.newest) is not None:
            draw_hover_path(painter, self.view.camera, self._content, path, self._tokens, frame.detail)


class PaintedLayer:
    """A pixmap as large as a widget, with what was painted last."""

    def __init__(self) -> None:
        self._pixmap: QPixmap | None = None
        self._key: tuple[object, ...] = ()

    def draw(
        self, painter: QPainter, widget: QWidget, key: tuple[object, ...], paint: Callable[[QPainter], None]
    ) -> None:
        """Draw what ``paint`` paints, which is called only if ``key`` or the widget's size differs from last time.

        Parameters
        ----------
        key : tuple
            Everything that the picture depends on; values are compared by identity, then by equality.
        paint : callable(QPainter)
            Must fill the widget; its painter has the widget's font.
        """
        ratio = widget.devicePixelRatioF()
        key = (*key, widget.size(), ratio)
        if self._pixmap is None or not _same(key, self._key):
            self.forget()  # also where painting fails half-way
            pixmap = QPixmap(widget.size() * ratio)
            pixmap.setDevicePixelRatio(ratio)
            with QPainter(pixmap) as own:
                own.setFont(widget.font())
                paint(own)
            self._pixmap, self._key = pixmap, key
        painter.drawPixmap(QPointF(0.0, 0.0), self._pixmap)

    def forget(self) -> None:
        """Free the memory."""
        self._pixmap, self._key = None, ()


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return len(one) == len(other) and all(a is b or a == b for a, b in zip(one, other, strict=True))


class HoverPath:
    """Finds paths on the window's thread, which takes well under a millisecond; remembers the last."""

    def __init__(self) -> None:
        self._walk: tuple[Graph, PathWalk] | None = None
        self._found: tuple[LiveAnswer, int, NDArray[np.int32] | None] | None = None

    def path(self, answer: LiveAnswer, vertex: int) -> NDArray[np.int32] | None:
        """The vertices from the nearest source to ``vertex``; None if it is unreachable."""
        if self._found is None or self._found[0] is not answer or self._found[1] != vertex:
            query = answer.query
            whole = query.weights.network
            if self._walk is None or self._walk[0] is not whole:
                self._walk = whole, PathWalk(whole)
            found = self._walk[1].path(
                answer.distances, query.weights.arcs, query.weights.kind, query.sources, vertex
            )  # fmt: skip
            self._found = answer, vertex, found
        return self._found[2]
