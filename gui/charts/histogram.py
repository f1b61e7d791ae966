"""Histogram of a number of every vertex or road, in the colours that the picture has for it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QToolTip

from gui.charts.chart import Chart
from gui.charts.figure import Figure, NumberAxis, PixelItem
from gui.charts.scales import Scale, counts
from gui.model.session import Session
from gui.model.settings import DisplayChoices
from gui.style.text import tool_tip
from solvers.picture.colours import Tokens
from solvers.picture.scene.ramps import ramp_colours
from solvers.picture.scene.values import ReductionMap
from solvers.text import plural

_GAP = 0.5  # pixels between bars
_AIR = 1.05
_SIDES = 0.04  # of the width, beside the bars: room for labels at the ends


class Bars(PixelItem):
    def __init__(self, figure: Figure, y_axis: NumberAxis, shown: ReductionMap):
        super().__init__(figure.box)
        self._figure, self._y_axis, self._shown = figure, y_axis, shown

    def paint_marks(self, painter: QPainter) -> None:
        t = self._figure.t
        self.paint_levels(painter, self._y_axis, t)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        colours = ramp_colours(self._shown.ramp, t.dark)
        edges, shades = self._shown.places, self._shown.bin_shades
        for i, count in enumerate(self._shown.counts.tolist()):
            shade = colours[shades[i]]
            bar = QRectF(self.to_pixel(edges[i], count), self.to_pixel(edges[i + 1], 0.0))
            painter.fillRect(bar.adjusted(_GAP, 0, -_GAP, 0), QColor(*(int(c) for c in shade)))


class HistogramFigure(Figure):
    """Figure with values on the horizontal and numbers of vertices on the vertical axis."""

    def __init__(self, shown: ReductionMap, font: QFont, t: Tokens):
        super().__init__(Scale(shown.is_log, shown.write), font, t)
        top = float(max(1, shown.counts.max()))
        self.bars = Bars(self, self.add_counts(counts(False, 0.0, top), top), shown)
        self.box.setXRange(*shown.places[[0, -1]].tolist(), padding=_SIDES)
        self.box.setYRange(0.0, top * _AIR, padding=0)
        self.legend.show_entries(
            [
                (
                    None,
                    f"{shown.things[1].capitalize()} by {shown.title[:1].lower()}{shown.title[1:]}",
                )
            ]
        )


class HistogramChart(Chart):
    """Histogram of what colours the picture after an all-sources run."""

    title = "Histogram"
    empty_text = "Run > All sources shows the distribution of a value over all vertices."

    def __init__(self, session: Session, choices: DisplayChoices | None = None):
        super().__init__(session, choices)
        self.shown: ReductionMap | None = None
        self.view.scene().sigMouseMoved.connect(self._hover)
        self.refresh()

    def show_map(self, shown: ReductionMap | None) -> None:
        """Show another number; None for nothing."""
        self.shown = shown
        self.follow()

    def make_figure(self, t: Tokens) -> HistogramFigure | None:
        return None if self.shown is None else HistogramFigure(self.shown, self.figure_font(), t)

    def needed_height(self) -> int:
        return 170

    def bar_words(self, value: float) -> str:
        """Range and height of the bar at a coordinate; "" beside the bars."""
        shown = self.shown
        places = np.empty(0) if shown is None else shown.places
        if shown is None or not places[0] <= value <= places[-1]:
            return ""
        i = min(len(shown.counts) - 1, int(np.searchsorted(places, value, side="right")) - 1)
        low, high = (shown.write(float(f"{edge:.4g}")) for edge in shown.edges[i : i + 2])
        return f"{low} to {high}: {plural(int(shown.counts[i]), *shown.things)}"

    def _hover(self, scene: QPointF) -> None:
        if self.figure is None:
            return
        words = self.bar_words(float(self.figure.box.mapSceneToView(scene).x()))
        place = self.view.mapToGlobal(self.view.mapFromScene(scene))
        QToolTip.showText(place, tool_tip(words) if words else "", self.view)
