"""Comparison of two kept runs: what differed between them, and the ratio of times of every variant."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui.dialogs.buttons import button_box
from gui.dialogs.comparison_rows import ComparisonRow, summary_of
from gui.dialogs.ratio_delegate import LEAST_SPAN, RATIO_ROLE, RatioDelegate, outcome_colour, reach
from gui.panels.runs_rows import long_time
from gui.style.common_widgets import PlainLabel, QuietLabel, on_scheme_change, soften_selection
from gui.style.numbers import TimeUnit, column_unit, in_unit
from gui.style.plain_text import tool_tip, visible
from gui.style.row_delegate import RowDelegate
from gui.style.tables import settle_table
from solvers.running.comparison import circumstances, compare
from solvers.running.store.kept_run import KeptRun
from solvers.text import format_ratio

PHASES = (("Total time", "total"), ("Solve time", "solve"))
NOTHING = "—"
_VARIANT, _FIRST, _SECOND, _RATIO, _INTERVAL, _BAR, _OUTCOME = range(7)
_SIZE = (900, 520)
_METHOD = (
    "Ratio: median of the second run divided by that of the first; below 1 the second is faster. The bar is its 95 % "
    "confidence interval (Price and Bonett 2002), which needs five trials of each run. Whatever else differed between "
    "the two runs, such as other load on the machine, is part of the ratio."
)


class CompareRunsDialog(QDialog):
    """Circumstances of both runs side by side, above a table with one row a variant.

    Parameters
    ----------
    first, second : KeptRun
        The baseline, and the run compared with it.
    """

    def __init__(self, first: KeptRun, second: KeptRun, parent: QWidget | None = None):
        super().__init__(parent)
        self._first, self._second = first, second
        self.rows: tuple[ComparisonRow, ...] = ()
        self.setWindowTitle("Compare runs")
        self.resize(*_SIZE)
        self.summary = PlainLabel()
        font = QFont(self.summary.font())
        font.setPointSizeF(font.pointSizeF() * 1.15)
        font.setWeight(QFont.Weight.DemiBold)
        self.summary.setFont(font)
        self.summary.setWordWrap(True)
        self.phase = QComboBox()
        self.phase.setAccessibleName("Time")
        for words, phase in PHASES:
            self.phase.addItem(words, phase)
        self.phase.currentIndexChanged.connect(self._fill)
        self._facts = QGridLayout()
        self._facts.setHorizontalSpacing(18)
        self._facts.setVerticalSpacing(3)
        self._facts.setColumnStretch(1, 1)
        self._facts.setColumnStretch(2, 1)
        self.table = self._make_table()
        self.buttons = button_box(self, QDialogButtonBox.StandardButton.Close)
        for words, act in (("Copy", self.copy), ("Swap", self.swap)):
            button = self.buttons.addButton(words, QDialogButtonBox.ButtonRole.ActionRole)
            button.clicked.connect(act)
        self._lay_out()
        on_scheme_change(self._fill)
        self._fill()

    def swap(self) -> None:
        """Make the second run the baseline."""
        self._first, self._second = self._second, self._first
        self._fill()

    def copy(self) -> None:
        """Copy the comparison to the clipboard as tab-separated values, in milliseconds."""
        QGuiApplication.clipboard().setText(self.as_tsv())

    def as_tsv(self) -> str:
        lines = [(fact.what, fact.first, fact.second) for fact in circumstances(self._first, self._second)]
        lines = [("", _heading(self._first), _heading(self._second)), *lines]
        figures = [("variant", "first_median_ms", "second_median_ms", "ratio", "ci_low", "ci_high", "outcome")]
        for row in self.rows:
            ratio = (None,) * 3 if row.ratio is None else (row.ratio.value, row.ratio.low, row.ratio.high)
            numbers = ("" if n is None else f"{n:.9g}" for n in (row.first, row.second, *ratio))
            figures.append((row.title, *numbers, row.outcome))  # type: ignore[arg-type]
        return "\n".join("\t".join(map(visible, line)) for line in (*lines, *figures)) + "\n"

    # -- building ----------------------------------------------------------------------------------------------------

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, _OUTCOME + 1)
        settle_table(table, "Comparison")
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setItemDelegate(RowDelegate(table))
        table.setItemDelegateForColumn(_BAR, RatioDelegate(table))
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_OUTCOME, QHeaderView.ResizeMode.Stretch)
        return table

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self.summary, 1)
        head.addWidget(self.phase, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 12)
        column.setSpacing(10)
        column.addLayout(head)
        column.addLayout(self._facts)
        column.addWidget(self.table, 1)
        column.addWidget(QuietLabel(_METHOD))
        column.addWidget(self.buttons)

    # -- content -----------------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        phase = str(self.phase.currentData())
        self.rows = tuple(ComparisonRow.of(row, phase) for row in compare(self._first, self._second, phase))
        self.summary.setText(summary_of(self.rows))
        soften_selection(self.table)
        self._fill_facts()
        self._fill_table()

    def _fill_facts(self) -> None:
        while (item := self._facts.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        lines = [("", _heading(self._first), _heading(self._second), False)]
        lines += [(f.what, f.first, f.second, f.differs) for f in circumstances(self._first, self._second)]
        for i, (what, first, second, differs) in enumerate(lines):
            name = QuietLabel(what)
            name.setWordWrap(False)
            self._facts.addWidget(name, i, 0)
            for j, words in enumerate((first, second), start=1):
                label = PlainLabel(words)
                label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                label.setWordWrap(True)
                font = QFont(label.font())
                font.setWeight(QFont.Weight.DemiBold if differs or i == 0 else QFont.Weight.Normal)
                label.setFont(font)
                if not differs and i:
                    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
                self._facts.addWidget(label, i, j)

    def _fill_table(self) -> None:
        unit = column_unit([ms for row in self.rows for ms in (row.first, row.second) if ms is not None])
        heads = ("Variant", f"First, {unit.name}", f"Second, {unit.name}", "Ratio", "95 % interval", "", "")
        self.table.setHorizontalHeaderLabels(heads)
        self.table.setRowCount(len(self.rows))
        span = max((reach(row.ratio) for row in self.rows), default=0.0)
        for i, row in enumerate(self.rows):
            for column, words in enumerate(_cells(row, unit)):
                item = QTableWidgetItem(visible(words))
                item.setToolTip(tool_tip(row.tip))
                left = column in (_VARIANT, _OUTCOME)
                side = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight
                item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
                if column == _OUTCOME:
                    item.setForeground(QColor(outcome_colour(row.ratio)))
                if column == _BAR:
                    item.setData(RATIO_ROLE, (row.ratio, max(span, LEAST_SPAN)))
                self.table.setItem(i, column, item)


def _heading(run: KeptRun) -> str:
    return f"{run.name}, {long_time(run.started_utc)}" if run.name else f"Run of {long_time(run.started_utc)}"


def _cells(row: ComparisonRow, unit: TimeUnit) -> tuple[str, ...]:
    ratio, interval = row.ratio, NOTHING
    if ratio is not None and ratio.low is not None and ratio.high is not None:
        interval = f"{format_ratio(ratio.low)} – {format_ratio(ratio.high)}"
    return (
        row.title,
        *(NOTHING if ms is None else in_unit(ms, unit) for ms in (row.first, row.second)),
        NOTHING if ratio is None else format_ratio(ratio.value),
        interval,
        "",
        row.outcome,
    )
