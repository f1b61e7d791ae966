"""Distances in floating point, added up along their own paths from the source.

A hierarchy adds up the arcs of a path in another order than a walk from the source
does, so that sums are rounded differently, and ties can be decided differently. This
pass gives the distances of every other variant: for each vertex the least of the
rounded sums along all paths. Each vertex takes the neighbour that offers least as its
predecessor, over an arc of length 0 only where no other arc leads there, so that none
lie in a cycle; sums are added up anew along this tree; then arcs are relaxed until no
distance falls, which concerns the few vertices where rounding had decided, and all
beyond a cycle that negative arcs bring to 0. Exact, whatever the sums were before:
every new sum is that of a walk, and no arc is left that would shorten one. A heap takes
the vertex first whose new sum lies least above its sum before, which is a potential: so
vertices that get their first sum here are relaxed about once each, whatever the
weights' signs.
"""

from __future__ import annotations

import numpy as np

from solvers.algorithms.arcs import vertex_ranges
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Int8s, Int32s, Int64s
from solvers.system.cancel import Progress
from solvers.system.dary_heap import ENTRY_ARITY, OUTSIDE, Heap, offer, pop
from solvers.system.jit import njit

_NONE = -1
_MOST_FALLS = 8  # of each vertex, in the mean; more means a cycle that only rounding makes negative
_VERTICES_A_LOOK = 1 << 18
_ROUNDING = 1e-9  # of a distance, by which sums in another order may differ


def add_up_again(
    graph: Graph, source: int, weights: AnyArray, distances: AnyArray, progress: Progress
) -> AnyArray:
    """Distances from ``source``, from those with sums in another order; infinity stays;
    raises Cancelled.
    """
    n = graph.n
    offered, predecessor = np.full(n, np.inf, distances.dtype), np.full(n, _NONE, np.int32)
    arcs, ranges, zeros = (graph.indptr, graph.indices, weights), vertex_ranges(graph.indptr), 0
    for first, last in ranges:
        progress.checkpoint()
        zeros += _offer(*arcs, distances, first, last, offered, predecessor)
    if zeros:
        offered[source] = 0
        _spread_over_zeros(*arcs, distances, offered, predecessor)
    predecessor[source] = _NONE
    sums, state = np.full(n, np.inf, distances.dtype), np.zeros(n, np.int8)
    sums[source], state[source] = 0, 2
    path = np.empty(n, np.int32)
    for first in range(0, n, _VERTICES_A_LOOK):
        progress.checkpoint()
        last = min(n, first + _VERTICES_A_LOOK)
        _walk(*arcs, predecessor, first, last, path, state, sums)
    heap = Heap(np.empty(n, distances.dtype), np.empty(n, np.int32), np.full(n, OUTSIDE, np.int32))
    held = 0
    for first, last in ranges:
        progress.checkpoint()
        held = _collect_falls(arcs, distances, first, last, sums, heap, held)
    left = _MOST_FALLS * n + 1_000_000
    while held and left > 0:
        progress.checkpoint()
        left -= _VERTICES_A_LOOK
        held = _relax(arcs, distances, sums, heap, held, _VERTICES_A_LOOK)
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
) -> int:
    """Have each vertex take the neighbour that offers least over an arc that is not of
    length 0; returns how many are of that length.
    """
    zeros = 0
    for u in range(first, last):
        if distances[u] < np.inf:
            for a in range(indptr[u], indptr[u + 1]):
                through = distances[u] + weights[a]
                zeros += weights[a] == 0
                if through < offered[indices[a]] and indices[a] != u and weights[a] != 0:
                    offered[indices[a]] = through
                    predecessor[indices[a]] = u
    return zeros


@njit
def _spread_over_zeros(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    distances: AnyArray,
    offered: AnyArray,
    predecessor: Int32s,
) -> None:
    """Lead from vertices that are offered their distance over arcs of length 0 to those
    that are not.
    """
    n = len(distances)
    is_led_to = offered <= distances + np.abs(distances) * _ROUNDING
    stack = np.empty(n, np.int32)
    for start in range(n):
        stack[0], height = start, int(is_led_to[start] and distances[start] < np.inf)
        while height:
            height -= 1
            u = stack[height]
            for a in range(indptr[u], indptr[u + 1]):
                v = indices[a]
                if weights[a] == 0 and not is_led_to[v]:
                    predecessor[v], is_led_to[v] = u, True
                    stack[height] = v
                    height += 1


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


@njit(inline="always")
def _relax_arcs(
    u: int,
    arcs: tuple[Int64s, Int32s, AnyArray],
    distances: AnyArray,
    sums: AnyArray,
    heap: Heap,
    held: int,
) -> int:
    """Relax the arcs of ``u``; heads whose sums fall go into the heap. Returns its size."""
    indptr, indices, weights = arcs
    keys, vertices, position = heap
    for a in range(indptr[u], indptr[u + 1]):
        through, w = sums[u] + weights[a], indices[a]
        if through < sums[w]:
            sums[w] = through
            held = offer(keys, vertices, position, held, through - distances[w], w, ENTRY_ARITY)
    return held


@njit
def _collect_falls(
    arcs: tuple[Int64s, Int32s, AnyArray],
    distances: AnyArray,
    first: int,
    last: int,
    sums: AnyArray,
    heap: Heap,
    held: int,
) -> int:
    """Relax the arcs of a range of vertices; returns the size of the heap."""
    for u in range(first, last):
        if sums[u] < np.inf:
            held = _relax_arcs(u, arcs, distances, sums, heap, held)
    return held


@njit
def _relax(
    arcs: tuple[Int64s, Int32s, AnyArray],
    distances: AnyArray,
    sums: AnyArray,
    heap: Heap,
    held: int,
    at_most: int,
) -> int:
    """Take up to ``at_most`` vertices from the heap and relax their arcs; returns its size."""
    keys, vertices, position = heap
    for _ in range(at_most):
        if held == 0:
            break
        u = vertices[0]
        held = pop(keys, vertices, position, held, ENTRY_ARITY)
        held = _relax_arcs(u, arcs, distances, sums, heap, held)
    return held
