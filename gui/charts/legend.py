"""The legend of a chart on the screen, by pyqtgraph."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF

from gui.charts.pyqtgraph_steps import pg
from gui.style.paint import faded
from solvers.picture.charts.table import (
    BAND_WORDS,
    DISTURBED,
    INTERVAL,
    MEDIAN,
    RANGE,
    ChartData,
    LegendEntry,
)
from solvers.picture.colours import Tokens

SYMBOLS = ("o", "s", "t1", "d", "t", "star")
MARK_PX, TRIAL_PX = 9.0, 6.0
AROUND, HIDDEN = 0.3, 0.35  # opacities of a curve's band, and of lines that are hidden
_SAMPLE_PX = 40.0  # width of a sample, with the room around it


class ChartLegend(pg.LegendItem):
    """Samples and words of `ChartData.legend`."""

    entries: list[LegendEntry]

    @classmethod
    def of(
        cls, chart: ChartData, t: Tokens, font: QFont, width: float, hidden: frozenset[int]
    ) -> ChartLegend | None:
        """The legend in as many columns as so many pixels take; None if there is nothing
        to explain.
        """
        entries, metrics = chart.legend(), QFontMetricsF(font)
        if not entries:
            return None
        widest = max(metrics.horizontalAdvance(entry.words) for entry in entries) + _SAMPLE_PX
        legend = cls(
            colCount=max(1, min(len(entries), int((width - 16) / widest))),
            labelTextColor=t.text,
            labelTextSize=f"{font.pointSizeF():.1f}pt",
            verSpacing=-4,
        )
        legend.entries = entries
        for entry in entries:
            sample = _sample(entry, chart, t, is_pale=entry.line in hidden)
            legend.addItem(sample, escape(entry.words))
        return legend

    def line_at(self, scene: QPointF) -> int | None:
        """The line whose entry is at a point of the scene."""
        for entry, parts in zip(self.entries, self.items, strict=True):
            if any(part.sceneBoundingRect().contains(scene) for part in parts):
                return entry.line
        return None


def dot(brush: QColor, pen: object, size: float = MARK_PX, shape: int = 0) -> pg.ScatterPlotItem:
    symbol = SYMBOLS[shape % len(SYMBOLS)]
    return pg.ScatterPlotItem(symbol=symbol, size=size, brush=brush, pen=pen)


def _sample(entry: LegendEntry, chart: ChartData, t: Tokens, *, is_pale: bool) -> object:
    grey = QColor(t.muted)
    if entry.curve is not None:
        return pg.PlotDataItem(pen=pg.mkPen(entry.curve.colour.on(t.dark), width=3.0))
    if entry.line is not None:
        line = chart.lines[entry.line]
        colour = faded(line.colour.on(t.dark), HIDDEN if is_pale else 1.0)
        if chart.is_stacked:
            return pg.BarGraphItem(x=[0], height=[0], width=1, brush=colour, pen=colour)
        if line.is_ideal:
            return pg.PlotDataItem(pen=pg.mkPen(colour, style=Qt.PenStyle.DotLine))
        fill = QColor(t.panel) if line.is_published else colour
        return dot(fill, pg.mkPen(colour, width=2.0), MARK_PX, line.shape)
    if entry.kind == MEDIAN:
        return dot(grey, pg.mkPen(t.panel))
    if entry.kind == DISTURBED:
        return dot(QColor(t.panel), pg.mkPen(grey, width=2.0))
    widths = {INTERVAL: 5.0, RANGE: 1.4, BAND_WORDS: 9.0}
    if entry.kind in widths:
        tone = faded(grey, AROUND) if entry.kind == BAND_WORDS else grey
        return pg.PlotDataItem(pen=pg.mkPen(tone, width=widths[entry.kind]))
    return dot(faded(grey, 0.5), pg.mkPen(None), TRIAL_PX)
