"""The kernels of Bellman-Ford one by one, the passes that whole runs make and report,
and the slots of ELL.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import solvers.algorithms.bellman_ford
from solvers.algorithms.bellman_ford import passes
from solvers.algorithms.bellman_ford.workspace import (
    ELL,
    SLICED,
    Workspace,
    padded_rows_on_device,
    padding_bytes,
)
from solvers.core.availability import availability
from solvers.core.problem import Phases, Problem
from solvers.core.variant import find_variant
from solvers.devices import cuda
from solvers.devices.device import Device, KernelSource
from solvers.devices.kernel import distance_defines
from solvers.errors import Cancelled, NegativeCycle, OutOfMemory
from solvers.graphs.graph import Graph
from solvers.graphs.weights import INT32, to_float
from solvers.system.cancel import Progress
from tests import graphs
from tests.solvers.algorithms.cases import (
    ALL,
    FLAGGED,
    IN_PLACE,
    ON_HOST,
    TWO_ARRAYS,
    cancelled,
    chain,
    graph_of,
    random_graph,
    solve,
    textbook,
    watched,
)

Array = np.ndarray
INF = INT32.infinity
FOLDER = Path(solvers.algorithms.bellman_ford.__file__).parent
FLOOR = np.int32(-100)


class Bench:
    """One kernel file and the graph on a device; launches take and give host arrays."""

    def __init__(self, device: Device, session: Any, name: str, early_exit: int = 1):
        defines = {**distance_defines(INT32), "EARLY_EXIT": early_exit}
        self._program = device.compile(KernelSource.beside(str(FOLDER / name), name, **defines))
        self._session = session
        self.indptr, self.heads = np.array([0, 1, 2, 2, 3]), np.array([1, 2, 2], np.int32)
        self.tails, self.weights = np.array([0, 1, 3], np.int32), np.array([2, 3, 1], np.int32)

    def __call__(self, kernel: str, *arguments: Any) -> list[list[int]]:
        """Launch 64 threads; the arrays among the arguments as they are afterwards."""
        held = [self._session.upload(a) if isinstance(a, np.ndarray) else a for a in arguments]
        self._program.launch(kernel, (2,), (32,), *held)
        return [
            self._session.download(h).tolist()
            for a, h in zip(arguments, held, strict=True)
            if h is not a
        ]


@pytest.fixture
def session(device: Device) -> Iterator[Any]:
    with device.session() as session:
        yield session


def array(*values: int) -> Array:
    return np.array(values, np.int32)


def flags(*values: int) -> Array:
    return np.array(values, np.uint8)


def relax_rows(
    bench: Bench, previous: np.ndarray, *flag: np.ndarray, state: np.ndarray, number: int
) -> list[list[int]]:
    """Distance, flags where given, and the first two words of the state after one
    ``relax`` over rows.
    """
    arguments = (bench.indptr, bench.heads, bench.weights, previous, previous.copy(), *flag)
    *after, (last, fell, _) = bench(
        "relax", np.int32(4), *arguments, FLOOR, *second_of_batch(state, number)
    )[4:]
    return [*after, [last, fell]]


def relax_arcs(
    bench: Bench, distance: np.ndarray, *flag: np.ndarray, state: np.ndarray, number: int
) -> list[list[int]]:
    """Distance, flags where given, and the first two words of the state after one
    ``relax`` over arcs.
    """
    arguments = (bench.tails, bench.heads, bench.weights, distance, *flag)
    *after, (last, fell, _) = bench(
        "relax", np.int64(3), *arguments, FLOOR, *second_of_batch(state, number)
    )[3:]
    return [*after, [last, fell]]


def second_of_batch(state: np.ndarray, number: int) -> tuple[np.ndarray, np.int32]:
    """State and step of pass ``number``, the second (or only) one of a batch."""
    step = min(number, 2)
    return np.append(state, np.int32(number - step)), np.int32(step)


ROW_KERNELS = ["vertex.cu", "strided.cu"]
FLAG_KERNELS = ["edge_flags.cu", "edge_flags_shared.cu"]


@pytest.mark.parametrize("name", ROW_KERNELS)
def test_rows_read_the_pass_before_only(name: str, device: Device, session: Any) -> None:
    """Vertex 1 is reached in this pass, so 2 cannot be yet; a pass that improves
    nothing reports nothing.
    """
    bench = Bench(device, session, name)
    assert relax_rows(bench, array(0, INF, INF, INF), state=array(0, 0), number=1) == [
        [0, 2, INF, INF],
        [1, 0],
    ]
    assert relax_rows(bench, array(0, 2, 5, INF), state=array(4, 0), number=5) == [
        [0, 2, 5, INF],
        [4, 0],
    ]


@pytest.mark.parametrize("name", ROW_KERNELS)
def test_a_queued_pass_past_the_end_does_nothing(name: str, device: Device, session: Any) -> None:
    unfinished = array(0, INF, INF, INF)
    after = relax_rows(Bench(device, session, name), unfinished, state=array(3, 0), number=5)
    assert after == [unfinished.tolist(), [3, 0]]
    after = relax_rows(
        Bench(device, session, name, early_exit=0), unfinished, state=array(3, 0), number=5
    )
    assert after == [[0, 2, INF, INF], [5, 0]], "without early exit every pass works"


@pytest.mark.parametrize("name", ROW_KERNELS)
def test_what_falls_through_the_floor_is_reported_once_and_not_stored(
    name: str, device: Device, session: Any
) -> None:
    bench, low = Bench(device, session, name), array(-110, INF, INF, INF)
    assert relax_rows(bench, low, state=array(6, 0), number=7) == [low.tolist(), [6, 7]]
    assert relax_rows(bench, low, state=array(6, 5), number=7) == [low.tolist(), [6, 5]]


def test_flagged_rows_alone_work_and_take_their_flags_down(device: Device, session: Any) -> None:
    bench = Bench(device, session, "strided_flag.cu")
    distance, flag, state = relax_rows(
        bench, array(0, 9, INF, 0), flags(0, 1, 0, 0), state=array(2, 0), number=3
    )
    assert distance == [0, 9, 12, 0], "0 and 3 had better offers, but no flag"
    assert flag == [0, 0, 0, 0]
    assert state == [3, 0]


def test_keep_flags_exactly_those_that_fell(device: Device, session: Any) -> None:
    """Vertex 1 had its turn in this pass and fell all the same: it is flagged for the next."""
    bench = Bench(device, session, "strided_flag.cu")
    previous = array(0, 9, INF, 4)
    distance, previous_after, flag, _ = bench(
        "keep",
        np.int32(4),
        array(0, 2, 12, 4),
        previous,
        flags(0, 0, 0, 0),
        array(3, 0, 0),
        np.int32(3),
    )
    assert previous_after == distance == [0, 2, 12, 4]
    assert flag == [0, 1, 1, 0]


def test_arcs_lower_distances_in_place(device: Device, session: Any) -> None:
    distance, state = relax_arcs(
        Bench(device, session, "edge.cu"), array(0, 2, INF, INF), state=array(1, 0), number=2
    )
    assert distance == [0, 2, 5, INF]
    assert state == [2, 0]


@pytest.mark.parametrize("name", FLAG_KERNELS)
def test_flagged_arcs_alone_work_and_flag_whom_they_lower(
    name: str, device: Device, session: Any
) -> None:
    bench, nobody = Bench(device, session, name), flags(0, 0, 0, 0)
    after = relax_arcs(
        bench, array(0, 9, INF, 0), flags(0, 1, 0, 0), nobody, state=array(2, 0), number=3
    )
    assert after == [[0, 9, 12, 0], [0, 1, 0, 0], [0, 0, 1, 0], [3, 0]], (
        "0 and 3 had better offers, but no flag"
    )
    after = relax_arcs(
        bench, array(0, 2, 5, INF), flags(1, 1, 0, 0), nobody, state=array(2, 0), number=3
    )
    assert after[2:] == [[0, 0, 0, 0], [2, 0]], "an offer that is no better flags nobody"


@pytest.mark.parametrize("name", FLAG_KERNELS)
def test_copied_flags_start_the_next_pass_and_the_second_array_is_cleared(
    name: str, device: Device, session: Any
) -> None:
    bench = Bench(device, session, name)
    active, following, _ = bench(
        "copy_flags", np.int32(4), flags(1, 1, 0, 0), flags(0, 1, 1, 0), array(3, 0, 0), np.int32(3)
    )
    assert active == [0, 1, 1, 0]
    assert following == [0, 0, 0, 0]


@pytest.mark.parametrize("name", ["vertex.cu", "strided_flag.cu", *FLAG_KERNELS])
def test_starting_values(name: str, device: Device, session: Any) -> None:
    bench = Bench(device, session, name)
    assert bench("start_distances", np.int32(4), np.int32(2), array(9, 9, 9, 9)) == [
        [INF, INF, 0, INF]
    ]
    assert bench("start_flags", np.int32(4), np.int32(2), flags(9, 9, 9, 9)) == [[0, 0, 1, 0]]
    assert bench("start_flags", np.int32(4), np.int32(-1), flags(9, 9, 9, 9)) == [[0, 0, 0, 0]]


GRAPHS = {
    "one vertex": graph_of(1),
    "one vertex, one loop": graph_of(1, (0, 0, 3)),
    "no arcs": graph_of(4),
    "unreachable part": graph_of(5, (0, 1, 2), (2, 3, 1), (3, 2, 1)),
    "parallel arcs": graph_of(3, (0, 1, 9), (0, 1, 2), (0, 1, 5), (1, 2, 1), (1, 2, 0)),
    "zero cycle": graph_of(4, (0, 1, 0), (1, 2, 0), (2, 0, 0), (2, 3, 0)),
    "negative arcs": graph_of(
        5, (0, 1, 6), (0, 2, 7), (1, 3, 5), (2, 3, -3), (3, 1, -2), (3, 4, 2)
    ),
    "random": random_graph(300, 1500, 1),
    "random, negative": random_graph(300, 1500, 2, negative=True),
    "chain": chain(40),
}


@pytest.mark.parametrize("early_exit", [True, False], ids=["early", "full"])
@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS.keys())
@pytest.mark.parametrize("variant_id", ALL)
def test_distances_of_small_and_odd_graphs(
    variant_id: str, graph: Graph, early_exit: bool, device: Device
) -> None:
    solution = solve(variant_id, graph, device, early_exit=early_exit)
    np.testing.assert_array_equal(to_float(solution.distances), textbook(graph, 0)[0])


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS.keys())
@pytest.mark.parametrize("variant_id", TWO_ARRAYS)
def test_two_arrays_make_the_textbooks_passes(
    variant_id: str, graph: Graph, device: Device
) -> None:
    """One arc a pass exactly, and one pass more that changes nothing, within the limit
    of n - 1 (n if negative).
    """
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
    """n - 1 in Bodra's variants and the baselines, n in Cholla's; the launches are
    really there, not only told.
    """
    graph = graph_of(30, (0, 1, 1), (1, 2, 1))
    expected = 30 if variant_id in IN_PLACE else 29
    solution = solve(variant_id, graph, device, early_exit=False)
    assert solution.iterations == expected
    if variant_id not in FLAGGED:
        assert solution.relaxations == expected * graph.m


def test_without_early_exit_every_pass_is_launched(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
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


@pytest.mark.parametrize("variant_id", ALL)
@pytest.mark.parametrize("largest", [1, 4, 32])
def test_every_pass_is_counted_when_batches_are_repeated(
    variant_id: str, largest: int, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path that takes every pass, to its end and beyond; and a cycle that takes n
    passes to be noticed.
    """
    monkeypatch.setattr(passes, "LARGEST_BATCH", largest)
    monkeypatch.setattr(passes, "_BATCH_SECONDS", 1e6)
    for early_exit in (True, False):
        solution = solve(variant_id, chain(140), device, early_exit=early_exit)
        np.testing.assert_array_equal(to_float(solution.distances), np.arange(140))
    with pytest.raises(NegativeCycle):
        solve(
            variant_id, graph_of(140, *[(v, v + 1, 1) for v in range(139)], (139, 0, -140)), device
        )


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
    """Late improvements of vertices that had their turn, and dense graphs: a lost flag
    leaves a wrong distance.
    """
    late = (
        [(0, v, 100 - v) for v in range(1, 100)]
        + [(v, v - 1, 0) for v in range(2, 100)]
        + [(1, 100, 1)]
    )
    for graph in (
        graph_of(101, *late),
        random_graph(3000, 30_000, 7),
        random_graph(3000, 9000, 8, negative=True),
    ):
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
def test_progress_is_told_where_the_end_is_known(variant_id: str, device: Device) -> None:
    told: list[tuple[float, float]] = []
    solve(
        variant_id,
        chain(20),
        device,
        early_exit=False,
        progress=Progress(report=lambda *at: told.append(at)),
    )
    last = 20 if variant_id in IN_PLACE else 19
    assert told[-1] == (last, last)
    assert told == sorted(told)


