"""Dijkstra's algorithm in NetworkX's order, with a bucket per distance, for non-negative integers of moderate size.

Idea
    Distances that wait lie within the greatest length of the least, so a ring of so many buckets holds them, one
    distance each. A bucket is a queue: of equal distances the one inserted first leaves first, as in NetworkX.
    Insertion and removal take constant time; a step to the next distance is one read.

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
from solvers.library.networkx_backend.heap_search import Labels

UNREACHED = 2**62
TOO_SPARSE = -2
_NONE = -1


class Buckets(NamedTuple):
    """A ring of queues.

    Attributes
    ----------
    first, last : (a power of two,) int32
        First and last entry of each bucket; ``last`` means something only where ``first`` is not -1.
    vertices, following : (room,) int32
        By entry: its vertex, and the next entry of the bucket, -1 for none.
    """

    first: NDArray[np.int32]
    last: NDArray[np.int32]
    vertices: NDArray[np.int32]
    following: NDArray[np.int32]

    @classmethod
    def with_room(cls, widest: int, room: int) -> Buckets:
        """For lengths up to ``widest`` and that many insertions."""
        ring = 1 << int(widest).bit_length()
        return cls(*(np.empty(count, np.int32) for count in (ring, ring, room, room)))


@njit(cache=True, nogil=True)
def search_by_buckets(
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    lengths: NDArray[np.int32],
    sources: NDArray[np.int32],
    target: int,
    cutoff: int,
    patience: int,
    labels: Labels,
    buckets: Buckets,
) -> tuple[int, int]:
    """Settle vertices from ``sources`` until ``target`` is settled (-1 for no target), none beyond ``cutoff``.

    Returns
    -------
    settled : int
        Number of settled vertices; `TOO_SPARSE` if more than ``patience`` buckets were empty.
    seen : int
        Number of vertices reached.
    """
    distances, parents, order, first_seen, _ = labels
    first, last, vertices, following = buckets
    mask = first.shape[0] - 1
    entries = 0
    waiting = 0
    seen = 0
    settled = 0
    for source in sources:
        distances[source] = 0
        first_seen[seen] = source
        seen += 1
        vertices[entries] = source
        following[entries] = _NONE
        if first[0] == _NONE:
            first[0] = entries
        else:
            following[last[0]] = entries
        last[0] = entries
        entries += 1
        waiting += 1
    now = 0
    while waiting > 0:
        entry = first[now & mask]
        if entry == _NONE:
            now += 1
            patience -= 1
            if patience < 0:
                return TOO_SPARSE, seen
            continue
        first[now & mask] = following[entry]
        waiting -= 1
        u = vertices[entry]
        if distances[u] != now:
            continue
        order[settled] = u
        settled += 1
        if u == target:
            break
        for arc in range(indptr[u], indptr[u + 1]):
            v = heads[arc]
            through = now + lengths[arc]
            if through < distances[v] and through <= cutoff:
                if distances[v] == UNREACHED:
                    first_seen[seen] = v
                    seen += 1
                distances[v] = through
                parents[v] = u
                vertices[entries] = v
                following[entries] = _NONE
                place = through & mask
                if first[place] == _NONE:
                    first[place] = entries
                else:
                    following[last[place]] = entries
                last[place] = entries
                entries += 1
                waiting += 1
    return settled, seen
