"""Table model of the results, and the painting of two of its columns.

Rows are in the chosen order, for display and for the clipboard. Painted are the name,
with its algorithm in a quieter colour, and the bar of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QAbstractTableModel, QLineF, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui.model.session import Session
from gui.model.settings import DisplayChoices
from gui.panels.results_rows import (
    CROSS,
    SAMPLED,
    TICK,
    Column,
    ResultRow,
    RowState,
    TimeBar,
    describe,
    in_order,
    make_rows,
    trust_text,
)
from gui.style.icons import icon
from gui.style.paint import CENTRE, LEFT, RIGHT, faded, smoothly
from gui.style.tables import NO_INDEX, ModelIndex
from gui.style.text import column_unit, fitting_text, scaled_px, short_title, tool_tip
from gui.style.theme import tokens
from gui.style.widgets import colour_of, dot_icon
from solvers.core.result import Result
from solvers.core.result_view import ResultView, interval_of_ratio, speed_up
from solvers.core.samples import Ratio
from solvers.core.variant import Variant
from solvers.picture.charts.table import Axis, span_of
from solvers.text import format_ratio

ROW_ROLE = Qt.ItemDataRole.UserRole  # a row of the model as a `ResultRow`
_MARGIN = 5
_NAME_LEFT = 24  # after the dot
_BAR_SHARE = 0.42  # of the row's height
_WHISKER_SHARE = 0.3
_FAINT, _WAITING = 0.38, 0.4


class ResultsModel(QAbstractTableModel):
    """Results in order of arrival or sorted by a column; each column uses one unit."""

    def __init__(self, choices: DisplayChoices, parent: QObject):
        super().__init__(parent)
        self._choices = choices
        self._arrived: tuple[ResultRow, ...] = ()
        self.rows: tuple[ResultRow, ...] = ()
        self.unit = column_unit([])
        self._baseline: Result | None = None
        self._sorted_by, self._descending = -1, False
        self._short_names = False
        self._short_heads = False
        self._dots: dict[str, QIcon] = {}

    def show(self, session: Session) -> bool:
        """Replace all rows (tens at most); False if all are as before."""
        phase = self._choices.phase
        medians = [ms for r in session.results.all if (ms := r.median(phase)) is not None]
        unit, baseline = self._choices.unit(medians), session.results.baseline
        rows = make_rows(
            session.results.all,
            baseline,
            phase,
            unit,
            session.results.run_state.queued,
            session.results.run_state.running_variant,
            session.results.run_state.live_trials,
        )
        if (rows, unit) == (self._arrived, self.unit) and baseline is self._baseline:
            return False
        self.beginResetModel()
        self._arrived, self.unit, self._baseline = rows, unit, baseline
        self.rows = in_order(self._arrived, self._sorted_by, self._descending)
        self.endResetModel()
        return True

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1 restores the order of arrival."""
        self.beginResetModel()
        self._sorted_by, self._descending = column, order is Qt.SortOrder.DescendingOrder
        self.rows = in_order(self._arrived, column, self._descending)
        self.endResetModel()

    def use_short_names(self, short: bool) -> None:
        """Show names with the algorithm's initials."""
        if short != self._short_names:
            self._short_names = short
            if self.rows:
                self.dataChanged.emit(
                    self.index(0, Column.VARIANT), self.index(len(self.rows) - 1, Column.VARIANT)
                )

    def use_short_heads(self, short: bool) -> None:
        """Head the figures with their units alone, and the bars without their scale."""
        if short != self._short_heads:
            self._short_heads = short
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(Column) - 1)

    def name_of(self, row: ResultRow, *, short: bool | None = None) -> str:
        """The name as shown or, with ``short``, in one of its two forms."""
        is_short = self._short_names if short is None else short
        title = short_title(row.variant) if is_short else row.variant.full_title
        return f"{title}{_remark(row)}"

    def row_of(self, variant_id: str | None) -> int:
        """Row of a variant; -1 if it has none."""
        return next((i for i, row in enumerate(self.rows) if row.variant.id == variant_id), -1)

    def as_tsv(self) -> str:
        """The rows as shown, as tab-separated values: full precision, milliseconds, no
        thousands separators.
        """
        phase = self._choices.phase
        head = (
            f"variant title median_{phase}_ms min_ms max_ms speed_up iterations "
            "relaxations status verified"
        )
        lines = [
            head.split(),
            *(self._tsv_line(row, row.result) for row in self.rows if row.result is not None),
        ]
        return "\n".join("\t".join(line) for line in lines) + "\n"

    def _tsv_line(self, row: ResultRow, result: Result) -> list[str]:
        phase = self._choices.phase
        times, up = result.times(phase), speed_up(result, self._baseline, phase)
        numbers = (
            result.median(phase),
            min(times, default=None),
            max(times, default=None),
            None if up is None else up.value,
            result.iterations,
            result.relaxations,
        )
        verified = "not_run" if result.verdict is None else result.verdict.answer
        figures = ["" if number is None else f"{number:.9g}" for number in numbers[:4]]
        counts = ["" if number is None else str(number) for number in numbers[4:]]
        title = f"{result.variant.full_title}{_remark(row)}"
        return [result.variant.id, title, *figures, *counts, result.status.value, verified]

    def dot(self, variant: Variant) -> QIcon:
        """A variant's dot in the current scheme; cached, since views ask for it at every paint."""
        colour = colour_of(variant)
        if colour.name() not in self._dots:
            self._dots[colour.name()] = dot_icon(colour)
        return self._dots[colour.name()]

    def rowCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: ModelIndex = NO_INDEX) -> int:
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
        phase, unit, scale = (
            self._choices.phase,
            self.unit.name,
            "log" if self._choices.is_log else "linear",
        )
        heads = {
            Column.VARIANT: ("Variant", "Algorithm and variant, with its colour in the charts"),
            Column.BAR: (
                f"Time ({scale})",
                f"Median {phase} time, with minimum and maximum, on a {scale} scale",
            ),
            Column.MEDIAN: (f"Median, {unit}", f"Median {phase} time of the timed trials"),
            Column.SPEED_UP: ("Speed-up", "Speed-up over the baseline"),
            Column.VERIFIED: (
                "OK",
                "Whether the independent check confirmed every distance, or those of sampled rows",
            ),
            Column.RANGE: (
                f"Min–max, {unit}",
                "Fastest and slowest timed trial; sorts by their difference",
            ),
            Column.ITERATIONS: (
                "Iterations",
                "Passes, rounds or steps of the timed runs, as the variant counts them",
            ),
            Column.RELAXATIONS: ("Arcs relaxed", "Arcs relaxed (matrix cells for Floyd-Warshall)"),
        }
        text, tip = heads[column]
        if self._short_heads:
            short = {Column.BAR: "Time", Column.MEDIAN: unit, Column.SPEED_UP: "×"}
            text = short.get(column, text)
        return text if role == Qt.ItemDataRole.DisplayRole else f"{tip}. Click to sort"

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
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
        return row.outcome if row.outcome and column is Column.BAR else self.text_of(row, column)

    def text_of(self, row: ResultRow, column: Column) -> str:
        """A figure as shown: below short heads without the spaces that align decimal
        points, which names need more.
        """
        return row.texts[column].strip() if self._short_heads else row.texts[column]

    def _spoken(self, row: ResultRow, column: Column) -> str:
        if column is Column.VERIFIED and row.result is not None:
            return ResultView(row.result).proof_text
        if column is Column.MEDIAN and row.is_disturbed:
            return f"{self._display(row, column)}, disturbed"
        return (
            self.name_of(row, short=False)
            if column is Column.VARIANT
            else self._display(row, column)
        )

    def _tip(self, row: ResultRow, _: Column) -> str:
        """Tooltip with all figures of a row, including hidden columns."""
        lines = [f"{self.name_of(row, short=False)} ({row.variant.id})"]
        if row.state is not RowState.DONE:
            earlier = (
                " The figures are those of the run before."
                if row.state is RowState.QUEUED and row.result
                else ""
            )
            lines.append(f"{row.state.value.capitalize()}.{earlier}")
        if row.result is not None:
            up = speed_up(row.result, self._baseline, self._choices.phase)
            lines += _compared(up)
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


