"""The page of experiments with the sample experiment alone, and what the tests do with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QFileDialog
from pytestqt.qtbot import QtBot

from gui.features.experiments.page import ExperimentPage
from gui.window import MainWindow
from solvers.features.experiments.spec import Experiment
from solvers.features.kept_runs.store.run_store import RunStore
from tests.gui.windows import PATIENCE_MS, controller_of, wait_until_idle
from tests.solvers.features.experiments.samples import sample


def open_experiments(
    qtbot: QtBot,
    window: MainWindow,
    folder: Path,
    change: Callable[[Experiment], Experiment] = lambda given: given,
) -> ExperimentPage:
    """Open the page with the sample experiment, and a store of its own."""
    experimenting = controller_of(window, "experiments")
    experimenting.experiments = lambda: (change(sample(folder)),)
    experimenting.store = lambda: RunStore(folder / "data" / "runs.sqlite3")
    window.resize(1600, 1000)  # room for list and page
    window.commands["experiments"].trigger()
    found: ExperimentPage = experimenting.page
    assert found.isVisible()
    wait_until_idle(qtbot, window)
    return found


def press(qtbot: QtBot, button: QAbstractButton) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)  # type: ignore[no-untyped-call]


def answer_with(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Have the desktop's dialogs for files and folders answer with that path."""
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(path))


def states(page: ExperimentPage) -> list[str]:
    """What is said of each point."""
    tree = page.points.tree
    items = (tree.topLevelItem(i) for i in range(tree.topLevelItemCount()))
    return [item.text(2) for item in items if item is not None]


def wait_for_findings(qtbot: QtBot, window: MainWindow) -> None:
    experimenting = controller_of(window, "experiments")
    qtbot.waitUntil(lambda: experimenting.findings is not None, timeout=PATIENCE_MS)
