"""Live mode: wherever a dragged marker stops the picture shows SciPy's distances;
answers are exported and measured.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QFileDialog
from pytestqt.qtbot import QtBot

from gui.canvas.graph_canvas import GraphCanvas
from gui.dialogs.export import SCHEME, AnimationChoice, AnimationDialog
from gui.export.animation import AnimationOptions
from gui.export.composition import PictureState
from gui.export.page import Page
from gui.features.live.animation import LiveAnimationComposition
from gui.features.live.drawer import LiveDrawer, LiveRequest
from gui.features.live.recorder import DragRecorder
from gui.window import MainWindow
from solvers import prepare
from solvers.features.live.query import LiveAnswer, LiveQuery
from solvers.graphs.generators import find
from solvers.graphs.graph import Graph
from solvers.graphs.hours import Hour
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.weights import to_float
from solvers.graphs.writers import write_dimacs
from solvers.picture.scene.content import PictureContent, vertex_rows
from solvers.running.prepared_network import network_with_hierarchy
from solvers.system.cancel import CancelToken
from solvers.system.quiet import Quiet
from solvers.text import format_count
from tests.graphs import from_list, right_distances
from tests.gui.pictures import street_grid
from tests.gui.windows import (
    PATIENCE_MS,
    TINY,
    open_graph,
    run_only,
    tick_only,
    trigger,
    undoing,
    wait_until_idle,
)
from tests.solvers.features.live.test_solver import rows_of_scipy

SOURCE, TARGET, OTHER = 10, 1100, 600


@pytest.fixture(scope="module")
def road() -> Graph:
    return find("road").generate({"vertices": 1200})


@pytest.fixture
def live(window: MainWindow, qtbot: QtBot, road: Graph) -> LiveBench:
    return LiveBench(window, qtbot, road)


def recorder(window: MainWindow) -> DragRecorder:
    return window.findChild(DragRecorder)


def notice_text(window: MainWindow) -> str:
    return window.notices.notice.text


class LiveBench:
    """The window in live mode, and a mouse."""

    def __init__(self, window: MainWindow, qtbot: QtBot, graph: Graph):
        self.window, self.qtbot, self.graph = window, qtbot, graph
        self.session = window.parts.session
        self.session.open_graph(graph)
        qtbot.waitUntil(
            lambda: window.parts.canvas.canvas.frames.newest is not None, timeout=PATIENCE_MS
        )
        self.session.set_endpoints(SOURCE, TARGET)
        window.commands["live"].trigger()
        self.await_answer(lambda answer: answer.query.sources[0] == SOURCE)

    @property
    def canvas(self) -> GraphCanvas:
        return self.window.parts.canvas.canvas

    def await_answer(self, fits: Callable[[LiveAnswer], bool]) -> LiveAnswer:
        """Wait until the canvas shows an answer like that."""
        state = self.window.controller_of("live")

        def shown() -> bool:
            content = self.canvas.content
            return (
                (answer := state.answer) is not None
                and fits(answer)
                and content is not None
                and content.activity.answer is answer.distances
                and self.canvas.frames.current
            )

        self.qtbot.waitUntil(shown, timeout=PATIENCE_MS)
        assert state.answer is not None
        return state.answer

    def place(self, vertex: int) -> QPoint:
        x, y = self.canvas.view.camera.to_screen(self.canvas.content.scene.positions[vertex])
        return QPoint(round(x), round(y))

    def press(self, vertex: int) -> None:
        QTest.mousePress(self.canvas, Qt.MouseButton.LeftButton, pos=self.place(vertex))

    def move_to(self, vertex: int) -> None:
        QTest.mouseMove(self.canvas, self.place(vertex) + QPoint(8, 8))
        QTest.mouseMove(self.canvas, self.place(vertex))

    def release(self, vertex: int) -> None:
        QTest.mouseRelease(self.canvas, Qt.MouseButton.LeftButton, pos=self.place(vertex))


def test_path_panel_picture_and_field_follow_dragged_markers(live: LiveBench) -> None:
    answer = live.await_answer(lambda answer: answer.query.target == TARGET)
    assert answer.path is not None
    panel = live.window.path_panel
    assert "live, not measured" in panel.facts.text()
    assert panel.heading.text() == f"{int(live.graph.ids[SOURCE])} → {int(live.graph.ids[TARGET])}"

    state = live.window.parts.canvas.picture_state()
    assert isinstance(state, PictureState)
    assert "live, not measured" in state.caption

    live.press(TARGET)
    live.move_to(OTHER)
    answer = live.await_answer(lambda answer: answer.query.target == OTHER)
    assert answer.length == rows_of_scipy(live.graph, (SOURCE,))[0, OTHER]
    QTest.keyClick(live.canvas, Qt.Key.Key_Escape)
    live.await_answer(lambda answer: answer.query.target == TARGET)

    live.press(SOURCE)
    for stop in (300, 700, OTHER):
        live.move_to(stop)
        answer = live.await_answer(lambda answer, stop=stop: answer.query.sources == (stop,))
        assert np.array_equal(to_float(answer.distances), rows_of_scipy(live.graph, (stop,))[0])
        assert live.canvas.content.path is answer.path
    assert live.session.source == SOURCE, "the session follows when the marker is dropped"
    live.release(OTHER)
    assert live.session.source == OTHER
    undoing(live.window).undo()
    assert live.session.source == SOURCE, "the drag is one step"


def test_further_sources_are_added_moved_hovered_and_removed(live: LiveBench) -> None:
    live.session.add_source(OTHER)
    answer = live.await_answer(lambda answer: answer.query.sources == (SOURCE, OTHER))
    assert answer.owner(601) == OTHER
    before = live.canvas.grab().toImage()
    QTest.mouseMove(live.canvas, live.place(300))
    assert live.canvas.grab().toImage() != before, "the card and the way are there without a rest"
    rows = dict(vertex_rows(live.canvas.content, None, 601))
    assert rows["nearest source"] == str(int(live.graph.ids[OTHER]))

    assert np.array_equal(
        to_float(answer.distances), rows_of_scipy(live.graph, (SOURCE, OTHER)).min(axis=0)
    )
    live.press(OTHER)
    live.move_to(300)
    live.release(300)
    session = live.session
    assert session.sources[1:] == (300,)
    live.await_answer(lambda answer: answer.query.sources == (SOURCE, 300))
    session.remove_source(300)
    live.await_answer(lambda answer: answer.query.sources == (SOURCE,))

    live.session.set_question((SOURCE, OTHER, 300), TARGET)
    live.await_answer(lambda answer: answer.query.sources == (SOURCE, OTHER, 300))
    live.press(OTHER)
    live.move_to(900)
    live.await_answer(lambda answer: answer.query.sources == (SOURCE, 900, 300))
    carried, content = live.canvas.marker.carried, live.canvas.content
    assert content is not None
    assert carried.without_marker(content).more_sources == (None, 300)


def test_alternatives_follow_a_dragged_marker_and_one_is_chosen_by_a_click(
    live: LiveBench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window, panel = live.window, live.window.path_panel
    assert not panel.isVisible()
    live.session.set_endpoints(SOURCE, 0)
    QTest.keyClick(live.canvas, Qt.Key.Key_A)
    assert panel.isVisible(), "where a way is chosen"
    live.press(SOURCE)
    for stop in (300, 435):
        live.move_to(stop)
        answer = live.await_answer(lambda a, stop=stop: a.query.sources == (stop,) and a.ways)
    live.release(435)
    live.session.set_endpoints(435, 735)
    answer = live.await_answer(lambda a: a.query.target == 735 and a.ways is not None)
    right = prepare(live.graph, device=None).alternatives(436, 736, 3)
    assert [way.vertices.tolist() for way in answer.ways.ways] == [
        [v - 1 for v in way] for way in right
    ]
    assert len(right) > 1
    others = live.canvas.content.other_ways
    assert [way.vertices.tolist() for way in others] == [[v - 1 for v in way] for way in right[1:]]
    assert others[0].text.endswith("% shared")

    table = window.features["alternatives"].controller()
    assert table.rowCount() == len(right)
    cell = table.visualItemRect(table.item(1, 1)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=cell)
    assert f"length {format_count(right[1].length)} ·" in panel.facts.text()
    assert live.canvas.content.path.tolist() == [v - 1 for v in right[1]]
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "ways.csv"), ""))
    trigger(live.qtbot, window, "export-path")
    with (tmp_path / "ways.csv").open(newline="") as file:
        numbers = dict.fromkeys(row["way"] for row in csv.DictReader(file))
    assert list(numbers)[:2] == ["2", "1"], "the chosen one first"

    window.commands["live"].trigger()
    live.qtbot.waitUntil(lambda: live.session.unmeasured.answer is not None, timeout=PATIENCE_MS)
    assert live.session.unmeasured.words.startswith("Alternatives")
    window.commands["live"].trigger()
    assert live.session.unmeasured.words.startswith("Live")
    window.commands["live"].trigger()
    QTest.mouseClick(table.button, Qt.MouseButton.LeftButton)
    live.qtbot.waitUntil(lambda: live.session.unmeasured.answer is None, timeout=PATIENCE_MS)
    assert table.isHidden()
    assert live.session.unmeasured.words == ""
    QTest.mouseClick(table.button, Qt.MouseButton.LeftButton)
    assert live.session.unmeasured.words == "Waiting for the first answer"
    QTest.mouseClick(table.button, Qt.MouseButton.LeftButton)
    assert not window.commands["alternatives"].isChecked()


def test_live_answers_are_those_of_the_hour(live: LiveBench, tmp_path: Path) -> None:
    (tmp_path / "hours.csv").write_text("class,08:00,07:00\nothers,2,1.5\n")
    for at, factor in (("07:00", 1.5), ("08:00", 2.0), ("", 1.0)):
        hour = Hour.of(tmp_path / "hours.csv", at) if at else None
        live.session.want_roads(RoadChanges(hour=hour))
        right = np.floor(live.graph.weights * factor + 0.5).astype(np.int32)
        weighted = replace(live.graph, weights=right, assume_symmetric=True)
        rows = rows_of_scipy(weighted, (SOURCE,))[0]
        live.await_answer(lambda a, rows=rows: np.array_equal(to_float(a.distances), rows))
        assert live.session.unmeasured.words.startswith(f"Live at {at}" if at else "Live,")
        assert f"length {format_count(int(rows[TARGET]))} ·" in live.window.path_panel.facts.text()


def test_times_are_those_of_the_hierarchy_and_a_slow_graph_is_said_once(
    live: LiveBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = live.await_answer(lambda answer: answer.query.state.prepared)
    assert answer.method == "hierarchy"
    assert answer.solve_ms > 0.0

    notices = []
    live.session.noticed.connect(notices.append)
    monkeypatch.setattr("gui.features.live.controller._SLOW_MS", 0.0)
    # a change of method would start the count again, so it is after the first
    for target in (20, 30, 40, 50, 60):
        live.session.set_target(target)
        live.await_answer(lambda answer, target=target: answer.query.target == target)
    assert ["fewer than 5 pictures a second" in notice.text for notice in notices] == [True]

    state = live.window.controller_of("live")
    live.session.set_target(OTHER)
    live.await_answer(lambda answer: answer.query.target == OTHER)
    assert state.usual_ms is not None
    live.session.open_graph(from_list(3, [(0, 1, 1), (1, 2, 1)]))
    assert state.usual_ms is None


def test_the_path_comes_before_the_first_alternatives(road: Graph) -> None:
    """Functions may have to be compiled for these: markers and panel kept the earlier ends."""
    drawer = LiveDrawer(Quiet())
    query = LiveQuery(road, (0,), road.n - 1, network_with_hierarchy(road), 3)
    request = LiveRequest(query, CancelToken())
    for expected in ([False, True], [True]):
        replies = list(drawer.frames(request, newer=lambda: False))
        assert [reply.answer.ways is not None for reply in replies if reply.answer] == expected


def test_what_is_live_is_no_result_and_ends_with_its_graph(live: LiveBench) -> None:
    tick_only(live.window, "dijkstra-heap")
    assert live.session.results.all == ()
    assert live.canvas.result is None
    assert "not measured" in live.session.unmeasured.words
    live.window.commands["live"].trigger()
    assert live.canvas.content.activity.answer is None, "the picture is that of the session again"

    live.window.commands["live"].trigger()
    live.session.add_source(OTHER)
    live.session.open_graph(from_list(3, [(0, 1, 1), (1, 2, 1)]))
    assert live.session.sources[1:] == ()
    live.await_answer(lambda answer: answer.graph is live.session.graph)

    live.session.open_graph(from_list(3, [(1, 0, 1), (1, 2, 1)]))
    live.await_answer(lambda answer: answer.graph is live.session.graph)
    assert "no road leads out of source 10" in live.session.unmeasured.words


def test_one_vertex_and_negative_cycles_have_no_live_mode_and_negative_weights_wait(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.parts.session.open_graph(Graph.from_arcs(1, *(np.empty(0, np.int32) for _ in range(3))))
    window.commands["live"].trigger()
    assert not window.parts.session.unmeasured.follows
    assert not window.commands["live"].isChecked()
    assert "at least two vertices" in notice_text(window)

    window.parts.session.open_graph(from_list(3, [(0, 1, 4), (0, 2, 5), (2, 1, -2)]))
    window.commands["live"].trigger()
    qtbot.waitUntil(lambda: window.parts.session.unmeasured.answer is not None, timeout=PATIENCE_MS)
    assert window.parts.session.unmeasured.answer.distances.distances.tolist() == [0, 3, 5]

    graph = from_list(3, [(0, 1, 4), (1, 2, -5), (2, 1, -2)])
    window.parts.session.open_graph(graph)
    qtbot.waitUntil(lambda: not window.parts.session.unmeasured.follows, timeout=PATIENCE_MS)
    assert "Bellman-Ford" in notice_text(window)


def test_a_moved_target_builds_no_chart_anew(window: MainWindow, qtbot: QtBot, road: Graph) -> None:
    window.parts.session.open_graph(road)
    run_only(qtbot, window, "dijkstra-heap")
    assert window.parts.session.results.all
    tables = [chart.table for chart in window.parts.charts.charts]
    estimate = window.parts.forecast.estimate
    window.parts.session.set_target(OTHER)
    now = [chart.table for chart in window.parts.charts.charts]
    assert all(a is b for a, b in zip(now, tables, strict=True))
    assert window.parts.forecast.estimate is estimate


@pytest.fixture
def streets(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """A street grid in live mode, with a way along its lower edge."""
    window.parts.session.open_graph(street_grid(24, 16))
    window.parts.session.set_endpoints(0, 23)
    qtbot.waitUntil(
        lambda: window.parts.canvas.canvas.frames.newest is not None, timeout=PATIENCE_MS
    )
    window.commands["live"].trigger()
    qtbot.waitUntil(lambda: window.parts.session.unmeasured.answer is not None, timeout=PATIENCE_MS)
    return window


def drag(window: MainWindow, qtbot: QtBot, *stops: int) -> None:
    """Drag the source with the mouse over these vertices."""
    canvas = window.parts.canvas.canvas

    def place(vertex: int) -> QPoint:
        return QPointF(
            *canvas.view.camera.to_screen(canvas.content.scene.positions[vertex])
        ).toPoint()

    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=place(window.parts.session.source))
    for stop in stops:
        qtbot.mouseMove(canvas, place(stop) + QPoint(7, 7))
        qtbot.mouseMove(canvas, place(stop))
        qtbot.waitUntil(
            lambda stop=stop: window.parts.session.unmeasured.answer.sources == (stop,),
            timeout=PATIENCE_MS,
        )
        qtbot.wait(90)  # longer than two frames of the animation
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=place(stops[-1]))


def test_a_recorded_drag_becomes_a_gif(streets: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    streets.controller_of("isochrone").show(True)
    streets.commands["record-drag"].trigger()
    drag(streets, qtbot, 100, 200, 210)
    streets.commands["record-drag"].trigger()
    animation = recorder(streets).animation()
    visited = list(dict.fromkeys(step.sources for step in animation.steps))
    assert [visited[0], visited[-1]] == [(0,), (210,)]
    assert {(100,), (200,)} < set(visited)
    choice = AnimationChoice(0, 320, 240, SCHEME, AnimationOptions(0, animation.length - 1))
    streets.parts.export.animation_of(animation, tmp_path / "drag.gif", choice)
    wait_until_idle(qtbot, streets)
    with Image.open(tmp_path / "drag.gif") as gif:
        assert gif.n_frames > 3
        first = np.asarray(gif.convert("RGB"))
        gif.seek(gif.n_frames - 1)
        assert np.any(first != np.asarray(gif.convert("RGB")))

    streets.commands["record-drag"].trigger()
    streets.commands["live"].trigger()
    assert not streets.commands["record-drag"].isChecked()


def test_every_step_of_an_animation_is_solved(
    streets: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scripted drag along the path: content, path and isochrone are those of the
    step; a caption says so.
    """
    streets.controller_of("isochrone").restore((4.0,))
    animation = recorder(streets).animation()
    assert [step.sources for step in animation.steps] == [(vertex,) for vertex in range(24)]
    assert animation.words.endswith("live, not measured")
    composition = animation.compose(Page(160, 120, 96))
    assert isinstance(composition, LiveAnimationComposition)
    for position in (0, 11, 23):
        composition.move(position)
        content = composition._state.content
        right = right_distances(streets.parts.session.graph, position)
        assert np.array_equal(to_float(content.activity.answer), right)
        assert content.activity.budget == 4.0
        assert (content.source, content.target, content.path.tolist()) == (
            position,
            23,
            list(range(position, 24)),
        )

    lit, wider = animation.lit().picture.view, animation.within(8.0).lit().picture.view
    whole = streets.parts.canvas.canvas.content.scene.bounds
    assert lit.size > wider.y1 - wider.y0 > lit.y1 - lit.y0, "the way is along the lower edge"
    assert (lit.y1 - lit.y0) < 0.4 * (whole.y1 - whole.y0)
    dialogs: list[AnimationDialog] = []
    monkeypatch.setattr(AnimationDialog, "exec", lambda dialog: dialogs.append(dialog))
    streets.commands["export-live-animation"].trigger()
    (dialog,) = dialogs
    assert (dialog.subject.currentText(), dialog.choice.budget) == ("What is lit", 4.0)