@pytest.mark.parametrize("variant_id", TWO_ARRAYS + IN_PLACE)
def test_memory_is_told_exactly_beforehand_and_phases_apart(
    variant_id: str, device: Device
) -> None:
    graph = random_graph(1000, 4000, 4)
    memory = find_variant(variant_id).memory
    assert memory is not None
    solution = solve(variant_id, graph, device)
    assert solution.peak_device_bytes == memory(graph)
    phases = solution.phases
    assert min(phases.h2d, phases.solve, phases.d2h, phases.prepare) > 0


def test_too_little_memory_is_refused_and_leaves_the_device_free(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(device), "free_bytes", lambda self: 2000)
    monkeypatch.setattr(cuda, "_POOLED_BYTES", -1)
    with pytest.raises(OutOfMemory):
        solve("bf-vertex", random_graph(1000, 4000, 4), device)
    monkeypatch.undo()
    solve("bf-vertex", random_graph(1000, 4000, 4), device)


GRAPH = graph_of(6, (0, 1, 4), (0, 2, 1), (1, 3, 1), (2, 1, 2), (3, 4, 1))


@pytest.mark.parametrize("variant_id", TWO_ARRAYS)
def test_frontiers_of_the_two_array_variants_are_the_textbooks(
    variant_id: str, device: Device
) -> None:
    solution, trace = watched(variant_id, GRAPH, device)
    assert [trace.frontier(k).tolist() for k in range(len(trace))] == [
        [0],
        [1, 2],
        [1, 3],
        [3, 4],
        [4],
    ]
    assert trace.improved.tolist() == [2, 2, 2, 1, 0]
    assert trace.active.tolist() == [1, 2, 2, 2, 1]
    expected = [2, 2, 2, 1, 0] if variant_id in FLAGGED else [5] * 5
    assert trace.relaxed.tolist() == expected
    assert solution.relaxations == sum(expected)


