"""Roads in the real window: closed and slowed by mouse and by hand, named, and weighed
anew without reopening.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QLineF, QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu
from pytestqt.qtbot import QtBot

from gui.dialogs.open import OpenOptionsDialog
from gui.features.closed_roads import tools
from gui.features.undo import history as history_module
from gui.window import MainWindow
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.weights import to_float
from solvers.picture.scene.content import Layer
from solvers.picture.scene.paths import points_on_roads
from tests import graphs
from tests.gui.windows import (
    SAMPLE,
    TINY,
    comparison_of,
    open_graph,
    popup,
    roads_panel,
    sessions,
    tick_only,
    trigger,
    undoing,
    wait_until_idle,
)
from tests.solvers.features.openstreetmap.test_restrictions import (
    FROM_SOUTH,
    ROUND,
    SLOW,
    TO_WEST,
    relation,
)
from tests.solvers.features.openstreetmap.test_restrictions import write as write_city
from tests.solvers.features.openstreetmap.town import write_osm

SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setattr(history_module, "_MERGE_S", -1.0)
    open_graph(qtbot, window, TINY)
    qtbot.waitUntil(lambda: window.parts.canvas.canvas.frames.current, timeout=10_000)
    tick_only(window, "dijkstra-heap")
    undoing(window).start_again()
    return window


def place(window: MainWindow, *ids: int) -> QPoint:
    """The middle of some vertices on the canvas."""
    canvas, graph = window.parts.canvas.canvas, window.parts.session.graph
    positions = canvas.content.scene.positions[[graph.vertex(i) for i in ids]]
    x, y = canvas.view.camera.to_screen(positions.mean(axis=0))
    return QPoint(round(float(x)), round(float(y)))


def context_menu(window: MainWindow, at: QPoint) -> QMenu:
    canvas = window.parts.canvas.canvas
    QApplication.sendEvent(
        canvas, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, canvas.mapToGlobal(at))
    )
    return popup()


def named(menu: QMenu, *texts: str) -> QAction:
    """The entry reached through submenus of these names."""
    action = next(action for action in menu.actions() if action.text() == texts[0])
    return action if len(texts) == 1 else named(action.menu(), *texts[1:])


def lasso(qtbot: QtBot, window: MainWindow, corners: list[QPoint], *, release: bool = True) -> None:
    canvas = window.parts.canvas.canvas
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, SHIFT, corners[0])
    for corner in corners[1:]:
        qtbot.mouseMove(canvas, corner)
    if release:
        qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, SHIFT, corners[-1])


def run(qtbot: QtBot, window: MainWindow) -> None:
    window.parts.run.start()
    wait_until_idle(qtbot, window)


def test_a_road_is_closed_under_the_mouse_and_opened_again_by_undo_and_menu(
    qtbot: QtBot, opened: MainWindow
) -> None:
    """What the entries do is said whole: "Close" alone also closes a menu or a window."""
    session, whole = opened.parts.session, opened.parts.session.graph
    run(qtbot, opened)
    first = session.results.get("dijkstra-heap")
    assert first.target_distance == 13
    named(context_menu(opened, place(opened, 3, 5)), "Close road").trigger()
    wait_until_idle(qtbot, opened)
    changed = session.graph
    assert changed is not whole
    assert changed.m == whole.m - 2
    assert not session.results.all, "they answer the roads as they were"
    assert "1 road closed" in opened.graph_chip.toolTip().replace("\n", " ")
    comparison = comparison_of(opened)
    assert (comparison.before.length, comparison.after.length) == (13, 14)
    np.testing.assert_array_equal(comparison.before.path, first.path)
    assert (
        "Path before (dashed): 13; after: 14. It is 1 longer." in roads_panel(opened).words.text()
    )
    content = opened.parts.canvas.canvas.content
    np.testing.assert_array_equal(content.path_before, first.path)
    (marks,) = content.road_marks
    assert marks.ends.tolist() == [[whole.vertex(3), whole.vertex(5)]]
    run(qtbot, opened)
    second = session.results.get("dijkstra-heap")
    np.testing.assert_array_equal(
        to_float(second.distances), graphs.right_distances(changed, session.source)
    )
    trigger(qtbot, opened, "undo")
    assert session.graph is whole
    assert session.results.get("dijkstra-heap").trials == first.trials, "the results are back"
    assert comparison_of(opened) is None
    trigger(qtbot, opened, "redo")
    assert session.graph is changed
    assert session.results.get("dijkstra-heap").trials == second.trials

    trigger(qtbot, opened, "undo")
    for change, entry in (
        (("Close road",), "Open road"),
        (("Slow road down", "× 2"), "Restore road as in the file"),
        (("Close road one way", "From 3 to 5"), "Open road"),
    ):
        menu = context_menu(opened, place(opened, 3, 5))
        assert not named(menu, "Restore road as in the file").isEnabled()
        named(menu, *change).trigger()
        wait_until_idle(qtbot, opened)
        assert len(session.roads) == 1
        named(context_menu(opened, place(opened, 3, 5)), entry).trigger()
        wait_until_idle(qtbot, opened)
        assert not session.roads


def test_a_lasso_slows_what_it_holds_and_escape_takes_it_back(
    qtbot: QtBot, opened: MainWindow
) -> None:
    session, canvas = opened.parts.session, opened.parts.canvas.canvas
    centre = place(opened, 3, 5)
    around = [centre + QPoint(dx, dy) for dx, dy in ((-14, -14), (14, -14), (14, 14), (-14, 14))]
    lasso(qtbot, opened, around, release=False)
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, SHIFT, around[-1])
    assert QApplication.activePopupWidget() is None
    camera = canvas.view.camera
    lasso(qtbot, opened, around)
    assert canvas.view.camera == camera, "the picture stays where it is"
    named(popup(), "Slow road down", "× 3").trigger()
    wait_until_idle(qtbot, opened)
    (road,) = session.roads.roads
    assert ({road.tail, road.head}, road.factor) == ({3, 5}, 3)
    weights = session.graph.weights[session.graph.row(session.graph.vertex(3))]
    assert 6 in weights.tolist(), "2, slowed by 3"
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, SHIFT, place(opened, 4))
    assert session.target == session.graph.vertex(4), "Shift and a click still set the target"


def test_a_lasso_around_many_roads_is_one_entry(
    qtbot: QtBot, opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is undone, named in the list, saved with the session and taken back from the
    list as one.
    """
    monkeypatch.setattr(tools, "MOST_LISTED", 3)
    session, panel = opened.parts.session, roads_panel(opened)
    corners = [QPoint(1, 1), QPoint(1, 590), QPoint(790, 590), QPoint(790, 1)]
    lasso(
        qtbot,
        opened,
        [QPoint(min(c.x(), opened.parts.canvas.canvas.width() - 2), c.y()) for c in corners],
    )
    named(popup(), "Slow roads down", "× 2").trigger()
    wait_until_idle(qtbot, opened)
    count = len(session.roads)
    assert (count > 3, panel.table.rowCount()) == (True, 1)
    assert panel.table.item(0, 0).text() == f"{count} roads in a lasso"
    assert opened.commands["undo"].text().endswith(f"slow {count} roads")
    assert session.graph.weights.sum() > session.graph.as_read.weights.sum()
    panel.field.setText("3-5")
    qtbot.keyClick(panel.field, Qt.Key.Key_Return)
    wait_until_idle(qtbot, opened)
    assert panel.table.rowCount() == 2
    path, changes = tmp_path / "area.tautpath", session.roads
    sessions(opened).save(path)
    session.want_roads(RoadChanges())
    sessions(opened).open(path)
    qtbot.waitUntil(lambda: session.applied_roads == changes, timeout=30_000)
    wait_until_idle(qtbot, opened)
    panel.table.selectRow(0)
    qtbot.mouseClick(panel.remove_button, Qt.MouseButton.LeftButton)
    assert [(road.tail, road.head) for road in session.roads.roads] == [(3, 5)]
    assert not session.roads.areas
    opened.commands["undo"].trigger()
    assert session.roads == changes
    panel.table.selectRow(0)
    panel.table.doubleClicked.emit(panel.table.model().index(0, 0))
    assert not opened.parts.canvas.canvas.view.state.fitted


