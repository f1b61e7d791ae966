"""Traces: any iteration at once, totals that stay true under the memory cap, distances
of small graphs.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.algorithms.arcs import replayed_distances
from solvers.core import recorder as recorder_module
from solvers.core import trace
from solvers.core.availability import availability
from solvers.core.recorder import MatrixRecorder, TraceRecorder
from solvers.core.trace import MOST_DISTANCES, ActivityTrace, TracePhase, downsample_least, repeated
from solvers.core.variant import Answers, Variant, all_variants, find_variant
from solvers.devices import discover
from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.running.request import Choice, RunRequest
from solvers.running.run import run
from tests.solvers.running.requests import TRACE_ONLY


def record(frontiers, n=50, **options):
    recorder = TraceRecorder(n, **options)
    for frontier in frontiers:
        recorder.iteration(
            np.array(frontier, dtype=np.int64), relaxed=2 * len(frontier), improved=1, ms=0.5
        )
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
    for name, unit, count in (
        ("climb", "vertex", 3),
        ("nothing", "vertex", 0),
        ("sweep", "level", 5),
    ):
        recorder.phase(name, unit)
        for k in range(count):
            recorder.iteration(np.arange(k, k + 1000), 1, 1, 0.0)
    trace = recorder.finish()
    assert trace.phases == (TracePhase("climb", "vertex", 0, 3), TracePhase("sweep", "level", 3, 8))
    assert trace.stride == 2
    assert [phase.name for k in range(len(trace)) if (phase := trace.phase(k))] == [
        "climb",
        "climb",
        "sweep",
        "sweep",
    ]
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
    matrix = np.array(
        [[0, 5, far, far], [far, 0, far, far], [far, far, 0, 1], [far, 3, far, 0]], dtype=dtype
    )
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


TEXTBOOK = Path(__file__).parents[3] / "resources" / "samples" / "textbook.gr"


@cache
def textbook() -> Graph:
    return read_graph(TEXTBOOK).graph


@cache
def opencl() -> Device | None:
    return next((device for device in discover().devices if device.kind == "opencl"), None)


@cache  # for MPI ranks, whose start takes seconds
def watched(variant_id: str, graph: Graph, device: Device | None = None) -> ActivityTrace:
    choices = (Choice(find_variant(variant_id), find_variant(variant_id).settle({})),)
    if device is None and find_variant(variant_id).runs_on.needs_device:
        device = opencl()
    target = graph.n - 1 if find_variant(variant_id).answers is Answers.TARGET else None
    (result,) = run(RunRequest(graph, 0, target, choices, device, TRACE_ONLY, trace=True))
    assert result.ok, result.error
    return result.trace


def single_source() -> list[Variant]:
    """Those that relax the graph's own arcs; a hierarchy's are tested in
    tests/solvers/algorithms/hierarchy.
    """
    own = (v for v in all_variants() if ".hierarchy." not in v.module)
    return [v for v in own if v.answers is Answers.SSSP and not v.racy]


@pytest.mark.parametrize("variant_id", [v.id for v in single_source()])
def test_every_iteration_leaves_distances_that_its_relaxations_explain(variant_id: str) -> None:
    graph = textbook()
    if not availability(find_variant(variant_id), graph, opencl()).available:
        pytest.skip(f"{variant_id} is not available here")
    is_explained(watched(variant_id, graph), graph)


@pytest.mark.gpu
def test_the_rounds_of_a_cluster_are_replayed_to_its_answer(device: Device) -> None:
    graph = textbook()
    if not availability(find_variant("sssp-near-far-cluster"), graph, device).available:
        pytest.skip("not available here")
    is_explained(watched("sssp-near-far-cluster", graph, device), graph)


def is_explained(trace: ActivityTrace, graph: Graph) -> None:
    """Assert that every distance comes by a relaxation of its pass, and none that there
    was is missing.
    """
    assert trace.distances.shape == (len(trace), graph.n)
    assert trace.distances[-1].tolist() == [0, 2, 7, 6, 5, 13, 10, 13]
    before = np.full(graph.n, np.inf)
    before[0] = 0
    for k, after in enumerate(trace.distances):
        assert (after <= before).all()
        # a pass may build on what it has found itself, on the way to `after`
        for v in np.flatnonzero(after < before):
            arcs = np.flatnonzero(graph.indices == v)
            active = np.isin(graph.tails[arcs], trace.frontier(k))
            assert after[v] >= (after[graph.tails[arcs]] + graph.weights[arcs]).min()
            assert after[v] <= (before[graph.tails[arcs]] + graph.weights[arcs])[active].min(
                initial=math.inf
            )
        before = after


@pytest.mark.parametrize(
    "variant_id", ["dijkstra-heap", "dijkstra-mpi", "dijkstra-target", "astar"]
)
def test_distances_follow_step_by_step_seen_or_replayed(variant_id: str) -> None:
    graph = textbook()
    if not availability(find_variant(variant_id), graph, None).available:
        pytest.skip(f"{variant_id} is not available here")
    trace = watched(variant_id, graph)
    known = np.where(np.arange(graph.n) == 0, 0.0, math.inf)
    for k in range(len(trace)):
        (u,) = trace.frontier(k)  # one vertex a pass
        for arc in range(graph.indptr[u], graph.indptr[u + 1]):
            v = graph.indices[arc]
            known[v] = min(known[v], known[u] + graph.weights[arc])
        assert trace.distances[k].tolist() == known.tolist()
    assert known[graph.n - 1] == 13


def test_a_replayed_pass_reads_what_stood_before_it() -> None:
    graph = Graph.from_arcs(
        4, np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3]), np.array([1, 9, 1, 1], np.int32)
    )
    infinity = 2**30 - 1
    start = np.array([0, infinity, infinity, infinity], np.int32)
    rows = replayed_distances(graph, start, np.array([0, 1, 3, 3, 4]), np.array([0, 2, 1, 2]))
    assert rows.dtype == np.int32
    # Vertex 3 is reached through 2 as it was before 1 brought that nearer.
    assert rows.tolist() == [[0, 1, 9, infinity], [0, 1, 2, 10], [0, 1, 2, 10], [0, 1, 2, 3]]


def test_only_small_graphs_are_asked_for_distances() -> None:
    assert TraceRecorder(MOST_DISTANCES).wants_distances
    assert not TraceRecorder(MOST_DISTANCES + 1).wants_distances


def test_distances_are_kept_with_the_iterations_that_are_kept() -> None:
    recorder = TraceRecorder(3, cap_bytes=200)
    for k in range(12):
        recorder.iteration(np.array([k % 3]), 1, 1, 0.1, np.array([0, k, 2 * k], dtype=np.int64))
    trace = recorder.finish()
    assert trace.stride > 1
    assert trace.distances[:, 1].tolist() == list(range(0, 12, trace.stride))


def test_a_run_that_does_not_tell_has_no_distances() -> None:
    recorder = TraceRecorder(3)
    recorder.iteration(np.array([0]), 1, 1, 0.1, np.array([0, 1, 2]))
    recorder.iteration(np.array([1]), 1, 1, 0.1)
    assert recorder.finish().distances is None


def test_what_reports_without_end_keeps_no_more_than_the_cap(monkeypatch) -> None:
    monkeypatch.setattr(recorder_module, "DEFAULT_CAP_BYTES", 100)
    steps, passes = MatrixRecorder(4), TraceRecorder(4)
    for k in range(9):
        steps.matrix_step(k, 1, [[0, 4, 0, 4]], np.zeros((4, 4)), 0.1)
        passes.iteration(np.array([0]), 1, 1, 0.1, np.zeros(4))
    assert [step.snapshot is None for step in steps.finish().steps] == [False, False] + 7 * [True]
    assert len(passes._distances) == 3
    assert passes.finish().distances is None
