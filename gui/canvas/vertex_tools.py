"""What the user does with vertices on the graph canvas: select, set as end point, drag, open a menu.

Dragging the marker of source or target is a `MarkerDrag`, which also paints the marker in hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import QMenu, QWidget

from gui.canvas.content import PictureOptions
from gui.canvas.pointer import PointingWidget
from gui.canvas.vertex_card import VertexCard, copy_id, vertex_menu
from gui.canvas.view import GraphView
from gui.model.live import HeldMarker
from gui.model.session import Session
from gui.painting.drawing import MARKER_RADIUS, distance
from gui.painting.overlay import paint_marker, source_colour
from gui.picture.scene.camera import Camera
from gui.picture.scene.content import Layer, PictureContent, vertex_rows
from gui.style.colours import Tokens
from solvers.core.result import Result


class VertexPointing(PointingWidget):
    """Base class of the graph canvas.

    A click selects a vertex, whose card stays open; Shift+click sets the target; S and T take the selected vertex or
    the next one clicked. Markers are dragged to other vertices, and Esc takes a marker in hand back. Dragging elsewhere
    pans or, in a small graph, moves a vertex; a double click on empty space fits the whole graph.

    Signals
    -------
    vertex_moved(int, object, object)
        The user moved a vertex: index, world coordinates (x, y) before and after.
    """

    vertex_moved = Signal(int, object, object)

    def __init__(self, session: Session, options: PictureOptions, parent: QWidget | None = None):
        super().__init__(parent)
        self._session, self.options = session, options
        self.with_legend = True
        self.legend_is_elsewhere = False
        self._grabbed = -1  # the vertex that is being moved
        self._grabbed_from = (0.0, 0.0)
        self._marker: MarkerDrag | None = None
        self._gave_up = False  # Esc ended the drag, but the button is still down
        self._hovered = -1
        self._card = VertexCard(session, self._copy_id, self)
        session.vertex_selected.connect(self._follow_selected)
        session.graph_changed.connect(self.forget_vertices)

    # -- what the canvas provides ------------------------------------------------------------------------------------

    @property
    def content(self) -> PictureContent | None:
        raise NotImplementedError

    view: GraphView

    @property
    def result(self) -> Result | None:
        raise NotImplementedError

    def recentre(self, at: QPointF) -> bool:
        """Centre what the overview shows at a point; False if the point is not in the overview."""
        raise NotImplementedError

    def can_grab(self) -> bool:
        """Whether vertices can be moved."""
        raise NotImplementedError

    def move_vertex(self, vertex: int, x: float, y: float) -> None:
        """Move a vertex to world coordinates."""
        raise NotImplementedError

    def extend_menu(self, menu: QMenu, at: QPointF | None, vertex: int) -> None:
        """Add what can be done at a point of the widget; None for a menu asked for by the keyboard."""

    # -- what others ask of it ---------------------------------------------------------------------------------------

    @property
    def card(self) -> VertexCard:
        """The card of the selected vertex."""
        return self._card

    @property
    def marker_in_hand(self) -> MarkerDrag | None:
        """The marker that is being dragged."""
        return self._marker if self._marker is not None and self._marker.vertex >= 0 else None

    def forget_vertices(self) -> None:
        """Let go of what belongs to the graph that was open; the rest of a drag in progress does nothing."""
        self._marker, self._grabbed, self._gave_up = None, -1, True
        self._hovered = -1
        self.options.arm(None)
        self.update()

    # -- mouse and keys ----------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride and self._wants_escape(event):
            event.accept()
            return True
        return super().event(event)

    def pressed(self, at: QPointF, button: Qt.MouseButton, modifiers: Qt.KeyboardModifier) -> None:
        self._grabbed, self._marker, self._gave_up = -1, None, False
        if button is not Qt.MouseButton.LeftButton or self.content is None:
            return
        moves_vertex = bool(modifiers & Qt.KeyboardModifier.AltModifier)
        if not moves_vertex and (what := marker_at(self.content, self.view.camera, at)) is not None:
            self._marker = MarkerDrag(*what, at, -1)
        elif self.can_grab() and (vertex := self.view.vertex_at(at)) >= 0:
            self._grabbed = vertex
            x, y = self.content.scene.positions[vertex].tolist()
            self._grabbed_from = (x, y)

    def dragged(self, by: QPointF, at: QPointF) -> None:
        if self._marker is not None and self.content is not None:
            self._marker = replace(self._marker, at=at, vertex=nearest_vertex(self.content, self.view.camera, at))
            self._session.live.hold(self._marker.held)
            self.update()
        elif self._grabbed >= 0:
            self.move_vertex(self._grabbed, *self.view.camera.to_world(at.x(), at.y()))
        elif not self._gave_up:
            self.view.pan(by)

    def dropped(self, at: QPointF) -> None:
        marker, grabbed = self._marker, self._grabbed
        self._marker, self._grabbed, self._gave_up = None, -1, False
        if marker is not None:
            if marker.vertex >= 0 and self.rect().contains(at.toPoint()):
                self._drop_marker(marker)
            self._session.live.hold(None)
            self.update()
        elif grabbed >= 0 and self.content is not None:
            x, y = self.content.scene.positions[grabbed].tolist()
            self.vertex_moved.emit(grabbed, self._grabbed_from, (x, y))

    def _take_back(self) -> bool:
        """Put a marker in hand back where it was; False if there is none."""
        if self._marker is None or self._marker.vertex < 0:
            return False
        self._marker, self._gave_up = None, True
        self._session.live.hold(None)
        self.update()
        return True

    def _drop_marker(self, marker: MarkerDrag) -> None:
        if marker.place > 0:
            self._session.live.move_source(marker.place, marker.vertex)
        else:
            self._set_end_point(marker.what, marker.vertex)

    def double_clicked(self, at: QPointF) -> None:
        if self.view.vertex_at(at) < 0:
            self.view.fit()

    def _wants_escape(self, event: QKeyEvent) -> bool:
        """Whether Esc is for the canvas, rather than for the command that cancels a run."""
        return event.key() == Qt.Key.Key_Escape and (self._marker is not None or self.options.armed is not None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._escape():
            return
        with_control = event.modifiers() & Qt.KeyboardModifier.ControlModifier  # a command of the window
        typed = "" if with_control else event.text()
        if typed in ("s", "t"):
            self.choose_end_point("source" if typed == "s" else "target")
        elif typed in ("+", "="):
            self.view.zoom_in()
        elif typed == "-":
            self.view.zoom_out()
        else:
            super().keyPressEvent(event)

    def _escape(self) -> bool:
        """Take back the newest of: a marker in hand, the waiting for a click, the selection."""
        if self._take_back():
            return True
        if self.options.armed is not None:
            self.options.arm(None)
            return True
        if self._session.selected_vertex is not None:
            self._session.select_vertex(None)
            return True
        return False

    def choose_end_point(self, what: str) -> None:
        """Make the selected vertex the source or target or, without one, the next to be clicked."""
        if self._session.selected_vertex is not None:
            self._set_end_point(what, self._session.selected_vertex)
        else:
            self.options.arm(what)

    def _set_end_point(self, what: str, vertex: int) -> None:
        if what == SOURCE:
            self._session.set_source(vertex)
        else:
            self._session.set_target(vertex)

    def clicked(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        self._marker = None
        if self.recentre(at):
            return
        vertex = self.view.vertex_at(at)
        what = self.options.armed or (TARGET if modifiers & Qt.KeyboardModifier.ShiftModifier else None)
        if what is None:
            self._session.select_vertex(vertex if vertex >= 0 else None)
        elif vertex >= 0:
            self.options.arm(None)
            self._set_end_point(what, vertex)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.content is None:
            return
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        selected = -1 if self._session.selected_vertex is None else self._session.selected_vertex
        vertex = selected if by_key else self.view.vertex_at(event.pos().toPointF())
        menu = vertex_menu(self._session, self.content.scene.graph, vertex, self.view)
        self.extend_menu(menu, None if by_key else event.pos().toPointF(), vertex)
        self._pop_up(menu, event.globalPos())

    def _pop_up(self, menu: QMenu, at: QPoint) -> None:
        """Show a menu about vertices or roads until something is chosen, or another graph is opened."""
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._session.graph_changed.connect(menu.close)
        menu.popup(at)

    def _copy_id(self, vertex: int) -> None:
        if self.content is not None:
            copy_id(self.content.scene.graph, vertex)

    # -- the selected vertex -----------------------------------------------------------------------------------------

    def _follow_selected(self) -> None:
        self._show_card()
        self.update()

    def _show_card(self) -> None:
        """Show the figures of the selected vertex; of canvases side by side, only the first has a card."""
        vertex, content = self._session.selected_vertex, self.content
        shown = vertex is not None and content is not None and vertex < content.scene.graph.n and self.with_legend
        if shown and content is not None and vertex is not None:
            self._card.show_rows(vertex_rows(content, self.result, vertex))
            self._place_card()
        else:
            self._card.show_rows([])

    def _place_card(self) -> None:
        if not self._card.isHidden():
            self._card.place_at(self.view.point_of(self._session.selected_vertex) or QPointF(0.0, 0.0))

    def rested(self, at: QPointF | None) -> None:
        hovered = self.view.vertex_at(at) if at is not None else -1
        if hovered != self._hovered:
            self._hovered = hovered
            self.update()


SOURCE, TARGET = "source", "target"
_REACH = 1.3  # of a marker's radius
_SEARCH_PX = (12.0, 60.0, 300.0)  # a drop takes the nearest vertex, however far


@dataclass(frozen=True)
class MarkerDrag:
    """A marker in hand.

    Attributes
    ----------
    what : str
        "source" or "target".
    place : int
        Place among several sources; 0 for the first, and for the target.
    at : QPointF
        Pointer in the widget.
    vertex : int
        Nearest vertex, which a drop would choose; -1 if the graph has none in view.
    """

    what: str
    place: int
    at: QPointF
    vertex: int

    @property
    def held(self) -> HeldMarker | None:
        """The same for live mode; None while there is no vertex to drop on."""
        return HeldMarker(self.what == SOURCE, self.place, self.vertex) if self.vertex >= 0 else None

    def without_marker(self, content: PictureContent) -> PictureContent:
        """``content`` without the marker that is in hand."""
        if self.place > 0:
            others = tuple(None if i == self.place else v for i, v in enumerate(content.more_sources, 1))
            return replace(content, more_sources=others)
        return replace(content, source=None) if self.what == SOURCE else replace(content, target=None)

    def paint(self, painter: QPainter, camera: Camera, content: PictureContent, tokens: Tokens) -> None:
        """Paint the marker at the pointer, and a line to the vertex that it would drop on."""
        colour = source_colour(content, self.place, tokens) if self.what == SOURCE else tokens.target
        if self.vertex >= 0:
            there = QPointF(*camera.to_screen(content.scene.positions[self.vertex]))
            painter.setPen(QColor(colour))
            painter.drawLine(self.at, there)
            painter.drawEllipse(there, MARKER_RADIUS, MARKER_RADIUS)
        several = bool(content.more_sources)
        paint_marker(painter, self.what == SOURCE, self.at, MARKER_RADIUS, colour, tokens, outlined=several)


def marker_at(content: PictureContent, camera: Camera, at: QPointF) -> tuple[str, int] | None:
    """The marker under a point, by what it is and its place: sources, drawn above, or the target."""
    if not content.has(Layer.MARKERS):
        return None
    more = ((SOURCE, i, vertex) for i, vertex in enumerate(content.more_sources, 1))
    for what, place, vertex in ((SOURCE, 0, content.source), *more, (TARGET, 0, content.target)):
        if vertex is None or not np.isfinite(content.scene.positions[vertex]).all():
            continue
        if distance(QPointF(*camera.to_screen(content.scene.positions[vertex])), at) <= _REACH * MARKER_RADIUS:
            return what, place
    return None


def nearest_vertex(content: PictureContent, camera: Camera, at: QPointF) -> int:
    """The vertex nearest to a point of the widget; -1 if there is none."""
    x, y = camera.to_world(at.x(), at.y())
    reaches = [*(pixels / camera.scale for pixels in _SEARCH_PX), 4.0 * content.scene.bounds.size + 1.0]
    return next((v for reach in reaches if (v := content.scene.grid.nearest(x, y, reach)) >= 0), -1)
