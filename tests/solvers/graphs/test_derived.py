"""What is derived from a graph is computed once, also where two threads ask at the same time."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from solvers.errors import Cancelled
from solvers.graphs.graph import Graph
from tests import graphs

WAIT_S = 30


@pytest.fixture
def graph() -> Graph:
    return graphs.from_list(2, [(0, 1, 5)])


def ask_from_two_threads(graph: Graph, first: Callable[[], object], second: Callable[[], object]) -> list[object]:
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
        threading.Timer(0.05, second_has_asked.set).start()  # by then this thread waits inside derived
        return graph.derived("key", make)

    one, other = ask_from_two_threads(graph, lambda: graph.derived("key", make), second)

    assert one is other
    assert len(calls) == 1
    assert graph.derived("key", make) is one


def test_a_value_may_be_made_from_another(graph: Graph) -> None:
    def outer() -> list[object]:
        return [graph.derived("inner", object), graph.derived("inner", object)]

    both = ask_from_two_threads(graph, lambda: graph.derived("outer", outer), lambda: graph.derived("outer", outer))

    assert both[0] is both[1]
    assert graph.derived("outer", outer) == [graph.derived("inner", object)] * 2


def test_one_key_does_not_wait_for_another(graph: Graph) -> None:
    other_is_made = threading.Event()

    def waits_for_the_other() -> bool:
        return other_is_made.wait(WAIT_S)

    def other() -> bool:
        other_is_made.set()
        return True

    slow, quick = ask_from_two_threads(
        graph, lambda: graph.derived("slow", waits_for_the_other), lambda: graph.derived("quick", other)
    )

    assert slow is True
    assert quick is True


def test_what_failed_is_made_by_whoever_asks_next(graph: Graph) -> None:
    def cancelled() -> int:
        raise Cancelled

    with pytest.raises(Cancelled):
        graph.derived("key", cancelled)

    assert graph.derived("key", lambda: 7) == 7


def test_a_graph_with_derived_values_can_be_pickled_and_copied(graph: Graph) -> None:
    graph.derived("key", lambda: 7)

    for twin in (pickle.loads(pickle.dumps(graph)), copy.deepcopy(graph)):
        assert twin.sha256 == graph.sha256
        assert twin.derived("key", lambda: 8) == 8
