"""What is derived from a graph is computed once, for all threads; hashes tell graphs
apart by what they contain.
"""

from __future__ import annotations

import copy
import hashlib
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from solvers.errors import Cancelled
from solvers.graphs.derived import hash_of_distances
from solvers.graphs.graph import Graph
from solvers.graphs.weights import weight_type
from tests import graphs

WAIT_S = 30


@pytest.fixture
def graph() -> Graph:
    return graphs.from_list(2, [(0, 1, 5)])


def ask_from_two_threads(
    graph: Graph, first: Callable[[], object], second: Callable[[], object]
) -> list[object]:
    with ThreadPoolExecutor(2) as pool:
        return [done.result(WAIT_S) for done in (pool.submit(first), pool.submit(second))]


def test_two_threads_get_the_same_value_computed_once(graph: Graph) -> None:
    calls: list[int] = []
    first_is_at_work, second_has_asked = threading.Event(), threading.Event()

    def make() -> object:
        calls.append(threading.get_ident())
        first_is_at_work.set()
        assert second_has_asked.wait(WAIT_S)
        return object()

    def second() -> object:
        assert first_is_at_work.wait(WAIT_S)
        # by then this thread waits inside derived
        threading.Timer(0.05, second_has_asked.set).start()
        return graph.cached("key", make)

    one, other = ask_from_two_threads(graph, lambda: graph.cached("key", make), second)

    assert one is other
    assert len(calls) == 1
    assert graph.cached("key", make) is one


def test_a_value_may_be_made_from_another(graph: Graph) -> None:
    def outer() -> list[object]:
        return [graph.cached("inner", object), graph.cached("inner", object)]

    both = ask_from_two_threads(
        graph, lambda: graph.cached("outer", outer), lambda: graph.cached("outer", outer)
    )

    assert both[0] is both[1]
    assert graph.cached("outer", outer) == [graph.cached("inner", object)] * 2


def test_one_key_does_not_wait_for_another(graph: Graph) -> None:
    other_is_made = threading.Event()

    def waits_for_the_other() -> bool:
        return other_is_made.wait(WAIT_S)

    def other() -> bool:
        other_is_made.set()
        return True

    slow, quick = ask_from_two_threads(
        graph,
        lambda: graph.cached("slow", waits_for_the_other),
        lambda: graph.cached("quick", other),
    )

    assert slow is True
    assert quick is True


def test_what_failed_is_made_by_whoever_asks_next(graph: Graph) -> None:
    def cancelled() -> int:
        raise Cancelled

    with pytest.raises(Cancelled):
        graph.cached("key", cancelled)

    assert graph.cached("key", lambda: 7) == 7


def test_a_graph_with_derived_values_can_be_pickled_and_copied(graph: Graph) -> None:
    graph.cached("key", lambda: 7)

    for twin in (pickle.loads(pickle.dumps(graph)), copy.deepcopy(graph)):
        assert twin.sha256 == graph.sha256
        assert twin.cached("key", lambda: 8) == 8


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_a_pickled_graph_has_the_types_themselves(dtype: str) -> None:
    """They are compared by identity."""
    graph = graphs.from_list(2, [(0, 1, 5)], dtype=dtype)
    types = graph.weight_type, graph.distance_type
    for twin in (pickle.loads(pickle.dumps(graph)), copy.deepcopy(graph)):
        assert twin.weight_type is types[0]
        assert twin.distance_type is types[1]


ARCS = [(0, 1, 5), (0, 2, 3), (2, 0, 1), (0, 1, 2), (1, 1, 9), (2, 1, -4)]


@pytest.fixture
def small() -> Graph:
    return graphs.from_list(3, ARCS)


def test_fingerprint_sees_structure_weights_and_ids_but_not_the_name(small: Graph) -> None:
    same = graphs.from_list(3, ARCS, name="other")
    heavier = graphs.from_list(3, [*ARCS[:-1], (2, 1, -3)])
    wider = graphs.from_list(3, ARCS, dtype=np.int64)

    assert small.sha256 == same.sha256
    assert len({small.sha256, heavier.sha256, wider.sha256}) == 3
    assert len(small.sha256) == 64


def test_the_structure_has_a_hash_of_its_own(small: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    heavier = Graph(small.indptr, small.indices, small.weights * 2, ids=np.array([7, 8, 9]))
    elsewhere = graphs.from_list(3, [*ARCS[:-1], (2, 2, -4)])
    wider = graphs.from_list(4, ARCS)
    assert small.structure_sha256 == heavier.structure_sha256
    assert len({graph.structure_sha256 for graph in (small, elsewhere, wider)}) == 3
    # several blocks, hashed at the same time
    monkeypatch.setattr("solvers.graphs.derived._BLOCK_BYTES", 8)
    swapped = graphs.from_list(
        3, [(0, 1, 5), (0, 2, 3), (1, 1, 9), (2, 0, 1), (2, 2, 1), (0, 1, 2)]
    )
    assert (
        Graph(small.indptr, small.indices, small.weights).structure_sha256
        != swapped.structure_sha256
    )
    empty = graphs.from_list(0, [])
    assert len(empty.structure_sha256) == 64


def test_distances_have_equal_hashes_in_any_type_and_with_either_zero() -> None:
    same = [
        hash_of_distances(np.array([0, 3, 7], dtype))
        for dtype in (np.int32, np.int64, np.float32, np.float64)
    ]
    assert {*same, hash_of_distances(np.array([-0.0, 3.0, 7.0]))} == {same[0]}
    unreached = [
        hash_of_distances(np.array([0, weight_type(t).infinity], t)) for t in (np.int32, np.float64)
    ]
    assert len({*unreached, same[0]}) == 2


def test_the_hash_of_a_matrix_is_that_of_its_rows_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.arange(28, dtype=np.int32).reshape(7, 4)
    rows = b"".join(hashlib.sha256(row.astype("<f8").tobytes()).digest() for row in matrix)
    assert hash_of_distances(matrix) == hashlib.sha256(rows).hexdigest(), "in one block"
    monkeypatch.setattr("solvers.graphs.derived._BLOCK_BYTES", 100)  # 3 rows a block
    assert hash_of_distances(matrix) == hashlib.sha256(rows).hexdigest(), "in three"
    assert hash_of_distances(matrix.T.copy().T) == hash_of_distances(matrix)
    assert hash_of_distances(matrix[::-1]) != hash_of_distances(matrix)
