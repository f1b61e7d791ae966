"""The Fibonacci heap gives what a sorted list gives, and keeps its shape after every operation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.algorithms.dijkstra.fibonacci_heap import (
    COUNT,
    LEAST,
    NONE,
    FibonacciHeap,
    decrease,
    empty_heap,
    extract,
    insert,
)
from tests.weight_types import types_of

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
        assert all(heap.keys[child] >= heap.keys[v] for child in below), "no child lies below its parent's key"
        assert len(list(subtree(heap, v))) >= fibonacci(heap.degree[v] + 2), "cascading cuts keep trees bushy"


operations = st.lists(
    st.one_of(
        st.tuples(st.just("insert"), st.integers(0, N - 1), st.integers(0, 50)),
        st.tuples(st.just("decrease"), st.integers(0, N - 1), st.integers(0, 50)),
        st.tuples(st.just("extract"), st.just(0), st.just(0)),
    ),
    max_size=120,
)


@settings(max_examples=150, deadline=None)
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


@settings(max_examples=40, deadline=None)
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

    Of nine vertices one is taken out, so the other eight join into a single tree of rank 3. Its vertex of degree 2
    loses first one child, which marks it, and then the other, which makes it a root itself.
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


@pytest.mark.parametrize("dtype", types_of("dijkstra-fibonacci"))
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