def test_an_animation_is_asked_for_and_written_where_there_is_a_way(
    streets: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def accept(dialog: AnimationDialog) -> QDialog.DialogCode:
        dialog.width_box.setValue(160)
        dialog.height_box.setValue(120)
        dialog.every.setValue(12)
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(AnimationDialog, "exec", accept)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "live.gif"), ""))
    trigger(qtbot, streets, "export-live-animation")
    with Image.open(tmp_path / "live.gif") as gif:
        assert gif.n_frames == 3

    streets.parts.session.set_target(None)
    qtbot.waitUntil(
        lambda: streets.parts.session.unmeasured.answer.target is None, timeout=PATIENCE_MS
    )
    streets.commands["export-live-animation"].trigger()
    assert "nothing to animate" in streets.notices.notice.text
    streets.commands["live"].trigger()
    assert not streets.commands["export-live-animation"].isEnabled()
    assert not streets.commands["record-drag"].isEnabled()


def test_the_picture_follows_the_play_bar_also_with_several_sources(
    streets: MainWindow, qtbot: QtBot
) -> None:
    tick_only(streets, "dijkstra-heap")
    streets.parts.session.add_source(50)
    canvas = streets.parts.canvas.canvas
    for live in (True, False):
        streets.commands["live"].setChecked(live)
        trigger(qtbot, streets, "run")
        qtbot.waitUntil(
            lambda: streets.parts.session.unmeasured.answer is not None, timeout=PATIENCE_MS
        )
        assert len(canvas.content.more_sources) == 1
        for at in (0, 1):
            streets.commands["first" if at == 0 else "step"].trigger()
            assert (canvas.content.position, canvas.content.activity.trace) == (
                at,
                streets.parts.playback.trace,
            )
            assert canvas.content.more_sources == ()
        streets.commands["last"].trigger()
        assert len(canvas.content.more_sources) == 1


