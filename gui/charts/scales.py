"""Number axis of a chart: linear or logarithmic; durations, ratios or counts.

The view box always uses linear coordinates. On a logarithmic scale log10 of the value is plotted, because
pyqtgraph's bars and error bars ignore its log mode (upstream issue 2535).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtGui import QFont, QFontMetricsF

from gui.style.numbers import count_tick, duration_tick, linear_ticks, log_ticks, ratio_tick
from gui.style.tokens import Tokens


@dataclass(frozen=True)
class Scale:
    """Maps values to coordinates and to tick labels.

    Attributes
    ----------
    is_log : bool
    write : callable
        Returns the tick label of a value.
    """

    is_log: bool
    write: Callable[[float], str]

    def place(self, value: float) -> float:
        """Coordinate of a value; a logarithmic scale clamps values to at least 1e-9."""
        return math.log10(max(value, 1e-9)) if self.is_log else value

    def value(self, place: float) -> float:
        return 10.0**place if self.is_log else place

    def span(self, values: Sequence[float]) -> tuple[float, float]:
        """Range of an axis that shows all values with some margin; starts at zero if linear."""
        if not values:
            return (0.0, 1.0)
        low, high = self.place(min(values)), self.place(max(values))
        if not self.is_log:
            return (min(0.0, low), high * 1.04 or 1.0)
        air = max(0.08, (high - low) * 0.06)
        return (low - air, high + air)


def durations(is_log: bool) -> Scale:
    return Scale(is_log, duration_tick)


def ratios(is_log: bool) -> Scale:
    return Scale(is_log, ratio_tick)


def counts(is_log: bool) -> Scale:
    return Scale(is_log, count_tick)


class NumberAxis(pg.AxisItem):
    """Axis with round ticks of a `Scale`, as many as fit."""

    def __init__(self, orientation: str, scale: Scale, font: QFont, t: Tokens):
        super().__init__(orientation)
        self._scale = scale
        self._metrics = QFontMetricsF(font)
        self.setStyle(tickFont=font, tickLength=-4, maxTextLevel=0, tickTextOffset=4, hideOverlappingLabels=False)
        self.setPen(pg.mkPen(t.border, cosmetic=False))
        self.setTextPen(t.muted)
        if orientation == "bottom":
            self.setHeight(round(self._metrics.height() + 8))

    def ticks(self, low: float, high: float, size: float) -> tuple[list[float], list[float]]:
        """Coordinates of the labelled and the unlabelled ticks of an axis ``size`` pixels long."""
        horizontal = self.orientation in ("bottom", "top")
        widest = max(self._metrics.horizontalAdvance(self._scale.write(self._scale.value(v))) for v in (low, high))
        pitch = widest + 12 if horizontal else self._metrics.height() * 1.8
        if self._scale.is_log:
            return log_ticks(low, high, (high - low) * pitch / max(size, 1.0))
        return linear_ticks(low, high, int(size / pitch)), []

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        labelled, plain = self.ticks(minVal, maxVal, size)
        return [(1.0, labelled), (1.0, plain)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [self._scale.write(self._scale.value(v)) for v in values]
