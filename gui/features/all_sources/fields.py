"""Fields of the panel of all sources, and its list of the roads that carry most.

They say whether betweenness is computed and from which sources, where the run is
computed, and where all distances are written, if they are.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from gui.style.forms import (
    NO_MARGINS,
    address_field,
    as_html,
    choice_box,
    count_box,
    row_of,
    text_field,
    tool_button,
)
from gui.style.text import tool_tip
from solvers.features.all_sources.road_flows import RoadFlows, share_text
from solvers.graphs.graph import Graph
from solvers.system import machine
from solvers.text import MINUS, format_bytes

_DRAWN = 400  # sources of an estimate, at first
_LISTED = 10
_MOST_WORKERS = 1024


class FlowFields(QWidget):
    """Whether betweenness is computed, and from which sources; ``masses`` is the field
    for a file of masses.
    """

    changed = Signal()

    def __init__(self, graph: Graph):
        super().__init__()
        self.box = QCheckBox("from")
        self.box.setToolTip(
            tool_tip(
                "How many shortest paths use each road and pass each vertex; "
                "within the budget of the reach"
            )
        )
        self.box.setAccessibleName("Betweenness")
        self.choice = choice_box(
            [("all vertices", False), ("random sources", True)], "Sources of betweenness"
        )
        self.count = count_box(min(graph.n, _DRAWN), 1, graph.n)
        self.count.setAccessibleName("Number of random sources")
        row_of(self.box, (self.choice, 1), self.count, parent=self, margins=NO_MARGINS)
        self.masses = QWidget()
        self.field = text_field(
            "one for each vertex; else a CSV file of id, mass", "File of masses"
        )
        row_of(
            (self.field, 1),
            tool_button("…", "Choose the file of masses", self._ask),
            parent=self.masses,
            margins=NO_MARGINS,
        )
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
        path, _ = QFileDialog.getOpenFileName(
            self, "Masses of the vertices", "", "CSV table (*.csv);;All files (*)"
        )
        if path:
            self.field.setText(path)
            self.changed.emit()


def greatest_html(flows: RoadFlows) -> str:
    """The roads of greatest flow, or of greatest difference, with links ``road:ARC``."""
    graph, rows = flows.graph, []
    for arc in flows.greatest(_LISTED):
        ends = (
            f"{graph.vertex_id(int(graph.tails[arc]))} \N{EN DASH} "
            f"{graph.vertex_id(int(graph.indices[arc]))}"
        )
        words = as_html(flows.name(arc) or ends)
        value = float(flows.values[arc])
        share = share_text(abs(value))
        if flows.is_difference:
            share = f"{'+' if value > 0 else MINUS}{share}"
        rows.append(
            f'<tr><td><a href="road:{arc}">{words}</a>&nbsp;&nbsp;</td><td '
            f'align="right">{share}</td></tr>'
        )
    title = (
        "Roads with the largest changes" if flows.is_difference else "Roads with the largest flows"
    )
    return f"<b>{title}</b><table>{''.join(rows)}</table>" if rows else ""


class _Place(Enum):
    HERE = "this program"
    LOCAL = "worker processes"
    CLUSTER = "a cluster"


class AllSourcesPlace(QWidget):
    """A choice of this program, worker processes and clusters, with number or address beside it.

    ``rows``, shown where workers can write it, is the field for a file of all
    distances.
    """

    changed = Signal()

    def __init__(self, graph: Graph):
        super().__init__()
        self.choice = choice_box([(place.value, place) for place in _Place], "Computed by")
        self.workers = count_box(max(2, machine.cores()), 1, _MOST_WORKERS)
        self.workers.setAccessibleName("Worker processes")
        self.field = address_field()
        self._beside = QStackedWidget()
        self._beside.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for widget in (QWidget(), self.workers, self.field):
            self._beside.addWidget(widget)
        row_of(self.choice, (self._beside, 1), parent=self, margins=NO_MARGINS)
        self.setFocusProxy(self.choice)
        self.rows = _RowsField(graph)
        self.choice.currentIndexChanged.connect(self._show_fields)
        self.choice.currentIndexChanged.connect(self.changed)
        self.workers.valueChanged.connect(self.changed)
        self.field.editingFinished.connect(self.changed)
        self._show_fields()

    @property
    def is_cluster(self) -> bool:
        return self.choice.currentData() is not _Place.HERE

    @property
    def address(self) -> str:
        """Address of the cluster, as `parse_address` takes it, or what was typed; ""
        for this program.
        """
        place = self.choice.currentData()
        if place is _Place.LOCAL:
            return f"local:{self.workers.value()}"
        return (self.field.text().strip() or "tcp://") if place is _Place.CLUSTER else ""

    @property
    def rows_to(self) -> Path | None:
        """Where the distances between all pairs go; None if they are not kept."""
        return self.rows.path if self.is_cluster else None

    def use(self, address: str) -> None:
        """Choose a cluster, such as one that is connected already."""
        kind, _, count = address.partition(":")
        is_local = kind == "local"
        if is_local:
            self.workers.setValue(int(count) if count.isdigit() else self.workers.value())
        else:
            self.field.setText(address)
        self.choice.setCurrentIndex(
            self.choice.findData(_Place.LOCAL if is_local else _Place.CLUSTER)
        )

    def _show_fields(self) -> None:
        self._beside.setCurrentIndex(self.choice.currentIndex())
        self.rows.setVisible(self.is_cluster)


class _RowsField(QWidget):
    """Whether all distances are written as a Zarr array, and where."""

    def __init__(self, graph: Graph):
        super().__init__()
        size = graph.n * graph.n * graph.distance_type.dtype.itemsize
        self._name = f"{Path(graph.name).stem}.zarr"
        self.box = QCheckBox("write all distances to")
        self.box.setToolTip(
            tool_tip(
                f"A Zarr array of {format_bytes(size)} before compression, "
                "which zarr and xarray open"
            )
        )
        name = "Folder of the array of all distances"
        self.field = text_field("a folder that all hosts see", name)
        self.button = tool_button("…", "Choose the folder", self._ask)
        row_of(self.box, self.field, self.button, parent=self, margins=NO_MARGINS)
        self.box.toggled.connect(self._enable)
        self._enable(False)

    @property
    def path(self) -> Path | None:
        text = self.field.text().strip()
        return Path(text) if self.box.isChecked() and text else None

    def _enable(self, on: bool) -> None:
        self.field.setEnabled(on)
        self.button.setEnabled(on)
        if on and not self.field.text():
            self._ask()

    def _ask(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self, "Write all distances", self._name, "Zarr array (*.zarr)"
        )
        if path:
            self.field.setText(path)
        elif not self.field.text():
            self.box.setChecked(False)
