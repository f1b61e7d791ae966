"""File > Open with options: what a file does not determine.

Coordinates, direction and weights of a graph, and the columns of a table of edges; of an OpenStreetMap extract who
travels, weights and what to keep.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from gui.dialogs.buttons import button_box
from gui.dialogs.table_chooser import TableChooser
from gui.style.common_widgets import PlainLabel
from gui.style.plain_text import window_title
from solvers.errors import TautlineError
from solvers.graphs.readers.edge_table import TablePreview
from solvers.graphs.readers.reading import TableOptions
from solvers.graphs.readers.recognition import (
    ATTRIBUTED_FORMATS,
    HEAD_BYTES,
    WEIGHT_ATTRIBUTES,
    exchange_format,
    osm_format,
)
from solvers.running.store.kept_run import ReadingOptions
from solvers.system.files import open_regular

_DIRECTIONS = (
    ("As the format says", None),
    ("Directed: one arc per line", False),
    ("Undirected: two arcs per line", True),
)
_WEIGHTS = (("From the file", "column"), ("1 for every arc", "unit"), ("Random", "random"))
_ROAD_WEIGHTS = (("Travel time", "seconds"), ("Length", "metres"), *_WEIGHTS[1:])
_PROFILES = (("Car", "car"), ("Bicycle", "bicycle"), ("On foot", "foot"))
_NETWORK = "OpenStreetMap extract"
_LARGEST = 2**30 - 2


class OpenOptionsDialog(QDialog):
    """Asks for the reading options of one file.

    Parameters
    ----------
    path : Path
    parent : QWidget, optional
    preview : TablePreview, optional
        The first rows, of a table whose columns can be chosen.
    """

    def __init__(self, path: Path, parent: QWidget | None = None, preview: TablePreview | None = None):
        super().__init__(parent)
        self._folder = path.parent
        self.setWindowTitle(window_title(f"Open {path.name}"))
        self._coordinates = QLineEdit()
        self._coordinates.setPlaceholderText("searched for next to the graph file")
        self._coordinates.setMinimumWidth(320)
        self._direction = QComboBox()
        self._direction.addItems([text for text, _ in _DIRECTIONS])
        form = _format_of(path)
        self._is_network, self._has_attributes = form == _NETWORK, form in ATTRIBUTED_FORMATS
        self._attribute = QLineEdit()
        self._attribute.setPlaceholderText(f"the first of {', '.join(WEIGHT_ATTRIBUTES)}")
        self._attribute.setAccessibleName("Attribute of edges that holds the weight")
        self._profile = QComboBox()
        for text, profile in _PROFILES:
            self._profile.addItem(text, profile)
        self._largest = QCheckBox("Leave out what is not connected with the largest part")
        self._weights = QComboBox()
        for text, kind in _ROAD_WEIGHTS if self._is_network else _WEIGHTS:
            self._weights.addItem(text, kind)
        self._weights.currentIndexChanged.connect(self._show_random)
        self._low, self._high, self._seed = _spin(1), _spin(100), _spin(1)
        buttons = button_box(self, QDialogButtonBox.StandardButton.Open, QDialogButtonBox.StandardButton.Cancel)
        self.table = None if preview is None else TableChooser(preview)
        self._form = QFormLayout(self)
        if self.table is not None:
            self._form.addRow(self.table)
            self.table.add_fields(self._form)
            accept = buttons.button(QDialogButtonBox.StandardButton.Open)
            self.table.changed.connect(lambda: accept.setEnabled(not self._problem))
            accept.setEnabled(not self._problem)
        if self._is_network:
            self._form.addRow("Who travels", self._profile)
            self._form.addRow("Weights", self._weights)
        else:
            self._form.addRow("Coordinates", self._coordinates_row())
            self._form.addRow("Direction", self._direction)
            self._form.addRow("Weights", self._weights)
            if self.table is not None:
                self._weights.setItemText(0, "From the column")
        if self._has_attributes:
            self._weights.setItemText(0, "From the attribute")
            self._form.addRow("Weight attribute", self._attribute)
        self._random = self._random_row()
        self._form.addRow("", self._random)
        if self._is_network:
            self._form.addRow("Network", self._largest)
        self._form.addRow(buttons)
        self._show_random()

    @property
    def reading(self) -> ReadingOptions:
        """All choices."""
        if self._is_network:
            return ReadingOptions("", None, self.weights, self._profile.currentData(), self._largest.isChecked())
        coordinates = "" if self.coordinates is None else str(self.coordinates.resolve())
        table = TableOptions() if self.table is None else self.table.options
        return ReadingOptions(
            coordinates, self.undirected, self.weights, columns=table.columns, separator=table.separator,
            header=table.header, attribute=self.attribute,
        )  # fmt: skip

    @property
    def _problem(self) -> str:
        return "" if self.table is None else self.table.problem

    @property
    def coordinates(self) -> Path | None:
        text = self._coordinates.text().strip()
        return Path(text) if text else None

    @property
    def undirected(self) -> bool | None:
        return _DIRECTIONS[self._direction.currentIndex()][1]

    @property
    def attribute(self) -> str:
        """Attribute of edges that holds the weight; "" for the default, and where weights are not read."""
        return self._attribute.text().strip() if self.weights == "column" and self._has_attributes else ""

    @property
    def weights(self) -> str:
        """As `read_graph` takes it: "column", "seconds", "metres", "unit" or "random:LO:HI:SEED"."""
        kind = str(self._weights.currentData())
        if kind != "random":
            return kind
        low, high = sorted((self._low.value(), self._high.value()))
        return f"random:{low}:{high}:{self._seed.value()}"

    def _coordinates_row(self) -> QHBoxLayout:
        browse = QPushButton("Browse…")
        browse.clicked.connect(self._browse)
        row = QHBoxLayout()
        row.addWidget(self._coordinates, 1)
        row.addWidget(browse)
        return row

    def _random_row(self) -> QWidget:
        widget = QWidget()
        row = QHBoxLayout(widget)
        row.setContentsMargins(0, 0, 0, 0)
        for text, spin in (("from", self._low), ("to", self._high), ("seed", self._seed)):
            row.addWidget(PlainLabel(text))
            row.addWidget(spin)
        row.addStretch(1)
        return widget

    def _show_random(self) -> None:
        self._form.setRowVisible(self._random, self._weights.currentData() == "random")
        if self._has_attributes:
            self._form.setRowVisible(self._attribute, self._weights.currentData() == "column")

    def _browse(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, "Open coordinates", str(self._folder), "Coordinates (*.co *.co.gz);;All files (*)"
        )
        if name:
            self._coordinates.setText(name)


def _format_of(path: Path) -> str | None:
    """`_NETWORK`, or the name of an exchange format; None for others, and where reading will say what is wrong."""
    try:
        with open_regular(path) as file:
            head = file.read(HEAD_BYTES)
        return _NETWORK if osm_format(path, head) is not None else exchange_format(path, head)
    except (OSError, ValueError, TautlineError):
        return None


def _spin(value: int) -> QSpinBox:
    spin = QSpinBox()
    spin.setRange(0, _LARGEST)
    spin.setValue(value)
    return spin
