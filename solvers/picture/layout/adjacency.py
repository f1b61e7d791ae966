"""Undirected adjacency of a graph, and its connected components renumbered in
breadth-first order. No Qt.

Breadth-first numbers place neighbours close together in memory, on which the speed of
all later passes depends. Breadth-first trees are also what layouts in layers and rings
are built on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.graphs.csr import rows_of_arcs
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
    tails = np.repeat(np.arange(n, dtype=np.int32), np.diff(indptr))
    apart = tails != indices
    ends = tails[apart], indices[apart]
    both = np.concatenate(ends), np.concatenate(ends[::-1])
    starts, heads, _ = rows_of_arcs(n, *both, np.zeros(len(both[0]), np.int32))
    fresh = np.ones(len(heads), np.bool_)
    fresh[1:] = heads[1:] != heads[:-1]
    fresh[starts[:-1][np.diff(starts) > 0]] = True  # the first of each row
    return Neighbours(np.concatenate(([0], np.cumsum(fresh)))[starts], heads[fresh])


def components(adjacency: Neighbours) -> Components:
    """Find the connected components and renumber the vertices."""
    order, starts = _breadth_first_order(adjacency.indptr, adjacency.indices)
    return Components(
        Neighbours(*_renumbered(adjacency.indptr, adjacency.indices, order)), order, starts
    )


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


def _renumbered(indptr: Int64s, indices: Int32s, order: Int32s) -> tuple[Int64s, Int32s]:
    """The rows of the vertices in another order, with the new numbers."""
    number = np.empty_like(order)
    number[order] = np.arange(len(order), dtype=np.int32)
    counts = np.diff(indptr)[order]
    starts = np.concatenate(([0], np.cumsum(counts)))
    arcs = np.repeat(indptr[order] - starts[:-1], counts) + np.arange(len(indices))
    return starts, number[indices[arcs]]


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
