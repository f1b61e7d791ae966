"""What a user does with runs in the window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.panels.run_rows import RunColumn
from gui.window import MainWindow
from tests.gui.windows import tick_only, wait_until_idle

VARIANTS = ("bf-serial", "dijkstra-heap")


def run(qtbot: QtBot, window: MainWindow, *variant_ids: str) -> str:
    """Run variants; returns the id of the new run."""
    before = {s.run.run_id for s in window.parts.run_list.summaries}
    tick_only(window, *(variant_ids or VARIANTS))
    window.commands["run"].trigger()
    wait_until_idle(qtbot, window)
    (new,) = {s.run.run_id for s in window.parts.run_list.summaries} - before
    return new


def click(window: MainWindow, run_id: str, *, ctrl: bool = False, double: bool = False) -> None:
    """Click the row of a run, as the mouse does."""
    panel = window.parts.runs_panel
    row = panel.model.row_of(run_id)
    assert row >= 0
    place = panel.table.visualRect(panel.model.index(row, RunColumn.NAME)).center()
    keys = Qt.KeyboardModifier.ControlModifier if ctrl else Qt.KeyboardModifier.NoModifier
    viewport = panel.table.viewport()
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, keys, place)
    if double:
        QTest.mouseDClick(viewport, Qt.MouseButton.LeftButton, keys, place)


def listed(window: MainWindow) -> list[str]:
    """Run ids and headings, as they stand in the list."""
    return [row.run_id or row.texts[0] for row in window.parts.runs_panel.model.rows]
