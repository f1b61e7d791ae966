"""Table of the ways between source and target; the one that is chosen becomes the path."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from gui.model.unmeasured import UnmeasuredState
from gui.style.forms import tool_button
from gui.style.paint import fill_with, smooth_painter
from gui.style.tables import settle_table
from gui.style.text import tool_tip
from gui.style.theme import tokens
from gui.style.widgets import on_scheme_change
from solvers.picture.overlay.lines import way_colour

_SWATCH = 14


class WaysTable(QTableWidget):
    """A row for each way of an answer, as high as its rows; hidden without ways."""

    def __init__(self, unmeasured: UnmeasuredState):
        super().__init__(0, 0)
        self._unmeasured = unmeasured
        self.button = tool_button(
            "Alternatives",
            "Other good ways to the target, beside the path (A)",
            icon="alternatives",
        )
        self.button.setCheckable(True)
        self.button.clicked.connect(unmeasured.want_ways)
        unmeasured.ways_wanted.connect(self.button.setChecked)
        unmeasured.changed.connect(self._show)
        settle_table(self, "Ways from source to target")
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        self.currentCellChanged.connect(self._choose)
        on_scheme_change(self._recolour)
        self.hide()

    def _show(self) -> None:
        """Show the ways of the newest answer, without choosing one."""
        answer = self._unmeasured.answer
        found = () if answer is None or not answer.has_alternatives else answer.ways
        self.setVisible(bool(found))
        if answer is None or not found:
            return
        self.blockSignals(True)
        rows = [(one.way, *one.cells(found[0])[:-1]) for one in found]
        measures = ["time", "length"] if found[0].quantity == "time" else ["length", "time"]
        titles = ["way", *measures[: len(rows[0]) - 3], "longer", "shared"]
        if self.columnCount() != len(titles):
            self.setColumnCount(len(titles))
            self.setHorizontalHeaderLabels([title.capitalize() for title in titles])
            self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
            self.horizontalHeader().setStretchLastSection(True)
        self.setRowCount(len(rows))
        for i, cells in enumerate(rows):
            for k, text in enumerate(cells):
                self.setItem(i, k, QTableWidgetItem(text))
        self.setCurrentCell(answer.chosen, 0)
        self.setToolTip(tool_tip(answer.note))
        self._recolour()
        height = self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth()
        self.setFixedHeight(height + len(rows) * self.verticalHeader().defaultSectionSize())
        self.blockSignals(False)

    def _choose(self, row: int) -> None:
        if row >= 0:
            self._unmeasured.choose(row)

    def _recolour(self) -> None:
        answer = self._unmeasured.answer
        for row in range(self.rowCount() if answer is not None else 0):
            colours = tokens()
            chosen = answer is not None and row == answer.chosen
            colour = colours.path if chosen else way_colour(row, colours.dark)
            item = self.item(row, 0)
            if item is not None:
                item.setIcon(_swatch(colour))


def _swatch(colour: str) -> QPixmap:
    pixmap = QPixmap(_SWATCH, _SWATCH)
    pixmap.fill(Qt.GlobalColor.transparent)
    with smooth_painter(pixmap) as painter:
        fill_with(painter, colour)
        painter.drawRoundedRect(QRectF(0, _SWATCH / 2 - 2, _SWATCH, 4), 2, 2)
    return pixmap
