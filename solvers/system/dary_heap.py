"""d-ary heaps in numba: an indexed one, in which each vertex is at most once, at index
``position``, and one of entries, which orders equal keys.

Functions are inlined into the loops that use them: numba counts references on every
array passed to a function, which costs more than a short sift.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from solvers.system.array_types import AnyArray, Int32s
from solvers.system.jit import njit

OUTSIDE = -1
ENTRY_ARITY = 4


class Heap(NamedTuple):
    """Heap of vertices ordered by key, the least on top."""

    keys: AnyArray  # (n,) of the distance type
    vertices: Int32s  # (n,)
    # (n,): index of each vertex in the heap; -1 if it is not in the heap
    position: Int32s


def heap_of_one(n: int, dtype: DTypeLike, vertex: int, key: Any = 0) -> Heap:
    """A heap with room for n vertices that holds one."""
    heap = Heap(np.empty(n, dtype), np.empty(n, np.int32), np.full(n, OUTSIDE, np.int32))
    heap.keys[0], heap.vertices[0], heap.position[vertex] = key, vertex, 0
    return heap


@njit(inline="always")
def pop(
    keys: AnyArray,
    vertices: Int32s,
    position: Int32s,
    size: int,
    arity: int,
) -> int:
    """Remove the top entry and sift the last one down from there; returns the new size."""
    position[vertices[0]] = OUTSIDE
    size -= 1
    key = keys[size]
    vertex = vertices[size]
    hole = 0
    while size > 0:
        first = arity * hole + 1
        if first >= size:
            break
        least = first
        least_key = keys[first]
        for child in range(first + 1, min(first + arity, size)):
            if keys[child] < least_key:
                least = child
                least_key = keys[child]
        if least_key >= key:
            break
        keys[hole] = least_key
        vertices[hole] = vertices[least]
        position[vertices[hole]] = hole
        hole = least
    if size > 0:
        keys[hole] = key
        vertices[hole] = vertex
        position[vertex] = hole
    return size


@njit(inline="always")
def offer(
    keys: AnyArray,
    vertices: Int32s,
    position: Int32s,
    size: int,
    key: Any,
    vertex: int,
    arity: int,
) -> int:
    """Insert a vertex, or move it up to a key that is less than its own; returns the new size."""
    hole: int = position[vertex]
    if hole == OUTSIDE:
        hole = size
        size += 1
    while hole > 0:
        parent = (hole - 1) // arity
        if keys[parent] <= key:
            break
        keys[hole] = keys[parent]
        vertices[hole] = vertices[parent]
        position[vertices[hole]] = hole
        hole = parent
    keys[hole] = key
    vertices[hole] = vertex
    position[vertex] = hole
    return size


@njit(inline="always")
def push_entry(keys: AnyArray, entries: AnyArray, size: int, key: Any, entry: int) -> int:
    """Insert an entry into a heap ordered by key, then by entry; returns the new size.

    ``keys`` and ``entries``, (room,), may be one array. A vertex can be in it several times.
    """
    hole = size
    while hole > 0:
        above = (hole - 1) // ENTRY_ARITY
        if keys[above] < key or (keys[above] == key and entries[above] < entry):
            break
        keys[hole] = keys[above]
        entries[hole] = entries[above]
        hole = above
    keys[hole] = key
    entries[hole] = entry
    return size + 1


@njit(inline="always")
def pop_entry(keys: AnyArray, entries: AnyArray, size: int) -> int:
    """Remove the entry at index 0; returns the new size."""
    size -= 1
    key = keys[size]
    entry = entries[size]
    hole = 0
    while True:
        child = ENTRY_ARITY * hole + 1
        if child >= size:
            break
        least = child
        for other in range(child + 1, min(child + ENTRY_ARITY, size)):
            if keys[other] < keys[least] or (
                keys[other] == keys[least] and entries[other] < entries[least]
            ):
                least = other
        if keys[least] > key or (keys[least] == key and entries[least] > entry):
            break
        keys[hole] = keys[least]
        entries[hole] = entries[least]
        hole = least
    keys[hole] = key
    entries[hole] = entry
    return size
