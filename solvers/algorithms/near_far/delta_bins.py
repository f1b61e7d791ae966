"""Relaxing of a thread's bins, and of what others have in earlier ones: the work of
delta-stepping on cores. What a team of threads settles together is in ``delta_threads.py``.

A thread lists the chunks of the bin that it empties. It takes them from its own list first,
since it has their vertices in its cache, and from others' where these are of an earlier
bin than its next. What falls within the bin is its own next chunk; where that becomes
several, they go to its list. Vertices of many arcs are listed in pieces.

Indices of inner loops are unsigned: signed ones are checked for counting from the end, at
seven of seventeen instructions for an arc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.algorithms.near_far.delta_chains import (
    bin_of,
    enter,
    enter_chain,
    give_back,
    sort_beyond,
    take,
)
from solvers.algorithms.near_far.delta_memory import (
    ABORTED,
    ASKED,
    BINS,
    BOUND,
    BOUNDED,
    CHUNK,
    CLAIMED,
    CURRENT,
    FIRST,
    FOUND,
    FULL,
    LEFT,
    LENGTH,
    LEVEL,
    LIMIT,
    LISTED,
    LOW,
    MORE,
    NEXT,
    NOWHERE,
    OPEN,
    OPENED,
    PAIRS,
    PRESENT,
    RELAXED,
    SETTLED,
    STATUS,
    STOP,
    SURPLUS,
    WIDE,
    BinMemory,
    UnsignedArcs,
    arcs_in_pairs,
)
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.intrinsics import (
    atomic_add,
    atomic_exchange,
    atomic_min,
    compare_exchange,
    element,
    give_way,
    load_shared,
    prefetch,
    prefetch_gapped,
    prefetch_to_write,
    spin_once,
)
from solvers.system.jit import njit

PIECE = 2048  # arcs of a vertex that are listed as one piece of work
_SHARE_ARCS = 8192  # after which the rest of a chunk is listed again
_PREFETCHED = 64  # arcs of a vertex
_AHEAD = 16  # distances that are fetched before they are written by one of several threads
_WINDOW = 8  # bins that a thread may be ahead of the last
# Looks at the others before a thread goes further ahead; after the first of them it lets
# programs run, which on a busy machine take milliseconds each time
_LOOKS, _SPINS = 310, 300
_FEW_PLACES = 16  # arcs that are looked through one by one
DONE, LOOK, GROWN, HELP = range(4)
FILLED = 1 << 14  # distances that are filled by one thread at a time


@njit(_nrt=False)
def empty_bins(
    arcs: UnsignedArcs,
    distances: AnyArray,
    work: BinMemory,
    thread: int,
    limit: int,
    shared: bool,
) -> int:
    """Relax what a thread has, bin by bin, and what others have in bins before its own, until
    nothing is left to it (`DONE`), it relaxed ``limit`` arcs (`LOOK`), or others could
    help (`GROWN`).
    """
    words, row, pairs = work.words, work.rows[thread], work.words[PAIRS]
    limit += work.counts[thread, RELAXED]
    while True:
        last = _taken(work.lists, work.marks, thread)
        if last == 0 and row[CURRENT]:
            last = _opened(work, thread, CURRENT)
        if last == 0:
            last = _next(distances, work, thread, shared)
        if last == 0:
            atomic_exchange(work.marks[thread], LEVEL, np.int64(NOWHERE))
            return DONE
        if pairs:
            _relax(arcs_in_pairs(arcs, pairs), distances, work, thread, last, shared)
        else:
            _relax(arcs, distances, work, thread, last, shared)
        if load_shared(words, STOP):
            if thread > 0 or load_shared(words, STOP) == ABORTED:
                atomic_exchange(work.marks[thread], LEVEL, np.int64(NOWHERE))
                return DONE
        elif shared:
            tell_surplus(work, thread)
        if thread == 0 and could_be_helped(words, shared):
            left = left_to_take(work.marks, 0)
            if left > 1 and left * words[FULL] >= words[WIDE]:
                return GROWN
        if work.counts[thread, RELAXED] >= limit:
            return LOOK


@njit(_nrt=False)
def _next(distances: AnyArray, work: BinMemory, thread: int, shared: bool) -> Any:
    """A chunk of the next bin that holds anything, of this thread or another; 0 if none does."""
    own, row = work.marks[thread], work.rows[thread]
    while True:
        low = own[LOW] + 1
        while low < BINS and row[low] == 0:
            low += 1
        if low < BINS or not sort_beyond(distances, work, thread):
            break
    level = own[FIRST] + low if low < BINS else np.int64(NOWHERE)
    if shared:
        last = _taken_from_others(work, thread, level)
        if last:
            return last
        if NOWHERE > level > own[LIMIT]:
            last = _wait_for_others(work, thread, level)
            if last:
                return last
    if low == BINS:
        return np.int64(0)
    own[LOW] = low
    work.counts[thread, OPENED] += 1
    if shared:
        atomic_exchange(own, LEVEL, np.int64(level))
    return _opened(work, thread, low)


@njit(_nrt=False)
def _wait_for_others(work: BinMemory, thread: int, level: int) -> Any:
    """Let others come near this thread's next bin; returns what may be taken meanwhile, or 0."""
    words, marks = work.words, work.marks
    for waited in range(_LOOKS):
        least = np.int64(level)
        for other in range(len(marks)):
            if other != thread:
                least = min(least, load_shared(marks[other], LEVEL))
        marks[thread, LIMIT] = least + _WINDOW
        if level <= marks[thread, LIMIT] or load_shared(words, STOP):
            return np.int64(0)
        last = _taken_from_others(work, thread, level)
        if last:
            return last
        spin_once()
        if waited > _SPINS:
            give_way()
    return np.int64(0)


