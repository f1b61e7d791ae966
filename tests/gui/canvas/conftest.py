"""The fixture of tests that drive a canvas."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.canvas.area import CanvasArea
from gui.model.jobs import Jobs
from gui.model.playback import Playback
from gui.model.session import Session
from gui.style import theme
from gui.style.colours import Scheme
from tests.gui.canvas.bench import Bench


@pytest.fixture
def bench(qtbot: QtBot, qapp: QApplication) -> Iterator[Bench]:
    theme.apply(qapp, Scheme.LIGHT)
    session, playback, jobs = Session(), Playback(), Jobs()
    area = CanvasArea(session, playback, jobs)
    qtbot.addWidget(area)
    area.resize(640, 480)
    area.show()
    qtbot.waitExposed(area)
    yield Bench(session, playback, area, qtbot)
    jobs.shut_down()
    theme.apply(qapp, Scheme.LIGHT)
