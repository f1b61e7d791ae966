"""A d-ary heap of (key, tick) in numba: of equal keys the one of the least tick leaves first.

With ticks that count insertions this is the order of Python's ``heapq`` on tuples (key, counter, ...), on which
NetworkX's searches rest. Functions are inlined, as in `solvers.algorithms.dary_heap`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.host.jit import njit

_ARITY = 4


class TimedHeap(NamedTuple):
    """Room for entries, and what each insertion put in.

    Attributes
    ----------
    keys : (room,) float64
    ticks : (room,) int32
        Which insertion an entry is.
    vertices : (room,) int32
        By tick: the vertex that was inserted.
    """

    keys: NDArray[np.float64]
    ticks: NDArray[np.int32]
    vertices: NDArray[np.int32]

    @classmethod
    def with_room(cls, room: int) -> TimedHeap:
        """Empty arrays for so many entries."""
        return cls(np.empty(room), np.empty(room, np.int32), np.empty(room, np.int32))


@njit(cache=True, nogil=True, inline="always")
def push(keys: NDArray[np.float64], ticks: NDArray[np.int32], size: int, key: float, tick: int) -> int:
    """Insert an entry; returns the new size."""
    hole = size
    while hole > 0:
        above = (hole - 1) // _ARITY
        if keys[above] < key or (keys[above] == key and ticks[above] < tick):
            break
        keys[hole] = keys[above]
        ticks[hole] = ticks[above]
        hole = above
    keys[hole] = key
    ticks[hole] = tick
    return size + 1


@njit(cache=True, nogil=True, inline="always")
def pop(keys: NDArray[np.float64], ticks: NDArray[np.int32], size: int) -> int:
    """Remove the entry at index 0; returns the new size."""
    size -= 1
    key = keys[size]
    tick = ticks[size]
    hole = 0
    while True:
        child = _ARITY * hole + 1
        if child >= size:
            break
        least = child
        for other in range(child + 1, min(child + _ARITY, size)):
            if keys[other] < keys[least] or (keys[other] == keys[least] and ticks[other] < ticks[least]):
                least = other
        if keys[least] > key or (keys[least] == key and ticks[least] > tick):
            break
        keys[hole] = keys[least]
        ticks[hole] = ticks[least]
        hole = least
    keys[hole] = key
    ticks[hole] = tick
    return size
