"""Dijkstra's algorithm in NetworkX's order, with a bucket per distance, for non-negative integers of moderate size.

Idea
    Distances that wait lie within the greatest length of the least, so a ring of so many buckets holds them, one
    distance each. A bucket is a queue: of equal distances the one inserted first leaves first, as in NetworkX.
    Insertion and removal take constant time; a step to the next distance is one read. The search can pause after a
    bucket, so that results are read on another core while it goes on.

Why it is correct
    The buckets are visited in the order of distance, and lengths are not negative, so the first time that a vertex
    leaves a bucket its distance is final. Entries that a shorter path made obsolete no longer match the distance.

Source
    Dial 1969, Algorithm 360: Shortest-path forest with topological ordering.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.host.jit import njit
from solvers.library.networkx_backend.heap_search import FINISHED, PAUSED, DijkstraLabels

UNREACHED = 2**62
TOO_SPARSE = -2
_NONE = -1
_SETTLED, _SEEN, _ENTRIES, _WAITING, _NOW, _EMPTY = range(6)  # places in the counters


class Buckets(NamedTuple):
    """A ring of queues; the first entries are their heads, each the place before the first entry of a bucket.

    Attributes
    ----------
    last : (a power of two,) int32
        Last entry of each bucket; its head if it is empty.
    vertices, following : (buckets + insertions,) int32
        By entry: its vertex, and the next entry of the bucket, -1 for none.
    """

    last: NDArray[np.int32]
    vertices: NDArray[np.int32]
    following: NDArray[np.int32]

    @classmethod
    def with_room(cls, widest: int, room: int) -> Buckets:
        """For lengths up to ``widest`` and that many insertions."""
        ring = 1 << int(widest).bit_length()
        return cls(np.empty(ring, np.int32), np.empty(ring + room, np.int32), np.empty(ring + room, np.int32))

    @property
    def room(self) -> int:
        """The number of insertions that there is room for."""
        return len(self.vertices) - len(self.last)

    def begin(self, sources: NDArray[np.int32], labels: DijkstraLabels) -> None:
        """Empty all buckets, and put the sources into that of distance 0."""
        ring, count = len(self.last), len(sources)
        self.last[:] = np.arange(ring, dtype=np.int32)
        self.following[:ring] = _NONE
        labels.distances.fill(UNREACHED)
        labels.counters[:] = 0
        if count:
            self.vertices[ring : ring + count] = sources
            self.following[ring : ring + count] = np.arange(ring + 1, ring + count + 1)
            self.following[ring + count - 1] = _NONE
            self.following[0], self.last[0] = ring, ring + count - 1
            labels.distances[sources] = 0
            labels.first_seen[:count] = sources
        labels.counters[[_SEEN, _ENTRIES, _WAITING]] = count, ring + count, count


@njit(cache=True, nogil=True)
def search_by_buckets(
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    lengths: NDArray[np.int32],
    target: int,
    cutoff: int,
    pause: int,
    patience: int,
    labels: DijkstraLabels,
    buckets: Buckets,
) -> int:
    """Settle about ``pause`` more vertices, until ``target`` is settled (-1 for no target), none beyond ``cutoff``.

    Returns
    -------
    int
        `FINISHED` or `PAUSED`; `TOO_SPARSE` if more than ``patience`` buckets were empty.
    """
    distances, parents, order, first_seen, _, counters = labels
    last, vertices, following = buckets
    mask = last.shape[0] - 1
    settled, seen, entries = counters[_SETTLED], counters[_SEEN], counters[_ENTRIES]
    waiting, now, empty = counters[_WAITING], counters[_NOW], counters[_EMPTY]
    keeps_parents = parents.shape[0] > 0
    enough = settled + pause
    state = FINISHED
    while waiting > 0:
        bucket = now & mask
        entry = following[bucket]
        if entry == _NONE:
            empty += 1
            if empty > patience:
                state = TOO_SPARSE
                break
            now += 1
            continue
        if settled >= enough:
            state = PAUSED
            break
        found = False
        while entry != _NONE:
            u = vertices[entry]
            waiting -= 1
            if distances[u] == now:
                order[settled] = u
                settled += 1
                found = u == target
                if found:
                    break
                for arc in range(indptr[u], indptr[u + 1]):
                    v = heads[arc]
                    through = now + lengths[arc]
                    if through < distances[v] and through <= cutoff:
                        if distances[v] == UNREACHED:
                            first_seen[seen] = v
                            seen += 1
                        distances[v] = through
                        if keeps_parents:
                            parents[v] = u
                        vertices[entries] = v
                        following[entries] = _NONE
                        place = through & mask
                        following[last[place]] = entries
                        last[place] = entries
                        entries += 1
                        waiting += 1
            entry = following[entry]
        if found:
            break
        following[bucket] = _NONE
        last[bucket] = bucket
        now += 1
    counters[_SETTLED], counters[_SEEN], counters[_ENTRIES] = settled, seen, entries
    counters[_WAITING], counters[_NOW], counters[_EMPTY] = waiting, now, empty
    return state
