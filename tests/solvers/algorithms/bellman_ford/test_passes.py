"""How many passes are made, which arcs they relax, and that both are told truly.

What an observed run tells of every pass, on a graph small enough to follow by hand.

::

    0 --4--> 1 --1--> 3 --1--> 4         pass 1: 0 lowers 1 (4) and 2 (1)
    0 --1--> 2 --2--> 1                  pass 2: 1 lowers 3 (5); 2 lowers 1 (3)
                                         pass 3: 1 lowers 3 (4); 3 lowers 4 (6)
                                         pass 4: 3 lowers 4 (5)
                                         pass 5: 4 has no arcs, nothing falls: the end (and all n passes)
"""

from __future__ import annotations

import numpy as np
import pytest

from solvers.algorithms.bellman_ford import passes
from solvers.algorithms.bellman_ford.workspace import Workspace
from solvers.core.recorder import TraceRecorder
from solvers.core.trace import ActivityTrace
from solvers.core.variant import find_variant
from solvers.devices.device import Device
from solvers.errors import Cancelled, DeviceUnavailable, OutOfMemory, ParameterError
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WEIGHT_TYPES, WeightType, to_float
from solvers.system.cancel import CancelToken, Progress
from tests.solvers.algorithms.bellman_ford.cases import (
    ALL,
    FLAGGED,
    IN_PLACE,
    ON_HOST,
    TWO_ARRAYS,
    chain,
    graph_of,
    random_graph,
    solve,
    textbook,
)

GRAPHS = {
    "one vertex": graph_of(1),
    "one vertex, one loop": graph_of(1, (0, 0, 3)),
    "no arcs": graph_of(4),
    "unreachable part": graph_of(5, (0, 1, 2), (2, 3, 1), (3, 2, 1)),
    "parallel arcs": graph_of(3, (0, 1, 9), (0, 1, 2), (0, 1, 5), (1, 2, 1), (1, 2, 0)),
    "zero cycle": graph_of(4, (0, 1, 0), (1, 2, 0), (2, 0, 0), (2, 3, 0)),
    "negative arcs": graph_of(5, (0, 1, 6), (0, 2, 7), (1, 3, 5), (2, 3, -3), (3, 1, -2), (3, 4, 2)),
    "random": random_graph(300, 1500, 1),
    "random, negative": random_graph(300, 1500, 2, negative=True),
    "chain": chain(40),
}


@pytest.mark.parametrize("early_exit", [True, False], ids=["early", "full"])
@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS.keys())
@pytest.mark.parametrize("variant_id", ALL)
def test_distances_of_small_and_odd_graphs(variant_id: str, graph: Graph, early_exit: bool, device: Device) -> None:
    solution = solve(variant_id, graph, device, early_exit=early_exit)
    np.testing.assert_array_equal(to_float(solution.distances), textbook(graph, 0)[0])


@pytest.mark.parametrize("kind", WEIGHT_TYPES.values(), ids=lambda kind: kind.name)
@pytest.mark.parametrize("variant_id", ALL)
def test_distances_in_every_weight_type(variant_id: str, kind: WeightType, device: Device) -> None:
    graph = random_graph(500, 3000, 5, negative=True, dtype=kind.dtype)
    solution = solve(variant_id, graph, device)
    assert solution.distances.dtype == kind.dtype
    np.testing.assert_array_equal(to_float(solution.distances), textbook(graph, 0)[0])


@pytest.mark.parametrize("variant_id", ALL)
def test_sums_past_32_bits_are_solved_in_64(variant_id: str, device: Device) -> None:
    heavy = 2**29
    graph = graph_of(5, (0, 1, heavy), (1, 2, heavy), (2, 3, heavy), (3, 4, heavy))
    solution = solve(variant_id, graph, device)
    assert solution.distances.dtype == np.int64
    assert solution.distances.tolist() == [0, heavy, 2 * heavy, 3 * heavy, 4 * heavy]


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS.keys())
@pytest.mark.parametrize("variant_id", TWO_ARRAYS)
def test_two_arrays_make_the_textbooks_passes(variant_id: str, graph: Graph, device: Device) -> None:
    """One arc a pass exactly, and one pass more that changes nothing, within the limit of n - 1 (n if negative)."""
    limit = graph.n if graph.has_negative_weights else graph.n - 1
    assert solve(variant_id, graph, device).iterations == min(textbook(graph, 0)[1] + 1, limit)


@pytest.mark.parametrize("variant_id", IN_PLACE)
def test_in_place_makes_no_more_passes_than_the_textbook(variant_id: str, device: Device) -> None:
    graph = random_graph(2000, 6000, 3)
    assert solve(variant_id, graph, device).iterations <= textbook(graph, 0)[1] + 1


