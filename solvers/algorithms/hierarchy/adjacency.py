"""The structure of a graph without directions, weights, loops and parallel arcs: what an order depends on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Graph
from solvers.graphs.rows import rows_of_arcs, slices
from solvers.host.jit import njit
from solvers.host.observer import SILENT, Observer


@dataclass(frozen=True)
class Adjacency:
    """Neighbours of every vertex, each pair listed at both ends.

    Attributes
    ----------
    first : (n + 1,) int64
        Vertex ``v``'s neighbours are ``neighbours[first[v]:first[v + 1]]``.
    neighbours : (2 * edges,) int32
        Ascending for each vertex.
    """

    first: NDArray[np.int64]
    neighbours: NDArray[np.int32]

    @property
    def n(self) -> int:
        return len(self.first) - 1

    @property
    def edges(self) -> int:
        return len(self.neighbours) // 2


def adjacency_of(graph: Graph, observer: Observer = SILENT) -> Adjacency:
    """The structure of ``graph``. O(n + m).

    Raises
    ------
    Cancelled
    """
    m, tails, heads = graph.m, graph.tails, graph.indices
    starts, ends = np.empty(2 * m, np.int32), np.empty(2 * m, np.int32)
    for begin, end in slices(m):
        observer.checkpoint()
        starts[begin:end] = ends[m + begin : m + end] = tails[begin:end]
        ends[begin:end] = starts[m + begin : m + end] = heads[begin:end]
    first, neighbours, _ = rows_of_arcs(graph.n, starts, ends, np.zeros(2 * m, np.int8), observer.checkpoint)
    kept_first = np.zeros(graph.n + 1, np.int64)
    for begin, end in slices(graph.n):
        observer.checkpoint()
        _count_without_repeats(first, neighbours, begin, end, kept_first)
    kept = np.empty(kept_first[-1], np.int32)
    for begin, end in slices(graph.n):
        observer.checkpoint()
        _without_repeats(first, neighbours, begin, end, kept_first, kept)
    return Adjacency(kept_first, kept)


def induced(whole: Adjacency, vertices: NDArray[Any], place: NDArray[np.int32]) -> Adjacency:
    """The structure among ``vertices``, which are numbered in the order given.

    Parameters
    ----------
    place : (n,) int32
        Working memory, -1 everywhere, before and after.
    """
    place[vertices] = np.arange(len(vertices), dtype=np.int32)
    part = Adjacency(*_inside(whole.first, whole.neighbours, vertices, place))
    place[vertices] = -1
    return part


@njit(cache=True, nogil=True)
def _count_without_repeats(
    first: NDArray[np.int64], neighbours: NDArray[np.int32], begin: int, end: int, kept_first: NDArray[np.int64]
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


@njit(cache=True, nogil=True)
def _without_repeats(
    first: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    begin: int,
    end: int,
    kept_first: NDArray[np.int64],
    kept: NDArray[np.int32],
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


@njit(cache=True, nogil=True)
def _inside(
    first: NDArray[np.int64], neighbours: NDArray[np.int32], vertices: NDArray[Any], place: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
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
