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
from solvers.system.array_types import Int32s, Int64s, UInt32s, UInt64s
from solvers.system.jit import njit
from solvers.system.ranges import offsets_of
from solvers.system.threads import in_threads


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Neighbours of every vertex, each once, without the vertex itself."""

    indptr: Int64s  # (n + 1,)
    indices: Int32s  # (m,)

    @property
    def n(self) -> int:
        return len(self.indptr) - 1

    @property
    def unsigned(self) -> tuple[UInt64s, UInt32s]:
        """Both for compiled code, which then tests no index for being negative."""
        return self.indptr.view(np.uint64), self.indices.view(np.uint32)

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
    """The components of a graph, renumbered one after another."""

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
    if _is_undirected(indptr, indices):
        return Neighbours(indptr, indices)
    tails = np.repeat(np.arange(n, dtype=np.int32), np.diff(indptr))
    apart = tails != indices
    ends = tails[apart], indices[apart]
    both = np.concatenate(ends), np.concatenate(ends[::-1])
    starts, heads, _ = rows_of_arcs(n, *both, np.zeros(len(both[0]), np.int32))
    fresh = np.ones(len(heads), np.bool_)
    fresh[1:] = heads[1:] != heads[:-1]
    fresh[starts[:-1][np.diff(starts) > 0]] = True  # the first of each row
    return Neighbours(offsets_of(fresh)[starts], heads[fresh])


@njit
def _is_undirected(indptr: Int64s, indices: Int32s) -> bool:
    """Whether each arc leads back as well, once, and none to its own tail; heads ascend."""
    n = len(indptr) - 1
    next_of = indptr[:-1].copy()  # by head: the entry that names the next of its tails
    for u in range(n):
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            back = next_of[v]
            if v == u or back == indptr[v + 1] or indices[back] != u:
                return False
            if arc > indptr[u] and indices[arc - 1] == v:
                return False
            next_of[v] = back + 1
    return True


def components(adjacency: Neighbours, threads: int = 1) -> Components:
    """Find the connected components and renumber the vertices."""
    found = np.empty(adjacency.n + 1, np.uint32)
    starts = _breadth_first_order(*adjacency.unsigned, found)
    order: Int32s = found[:-1].view(np.int32)
    number, first = np.empty_like(order), np.zeros(adjacency.n + 1, np.int64)
    number[order] = np.arange(adjacency.n, dtype=np.int32)
    np.cumsum(np.diff(adjacency.indptr)[order], out=first[1:])
    heads = np.empty_like(adjacency.indices)
    own = adjacency.indptr, adjacency.indices, order, number, first, heads
    in_threads(threads, _renumber, threads, *own)
    return Components(Neighbours(first, heads), order, starts)


@njit
def _breadth_first_order(indptr: UInt64s, indices: UInt32s, order: UInt32s) -> Int64s:
    """All vertices in breadth-first order, component by component, (n + 1,), the last of
    which means nothing; returns the starts of the components.

    Without a branch on what is new, which cannot be predicted.
    """
    n = len(indptr) - 1
    found, starts = np.zeros(n, np.bool_), np.empty(n + 1, np.int64)
    count, head, tail = 0, np.uint64(0), np.uint64(0)
    for root in range(n):
        if found[root]:
            continue
        starts[count] = tail
        count += 1
        found[root] = True
        order[tail] = root
        tail += np.uint64(1)
        while head < tail:
            u = np.uint64(order[head])
            head += np.uint64(1)
            for arc in range(indptr[u], indptr[u + np.uint64(1)]):
                v = indices[arc]
                order[tail] = v
                tail += np.uint64(not found[v])
                found[v] = True
    starts[count] = n
    return starts[: count + 1].copy()


@njit
def _renumber(
    part: int,
    parts: int,
    indptr: Int64s,
    indices: Int32s,
    order: Int32s,
    number: Int32s,
    first: Int64s,
    heads: Int32s,
) -> None:
    """The rows of one range of the vertices in another order, with the new numbers."""
    n = len(order)
    for i in range(n * part // parts, n * (part + 1) // parts):
        begin = indptr[order[i]]
        for k in range(first[i + 1] - first[i]):
            heads[first[i] + k] = number[indices[begin + k]]


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