def test_serial_follows_a_chain_in_one_pass_and_against_the_numbers_in_all() -> None:
    assert solve("bf-serial", chain(50)).iterations == 2
    assert solve("bf-serial", chain(50, backwards=True), source=49).iterations == 49


@pytest.mark.parametrize("variant_id", ALL)
def test_without_early_exit_every_pass_is_made(variant_id: str, device: Device) -> None:
    """n - 1 in Bodra's variants and the baselines, n in Cholla's; the launches are really there, not only told."""
    graph = graph_of(30, (0, 1, 1), (1, 2, 1))
    expected = 30 if variant_id in IN_PLACE else 29
    solution = solve(variant_id, graph, device, early_exit=False)
    assert solution.iterations == expected
    if variant_id not in FLAGGED:
        assert solution.relaxations == expected * graph.m


def test_without_early_exit_every_pass_is_launched(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    launched = _count_launches(monkeypatch)
    solve("bf-vertex", chain(30), device, early_exit=False)
    assert launched.count("relax") == launched.count("keep") == 29


def _count_launches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    launched: list[str] = []
    real = Workspace.launch

    def launch(self: Workspace, kernel: str, *arguments: object, **options: object) -> None:
        launched.append(kernel)
        real(self, kernel, *arguments, **options)

    monkeypatch.setattr(Workspace, "launch", launch)
    return launched


@pytest.mark.parametrize("variant_id", TWO_ARRAYS)
@pytest.mark.parametrize("largest", [1, 7, 32])
def test_iterations_do_not_depend_on_when_the_host_looks(
    variant_id: str, largest: int, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes, "LARGEST_BATCH", largest)
    monkeypatch.setattr(passes, "_BATCH_SECONDS", 1e6)
    solution = solve(variant_id, chain(60), device)
    assert solution.iterations == 59
    shorter = graph_of(60, *[(v, v + 1, 1) for v in range(20)])
    solution = solve(variant_id, shorter, device)
    assert solution.iterations == 21
    if variant_id not in FLAGGED:
        assert solution.relaxations == 21 * shorter.m


@pytest.mark.parametrize("variant_id", FLAGGED)
@pytest.mark.parametrize("block", [32, 256])
def test_no_flag_is_lost(variant_id: str, block: int, device: Device) -> None:
    """Late improvements of vertices that had their turn, and dense graphs: a lost flag leaves a wrong distance."""
    late = [(0, v, 100 - v) for v in range(1, 100)] + [(v, v - 1, 0) for v in range(2, 100)] + [(1, 100, 1)]
    for graph in (graph_of(101, *late), random_graph(3000, 30_000, 7), random_graph(3000, 9000, 8, negative=True)):
        for _ in range(3):
            solution = solve(variant_id, graph, device, block=block)
            np.testing.assert_array_equal(to_float(solution.distances), textbook(graph, 0)[0])


@pytest.mark.parametrize("variant_id", ["bf-strided", "bf-strided-flag"])
def test_fewer_threads_than_vertices_change_nothing(variant_id: str, device: Device) -> None:
    graph = random_graph(5000, 20_000, 9)
    for grid in (1, 3):
        solution = solve(variant_id, graph, device, grid=grid, block=32)
        np.testing.assert_array_equal(to_float(solution.distances), textbook(graph, 0)[0])


@pytest.mark.parametrize("variant_id", ALL)
def test_cancel_ends_the_run(variant_id: str, device: Device) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        solve(variant_id, chain(200), device, progress=Progress(token))


@pytest.mark.parametrize("variant_id", ALL)
def test_progress_is_told_where_the_end_is_known(variant_id: str, device: Device) -> None:
    told: list[tuple[float, float]] = []
    solve(variant_id, chain(20), device, early_exit=False, progress=Progress(report=lambda *at: told.append(at)))
    last = 20 if variant_id in IN_PLACE else 19
    assert told[-1] == (last, last)
    assert told == sorted(told)


@pytest.mark.parametrize("variant_id", TWO_ARRAYS + IN_PLACE)
def test_memory_is_told_exactly_beforehand(variant_id: str, device: Device) -> None:
    graph = random_graph(1000, 4000, 4)
    memory = find_variant(variant_id).memory
    assert memory is not None
    assert solve(variant_id, graph, device).peak_device_bytes == memory(graph)


@pytest.mark.parametrize("variant_id", TWO_ARRAYS + IN_PLACE)
def test_phases_are_told_apart(variant_id: str, device: Device) -> None:
    phases = solve(variant_id, random_graph(1000, 4000, 4), device).phases
    assert min(phases.h2d, phases.solve, phases.d2h, phases.prepare) > 0


def test_too_little_memory_is_refused_and_leaves_the_device_free(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(device), "free_bytes", lambda self: 2000)
    with pytest.raises(OutOfMemory):
        solve("bf-vertex", random_graph(1000, 4000, 4), device)
    monkeypatch.undo()
    solve("bf-vertex", random_graph(1000, 4000, 4), device)


def test_without_a_device_the_refusal_says_so() -> None:
    with pytest.raises(DeviceUnavailable, match="bf-vertex runs kernels and needs a device"):
        solve("bf-vertex", chain(3), None)


@pytest.mark.parametrize("source", [-1, 3])
@pytest.mark.parametrize("variant_id", ["bf-serial", "bf-vertex"])
def test_a_source_outside_the_graph_is_refused(variant_id: str, source: int, device: Device) -> None:
    with pytest.raises(ParameterError, match="0 to 2"):
        solve(variant_id, chain(3), device, source=source)


GRAPH = graph_of(6, (0, 1, 4), (0, 2, 1), (1, 3, 1), (2, 1, 2), (3, 4, 1))


def traced(variant_id: str, graph, device: Device, **given: object) -> tuple[ActivityTrace, int | None]:
    recorder = TraceRecorder(graph.n)
    solution = solve(variant_id, graph, device, recorder=recorder, **given)
    assert recorder.finish().iterations == solution.iterations
    return recorder.finish(), solution.relaxations


@pytest.mark.parametrize("variant_id", TWO_ARRAYS)
def test_frontiers_of_the_two_array_variants_are_the_textbooks(variant_id: str, device: Device) -> None:
    trace, relaxations = traced(variant_id, GRAPH, device)
    assert [trace.frontier(k).tolist() for k in range(len(trace))] == [[0], [1, 2], [1, 3], [3, 4], [4]]
    assert trace.improved.tolist() == [2, 2, 2, 1, 0]
    assert trace.active.tolist() == [1, 2, 2, 2, 1]
    expected = [2, 2, 2, 1, 0] if variant_id in FLAGGED else [5] * 5
    assert trace.relaxed.tolist() == expected
    assert relaxations == sum(expected)


@pytest.mark.parametrize("variant_id", ALL)
def test_totals_add_up_in_every_variant(variant_id: str, device: Device) -> None:
    graph = random_graph(400, 2000, 11)
    trace, relaxations = traced(variant_id, graph, device)
    assert trace.frontier(0).tolist() == [0]
    assert trace.active.tolist()[1:] == trace.improved.tolist()[:-1], "who fell in a pass is active in the next"
    assert trace.improved[-1] == 0, "the last pass confirms"
    assert relaxations == trace.total_relaxed
    reached = np.flatnonzero(np.isfinite(textbook(graph, 0)[0]))
    np.testing.assert_array_equal(np.flatnonzero(trace.first_active >= 0), reached)
    if variant_id in FLAGGED:
        degrees = [int(graph.out_degrees[trace.frontier(k)].sum()) for k in range(len(trace))]
        assert trace.relaxed.tolist() == degrees
    else:
        assert (trace.relaxed == graph.m).all()
    assert (trace.ms >= 0).all()


@pytest.mark.parametrize("variant_id", ALL)
def test_watching_changes_no_distance(variant_id: str, device: Device) -> None:
    graph = random_graph(400, 2000, 12)
    watched = solve(variant_id, graph, device, recorder=TraceRecorder(graph.n))
    np.testing.assert_array_equal(watched.distances, solve(variant_id, graph, device).distances)


@pytest.mark.parametrize("variant_id", FLAGGED)
def test_unwatched_flagged_runs_claim_no_count(variant_id: str, device: Device) -> None:
    assert solve(variant_id, GRAPH, device).relaxations is None


@pytest.mark.parametrize("variant_id", ON_HOST)
def test_the_baselines_follow_the_vertex_order(variant_id: str) -> None:
    """In place, pass 1 lowers 1, 2, 3 and 1 again and 4; the corrected 1 reaches 3 and 4 in pass 2."""
    recorder = TraceRecorder(GRAPH.n)
    solve(variant_id, GRAPH, recorder=recorder)
    trace = recorder.finish()
    assert [trace.frontier(k).tolist() for k in range(len(trace))] == [[0], [1, 2, 3, 4], [3, 4]]


@pytest.mark.parametrize("variant_id", TWO_ARRAYS)
def test_without_early_exit_the_empty_passes_are_told_too(variant_id: str, device: Device) -> None:
    trace, _ = traced(variant_id, graph_of(9, (0, 1, 1)), device, early_exit=False)
    assert trace.active.tolist() == [1, 1, 0, 0, 0, 0, 0, 0]
