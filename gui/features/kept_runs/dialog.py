"""Comparison of two kept runs: what differed between them, and the ratio of times of every variant.

Lines of the comparison are in words; the ratio of two times is painted with its
interval.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QGridLayout,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from gui.features.kept_runs.rows import title_of
from gui.style.forms import (
    Standard,
    WrappedLabel,
    add_action,
    button_box,
    choice_box,
    fill_dialog,
    row_of,
)
from gui.style.paint import CENTRE, LEFT, RIGHT, bold, fill_with, smoothly
from gui.style.tables import ModelIndex, RowDelegate, settle_table
from gui.style.text import TimeUnit, column_unit, escape_controls, in_unit, ratio_tick, tool_tip
from gui.style.theme import tokens
from gui.style.widgets import Heading, QuietLabel, clear_layout, keep_styled, mute
from solvers.core.result_view import NOTHING, ResultView, interval_of_ratio
from solvers.core.samples import Ratio
from solvers.features.kept_runs.comparison import VariantComparison, circumstances, compare
from solvers.running.kept_run import KeptRun
from solvers.text import format_ratio, long_time, plural
from solvers.ticks import log_ticks

PHASES = (("Total time", "total"), ("Solve time", "solve"))
_VARIANT, _FIRST, _SECOND, _RATIO, _INTERVAL, _BAR, _OUTCOME = range(7)
_SIZE = (900, 520)
_METHOD = (
    "Ratio: median of the second run divided by that of the first; below 1 the second is faster. "
    "The bar is its 95 % confidence interval (Price and Bonett 2002) where both runs have "
    "five undisturbed trials or more, else the widened one of the help page “How times are "
    "measured”. Whatever else differed between the two runs, "
    "such as other load on the machine, is part of the ratio."
)

_VERDICTS = ("faster", "slower", "no difference shown", "uncertain", "not comparable")

# a ratio or None, the span of the axis to either side of 1, and a colour
RATIO_ROLE = Qt.ItemDataRole.UserRole
LEAST_SPAN = math.log(1.25)
_ROUND_LABEL, _TICK_GAP = 100.0, 8.0  # a label that is as wide as most, and pixels between two
_BAR_PX, _BAR_MARGIN = 190, 14


class CompareRunsDialog(QDialog):
    """Circumstances of both runs, the first of which is the baseline, above a table
    with one row a variant.
    """

    def __init__(self, first: KeptRun, second: KeptRun, parent: QWidget | None = None):
        super().__init__(parent)
        self._first, self._second = first, second
        self.rows: tuple[ComparisonRow, ...] = ()
        self.setWindowTitle("Compare runs")
        self.resize(*_SIZE)
        self.summary = Heading(1.15)
        self.phase = choice_box(PHASES, "Time")
        self.phase.currentIndexChanged.connect(self._fill)
        self._facts = QGridLayout()
        self._facts.setHorizontalSpacing(18)
        self._facts.setVerticalSpacing(3)
        self._facts.setColumnStretch(1, 1)
        self._facts.setColumnStretch(2, 1)
        self._heads = RatioHeader()
        self.table = self._make_table()
        self.buttons = button_box(self, Standard.Close)
        add_action(self.buttons, "Copy", self.copy)
        add_action(self.buttons, "Swap", self.swap)
        head = row_of((self.summary, 1), self.phase)
        head.setAlignment(self.phase, Qt.AlignmentFlag.AlignTop)
        fill_dialog(self, head, self._facts, (self.table, 1), QuietLabel(_METHOD), self.buttons)
        keep_styled(self._fill)

    def swap(self) -> None:
        """Make the second run the baseline."""
        self._first, self._second = self._second, self._first
        self._fill()

    def copy(self) -> None:
        """Copy the comparison to the clipboard as tab-separated values, in milliseconds."""
        QGuiApplication.clipboard().setText(self.as_tsv())

    def as_tsv(self) -> str:
        lines = [
            (fact.what, fact.first, fact.second)
            for fact in circumstances(self._first, self._second)
        ]
        lines = [("", _heading(self._first), _heading(self._second)), *lines]
        figures = [
            (
                "variant",
                "first_median_ms",
                "second_median_ms",
                "ratio",
                "ci_low",
                "ci_high",
                "outcome",
            )
        ]
        for row in self.rows:
            ratio = (
                (None,) * 3
                if row.ratio is None
                else (row.ratio.value, row.ratio.low, row.ratio.high)
            )
            numbers = ("" if n is None else f"{n:.9g}" for n in (row.first, row.second, *ratio))
            figures.append((row.title, *numbers, row.outcome))  # type: ignore[arg-type]
        return (
            "\n".join("\t".join(map(escape_controls, line)) for line in (*lines, *figures)) + "\n"
        )

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, _OUTCOME + 1)
        table.setHorizontalHeader(self._heads)
        settle_table(table, "Comparison")
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setItemDelegate(RowDelegate(table))
        table.setItemDelegateForColumn(_BAR, RatioDelegate(table))
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_OUTCOME, QHeaderView.ResizeMode.Stretch)
        return table

    def _fill(self) -> None:
        phase = str(self.phase.currentData())
        self.rows = tuple(
            ComparisonRow.of(row, phase) for row in compare(self._first, self._second, phase)
        )
        self.summary.setText(summary_of(self.rows))
        self._fill_facts()
        self._fill_table()

    def _fill_facts(self) -> None:
        clear_layout(self._facts)
        lines = [("", _heading(self._first), _heading(self._second), False)]
        lines += [
            (f.what, f.first, f.second, f.differs) for f in circumstances(self._first, self._second)
        ]
        for i, (what, first, second, differs) in enumerate(lines):
            name = QuietLabel(what)
            name.setWordWrap(False)
            self._facts.addWidget(name, i, 0)
            for j, words in enumerate((first, second), start=1):
                label = WrappedLabel(words, selectable=True)
                if differs or i == 0:
                    label.setFont(bold(label.font()))
                else:
                    mute(label)
                self._facts.addWidget(label, i, j)

    def _fill_table(self) -> None:
        unit = column_unit(
            [ms for row in self.rows for ms in (row.first, row.second) if ms is not None]
        )
        heads = (
            "Variant",
            f"First, {unit.name}",
            f"Second, {unit.name}",
            "Ratio",
            "Interval" if any(map(_is_widened, self.rows)) else "95 % interval",
            "",
            "",
        )
        self.table.setHorizontalHeaderLabels(heads)
        self.table.setRowCount(len(self.rows))
        span = max(LEAST_SPAN, *(reach(row.ratio) for row in self.rows), 0.0)
        self._heads.show_span(span)
        for i, row in enumerate(self.rows):
            for column, words in enumerate(_cells(row, unit)):
                item = QTableWidgetItem(escape_controls(words))
                item.setToolTip(tool_tip(row.tip))
                item.setTextAlignment(LEFT if column in (_VARIANT, _OUTCOME) else RIGHT)
                if column == _OUTCOME:
                    item.setForeground(QColor(row.colour))
                if column == _BAR:
                    item.setData(RATIO_ROLE, (row.ratio, span, row.colour))
                self.table.setItem(i, column, item)


def _heading(run: KeptRun) -> str:
    return (
        f"{run.name}, {long_time(run.started_utc)}"
        if run.name
        else f"Run of {long_time(run.started_utc)}"
    )


def _cells(row: ComparisonRow, unit: TimeUnit) -> tuple[str, ...]:
    ratio, interval = row.ratio, NOTHING
    if ratio is not None:
        interval = interval_of_ratio(ratio) + (", widened" if _is_widened(row) else "")
    return (
        row.title,
        *(NOTHING if ms is None else in_unit(ms, unit) for ms in (row.first, row.second)),
        NOTHING if ratio is None else format_ratio(ratio.value),
        interval,
        "",
        row.outcome,
    )


def _is_widened(row: ComparisonRow) -> bool:
    """Whether the interval of its ratio is wider than that of 95 %."""
    return row.ratio is not None and bool(row.ratio.doubts)


@dataclass(frozen=True)
class ComparisonRow:
    title: str
    first: float | None  # median in ms
    second: float | None
    ratio: Ratio | None
    verdict: str
    # "1.32× faster", "no difference shown", or why neither is certain; then what
    # differs
    outcome: str
    tip: str  # what disturbed the times, a line each; the outcome if nothing did

    @classmethod
    def of(cls, compared: VariantComparison, phase: str) -> ComparisonRow:
        first, second = (
            None if v is None else v.median(phase) for v in (compared.first, compared.second)
        )
        verdict, outcome = compared.verdict, "; ".join((compared.outcome, *compared.differences))
        ratio, title = compared.ratio, title_of(compared.variant)
        return cls(title, first, second, ratio, verdict, outcome, _tip(compared) or outcome)

    @property
    def colour(self) -> str:
        t = tokens()
        return {"faster": t.good, "slower": t.bad}.get(self.verdict, t.muted)


def _tip(compared: VariantComparison) -> str:
    return "\n".join(
        f"{name}: {disturbance.words}"
        for name, variant in (("First", compared.first), ("Second", compared.second))
        if variant is not None
        for disturbance in ResultView(variant).disturbances
    )


def summary_of(rows: tuple[ComparisonRow, ...]) -> str:
    """``"3 variants in both runs: 2 faster, 1 uncertain."``"""
    counts = Counter(row.verdict for row in rows if row.verdict)
    if not counts:
        return "The two runs have no variant with times in common."
    parts = [f"{counts[words]} {words}" for words in _VERDICTS if counts[words]]
    return f"{plural(counts.total(), 'variant')} in both runs: {', '.join(parts)}."


def reach(ratio: Ratio | None) -> float:
    """How far, on a logarithmic scale, the ratio and its interval reach from 1."""
    if ratio is None:
        return 0.0
    return max(abs(math.log(end)) for end in (ratio.value, ratio.low, ratio.high))


def ratio_ticks(span: float, width: float, metrics: QFontMetrics) -> list[tuple[float, str]]:
    """Places and labels of an axis of ratios with 1 in its middle.

    Parameters
    ----------
    span : float
        From 1 to either end, as a natural logarithm.
    width : float
        Pixels from end to end.
    metrics : QFontMetrics
        Of the labels.

    Returns
    -------
    list of (float, str)
        Pixels from the left end; some labels may reach half their width beyond the ends.
    """
    end = span / math.log(10.0)
    label_px = max(metrics.horizontalAdvance(ratio_tick(1 / _ROUND_LABEL)), 1)
    labelled, _ = log_ticks(-end, end, 2 * end * (label_px + _TICK_GAP) / width)
    places = [tick for tick in labelled if abs(tick) > 1e-9]
    apart = 2 * end * label_px / width
    shown = [0.0, *(tick for tick in places if abs(tick) >= apart)]
    return [(width / 2 * (1 + tick / end), ratio_tick(10.0**tick)) for tick in sorted(shown)]


class RatioHeader(QHeaderView):
    """Heads of the columns; that of the intervals is their axis."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._span = LEAST_SPAN

    def show_span(self, span: float) -> None:
        """Show an axis from 1 to either end of ``span``, a natural logarithm."""
        self._span = span
        self.viewport().update()

    def paintSection(self, painter: QPainter, rect: QRect, column: int) -> None:
        painter.save()
        super().paintSection(painter, rect, column)
        painter.restore()
        if column != _BAR:
            return
        area = rect.adjusted(_BAR_MARGIN, 0, -_BAR_MARGIN, 0)
        painter.setPen(QColor(tokens().muted))
        for place, words in ratio_ticks(self._span, area.width(), self.fontMetrics()):
            x = area.left() + place
            painter.drawLine(QLineF(x, rect.bottom() - 3, x, rect.bottom()))
            wide = self.fontMetrics().horizontalAdvance(words) + 2
            box = QRectF(x - wide / 2, rect.top(), wide, rect.height() - 3)
            painter.drawText(box, CENTRE, words)


