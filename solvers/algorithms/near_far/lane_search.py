"""Searches from 32 sources together by one thread, which can be left and taken up again.

Each vertex has 32 distances side by side; a vertex that came nearer to any of the sources is relaxed again in the next
hop. ``all_pairs_omp.py`` says why this is correct.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.host.jit import njit

LANES = 32  # sources searched together: 8, 16, 64 and 128 were slower on every graph tried
COUNT, HOP, NEXT, FOUND = range(
    4
)  # of `place`: vertices in this hop, its number, the next of them, queued for the one after
PLACES = 4


@njit(cache=True, nogil=True)
def begin_search(
    sources: NDArray[Any],
    distances: NDArray[Any],
    queues: NDArray[np.int32],
    queued: NDArray[np.int32],
    place: NDArray[np.int64],
    infinity: Any,
) -> None:
    """Prepare a search from at most `LANES` different sources; lanes without a source stay infinite.

    Parameters
    ----------
    sources : (k,) integers
    distances : (n, LANES) array of the distance type
    queues : (2, n) int32
        This hop's vertices and the next one's, by turns.
    queued : (n,) int32
        The hop for which a vertex was queued last.
    place : (PLACES,) int64
    """
    distances[:] = infinity
    queued[:] = -1
    for lane in range(len(sources)):
        distances[sources[lane], lane] = 0
        queues[0, lane] = sources[lane]
    place[COUNT], place[HOP], place[NEXT], place[FOUND] = len(sources), 0, 0, 0


@njit(cache=True, nogil=True)
def search_on(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[Any],
    distances: NDArray[Any],
    queues: NDArray[np.int32],
    queued: NDArray[np.int32],
    place: NDArray[np.int64],
    most_arcs: int,
) -> int:
    """Relax some ``most_arcs`` arcs or until the search has ended: then ``place[COUNT]`` is 0. Returns their number."""
    reached = np.empty(LANES, distances.dtype)
    count, hop, i, found, relaxed = place[COUNT], place[HOP], place[NEXT], place[FOUND], 0
    while count > 0 and relaxed < most_arcs:
        frontier, fallen = queues[hop & 1], queues[1 - (hop & 1)]
        while i < count and relaxed < most_arcs:
            tail = frontier[i]
            for lane in range(LANES):
                reached[lane] = distances[tail, lane]
            relaxed += indptr[tail + 1] - indptr[tail]
            for arc in range(indptr[tail], indptr[tail + 1]):
                head, weight = indices[arc], weights[arc]
                fell = 0
                for lane in range(LANES):
                    offered, lies = reached[lane] + weight, distances[head, lane]
                    fell |= offered < lies
                    distances[head, lane] = min(offered, lies)
                if fell and queued[head] != hop:
                    queued[head] = hop
                    fallen[found] = head
                    found += 1
            i += 1
        if i == count:
            count, hop, i, found = found, hop + 1, 0, 0
    place[COUNT], place[HOP], place[NEXT], place[FOUND] = count, hop, i, found
    return relaxed
