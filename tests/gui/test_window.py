"""The window: what it teaches, shows and remembers, in both schemes and from the keyboard."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QPolygonF
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gui import app
from gui.dialogs.help import DevicesDialog
from gui.model.notice import Notice, Severity
from gui.model.playback import Pace
from gui.model.settings import Settings
from gui.style import theme
from gui.style.text import TIP_LETTERS
from gui.window import MainWindow
from solvers.picture.colours import Scheme
from solvers.picture.scene.content import Layer
from tests.gui.windows import (
    PATIENCE_MS,
    SAMPLE,
    TINY,
    controller_of,
    open_graph,
    roads_panel,
    run_only,
    tick_only,
    trigger,
    wait_until_idle,
)

pytestmark = pytest.mark.usefixtures("every_paint")


def test_the_first_sight_of_it_teaches_and_the_start_page_opens_the_sample(
    window: MainWindow, qtbot: QtBot
) -> None:
    """Qt breaks a tooltip where the screen ends: some were 1,500 pixels wide."""
    assert window.start_page.isVisible()
    assert window.windowTitle() == "Tautpath"
    assert not window.run_button.isEnabled()
    assert "graph" in window.run_button.toolTip().replace("\n", " ")

    shown = [
        (type(part).__name__, part.toolTip())
        for kind in (QWidget, QAction)
        for part in window.findChildren(kind)
        if not part.toolTip().startswith("<")
    ]
    assert len(shown) > 100
    lines = [(name, line) for name, tip in shown for line in tip.split("\n")]
    assert [entry for entry in lines if len(entry[1]) > TIP_LETTERS] == []
    assert max(len(line) for _, line in lines) > TIP_LETTERS // 2, "and none is narrow"

    window.commands["devices"].trigger()
    dialog = window.findChild(DevicesDialog)
    assert dialog is not None
    content = [
        dialog._table.topLevelItem(i).text(1) for i in range(dialog._table.topLevelItemCount())
    ]
    assert (
        content == [d.key for d in window.parts.devices.list.devices]
        or not window.parts.devices.list.devices
    )
    with qtbot.waitSignal(window.parts.devices.found, timeout=60_000):
        dialog._refresh.click()
        assert not dialog._refresh.isEnabled()
    assert dialog._refresh.isEnabled()
    dialog.close()

    app.begin(window, [])
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        qtbot.mouseClick(window.start_page.first_button, Qt.MouseButton.LeftButton)
    assert window.parts.session.graph.name == "harbour"
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        app.begin(window, [TINY])
    assert window.parts.session.graph.name == "textbook"


def test_dark_and_light_reach_every_part_and_the_pace_menu_and_play_bar(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_graph(qtbot, window, TINY)
    window.commands["scheme-dark"].trigger()
    assert theme.tokens().dark
    assert window.parts.settings.scheme is Scheme.DARK
    qtbot.waitUntil(lambda: window.palette().window().color().name().upper() == theme.DARK.window)
    wait_until_idle(qtbot, window)
    canvas = window.parts.canvas.graph_canvas
    qtbot.waitUntil(lambda: canvas.grab().toImage().pixelColor(3, 3).lightnessF() < 0.3)
    window.commands["scheme-light"].trigger()
    assert not theme.tokens().dark
    qtbot.waitUntil(lambda: canvas.grab().toImage().pixelColor(3, 3).lightnessF() > 0.7)

    bar = window.play_bar
    for pace in Pace:
        window.commands[f"pace-{pace.value}"].trigger()
        assert bar.paces[pace].isChecked()
        assert bar.pace_button.text() == window.commands[f"pace-{pace.value}"].text().split()[-1]
    bar.paces[Pace.ITERATIONS].trigger()
    assert window.commands["pace-iterations"].isChecked()
    window.commands["fit-5"].trigger()
    assert bar.fit_box.currentText() == "5 s"
    assert window.parts.settings.text("play/seconds") == "5"


def test_layers_that_a_lesson_has_not_say_what_to_switch_off(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_graph(qtbot, window, TINY)
    options, menu = window.parts.canvas.options, window.layers_menu

    def click(layer: Layer) -> tuple[bool, bool, str]:
        menu.popup(QPoint(0, 0))
        qtbot.waitUntil(menu.isVisible, timeout=PATIENCE_MS)
        entries = {entry.text().lower(): entry for entry in menu.actions()}
        assert set(entries) == set(options.layers())
        found = entries[layer.value]
        enabled, checked, tip = found.isEnabled(), found.isChecked(), found.toolTip()
        place = menu.actionGeometry(found).center()
        qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=place)
        menu.close()
        return enabled, checked, tip

    run_only(qtbot, window, "dijkstra-heap")
    words = "Switch off Layers > Tentative distances first"
    assert click(Layer.VISITED) == click(Layer.TREE) == (False, False, words)
    assert {Layer.VISITED, Layer.TREE} & options.shown == {Layer.VISITED}
    click(Layer.SO_FAR)
    assert click(Layer.TREE)[:2] == (True, False)
    assert Layer.TREE in options.shown
    assert click(Layer.VISITED)[:2] == (True, True)
    assert Layer.VISITED not in options.shown


def test_what_is_remembered_between_starts(qtbot: QtBot, settings: Settings) -> None:
    assert settings.geometry is None
    first = MainWindow(settings)
    first.show()
    first.parts.devices.discover()
    qtbot.waitUntil(lambda: first.parts.devices.known, timeout=60_000)
    tick_only(first, "dijkstra-heap")
    first.commands["mode-teach"].trigger()
    first.bars.open("Roads", by_user=True)
    first.close()
    second = MainWindow(settings)
    second.show()
    second.parts.devices.discover()
    qtbot.waitUntil(lambda: second.parts.devices.known, timeout=60_000)
    assert settings.geometry is not None
    assert second.parts.session.choices.ids == ("dijkstra-heap",)
    assert second.commands["mode-teach"].isChecked()
    assert roads_panel(second).isVisible()
    assert not controller_of(second, "lesson").panel.isVisible()
    second.close()
    for window in (first, second):
        window.deleteLater()


def test_keys_play_after_a_click_and_tab_reads_the_window_from_what_runs_to_what_it_cost(
    qtbot: QtBot, window: MainWindow
) -> None:
    """In a text field they would be text."""
    window.activateWindow()
    window.endpoints.source.setFocus()
    open_graph(qtbot, window, TINY)
    assert QApplication.focusWidget() is window.parts.canvas.graph_canvas
    run_only(qtbot, window, "dijkstra-heap")
    qtbot.waitUntil(window.play_bar.isVisible)
    window.endpoints.source.setFocus()
    qtbot.mouseClick(window.play_bar, Qt.MouseButton.LeftButton)
    assert QApplication.focusWidget() is window.parts.canvas.graph_canvas

    # its card has parameters, which are made when it is selected
    window.parts.session.results.select("bf-edge")
    window.parts.session.results.select("dijkstra-heap")
    window.activateWindow()
    parts = (
        window.endpoints,
        window.run_button,
        window.variants_panel,
        window.card,
        window.parts.canvas,
        window.play_bar,
        window.results_panel,
        window.parts.charts,
        window.path_panel,
    )
    visited: set[int] = set()
    for panels in (("Variants", "Results"), ("Selected variant", "Path")):
        for title in panels:
            window.bars.open(title, by_user=True)
        order = [
            next(i for i, p in enumerate(parts) if p is w or p.isAncestorOf(w))
            for w in tab_stops(qtbot, window)
            if any(p is w or p.isAncestorOf(w) for p in parts)
        ]
        assert order[:-1] == sorted(order[:-1])
        visited.update(order)
    assert visited == set(range(len(parts)))


def tab_stops(qtbot: QtBot, window: MainWindow) -> list[QWidget]:
    """What Tab leads to from the source's field, until it is there again."""
    stops: list[QWidget] = [window.endpoints.source]
    stops[0].setFocus()
    while len(stops) < 80 and (len(stops) < 2 or stops[-1] is not stops[0]):
        qtbot.keyClick(stops[-1], Qt.Key.Key_Tab)
        stops.append(QApplication.focusWidget())
    assert stops[-1] is stops[0], "Tab goes round"
    return stops


