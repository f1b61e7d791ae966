"""Table model of the list of runs; the name of a run is edited in place."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QFont, QIcon

from gui.panels.runs_rows import CROSS, HEADS, INTERRUPTED, TICK, RunColumn, RunRow, run_rows
from gui.style.common_widgets import colour_of, dot_icon
from gui.style.icons import icon
from gui.style.plain_text import tool_tip, visible
from gui.style.theme import tokens
from solvers.core.variant import find_variant
from solvers.errors import UnknownName
from solvers.running.store.run_store import RunSummary

_RIGHT = (RunColumn.FASTEST, RunColumn.WHEN)


class RunsModel(QAbstractTableModel):
    """Headings and runs.

    Signals
    -------
    renamed(str, str)
        Id of a run, and the name that the user gave it.
    """

    renamed = Signal(str, str)

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._rows: tuple[RunRow, ...] = ()
        self._pin: tuple[bool, QIcon] | None = None
        self._dots: dict[str, QIcon] = {}

    @property
    def rows(self) -> tuple[RunRow, ...]:
        return self._rows

    def show_runs(self, summaries: tuple[RunSummary, ...], graph_sha256: str, words: str) -> None:
        self.beginResetModel()
        self._rows = run_rows(summaries, graph_sha256, words)
        self.endResetModel()

    def row_of(self, run_id: str) -> int:
        """Row of a run; -1 if it is not listed."""
        return next((i for i, row in enumerate(self._rows) if run_id and row.run_id == run_id), -1)

    # -- Qt's side ---------------------------------------------------------------------------------------------------

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(RunColumn)

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        if self._rows[index.row()].summary is None:
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
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
        return {Qt.ItemDataRole.DisplayRole: text, Qt.ItemDataRole.ToolTipRole: tip}.get(Qt.ItemDataRole(role))

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = self._rows[index.row()], RunColumn(index.column())
        answers: dict[int, Callable[[], object]] = {
            Qt.ItemDataRole.DisplayRole: lambda: visible(row.texts[column]),
            Qt.ItemDataRole.EditRole: lambda: "" if row.summary is None else row.summary.run.name,
            Qt.ItemDataRole.DecorationRole: lambda: self._decoration(row, column),
            Qt.ItemDataRole.TextAlignmentRole: lambda: _alignment(column),
            Qt.ItemDataRole.ForegroundRole: lambda: _foreground(row, column),
            Qt.ItemDataRole.FontRole: lambda: _font(row, column),
            Qt.ItemDataRole.ToolTipRole: lambda: tool_tip(row.tip),
        }
        return answers[role]() if role in answers else None

    def setData(
        self, index: QModelIndex | QPersistentModelIndex, value: object, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        row = self._rows[index.row()]
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
            return self._pin_icon()
        if column is RunColumn.FASTEST and summary.fastest is not None:
            return self._dot(summary.fastest.variant)
        return None

    def _pin_icon(self) -> QIcon:
        dark = tokens().dark
        if self._pin is None or self._pin[0] != dark:
            self._pin = dark, icon("pin", tokens().accent)
        return self._pin[1]

    def _dot(self, variant_id: str) -> QIcon | None:
        """The dot of a variant, cached by colour; None for one that this version does not know."""
        try:
            colour = colour_of(find_variant(variant_id))
        except UnknownName:
            return None
        return self._dots.setdefault(colour.name(), dot_icon(colour))


def _alignment(column: RunColumn) -> Qt.AlignmentFlag:
    if column is RunColumn.VERIFIED:
        side = Qt.AlignmentFlag.AlignHCenter
    else:
        side = Qt.AlignmentFlag.AlignRight if column in _RIGHT else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _foreground(row: RunRow, column: RunColumn) -> QColor | None:
    t = tokens()
    if row.summary is None:
        return QColor(t.muted)
    if column is RunColumn.VERIFIED:
        return QColor({TICK: t.good, CROSS: t.bad, INTERRUPTED: t.warning}.get(row.texts[column], t.muted))
    return None if column in (RunColumn.NAME, RunColumn.FASTEST, RunColumn.ENDS) else QColor(t.muted)


def _font(row: RunRow, column: RunColumn) -> QFont | None:
    if row.summary is None or (column is RunColumn.NAME and row.summary.run.name):
        font = QFont()
        font.setWeight(QFont.Weight.DemiBold)
        return font
    return None