def test_all_roads_that_cross_are_offered_and_a_stretch_from_the_selected_vertex(
    qtbot: QtBot, opened: MainWindow
) -> None:
    session = opened.parts.session
    session.set_endpoints(session.graph.vertex(2), session.graph.vertex(4))
    run(qtbot, opened)
    (a, b), (c, d) = ((place(opened, v) for v in pair) for pair in ((2, 4), (1, 3)))
    lines = QLineF(a, b), QLineF(c, d)
    _, at = lines[0].intersects(lines[1])
    menu = context_menu(opened, at.toPoint())
    roads = [action.text() for action in menu.actions() if action.menu()][:2]
    assert not opened.commands["roads-clear"].isEnabled(), "there is nothing to open again"
    assert roads == ["Road 2–4", "Road 1–3"]
    named(menu, "Road 1–3", "Close road").trigger()
    wait_until_idle(qtbot, opened)
    assert [{r.tail, r.head} for r in session.roads.roads] == [{1, 3}]
    assert opened.commands["roads-clear"].isEnabled()

    trigger(qtbot, opened, "roads-clear")
    session.set_endpoints(0, session.graph.n - 1)
    run(qtbot, opened)
    qtbot.mouseClick(opened.parts.canvas.canvas, Qt.MouseButton.LeftButton, pos=place(opened, 2))
    menu = context_menu(opened, place(opened, 7))
    named(menu, "Path 2 to 7: 3 roads", "Close roads").trigger()
    wait_until_idle(qtbot, opened)
    assert [(r.tail, r.head) for r in session.roads.roads] == [
        (2, 5),
        (5, 3),
        (3, 7),
    ]


