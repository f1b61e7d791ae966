"""Every window test runs without a display, with settings of its own, and sees real
graphs and variants.
"""

from __future__ import annotations

import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before Qt is imported

from collections.abc import Callable, Iterator
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
from solvers.picture.colours import Scheme
from solvers.picture.layout import layout_store
from solvers.running import prominence, request
from solvers.system.disk_cache import FOLDER_VARIABLE


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
def no_layouts_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Layouts are kept in a folder of the test's own: a test that lays out does, and
    leaves nothing behind.
    """
    monkeypatch.setattr(layout_store, "user_folder", lambda: tmp_path / "layouts")


@pytest.fixture(autouse=True)
def no_prominence_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(prominence, "user_folder", lambda kind: tmp_path / kind)


@pytest.fixture(autouse=True)
def no_runs_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Runs are kept in a folder of the test's own."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "data"))


@pytest.fixture(autouse=True)
def short_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of the window stop after a fraction of a second: most tests need times, not
    precise ones.
    """
    monkeypatch.setattr(request, "DEFAULT_TIME_LIMIT_S", 0.03)


@pytest.fixture(autouse=True)
def patient_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notices stay longer than any test takes."""
    monkeypatch.setattr(centre, "EXPIRES_MS", 600_000)


@pytest.fixture
def settings(tmp_path: Path, qapp: QApplication) -> Iterator[Settings]:
    """Settings in a folder of their own."""
    store = QSettings(str(tmp_path / "settings" / "tautline.ini"), QSettings.Format.IniFormat)
    made = Settings(store)
    made.set_scheme(Scheme.LIGHT)
    made.set_prepares_hierarchies(False)
    yield made
    theme.apply(qapp, Scheme.LIGHT)


@pytest.fixture
def type_of(qapp: QApplication) -> Iterator[Callable[[int], None]]:
    """Sets the size of the type, in per cent; it is 100 again after the test."""
    yield lambda percent: apply_type_size(qapp, percent)
    apply_type_size(qapp, 100)


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot, settings: Settings) -> Iterator[MainWindow]:
    """The real window, shown, with devices found and nothing open."""
    made = MainWindow(settings)
    collector = qapp.findChild(WindowThreadCollector)
    assert isinstance(collector, WindowThreadCollector)
    made.parts.jobs.measuring_changed.connect(collector.hold)
    made.resize(1280, 800)
    made.show()
    qtbot.waitExposed(made)
    made.parts.devices.discover()
    qtbot.waitUntil(lambda: made.parts.devices.known, timeout=60_000)
    yield made
    made.close()
    made.deleteLater()
