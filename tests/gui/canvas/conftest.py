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
from solvers.picture.colours import Scheme
from tests.gui.canvas.bench import Bench


class Area(CanvasArea):
    """A canvas area that names its models."""

    def __init__(self, session: Session, playback: Playback, jobs: Jobs):
        super().__init__(session, playback, jobs)
        self.session, self.playback, self.jobs = session, playback, jobs


@pytest.fixture
def area(qtbot: QtBot, qapp: QApplication) -> Iterator[Area]:
    theme.apply(qapp, Scheme.LIGHT)
    made = Area(Session(), Playback(), Jobs())
    qtbot.addWidget(made)
    made.resize(640, 480)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made.jobs.shut_down()
    theme.apply(qapp, Scheme.LIGHT)


@pytest.fixture
def plain_bench(qtbot: QtBot, area: Area) -> Bench:
    return Bench(area.session, area.playback, area, qtbot)


@pytest.fixture
def bench(plain_bench: Bench) -> Bench:
    """As features make others with tools of their own."""
    return plain_bench
