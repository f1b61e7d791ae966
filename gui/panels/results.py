"""Panel with the results table: one row per variant, compared with a baseline."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.model.session import Session
from gui.panels.results_model import CROSS, Column, ResultsModel, describe, verdict_mark
from gui.style.common_widgets import (
    GAP,
    EmptyState,
    PlainLabel,
    QuietLabel,
    display_titles,
    on_scheme_change,
    soften_selection,
    tabular,
)
from gui.style.icons import icon
from solvers.contracts import catalog
from solvers.contracts.results import Status

PHASES = (("total", "total"), ("solve", "solve"))
EMPTY_TEXT = (
    "Tick variants, choose a source and press Run.\n\nTimes, speed-ups and verdicts appear here as they arrive."
)

# Columns hidden first in a narrow table, so that names are not elided; each row's tooltip still has their values.
FIRST_HIDDEN = (Column.RANGE, Column.RELAXATIONS, Column.ITERATIONS, Column.SPEED_UP)
CELL_MARGIN = 14
LEAST_VARIANT_PX = 60
LEAST_ROWS = 5  # rows kept visible before the line below the table is shown


class ResultsPanel(QWidget):
    """Baseline and phase selectors, the table, and a line with all figures of the selected result."""

    def __init__(self, session: Session, parent: QWidget | None = None):
        super().__init__(parent)
        self._session = session
        self._following = False
        self.model = ResultsModel(self)
        self.empty = EmptyState(EMPTY_TEXT)
        self.table = self._make_table()
        self.detail = QuietLabel(selectable=True)
        self._controls = self._make_controls()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP, GAP, GAP, GAP)
        layout.setSpacing(GAP)
        for widget in (self._controls, self.empty, self.table, self.detail):
            layout.addWidget(widget)
        shortcut = QShortcut(QKeySequence.StandardKey.Copy, self, self.copy)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)

        session.results_changed.connect(self._follow_results)
        session.selection_changed.connect(self._follow_selection)
        on_scheme_change(self._restyle)
        self._restyle()
        self._follow_results()

    @property
    def phase(self) -> str:
        """Name of the timed phase shown: "total" or "solve"."""
        return str(self.phase_box.currentData())

    def copy(self) -> None:
        """Copy the table to the clipboard as tab-separated values."""
        QGuiApplication.clipboard().setText(self.model.as_tsv())

    # -- building ----------------------------------------------------------------------------------------------------

    def _make_controls(self) -> QWidget:
        self.baseline = QComboBox()
        self.baseline.setToolTip("Variant that speed-ups are relative to")
        self.baseline.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.baseline.setMinimumContentsLength(8)
        self.baseline.activated.connect(self._choose_baseline)
        self.phase_box = QComboBox()
        for phase, words in PHASES:
            self.phase_box.addItem(words, phase)
        self.phase_box.setAccessibleName("Time")
        self.phase_box.setToolTip("Time shown: total includes preparation and copies, solve is the algorithm alone")
        self.phase_box.currentIndexChanged.connect(self._follow_results)
        self.copy_button = QToolButton()
        self.copy_button.setAutoRaise(True)
        self.copy_button.setToolTip("Copy the table as tab-separated values (Ctrl+C)")
        self.copy_button.setAccessibleName("Copy table")
        self.copy_button.clicked.connect(self.copy)
        self.more_button = QToolButton()
        self.more_button.setCheckable(True)
        self.more_button.setAutoRaise(True)
        self.more_button.toggled.connect(self._fit_columns)
        label = PlainLabel("Baseline")
        label.setBuddy(self.baseline)
        controls = QWidget()
        row = QHBoxLayout(controls)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label)
        row.addWidget(self.baseline, 1)
        row.addWidget(self.phase_box)
        row.addWidget(self.more_button)
        row.addWidget(self.copy_button)
        return controls

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self.model)
        table.setFont(tabular(table.font()))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.setFrameShape(QFrame.Shape.NoFrame)
        table.setTabKeyNavigation(False)
        table.setAccessibleName("Results")
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 10)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setMinimumSectionSize(24)
        table.selectionModel().currentRowChanged.connect(self._select_row)
        return table

    # -- from the user to the session --------------------------------------------------------------------------------

    def _select_row(self, current: QModelIndex) -> None:
        if not self._following and current.isValid():
            self._session.select(self.model.rows[current.row()].result.variant.id)

    def _choose_baseline(self, index: int) -> None:
        self._session.set_baseline(self.baseline.itemData(index))

    # -- from the session to the table -------------------------------------------------------------------------------

    def _follow_results(self) -> None:
        results = self._session.results
        self._following = True
        self.model.show_results(results, self._session.baseline, self.phase)
        self._following = False
        self._fill_baselines()
        for widget in (self._controls, self.table):
            widget.setVisible(bool(results))
        self.empty.setVisible(not results)
        self._span_failures()
        self._fit_columns()
        self._follow_selection()

    def _fill_baselines(self) -> None:
        results = [r for r in self._session.results if r.median(self.phase) is not None]
        titles = display_titles(r.variant for r in results)
        wanted = [(titles[r.variant.id], r.variant.id) for r in results]
        if wanted[: self.baseline.count()] != self._listed_baselines():
            self.baseline.clear()
        for result, (title, variant_id) in list(zip(results, wanted, strict=True))[self.baseline.count() :]:
            self.baseline.addItem(self.model.dot(result.variant), title, variant_id)
        chosen = self._session.baseline
        self.baseline.setCurrentIndex(self.baseline.findData(chosen.variant.id) if chosen is not None else -1)

    def _listed_baselines(self) -> list[tuple[str, str]]:
        return [(self.baseline.itemText(i), self.baseline.itemData(i)) for i in range(self.baseline.count())]

    def _span_failures(self) -> None:
        self.table.clearSpans()
        for i, row in enumerate(self.model.rows):
            if row.failed:
                self.table.setSpan(i, Column.MEDIAN, 1, len(Column) - Column.MEDIAN)

    def _follow_selection(self) -> None:
        row = self.model.row_of(self._session.selected_id)
        self._following = True
        if row >= 0:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.table.selectionModel().setCurrentIndex(self.model.index(row, 0), flags)
        else:
            self.table.selectionModel().clear()
        self._following = False
        selected = self._session.selected
        self.detail.setText(describe(selected, self.phase) if selected is not None else "")
        self._fit_detail()

    # -- looks -------------------------------------------------------------------------------------------------------

    def _restyle(self) -> None:
        self.copy_button.setIcon(icon("copy"))
        for i in range(self.baseline.count()):
            self.baseline.setItemIcon(i, self.model.dot(catalog.find(self.baseline.itemData(i))))
        soften_selection(self.table)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()
        self._fit_detail()

    def _fit_detail(self) -> None:
        """Show the line if the rows leave room for it; always if the selected result failed."""
        selected = self._session.selected
        wrong = selected is not None and (selected.status is not Status.OK or verdict_mark(selected) == CROSS)
        rows = min(LEAST_ROWS, len(self.model.rows)) * self.table.verticalHeader().defaultSectionSize()
        rest = self.height() - self._controls.sizeHint().height() - self.table.horizontalHeader().height() - 4 * GAP
        room = rest - rows >= self.detail.heightForWidth(self.width() - 2 * GAP)
        self.detail.setVisible(selected is not None and (wrong or room))

    def _fit_columns(self) -> None:
        """Give every column the width its widest text needs.

        If not all fit, the least important ones are hidden and a button offers to show them; the table then scrolls.
        Names are elided only when no further column can be hidden.
        """
        room = self.width() - 2 * GAP - self.table.verticalScrollBar().sizeHint().width()
        widths = {column: self._needed_width(column) for column in Column}
        content = columns_with_room(widths, room)
        self._offer_hidden([column for column in Column if column not in content])
        if self.more_button.isChecked():
            content = set(Column)
        rest = room - sum(widths[c] for c in content)
        if self.more_button.isChecked():
            rest = max(0, rest)
        widths[Column.VARIANT] = max(
            LEAST_VARIANT_PX, widths[Column.VARIANT] + rest
        )  # aligns the last column with the table's edge
        for column in Column:
            self.table.setColumnHidden(column, column not in content)
            self.table.setColumnWidth(column, widths[column])

    def _offer_hidden(self, hidden: list[Column]) -> None:
        heads = [str(self.model.headerData(column, Qt.Orientation.Horizontal)) for column in hidden]
        self.more_button.setVisible(bool(hidden))
        self.more_button.setText(f"+{len(hidden)}")
        self.more_button.setAccessibleName("Show all columns")
        self.more_button.setToolTip(f"Hidden for lack of room: {', '.join(heads)}. Press to show them and scroll")
        scrolling = bool(hidden) and self.more_button.isChecked()
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if scrolling else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.table.setHorizontalScrollBarPolicy(policy)

    def _needed_width(self, column: Column) -> int:
        header = QFontMetrics(self.table.horizontalHeader().font())
        body = self.table.fontMetrics()
        head = self.model.headerData(column, Qt.Orientation.Horizontal)
        cells = [body.horizontalAdvance(row.texts[column]) for row in self.model.rows if not row.failed]
        if column is Column.VARIANT:
            cells = [body.horizontalAdvance(row.texts[column]) + 20 for row in self.model.rows]
        return max([header.horizontalAdvance(str(head)), *cells]) + CELL_MARGIN


def columns_with_room(widths: Mapping[Column, int], room: int) -> set[Column]:
    """The columns that fit into ``room`` pixels, least important ones dropped first."""
    content = set(Column)
    for column in FIRST_HIDDEN:
        if sum(widths[c] for c in content) <= room:
            break
        content.discard(column)
    return content
