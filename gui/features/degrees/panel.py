"""The panel of the degrees."""

from __future__ import annotations

from PySide6.QtWidgets import QHeaderView, QTreeWidgetItem, QWidget

from gui.style.forms import column_of
from gui.style.tables import align_right, make_tree
from gui.style.widgets import EmptyState, QuietLabel
from solvers.features.degrees.counts import HEADER, DegreeCounts, count_degrees
from solvers.graphs.graph import Graph

_COLUMNS = range(len(HEADER))


def degrees_panel(graph: Graph | None) -> QWidget:
    """A panel for the open graph, or words that one is needed."""
    if graph is None:
        return EmptyState("Open a graph to see how many arcs leave its vertices.")
    return DegreesPanel(count_degrees(graph.as_read))


class DegreesPanel(QWidget):
    """A sentence and a table."""

    def __init__(self, counts: DegreeCounts):
        super().__init__()
        self.summary = QuietLabel(counts.summary)
        self.table = make_tree(HEADER, "Vertices by outgoing arcs", _COLUMNS)
        items = [QTreeWidgetItem(row) for row in counts.rows()]
        for item in items:
            align_right(item, _COLUMNS)
        self.table.addTopLevelItems(items)
        self.table.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        column_of(self.summary, self.table, parent=self)