class RatioDelegate(QStyledItemDelegate):
    """Draws a ratio as a dot with its interval on a logarithmic scale around 1, which
    is a vertical line.
    """

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        return QSize(_BAR_PX, option.fontMetrics.height() + 8)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: ModelIndex,
    ) -> None:
        ratio, span, colour = index.data(RATIO_ROLE)
        t = tokens()
        area = QRectF(option.rect).adjusted(_BAR_MARGIN, 3, -_BAR_MARGIN, -3)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, QColor(t.selection))
        with smoothly(painter):
            for place, _ in ratio_ticks(span, area.width(), option.fontMetrics):
                is_one = abs(place - area.width() / 2) < 0.5
                painter.setPen(
                    QPen(QColor(t.muted), 1, Qt.PenStyle.DashLine) if is_one else QColor(t.grid)
                )
                x = area.left() + place
                painter.drawLine(QLineF(x, option.rect.top(), x, option.rect.bottom() + 1))
            if ratio is not None:
                self._draw(painter, area, ratio, span, QColor(colour))

    @staticmethod
    def _draw(painter: QPainter, area: QRectF, ratio: Ratio, span: float, colour: QColor) -> None:
        def x_of(value: float) -> float:
            return area.center().x() + math.log(value) / span * area.width() / 2

        y = area.center().y()
        painter.setPen(QPen(colour, 2))
        painter.drawLine(QLineF(x_of(ratio.low), y, x_of(ratio.high), y))
        for end in (ratio.low, ratio.high):
            painter.drawLine(QLineF(x_of(end), y - 4, x_of(end), y + 4))
        fill_with(painter, colour)
        painter.drawEllipse(QPointF(x_of(ratio.value), y), 4, 4)
