"""Distances in floating point, added up along their own paths from the source.

A hierarchy adds up the arcs of a path in another order than a walk from the source
does, so that sums are rounded differently, and ties can be decided differently. This
pass gives the distances of every other variant: for each vertex the least of the
rounded sums along all paths. Each vertex takes the neighbour that offers least as its
predecessor; sums are added up anew along this tree; then arcs are relaxed until no
distance falls, which concerns the few vertices where rounding had decided. Exact,
whatever the sums were before: every new sum is that of a walk, and the last step is
Bellman-Ford with a queue.
"""

from __future__ import annotations

import numpy as np

from solvers.algorithms.arcs import vertex_ranges
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Bools, Int8s, Int32s, Int64s
from solvers.system.cancel import Progress
from solvers.system.jit import njit

_NONE = -1
_MOST_FALLS = 8  # of each vertex, in the mean; more means a cycle that only rounding makes negative
_VERTICES_A_LOOK = 1 << 18


def add_up_again(
    graph: Graph, source: int, weights: AnyArray, distances: AnyArray, progress: Progress
) -> AnyArray:
    """Distances from ``source``, from those with sums in another order; infinity stays;
    raises Cancelled.
    """
    n = graph.n
    offered, predecessor = np.full(n, np.inf, distances.dtype), np.full(n, _NONE, np.int32)
    ranges = vertex_ranges(graph.indptr)
    for first, last in ranges:
        progress.checkpoint()
        _offer(graph.indptr, graph.indices, weights, distances, first, last, offered, predecessor)
    predecessor[source] = _NONE
    sums, state = np.full(n, np.inf, distances.dtype), np.zeros(n, np.int8)
    sums[source], state[source] = 0, 2
    path = np.empty(n, np.int32)
    for first in range(0, n, _VERTICES_A_LOOK):
        progress.checkpoint()
        last = min(n, first + _VERTICES_A_LOOK)
        _walk(graph.indptr, graph.indices, weights, predecessor, first, last, path, state, sums)
    queue, queued = np.empty(n, np.int32), np.zeros(n, np.bool_)
    ends = np.zeros(2, np.int64)  # of the queue
    for first, last in ranges:
        progress.checkpoint()
        _queue_falls(graph.indptr, graph.indices, weights, sums, first, last, queue, queued, ends)
    left = _MOST_FALLS * n + 1_000_000
    while ends[0] < ends[1] and left > 0:
        progress.checkpoint()
        left -= _VERTICES_A_LOOK
        _relax(graph.indptr, graph.indices, weights, sums, queue, queued, ends, _VERTICES_A_LOOK)
    return sums


@njit
def _offer(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    distances: AnyArray,
    first: int,
    last: int,
    offered: AnyArray,
    predecessor: Int32s,
) -> None:
    for u in range(first, last):
        if distances[u] < np.inf:
            for a in range(indptr[u], indptr[u + 1]):
                through = distances[u] + weights[a]
                if through < offered[indices[a]] and indices[a] != u:
                    offered[indices[a]] = through
                    predecessor[indices[a]] = u


@njit
def _walk(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    predecessor: Int32s,
    first: int,
    last: int,
    path: Int32s,
    state: Int8s,
    sums: AnyArray,
) -> None:
    """Add up along predecessors; vertices whose predecessors form a cycle, by rounding
    or of zeros, stay infinite.
    """
    for start in range(first, last):
        v, length = start, 0
        while v != _NONE and state[v] == 0:
            state[v] = 1
            path[length] = v
            length += 1
            v = predecessor[v]
        for i in range(length - 1, -1, -1):
            w = path[i]
            u = predecessor[w]
            if u != _NONE and state[u] == 2 and sums[u] < np.inf:
                for a in range(indptr[u], indptr[u + 1]):
                    if indices[a] == w:
                        through = sums[u] + weights[a]
                        sums[w] = min(sums[w], through)
            state[w] = 2


@njit
def _queue_falls(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    sums: AnyArray,
    first: int,
    last: int,
    queue: Int32s,
    queued: Bools,
    ends: Int64s,
) -> None:
    """Relax the arcs of a range of vertices; heads whose sums fall are queued."""
    tail = ends[1]
    for u in range(first, last):
        if sums[u] < np.inf:
            for a in range(indptr[u], indptr[u + 1]):
                through, w = sums[u] + weights[a], indices[a]
                if through < sums[w]:
                    sums[w] = through
                    if not queued[w]:
                        queued[w] = True
                        queue[tail % len(queue)] = w
                        tail += 1
    ends[1] = tail


@njit
def _relax(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    sums: AnyArray,
    queue: Int32s,
    queued: Bools,
    ends: Int64s,
    at_most: int,
) -> None:
    """Take up to ``at_most`` vertices from the queue, which is a ring: no vertex is in it twice."""
    head, tail = ends
    for _ in range(at_most):
        if head == tail:
            break
        u = queue[head % len(queue)]
        head += 1
        queued[u] = False
        for a in range(indptr[u], indptr[u + 1]):
            through, w = sums[u] + weights[a], indices[a]
            if through < sums[w]:
                sums[w] = through
                if not queued[w]:
                    queued[w] = True
                    queue[tail % len(queue)] = w
                    tail += 1
    ends[0], ends[1] = head, tail
