"""Run > All sources: where it is computed, and where all distances are written, if they are."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QSizePolicy,
    QSpinBox,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from solvers.errors import format_bytes
from solvers.graphs.graph import Graph
from solvers.system import machine

_MOST_WORKERS = 1024


class _Place(Enum):
    HERE = "this program"
    LOCAL = "worker processes"
    CLUSTER = "a cluster"


class AllSourcesPlace(QWidget):
    """A choice of this program, worker processes and clusters, with number or address beside it.

    Parameters
    ----------
    graph : Graph
        For the size of its distances.

    Attributes
    ----------
    rows : QWidget
        The field for a file of all distances; shown where workers can write it.

    Signals
    -------
    changed()
        `address` is another.
    """

    changed = Signal()

    def __init__(self, graph: Graph, parent: QWidget | None = None):
        super().__init__(parent)
        self.choice = QComboBox()
        self.choice.setAccessibleName("Computed by")
        for place in _Place:
            self.choice.addItem(place.value, place)
        self.workers = QSpinBox()
        self.workers.setRange(1, _MOST_WORKERS)
        self.workers.setValue(max(2, machine.cores()))
        self.workers.setAccessibleName("Worker processes")
        self.field = QLineEdit()
        self.field.setPlaceholderText("tcp://host:8786, tls://host:8786 or slurm:4")
        self.field.setAccessibleName("Address of the cluster")
        self._beside = QStackedWidget()
        self._beside.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for widget in (QWidget(), self.workers, self.field):
            self._beside.addWidget(widget)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.choice)
        row.addWidget(self._beside, 1)
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
        """Address of the cluster, as `parse_address` takes it, or what was typed; "" for this program."""
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
        self.choice.setCurrentIndex(self.choice.findData(_Place.LOCAL if is_local else _Place.CLUSTER))

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
        self.box.setToolTip(f"A Zarr array of {format_bytes(size)} before compression, which zarr and xarray open")
        self.field = QLineEdit()
        self.field.setPlaceholderText("a folder that all hosts see")
        self.field.setAccessibleName("Folder of the array of all distances")
        self.field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.button = QToolButton()
        self.button.setText("…")
        self.button.setAccessibleName("Choose the folder")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in (self.box, self.field, self.button):
            row.addWidget(widget)
        self.box.toggled.connect(self._enable)
        self.button.clicked.connect(self._ask)
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
        path, _ = QFileDialog.getSaveFileName(self, "Write all distances", self._name, "Zarr array (*.zarr)")
        if path:
            self.field.setText(path)
        elif not self.field.text():
            self.box.setChecked(False)
