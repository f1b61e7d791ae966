"""Dijkstra's algorithm on host and device: compound frontiers, flags, hybrids, all
sources, memory, settling.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from solvers.algorithms.dijkstra import apsp_source, settling
from solvers.algorithms.dijkstra.kernel_run import KernelRun
from solvers.core.problem import Solution
from solvers.core.variant import Algorithm, Answers, Variant, all_variants, find_variant
from solvers.devices.device import Device
from solvers.errors import Cancelled, OutOfMemory, ParameterError
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.system import machine
from tests import graphs
from tests.quick import only_quick
from tests.solvers.algorithms.cases import cancelled_when, expect_tree, solve, watched


def compound_frontiers(graph: Graph, source: int) -> list[list[int]]:
    """The frontier of every iteration of DA2CF, as its paper's figure 2 has it:
    ascending vertex indices.

    Weights are summed in 64 bits, as the programs do.
    """
    whole = graph.weight_type.is_integer
    infinity = np.iinfo(np.int64).max // 2 if whole else np.inf
    distances = np.full(graph.n, infinity, dtype=np.int64 if whole else np.float64)
    distances[source] = 0
    unresolved = np.ones(graph.n, dtype=bool)
    frontier: NDArray[np.bool_] = np.arange(graph.n) == source
    frontiers = []
    while frontier.any():
        frontiers.append(np.flatnonzero(frontier).tolist())
        unresolved &= ~frontier
        used = frontier[graph.tails] & unresolved[graph.indices]
        np.minimum.at(
            distances, graph.indices[used], distances[graph.tails[used]] + graph.weights[used]
        )
        open_distances = np.where(unresolved, distances, infinity)
        least = open_distances.min()
        frontier = unresolved & (distances == least) & (least < infinity)
    return frontiers


ON_HOST = (
    ("da2cf-f-cpu", {"layout": "csr"}),
    ("da2cf-f-cpu", {"layout": "matrix"}),
    ("da2cf-u-cpu", {"layout": "csr"}),
    ("da2cf-u-cpu", {"layout": "matrix"}),
)
ON_DEVICE = (
    ("da2cf-uh1", {}),
    ("da2cf-uh2", {}),
    ("da2cf-uh3", {}),
    ("da2cf-u-gpu", {"layout": "csr"}),
    ("da2cf-u-gpu", {"layout": "matrix"}),
    ("da2cf-u-gpu", {"layout": "matrix", "block": 32}),
    ("da2cf-u-gpu-2min", {}),
    ("da2cf-u-gpu-2min", {"block": 32}),
    ("da2cf-u-gpu-plus", {}),
    ("da2cf-u-gpu-plus", {"block": 32}),
    ("da2cf-f-gpu", {"layout": "csr"}),
    ("da2cf-f-gpu", {"layout": "matrix"}),
    ("da2cf-f-gpu", {"layout": "matrix", "block": 32}),
)
# Rows, blocks and reductions with a remainder: 300 and 2,100 are no multiples of any block size.
CASES = {
    "zero weights": graphs.by_hand("zero weights"),
    "a cycle of zeros": graphs.by_hand("a cycle of zeros"),
    "ties": graphs.by_hand("ties"),
    "one vertex": graphs.by_hand("one vertex"),
    "a few weights": graphs.from_list(
        300, [(i, (i * i + 7 * k) % 300, k % 3) for i in range(300) for k in range(5)]
    ),
    "random": graphs.at_random(300, 1500, seed=5),
    "floats": graphs.at_random(300, 1500, seed=6, dtype="float32"),
    "larger": graphs.at_random(2100, 9000, seed=7),
    "integers of 64 bits": graphs.at_random(300, 1500, seed=7, dtype="int64"),
}
QUICK = [name for name in CASES if name not in ("floats", "integers of 64 bits")]


def expect_the_frontiers(
    variant_id: str, given: dict[str, Any], graph: Graph, device: Device | None
) -> None:
    solution, trace = watched(variant_id, graph, device, **given)
    expected = compound_frontiers(graph, 0)
    assert solution.iterations == len(expected)
    assert [sorted(trace.frontier(k).tolist()) for k in range(len(trace))] == expected
    assert trace.relaxed.tolist() == [int(graph.out_degrees[f].sum()) for f in expected]
    assert solution.relaxations == trace.total_relaxed
    np.testing.assert_allclose(
        to_float(solution.distances),
        graphs.right_distances(graph, 0),
    )


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("variant_id", "given"), ON_HOST)
def test_frontiers_on_the_host(variant_id: str, given: dict[str, Any], name: str) -> None:
    expect_the_frontiers(variant_id, given, CASES[name], None)


@pytest.mark.parametrize("name", only_quick(CASES, QUICK))
@pytest.mark.parametrize(("variant_id", "given"), ON_DEVICE)
def test_frontiers_on_a_device(
    variant_id: str, given: dict[str, Any], name: str, device: Device
) -> None:
    expect_the_frontiers(variant_id, given, CASES[name], device)


def test_improved_counts_vertices_not_arcs() -> None:
    """0 reaches 1 by two parallel arcs, the lighter second; that is one vertex improved."""
    graph = graphs.by_hand("parallel arcs")
    for variant_id in ("da2cf-f-cpu", "dijkstra-array", "dijkstra-fibonacci"):
        _, trace = watched(variant_id, graph)
        assert trace.improved.tolist() == [1, 1, 0], variant_id


def test_an_unwatched_run_is_the_same(device: Device) -> None:
    graph = CASES["random"]
    for variant_id, given in (*ON_HOST, *ON_DEVICE):
        timed = solve(variant_id, graph, device, **given)
        traced, _ = watched(variant_id, graph, device, **given)
        np.testing.assert_array_equal(timed.distances, traced.distances)
        assert (timed.iterations, timed.relaxations) == (traced.iterations, traced.relaxations)


FLAGS_VARIANT = "dijkstra-matrix-flags"


@pytest.mark.parametrize("block", [32, 256])
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_predecessors_form_a_shortest_path_tree(dtype: str, block: int, device: Device) -> None:
    graph = graphs.at_random(600, 5000, seed=2, dtype=dtype, low=1)
    expect_tree(graph, watched(FLAGS_VARIANT, graph, device, block=block)[0])


def test_many_threads_writing_to_one_vertex(device: Device) -> None:
    """The hub's 1,000 neighbours all reach the last vertex in the same pass, at
    different lengths.
    """
    n = 1002
    arcs = [(0, i, 1) for i in range(1, n - 1)] + [(i, n - 1, n - i) for i in range(1, n - 1)]
    graph = graphs.from_list(n, arcs)
    for _ in range(20):
        solution, _ = watched(FLAGS_VARIANT, graph, device)
        assert solution.distances[n - 1] == 3
        assert solution.predecessors[n - 1] == n - 2


def test_predecessors_that_lost_a_race_are_mended(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spoil every predecessor after the passes: the mending kernel must put all of them right."""
    graph = graphs.at_random(200, 1200, seed=8, low=1)
    launch_slices = KernelRun.launch_slices

    def spoil_before_mending(run: KernelRun, slices: Any, kernel: str, *arguments: Any) -> None:
        if kernel == "repair_predecessors":
            wrong = np.full(graph.n, 7, dtype=np.int32)
            wrong[7] = 8
            wrong[~np.isfinite(graphs.right_distances(graph, 0))] = -1
            wrong[0] = -1
            run.session.write(arguments[-1], wrong)
        launch_slices(run, slices, kernel, *arguments)

    monkeypatch.setattr(KernelRun, "launch_slices", spoil_before_mending)
    expect_tree(graph, watched(FLAGS_VARIANT, graph, device)[0])


