"""Closing and slowing roads on the graph canvas: by menu one, a stretch of the path, or those in
a lasso.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPolygonF
from PySide6.QtWidgets import QInputDialog, QMenu

from gui.canvas.pointer import RoadUnder, Tool
from gui.canvas.vertex_card import pop_up
from gui.canvas.vertex_tools import meant_vertex
from gui.canvas.view import GraphView
from gui.model.session import Session
from gui.painting.drawing import pen
from gui.style.paint import faded, smooth
from gui.style.text import button_text
from solvers.features.closed_roads.lasso import roads_inside
from solvers.graphs.changed_arcs import CLOSED, RoadArea
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.road_changes import Road, RoadChange, RoadChanges
from solvers.picture.colours import Tokens
from solvers.picture.scene.content import PictureContent
from solvers.system.array_types import Int32s
from solvers.text import format_count, plural

MOST_LABELLED = 5_000  # roads of one lasso where vertices have names, which are changed one by one
_STEP = 3.0  # pixels between two corners of a lasso


class LassoTool(Tool):
    """Dragging with Shift draws a lasso around roads, which then get a menu.

    The menu of each road under the pointer closes it, slows it or takes that back; the menu of a
    vertex on the shown path does so for the stretch from the selected vertex to it.
    """

    def __init__(self, session: Session, view: GraphView):
        self._session, self._view = session, view
        self._lasso: list[QPointF] = []

    @property
    def in_hand(self) -> bool:
        return bool(self._lasso)

    @property
    def follows_pointer(self) -> bool:
        return bool(self._lasso)

    def press(self, at: QPointF, button: Qt.MouseButton, modifiers: Qt.KeyboardModifier) -> bool:
        with_shift = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        mine = with_shift and button is Qt.MouseButton.LeftButton and self._view.content is not None
        self._lasso = [at] if mine else []
        return mine

    def drag(self, by: QPointF, at: QPointF) -> None:
        if (at - self._lasso[-1]).manhattanLength() >= _STEP:
            self._lasso.append(at)
            self._view.widget.update()

    def drop(self, at: QPointF) -> None:
        lasso, content = self._lasso, self._view.content
        self.let_go()
        if content is None or len(lasso) < 3:
            return
        outline = np.array([self._view.camera.to_world(point.x(), point.y()) for point in lasso])
        ends = roads_inside(content.scene, outline)
        if isinstance(content.scene.graph, LabelledGraph) and len(ends) > MOST_LABELLED:
            most = format_count(MOST_LABELLED)
            words = (
                f"The lasso holds {format_count(len(ends))} roads; "
                f"with named vertices, {most} can be changed."
            )
            self._session.inform(f"{words} Zoom in and draw a smaller one.")
        elif len(ends):
            menu = QMenu(self._view.widget)
            RoadMenu(self._session, menu).add_lasso(ends)
            pop_up(menu, self._session, self._view.widget.mapToGlobal(at.toPoint()))

    def let_go(self) -> None:
        self._lasso = []
        self._view.widget.update()

    def escape(self) -> bool:
        if not self._lasso:
            return False
        self.let_go()
        return True

    def add_to_menu(self, menu: QMenu, at: QPointF | None) -> None:
        vertex, selected = (
            meant_vertex(self._session, self._view, at),
            self._session.selected_vertex,
        )
        if vertex >= 0 and selected is not None and (content := self._view.content) is not None:
            RoadMenu(self._session, menu).add_stretch(content.path, selected, vertex)

    def add_to_road(self, menu: QMenu, road: RoadUnder) -> None:
        RoadMenu(self._session, menu).add_road(road.ends)

    def paint(self, painter: QPainter, content: PictureContent, tokens: Tokens) -> None:
        if len(self._lasso) < 2:
            return
        smooth(painter)
        painter.setBrush(faded(tokens.accent, 0.12))
        painter.setPen(pen(tokens.accent, 1.5, Qt.PenStyle.DashLine))
        painter.drawPolygon(QPolygonF(self._lasso))


FACTORS = (1.5, 2.0, 3.0, 5.0, 10.0)
_FACTOR_RANGE = (0.001, 1_000_000.0)
_DECIMALS = 3
MOST_LISTED = 500  # roads of a lasso that are listed one by one


class RoadMenu:
    """Adds to a menu what can be done with roads."""

    def __init__(self, session: Session, menu: QMenu):
        self._session, self._menu = session, menu

    def add_road(self, ends: tuple[int, int]) -> None:
        """The entries of one road, by the indices of its ends."""
        if self._session.graph is None:
            return
        graph = self._session.graph.as_read
        tail, head = (graph.vertex_id(v) for v in ends)
        self._add(self._menu, [(tail, head)])
        if _leads(graph, *ends) and _leads(graph, *reversed(ends)):
            one_way = self._menu.addMenu("Close road one way")
            for a, b in ((tail, head), (head, tail)):
                words = button_text(f"From {a} to {b}")
                one_way.addAction(words, partial(self._close_one_way, (a, b)))

    def _close_one_way(self, road: Road) -> None:
        self._session.want_roads(self._session.roads.close(road, one_way=True))

    def add_stretch(self, path: Int32s | None, first: int, last: int) -> None:
        """A menu of the part of a path between two of its vertices; nothing if they are
        not on it.
        """
        graph = self._session.graph
        places = [] if path is None else [np.flatnonzero(path == v) for v in (first, last)]
        if (
            graph is None
            or path is None
            or first == last
            or not all(len(found) for found in places)
        ):
            return
        low, high = sorted(int(found[0]) for found in places)
        # points of roads are no vertices of the network
        ids = [graph.vertex_id(v) for v in path[low : high + 1].tolist() if v < graph.uncut.n]
        roads = list(pairwise(ids))
        title = f"Path {ids[0]} to {ids[-1]}: {plural(len(roads), 'road')}"
        self._add(self._menu.addMenu(button_text(title)), roads)

    def add_lasso(self, ends: Int32s) -> None:
        """A section of the roads in a lasso, (k, 2) by the indices of their ends."""
        graph = self._session.graph
        if graph is None:
            return
        self._menu.addSection(plural(len(ends), "road"))
        if len(ends) <= MOST_LISTED or isinstance(graph, LabelledGraph):
            roads = [(graph.vertex_id(a), graph.vertex_id(b)) for a, b in ends.tolist()]
            self._add(self._menu, roads)
        else:
            self._add(self._menu, RoadArea.of(graph.ids[ends]))

    def _add(self, place: QMenu, roads: Sequence[Road] | RoadArea) -> None:
        editing = _Editing(self._session, roads)
        place.addAction(f"Close {editing.noun}", partial(editing.change, CLOSED))
        slower = place.addMenu(f"Slow {editing.noun} down")
        for factor in FACTORS:
            slower.addAction(f"× {factor:g}", partial(editing.change, factor))
        slower.addAction("Other factor…", lambda: self._ask_factor(editing))
        editing.add_restore_to(place)

    def _ask_factor(self, editing: _Editing) -> None:
        low, high = _FACTOR_RANGE
        source = self._session.graph_source
        factor, given = QInputDialog.getDouble(
            self._menu.parentWidget(),
            "Slow down",
            "Multiply the weights by",
            2.0,
            low,
            high,
            _DECIMALS,
        )
        if given and self._session.graph_source is source:  # a graph may have been opened meanwhile
            editing.change(factor)


@dataclass(frozen=True)
class _Editing:
    """What can be done with some roads: with each, or with an area of so many that they
    are listed together.
    """

    session: Session
    roads: Sequence[Road] | RoadArea

    @property
    def noun(self) -> str:
        return "road" if len(self.roads) == 1 else "roads"

    def change(self, factor: float) -> None:
        """Multiply the weights, or close the roads by `CLOSED`."""
        changes = self.session.roads
        if isinstance(self.roads, RoadArea):
            self.session.want_roads(changes.with_area(replace(self.roads, factor=factor)))
        else:
            self.session.want_roads(
                changes.with_roads(RoadChange(*road, factor) for road in self.roads)
            )

    @property
    def restored(self) -> RoadChanges:
        """All changes but those to these roads."""
        changes, roads = self.session.roads, self.roads
        if isinstance(roads, RoadArea):
            return changes.without_area(roads)
        return changes.without(*roads)

    def add_restore_to(self, menu: QMenu) -> None:
        """Add an entry that opens the roads if one is closed, or gives them the weights
        of the file.
        """
        changes, restored = self.session.roads, self.restored
        opens = restored.closed < changes.closed
        words = f"Open {self.noun}" if opens else f"Restore {self.noun} as in the file"
        action = menu.addAction(words, lambda: self.session.want_roads(self.restored))
        action.setEnabled(len(restored) < len(changes))


def _leads(graph: Graph, tail: int, head: int) -> bool:
    return bool((graph.indices[graph.row(tail)] == head).any())
