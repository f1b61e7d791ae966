"""Menu entries that close and slow roads: one, a stretch of the path, or those in a lasso."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QInputDialog, QMenu

from gui.model.session import Session
from gui.style.plain_text import button_text
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import Road
from solvers.text import plural

FACTORS = (1.5, 2.0, 3.0, 5.0, 10.0)
_FACTOR_RANGE = (0.001, 1_000_000.0)
_DECIMALS = 3


class RoadMenu:
    """Adds sections to a menu.

    Parameters
    ----------
    session : Session
    menu : QMenu
    nested : bool
        Whether roads get menus of their own below it, rather than sections of it.
    """

    def __init__(self, session: Session, menu: QMenu, *, nested: bool = False):
        self._session, self._roads, self._menu, self._nested = session, session.roads, menu, nested

    def add_road(self, ends: tuple[int, int]) -> None:
        """The entries of one road, by the indices of its ends."""
        graph = self._session.whole_graph
        if graph is None:
            return
        tail, head = (graph.vertex_id(v) for v in ends)
        place = self._add(f"Road {tail}\N{EN DASH}{head}", [(tail, head)])
        if _leads(graph, *ends) and _leads(graph, *reversed(ends)):
            one_way = place.addMenu("Close one way")
            for a, b in ((tail, head), (head, tail)):
                words = button_text(f"From {a} to {b}")
                one_way.addAction(words, partial(self._roads.close, (a, b), one_way=True))

    def add_stretch(self, path: NDArray[np.int32] | None, first: int, last: int) -> None:
        """The entries of the part of a path between two of its vertices; nothing if they are not on it."""
        graph = self._session.whole_graph
        places = [] if path is None else [np.flatnonzero(path == v) for v in (first, last)]
        if graph is None or path is None or first == last or not all(len(found) for found in places):
            return
        low, high = sorted(int(found[0]) for found in places)
        ids = [graph.vertex_id(v) for v in path[low : high + 1].tolist()]
        roads = list(pairwise(ids))
        self._add(f"Path {ids[0]} to {ids[-1]}: {plural(len(roads), 'road')}", roads)

    def add_lasso(self, ends: NDArray[np.int32]) -> None:
        """The entries of the roads in a lasso, (k, 2) by the indices of their ends."""
        graph = self._session.whole_graph
        if graph is not None:
            roads: list[Road] = [(graph.vertex_id(a), graph.vertex_id(b)) for a, b in ends.tolist()]
            self._add(plural(len(roads), "road"), roads)

    def _add(self, title: str, roads: Sequence[Road]) -> QMenu:
        """Add what can be done with ``roads``; returns the menu that has it."""
        place = self._menu.addMenu(button_text(title)) if self._nested else self._menu
        if not self._nested:
            place.addSection(button_text(title))
        place.addAction("Close", lambda: self._roads.close(*roads))
        slower = place.addMenu("Slow down")
        for factor in FACTORS:
            slower.addAction(f"× {factor:g}", partial(self._roads.slow, factor, *roads))
        slower.addAction("Other factor…", lambda: self._ask_factor(roads))
        names = {frozenset(road) for road in roads}
        changed = any(frozenset((road.tail, road.head)) in names for road in self._roads.changes.roads)
        place.addAction("As in the file", lambda: self._roads.reopen(*roads)).setEnabled(changed)
        return place

    def _ask_factor(self, roads: Sequence[Road]) -> None:
        low, high = _FACTOR_RANGE
        factor, given = QInputDialog.getDouble(
            self._menu.parentWidget(), "Slow down", "Multiply the weights by", 2.0, low, high, _DECIMALS
        )
        if given:
            self._roads.slow(factor, *roads)


def _leads(graph: Graph, tail: int, head: int) -> bool:
    return bool((graph.indices[graph.row(tail)] == head).any())
