"""An axis of a chart on the screen, with numbers in the words of its table."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from PySide6.QtGui import QFont, QFontMetricsF

from gui.charts.pyqtgraph_steps import pg
from solvers.picture.charts.table import Axis
from solvers.picture.colours import Tokens
from solvers.text import grouped
from solvers.ticks import log_ticks


class NumberAxis(pg.AxisItem):
    """Numbers of a table's axis in its own words, at least three on a logarithmic one."""

    def __init__(self, orientation: str):
        super().__init__(orientation)
        self._write: Callable[[float], str] = lambda value: grouped(value, ".10g")

    def show_axis(self, axis: Axis, font: QFont, t: Tokens) -> None:
        self._write = axis.write or (lambda value: grouped(float(f"{value:.10g}"), ".10g"))
        self.setLogMode(x=axis.is_log, y=axis.is_log)
        self.setStyle(
            tickFont=font,
            tickLength=-4,
            maxTextLevel=0,
            maxTickLevel=0,
            autoReduceTextSpace=True,
        )
        self.setPen(pg.mkPen(t.border))
        self.setTextPen(t.muted)
        self.enableAutoSIPrefix(False)
        self.setTicks(None)
        looks = {"color": t.text, "font-size": f"{QFontMetricsF(font).height() * 0.75:.0f}px"}
        self.setLabel(escape(axis.label), **looks)
        self.showLabel(bool(axis.label))

    def logTickValues(
        self,
        minVal: float,  # noqa: N803
        maxVal: float,  # noqa: N803
        size: float,
        stdTicks: object,  # noqa: N803
    ) -> list[tuple[float, list[float]]]:
        metrics = QFontMetricsF(self.style["tickFont"])
        pitch = metrics.height() * 1.8
        if self.orientation in ("bottom", "top"):
            ends = (self._write(10.0**end) for end in (minVal, maxVal))
            pitch = max(map(metrics.horizontalAdvance, ends)) + 12
        labelled, plain = log_ticks(minVal, maxVal, (maxVal - minVal) * pitch / max(size, 1.0))
        return [(1.0, labelled), (1.0, plain)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [self._write(10.0**value if self.logMode else value) for value in values]