def test_a_cycle_of_predecessors_is_left_to_the_recovery_sweep(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a cycle of zeros each vertex accounts for the next: tight arcs, but no tree."""
    graph = graphs.by_hand("a cycle of zeros")
    launch_slices = KernelRun.launch_slices

    def close_the_cycle(run: KernelRun, slices: Any, kernel: str, *arguments: Any) -> None:
        if kernel == "repair_predecessors":
            run.session.write(arguments[-1], np.array([-1, 3, 1, 2, 3, -1], dtype=np.int32))
        launch_slices(run, slices, kernel, *arguments)

    monkeypatch.setattr(KernelRun, "launch_slices", close_the_cycle)
    assert watched(FLAGS_VARIANT, graph, device)[0].predecessors is None


def test_active_are_those_whose_distance_fell_in_the_pass_before(device: Device) -> None:
    graph = graphs.at_random(300, 1500, seed=3)
    solution, trace = watched(FLAGS_VARIANT, graph, device)
    assert trace.iterations == solution.iterations
    assert trace.frontier(0).tolist() == [0]
    assert trace.active[1:].tolist() == trace.improved[:-1].tolist()
    assert trace.improved[-1] == 0, "the last pass finds that nothing falls any more"
    reached = np.isfinite(graphs.right_distances(graph, 0))
    assert trace.relaxed[-1] == graph.out_degrees[reached].sum(), (
        "every reached row is relaxed again"
    )


def test_sliced_launches_give_the_same(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """On processors the n² cells of a pass are cut into launches of some rows each."""
    graph = graphs.at_random(300, 1500, seed=3)
    whole, _ = watched(FLAGS_VARIANT, graph, device)
    monkeypatch.setattr("solvers.algorithms.dijkstra.frontier_host._STEPS_PER_SLICE", 70 * graph.n)
    cut, _ = watched(FLAGS_VARIANT, graph, device)
    np.testing.assert_array_equal(cut.distances, whole.distances)
    expect_tree(graph, cut)


GRAPH = graphs.at_random(500, 2500, seed=9)
ARCS = GRAPH.indptr.nbytes + GRAPH.indices.nbytes + GRAPH.weights.nbytes
DISTANCES, FLAGS = 4 * GRAPH.n, GRAPH.n


class CountedSession:
    """A device session that adds up what is copied."""

    def __init__(self, inner: Any, counted: CountedDevice):
        self._inner = inner
        self._counted = counted

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def write(self, buffer: Any, array: Any) -> None:
        self._counted.sent += array.nbytes
        self._inner.write(buffer, array)

    def download(self, buffer: Any, into: Any = None) -> Any:
        array = self._inner.download(buffer, into)
        self._counted.received += array.nbytes
        return array


class CountedDevice:
    """A device whose sessions count; all else is the device's own."""

    def __init__(self, inner: Device):
        self._inner = inner
        self.sent = 0
        self.received = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    @contextmanager
    def session(self) -> Iterator[CountedSession]:
        with self._inner.session() as session:
            yield CountedSession(session, self)


# What is sent and received once, in every update, and in every iteration; the last
# iteration has no update.
BYTES = {
    "da2cf-uh1": ((DISTANCES + 2 * FLAGS, DISTANCES, 0), (0, 2 * FLAGS, 0)),
    "da2cf-uh2": ((ARCS + DISTANCES + 2 * FLAGS, 2 * FLAGS, 0), (0, 0, DISTANCES)),
    "da2cf-uh3": ((ARCS + DISTANCES + 2 * FLAGS, 0, 0), (0, FLAGS, DISTANCES)),
    "da2cf-u-gpu": ((ARCS, 0, 0), (DISTANCES, 0, 4)),  # 500 vertices leave one minimum of 512
}


@pytest.mark.parametrize("variant_id", BYTES)
def test_what_crosses_between_host_and_device(variant_id: str, device: Device) -> None:
    counted = CountedDevice(device)
    solution = solve(variant_id, GRAPH, counted)  # type: ignore[arg-type]
    times = (1, solution.iterations - 1, solution.iterations)
    sent, received = (
        sum(n * k for n, k in zip(nbytes, times, strict=True)) for nbytes in BYTES[variant_id]
    )
    assert (counted.sent, counted.received) == (sent, received)


@pytest.mark.parametrize("variant_id", ["da2cf-uh1", "da2cf-uh2", "da2cf-uh3"])
def test_every_phase_is_timed(variant_id: str, device: Device) -> None:
    solution = solve(variant_id, GRAPH, device)
    assert solution.phases.solve > 0
    assert solution.phases.h2d > 0
    assert solution.phases.d2h > 0


SERIAL, ALL_PAIRS_ON_DEVICE = "dijkstra-apsp-serial", "dijkstra-apsp-source"
ALL_PAIRS_GRAPH = graphs.at_random(150, 500, seed=12)


def expect_right(graph: Graph, solution: Solution) -> None:
    right = graphs.right_matrix(graph)
    np.testing.assert_allclose(to_float(solution.distances), right, rtol=1e-5)
    assert solution.relaxations == sum(
        int(graph.out_degrees[np.isfinite(row)].sum()) for row in right
    )


@pytest.mark.parametrize("queue", ["array", "heap"])
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_serial(dtype: str, queue: str) -> None:
    graph = graphs.at_random(90, 300, seed=2, dtype=dtype)
    solution, trace = watched(SERIAL, graph, queue=queue)
    expect_right(graph, solution)
    assert solution.iterations == graph.n
    tiles = np.concatenate([step.tiles for step in trace.steps])
    assert tiles[:, 0].tolist() == [0, *tiles[:-1, 1].tolist()], "rows in order, none left out"
    assert tiles[-1].tolist() == [88, 90, 0, 90]


@pytest.mark.parametrize("layout", ["csr", "matrix"])
@pytest.mark.parametrize(("batch", "batches"), [(0, 1), (1000, 1), (150, 1), (64, 3), (1, 150)])
def test_batches_of_any_size(layout: str, batch: int, batches: int, device: Device) -> None:
    solution, trace = watched(
        ALL_PAIRS_ON_DEVICE, ALL_PAIRS_GRAPH, device, layout=layout, batch=batch
    )
    expect_right(ALL_PAIRS_GRAPH, solution)
    assert solution.iterations == len(trace) == batches


@pytest.mark.parametrize("most_steps", [1, 3])
def test_launches_that_settle_a_few_vertices_each(
    most_steps: int, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apsp_source, "_MOST_STEPS", most_steps)
    expect_right(
        ALL_PAIRS_GRAPH, watched(ALL_PAIRS_ON_DEVICE, ALL_PAIRS_GRAPH, device, batch=100)[0]
    )


def test_launches_aim_at_fifty_milliseconds() -> None:
    assert apsp_source._next_steps(1, 0.001) == 2, "doubled at most"
    assert apsp_source._next_steps(64, 0.1) == 32
    assert apsp_source._next_steps(1, 9.0) == 1, "at least one"
    assert apsp_source._next_steps(4096, 0.001) == 4096


def test_a_batch_is_what_fits(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Free memory for 40 rows of distances and flags, of which nine tenths are used."""
    monkeypatch.setattr(type(device), "free_bytes", lambda self: 40 * 5 * ALL_PAIRS_GRAPH.n)
    solution, trace = watched(ALL_PAIRS_ON_DEVICE, ALL_PAIRS_GRAPH, device)
    expect_right(ALL_PAIRS_GRAPH, solution)
    assert [tuple(step.tiles[0, :2]) for step in trace.steps] == [
        (0, 36),
        (36, 72),
        (72, 108),
        (108, 144),
        (144, 150),
    ]


@pytest.mark.parametrize("variant_id", [SERIAL, ALL_PAIRS_ON_DEVICE])
def test_a_result_too_large_for_the_host_is_refused(
    variant_id: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(10**6, 80_000))
    with pytest.raises(
        OutOfMemory, match=f"{variant_id}: the distance matrix of random 150/500 needs 90 kB"
    ):
        watched(variant_id, ALL_PAIRS_GRAPH, device)


@pytest.mark.parametrize(
    ("variant_id", "given"),
    [
        (SERIAL, {"queue": "array"}),
        (SERIAL, {"queue": "heap"}),
        (ALL_PAIRS_ON_DEVICE, {"batch": 10}),
    ],
)
def test_cancel_in_the_midst(variant_id: str, given: dict[str, Any], device: Device) -> None:
    progress, heard = cancelled_when(lambda done, total: done / total > 1 / 3)
    with pytest.raises(Cancelled):
        solve(variant_id, ALL_PAIRS_GRAPH, device, progress=progress, **given)
    assert heard == sorted(heard), "progress never goes back"
    assert heard[-1] < ALL_PAIRS_GRAPH.n / 2


def test_parameters_out_of_range() -> None:
    for given in ({"batch": -1}, {"block": 0}, {"layout": "list"}):
        with pytest.raises(ParameterError):
            find_variant(ALL_PAIRS_ON_DEVICE).settle(given)


EVERY_ON_DEVICE = [
    v
    for v in all_variants()
    if v.algorithm is Algorithm.DIJKSTRA and v.runs_on.needs_device and not v.cuda_only
]


@pytest.mark.parametrize("dtype", graphs.DTYPES)
@pytest.mark.parametrize("entry", EVERY_ON_DEVICE, ids=lambda entry: entry.id)
def test_stated_memory_is_what_is_held(entry: Variant, dtype: str, device: Device) -> None:
    single = entry.answers is Answers.SSSP
    graph = graphs.at_random(3000 if single else 300, 20_000, seed=1, dtype=dtype)
    given = {} if single else {"batch": 32}  # all pairs state the least that they can do with
    assert entry.memory is not None
    solution = solve(entry.id, graph, device, **given)
    assert entry.memory(graph) == pytest.approx(solution.peak_device_bytes, rel=0.01)


WITH_LAYOUT = [entry for entry in EVERY_ON_DEVICE if entry.layout_memory is not None]


@pytest.mark.parametrize("entry", WITH_LAYOUT, ids=lambda entry: entry.id)
def test_the_matrix_adds_what_is_stated(entry: Variant, device: Device) -> None:
    graph = graphs.at_random(300, 900, seed=1)
    parameters = entry.settle(
        {"layout": "matrix"} | ({"batch": 32} if entry.answers is Answers.APSP else {})
    )
    assert entry.memory is not None
    assert entry.layout_memory is not None
    solution = solve(entry.id, graph, device, **parameters)
    stated = entry.memory(graph) + entry.layout_memory(graph, parameters)
    assert stated == pytest.approx(solution.peak_device_bytes, rel=0.05)


PROGRAMS = (
    ("dijkstra-array", {"layout": "csr"}),
    ("dijkstra-array", {"layout": "matrix"}),
    ("dijkstra-fibonacci", {}),
)
everyone = pytest.mark.parametrize(("variant_id", "given"), PROGRAMS)


@everyone
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_vertices_settle_in_order_of_distance(
    variant_id: str, given: dict[str, Any], dtype: str
) -> None:
    graph = graphs.at_random(200, 900, seed=5, dtype=dtype)
    solution, trace = watched(variant_id, graph, **given)
    right = graphs.right_distances(graph, 0)
    reached = np.isfinite(right)
    assert solution.iterations == len(trace) == reached.sum()
    assert (trace.active == 1).all()
    order = to_float(solution.distances)[trace.vertices]
    assert (np.diff(order) >= 0).all()
    assert trace.total_relaxed == solution.relaxations == graph.out_degrees[reached].sum()


@everyone
@pytest.mark.parametrize("name", ["a cycle of zeros", "zero weights", "parallel arcs", "a grid"])
def test_settled_predecessors_form_a_shortest_path_tree(
    variant_id: str, given: dict[str, Any], name: str
) -> None:
    graph = graphs.by_hand(name)
    expect_tree(graph, solve(variant_id, graph, **given))


@everyone
@pytest.mark.parametrize("steps", [1, 700, 10**9])
def test_spans_of_any_length_give_the_same(
    variant_id: str, given: dict[str, Any], steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = graphs.at_random(100, 600, seed=6)
    monkeypatch.setattr(settling, "_STEPS_PER_SPAN", steps)
    solution = solve(variant_id, graph, **given)
    right = graphs.right_distances(graph, 0)
    np.testing.assert_array_equal(to_float(solution.distances), right)
    assert solution.iterations == np.isfinite(right).sum()


@everyone
def test_cancel_in_the_midst_of_settling(
    variant_id: str, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = graphs.at_random(100, 600, seed=6)
    monkeypatch.setattr(settling, "_STEPS_PER_SPAN", 1)
    progress, settled = cancelled_when(lambda done, total: done == 30)
    with pytest.raises(Cancelled):
        solve(variant_id, graph, progress=progress, **given)
    assert settled[-1] <= 31
