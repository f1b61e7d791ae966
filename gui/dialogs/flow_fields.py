"""What is asked of betweenness in Run > All sources, and the list of the roads that carry most."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLineEdit, QSpinBox, QWidget

from gui.picture.scene.flows import RoadFlows, share_text
from gui.style.forms import NO_MARGINS, choice_box, row_of, tool_button
from gui.style.text import visible
from solvers.graphs.graph import Graph

_DRAWN = 400  # sources of an estimate, at first
_LISTED = 10


class FlowFields(QWidget):
    """Whether betweenness is computed, and from which sources; ``masses`` is the field for a file of masses."""

    changed = Signal()

    def __init__(self, graph: Graph, parent: QWidget | None = None):
        super().__init__(parent)
        self.box = QCheckBox("from")
        self.box.setToolTip(
            "How many shortest paths use each road and pass each vertex; within the budget of the reach"
        )
        self.box.setAccessibleName("Betweenness")
        self.choice = choice_box([("all vertices", False), ("drawn sources", True)], "Sources of betweenness")
        self.count = QSpinBox()
        self.count.setRange(1, graph.n)
        self.count.setValue(min(graph.n, _DRAWN))
        self.count.setAccessibleName("Number of drawn sources")
        row_of(self.box, (self.choice, 1), self.count, parent=self, margins=NO_MARGINS)
        self.masses = QWidget()
        self.field = QLineEdit()
        self.field.setPlaceholderText("one for each vertex; else a CSV file of id, mass")
        self.field.setAccessibleName("File of masses")
        row_of((self.field, 1), tool_button("…", "Choose the file of masses", self._ask), parent=self.masses,
               margins=NO_MARGINS)  # fmt: skip
        self.box.toggled.connect(self._enable)
        self.choice.currentIndexChanged.connect(self._enable)
        self.count.valueChanged.connect(self.changed)
        self.field.editingFinished.connect(self.changed)
        self._enable()

    @property
    def wanted(self) -> bool:
        return self.box.isChecked()

    @property
    def drawn(self) -> int | None:
        """Number of sources to draw; None for all vertices."""
        return self.count.value() if self.wanted and self.choice.currentData() else None

    @property
    def masses_file(self) -> str:
        return self.field.text().strip() if self.wanted else ""

    def _enable(self) -> None:
        on = self.box.isChecked()
        self.choice.setEnabled(on)
        self.count.setEnabled(on and bool(self.choice.currentData()))
        self.masses.setEnabled(on)
        self.changed.emit()

    def _ask(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, "Masses of the vertices", "", "CSV table (*.csv);;All files (*)")
        if path:
            self.field.setText(path)
            self.changed.emit()


def greatest_html(flows: RoadFlows) -> str:
    """The roads of greatest flow, or of greatest difference, with links ``road:ARC``."""
    graph, rows = flows.graph, []
    for arc in flows.greatest(_LISTED):
        ends = f"{graph.vertex_id(int(graph.tails[arc]))} \N{EN DASH} {graph.vertex_id(int(graph.indices[arc]))}"
        words = escape(visible(flows.name(arc) or ends))
        value = float(flows.values[arc])
        sign = "" if not flows.is_difference else "+" if value > 0 else "\N{MINUS SIGN}"
        share = f"{sign}{share_text(abs(value))}"
        rows.append(f'<tr><td><a href="road:{arc}">{words}</a>&nbsp;&nbsp;</td><td align="right">{share}</td></tr>')
    title = "Roads that gain or lose most" if flows.is_difference else "Roads that carry most"
    return f"<b>{title}</b><table>{''.join(rows)}</table>" if rows else ""
