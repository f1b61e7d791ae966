"""The graph canvas: shows rendered frames, pans and zooms immediately, picks vertices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from gui.canvas.canvas_painter import CanvasPainter, Legends
from gui.canvas.content import ContentBuilder, PictureOptions
from gui.canvas.levels import LevelStore
from gui.canvas.overview import MapTool, Overview
from gui.canvas.pointer import Pointer, Tool
from gui.canvas.renderer import FrameStream
from gui.canvas.road_tools import RoadTool
from gui.canvas.scene_store import SceneStore
from gui.canvas.vertex_card import pop_up
from gui.canvas.vertex_tools import MarkerTool, MoveTool, PanTool, SelectTool
from gui.canvas.view import GraphView
from gui.model.jobs import Jobs
from gui.model.playback import Playback
from gui.model.session import Session
from gui.model.shown_run import DisplayedRun, SelectedRun
from gui.painting.annotations import draw_message
from gui.painting.display import QtTextSizes
from gui.style.text import type_scale
from gui.style.theme import tokens
from solvers.core.result import Result
from solvers.picture.display import TextSizes
from solvers.picture.overlay.annotations import explained_size
from solvers.picture.raster.frames import Frame, FramePainter, Request
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.figure import SMALL_GRAPH
from solvers.system.array_types import Float64s

COMPILE_TITLE = "Compiling for this machine, once"
_POINTS_OF_LEGEND = 4  # along each side


class GraphCanvas(QWidget):
    """Shows the open graph. Canvases of the same graph share ``scenes``, ``levels`` and
    ``options``.

    Of canvases side by side, only the one ``with_legend`` shows legend, scale bar and
    card; ``legend_is_elsewhere`` leaves legend and scale bar to widgets outside the
    canvas. Without ``levels`` the canvas shows none.
    """

    def __init__(
        self,
        session: Session,
        playback: Playback,
        jobs: Jobs,
        *,
        scenes: SceneStore | None = None,
        levels: LevelStore | None = None,
        options: PictureOptions | None = None,
        displayed_run: DisplayedRun | None = None,
        with_legend: bool = True,
    ):
        super().__init__()
        self._session = session
        self._displayed_run = displayed_run or SelectedRun(session, playback, self)
        self._scenes = scenes or SceneStore(session, jobs, self)
        self._arrangement = self._scenes.arrangement
        self.options = options or PictureOptions(self)
        self.with_legend, self.legend_is_elsewhere = with_legend, False
        self._compiles = False  # and there is no frame yet
        self._tokens = tokens()
        # The displayed content; None without a graph.
        self.content: PictureContent | None = None
        self._builder = ContentBuilder(session, self._displayed_run, self.options, levels)
        self.view = GraphView(self, session, lambda: self.content, self._annotations)
        self.view.moves = lambda: self.options.motion and not jobs.quiet.is_measuring
        painter = partial(FramePainter, device=self._scenes.device)
        self.frames: FrameStream[Request, Frame] = FrameStream(
            painter, jobs.window, jobs.quiet, self
        )
        self._overview = Overview(jobs.window, self, quiet=jobs.quiet)
        self.marker, self.mover = (
            MarkerTool(session, self.view),
            MoveTool(self.view, self._scenes, self.frames),
        )
        self.select = SelectTool(
            session, self.view, self.options, self._displayed_run, with_card=with_legend
        )
        self._added: list[Tool] = []  # by features
        self.road = RoadTool(session, self.view, self._added)
        self._tools: list[Tool] = [
            self.marker,
            self.mover,
            PanTool(self.view),
            MapTool(self._overview, self.view),
            self.select,
            self.road,
        ]
        for make in self.options.tools:
            self.add_tool(make)
        self._pointer = Pointer(
            self.view, self._tools, lambda: self._displayed_run.answer is not None
        )
        self._painter = CanvasPainter(
            session,
            self._displayed_run,
            self.options,
            self.view,
            self._overview,
            self._tools,
            self.marker,
            self.select,
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Graph picture")
        self._listen(levels)
        self._change_scene()

    @property
    def result(self) -> Result | None:
        return self._displayed_run.result

    def add_tool(self, make: Callable[[GraphView], Tool]) -> None:
        """Have another tool, which comes before those that are there."""
        tool = make(self.view)
        for tools in (self._added, self._tools):
            tools.insert(0, tool)

    def _listen(self, levels: LevelStore | None) -> None:
        session = self._session
        for signal in (
            self._scenes.replaced,
            session.endpoints_changed,
            self._displayed_run.changed,
            self.options.changed,
        ):
            signal.connect(self._refresh)
        if levels is not None:
            levels.changed.connect(self._refresh)
        for signal in (self._overview.drawn, self.options.armed_changed):
            signal.connect(self.update)
        self.frames.framed.connect(self._show_frame)
        self.frames.renderer.failed.connect(session.notice_error)
        self._scenes.changed.connect(self._change_scene)
        self._scenes.moved.connect(self._follow_drag)
        session.graph_changed.connect(self._let_go)
        session.vertex_selected.connect(self._follow_selected)
        self.view.moved.connect(self._follow_view)
        self.view.missed.connect(self._scenes.retry)
        self._pointer.turned.connect(self.options.budget_turned)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._change_scheme)

    def _change_scene(self) -> None:
        """Show another graph, or another layout of the graph."""
        scene = self._scenes.scene
        before = self.content.scene if self.content is not None else None
        if scene is None or scene is not before:
            self._pointer.hover(None)
            if before is None or scene is None or scene.graph is not before.graph:
                self._overview.clear()
                self.content = None
                self.frames.drop()
                self._painter.forget()
                self._builder.forget()
                self.view.fitted = True
                self._let_go()
            fits = self.view.fitted or self._arrangement is not self._scenes.arrangement
            self._arrangement = self._scenes.arrangement
            self._refresh(fit=fits)
        self.update()

    def _let_go(self) -> None:
        """Let go of what belongs to the graph that was open; the rest of a drag in
        progress does nothing.
        """
        self._pointer.let_go()
        self._pointer.hover(None)
        self.options.arm(None)

    def _follow_drag(self) -> None:
        """Show the scene with a dragged vertex; the view stays."""
        self.view.fitted = False
        self._refresh()

    def _follow_view(self) -> None:
        self._request()
        self._pointer.look_again()
        self.select.place_card()
        self.update()

    def _follow_selected(self) -> None:
        self.select.show_card()
        self.update()

    def _change_scheme(self) -> None:
        self._tokens = tokens()
        self._request()
        self.update()

    def _refresh(self, *, fit: bool = False) -> None:
        """Show the current state of session and play-back; ``fit``: all of the graph."""
        scene = self._scenes.scene
        self.content = None if scene is None else self._builder.content(scene)
        if scene is not None and fit:
            self.view.fit()  # and draw it: a frame of the view before would be drawn first
        elif scene is not None:
            self._request()
        self.select.show_card()
        # the frame of an answer follows at once, with its path
        if scene is None or self._displayed_run.answer is None:
            self.update()

    def _request(self) -> None:
        content, request = self.content, None
        if content is not None and self.isVisible():
            request = Request(
                content, self.view.camera, self.devicePixelRatioF(), self._tokens, with_path=True
            )
        self.frames.request(request)

    def tell_of_compiling(self) -> None:
        """If there is no frame, say until there is one that what draws it is compiled."""
        self._compiles = self.frames.newest is None
        self.update()

    def _show_frame(self) -> None:
        self._compiles = False
        self.update()

    @property
    def _shows_legend(self) -> bool:
        return self.with_legend and not self.legend_is_elsewhere

    def _annotations(self, content: PictureContent) -> tuple[TextSizes | None, float]:
        area, size, sizes = self.view.clear_area, type_scale(), QtTextSizes(self.font())
        if content.scene.graph.n <= SMALL_GRAPH:
            shown = self._shows_legend
            size = explained_size(sizes, area.width(), area.height(), size, legend=shown)
        return sizes if self._shows_legend else None, size

    @property
    def points_painted_over(self) -> Float64s:
        """Points of what sentence and legends cover, as painted last, (k, 2)."""
        shares = np.linspace(0.0, 1.0, _POINTS_OF_LEGEND)
        grids = [
            np.stack(
                np.meshgrid(
                    card.left() + shares * card.width(), card.top() + shares * card.height()
                ),
                axis=-1,
            ).reshape(-1, 2)
            for card in self._painter.cards
        ]
        return np.concatenate(grids) if grids else np.empty((0, 2))

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            content, frame = self._content_of_frame(), self.frames.newest
            if content is None or frame is None:
                painter.fillRect(self.rect(), QColor(self._tokens.canvas))
                words = self._scenes.message
                if self._compiles and content is not None and not words:
                    words = f"{COMPILE_TITLE} …"
                draw_message(painter, self.view.clear_area.toRect(), words, self._tokens)
                return
            if frame.ratio != self.devicePixelRatioF():
                self._request()
            font, size = self._annotations(content)
            legends = Legends(font is not None, self.legend_is_elsewhere, size)
            self._painter.paint(painter, frame, content, self._tokens, legends)

    def _content_of_frame(self) -> PictureContent | None:
        """What is painted over the frame: of an unmeasured answer what the frame was drawn
        from, so that path and field agree.
        """
        answered = self.frames.answered
        if self.content is None or self._displayed_run.answer is None or answered is None:
            return self.content
        return (
            answered.content
            if answered.content.scene.draws_like(self.content.scene)
            else self.content
        )

    def sizeHint(self) -> QSize:
        return QSize(800, 600)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._request()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.view.resize()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and tokens() != self._tokens:
            self._change_scheme()
        if event.type() is QEvent.Type.FontChange:
            self.view.refit()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self._request()
        return super().event(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.content is None:
            return
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        menu = QMenu(self)
        for tool in (self.select, *self._added, self.road):
            tool.add_to_menu(menu, None if by_key else event.pos().toPointF())
        pop_up(menu, self._session, event.globalPos())
