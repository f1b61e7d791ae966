"""Table model of the results: texts of each column, for display and for the clipboard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QIcon

from gui.style.common_widgets import colour_of, display_titles, dot_icon
from gui.style.numbers import TimeUnit, align_decimals, column_unit, in_unit
from gui.style.plain_text import tool_tip
from gui.style.theme import tokens
from gui.style.tokens import Tokens
from solvers.contracts.catalog import Algorithm, Variant
from solvers.contracts.results import Result, Status
from solvers.text import format_count, format_duration, format_ratio, plural

NOTHING = "—"
TICK, CROSS, SAMPLED = "✓", "✗", "sampled"

STATUS_WORDS = {
    Status.CANCELLED: "cancelled",
    Status.SKIPPED: "skipped",
    Status.OUT_OF_MEMORY: "out of memory",
    Status.NEGATIVE_CYCLE: "negative cycle",
    Status.ERROR: "failed",
}


class Column(IntEnum):
    VARIANT = 0
    MEDIAN = 1
    SPEED_UP = 2
    VERIFIED = 3
    RANGE = 4
    ITERATIONS = 5
    RELAXATIONS = 6


@dataclass(frozen=True)
class ResultRow:
    """One result, formatted for display.

    Attributes
    ----------
    result : Result
    texts : tuple of str
        One per `Column`, padded so that decimal points align.
    failed : str
        "" or the status of a failed run, shown in place of the numbers.
    """

    result: Result
    texts: tuple[str, ...]
    failed: str


def speed_up(result: Result, baseline: Result | None, phase: str) -> float | None:
    """Ratio of the baseline's median time to the result's; None if either has no times."""
    own = result.median(phase)
    other = baseline.median(phase) if baseline is not None else None
    return other / own if own and other is not None else None


def verdict_mark(result: Result) -> str:
    """A tick if all was verified, "sampled" if some rows were, a cross, or a dash if the result was not verified."""
    if result.verdict is None:
        return NOTHING
    if not result.verdict.verified:
        return CROSS
    return SAMPLED if result.verdict.sampled else TICK


def verdict_text(result: Result) -> str:
    if result.verdict is None:
        return "not verified" if result.status is Status.OK else ""
    words = result.verdict.text.rstrip(".")
    words = words[:1].lower() + words[1:]
    if result.verdict.verified:
        return f"{result.verdict.answer if result.verdict.sampled else 'verified'}: {words}"
    return f"wrong at {plural(result.verdict.wrong_vertices, 'entry', 'entries')}: {words}"


def describe(result: Result, phase: str) -> str:
    """All table figures of one result, in one or two sentences."""
    if result.status is not Status.OK:
        return result.error or STATUS_WORDS[result.status]
    times = result.times(phase)
    facts = []
    if times:
        facts.append(f"{format_duration(min(times))} to {format_duration(max(times))} in {plural(len(times), 'trial')}")
    if result.iterations is not None:
        facts.append(plural(result.iterations, "iteration"))
    if result.relaxations is not None:
        matrix = result.variant.algorithm is Algorithm.FLOYD_WARSHALL
        facts.append(f"{format_count(result.relaxations)} {'cells' if matrix else 'arcs'} relaxed")
    return ", ".join(facts) + ("; " if facts else "") + verdict_text(result) + "."


class ResultsModel(QAbstractTableModel):
    """Results in order of arrival; each column uses one unit."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._rows: tuple[ResultRow, ...] = ()
        self._titles: dict[str, str] = {}
        self._unit = column_unit([])
        self._baseline: Result | None = None
        self._phase = "total"
        self._dots: dict[str, QIcon] = {}

    @property
    def rows(self) -> tuple[ResultRow, ...]:
        return self._rows

    def show_results(self, results: tuple[Result, ...], baseline: Result | None, phase: str) -> None:
        """Replace all rows (tens at most)."""
        self.beginResetModel()
        self._phase, self._baseline = phase, baseline
        self._titles = display_titles(r.variant for r in results)
        self._unit = column_unit([ms for r in results if (ms := r.median(phase)) is not None])
        self._rows = _make_rows(results, baseline, phase, self._unit, self._titles)
        self.endResetModel()

    def row_of(self, variant_id: str | None) -> int:
        """Row of a variant; -1 if it has none."""
        return next((i for i, row in enumerate(self._rows) if row.result.variant.id == variant_id), -1)

    def as_tsv(self) -> str:
        """The table as tab-separated values: full precision, milliseconds, no thousands separators."""
        head = f"variant title median_{self._phase}_ms min_ms max_ms speed_up iterations relaxations status verified"
        lines = [head.split(), *(self._tsv_line(row.result) for row in self._rows)]
        return "\n".join("\t".join(line) for line in lines) + "\n"

    def _tsv_line(self, result: Result) -> list[str]:
        times = result.times(self._phase)
        numbers = (
            result.median(self._phase), min(times, default=None), max(times, default=None),
            speed_up(result, self._baseline, self._phase), result.iterations, result.relaxations,
        )  # fmt: skip
        verified = "not_run" if result.verdict is None else result.verdict.answer
        figures = ["" if number is None else f"{number:.9g}" for number in numbers[:4]]
        counts = ["" if number is None else str(number) for number in numbers[4:]]
        return [result.variant.id, self._titles[result.variant.id], *figures, *counts, result.status.value, verified]

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
        heads = {
            Column.VARIANT: ("variant", "Variant, with its colour in the charts"),
            Column.MEDIAN: (f"median, {self._unit.name}", f"Median {self._phase} time of the timed trials"),
            Column.SPEED_UP: ("speed-up", "Speed-up over the baseline"),
            Column.VERIFIED: ("ok", "Whether the independent check confirmed every distance, or those of sampled rows"),
            Column.RANGE: (f"min–max, {self._unit.name}", "Fastest and slowest timed trial"),
            Column.ITERATIONS: ("iterations", "Passes, rounds or steps, as the variant counts them"),
            Column.RELAXATIONS: ("arcs relaxed", "Arcs relaxed (matrix cells for Floyd-Warshall)"),
        }
        text, tip = heads[column]
        return {Qt.ItemDataRole.DisplayRole: text, Qt.ItemDataRole.ToolTipRole: tip}.get(Qt.ItemDataRole(role))

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = self._rows[index.row()], Column(index.column())
        answers: dict[int, Callable[[], object]] = {
            Qt.ItemDataRole.DisplayRole: lambda: _display(row, column),
            Qt.ItemDataRole.DecorationRole: lambda: self.dot(row.result.variant) if column is Column.VARIANT else None,
            Qt.ItemDataRole.TextAlignmentRole: lambda: _alignment(column, bool(row.failed)),
            Qt.ItemDataRole.ForegroundRole: lambda: _foreground(row, column, tokens()),
            Qt.ItemDataRole.ToolTipRole: lambda: self._tip(row),
            Qt.ItemDataRole.AccessibleTextRole: lambda: _spoken(row, column),
        }
        return answers[role]() if role in answers else None

    def _tip(self, row: ResultRow) -> str:
        """Tooltip with all figures of a row, including hidden columns."""
        up = speed_up(row.result, self._baseline, self._phase)
        ratio = "" if up is None else f"{format_ratio(up)} as fast as the baseline\n"
        head = f"{row.texts[Column.VARIANT]} ({row.result.variant.id})"
        return tool_tip(f"{head}\n{ratio}{describe(row.result, self._phase)}")


