"""Dijkstra's algorithm with a Fibonacci heap, stored in flat arrays for numba.

Idea
    A heap is a ring of trees in which no vertex has a key below its parent's. Inserting
    adds a tree of one vertex. A decreased key only cuts the vertex, with its subtree,
    out of its tree; extracting the minimum joins trees whose roots have equally many
    children. A vertex that lost a child since it was given its parent is marked; one
    that loses a second is cut as well, and so on upwards, which bounds the ranks.

Why it is correct
    The heap returns the unsettled vertex of least distance, which is final with
    non-negative weights. A tree of rank r holds a number of vertices exponential in r,
    because a vertex loses at most one child before it is cut itself: at least F(k + 2)
    with k children, F the Fibonacci numbers. Hence the amortised bounds: O(1) to insert
    and to decrease, O(log n) to extract.

Parameters
    None.

Source
    Martín 2009, sections 1 and 6 (FH). The paper uses SPLIB of 1996; this is an
    original implementation in arrays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvers.algorithms.dijkstra.settling import NO_VERTEX, serial_variant, settle_one_by_one
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.pseudocode import DIJKSTRA
from solvers.core.variant import Citation
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Int32s, Int64s, UInt8s
from solvers.system.jit import njit

NONE = -1

# Places in FibonacciHeap.head
LEAST, COUNT = 0, 1

# F(k + 2) passes 2**31 at k = 45: no vertex can have more children.
MOST_CHILDREN = 46

# Settling a vertex: an extraction that walks the roots, and links all over memory.
_STEPS_PER_VERTEX = 1000


def _memory(graph: Graph) -> int:
    return graph.n * (graph.distance_type.dtype.itemsize + 6 * 4 + 1)


@serial_variant(
    id="dijkstra-fibonacci",
    title="Fibonacci heap",
    pseudocode=DIJKSTRA,
    papers=(Citation("Martín 2009", "sections 1 and 6 (FH)"),),
    idea=(
        "A heap that defers its work: a decreased key only cuts a vertex out of its tree, "
        "and extracting the minimum joins trees of equal rank. "
        "Vertices that have lost two children are cut as well, which bounds the ranks. "
        "In theory no comparison-based Dijkstra is faster; in practice its links are scattered "
        "over memory and a plain heap is often faster. Compare the two."
    ),
    watch="One vertex settles per step, in order of distance, as with any other queue.",
    cost="O(m + n log n), amortised: decrease O(1), extract O(log n)",
    caveat=(
        "The paper uses the SPLIB library of 1996; this is an original implementation, in arrays "
        "instead of pointers. Vertices enter the heap when first reached, not all at the start."
    ),
    memory=_memory,
)
def solve(problem: Problem) -> Solution:
    source = problem.given_source
    graph, kind, phases = problem.graph, problem.distance_type, Phases()
    with phases.measure("prepare"):
        distances = problem.start_distances(source)
        predecessors = np.full(graph.n, NO_VERTEX, dtype=np.int32)
        heap = empty_heap(distances)
        insert(heap, source)
        infinity, weights = kind.dtype.type(kind.infinity), problem.weights()

    def advance(order: Int32s, improved: Int32s) -> int:
        return _settle(
            graph.indptr, graph.indices, weights, heap, predecessors, infinity, order, improved
        )

    return settle_one_by_one(
        problem, distances, predecessors, phases, advance, _STEPS_PER_VERTEX + graph.m / graph.n
    )


@njit
def _settle(
    indptr: Int64s,
    heads: Int32s,
    weights: AnyArray,
    heap: FibonacciHeap,
    predecessors: Int32s,
    infinity: Any,
    order: Int32s,
    improved: Int32s,
) -> int:
    """Settle up to ``len(order)`` vertices; see `settling.Advance`. The heap's keys are
    the distances.
    """
    distances = heap.keys
    for count in range(order.shape[0]):
        if heap.head[COUNT] == 0:
            return count
        u = extract(heap)
        order[count] = u
        improved[count] = 0
        last_improved = -1
        for arc in range(indptr[u], indptr[u + 1]):
            v = heads[arc]
            through = distances[u] + weights[arc]
            if through >= distances[v]:
                continue
            if distances[v] == infinity:
                distances[v] = through
                insert(heap, v)
            else:
                decrease(heap, v, through)
            predecessors[v] = u
            if v != last_improved:  # parallel arcs lie side by side
                improved[count] += 1
                last_improved = v
    return order.shape[0]


class FibonacciHeap(NamedTuple):
    """The heap. Vertices are linked by number; ``NONE`` means no vertex."""

    # (n,): the key of every vertex in the heap. The caller's array; `decrease` writes
    # it
    keys: AnyArray
    # (n,): the vertex above, and any one of those below
    parent: Int32s
    child: Int32s
    # (n,): neighbours in the ring of siblings (of roots, for a root)
    left: Int32s
    right: Int32s
    degree: Int32s  # (n,): number of children
    marked: UInt8s  # (n,): 1 where a child was lost since the vertex got its parent
    # (2,): at LEAST the root with the least key, at COUNT the number of vertices in the
    # heap
    head: Int64s
    # (MOST_CHILDREN,): scratch space of `extract`, all NONE between calls
    by_degree: Int32s


def empty_heap(keys: AnyArray) -> FibonacciHeap:
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


@njit
def insert(heap: FibonacciHeap, v: int) -> None:
    """Add ``v``, which is not in the heap, with the key ``heap.keys[v]``."""
    heap.parent[v] = NONE
    heap.child[v] = NONE
    heap.degree[v] = 0
    heap.head[COUNT] += 1
    _add_root(heap, v)


@njit
def decrease(heap: FibonacciHeap, v: int, key: Any) -> None:
    """Lower the key of ``v``, which is in the heap, to ``key``."""
    heap.keys[v] = key
    above = heap.parent[v]
    if above == NONE:
        if key < heap.keys[heap.head[LEAST]]:
            heap.head[LEAST] = v
    elif key < heap.keys[above]:
        _cut(heap, v)


@njit
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


@njit
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


@njit
def _link_after(heap: FibonacciHeap, v: int, new: int) -> None:
    """Put ``new`` into the ring of ``v``, to its right."""
    after = heap.right[v]
    heap.left[new] = v
    heap.right[new] = after
    heap.right[v] = new
    heap.left[after] = new


@njit
def _unlink(heap: FibonacciHeap, v: int) -> None:
    """Remove ``v`` from its ring; its own links stay unchanged."""
    heap.right[heap.left[v]] = heap.right[v]
    heap.left[heap.right[v]] = heap.left[v]


@njit
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


@njit
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


@njit
def _consolidate(heap: FibonacciHeap, first: int) -> None:
    """Join trees until no two roots have equally many children; find the least root on the way.

    Walks the ring of roots once, from ``first``. Whatever has been walked past is
    joined already, and a root that becomes a child leaves the ring behind the walk, so
    that the next root is always found from the one at hand.
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


@njit
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