@pytest.mark.parametrize("variant_id", ALL)
def test_totals_add_up_in_every_variant(variant_id: str, device: Device) -> None:
    graph = random_graph(400, 2000, 11)
    solution, trace = watched(variant_id, graph, device)
    assert trace.iterations == solution.iterations
    assert trace.frontier(0).tolist() == [0]
    assert trace.active.tolist()[1:] == trace.improved.tolist()[:-1], (
        "who fell in a pass is active in the next"
    )
    assert trace.improved[-1] == 0, "the last pass confirms"
    assert solution.relaxations == trace.total_relaxed
    reached = np.flatnonzero(np.isfinite(textbook(graph, 0)[0]))
    np.testing.assert_array_equal(np.flatnonzero(trace.first_active >= 0), reached)
    if variant_id in FLAGGED:
        degrees = [int(graph.out_degrees[trace.frontier(k)].sum()) for k in range(len(trace))]
        assert trace.relaxed.tolist() == degrees
    else:
        assert (trace.relaxed == graph.m).all()
    assert (trace.ms >= 0).all()


@pytest.mark.parametrize("variant_id", FLAGGED)
def test_unwatched_flagged_runs_claim_no_count(variant_id: str, device: Device) -> None:
    assert solve(variant_id, GRAPH, device).relaxations is None


