"""What the user does with vertices on a canvas: pan, move, drag markers, select, choose
end points, open a menu.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QMenu

from gui.canvas.content import PictureOptions
from gui.canvas.pointer import Tool
from gui.canvas.renderer import FrameStream
from gui.canvas.scene_store import SceneStore
from gui.canvas.vertex_card import VertexCard, add_vertex_entries, copy_id
from gui.canvas.view import CanvasView, GraphView
from gui.model.session import Session
from gui.model.shown_run import DisplayedRun
from gui.model.unmeasured import HeldMarker
from gui.painting.annotations import draw_hover_card
from gui.painting.display import paint_marks
from gui.style.text import type_scale
from solvers.graphs.network import End, Place
from solvers.picture.colours import Tokens
from solvers.picture.overlay.markers import PIN_HEIGHT, marker, pin_head, source_colour
from solvers.picture.raster.frames import Frame, Request
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import Layer, PictureContent, vertex_rows
from solvers.picture.scene.figure import MARKER_RADIUS

SOURCE, TARGET = "source", "target"
_REACH = 1.3  # of a marker's radius
_SEARCH_PX = (12.0, 60.0, 300.0)  # a drop takes the nearest vertex, however far


class PanTool(Tool):
    """Dragging moves the picture; plus and minus zoom it."""

    def __init__(self, view: CanvasView):
        self._view = view

    def press(self, at: QPointF, button: Qt.MouseButton, modifiers: Qt.KeyboardModifier) -> bool:
        return True

    def drag(self, by: QPointF, at: QPointF) -> None:
        self._view.pan(by)

    def key(self, typed: str) -> bool:
        if typed in ("+", "="):
            self._view.zoom_in()
        elif typed == "-":
            self._view.zoom_out()
        else:
            return False
        return True


class MoveTool(Tool):
    """Dragging a vertex of a small graph moves it."""

    def __init__(self, view: GraphView, scenes: SceneStore, frames: FrameStream[Request, Frame]):
        self._view, self._scenes, self._frames = view, scenes, frames
        self._vertex = -1
        self._start = (0.0, 0.0)

    @property
    def possible(self) -> bool:
        """Whether vertices can be moved: in a small graph, if each is drawn individually."""
        frame = self._frames.newest
        return self._scenes.can_drag and frame is not None and frame.detail is not None

    def press(self, at: QPointF, button: Qt.MouseButton, modifiers: Qt.KeyboardModifier) -> bool:
        content = self._view.content
        if button is not Qt.MouseButton.LeftButton or content is None or not self.possible:
            return False
        self._vertex = self._view.vertex_at(at)
        if self._vertex >= 0:
            x, y = content.scene.positions[self._vertex].tolist()
            self._start = (x, y)
        return self._vertex >= 0

    def drag(self, by: QPointF, at: QPointF) -> None:
        self._scenes.move_vertex(self._vertex, *self._view.camera.to_world(at.x(), at.y()))

    def drop(self, at: QPointF) -> None:
        if (content := self._view.content) is not None:
            x, y = content.scene.positions[self._vertex].tolist()
            self._scenes.vertex_moved.emit(self._vertex, self._start, (x, y))


class MarkerTool(Tool):
    """Dragging the marker of an end point sets it to another vertex; with Alt, the
    vertex below is meant.
    """

    def __init__(self, session: Session, view: GraphView):
        self._session, self._view = session, view
        self._marker: MarkerDrag | None = None

    @property
    def in_hand(self) -> bool:
        return self._marker is not None

    @property
    def carried(self) -> MarkerDrag | None:
        return self._marker if self._marker is not None and self._marker.vertex >= 0 else None

    @property
    def follows_pointer(self) -> bool:
        return self.carried is not None

    def press(self, at: QPointF, button: Qt.MouseButton, modifiers: Qt.KeyboardModifier) -> bool:
        content = self._view.content
        if (
            button is not Qt.MouseButton.LeftButton
            or content is None
            or modifiers & Qt.KeyboardModifier.AltModifier
        ):
            return False
        if (what := marker_at(content, self._view.camera, at)) is not None:
            self._marker = MarkerDrag(*what, at, -1)
        return self._marker is not None

    def drag(self, by: QPointF, at: QPointF) -> None:
        content = self._view.content
        if self._marker is not None and content is not None:
            before = None if self.carried is None else self._marker.area(self._view.camera, content)
            vertex, end = nearest_vertex(content, self._view.camera, at), self._view.end_at(at)
            on_road = end if isinstance(end, Place) else None
            self._marker = replace(self._marker, at=at, vertex=vertex, on_road=on_road)
            self._session.unmeasured.hold(self._marker.held)
            if before is None or self.carried is None:
                self._view.widget.update()
            else:
                self._view.widget.update(
                    before.united(self._marker.area(self._view.camera, content))
                )

    def drop(self, at: QPointF) -> None:
        marker, self._marker = self.carried, None
        if marker is not None and self._view.widget.rect().contains(at.toPoint()):
            end = marker.on_road or marker.vertex
            if marker.what == SOURCE:
                self._session.move_source(marker.place, end)
            else:
                self._session.set_target(end)
        self._session.unmeasured.hold(None)
        self._view.widget.update()

    def let_go(self) -> None:
        self._marker = None
        self._view.widget.update()

    def escape(self) -> bool:
        """Put a marker in hand back where it was."""
        if self.carried is None:
            return False
        self._session.unmeasured.hold(None)
        self.let_go()
        return True

    def paint(self, painter: QPainter, content: PictureContent, tokens: Tokens) -> None:
        if (carried := self.carried) is not None:
            carried.paint(painter, self._view.camera, content, tokens)


class SelectTool(Tool):
    """A click selects a vertex, which has a card, or sets the end point that is waited
    for; Shift+click the target.

    S and T take the selected vertex or the next one clicked. A double click on empty
    space fits the whole graph, and resting on a vertex shows its figures. Of canvases
    side by side, only the first has a card.
    """

    def __init__(
        self,
        session: Session,
        view: GraphView,
        options: PictureOptions,
        displayed_run: DisplayedRun,
        *,
        with_card: bool,
    ):
        self._session, self._view, self._options, self._displayed_run = (
            session,
            view,
            options,
            displayed_run,
        )
        self._with_card = with_card
        self._hovered = -1
        self.card = VertexCard(session, self._copy_id, view.widget)

    @property
    def hovered(self) -> int:
        """The vertex under the pointer, if it is not the selected one, which has a
        card; else -1.
        """
        return -1 if self._hovered == self._session.selected_vertex else self._hovered

    @property
    def in_hand(self) -> bool:
        return self._options.armed is not None

    @property
    def follows_pointer(self) -> bool:
        return self._hovered >= 0

    def click(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> bool:
        what = self._options.armed or (
            TARGET if modifiers & Qt.KeyboardModifier.ShiftModifier else None
        )
        if what is None:
            vertex = self._view.vertex_at(at)
            self._session.select_vertex(vertex if vertex >= 0 else None)
        elif (end := self._view.end_at(at)) is not None:
            self._options.arm(None)
            set_end_point(self._session, what, end)
        return True

    def double_click(self, at: QPointF) -> bool:
        if self._view.vertex_at(at) < 0:
            self._view.show_all()
        return True

    def hover(self, at: QPointF | None) -> bool:
        hovered = -1 if at is None else self._view.vertex_at(at)
        if hovered != self._hovered:
            self._hovered = hovered
            self._view.widget.update()
        return hovered >= 0

    def key(self, typed: str) -> bool:
        if typed in ("s", "t"):
            self.choose(SOURCE if typed == "s" else TARGET)
        return typed in ("s", "t")

    def choose(self, what: str) -> None:
        """Make the selected vertex the source or target or, without one, the next to be clicked."""
        if self._session.selected_vertex is not None:
            set_end_point(self._session, what, self._session.selected_vertex)
        else:
            self._options.arm(what)

    def escape(self) -> bool:
        """End the waiting for a click or, without one, the selection."""
        if self._options.armed is not None:
            self._options.arm(None)
        elif self._session.selected_vertex is not None:
            self._session.select_vertex(None)
        else:
            return False
        return True

    def add_to_menu(self, menu: QMenu, at: QPointF | None) -> None:
        if (content := self._view.content) is not None:
            add_vertex_entries(
                menu,
                self._session,
                content.scene.graph,
                meant_vertex(self._session, self._view, at),
                self._view,
            )

    def show_card(self) -> None:
        """Show the figures of the selected vertex."""
        vertex, content = self._session.selected_vertex, self._view.content
        if (
            self._with_card
            and vertex is not None
            and content is not None
            and vertex < content.scene.graph.n
        ):
            self.card.show_rows(vertex_rows(content, self._displayed_run.result, vertex))
            self.place_card()
        else:
            self.card.show_rows([])

    def place_card(self) -> None:
        if self.card.rows:
            view = self._view
            at = view.point_of(self._session.selected_vertex) or QPointF(0.0, 0.0)
            self.card.place_at(
                at, view.clear_area, np.concatenate((view.points_to_see, view.points_of_cards))
            )

    def paint(self, painter: QPainter, content: PictureContent, tokens: Tokens) -> None:
        if self.hovered < 0 or (at := self._view.point_of(self.hovered)) is None:
            return
        rows, size = vertex_rows(content, self._displayed_run.result, self.hovered), type_scale()
        corner = self._view.clear_area.topLeft()
        painter.save()
        painter.translate(corner)
        painter.scale(size, size)
        draw_hover_card(
            painter, (at - corner) / size, rows, self._view.clear_camera.enlarged(size), tokens
        )
        painter.restore()

    def _copy_id(self, vertex: int) -> None:
        if (content := self._view.content) is not None:
            copy_id(content.scene.graph, vertex)


def meant_vertex(session: Session, view: GraphView, at: QPointF | None) -> int:
    """The vertex that a menu is about: that at a point or, for the keyboard, the
    selected one; -1 if there is none.
    """
    if at is not None:
        return view.vertex_at(at)
    return -1 if session.selected_vertex is None else session.selected_vertex


def set_end_point(session: Session, what: str, end: End) -> None:
    """Make a vertex, or the nearest point of a road, the "source" or the "target"."""
    if what == SOURCE:
        session.set_source(end)
    else:
        session.set_target(end)


@dataclass(frozen=True)
class MarkerDrag:
    """A marker that is being dragged."""

    what: str  # "source" or "target"
    place: int  # place among several sources; 0 for the first, and for the target
    at: QPointF  # pointer in the widget
    vertex: int  # nearest vertex, which a drop would choose; -1 if the graph has none in view
    on_road: Place | None = None  # that a drop would choose in its place

    @property
    def held(self) -> HeldMarker | None:
        """The same for answers that follow; None while there is no vertex to drop on."""
        return (
            HeldMarker(self.what == SOURCE, self.place, self.vertex, self.on_road)
            if self.vertex >= 0
            else None
        )

    def without_marker(self, content: PictureContent) -> PictureContent:
        """``content`` without the marker that is in hand."""
        if self.place > 0:
            others = tuple(
                None if i == self.place else v for i, v in enumerate(content.more_sources, 1)
            )
            return replace(content, more_sources=others)
        return (
            replace(content, source=None) if self.what == SOURCE else replace(content, target=None)
        )

    def area(self, camera: Camera, content: PictureContent) -> QRect:
        """Where `paint` paints."""
        there = QPointF(*camera.to_screen(content.scene.positions[self.vertex]))
        side = MARKER_RADIUS + 2.0
        return (
            QRectF(self.at, there)
            .normalized()
            .adjusted(-side, -PIN_HEIGHT - 2.0, side, side)
            .toAlignedRect()
        )

    def paint(
        self, painter: QPainter, camera: Camera, content: PictureContent, tokens: Tokens
    ) -> None:
        """Paint the marker at the pointer, and a line to the vertex that it would drop on."""
        colour = (
            source_colour(content, self.place, tokens) if self.what == SOURCE else tokens.target
        )
        if self.vertex >= 0 and self.on_road is None:
            there = QPointF(*camera.to_screen(content.scene.positions[self.vertex]))
            painter.setPen(colour)
            painter.drawLine(self.at, there)
            painter.drawEllipse(there, MARKER_RADIUS, MARKER_RADIUS)
        at = complex(self.at.x(), self.at.y())
        paint_marks(painter, marker(self.what == SOURCE, at, colour))


def marker_at(content: PictureContent, camera: Camera, at: QPointF) -> tuple[str, int] | None:
    """The marker under a point, by what it is and its place: sources, drawn above, or
    the target.
    """
    if not content.has(Layer.MARKERS):
        return None
    near = complex(at.x(), at.y())
    more = ((SOURCE, i, vertex) for i, vertex in enumerate(content.more_sources, 1))
    for what, place, vertex in ((SOURCE, 0, content.source), *more, (TARGET, 0, content.target)):
        if vertex is None or not np.isfinite(content.scene.positions[vertex]).all():
            continue
        tip = complex(*camera.to_screen(content.scene.positions[vertex]))
        if min(abs(tip - near), abs(pin_head(tip) - near)) <= _REACH * MARKER_RADIUS:
            return what, place
    return None


def nearest_vertex(content: PictureContent, camera: Camera, at: QPointF) -> int:
    """The vertex nearest to a point of the widget; -1 if there is none."""
    x, y = camera.to_world(at.x(), at.y())
    reaches = [
        *(pixels / camera.scale for pixels in _SEARCH_PX),
        4.0 * content.scene.bounds.size + 1.0,
    ]
    return next((v for reach in reaches if (v := content.scene.grid.nearest(x, y, reach)) >= 0), -1)
