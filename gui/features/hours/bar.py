"""The bar of weights by hour: a slider over the hours of a table, while one is open."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QSlider, QWidget

from gui.model.session import Session
from gui.style.forms import WrappedLabel, column_of, row_of, tool_button
from gui.style.widgets import GAP, PlainLabel
from solvers.graphs.hours import Hour

_HONEST = "All of a path is weighed as at this hour: no time-dependent search."


class HoursBar(QWidget):
    """Shows the hour by which the open graph is weighed, and changes it; hidden without a table."""

    opened = Signal()

    def __init__(self, session: Session):
        super().__init__()
        self._session = session
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Hour of the weights")
        self.slider.setPageStep(1)
        self.slider.setTickPosition(QSlider.TickPosition.TicksBelow)
        self.slider.valueChanged.connect(self._move)
        self.words = PlainLabel()
        self.close_button = tool_button(
            tip="Use the weights of the network again",
            act=lambda: self._weigh_at(None),
            name="End weights by hour",
            icon="close",
        )
        head = row_of((PlainLabel("Weights at"), 1), self.words, self.close_button, spacing=GAP)
        self.said = WrappedLabel()
        margins = (2 * GAP, 0, 2 * GAP, GAP)
        column_of(head, self.slider, self.said, parent=self, margins=margins, spacing=0)
        for signal in (session.network_changed, session.roads_wanted):
            signal.connect(self._follow)
        self.hide()

    def _move(self, place: int) -> None:
        if (hour := self._session.roads.hour) is not None:
            self._weigh_at(replace(hour, at=hour.table.hours[place]))

    def _weigh_at(self, hour: Hour | None) -> None:
        self._session.want_roads(replace(self._session.roads, hour=hour))

    def _follow(self) -> None:
        """Show the hour, once the graph has its weights, which have read the table."""
        hour = self._session.applied_roads.hour
        if hour != self._session.roads.hour:
            return
        is_new = hour is not None and self.isHidden()
        self.setVisible(hour is not None)
        if hour is None:
            return
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, len(hour.table.hours) - 1)
            self.slider.setValue(hour.table.hours.index(hour.at))
        self.words.setText(hour.at)
        graph = self._session.graph
        others = "" if graph is None else hour.table.stands_for(graph)
        self.said.setText(f"{_HONEST} {others}." if others else _HONEST)
        if is_new:
            self.opened.emit()
