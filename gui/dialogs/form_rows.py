"""Rows of forms: widgets side by side, and boxes of numbers."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from gui.style.common_widgets import CountBox


def row_of(*widgets: QWidget) -> QHBoxLayout:
    """The widgets side by side, at the left."""
    row = QHBoxLayout()
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch(1)
    return row


def count_box(value: int, low: int, high: int) -> CountBox:
    """A box of a number; if ``high`` is below ``low``, it has no other choice than ``low``."""
    box = CountBox()
    box.setRange(low, max(low, high))
    box.setValue(value)
    return box
