"""Painting of the graph canvas: the newest frame, what lies over it, badges, and what follows the pointer."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainter, QPaintEvent

from gui.canvas.displayed_run import DisplayedRun
from gui.canvas.hover_path import HoverPath
from gui.canvas.overview import Overview
from gui.canvas.painted_layer import PaintedLayer
from gui.canvas.road_pointing import RoadPointing
from gui.canvas.scene_store import SceneStore
from gui.painting.annotations import MARGIN, draw_badge, draw_hover_card, draw_message, draw_ring
from gui.painting.overlay import draw_hover_path
from gui.painting.picture import BUTTONS_WIDTH, paint_annotations, paint_graph
from gui.picture.raster.frames import Frame
from gui.picture.scene.camera import Camera
from gui.picture.scene.content import PictureContent
from gui.picture.scene.hover import vertex_rows
from gui.style import type_size
from gui.style.tokens import Tokens
from solvers.text import format_duration

_LESSON_WIDTH = 540.0  # of a canvas whose lesson has legends of 100 per cent, in pixels
_LIVE_TOP = 76.0  # of the badge that says that the picture is live, below those of the edges and of a choice


class GraphPainting(RoadPointing):
    """Base class of the graph canvas, which provides what is declared here."""

    _tokens: Tokens
    _scenes: SceneStore
    _displayed_run: DisplayedRun
    _content: PictureContent | None
    _frame: Frame | None
    _framed: PictureContent | None
    _camera: Camera
    _layer: PaintedLayer
    _overview: Overview
    _hover_path: HoverPath

    @property
    def clear_camera(self) -> Camera:
        """The part of the view that nothing covers."""
        raise NotImplementedError

    def _request(self) -> None:
        """Have a frame drawn for the present content and camera."""
        raise NotImplementedError

    @property
    def _has_legend(self) -> bool:
        return self.with_legend and not self.legend_is_elsewhere

    def _annotation_size(self, content: PictureContent) -> float:
        """Factor of legend, scale bar and badges, which have the size of the window's type."""
        size = type_size.factor()
        if content.lesson is None:
            return size
        return max(1.0, min(size, self.width() / _LESSON_WIDTH))  # two rows of a lesson's large legend have to do

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            content = self._content_of_frame()
            if content is None or self._frame is None:
                painter.fillRect(self.rect(), QColor(self._tokens.canvas))
                draw_message(painter, self.rect(), self._scenes.message, self._tokens)
                return
            if self._frame.ratio != self.devicePixelRatioF():
                self._request()
            self._paint_picture(painter, self._frame, content)
            self._paint_badges(painter, self._frame)
            if (selected := self._selected_place()) is not None:
                draw_ring(painter, selected, self._tokens)
            self.paint_lasso(painter, self._tokens)
            if (carried := self.marker_in_hand) is not None:
                carried.paint(painter, self._camera, content, self._tokens)
            elif self._hovered >= 0 and self._hovered != self._session.selected_vertex:
                self._paint_hover_path(painter)
                rows = vertex_rows(content, self._displayed_run.result, self._hovered)
                at = QPointF(*self._camera.to_screen(content.scene.positions[self._hovered]))
                size = type_size.factor()
                painter.scale(size, size)
                draw_hover_card(painter, at / size, rows, self.clear_camera.enlarged(size), self._tokens)
            else:
                self.paint_hovered_road(painter, self._tokens)

    def _content_of_frame(self) -> PictureContent | None:
        """What is painted over the frame: in live mode what the frame was drawn from, so that path and field agree."""
        if self._content is None or self._displayed_run.live_answer is None or self._framed is None:
            return self._content
        return self._framed if self._framed.scene.draws_like(self._content.scene) else self._content

    def _paint_picture(self, painter: QPainter, frame: Frame, content: PictureContent) -> None:
        """Paint all but what follows the pointer; the same pixels serve while only that moves."""
        carried = self.marker_in_hand
        clear, size, legend = self.clear_camera, self._annotation_size(content), self._has_legend
        kept_free = 0.0 if self.legend_is_elsewhere else BUTTONS_WIDTH

        def paint(onto: QPainter) -> None:
            onto.fillRect(self.rect(), QColor(self._tokens.canvas))
            bare = content if carried is None else carried.without_marker(content)
            paint_graph(onto, frame, self._camera, bare, self._tokens, type_factor=size)
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
            frame, content, self._camera, clear, size, hidden, self._tokens, legend, kept_free, self._overview.shown,
        )  # fmt: skip
        self._layer.draw(painter, self, shown, paint)

    def _paint_badges(self, painter: QPainter, frame: Frame) -> None:
        """Say that the picture is live, and what the next click does."""
        size = type_size.factor()
        painter.save()
        painter.scale(size, size)
        if self._displayed_run.live_answer is not None:
            live = self._session.live
            words = live.words if live.usual_ms is None else f"{live.words}; {format_duration(live.usual_ms)}"
            draw_badge(painter, words, self._tokens, top=_LIVE_TOP if frame.drawn < 1.0 else MARGIN)
        if self._armed is not None:
            draw_badge(painter, f"Click a vertex to make it the {self._armed}; Esc cancels", self._tokens, top=44.0)
        painter.restore()

    def _paint_hover_path(self, painter: QPainter) -> None:
        """In live mode, paint the way to the vertex under the pointer."""
        answer = self._displayed_run.live_answer
        if answer is None or self._content is None or answer.graph is not self._content.scene.graph:
            return
        path = self._hover_path.path(answer, self._hovered)
        if path is not None and self._frame is not None:
            draw_hover_path(painter, self._camera, self._content, path, self._tokens, self._frame.detail)
