"""Panel with the list of all kept runs: reopen, compare, name, pin, export and delete them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QItemSelectionModel, QPoint, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QMenu,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.model.run_list import RunList
from gui.model.session import Session
from gui.panels.runs_model import RunsModel
from gui.panels.runs_rows import RunColumn
from gui.style.common_widgets import GAP, EmptyState, on_scheme_change, soften_selection
from gui.style.row_delegate import RowDelegate
from gui.style.tables import settle_table
from solvers.running.store.run_store import RunSummary

EMPTY_TEXT = (
    "Every run is kept here, on this machine, until you delete it.\n\n"
    "Press Run, or drop a trials.csv of another machine on the window."
)
NOTHING_FOUND = "No run matches the filter."
_CELL_MARGIN, _DOT_ROOM = 14, 20
# Columns that a narrow list leaves out, least important first; the tooltip of a row has all facts.
_FIRST_HIDDEN = (RunColumn.MACHINE, RunColumn.VARIANTS, RunColumn.WHEN, RunColumn.VERIFIED, RunColumn.ENDS)
_LEAST_NAME_PX = 90
_MOST_PX = {RunColumn.VARIANTS: 220, RunColumn.MACHINE: 150}


class RunsPanel(QWidget):
    """Filter and buttons above the list: runs of the open graph first, newest first.

    Parameters
    ----------
    run_list : RunList
    session : Session

    Signals
    -------
    open_requested(str)
        Id of a run that is to be shown.
    compare_requested(str, str)
        Ids of the baseline and of the run compared with it.
    pin_requested(str, bool)
    export_requested(list), delete_requested(list)
        Ids of runs.
    import_requested()
    rename_requested(str, str)
        Id and new name.
    """

    open_requested = Signal(str)
    compare_requested = Signal(str, str)
    pin_requested = Signal(str, bool)
    export_requested = Signal(list)
    delete_requested = Signal(list)
    import_requested = Signal()
    rename_requested = Signal(str, str)

    def __init__(self, run_list: RunList, session: Session, parent: QWidget | None = None):
        super().__init__(parent)
        self._runs, self._session = run_list, session
        self.model = RunsModel(self)
        self.model.renamed.connect(self.rename_requested)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter: graph, variant, name, machine")
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._follow)
        self.table = self._make_table()
        self.empty = EmptyState(EMPTY_TEXT)
        self.open_button = _button("Open", "Show the run: table, charts and path (Enter)", self._open)
        self.compare_button = _button("Compare", "", self._compare)
        self.pin_button = _button("Pin", "Pin the run as the baseline of its graph", self._pin)
        self.export_button = _button("Export…", "Write trials.csv and summary.csv of the selected runs", self._export)
        self.delete_button = _button("Delete", "Delete the selected runs; it can be undone (Del)", self._delete)
        self.import_button = _button("Import…", "Read a trials.csv, for example of another machine", self._import)
        self._lay_out()
        for keys, act in (("Return", self._open), ("Enter", self._open), ("Del", self._delete)):
            shortcut = QShortcut(QKeySequence(keys), self.table, act)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
        run_list.changed.connect(self._follow)
        session.graph_changed.connect(self._follow)
        session.results_changed.connect(self._follow_selection)
        on_scheme_change(self._restyle)
        self._restyle()
        self._follow()

    @property
    def selected(self) -> tuple[RunSummary, ...]:
        """The selected runs, oldest first: the order in which they are compared."""
        indexes = self.table.selectionModel().selectedRows()
        found = [summary for index in indexes if (summary := self.model.rows[index.row()].summary) is not None]
        return tuple(sorted(found, key=lambda summary: summary.run.started_utc))

    def select(self, *run_ids: str) -> None:
        """Select these runs, as far as they are listed."""
        selection = self.table.selectionModel()
        selection.clear()
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        for run_id in run_ids:
            if (row := self.model.row_of(run_id)) >= 0:
                selection.setCurrentIndex(self.model.index(row, 0), flags)

    # -- building ----------------------------------------------------------------------------------------------------

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self.model)
        table.setItemDelegate(RowDelegate(table))
        settle_table(table, "Runs")
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        table.setWordWrap(False)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._show_menu)
        table.doubleClicked.connect(lambda _: self._open())
        table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 8)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setMinimumSectionSize(24)
        table.selectionModel().selectionChanged.connect(self._follow_selection)
        return table

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(GAP)
        head.addWidget(self.filter, 1)
        head.addWidget(self.import_button)
        buttons = QHBoxLayout()
        buttons.setSpacing(2)
        for button in (
            self.open_button, self.compare_button, self.pin_button, self.export_button, self.delete_button,
        ):  # fmt: skip
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP, GAP, GAP, GAP)
        column.setSpacing(GAP)
        column.addLayout(head)
        column.addLayout(buttons)
        column.addWidget(self.empty, 1)
        column.addWidget(self.table, 1)

    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for button, act in (
            (self.open_button, self._open), (self.compare_button, self._compare), (self.pin_button, self._pin),
        ):  # fmt: skip
            menu.addAction(button.text(), act).setEnabled(button.isEnabled())
        menu.addAction("Rename", self._rename).setEnabled(len(self.selected) == 1)
        menu.addSeparator()
        menu.addAction("Export…", self._export).setEnabled(self.export_button.isEnabled())
        menu.addAction("Import…", self._import)
        menu.addSeparator()
        menu.addAction("Delete", self._delete).setEnabled(self.delete_button.isEnabled())
        menu.popup(self.table.viewport().mapToGlobal(place))

    # -- from the user -----------------------------------------------------------------------------------------------

    def _open(self) -> None:
        if len(self.selected) == 1:
            self.open_requested.emit(self.selected[0].run.run_id)

    def _compare(self) -> None:
        if (pair := self._pair()) is not None:
            self.compare_requested.emit(*pair)

    def _pin(self) -> None:
        if len(self.selected) == 1:
            run = self.selected[0].run
            self.pin_requested.emit(run.run_id, not run.is_baseline)

    def _rename(self) -> None:
        if len(self.selected) == 1:
            row = self.model.row_of(self.selected[0].run.run_id)
            self.table.edit(self.model.index(row, RunColumn.NAME))

    def _export(self) -> None:
        if self.selected:
            self.export_requested.emit([summary.run.run_id for summary in self.selected])

    def _delete(self) -> None:
        if self.selected:
            self.delete_requested.emit([summary.run.run_id for summary in self.selected])

    def _import(self) -> None:
        self.import_requested.emit()

    def _pair(self) -> tuple[str, str] | None:
        """Baseline and run to be compared: the two selected, a pinned one first; or the selected and the pinned one."""
        chosen = self.selected
        if len(chosen) == 2:
            first, second = sorted(chosen, key=lambda summary: not summary.run.is_baseline)
            return first.run.run_id, second.run.run_id
        if len(chosen) == 1:
            baseline = self._runs.baseline_of(chosen[0].run.graph.sha256)
            if baseline is not None and baseline.run.run_id != chosen[0].run.run_id:
                return baseline.run.run_id, chosen[0].run.run_id
        return None

    # -- from the list -----------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        chosen = [summary.run.run_id for summary in self.selected]
        graph = self._session.graph
        summaries = self._runs.summaries
        self.model.show_runs(summaries, "" if graph is None else graph.sha256, self.filter.text())
        self.table.clearSpans()
        for i, row in enumerate(self.model.rows):
            if row.summary is None:
                self.table.setSpan(i, 0, 1, len(RunColumn))
        listed = bool(self.model.rows)
        self.table.setVisible(listed)
        self.empty.setVisible(not listed)
        self.empty.setText(NOTHING_FOUND if summaries else EMPTY_TEXT)
        self.filter.setVisible(bool(summaries))
        self.select(*chosen)
        self._fit_columns()
        self._follow_selection()

    def _follow_selection(self) -> None:
        chosen = self.selected
        one = len(chosen) == 1
        self.open_button.setEnabled(one)
        self.pin_button.setEnabled(one)
        self.pin_button.setText("Unpin" if one and chosen[0].run.is_baseline else "Pin")
        for button in (self.export_button, self.delete_button):
            button.setEnabled(bool(chosen))
        self.compare_button.setEnabled(self._pair() is not None)
        how = "Select two runs, or one run of a graph that has a pinned one"
        tip = "Compare the two runs, variant by variant" if len(chosen) == 2 else "Compare with the pinned run"
        self.compare_button.setToolTip(tip if self.compare_button.isEnabled() else how)

    # -- looks -------------------------------------------------------------------------------------------------------

    def _restyle(self) -> None:
        soften_selection(self.table)
        self.table.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Give every column the width that its texts need, and hide the least important where they do not fit."""
        room = self.width() - 2 * GAP - self.table.verticalScrollBar().sizeHint().width()
        widths = {column: self._needed_width(column) for column in RunColumn}
        shown = set(RunColumn)
        for column in _FIRST_HIDDEN:
            if sum(widths[c] for c in shown) <= room:
                break
            shown.discard(column)
        others = sum(widths[c] for c in shown if c is not RunColumn.NAME)
        widths[RunColumn.NAME] = max(_LEAST_NAME_PX, room - others)
        for column in RunColumn:
            self.table.setColumnHidden(column, column not in shown)
            self.table.setColumnWidth(column, widths[column])

    def _needed_width(self, column: RunColumn) -> int:
        body, head = self.table.fontMetrics(), QFontMetrics(self.table.horizontalHeader().font())
        texts = [row.texts[column] for row in self.model.rows if row.summary is not None]
        title = str(self.model.headerData(column, Qt.Orientation.Horizontal))
        needed = max([head.horizontalAdvance(title), *map(body.horizontalAdvance, texts)]) + _CELL_MARGIN
        needed += _DOT_ROOM if column in (RunColumn.NAME, RunColumn.FASTEST) else 0
        return min(needed, _MOST_PX.get(column, needed))


def _button(text: str, tip: str, act: Callable[[], None]) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAutoRaise(True)
    button.clicked.connect(act)
    return button