def _compared(up: Ratio | None) -> list[str]:
    """How fast a row is beside the baseline, with the interval; nothing for the baseline."""
    if up is None or up.low == up.high:
        return []
    doubts = "".join(f"; {words}" for words in up.doubts)
    return [f"{format_ratio(up.value)} as fast as the baseline ({interval_of_ratio(up)}{doubts})"]


def _remark(row: ResultRow) -> str:
    """What the name says besides: what was chosen, a warm graph, an earlier run."""
    if row.result is None:
        return ""
    return ResultView(row.result).remark("earlier run" if row.is_older else "")


def _alignment(column: Column, failed: bool = False) -> Qt.AlignmentFlag:
    if column in (Column.VARIANT, Column.BAR) or failed:
        return LEFT
    return CENTRE if column is Column.VERIFIED else RIGHT


def _foreground(row: ResultRow, column: Column) -> QColor | None:
    t = tokens()
    if row.state is not RowState.DONE or row.is_older:
        return QColor(t.muted)
    if row.outcome and column is Column.BAR:
        return QColor(t.muted if row.is_refused else t.bad)
    if column is Column.VERIFIED:
        return QColor(
            {TICK: t.good, SAMPLED: t.warning, CROSS: t.bad}.get(row.texts[column], t.muted)
        )
    return None


