"""Live mode: markers are dragged with the mouse, and at every stop the picture shows SciPy's distances."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.canvas.graph_canvas import GraphCanvas
from gui.export.composition import PictureState
from gui.picture.scene.hover import vertex_rows
from gui.window import MainWindow
from solvers.graphs.generators import find
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.running.live_query import LiveAnswer
from tests.graphs import from_list
from tests.gui.windows import PATIENCE_MS, tick_only, wait_until_idle
from tests.solvers.running.test_live import rows_of_scipy

SOURCE, TARGET, OTHER = 10, 1100, 600


@pytest.fixture(scope="module")
def road() -> Graph:
    return find("road").generate({"vertices": 1200})


@pytest.fixture
def live(window: MainWindow, qtbot: QtBot, road: Graph) -> LiveBench:
    return LiveBench(window, qtbot, road)


def notice_text(window: MainWindow) -> str:
    assert window.notices.notice is not None
    return window.notices.notice.text


class LiveBench:
    """The window in live mode, and a mouse."""

    def __init__(self, window: MainWindow, qtbot: QtBot, graph: Graph):
        self.window, self.qtbot, self.graph = window, qtbot, graph
        window.session.open_graph(graph)
        qtbot.waitUntil(lambda: window.canvas.canvas.frame is not None, timeout=PATIENCE_MS)
        window.session.set_endpoints(SOURCE, TARGET)
        window.commands["live"].trigger()
        self.await_answer(lambda answer: answer.query.sources[0] == SOURCE)

    @property
    def canvas(self) -> GraphCanvas:
        return self.window.canvas.canvas

    def await_answer(self, fits: Callable[[LiveAnswer], bool]) -> LiveAnswer:
        """Wait until the canvas shows an answer like that."""
        state = self.window.session.live

        def shown() -> bool:
            content = self.canvas.content
            return (
                (answer := state.answer) is not None
                and fits(answer)
                and content is not None
                and content.activity.answer is answer.distances
                and self.canvas.frame_is_current
            )

        self.qtbot.waitUntil(shown, timeout=PATIENCE_MS)
        assert state.answer is not None
        return state.answer

    def place(self, vertex: int) -> QPoint:
        assert self.canvas.content is not None
        x, y = self.canvas.camera.to_screen(self.canvas.content.scene.positions[vertex])
        return QPoint(round(x), round(y))

    def press(self, vertex: int) -> None:
        QTest.mousePress(self.canvas, Qt.MouseButton.LeftButton, pos=self.place(vertex))

    def move_to(self, vertex: int) -> None:
        QTest.mouseMove(self.canvas, self.place(vertex) + QPoint(8, 8))
        QTest.mouseMove(self.canvas, self.place(vertex))

    def release(self, vertex: int) -> None:
        QTest.mouseRelease(self.canvas, Qt.MouseButton.LeftButton, pos=self.place(vertex))


def test_the_field_follows_a_dragged_source(live: LiveBench) -> None:
    live.press(SOURCE)
    for stop in (300, 700, OTHER):
        live.move_to(stop)
        answer = live.await_answer(lambda answer, stop=stop: answer.query.sources == (stop,))
        assert np.array_equal(to_float(answer.distances), rows_of_scipy(live.graph, (stop,))[0])
        assert live.canvas.content is not None
        assert live.canvas.content.path is answer.path
    assert live.window.session.source == SOURCE, "the session follows when the marker is dropped"
    live.release(OTHER)
    assert live.window.session.source == OTHER
    live.window.undoing.undo()
    assert live.window.session.source == SOURCE, "the drag is one step"


def test_the_path_follows_a_dragged_target(live: LiveBench) -> None:
    live.press(TARGET)
    live.move_to(OTHER)
    answer = live.await_answer(lambda answer: answer.query.target == OTHER)
    assert answer.length == rows_of_scipy(live.graph, (SOURCE,))[0, OTHER]
    QTest.keyClick(live.canvas, Qt.Key.Key_Escape)
    live.await_answer(lambda answer: answer.query.target == TARGET)


def test_a_further_source_is_added_moved_and_removed(live: LiveBench) -> None:
    state = live.window.session.live
    state.add_source(OTHER)
    answer = live.await_answer(lambda answer: answer.query.sources == (SOURCE, OTHER))
    assert np.array_equal(to_float(answer.distances), rows_of_scipy(live.graph, (SOURCE, OTHER)).min(axis=0))
    live.press(OTHER)
    live.move_to(300)
    live.release(300)
    assert state.more_sources == (300,)
    live.await_answer(lambda answer: answer.query.sources == (SOURCE, 300))
    state.remove_source(300)
    live.await_answer(lambda answer: answer.query.sources == (SOURCE,))


def test_answers_use_the_hierarchy_once_it_is_prepared(live: LiveBench) -> None:
    answer = live.await_answer(lambda answer: answer.query.weights.prepared)
    assert answer.method == "hierarchy"


def test_nothing_live_becomes_a_result(live: LiveBench) -> None:
    tick_only(live.window, "dijkstra-heap")
    assert live.window.session.results == ()
    assert live.canvas.result is None
    assert "not measured" in live.window.session.live.words
    live.window.commands["live"].trigger()
    assert live.canvas.content is not None
    assert live.canvas.content.activity.answer is None, "the picture is that of the session again"


def test_another_graph_ends_what_was_live(live: LiveBench) -> None:
    live.window.session.live.add_source(OTHER)
    live.window.session.open_graph(from_list(3, [(0, 1, 1), (1, 2, 1)]))
    assert live.window.session.live.more_sources == ()
    live.await_answer(lambda answer: answer.graph is live.window.session.graph)


def test_a_source_without_a_way_out_is_said(live: LiveBench) -> None:
    live.window.session.open_graph(from_list(3, [(1, 0, 1), (1, 2, 1)]))
    live.await_answer(lambda answer: answer.graph is live.window.session.graph)
    assert "no road leads out of source 10" in live.window.session.live.words


def test_one_vertex_has_no_live_mode(window: MainWindow) -> None:
    window.session.open_graph(Graph.from_arcs(1, *(np.empty(0, np.int32) for _ in range(3))))
    window.commands["live"].trigger()
    assert not window.session.live.on
    assert not window.commands["live"].isChecked()
    assert "at least two vertices" in notice_text(window)


def test_negative_weights_wait_for_the_hierarchy(window: MainWindow, qtbot: QtBot) -> None:
    window.session.open_graph(from_list(3, [(0, 1, 4), (0, 2, 5), (2, 1, -2)]))
    window.commands["live"].trigger()
    qtbot.waitUntil(lambda: window.session.live.answer is not None, timeout=PATIENCE_MS)
    assert window.session.live.answer is not None
    assert window.session.live.answer.distances.tolist() == [0, 3, 5]


def test_a_negative_cycle_ends_live_mode(window: MainWindow, qtbot: QtBot) -> None:
    graph = from_list(3, [(0, 1, 4), (1, 2, -5), (2, 1, -2)])
    window.session.open_graph(graph)
    window.commands["live"].trigger()
    qtbot.waitUntil(lambda: not window.session.live.on, timeout=PATIENCE_MS)
    assert "Bellman-Ford" in notice_text(window)


def test_hovering_shows_distance_nearest_source_and_way_at_once(live: LiveBench) -> None:
    live.window.session.live.add_source(OTHER)
    answer = live.await_answer(lambda answer: answer.query.sources == (SOURCE, OTHER))
    assert answer.owner(601) == OTHER
    before = live.canvas.grab().toImage()
    QTest.mouseMove(live.canvas, live.place(300))
    assert live.canvas.grab().toImage() != before, "the card and the way are there without a rest"
    content = live.canvas.content
    assert content is not None
    rows = dict(vertex_rows(content, None, 601))
    assert rows["nearest source"] == str(int(live.graph.ids[OTHER]))


def test_the_path_panel_shows_the_live_path(live: LiveBench) -> None:
    answer = live.await_answer(lambda answer: answer.query.target == TARGET)
    assert answer.path is not None
    panel = live.window.path_panel
    assert "live, not measured" in panel.facts.text()
    assert panel.heading.text() == f"{int(live.graph.ids[SOURCE])} → {int(live.graph.ids[TARGET])}"


def test_an_exported_picture_says_that_it_is_live(live: LiveBench) -> None:
    state = live.window.canvas.picture_state()
    assert isinstance(state, PictureState)
    assert "live, not measured" in state.caption


def test_a_moved_target_builds_no_chart_anew(window: MainWindow, qtbot: QtBot, road: Graph) -> None:
    window.session.open_graph(road)
    tick_only(window, "dijkstra-heap")
    window.running.run()
    wait_until_idle(qtbot, window)
    assert window.session.results
    figures = [chart.figure for chart in window.charts.charts]
    estimate = window.forecast.estimate
    window.session.set_target(OTHER)
    assert [chart.figure for chart in window.charts.charts] == figures
    assert window.forecast.estimate is estimate


def test_a_slow_graph_is_said_once(live: LiveBench, monkeypatch: pytest.MonkeyPatch) -> None:
    notices = []
    live.window.session.noticed.connect(notices.append)
    monkeypatch.setattr("gui.controllers.live._SLOW_MS", 0.0)
    live.await_answer(lambda answer: answer.query.weights.prepared)  # a change of method would start the count again
    for target in (20, 30, 40, 50, 60):
        live.window.session.set_target(target)
        live.await_answer(lambda answer, target=target: answer.query.target == target)
    assert ["fewer than 5 pictures a second" in notice.text for notice in notices] == [True]


def test_other_sources_keep_their_colours_while_one_is_in_hand(live: LiveBench) -> None:
    live.window.session.live.set_more_sources((OTHER, 300))
    live.await_answer(lambda answer: answer.query.sources == (SOURCE, OTHER, 300))
    live.press(OTHER)
    live.move_to(900)
    live.await_answer(lambda answer: answer.query.sources == (SOURCE, 900, 300))
    carried, content = live.canvas.marker_in_hand, live.canvas.content
    assert carried is not None
    assert content is not None
    assert carried.without_marker(content).more_sources == (None, 300)


def test_the_time_shown_is_not_that_of_the_first_answer(live: LiveBench) -> None:
    assert live.await_answer(lambda answer: answer.query.weights.prepared).solve_ms > 0.0
    state = live.window.session.live
    live.window.session.set_target(OTHER)
    live.await_answer(lambda answer: answer.query.target == OTHER)
    assert state.usual_ms is not None
    live.window.session.open_graph(from_list(3, [(0, 1, 1), (1, 2, 1)]))
    assert state.usual_ms is None
