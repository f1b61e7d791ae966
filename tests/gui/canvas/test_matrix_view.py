"""The matrix view: cells where they belong, zoom and pan, what a cell says, a click
opens the pair's path.
"""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gui.canvas.area import CanvasArea, ZoomButtons
from gui.canvas.matrix_view import MatrixView
from gui.export import composition
from gui.export.composition import CAPTION_HEIGHT, MatrixState
from gui.export.page import Page
from gui.export.picture import draw_image, export_picture
from solvers.core.recorder import MatrixRecorder
from solvers.core.result import Result
from solvers.core.variant import all_variants
from solvers.graphs.graph import Graph
from solvers.picture.colours import LIGHT
from solvers.picture.overlay.matrix import MatrixLayout, number_words
from solvers.picture.scene.camera import Bounds, Camera
from tests.gui.canvas.bench import turn_wheel
from tests.gui.pictures import is_like, street_grid

N = 120


def all_pairs(graph: Graph) -> Result:
    index = np.arange(graph.n)
    columns = 12
    hops = np.abs(index[:, None] % columns - index % columns) + np.abs(
        index[:, None] // columns - index // columns
    )
    return Result(all_variants()[0], {}, graph, 0, 5, distances=hops.astype(np.int32))


def pixels_of_image(image: QImage) -> np.ndarray:
    image = image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width()).copy()


def pixels_of(widget: QWidget) -> np.ndarray:
    return pixels_of_image(widget.grab().toImage())


@pytest.fixture
def area(area: CanvasArea) -> CanvasArea:
    area.resize(700, 600)
    area.session.open_graph(street_grid(12, 10))
    return area


def cell_point(area: CanvasArea, row: int, column: int) -> QPoint:
    square = area.matrix_view._place
    x, y = ((i + 0.5) / N * square.width() for i in (column, row))
    return QPoint(round(square.left() + x), round(square.top() + y))


def test_the_matrix_is_shown_only_where_there_is_one_and_it_is_wanted(area):
    area.show_matrix(True)
    assert not area.matrix_shown
    area.session.results.add([all_pairs(area.session.graph)])
    assert area.matrix_shown
    area.show_matrix(False)
    assert not area.matrix_shown
    assert area.matrix_view.has_matrix


def show(qtbot: QtBot, area: CanvasArea) -> MatrixView:
    """The matrix of all pairs, shown and drawn."""
    area.session.results.add([all_pairs(area.session.graph)])
    area.show_matrix(True)
    qtbot.waitUntil(lambda: area.matrix_view.frames.current, timeout=30_000)
    return area.matrix_view


def test_a_click_opens_the_pairs_path_on_the_graph(area, qtbot):
    view = show(qtbot, area)
    with qtbot.waitSignal(area.matrix_requested) as left:
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=cell_point(area, 30, 100))
    assert left.args == [False]
    assert (area.session.source, area.session.target) == (30, 100)
    assert area.session.results.selected.target_distance == 8.0
    assert not area.matrix_shown
    area.show_matrix(True)
    assert area.matrix_shown


def test_with_shift_the_pair_is_only_marked(area, qtbot):
    view = show(qtbot, area)
    at = cell_point(area, 30, 100)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, pos=at)
    assert (area.session.source, area.session.target) == (30, 100)
    assert area.matrix_shown
    ring = pixels_of(view)[at.y() - 9 : at.y() + 10, at.x() - 9 : at.x() + 10]
    assert is_like(ring, LIGHT.path, 40).sum() > 10


def test_the_wheel_zooms_about_the_pointer_and_fit_returns(area, qtbot):
    view = show(qtbot, area)
    at, whole = QPointF(cell_point(area, 30, 100)), view.view.camera
    assert view.cell_at(at) == (30, 100)
    view.view.zoom(8.0, at)
    assert view.cell_at(at) == (30, 100)
    assert view.view.camera.scale == pytest.approx(8.0 * whole.scale)
    area.view.fit()
    assert view.view.camera == whole
    view.view.zoom(0.1, at)
    assert view.view.camera == whole  # no further out than all of it
    turn_wheel(view, cell_point(area, 30, 100), QPoint(0, 960))
    assert view.view.camera.scale > 3.0 * whole.scale
    assert view.cell_at(at) == (30, 100)
    qtbot.mouseDClick(view, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert view.view.camera == whole
    ends = area.session.source, area.session.target
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert (area.session.source, area.session.target) == ends, "beside the matrix"
    assert area.matrix_shown


def test_dragging_pans_and_clicks_nothing(area, qtbot):
    view = show(qtbot, area)
    view.view.zoom(6.0, QPointF(cell_point(area, 60, 60)))
    at = cell_point(area, 60, 60)
    before = area.session.source, area.session.target
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseMove(view, at + QPoint(40, 25))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=at + QPoint(40, 25))
    assert cell_point(area, 60, 60) == at + QPoint(40, 25)
    assert (area.session.source, area.session.target) == before
    assert area.matrix_shown


def test_the_card_of_a_cell_follows_the_pointer_and_goes_with_it(area, qtbot):
    view = show(qtbot, area)
    plain = pixels_of(view)
    seen = [plain]
    for cell in ((20, 30), (90, 30)):
        qtbot.mouseMove(view, cell_point(area, *cell))
        seen.append(pixels_of(view))
    assert not any(np.array_equal(one, other) for one, other in combinations(seen, 2))
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert np.array_equal(pixels_of(view), plain)


