"""The Bellman-Ford algorithm with a queue, in NetworkX's order, with its tests for negative cycles.

Idea
    A vertex whose distance fell waits in a queue, unless it waits already. It is passed over while one of its
    predecessors waits, because its distance will fall again. Each vertex keeps the list of all predecessors that gave
    it its distance.

Why it is correct
    When the queue is empty, no arc can improve a vertex. A vertex that enters the queue n times, or whose improvement
    follows from a recent improvement of its own, lies on or behind a negative cycle.

Source
    Cherkassky and Goldberg 1999, Negative-cycle detection algorithms; the order of steps is that of NetworkX 3.6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.host.jit import njit
from solvers.library.networkx_backend.tight_predecessors import PredecessorLists

NO_CYCLE = -1
_NONE = -1


@dataclass(frozen=True, eq=False)
class QueueTree:
    """What a search found.

    Attributes
    ----------
    distances : (n,) float64
        Infinity where not reached.
    order : int32 array
        The vertices reached, in the order of first being reached.
    predecessors : PredecessorLists
        The first of a list is the one that improved the vertex last.
    on_cycle : int
        A vertex on or behind a negative cycle; `NO_CYCLE` if the sources reach none.
    """

    distances: NDArray[np.float64]
    order: NDArray[np.int32]
    predecessors: PredecessorLists
    on_cycle: int


def search_by_queue(
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    lengths: NDArray[np.float64],
    sources: NDArray[np.int32],
    heuristic: bool,
) -> QueueTree:
    """Distances from ``sources``, all at 0.

    Parameters
    ----------
    indptr : (n + 1,) int64
    heads : (m,) int32
    lengths : (m,) float64
    sources : int32 array
        Distinct vertices.
    heuristic : bool
        Also test whether a vertex improves itself along a path, which finds most negative cycles early.
    """
    n = len(indptr) - 1
    distances, order = np.full(n, np.inf), np.empty(n, np.int32)
    vertex, count, offsets, members = _search(indptr, heads, lengths, sources, heuristic, distances, order)
    return QueueTree(distances, order[:count], PredecessorLists(offsets, members), vertex)


@njit(cache=True, nogil=True, inline="always")
def _append(
    first: NDArray[np.int32],
    last: NDArray[np.int32],
    members: NDArray[np.int32],
    following: NDArray[np.int32],
    v: int,
    place: int,
    u: int,
) -> None:
    """Append ``u`` to the list of ``v``, at a place that is free."""
    members[place] = u
    following[place] = _NONE
    if first[v] == _NONE:
        first[v] = place
    else:
        following[last[v]] = place
    last[v] = place


@njit(cache=True, nogil=True)
def _search(
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    lengths: NDArray[np.float64],
    sources: NDArray[np.int32],
    heuristic: bool,
    distances: NDArray[np.float64],
    order: NDArray[np.int32],
) -> tuple[int, int, NDArray[np.int64], NDArray[np.int32]]:
    """Vertex on a cycle, number of vertices reached, and the predecessors' offsets and members."""
    n = len(distances)
    reached = np.zeros(n, np.uint8)
    first = np.full(n, _NONE, np.int32)  # of each vertex's linked list of predecessors
    last = np.full(n, _NONE, np.int32)
    members = np.empty(n + len(heads) + 2, np.int32)
    following = np.empty(n + len(heads) + 2, np.int32)
    used, spare = 0, _NONE  # places never used, and a linked list of those used before
    queue = np.empty(n + 1, np.int32)
    waits = np.zeros(n, np.uint8)
    entered = np.zeros(n, np.int64)
    improved_from = np.full(n, _NONE, np.int32)
    recent_tail = np.full(n, _NONE, np.int32)
    recent_head = np.full(n, _NONE, np.int32)
    head, tail, count, on_cycle = 0, 0, 0, NO_CYCLE
    for source in sources:
        distances[source] = 0.0
        reached[source] = 1
        order[count] = source
        count += 1
        queue[tail] = source
        tail += 1
        waits[source] = 1
    while head != tail and on_cycle == NO_CYCLE:
        u = queue[head]
        head = head + 1 if head < n else 0
        waits[u] = 0
        place = first[u]
        while place != _NONE and waits[members[place]] == 0:
            place = following[place]
        if place != _NONE:
            continue
        for arc in range(indptr[u], indptr[u + 1]):
            v = heads[arc]
            through = distances[u] + lengths[arc]
            improves = through < distances[v]
            if not improves and (reached[v] == 0 or through != distances[v]):
                continue
            if improves:
                if heuristic:
                    if recent_tail[u] == v or recent_head[u] == v:
                        on_cycle = v
                    elif improved_from[v] == u:
                        recent_tail[v], recent_head[v] = recent_tail[u], recent_head[u]
                    else:
                        recent_tail[v], recent_head[v] = u, v
                if on_cycle == NO_CYCLE:
                    if waits[v] == 0:
                        queue[tail] = v
                        tail = tail + 1 if tail < n else 0
                        waits[v] = 1
                        entered[v] += 1
                        if entered[v] == n:
                            on_cycle = v
                            break
                    if reached[v] == 0:
                        reached[v] = 1
                        order[count] = v
                        count += 1
                    distances[v] = through
                    improved_from[v] = u
                    if first[v] != _NONE:
                        following[last[v]] = spare
                        spare = first[v]
                        first[v] = _NONE
            if spare != _NONE:
                place = spare
                spare = following[place]
            else:
                if used == len(members):
                    members = np.concatenate((members, np.empty(used, np.int32)))
                    following = np.concatenate((following, np.empty(used, np.int32)))
                place = used
                used += 1
            _append(first, last, members, following, v, place, u)
            if on_cycle != NO_CYCLE:
                break
    offsets = np.zeros(n + 1, np.int64)
    found = np.empty(used, np.int32)
    total = 0
    for v in range(n):
        place = first[v]
        while place != _NONE:
            found[total] = members[place]
            total += 1
            place = following[place]
        offsets[v + 1] = total
    return on_cycle, count, offsets, found[:total]
