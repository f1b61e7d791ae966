"""What the all-pairs variants do step by step: batches that can be cancelled, phases that are shown, bands on CPUs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from solvers.algorithms.floyd_warshall import on_device, serial
from solvers.algorithms.floyd_warshall.on_device import OnDevice, bands
from solvers.algorithms.floyd_warshall.tiles import other_tiles, pivot_cross, pivot_tile
from solvers.core.problem import Problem
from solvers.core.recorder import MatrixRecorder
from solvers.core.variant import find_variant
from solvers.errors import Cancelled, OutOfMemory
from solvers.graphs.weights import to_float
from solvers.system.cancel import SILENT, CancelToken, Progress
from tests import graphs

ON_DEVICE = ("fw-cell", "fw-cell-loop", "fw-cell-shared", "fw-vertex", "fw-tiled-global", "fw-tiled-shared")


def solve(variant_id, graph, device=None, progress=SILENT, recorder=None, **parameters):
    entry = find_variant(variant_id)
    return entry.solve(Problem(graph, None, None, entry.settle(parameters), device, progress, recorder=recorder))


def cells_of(tiles, n):
    """How often each cell of an (n, n) matrix is named by the ranges."""
    named = np.zeros((n, n), dtype=int)
    for row0, row1, column0, column1 in tiles:
        named[row0:row1, column0:column1] += 1
    return named


@pytest.mark.parametrize("step", [0, 1, 3])
def test_the_phases_write_every_cell_once(step):
    n, tile = 32, 8
    phases = [pivot_tile(step, tile), pivot_cross(step, tile, 4), other_tiles(step, tile, 4)]
    counts = [cells_of(tiles, n) for tiles in phases]
    assert (sum(counts) == 1).all()
    assert [int(count.sum()) for count in counts] == [64, 2 * 3 * 64, 9 * 64]


def test_a_single_tile_has_neither_cross_nor_rest():
    assert len(pivot_cross(0, 8, 1)) == len(other_tiles(0, 8, 1)) == 0


def test_a_tiled_step_shows_its_three_phases(device):
    graph = graphs.at_random(50, 300, seed=4)
    recorder = MatrixRecorder(graph.n)
    solution = solve("fw-tiled-shared", graph, device, recorder=recorder, tile=16)
    steps = recorder.finish().steps
    assert solution.iterations == 4
    assert [(step.step, step.phase) for step in steps] == [(s, p) for s in range(4) for p in (1, 2, 3)]
    for s in range(4):
        written = sum(cells_of(step.tiles, 50) for step in steps[3 * s : 3 * s + 3])
        assert (written == 1).all(), "clipped to the matrix: padding is not shown"
    assert all(step.snapshot is not None for step in steps if step.phase == 3)
    assert all(step.snapshot is None for step in steps if step.phase < 3)


def test_snapshots_only_ever_fall():
    graph = graphs.at_random(40, 200, seed=4)
    recorder = MatrixRecorder(graph.n)
    solve("fw-serial", graph, recorder=recorder)
    shown = [step.snapshot for step in recorder.finish().steps if step.snapshot is not None]
    assert len(shown) == 40
    for before, after in pairwise(shown):
        assert (after <= before).all()


class _Processor:
    is_cpu = True


class _Graphics:
    is_cpu = False


def test_only_processors_cut_a_launch_into_bands(monkeypatch):
    monkeypatch.setattr(on_device, "_BAND_WORK", 1000)
    processor, graphics = (OnDevice(kind(), None, 64, None, 0) for kind in (_Processor, _Graphics))
    assert list(bands(processor, 10, 300)) == [(0, 3), (3, 3), (6, 3), (9, 1)]
    assert list(bands(processor, 3, 10**6)) == [(0, 1), (1, 1), (2, 1)]
    assert list(bands(graphics, 10, 300)) == [(0, 10)]


def test_no_grid_is_taller_than_cuda_allows():
    graphics = OnDevice(_Graphics(), None, 140_000, None, 0)
    assert list(bands(graphics, 140_000, 140_000)) == [(0, 65_535), (65_535, 65_535), (131_070, 8_930)]


def test_cancel_is_heard_between_the_bands_of_one_step(device, monkeypatch):
    """On a processor one step of a large matrix takes longer than Cancel may wait."""
    if not device.is_cpu:
        pytest.skip("a GPU takes a step whole")
    monkeypatch.setattr(on_device, "_BAND_WORK", 1)
    looks, told = [], []

    def look():
        looks.append(len(told))
        if len(looks) == 6:
            raise Cancelled

    progress = Progress(CancelToken(look), lambda done, total: told.append(done))
    with pytest.raises(Cancelled):
        solve("fw-cell-loop", graphs.at_random(50, 200, seed=4), device, progress)
    assert looks == [0, 0, 1, 1, 1, 1], "the matrix is built; then four bands into the first step"
    assert told == [0]


@pytest.mark.parametrize("n", [1, 7, 8, 9, 31, 64, 65])
def test_rows_that_are_no_multiple_of_what_a_thread_fetches(n, device):
    graph = graphs.at_random(n, 3 * n, seed=n)
    distances = solve("fw-vertex", graph, device, block=32).distances
    np.testing.assert_array_equal(to_float(distances), graphs.right_matrix(graph))


@pytest.mark.parametrize("variant_id", ON_DEVICE)
def test_bands_change_nothing(variant_id, device, monkeypatch):
    monkeypatch.setattr(on_device, "_BAND_WORK", 1)
    graph = graphs.at_random(90, 400, seed=4)
    np.testing.assert_array_equal(solve(variant_id, graph, device).distances, graphs.right_matrix(graph))


def test_rows_in_bands_change_nothing(monkeypatch):
    monkeypatch.setattr(serial, "_BAND_CELLS", 700)
    graph = graphs.at_random(90, 400, seed=4)
    np.testing.assert_array_equal(solve("fw-serial", graph).distances, graphs.right_matrix(graph))


@pytest.mark.parametrize("variant_id", ["fw-serial", "fw-omp-loop", *ON_DEVICE])
def test_cancel_is_heard_on_the_way(variant_id, device):
    token = CancelToken()
    heard = []

    def cancel_after_three(done, total):
        heard.append(done / total)
        if len(heard) == 3:
            token.cancel()

    entry = find_variant(variant_id)
    with pytest.raises(Cancelled):
        solve(
            variant_id,
            graphs.at_random(400, 1600, seed=4),
            device if entry.runs_on.needs_device else None,
            Progress(token, cancel_after_three),
        )
    assert heard == sorted(heard)
    assert len(heard) == 3
    assert heard[-1] < 1


@pytest.mark.parametrize("variant_id", ON_DEVICE)
def test_a_device_too_small_refuses_before_it_is_filled(variant_id, device, monkeypatch):
    monkeypatch.setattr(type(device), "free_bytes", lambda self: 10_000)
    with pytest.raises(OutOfMemory, match="10 kB free"):
        solve(variant_id, graphs.at_random(60, 200, seed=4), device)


@pytest.mark.parametrize("variant_id", ["fw-serial", "fw-omp-loop", "fw-omp-tiled", *ON_DEVICE])
def test_work_and_memory_are_counted(variant_id, device):
    graph = graphs.at_random(40, 100, seed=4)
    entry = find_variant(variant_id)
    solution = solve(variant_id, graph, device if entry.runs_on.needs_device else None)
    assert solution.relaxations == 40**3
    if entry.runs_on.needs_device:
        assert 40 * 40 * 4 <= solution.peak_device_bytes <= 64 * 64 * 4 + 4
        assert entry.memory(graph) >= 40 * 40 * 4
