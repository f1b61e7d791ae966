"""Panel with the list of all kept runs: reopen, compare, name, pin, export and delete them.

The name of a run is edited in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QAbstractTableModel, QItemSelectionModel, QObject, QPoint, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QIcon,
    QKeySequence,
    QResizeEvent,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QTableView,
    QToolButton,
    QWidget,
)

from gui.controllers.export import ResultsExport
from gui.features.kept_runs.rows import (
    CROSS,
    DELETED,
    HEADS,
    INTERRUPTED,
    TICK,
    RunColumn,
    RunRow,
    deleted_rows,
    run_rows,
)
from gui.features.kept_runs.run_list import RunList
from gui.model.session import Session
from gui.style.forms import STRETCH, fill_panel, row_of, text_field, tool_button
from gui.style.icons import icon
from gui.style.paint import CENTRE, LEFT, RIGHT, bold
from gui.style.tables import NO_INDEX, ModelIndex, RowDelegate, settle_table
from gui.style.text import escape_controls, scaled_px, tool_tip
from gui.style.theme import tokens
from gui.style.widgets import GAP, EmptyState, colour_of, dot_icon, on_scheme_change
from solvers.core.variant import find_variant
from solvers.errors import UnknownName
from solvers.features.kept_runs.store.run_store import RunSummary
from solvers.system.disk_cache import DELETED_KEPT

EMPTY_TEXT = (
    "Every run is kept here, on this machine, until you delete it.\n\n"
    "Press Run, or drop a trials.csv of another machine on the window."
)
NOTHING_FOUND = "No run matches the filter."
_CELL_MARGIN, _DOT_ROOM = 14, 20
# Columns that a narrow list leaves out, least important first; the tooltip of a row has all facts.
_FIRST_HIDDEN = (
    RunColumn.MACHINE,
    RunColumn.VARIANTS,
    RunColumn.ENDS,
    RunColumn.VERIFIED,
    RunColumn.WHEN,
)
_LEAST_NAME_PX = 90
_MOST_PX = {RunColumn.VARIANTS: 220, RunColumn.MACHINE: 150}


class RunsPanel(QWidget):
    """Filter and buttons above the list: runs of the open graph first, newest first; those
    of an experiment below its name, which unfolds. Signals name runs by their ids.
    """

    open_requested = Signal(str)
    compare_requested = Signal(str, str)  # the baseline, and the run compared with it
    pin_requested = Signal(str, bool)
    export_requested = Signal(list)
    file_requested = Signal(object, str)  # a kind of file, and the run
    delete_requested = Signal(list)
    restore_requested = Signal(list)
    import_requested = Signal()
    rename_requested = Signal(str, str)

    def __init__(self, run_list: RunList, session: Session, exports: Sequence[ResultsExport] = ()):
        super().__init__()
        self._runs, self._session, self._exports = run_list, session, exports
        self._unfolded: set[str] = set()  # experiments whose runs are listed
        self.model = RunsModel(self)
        self.model.renamed.connect(self.rename_requested)
        self.filter = text_field(
            "Filter: graph, variant, name, machine", "Filter runs", clearable=True
        )
        self.filter.textChanged.connect(self._follow)
        self.table = self._make_table()
        self.empty = EmptyState(EMPTY_TEXT)
        self.open_button = tool_button(
            "Open", "Show the run: table, charts and path (Enter)", self._open
        )
        self.compare_button = tool_button("Compare", act=self._compare)
        self.pin_button = tool_button("Pin", "Pin the run as the baseline of its graph", self._pin)
        self.export_button = tool_button(
            "Export…", "Write trials.csv and summary.csv of the selected runs", self._export
        )
        self.delete_button = tool_button(
            "Delete", "Delete the selected runs; it can be undone (Del)", self._delete
        )
        self.restore_button = tool_button(
            "Restore", "Bring the selected runs back (Enter)", self._restore
        )
        self.deleted_button = tool_button(
            DELETED, f"Runs that were deleted in the last {DELETED_KEPT.days} days", self._follow
        )
        self.deleted_button.setCheckable(True)
        self.import_button = tool_button(
            "Import…", "Read a trials.csv, for example from another machine", self.import_requested
        )
        self._lay_out()
        for keys, act in (("Return", self._take), ("Enter", self._take), ("Del", self._delete)):
            shortcut = QShortcut(QKeySequence(keys), self.table, act)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
        run_list.changed.connect(self._follow)
        session.graph_changed.connect(self._follow)
        session.results.changed.connect(self._follow_selection)
        on_scheme_change(self.table.viewport().update)
        self._follow()

    @property
    def selected(self) -> tuple[RunSummary, ...]:
        """The selected runs, also those of selected experiments, oldest first: the order in
        which they are compared.
        """
        found: dict[str, RunSummary] = {}
        for row in self._selected_rows:
            found |= {one.run.run_id: one for one in (row.summary, *row.runs) if one is not None}
        return tuple(sorted(found.values(), key=lambda summary: summary.run.started_utc))

    @property
    def _selected_rows(self) -> list[RunRow]:
        return [self.model.rows[i.row()] for i in self.table.selectionModel().selectedRows()]

    def select(self, *keys: str) -> None:
        """Select the rows of these runs and experiments, as far as they are listed."""
        selection = self.table.selectionModel()
        selection.clear()
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        for key in keys:
            if (row := self.model.row_of(key)) >= 0:
                selection.setCurrentIndex(self.model.index(row, 0), flags)

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
        table.clicked.connect(lambda index: self._fold(self.model.rows[index.row()]))
        table.doubleClicked.connect(lambda _: self._take_run())
        table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 8)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setMinimumSectionSize(24)
        table.selectionModel().selectionChanged.connect(self._follow_selection)
        return table

    def _lay_out(self) -> None:
        head = row_of((self.filter, 1), self.import_button, spacing=GAP)
        self._of_kept = (
            self.open_button,
            self.compare_button,
            self.pin_button,
            self.export_button,
            self.delete_button,
        )
        buttons = row_of(*self._of_kept, self.restore_button, STRETCH, spacing=2)
        foot = row_of(self.deleted_button, STRETCH)
        fill_panel(self, head, buttons, (self.empty, 1), (self.table, 1), foot)

    @property
    def _shows_deleted(self) -> bool:
        return self.deleted_button.isChecked()

    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self._shows_deleted:
            _add_button(menu, self.restore_button)
        else:
            self._fill_menu(menu)
        menu.popup(self.table.viewport().mapToGlobal(place))

    def _fill_menu(self, menu: QMenu) -> None:
        for button in (self.open_button, self.compare_button, self.pin_button):
            _add_button(menu, button)
        menu.addAction("Rename", self._rename).setEnabled(self._can_rename)
        menu.addSeparator()
        _add_button(menu, self.export_button)
        for kind in self._exports:
            action = menu.addAction(kind.text, partial(self._export_as, kind))
            action.setEnabled(len(self.selected) == 1)
        _add_button(menu, self.import_button)
        menu.addSeparator()
        _add_button(menu, self.delete_button)

    def _take(self) -> None:
        """As `_take_run`, or list or hide the runs of the experiment."""
        row = self.model.rows[self.table.currentIndex().row()] if self._selected_rows else None
        if row is not None and row.runs:
            self._fold(row)
        else:
            self._take_run()

    def _fold(self, row: RunRow) -> None:
        """List or hide the runs of an experiment, if that is its heading."""
        if row.runs:
            self._unfolded ^= {row.key}
            self._follow()

    def _take_run(self) -> None:
        """Open the run, or restore the deleted ones."""
        if self._shows_deleted:
            self._restore()
        else:
            self._open()

    @property
    def _ids(self) -> list[str]:
        return [summary.run.run_id for summary in self.selected]

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

    @property
    def _can_rename(self) -> bool:
        return [bool(row.run_id) for row in self._selected_rows] == [True]

    def _rename(self) -> None:
        if self._can_rename:
            row = self.model.row_of(self.selected[0].run.run_id)
            self.table.edit(self.model.index(row, RunColumn.NAME))

    def _export(self) -> None:
        if self.selected:
            self.export_requested.emit(self._ids)

    def _export_as(self, kind: ResultsExport) -> None:
        if len(self.selected) == 1:
            self.file_requested.emit(kind, self.selected[0].run.run_id)

    def _delete(self) -> None:
        if self.selected and not self._shows_deleted:
            self.delete_requested.emit(self._ids)

    def _restore(self) -> None:
        if self.selected:
            self.restore_requested.emit(self._ids)

    def _pair(self) -> tuple[str, str] | None:
        """Baseline and run to be compared: the two selected, a pinned one first; or the
        selected and the pinned one.
        """
        chosen = self.selected
        if len(chosen) == 2:
            first, second = sorted(chosen, key=lambda summary: not summary.run.is_baseline)
            return first.run.run_id, second.run.run_id
        if len(chosen) == 1:
            baseline = self._runs.baseline_of(chosen[0].run.graph.sha256)
            if baseline is not None and baseline.run.run_id != chosen[0].run.run_id:
                return baseline.run.run_id, chosen[0].run.run_id
        return None

    def _follow(self) -> None:
        chosen = [row.key for row in self._selected_rows]
        graph = self._session.uncut
        if not self._runs.deleted:
            self.deleted_button.setChecked(False)
        if self._shows_deleted:
            summaries = self._runs.deleted
            rows = deleted_rows(summaries, self.filter.text())
        else:
            summaries = self._runs.summaries
            words, sha256 = self.filter.text(), "" if graph is None else graph.sha256
            rows = run_rows(summaries, sha256, words, None if words.strip() else self._unfolded)
        self.model.show_rows(rows)
        self.deleted_button.setVisible(bool(self._runs.deleted))
        self.restore_button.setVisible(self._shows_deleted)
        for button in self._of_kept:
            button.setVisible(not self._shows_deleted)
        self.table.clearSpans()
        for i, row in enumerate(self.model.rows):
            if row.summary is None:
                self.table.setSpan(i, 0, 1, RunColumn.WHEN if row.runs else len(RunColumn))
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
        for button in (self.export_button, self.delete_button, self.restore_button):
            button.setEnabled(bool(chosen))
        self.compare_button.setEnabled(self._pair() is not None)
        how = "Select two runs, or one run of a graph that has a pinned one"
        tip = (
            "Compare the two runs, variant by variant"
            if len(chosen) == 2
            else "Compare with the pinned run"
        )
        self.compare_button.setToolTip(tool_tip(tip if self.compare_button.isEnabled() else how))

    def showEvent(self, event: QShowEvent) -> None:
        """Other windows may have added runs since the last look."""
        super().showEvent(event)
        self._runs.load()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Give every column the width that its texts need, and hide the least important
        where they do not fit.
        """
        room = self.width() - 2 * GAP - self.table.verticalScrollBar().sizeHint().width()
        widths = {column: self._needed_width(column) for column in RunColumn}
        shown = set(RunColumn)
        for column in _FIRST_HIDDEN:
            if column is RunColumn.WHEN:  # before which names are elided
                widths[RunColumn.NAME] = _LEAST_NAME_PX
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
        one_cell = RunColumn.WHEN  # of headings, which go over the others
        texts = [
            row.texts[column]
            for row in self.model.rows
            if row.summary is not None or (row.runs and column is one_cell)
        ]
        title = str(self.model.headerData(column, Qt.Orientation.Horizontal))
        needed = (
            max([head.horizontalAdvance(title), *map(body.horizontalAdvance, texts)]) + _CELL_MARGIN
        )
        needed += scaled_px(_DOT_ROOM) if column in (RunColumn.NAME, RunColumn.FASTEST) else 0
        return min(needed, _MOST_PX.get(column, needed))


