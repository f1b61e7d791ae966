"""The part of a graph or matrix that a widget shows: its camera, zoom, and fitting
beside what lies over the widget.

A `ViewState` is independent of the widget's size.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRectF, QSize, QSizeF, Signal
from PySide6.QtWidgets import QWidget

from gui.model.session import Session
from gui.style.motion import Glide
from solvers.graphs.network import End, Place
from solvers.picture.display import TextSizes
from solvers.picture.overlay.annotations import attribution_covers, states_legend_room
from solvers.picture.overlay.cards import MARGIN, annotation_covers
from solvers.picture.overlay.markers import PIN_HEIGHT, pin_head
from solvers.picture.scene.camera import Bounds, Camera, Cover, Margins, clear_camera, sample_of
from solvers.picture.scene.close_arcs import disc_radius, marker_radius, reach_of_arcs
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.figure import BOW_ROOM, MARKER_ROOM, SMALL_GRAPH
from solvers.picture.scene.paths import polyline
from solvers.picture.scene.road_segments import roads_at
from solvers.picture.scene.scene import MOST_SCALE, DrawableGraph
from solvers.system.array_types import Float64s

ZOOM_STEP = 1.5
PICK_RADIUS = 12.0  # logical pixels about a vertex
ROAD_RADIUS = 8.0  # and about a road
_CLOSE_UP = 24.0  # pixels per mean edge when going to a vertex

_FIT_LIMIT = 120.0  # pixels per mean edge: a graph of two vertices does not fill the view
_FIGURE_INSETS = (44.0, 64.0, 44.0, 88.0)  # pixels around a part of a small graph
_DISC_ROOM = 46.0  # pixels that a disc and its label reach beyond a vertex
_VALUE = 24.0  # height of a distance beside a vertex, with a gap
_BADGE, _STRIP = 180.0, 28.0  # width of the badge of an answer, and height at the top of a card
_SENTENCE = 43.0  # its height, in pixels, with its margin
_FEW = 4  # vertices from which a graph may fill the view
# of the view, free on each side: in a low one as much as a pin needs
_MARGIN, _MOST_MARGIN = 0.05, 0.15

_SAME = 1e-6


class ViewFitting:
    """Computes the cameras; the points of the scene that must be clear are kept until
    the next scene.

    ``buttons`` is what the zoom buttons take of the lower right corner, with their
    margin; empty if they are elsewhere.
    """

    def __init__(self) -> None:
        self.buttons = QSize()
        self._scene: DrawableGraph | None = None

    def whole(
        self,
        scene: DrawableGraph,
        width: float,
        height: float,
        *,
        sizes: TextSizes | None = None,
        factor: float = 1.0,
    ) -> Camera:
        """The camera that shows the whole graph; a small graph leaves room for its
        labels, legend and sentence.

        ``sizes`` are those of legend and scale bar, None if they are not on the canvas;
        ``factor`` enlarges them.
        """
        limit = _limit_of(scene, factor)
        if scene.graph.n <= SMALL_GRAPH:
            insets = _figure_insets(width, height, sizes, factor)
            if self.buttons.height() > insets.bottom:  # a column of them
                insets = insets._replace(right=insets.right + self.buttons.width())
            camera = Camera.within(scene.bounds, width, height, insets, limit)
            # source and target are larger than other discs
            disc = disc_radius(scene, camera.enlarged(factor))
            more = max(0.0, factor * (MARKER_ROOM * marker_radius(disc) + _VALUE - _DISC_ROOM))
            insets = insets._replace(top=insets.top + more, bottom=insets.bottom + more)
            reach = reach_of_arcs(scene, camera.enlarged(factor), scene.bounds)
            insets = Margins(
                *(
                    inset + factor * max(0.0, by + BOW_ROOM - _DISC_ROOM)
                    for inset, by in zip(insets, reach, strict=True)
                )
            )
            return Camera.within(scene.bounds, width, height, insets, limit)
        if scene is not self._scene:
            self._scene, self._points = scene, sample_of(scene.positions)
        covers = self._covers(scene, width, sizes, factor)
        margin = min(max(_MARGIN, PIN_HEIGHT / height), _MOST_MARGIN)
        return clear_camera(
            self._points, scene.bounds, width, height, covers, margin=margin, limit=limit
        )

    def part(
        self, scene: DrawableGraph, bounds: Bounds, width: float, height: float, *, margin: float
    ) -> Camera:
        """The camera that shows a part of the graph, with ``margin`` of the view free
        on each side.
        """
        limit = _limit_of(scene)
        if scene.graph.n <= SMALL_GRAPH:
            return Camera.within(bounds, width, height, _FIGURE_INSETS, limit)
        return Camera.fitting(bounds, width, height, margin=margin, limit=limit)

    def _covers(
        self, scene: DrawableGraph, width: float, sizes: TextSizes | None, factor: float
    ) -> list[Cover]:
        covers = (
            []
            if sizes is None
            else annotation_covers(sizes, width, factor, scale=scene.metres_per_unit > 0)
            + attribution_covers(sizes, scene.graph, width, factor)
        )
        if not self.buttons.isEmpty():
            covers.append(Cover(width - self.buttons.width(), width, self.buttons.height()))
        return covers


def _figure_insets(width: float, height: float, sizes: TextSizes | None, factor: float) -> Margins:
    """Room that a small graph leaves around it for discs, labels, sentence and legend."""
    legend = 0.0
    if sizes is not None:
        legend = states_legend_room(sizes, width / factor, height / factor)
    side = _FIGURE_INSETS[0] * factor
    return Margins(side, (_DISC_ROOM + _SENTENCE) * factor, side, (_DISC_ROOM + legend) * factor)


def _limit_of(scene: DrawableGraph, factor: float = 1.0) -> float:
    few = scene.graph.n < _FEW and scene.mean_length > 0
    return factor * _FIT_LIMIT / scene.mean_length if few else MOST_SCALE


@dataclass(frozen=True)
class ViewState:
    """Centre and scale of a camera."""

    x: float
    y: float
    scale: float
    fitted: bool  # the whole graph is shown, whatever the canvas's size

    @classmethod
    def of(cls, camera: Camera, *, fitted: bool) -> ViewState:
        return cls(camera.x, camera.y, camera.scale, fitted)

    def looks_like(self, other: ViewState) -> bool:
        """Whether both show the same part of the graph."""
        if self.fitted or other.fitted:
            return self.fitted and other.fitted
        mine, others = (self.x, self.y, self.scale), (other.x, other.y, other.scale)
        return all(
            math.isclose(a, b, rel_tol=_SAME, abs_tol=_SAME)
            for a, b in zip(mine, others, strict=True)
        )

    def camera(self, width: float, height: float) -> Camera:
        return Camera(self.x, self.y, self.scale, width, height)


class CanvasView(QObject):
    """A camera that the user moves, and that can show the whole picture again.

    ``whole`` returns the camera of the whole picture, None while there is none;
    ``place`` where the picture is in the widget. ``least`` is the least scale as a
    share of the whole picture's, ``most`` the greatest scale.
    """

    moved = Signal()  # the camera is another
    changed = Signal()  # likewise, but not for views that only follow another (`look_like`)
    missed = Signal()  # the whole picture was asked for, and there is none

    def __init__(
        self,
        widget: QWidget,
        whole: Callable[[], Camera | None],
        place: Callable[[], QRectF],
        *,
        least: float,
        most: float,
    ):
        super().__init__(widget)
        self.widget = widget
        self._whole, self._place, self._least, self._most = whole, place, least, most
        self.camera = Camera(0.0, 0.0, 1.0, 1.0, 1.0)
        self.fitted = True
        self.moves: Callable[[], bool] = lambda: False  # whether changes of view are seen as motion
        self._from = self._to = self.camera
        self._glide = Glide(widget, self._show_share)

    @property
    def clear_area(self) -> QRectF:
        """Where the picture is in the widget, without what lies over it."""
        return self._place()

    def glide(self, change: Callable[[], None]) -> None:
        """Make a change of the view in motion, if motion is wanted; else at once."""
        before = self.camera
        if self._glide.state() is Glide.State.Running:
            self._glide.stop()
            self.camera = self._to  # what is asked for next goes on from there
        change()
        if self.camera == before or not self.moves():
            return
        self._from, self._to = before, self.camera
        self._show_share(0.0)
        self._glide.start()

    def _show_share(self, share: float) -> None:
        if not self.moves():  # a measurement began
            self._glide.stop()
            share = 1.0
        self.camera = self._from.towards(self._to, share)
        self.moved.emit()
        self.changed.emit()

    def fit(self) -> None:
        """Show the whole picture, now and in other sizes of the widget."""
        self.fitted = True
        if (whole := self._whole()) is None:
            self.missed.emit()
        else:
            self._look(whole)

    def refit(self) -> None:
        """Fit a fitted picture again, after what lies over the widget changed."""
        if self.fitted and (whole := self._whole()) is not None:
            self._look(whole)
        self.widget.update()

    def resize(self) -> None:
        """Follow the size of the widget."""
        size, whole = self._place().size(), self._whole() if self.fitted else None
        self._look(self.camera.resized(size.width(), size.height()) if whole is None else whole)

    def show_all(self) -> None:
        """Fit the picture as the user asked to."""
        self.glide(self.fit)

    def zoom_in(self) -> None:
        self.glide(partial(self._zoom_centre, ZOOM_STEP))

    def zoom_out(self) -> None:
        self.glide(partial(self._zoom_centre, 1.0 / ZOOM_STEP))

    def _zoom_centre(self, factor: float) -> None:
        self.zoom(factor, self.clear_area.center())

    def zoom(self, factor: float, at: QPointF) -> None:
        """Zoom by a factor, within the limits; the point under ``at`` of the widget stays there."""
        if (whole := self._whole()) is None:
            return
        least = self._least * whole.scale
        scale = min(self._most, max(least, self.camera.scale * factor))
        if scale <= least == whole.scale:  # no farther than the whole picture
            self.fit()
            return
        at = at - self._place().topLeft()
        self.look_at(self.camera.zoomed(scale / self.camera.scale, at.x(), at.y()))

    def pan(self, by: QPointF) -> None:
        self.look_at(self.camera.panned(by.x(), by.y()))

    def look_at(self, camera: Camera) -> None:
        """Show another part of the picture, at the user's request."""
        self.fitted = False
        self._look(camera)

    def look_like(self, other: CanvasView) -> None:
        """Take another view's centre and scale."""
        self.fitted = other.fitted
        size = self._place().size()
        camera = other.camera.resized(size.width(), size.height())
        if camera != self.camera:
            self.camera = camera
            self.moved.emit()

    def _look(self, camera: Camera) -> None:
        self._glide.stop()
        self.camera = camera
        self.moved.emit()
        self.changed.emit()


