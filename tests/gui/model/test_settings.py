"""Settings of the user, and those that were kept under the program's former name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, QStandardPaths

from gui.model.settings import Settings
from solvers.picture.colours import Scheme
from solvers.system.former_name import TITLE


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """An empty folder of settings."""
    kind, scope = QSettings.Format.IniFormat, QSettings.Scope.UserScope
    QSettings.setPath(kind, scope, str(tmp_path))
    yield tmp_path
    usual = QStandardPaths.StandardLocation.GenericConfigLocation
    QSettings.setPath(kind, scope, QStandardPaths.writableLocation(usual))


def test_settings_of_the_former_name_are_taken_over(folder: Path) -> None:
    former = folder / TITLE / f"{TITLE}.ini"
    former.parent.mkdir()
    former.write_text("[General]\nscheme=dark\n")
    assert Settings().scheme is Scheme.DARK
    assert not former.parent.exists()
    assert Settings().scheme is Scheme.DARK, "they are the program's own now"