@pytest.mark.parametrize("variant_id", ON_HOST)
def test_the_baselines_follow_the_vertex_order(variant_id: str) -> None:
    """In place, pass 1 lowers 1, 2, 3 and 1 again and 4; the corrected 1 reaches 3 and
    4 in pass 2.
    """
    _, trace = watched(variant_id, GRAPH)
    assert [trace.frontier(k).tolist() for k in range(len(trace))] == [[0], [1, 2, 3, 4], [3, 4]]


@pytest.mark.parametrize("variant_id", TWO_ARRAYS)
def test_without_early_exit_the_empty_passes_are_told_too(variant_id: str, device: Device) -> None:
    _, trace = watched(variant_id, graph_of(9, (0, 1, 1)), device, early_exit=False)
    assert trace.active.tolist() == [1, 1, 0, 0, 0, 0, 0, 0]


LAYOUTS = (ELL, SLICED)
SLOTTED = {name: GRAPHS[name] for name in ("one vertex", "parallel arcs", "negative arcs")} | {
    "no arcs": graph_of(70),
    "a hub": graphs.by_hand("a hub"),
    "random": random_graph(301, 1500, 1),
    "chain": chain(64),
}


def star(n: int) -> Graph:
    """Vertex 0 leads to all others, each of which leads to the next."""
    arcs = [(0, v, 1) for v in range(1, n)] + [(v, v + 1, 1) for v in range(1, n - 1)]
    return graph_of(n, *arcs)


def in_slots(
    graph: Graph, layout: str, device: Device
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, int]:
    """First slots, heads and weights as they lie on the device; bits of a slice and stride."""
    problem = Problem(graph, 0, device=device)
    with device.session() as session:
        rows = tuple(
            session.upload(array) for array in (graph.indptr, graph.indices, problem.weights())
        )
        bits, stride, *held = padded_rows_on_device(problem, session, Phases(), rows, layout)
        first, heads, weights = (session.download(buffer) for buffer in held)
    return first, heads, weights, int(bits), int(stride)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["a hub", "random", "no arcs"])