class GraphView(CanvasView):
    """The view of a graph: what lies over its edges, and what is under a point of the widget.

    ``annotations`` returns the font of legend and scale bar, None if they are not on
    the widget, and a factor of its size.
    """

    def __init__(
        self,
        widget: QWidget,
        session: Session,
        content: Callable[[], PictureContent | None],
        annotations: Callable[[PictureContent], tuple[TextSizes | None, float]],
    ):
        super().__init__(
            widget,
            self._graph,
            lambda: QRectF(QPointF(), QSizeF(widget.size())),
            least=1 / 4,
            most=MOST_SCALE,
        )
        self._session, self._content, self._annotations = session, content, annotations
        self._fitting = ViewFitting()
        self._covered = Margins()

    @property
    def content(self) -> PictureContent | None:
        """What is shown; None without a graph."""
        return self._content()

    @property
    def clear_camera(self) -> Camera:
        """The part of the view that nothing covers."""
        return self.camera.cropped(self._covered)

    @property
    def clear_area(self) -> QRectF:
        left, top, *_ = self._covered
        return QRectF(QPointF(left, top), QSizeF(*self._clear_size))

    def set_covered(self, margins: Margins) -> None:
        """Keep legends and a fitted graph out of margins, over which something lies.

        Another view moves up if an end point would be covered from below.
        """
        if margins != self._covered:
            more, clear = (
                margins.bottom - self._covered.bottom,
                self.widget.height() - margins.bottom,
            )
            self._covered = margins
            content = self.content
            shown = () if content is None else (content.source, content.target)
            ends = [self.point_of(vertex) for vertex in shown]
            if not self.fitted and any(
                end is not None and clear < end.y() <= clear + more for end in ends
            ):
                self.pan(QPointF(0.0, -more))
            self.refit()

    def set_buttons(self, size: QSize) -> None:
        """Keep a fitted graph clear of buttons of that size, with their margin, in the
        lower right corner.
        """
        if size != self._fitting.buttons:
            self._fitting.buttons = size
            self.refit()

    @property
    def buttons(self) -> QRectF:
        """Where the zoom buttons are, with their margin."""
        area, size = self.clear_area, self._fitting.buttons
        corner = area.bottomRight() - QPointF(size.width(), size.height())
        return QRectF(corner, QSizeF(size))

    @property
    def points_of_cards(self) -> Float64s:
        """Points of the buttons in the lower right corner, of what legends cover and of
        the badge of an unmeasured answer, (k, 2).
        """
        size, area = self._fitting.buttons, self.clear_area
        covers = [Cover(area.width() - size.width(), area.width(), size.height())]
        if (
            self.content is not None
            and (annotations := self._annotations(self.content))[0] is not None
        ):
            covers += annotation_covers(annotations[0], area.width(), annotations[1], scale=False)
        if self._session.unmeasured.answer is not None:
            covers.append(Cover(MARGIN, MARGIN + _BADGE, area.height() - MARGIN))
        shares = np.stack(
            np.meshgrid(np.linspace(0.0, 1.0, 4), np.linspace(0.0, 1.0, 4)), axis=-1
        ).reshape(-1, 2)
        grids = [
            (each.left, -each.height) + shares * (each.right - each.left, min(each.height, _STRIP))
            for each in covers
        ]
        points: Float64s = np.concatenate(grids) + np.array((area.left(), area.bottom()))
        return points

    @property
    def state(self) -> ViewState | None:
        """What part of the graph is shown; None without a graph."""
        return None if self.content is None else ViewState.of(self.camera, fitted=self.fitted)

    def show(self, state: ViewState) -> None:
        """Show the part that was shown before."""
        if state.fitted:
            self.fit()
        else:
            self.look_at(state.camera(self.camera.width, self.camera.height))

    def zoom_to(self, vertices: NDArray[np.integer]) -> None:
        """Zoom in as far as all of ``vertices`` stay visible."""
        content = self.content
        if content is not None and len(vertices):
            bounds = Bounds.of(polyline(content.scene, vertices))
            width, height = self._clear_size
            camera = self._fitting.part(content.scene, bounds, width, height, margin=0.12)
            self.glide(partial(self.look_at, camera.extended(self._covered)))

    def centre(self, x: float, y: float) -> None:
        """Show a point of the world in the middle of what nothing covers."""
        self.look_at(self.clear_camera.centred(x, y).extended(self._covered))

    def go_to(self, vertex: int) -> None:
        """Centre a vertex, zooming in until it is distinct from its neighbours, and select it."""
        content = self.content
        if content is None or not np.isfinite(content.scene.positions[vertex]).all():
            return
        scale = max(
            self.camera.scale, min(MOST_SCALE, _CLOSE_UP / (content.scene.mean_length or 1.0))
        )
        x, y = content.scene.positions[vertex].tolist()
        self.glide(
            partial(self.look_at, Camera(x, y, scale, *self._clear_size).extended(self._covered))
        )
        self._session.select_vertex(vertex)

    def point_of(self, vertex: int | None) -> QPointF | None:
        """Where a vertex is in the widget; None if it is not in the graph or has no position."""
        content = self.content
        if vertex is None or content is None or not 0 <= vertex < content.scene.graph.n:
            return None
        position = content.scene.positions[vertex]
        return QPointF(*self.camera.to_screen(position)) if np.isfinite(position).all() else None

    @property
    def points_to_see(self) -> Float64s:
        """Where the end points, their pins and the path are in the widget, shape (k, 2)."""
        content = self.content
        shown = () if content is None else (content.source, *content.more_sources, content.target)
        found = [self.point_of(vertex) for vertex in shown]
        tips = [complex(at.x(), at.y()) for at in found if at is not None]
        ends = [end for tip in tips for end in (tip, pin_head(tip))]
        points = np.array([(end.real, end.imag) for end in ends]).reshape(-1, 2)
        if content is None or content.path is None:
            return points
        return np.concatenate(
            (points, self.camera.to_screen(content.scene.positions[content.path]))
        )

    def vertex_at(self, at: QPointF) -> int:
        """The vertex within 12 pixels of a point of the widget; -1 if there is none."""
        content = self.content
        if content is None:
            return -1
        return content.scene.grid.nearest(
            *self.camera.to_world(at.x(), at.y()), PICK_RADIUS / self.camera.scale
        )

    def road_at(self, at: QPointF) -> tuple[int, int] | None:
        """The road within 8 pixels of a point of the widget, by the indices of its ends."""
        return next(iter(self.roads_at(at)), None)

    def roads_at(self, at: QPointF) -> list[tuple[int, int]]:
        """All roads there, the nearest first."""
        content, place = self.content, self.camera.to_world(at.x(), at.y())
        if content is None:
            return []
        return roads_at(content.scene, *place, ROAD_RADIUS / self.camera.scale)

    def end_at(self, at: QPointF) -> End | None:
        """What an end point set at a point of the widget is: the vertex there, else the place,
        if a road of the map is there; None without either.
        """
        if (vertex := self.vertex_at(at)) >= 0:
            return vertex
        scene = None if self.content is None else self.content.scene
        projection = None if scene is None else scene.projection
        if scene is None or projection is None or self.road_at(at) is None:
            return None
        from solvers.graphs.places import place_ends

        if not place_ends().possible(scene.graph):
            return None
        return Place(*projection.place(*self.camera.to_world(at.x(), at.y())))

    @property
    def _clear_size(self) -> tuple[float, float]:
        left, top, right, bottom = self._covered
        return max(1.0, self.widget.width() - left - right), max(
            1.0, self.widget.height() - top - bottom
        )

    def _graph(self) -> Camera | None:
        """The camera that shows the whole graph, clear of what lies over the widget."""
        content = self.content
        if content is None:
            return None
        sizes, factor = self._annotations(content)
        camera = self._fitting.whole(content.scene, *self._clear_size, sizes=sizes, factor=factor)
        return camera.extended(self._covered)
