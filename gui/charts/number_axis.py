"""Number axis of a chart, with the ticks of a scale."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtGui import QFont, QFontMetricsF

from gui.charts.scales import Scale
from gui.style.numbers import linear_ticks, log_ticks
from gui.style.tokens import Tokens


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
