"""Layouts in the window: chosen from the menu, dragged, cancelled, and kept on disk."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from gui.canvas.scene_store import SceneStore
from gui.model.jobs import JobKind, Jobs
from gui.model.session import Session
from gui.window import MainWindow
from solvers.graphs.graph import Graph
from solvers.picture.layout import stress
from solvers.picture.layout.arrangements import Arrangement
from solvers.picture.layout.layout_store import LayoutStore
from solvers.picture.layout.stress import layout
from solvers.picture.scene.scene import MOST_MOVABLE
from tests.gui.pictures import street_grid, without_coordinates
from tests.gui.windows import TINY, open_graph, run_only, wait_until_idle


def choose(qtbot: QtBot, window: MainWindow, name: str) -> np.ndarray:
    """Choose a layout by its menu entry; the positions shown then."""
    window.commands[f"layout-{name}"].trigger()
    wait_until_idle(qtbot, window)
    return window.parts.canvas.canvas.content.scene.positions


def drag(qtbot: QtBot, window: MainWindow, vertex: int, by: QPoint) -> None:
    canvas = window.parts.canvas.canvas
    qtbot.waitUntil(lambda: canvas.frames.current, timeout=10_000)
    x, y = canvas.view.camera.to_screen(canvas.content.scene.positions[vertex])
    start = QPoint(round(float(x)), round(float(y)))
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    for share in (0.3, 0.7, 1.0):
        qtbot.mouseMove(canvas, start + by * share)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=start + by)


def test_layouts_are_chosen_from_the_menu_and_the_file_s_own_comes_back(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_graph(qtbot, window, TINY)
    own = window.parts.canvas.canvas.content.scene.positions
    assert window.commands["layout-file"].isChecked()
    circle = choose(qtbot, window, "circular")
    assert np.ptp(np.hypot(*circle.T)) < 0.1
    assert window.commands["layout-circular"].isChecked()
    assert not np.allclose(choose(qtbot, window, "spring"), own)
    assert np.allclose(choose(qtbot, window, "file"), own)


def test_a_dragged_vertex_stays_until_a_layout_is_chosen_again(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_graph(qtbot, window, TINY)
    before = choose(qtbot, window, "circular")
    source, camera = window.parts.session.source, window.parts.canvas.canvas.view.camera
    drag(qtbot, window, 3, QPoint(40, 30))
    after = window.parts.canvas.canvas.content.scene.positions
    assert (after[3] - before[3]) * camera.scale == pytest.approx([40, 30], abs=1.5)
    assert np.array_equal(np.delete(after, 3, axis=0), np.delete(before, 3, axis=0))
    assert window.parts.canvas.canvas.view.camera == camera  # the view stays
    assert window.parts.session.source == source  # a drag is not a click
    assert (
        window.parts.canvas.canvas.view.vertex_at(
            window.parts.canvas.canvas.rect().topLeft().toPointF()
            + QPoint(*np.round(camera.to_screen(after[3])).astype(int).tolist()).toPointF()
        )
        == 3
    )
    assert np.array_equal(choose(qtbot, window, "circular"), before)


@pytest.mark.parametrize("name", ["layered", "rings"])
def test_layouts_follow_the_source_and_take_distances_when_these_are_known(
    qtbot: QtBot, window: MainWindow, name: str
) -> None:
    def depths(places: np.ndarray, source: int) -> np.ndarray:
        return (
            places[:, 0] - places[source, 0]
            if name == "layered"
            else np.hypot(*(places - places[source]).T)
        )

    open_graph(qtbot, window, TINY)
    by_arcs, session = choose(qtbot, window, name), window.parts.session
    assert window.commands[f"layout-{name}"].isChecked()
    run_only(qtbot, window, "dijkstra-heap")
    places = window.parts.canvas.canvas.content.scene.positions
    assert not np.allclose(by_arcs, places)
    found, distances = depths(places, session.source), session.results.selected.distances
    assert found / found.max() == pytest.approx(distances / distances.max())
    session.set_source(4)
    wait_until_idle(qtbot, window)
    assert depths(window.parts.canvas.canvas.content.scene.positions, 4).argmin() == 4


def test_a_graph_without_coordinates_cannot_be_shown_as_in_the_file(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.parts.session.open_graph(without_coordinates(street_grid(3, 2)))
    wait_until_idle(qtbot, window)
    assert not window.commands["layout-file"].isEnabled()
    assert window.commands["layout-spring"].isChecked()
    before = window.parts.canvas.scenes.scene
    window.parts.canvas.scenes.arrange(Arrangement.FILE)
    assert window.parts.canvas.scenes.scene is before
    assert window.parts.canvas.scenes.arrangement is Arrangement.SPRING


def test_a_cancelled_layout_leaves_the_picture_as_it_was(qtbot: QtBot, window: MainWindow) -> None:
    window.parts.session.open_graph(replace(street_grid(200, 200), name="large"))
    wait_until_idle(qtbot, window)
    before = window.parts.canvas.scenes.scene
    window.parts.canvas.scenes.arrange(Arrangement.SPRING)
    window.parts.jobs.cancel(JobKind.LAYOUT)
    wait_until_idle(qtbot, window)
    assert window.parts.canvas.scenes.scene is before
    assert window.parts.canvas.scenes.arrangement is Arrangement.FILE
    assert not window.parts.canvas.scenes.can_drag
    assert before.graph.n > MOST_MOVABLE


def test_a_reopened_graph_is_not_laid_out_again_and_files_are_left_to_the_job(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    threads: list[threading.Thread] = []

    def counted(graph: Graph, *rest: object) -> np.ndarray:
        made.append(graph.n)
        return layout(graph)

    class Watched(LayoutStore):
        def load(self, graph: Graph, kind: str) -> np.ndarray | None:
            threads.append(threading.current_thread())
            return super().load(graph, kind)

        def save(self, graph: Graph, kind: str, positions: np.ndarray) -> None:
            threads.append(threading.current_thread())
            super().save(graph, kind, positions)

    monkeypatch.setattr(stress, "layout", counted)
    scenes, programs = [], []
    for _ in range(2):  # two starts of the program, whose objects live until it ends
        session, jobs = Session(), Jobs()
        store = SceneStore(session, jobs, kept=Watched(tmp_path / "kept"))
        programs.append((session, jobs, store))
        session.open_graph(without_coordinates(street_grid(30, 20)))
        qtbot.waitUntil(
            lambda jobs=jobs, store=store: not jobs.all() and store.scene is not None,
            timeout=60_000,
        )
        scenes.append(store.scene)
    assert made == [600]
    assert np.array_equal(scenes[0].positions, scenes[1].positions)
    assert len(threads) == 3
    assert threading.main_thread() not in threads