def _titles(variant: Variant) -> tuple[str, ...]:
    return tuple(filter(None, (variant.title, variant.short_title)))


class ResultsDelegate(QStyledItemDelegate):
    """Paints bars on an axis that all rows share."""

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._axis = Axis("", span=(0.0, 1.0))

    def fit_axis(self, bars: Iterable[TimeBar | None], is_log: bool) -> None:
        ends = [ms for bar in bars if bar is not None for ms in (bar.low, bar.high) if ms > 0]
        self._axis = Axis("", is_log, span=span_of(ends, is_log=is_log))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: ModelIndex,
    ) -> None:
        column, row = index.column(), index.data(ROW_ROLE)
        if column == Column.BAR and row.bar is not None and not row.outcome:
            self._paint_background(painter, option)
            self._paint_bar(painter, QRectF(option.rect), row)
        elif column == Column.VARIANT and isinstance(row, ResultRow):
            super().paint(painter, option, index)
            self._paint_name(painter, option, index)
        else:
            super().paint(painter, option, index)

    @staticmethod
    def _paint_background(painter: QPainter, option: QStyleOptionViewItem) -> None:
        style = option.widget.style()
        style.drawPrimitive(
            QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget
        )

    def bar_places(self, bar: TimeBar, cell: QRectF) -> tuple[float, float, float]:
        """Horizontal pixels of minimum, median and maximum in a cell."""
        assert self._axis.span is not None
        low, high = map(self._axis.place, self._axis.span)
        width = cell.width() - 2 * _MARGIN
        shares = [
            (self._axis.place(ms) - low) / ((high - low) or 1.0)
            for ms in (bar.low, bar.median, bar.high)
        ]
        first, middle, last = (
            cell.left() + _MARGIN + min(1.0, max(0.0, share)) * width for share in shares
        )
        return first, middle, last

    def _paint_bar(self, painter: QPainter, cell: QRectF, row: ResultRow) -> None:
        assert row.bar is not None
        low, median, high = self.bar_places(row.bar, cell)
        colour = colour_of(row.variant)
        if row.state is RowState.QUEUED:
            colour.setAlphaF(_WAITING)
        faint = faded(colour, _FAINT * colour.alphaF())
        y, half = cell.center().y(), cell.height() * _BAR_SHARE / 2
        with smoothly(painter):
            painter.fillRect(
                QRectF(cell.left() + _MARGIN, y - half, median - cell.left() - _MARGIN, 2 * half),
                faint,
            )
            painter.setPen(QPen(faded(tokens().text, 0.75 * colour.alphaF()), 1.2))
            reach = cell.height() * _WHISKER_SHARE / 2
            if high > low:
                painter.drawLine(QLineF(low, y, high, y))
                for end in (low, high):
                    painter.drawLine(QLineF(end, y - reach, end, y + reach))
            painter.setPen(QPen(colour, 2.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            painter.drawLine(QLineF(median, y - half, median, y + half))

    @staticmethod
    def _paint_name(painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        """Paint the algorithm in the muted colour and the variant's title in that of text."""
        row, name = index.data(ROW_ROLE), str(index.data())
        metrics = option.fontMetrics
        space = QRectF(option.rect).adjusted(scaled_px(_NAME_LEFT), 0, -_MARGIN, 0)
        line = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, int(space.width()))
        head = next(
            (name[: name.rfind(title)] for title in _titles(row.variant) if title in name), ""
        )
        muted, text = QColor(tokens().muted), QColor(tokens().text)
        painter.save()
        painter.setFont(option.font)
        flags = LEFT | Qt.TextFlag.TextSingleLine
        quiet = line[: len(head)] if line.startswith(head) else ""
        painter.setPen(muted)
        painter.drawText(space, flags, quiet)
        painter.setPen(text if row.state is RowState.DONE else muted)
        painter.drawText(
            space.adjusted(metrics.horizontalAdvance(quiet), 0, 0, 0), flags, line[len(quiet) :]
        )
        painter.restore()

    def initStyleOption(self, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        super().initStyleOption(option, index)
        colour = index.data(Qt.ItemDataRole.ForegroundRole)
        if isinstance(colour, QColor):  # in the selected row too
            option.palette.setColor(QPalette.ColorRole.HighlightedText, colour)
        if index.column() == Column.BAR and index.data(ROW_ROLE).outcome:
            option.textElideMode = Qt.TextElideMode.ElideRight
            room = option.rect.width() - 2 * _MARGIN
            forms = index.data(ROW_ROLE).forms_of_outcome
            option.text = fitting_text(forms, option.fontMetrics, room, option.textElideMode)
        elif index.column() == Column.VARIANT:
            option.text = ""