def test_roads_are_changed_by_their_ids_and_what_cannot_be_is_said(
    qtbot: QtBot, opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.activateWindow()
    opened.commands["roads"].trigger()
    qtbot.waitUntil(roads_panel(opened).field.hasFocus)
    before = opened.notices.notice
    opened.commands["roads"].trigger()
    assert opened.notices.notice is not before
    assert opened.notices.notice.text == "The closed and slowed roads are shown already."

    panel, session = roads_panel(opened), opened.parts.session
    notices: list[str] = []
    session.noticed.connect(lambda notice: notices.append(notice.text))
    for typed, words in (
        ("3", "such as 12-13"),
        ("3-99", "no vertex “99”"),
        ("1-8", "no arc of textbook"),
    ):
        panel.field.setText(typed)
        qtbot.keyClick(panel.field, Qt.Key.Key_Return)
        assert words in notices[-1]
    panel.field.setText("3-5")
    panel.factor.setValue(1_000_000)
    qtbot.mouseClick(panel.slow_button, Qt.MouseButton.LeftButton)
    panel.field.setText("5 - 7")
    qtbot.keyClick(panel.field, Qt.Key.Key_Return)
    wait_until_idle(qtbot, opened)
    assert [panel.table.item(row, 1).text() for row in range(2)] == ["× 1e+06", "closed"]
    opened.parts.export.network(tmp_path / "out.gr")
    wait_until_idle(qtbot, opened)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "out.csv"), ""))
    trigger(qtbot, opened, "export-differences")
    wait_until_idle(qtbot, opened)
    again = read_graph(tmp_path / "out.gr").graph
    assert (again.m, int(again.weights.max())) == (24, 2_000_000)
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = {row["vertex"]: row for row in csv.DictReader(file)}
    assert rows["8"]["before"] == "13"
    panel.show_differences.setChecked(True)
    content = opened.parts.canvas.canvas.content
    assert Layer.DIFFERENCE in content.layers
    assert content.legend.quantity == "farther than before by"
    opened.parts.canvas.options.set_layer(Layer.DIFFERENCE.value, False)
    assert not panel.show_differences.isChecked()
    opened.parts.canvas.options.set_layer(Layer.DIFFERENCE, True)
    assert panel.show_differences.isChecked()
    panel.table.selectRow(0)
    panel.table.doubleClicked.emit(panel.table.model().index(0, 0))
    assert not opened.parts.canvas.canvas.view.state.fitted
    qtbot.mouseClick(panel.remove_button, Qt.MouseButton.LeftButton)
    assert [(r.tail, r.head) for r in session.roads.roads] == [(5, 7)]
    trigger(qtbot, opened, "roads-clear")
    assert session.graph is session.graph.as_read
    assert not panel.show_differences.isEnabled()
    assert not panel.show_differences.isChecked(), "it stayed checked without differences"


