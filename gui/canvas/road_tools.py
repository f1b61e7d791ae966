"""What the user does with roads on the graph canvas: the menu of a road, and the lasso.

Menu entries close and slow roads: one, a stretch of the path, or those in a lasso.
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

from gui.canvas.pointer import Tool
from gui.canvas.vertex_card import pop_up
from gui.canvas.vertex_tools import meant_vertex
from gui.canvas.view import GraphView
from gui.model.roads import RoadState
from gui.model.session import Session
from gui.painting.annotations import draw_hover_card
from gui.painting.drawing import pen
from gui.style.text import button_text
from gui.style.widgets import faded, smooth
from solvers.graphs.changed_arcs import CLOSED, RoadArea
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.network import Place
from solvers.graphs.road_changes import Road, RoadChange, RoadChanges
from solvers.graphs.route import road_name_between
from solvers.picture.colours import Tokens
from solvers.picture.scene.content import PictureContent, road_rows
from solvers.picture.scene.road_marks import roads_inside
from solvers.system.array_types import Int32s
from solvers.text import format_count, plural, quoted

MOST_LABELLED = 5_000  # roads of one lasso where vertices have names, which are changed one by one
_MOST_UNDER = 8  # roads under a point with menus of their own
_STEP = 3.0  # pixels between two corners of a lasso


class RoadTool(Tool):
    """Resting on a road that has a name or a flow shows its card.

    The menu of each road under the pointer closes it, slows it or takes that back, that of
    one of the path first; the menu of a vertex on
    the shown path does so for the stretch from the selected vertex to it.
    """

    def __init__(self, session: Session, view: GraphView):
        self._session, self._view = session, view
        self._hovered: tuple[tuple[int, int], QPointF] | None = None  # and where the pointer rests

    @property
    def hovered(self) -> tuple[int, int] | None:
        """The road with a card under the pointer, by the indices of its ends."""
        return None if self._hovered is None else self._hovered[0]

    @property
    def follows_pointer(self) -> bool:
        return self._hovered is not None

    def hover(self, at: QPointF | None) -> bool:
        before, self._hovered, content = self._hovered, None, self._view.content
        has_card = content is not None and (
            content.scene.graph.roads is not None or content.flows is not None
        )
        if has_card and at is not None and (road := self._view.road_at(at)) is not None:
            self._hovered = road, at
        if before != self._hovered:
            self._view.widget.update()
        return self._hovered is not None

    def add_to_menu(self, menu: QMenu, at: QPointF | None) -> None:
        vertex, content = meant_vertex(self._session, self._view, at), self._view.content
        under = (
            [] if at is None or content is None else _path_first(self._view.roads_at(at), content)
        )
        roads = RoadMenu(self._session, menu, nested=vertex >= 0 or len(under) > 1)
        selected = self._session.selected_vertex
        if vertex >= 0 and selected is not None and content is not None:
            roads.add_stretch(content.path, selected, vertex)
        place = None if at is None else self._view.end_at(at)
        for road in under[:_MOST_UNDER]:
            at_road = place if isinstance(place, Place) else None
            roads.add_road(road, at_road, is_one_of_many=len(under) > 1)

    def paint(self, painter: QPainter, content: PictureContent, tokens: Tokens) -> None:
        if self._hovered is not None and (rows := road_rows(content, *self._hovered[0])):
            draw_hover_card(painter, self._hovered[1], rows, self._view.camera, tokens, ring=False)


def _path_first(roads: list[tuple[int, int]], content: PictureContent) -> list[tuple[int, int]]:
    """Roads of the path that is shown, then the others, each in their order."""
    path = [] if content.path is None else content.path.tolist()
    steps = {frozenset(step) for step in pairwise(path)}
    return sorted(roads, key=lambda road: frozenset(road) not in steps)


class LassoTool(Tool):
    """Dragging with Shift draws a lasso around roads, which then get a menu."""

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
    """Adds sections to a menu; if it is ``nested``, menus below it."""

    def __init__(self, session: Session, menu: QMenu, *, nested: bool = False):
        self._session, self._roads, self._menu, self._nested = session, session.roads, menu, nested

    def add_road(
        self, ends: tuple[int, int], at: Place | None = None, *, is_one_of_many: bool = False
    ) -> None:
        """The entries of one road, by the indices of its ends, and of the point nearest to a
        place; of ``is_one_of_many``, which may share a name, the title has the ends.
        """
        graph = self._session.as_read
        if graph is None:
            return
        tail, head = (graph.vertex_id(v) for v in ends)
        between, name = f"{tail}\N{EN DASH}{head}", quoted(road_name_between(graph, *ends))
        title = name or f"Road {between}"
        if name and is_one_of_many:
            title = f"{name}, {between}"
        place = self._add(title, [(tail, head)], at)
        if _leads(graph, *ends) and _leads(graph, *reversed(ends)):
            one_way = place.addMenu("Close road one way")
            for a, b in ((tail, head), (head, tail)):
                words = button_text(f"From {a} to {b}")
                one_way.addAction(words, partial(self._roads.close, (a, b), one_way=True))

    def add_stretch(self, path: Int32s | None, first: int, last: int) -> None:
        """The entries of the part of a path between two of its vertices; nothing if
        they are not on it.
        """
        graph = self._session.as_read
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
        ids = [graph.vertex_id(v) for v in path[low : high + 1].tolist() if v < graph.n]
        roads = list(pairwise(ids))
        self._add(f"Path {ids[0]} to {ids[-1]}: {plural(len(roads), 'road')}", roads)

    def add_lasso(self, ends: Int32s) -> None:
        """The entries of the roads in a lasso, (k, 2) by the indices of their ends."""
        graph = self._session.as_read
        if graph is None:
            return
        title = plural(len(ends), "road")
        if len(ends) <= MOST_LISTED or isinstance(graph, LabelledGraph):
            self._add(title, [(graph.vertex_id(a), graph.vertex_id(b)) for a, b in ends.tolist()])
        else:
            self._add(title, RoadArea.of(graph.ids[ends]))

    def _add(self, title: str, roads: Sequence[Road] | RoadArea, at: Place | None = None) -> QMenu:
        """Add what can be done with ``roads``, and with a point of one; returns the menu that
        has it.
        """
        editing = _Editing(self._roads, roads)
        place = self._menu.addMenu(button_text(title)) if self._nested else self._menu
        if not self._nested:
            place.addSection(button_text(title))
        if at is not None:
            place.addAction("Source here", partial(self._session.set_source, at))
            place.addAction("Target here", partial(self._session.set_target, at))
            adding = place.addAction("Add a source here", partial(self._session.add_source, at))
            adding.setEnabled(self._session.has_room)
        place.addAction(f"Close {editing.noun}", partial(editing.change, CLOSED))
        slower = place.addMenu(f"Slow {editing.noun} down")
        for factor in FACTORS:
            slower.addAction(f"× {factor:g}", partial(editing.change, factor))
        slower.addAction("Other factor…", lambda: self._ask_factor(editing))
        editing.add_restore_to(place)
        return place

    def _ask_factor(self, editing: _Editing) -> None:
        low, high = _FACTOR_RANGE
        whole = self._session.as_read
        factor, given = QInputDialog.getDouble(
            self._menu.parentWidget(),
            "Slow down",
            "Multiply the weights by",
            2.0,
            low,
            high,
            _DECIMALS,
        )
        if given and self._session.as_read is whole:  # a graph may have been opened meanwhile
            editing.change(factor)


@dataclass(frozen=True)
class _Editing:
    """What can be done with some roads: with each, or with an area of so many that they
    are listed together.
    """

    state: RoadState
    roads: Sequence[Road] | RoadArea

    @property
    def noun(self) -> str:
        return "road" if len(self.roads) == 1 else "roads"

    def change(self, factor: float) -> None:
        """Multiply the weights, or close the roads by `CLOSED`."""
        changes = self.state.changes
        if isinstance(self.roads, RoadArea):
            self.state.want(changes.with_area(replace(self.roads, factor=factor)))
        else:
            self.state.want(changes.with_roads(RoadChange(*road, factor) for road in self.roads))

    @property
    def restored(self) -> RoadChanges:
        """All changes but those to these roads."""
        changes, roads = self.state.changes, self.roads
        if isinstance(roads, RoadArea):
            return changes.without_area(roads)
        return changes.without(*roads)

    def add_restore_to(self, menu: QMenu) -> None:
        """Add an entry that opens the roads if one is closed, or gives them the weights
        of the file.
        """
        changes, restored = self.state.changes, self.restored
        opens = restored.closed < changes.closed
        words = f"Open {self.noun}" if opens else f"Restore {self.noun} as in the file"
        action = menu.addAction(words, lambda: self.state.want(self.restored))
        action.setEnabled(len(restored) < len(changes))


def _leads(graph: Graph, tail: int, head: int) -> bool:
    return bool((graph.indices[graph.row(tail)] == head).any())