@njit(forceinline=True, _nrt=False)
def could_be_helped(words: Int64s, shared: bool) -> bool:
    """Whether more threads would come, if invited or asked."""
    if load_shared(words, STOP):
        return False
    return (not shared and load_shared(words, PRESENT) > 0) or load_shared(words, ASKED) > 0


@njit(forceinline=True, _nrt=False)
def left_to_take(marks: Int64s, thread: int) -> Any:
    """Chunks of a thread's list that nobody took."""
    return load_shared(marks[thread], LENGTH) - load_shared(marks[thread], CLAIMED)


@njit(forceinline=True, _nrt=False)
def _taken(lists: Int32s, marks: Int64s, thread: int) -> Any:
    """A chunk, or piece, of a thread's list that nobody took; 0 if there is none."""
    own = marks[thread]
    while True:
        at = load_shared(own, CLAIMED)
        if at >= load_shared(own, LENGTH):
            return np.int64(0)
        listed = load_shared(lists[thread], at & (LISTED - 1))
        if compare_exchange(own, CLAIMED, at, at + 1) == at:
            return np.int64(listed)


@njit(_nrt=False)
def _taken_from_others(work: BinMemory, thread: int, before: int) -> Any:
    """A chunk of a bin ``before`` this one that another thread told of."""
    own = work.marks[thread]
    while True:
        told = load_shared(work.words, SURPLUS)
        level = told >> 8
        if told <= 0 or level >= before:
            return np.int64(0)
        last = _taken(work.lists, work.marks, (told & 255) - 1)
        if last:
            if before == np.int64(NOWHERE):
                own[FIRST] = level
            own[LOW] = max(np.int64(-1), level - own[FIRST])
            atomic_exchange(own, LEVEL, np.int64(level))
            return last
        compare_exchange(work.words, SURPLUS, told, np.int64(0))


@njit(forceinline=True, _nrt=False)
def tell_surplus(work: BinMemory, thread: int) -> None:
    """Tell other threads of whom they may take, unless what is told is of an earlier bin."""
    own = work.marks[thread]
    if left_to_take(work.marks, thread) > 1:
        told = load_shared(work.words, SURPLUS)
        mine = (own[FIRST] + own[LOW]) << 8 | (thread + 1)
        if told == 0 or mine < told:
            atomic_exchange(work.words, SURPLUS, np.int64(mine))


