"""Every window test runs without a display, with settings of its own, and sees real
graphs and variants.
"""

from __future__ import annotations

import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before Qt is imported

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.app import guard_overrides
from gui.model.settings import Settings
from gui.shell import centre, process
from gui.shell.keys import TypingGuard
from gui.shell.process import WindowThreadCollector
from gui.style import theme
from gui.style.text import apply_type_size, use_typeface
from gui.window import MainWindow
from solvers.features.prominence import flows as prominence
from solvers.picture.colours import Scheme
from solvers.picture.layout import layout_store
from solvers.running import request as run_request
from solvers.system.disk_cache import FOLDER_VARIABLE
from tests.gui import windows


@pytest.fixture(scope="session")
def qapp(qapp: QApplication) -> Iterator[QApplication]:
    """pytest-qt's application, dressed and guarded as `gui.app.run` does it."""
    use_typeface(qapp)
    theme.apply(qapp, Scheme.LIGHT)
    guard_overrides()
    TypingGuard(qapp)
    collector = WindowThreadCollector(qapp)
    with pytest.MonkeyPatch.context() as patch:
        # nobody waits for a scan; setting aside leads to longer ones
        patch.setattr(process, "MOST_AT_ONCE", 200_000)
        collector.start()
        yield qapp
        collector.stop()


@pytest.fixture(scope="session", autouse=True)
def application(qapp: QApplication) -> None:
    """Fonts and pixmaps crash the process without an application."""


@pytest.fixture(autouse=True)
def apart_from_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _keep_apart(monkeypatch, tmp_path)


def _keep_apart(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Keep layouts, classes of roads and runs in a folder of the test's own; measure
    briefly, as most tests need times, not precise ones; keep notices longer than any
    test takes.
    """
    patch.setattr(layout_store, "user_folder", lambda: folder / "layouts")
    patch.setattr(prominence, "user_folder", lambda kind: folder / kind)
    patch.setenv(FOLDER_VARIABLE, str(folder / "data"))
    patch.setattr(run_request, "DEFAULT_TIME_LIMIT_S", 0.03)
    patch.setattr(centre, "EXPIRES_MS", 600_000)


@pytest.fixture
def settings(tmp_path: Path, qapp: QApplication) -> Iterator[Settings]:
    """Settings in a folder of their own."""
    yield settings_in(tmp_path)
    if qapp.property(theme._PROPERTY) is not False:  # else all that is closed is restyled
        theme.apply(qapp, Scheme.LIGHT)


def settings_in(folder: Path) -> Settings:
    store = QSettings(str(folder / "settings" / "tautpath.ini"), QSettings.Format.IniFormat)
    made = Settings(store)
    made.scheme = Scheme.LIGHT
    made.prepares_hierarchies = False
    return made


@pytest.fixture
def type_of(qapp: QApplication) -> Iterator[Callable[[int], None]]:
    """Sets the size of the type, in per cent; it is 100 again after the test."""
    yield lambda percent: apply_type_size(qapp, percent)
    apply_type_size(qapp, 100)


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot, settings: Settings) -> Iterator[MainWindow]:
    """The real window, shown, with devices found and nothing open."""
    with shown(qapp, qtbot, settings) as made:
        yield made


@pytest.fixture(scope="module")
def shared_window(
    qapp: QApplication, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MainWindow]:
    """A window for all tests of a module, each of which must leave it as it found it."""
    folder = tmp_path_factory.mktemp("window")
    with pytest.MonkeyPatch.context() as patch:
        _keep_apart(patch, folder)
        with shown(qapp, QtBot(request), settings_in(folder)) as made:
            yield made


@pytest.fixture(scope="module")
def every_paint() -> Iterator[None]:
    """Windows paint all that they go through, as they do for users."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "HOLDS_PAINTS", False)
        yield


@contextmanager
def shown(qapp: QApplication, qtbot: QtBot, settings: Settings) -> Iterator[MainWindow]:
    made = MainWindow(settings)
    collector = qapp.findChild(WindowThreadCollector)
    assert isinstance(collector, WindowThreadCollector)
    made.parts.jobs.measuring_changed.connect(collector.hold)
    made.resize(1280, 800)
    with windows.painted_once(made):
        made.show()
        qtbot.waitExposed(made)
        made.parts.devices.discover()
        qtbot.waitUntil(lambda: made.parts.devices.known, timeout=60_000)
    yield made
    made.close()
    made.deleteLater()
