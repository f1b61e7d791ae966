"""Undirected adjacency of a graph, and its connected components renumbered in
breadth-first order. No Qt.

Breadth-first numbers place neighbours close together in memory, on which the speed of
all later passes depends. Breadth-first trees are also what layouts in layers and rings
are built on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.system.array_types import Int32s, Int64s
from solvers.system.jit import njit


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Neighbours of every vertex, each once, without the vertex itself."""

    indptr: Int64s  # (n + 1,)
    indices: Int32s  # (m,)

    @property
    def n(self) -> int:
        return len(self.indptr) - 1

    def part(self, first: int, last: int) -> Neighbours:
        """The adjacency of the vertices ``first .. last - 1``, which have no neighbours
        elsewhere.
        """
        starts = self.indptr[first : last + 1]
        return Neighbours(
            starts - starts[0], self.indices[starts[0] : starts[-1]] - np.int32(first)
        )


@dataclass(frozen=True, eq=False)
class Components:
    # of the renumbered vertices: component by component, each in breadth-first order
    adjacency: Neighbours
    order: Int32s  # (n,): the vertex of the graph that each renumbered vertex stands for
    # (c + 1,): component ``i`` holds the renumbered vertices ``starts[i] .. starts[i + 1] - 1``
    starts: Int64s

    @property
    def sizes(self) -> Int64s:
        return np.diff(self.starts)

    @property
    def by_size(self) -> Int64s:
        """Numbers of the components, the largest first."""
        return np.argsort(-self.sizes, kind="stable")


def undirected(n: int, indptr: Int64s, indices: Int32s) -> Neighbours:
    """The neighbours of every vertex by arcs of either direction; heads must ascend
    within each row.
    """
    from_starts, tails = _reversed_rows(indptr, indices)
    starts = np.zeros(n + 1, np.int64)
    nothing = np.empty(0, np.int32)
    _merge(indptr, indices, from_starts, tails, starts, nothing)
    np.cumsum(starts, out=starts)
    both = np.empty(starts[-1], np.int32)
    if len(both):
        _merge(indptr, indices, from_starts, tails, starts, both)
    return Neighbours(starts, both)


def components(adjacency: Neighbours) -> Components:
    """Find the connected components and renumber the vertices."""
    order, starts = _breadth_first_order(adjacency.indptr, adjacency.indices)
    return Components(
        Neighbours(*_renumbered(adjacency.indptr, adjacency.indices, order)), order, starts
    )


@njit
def _reversed_rows(indptr: Int64s, indices: Int32s) -> tuple[Int64s, Int32s]:
    """The tails of the arcs that enter each vertex, ascending."""
    n = indptr.shape[0] - 1
    starts = np.zeros(n + 2, np.int64)
    for arc in range(indices.shape[0]):
        starts[indices[arc] + 2] += 1
    for v in range(n):
        starts[v + 2] += starts[v + 1]
    tails = np.empty(indices.shape[0], np.int32)
    for u in range(n):
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            tails[starts[v + 1]] = u
            starts[v + 1] += 1
    return starts[: n + 1], tails


@njit
def _merge(
    indptr: Int64s, heads: Int32s, from_starts: Int64s, tails: Int32s, starts: Int64s, both: Int32s
) -> None:
    """Merge the two ascending rows of each vertex into ``both``; with an empty one,
    write their lengths to ``starts``.

    Lengths are written one place further on, so that their sums are the starts.
    """
    counting = both.shape[0] == 0
    for v in range(indptr.shape[0] - 1):
        i, j = indptr[v], from_starts[v]
        at, last = starts[v], -1
        count = 0
        while i < indptr[v + 1] or j < from_starts[v + 1]:
            if j == from_starts[v + 1] or (i < indptr[v + 1] and heads[i] <= tails[j]):
                u = heads[i]
                i += 1
            else:
                u = tails[j]
                j += 1
            if u != last and u != v:
                if not counting:
                    both[at + count] = u
                count += 1
                last = u
        if counting:
            starts[v + 1] = count


@njit
def _breadth_first_order(indptr: Int64s, indices: Int32s) -> tuple[Int32s, Int64s]:
    """All vertices in breadth-first order, component by component, and the starts of
    the components.
    """
    n = indptr.shape[0] - 1
    found = np.zeros(n, np.bool_)
    order = np.empty(n, np.int32)
    starts = np.empty(n + 1, np.int64)
    count, head, tail = 0, 0, 0
    for root in range(n):
        if found[root]:
            continue
        starts[count] = tail
        count += 1
        found[root] = True
        order[tail] = root
        tail += 1
        while head < tail:
            u = order[head]
            head += 1
            for arc in range(indptr[u], indptr[u + 1]):
                v = indices[arc]
                if not found[v]:
                    found[v] = True
                    order[tail] = v
                    tail += 1
    starts[count] = n
    return order, starts[: count + 1].copy()


@njit
def _renumbered(indptr: Int64s, indices: Int32s, order: Int32s) -> tuple[Int64s, Int32s]:
    """The rows of the vertices in another order, with the new numbers."""
    n = order.shape[0]
    number = np.empty(n, np.int32)
    for i in range(n):
        number[order[i]] = i
    starts = np.empty(n + 1, np.int64)
    heads = np.empty(indices.shape[0], np.int32)
    starts[0] = 0
    for i in range(n):
        at = starts[i]
        for arc in range(indptr[order[i]], indptr[order[i] + 1]):
            heads[at] = number[indices[arc]]
            at += 1
        starts[i + 1] = at
    return starts, heads


@njit
def breadth_first_tree(
    indptr: Int64s, indices: Int32s, source: int
) -> tuple[Int32s, Int32s, Int32s]:
    """The vertices reached in order, (k,); of all vertices the parent and the number of
    arcs from the source, (n,).

    Parents of the source and both of vertices that are not reached are -1.
    """
    n = indptr.shape[0] - 1
    parents, hops = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    queue = np.empty(n, np.int32)
    queue[0], head, tail = source, 0, 1
    hops[source] = 0
    while head < tail:
        u = queue[head]
        head += 1
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            if hops[v] < 0:
                hops[v], parents[v] = hops[u] + 1, u
                queue[tail] = v
                tail += 1
    return queue[:tail].copy(), parents, hops
