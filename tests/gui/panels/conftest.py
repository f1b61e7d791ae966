"""Fixtures of tests of panels: in the real window, and the table of results alone."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from gui.model.session import Session
from gui.model.settings import DisplayChoices
from gui.panels.results_table import ResultsPanel
from gui.window import MainWindow
from tests.gui.panels.sample import opened_session
from tests.gui.windows import TINY, open_graph, trigger


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow) -> MainWindow:
    """The window with a small graph and the Runs panel in front."""
    open_graph(qtbot, window, TINY)
    trigger(qtbot, window, "runs")
    return window


@pytest.fixture
def session() -> Session:
    return opened_session()


@pytest.fixture
def choices() -> DisplayChoices:
    return DisplayChoices()


@pytest.fixture
def panel(qtbot: QtBot, session: Session, choices: DisplayChoices) -> ResultsPanel:
    panel = ResultsPanel(session, choices)
    qtbot.addWidget(panel)
    panel.resize(900, 300)
    panel.show()
    return panel
