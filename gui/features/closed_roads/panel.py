"""Panel with the list of closed and slowed roads, what they do to the path, and fields
to change roads by ids.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from gui.features.closed_roads.comparison import RoadComparison
from gui.features.closed_roads.controller import RoadComparisonController
from gui.model.session import Session
from gui.style.forms import WrappedLabel, fill_panel, number_box, push_button, row_of, text_field
from gui.style.tables import settle_table
from gui.style.widgets import GAP, EmptyState, on_scheme_change
from solvers.errors import InputError, TautpathError
from solvers.graphs.changed_arcs import CLOSED, RoadArea
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import Road, RoadChange, RoadChanges
from solvers.graphs.route import road_name_between
from solvers.running.answers.answer import PathAnswer
from solvers.text import capitalised, format_distance, plural

EMPTY_TEXT = (
    "No road is closed or slowed.\n\n"
    "Right-click a road in the picture, draw a lasso with Shift and the mouse, "
    "or type the ids of its ends below."
)
_ROAD = re.compile(r"\s*(-?\w+)\s*[-\N{EN DASH}:, ]\s*(-?\w+)\s*")
_UNCOMPARED = "Not compared: an end lies on a road, which the network before may lack."
_FACTOR_RANGE = (0.001, 1_000_000.0)


class RoadsPanel(QWidget):
    """The list of changes to the open graph's roads."""

    zoom_requested = Signal(object)  # vertex indices, as an array
    differences_shown = Signal(bool)  # whether the picture should show who is farther
    network_requested = Signal()  # write the changed network
    table_requested = Signal()  # write the differences of all vertices

    def __init__(self, session: Session, comparisons: RoadComparisonController):
        super().__init__()
        self._session, self._comparisons = session, comparisons
        self._shown = RoadChanges()
        self.table = self._make_table()
        self.empty = EmptyState(EMPTY_TEXT)
        self.words = WrappedLabel()
        self.field = text_field("Ids of its ends: 12-13", "Road, by the ids of its ends")
        self.field.returnPressed.connect(self._close)
        self.field.textChanged.connect(self._follow_selection)
        self.factor = number_box(2.0, *_FACTOR_RANGE, 3, name="Factor of the slow-down")
        self.factor.setPrefix("× ")
        self.close_button = push_button(
            "Close road", "Close the road in both directions (Enter)", self._close
        )
        self.slow_button = push_button(
            "Slow down", "Multiply the weights of the road by the factor", self._slow
        )
        self.remove_button = push_button(
            "Remove", "Restore the selected roads as in the file (Del)", self._remove
        )
        self.clear_button = push_button(
            "Remove all", "Restore all roads as in the file", partial(open_all, session)
        )
        self.network_button = push_button(
            "Export network…", "Write the changed network as a DIMACS file", self.network_requested
        )
        before = "Write the distance of every vertex before and after"
        self.differences_button = push_button("Export differences…", before, self.table_requested)
        self.show_differences = QCheckBox("Show which vertices are farther, and by how much")
        self.show_differences.toggled.connect(self.differences_shown)
        self._differences_wanted = False
        self._lay_out()
        shortcut = QShortcut(QKeySequence("Del"), self.table, self._remove)
        shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
        for signal in (
            session.roads_wanted,
            comparisons.compared,
            session.graph_changed,
            session.endpoints_changed,
        ):
            signal.connect(self._follow)
        on_scheme_change(self.table.viewport().update)
        self._follow()

    @property
    def selected(self) -> tuple[RoadChange | RoadArea, ...]:
        """The selected changes, in the order of the list."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        entries = entries_of(self._session.roads)
        return tuple(entries[row] for row in rows)

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, 2)
        table.setHorizontalHeaderLabels(["Road", "Change"])
        settle_table(table, "Closed and slowed roads")
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 8)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        table.doubleClicked.connect(lambda _: self._zoom())
        table.itemSelectionChanged.connect(self._follow_selection)
        return table

    def _lay_out(self) -> None:
        fill_panel(
            self,
            (self.empty, 1),
            (self.table, 1),
            self.words,
            self.show_differences,
            row_of((self.field, 1), self.close_button, spacing=GAP),
            row_of((self.factor, 1), self.slow_button, spacing=GAP),
            row_of(self.remove_button, self.clear_button, spacing=GAP),
            row_of(self.network_button, self.differences_button, spacing=GAP),
        )

    def _close(self) -> None:
        self._change(CLOSED)

    def _slow(self) -> None:
        self._change(self.factor.value())

    def _change(self, factor: float) -> None:
        """Change the road in the field, or the selected roads if it is empty."""
        if self._session.graph is None:
            return
        graph = self._session.graph.as_read
        try:
            typed = self.field.text().strip()
            entries: tuple[RoadChange | RoadArea, ...] = self.selected
            if typed:
                road = RoadChange(*road_of(graph, typed))
                RoadChanges((road,)).arcs(graph)  # raises if there is no such road
                entries = (road,)
            changes = self._session.roads
            for entry in entries:
                if isinstance(entry, RoadArea):
                    changes = changes.with_area(replace(entry, factor=factor))
                else:
                    changes = changes.with_roads([RoadChange(entry.tail, entry.head, factor)])
        except TautpathError as error:
            self._session.notice_error(error)
            return
        self.field.clear()
        self._session.want_roads(changes)

    def _remove(self) -> None:
        changes, chosen = self._session.roads, self.selected
        areas = tuple(area for area in changes.areas if area not in chosen)
        roads = ((entry.tail, entry.head) for entry in chosen if isinstance(entry, RoadChange))
        self._session.want_roads(replace(changes, areas=areas).without(*roads))

    def _zoom(self) -> None:
        graph, chosen = self._session.graph, self.selected
        if graph is not None and chosen:
            roads = tuple(entry for entry in chosen if isinstance(entry, RoadChange))
            areas = tuple(entry for entry in chosen if isinstance(entry, RoadArea))
            tails, heads, *_ = RoadChanges(roads, areas).columns()
            self.zoom_requested.emit(np.concatenate((graph.vertices(tails), graph.vertices(heads))))

    def _follow(self) -> None:
        changes, graph = self._session.roads, self._session.graph
        if self._shown != changes:
            self._shown = changes
            entries = entries_of(changes)
            self.table.setRowCount(len(entries))
            for row, entry in enumerate(entries):
                for column, text in enumerate(texts_of(entry, graph)):
                    self.table.setItem(row, column, QTableWidgetItem(text))
        self.table.setVisible(bool(changes))
        self.empty.setVisible(not changes)
        comparison = self._comparisons.newest
        without = "" if graph is None or graph.cut is None else _UNCOMPARED
        self.words.setText(without if comparison is None else comparison_text(comparison))
        self.words.setVisible(bool(changes))
        for widget in (self.clear_button, self.network_button):
            widget.setEnabled(bool(changes))
        self.differences_button.setEnabled(comparison is not None)
        self._follow_differences()
        has_graph = graph is not None
        for field in (self.field, self.factor):
            field.setEnabled(has_graph)
        self._follow_selection()

    def follow_layer(self, shown: bool) -> None:
        """Check that differences are shown, where there are some."""
        self._differences_wanted = shown
        self._follow_differences()

    def _follow_differences(self) -> None:
        found = self._comparisons.newest is not None
        self.show_differences.setEnabled(found)
        with QSignalBlocker(self.show_differences):
            self.show_differences.setChecked(found and self._differences_wanted)

    def _follow_selection(self) -> None:
        """Offer what can be done with the selected roads, and with the one in the field."""
        is_selected = bool(self.table.selectionModel().selectedRows())
        self.remove_button.setEnabled(is_selected)
        is_named = self._session.graph is not None and bool(self.field.text().strip())
        for button in (self.close_button, self.slow_button):
            button.setEnabled(is_named or is_selected)


def open_all(session: Session) -> None:
    """Open all roads again, and slow none; the hour stays."""
    session.want_roads(RoadChanges(hour=session.roads.hour))


def entries_of(changes: RoadChanges) -> tuple[RoadChange | RoadArea, ...]:
    """The rows of the list: areas, then roads one by one."""
    return (*changes.areas, *changes.roads)


def texts_of(entry: RoadChange | RoadArea, graph: Graph | None) -> tuple[str, str]:
    """The two columns of a change in ``graph``, with names of roads as in the file."""
    change = "closed" if entry.closes else f"× {entry.factor:g}"
    if isinstance(entry, RoadArea):
        return f"{plural(len(entry), 'road')} in a lasso", change
    between = "\N{RIGHTWARDS ARROW}" if entry.one_way else "\N{EN DASH}"
    ends = f"{entry.tail} {between} {entry.head}"
    name = (
        ""
        if graph is None
        else road_name_between(graph.as_read, graph.vertex(entry.tail), graph.vertex(entry.head))
    )
    return f"{name}, {ends}" if name else ends, change


def comparison_text(comparison: RoadComparison) -> str:
    """What the changes do to the path and to all vertices."""
    parts = []
    before, after = comparison.before, comparison.after
    if before is not None and after is not None:
        was, now = (f"{one.text}{_nearest_source(comparison, one)}" for one in (before, after))
        parts.append(f"Path before (dashed): {was}; after: {now}.")
        by = after.length - before.length
        if math.isfinite(by) and by:
            longer = "longer" if by > 0 else "shorter"
            parts.append(f"It is {format_distance(abs(by), after.graph.weight_unit)} {longer}.")
    words = comparison.differences.text
    parts.append(f"{capitalised(words)}.")
    return " ".join(parts)


def _nearest_source(comparison: RoadComparison, answer: PathAnswer) -> str:
    """Where the path begins; "" where there is no choice."""
    if answer.path is None or len(comparison.sources) == 1:
        return ""
    return f" from {answer.graph.vertex_label(answer.source)}"


def road_of(graph: Graph, text: str) -> Road:
    """The ids in a typed road, such as "12-13". Raises InputError if there are not two
    ids; UnknownVertex.
    """
    found = _ROAD.fullmatch(text)
    if found is None:
        raise InputError(
            f"Type the ids of the two ends of a road, such as 12-13; “{text}” is neither."
        )
    ends = [int(part) if re.fullmatch(r"-?\d+", part) else part for part in found.groups()]
    for end in ends:
        graph.vertex(end)
    return ends[0], ends[1]
