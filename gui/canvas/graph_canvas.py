"""The graph canvas: shows rendered frames, pans and zooms immediately, picks vertices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.canvas.content_builder import ContentBuilder, fitting_camera
from gui.canvas.displayed_run import DisplayedRun, SelectedRun
from gui.canvas.overview import Overview
from gui.canvas.pointing import PointingWidget
from gui.canvas.renderer import Renderer, screen_painter
from gui.canvas.scene_store import SceneStore
from gui.model.jobs import Jobs
from gui.model.playback import Playback
from gui.model.session import Session
from gui.painting.annotations import draw_badge, draw_hover_card, draw_message
from gui.painting.picture import paint_annotations, paint_graph
from gui.picture.raster.frames import Frame, Request
from gui.picture.scene.camera import Bounds, Camera
from gui.picture.scene.content import Layer, PictureContent
from gui.picture.scene.hover import vertex_rows
from gui.picture.scene.scene import MOST_SCALE
from gui.style.theme import tokens
from solvers.contracts.results import Result

PICK_RADIUS = 12.0  # logical pixels
ZOOM_STEP = 1.5
_CLOSE_UP = 24.0  # pixels per mean edge when going to a vertex


class GraphCanvas(PointingWidget):
    """Widget that shows the open graph.

    Click sets the source, Shift+click the target; dragging pans, or moves a vertex of a small graph; the wheel zooms,
    a double click on empty space fits the whole graph.

    Parameters
    ----------
    session, playback, jobs
    scenes : SceneStore, optional
        Shared by canvases that show the same graph; by default the canvas creates its own.
    displayed_run : DisplayedRun, optional
        The displayed run and its iteration; the selected run by default.

    Attributes
    ----------
    with_legend : bool
        Whether legend and scale bar are drawn; of canvases side by side, only the first draws them.

    Signals
    -------
    armed_changed(object)
        "source", "target" or None: what the next click sets.
    view_changed()
        Camera or size changed.
    """

    armed_changed = Signal(object)
    view_changed = Signal()

    def __init__(
        self,
        session: Session,
        playback: Playback,
        jobs: Jobs,
        parent: QWidget | None = None,
        *,
        scenes: SceneStore | None = None,
        displayed_run: DisplayedRun | None = None,
    ):
        super().__init__(parent)
        self._session = session
        self._displayed_run = displayed_run or SelectedRun(session, playback, self)
        self.with_legend = True
        self._scenes = scenes or SceneStore(session, jobs, self)
        self._tokens = tokens()
        self._builder = ContentBuilder(session, self._displayed_run)
        self._content: PictureContent | None = None
        self._frame: Frame | None = None
        self._request_id = 0  # of the newest request
        self._last_outdated = 0  # requests up to this one were for another graph
        self._camera = Camera(0.0, 0.0, 1.0, 1.0, 1.0)
        self._fitted = True
        self._armed: str | None = None
        self._arrangement = self._scenes.arrangement
        self._grabbed = -1  # the vertex that is being dragged
        self._hovered = -1
        self._overview = Overview(self, quiet=jobs.quiet)
        self._overview.drawn.connect(self.update)
        self._renderer = Renderer(screen_painter, jobs.quiet)
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
    def frame(self) -> Frame | None:
        """The newest frame; it may lag behind the camera."""
        return self._frame

    @property
    def frame_is_current(self) -> bool:
        """Whether the newest frame matches the current camera, session and play-back position."""
        return self._frame is not None and self._frame.request_id == self._request_id

    @property
    def layers(self) -> frozenset[Layer]:
        return self._builder.layers

    def set_layer(self, layer: Layer, on: bool) -> None:
        self._builder.layers = self.layers | {layer} if on else self.layers - {layer}
        self._refresh()

    @property
    def tree_depth(self) -> int | None:
        return self._builder.tree_depth

    def set_tree_depth(self, depth: int | None) -> None:
        """Limit the displayed shortest-path tree to ``depth`` arcs; None shows all of it."""
        self._builder.tree_depth = depth
        self._refresh()

    def take_settings(self, other: GraphCanvas) -> None:
        """Copy layers and tree depth from another canvas."""
        self._builder.layers, self._builder.tree_depth = other.layers, other.tree_depth
        self._refresh()

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
        self._look(self._fitting(self._content.scene.bounds))

    def zoom_in(self) -> None:
        self.zoomed(ZOOM_STEP, QPointF(self.rect().center()))

    def zoom_out(self) -> None:
        self.zoomed(1.0 / ZOOM_STEP, QPointF(self.rect().center()))

    def zoom_to(self, vertices: NDArray[np.integer]) -> None:
        """Zoom in as far as all of ``vertices`` stay visible."""
        if self._content is None or not len(vertices):
            return
        self._fitted = False
        self._look(self._fitting(Bounds.of(self._content.scene.positions[vertices]), margin=0.12))

    def go_to_vertex(self, vertex: int) -> None:
        """Centre a vertex, zooming in until it is distinct from its neighbours."""
        if self._content is None or not np.isfinite(self._content.scene.positions[vertex]).all():
            return
        self._fitted = False
        scale = max(self._camera.scale, min(MOST_SCALE, _CLOSE_UP / (self._content.scene.mean_length or 1.0)))
        x, y = self._content.scene.positions[vertex]
        self._look(Camera(float(x), float(y), scale, self._camera.width, self._camera.height))
        self._hovered = vertex  # until the pointer moves: ring and card say which it is

    @property
    def armed(self) -> str | None:
        return self._armed

    def arm(self, what: str | None) -> None:
        """Make the next click set the "source" or the "target"; None cancels that."""
        if what != self._armed:
            self._armed = what
            self.armed_changed.emit(what)
            self.update()

    def vertex_at(self, at: QPointF) -> int:
        """The vertex within 12 pixels of a point of the widget; -1 if there is none."""
        if self._content is None:
            return -1
        x, y = self._camera.to_world(at.x(), at.y())
        return self._content.scene.grid.nearest(x, y, PICK_RADIUS / self._camera.scale)

    # -- listening ---------------------------------------------------------------------------------------------------

    def _listen(self) -> None:
        self._scenes.changed.connect(self._change_scene)
        self._scenes.moved.connect(self._follow_drag)
        self._session.endpoints_changed.connect(self._refresh)
        self._displayed_run.changed.connect(self._refresh)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._change_scheme)

    def _change_scene(self) -> None:
        """Show another graph, or another layout of the graph."""
        scene = self._scenes.scene
        before = self._content.scene if self._content is not None else None
        if scene is None or scene is not before:
            self._hovered = -1
            if before is None or scene is None or scene.graph is not before.graph:
                self._overview.clear()
                self._frame, self._content = None, None
                self._last_outdated = self._request_id
                self._builder.forget()
                self._fitted = True
                self.arm(None)
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

    def _refresh(self) -> None:
        """Show the current state of session and play-back."""
        scene = self._scenes.scene
        if scene is None:
            self._content = None
            self.update()
            return
        self._content = self._builder.content(scene)
        self._request()
        self.update()

    # -- the view ----------------------------------------------------------------------------------------------------

    def _fitting(self, bounds: Bounds, margin: float = 0.05) -> Camera:
        assert self._content is not None
        return fitting_camera(self._content.scene, bounds, self.width(), self.height(), margin)

    def _look(self, camera: Camera) -> None:
        self._camera = camera
        self._request()
        self.update()
        self.view_changed.emit()

    def zoomed(self, factor: float, at: QPointF) -> None:
        if self._content is None:
            return
        whole = self._fitting(self._content.scene.bounds).scale
        scale = min(MOST_SCALE, max(whole / 4, self._camera.scale * factor))
        self._fitted = False
        self._look(self._camera.zoomed(scale / self._camera.scale, at.x(), at.y()))

    def _request(self) -> None:
        self._request_id += 1
        if self._content is not None and self.isVisible():
            ratio = self.devicePixelRatioF()
            self._renderer.request(Request(self._content, self._camera, ratio, self._tokens, id=self._request_id))

    def _take_frame(self, frame: Frame) -> None:
        if frame.request_id > self._last_outdated:
            self._frame = frame
            self.update()

    # -- events ------------------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(800, 600)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._request()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if self._content is not None and self._fitted:
            self._look(self._fitting(self._content.scene.bounds))
        else:
            self._look(self._camera.resized(self.width(), self.height()))

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self._request()
        return super().event(event)

    def pressed(self, at: QPointF, button: Qt.MouseButton) -> None:
        may_grab = button is Qt.MouseButton.LeftButton and self._can_grab()
        self._grabbed = self.vertex_at(at) if may_grab else -1

    def dragged(self, by: QPointF, at: QPointF) -> None:
        self._fitted = False
        if self._grabbed >= 0:
            self._scenes.move_vertex(self._grabbed, *self._camera.to_world(at.x(), at.y()))
        else:
            self._look(self._camera.panned(by.x(), by.y()))

    def double_clicked(self, at: QPointF) -> None:
        if self.vertex_at(at) < 0:
            self.fit()

    def _can_grab(self) -> bool:
        """Whether vertices can be dragged: in a small graph, if each is drawn individually."""
        return self._scenes.can_drag and self._frame is not None and self._frame.detail is not None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._armed is not None:
            self.arm(None)
        elif event.text() in ("s", "t"):
            self.arm("source" if event.text() == "s" else "target")
        elif event.text() in ("+", "="):
            self.zoom_in()
        elif event.text() == "-":
            self.zoom_out()
        else:
            super().keyPressEvent(event)

    def clicked(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        goal = self._overview.world_at(at, self._camera, self._content.scene) if self._content is not None else None
        if goal is not None:
            self._fitted = False
            self._look(self._camera.centred(*goal))
            return
        vertex = self.vertex_at(at)
        if vertex < 0:
            return
        shifted = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        what = self._armed or ("target" if shifted else "source")
        self.arm(None)
        if what == "target":
            self._session.set_target(vertex)
        else:
            self._session.set_source(vertex)

    def rested(self, at: QPointF | None) -> None:
        hovered = self.vertex_at(at) if at is not None else -1
        if hovered != self._hovered:
            self._hovered = hovered
            self.update()

    # -- painting ----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._tokens.canvas))
        if self._content is None or self._frame is None:
            draw_message(painter, self.rect(), self._scenes.message, self._tokens)
            return
        if self._frame.ratio != self.devicePixelRatioF():
            self._request()
        paint_graph(painter, self._frame, self._camera, self._content, self._tokens)
        paint_annotations(painter, self._frame, self._camera, self._content, self._tokens, with_legend=self.with_legend)
        self._overview.paint(painter, self._camera, self._content.scene, self._tokens, self.devicePixelRatioF())
        if self._armed is not None:
            draw_badge(painter, f"Click a vertex to make it the {self._armed}; Esc cancels", self._tokens, top=44.0)
        if self._hovered >= 0:
            rows = vertex_rows(self._content, self._displayed_run.result, self._hovered)
            at = QPointF(*self._camera.to_screen(self._content.scene.positions[self._hovered]))
            draw_hover_card(painter, at, rows, self._camera, self._tokens)
