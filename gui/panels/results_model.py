"""Table model of the results: rows in the chosen order, for display and for the clipboard."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QIcon

from gui.model.display_choices import DisplayChoices
from gui.model.session import Session
from gui.panels.results_delegate import ROW_ROLE
from gui.panels.results_rows import (
    CROSS,
    SAMPLED,
    TICK,
    Column,
    ResultRow,
    RowState,
    describe,
    in_order,
    make_rows,
    speed_up,
    trust_text,
    verdict_text,
)
from gui.style.common_widgets import colour_of, dot_icon
from gui.style.icons import icon
from gui.style.names import short_title
from gui.style.numbers import TimeUnit, column_unit
from gui.style.plain_text import tool_tip
from gui.style.theme import tokens
from solvers.core.result import Result
from solvers.core.variant import Variant
from solvers.text import format_ratio


class ResultsModel(QAbstractTableModel):
    """Results in order of arrival or sorted by a column; each column uses one unit."""

    def __init__(self, choices: DisplayChoices, parent: QObject | None = None):
        super().__init__(parent)
        self._choices = choices
        self._arrived: tuple[ResultRow, ...] = ()
        self._rows: tuple[ResultRow, ...] = ()
        self._unit = column_unit([])
        self._baseline: Result | None = None
        self._sorted_by, self._descending = -1, False
        self._short_names = False
        self._short_heads = False
        self._dots: dict[str, QIcon] = {}

    @property
    def rows(self) -> tuple[ResultRow, ...]:
        return self._rows

    @property
    def unit(self) -> TimeUnit:
        """Unit of all times."""
        return self._unit

    def show(self, session: Session) -> bool:
        """Replace all rows (tens at most); False if all are as before."""
        phase = self._choices.phase
        medians = [ms for r in session.results if (ms := r.median(phase)) is not None]
        unit, baseline = self._choices.unit(medians), session.baseline
        rows = make_rows(
            session.results,
            baseline,
            phase,
            unit,
            session.run_state.queued,
            session.run_state.running_variant,
            session.run_state.live_trials,
        )
        if (rows, unit) == (self._arrived, self._unit) and baseline is self._baseline:
            return False
        self.beginResetModel()
        self._arrived, self._unit, self._baseline = rows, unit, baseline
        self._rows = in_order(self._arrived, self._sorted_by, self._descending)
        self.endResetModel()
        return True

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1 restores the order of arrival."""
        self.beginResetModel()
        self._sorted_by, self._descending = column, order is Qt.SortOrder.DescendingOrder
        self._rows = in_order(self._arrived, column, self._descending)
        self.endResetModel()

    def use_short_names(self, short: bool) -> None:
        """Show names with the algorithm's initials."""
        if short != self._short_names:
            self._short_names = short
            if self._rows:
                self.dataChanged.emit(self.index(0, Column.VARIANT), self.index(len(self._rows) - 1, Column.VARIANT))

    def use_short_heads(self, short: bool) -> None:
        """Head the figures with their units alone."""
        if short != self._short_heads:
            self._short_heads = short
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, Column.MEDIAN, Column.SPEED_UP)

    def name_of(self, row: ResultRow, *, short: bool | None = None) -> str:
        """The name as shown or, with ``short``, in one of its two forms."""
        is_short = self._short_names if short is None else short
        return f"{short_title(row.variant) if is_short else row.variant.full_title}{_remark(row.result)}"

    def row_of(self, variant_id: str | None) -> int:
        """Row of a variant; -1 if it has none."""
        return next((i for i, row in enumerate(self._rows) if row.variant.id == variant_id), -1)

    def as_tsv(self) -> str:
        """The rows as shown, as tab-separated values: full precision, milliseconds, no thousands separators."""
        phase = self._choices.phase
        head = f"variant title median_{phase}_ms min_ms max_ms speed_up iterations relaxations status verified"
        lines = [head.split(), *(self._tsv_line(row.result) for row in self._rows if row.result is not None)]
        return "\n".join("\t".join(line) for line in lines) + "\n"

    def _tsv_line(self, result: Result) -> list[str]:
        phase = self._choices.phase
        times = result.times(phase)
        numbers = (
            result.median(phase), min(times, default=None), max(times, default=None),
            speed_up(result, self._baseline, phase), result.iterations, result.relaxations,
        )  # fmt: skip
        verified = "not_run" if result.verdict is None else result.verdict.answer
        figures = ["" if number is None else f"{number:.9g}" for number in numbers[:4]]
        counts = ["" if number is None else str(number) for number in numbers[4:]]
        title = f"{result.variant.full_title}{_remark(result)}"
        return [result.variant.id, title, *figures, *counts, result.status.value, verified]

    def dot(self, variant: Variant) -> QIcon:
        """A variant's dot in the current scheme; cached, since views ask for it at every paint."""
        colour = colour_of(variant)
        if colour.name() not in self._dots:
            self._dots[colour.name()] = dot_icon(colour)
        return self._dots[colour.name()]

    # -- Qt's side ---------------------------------------------------------------------------------------------------

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | Qt.AlignmentFlag | None:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = Column(section)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        phase, unit, scale = self._choices.phase, self._unit.name, "log" if self._choices.is_log else "linear"
        heads = {
            Column.VARIANT: ("Variant", "Algorithm and variant, with its colour in the charts"),
            Column.BAR: (f"Time, {scale}", f"Median {phase} time, with minimum and maximum, on a {scale} scale"),
            Column.MEDIAN: (f"Median, {unit}", f"Median {phase} time of the timed trials"),
            Column.SPEED_UP: ("Speed-up", "Speed-up over the baseline"),
            Column.VERIFIED: ("OK", "Whether the independent check confirmed every distance, or those of sampled rows"),
            Column.RANGE: (f"Min–max, {unit}", "Fastest and slowest timed trial; sorts by their difference"),
            Column.ITERATIONS: ("Iterations", "Passes, rounds or steps of the timed runs, as the variant counts them"),
            Column.RELAXATIONS: ("Arcs relaxed", "Arcs relaxed (matrix cells for Floyd-Warshall)"),
        }
        text, tip = heads[column]
        if self._short_heads:
            text = {Column.MEDIAN: unit, Column.SPEED_UP: "×"}.get(column, text)
        return text if role == Qt.ItemDataRole.DisplayRole else f"{tip}. Click to sort"

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self._rows[index.row()]
        if role == ROW_ROLE:
            return row
        answer = _ANSWERS.get(role)
        return None if answer is None else answer(self, row, Column(index.column()))

    def _decoration(self, row: ResultRow, column: Column) -> QIcon | None:
        if column is Column.MEDIAN and row.is_disturbed and row.state is not RowState.RUNNING:
            return self._warning()
        return self.dot(row.variant) if column is Column.VARIANT else None

    def _warning(self) -> QIcon:
        colour = tokens().warning
        if colour not in self._dots:
            self._dots[colour] = icon("warning", colour)
        return self._dots[colour]

    def _display(self, row: ResultRow, column: Column) -> str:
        if column is Column.VARIANT:
            return self.name_of(row)
        return row.outcome if row.outcome and column is Column.BAR else row.texts[column]

    def _spoken(self, row: ResultRow, column: Column) -> str:
        if column is Column.VERIFIED and row.result is not None:
            return verdict_text(row.result)
        if column is Column.MEDIAN and row.is_disturbed:
            return f"{self._display(row, column)}, disturbed"
        return self.name_of(row, short=False) if column is Column.VARIANT else self._display(row, column)

    def _tip(self, row: ResultRow, _: Column) -> str:
        """Tooltip with all figures of a row, including hidden columns."""
        lines = [f"{self.name_of(row, short=False)} ({row.variant.id})"]
        if row.state is not RowState.DONE:
            earlier = " The figures are those of the run before." if row.state is RowState.QUEUED and row.result else ""
            lines.append(f"{row.state.value.capitalize()}.{earlier}")
        if row.result is not None:
            up = speed_up(row.result, self._baseline, self._choices.phase)
            lines += [] if up is None else [f"{format_ratio(up)} as fast as the baseline"]
            lines.append(describe(row.result, self._choices.phase))
            lines.append(trust_text(row.result, self._choices.phase))
        return tool_tip("\n".join(filter(None, lines)))


