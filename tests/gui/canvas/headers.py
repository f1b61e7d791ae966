"""A header of a pane, and what it says."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from gui.canvas.pane import PaneHeader
from gui.style.widgets import ElidedBox

TITLE, SHORT = "Bellman-Ford edge + flags", "BF edge + flags"
TEXTS = ("iteration 186 of 1 186", "186 of 1 186", "186")
FINAL = ("iteration 1 186 of 1 186", "1 186 of 1 186", "1 186")


@pytest.fixture
def header(qtbot: QtBot) -> PaneHeader:
    header = PaneHeader()
    qtbot.addWidget(header)
    header.box.addItem(TITLE)
    header.box.setItemData(0, (SHORT,), ElidedBox.FORMS_ROLE)
    header.box.setCurrentIndex(0)
    header.show()
    return header
