"""The graph canvas: shows rendered frames, pans and zooms immediately, picks vertices."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.canvas.canvas_painter import GraphPainting, HoverPath, PaintedLayer
from gui.canvas.content import ContentBuilder, ContentSettings, RoadContent
from gui.canvas.levels import LevelStore
from gui.canvas.overview import Overview
from gui.canvas.renderer import Renderer, screen_painter
from gui.canvas.scene_store import SceneStore
from gui.canvas.shown_run import DisplayedRun, SelectedRun
from gui.canvas.view import ViewFitting, ViewState
from gui.model.jobs import Jobs
from gui.model.playback import Playback
from gui.model.session import Session
from gui.picture.raster.frames import Frame, Request
from gui.picture.scene.camera import Bounds, Camera
from gui.picture.scene.content import PictureContent
from gui.picture.scene.paths import course
from gui.picture.scene.scene import MOST_SCALE
from gui.style.theme import tokens
from solvers.core.result import Result

ZOOM_STEP = 1.5
_CLOSE_UP = 24.0  # pixels per mean edge when going to a vertex


class GraphCanvas(ContentSettings, GraphPainting):
    """Widget that shows the open graph.

    `VertexPointing` and `RoadPointing` say what mouse and keys do, `GraphPainting` what is painted, and
    `ContentSettings` what is shown of graph and run.

    Parameters
    ----------
    session, playback, jobs
    scenes : SceneStore, optional
        Shared by canvases that show the same graph; by default the canvas creates its own.
    levels : LevelStore, optional
        Shared likewise; without it, the canvas shows no levels.
    displayed_run : DisplayedRun, optional
        The displayed run and its iteration; the selected run by default.

    Attributes
    ----------
    with_legend : bool
        Whether legend, scale bar and card are shown; of canvases side by side, only the first shows them.
    legend_is_elsewhere : bool
        Whether legend and scale bar are shown outside the canvas.

    Signals
    -------
    view_changed()
        Camera or size changed.
    framed()
        A new frame is shown.
    budget_turned(float)
        The wheel was turned with Shift held down, by so many notches.
    """

    view_changed = Signal()
    framed = Signal()
    budget_turned = Signal(float)

    def __init__(
        self,
        session: Session,
        playback: Playback,
        jobs: Jobs,
        parent: QWidget | None = None,
        *,
        scenes: SceneStore | None = None,
        levels: LevelStore | None = None,
        displayed_run: DisplayedRun | None = None,
    ):
        super().__init__(session, parent)
        self._displayed_run = displayed_run or SelectedRun(session, playback, self)
        self._scenes = scenes or SceneStore(session, jobs, self)
        self._tokens = tokens()
        self._builder = ContentBuilder(session, self._displayed_run, levels)
        if levels is not None:
            levels.changed.connect(self._refresh)
        self._road_content = RoadContent(session)
        self._content: PictureContent | None = None
        self._frame: Frame | None = None
        self._framed: PictureContent | None = None  # what the frame shows
        self._requested: dict[int, PictureContent] = {}  # by request, of those that have no frame yet
        self._layer = PaintedLayer()
        self._request_id = 0  # of the newest request
        self._last_outdated = 0  # requests up to this one were for another graph
        self._hover_path = HoverPath()
        self._camera = Camera(0.0, 0.0, 1.0, 1.0, 1.0)
        self._covered = 0
        self._fit = ViewFitting()
        self._fitted = True
        self._arrangement = self._scenes.arrangement
        self._overview = Overview(self, quiet=jobs.quiet)
        self._overview.drawn.connect(self.update)
        self._renderer = Renderer(partial(screen_painter, jobs.quiet), jobs.quiet)
        self._renderer.rendered.connect(self._take_frame)
        self._renderer.failed.connect(session.notice_error)
        renderer = self._renderer  # not self: the connection must not keep the canvas alive
        self.destroyed.connect(lambda: renderer.stop())
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

    @property
    def camera(self) -> Camera:
        return self._camera

    @property
    def clear_camera(self) -> Camera:
        """The part of the view that nothing covers."""
        return self._camera.cropped(self._covered)

    def set_covered(self, bottom: int) -> None:
        """Keep legends and a fitted graph out of so many pixels at the bottom, over which something lies."""
        if bottom == self._covered:
            return
        self._covered = bottom
        self.refit()

    def set_buttons(self, size: QSize) -> None:
        """Keep a fitted graph clear of buttons of that size, with their margin, in the lower right corner."""
        if size != self._fit.buttons:
            self._fit.buttons = size
            self.refit()

    def refit(self) -> None:
        """Fit a fitted graph again, after what lies over the canvas changed."""
        if self._content is not None and self._fitted:
            self._look(self._fitting())
        self.update()

    @property
    def frame(self) -> Frame | None:
        """The newest frame; it may lag behind the camera."""
        return self._frame

    @property
    def frame_is_current(self) -> bool:
        """Whether the newest frame matches the current camera, session and play-back position."""
        return self._frame is not None and self._frame.request_id == self._request_id

    def turned(self, steps: float) -> None:
        self.budget_turned.emit(steps)

    def look_like(self, other: GraphCanvas) -> None:
        """Copy another canvas's centre and scale."""
        self._fitted = other._fitted
        camera = other.camera.resized(self.width(), self.height())
        if camera != self._camera:
            self._camera = camera
            self._request()
            self.update()

    def fit(self) -> None:
        """Show the whole graph."""
        if self._content is None:
            self._scenes.retry()
            return
        self._fitted = True
        self._look(self._fitting())

    def zoom_in(self) -> None:
        self.zoomed(ZOOM_STEP, QPointF(self.rect().center()))

    def zoom_out(self) -> None:
        self.zoomed(1.0 / ZOOM_STEP, QPointF(self.rect().center()))

    def zoom_to(self, vertices: NDArray[np.integer]) -> None:
        """Zoom in as far as all of ``vertices`` stay visible."""
        if self._content is None or not len(vertices):
            return
        scene, height = self._content.scene, max(1, self.height() - self._covered)
        bounds = Bounds.of(course(scene, vertices))
        self.look_at(self._fit.part(scene, bounds, self.width(), height, margin=0.12).extended(self._covered))

    def go_to_vertex(self, vertex: int) -> None:
        """Centre a vertex, zooming in until it is distinct from its neighbours."""
        if self._content is None or not np.isfinite(self._content.scene.positions[vertex]).all():
            return
        self._fitted = False
        scale = max(self._camera.scale, min(MOST_SCALE, _CLOSE_UP / (self._content.scene.mean_length or 1.0)))
        x, y = self._content.scene.positions[vertex]
        self._look(Camera(float(x), float(y), scale, self._camera.width, self._camera.height))
        self._session.select_vertex(vertex)

    @property
    def view_state(self) -> ViewState | None:
        """What part of the graph is shown; None without a graph."""
        return None if self._content is None else ViewState.of(self._camera, fitted=self._fitted)

    def show_view(self, state: ViewState) -> None:
        """Show the part of the graph that was shown before."""
        if state.fitted:
            self.fit()
        else:
            self._fitted = False
            self._look(state.camera(self._camera.width, self._camera.height))

    # -- listening ---------------------------------------------------------------------------------------------------

    def _listen(self) -> None:
        self._scenes.changed.connect(self._change_scene)
        self._scenes.moved.connect(self._follow_drag)
        self._scenes.replaced.connect(self._refresh)
        self._session.endpoints_changed.connect(self._refresh)
        self._session.roads.compared.connect(self._refresh)
        self._displayed_run.changed.connect(self._refresh)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._change_scheme)

    def _change_scene(self) -> None:
        """Show another graph, or another layout of the graph."""
        scene = self._scenes.scene
        before = self._content.scene if self._content is not None else None
        if scene is None or scene is not before:
            self._hovered, self._hovered_road = -1, None
            if before is None or scene is None or scene.graph is not before.graph:
                self._overview.clear()
                self._frame, self._framed, self._content = None, None, None
                self._requested.clear()
                self._last_outdated = self._request_id
                self._builder.forget()
                self._fitted = True
                self.forget_vertices()
            self._refresh()
            if scene is not None and (self._fitted or self._arrangement is not self._scenes.arrangement):
                self.fit()
            self._arrangement = self._scenes.arrangement
        self.update()

    def _follow_drag(self) -> None:
        """Show the scene with a dragged vertex; the view stays."""
        self._fitted = False
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
            self.refit()

    def _refresh(self) -> None:
        """Show the current state of session and play-back."""
        scene = self._scenes.scene
        if scene is None:
            self._content = None
            self._show_card()
            self.update()
            return
        self._content = self._road_content.add(self._builder.content(scene))
        self._request()
        self._show_card()
        if self._displayed_run.live_answer is None:  # else the frame, which follows at once, is painted with its path
            self.update()

    # -- the view ----------------------------------------------------------------------------------------------------

    def _fitting(self) -> Camera:
        """The camera that shows the whole graph, clear of what lies over the canvas."""
        assert self._content is not None
        height, font = max(1, self.height() - self._covered), self.font() if self._has_legend else None
        size = self._annotation_size(self._content)
        camera = self._fit.whole(self._content.scene, self.width(), height, font=font, factor=size)
        return camera.extended(self._covered)

    def look_at(self, camera: Camera) -> None:
        """Show another part of the graph, at the user's request."""
        self._fitted = False
        self._look(camera)

    def _look(self, camera: Camera) -> None:
        self._camera = camera
        self._request()
        self._place_card()
        self.update()
        self.view_changed.emit()

    def zoomed(self, factor: float, at: QPointF) -> None:
        if self._content is None:
            return
        whole = self._fitting().scale
        scale = min(MOST_SCALE, max(whole / 4, self._camera.scale * factor))
        self._fitted = False
        self._look(self._camera.zoomed(scale / self._camera.scale, at.x(), at.y()))

    def _request(self) -> None:
        self._request_id += 1
        if self._content is not None and self.isVisible():
            ratio = self.devicePixelRatioF()
            self._requested[self._request_id] = self._content
            self._renderer.request(Request(self._content, self._camera, ratio, self._tokens, id=self._request_id))

    def _take_frame(self, frame: Frame) -> None:
        content = self._requested.get(frame.request_id)
        self._requested = {key: each for key, each in self._requested.items() if key >= frame.request_id}
        if frame.request_id > self._last_outdated:
            self._frame, self._framed = frame, content
            self.update()
            self.framed.emit()

    # -- events ------------------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(800, 600)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._request()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if self._content is not None and self._fitted:
            self._look(self._fitting())
        else:
            self._look(self._camera.resized(self.width(), self.height()))

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self._request()
        return super().event(event)

    def recentre(self, at: QPointF) -> bool:
        content = self._content
        goal = None if content is None else self._overview.world_at(at, self.clear_camera, content.scene)
        if goal is not None:
            self.look_at(self._camera.centred(*goal))
        return goal is not None

    def move_vertex(self, vertex: int, x: float, y: float) -> None:
        self._fitted = False
        self._scenes.move_vertex(vertex, x, y)

    def can_grab(self) -> bool:
        """Whether vertices can be moved: in a small graph, if each is drawn individually."""
        return self._scenes.can_drag and self._frame is not None and self._frame.detail is not None

    def moved(self, at: QPointF) -> None:
        if self._displayed_run.live_answer is not None:
            self.rested(at)
