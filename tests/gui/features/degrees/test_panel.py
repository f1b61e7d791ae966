"""The panel of the degrees follows the open graph."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from gui.features.degrees.panel import DegreesPanel
from gui.window import MainWindow
from tests.gui.windows import open_graph

SAMPLES = Path(__file__).resolve().parents[4] / "resources" / "samples"


def test_the_row_shows_the_counts_of_each_graph_that_is_opened(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.commands["degrees"].trigger()
    (panel,) = window.findChildren(DegreesPanel)
    assert panel.empty.isVisible()
    assert not panel.table.isVisible()

    open_graph(qtbot, window, SAMPLES / "textbook.gr")
    assert panel.table.isVisible()
    items = [panel.table.topLevelItem(i) for i in range(panel.table.topLevelItemCount())]
    rows = [[item.text(column) for column in range(3)] for item in items if item is not None]
    assert sum(int(row[1]) for row in rows) == 8
    assert panel.summary.text().startswith("8 vertices")

    open_graph(qtbot, window, SAMPLES / "harbour.gr.gz")
    assert not panel.summary.text().startswith("8 vertices")
