"""Table of the ways between source and target; the one that is chosen becomes the path."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from gui.model.live import LiveState
from gui.style.forms import tool_button
from gui.style.text import tool_tip
from gui.style.theme import tokens
from gui.style.widgets import fill_with, on_scheme_change, settle_table, smooth
from solvers.picture.overlay.lines import way_colour
from solvers.running.answers.answer import LIVE, PathAnswer
from solvers.running.live_query import LiveAnswer

_SWATCH = 14


class WaysTable(QTableWidget):
    """A row for each way of an answer, as high as its rows; hidden without ways."""

    def __init__(self, live: LiveState, ask: Callable[[bool], None]):
        super().__init__(0, 0)
        self._live = live
        self.button = tool_button(
            "Alternatives",
            "Other good ways to the target, beside the path (A)",
            icon="alternatives",
        )
        self.button.setCheckable(True)
        self.button.clicked.connect(ask)
        live.alternatives_toggled.connect(self.button.setChecked)
        live.answered.connect(self._show)
        self._answer: LiveAnswer | None = None
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
        answer = self._answer = self._live.answer
        ways = None if answer is None else answer.ways
        self.setVisible(ways is not None and bool(ways.ways))
        if answer is None or ways is None or not ways.ways:
            return
        self.blockSignals(True)
        found = PathAnswer.of_ways(answer.graph, ways, LIVE)
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
        self.setToolTip(tool_tip(ways.note))
        self._recolour()
        height = self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth()
        self.setFixedHeight(height + len(rows) * self.verticalHeader().defaultSectionSize())
        self.blockSignals(False)

    def _choose(self, row: int) -> None:
        if row >= 0:
            self._live.choose(row)

    def _recolour(self) -> None:
        answer = self._answer
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
    painter = QPainter(pixmap)
    smooth(painter)
    fill_with(painter, QColor(colour))
    painter.drawRoundedRect(QRectF(0, _SWATCH / 2 - 2, _SWATCH, 4), 2, 2)
    painter.end()
    return pixmap
