"""Tab order. Widgets are created in reading order; those created later are moved into place here."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def stops_within(part: QWidget) -> list[QWidget]:
    """The widgets in ``part`` (itself included) that Tab stops at, in order of creation."""
    inside = (w for w in (part, *part.findChildren(QWidget)) if w.window() is part.window())  # excludes popups
    return [w for w in inside if w.focusPolicy() & Qt.FocusPolicy.TabFocus]


def tab_through(*stops: QWidget) -> None:
    """Make Tab move through ``stops`` in order."""
    for before, after in pairwise(stops):
        QWidget.setTabOrder(before, after)
