"""Live mode when another graph is opened: nothing of the graph before is asked, solved or shown.

Graphs are opened from files as the dialog does it, while a marker is in hand, sources
are added, the isochrone is on, a road is closed or a hierarchy is being prepared; the
distances shown are then compared with SciPy's.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from gui.canvas.graph_canvas import GraphCanvas
from gui.controllers import hierarchy, losses
from gui.controllers.hierarchy import _prepare
from gui.features.live import controller
from gui.features.live.drawer import LiveRequest
from gui.model.jobs import JobContext
from gui.model.notice import Notice, Severity
from gui.window import MainWindow
from solvers.errors import UnknownVertex, UnsuitableGraph
from solvers.features.live import solver
from solvers.features.live.query import LiveAnswer, LiveQuery
from solvers.features.live.solver import LiveSolver
from solvers.graphs.generators import find
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.graphs.writers import write_dimacs
from solvers.running.prepared_network import PreparedNetwork
from solvers.system.cancel import SILENT, Progress
from tests.curved import curved_town
from tests.graphs import right_distances
from tests.gui.windows import PATIENCE_MS, undoing
from tests.quick import first_quick, only_quick
from tests.solvers.features.live.test_solver import rows_of_scipy


def _road(vertices: int, seed: int = 1) -> Graph:
    return find("road").generate({"vertices": vertices, "seed": seed})


def _heavier(graph: Graph) -> Graph:
    """The same network with other weights, the same both ways."""
    return replace(
        graph, weights=(graph.weights * 3 + 1).astype(graph.weights.dtype), name="heavier"
    )


def _one_way(graph: Graph) -> Graph:
    """The same places; arcs to a higher index are heavier than those to a lower one."""
    uphill = graph.indices > graph.tails
    weights = np.where(uphill, graph.weights * 5, graph.weights).astype(graph.weights.dtype)
    return replace(graph, weights=weights, directed=True, name="one way")


GRAPHS: dict[str, Callable[[], Graph]] = {
    "small": lambda: _road(120),
    "large": lambda: _road(1500),
    "heavier": lambda: _heavier(_road(1500)),
    "one way": lambda: _one_way(_road(1500)),
    "no places": lambda: replace(_road(300, seed=2), coordinates=None, name="no places"),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("graphs")
    paths = {}
    for name, make in GRAPHS.items():
        paths[name] = folder / f"{name}.gr"
        write_dimacs(make(), paths[name])
    return paths


class Journey:
    """The window as its user has it: graphs are opened from files, markers dragged by
    mouse, and all errors kept.
    """

    def __init__(self, window: MainWindow, qtbot: QtBot):
        self.window, self.qtbot = window, qtbot
        self.session, self.state = window.parts.session, window.parts.session.unmeasured
        self.live = window.controller_of("live")
        # as it is for users; the other tests have no hierarchies in the background
        window.parts.hierarchy.set_quiet(True)
        self.errors: list[Notice] = []
        self.foreign: list[LiveAnswer] = []
        self.queries: list[LiveQuery] = []
        self.session.noticed.connect(self._note)
        self.state.changed.connect(self._look)

    def _note(self, notice: Notice) -> None:
        if notice.severity is Severity.ERROR:
            self.errors.append(notice)

    def _look(self) -> None:
        answer = self.live.answer
        if answer is not None and not _is_of(answer, self.graph):
            self.foreign.append(answer)

    @property
    def graph(self) -> Graph:
        assert self.session.graph is not None
        return self.session.graph

    @property
    def canvas(self) -> GraphCanvas:
        return self.window.parts.canvas.canvas

    def open(self, path: Path) -> None:
        """Open a file as the dialog does; returns as soon as its graph is the open one,
        not when it is drawn.
        """
        with self.qtbot.waitSignal(self.session.graph_changed, timeout=PATIENCE_MS):
            self.window.parts.open.open(path)

    def draw(self) -> None:
        self.qtbot.waitUntil(self._drawn, timeout=PATIENCE_MS)

    def _drawn(self) -> bool:
        content = self.canvas.content
        finished = not self.window.parts.canvas.scenes.message
        return (
            finished
            and content is not None
            and content.scene.graph is self.graph
            and self.canvas.frames.current
        )

    def await_live(self, fits: Callable[[LiveAnswer], bool] = lambda _: True) -> LiveAnswer:
        """Wait until the picture shows a live answer of the open graph and its weights."""

        def shown() -> bool:
            answer, content = self.live.answer, self.canvas.content
            if not self.state.follows:  # pytest-qt goes on waiting after an AssertionError
                pytest.fail(f"live mode ended: {[error.text for error in self.errors]}")
            return (
                answer is not None
                and answer.graph is self.graph
                and fits(answer)
                and content is not None
                and content.activity.answer is answer.distances
                and self._drawn()
            )

        self.qtbot.waitUntil(shown, timeout=PATIENCE_MS)
        assert self.live.answer is not None
        return self.live.answer

    def place(self, vertex: int) -> QPoint:
        x, y = self.canvas.view.camera.to_screen(self.canvas.content.scene.positions[vertex])
        return QPoint(round(x), round(y))

    def take_target(self, over: int) -> None:
        """Take the target's marker in hand and move it to a vertex, without letting go."""
        assert self.session.target is not None
        QTest.mousePress(
            self.canvas, Qt.MouseButton.LeftButton, pos=self.place(self.session.target)
        )
        self.move_to(over)
        assert self.canvas.marker.carried is not None

    def move_to(self, vertex: int) -> None:
        QTest.mouseMove(self.canvas, self.place(vertex) + QPoint(8, 8))
        QTest.mouseMove(self.canvas, self.place(vertex))

    def release_at(self, vertex: int) -> None:
        QTest.mouseRelease(self.canvas, Qt.MouseButton.LeftButton, pos=self.place(vertex))

    def close_a_road_of_the_path(self) -> None:
        path = self.await_live(lambda answer: answer.path is not None and len(answer.path) > 2).path
        assert path is not None
        before = self.graph
        a, b = (
            self.graph.vertex_id(int(v)) for v in next(pairwise(path[len(path) // 2 :].tolist()))
        )
        self.session.want_roads(self.session.roads.close((a, b)))
        self.qtbot.waitUntil(lambda: self.session.graph is not before, timeout=PATIENCE_MS)

    def check(self) -> None:
        """The picture's answer is the open graph's, and nothing went wrong on the way."""
        answer = self.await_live(self._answers_the_question)
        right = rows_of_scipy(self.graph, answer.query.sources).min(axis=0)
        assert np.array_equal(to_float(answer.distances), right)
        assert answer.query.target is not None
        assert answer.length == right[answer.query.target]
        assert self.errors == [], [error.text for error in self.errors]
        assert self.foreign == []
        # also those that were cancelled before they were solved, which is a matter of
        # time
        for query in self.queries:
            assert query.state.graph is query.graph
            assert max(*query.sources, query.target or 0) < query.graph.n

    def _answers_the_question(self, answer: LiveAnswer) -> bool:
        sources = self.session.sources
        return (answer.query.sources, answer.query.target) == (sources, self.session.target)


def _is_of(answer: LiveAnswer, graph: Graph) -> bool:
    """Whether an answer is of a graph, or of the same network before its roads were changed."""
    return answer.graph.n == graph.n and answer.query.state.network is graph.network


@pytest.fixture
def journey(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Journey:
    made = Journey(window, qtbot)

    def recorded(query: LiveQuery, *others: object) -> LiveRequest:
        made.queries.append(query)
        return LiveRequest(query, *others)

    monkeypatch.setattr(controller, "LiveRequest", recorded)
    # a recorded drag is given up
    monkeypatch.setattr(losses, "ask", lambda *arguments: arguments[-1][0].act())
    return made


# What is going on when the other graph arrives, once live mode shows its answer.


def _target_in_hand(journey: Journey) -> None:
    journey.take_target(journey.graph.n // 2)
    journey.await_live(lambda answer: answer.query.target != journey.session.target)


def _target_dropped(journey: Journey) -> None:
    vertex = journey.graph.n // 2
    journey.take_target(vertex)
    journey.release_at(vertex)
    assert journey.session.target == vertex


def _several_sources(journey: Journey) -> None:
    n = journey.graph.n
    journey.session.set_question(
        (journey.session.sources[0], n // 3, n // 2, n - 2), journey.session.target
    )
    journey.await_live(lambda answer: len(answer.query.sources) == 4)


def _further_source_in_hand(journey: Journey) -> None:
    _several_sources(journey)
    vertex = journey.graph.n // 3
    QTest.mousePress(journey.canvas, Qt.MouseButton.LeftButton, pos=journey.place(vertex))
    journey.move_to(vertex + 5)
    assert journey.canvas.marker.carried is not None


def _reach(journey: Journey) -> None:
    journey.window.commands["isochrone"].trigger()
    assert journey.window.controller_of("isochrone").budget is not None


def _closed_road(journey: Journey) -> None:
    journey.close_a_road_of_the_path()
    journey.await_live()


def _road_being_closed(journey: Journey) -> None:
    journey.close_a_road_of_the_path()


def _prepared(journey: Journey) -> None:
    journey.await_live(lambda answer: answer.query.state.prepared)


def _recorded(journey: Journey) -> None:
    journey.window.commands["record-drag"].trigger()
    _target_in_hand(journey)


STATES = {
    "target in hand": _target_in_hand,
    "target dropped": _target_dropped,
    "several sources": _several_sources,
    "further source in hand": _further_source_in_hand,
    "reach": _reach,
    "closed road": _closed_road,
    "road being closed": _road_being_closed,
    "prepared": _prepared,
    "recorded": _recorded,
}


# What is kept of each state would be out of range or missing in a graph of another
# size; what the other kinds of graphs change are weights, arcs and places, which
# queries in hand and changed roads hold on to.
SIZES = ("small", "large") * 5
KINDS = ("large", "heavier", "one way", "small", "large", "no places", "large")
HELD = ("target in hand", "closed road") * 3


@pytest.mark.parametrize(
    ("graphs", "states"),
    only_quick(
        [
            (SIZES, tuple(STATES)),
            (SIZES[1:], tuple(STATES)[:-1]),
            (SIZES[1:3], tuple(STATES)[-1:]),
            (KINDS, HELD),
            (KINDS, (*HELD[1:], HELD[0])),
        ],
        [(SIZES, tuple(STATES)), (KINDS, HELD)],
    ),
    ids=lambda names: "-".join(names[:2]),
)
def test_each_graph_is_answered_with_nothing_of_the_one_before(
    journey: Journey, files: dict[str, Path], graphs: tuple[str, ...], states: tuple[str, ...]
) -> None:
    """Graphs opened one after the other, each in another state of live mode."""
    journey.open(files[graphs[0]])
    journey.draw()
    journey.window.commands["live"].trigger()
    for following, state in zip(graphs[1:], states, strict=True):
        journey.session.set_question((0,), journey.graph.n - 1)
        journey.await_live(lambda answer: answer.query.target == journey.graph.n - 1)
        STATES[state](journey)

        journey.open(files[following])
        journey.check()
        assert journey.session.sources == (0,), state
        assert not journey.session.roads, state
        assert journey.window.controller_of("isochrone").budget is None, state
        assert journey.canvas.marker.carried is None, state

        # the button is still down, in some: the drag of the other graph has no end here
        middle = journey.graph.n // 2
        journey.move_to(middle)
        journey.release_at(middle)
        journey.check()
        journey.take_target(middle)
        journey.await_live(lambda answer, middle=middle: answer.query.target == middle)
        journey.release_at(middle)
        journey.check()


@pytest.mark.parametrize(
    ("first", "second"),
    first_quick([("large", "heavier"), ("large", "small"), ("no places", "large")]),
)
def test_another_graph_ends_the_preparation_of_the_one_before(
    journey: Journey,
    files: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    first: str,
    second: str,
) -> None:
    """Its end was heard of first, and the query that followed had the weights of the
    graph before.
    """
    really = _prepare
    before: list[Graph] = []

    def slowly(graph: Graph, context: JobContext) -> PreparedNetwork:
        if not before:
            before.append(graph)
        while graph is before[0]:
            context.progress_for().checkpoint()
            time.sleep(0.01)
        return really(graph, context)

    monkeypatch.setattr(hierarchy, "_prepare", slowly)
    journey.open(files[first])
    journey.draw()
    journey.window.commands["live"].trigger()
    assert journey.window.parts.hierarchy.running
    journey.await_live()
    journey.take_target(journey.graph.n // 2)
    assert journey.window.parts.hierarchy.running
    journey.open(files[second])
    journey.check()
    journey.await_live(lambda answer: answer.query.state.prepared)
    journey.check()


def test_what_fails_for_the_graph_before_does_not_end_live_mode(
    journey: Journey, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, opened = threading.Event(), threading.Event()
    before: list[Graph] = []

    class Failing(LiveSolver):
        def solve(self, query: LiveQuery, progress: Progress = SILENT) -> LiveAnswer:
            if query.graph is not before[0]:
                return super().solve(query, progress)
            asked.set()
            opened.wait(PATIENCE_MS / 1e3)
            raise UnsuitableGraph("The graph before has negative weights.")

    monkeypatch.setattr(solver, "LiveSolver", Failing)
    journey.open(files["large"])
    before.append(journey.graph)
    journey.draw()
    journey.window.commands["live"].trigger()
    journey.qtbot.waitUntil(asked.is_set, timeout=PATIENCE_MS)
    journey.open(files["small"])
    opened.set()
    journey.check()


def test_no_listener_finds_a_vertex_of_the_graph_before(
    journey: Journey, files: dict[str, Path]
) -> None:
    """Whoever hears of another graph, in whichever order, may ask for all of the
    session's state.
    """
    journey.open(files["large"])
    journey.draw()
    journey.window.commands["live"].trigger()
    _several_sources(journey)
    journey.take_target(journey.graph.n // 2)
    journey.session.select_vertex(journey.graph.n - 1)
    large, seen = journey.graph, []

    def look() -> None:
        session, state = journey.session, journey.state
        named = (*session.sources, session.target, session.selected_vertex)
        held = -1 if state.held is None else state.held.vertex
        assert session.graph is not None
        seen.append(session.graph)
        assert (
            session.graph is large
            or max(v for v in (held, *named) if v is not None) < session.graph.n
        )
        assert state.answer is None or state.answer.graph is session.graph
        scene = journey.window.parts.canvas.scenes.scene
        assert scene is None or scene.graph is session.graph

    for signal in (
        journey.session.graph_changed,
        journey.session.roads_wanted,
        journey.window.controller_of("closed_roads").compared,
        journey.session.endpoints_changed,
        journey.session.results.changed,
        journey.session.results.selection_changed,
        journey.session.vertex_selected,
        journey.state.held_changed,
        journey.state.changed,
        journey.window.parts.hierarchy.changed,
        journey.window.parts.jobs.changed,
    ):
        signal.connect(look)
    journey.open(files["small"])
    journey.check()
    assert len(set(seen)) == 2, "both graphs were seen"


def test_a_menu_about_a_vertex_closes_with_its_graph(
    journey: Journey, files: dict[str, Path]
) -> None:
    """Its entries would set a vertex that the other graph may not have."""
    journey.open(files["large"])
    journey.draw()
    at = journey.place(journey.graph.n - 5)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, journey.canvas.mapToGlobal(at))
    QApplication.sendEvent(journey.canvas, event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    journey.open(files["small"])
    assert QApplication.activePopupWidget() is None
    with pytest.raises(UnknownVertex):
        journey.session.set_source(1495)


def test_a_vertex_and_a_lasso_in_hand_are_let_go(
    journey: Journey, files: dict[str, Path], qtbot: QtBot
) -> None:
    journey.open(files["small"])
    journey.draw()
    journey.canvas.view.zoom_in()
    journey.qtbot.waitUntil(lambda: journey.canvas.mover.possible, timeout=10_000)
    vertex = journey.graph.n // 2
    journey.canvas.view.go_to(vertex)
    journey.draw()
    moved = []
    journey.window.parts.canvas.scenes.vertex_moved.connect(lambda *step: moved.append(step))
    QTest.mousePress(journey.canvas, Qt.MouseButton.LeftButton, pos=journey.place(vertex))
    before = journey.place(vertex)
    QTest.mouseMove(journey.canvas, journey.place(vertex) + QPoint(30, 30))
    assert journey.place(vertex) != before, "it is in hand"
    journey.session.open_graph(curved_town())
    journey.draw()
    QTest.mouseMove(journey.canvas, QPoint(300, 300))
    QTest.mouseRelease(journey.canvas, Qt.MouseButton.LeftButton, pos=QPoint(300, 300))
    assert moved == []

    QTest.mousePress(
        journey.canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, QPoint(20, 20)
    )
    for corner in (QPoint(900, 30), QPoint(900, 600), QPoint(30, 600)):
        QTest.mouseMove(journey.canvas, corner)
    assert any(tool.in_hand for tool in journey.canvas._tools)
    journey.open(files["large"])
    journey.draw()
    assert not any(tool.in_hand for tool in journey.canvas._tools)
    QTest.mouseRelease(journey.canvas, Qt.MouseButton.LeftButton, pos=QPoint(30, 30))
    assert QApplication.activePopupWidget() is None
    assert journey.errors == []


def test_undo_does_not_reach_over_an_opened_graph(journey: Journey, files: dict[str, Path]) -> None:
    journey.open(files["large"])
    journey.draw()
    journey.window.commands["live"].trigger()
    _target_dropped(journey)
    journey.close_a_road_of_the_path()
    assert undoing(journey.window).history.canUndo()
    journey.open(files["small"])
    journey.check()
    assert not undoing(journey.window).history.canUndo()
    undoing(journey.window).undo()
    journey.check()


def test_other_weights_of_the_same_network_are_answered_anew(journey: Journey) -> None:
    """Metres and seconds: the vertices stay, and so do sources; the answer in metres is
    not shown for seconds.
    """
    journey.session.open_graph(curved_town())
    journey.draw()
    journey.window.commands["live"].trigger()
    journey.await_live()
    journey.session.add_source(1)
    journey.await_live(lambda answer: answer.query.sources == (0, 1))
    answers: list[LiveAnswer | None] = []
    journey.session.weights_changed.connect(lambda: answers.append(journey.state.answer))
    journey.window.commands["weights-metres"].trigger()
    journey.qtbot.waitUntil(lambda: journey.graph.weight_unit == "0.1 m", timeout=PATIENCE_MS)
    assert answers[-1] is None
    answer = journey.await_live(lambda answer: answer.query.sources == (0, 1))
    right = np.minimum(right_distances(journey.graph, 0), right_distances(journey.graph, 1))
    assert np.array_equal(to_float(answer.distances), right)
    assert journey.errors == []
    assert journey.foreign == []
