"""Every window test runs without a display, with settings of its own, and sees real graphs and variants."""

from __future__ import annotations

import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before Qt is imported

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from gui import theme
from gui.keys import TypingGuard
from gui.settings import Settings
from gui.theme import Scheme


@pytest.fixture(scope="session")
def qapp(qapp: QApplication) -> QApplication:
    """pytest-qt's application, dressed as `gui.app.run` dresses it."""
    theme.apply(qapp, Scheme.LIGHT)
    TypingGuard(qapp)
    return qapp


@pytest.fixture
def settings(tmp_path: Path, qapp: QApplication) -> Iterator[Settings]:
    """Settings in a folder of their own."""
    store = QSettings(str(tmp_path / "settings" / "tautline.ini"), QSettings.Format.IniFormat)
    made = Settings(store)
    made.set_scheme(Scheme.LIGHT)
    yield made
    theme.apply(qapp, Scheme.LIGHT)
