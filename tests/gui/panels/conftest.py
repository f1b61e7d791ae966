"""Fixtures of tests of panels in the real window."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from gui.window import MainWindow
from tests.gui.windows import TINY, open_graph, wait_until_idle


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow) -> MainWindow:
    """The window with a small graph and the Runs panel in front."""
    open_graph(qtbot, window, TINY)
    window.commands["runs"].trigger()
    wait_until_idle(qtbot, window)
    return window
