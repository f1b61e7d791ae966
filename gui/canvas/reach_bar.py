"""The bar over the canvas that sets the budget of the reach."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSlider, QToolButton, QWidget

from gui.style.theme import icon
from gui.style.widgets import PlainLabel
from solvers.text import format_distance

STEPS = 1000
_SLIDER_WIDTH = 180


class ReachBar(QFrame):
    """A slider from nothing to the farthest vertex, the budget in words, and a button that ends the reach.

    Signals
    -------
    share_moved(float)
        The user moved the slider, to this share of the farthest vertex's distance.
    closed()
    """

    share_moved = Signal(float)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, STEPS)
        self.slider.setPageStep(STEPS // 20)
        self.slider.setMinimumWidth(_SLIDER_WIDTH)
        self.slider.setAccessibleName("Budget of the reach")
        self.slider.setToolTip("Distance from the source up to which the graph is lit (Shift+wheel over the graph)")
        self.slider.valueChanged.connect(lambda value: self.share_moved.emit(value / STEPS))
        self.words = PlainLabel()
        self.close_button = QToolButton()
        self.close_button.setAutoRaise(True)
        self.close_button.setAccessibleName("End the reach")
        self.close_button.setToolTip("Light the whole graph again (B)")
        self.close_button.clicked.connect(self.closed)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 2, 4, 2)
        for widget in (PlainLabel("Reach"), self.slider, self.words, self.close_button):
            row.addWidget(widget)
        self._recolour()

    def show_budget(self, budget: float, share: float, unit: str) -> None:
        """Show a budget without reporting it as moved."""
        self.slider.blockSignals(True)
        self.slider.setValue(round(share * STEPS))
        self.slider.blockSignals(False)
        self.words.setMinimumWidth(self.words.fontMetrics().horizontalAdvance("0" * 9))
        self.words.setText(format_distance(budget, unit).split(" (")[0])

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._recolour()

    def _recolour(self) -> None:
        self.close_button.setIcon(icon("close"))