def test_every_arc_has_one_slot_and_rows_stand_side_by_side(
    name: str, layout: str, device: Device
) -> None:
    graph = SLOTTED[name]
    first, heads, weights, bits, stride = in_slots(graph, layout, device)
    assert len(heads) == len(weights) == first[-1]
    for row, (begin, end) in enumerate(pairwise(graph.indptr)):
        slots = first[row >> bits] + row % 2**bits + stride * np.arange(end - begin)
        np.testing.assert_array_equal(heads[slots], graph.indices[begin:end])
        np.testing.assert_array_equal(weights[slots], graph.weights[begin:end])
        after = first[row >> bits] + row % 2**bits + stride * (end - begin)
        assert after >= first[(row >> bits) + 1] or heads[after] == -1, "an empty slot ends the row"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", SLOTTED)
@pytest.mark.parametrize("variant_id", TWO_ARRAYS)
def test_distances_and_passes_are_those_of_compressed_rows(
    variant_id: str, name: str, layout: str, device: Device
) -> None:
    graph = SLOTTED[name]
    expected = solve(variant_id, graph, device)
    found = solve(variant_id, graph, device, layout=layout)
    np.testing.assert_array_equal(found.distances, expected.distances)
    np.testing.assert_array_equal(to_float(found.distances), textbook(graph, 0)[0])
    assert found.iterations == expected.iterations


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("variant_id", TWO_ARRAYS)
def test_a_random_graph_is_solved_in_every_weight_type(
    variant_id: str, layout: str, device: Device
) -> None:
    for dtype in graphs.DTYPES:
        graph = graphs.at_random(400, 2500, seed=3, dtype=dtype)
        found = solve(variant_id, graph, device, layout=layout)
        rounding = {"int32": 0.0, "int64": 0.0, "float32": 1e-6, "float64": 1e-14}[dtype]
        np.testing.assert_allclose(
            to_float(found.distances), graphs.right_distances(graph, 0), rtol=rounding
        )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_negative_cycle_is_found(layout: str, device: Device) -> None:
    with pytest.raises(NegativeCycle):
        solve(
            "bf-strided-flag",
            graph_of(4, (0, 1, 1), (1, 2, 2), (2, 1, -3), (2, 3, 1)),
            device,
            layout=layout,
        )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("variant_id", TWO_ARRAYS)
def test_stated_memory_is_what_is_held(variant_id: str, layout: str, device: Device) -> None:
    graph, entry = graphs.at_random(3000, 20_000, seed=1), find_variant(variant_id)
    assert entry.memory is not None
    assert entry.layout_memory is not None
    stated = entry.memory(graph) + entry.layout_memory(graph, entry.settle({"layout": layout}))
    assert stated == pytest.approx(
        solve(variant_id, graph, device, layout=layout).peak_device_bytes, rel=0.01
    )


def test_a_hub_makes_ell_huge_and_slices_small() -> None:
    graph = star(3000)
    rows, ell, sliced = (padding_bytes(graph, {"layout": name}) for name in ("csr", ELL, SLICED))
    assert rows == 0
    assert ell >= 3000 * 2999 * 8
    assert sliced < 32 * 2999 * 8 + 100_000


def test_rows_padded_for_a_hub_are_refused_before_the_start(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, entry = star(3000), find_variant("bf-vertex")
    monkeypatch.setattr(type(device), "free_bytes", lambda self: 10_000_000)
    answer = availability(entry, graph, device, {"layout": ELL})
    assert (
        "for rows padded to the greatest degree (choose layout=sliced or layout=csr to avoid it)"
        in answer.reason
    )
    assert isinstance(answer.error, OutOfMemory)
    assert answer.error.needed_bytes >= 72_000_000
    assert availability(entry, graph, device, {"layout": SLICED}).available
    with pytest.raises(
        OutOfMemory,
        match=r"padded for layout=ell needs 7\d.* MB; .*\. Choose layout=sliced or layout=csr",
    ):
        solve("bf-vertex", graph, device, layout=ELL)


def test_filling_is_cut_into_pieces_that_cover_every_row(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solvers.algorithms.bellman_ford.workspace._SLOTS_PER_PIECE", 64)
    graph = random_graph(500, 3000, 7)
    for layout in LAYOUTS:
        np.testing.assert_array_equal(
            to_float(solve("bf-vertex", graph, device, layout=layout).distances),
            textbook(graph, 0)[0],
        )


def test_filling_can_be_cancelled(device: Device) -> None:
    with pytest.raises(Cancelled):
        solve("bf-vertex", chain(40), device, layout=ELL, progress=cancelled())
