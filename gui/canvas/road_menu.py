"""Menu entries that close and slow roads: one, a stretch of the path, or those in a lasso."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QInputDialog, QMenu

from gui.model.road_state import RoadState
from gui.model.session import Session
from gui.style.plain_text import button_text
from solvers.graphs.changed_arcs import RoadArea
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.road_changes import Road
from solvers.text import plural

FACTORS = (1.5, 2.0, 3.0, 5.0, 10.0)
_FACTOR_RANGE = (0.001, 1_000_000.0)
_DECIMALS = 3
MOST_LISTED = 500  # roads of a lasso that are listed one by one


class _Editing(Protocol):
    """What can be done with some roads."""

    @property
    def changed(self) -> bool: ...

    def close(self) -> None: ...

    def slow(self, factor: float) -> None: ...

    def reopen(self) -> None: ...


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
        if graph is None:
            return
        title = plural(len(ends), "road")
        if len(ends) <= MOST_LISTED or isinstance(graph, LabelledGraph):
            self._add(title, [(graph.vertex_id(a), graph.vertex_id(b)) for a, b in ends.tolist()])
        else:
            self._add_entries(title, _AreaEditing(self._roads, RoadArea.of(graph.ids[ends])))

    def _add(self, title: str, roads: Sequence[Road]) -> QMenu:
        """Add what can be done with ``roads``; returns the menu that has it."""
        return self._add_entries(title, _ListEditing(self._roads, roads))

    def _add_entries(self, title: str, editing: _Editing) -> QMenu:
        place = self._menu.addMenu(button_text(title)) if self._nested else self._menu
        if not self._nested:
            place.addSection(button_text(title))
        place.addAction("Close", editing.close)
        slower = place.addMenu("Slow down")
        for factor in FACTORS:
            slower.addAction(f"× {factor:g}", partial(editing.slow, factor))
        slower.addAction("Other factor…", lambda: self._ask_factor(editing))
        place.addAction("As in the file", editing.reopen).setEnabled(editing.changed)
        return place

    def _ask_factor(self, editing: _Editing) -> None:
        low, high = _FACTOR_RANGE
        whole = self._session.whole_graph
        factor, given = QInputDialog.getDouble(
            self._menu.parentWidget(), "Slow down", "Multiply the weights by", 2.0, low, high, _DECIMALS
        )
        if given and self._session.whole_graph is whole:  # a graph may have been opened meanwhile
            editing.slow(factor)


@dataclass(frozen=True)
class _ListEditing:
    """Of roads that are listed one by one."""

    state: RoadState
    roads: Sequence[Road]

    @property
    def changed(self) -> bool:
        changes = self.state.changes
        return len(changes.without(*self.roads)) < len(changes)

    def close(self) -> None:
        self.state.close(*self.roads)

    def slow(self, factor: float) -> None:
        self.state.slow(factor, *self.roads)

    def reopen(self) -> None:
        self.state.reopen(*self.roads)


@dataclass(frozen=True)
class _AreaEditing:
    """Of so many roads that they are listed together."""

    state: RoadState
    area: RoadArea

    @property
    def changed(self) -> bool:
        changes = self.state.changes
        return len(changes.without_area(self.area)) < len(changes)

    def close(self) -> None:
        self.state.want(self.state.changes.with_area(self.area))

    def slow(self, factor: float) -> None:
        self.state.want(self.state.changes.with_area(replace(self.area, factor=factor)))

    def reopen(self) -> None:
        self.state.want(self.state.changes.without_area(self.area))


def _leads(graph: Graph, tail: int, head: int) -> bool:
    return bool((graph.indices[graph.row(tail)] == head).any())