def _make_rows(
    results: tuple[Result, ...], baseline: Result | None, phase: str, unit: TimeUnit, titles: dict[str, str]
) -> tuple[ResultRow, ...]:
    medians, ups, ranges = [], [], []
    for result in results:
        median, times, up = result.median(phase), result.times(phase), speed_up(result, baseline, phase)
        medians.append(NOTHING if median is None else in_unit(median, unit))
        ups.append(NOTHING if up is None else format_ratio(up).removesuffix("×"))
        ranges.append(f"{in_unit(min(times), unit)}–{in_unit(max(times), unit)}" if times else NOTHING)
    medians = align_decimals(medians)
    ups = align_decimals(ups, "×")
    return tuple(
        ResultRow(
            result,
            (
                titles[result.variant.id], median, up, verdict_mark(result), times,
                _count(result.iterations), _count(result.relaxations),
            ),
            STATUS_WORDS.get(result.status, ""),
        )
        for result, median, up, times in zip(results, medians, ups, ranges, strict=True)
    )  # fmt: skip


def _count(count: int | None) -> str:
    return NOTHING if count is None else format_count(count)


def _display(row: ResultRow, column: Column) -> str:
    if row.failed and column is Column.MEDIAN:
        return row.failed
    return row.texts[column]


def _alignment(column: Column, failed: bool = False) -> Qt.AlignmentFlag:
    if column is Column.VARIANT or (failed and column is Column.MEDIAN):
        side = Qt.AlignmentFlag.AlignLeft
    else:
        side = Qt.AlignmentFlag.AlignHCenter if column is Column.VERIFIED else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter


def _foreground(row: ResultRow, column: Column, t: Tokens) -> QColor | None:
    if row.failed and column is Column.MEDIAN:
        return QColor(t.bad)
    if column is Column.VERIFIED:
        return QColor({TICK: t.good, SAMPLED: t.warning, CROSS: t.bad}.get(row.texts[column], t.muted))
    return None


def _spoken(row: ResultRow, column: Column) -> str:
    return verdict_text(row.result) if column is Column.VERIFIED else _display(row, column)
