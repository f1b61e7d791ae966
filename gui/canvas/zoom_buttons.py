"""The zoom buttons in the lower right corner of the canvas."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QToolButton, QWidget

from gui.style import type_size

_NARROW = 328  # pixels; a view without room for legend and zoom buttons beside each other
_LEAST_SIZE = QSize(30, 28)


class ZoomButtons(QFrame):
    """Buttons in a row, or in a column where the legend needs the width.

    Signals
    -------
    zoomed_in(), zoomed_out(), fitted()
    """

    zoomed_in = Signal()
    zoomed_out = Signal()
    fitted = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        for text, tip, pressed in (
            ("+", "Zoom in", self.zoomed_in),
            ("−", "Zoom out", self.zoomed_out),
            ("Fit", "Show the whole graph or matrix (F)", self.fitted),
        ):
            button = QToolButton(self)
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.setMinimumSize(_LEAST_SIZE)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(pressed)
            row.addWidget(button)

    def place(self, right: int, bottom: int) -> None:
        """Put the lower right corner there, in a view that is about as wide as ``right``."""
        narrow = right < type_size.px(_NARROW)
        self._row.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
        size = self.sizeHint()
        self.setGeometry(right - size.width(), bottom - size.height(), size.width(), size.height())
        self.raise_()
