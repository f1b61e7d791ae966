"""File > Open with options and File > Generate: what a file does not determine, columns
of a table, graph families.

Options are coordinates, direction and weights of a graph; the columns of a table of
edges, chosen beside its first rows (source, target and weight); of a
road network who travels, weights and what to keep. Generating a graph takes a family and its
parameters.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QIcon
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from gui.panels.parameters import ParameterForm
from gui.shell.keys import stops_within, tab_through
from gui.style.forms import (
    NO_MARGINS,
    STRETCH,
    Standard,
    WrappedLabel,
    button_box,
    choice_box,
    column_of,
    count_box,
    fill_dialog,
    form_of,
    row_of,
    scrolling,
    text_field,
)
from gui.style.text import tool_tip, window_title
from gui.style.widgets import GAP, PlainLabel, mute
from solvers.errors import TautpathError
from solvers.graphs.edge_columns import EdgeColumns, TablePreview, preview_of
from solvers.graphs.generators import Generator, generators
from solvers.graphs.readers.file_format import HEAD_BYTES, NetworkFormat, opened
from solvers.graphs.readers.formats import exchange_format, network_format
from solvers.graphs.reading import ReadingOptions, TableOptions
from solvers.graphs.turn_rules import COSTS, IGNORE, RESTRICTIONS, TurnCosts
from solvers.system.files import open_regular
from solvers.text import printable

_DIRECTIONS = (
    ("As the format says", None),
    ("Directed: one arc per line", False),
    ("Undirected: two arcs per line", True),
)
_WEIGHTS = (("From the file", "column"), ("1 for every arc", "unit"), ("Random", "random"))
_ROAD_WEIGHTS = (("Travel time", "seconds"), ("Length", "metres"), *_WEIGHTS[1:])
_TURNS = (
    ("As the file restricts them", RESTRICTIONS),
    ("As the file restricts them, and they cost time", COSTS),
    ("All allowed", IGNORE),
)
_LARGEST = 2**30 - 2

_SEPARATORS = (
    ("Comma", "comma"),
    ("Semicolon", "semicolon"),
    ("Tab", "tab"),
    ("Vertical bar", "bar"),
    ("Blank", "blank"),
)
_NO_WEIGHT = "None: 1 for every edge"
_ROLES = ("source", "target", "weight")
_ROLE_COLOURS = {"source": "#009E73", "target": "#CC79A7", "weight": "#0072B2"}
_TINT = 70  # of 255: text stays readable on it
_SHOWN_ROWS = 6
_MOST_LETTERS = 60
_SIZE = QSize(560, 0)

_WIDTH, _FORM_HEIGHT = 460, 260


class OpenOptionsDialog(QDialog):
    """Asks for the reading options of one file; with a preview of its first rows, for
    the columns of a table, too.
    """

    def __init__(
        self, path: Path, parent: QWidget | None = None, preview: TablePreview | None = None
    ):
        super().__init__(parent)
        self._folder = path.parent
        self.setWindowTitle(window_title(f"Open {path.name}"))
        self._coordinates = text_field("searched for next to the graph file")
        self._coordinates.setMinimumWidth(320)
        self._direction = QComboBox()
        self._direction.addItems([text for text, _ in _DIRECTIONS])
        self._network, self._has_attributes, has_lines = _kind_of(path)
        hint, name = "weight, or a length, time or cost", "Attribute of edges that holds the weight"
        self._attribute = text_field(hint, name)
        self._join = text_field("such as 1m", "How far line ends may be from lines they meet")
        profiles = () if self._network is None else self._network.profiles
        self._profile = choice_box([(title, name) for name, title in profiles])
        self._turns = choice_box(_TURNS)
        self._turns.setToolTip(tool_tip(f"Of turns that cost time: {TurnCosts()}"))
        self._largest = QCheckBox("Leave out what is not connected with the largest part")
        self._weights = choice_box(_ROAD_WEIGHTS if self._network else _WEIGHTS)
        self._weights.currentIndexChanged.connect(self._show_random)
        self._low, self._high, self._seed = (count_box(value, 0, _LARGEST) for value in (1, 100, 1))
        buttons = button_box(self, Standard.Open, Standard.Cancel)
        self.table = None if preview is None else TableChooser(preview)
        self._form = QFormLayout(self)
        if self.table is not None:
            self._form.addRow(self.table)
            self.table.add_fields(self._form)
            accept = buttons.button(Standard.Open)
            self.table.changed.connect(lambda: accept.setEnabled(not self._problem))
            accept.setEnabled(not self._problem)
        if self._network:
            self._form.addRow("Who travels", self._profile)
            self._form.addRow("Turns", self._turns)
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
        if has_lines:
            self._form.addRow("Join line ends within", self._join)
        self._random = self._random_row()
        self._form.addRow("", self._random)
        if self._network:
            self._form.addRow("Network", self._largest)
        self._form.addRow(buttons)
        self._show_random()

    @property
    def reading(self) -> ReadingOptions:
        if self._network:
            return ReadingOptions(
                weights=self.weights,
                profile=self._profile.currentData(),
                largest_part=self._largest.isChecked(),
                turns=self._turns.currentData(),
            )
        coordinates = "" if self.coordinates is None else str(self.coordinates.resolve())
        table = TableOptions() if self.table is None else self.table.options
        return ReadingOptions(
            coordinates,
            self.undirected,
            self.weights,
            columns=table.columns,
            separator=table.separator,
            header=table.header,
            attribute=self.attribute,
            join=self._join.text().strip(),
        )

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
        """Attribute of edges that holds the weight; "" for the default, and where
        weights are not read.
        """
        return (
            self._attribute.text().strip()
            if self.weights == "column" and self._has_attributes
            else ""
        )

    @property
    def weights(self) -> str:
        """As `read_graph` takes it: "column", "seconds", "metres", "unit" or
        "random:LO:HI:SEED".
        """
        kind = str(self._weights.currentData())
        if kind != "random":
            return kind
        low, high = sorted((self._low.value(), self._high.value()))
        return f"random:{low}:{high}:{self._seed.value()}"

    def _coordinates_row(self) -> QHBoxLayout:
        browse = QPushButton("Browse…")
        browse.clicked.connect(self._browse)
        return row_of((self._coordinates, 1), browse)

    def _random_row(self) -> QWidget:
        widget = QWidget()
        low, high, seed = map(PlainLabel, ("from", "to", "seed"))
        row_of(
            low,
            self._low,
            high,
            self._high,
            seed,
            self._seed,
            STRETCH,
            parent=widget,
            margins=NO_MARGINS,
        )
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


def _kind_of(path: Path) -> tuple[NetworkFormat | None, bool, bool]:
    """The format if it is a road network, whether its edges have attributes, and whether it
    has lines of GeoJSON; nothing where reading will say what is wrong.
    """
    try:
        with open_regular(path) as file:
            head = file.read(HEAD_BYTES)
        if (found := network_format(path, head)) is not None:
            return found[0], False, False
        form = exchange_format(path, head)
        if form is None:
            return None, False, False
        has_lines = "join" in form.options and b"LineString" in opened(head)[0]
        return None, form.has_attributes, has_lines
    except (OSError, ValueError, TautpathError):
        return None, False, False


class TableChooser(QWidget):
    """Shows the first rows of a table; its fields, which `add_fields` puts into a form,
    choose the columns.
    """

    changed = Signal()

    def __init__(self, preview: TablePreview):
        super().__init__()
        self._first = self._preview = preview
        self.rows = QTableWidget()
        self.rows.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.rows.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.rows.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.rows.verticalHeader().hide()
        self.rows.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 2 * GAP)
        self.rows.horizontalHeader().setStretchLastSection(True)
        self.rows.setWordWrap(False)
        self.rows.setAccessibleName("First rows of the table")
        self.source, self.target, self.weight = QComboBox(), QComboBox(), QComboBox()
        self.separator = choice_box(_SEPARATORS)
        self.header = QCheckBox("The first row holds titles")
        self._problem = WrappedLabel()
        column_of(self.rows, self._problem, parent=self, margins=(0, 0, 0, GAP), spacing=GAP)
        self._fill()
        for box in (self.source, self.target, self.weight):
            box.currentIndexChanged.connect(self._mark)
        self.separator.currentIndexChanged.connect(self._split_again)
        self.header.toggled.connect(self._split_again)

    def add_fields(self, form: QFormLayout) -> None:
        """Add a row to ``form`` for each choice."""
        for text, box in (
            ("Source", self.source),
            ("Target", self.target),
            ("Weight", self.weight),
        ):
            form.addRow(text, box)
        if self._first.separator:  # Parquet has titles and no separators
            form.addRow("Separator", self.separator)
            form.addRow("", self.header)

    def sizeHint(self) -> QSize:
        return super().sizeHint().expandedTo(_SIZE)

    @property
    def columns(self) -> EdgeColumns:
        weight = self.weight.currentData()
        return EdgeColumns(
            max(0, self.source.currentIndex()), max(0, self.target.currentIndex()), weight
        )

    @property
    def problem(self) -> str:
        """Why no graph can be read by these columns; "" if it can be tried."""
        if len(self._preview.titles) < 2:
            return "There is only one column. Choose another separator."
        if self.weight.currentIndex() < 0:
            return f"Choose the weights: {self._preview.unclear(weighted=True)}."
        if len(set(self.columns.places)) < len(self.columns.places):
            return "Choose different columns for source, target and weight."
        return ""

    @property
    def options(self) -> TableOptions:
        """What differs from that which the table tells by itself."""
        preview, first = self._preview, self._first
        told = self.columns == preview.guess and preview.is_sure
        columns = "" if told else self.columns.text(preview.titles)
        separator = "" if preview.separator == first.separator else preview.separator
        header = None if preview.header == first.header and not separator else preview.header
        return TableOptions(columns, separator, header)

    def _fill(self) -> None:
        """Show the rows, and choose the columns that they tell, else the first; of several
        possible weights none.
        """
        preview = self._preview
        names = [
            printable(title.strip())[:_MOST_LETTERS] or str(k + 1)
            for k, title in enumerate(preview.titles)
        ]
        chosen = preview.guess or _first_columns(preview)
        boxes = (self.source, self.target, self.weight, self.separator, self.header)
        blockers = [QSignalBlocker(box) for box in boxes]
        for box in (self.source, self.target):
            box.clear()
            box.addItems(names if preview.header else [f"Column {name}" for name in names])
        self.source.setCurrentIndex(chosen.source)
        self.target.setCurrentIndex(chosen.target)
        self.weight.clear()
        self.weight.addItem(_NO_WEIGHT, None)
        for place in range(len(names)):
            self.weight.addItem(self.source.itemText(place), place)
        asked = preview.guess is None and preview.unclear(weighted=True)
        self.weight.setPlaceholderText("Choose…")
        self.weight.setCurrentIndex(-1 if asked else self.weight.findData(chosen.weight))
        self.separator.setCurrentIndex(self.separator.findData(preview.separator))
        self.header.setChecked(preview.header)
        del blockers
        self.rows.setColumnCount(len(names))
        self.rows.setRowCount(len(preview.rows))
        for row, cells in enumerate(preview.rows):
            for place in range(len(names)):
                text = printable(cells[place])[:_MOST_LETTERS] if place < len(cells) else ""
                self.rows.setItem(row, place, QTableWidgetItem(text))
        self._names = names
        self._mark()
        line = self.rows.verticalHeader().defaultSectionSize()
        self.rows.setFixedHeight(
            self.rows.horizontalHeader().sizeHint().height() + _SHOWN_ROWS * line
        )

    def _mark(self) -> None:
        """Name and colour the chosen columns in the table, and say what is wrong with them."""
        places = self.columns.places
        for place, name in enumerate(self._names):
            roles = [role for role, chosen in zip(_ROLES, places, strict=False) if chosen == place]
            item = QTableWidgetItem(f"{name}\n{', '.join(roles)}")
            font = item.font()
            font.setBold(bool(roles))
            item.setFont(font)
            self.rows.setHorizontalHeaderItem(place, item)
            self._colour(place, roles[0] if roles else "")
        self.rows.resizeColumnsToContents()  # a role is wider than its column may be
        self._problem.setText(self.problem)
        self._problem.setMinimumHeight(self._problem.heightForWidth(_SIZE.width()))
        self._problem.setVisible(bool(self.problem))
        self.changed.emit()

    def _colour(self, place: int, role: str) -> None:
        """Colour the cells of a column by its role, over the surface of either theme."""
        colour = QColor(_ROLE_COLOURS[role]) if role else None
        if colour is not None:
            colour.setAlpha(_TINT)
        for row in range(self.rows.rowCount()):
            if (cell := self.rows.item(row, place)) is not None:
                cell.setBackground(QBrush() if colour is None else colour)

    def _split_again(self) -> None:
        options = TableOptions("", str(self.separator.currentData()), self.header.isChecked())
        self._preview = preview_of(self._first.lines, options)
        self._fill()


def _first_columns(preview: TablePreview) -> EdgeColumns:
    """Source and target by their titles or, without these, the first two columns and the
    next one of numbers.
    """
    if preview.pairs:
        return EdgeColumns(*preview.pairs[0])
    numbers = (place for place in range(2, len(preview.titles)) if preview.is_numeric(place))
    return EdgeColumns(0, min(1, len(preview.titles) - 1), next(numbers, None))


class GenerateDialog(QDialog):
    """List of families, with a description and a form built from the declared parameters."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWindowTitle("Generate a graph")
        self.setMinimumWidth(_WIDTH)
        self._families = generators()
        self._values: dict[str, object] = {}
        self.family = QComboBox()
        self.family.addItems([family.title for family in self._families])
        self.family.currentIndexChanged.connect(self._show_family)
        self._idea = WrappedLabel()
        mute(self._idea)
        self._area = scrolling()
        self._area.setMinimumHeight(_FORM_HEIGHT)
        self._buttons = button_box(self)
        self._buttons.addButton("Generate", QDialogButtonBox.ButtonRole.AcceptRole)
        self._buttons.addButton(Standard.Cancel).setIcon(QIcon())
        family = form_of(("Family", self.family))
        fill_dialog(self, family, self._idea, (self._area, 1), self._buttons)
        self._show_family(0)

    @property
    def generator(self) -> Generator:
        return self._families[self.family.currentIndex()]

    @property
    def parameters(self) -> dict[str, Any]:
        """The values in the form, validated and completed with defaults."""
        return self.generator.settle(self._values)

    def _show_family(self, _index: int) -> None:
        generator = self.generator
        self._values = {}
        self._idea.setText(generator.idea)
        self.form = ParameterForm(generator.id, generator.parameters, {})
        self.form.edited.connect(self._values.__setitem__)
        holder = QWidget()
        column_of(self.form, STRETCH, parent=holder, margins=(0, 0, 8, 0))
        self._area.setWidget(holder)
        # fields that were made after the buttons
        tab_through(self.family, *stops_within(self.form), *stops_within(self._buttons))

    def accept(self) -> None:
        """Close unless a value was refused; the field then shows the reason."""
        if not any(label.text() for label in self.form.errors.values()):
            super().accept()