# A table asks for some ten roles of every cell at every paint.
_ANSWERS: dict[int, Callable[[ResultsModel, ResultRow, Column], object]] = {
    Qt.ItemDataRole.DisplayRole: ResultsModel._display,
    Qt.ItemDataRole.DecorationRole: ResultsModel._decoration,
    Qt.ItemDataRole.TextAlignmentRole: lambda _, row, column: _alignment(column, bool(row.outcome)),
    Qt.ItemDataRole.ForegroundRole: lambda _, row, column: _foreground(row, column),
    Qt.ItemDataRole.ToolTipRole: ResultsModel._tip,
    Qt.ItemDataRole.AccessibleTextRole: ResultsModel._spoken,
}


def _remark(result: Result | None) -> str:
    """What the name says of a result whose graph stayed on the device; "" for others."""
    return " (warm graph)" if result is not None and result.has_warm_graph else ""


def _alignment(column: Column, failed: bool = False) -> Qt.AlignmentFlag:
    if column in (Column.VARIANT, Column.BAR) or failed:
        side = Qt.AlignmentFlag.AlignLeft
    else:
        side = Qt.AlignmentFlag.AlignHCenter if column is Column.VERIFIED else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter


def _foreground(row: ResultRow, column: Column) -> QColor | None:
    t = tokens()
    if row.state is not RowState.DONE:
        return QColor(t.muted)
    if row.outcome and column is Column.BAR:
        return QColor(t.muted if row.is_refused else t.bad)
    if column is Column.VERIFIED:
        return QColor({TICK: t.good, SAMPLED: t.warning, CROSS: t.bad}.get(row.texts[column], t.muted))
    return None
