"""A Fibonacci heap over the vertices ``0 .. n - 1``, in flat arrays that numba can work on.

A heap is a ring of trees in which no vertex has a key below its parent's. Inserting adds a tree of one vertex, and
decreasing a key merely cuts the vertex, with its subtree, out of its tree. Only extracting the least vertex restores
order: trees whose roots have equally many children are joined until no two roots are alike.

*Marks* bound the ranks. A vertex that has lost a child since it was given its parent is marked; when it loses a second
it is cut too, and so on upwards (*cascading cuts*). Hence a vertex with k children heads a tree of at least F(k + 2)
vertices, F the Fibonacci numbers, and no vertex has more than about 1.44 log2 n children.

Amortised costs: insert and decrease O(1), extract O(log n).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.system.jit import njit

NONE = -1

# Places in FibonacciHeap.head
LEAST, COUNT = 0, 1

# F(k + 2) passes 2**31 at k = 45: no vertex can have more children.
MOST_CHILDREN = 46


class FibonacciHeap(NamedTuple):
    """The heap. Vertices are linked by number; ``NONE`` means no vertex."""

    keys: NDArray[Any]  # (n,): the key of every vertex in the heap. The caller's array; `decrease` writes it
    # (n,): the vertex above, and any one of those below
    parent: NDArray[np.int32]
    child: NDArray[np.int32]
    # (n,): neighbours in the ring of siblings (of roots, for a root)
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    degree: NDArray[np.int32]  # (n,): number of children
    marked: NDArray[np.uint8]  # (n,): 1 where a child was lost since the vertex got its parent
    head: NDArray[np.int64]  # (2,): at LEAST the root with the least key, at COUNT the number of vertices in the heap
    by_degree: NDArray[np.int32]  # (MOST_CHILDREN,): scratch space of `extract`, all NONE between calls


def empty_heap(keys: NDArray[Any]) -> FibonacciHeap:
    """An empty heap for vertices whose keys lie, or will lie, in ``keys``."""
    n = len(keys)
    parent, child, left, right = (np.full(n, NONE, dtype=np.int32) for _ in range(4))
    return FibonacciHeap(
        keys,
        parent,
        child,
        left,
        right,
        degree=np.zeros(n, dtype=np.int32),
        marked=np.zeros(n, dtype=np.uint8),
        head=np.array([NONE, 0], dtype=np.int64),
        by_degree=np.full(MOST_CHILDREN, NONE, dtype=np.int32),
    )


@njit(cache=True, nogil=True)
def insert(heap: FibonacciHeap, v: int) -> None:
    """Add ``v``, which is not in the heap, with the key ``heap.keys[v]``."""
    heap.parent[v] = NONE
    heap.child[v] = NONE
    heap.degree[v] = 0
    heap.head[COUNT] += 1
    _add_root(heap, v)


@njit(cache=True, nogil=True)
def decrease(heap: FibonacciHeap, v: int, key: Any) -> None:
    """Lower the key of ``v``, which is in the heap, to ``key``."""
    heap.keys[v] = key
    above = heap.parent[v]
    if above == NONE:
        if key < heap.keys[heap.head[LEAST]]:
            heap.head[LEAST] = v
    elif key < heap.keys[above]:
        _cut(heap, v)


@njit(cache=True, nogil=True)
def extract(heap: FibonacciHeap) -> int:
    """Remove and return a vertex with the least key; the heap must not be empty."""
    least = heap.head[LEAST]
    _free_children(heap, least)
    after = heap.right[least]
    _unlink(heap, least)
    heap.head[COUNT] -= 1
    if heap.head[COUNT] == 0:
        heap.head[LEAST] = NONE
    else:
        _consolidate(heap, after)
    return least


@njit(cache=True, nogil=True)
def _add_root(heap: FibonacciHeap, v: int) -> None:
    """Put ``v`` into the ring of roots."""
    heap.marked[v] = 0
    least = heap.head[LEAST]
    if least == NONE:
        heap.left[v] = v
        heap.right[v] = v
        heap.head[LEAST] = v
        return
    _link_after(heap, least, v)
    if heap.keys[v] < heap.keys[least]:
        heap.head[LEAST] = v


@njit(cache=True, nogil=True)
def _link_after(heap: FibonacciHeap, v: int, new: int) -> None:
    """Put ``new`` into the ring of ``v``, to its right."""
    after = heap.right[v]
    heap.left[new] = v
    heap.right[new] = after
    heap.right[v] = new
    heap.left[after] = new


@njit(cache=True, nogil=True)
def _unlink(heap: FibonacciHeap, v: int) -> None:
    """Remove ``v`` from its ring; its own links stay unchanged."""
    heap.right[heap.left[v]] = heap.right[v]
    heap.left[heap.right[v]] = heap.left[v]


@njit(cache=True, nogil=True)
def _cut(heap: FibonacciHeap, v: int) -> None:
    """Make ``v`` a root; then its parent too if that was marked, and so on: the cascading cut."""
    above = heap.parent[v]
    while above != NONE:
        heap.degree[above] -= 1
        if heap.degree[above] == 0:
            heap.child[above] = NONE
        elif heap.child[above] == v:
            heap.child[above] = heap.right[v]
        _unlink(heap, v)
        heap.parent[v] = NONE
        _add_root(heap, v)
        v = above
        above = heap.parent[v]
        if heap.marked[v] == 0:
            if above != NONE:  # a root that lost a child needs no mark
                heap.marked[v] = 1
            return


@njit(cache=True, nogil=True)
def _free_children(heap: FibonacciHeap, v: int) -> None:
    """Splice the ring of v's children into the ring of roots, next to ``v``, itself a root."""
    first = heap.child[v]
    if first == NONE:
        return
    child = first
    for _ in range(heap.degree[v]):
        heap.parent[child] = NONE
        heap.marked[child] = 0
        child = heap.right[child]
    last = heap.left[first]
    after = heap.right[v]
    heap.right[v] = first
    heap.left[first] = v
    heap.right[last] = after
    heap.left[after] = last
    heap.child[v] = NONE
    heap.degree[v] = 0


@njit(cache=True, nogil=True)
def _consolidate(heap: FibonacciHeap, first: int) -> None:
    """Join trees until no two roots have equally many children; find the least root on the way.

    Walks the ring of roots once, from ``first``. Whatever has been walked past is joined already, and a root that
    becomes a child leaves the ring behind the walk, so that the next root is always found from the one at hand.
    """
    last = heap.left[first]
    at = first
    while True:
        following = heap.right[at]
        done = at == last
        root = at
        degree = heap.degree[root]
        while heap.by_degree[degree] != NONE:
            root = _join(heap, root, heap.by_degree[degree])
            heap.by_degree[degree] = NONE
            degree += 1
        heap.by_degree[degree] = root
        if done:
            break
        at = following
    least = NONE
    for degree in range(MOST_CHILDREN):
        root = heap.by_degree[degree]
        heap.by_degree[degree] = NONE
        if root != NONE and (least == NONE or heap.keys[root] < heap.keys[least]):
            least = root
    heap.head[LEAST] = least


@njit(cache=True, nogil=True)
def _join(heap: FibonacciHeap, a: int, b: int) -> int:
    """Make the root with the greater key a child of the other; returns the remaining root."""
    above, below = (b, a) if heap.keys[b] < heap.keys[a] else (a, b)
    _unlink(heap, below)
    heap.parent[below] = above
    first = heap.child[above]
    if first == NONE:
        heap.left[below] = below
        heap.right[below] = below
        heap.child[above] = below
    else:
        _link_after(heap, first, below)
    heap.degree[above] += 1
    return above
