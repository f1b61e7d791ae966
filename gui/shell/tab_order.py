"""Where Tab stops. The window is put together in the order of reading; what is made later is put in its place here."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def stops_within(part: QWidget) -> list[QWidget]:
    """``part`` and the widgets in it that Tab stops at, in the order they were made."""
    inside = (w for w in (part, *part.findChildren(QWidget)) if w.window() is part.window())  # a box's list is not
    return [w for w in inside if w.focusPolicy() & Qt.FocusPolicy.TabFocus]


def tab_through(*stops: QWidget) -> None:
    """Let Tab go from each of ``stops`` to the next."""
    for before, after in pairwise(stops):
        QWidget.setTabOrder(before, after)
