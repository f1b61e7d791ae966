"""Breadth-first searches in NetworkX's order: from one vertex, and from two ends."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.host.jit import njit

UNREACHED = -1
NO_MEETING = -1


@njit(cache=True, nogil=True)
def search_levels(
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    source: int,
    cutoff: float,
    levels: NDArray[np.int32],
    parents: NDArray[np.int32],
    order: NDArray[np.int32],
) -> int:
    """Number the levels of a breadth-first search; levels from ``cutoff`` on are not expanded.

    Parameters
    ----------
    levels : (n,) int32
        `UNREACHED` everywhere; filled in.
    parents : (n,) int32
        Filled in for vertices that are reached: the vertex that each was found from; not for the source.
    order : (n,) int32
        Filled in: vertices in the order of being found.

    Returns
    -------
    int
        Number of vertices reached.
    """
    levels[source] = 0
    order[0] = source
    count = 1
    place = 0
    while place < count:
        u = order[place]
        place += 1
        if levels[u] >= cutoff:
            break
        for arc in range(indptr[u], indptr[u + 1]):
            v = heads[arc]
            if levels[v] == UNREACHED:
                levels[v] = levels[u] + 1
                parents[v] = u
                order[count] = v
                count += 1
    return count


@njit(cache=True, nogil=True)
def _grow(
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    order: NDArray[np.int32],
    begin: int,
    end: int,
    found_from: NDArray[np.int32],
    other: NDArray[np.int32],
) -> tuple[int, int]:
    """Expand the level ``order[begin:end]``; the end of the next, and the vertex where the ``other`` search was met."""
    last = end
    for place in range(begin, last):
        u = order[place]
        for arc in range(indptr[u], indptr[u + 1]):
            v = heads[arc]
            if found_from[v] == UNREACHED:
                found_from[v] = u
                order[end] = v
                end += 1
            if other[v] != UNREACHED:
                return end, v
    return end, NO_MEETING


@njit(cache=True, nogil=True)
def search_from_both_ends(
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    back_indptr: NDArray[np.int64],
    back_heads: NDArray[np.int32],
    source: int,
    target: int,
    before: NDArray[np.int32],
    after: NDArray[np.int32],
) -> int:
    """Grow a level from the end whose fringe is smaller until the two meet; ``source`` and ``target`` differ.

    Parameters
    ----------
    before, after : (n,) int32
        `UNREACHED` everywhere; filled in: the vertex before each on the way from the source, which is its own, and the
        vertex after each on the way to the target, likewise.

    Returns
    -------
    int
        The vertex where the two met; `NO_MEETING` if there is no path.
    """
    n = len(before)
    forth = np.empty(n, np.int32)
    back = np.empty(n, np.int32)
    forth[0], before[source] = source, source
    back[0], after[target] = target, target
    forth_begin, forth_end, back_begin, back_end = 0, 1, 0, 1
    while forth_begin < forth_end and back_begin < back_end:
        if forth_end - forth_begin <= back_end - back_begin:
            end, met = _grow(indptr, heads, forth, forth_begin, forth_end, before, after)
            forth_begin, forth_end = forth_end, end
        else:
            end, met = _grow(back_indptr, back_heads, back, back_begin, back_end, after, before)
            back_begin, back_end = back_end, end
        if met != NO_MEETING:
            return met
    return NO_MEETING
