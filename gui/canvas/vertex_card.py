"""Card of the selected vertex, and the context menu of a vertex.

The card has the vertex's figures, and buttons that make it an end point or copy its id.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QCursor, QFont, QGuiApplication
from PySide6.QtWidgets import QApplication, QGridLayout, QMenu, QToolButton, QWidget

from gui.canvas.view import GraphView
from gui.model.session import Session
from gui.painting.display import box_of
from gui.style.forms import STRETCH, column_of, row_of, tool_button
from gui.style.paint import scaled_font
from gui.style.text import button_text, on_type_size_change
from gui.style.widgets import GAP, Card, PlainLabel, keep_icon, mute
from solvers.graphs.graph import Graph
from solvers.system.array_types import Float64s
from solvers.text import capitalised, format_distance, plural

_AWAY = 18.0  # pixels between the vertex and the card
_EDGE = 6.0
_NEAR = 4.0  # pixels about the card in which a point counts as covered
_MOST_SHARE = 0.75  # of the height of the picture
_ROW_TYPE = 0.92  # of the window's type

MOST_NEIGHBOURS = 20


class VertexCard(Card):
    """A small window inside the canvas, next to the selected vertex; its button calls
    ``copy_id`` with the vertex.
    """

    def __init__(self, session: Session, copy_id: Callable[[int], None], parent: QWidget):
        super().__init__(parent)
        self._session, self._copy_id = session, copy_id
        # Names and values shown.
        self.rows: list[tuple[str, str]] = []
        self._labels: list[tuple[PlainLabel, PlainLabel]] = []
        self.setObjectName("vertex card")
        self.setCursor(QCursor(Qt.CursorShape.ArrowCursor))
        self.source = _button("Source", "Make this vertex the source (S)", "source", "source")
        self.target = _button("Target", "Make this vertex the target (T)", "target", "target")
        self.copy = _button("Copy id", "Copy the vertex's id to the clipboard", "copy")
        self.close_button = _button("", "Close (Esc)", "close", "muted")
        self.close_button.setAccessibleName("Close")
        self.source.clicked.connect(lambda: session.set_source(session.selected_vertex))
        self.target.clicked.connect(lambda: session.set_target(session.selected_vertex))
        self.copy.clicked.connect(self._copy)
        self.close_button.clicked.connect(lambda: session.select_vertex(None))
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(2 * GAP)
        self._grid.setVerticalSpacing(1)
        buttons = row_of(self.source, self.target, self.copy, STRETCH, spacing=2)
        upper = row_of((self._grid, 1), self.close_button)
        upper.setAlignment(self.close_button, Qt.AlignmentFlag.AlignTop)
        column_of(upper, buttons, parent=self, margins=(2 * GAP, GAP, GAP, GAP), spacing=GAP)
        on_type_size_change(self._fit_type)
        self.hide()

    def show_rows(self, rows: list[tuple[str, str]]) -> None:
        """Show names and values; no rows hide the card."""
        self.setVisible(bool(rows))
        vertex = self._session.selected_vertex
        self.source.setEnabled(vertex != self._session.source)
        self.target.setEnabled(vertex != self._session.target)
        if rows == self.rows:
            return
        self.rows = rows
        while len(self._labels) < len(rows):
            self._add_row()
        for i, pair in enumerate(self._labels):
            name, value = rows[i] if i < len(rows) else ("", "")
            for label, text in zip(pair, (capitalised(name), value), strict=True):
                label.setText(text)
                label.setVisible(i < len(rows))

    def _add_row(self) -> None:
        head, text = PlainLabel(parent=self), PlainLabel(parent=self)
        mute(head)
        for column, label in enumerate((head, text)):
            label.setFont(_row_font())
            self._grid.addWidget(label, len(self._labels), column)
        self._labels.append((head, text))

    def _fit_type(self) -> None:
        for pair in self._labels:
            for label in pair:
                label.setFont(_row_font())

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        # its type has grown: it is in no layout that would resize it
        if event.type() is QEvent.Type.LayoutRequest:
            self.resize(self.sizeHint())
        return handled

    def place_at(self, vertex: QPointF, area: QRectF, points: Float64s) -> None:
        """Move next to a point of the canvas, within ``area``, where it covers few of
        (k, 2) ``points``.

        Where it would take nearly all of the height, it is hidden.
        """
        size = self.sizeHint()
        self.setVisible(size.height() <= _MOST_SHARE * area.height())
        self.resize(size)
        left, right = vertex.x() - _AWAY - size.width(), vertex.x() + _AWAY
        top, above, below = (
            vertex.y() - size.height() / 2,
            vertex.y() - _AWAY - size.height(),
            vertex.y() + _AWAY,
        )
        middle, far, low = vertex.x() - size.width() / 2, area.right(), area.bottom()
        wanted = [
            (right, top),
            (left, top),
            (middle, above),
            (middle, below),
            (0.0, 0.0),
            (far, 0.0),
            (0.0, low),
            (far, low),
        ]
        places = [
            QRectF(
                min(
                    max(area.left() + _EDGE, x),
                    max(area.left() + _EDGE, far - size.width() - _EDGE),
                ),
                min(
                    max(area.top() + _EDGE, y), max(area.top() + _EDGE, low - size.height() - _EDGE)
                ),
                size.width(),
                size.height(),
            )
            for x, y in wanted
        ]

        def covered(place: QRectF) -> int:
            # the vertex above all
            near = place.adjusted(-_NEAR, -_NEAR, _NEAR, _NEAR)
            on_vertex = near.contains(vertex)
            return box_of(near).count(points) + (len(points) + 1) * on_vertex

        self.move(min(places, key=covered).topLeft().toPoint())

    def _copy(self) -> None:
        if (vertex := self._session.selected_vertex) is not None:
            self._copy_id(vertex)


def _row_font() -> QFont:
    return scaled_font(QApplication.font(), _ROW_TYPE)


def _button(text: str, tip: str, icon: str, colour: str = "text") -> QToolButton:
    button = tool_button(text, tip)
    keep_icon(button, icon, colour)
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the canvas keeps the keys
    if text:
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    return button


def add_vertex_entries(
    menu: QMenu, session: Session, graph: Graph, vertex: int, view: GraphView
) -> None:
    """Add what can be done with a vertex or, for a negative index, with the background."""
    if vertex >= 0:
        menu.addSection(button_text(f"Vertex {graph.vertex_label(vertex)}"))
        menu.addAction("Source here", lambda: session.set_source(vertex)).setEnabled(
            vertex != session.source
        )
        menu.addAction("Target here", lambda: session.set_target(vertex)).setEnabled(
            vertex != session.target
        )
        _add_source_entry(menu, session, vertex)
        menu.addAction("Copy id", lambda: copy_id(graph, vertex))
        menu.addMenu(_neighbours_menu(graph, vertex, view, menu))
        menu.addAction("Zoom to vertex", lambda: view.go_to(vertex))
        menu.addSeparator()
    menu.addAction("Fit", view.show_all)


def pop_up(menu: QMenu, session: Session, at: QPoint) -> None:
    """Show a menu about vertices or roads until something is chosen, or another graph is opened."""
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    session.graph_changed.connect(menu.close)
    menu.popup(at)


def _add_source_entry(menu: QMenu, session: Session, vertex: int) -> None:
    if vertex in session.sources:
        entry = menu.addAction("Remove this source", lambda: session.remove_source(vertex))
        entry.setEnabled(len(session.sources) > 1)
    else:
        menu.addAction("Add a source here", lambda: session.add_source(vertex)).setEnabled(
            session.has_room
        )


def copy_id(graph: Graph, vertex: int) -> None:
    QGuiApplication.clipboard().setText(str(graph.vertex_id(vertex)))


def neighbours_of(graph: Graph, vertex: int) -> tuple[NDArray[np.integer], NDArray[np.number]]:
    """Heads of the arcs out of a vertex, and the weights of these arcs."""
    row = slice(int(graph.indptr[vertex]), int(graph.indptr[vertex + 1]))
    return graph.indices[row], graph.weights[row]


def _neighbours_menu(graph: Graph, vertex: int, view: GraphView, parent: QMenu) -> QMenu:
    heads, weights = neighbours_of(graph, vertex)
    menu = QMenu("Neighbours", parent)
    menu.setEnabled(bool(len(heads)))
    menu.addAction("Zoom to all", lambda: view.zoom_to(np.append(heads, vertex)))
    menu.addSeparator()
    for head, weight in zip(
        heads[:MOST_NEIGHBOURS].tolist(), weights[:MOST_NEIGHBOURS].tolist(), strict=True
    ):
        words = f"{graph.vertex_label(head)}  ({format_distance(weight, graph.weight_unit)})"
        menu.addAction(button_text(words), partial(view.go_to, head))
    if (more := len(heads) - MOST_NEIGHBOURS) > 0:
        menu.addAction(f"… and {plural(more, 'more arc')}").setEnabled(False)
    return menu
