"""The matrix as pixels: the least of each group, every cell where it belongs, unreachable apart."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from solvers.core.recorder import MatrixRecorder
from solvers.core.trace import MatrixTrace, Work, downsample_least, start_snapshot
from solvers.errors import Cancelled
from solvers.graphs.weights import weight_type
from solvers.picture import matrix as matrix_module
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.matrix import (
    MatrixContent,
    Role,
    finite_extremes,
    shrink,
    snapshot_before,
)
from solvers.picture.matrix_pixels import MatrixFrame, MatrixFramePainter, MatrixRequest
from solvers.picture.raster.pixel_colours import argb
from solvers.picture.scene.camera import Bounds, Camera
from solvers.system.cancel import CancelToken, Progress
from tests.graphs import DTYPES
from tests.gui.pictures import channels, graph_of, is_like, street_grid


def matrix(n: int, dtype: str) -> np.ndarray:
    """Random distances; a third out of reach, one block of 7 x 7 and one row wholly so."""
    random = np.random.default_rng(5)
    values = random.integers(-20, 1000, (n, n)).astype(dtype)
    values[random.random((n, n)) < 0.33] = weight_type(np.dtype(dtype)).infinity
    values[7:14, 14:21] = weight_type(np.dtype(dtype)).infinity
    values[3] = weight_type(np.dtype(dtype)).infinity
    return values


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [40, 42])
def test_it_is_the_least_of_each_group(n, dtype):
    values = matrix(n, dtype)
    side = -(-n // 7)
    shrunk = shrink(values, 7, (0, side), (0, side))
    assert np.array_equal(shrunk.least, downsample_least(values, side))
    assert np.isinf(shrunk.least[1, 2])
    assert np.isinf(shrink(values, 1, (0, n), (0, n)).least[3]).all()


def test_a_part_is_cut_from_the_whole():
    values = matrix(100, "int32")
    whole = shrink(values, 3, (0, 34), (0, 34)).least
    part = shrink(values, 3, (5, 34), (11, 20))
    assert np.array_equal(part.least, whole[5:34, 11:20])
    assert part.covers(3, (6, 30), (11, 20))
    assert not part.covers(3, (4, 30), (11, 20))
    assert not part.covers(2, (6, 30), (11, 20))


def test_pieces_do_not_show(monkeypatch):
    values = matrix(100, "float32")
    at_once = shrink(values, 3, (0, 34), (0, 34)).least
    extremes = finite_extremes(values)
    monkeypatch.setattr(matrix_module, "_PIECE_CELLS", 500)
    assert np.array_equal(shrink(values, 3, (0, 34), (0, 34)).least, at_once)
    assert finite_extremes(values) == extremes


@pytest.mark.parametrize("dtype", DTYPES)
def test_extremes_are_of_what_can_be_reached(dtype):
    values = matrix(50, dtype)
    reached = values[values < weight_type(np.dtype(dtype)).infinity]
    assert finite_extremes(values) == (reached.min(), reached.max())
    assert finite_extremes(np.full((4, 4), weight_type(np.dtype(dtype)).infinity, dtype)) == (
        0.0,
        0.0,
    )


def test_cancel_is_heard_between_pieces():
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        shrink(matrix(40, "int32"), 1, (0, 40), (0, 40), Progress(token))
    with pytest.raises(Cancelled):
        finite_extremes(matrix(40, "int32"), Progress(token))


N = 120
GRAPH = street_grid(12, 10)
UNREACHABLE = 2**30 - 1


def frame(
    content: MatrixContent,
    side: int = 480,
    *,
    bounds: Bounds | None = None,
    tokens: Tokens = LIGHT,
    ratio: float = 1.0,
    rows: tuple[int, int] | None = None,
) -> MatrixFrame:
    camera = Camera.fitting(
        bounds or Bounds(0, 0, content.graph.n, content.graph.n), side, side, margin=0.0
    )
    return MatrixFramePainter().frame(
        MatrixRequest(content, camera, ratio, tokens, argb(tokens.canvas), rows)
    )


def rising() -> np.ndarray:
    """Distances that tell their column."""
    return np.tile(np.arange(N, dtype=np.int32), (N, 1))


def tile_trace(tile: int = 40) -> MatrixTrace:
    """Two steps of blocked Floyd-Warshall on a matrix that never changes."""
    recorder = MatrixRecorder(N)
    for step in range(2):
        pivot = [step * tile, (step + 1) * tile]
        others = [[a, a + tile] for a in range(0, N, tile) if a != pivot[0]]
        phases = (
            [[*pivot, *pivot]],
            [[*pivot, *o] for o in others] + [[*o, *pivot] for o in others],
            [[*a, *b] for a in others for b in others],
        )
        for number, tiles in enumerate(phases, start=1):
            recorder.matrix_step(
                step, number, np.array(tiles), rising() if number == 3 else None, 0.1
            )
    return recorder.finish()


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_unreachable_cells_have_a_colour_of_their_own(tokens):
    matrix = rising()
    matrix[:, 60:] = UNREACHABLE
    found = frame(MatrixContent(GRAPH, matrix), tokens=tokens)
    assert is_like(found.pixels[:, 240:], tokens.grid, 0).all()
    assert not is_like(found.pixels[:, :240], tokens.grid, 3).any()
    assert found.unreachable
    assert (found.legend.low, found.legend.high) == (0.0, 59.0)


def test_every_cell_lies_where_row_and_column_meet():
    matrix = np.full((N, N), 50, np.int32)
    matrix[30, 100] = 0
    pixels = frame(MatrixContent(GRAPH, matrix)).pixels
    odd = np.argwhere(pixels != pixels[0, 0])
    assert odd.min(axis=0).tolist() == [120, 400]
    assert odd.max(axis=0).tolist() == [123, 403]


def test_the_least_of_many_cells_is_not_lost():
    matrix = np.full((N, N), 50, np.int32)
    matrix[37, 81] = 0
    found = frame(MatrixContent(GRAPH, matrix), side=24)
    assert found.group == 5
    assert np.argwhere(found.pixels != found.pixels[0, 0]).tolist() == [[7, 16]]


def test_a_near_view_is_a_cut_of_the_whole_in_the_same_colours():
    matrix = np.random.default_rng(2).integers(0, 500, (N, N)).astype(np.int32)
    whole = frame(MatrixContent(GRAPH, matrix), side=480).pixels
    near = frame(MatrixContent(GRAPH, matrix), side=480, bounds=Bounds(30, 60, 60, 90)).pixels
    assert np.array_equal(near[::4, ::4], whole[240:360, 120:240])


def test_what_lies_beside_the_matrix_is_canvas():
    pixels = frame(MatrixContent(GRAPH, rising()), bounds=Bounds(-60, -60, 60, 60)).pixels
    assert is_like(pixels[:240], LIGHT.canvas, 0).all()
    assert is_like(pixels[:, :240], LIGHT.canvas, 0).all()
    assert not is_like(pixels[240:, 240:], LIGHT.canvas, 0).any()


@pytest.mark.parametrize("position", range(5))
def test_bands_are_the_frame_drawn_at_once(position):
    content = MatrixContent(GRAPH, rising(), tile_trace(), position)
    whole = frame(content, ratio=2.0).pixels
    parts = [
        frame(content, ratio=2.0, rows=(a, min(960, a + 77))).pixels for a in range(0, 960, 77)
    ]
    assert np.array_equal(np.concatenate(parts), whole)


def test_a_colour_means_the_same_all_through_a_run():
    recorder = MatrixRecorder(N)
    for k, top in enumerate((900, 500, 119)):
        recorder.matrix_step(k, 1, [[0, N, 0, N]], np.minimum(rising() * 10, top), 0.1)
    content = [MatrixContent(GRAPH, rising(), recorder.finish(), k) for k in range(3)]
    assert {frame(s).legend.high for s in content} == {119.0}


# -- marks
# --------------------------------------------------------------------------------------


def changed(position: int, work: MatrixTrace | None = None) -> np.ndarray:
    """(N, N) share of each cell's pixels that a mark covers."""
    trace = work or tile_trace()
    marked = frame(MatrixContent(GRAPH, rising(), trace, position)).pixels
    plain = frame(MatrixContent(GRAPH, rising())).pixels
    if snapshot_before(trace, position) is None:
        plain = np.full_like(plain, argb(LIGHT.grid))
    return (marked != plain).reshape(N, 4, N, 4).mean(axis=(1, 3))


