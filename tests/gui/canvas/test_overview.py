"""The map in the corner: of any size of graph, drawn off the window's thread, and a
click on it goes there.
"""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.canvas import overview
from gui.canvas.area import CanvasArea
from gui.canvas.graph_canvas import GraphCanvas
from gui.style import theme
from solvers.graphs.graph import Graph
from solvers.picture.colours import LIGHT, Scheme
from solvers.picture.raster import device
from solvers.picture.scene.scene import build_scene
from tests.gui.pictures import street_grid, textbook

COLUMNS, ROWS = 300, 200


def holed() -> Graph:
    """Streets with nothing in their upper right quarter."""
    grid = street_grid(COLUMNS, ROWS)
    x, y = grid.tails % COLUMNS, grid.tails // COLUMNS
    kept = (x < COLUMNS // 2) | (y < ROWS // 2)
    arcs = grid.tails[kept], grid.indices[kept], grid.weights[kept]
    return Graph.from_arcs(grid.n, *arcs, coordinates=grid.coordinates, name="holed")


def maps_of(graph: Graph) -> list[tuple[float, np.ndarray]]:
    """Share of the edges and opacity of each map that is drawn of a graph, one after the other."""
    scene = build_scene(graph)
    wanted = overview._Wanted(weakref.ref(scene), LIGHT, 1.0)
    drawn = overview._MapPainter().frames(wanted, newer=lambda: False)
    return [(frame.drawn, (frame.pixels >> 24).astype(float)) for _, frame in drawn]


def means(pixels: np.ndarray, cells: int = 6) -> np.ndarray:
    """Of each of so many by so many parts of a picture."""
    parts = [np.array_split(row, cells, axis=1) for row in np.array_split(pixels, cells, axis=0)]
    return np.array([[part.mean() for part in row] for row in parts])


def test_a_sample_of_a_large_graph_looks_like_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = maps_of(holed())[-1]
    monkeypatch.setattr(device, "FIRST_SLICE_PIXELS", 30_000.0)
    monkeypatch.setattr(overview, "PATIENCE_S", 0.0)
    ((share, sample),) = maps_of(holed())
    assert whole[0] == 1.0
    assert share < 0.4
    all_, some = means(whole[1]), means(sample)
    assert all_[-2, 1] > 100 > 10 > all_[1, -2]
    assert some[-2, 1] > 100 > 10 > some[1, -2]
    assert some / some[-2, 1] == pytest.approx(all_ / all_[-2, 1], abs=0.2)  # a hole is 1.0 away


def test_the_map_of_a_small_graph_has_its_edges() -> None:
    """It was an empty box: the arcs of a close view are left to who paints over it."""
    drawn = maps_of(textbook())[-1][1]
    assert (drawn > 100).mean() > 0.02


def test_with_time_the_sample_grows_to_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "FIRST_SLICE_PIXELS", 30_000.0)
    monkeypatch.setattr(overview, "PATIENCE_S", 60.0)
    shares = [share for share, _ in maps_of(holed())]
    assert len(shares) > 1
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_closed_graph_is_let_go_and_not_drawn() -> None:
    scene = build_scene(street_grid())
    wanted = overview._Wanted(weakref.ref(scene), LIGHT, 1.0)
    del scene
    gc.collect()
    assert list(overview._MapPainter().frames(wanted, newer=lambda: False)) == []


# -- in the canvas
# --------------------------------------------------------------------------------------


@pytest.fixture
def canvas(qtbot: QtBot, area: CanvasArea) -> GraphCanvas:
    area.session.open_graph(holed())
    qtbot.waitUntil(
        lambda: area.graph_canvas.content is not None and not area.jobs.all(), timeout=30_000
    )
    return area.graph_canvas


def card_of(canvas: GraphCanvas) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of the map."""
    own = overview._camera_of(canvas.content.scene)
    return overview._card(canvas.view.camera, own).toRect().getCoords()


def ink_in_map(canvas: GraphCanvas) -> np.ndarray:
    """(h, w) how far each pixel of the map is from the middle of its hole, in levels of grey."""
    left, top, right, bottom = card_of(canvas)
    image = (
        canvas.grab().toImage().convertToFormat(canvas.grab().toImage().Format.Format_Grayscale8)
    )
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    grey = rows[top:bottom, left:right].astype(float)
    return np.abs(grey - grey[(bottom - top) // 4, 3 * (right - left) // 4])


def test_it_shows_the_graph_once_one_is_near_it_drawn_in_another_thread(
    qtbot: QtBot, canvas: GraphCanvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    frames = overview._MapPainter.frames

    def watched(*given, **named):
        threads.append(threading.current_thread())
        return frames(*given, **named)

    monkeypatch.setattr(overview._MapPainter, "frames", watched)
    for _ in range(3):
        canvas.view.zoom_in()
    with qtbot.waitSignal(canvas._overview.drawn, timeout=30_000):
        canvas.grab()
    seen = means(ink_in_map(canvas))
    assert seen[4, 1] > 15
    assert seen[1, 4] < 5
    canvas.view.zoom_in()
    canvas.grab()
    assert len(threads) == 1  # drawn once, wherever one looks
    assert threads[0] is not threading.main_thread()
    theme.apply(QApplication.instance(), Scheme.DARK)
    with qtbot.waitSignal(canvas._overview.drawn, timeout=30_000):
        canvas.grab()
    assert means(ink_in_map(canvas))[4, 1] > 15


def test_a_click_on_it_goes_there_and_sets_no_source(qtbot: QtBot, canvas: GraphCanvas) -> None:
    for _ in range(5):
        canvas.view.zoom_in()
    source, scale = canvas._session.source, canvas.view.camera.scale
    left, top, right, bottom = card_of(canvas)
    at = QPoint(left + (right - left) // 4, top + 3 * (bottom - top) // 4)
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=at)
    bounds = canvas.content.scene.bounds
    assert canvas.view.camera.x == pytest.approx(
        bounds.x0 + 0.25 * (bounds.x1 - bounds.x0), abs=0.05
    )
    assert canvas.view.camera.y == pytest.approx(
        bounds.y0 + 0.75 * (bounds.y1 - bounds.y0), abs=0.05
    )
    assert (canvas.view.camera.scale, canvas._session.source) == (scale, source)
