"""Layouts to choose from, dragging, and going back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from gui.picture.layout.arrangements import Arrangement, circular, layered
from gui.picture.layout.stress import SHOWN_FROM, layout
from gui.picture.scene.moved_vertices import MOST_VERTICES
from gui.window import MainWindow
from solvers.graphs.graph import Graph
from tests.gui.pictures import graph_of, street_grid
from tests.gui.windows import TINY, open_graph, tick_only, wait_until_idle

DIAMOND = graph_of([(0, 1, 2), (0, 2, 5), (1, 3, 4), (2, 3, 4)], None)


def test_a_circle_holds_all_vertices_in_order_clockwise_from_the_top():
    places = circular(8)
    assert np.hypot(*places.T) == pytest.approx(np.ones(8))
    assert places[0] == pytest.approx([0, -1])
    assert places[2] == pytest.approx([1, 0])
    assert circular(1).tolist() == [[0, 0]]
    assert circular(0).shape == (0, 2)


def test_layers_by_hops_stand_apart_and_no_two_vertices_share_a_place():
    places = layered(street_grid(8, 5), 0)
    xs = np.unique(places[:, 0].round(9))
    assert len(xs) == 12  # 0 .. 11 arcs from the corner
    assert len(np.unique(places.round(9), axis=0)) == 40
    assert places[0, 0] == 0


def test_with_distances_x_is_the_distance():
    places = layered(DIAMOND, 0, np.array([0.0, 2.0, 5.0, 6.0]))
    assert places[:, 0] / places[3, 0] == pytest.approx([0, 2 / 6, 5 / 6, 1])
    assert len(np.unique(places[:, 1].round(9))) > 1


def test_the_unreachable_stand_beyond_all_others():
    graph = graph_of([(0, 1, 1), (2, 3, 1)], None)
    places = layered(graph, 0)
    assert places[2:, 0].min() > places[:2, 0].max()
    assert np.isfinite(places).all()


def test_crossings_are_swept_out():
    pairs = [(0, 1), (0, 2), (0, 3), (1, 6), (2, 5), (3, 4)]  # crossed, if layers stood in the order of ids
    places = layered(graph_of([(u, v, 1) for u, v in pairs], None), 0)
    order = np.argsort(places[1:4, 1]) + 1
    assert [dict(pairs[3:])[int(v)] for v in order] == (np.argsort(places[4:7, 1]) + 4).tolist()


@pytest.mark.parametrize("make", [lambda g: layered(g, 3), lambda g: circular(g.n), layout])
def test_the_same_graph_gives_the_same_picture(make):
    grid = street_grid(9, 7)
    assert np.array_equal(make(grid), make(grid))


def test_a_large_spring_layout_is_shown_while_it_is_made():
    grid = street_grid(60, 50)
    seen: list[np.ndarray] = []
    done = layout(grid, show=lambda positions: seen.append(positions.copy()))
    assert len(seen) > 10
    assert all(content.shape == (3000, 2) for content in seen)
    assert np.isfinite(seen[-1]).all()
    assert grid.n > SHOWN_FROM
    small: list[np.ndarray] = []
    assert np.array_equal(layout(street_grid(9, 7), show=small.append), layout(street_grid(9, 7)))
    assert small == []
    assert np.isfinite(done).all()


def choose(qtbot: QtBot, window: MainWindow, name: str) -> np.ndarray:
    """Choose a layout by its menu entry; the positions shown then."""
    window.commands[f"layout-{name}"].trigger()
    wait_until_idle(qtbot, window)
    return window.canvas.canvas.content.scene.positions


def drag(qtbot: QtBot, window: MainWindow, vertex: int, by: QPoint) -> None:
    canvas = window.canvas.canvas
    qtbot.waitUntil(lambda: canvas.frame_is_current, timeout=10_000)
    x, y = canvas.camera.to_screen(canvas.content.scene.positions[vertex])
    start = QPoint(round(float(x)), round(float(y)))
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    for share in (0.3, 0.7, 1.0):
        qtbot.mouseMove(canvas, start + by * share)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=start + by)


def test_layouts_are_chosen_from_the_menu_and_the_file_s_own_comes_back(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    own = window.canvas.canvas.content.scene.positions
    assert window.commands["layout-file"].isChecked()
    circle = choose(qtbot, window, "circular")
    assert np.ptp(np.hypot(*circle.T)) < 0.1
    assert window.commands["layout-circular"].isChecked()
    assert not np.allclose(choose(qtbot, window, "spring"), own)
    assert np.allclose(choose(qtbot, window, "file"), own)


def test_a_dragged_vertex_stays_until_a_layout_is_chosen_again(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    before = choose(qtbot, window, "circular")
    source, camera = window.session.source, window.canvas.canvas.camera
    drag(qtbot, window, 3, QPoint(40, 30))
    after = window.canvas.canvas.content.scene.positions
    assert (after[3] - before[3]) * camera.scale == pytest.approx([40, 30], abs=1.5)
    assert np.array_equal(np.delete(after, 3, axis=0), np.delete(before, 3, axis=0))
    assert window.canvas.canvas.camera == camera  # the view stays
    assert window.session.source == source  # a drag is no click
    assert window.canvas.canvas.vertex_at(
        window.canvas.canvas.rect().topLeft().toPointF()
        + QPoint(*np.round(camera.to_screen(after[3])).astype(int).tolist()).toPointF()
    ) == 3  # fmt: skip
    assert np.array_equal(choose(qtbot, window, "circular"), before)


def test_layers_follow_the_source_and_take_distances_when_these_are_known(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    by_hops = choose(qtbot, window, "layered")
    tick_only(window, "dijkstra-heap")
    window.running.run()
    wait_until_idle(qtbot, window)
    by_distance = window.canvas.canvas.content.scene.positions
    assert not np.allclose(by_hops, by_distance)
    distances = window.session.selected.distances
    assert np.array_equal(np.argsort(by_distance[:, 0], kind="stable"), np.argsort(distances, kind="stable"))
    window.session.set_source(4)
    wait_until_idle(qtbot, window)
    places = window.canvas.canvas.content.scene.positions
    assert places[:, 0].argmin() == 4


def test_a_graph_without_coordinates_cannot_be_shown_as_in_the_file(qtbot: QtBot, window: MainWindow) -> None:
    window.session.open_graph(Graph(DIAMOND.indptr, DIAMOND.indices, DIAMOND.weights))
    wait_until_idle(qtbot, window)
    assert not window.commands["layout-file"].isEnabled()
    assert window.commands["layout-spring"].isChecked()
    before = window.canvas.scenes.scene
    window.canvas.scenes.arrange(Arrangement.FILE)
    assert window.canvas.scenes.scene is before
    assert window.canvas.scenes.arrangement is Arrangement.SPRING


def test_a_cancelled_layout_leaves_the_picture_as_it_was(qtbot: QtBot, window: MainWindow) -> None:
    window.session.open_graph(replace(street_grid(200, 200), name="large"))
    wait_until_idle(qtbot, window)
    before = window.canvas.scenes.scene
    window.canvas.scenes.arrange(Arrangement.SPRING)
    window.jobs.cancel("layout")
    wait_until_idle(qtbot, window)
    assert window.canvas.scenes.scene is before
    assert window.canvas.scenes.arrangement is Arrangement.FILE
    assert not window.canvas.scenes.can_drag
    assert before.graph.n > MOST_VERTICES
