"""The graph canvas: shows rendered frames, pans and zooms immediately, picks vertices."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QGuiApplication,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.canvas.canvas_painter import GraphPainting, HoverPath, PaintedLayer
from gui.canvas.content import ContentBuilder, PictureOptions
from gui.canvas.levels import LevelStore
from gui.canvas.overview import Overview
from gui.canvas.renderer import Frames, screen_painter
from gui.canvas.scene_store import SceneStore
from gui.canvas.shown_run import DisplayedRun, SelectedRun
from gui.canvas.view import GraphView
from gui.model.jobs import Jobs
from gui.model.playback import Playback
from gui.model.session import Session
from gui.picture.raster.frames import Frame, Request
from gui.picture.scene.content import PictureContent
from gui.style.theme import tokens
from solvers.core.result import Result


class GraphCanvas(GraphPainting):
    """Widget that shows the open graph.

    `VertexPointing` and `RoadPointing` say what mouse and keys do, `GraphPainting` what is painted.

    Parameters
    ----------
    session, playback, jobs
    scenes : SceneStore, optional
        Shared by canvases that show the same graph; by default the canvas creates its own.
    levels : LevelStore, optional
        Shared likewise; without it, the canvas shows no levels.
    options : PictureOptions, optional
        Shared likewise.
    displayed_run : DisplayedRun, optional
        The displayed run and its iteration; the selected run by default.

    Attributes
    ----------
    with_legend : bool
        Whether legend, scale bar and card are shown; of canvases side by side, only the first shows them.
    legend_is_elsewhere : bool
        Whether legend and scale bar are shown outside the canvas.
    """

    def __init__(
        self,
        session: Session,
        playback: Playback,
        jobs: Jobs,
        parent: QWidget | None = None,
        *,
        scenes: SceneStore | None = None,
        levels: LevelStore | None = None,
        options: PictureOptions | None = None,
        displayed_run: DisplayedRun | None = None,
        with_legend: bool = True,
    ):
        super().__init__(session, options or PictureOptions(), parent)
        self.with_legend = with_legend
        self._displayed_run = displayed_run or SelectedRun(session, playback, self)
        self._scenes = scenes or SceneStore(session, jobs, self)
        self._tokens = tokens()
        self._builder = ContentBuilder(session, self._displayed_run, self.options, levels)
        if levels is not None:
            levels.changed.connect(self._refresh)
        self._content: PictureContent | None = None
        self._layer = PaintedLayer()
        self._hover_path = HoverPath()
        self.view = GraphView(self, session, lambda: self._content, self._annotations)
        self.view.moved.connect(self._follow_view)
        self.view.missed.connect(self._scenes.retry)
        self._arrangement = self._scenes.arrangement
        self._overview = Overview(self, quiet=jobs.quiet)
        self._overview.drawn.connect(self.update)
        self.frames: Frames[Request, Frame] = Frames(partial(screen_painter, jobs.quiet), jobs.quiet, self)
        self.frames.framed.connect(self.update)
        self.frames.renderer.failed.connect(session.notice_error)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Graph picture")
        self._listen()
        self._change_scene()

    # -- what others ask of it ---------------------------------------------------------------------------------------

    @property
    def content(self) -> PictureContent | None:
        """The displayed content; None without a graph."""
        return self._content

    @property
    def result(self) -> Result | None:
        """Result of the displayed run."""
        return self._displayed_run.result

    def turned(self, steps: float) -> None:
        self.options.budget_turned.emit(steps)

    # -- listening ---------------------------------------------------------------------------------------------------

    def _listen(self) -> None:
        self._scenes.changed.connect(self._change_scene)
        self._scenes.moved.connect(self._follow_drag)
        self._scenes.replaced.connect(self._refresh)
        self._session.endpoints_changed.connect(self._refresh)
        self._session.roads.compared.connect(self._refresh)
        self._displayed_run.changed.connect(self._refresh)
        self.options.changed.connect(self._refresh)
        self.options.armed_changed.connect(self.update)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._change_scheme)

    def _change_scene(self) -> None:
        """Show another graph, or another layout of the graph."""
        scene = self._scenes.scene
        before = self._content.scene if self._content is not None else None
        if scene is None or scene is not before:
            self._hovered, self._hovered_road = -1, None
            if before is None or scene is None or scene.graph is not before.graph:
                self._overview.clear()
                self._content = None
                self.frames.drop()
                self._builder.forget()
                self.view.fitted = True
                self.forget_vertices()
            self._refresh()
            if scene is not None and (self.view.fitted or self._arrangement is not self._scenes.arrangement):
                self.view.fit()
            self._arrangement = self._scenes.arrangement
        self.update()

    def _follow_drag(self) -> None:
        """Show the scene with a dragged vertex; the view stays."""
        self.view.fitted = False
        self._refresh()

    def _change_scheme(self) -> None:
        self._tokens = tokens()
        self._request()
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and tokens() != self._tokens:
            self._change_scheme()
        if event.type() is QEvent.Type.FontChange:
            self.view.refit()

    def _refresh(self) -> None:
        """Show the current state of session and play-back."""
        scene = self._scenes.scene
        if scene is None:
            self._content = None
            self._show_card()
            self.update()
            return
        self._content = self._builder.content(scene, with_step=self.with_legend)
        self._request()
        self._show_card()
        if self._displayed_run.live_answer is None:  # else the frame, which follows at once, is painted with its path
            self.update()

    # -- the view ----------------------------------------------------------------------------------------------------

    def _annotations(self, content: PictureContent) -> tuple[QFont | None, float]:
        return self.font() if self._has_legend else None, self._annotation_size(content)

    def _follow_view(self) -> None:
        self._request()
        self._place_card()
        self.update()

    def _request(self) -> None:
        content, ratio = self._content, self.devicePixelRatioF()
        shown = content is not None and self.isVisible()
        self.frames.request(Request(content, self.view.camera, ratio, self._tokens) if shown and content else None)

    # -- events ------------------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(800, 600)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._request()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.view.resize()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self._request()
        return super().event(event)

    def recentre(self, at: QPointF) -> bool:
        content = self._content
        goal = None if content is None else self._overview.world_at(at, self.view.clear_camera, content.scene)
        if goal is not None:
            self.view.look_at(self.view.camera.centred(*goal))
        return goal is not None

    def move_vertex(self, vertex: int, x: float, y: float) -> None:
        self._scenes.move_vertex(vertex, x, y)

    def can_grab(self) -> bool:
        """Whether vertices can be moved: in a small graph, if each is drawn individually."""
        return self._scenes.can_drag and self.frames.newest is not None and self.frames.newest.detail is not None

    def moved(self, at: QPointF) -> None:
        if self._displayed_run.live_answer is not None:
            self.rested(at)
