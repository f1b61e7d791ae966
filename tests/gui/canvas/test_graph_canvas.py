"""The canvas widget: clicks select, markers are dragged, drags pan, signals of the model reach the picture."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QColor, QContextMenuEvent, QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from gui.canvas.area import CanvasArea
from gui.canvas.graph_canvas import GraphCanvas
from gui.model.jobs import Jobs
from gui.model.playback import Playback
from gui.model.session import Session
from gui.picture.scene.content import Layer
from gui.style import theme
from gui.style.common_widgets import PlainLabel
from gui.style.theme import tokens
from gui.style.tokens import DARK, LIGHT, Scheme
from solvers.contracts import catalog
from solvers.contracts.results import Result
from solvers.graphs.graph import Graph
from tests.gui.pictures import is_like, street_grid, trace_of

ROOT = Path(__file__).parents[3]
MIDDLE, TARGET = 20 * 60 + 30, 10 * 60 + 45


class Menu:
    """A context menu that has been opened."""

    def __init__(self, menu: QMenu):
        self.menu = menu

    def actions(self) -> list[QAction]:
        return list(self.menu.actions())

    def named(self, text: str) -> QAction:
        return next(action for action in self.menu.actions() if action.text() == text)


@dataclass
class Bench:
    """A canvas area with its model."""

    session: Session
    playback: Playback
    area: CanvasArea
    qtbot: QtBot

    @property
    def canvas(self) -> GraphCanvas:
        return self.area.graph_canvas

    def open(self, graph: Graph) -> None:
        self.session.open_graph(graph)
        self.qtbot.waitUntil(lambda: self.canvas.content is not None, timeout=30_000)
        self.settle()

    def settle(self) -> None:
        """Wait until the newest frame shows what camera, session and play-back say now."""
        self.qtbot.waitUntil(lambda: self.canvas.frame_is_current, timeout=30_000)

    def answer(self, path: list[int]) -> None:
        """Ask for the way between the ends of ``path``, and answer with it."""
        self.session.set_source(path[0])
        self.session.set_target(path[-1])
        self.session.add_result(result_of(self.session.graph, path))

    def place(self, vertex: int) -> QPoint:
        x, y = self.canvas.camera.to_screen(self.canvas.content.scene.positions[vertex])
        return QPoint(round(x), round(y))

    def click(self, at: QPoint, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self.qtbot.mouseClick(self.canvas, Qt.MouseButton.LeftButton, modifiers, at)

    def drag(self, start: QPoint, by: QPoint) -> None:
        self.qtbot.mousePress(self.canvas, Qt.MouseButton.LeftButton, pos=start)
        for share in (0.2, 0.6, 1.0):
            self.qtbot.mouseMove(self.canvas, start + by * share)
        self.qtbot.mouseRelease(self.canvas, Qt.MouseButton.LeftButton, pos=start + by)

    def context_menu(self, at: QPoint) -> Menu:
        """Right click: the menu that opens."""
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, self.canvas.mapToGlobal(at))
        QApplication.sendEvent(self.canvas, event)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        menu.close()
        return Menu(menu)

    def pixels(self) -> np.ndarray:
        """(h, w) ARGB of the widget as it is painted."""
        image = self.canvas.grab().toImage().convertToFormat(self.canvas.grab().toImage().Format.Format_ARGB32)
        return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width()).copy()


@pytest.fixture
def bench(qtbot: QtBot, qapp: QApplication) -> Iterator[Bench]:
    theme.apply(qapp, Scheme.LIGHT)
    session, playback, jobs = Session(), Playback(), Jobs()
    area = CanvasArea(session, playback, jobs)
    qtbot.addWidget(area)
    area.resize(640, 480)
    area.show()
    qtbot.waitExposed(area)
    yield Bench(session, playback, area, qtbot)
    jobs.shut_down()
    theme.apply(qapp, Scheme.LIGHT)


def result_of(graph: Graph, path: list[int]) -> Result:
    return Result(
        catalog.variants()[0], {}, graph, path[0], path[-1], distances=np.arange(graph.n, dtype=np.int32),
        path=np.array(path, np.int32),
    )  # fmt: skip


def test_a_click_selects_and_changes_no_end_point(bench):
    """A stray click moved the source, and the results were gone."""
    bench.open(street_grid())
    bench.answer([0, 1, 2])
    before = bench.session.source, bench.session.target
    bench.click(bench.place(MIDDLE) + QPoint(2, -1))
    assert (bench.session.source, bench.session.target) == before
    assert len(bench.session.results) == 1
    assert bench.session.selected_vertex == MIDDLE
    bench.click(QPoint(3, 3))
    assert bench.session.selected_vertex is None


def test_shift_click_sets_the_target(bench):
    bench.open(street_grid())
    bench.click(bench.place(MIDDLE), Qt.KeyboardModifier.ShiftModifier)
    assert (bench.session.source, bench.session.target) == (0, MIDDLE)


def test_the_card_stays_with_figures_and_buttons(bench):
    bench.open(street_grid())
    bench.answer([0, 1, 2])
    bench.click(bench.place(MIDDLE))
    card, ids = bench.canvas.card, bench.session.graph.ids
    assert card.isVisible()
    rows = dict(card.rows)
    assert rows["vertex"] == str(int(ids[MIDDLE]))
    assert "distance" in rows
    assert "predecessor" in rows or "degree" in rows
    bench.qtbot.wait(100)
    assert card.isVisible(), "not only while the pointer rests"
    labels = [label for label in card.findChildren(PlainLabel) if label.isVisible()]
    assert len(labels) == 2 * len(rows)
    assert all(label.height() >= label.fontMetrics().height() for label in labels), "rows do not overlap"
    shown = card.geometry()
    assert bench.canvas.rect().contains(shown)
    assert not shown.contains(bench.place(MIDDLE))
    bench.qtbot.mouseClick(card.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == str(int(ids[MIDDLE]))
    bench.qtbot.mouseClick(card.target, Qt.MouseButton.LeftButton)
    assert bench.session.target == MIDDLE
    assert not card.target.isEnabled()
    bench.qtbot.mouseClick(card.source, Qt.MouseButton.LeftButton)
    assert bench.session.source == MIDDLE
    bench.qtbot.mouseClick(card.close_button, Qt.MouseButton.LeftButton)
    assert not card.isVisible()


def test_the_card_follows_its_vertex(bench):
    bench.open(street_grid())
    bench.click(bench.place(MIDDLE))
    before = bench.canvas.card.pos()
    bench.drag(bench.place(MIDDLE) + QPoint(60, 60), QPoint(25, -15))
    assert bench.canvas.card.pos() - before == QPoint(25, -15)


def test_the_selected_vertex_has_a_ring(bench):
    bench.open(street_grid())
    bench.settle()
    bench.click(bench.place(MIDDLE))
    at = bench.place(MIDDLE)
    image = bench.canvas.grab().toImage()
    ratio = image.devicePixelRatio()
    accent = QColor(tokens().accent)
    near = [image.pixelColor(round((at.x() + dx) * ratio), round((at.y() - 11) * ratio) + dy) for dx in range(-2, 3)
            for dy in range(-2, 3)]  # fmt: skip
    assert any(abs(c.red() - accent.red()) + abs(c.blue() - accent.blue()) < 40 for c in near)


@pytest.mark.parametrize("key", [Qt.Key.Key_S, Qt.Key.Key_T])
def test_s_and_t_take_the_selected_vertex_at_once(bench, key):
    bench.open(street_grid())
    bench.click(bench.place(MIDDLE))
    bench.qtbot.keyClick(bench.canvas, key)
    assert bench.canvas.armed is None
    assert (bench.session.source if key is Qt.Key.Key_S else bench.session.target) == MIDDLE


def test_a_marker_is_dragged_to_the_nearest_vertex(bench):
    bench.open(street_grid())
    camera = bench.canvas.camera
    start, goal = bench.place(bench.session.target), bench.place(MIDDLE) + QPoint(3, 2)
    bench.drag(start, goal - start)
    assert (bench.session.source, bench.session.target) == (0, MIDDLE)
    assert bench.canvas.camera == camera, "the picture was not panned"
    assert bench.session.selected_vertex is None, "a drag is no click"
    bench.drag(bench.place(0), bench.place(TARGET) - bench.place(0))
    assert (bench.session.source, bench.session.target) == (TARGET, MIDDLE)


def test_a_dragged_marker_is_seen_at_the_pointer(bench):
    bench.open(street_grid())
    bench.settle()
    start, goal = bench.place(bench.session.target), bench.place(MIDDLE) + QPoint(40, 37)
    bench.qtbot.mousePress(bench.canvas, Qt.MouseButton.LeftButton, pos=start)
    bench.qtbot.mouseMove(bench.canvas, start + QPoint(8, 8))
    bench.qtbot.mouseMove(bench.canvas, goal)
    image, colour = bench.canvas.grab().toImage(), QColor(tokens().target)
    assert image.pixelColor(goal) == colour
    assert image.pixelColor(start) != colour
    bench.qtbot.mouseRelease(bench.canvas, Qt.MouseButton.LeftButton, pos=goal)


def test_escape_takes_a_dragged_marker_back(bench):
    bench.open(street_grid())
    before = bench.session.source, bench.session.target
    camera = bench.canvas.camera
    start, goal = bench.place(bench.session.target), bench.place(MIDDLE)
    bench.qtbot.mousePress(bench.canvas, Qt.MouseButton.LeftButton, pos=start)
    bench.qtbot.mouseMove(bench.canvas, start + QPoint(8, 8))
    bench.qtbot.mouseMove(bench.canvas, goal)
    bench.qtbot.keyClick(bench.canvas, Qt.Key.Key_Escape)
    bench.qtbot.mouseMove(bench.canvas, goal + QPoint(9, 9))
    bench.qtbot.mouseRelease(bench.canvas, Qt.MouseButton.LeftButton, pos=goal + QPoint(9, 9))
    assert (bench.session.source, bench.session.target) == before
    assert bench.canvas.camera == camera


def test_the_context_menu_sets_end_points_copies_and_zooms(bench):
    bench.open(street_grid())
    graph = bench.session.graph
    assert [action.text() for action in bench.context_menu(QPoint(3, 3)).actions()] == ["Fit"]
    menu = bench.context_menu(bench.place(MIDDLE))
    words = [action.text() for action in menu.actions() if action.text()]
    wanted = ["Source here", "Target here", "Copy id", "Neighbours", "Zoom to vertex", "Fit"]
    road, words = words[-1], words[:-1]
    assert words == [f"Vertex {int(graph.ids[MIDDLE])}", *wanted]
    assert re.fullmatch(r"Road \d+–\d+", road)
    menu.named("Target here").trigger()
    assert bench.session.target == MIDDLE
    menu.named("Copy id").trigger()
    assert QGuiApplication.clipboard().text() == str(int(graph.ids[MIDDLE]))
    around = [action for action in menu.named("Neighbours").menu().actions() if action.text()]
    first = int(graph.indices[graph.indptr[MIDDLE]])
    assert around[1].text().startswith(f"{int(graph.ids[first])}  (")
    around[1].trigger()
    assert bench.session.selected_vertex == first
    scale = bench.canvas.camera.scale
    menu.named("Zoom to vertex").trigger()
    assert bench.session.selected_vertex == MIDDLE
    assert bench.canvas.camera.scale >= scale
    menu.named("Source here").trigger()
    assert bench.session.source == MIDDLE


def test_click_on_nothing_changes_nothing(bench):
    bench.open(street_grid())
    before = bench.session.source, bench.session.target
    bench.click(QPoint(3, 3))
    assert (bench.session.source, bench.session.target) == before


def test_armed_click_sets_the_target_once(bench):
    bench.open(street_grid())
    bench.area.arm("target")
    bench.click(bench.place(MIDDLE))
    assert (bench.session.source, bench.session.target) == (0, MIDDLE)
    assert bench.canvas.armed is None
    bench.click(bench.place(TARGET))
    assert (bench.session.source, bench.session.target) == (0, MIDDLE)


def test_keys_arm_and_escape_disarms(bench):
    bench.open(street_grid())
    bench.qtbot.keyClick(bench.canvas, Qt.Key.Key_T)
    assert bench.canvas.armed == "target"
    bench.qtbot.keyClick(bench.canvas, Qt.Key.Key_Escape)
    assert bench.canvas.armed is None


def test_dragging_pans_and_sets_no_source(bench):
    bench.open(street_grid())
    start = bench.place(MIDDLE)
    before = bench.canvas.camera
    bench.qtbot.mousePress(bench.canvas, Qt.MouseButton.LeftButton, pos=start)
    bench.qtbot.mouseMove(bench.canvas, start + QPoint(20, 10))
    bench.qtbot.mouseMove(bench.canvas, start + QPoint(40, 30))
    bench.qtbot.mouseRelease(bench.canvas, Qt.MouseButton.LeftButton, pos=start + QPoint(40, 30))
    assert bench.session.source == 0
    assert bench.canvas.camera == before.panned(40, 30)
    assert bench.place(MIDDLE) == start + QPoint(40, 30)
    bench.settle()


def test_the_wheel_zooms_about_the_pointer(bench):
    bench.open(street_grid())
    at = bench.place(TARGET)
    before = bench.canvas.camera.scale
    event = QWheelEvent(
        QPointF(at), QPointF(at), QPoint(), QPoint(0, 240), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(bench.canvas, event)
    assert bench.canvas.camera.scale > 1.3 * before
    assert (bench.place(TARGET) - at).manhattanLength() <= 2


def test_double_click_on_nothing_and_fit_show_the_whole_graph(bench):
    bench.open(street_grid())
    fitted = bench.canvas.camera
    bench.area.zoom_in()
    bench.area.zoom_in()
    assert bench.canvas.camera != fitted
    bench.area.fit()
    assert bench.canvas.camera == fitted
    bench.area.zoom_out()
    bench.qtbot.mouseDClick(bench.canvas, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert bench.canvas.camera == fitted


def test_a_fitted_graph_stays_fitted_when_the_window_is_resized(bench):
    bench.open(street_grid())
    bench.area.resize(500, 700)
    seen, bounds = bench.canvas.camera.bounds, bench.canvas.content.scene.bounds
    assert seen.x0 < bounds.x0
    assert seen.x1 > bounds.x1
    assert (bench.canvas.camera.width, bench.canvas.camera.height) == (bench.canvas.width(), bench.canvas.height())


def test_the_path_is_drawn_where_the_path_is(bench):
    graph = street_grid()
    bench.open(graph)
    path = [20 * 60 + column for column in range(10, 50)]
    bench.answer(path)
    bench.settle()
    orange = is_like(bench.pixels(), LIGHT.path)
    for vertex in path[3:-6]:
        at = bench.place(vertex)
        assert orange[at.y() - 1 : at.y() + 2, at.x() - 1 : at.x() + 2].any()
    rows, _ = np.nonzero(orange)
    assert np.abs(rows - bench.place(path[0]).y()).max() < 6
    bench.area.set_layer("path", False)
    assert not is_like(bench.pixels(), LIGHT.path).any()


def test_markers_stand_on_source_and_target(bench):
    bench.open(street_grid())
    bench.session.set_source(MIDDLE)
    bench.session.set_target(TARGET)
    bench.settle()
    pixels = bench.pixels()
    for vertex, colour in ((MIDDLE, LIGHT.source), (TARGET, LIGHT.target)):
        at = bench.place(vertex)
        assert is_like(pixels, colour, 8)[at.y(), at.x()]
    bench.area.set_layer("markers", False)
    assert not is_like(bench.pixels(), LIGHT.source, 4).any()


def test_layers_are_named_and_their_change_is_told(bench):
    bench.open(street_grid())
    content = ["edges", "visited", "frontier", "path", "markers", "negative cycle", "tentative distances"]
    assert list(bench.area.layers()) == [
        *content, "distance bands", "shortest-path tree", "levels of the hierarchy", "separators", "changed roads",
        "difference by changed roads",
    ]  # fmt: skip
    shown = [name for name, on in bench.area.layers().items() if on]
    assert shown == [*content, "separators", "changed roads"]
    with bench.qtbot.waitSignal(bench.area.layers_changed):
        bench.area.set_layer("frontier", False)
    assert not bench.area.layers()["frontier"]
    assert Layer.FRONTIER not in bench.canvas.content.layers
    with pytest.raises(ValueError, match="no such"):
        bench.area.set_layer("no such", True)


def test_the_play_back_moves_the_frontier(bench):
    graph = street_grid()
    bench.open(graph)
    bench.playback.load(trace_of(graph.n, [[MIDDLE], [TARGET]]))
    for position, vertex in ((1, TARGET), (0, MIDDLE)):
        bench.playback.seek(position)
        at = bench.place(vertex)
        bench.settle()
        assert is_like(bench.canvas.frame.pixels, LIGHT.frontier, 8)[at.y(), at.x()]


def test_a_frame_is_current_only_for_the_newest_request(bench):
    graph = street_grid()
    bench.open(graph)
    bench.playback.load(trace_of(graph.n, [[MIDDLE], [TARGET]]))
    for change in (
        lambda: bench.playback.seek(0),
        bench.area.zoom_in,
        lambda: bench.session.set_target(TARGET),
        lambda: bench.area.set_layer("frontier", False),
    ):
        bench.settle()
        frame = bench.canvas.frame
        change()
        assert bench.canvas.frame is frame
        assert not bench.canvas.frame_is_current


def test_a_frame_of_the_graph_before_comes_too_late(bench):
    bench.open(street_grid())
    late = bench.canvas.frame
    bench.session.open_graph(street_grid(10, 10))
    bench.canvas._renderer.rendered.emit(late)
    assert bench.canvas.frame is None
    bench.qtbot.waitUntil(lambda: bench.canvas.content is not None, timeout=30_000)
    bench.settle()
    newest = bench.canvas.frame
    bench.canvas._renderer.rendered.emit(late)
    assert bench.canvas.frame is newest


def test_zooming_to_path_and_frontier_shows_them_closer(bench):
    graph = street_grid()
    bench.open(graph)
    whole = bench.canvas.camera.scale
    bench.area.zoom_to_path()
    assert bench.canvas.camera.scale == whole
    path = [20 * 60 + column for column in range(10, 20)]
    bench.answer(path)
    bench.area.zoom_to_path()
    assert bench.canvas.camera.scale > 2 * whole
    places = [bench.place(v) for v in path]
    assert all(bench.canvas.rect().contains(at) for at in places)
    bench.playback.load(trace_of(graph.n, [[0], [MIDDLE, MIDDLE + 1]]))
    bench.area.zoom_to_frontier()
    assert bench.canvas.rect().contains(bench.place(MIDDLE))
    bench.area.go_to_vertex(5)
    assert (bench.place(5) - bench.canvas.rect().center()).manhattanLength() <= 2


def test_another_scheme_recolours_the_picture(bench, qapp):
    bench.open(street_grid())
    bench.settle()
    assert is_like(bench.pixels(), LIGHT.canvas, 0)[2, 2]
    theme.apply(qapp, Scheme.DARK)
    bench.settle()
    assert is_like(bench.canvas.frame.pixels, DARK.canvas, 0)[2, 2]
    assert is_like(bench.pixels(), DARK.canvas, 0)[2, 2]


def test_a_graph_without_coordinates_is_laid_out_once(bench, monkeypatch):
    grid = street_grid(12, 8)
    plain = Graph(grid.indptr, grid.indices, grid.weights)
    bench.open(plain)
    assert bench.canvas.content.scene.laid_out
    first = bench.canvas.content.scene.positions
    monkeypatch.setattr("gui.canvas.scene_store.layout", lambda *_: pytest.fail("laid out again"))
    bench.session.open_graph(grid)
    bench.open(Graph(grid.indptr, grid.indices, grid.weights))
    assert np.array_equal(bench.canvas.content.scene.positions, first)


def test_another_graph_replaces_the_picture_and_what_was_shown_of_the_first(bench):
    grid = street_grid()
    bench.open(grid)
    bench.answer([0, 1, 2])
    bench.playback.load(trace_of(grid.n, [[0]]))
    bench.open(street_grid(10, 10))
    assert bench.canvas.content.path is None
    assert bench.canvas.content.activity.trace is None


def test_the_tree_of_an_all_pairs_run_is_made_once_for_all_steps_of_the_play_back(bench):
    graph = street_grid(10, 10)
    bench.open(graph)
    square = np.zeros((graph.n, graph.n), np.int32)
    bench.session.add_result(
        Result(catalog.find("fw-serial"), {}, graph, 0, 5, distances=square, predecessors=square - 1)
    )
    bench.area.set_layer("shortest-path tree", True)
    bench.playback.load(trace_of(graph.n, [[0], [1]]))
    bench.playback.seek(0)
    tree = bench.canvas.content.tree
    bench.playback.seek(1)
    assert bench.canvas.content.tree is tree is not None
    bench.session.set_source(1)
    assert bench.canvas.content.tree is not tree


def test_hover_card_names_the_vertex(bench):
    from gui.picture.scene.hover import vertex_rows

    graph = street_grid()
    bench.open(graph)
    bench.answer([0, 1])
    bench.playback.load(trace_of(graph.n, [[0], [1], [1]]))
    rows = dict(vertex_rows(bench.canvas.content, bench.session.selected, 1))
    assert rows == {"vertex": "1", "distance": "1", "active": "iterations 2 to 3", "degree": "3 arcs out"}


@pytest.mark.parametrize("factor", [1, 2])
def test_clicks_and_frames_are_right_at_any_device_pixel_ratio(factor):
    script = """
        import numpy as np
        from PySide6.QtCore import QPoint, Qt
        from PySide6.QtTest import QTest
        from PySide6.QtWidgets import QApplication
        from gui.canvas.graph_canvas import GraphCanvas
        from gui.model.jobs import Jobs
        from gui.model.playback import Playback
        from gui.model.session import Session
        from tests.gui.event_loop import wait_ms
        from tests.gui.pictures import street_grid
        app = QApplication([])
        session, playback, jobs = Session(), Playback(), Jobs()
        canvas = GraphCanvas(session, playback, jobs)
        canvas.resize(400, 300)
        canvas.show()
        session.open_graph(street_grid())
        while not canvas.frame_is_current:
            wait_ms(20)
        x, y = canvas.camera.to_screen(canvas.content.scene.positions[777])
        QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(round(x), round(y)))
        print(session.selected_vertex, *canvas.frame.pixels.shape, canvas.grab().width())
        jobs.shut_down()
    """
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": str(factor)}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["777", str(300 * factor), str(400 * factor), str(400 * factor)]
