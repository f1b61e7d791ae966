"""Timing chart: a faint dot per trial, a strong dot at the median, a whisker from minimum to maximum."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from gui.charts.chart import RowChart, Switch
from gui.charts.figure import Label, RowFigure, RowMarks
from gui.charts.rows import TimingRow, timing_rows
from gui.charts.scales import Scale, durations, ratios
from gui.model.session import Session
from gui.style.theme import variant_colour
from gui.style.tokens import Tokens
from solvers.text import plural

TIMES, SPEED_UP = "times", "speed-up"
TOTAL, SOLVE = "total", "solve"
LOG, LINEAR = "log", "linear"


class TimingMarks(RowMarks):
    """Dots and whiskers; for speed-ups also a line at 1×."""

    def __init__(self, figure: RowFigure, rows: tuple[TimingRow, ...], scale: Scale):
        super().__init__(figure)
        self.rows, self.value_scale = rows, scale

    def median_pixel(self, row: int) -> QPointF:
        """Centre of a row's median dot, in pixels of the view box."""
        return self.to_pixel(self.value_scale.place(self.rows[row].median), row)

    def paint_marks(self, painter: QPainter) -> None:
        super().paint_marks(painter)
        if self.rows and self.rows[0].is_ratio:
            x = self.to_pixel(self.value_scale.place(1.0), 0).x()
            painter.setPen(QPen(QColor(self.figure.t.text), 1.2, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, self.boundingRect().top()), QPointF(x, self.boundingRect().bottom()))

    def paint_row(self, painter: QPainter, row: int) -> None:
        entry, t = self.rows[row], self.figure.t
        strong = entry.variant_id == self.selected
        colour = QColor(variant_colour(entry.variant_id, t.dark))
        y = self.median_pixel(row).y()
        left, right = (self.to_pixel(self.value_scale.place(v), row).x() for v in (entry.low, entry.high))
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
        painter.setPen(QPen(QColor(t.panel), 1.2))
        painter.setBrush(colour)
        radius = 6.5 if strong else 5.0
        painter.drawEllipse(self.median_pixel(row), radius, radius)


class TimingChart(RowChart):
    """Times or speed-ups over the baseline, for total or solve time, on a linear or logarithmic axis."""

    title = "Timing"
    empty_text = "Run variants to see their times here, one row per variant."

    def __init__(self, session: Session, parent: QWidget | None = None):
        super().__init__(session, parent)
        self.quantity = Switch((TIMES, SPEED_UP), "Quantity shown: times, or speed-up over the baseline")
        self.phase = Switch(
            (TOTAL, SOLVE), "Time shown: total includes preparation and copies, solve is the algorithm alone"
        )
        self.scale = Switch((LOG, LINEAR), "Logarithmic or linear axis")
        for switch in (self.quantity, self.phase, self.scale):
            self.controls.addWidget(switch)
            switch.group.buttonClicked.connect(self.refresh)
        self.refresh()

    def rows(self) -> tuple[TimingRow, ...]:
        return timing_rows(
            self.session.results, self.phase.chosen, self.session.baseline, speed_up=self.quantity.chosen == SPEED_UP
        )

    def make_figure(self, t: Tokens) -> RowFigure | None:
        rows = self.rows()
        if not rows:
            return None
        self._words = {row.variant_id: row.words for row in rows}
        is_log = self.scale.chosen == LOG
        scale = ratios(is_log) if rows[0].is_ratio else durations(is_log)
        figure = RowFigure(scale, self.figure_font(), t)
        figure.marks = TimingMarks(figure, rows, scale)
        figure.box.setXRange(*scale.span(_extent(rows)), padding=0)
        figure.show_rows(
            [Label(row.variant_id, row.title) for row in rows],
            [Label(row.variant_id, row.median_text) for row in rows],
            self.session.selected_id,
        )
        figure.legend.show_entries([(None, self._caption(rows))])
        return figure

    def _caption(self, rows: tuple[TimingRow, ...]) -> str:
        counts = {len(row.samples) for row in rows}
        trials = plural(counts.pop(), "trial") if len(counts) == 1 else f"{min(counts)} to {max(counts)} trials"
        what = f"{self.phase.chosen} time" if self.quantity.chosen == TIMES else f"speed-up, {self.phase.chosen} time"
        return f"{what}: median and min–max, {trials} each"


def _extent(rows: tuple[TimingRow, ...]) -> list[float]:
    ends = [value for row in rows for value in (row.low, row.high)]
    return [*ends, 1.0] if rows[0].is_ratio else ends
