"""The canvas widget: pans, zooms, frames, and the signals of the model that reach the picture."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QWidget

from gui.canvas import canvas_painter
from gui.canvas.area import ZoomButtons
from gui.style import theme
from gui.style.text import apply_type_size
from solvers.core.result import Result
from solvers.core.variant import find_variant
from solvers.graphs.graph import Coordinates, Graph
from solvers.picture.colours import DARK, LIGHT, Scheme
from solvers.picture.overlay.cards import MARGIN, PADDING
from solvers.picture.scene.close_arcs import reach_of_arcs
from solvers.picture.scene.content import Layer
from solvers.picture.scene.figure import BOW_ROOM
from tests.gui.canvas.bench import MIDDLE, TARGET, turn_wheel
from tests.gui.pictures import is_like, street_grid, trace_of

ROOT = Path(__file__).parents[3]


def test_the_wheel_zooms_about_the_pointer(bench):
    bench.open(street_grid())
    at = bench.place(TARGET)
    before = bench.canvas.view.camera.scale
    turn_wheel(bench.canvas, at, QPoint(0, 240))
    assert bench.canvas.view.camera.scale > 1.3 * before
    assert (bench.place(TARGET) - at).manhattanLength() <= 2


def test_double_click_on_nothing_and_fit_show_the_whole_graph(bench):
    bench.open(street_grid())
    fitted = bench.canvas.view.camera
    bench.area.view.zoom_in()
    bench.area.view.zoom_in()
    assert bench.canvas.view.camera != fitted
    bench.area.view.fit()
    assert bench.canvas.view.camera == fitted
    bench.area.view.zoom_out()
    bench.qtbot.mouseDClick(bench.canvas, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert bench.canvas.view.camera == fitted


def test_arcs_that_bend_beyond_the_vertices_are_within_a_fitted_view(bench):
    """The lowest of parallel arcs, and its weight, lay beneath the lower edge."""
    pairs = [(0, 1), (1, 2), (2, 3)]
    arcs = np.array([(*pair, weight) for pair in pairs for weight in range(1, 7)])
    places = Coordinates(np.column_stack((np.arange(4.0), np.zeros(4))))
    bench.area.resize(800, 300)
    bench.open(Graph.from_arcs(4, *arcs.T, coordinates=places))
    scene, camera = bench.canvas.content.scene, bench.canvas.view.camera
    reach = reach_of_arcs(scene, camera, scene.bounds)
    lowest = camera.to_screen(scene.positions)[:, 1].max() + reach.bottom
    assert reach.bottom > 60.0
    assert lowest + BOW_ROOM <= bench.canvas.view.clear_area.bottom()


def test_two_vertices_are_as_large_as_the_type(bench, type_of):
    """At 200 % they were pins, as close to each other as at 100 %."""
    bench.area.resize(1400, 800)
    bench.open(Graph.from_arcs(2, [0], [1], np.ones(1, np.int32)))
    usual = bench.canvas.view.camera.scale
    type_of(200)
    bench.area.view.fit()
    assert bench.canvas.view.camera.scale == pytest.approx(2 * usual)


def test_a_fitted_graph_stays_fitted_when_the_window_is_resized(bench):
    bench.open(street_grid())
    bench.area.resize(500, 700)
    seen, bounds = bench.canvas.view.camera.bounds, bench.canvas.content.scene.bounds
    assert seen.x0 < bounds.x0 < bounds.x1 < seen.x1
    assert (bench.camera.width, bench.camera.height) == (
        bench.canvas.width(),
        bench.canvas.height(),
    )


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
    bench.area.options.set_layer("path", False)
    assert not is_like(bench.pixels(), LIGHT.path).any()


def test_markers_stand_on_source_and_target(bench):
    bench.open(street_grid())
    bench.session.set_source(MIDDLE)
    bench.session.set_target(TARGET)
    bench.settle()
    pixels = bench.pixels()
    for vertex, colour in ((MIDDLE, LIGHT.source), (TARGET, LIGHT.target)):
        at = bench.place(vertex)
        assert is_like(pixels, colour, 8)[at.y() - 18, at.x() + 5], (
            "in the pin's head, beside its glyph"
        )
    bench.area.options.set_layer("markers", False)
    assert not is_like(bench.pixels(), LIGHT.source, 4).any()


def test_layers_are_named_and_their_change_is_told(bench):
    bench.open(street_grid())
    content = [
        "edges",
        "visited",
        "frontier",
        "path",
        "markers",
        "negative cycle",
        "tentative distances",
    ]
    assert list(bench.area.options.layers()) == [
        *content,
        "distance bands",
        "shortest-path tree",
        "levels of the hierarchy",
        "separators",
        "prominent roads",
        "names of roads",
        "changed roads",
        "difference by changed roads",
    ]
    shown = [name for name, on in bench.area.options.layers().items() if on]
    assert shown == [*content, "separators", "prominent roads", "names of roads", "changed roads"]
    with bench.qtbot.waitSignal(bench.area.options.layers_changed):
        bench.area.options.set_layer("frontier", False)
    assert not bench.area.options.layers()["frontier"]
    assert Layer.FRONTIER not in bench.canvas.content.layers
    with pytest.raises(ValueError, match="no such"):
        bench.area.options.set_layer("no such", True)


def test_the_play_back_moves_the_frontier(bench):
    graph = street_grid()
    bench.open(graph)
    bench.playback.load(trace_of(graph.n, [[MIDDLE], [TARGET]]))
    for position, vertex in ((1, TARGET), (0, MIDDLE)):
        bench.playback.seek(position)
        at = bench.place(vertex)
        bench.settle()
        assert is_like(bench.canvas.frames.newest.pixels, LIGHT.frontier, 8)[at.y(), at.x()]


def test_a_frame_is_current_only_for_the_newest_request(bench, qapp):
    graph = street_grid()
    bench.open(graph)
    bench.playback.load(trace_of(graph.n, [[MIDDLE], [TARGET]]))
    for change in (
        lambda: bench.playback.seek(0),
        bench.area.view.zoom_in,
        lambda: bench.session.set_target(TARGET),
        lambda: bench.area.options.set_layer("frontier", False),
        lambda: theme.apply(qapp, Scheme.DARK),
    ):
        bench.settle()
        frame = bench.canvas.frames.newest
        change()
        assert bench.canvas.frames.newest is frame
        assert not bench.canvas.frames.current
    bench.settle()
    assert is_like(bench.canvas.frames.newest.pixels, DARK.canvas, 0)[2, 2]
    assert is_like(bench.pixels(), DARK.canvas, 0)[2, 2]


def test_a_frame_of_the_graph_before_comes_too_late(bench):
    bench.open(street_grid())
    late = bench.canvas.frames.newest
    bench.session.open_graph(street_grid(10, 10))
    bench.canvas.frames.renderer.rendered.emit(late)
    assert bench.canvas.frames.newest is None
    bench.qtbot.waitUntil(lambda: bench.canvas.content is not None, timeout=30_000)
    bench.settle()
    newest = bench.canvas.frames.newest
    bench.canvas.frames.renderer.rendered.emit(late)
    assert bench.canvas.frames.newest is newest


def test_no_frame_of_the_view_before_is_drawn_of_another_graph(bench, monkeypatch):
    asked, renderer = [], bench.canvas.frames.renderer
    monkeypatch.setattr(
        renderer, "request", lambda one: (asked.append(one), type(renderer).request(renderer, one))
    )
    for graph in (street_grid(), street_grid(10, 10)):
        bench.open(graph)
        assert {request.camera for request in asked} == {bench.camera}
        asked.clear()
        bench.zoom_in()
        bench.settle()
        asked.clear()


def test_zooming_to_path_and_frontier_shows_them_closer(bench):
    graph = street_grid()
    bench.open(graph)
    whole = bench.canvas.view.camera.scale
    bench.area.zoom_to_path()
    assert bench.canvas.view.camera.scale == whole
    path = [20 * 60 + column for column in range(10, 20)]
    bench.answer(path)
    bench.area.zoom_to_path()
    assert bench.canvas.view.camera.scale > 2 * whole
    places = [bench.place(v) for v in path]
    assert all(bench.canvas.rect().contains(at) for at in places)
    bench.playback.load(trace_of(graph.n, [[0], [MIDDLE, MIDDLE + 1]]))
    bench.area.zoom_to_frontier()
    assert bench.canvas.rect().contains(bench.place(MIDDLE))
    bench.area.canvas.view.go_to(5)
    assert (bench.place(5) - bench.canvas.rect().center()).manhattanLength() <= 2


def test_a_graph_without_coordinates_is_laid_out_once(bench, monkeypatch):
    grid = street_grid(12, 8)
    plain = Graph(grid.indptr, grid.indices, grid.weights)
    bench.open(plain)
    assert bench.canvas.content.scene.laid_out
    first = bench.canvas.content.scene.positions
    monkeypatch.setattr(
        "solvers.picture.layout.stress.layout", lambda *_: pytest.fail("laid out again")
    )
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
    bench.session.results.add(
        [
            Result(
                find_variant("fw-serial"),
                {},
                graph,
                0,
                5,
                distances=square,
                predecessors=square - 1,
            )
        ]
    )
    bench.area.options.set_layer("shortest-path tree", True)
    bench.playback.load(trace_of(graph.n, [[0], [1]]))
    bench.playback.seek(0)
    tree = bench.canvas.content.tree
    bench.playback.seek(1)
    assert bench.canvas.content.tree is tree is not None
    bench.session.set_source(1)
    assert bench.canvas.content.tree is not tree


@pytest.mark.parametrize("percent", [100, 150])
def test_a_fitted_graph_is_clear_of_legend_and_zoom_buttons(bench, qapp, percent):
    apply_type_size(qapp, percent)
    bench.open(street_grid(40, 60))
    bench.answer([0, 1])
    bench.settle()
    canvas = bench.canvas
    x, y = canvas.view.camera.to_screen(canvas.content.scene.positions).T
    # of the legend's height, without its two lines of type
    least = percent / 100 * (MARGIN + 2 * PADDING + 8.0)
    assert not np.any((x < MARGIN + 150.0) & (y > canvas.height() - least - 20.0))
    buttons = bench.area.findChild(ZoomButtons).geometry()
    assert not np.any((x > buttons.left()) & (y > buttons.top()))
    apply_type_size(qapp, 100)


def test_a_fitted_graph_takes_the_corners_of_a_presentation(bench):
    bench.open(street_grid(60, 50))
    before = bench.canvas.view.camera.scale
    bench.area.show_legend_elsewhere(True)
    assert bench.canvas.view.camera.scale > before
    bench.area.show_legend_elsewhere(False)
    assert bench.canvas.view.camera.scale == before


def test_a_picture_that_fails_leaves_no_painter_behind(bench, monkeypatch, qtlog):
    """The traceback kept the painter at work after the event, and Qt ended the process
    at the next one.
    """

    def fail(*_, **__):
        raise IndexError("a vertex of another graph")

    bench.open(street_grid())
    bench.settle()
    monkeypatch.setattr(canvas_painter, "paint_graph", fail)
    bench.canvas._painter.forget()
    # it holds what was local to the painting, as the window's report does
    with pytest.raises(IndexError) as caught:
        bench.canvas.repaint()
    assert caught.tb is not None
    assert [record.message for record in qtlog.records if "painter" in record.message] == []


def test_a_picture_is_painted_no_third_time_while_it_is_the_same(bench, monkeypatch):
    """Cards over the canvas had it painted anew whenever they changed."""
    painted: list[object] = []
    paint = canvas_painter.paint_graph

    def count(*values, **named):
        painted.append(values)
        paint(*values, **named)

    bench.open(street_grid())
    bench.settle()
    monkeypatch.setattr(canvas_painter, "paint_graph", count)
    bench.canvas._painter.forget()
    pictures = []
    for _ in range(4):
        bench.canvas.repaint()
        pictures.append(bench.canvas.grab().toImage())
    assert len(painted) == 2
    assert all(picture == pictures[0] for picture in pictures)
    bench.canvas.view.zoom_in()
    bench.canvas.repaint()
    assert len(painted) > 2


def test_pictures_below_a_marker_in_hand_are_painted_into_one_pixmap(qtbot, monkeypatch):
    """A new one for each picture took as long as painting it."""
    widget, pictures = QWidget(), []
    qtbot.addWidget(widget)
    widget.resize(60, 40)
    layer, target = canvas_painter.PaintedLayer(), QPixmap(60, 40)
    make = canvas_painter.QPixmap
    monkeypatch.setattr(canvas_painter, "QPixmap", lambda size: pictures.append(size) or make(size))
    with QPainter(target) as painter:
        for colour in ("red", "blue", "green"):
            layer.draw(
                painter,
                widget,
                (colour,),
                lambda onto, colour=colour: onto.fillRect(widget.rect(), QColor(colour)),
                at_once=True,
            )
    assert pictures == [widget.size()]
    assert target.toImage().pixelColor(30, 20) == QColor("green")


MAKERS = ("QPainter", "smooth_painter")


def test_every_widget_ends_its_painter_however_painting_ends():
    lines = [
        line
        for file in (ROOT / "gui").rglob("*.py")
        for line in file.read_text("utf-8").splitlines()
    ]
    painters = [
        line.strip() for line in lines if re.search(r"\b(QPainter|smooth_painter)\(self\)", line)
    ]
    assert len(painters) > 10
    assert set(painters) == {f"with {made}(self) as painter:" for made in MAKERS}
