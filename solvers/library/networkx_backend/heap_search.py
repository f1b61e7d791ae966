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
CONTRADICTION = -1


class Labels(NamedTuple):
    """What a search writes.

    Attributes
    ----------
    distances : (n,) float64 or int64
        Final for settled vertices.
    parents : (n,) int32
        The vertex that each was last improved from, -1 for none.
    order : (n,) int32
        Vertices in the order of settling.
    first_seen : (n,) int32
        Vertices in the order of first being reached.
    status : (n,) uint8
        `UNSEEN`, `SEEN` or `SETTLED`.
    """

    distances: NDArray[np.float64]
    parents: NDArray[np.int32]
    order: NDArray[np.int32]
    first_seen: NDArray[np.int32]
    status: NDArray[np.uint8]


@njit(cache=True, nogil=True)
def search_by_heap(
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    lengths: NDArray[np.float64],
    sources: NDArray[np.int32],
    target: int,
    cutoff: float,
    labels: Labels,
    heap: TimedHeap,
) -> tuple[int, int]:
    """Settle vertices from ``sources`` until ``target`` is settled (-1 for no target), none beyond ``cutoff``.

    Returns
    -------
    settled : int
        Number of settled vertices; `CONTRADICTION` if a settled vertex would come nearer.
    seen : int
        Number of vertices reached.
    """
    distances, parents, order, first_seen, status = labels
    keys, ticks, vertices = heap
    size = 0
    tick = 0
    seen = 0
    settled = 0
    for source in sources:
        distances[source] = 0.0
        status[source] = SEEN
        first_seen[seen] = source
        seen += 1
        vertices[tick] = source
        size = push(keys, ticks, size, 0.0, tick)
        tick += 1
    while size > 0:
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
                    return CONTRADICTION, seen
                continue
            if status[v] == UNSEEN or through < distances[v]:
                if status[v] == UNSEEN:
                    status[v] = SEEN
                    first_seen[seen] = v
                    seen += 1
                distances[v] = through
                parents[v] = u
                vertices[tick] = v
                size = push(keys, ticks, size, through, tick)
                tick += 1
    return settled, seen
