"""The bar of the isochrone below the path."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QSlider, QWidget

from gui.style.forms import WrappedLabel, column_of, row_of, tool_button
from gui.style.quantity import QuantitiesField
from gui.style.widgets import GAP, PlainLabel

STEPS = 1000


class ReachBar(QWidget):
    """The isochrone: budgets as text, their sizes in words, a slider of the greatest from
    nothing to the farthest vertex, and a button to end it.
    """

    # the user moved the slider, to this share of the farthest vertex's distance
    share_moved = Signal(float)
    budgets_typed = Signal(object)  # a list, ascending, in the unit of the graph's weights
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, STEPS)
        self.slider.setPageStep(STEPS // 20)
        self.slider.setAccessibleName("Greatest budget of the isochrone")
        self.slider.setToolTip("Greatest distance from the source (Shift+wheel over the graph)")
        self.slider.valueChanged.connect(lambda value: self.share_moved.emit(value / STEPS))
        self.field = QuantitiesField("Budgets of the isochrone")
        self.field.setToolTip("One budget or several, such as 2km or 5, 10, 15 min")
        self.field.typed.connect(self.budgets_typed)
        self.close_button = tool_button(
            tip="Show the whole graph again (B)",
            act=self.closed,
            name="End the isochrone",
            icon="close",
        )
        label = PlainLabel("Isochrone")
        head = row_of(label, (self.field, 1), self.close_button, spacing=GAP)
        self.extent = WrappedLabel()
        column_of(
            head,
            self.slider,
            self.extent,
            parent=self,
            margins=(2 * GAP, 0, 2 * GAP, GAP),
            spacing=0,
        )
        self.hide()

    def show_budgets(self, budgets: Sequence[float], farthest: float, unit: str) -> None:
        """Show ascending budgets without reporting them as moved; ``farthest`` is 0 while it is
        not known.
        """
        budget = budgets[-1]
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(budget / farthest * STEPS) if farthest > 0.0 else STEPS)
        self.field.show_values(budgets, unit)
