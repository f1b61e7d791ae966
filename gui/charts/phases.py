"""Phases chart: one stacked bar per variant with the time of each phase."""

from __future__ import annotations

from itertools import accumulate

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from gui.charts.chart import RowChart
from gui.charts.figure import Figure
from gui.charts.row_figure import Label, RowFigure, RowMarks
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
        figure = RowFigure(self._scale(), self.figure_font(), t)
        figure.marks = PhaseMarks(figure, rows, shares=self._shares)
        self._fill(figure, rows)
        return figure

    def refill(self, figure: Figure) -> bool:
        """Show the rows in the figure that there is, if its scale stays."""
        rows = self.rows()
        if not rows or not isinstance(figure, RowFigure) or not self.can_refill(figure, self._scale()):
            return False
        assert isinstance(figure.marks, PhaseMarks)
        figure.marks.rows = rows
        self._fill(figure, rows)
        return True

    @property
    def _shares(self) -> bool:
        return self.choices[PHASES_QUANTITY] == SHARES

    def _scale(self) -> Scale:
        return Scale(False, _percent if self._shares else duration_tick)

    def _fill(self, figure: RowFigure, rows: tuple[PhaseRow, ...]) -> None:
        self._words = {row.variant_id: row.words for row in rows}
        unit = self.choices.unit([row.total for row in rows])
        totals = [in_unit(row.total, unit) for row in rows]
        span = (0.0, 1.0) if self._shares else durations(False).span([row.total for row in rows])
        figure.box.setXRange(*span, padding=0)
        figure.show_rows(
            [Label(row.variant_id, row.title, row.short_title) for row in rows],
            [Label(row.variant_id, text) for row, text in zip(rows, align_decimals(totals), strict=True)],
            self.session.selected_id,
        )
        t = figure.t
        present = [p for i, p in enumerate(PHASES) if any(row.parts[i] > 0 for row in rows)]
        swatches = [(phase_colour(p, t), PHASE_WORDS[p]) for p in present]
        figure.legend.show_entries([(None, f"Total, {unit.name}"), *swatches])


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"
