"""What the window tests do again and again: make the window, open a graph, run, wait."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from gui.model.samples import FOLDER as SAMPLES
from gui.window import MainWindow

SAMPLE = SAMPLES / "harbour.gr.gz"
TINY = SAMPLES / "textbook.gr"
PATIENCE_MS = 120_000  # kernels and numba functions may have to be compiled first


def open_graph(qtbot: QtBot, window: MainWindow, path: Path) -> None:
    """Open ``path`` and wait until its graph is shown."""
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        window.parts.open.open(path)
    wait_until_idle(qtbot, window)


def tick_only(window: MainWindow, *variant_ids: str) -> None:
    """Tick these variants and no others."""
    window.parts.session.choices.choose_only(variant_ids)


def wait_until_idle(qtbot: QtBot, window: MainWindow) -> None:
    """Wait until nothing that the user could wait for is running."""
    qtbot.waitUntil(
        lambda: not window.parts.jobs.all() and not window.parts.session.window.waiting, timeout=PATIENCE_MS
    )