def _add_button(menu: QMenu, button: QToolButton) -> None:
    """Offer in the menu what a button does."""
    menu.addAction(button.text(), button.click).setEnabled(button.isEnabled())


_RIGHT = (RunColumn.FASTEST, RunColumn.WHEN)


class RunsModel(QAbstractTableModel):
    renamed = Signal(str, str)  # id of a run, and its new name

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self.rows: tuple[RunRow, ...] = ()

    def show_rows(self, rows: tuple[RunRow, ...]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def row_of(self, key: str) -> int:
        """Row of a run, or of the heading of an experiment; -1 if it is not listed."""
        return next((i for i, row in enumerate(self.rows) if key and row.key == key), -1)

    def rowCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(RunColumn)

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        row, flags = (
            self.rows[index.row()],
            Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable,
        )
        if row.summary is None:
            return flags if row.runs else Qt.ItemFlag.NoItemFlags
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == RunColumn.NAME else flags

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | Qt.AlignmentFlag | None:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = RunColumn(section)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        text, tip = HEADS[column]
        return {Qt.ItemDataRole.DisplayRole: text, Qt.ItemDataRole.ToolTipRole: tip}.get(
            Qt.ItemDataRole(role)
        )

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = self.rows[index.row()], RunColumn(index.column())
        answers: dict[int, Callable[[], object]] = {
            Qt.ItemDataRole.DisplayRole: lambda: escape_controls(row.texts[column]),
            Qt.ItemDataRole.EditRole: lambda: "" if row.summary is None else row.summary.run.name,
            Qt.ItemDataRole.DecorationRole: lambda: self._decoration(row, column),
            Qt.ItemDataRole.TextAlignmentRole: lambda: _alignment(column),
            Qt.ItemDataRole.ForegroundRole: lambda: _foreground(row, column),
            Qt.ItemDataRole.FontRole: lambda: _font(row, column),
            Qt.ItemDataRole.ToolTipRole: lambda: tool_tip(row.tip),
        }
        return answers[role]() if role in answers else None

    def setData(
        self,
        index: ModelIndex,
        value: object,
        role: int = Qt.ItemDataRole.EditRole,
    ) -> bool:
        row = self.rows[index.row()]
        if role != Qt.ItemDataRole.EditRole or row.summary is None:
            return False
        name = " ".join(str(value).split())
        if name != row.summary.run.name:
            self.renamed.emit(row.run_id, name)
        return True

    def _decoration(self, row: RunRow, column: RunColumn) -> QIcon | None:
        summary = row.summary
        if summary is None:
            return None
        if column is RunColumn.NAME and summary.run.is_baseline:
            return icon("pin", tokens().accent)
        if column is RunColumn.FASTEST and summary.fastest is not None:
            return _dot(summary.fastest.variant)
        return None


def _dot(variant_id: str) -> QIcon | None:
    """The dot of a variant; None for one that this version does not know."""
    try:
        return dot_icon(colour_of(find_variant(variant_id)))
    except UnknownName:
        return None


def _alignment(column: RunColumn) -> Qt.AlignmentFlag:
    if column is RunColumn.VERIFIED:
        return CENTRE
    return RIGHT if column in _RIGHT else LEFT


def _foreground(row: RunRow, column: RunColumn) -> QColor | None:
    t = tokens()
    if row.summary is None:
        return QColor(t.muted)
    if column is RunColumn.VERIFIED:
        return QColor(
            {TICK: t.good, CROSS: t.bad, INTERRUPTED: t.warning}.get(row.texts[column], t.muted)
        )
    return (
        None if column in (RunColumn.NAME, RunColumn.FASTEST, RunColumn.ENDS) else QColor(t.muted)
    )


def _font(row: RunRow, column: RunColumn) -> QFont | None:
    if row.summary is None or (column is RunColumn.NAME and row.summary.run.name):
        return bold(QFont())
    return None
