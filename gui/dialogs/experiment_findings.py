"""Claims and charts of an experiment, as the dialog of experiments shows them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QByteArray, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from gui.style.common_widgets import EmptyState, QuietLabel, clear_layout, on_scheme_change
from gui.style.plain_text import visible
from gui.style.theme import tokens
from solvers.experiments.chart_data import ChartData
from solvers.experiments.claims import ClaimVerdict, Judgement
from solvers.experiments.svg import HEIGHT, WIDTH, chart_svg

_NO_CLAIMS = "Start the experiment: what the paper claims is then held against what was measured here."
_NO_CHARTS = "Start the experiment: its charts are drawn when it has ended."


def claims_html(judgements: Sequence[Judgement]) -> str:
    """The claims with verdict, figure and source, in the colours of the scheme."""
    t = tokens()
    if not judgements:
        return f'<p style="color:{t.muted}">{_NO_CLAIMS}</p>'
    colours = {ClaimVerdict.HOLDS: t.good, ClaimVerdict.FAILS: t.bad, ClaimVerdict.UNTESTABLE: t.muted}
    parts = []
    for found in judgements:
        verdict = f'<b style="color:{colours[found.verdict]}">{_html(found.verdict.value)}</b>'
        figure = f"Measured {_html(found.figure)}; " if found.figure else ""
        reason = f"<br>{_html(found.reason[:1].upper() + found.reason[1:])}." if found.reason else ""
        remark = f"<br>{_html(found.remark)}" if found.remark else ""
        told = f"{figure}taken as {_html(found.needed)}.{reason}{remark}"
        parts.append(
            f'<p style="margin:10px 0 0 0">{verdict} &nbsp;{_html(found.claim.text)} '
            f'<span style="color:{t.muted}">({_html(found.claim.source)})</span></p>'
            f'<p style="margin:2px 0 0 0;color:{t.muted}">{told}</p>'
        )
    return "".join(parts)


def _html(text: str) -> str:
    return escape(visible(text))


class ExperimentCharts(QScrollArea):
    """The charts one below the other, as wide as there is room.

    Attributes
    ----------
    drawings : list of ChartDrawing
    """

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Charts")
        holder = QWidget()
        self._column = QVBoxLayout(holder)
        self.setWidget(holder)
        self.drawings: list[ChartDrawing] = []
        self.show_charts(())

    def show_charts(self, charts: Sequence[ChartData]) -> None:
        clear_layout(self._column)
        self.drawings = [ChartDrawing(chart) for chart in charts]
        for drawing in self.drawings:
            self._column.addWidget(drawing)
            if drawing.remark:
                self._column.addWidget(QuietLabel(visible(drawing.remark)))
        if not charts:
            self._column.addWidget(EmptyState(_NO_CHARTS))


class ChartDrawing(QWidget):
    """One chart, drawn from the same SVG as reports and files have.

    Parameters
    ----------
    chart : ChartData
    """

    def __init__(self, chart: ChartData, parent: QWidget | None = None):
        super().__init__(parent)
        self._chart = chart
        self._renderer = QSvgRenderer(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(chart.title)
        on_scheme_change(self._load)
        self._load()

    @property
    def remark(self) -> str:
        """What is to be said below it; "" for nothing."""
        return self._chart.remark

    def _load(self) -> None:
        self._renderer.load(QByteArray(chart_svg(self._chart, dark=tokens().dark).encode()))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(WIDTH // 3, HEIGHT // 3)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setFixedHeight(self._height_of(self.width()))

    def _height_of(self, width: int) -> int:
        size = self._renderer.defaultSize()
        return round(width * size.height() / max(1, size.width()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._renderer.render(painter, QRectF(0, 0, self.width(), self._height_of(self.width())))
        painter.end()