def test_a_pinned_answer_is_a_measured_run_with_a_name(streets: MainWindow, qtbot: QtBot) -> None:
    tick_only(streets, "bf-python")
    assert streets.parts.session.results.all == ()
    streets.parts.session.add_source(50)
    streets.commands["pin"].trigger()
    assert "further source" in streets.notices.notice.text
    wait_until_idle(qtbot, streets)
    (result,) = streets.parts.session.results.all
    assert (result.source, result.target, result.verdict.verified) == (0, 23, True)
    assert result.times()
    qtbot.waitUntil(
        lambda: len(streets.controller_of("kept_runs").runs.summaries) == 1, timeout=PATIENCE_MS
    )
    assert streets.controller_of("kept_runs").runs.summaries[0].run.name == "Live 0 → 23"
    assert streets.parts.session.unmeasured.follows


def test_a_pinned_run_with_a_closed_road_says_so_and_comes_back_with_it(
    streets: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """The run store notes the changes, and opening the run again makes them, whatever
    was open before.
    """
    write_dimacs(street_grid(24, 16), tmp_path / "grid.gr")
    streets.commands["live"].trigger()
    open_graph(qtbot, streets, tmp_path / "grid.gr")
    streets.parts.session.set_endpoints(0, 23)
    tick_only(streets, "bf-python")
    streets.commands["live"].trigger()
    streets.parts.session.want_roads(streets.parts.session.roads.close((12, 13)))
    qtbot.waitUntil(
        lambda: streets.parts.session.graph is not streets.parts.session.graph.as_read,
        timeout=PATIENCE_MS,
    )
    wait_until_idle(qtbot, streets)
    trigger(qtbot, streets, "pin")
    assert streets.parts.session.results.all[0].target_distance == 25
    qtbot.waitUntil(
        lambda: len(streets.controller_of("kept_runs").runs.summaries) == 1, timeout=PATIENCE_MS
    )
    kept = streets.controller_of("kept_runs").runs.summaries[0].run
    assert kept.name == "Live 0 → 23, 1 road closed"
    assert kept.graph.source.roads == streets.parts.session.roads

    streets.parts.session.want_roads(RoadChanges())
    streets.controller_of("kept_runs").open(kept.run_id)
    qtbot.waitUntil(
        lambda: streets.parts.session.results.stored_run is not None, timeout=PATIENCE_MS
    )
    assert streets.parts.session.applied_roads == kept.graph.source.roads
    assert streets.parts.session.results.all[0].target_distance == 25

    open_graph(qtbot, streets, TINY)
    streets.controller_of("kept_runs").open(kept.run_id)
    streets.notices.notice.action()
    qtbot.waitUntil(
        lambda: streets.parts.session.results.stored_run is not None, timeout=PATIENCE_MS
    )
    assert streets.parts.session.applied_roads == kept.graph.source.roads
    assert streets.parts.session.results.all[0].target_distance == 25


def test_animations_of_a_closed_road(
    streets: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, during and after, who is farther, and the way around."""
    streets.commands["export-roads-animation"].trigger()
    assert "no changed road" in streets.notices.notice.text
    streets.parts.session.want_roads(streets.parts.session.roads.close((12, 13)))
    qtbot.waitUntil(lambda: recorder(streets).roads_animation() is not None, timeout=PATIENCE_MS)
    animation = recorder(streets).roads_animation()
    composition = animation.compose(Page(160, 120, 96))

    def shown(position: int) -> PictureContent:
        composition.move(position)
        return composition._state.content

    first, last = shown(0), shown(animation.length - 1)
    assert (first.road_marks, first.path_before, first.values) == ((), None, None)
    assert [float(first.activity.answer[23]), float(last.activity.answer[23])] == [23, 25]
    assert last.legend.quantity == "farther than before by"
    assert last.path_before.tolist() == first.path.tolist()
    assert "1 road closed: 11 vertices farther" in composition._state.words
    during = [shown(position) for position in range(25, 54)]
    lengths = [float(content.activity.answer[23]) for content in during]
    assert lengths == sorted(lengths)
    assert all(content.road_marks and content.values is None for content in during)
    answered = []
    monkeypatch.setattr(
        streets.parts.export, "ask_animation_of", lambda *asked: answered.append(asked)
    )
    streets.commands["export-roads-animation"].trigger()
    assert answered[0][1] == "step"

    qtbot.waitUntil(
        lambda: (
            streets.parts.session.unmeasured.answer.graph is not streets.parts.session.graph.as_read
        ),
        timeout=PATIENCE_MS,
    )
    qtbot.waitUntil(lambda: recorder(streets).animation() is not None, timeout=PATIENCE_MS)
    animation = recorder(streets).animation()
    assert len(animation.steps) == 26
    composition = animation.compose(Page(160, 120, 96))
    composition.move(0)
    right = right_distances(streets.parts.session.graph, 0)
    assert np.array_equal(to_float(composition._state.content.activity.answer), right)
    assert right[23] == 25
