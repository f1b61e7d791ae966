"""An OpenStreetMap extract in the real window: profiles, weights without reopening, names of roads, parts."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gui.dialogs.open_options import OpenOptionsDialog
from gui.picture.scene.courses import points_on_roads
from gui.window import MainWindow
from tests.gui.windows import TINY, open_graph, tick_only, wait_until_idle
from tests.solvers.graphs.readers.osm.town import write_osm

# From 1 to 4 the bypass is longer than Main Street, and faster.
WAYS = {
    1: ((1, 2), {"highway": "residential", "name": "Main Street", "maxspeed": "10"}),
    2: ((2, 4), {"highway": "residential", "name": "Main Street", "maxspeed": "10"}),
    3: ((1, 10, 4), {"highway": "trunk", "ref": "A 13", "maxspeed": "100"}),
    4: ((2, 3), {"highway": "residential", "name": "Blind Alley"}),
    5: ((20, 21), {"highway": "service"}),
}


@pytest.fixture
def town(tmp_path: Path) -> Path:
    return write_osm(tmp_path / "town.osm.pbf", WAYS)


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow, town: Path) -> MainWindow:
    open_graph(qtbot, window, town)
    graph = window.session.graph
    window.session.set_endpoints(graph.vertex(1), graph.vertex(4))
    tick_only(window, "dijkstra-heap")
    return window


def run(qtbot: QtBot, window: MainWindow) -> None:
    window.commands["run"].trigger()
    wait_until_idle(qtbot, window)


def choose(window: MainWindow, words: str) -> None:
    """Choose the weights in the toolbar as a click in the list does."""
    box = window.weights_box
    index = box.findText(words)
    box.setCurrentIndex(index)
    box.activated.emit(index)


def test_the_weights_change_without_reopening_and_results_return(qtbot: QtBot, opened: MainWindow) -> None:
    run(qtbot, opened)
    camera, scene = opened.canvas.canvas.camera, opened.canvas.scenes.scene
    assert opened.weights_box.isVisible()
    assert opened.path_panel.list.toPlainText() == "A 13, 319 m"
    assert opened.path_panel.facts.text() == "time 11.5 s · 319 m · 1 arc"

    choose(opened, "Shortest")
    wait_until_idle(qtbot, opened)
    assert opened.session.results == ()
    assert opened.session.graph.weight_unit == "dm"
    assert opened.commands["weights-metres"].isChecked()
    run(qtbot, opened)
    assert opened.path_panel.list.toPlainText() == "Main Street, 227 m"
    assert opened.path_panel.facts.text().startswith("length 22")
    assert opened.canvas.canvas.camera == camera
    assert opened.canvas.scenes.scene.segments is scene.segments
    assert opened.session.graph_source.reading.weights == "metres"

    opened.commands["weights-seconds"].trigger()
    wait_until_idle(qtbot, opened)
    assert opened.path_panel.list.toPlainText() == "A 13, 319 m"  # without another run
    assert opened.weights_box.currentText() == "Fastest"


def test_the_last_choice_counts_while_roads_are_still_being_weighed(qtbot: QtBot, opened: MainWindow) -> None:
    graph = opened.session.graph
    choose(opened, "Shortest")
    choose(opened, "Fastest")
    wait_until_idle(qtbot, opened)
    assert opened.session.graph is graph
    assert opened.weights_box.currentText() == "Fastest"


def test_closed_roads_stay_closed_with_other_weights(qtbot: QtBot, opened: MainWindow) -> None:
    opened.session.roads.close((1, 4))
    wait_until_idle(qtbot, opened)

    choose(opened, "Shortest")
    wait_until_idle(qtbot, opened)

    assert opened.session.graph.base.graph is opened.session.whole_graph
    assert opened.session.graph.weight_unit == "dm"
    assert opened.session.graph.m == opened.session.whole_graph.m - 2


def test_other_graphs_have_no_choice_of_weights(qtbot: QtBot, opened: MainWindow) -> None:
    open_graph(qtbot, opened, TINY)

    assert not opened.weights_box.isVisible()
    assert not opened.commands["weights-metres"].isEnabled()


def test_the_largest_part_is_offered(qtbot: QtBot, opened: MainWindow) -> None:
    notice = opened.notices.notice
    assert notice is not None
    assert "2 of 6 vertices are not connected" in notice.text
    assert notice.action_text == "Keep the largest part only"

    with qtbot.waitSignal(opened.session.graph_changed, timeout=60_000):
        notice.action()

    assert opened.session.graph.n == 4
    assert opened.session.graph_source.reading.largest_part


def test_the_profile_is_chosen_when_opening(
    qtbot: QtBot, window: MainWindow, town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(town), ""))

    def accept(dialog: OpenOptionsDialog) -> bool:
        dialog._profile.setCurrentText("On foot")
        dialog._weights.setCurrentText("Length")
        dialog._largest.setChecked(True)
        return True

    monkeypatch.setattr(OpenOptionsDialog, "exec", accept)
    with qtbot.waitSignal(window.session.graph_changed, timeout=60_000):
        window.commands["open-options"].trigger()

    assert not window.session.graph.directed
    assert window.session.graph.weight_unit == "dm"
    assert window.session.graph.n == 4


def test_a_road_under_the_pointer_tells_its_name(qtbot: QtBot, opened: MainWindow) -> None:
    canvas, graph = opened.canvas.canvas, opened.session.graph
    qtbot.waitUntil(lambda: canvas.frame_is_current, timeout=10_000)
    ends = [[graph.vertex(node)] for node in (1, 4)]
    (place,) = points_on_roads(canvas.content.scene, *ends, [0.3])
    x, y = canvas.camera.to_screen(place)
    before = canvas.grab().toImage()

    qtbot.mouseMove(canvas, QPoint(round(x), round(y)))
    qtbot.waitUntil(lambda: canvas._hovered_road is not None, timeout=2_000)

    road, _ = canvas._hovered_road
    assert sorted(graph.ids[list(road)].tolist()) == [1, 4]
    assert canvas.grab().toImage() != before