def test_each_phase_marks_its_tiles_and_those_before_it():
    pivot, cross = (changed(k) > 0 for k in (3, 4))  # of the second step: a snapshot lies beneath
    assert pivot[40:80, 40:80].all()
    assert pivot.sum() == 40 * 40
    assert cross[40:80].any(axis=0).all()
    assert cross[:, 40:80].any(axis=1).all()
    assert not cross[:40, :40].any()


def test_phases_differ_in_pattern():
    """Solid, hatched and dotted: the shares of pixels they cover are far apart."""
    assert changed(3)[40:80, 40:80].mean() == 1.0
    assert 0.5 < changed(4)[40:80, :40].mean() < 0.65
    (rest,) = (
        m for m in MatrixContent(GRAPH, None, tile_trace(), 5).marks() if m.role is Role.REST
    )
    assert rest.now
    assert len(rest.tiles) == 4
    assert MatrixContent(GRAPH, rising(), tile_trace(), 5).marks() == [], (
        "at the end nothing is at work"
    )
    content = frame(MatrixContent(GRAPH, None, tile_trace(), 5)).pixels
    plain = frame(MatrixContent(GRAPH, rising())).pixels
    assert 0.05 < (content != plain)[:160, :160].mean() < 0.2


def test_a_tile_smaller_than_a_pixel_is_seen():
    recorder = MatrixRecorder(N)
    recorder.matrix_step(0, 1, [[60, 61, 60, 61]], rising(), 0.1)
    recorder.matrix_step(0, 2, [[60, 61, 0, 60]], None, 0.1)
    content = MatrixContent(GRAPH, rising(), recorder.finish(), 0)
    assert is_like(frame(content, side=30).pixels, LIGHT.path, 30).sum() >= 9