@njit(_nrt=False)
def _opened(work: BinMemory, thread: int, position: int) -> Any:
    """The last chunk of a chain; those before it are listed."""
    row = work.rows[thread]
    chain: Any = np.int64(row[position])
    row[position] = 0
    if chain & MORE:
        row[CURRENT] = list_chain(work, thread, work.before[((chain & ~MORE) - 1) // CHUNK])
        if work.words[STATUS] == OPEN:
            tell_surplus(work, thread)
    return chain & ~MORE


@njit(_nrt=False)
def list_chain(work: BinMemory, thread: int, first: int) -> Any:
    """List a chain's chunks for a thread; returns what found no place."""
    own, chain = work.marks[thread], np.int64(first)
    length, end = own[LENGTH], load_shared(own, CLAIMED) + LISTED
    while chain and length < end:
        place = chain & ~MORE
        work.lists[thread, length & (LISTED - 1)] = place
        length += 1
        chain = np.int64(work.before[(place - 1) // CHUNK]) if chain & MORE else np.int64(0)
    atomic_exchange(own, LENGTH, length)
    return chain


@njit(_nrt=False)
def fill(distances: AnyArray, work: BinMemory, infinity: Any) -> None:
    """Fill what others do not: each thread touches its part of the memory first."""
    n = len(distances)
    while True:
        first = atomic_add(work.words, NEXT, np.int64(FILLED))
        if first >= n:
            break
        distances[first : min(n, first + FILLED)] = infinity


@njit(_nrt=False)
def _relax(
    arcs: UnsignedArcs,
    distances: AnyArray,
    work: BinMemory,
    thread: int,
    last: int,
    shared: bool,
) -> None:
    """Relax the valid entries of a chunk, or a piece of a vertex, and give the chunk back."""
    indptr, indices, weights = arcs.indptr, arcs.indices, arcs.weights
    entries, reached = work.entries, work.reached
    one, piece = np.uint64(1), np.uint64(0)
    is_bounded, bound = work.words[BOUNDED] != 0, work.bounds[BOUND]
    is_piece = last < 0
    chunk = -last - 1 if is_piece else (last - 1) // CHUNK
    first = np.uint64(chunk * CHUNK)
    beyond = first + one if is_piece else np.uint64(last)
    if is_piece:
        piece = np.uint64(entries[beyond]) * np.uint64(PIECE)
    for i in range(first, beyond):
        u = np.uint32(entries[i])
        prefetch(indptr, u)
        prefetch(distances, u)
    end_of_valid = first
    for i in range(first, beyond):  # without a branch, which would be taken for half of them
        at, reach = entries[i], reached[i]
        entries[end_of_valid], reached[end_of_valid] = at, reach
        end_of_valid += np.uint64(distances[np.uint32(at)] == reach)
    if not is_piece:
        beyond = end_of_valid
    for i in range(first, beyond):
        u = np.uint32(entries[i])
        arc, end = indptr[u], indptr[u + one]
        for line in range(arc, min(end, arc + np.uint64(_PREFETCHED)), np.uint64(16)):
            prefetch(indices, line)
            prefetch(weights, line)
        prefetch_gapped(weights, end - one)  # the row's second line, if it has one
    k, relaxed = np.uint64(0), np.int64(0)
    for i in range(first, beyond):
        if (
            shared
            and relaxed > _SHARE_ARCS
            and beyond - i > one
            and _list_rest(work, thread, np.int64(i), np.int64(beyond))
        ):
            break
        u = np.uint32(entries[i])
        reach = distances[u]
        if reach != reached[i]:
            continue
        arc, end = indptr[u], indptr[u + one]
        if is_bounded:
            stop = first_beyond(weights, arc, end, reach, bound)
            if not is_piece:
                work.counts[thread, SETTLED] += np.int64(end - arc)
                work.counts[thread, LEFT] += np.int64(end - stop)
            end = stop
        if is_piece:
            arc += piece
            end = min(end, arc + np.uint64(PIECE))
        elif (
            end - arc > np.uint64(2 * PIECE)
            and (shared or could_be_helped(work.words, shared))
            and _list_pieces(work, thread, np.int64(i), end - arc)
        ):
            continue
        relaxed += np.int64(end - arc)
        k = find_improved(arcs, distances, work, thread, reach, arc, end, k, shared)
    work.counts[thread, RELAXED] += relaxed
    if k > 0:
        write(distances, work, thread, k, shared)
    give_back(work.free, work.words, work.rows[thread], chunk)


@njit(forceinline=True, _nrt=False)
def find_improved(
    arcs: UnsignedArcs,
    distances: AnyArray,
    work: BinMemory,
    thread: int,
    reach: Any,
    first: Any,
    end: Any,
    number: Any,
    shared: bool,
) -> Any:
    """Append to the ``number`` of improvements found those by arcs from ``first`` to ``end`` of a
    vertex, and write them where there is no more room; returns how many are not written.
    """
    found, offers = work.found[thread], work.offers[thread]
    one, room, arc, k = np.uint64(1), np.uint64(FOUND), first, number
    while arc < end:
        stop = min(end, arc + (room - k))
        while arc < stop:
            v = element(arcs.indices, arc)
            offer = reach + element(arcs.weights, arc)
            found[k] = v
            offers[k] = offer
            k += np.uint64(offer < distances[v])
            arc += one
        if k == room:
            write(distances, work, thread, k, shared)
            k = np.uint64(0)
    return k


@njit(_nrt=False)
def first_beyond(weights: AnyArray, first: Any, end: Any, reach: Any, bound: Any) -> Any:
    """The first of ascending arcs from ``first`` on that leads from ``reach`` to the bound."""
    one, few = np.uint64(1), np.uint64(_FEW_PLACES)
    while end - first > few:
        middle = (first + end) >> one
        if reach + weights[middle] < bound:
            first = middle + one
        else:
            end = middle
    while first < end and reach + weights[first] < bound:
        first += one
    return first


@njit(_nrt=False)
def write(distances: AnyArray, work: BinMemory, thread: int, number: Any, shared: bool) -> None:
    """Write the improvements that were found, and enter the vertices into bins."""
    words, row = work.words, work.rows[thread]
    found, offers = work.found[thread], work.offers[thread]
    own = work.marks[thread]
    scale, first, low = work.scale[0], own[FIRST], own[LOW]
    ahead = np.uint64(_AHEAD)
    if shared:
        for j in range(min(ahead, number)):
            prefetch_to_write(distances, found[j])
    for j in range(number):
        if shared and j + ahead < number:
            prefetch_to_write(distances, found[j + ahead])
        v, offer = found[j], offers[j]
        if offer >= distances[v]:
            continue
        if not shared:
            distances[v] = offer
        elif offer >= atomic_min(distances, v, offer):
            continue
        position = min(bin_of(offer, scale) - first, BINS)
        if position <= low:
            position = CURRENT
        enter(work.entries, work.reached, work.before, work.free, words, row, position, v, offer)


@njit(forceinline=True, _nrt=False)
def _list_last(work: BinMemory, thread: int, entry: int) -> None:
    """Append to a thread's own list, which has room."""
    own = work.marks[thread]
    work.lists[thread, own[LENGTH] & (LISTED - 1)] = entry
    atomic_exchange(own, LENGTH, own[LENGTH] + 1)
    tell_surplus(work, thread)


@njit(_nrt=False)
def _list_pieces(work: BinMemory, thread: int, entry: int, degree: int) -> bool:
    """List the arcs of a vertex in pieces; False if there is no room for all."""
    pieces = np.int64((degree + np.uint64(PIECE - 1)) // np.uint64(PIECE))
    if left_to_take(work.marks, thread) + pieces > LISTED:
        return False
    for piece in range(pieces):
        chunk = take(work.free, work.words, work.rows[thread])
        if chunk < 0:
            return False
        work.entries[chunk * CHUNK] = work.entries[entry]
        work.reached[chunk * CHUNK] = work.reached[entry]
        work.entries[chunk * CHUNK + 1] = piece
        _list_last(work, thread, -(chunk + 1))
    return True


@njit(_nrt=False)
def _list_rest(work: BinMemory, thread: int, first: int, last: int) -> bool:
    """List some entries again, in a chunk of their own; False if there is no room."""
    if left_to_take(work.marks, thread) == LISTED:
        return False
    chunk = take(work.free, work.words, work.rows[thread])
    if chunk < 0:
        return False
    begin = chunk * CHUNK
    for i in range(first, last):
        work.entries[begin + i - first] = work.entries[i]
        work.reached[begin + i - first] = work.reached[i]
    _list_last(work, thread, begin + last - first)
    return True


@njit(_nrt=False)
def adopt(distances: AnyArray, work: BinMemory) -> bool:
    """Enter for the leading thread what others left; False if that is nothing."""
    found = False
    for thread in range(1, len(work.rows)):
        row = work.rows[thread]
        for position in range(CURRENT + 1):
            if row[position]:
                found = True
                chain = row[position]
                row[position] = 0
                enter_chain(distances, work, 0, chain)
        while left_to_take(work.marks, 0) < LISTED:
            last = _taken(work.lists, work.marks, thread)
            if last == 0:
                break
            found = True
            _list_last(work, 0, last)
    return found
