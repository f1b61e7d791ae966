"""Context menu of the graph canvas: what can be done with a vertex."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from gui.model.session import Session
from gui.style.plain_text import button_text
from solvers.graphs.graph import Graph
from solvers.text import format_distance, plural

MOST_NEIGHBOURS = 20


@dataclass(frozen=True)
class VertexCommands:
    """What the canvas does for the menu.

    Attributes
    ----------
    zoom_to : callable
        Shows some vertices.
    go_to : callable
        Centres a vertex and selects it.
    fit : callable
        Shows the whole graph.
    """

    zoom_to: Callable[[NDArray[np.integer]], None]
    go_to: Callable[[int], None]
    fit: Callable[[], None]


def vertex_menu(session: Session, graph: Graph, vertex: int, commands: VertexCommands, parent: QWidget) -> QMenu:
    """The menu of a vertex; a negative index gives the menu of the background."""
    menu = QMenu(parent)
    if vertex >= 0:
        menu.addSection(button_text(f"Vertex {graph.vertex_label(vertex)}"))
        menu.addAction("Source here", lambda: session.set_source(vertex)).setEnabled(vertex != session.source)
        menu.addAction("Target here", lambda: session.set_target(vertex)).setEnabled(vertex != session.target)
        _add_live_entries(menu, session, vertex)
        menu.addAction("Copy id", lambda: copy_id(graph, vertex))
        menu.addMenu(_neighbours_menu(graph, vertex, commands, menu))
        menu.addAction("Zoom to vertex", lambda: commands.go_to(vertex))
        menu.addSeparator()
    menu.addAction("Fit", commands.fit)
    return menu


def _add_live_entries(menu: QMenu, session: Session, vertex: int) -> None:
    """In live mode: entries that add and remove a further source."""
    live = session.live
    if not live.on:
        return
    if vertex in live.more_sources:
        menu.addAction("Remove this source", lambda: live.remove_source(vertex))
    else:
        menu.addAction("Add a source here", lambda: live.add_source(vertex)).setEnabled(
            vertex != session.source and live.has_room
        )


def copy_id(graph: Graph, vertex: int) -> None:
    """Copy the id of a vertex to the clipboard."""
    QGuiApplication.clipboard().setText(str(graph.vertex_id(vertex)))


def neighbours_of(graph: Graph, vertex: int) -> tuple[NDArray[np.integer], NDArray[np.number]]:
    """Heads of the arcs out of a vertex, and the weights of these arcs."""
    row = slice(int(graph.indptr[vertex]), int(graph.indptr[vertex + 1]))
    return graph.indices[row], graph.weights[row]


def _neighbours_menu(graph: Graph, vertex: int, commands: VertexCommands, parent: QMenu) -> QMenu:
    heads, weights = neighbours_of(graph, vertex)
    menu = QMenu("Neighbours", parent)
    menu.setEnabled(bool(len(heads)))
    menu.addAction("Zoom to all", lambda: commands.zoom_to(np.append(heads, vertex)))
    menu.addSeparator()
    for head, weight in zip(heads[:MOST_NEIGHBOURS].tolist(), weights[:MOST_NEIGHBOURS].tolist(), strict=True):
        words = f"{graph.vertex_label(head)}  ({format_distance(weight, graph.weight_unit)})"
        menu.addAction(button_text(words), partial(commands.go_to, head))
    if (more := len(heads) - MOST_NEIGHBOURS) > 0:
        menu.addAction(f"… and {plural(more, 'more arc')}").setEnabled(False)
    return menu
