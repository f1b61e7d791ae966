"""The structure of a graph that an order depends on, an estimate of its separators, and
the order of small graphs.

The structure has no directions, weights, loops or parallel arcs.

The estimate is made by one breadth-first search and says whether it is worth ordering
the graph at all. The levels of a breadth-first search separate what is nearer from what
is farther. In road networks and grids a level near the middle has of the order of the
square root of n vertices; in social and random networks a large part of n, and no order
helps there. A few hubs may connect everything, and are taken out first, as part of the
separator.

Small graphs are ordered without METIS: always contract a vertex with the fewest
neighbours left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.graphs.csr import rows_of_arcs, slices
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Bools, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit

_MOST_HUBS = 256
_HUB = 16  # neighbours, at least, in multiples of the mean
_UNREACHED = -1
_STEPS_A_LOOK = 1 << 19  # vertices between two cancellation checks
_ROOT, _HEAD, _TAIL, _LARGEST, _LAST = range(5)

MOST_VERTICES = 1_000  # one byte for every pair of them


@dataclass(frozen=True)
class Adjacency:
    """Neighbours of every vertex, each pair listed at both ends."""

    first: Int64s  # (n + 1,), vertex ``v``'s neighbours are ``neighbours[first[v]:first[v + 1]]``
    neighbours: Int32s  # (2 * edges,), ascending for each vertex

    @property
    def n(self) -> int:
        return len(self.first) - 1

    @property
    def edges(self) -> int:
        return len(self.neighbours) // 2


def adjacency_of(graph: Graph, progress: Progress = SILENT) -> Adjacency:
    """The structure of ``graph``. O(n + m). Raises Cancelled."""
    m, tails, heads = graph.m, graph.tails, graph.indices
    starts, ends = np.empty(2 * m, np.int32), np.empty(2 * m, np.int32)
    for begin, end in slices(m):
        progress.checkpoint()
        starts[begin:end] = ends[m + begin : m + end] = tails[begin:end]
        ends[begin:end] = starts[m + begin : m + end] = heads[begin:end]
    # instead of weights, which there are none of: for another type, more would be compiled
    first, neighbours, _ = rows_of_arcs(graph.n, starts, ends, starts, progress.checkpoint)
    kept_first = np.zeros(graph.n + 1, np.int64)
    for begin, end in slices(graph.n):
        progress.checkpoint()
        _count_without_repeats(first, neighbours, begin, end, kept_first)
    kept = np.empty(kept_first[-1], np.int32)
    for begin, end in slices(graph.n):
        progress.checkpoint()
        _without_repeats(first, neighbours, begin, end, kept_first, kept)
    return Adjacency(kept_first, kept)


def induced(whole: Adjacency, vertices: AnyArray, place: Int32s) -> Adjacency:
    """The structure among ``vertices``, which are numbered in the order given.

    ``place``, (n,), is working memory, -1 everywhere, before and after.
    """
    place[vertices] = np.arange(len(vertices), dtype=np.int32)
    part = Adjacency(*_inside(whole.first, whole.neighbours, vertices, place))
    place[vertices] = -1
    return part


@njit
def _count_without_repeats(
    first: Int64s, neighbours: Int32s, begin: int, end: int, kept_first: Int64s
) -> None:
    """Where the rows ``begin`` to ``end`` end that `_without_repeats` leaves."""
    count = kept_first[begin]
    for v in range(begin, end):
        last = v
        for k in range(first[v], first[v + 1]):
            w = neighbours[k]
            count += w != last and w != v
            last = w
        kept_first[v + 1] = count


@njit
def _without_repeats(
    first: Int64s, neighbours: Int32s, begin: int, end: int, kept_first: Int64s, kept: Int32s
) -> None:
    """Copy the rows ``begin`` to ``end`` without loops, and each neighbour once."""
    count = kept_first[begin]
    for v in range(begin, end):
        last = v  # leaves out loops
        for k in range(first[v], first[v + 1]):
            w = neighbours[k]
            if w != last and w != v:
                kept[count] = w
                count += 1
            last = w


@njit
def _inside(
    first: Int64s, neighbours: Int32s, vertices: AnyArray, place: Int32s
) -> tuple[Int64s, Int32s]:
    starts, most = np.zeros(len(vertices) + 1, np.int64), 0
    for v in vertices:
        most += first[v + 1] - first[v]
    kept, count = np.empty(most, np.int32), 0
    for i in range(len(vertices)):
        v = vertices[i]
        for k in range(first[v], first[v + 1]):
            if place[neighbours[k]] >= 0:
                kept[count] = place[neighbours[k]]
                count += 1
        starts[i + 1] = count
    return starts, kept[:count].copy()


def estimated_separator(adjacency: Adjacency, progress: Progress = SILENT) -> int:
    """Size of a separator that leaves no more than three quarters of the vertices on a
    side; 0 if none is needed.

    Raises Cancelled.
    """
    n = adjacency.n
    if adjacency.edges <= n // 4:
        return 0
    degrees = np.diff(adjacency.first)
    hubs = np.flatnonzero(degrees >= _HUB * (1 + 2 * adjacency.edges / n))
    hubs = hubs[np.argsort(degrees[hubs], kind="stable")[-_MOST_HUBS:]]
    level, queue = np.empty(n, np.int32), np.empty(n, np.int32)
    level[:] = _UNREACHED
    level[hubs] = n
    sizes = _largest_search(adjacency, level, queue, progress)
    if sizes.sum() <= 3 * n // 4:
        return len(hubs)
    before = np.cumsum(sizes) - sizes
    after = sizes.sum() - before - sizes
    dividing = np.maximum(before, after) <= 3 * n // 4
    return int(sizes[dividing].min(initial=int(sizes.max()))) + len(hubs)


def least_up_arcs(separator: int) -> int:
    """Arcs of a hierarchy with such a separator, at least: halves of it become cliques."""
    return separator * separator // 4


def _largest_search(
    adjacency: Adjacency, level: Int32s, queue: Int32s, progress: Progress
) -> Int64s:
    """Level sizes of a search of the largest component, from a vertex farthest from the
    first one looked at.
    """
    n = adjacency.n
    state = np.zeros(5, np.int64)

    def search() -> None:
        while state[_ROOT] < n or state[_HEAD] < state[_TAIL]:
            progress.checkpoint()
            _search(adjacency.first, adjacency.neighbours, level, queue, state, _STEPS_A_LOOK)

    search()
    if not max(state[_LARGEST], state[_TAIL]):
        return np.zeros(1, np.int64)
    last = queue[state[_TAIL] - 1] if state[_TAIL] > state[_LARGEST] else state[_LAST]
    level[level < n] = _UNREACHED
    queue[0], level[last] = last, 0
    state[:] = n, 0, 1, 0, 0  # of this component alone
    search()
    return np.bincount(level[queue[: state[_TAIL]]])


@njit
def _search(
    first: Int64s, neighbours: Int32s, level: Int32s, queue: Int32s, state: Int64s, steps: int
) -> None:
    """Continue the breadth-first search in ``queue`` by some steps; where it has ended,
    that of the next component.

    ``state`` has the first vertex not yet tried as a root, the ends of the queue, the
    vertices of the largest component searched, and the last vertex of its search.
    """
    root, head, tail, largest, last = state
    while steps > 0 and (head < tail or root < len(level)):
        steps -= 1
        if head == tail:
            if tail > largest:
                largest, last = tail, queue[tail - 1]
            head = tail = 0
            if level[root] == _UNREACHED:
                queue[0], level[root] = root, 0
                tail = 1
            root += 1
        else:
            v = queue[head]
            head += 1
            for k in range(first[v], first[v + 1]):
                w = neighbours[k]
                if level[w] == _UNREACHED:
                    level[w] = level[v] + 1
                    queue[tail] = w
                    tail += 1
    state[_ROOT], state[_HEAD], state[_TAIL] = root, head, tail
    state[_LARGEST], state[_LAST] = largest, last


def minimum_degree_order(adjacency: Adjacency) -> Int32s:
    """The vertices in order of contraction, (n,); of equal degrees the first."""
    n, first = adjacency.n, adjacency.first
    adjacent = np.zeros((n, n), np.bool_)
    adjacent[np.repeat(np.arange(n), np.diff(first)), adjacency.neighbours] = True
    degree, order = np.diff(first).astype(np.int32), np.empty(n, np.int32)
    _contract_all(adjacent, degree, np.ones(n, np.bool_), np.empty(n, np.int32), order)
    return order


@njit
def _contract_all(
    adjacent: Bools, degree: Int32s, left: Bools, around: Int32s, order: Int32s
) -> None:
    """Write the order; ``left`` are all vertices, ``around`` is working memory."""
    n = len(order)
    for i in range(n):
        least = -1
        for v in range(n):
            if left[v] and (least < 0 or degree[v] < degree[least]):
                least = v
        order[i] = least
        left[least] = False
        count = 0
        for w in range(n):
            if left[w] and adjacent[least, w]:
                around[count] = w
                count += 1
        for i_u in range(count):
            u = around[i_u]
            degree[u] -= 1
            for i_w in range(count):
                w = around[i_w]
                if u != w and not adjacent[u, w]:
                    adjacent[u, w] = True
                    degree[u] += 1