def test_dead_ends_that_closed_roads_make_are_told(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    no_left = relation(77, {"restriction": "no_left_turn"}, FROM_SOUTH, ("via", "node", 5), TO_WEST)
    open_graph(qtbot, window, write_city(tmp_path, no_left, ways=ROUND, tags=SLOW))
    panel, notices = roads_panel(window), list[str]()
    window.parts.session.noticed.connect(lambda notice: notices.append(notice.text))
    panel.field.setText("7-1")
    qtbot.keyClick(panel.field, Qt.Key.Key_Return)
    wait_until_idle(qtbot, window)
    assert "Closed roads make 2 dead ends, where paths may turn round: 1, 7." in notices[-1]


def test_live_answers_follow_the_roads(qtbot: QtBot, opened: MainWindow) -> None:
    session = opened.parts.session
    opened.commands["live"].trigger()
    for closed in ((3, 5), (2, 5)):
        session.want_roads(session.roads.close(closed))
        wait_until_idle(qtbot, opened)
        qtbot.waitUntil(
            lambda: (
                session.unmeasured.answer is not None
                and session.unmeasured.answer.graph is session.graph
            ),
            timeout=10_000,
        )
        right = graphs.right_distances(session.graph, session.source)
        np.testing.assert_array_equal(
            to_float(session.unmeasured.answer.distances.distances), right
        )
    assert opened.parts.canvas.canvas.content.path_before is not None
    assert not session.results.all, "live answers are no results"


def test_roads_are_kept_by_a_session_file_and_not_by_a_refused_change_or_another_graph(
    qtbot: QtBot, opened: MainWindow, tmp_path: Path
) -> None:
    session = opened.parts.session
    session.want_roads(session.roads.close((3, 5)))
    wait_until_idle(qtbot, opened)
    closed, changes = session.graph, session.roads
    with qtbot.waitSignal(session.noticed) as noticed:
        session.want_roads(session.roads.slow(1e12, (1, 2)))
    assert "cannot be slowed by 1e+12" in noticed.args[0].text
    assert (session.graph, session.roads) == (closed, changes)
    trigger(qtbot, opened, "undo")
    assert not session.roads

    session.want_roads(session.roads.close((3, 5)))
    session.want_roads(session.roads.slow(2.5, (1, 2), one_way=True))
    wait_until_idle(qtbot, opened)
    changes, weights = session.roads, session.graph.weights
    path = tmp_path / "closed.tautpath"
    sessions(opened).save(path)
    session.want_roads(RoadChanges())
    for open_again in (lambda: None, lambda: open_graph(qtbot, opened, SAMPLE)):
        open_again()
        sessions(opened).open(path)
        qtbot.waitUntil(lambda: session.applied_roads == changes, timeout=30_000)
        wait_until_idle(qtbot, opened)
        np.testing.assert_array_equal(session.graph.weights, weights)

    open_graph(qtbot, opened, SAMPLE)
    assert not session.roads
    assert session.graph is session.graph.as_read
    assert not undoing(opened).history.canUndo()


def test_a_graph_without_coordinates_is_laid_out_once_for_all_changes(
    qtbot: QtBot, opened: MainWindow
) -> None:
    whole = opened.parts.session.graph
    bare = Graph(whole.indptr, whole.indices, whole.weights, ids=whole.ids, name="bare")
    opened.parts.session.open_graph(bare)
    wait_until_idle(qtbot, opened)
    positions = opened.parts.canvas.scenes.scene.positions
    opened.parts.session.want_roads(opened.parts.session.roads.close((3, 5)))
    wait_until_idle(qtbot, opened)
    scene = opened.parts.canvas.scenes.scene
    assert scene.positions is positions
    assert scene.graph is opened.parts.session.graph
    assert scene.edges == 13, "closed roads stay drawn"


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
def weighing_opened(qtbot: QtBot, window: MainWindow, town: Path) -> MainWindow:
    open_graph(qtbot, window, town)
    graph = window.parts.session.graph
    window.parts.session.set_endpoints(graph.vertex(1), graph.vertex(4))
    tick_only(window, "dijkstra-heap")
    return window


def weighing_run(qtbot: QtBot, window: MainWindow) -> None:
    trigger(qtbot, window, "run")


def choose(window: MainWindow, words: str) -> None:
    """Choose the weights in the toolbar as a click in the list does."""
    box = window.weights_box
    index = box.findText(words)
    box.setCurrentIndex(index)
    box.activated.emit(index)


def test_the_weights_change_without_reopening_and_results_return(
    qtbot: QtBot, weighing_opened: MainWindow
) -> None:
    weighing_run(qtbot, weighing_opened)
    camera, scene = (
        weighing_opened.parts.canvas.canvas.view.camera,
        weighing_opened.parts.canvas.scenes.scene,
    )
    assert weighing_opened.weights_box.isVisible()
    assert weighing_opened.path_panel.list.toPlainText() == "A 13, 319 m"
    assert weighing_opened.path_panel.facts.text() == "time 11.5 s · 319 m · 1 arc"

    choose(weighing_opened, "Shortest")
    wait_until_idle(qtbot, weighing_opened)
    assert weighing_opened.parts.session.results.all == ()
    assert weighing_opened.parts.session.graph.weight_unit == "0.1 m"
    assert weighing_opened.commands["weights-metres"].isChecked()
    weighing_run(qtbot, weighing_opened)
    assert weighing_opened.path_panel.list.toPlainText() == "Main Street, 227 m"
    assert weighing_opened.path_panel.facts.text().startswith("length 22")
    assert weighing_opened.parts.canvas.canvas.view.camera == camera
    assert weighing_opened.parts.canvas.scenes.scene.segments is scene.segments
    assert weighing_opened.parts.session.graph_source.reading.weights == "metres"

    trigger(qtbot, weighing_opened, "weights-seconds")
    assert weighing_opened.path_panel.list.toPlainText() == "A 13, 319 m"  # without another run
    assert weighing_opened.weights_box.currentText() == "Fastest"


def test_the_last_choice_counts_while_roads_are_still_being_weighed(
    qtbot: QtBot, weighing_opened: MainWindow
) -> None:
    graph = weighing_opened.parts.session.graph
    choose(weighing_opened, "Shortest")
    choose(weighing_opened, "Fastest")
    wait_until_idle(qtbot, weighing_opened)
    assert weighing_opened.parts.session.graph is graph
    assert weighing_opened.weights_box.currentText() == "Fastest"


def test_closed_roads_stay_closed_with_other_weights(
    qtbot: QtBot, weighing_opened: MainWindow
) -> None:
    weighing_opened.parts.session.want_roads(weighing_opened.parts.session.roads.close((1, 4)))
    wait_until_idle(qtbot, weighing_opened)

    choose(weighing_opened, "Shortest")
    wait_until_idle(qtbot, weighing_opened)

    assert (
        weighing_opened.parts.session.graph.base.graph
        is weighing_opened.parts.session.graph.as_read
    )
    assert weighing_opened.parts.session.graph.weight_unit == "0.1 m"
    assert (
        weighing_opened.parts.session.graph.m == weighing_opened.parts.session.graph.as_read.m - 2
    )


def test_the_list_has_the_names_of_roads_where_they_are_known(
    qtbot: QtBot, weighing_opened: MainWindow
) -> None:
    for road in ((1, 2), (1, 4)):
        weighing_opened.parts.session.want_roads(weighing_opened.parts.session.roads.close(road))
        wait_until_idle(qtbot, weighing_opened)
    table = roads_panel(weighing_opened).table
    shown = [table.item(row, 0).text() for row in range(table.rowCount())]
    assert shown == ["Main Street, 1 – 2", "A 13, 1 – 4"]


def test_other_graphs_have_no_choice_of_weights(qtbot: QtBot, weighing_opened: MainWindow) -> None:
    open_graph(qtbot, weighing_opened, TINY)

    assert not weighing_opened.weights_box.isVisible()
    assert not weighing_opened.commands["weights-metres"].isEnabled()


def test_the_largest_part_is_offered(qtbot: QtBot, weighing_opened: MainWindow) -> None:
    notice = weighing_opened.notices.notice
    assert "2 of 6 vertices are not connected" in notice.text
    assert notice.action_text == "Keep the largest part only"

    with qtbot.waitSignal(weighing_opened.parts.session.graph_changed, timeout=60_000):
        notice.action()

    assert weighing_opened.parts.session.graph.n == 4
    assert weighing_opened.parts.session.graph_source.reading.largest_part


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
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=60_000):
        window.commands["open-options"].trigger()

    assert not window.parts.session.graph.directed
    assert window.parts.session.graph.weight_unit == "0.1 m"
    assert window.parts.session.graph.n == 4


def test_a_road_under_the_pointer_tells_its_name(qtbot: QtBot, weighing_opened: MainWindow) -> None:
    canvas, graph = weighing_opened.parts.canvas.canvas, weighing_opened.parts.session.graph
    qtbot.waitUntil(lambda: canvas.frames.current, timeout=10_000)
    ends = [[graph.vertex(node)] for node in (1, 4)]
    (place,) = points_on_roads(canvas.content.scene, *ends, [0.3])
    x, y = canvas.view.camera.to_screen(place)
    before = canvas.grab().toImage()

    qtbot.mouseMove(canvas, QPoint(round(x), round(y)))
    qtbot.waitUntil(lambda: canvas.road.hovered is not None, timeout=20_000)

    road = canvas.road.hovered
    assert sorted(graph.ids[list(road)].tolist()) == [1, 4]
    assert canvas.grab().toImage() != before