def test_while_playing_a_cell_says_what_was_known(area, qtbot):
    view = show(qtbot, area)
    recorder = MatrixRecorder(N)
    for k in range(3):
        recorder.matrix_step(k, 1, [[0, N, 0, N]], np.full((N, N), 90 - k), 0.1)
    area.playback.load(recorder.finish())
    area.playback.seek(1)
    rows = dict(view.cell_rows(30, 100))
    assert rows["so far"].startswith("89")
    assert rows["play-back"] == "step 2 of 3"
    area.playback.to_end()
    rows, ids = dict(view.cell_rows(30, 100)), area.session.graph.ids
    assert (rows["from"], rows["to"]) == (str(int(ids[30])), str(int(ids[100])))
    assert rows["distance"].startswith("8")


def test_a_step_of_the_play_back_is_drawn(area, qtbot):
    view = show(qtbot, area)
    recorder = MatrixRecorder(N)
    for k in range(2):
        recorder.matrix_step(k, 1, [[40 * k, 40 * k + 40] * 2], np.zeros((N, N)), 0.1)
        recorder.matrix_step(k, 2, [[0, 1, 0, 1]], None, 0.1)
    area.playback.load(recorder.finish())
    for k, inside, outside in ((0, (20, 20), (60, 60)), (2, (60, 60), (20, 20))):
        area.playback.seek(k)

        qtbot.waitUntil(lambda: view.frames.current, timeout=10_000)
        seen = pixels_of(view)
        at_work = [
            is_like(seen[at.y(), at.x()], LIGHT.path, 40)
            for at in (cell_point(area, *c) for c in (inside, outside))
        ]
        assert at_work == [True, False]


def test_large_cells_are_labelled_with_their_distance(area, qtbot):
    view = show(qtbot, area)
    before = pixels_of(view)
    view.view.zoom(20.0, QPointF(cell_point(area, 60, 60)))
    qtbot.waitUntil(lambda: view.frames.current, timeout=10_000)
    square = view._place
    cell = square.width() / N
    at = cell_point(area, 60, 61)
    inside = pixels_of(view)[
        at.y() - int(cell / 3) : at.y() + int(cell / 3), at.x() - 8 : at.x() + 8
    ]
    assert is_like(inside, LIGHT.text, 60).any()
    assert not np.array_equal(before, pixels_of(view))


def test_the_picture_of_the_matrix_is_exported_with_its_ids(area, qtbot, tmp_path):
    show(qtbot, area)
    state = area.picture_state()
    assert isinstance(state, MatrixState)
    path = export_picture(tmp_path / "m.svg", state.whole(), Page(900, 800, 96))
    words = {
        "".join(e.itertext()).strip()
        for e in ElementTree.parse(path).iter()
        if e.tag.endswith("text")
    }
    assert {"from vertex", "to vertex", "Distance", "0", "100"} <= words
    assert sum(e.tag.endswith("image") for e in ElementTree.parse(path).iter()) == 1
    image = draw_image(state.whole(), Page(900, 800, 96))
    layout = MatrixLayout(900, 800, CAPTION_HEIGHT)
    place = layout.place(
        Camera.fitting(Bounds(0, 0, N, N), layout.plot.width, layout.plot.height, margin=0.0), N
    )

    def colour_of(row: int, column: int) -> QColor:
        cell = place.width / N
        return image.pixelColor(
            round(place.x0 + (column + 0.5) * cell), round(place.y0 + (row + 0.5) * cell)
        )

    near, far = colour_of(60, 60), colour_of(2, 118)
    assert near.blue() > near.green() + 50, "violet"
    assert far.green() > far.red() + 50, "cyan"


@pytest.mark.parametrize("rows", [29, 300])
def test_bands_of_an_exported_matrix_show_no_seam(area, qtbot, tmp_path, monkeypatch, rows):
    show(qtbot, area)
    state, page = area.picture_state(), Page(801, 640, 144)
    whole = pixels_of_image(draw_image(state, page))
    monkeypatch.setattr(composition, "BAND_PIXELS", 801 * rows)
    written = QImage(str(export_picture(tmp_path / "m.png", state, page)))
    assert np.array_equal(pixels_of_image(written), whole)


@pytest.mark.parametrize("percent", [100, 150])
def test_nothing_lies_over_the_matrix_at_any_size_of_type(area, qtbot, type_of, percent):
    """At 150 % in a narrow view the zoom buttons lay over its last column; ids and
    legend stayed small.
    """
    type_of(percent)
    area.resize(500, 480)
    area.show_matrix(True)
    area.session.results.add([all_pairs(area.session.graph)])
    view = area.matrix_view
    qtbot.waitUntil(lambda: view.frames.current, timeout=30_000)
    square, buttons = view._place, area.findChild(ZoomButtons)
    assert buttons.isVisible()
    assert not square.intersects(QRectF(buttons.geometry()))
    assert view.rect().contains(square.toAlignedRect())
    pixels = pixels_of(view)
    legend = np.nonzero(
        ~is_like(pixels[round(square.bottom()) + 6 :, : buttons.x() - 8], LIGHT.canvas, 12)
    )
    assert np.ptp(legend[1]) > 1.6 * percent, "the legend has the size of the type"
    top, left = round(square.top()), round(square.left())
    assert cell_point(area, 0, 0).x() > left
    assert view.cell_at(QPointF(cell_point(area, 7, 11))) == (7, 11)
    assert not is_like(pixels[top + 4 : top + 8, left + 4 : left + 40], LIGHT.canvas, 3).any()


@pytest.mark.parametrize(
    ("value", "greatest", "words"),
    [
        (5.55e-17, 0.9, "0"),
        (5.55e-17, 1e-16, "5.55e-17"),
        (0.3, 9.0, "0.3"),
        (-2.0, 9.0, "-2"),
        (np.inf, 9.0, "–"),
    ],
)
def test_a_cell_shows_no_rounding_as_a_distance(value: float, greatest: float, words: str) -> None:
    assert number_words(value, greatest) == words
