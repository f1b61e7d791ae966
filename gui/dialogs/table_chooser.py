"""Columns of a table of edges: the first rows, and which columns are source, target and weight."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui.style.common_widgets import GAP, PlainLabel
from solvers.errors import printable
from solvers.graphs.readers.edge_table import TablePreview, preview_of
from solvers.graphs.readers.reading import EdgeColumns, TableOptions

_SEPARATORS = (
    ("Comma", "comma"), ("Semicolon", "semicolon"), ("Tab", "tab"), ("Vertical bar", "bar"), ("Blank", "blank"),
)  # fmt: skip
_NO_WEIGHT = "None: 1 for every edge"
_ROLES = ("source", "target", "weight")
_SHOWN_ROWS = 6
_MOST_LETTERS = 60
_SIZE = QSize(560, 0)


class TableChooser(QWidget):
    """Shows the first rows of a table; its fields, which `add_fields` puts into a form, choose the columns.

    Parameters
    ----------
    preview : TablePreview

    Signals
    -------
    changed()
        Another choice was made.
    """

    changed = Signal()

    def __init__(self, preview: TablePreview, parent: QWidget | None = None):
        super().__init__(parent)
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
        self.separator = QComboBox()
        self.header = QCheckBox("The first row holds titles")
        for text, name in _SEPARATORS:
            self.separator.addItem(text, name)
        self._problem = PlainLabel()
        self._problem.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, GAP)
        column.setSpacing(GAP)
        column.addWidget(self.rows)
        column.addWidget(self._problem)
        self._fill()
        for box in (self.source, self.target, self.weight):
            box.currentIndexChanged.connect(self._mark)
        self.separator.currentIndexChanged.connect(self._split_again)
        self.header.toggled.connect(self._split_again)

    def add_fields(self, form: QFormLayout) -> None:
        """Add a row to ``form`` for each choice."""
        for text, box in (("Source", self.source), ("Target", self.target), ("Weight", self.weight)):
            form.addRow(text, box)
        if self._first.separator:  # Parquet has titles and no separators
            form.addRow("Separator", self.separator)
            form.addRow("", self.header)

    def sizeHint(self) -> QSize:
        return super().sizeHint().expandedTo(_SIZE)

    @property
    def columns(self) -> EdgeColumns:
        """The chosen columns."""
        weight = self.weight.currentData()
        return EdgeColumns(max(0, self.source.currentIndex()), max(0, self.target.currentIndex()), weight)

    @property
    def problem(self) -> str:
        """Why no graph can be read by these columns; "" if it can be tried."""
        if len(self._preview.titles) < 2:
            return "There is only one column. Choose another separator."
        if len(set(self.columns.places)) < len(self.columns.places):
            return "Choose different columns for source, target and weight."
        return ""

    @property
    def options(self) -> TableOptions:
        """What differs from that which the table tells by itself."""
        preview, first = self._preview, self._first
        columns = "" if self.columns == preview.guess else self.columns.text(preview.titles)
        separator = "" if preview.separator == first.separator else preview.separator
        header = None if preview.header == first.header and not separator else preview.header
        return TableOptions(columns, separator, header)

    def _fill(self) -> None:
        """Show the rows, and choose the columns that they tell, else the first."""
        preview = self._preview
        names = [printable(title.strip())[:_MOST_LETTERS] or str(k + 1) for k, title in enumerate(preview.titles)]
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
        self.weight.setCurrentIndex(self.weight.findData(chosen.weight))
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
        self.rows.resizeColumnsToContents()
        line = self.rows.verticalHeader().defaultSectionSize()
        self.rows.setFixedHeight(self.rows.horizontalHeader().sizeHint().height() + _SHOWN_ROWS * line)

    def _mark(self) -> None:
        """Name the chosen columns in the table's header, and say what is wrong with them."""
        places = self.columns.places
        for place, name in enumerate(self._names):
            roles = [role for role, chosen in zip(_ROLES, places, strict=False) if chosen == place]
            item = QTableWidgetItem(f"{name}\n{', '.join(roles)}")
            font = item.font()
            font.setBold(bool(roles))
            item.setFont(font)
            self.rows.setHorizontalHeaderItem(place, item)
        self._problem.setText(self.problem)
        self._problem.setVisible(bool(self.problem))
        self.changed.emit()

    def _split_again(self) -> None:
        options = TableOptions("", str(self.separator.currentData()), self.header.isChecked())
        self._preview = preview_of(self._first.lines, options)
        self._fill()


def _first_columns(preview: TablePreview) -> EdgeColumns:
    """The first two columns, and the next one of numbers."""
    numbers = (place for place in range(2, len(preview.titles)) if preview.is_numeric(place))
    return EdgeColumns(0, min(1, len(preview.titles) - 1), next(numbers, None))
