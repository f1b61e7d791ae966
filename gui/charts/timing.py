"""Timing and phases charts.

Timing: a faint dot per trial, a strong dot at the median, its interval, a whisker from
minimum to maximum; the dot of a disturbed result is hollow. Phases: one stacked bar per
variant with the time of each phase.
"""

from __future__ import annotations

from itertools import accumulate

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QResizeEvent

from gui.charts.chart import RowChart
from gui.charts.row_figure import (
    PHASE_WORDS,
    PHASES,
    PhaseRow,
    RowFigure,
    RowMarks,
    TimingRow,
    phase_rows,
    timing_rows,
    with_live_row,
)
from gui.charts.scales import Scale, durations, ratios
from gui.model.session import Session
from gui.model.settings import (
    PHASE,
    PHASES_QUANTITY,
    SCALE,
    SHARES,
    SPEED_UP,
    TIMES,
    TIMING_QUANTITY,
    DisplayChoices,
)
from gui.style.text import TimeUnit, align_decimals, duration_tick, in_unit
from gui.style.theme import variant_colour
from solvers.core.variant import find_variant
from solvers.picture.colours import Tokens
from solvers.text import plural

INTERVAL_PX = 5.0
LOW_PX = 200  # height of the view below which the legend names only the quantity


class TimingMarks(RowMarks):
    """Dots and whiskers; for speed-ups also a line at 1×."""

    rows: tuple[TimingRow, ...]

    def __init__(self, figure: RowFigure, rows: tuple[TimingRow, ...], scale: Scale):
        super().__init__(figure, rows)
        self.value_scale = scale

    def median_pixel(self, row: int) -> QPointF:
        """Centre of a row's median dot, in pixels of the view box."""
        return self.to_pixel(self.value_scale.place(self.rows[row].median), row)

    def paint_marks(self, painter: QPainter) -> None:
        super().paint_marks(painter)
        if self.rows and self.rows[0].is_ratio:
            x = self.to_pixel(self.value_scale.place(1.0), 0).x()
            painter.setPen(QPen(QColor(self.figure.t.text), 1.2, Qt.PenStyle.DashLine))
            painter.drawLine(
                QPointF(x, self.boundingRect().top()), QPointF(x, self.boundingRect().bottom())
            )

    def paint_row(self, painter: QPainter, row: int) -> None:
        entry, t = self.rows[row], self.figure.t
        strong = entry.variant_id == self.selected
        colour = QColor(variant_colour(entry.variant_id, t.dark))
        y = self.median_pixel(row).y()
        left, right = (
            self.to_pixel(self.value_scale.place(v), row).x() for v in (entry.low, entry.high)
        )
        painter.setPen(QPen(colour, 2.5 if strong else 1.6))
        painter.drawLine(QPointF(left, y), QPointF(right, y))
        for end in (left, right):
            painter.drawLine(QPointF(end, y - 4), QPointF(end, y + 4))
        painter.setPen(Qt.PenStyle.NoPen)
        faint = QColor(colour)
        faint.setAlphaF(0.4)
        painter.setBrush(faint)
        for sample in entry.samples:
            painter.drawEllipse(self.to_pixel(self.value_scale.place(sample), row), 3.2, 3.2)
        if entry.interval is not None:
            ends = [
                QPointF(self.to_pixel(self.value_scale.place(value), row).x(), y)
                for value in entry.interval
            ]
            painter.setPen(QPen(colour, INTERVAL_PX, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            painter.drawLine(*ends)
        radius = 6.5 if strong else 5.0
        if entry.disturbances:
            painter.setPen(QPen(colour, 2.0))
            painter.setBrush(QColor(t.panel))
            radius -= 0.5
        else:
            painter.setPen(QPen(QColor(t.panel), 1.2))
            painter.setBrush(colour)
        painter.drawEllipse(self.median_pixel(row), radius, radius)


class TimingChart(RowChart):
    """Times or speed-ups over the baseline, for total or solve time, on a linear or
    logarithmic axis.
    """

    title = "Timing"
    empty_text = "Run variants to see their times here, one row per variant."

    def __init__(self, session: Session, choices: DisplayChoices | None = None):
        super().__init__(session, choices)
        self.quantity = self.add_switch(
            TIMING_QUANTITY, "Quantity shown: times, or speed-up over the baseline"
        )
        self.phase = self.add_switch(
            PHASE, "Time shown: total includes preparation and copies, solve is the algorithm alone"
        )
        self.scale = self.add_switch(
            SCALE, "Logarithmic or linear axis, also of the bars in the table"
        )
        self._shown: tuple[TimingRow, ...] = ()
        session.results.run_state_changed.connect(self._follow_run)
        self.refresh()

    def _follow_run(self) -> None:
        """Show new trials of the variant being run."""
        if self.rows() != self._shown:
            self.follow()

    def refresh(self) -> None:
        """Rebuild the figure; where the chart is low, rows come before the meaning of the marks."""
        super().refresh()
        self._fit_legend()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_legend()

    def _fit_legend(self) -> None:
        if self.figure is not None:
            self.figure.legend.shorten(self.view.height() < LOW_PX)

    def rows(self) -> tuple[TimingRow, ...]:
        is_ratio, phase, baseline = (
            self.choices[TIMING_QUANTITY] == SPEED_UP,
            self.choices.phase,
            self.session.results.baseline,
        )
        rows = timing_rows(self.session.results.all, phase, baseline, speed_up=is_ratio)
        running = self.session.results.run_state.running_variant
        reference = baseline.median(phase) if baseline is not None and is_ratio else None
        if running is None or (is_ratio and not reference):
            return rows
        return with_live_row(
            rows,
            find_variant(running),
            self.session.results.run_state.live_trials,
            phase,
            reference,
        )

    def marks_of(self, figure: RowFigure, rows: tuple[TimingRow, ...]) -> TimingMarks:
        return TimingMarks(figure, rows, figure.x_scale)

    def scale_of(self, rows: tuple[TimingRow, ...]) -> Scale:
        return ratios(self.choices.is_log) if rows[0].is_ratio else durations(self.choices.is_log)

    def fill(self, figure: RowFigure, rows: tuple[TimingRow, ...]) -> None:
        self._shown = rows
        figure.box.setXRange(*figure.x_scale.span(_extent(rows)), padding=0)
        self.show_rows(figure, rows, self._figures(rows))
        figure.legend.show_entries([(None, words) for words in self._caption(rows)])

    @property
    def export_title(self) -> str:
        return self._what(self.rows())

    def _what(self, rows: tuple[TimingRow, ...]) -> str:
        phase = self.choices[PHASE]
        if self.choices[TIMING_QUANTITY] != TIMES:
            return f"Speed-up, {phase.lower()} time"
        return f"{phase} time, {self._unit(rows).name}"

    def _caption(self, rows: tuple[TimingRow, ...]) -> list[str]:
        """What is shown, and what each mark stands for."""
        counts = {len(row.samples) for row in rows}
        trials = (
            plural(counts.pop(), "trial")
            if len(counts) == 1
            else f"{min(counts)} to {max(counts)} trials"
        )
        marks = ["dot: median"]
        if any(row.interval for row in rows):
            marks.append("thick line: 95 % interval")
        marks.append(f"whisker: minimum to maximum of {trials}")
        if any(row.disturbances for row in rows):
            marks.append("hollow dot: disturbed")
        return [self._what(rows), *marks]

    def _unit(self, rows: tuple[TimingRow, ...]) -> TimeUnit:
        return self.choices.unit([row.median for row in rows])

    def _figures(self, rows: tuple[TimingRow, ...]) -> list[str]:
        """Medians in one unit, with aligned decimal points."""
        if rows[0].is_ratio:
            return align_decimals([row.median_text.removesuffix("×") for row in rows], "×")
        return align_decimals([in_unit(row.median, self._unit(rows)) for row in rows])


def _extent(rows: tuple[TimingRow, ...]) -> list[float]:
    ends = [value for row in rows for value in (row.low, row.high)]
    return [*ends, 1.0] if rows[0].is_ratio else ends


def phase_colour(phase: str, t: Tokens) -> QColor:
    """Colour of a phase, the same for all variants; solve has the strongest."""
    return QColor({"prepare": t.edge, "h2d": t.warning, "solve": t.accent, "d2h": t.target}[phase])


class PhaseMarks(RowMarks):
    """Stacked bars, one per row."""

    rows: tuple[PhaseRow, ...]

    def __init__(self, figure: RowFigure, rows: tuple[PhaseRow, ...], *, shares: bool):
        super().__init__(figure, rows)
        self.shares = shares

    def segment(self, row: int, phase: int) -> QRectF:
        """Rectangle of one phase of a row, in pixels."""
        entry = self.rows[row]
        whole = (entry.total or 1.0) if self.shares else 1.0
        ends = [0.0, *accumulate(part / whole for part in entry.parts)]
        left, right = (self.to_pixel(x, row).x() for x in ends[phase : phase + 2])
        lane = self.row_rect(row)
        tall = min(16.0, lane.height() * 0.6)
        return QRectF(left, lane.center().y() - tall / 2, right - left, tall)

    def paint_row(self, painter: QPainter, row: int) -> None:
        t = self.figure.t
        for index, phase in enumerate(PHASES):
            bar = self.segment(row, index)
            if bar.width() > 0:
                painter.fillRect(bar, phase_colour(phase, t))
        if self.rows[row].variant_id == self.selected:
            whole = self.segment(row, 0).united(self.segment(row, len(PHASES) - 1))
            painter.setPen(QPen(QColor(t.text), 1.4))
            painter.drawRect(whole)
        edge = self.to_pixel(0, row)
        painter.setPen(QPen(QColor(t.border), 1))
        painter.drawLine(
            QPointF(edge.x(), self.row_rect(row).top()),
            QPointF(edge.x(), self.row_rect(row).bottom()),
        )


class PhasesChart(RowChart):
    """Times of prepare, copy to device, solve and copy back, from the trial with the
    median total.
    """

    title = "Phases"
    empty_text = "Run variants to see how their time divides into preparing, copying and solving."

    def __init__(self, session: Session, choices: DisplayChoices | None = None):
        super().__init__(session, choices)
        self.quantity = self.add_switch(
            PHASES_QUANTITY, "Quantity shown: times, or each phase's share of the total"
        )
        self.refresh()

    def rows(self) -> tuple[PhaseRow, ...]:
        return phase_rows(self.session.results.all)

    def marks_of(self, figure: RowFigure, rows: tuple[PhaseRow, ...]) -> PhaseMarks:
        return PhaseMarks(figure, rows, shares=self._shares)

    @property
    def _shares(self) -> bool:
        return self.choices[PHASES_QUANTITY] == SHARES

    def scale_of(self, rows: tuple[PhaseRow, ...]) -> Scale:
        return Scale(False, _percent if self._shares else duration_tick)

    def fill(self, figure: RowFigure, rows: tuple[PhaseRow, ...]) -> None:
        unit = self.choices.unit([row.total for row in rows])
        totals = [in_unit(row.total, unit) for row in rows]
        span = (0.0, 1.0) if self._shares else durations(False).span([row.total for row in rows])
        figure.box.setXRange(*span, padding=0)
        self.show_rows(figure, rows, align_decimals(totals))
        t = figure.t
        present = [p for i, p in enumerate(PHASES) if any(row.parts[i] > 0 for row in rows)]
        swatches = [(phase_colour(p, t), PHASE_WORDS[p]) for p in present]
        figure.legend.show_entries([(None, f"Total, {unit.name}"), *swatches])


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"
