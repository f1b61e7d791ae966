"""Traces: any iteration at once, totals that stay true under the memory cap, matrices shrunk to their least cells.

Repeating in pieces gives what NumPy gives in one.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.core import trace
from solvers.core.recorder import MatrixRecorder, TraceRecorder
from solvers.core.trace import TracePhase, downsample_least, repeated


def record(frontiers, n=50, **options):
    recorder = TraceRecorder(n, **options)
    for frontier in frontiers:
        recorder.iteration(np.array(frontier, dtype=np.int64), relaxed=2 * len(frontier), improved=1, ms=0.5)
    return recorder.finish()


def test_every_iteration_can_be_had_at_once():
    trace = record([[0], [1, 2], [2, 3], []])
    assert len(trace) == trace.iterations == 4
    assert [trace.frontier(k).tolist() for k in range(4)] == [[0], [1, 2], [2, 3], []]
    assert trace.active.tolist() == [1, 2, 2, 0]
    assert trace.total_relaxed == 10
    assert trace.ms.sum() == 2.0
    assert trace.stride == 1


def test_a_vertex_active_twice_has_a_first_and_a_last_time():
    trace = record([[0], [1, 2], [2, 3]])
    assert trace.first_active[[0, 1, 2, 3, 4]].tolist() == [0, 1, 1, 2, -1]
    assert trace.last_active[[0, 1, 2, 3, 4]].tolist() == [0, 1, 2, 2, -1]


def test_the_recorder_keeps_a_copy():
    """A solver may reuse its frontier buffer for the next pass."""
    buffer = np.array([1, 2], dtype=np.int32)
    recorder = TraceRecorder(5)
    recorder.iteration(buffer, 1, 1, 0.0)
    buffer[:] = 4
    assert recorder.finish().frontier(0).tolist() == [1, 2]


def test_an_empty_run_has_an_empty_trace():
    trace = record([])
    assert len(trace) == trace.iterations == 0
    assert trace.first_active.tolist() == [-1] * 50


def test_past_the_cap_every_second_iteration_is_kept_and_said():
    frontiers = [range(k, k + 1000) for k in range(8)]
    trace = record(frontiers, n=2000, cap_bytes=4 * 4000 + 500)  # room for four of them
    assert trace.stride == 2
    assert trace.iterations == 8
    assert [int(trace.frontier(k)[0]) for k in range(len(trace))] == [0, 2, 4, 6]
    assert trace.relaxed.tolist() == [4000, 4000, 4000, 4000]


def test_phases_are_named_and_keep_the_numbers_of_the_run_s_own_iterations():
    recorder = TraceRecorder(2000, cap_bytes=4 * 4000 + 500)
    for name, unit, count in (("climb", "vertex", 3), ("nothing", "vertex", 0), ("sweep", "level", 5)):
        recorder.phase(name, unit)
        for k in range(count):
            recorder.iteration(np.arange(k, k + 1000), 1, 1, 0.0)
    trace = recorder.finish()
    assert trace.phases == (TracePhase("climb", "vertex", 0, 3), TracePhase("sweep", "level", 3, 8))
    assert trace.stride == 2
    assert [phase.name for k in range(len(trace)) if (phase := trace.phase(k))] == ["climb", "climb", "sweep", "sweep"]
    assert trace.phases[1].place(4) == "sweep, level 2 of 5"
    assert record([[0]]).phase(0) is None


@given(sizes=st.lists(st.integers(0, 9), max_size=60), room=st.integers(1, 400))
def test_totals_stay_true_and_memory_stays_within_the_cap(sizes, room):
    frontiers = [list(range(size)) for size in sizes]
    trace = record(frontiers, cap_bytes=room)
    assert trace.iterations == len(sizes)
    assert trace.total_relaxed == 2 * sum(sizes)
    assert trace.active.sum() == sum(sizes)
    assert trace.improved.sum() == len(sizes)
    assert len(trace) == -(-len(sizes) // trace.stride)
    assert trace.vertices.nbytes <= room or len(trace) == 1
    for k in range(len(trace)):
        assert trace.frontier(k).tolist() == frontiers[k * trace.stride]


def test_matrix_steps_keep_tiles_and_small_pictures():
    recorder = MatrixRecorder(4, pixels=2)
    matrix = np.array([[0, 9, 1, 2], [3, 0, 4, 5], [7, 7, 0, 6], [8, 8, 8, 0]], dtype=np.int32)
    recorder.matrix_step(0, 1, [0, 4, 0, 4], matrix, 1.5)
    recorder.matrix_step(1, 2, [[0, 2, 0, 2], [2, 4, 2, 4]], None, 2.5)
    trace = recorder.finish()
    assert (len(trace), trace.n) == (2, 4)
    assert trace.steps[0].snapshot.tolist() == [[0, 1], [7, 0]]
    assert trace.steps[0].tiles.tolist() == [[0, 4, 0, 4]]
    assert trace.steps[1].snapshot is None
    assert trace.steps[1].tiles.shape == (2, 4)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_unreachable_cells_are_infinite_only_where_all_are(dtype):
    from solvers.graphs.weights import weight_type

    far = weight_type(dtype).infinity
    matrix = np.array([[0, 5, far, far], [far, 0, far, far], [far, far, 0, 1], [far, 3, far, 0]], dtype=dtype)
    small = downsample_least(matrix, 2)
    assert small.dtype == np.float32
    assert small.tolist() == [[0, np.inf], [3, 0]]


def test_a_matrix_that_does_not_divide_keeps_its_last_row():
    matrix = np.arange(25, dtype=np.int32).reshape(5, 5)
    assert downsample_least(matrix, 2).tolist() == [[0, 3], [15, 18]]
    assert downsample_least(matrix, 256).tolist() == matrix.tolist()


@given(st.lists(st.integers(0, 9), max_size=40), st.integers(1, 12))
def test_pieces_make_the_whole(counts: list[int], piece: int) -> None:
    values, times = np.arange(len(counts), dtype=np.int32), np.array(counts, dtype=np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trace, "_PIECE", piece)
        found = repeated(values, times)
    assert found.dtype == np.int32
    assert found.tolist() == np.repeat(values, times).tolist()


def test_one_count_may_be_longer_than_a_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "_PIECE", 3)
    assert repeated(np.array([True, False]), np.array([10, 1])).tolist() == [True] * 10 + [False]
