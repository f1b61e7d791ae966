"""Phases chart: one stacked bar per variant with the time of each phase."""

from __future__ import annotations

from itertools import accumulate

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from gui.charts.chart import RowChart
from gui.charts.figure import Label, RowFigure, RowMarks
from gui.charts.rows import PHASE_WORDS, PHASES, PhaseRow, phase_rows
from gui.charts.scales import Scale, durations
from gui.model.display_choices import PHASES_QUANTITY, SHARES, UNIT, DisplayChoices
from gui.model.session import Session
from gui.style.numbers import align_decimals, duration_tick, in_unit
from gui.style.tokens import Tokens


def phase_colour(phase: str, t: Tokens) -> QColor:
    """Colour of a phase, the same for all variants; solve has the strongest."""
    return QColor({"prepare": t.edge, "h2d": t.warning, "solve": t.accent, "d2h": t.target}[phase])


class PhaseMarks(RowMarks):
    """Stacked bars, one per row."""

    def __init__(self, figure: RowFigure, rows: tuple[PhaseRow, ...], *, shares: bool):
        super().__init__(figure)
        self.rows, self.shares = rows, shares

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
        painter.drawLine(QPointF(edge.x(), self.row_rect(row).top()), QPointF(edge.x(), self.row_rect(row).bottom()))


class PhasesChart(RowChart):
    """Times of prepare, copy to device, solve and copy back, from the trial with the median total."""

    title = "Phases"
    empty_text = "Run variants to see how their time divides into preparing, copying and solving."

    def __init__(self, session: Session, choices: DisplayChoices | None = None, parent: QWidget | None = None):
        super().__init__(session, choices, parent)
        self.quantity = self.add_switch(PHASES_QUANTITY, "Quantity shown: times, or each phase's share of the total")
        self.refresh()

    def _follow_choice(self, name: str) -> None:
        super()._follow_choice(name)
        if name == UNIT:
            self.follow()

    def rows(self) -> tuple[PhaseRow, ...]:
        return phase_rows(self.session.results)

    def make_figure(self, t: Tokens) -> RowFigure | None:
        rows = self.rows()
        if not rows:
            return None
        self._words = {row.variant_id: row.words for row in rows}
        shares = self.choices[PHASES_QUANTITY] == SHARES
        scale = Scale(False, _percent if shares else duration_tick)
        unit = self.choices.unit([row.total for row in rows])
        totals = [in_unit(row.total, unit) for row in rows]
        figure = RowFigure(scale, self.figure_font(), t)
        figure.marks = PhaseMarks(figure, rows, shares=shares)
        figure.box.setXRange(*(0.0, 1.0) if shares else durations(False).span([row.total for row in rows]), padding=0)
        figure.show_rows(
            [Label(row.variant_id, row.title, row.short_title) for row in rows],
            [Label(row.variant_id, text) for row, text in zip(rows, align_decimals(totals), strict=True)],
            self.session.selected_id,
        )
        present = [p for i, p in enumerate(PHASES) if any(row.parts[i] > 0 for row in rows)]
        swatches = [(phase_colour(p, t), PHASE_WORDS[p]) for p in present]
        figure.legend.show_entries([(None, f"Total, {unit.name}"), *swatches])
        return figure


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"
