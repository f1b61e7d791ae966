"""Fixtures of tests of panels: in the real window, and the table of results alone."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from gui.model.session import Session
from gui.model.settings import DisplayChoices
from gui.panels.results_table import ResultsPanel
from tests.gui.panels.sample import opened_session


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
