"""The zoom buttons in the lower right corner of the canvas."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QToolButton, QWidget

from gui.painting.picture import NARROW
from gui.style import type_size

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

    def place(self, right: int, bottom: int, *, in_row: bool = False) -> None:
        """Put the lower right corner there, in a view that is about as wide as ``right``."""
        narrow = right < type_size.px(NARROW) and not in_row
        self._arrange(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
        self._move(right, bottom)

    def place_in_row(self, right: int, row: QRect) -> None:
        """Put the right edge there, in the middle of a row."""
        self._arrange(QBoxLayout.Direction.LeftToRight)
        self._move(right, row.center().y() + self.sizeHint().height() // 2 + 1)

    def _arrange(self, direction: QBoxLayout.Direction) -> None:
        if self._row.direction() is not direction:
            self._row.setDirection(direction)

    def _move(self, right: int, bottom: int) -> None:
        size = self.sizeHint()
        self.setGeometry(right - size.width(), bottom - size.height(), size.width(), size.height())
        self.raise_()
