"""Right-click on variants, results, charts, play bar and tabs."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from gui.window import MainWindow
from tests.gui.windows import TINY, open_graph, tick_only, wait_until_idle


@pytest.fixture
def solved(qtbot: QtBot, window: MainWindow) -> MainWindow:
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-heap", "bf-serial")
    window.parts.run.start()
    wait_until_idle(qtbot, window)
    qtbot.waitUntil(lambda: window.parts.playback.length > 0)
    return window


def right_clicked(window: MainWindow, widget: QWidget, at: QPoint | None = None) -> list[QAction]:
    """The entries of the menu that a right-click opens; the widget below the pointer has the event."""
    place = widget.rect().center() if at is None else at
    target = widget.childAt(place) or widget
    inside = target.mapFrom(widget, place)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, inside, target.mapToGlobal(inside))
    QApplication.sendEvent(target, event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    entries = menu.actions()
    menu.hide()
    return entries


def words(window: MainWindow, widget: QWidget, at: QPoint | None = None) -> set[str]:
    return {entry.text() for entry in right_clicked(window, widget, at)}


def test_every_part_has_a_menu(solved: MainWindow) -> None:
    tree, board = solved.variants_panel.tree, solved.parts.charts.board
    of_group = words(solved, tree.viewport(), tree.visualItemRect(tree.topLevelItem(0)).center())
    assert "Run" in of_group
    assert not any(text.startswith("Tick only") for text in of_group)
    assert "Trace selected variant" in words(solved, solved.results_panel.table)
    assert "Play or pause" in words(solved, solved.play_bar.scrubber)
    assert {"Show timing in a window of its own", "Export chart…"} <= words(solved, board.timing)
    assert "Export chart…" in words(solved, board.tabs.tabBar())


@pytest.mark.parametrize("variant_id", ["dijkstra-heap", "bf-serial"])
def test_entries_are_about_the_selected_variant(qtbot: QtBot, solved: MainWindow, variant_id: str) -> None:
    results = solved.parts.session.results
    other = {"dijkstra-heap": "bf-serial", "bf-serial": "dijkstra-heap"}[variant_id]
    results.set_baseline(other)
    results.select(variant_id)
    for view in (solved.results_panel.table, solved.variants_panel.tree):
        view.scrollTo(view.currentIndex())
        right_clicked(solved, view.viewport(), view.visualRect(view.currentIndex()).center())[0].trigger()
    assert results.baseline.variant.id == variant_id
    assert tuple(solved.parts.session.choices.ids) == (variant_id,)
