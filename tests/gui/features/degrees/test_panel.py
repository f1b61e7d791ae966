"""The panel of the degrees follows the open graph."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from gui.features.degrees.panel import DegreesPanel
from gui.shell.side_bars import BarSide
from gui.style.widgets import EmptyState
from gui.window import MainWindow
from tests.gui.windows import open_graph

SAMPLES = Path(__file__).resolve().parents[4] / "resources" / "samples"


def test_the_row_shows_the_counts_of_each_graph_that_is_opened(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.commands["degrees"].trigger()
    assert not window.findChildren(DegreesPanel)
    texts = [one.text() for one in window.findChildren(EmptyState) if one.isVisible()]
    assert "Open a graph to see how many arcs leave its vertices." in texts

    open_graph(qtbot, window, SAMPLES / "textbook.gr")
    panel = shown_panel(window)
    items = [panel.table.topLevelItem(i) for i in range(panel.table.topLevelItemCount())]
    rows = [[item.text(column) for column in range(3)] for item in items if item is not None]
    assert sum(int(row[1]) for row in rows) == 8
    assert panel.summary.text().startswith("8 vertices")

    open_graph(qtbot, window, SAMPLES / "harbour.gr.gz")
    assert not shown_panel(window).summary.text().startswith("8 vertices")


def test_nothing_is_counted_while_the_panel_is_hidden(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, SAMPLES / "textbook.gr")
    window.commands["degrees"].trigger()
    window.bars.close_bar(BarSide.LEFT)
    open_graph(qtbot, window, SAMPLES / "harbour.gr.gz")
    assert not [
        one for one in window.findChildren(DegreesPanel) if "8 vert" not in one.summary.text()
    ]
    window.commands["degrees"].trigger()
    assert not shown_panel(window).summary.text().startswith("8 vertices")


def shown_panel(window: MainWindow) -> DegreesPanel:
    (panel,) = (one for one in window.findChildren(DegreesPanel) if one.isVisible())
    return panel
