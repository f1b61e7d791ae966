"""The matrix view: cells where they belong, tiles at work marked, a click chooses the pair."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from gui.canvas.area import CanvasArea
from gui.canvas.matrix_picture import mark_tiles, matrix_pixels, snapshot_before
from gui.jobs import Jobs
from gui.playback import Playback
from gui.session import Session
from gui.theme import DARK, LIGHT
from solvers import catalog
from solvers.graph import Graph
from solvers.results import Result
from solvers.trace import MatrixRecorder
from tests.gui.canvas.graphs import is_like, street_grid

N = 120


def all_pairs(graph: Graph) -> Result:
    index = np.arange(graph.n)
    columns = 12
    hops = np.abs(index[:, None] % columns - index % columns) + np.abs(index[:, None] // columns - index // columns)
    return Result(catalog.variants()[0], {}, graph, 0, 5, distances=hops.astype(np.int32))


@pytest.fixture
def area(qtbot: QtBot) -> Iterator[CanvasArea]:
    session, playback, jobs = Session(), Playback(), Jobs()
    made = CanvasArea(session, playback, jobs)
    made.session, made.playback = session, playback
    qtbot.addWidget(made)
    made.resize(700, 600)
    made.show()
    session.open_graph(street_grid(12, 10))
    yield made
    jobs.shut_down()


def cell_point(area: CanvasArea, row: int, column: int) -> QPoint:
    square = area.matrix_view.square()
    return QPoint(
        round(square.left() + (column + 0.5) / N * square.width()),
        round(square.top() + (row + 0.5) / N * square.height()),
    )  # fmt: skip


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_unreachable_cells_have_a_colour_of_their_own(tokens):
    small = np.array([[0.0, 4.0], [np.inf, 0.0]], dtype=np.float32)
    pixels = matrix_pixels(small, tokens)
    assert is_like(pixels[1, 0], tokens.grid, 0)
    assert pixels[0, 0] == pixels[1, 1]
    assert len({int(p) for p in pixels.ravel()}) == 3


def test_marked_tiles_cover_their_cells_and_no_others():
    pixels = matrix_pixels(np.zeros((16, 16), np.float32), LIGHT)
    marked = mark_tiles(pixels, np.array([[16, 32, 48, 64]]), 64, LIGHT)
    assert (marked != pixels)[4:8, 12:16].all()
    assert (marked != pixels).sum() == 16


def test_the_newest_snapshot_so_far_is_shown():
    recorder = MatrixRecorder(4)
    for step, matrix in enumerate((np.full((4, 4), 9.0), None, np.full((4, 4), 3.0))):
        recorder.matrix_step(step, 1, [[0, 4, 0, 4]], matrix, 0.1)
    trace = recorder.finish()
    assert [float(snapshot_before(trace, k)[0, 0]) for k in range(3)] == [9.0, 9.0, 3.0]


def test_the_matrix_is_shown_only_where_there_is_one_and_it_is_wanted(area):
    area.show_matrix(True)
    assert not area.matrix_shown
    area.session.add_result(all_pairs(area.session.graph))
    assert area.matrix_shown
    area.show_matrix(False)
    assert not area.matrix_shown
    assert area.matrix_possible


def test_a_click_makes_the_cell_source_and_target_and_keeps_the_matrix(area, qtbot):
    area.session.add_result(all_pairs(area.session.graph))
    area.show_matrix(True)
    qtbot.mouseClick(area.matrix_view, Qt.MouseButton.LeftButton, pos=cell_point(area, 30, 100))
    assert (area.session.source, area.session.target) == (30, 100)
    assert area.matrix_shown
    assert area.session.selected.target_distance == 8.0


def test_near_cells_are_drawn_where_rows_and_columns_meet(area, qtbot):
    area.session.add_result(all_pairs(area.session.graph))
    area.show_matrix(True)

    def near_is_dark_and_far_is_bright() -> bool:
        image = area.matrix_view.grab().toImage()
        near, far = (image.pixelColor(cell_point(area, *cell)) for cell in ((60, 60), (2, 118)))
        return near.blue() > near.red() + 30 and far.red() > far.blue() + 30

    qtbot.waitUntil(near_is_dark_and_far_is_bright, timeout=10_000)
