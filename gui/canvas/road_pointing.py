"""What the user does with roads on the graph canvas: the menu of a road, and the lasso."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPolygonF
from PySide6.QtWidgets import QMenu, QWidget

from gui.canvas.road_menu import RoadMenu
from gui.canvas.vertex_pointing import VertexPointing
from gui.model.notice import Notice, Severity
from gui.model.session import Session
from gui.painting.annotations import draw_hover_card
from gui.painting.pens import pen
from gui.picture.scene.hover import road_rows
from gui.picture.scene.road_marks import road_at, roads_inside
from gui.style.tokens import Tokens
from solvers.graphs.labelled import LabelledGraph
from solvers.text import format_count

ROAD_RADIUS = 8.0  # logical pixels
MOST_LABELLED = 5_000  # roads of one lasso where vertices have names, which are changed one by one
_STEP = 3.0  # pixels between two corners of a lasso


class RoadPointing(VertexPointing):
    """Adds roads to `VertexPointing`.

    The menu of a road closes it, slows it or takes that back; the menu of a vertex on the shown path does so for the
    stretch from the selected vertex to it. Dragging with Shift draws a lasso around roads.
    """

    def __init__(self, session: Session, parent: QWidget | None = None):
        super().__init__(session, parent)
        self._lasso: list[QPointF] = []
        self._hovered_road: tuple[tuple[int, int], QPointF] | None = None  # and where the pointer rests

    def forget_vertices(self) -> None:
        self._lasso, self._hovered_road = [], None
        super().forget_vertices()

    def road_at(self, at: QPointF) -> tuple[int, int] | None:
        """The road within 8 pixels of a point of the widget, by the indices of its ends."""
        if self.content is None:
            return None
        x, y = self.camera.to_world(at.x(), at.y())
        return road_at(self.content.scene, x, y, ROAD_RADIUS / self.camera.scale)

    def rested(self, at: QPointF | None) -> None:
        super().rested(at)
        before, self._hovered_road = self._hovered_road, None
        named = self.content is not None and self.content.scene.graph.roads is not None
        if named and at is not None and self._hovered < 0 and (road := self.road_at(at)) is not None:
            self._hovered_road = road, at
        if before != self._hovered_road:
            self.update()

    def paint_hovered_road(self, painter: QPainter, tokens: Tokens) -> None:
        """Paint the card of the named road under the pointer."""
        if self._hovered_road is None or self._hovered >= 0 or self.content is None:
            return
        road, at = self._hovered_road
        if rows := road_rows(self.content, *road):
            draw_hover_card(painter, at, rows, self.camera, tokens, ring=False)

    # -- the menus ---------------------------------------------------------------------------------------------------

    def extend_menu(self, menu: QMenu, at: QPointF | None, vertex: int) -> None:
        roads = RoadMenu(self._session, menu, nested=vertex >= 0)
        selected = self._session.selected_vertex
        if vertex >= 0 and selected is not None and self.content is not None:
            roads.add_stretch(self.content.path, selected, vertex)
        if at is not None and (road := self.road_at(at)) is not None:
            roads.add_road(road)

    # -- the lasso ---------------------------------------------------------------------------------------------------

    @property
    def has_lasso(self) -> bool:
        """Whether a lasso is being drawn."""
        return bool(self._lasso)

    def pressed(self, at: QPointF, button: Qt.MouseButton, modifiers: Qt.KeyboardModifier) -> None:
        self._lasso = []
        with_shift = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        if with_shift and button is Qt.MouseButton.LeftButton and self.content is not None:
            super().pressed(at, Qt.MouseButton.NoButton, modifiers)
            self._lasso = [at]
        else:
            super().pressed(at, button, modifiers)

    def dragged(self, by: QPointF, at: QPointF) -> None:
        if not self._lasso:
            super().dragged(by, at)
        elif (at - self._lasso[-1]).manhattanLength() >= _STEP:
            self._lasso.append(at)
            self.update()

    def dropped(self, at: QPointF) -> None:
        lasso, self._lasso = self._lasso, []
        if not lasso:
            super().dropped(at)
            return
        self.update()
        if self.content is None or len(lasso) < 3:
            return
        outline = np.array([self.camera.to_world(point.x(), point.y()) for point in lasso])
        ends = roads_inside(self.content.scene, outline)
        named = isinstance(self.content.scene.graph, LabelledGraph)
        if named and len(ends) > MOST_LABELLED:
            most = format_count(MOST_LABELLED)
            words = (
                f"The lasso holds {format_count(len(ends))} roads; where vertices have names, {most} can be changed."
            )
            self._session.notice(Notice(Severity.INFO, f"{words} Zoom in and draw a smaller one."))
        elif len(ends):
            menu = QMenu(self)
            RoadMenu(self._session, menu).add_lasso(ends)
            self._pop_up(menu, self.mapToGlobal(at.toPoint()))

    def _take_back(self) -> bool:
        if self._lasso:
            self._lasso, self._gave_up = [], True
            self.update()
            return True
        return super()._take_back()

    def _wants_escape(self, event: QKeyEvent) -> bool:
        return super()._wants_escape(event) or (event.key() == Qt.Key.Key_Escape and bool(self._lasso))

    def paint_lasso(self, painter: QPainter, tokens: Tokens) -> None:
        """Draw the lasso in hand."""
        if len(self._lasso) < 2:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inside = QColor(tokens.accent)
        inside.setAlphaF(0.12)
        painter.setBrush(inside)
        painter.setPen(pen(tokens.accent, 1.5, Qt.PenStyle.DashLine))
        painter.drawPolygon(QPolygonF(self._lasso))
