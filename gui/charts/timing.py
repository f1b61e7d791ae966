"""Timing and phases charts.

Timing: a faint dot per trial, a strong dot at the median, its interval, a whisker from
minimum to maximum; the dot of a disturbed result is hollow. Phases: one stacked bar per
variant with the time of each phase.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QResizeEvent

from gui.charts.chart import RowChart
from gui.charts.figure import LegendEntry
from gui.charts.row_figure import MARK_LANE_PX, RowFigure, RowMarks
from gui.charts.rows import (
    PHASE_WORDS,
    PHASES,
    PhaseRow,
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
from gui.style.text import TimeUnit, align_decimals, in_unit, scaled_px
from gui.style.theme import variant_colour
from gui.style.widgets import faded, fill_with
from solvers.core.variant import find_variant
from solvers.picture.colours import Tokens

INTERVAL_PX = 5.0
MEDIAN_PX, TRIAL_PX = 5.0, 3.2  # radii
# Height of the view, in usual type, below which the legend names only the quantity.
LOW_PX = 200


class TimingMarks(RowMarks):
    """Dots and whiskers; for speed-ups also a line at 1×."""

    rows: tuple[TimingRow, ...]

    def __init__(self, figure: RowFigure, rows: tuple[TimingRow, ...], scale: Scale):
        super().__init__(figure, rows)
        self.value_scale = scale

    def median_pixel(self, row: int) -> QPointF:
        """Centre of a row's median dot, in pixels of the view box."""
        return self.mark_pixel(self.value_scale.place(self.rows[row].median), row)

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

        def at(value: float) -> QPointF:
            return self.mark_pixel(self.value_scale.place(value), row)

        paint_range(painter, at(entry.low), at(entry.high), colour, 2.5 if strong else 1.6)
        for sample in entry.samples:
            paint_trial(painter, at(sample), colour)
        if entry.interval is not None:
            low, high = entry.interval
            paint_interval(painter, at(low), at(high), colour)
        radius = 6.5 if strong else MEDIAN_PX
        paint_median(painter, at(entry.median), colour, t, radius, hollow=bool(entry.disturbances))


def paint_range(
    painter: QPainter, left: QPointF, right: QPointF, colour: QColor, width: float = 1.6
) -> None:
    painter.setPen(QPen(colour, width))
    painter.drawLine(left, right)
    for end in (left, right):
        painter.drawLine(end - QPointF(0, 4), end + QPointF(0, 4))


def paint_trial(painter: QPainter, at: QPointF, colour: QColor) -> None:
    fill_with(painter, faded(colour, 0.4))
    painter.drawEllipse(at, TRIAL_PX, TRIAL_PX)


def paint_interval(painter: QPainter, left: QPointF, right: QPointF, colour: QColor) -> None:
    painter.setPen(QPen(colour, INTERVAL_PX, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    painter.drawLine(left, right)


def paint_median(
    painter: QPainter,
    at: QPointF,
    colour: QColor,
    t: Tokens,
    radius: float = MEDIAN_PX,
    *,
    hollow: bool = False,
) -> None:
    painter.setPen(QPen(colour, 2.0) if hollow else QPen(QColor(t.panel), 1.2))
    painter.setBrush(QColor(t.panel) if hollow else colour)
    radius -= 0.5 * hollow
    painter.drawEllipse(at, radius, radius)


def legend_of_marks(rows: Sequence[TimingRow], t: Tokens) -> list[LegendEntry]:
    """What each mark in the rows stands for, drawn as it is there."""
    grey, counts = QColor(t.muted), {len(row.samples) for row in rows}
    trials = f"{min(counts)} to {max(counts)}" if len(counts) > 1 else str(counts.pop())

    def ends(box: QRectF) -> tuple[QPointF, QPointF]:
        y = box.center().y()
        return QPointF(box.left() + 1, y), QPointF(box.right() - 1, y)

    entries: list[LegendEntry] = [(lambda p, box: paint_median(p, box.center(), grey, t), "median")]
    if any(row.disturbances for row in rows):
        entries.append(
            (lambda p, box: paint_median(p, box.center(), grey, t, hollow=True), "disturbed")
        )
    if any(row.interval for row in rows):
        entries.append((lambda p, box: paint_interval(p, *ends(box), grey), "95 % interval"))
    entries.append((lambda p, box: paint_range(p, *ends(box), grey), "range"))
    entries.append((lambda p, box: paint_trial(p, box.center(), grey), f"trial, {trials} each"))
    return entries


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
            self.figure.legend.shorten(self.view.height() < scaled_px(LOW_PX))

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
        is_log = self.choices.is_log
        return ratios(is_log) if rows[0].is_ratio else durations(is_log, self._unit(rows))

    def fill(self, figure: RowFigure, rows: tuple[TimingRow, ...]) -> None:
        self._shown = rows
        figure.box.setXRange(*figure.x_scale.span(_extent(rows)), padding=0)
        self.show_rows(figure, rows, self._figures(rows))
        figure.legend.show_entries([(None, self._what(rows)), *legend_of_marks(rows, figure.t)])

    @property
    def export_title(self) -> str:
        return self._what(self.rows())

    def _what(self, rows: tuple[TimingRow, ...]) -> str:
        phase = self.choices[PHASE]
        if self.choices[TIMING_QUANTITY] != TIMES:
            return f"Speed-up, {phase.lower()} time"
        return f"{phase} time, {self._unit(rows).name}"

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
    return QColor(
        {"prepare": t.outline, "h2d": t.warning, "solve": t.accent, "d2h": t.target}[phase]
    )


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
        left, right = (self.mark_pixel(x, row) for x in ends[phase : phase + 2])
        tall = min(16.0, self.row_rect(row).height() * 0.6)
        if self.figure.names_inside:
            tall = min(tall, MARK_LANE_PX - 2.0)
        return QRectF(left.x(), left.y() - tall / 2, right.x() - left.x(), tall)

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
        return Scale(False, _percent) if self._shares else durations(False, self._unit(rows))

    def _unit(self, rows: tuple[PhaseRow, ...]) -> TimeUnit:
        return self.choices.unit([row.total for row in rows])

    def fill(self, figure: RowFigure, rows: tuple[PhaseRow, ...]) -> None:
        unit = self._unit(rows)
        totals = [in_unit(row.total, unit) for row in rows]
        span = (0.0, 1.0) if self._shares else figure.x_scale.span([row.total for row in rows])
        figure.box.setXRange(*span, padding=0)
        self.show_rows(figure, rows, align_decimals(totals))
        t = figure.t
        present = [p for i, p in enumerate(PHASES) if any(row.parts[i] > 0 for row in rows)]
        swatches = [(phase_colour(p, t), PHASE_WORDS[p]) for p in present]
        figure.legend.show_entries([(None, f"Total, {unit.name}"), *swatches])


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"