def test_names_that_would_stretch_or_mangle_a_menu_are_tamed(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / f"R&D {'road-' * 30}.gr"
    path.write_bytes(TINY.read_bytes())
    open_graph(qtbot, window, path)
    window.recent_menu.fill()
    action = window.recent_menu.actions()[0]
    assert action.text().startswith("R&&D road")
    assert "road-.gr in " in action.text()
    assert len(action.text()) < 110
    assert action.toolTip().replace("\n", " ") == str(path)
    assert window.windowTitle() == f"Tautpath – {path.stem}"


def test_a_click_that_waits_while_the_window_closes_opens_no_menu(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.close()
    qtbot.mouseClick(window.menu_button, Qt.MouseButton.LeftButton)
    assert QApplication.activePopupWidget() is None


def test_the_focus_stays_off_the_source_field_where_keys_are_text(
    qtbot: QtBot, window: MainWindow
) -> None:
    """N typed after a split went into the field: "1nnn"."""
    open_graph(qtbot, window, TINY)
    run_only(qtbot, window, "dijkstra-heap", "bf-serial")
    canvas = window.parts.canvas
    canvas.setFocus()
    for action in ("split-2", "split-1", "race", "race"):
        window.commands[action].trigger()
        wait_until_idle(qtbot, window)
        assert window.focusWidget() is canvas.canvas, action
    window.commands["split-2"].trigger()
    dialog = window.parts.help.search()
    canvas.split(1)  # while the palette has the focus
    dialog.close()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    assert window.focusWidget() is canvas.canvas
    window.run_button.setFocus()
    window.run_button.setEnabled(False)
    assert window.focusWidget() is canvas.canvas


def test_the_progress_of_a_job_lies_beside_the_sentence_of_a_lesson(
    window: MainWindow, qtbot: QtBot
) -> None:
    """In the first minutes, what is compiled hid what an iteration does."""
    window.resize(1000, 720)
    open_graph(qtbot, window, SAMPLE.with_name("textbook.gr"))
    run_only(qtbot, window, "bf-python")
    trigger(qtbot, window, "first")
    canvas = window.parts.canvas.canvas
    window.grab()
    points = canvas.points_painted_over
    sentence = points[points[:, 1] < 60]
    assert len(sentence)
    window.status.show()
    window.grab()
    place = window.status.geometry().translated(-canvas.mapTo(window.overlay, QPoint(0, 0)))
    assert not any(place.contains(QPoint(*map(int, point))) for point in sentence)


def test_a_notice_lies_beside_the_legend(window: MainWindow, qtbot: QtBot) -> None:
    """A path from the lower left to the upper right moves the legend to the upper left,
    where the notice lay over it.
    """
    window.resize(1000, 620)
    open_graph(qtbot, window, SAMPLE)
    session = window.parts.session
    x, y = session.graph.coordinates.xy.T
    session.set_source(int(np.argmin(x + y)))
    session.set_target(int(np.argmax(x + y)))
    run_only(qtbot, window, "dijkstra-heap")
    canvas = window.parts.canvas.canvas
    end = canvas.view.point_of(session.source).toPoint()
    start = QPoint(canvas.width() // 2, 60)
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    for share in (0.3, 0.6, 1.0):
        moved = start + (QPoint(150, 400) - end) * share
        qtbot.mouseMove(canvas, moved)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=moved)
    wait_until_idle(qtbot, window)
    window.grab()
    legend = QPolygonF([QPointF(*point) for point in canvas.points_painted_over]).boundingRect()
    session.notice(Notice(Severity.INFO, "Something happened. " * 6))
    window.grab()
    place = window.notices.geometry().translated(-canvas.mapTo(window.overlay, QPoint(0, 0)))
    assert legend.top() < canvas.height() / 3, "the case that is meant"
    assert not place.intersects(legend.toAlignedRect())