def test_pivots_one_by_one_are_a_row_and_a_column():
    recorder = MatrixRecorder(N)
    for k in range(N):
        recorder.matrix_step(k, 1, [[0, N, 0, N]], rising() if k == 0 else None, 0.1)
    trace = recorder.finish()
    assert trace.work is Work.PIVOTS
    marked = changed(33, trace) > 0
    assert marked[33].all()
    assert marked[:, 33].all()
    assert marked.sum() == 2 * N - 1


def test_rows_still_to_come_are_veiled():
    recorder = MatrixRecorder(N)
    for first in (0, 40, 80):
        recorder.matrix_step(first // 40, 1, [[first, first + 40, 0, N]], rising(), 0.1)
    trace = recorder.finish()
    assert trace.work is Work.ROWS
    roles = {
        mark.role: mark.tiles.tolist() for mark in MatrixContent(GRAPH, rising(), trace, 1).marks()
    }
    assert roles == {Role.PENDING: [[80, 120, 0, N]], Role.FINISHED: [[40, 80, 0, N]]}
    marked = changed(1, trace)
    assert not marked[:40].any()
    assert marked[40:80].mean() > 2 * marked[80:].mean() > 0


# -- snapshots
# --------------------------------------------------------------------------------------


def test_before_the_first_snapshot_the_arcs_are_shown():
    graph = graph_of([(0, 1, 4), (0, 1, 3), (1, 2, 1), (2, 0, 7)], None)
    start = start_snapshot(graph, 256)
    assert start.tolist() == [[0, 3, np.inf], [np.inf, 0, 1], [7, np.inf, 0]]
    assert start_snapshot(graph, 2).tolist() == [[0, 1], [7, 0]]


def test_shades_use_the_distances_that_most_pairs_have():
    """A matrix of 3 to 8 with one row of 26 and zeros on its diagonal was a flat square."""
    matrix = np.random.default_rng(1).integers(3, 9, (N, N)).astype(np.int32)
    matrix[7] = 26
    np.fill_diagonal(matrix, 0)
    found = frame(MatrixContent(GRAPH, matrix))
    assert (found.legend.low, found.legend.high) == (3.0, 8.0)
    assert found.legend.ends == ("≤ 3", "≥ 8")
    cells = found.pixels[2::4, 2::4]
    shades = [channels(cells[matrix == value]).mean(axis=0) for value in range(3, 9)]
    steps = [np.abs(b - a).sum() for a, b in pairwise(shades)]
    assert min(steps) > 10, "each distance has a shade of its own"


def test_a_sum_that_is_zero_but_for_rounding_is_written_as_zero():
    """The least distance of a row of tenths was 5.55e-17."""
    matrix = np.linspace(0.1, 9.0, N * N).reshape(N, N)
    matrix[0, 1] = 5.55e-17
    legend = frame(MatrixContent(GRAPH, matrix)).legend
    assert (legend.low, legend.ends[0]) == (0.0, "0")
