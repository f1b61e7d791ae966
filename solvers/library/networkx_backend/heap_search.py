"""Dijkstra's algorithm in NetworkX's order, for any weights.

A vertex is inserted into the heap whenever it comes nearer, and skipped if it leaves the heap once more after it is
settled. So equal distances are settled in the order of their insertion, which decides the order of the result and which
of several shortest paths is found. Negative weights are not refused: as in NetworkX, the search goes on until a settled
vertex would come nearer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.host.jit import njit
from solvers.library.networkx_backend.timed_heap import TimedHeap, pop, push

UNSEEN, SEEN, SETTLED = 0, 1, 2
FINISHED, PAUSED, CONTRADICTION = 0, 1, -1
_SETTLED_COUNT, _SEEN_COUNT, _TICK, _SIZE = range(4)  # places in the counters


class DijkstraLabels(NamedTuple):
    """What a search writes.

    Attributes
    ----------
    distances : (n,) float64 or int64
        Final for settled vertices.
    parents : (n,) or (0,) int32
        The vertex that each was last improved from, -1 for none; not written if empty.
    order : (n,) int32
        Vertices in the order of settling.
    first_seen : (n,) int32
        Vertices in the order of first being reached.
    status : (n,) or (0,) uint8
        `UNSEEN`, `SEEN` or `SETTLED`; buckets do without.
    counters : (6,) int64
        The number of settled vertices, that of vertices reached, and what a search needs to go on.
    """

    distances: NDArray[np.float64]
    parents: NDArray[np.int32]
    order: NDArray[np.int32]
    first_seen: NDArray[np.int32]
    status: NDArray[np.uint8]
    counters: NDArray[np.int64]


def begin_heap(sources: NDArray[np.int32], labels: DijkstraLabels, heap: TimedHeap) -> None:
    """Put the sources into the heap, all at 0."""
    count = len(sources)
    labels.status.fill(UNSEEN)
    labels.status[sources], labels.distances[sources] = SEEN, 0
    labels.first_seen[:count] = heap.vertices[:count] = sources
    heap.keys[:count], heap.ticks[:count] = 0, np.arange(count)  # ascending, which is a heap
    labels.counters[:] = 0
    labels.counters[[_SEEN_COUNT, _TICK, _SIZE]] = count


@njit(cache=True, nogil=True)
def search_by_heap(
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    lengths: NDArray[np.float64],
    target: int,
    cutoff: float,
    pause: int,
    labels: DijkstraLabels,
    heap: TimedHeap,
) -> int:
    """Settle up to ``pause`` more vertices, until ``target`` is settled (-1 for no target), none beyond ``cutoff``.

    Returns
    -------
    int
        `FINISHED` or `PAUSED`; `CONTRADICTION` if a settled vertex would come nearer.
    """
    distances, parents, order, first_seen, status, counters = labels
    keys, ticks, vertices = heap
    settled, seen, tick, size = counters[_SETTLED_COUNT], counters[_SEEN_COUNT], counters[_TICK], counters[_SIZE]
    keeps_parents = parents.shape[0] > 0
    enough = settled + pause
    state = FINISHED
    while size > 0:
        if settled >= enough:
            state = PAUSED
            break
        u = vertices[ticks[0]]
        size = pop(keys, ticks, size)
        if status[u] == SETTLED:
            continue
        status[u] = SETTLED
        order[settled] = u
        settled += 1
        if u == target:
            break
        distance = distances[u]
        for arc in range(indptr[u], indptr[u + 1]):
            v = heads[arc]
            through = distance + lengths[arc]
            if through > cutoff:
                continue
            if status[v] == SETTLED:
                if through < distances[v]:
                    state = CONTRADICTION
                continue
            if status[v] == UNSEEN or through < distances[v]:
                if status[v] == UNSEEN:
                    status[v] = SEEN
                    first_seen[seen] = v
                    seen += 1
                distances[v] = through
                if keeps_parents:
                    parents[v] = u
                vertices[tick] = v
                size = push(keys, ticks, size, through, tick)
                tick += 1
        if state == CONTRADICTION:
            break
    counters[_SETTLED_COUNT], counters[_SEEN_COUNT], counters[_TICK], counters[_SIZE] = settled, seen, tick, size
    return state
