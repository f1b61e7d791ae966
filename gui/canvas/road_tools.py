"""Roads under the pointer on the graph canvas: their card, and their menus."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QMenu

from gui.canvas.pointer import RoadUnder, Tool
from gui.canvas.vertex_tools import meant_vertex
from gui.canvas.view import GraphView
from gui.model.session import Session
from gui.painting.annotations import draw_hover_card
from gui.style.text import button_text
from solvers.graphs.network import Place
from solvers.graphs.route import road_name_between
from solvers.picture.colours import Tokens
from solvers.picture.scene.content import PictureContent, road_rows
from solvers.text import quoted

_MOST_UNDER = 8  # roads under a point with menus of their own


class RoadTool(Tool):
    """Resting on a road that has a name or a flow shows its card.

    What the ``tools`` add is in the menu of each road under the pointer, one of the path first.
    """

    def __init__(self, session: Session, view: GraphView, tools: Sequence[Tool]):
        self._session, self._view, self._tools = session, view, tools
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
        content = self._view.content
        if at is None or content is None:
            return
        under, end = _path_first(self._view.roads_at(at), content), self._view.end_at(at)
        place, is_many = end if isinstance(end, Place) else None, len(under) > 1
        nested = is_many or meant_vertex(self._session, self._view, at) >= 0
        for road in under[:_MOST_UNDER]:
            title = button_text(self._title(content, *road, with_ends=is_many))
            beneath = menu.addMenu(title) if nested else menu
            head = beneath.menuAction() if nested else menu.addSection(title)
            before = len(beneath.actions())
            for tool in self._tools:
                tool.add_to_road(beneath, RoadUnder(road, place))
            if len(beneath.actions()) == before:
                menu.removeAction(head)

    def _title(self, content: PictureContent, tail: int, head: int, *, with_ends: bool) -> str:
        """The name of a road, with its ends where others may share it."""
        graph = content.scene.graph.as_read
        between = f"{graph.vertex_id(tail)}\N{EN DASH}{graph.vertex_id(head)}"
        name = quoted(road_name_between(graph, tail, head))
        if not name:
            return f"Road {between}"
        return f"{name}, {between}" if with_ends else name

    def paint(self, painter: QPainter, content: PictureContent, tokens: Tokens) -> None:
        if self._hovered is not None and (rows := road_rows(content, *self._hovered[0])):
            draw_hover_card(painter, self._hovered[1], rows, self._view.camera, tokens, ring=False)


def _path_first(roads: list[tuple[int, int]], content: PictureContent) -> list[tuple[int, int]]:
    """Roads of the path that is shown, then the others, each in their order."""
    path = [] if content.path is None else content.path.tolist()
    steps = {frozenset(step) for step in pairwise(path)}
    return sorted(roads, key=lambda road: frozenset(road) not in steps)
