"""Dijkstra's algorithm from both ends in NetworkX's order: the ends take turns, one entry of a heap each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.host.jit import njit
from solvers.library.networkx_backend.heap_search import CONTRADICTION, SEEN, SETTLED, UNSEEN
from solvers.library.networkx_backend.timed_heap import TimedHeap, pop, push

NO_PATH = -2
_NONE = -1


class EndSearch(NamedTuple):
    """The arcs that one end follows, and its labels.

    Attributes
    ----------
    indptr : (n + 1,) int64
    heads : (m,) int32
    lengths : (m,) float64
    distances : (n,) float64
    parents : (n,) int32
        The next vertex towards this end; -1 for the end itself.
    status : (n,) uint8
        `UNSEEN`, `SEEN` or `SETTLED`.
    heap : TimedHeap
    """

    indptr: NDArray[np.int64]
    heads: NDArray[np.int32]
    lengths: NDArray[np.float64]
    distances: NDArray[np.float64]
    parents: NDArray[np.int32]
    status: NDArray[np.uint8]
    heap: TimedHeap

    @classmethod
    def along(cls, indptr: NDArray[np.int64], heads: NDArray[np.int32], lengths: NDArray[np.float64]) -> EndSearch:
        """The state before a search along these arcs."""
        n = len(indptr) - 1
        labels = np.empty(n), np.full(n, _NONE, np.int32), np.full(n, UNSEEN, np.uint8)
        return cls(indptr, heads, lengths, *labels, TimedHeap.with_room(len(heads) + 1))


@njit(cache=True, nogil=True)
def search_from_two_ends(forth: EndSearch, back: EndSearch, source: int, target: int) -> tuple[int, float]:
    """Search until a vertex is settled from both ends; ``source`` and ``target`` differ.

    Returns
    -------
    meeting : int
        A vertex on the shortest path; `NO_PATH`, or `CONTRADICTION` if a settled vertex would come nearer.
    length : float
        Length of the path.
    """
    forth.distances[source], forth.status[source], forth.heap.vertices[0] = 0.0, SEEN, source
    back.distances[target], back.status[target], back.heap.vertices[0] = 0.0, SEEN, target
    sizes, ticks = np.zeros(2, np.int64), np.ones(2, np.int64)
    sizes[0] = push(forth.heap.keys, forth.heap.ticks, 0, 0.0, 0)
    sizes[1] = push(back.heap.keys, back.heap.ticks, 0, 0.0, 0)
    meeting, length = _NONE, 0.0
    turn = 1
    while sizes[0] > 0 and sizes[1] > 0:
        turn = 1 - turn
        own, other = (forth, back) if turn == 0 else (back, forth)
        keys, entries, vertices = own.heap
        u = vertices[entries[0]]
        sizes[turn] = pop(keys, entries, sizes[turn])
        if own.status[u] == SETTLED:
            continue
        own.status[u] = SETTLED
        if other.status[u] == SETTLED:
            return meeting, length
        for arc in range(own.indptr[u], own.indptr[u + 1]):
            v = own.heads[arc]
            through = own.distances[u] + own.lengths[arc]
            if own.status[v] == SETTLED:
                if through < own.distances[v]:
                    return CONTRADICTION, 0.0
            elif own.status[v] == UNSEEN or through < own.distances[v]:
                own.distances[v] = through
                own.status[v] = SEEN
                own.parents[v] = u
                vertices[ticks[turn]] = v
                sizes[turn] = push(keys, entries, sizes[turn], through, ticks[turn])
                ticks[turn] += 1
                if other.status[v] != UNSEEN:
                    whole = through + other.distances[v]
                    if meeting == _NONE or length > whole:
                        meeting, length = v, whole
    return NO_PATH, 0.0
