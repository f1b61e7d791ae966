"""The panel of the degrees."""

from __future__ import annotations

from PySide6.QtWidgets import QHeaderView, QTreeWidgetItem, QWidget

from gui.model.session import Session
from gui.style.forms import column_of
from gui.style.widgets import EmptyState, QuietLabel, align_right, make_tree
from solvers.features.degrees.counts import HEADER, count_degrees

_COLUMNS = range(len(HEADER))


class DegreesPanel(QWidget):
    """A sentence and a table, counted anew for each graph that is opened."""

    def __init__(self, session: Session):
        super().__init__()
        self._session = session
        self.summary = QuietLabel("")
        self.table = make_tree(HEADER, "Vertices by outgoing arcs", _COLUMNS)
        self.table.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.empty = EmptyState("Open a graph to see how many arcs leave its vertices.")
        column_of(self.summary, self.table, self.empty, parent=self)
        session.graph_changed.connect(self._count)
        self._count()

    def _count(self) -> None:
        graph = self._session.as_read
        for part in (self.summary, self.table):
            part.setVisible(graph is not None)
        self.empty.setVisible(graph is None)
        self.table.clear()
        if graph is None:
            return
        counts = count_degrees(graph)
        self.summary.setText(counts.summary)
        for row in counts.rows():
            align_right(QTreeWidgetItem(self.table, row), _COLUMNS)
