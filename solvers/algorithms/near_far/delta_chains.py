"""Chains of chunks, in which a thread's bins lie, and the pool of free chunks.

A thread enters a vertex whose distance it lowers into a bin of its own, a chain of chunks
of one pool, with the distance. An entry is valid as long as the vertex has that
distance: each fall is entered once, so each is relaxed at most once. Where the pool is
used up, entries are left out, and in the end all that was reached is entered again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.algorithms.near_far.delta_memory import (
    BEYOND,
    BINS,
    CHUNK,
    CURRENT,
    FIRST,
    FREE,
    FULL,
    KEPT,
    LEVEL,
    LOST,
    LOW,
    MORE,
    MOST_KEPT,
    NOWHERE,
    STACK,
    BinMemory,
)
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.intrinsics import atomic_exchange, compare_exchange, load_shared
from solvers.system.jit import njit

_FARTHEST = 1e15  # bins are counted to
_NAME = (1 << 32) - 1  # a chunk in `FREE`


@njit(forceinline=True, _nrt=False)
def bin_of(distance: Any, scale: float) -> Any:
    return np.int64(min(distance * scale, _FARTHEST))


@njit(_nrt=False)
def enter_anew(work: BinMemory, thread: int, vertex: int, distance: Any) -> None:
    """Enter a vertex with its distance into a thread's row."""
    own = work.marks[thread]
    position = min(bin_of(distance, work.scale[0]) - own[FIRST], BINS)
    if position <= own[LOW]:
        position = CURRENT
    enter(
        *(work.entries, work.reached, work.before, work.free),
        *(work.words, work.rows[thread], position, np.uint32(vertex), distance),
    )


@njit(forceinline=True, _nrt=False)
def enter(
    entries: Int32s,
    reached: AnyArray,
    before: Int32s,
    free: Int32s,
    words: Int64s,
    row: Int32s,
    position: Any,
    vertex: int,
    distance: Any,
) -> None:
    """Append a vertex to a chain of a thread's row."""
    position = np.uint64(position)
    chain: Any = np.uint64(row[position])
    place: Any = chain & np.uint64(MORE - 1)
    more: Any = chain & np.uint64(MORE)
    if np.int64(place) & (words[FULL] - 1) == 0:
        chunk = take(free, words, row)
        if chunk < 0:
            atomic_exchange(words, LOST, np.int64(1))
            return
        if place:
            before[chunk] = chain
            more = np.uint64(MORE)
        place = np.uint64(chunk * CHUNK)
    entries[place] = np.int32(vertex)
    reached[place] = distance
    row[position] = (place + np.uint64(1)) | more


@njit(forceinline=True, _nrt=False)
def take(free: Int32s, words: Int64s, row: Int32s) -> Any:
    """A free chunk, or -1."""
    kept = row[KEPT]
    if kept > 0:
        row[KEPT] = kept - 1
        return np.int64(row[STACK + kept - 1])
    while True:
        top = load_shared(words, FREE)
        chunk = (top & _NAME) - 1
        if chunk < 0:
            return np.int64(-1)
        after = ((top >> 32) + 1) << 32 | load_shared(free, chunk)
        if compare_exchange(words, FREE, top, after) == top:
            return chunk


@njit(forceinline=True, _nrt=False)
def give_back(free: Int32s, words: Int64s, row: Int32s, chunk: int) -> None:
    kept = row[KEPT]
    if kept < MOST_KEPT:
        row[STACK + kept] = chunk
        row[KEPT] = kept + 1
        return
    while True:
        top = load_shared(words, FREE)
        atomic_exchange(free, chunk, np.int32(top & _NAME))
        after = ((top >> 32) + 1) << 32 | (chunk + 1)
        if compare_exchange(words, FREE, top, after) == top:
            break


@njit(_nrt=False)
def free_all(work: BinMemory) -> None:
    """Empty all bins."""
    words, free, chunks = work.words, work.free, len(work.before)
    work.rows[:] = 0
    for chunk in range(chunks):
        free[chunk] = chunk + 2
    free[chunks - 1] = 0
    words[FREE] = 1
    words[LOST] = 0
    work.marks[:, FIRST:] = 0
    work.marks[:, LEVEL] = NOWHERE


@njit(_nrt=False)
def take_chain(
    distances: AnyArray, work: BinMemory, first: int, frontier: Int32s, number: int
) -> Any:
    """Append the valid vertices of a chain to the ``frontier``, and give its chunks back; returns
    their number.
    """
    chain: Any = np.int64(first)
    while chain:
        place = chain & ~MORE
        chunk = (place - 1) // CHUNK
        for i in range(chunk * CHUNK, place):
            v = work.entries[i]
            if distances[v] == work.reached[i]:
                frontier[number] = v
                number += 1
        chain = np.int64(work.before[chunk]) if chain & MORE else np.int64(0)
        give_back(work.free, work.words, work.rows[0], chunk)
    return number


@njit(_nrt=False)
def sort_beyond(distances: AnyArray, work: BinMemory, thread: int) -> bool:
    """Let a thread's bins begin at its least vertex that lies beyond them; False if there is none.

    All its bins are empty.
    """
    entries, reached, own, row = work.entries, work.reached, work.marks[thread], work.rows[thread]
    least: Any = np.int64(NOWHERE)
    chain: Any = np.int64(row[BEYOND])
    while chain:
        place = chain & ~MORE
        chunk = (place - 1) // CHUNK
        for i in range(chunk * CHUNK, place):
            if distances[entries[i]] == reached[i]:
                least = min(least, bin_of(reached[i], work.scale[0]))
        chain = np.int64(work.before[chunk]) if chain & MORE else np.int64(0)
    chain = np.int64(row[BEYOND])
    row[BEYOND] = 0
    if least < NOWHERE:
        own[FIRST], own[LOW] = least, -1
    enter_chain(distances, work, thread, chain)
    return least < NOWHERE


@njit(_nrt=False)
def enter_chain(distances: AnyArray, work: BinMemory, thread: int, first: int) -> None:
    """Enter the valid vertices of a chain into a thread's row, and give its chunks back."""
    chain: Any = np.int64(first)
    while chain:
        place = chain & ~MORE
        chunk = (place - 1) // CHUNK
        for i in range(chunk * CHUNK, place):
            if distances[work.entries[i]] == work.reached[i]:
                enter_anew(work, thread, work.entries[i], work.reached[i])
        chain = np.int64(work.before[chunk]) if chain & MORE else np.int64(0)
        give_back(work.free, work.words, work.rows[thread], chunk)


@njit(_nrt=False)
def find_again(distances: AnyArray, work: BinMemory, infinity: Any) -> None:
    """After the pool was used up: enter every vertex that was reached."""
    free_all(work)
    for v in range(len(distances)):
        if distances[v] < infinity:
            enter_anew(work, 0, v, distances[v])
