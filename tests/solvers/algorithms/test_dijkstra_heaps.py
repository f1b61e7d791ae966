"""The heaps of Dijkstra's algorithm, and the arrays that its programs are laid out in."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import solvers.algorithms.dijkstra.heap as heap
from solvers.algorithms.dijkstra.fibonacci import (
    COUNT,
    LEAST,
    NONE,
    FibonacciHeap,
    decrease,
    empty_heap,
    extract,
    insert,
)
from solvers.algorithms.dijkstra.layouts import device_matrix, host_matrix
from solvers.core.problem import Phases, Problem
from solvers.core.variant import find_variant
from solvers.devices.device import Device
from solvers.errors import Cancelled, OutOfMemory, UnsuitableGraph
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.weights import WEIGHT_TYPES
from solvers.system import machine
from solvers.system.cancel import SILENT, CancelToken, Progress
from tests import graphs
from tests.data import data_file
from tests.solvers.algorithms.cases import by_scipy, cancelled_when, solve, watched

HEAP = "dijkstra-heap"


@pytest.mark.parametrize("arity", [2, 4, 8])
def test_vertices_are_settled_once_each_in_the_order_of_distance(arity):
    graph = graphs.at_random(500, 2500, seed=1)
    solution, trace = watched(HEAP, graph, arity=arity)
    settled = trace.vertices
    assert len(set(settled.tolist())) == len(settled) == solution.iterations
    assert (np.diff(solution.distances[settled]) >= 0).all()


def test_every_arc_that_leaves_a_settled_vertex_is_relaxed_once():
    graph = graphs.by_hand("two components")
    solution, trace = watched(HEAP, graph)
    assert solution.iterations == 3
    assert solution.relaxations == 4
    assert trace.relaxed.tolist() == [1, 2, 1]
    assert trace.improved.tolist() == [1, 1, 0]


def test_an_improvement_moves_a_vertex_up_instead_of_adding_it_again():
    """Each spoke offers the rim's end a shorter way than the one before: 39 falls, one
    place in the heap.
    """
    graph = graphs.by_hand("a hub")
    solution, trace = watched(HEAP, graph)
    assert solution.iterations == 40
    assert trace.vertices.tolist().count(39) == 1


def test_long_runs_are_cut_into_batches_that_change_nothing(monkeypatch):
    graph = graphs.at_random(500, 2500, seed=1)
    whole, whole_trace = watched(HEAP, graph)
    monkeypatch.setattr(heap, "_BATCH", 7)
    cut, cut_trace = watched(HEAP, graph)
    np.testing.assert_array_equal(cut.distances, whole.distances)
    np.testing.assert_array_equal(cut_trace.vertices, whole_trace.vertices)
    assert cut.relaxations == whole.relaxations


def test_cancel_is_heard_between_batches(monkeypatch):
    monkeypatch.setattr(heap, "_BATCH", 10)
    progress, heard = cancelled_when(lambda done, total: total == 500 and done >= 50)
    with pytest.raises(Cancelled):
        solve(HEAP, graphs.at_random(500, 2500, seed=1), progress=progress)
    assert heard == [0, 10, 20, 30, 40, 50]


def test_negative_weights_are_refused_by_the_arc():
    with pytest.raises(UnsuitableGraph, match=r"16 → 13.*Bellman-Ford"):
        solve(HEAP, graphs.by_hand("a negative arc"))


@pytest.mark.data
def test_new_york_as_scipy_has_it():
    graph = read_graph(data_file("dimacs/USA-road-d.NY.gr.gz")).graph
    solution = solve(HEAP, graph, source=1000)
    np.testing.assert_array_equal(solution.distances, by_scipy(graph, 1000))
    assert solution.distances.dtype == np.int32
    assert (solution.iterations, solution.relaxations) == (264_346, 733_846)


N = 40


def ring(heap: FibonacciHeap, first: int) -> list[int]:
    """The vertices of a ring of siblings, left and right links checked."""
    members = [first]
    while heap.right[members[-1]] != first:
        members.append(int(heap.right[members[-1]]))
        assert len(members) <= len(heap.keys), "a ring that never closes"
    for v in members:
        assert heap.left[heap.right[v]] == v
    return members


def roots(heap: FibonacciHeap) -> list[int]:
    return [] if heap.head[LEAST] == NONE else ring(heap, int(heap.head[LEAST]))


def children(heap: FibonacciHeap, v: int) -> list[int]:
    return [] if heap.child[v] == NONE else ring(heap, int(heap.child[v]))


def subtree(heap: FibonacciHeap, v: int) -> Iterator[int]:
    yield v
    for child in children(heap, v):
        yield from subtree(heap, child)


def fibonacci(k: int) -> int:
    a, b = 0, 1
    for _ in range(k):
        a, b = b, a + b
    return a


def expect_shape(heap: FibonacciHeap, inside: set[int]) -> None:
    """All that makes a Fibonacci heap one."""
    found = [v for root in roots(heap) for v in subtree(heap, root)]
    assert sorted(found) == sorted(inside), "every vertex once, and no other"
    assert heap.head[COUNT] == len(inside)
    assert (heap.by_degree == NONE).all(), "scratch space is left clean"
    if inside:
        assert heap.keys[heap.head[LEAST]] == min(heap.keys[v] for v in inside)
    for root in roots(heap):
        assert heap.parent[root] == NONE
        assert not heap.marked[root]
    for v in found:
        below = children(heap, v)
        assert heap.degree[v] == len(below)
        assert all(heap.parent[child] == v for child in below)
        assert all(heap.keys[child] >= heap.keys[v] for child in below), (
            "no child lies below its parent's key"
        )
        assert len(list(subtree(heap, v))) >= fibonacci(heap.degree[v] + 2), (
            "cascading cuts keep trees bushy"
        )


operations = st.lists(
    st.one_of(
        st.tuples(st.just("insert"), st.integers(0, N - 1), st.integers(0, 50)),
        st.tuples(st.just("decrease"), st.integers(0, N - 1), st.integers(0, 50)),
        st.tuples(st.just("extract"), st.just(0), st.just(0)),
    ),
    max_size=120,
)


@given(operations)
def test_any_sequence_of_operations(steps: list[tuple[str, int, int]]) -> None:
    keys = np.zeros(N, dtype=np.int64)
    heap = empty_heap(keys)
    model: dict[int, int] = {}
    for name, v, amount in steps:
        if name == "insert" and v not in model:
            keys[v] = model[v] = amount
            insert(heap, v)
        elif name == "decrease" and v in model:
            model[v] = min(model[v], model[v] - amount)
            decrease(heap, v, model[v])
        elif name == "extract" and model:
            taken = extract(heap)
            assert model.pop(taken) == min([keys[taken], *model.values()])
            degrees = [int(heap.degree[root]) for root in roots(heap)]
            assert len(set(degrees)) == len(degrees), "consolidated: no two roots of equal degree"
        expect_shape(heap, set(model))


@given(st.lists(st.floats(0, 100), min_size=1, max_size=N))
def test_it_sorts(values: list[float]) -> None:
    keys = np.array(values)
    heap = empty_heap(keys)
    for v in range(len(values)):
        insert(heap, v)
    assert [keys[extract(heap)] for _ in values] == sorted(values)
    assert heap.head[COUNT] == 0


def test_a_second_lost_child_cuts_the_parent_too() -> None:
    """The cascading cut, followed by hand.

    Of nine vertices one is taken out, so the other eight join into a single tree of
    rank 3. Its vertex of degree 2 loses first one child, which marks it, and then the
    other, which makes it a root itself.
    """
    keys = np.arange(9, dtype=np.int64) * 10
    heap = empty_heap(keys)
    for v in range(9):
        insert(heap, v)
    assert extract(heap) == 0
    (root,) = roots(heap)
    parent = next(v for v in children(heap, root) if heap.degree[v] == 2)
    first, second = children(heap, parent)

    decrease(heap, first, -1)
    assert heap.marked[parent]
    assert heap.parent[parent] == root
    decrease(heap, second, -2)
    assert heap.parent[parent] == NONE
    assert not heap.marked[parent]
    assert not heap.marked[root], "a root is never marked"
    assert heap.head[LEAST] == second
    assert set(roots(heap)) == {root, parent, first, second}
    expect_shape(heap, set(range(1, 9)))


@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_a_hundred_thousand_keys(dtype: str) -> None:
    generator = np.random.default_rng(3)
    n = 100_000
    keys = generator.integers(10**6, 2 * 10**6, n).astype(dtype)
    heap = empty_heap(keys)
    for v in range(n):
        insert(heap, v)
    previous = keys[extract(heap)]
    for v in generator.integers(0, n, 20_000).tolist():
        if heap.parent[v] != NONE and keys[v] - 1000 > previous:
            decrease(heap, v, keys.dtype.type(keys[v] - 1000))
    for _ in range(n - 1):
        key = keys[extract(heap)]
        assert key >= previous
        previous = key


HUGE = 200_000  # vertices: their matrix takes 160 GB


def dense(graph: Graph, infinity: float) -> np.ndarray:
    """The matrix by its definition."""
    matrix = np.full((graph.n, graph.n), infinity, dtype=graph.weights.dtype)
    np.minimum.at(matrix, (graph.tails, graph.indices), graph.weights)
    np.fill_diagonal(matrix, 0)
    return matrix


def edgeless(n: int) -> Graph:
    return Graph(
        np.zeros(n + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.int32), name="huge"
    )


@pytest.mark.parametrize("dtype", graphs.DTYPES)
@pytest.mark.parametrize(
    "name", ["parallel arcs", "self-loops", "no arcs", "one vertex", "complete"]
)
def test_cells_on_host_and_device(name: str, dtype: str, device: Device) -> None:
    graph = graphs.by_hand(name, dtype)
    kind = graph.distance_type
    expected = dense(graph, kind.infinity)
    np.testing.assert_array_equal(host_matrix(graph, kind, "test", SILENT), expected)
    with device.session() as session:
        cells = session.download(device_matrix(session, Problem(graph, 0), Phases(), "test"))
    np.testing.assert_array_equal(cells.reshape(graph.n, graph.n), expected)


@pytest.mark.parametrize("variant_id", ["dijkstra-array", "da2cf-f-cpu", "da2cf-u-cpu"])
def test_a_matrix_too_large_for_the_host_is_refused(
    variant_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(16 * 10**9, 8 * 10**9))
    with pytest.raises(
        OutOfMemory, match=rf"{variant_id}.*matrix of huge needs 160 GB; .* has 8 GB free"
    ) as refusal:
        solve(variant_id, edgeless(HUGE), layout="matrix")
    assert refusal.value.needed_bytes == 4 * HUGE**2


@pytest.mark.parametrize(
    "variant_id",
    [
        "da2cf-u-gpu",
        "da2cf-f-gpu",
        "da2cf-f-gpu-racy",
        "dijkstra-matrix-flags",
        "dijkstra-apsp-source",
    ],
)
def test_a_matrix_too_large_for_the_device_is_refused(
    variant_id: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a system that does not tell
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(0, 0))
    monkeypatch.setattr(type(device), "free_bytes", lambda self: 10**9)
    with_layout = any(p.name == "layout" for p in find_variant(variant_id).parameters)
    given = {"layout": "matrix"} if with_layout else {}
    with pytest.raises(OutOfMemory, match=r"matrix of huge needs 1.6 GB"):
        solve(variant_id, edgeless(20_000), device, **given)


def test_building_a_matrix_can_be_cancelled() -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        host_matrix(graphs.by_hand("a grid"), WEIGHT_TYPES["int32"], "test", Progress(token))


@pytest.mark.parametrize("variant_id", ["dijkstra-array", "da2cf-f-cpu", "da2cf-u-cpu"])
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_the_matrix_gives_what_the_rows_give(variant_id: str, dtype: str) -> None:
    graph = graphs.at_random(120, 700, seed=4, dtype=dtype)
    by_rows, by_matrix = (
        solve(variant_id, graph, source=3, layout=name) for name in ("csr", "matrix")
    )
    np.testing.assert_array_equal(by_rows.distances, by_matrix.distances)
    assert by_rows.iterations == by_matrix.iterations
