"""The bar of weights by hour: a slider over the hours of a table, while one is open."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSlider, QWidget

from gui.model.live import LiveState
from gui.style.forms import column_of, row_of, tool_button
from gui.style.theme import icon
from gui.style.widgets import GAP, PlainLabel, on_scheme_change

_HONEST = (
    "All of a path is weighed as at this hour: no time-dependent search. Of live answers alone, "
    "which are not measured: Run and All sources use the network's own weights. On the command "
    "line, --hours and --at run with those of an hour."
)


class HoursBar(QWidget):
    """Shows the hour of live answers, and changes it; hidden without a table."""

    opened, closed = Signal(), Signal()

    def __init__(self, live: LiveState, parent: QWidget | None = None):
        super().__init__(parent)
        self._live = live
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Hour of the weights")
        self.slider.setPageStep(1)
        self.slider.setTickPosition(QSlider.TickPosition.TicksBelow)
        self.slider.valueChanged.connect(self._move)
        self.words = PlainLabel()
        self.close_button = tool_button(
            tip="Use the weights of the network again", act=self.closed, name="End weights by hour"
        )
        head = row_of((PlainLabel("Weights at"), 1), self.words, self.close_button, spacing=GAP)
        said = PlainLabel(_HONEST)
        said.setWordWrap(True)
        margins = (2 * GAP, 0, 2 * GAP, GAP)
        column_of(head, self.slider, said, parent=self, margins=margins, spacing=0)
        live.hour_changed.connect(self._follow)
        on_scheme_change(self._recolour)
        self._recolour()
        self._follow()

    def _move(self, place: int) -> None:
        if self._live.hours is not None:
            self._live.set_hour(self._live.hours, self._live.hours.hours[place])

    def _follow(self) -> None:
        table, hour = self._live.hours, self._live.hour
        if table is not None and self.isHidden():
            self.opened.emit()
        self.setVisible(table is not None)
        if table is None or hour is None:
            return
        self.slider.blockSignals(True)
        self.slider.setRange(0, len(table.hours) - 1)
        self.slider.setValue(table.hours.index(hour))
        self.slider.blockSignals(False)
        self.words.setText(hour)

    def _recolour(self) -> None:
        self.close_button.setIcon(icon("close"))
