"""Bins of vertices by distance, and how a thread relaxes them: the work of delta-stepping on
cores. What a team of threads settles together is in ``delta_threads.py``.

A thread enters a vertex whose distance it lowers into a bin of its own, a chain of chunks
of one pool, with the distance. An entry is valid as long as the vertex has that
distance: each fall is entered once, so each is relaxed at most once. Where the pool is
used up, entries are left out, and in the end all that was reached is entered again.

A thread lists the chunks of the bin that it empties. It takes them from its own list first,
since it has their vertices in its cache, and from others' where these are of an earlier
bin than its next. What falls within the bin is its own next chunk; where that becomes
several, they go to its list. Vertices of many arcs are listed in pieces.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s, UInt32s, UInt64s
from solvers.system.intrinsics import (
    atomic_add,
    atomic_exchange,
    atomic_min,
    compare_exchange,
    give_way,
    load_shared,
    prefetch,
    prefetch_to_write,
    spin_once,
)
from solvers.system.jit import njit

CHUNK = 64  # entries; a power of two
BINS = 128
# Positions in a thread's row after those of the bins: two more chains, and a stack of
# free chunks, which were used last and are in its cache.
BEYOND, CURRENT, _KEPT, _STACK = BINS, BINS + 1, BINS + 2, BINS + 3
_MOST_KEPT = 61
_ROW = _STACK + _MOST_KEPT
_FOUND = 1024  # improvements that a thread collects before it writes them
_LISTED = 4096  # chunks in the list of a thread
PIECE = 2048  # arcs of a vertex that are listed as one piece of work
_SHARE_ARCS = 8192  # after which the rest of a chunk is listed again
_PREFETCHED = 64  # arcs of a vertex
_AHEAD = 16  # distances that are fetched before they are written by one of several threads
_FARTHEST = 1e15  # bins are counted to
_WINDOW = 8  # bins that a thread may be ahead of the last
# Looks at the others before a thread goes further ahead; after the first of them it lets
# programs run, which on a busy machine take milliseconds each time
_LOOKS, _SPINS = 310, 300

MORE = 1 << 30  # added to the name of a chain of more than one chunk

DONE, LOOK, GROWN, HELP = range(4)
ENDED, ABORTED = 1, 2  # values of the word `STOP`
CLOSED, OPEN, FILLING = range(3)  # values of the word `STATUS`
NOWHERE = 1 << 54  # more than any bin's number
FILLED = 1 << 14  # distances that are filled by one thread at a time

# Integers shared by all threads, each on cache lines of its own: the last chunk that was
# given back, counted from 1, below the number of changes, by which two states with the same
# chunk differ; numbers of threads that wait, and that take part; what they may do, ...
(FREE, PRESENT, ACTIVE, STATUS, ASKED, STOP, LOST, NEXT) = (16 * i for i in range(8))
_NAME = (1 << 32) - 1  # a chunk in `FREE`
# the least bin of which a thread listed more than it takes itself, and this thread, counted
# from 1
SURPLUS = 16 * 9
# ... and those of the leading thread
(WIDE, FULL, LATES, CLEAN, ADDRESSES) = (16 * 10 + i for i in range(5))
_WORDS = 176

# Integers of each thread: its own, on one cache line, and on another the length of its
# list and how much of it is taken.
STATE, FIRST, LOW, _LIMIT = range(4)
_LENGTH, _CLAIMED = 16, 17
LEVEL = 32  # the bin that it empties, for others to see; `NOWHERE` if none
_MARKS = 48

RELAXED, OPENED = 0, 1
_COUNTS = 16


class BinMemory(NamedTuple):
    """The working memory of a search, by `working_memory`."""

    entries: Int32s  # (chunks * CHUNK,): vertices
    reached: AnyArray  # (chunks * CHUNK,) of the distance type: with which they were entered
    before: Int32s  # (chunks,): the chain that each continues, if any
    # A chain is named by the place after its last entry, and `MORE` if that is not in its
    # first chunk; 0 if it is empty.
    free: Int32s  # (chunks,): the free chunk given back before this one, counted from 1
    rows: Int32s  # (threads, _ROW): the chain of each bin
    lists: Int32s  # (threads, _LISTED): chunks: the place after the last entry; pieces negative
    marks: Int64s  # (threads, _MARKS)
    found: UInt32s  # (threads, _FOUND): vertices, and distances offered to them
    offers: AnyArray
    counts: Int64s  # (threads, _COUNTS)
    words: Int64s  # (_WORDS,)
    scale: Float64s  # (1,): bins a unit of distance

    @property
    def round(self) -> int:
        """Number of bins so far, of the thread that emptied most."""
        return int(self.counts[:, OPENED].max())

    @property
    def relaxed(self) -> int:
        """Arcs relaxed by all threads since the start."""
        return int(self.counts[:, RELAXED].sum())


class UnsignedArcs(NamedTuple):
    """A graph as the threads read it: unsigned, so that no index counts from the end."""

    indptr: UInt64s
    indices: UInt32s
    weights: AnyArray


def working_memory(n: int, kind: WeightType, threads: int) -> BinMemory:
    """For any search of a graph of ``n`` vertices."""
    chunks = 2 * n // CHUNK + threads * (BINS + 128) + 16
    return BinMemory(
        entries=np.empty(chunks * CHUNK, np.int32),
        reached=np.empty(chunks * CHUNK, kind.dtype),
        before=np.empty(chunks, np.int32),
        free=np.empty(chunks, np.int32),
        rows=np.empty((threads, _ROW), np.int32),
        lists=np.empty((threads, _LISTED), np.int32),
        marks=np.zeros((threads, _MARKS), np.int64),
        found=np.empty((threads, _FOUND), np.uint32),
        offers=np.empty((threads, _FOUND), kind.dtype),
        counts=np.empty((threads, _COUNTS), np.int64),
        words=np.zeros(_WORDS, np.int64),
        scale=np.empty(1),
    )


@njit(forceinline=True, _nrt=False)
def bin_of(distance: Any, scale: float) -> Any:
    return np.int64(min(distance * scale, _FARTHEST))


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
    words, row = work.words, work.rows[thread]
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
        if NOWHERE > level > own[_LIMIT]:
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
        marks[thread, _LIMIT] = least + _WINDOW
        if level <= marks[thread, _LIMIT] or load_shared(words, STOP):
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
    return load_shared(marks[thread], _LENGTH) - load_shared(marks[thread], _CLAIMED)


@njit(forceinline=True, _nrt=False)
def _taken(lists: Int32s, marks: Int64s, thread: int) -> Any:
    """A chunk, or piece, of a thread's list that nobody took; 0 if there is none."""
    own = marks[thread]
    while True:
        at = load_shared(own, _CLAIMED)
        if at >= load_shared(own, _LENGTH):
            return np.int64(0)
        listed = load_shared(lists[thread], at & (_LISTED - 1))
        if compare_exchange(own, _CLAIMED, at, at + 1) == at:
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
    length, end = own[_LENGTH], load_shared(own, _CLAIMED) + _LISTED
    while chain and length < end:
        place = chain & ~MORE
        work.lists[thread, length & (_LISTED - 1)] = place
        length += 1
        chain = np.int64(work.before[(place - 1) // CHUNK]) if chain & MORE else np.int64(0)
    atomic_exchange(own, _LENGTH, length)
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
    indptr, indices, weights = arcs
    entries, reached = work.entries, work.reached
    found, offers = work.found[thread], work.offers[thread]
    one, piece = np.uint64(1), np.uint64(0)
    is_piece = last < 0
    if is_piece:
        chunk = -last - 1
        first = chunk * CHUNK
        last = first + 1
        piece = np.uint64(entries[first + 1]) * np.uint64(PIECE)
    else:
        chunk = (last - 1) // CHUNK
        first = chunk * CHUNK
    for i in range(first, last):
        u = np.uint32(entries[i])
        prefetch(indptr, u)
        prefetch(distances, u)
    for i in range(first, last):
        u = np.uint32(entries[i])
        arc, end = indptr[u], indptr[u + one]
        for line in range(arc, min(end, arc + np.uint64(_PREFETCHED)), np.uint64(16)):
            prefetch(indices, line)
            prefetch(weights, line)
    k, relaxed = 0, np.int64(0)
    for i in range(first, last):
        if shared and relaxed > _SHARE_ARCS and last - i > 1 and _list_rest(work, thread, i, last):
            break
        u = np.uint32(entries[i])
        reach = distances[u]
        if reach != reached[i]:
            continue
        arc, end = indptr[u], indptr[u + one]
        if is_piece:
            arc += piece
            end = min(end, arc + np.uint64(PIECE))
        elif (
            end - arc > np.uint64(2 * PIECE)
            and (shared or could_be_helped(work.words, shared))
            and _list_pieces(work, thread, i, end - arc)
        ):
            continue
        relaxed += np.int64(end - arc)
        while arc < end:
            stop = min(end, arc + np.uint64(_FOUND - k))
            while arc < stop:
                v = indices[arc]
                offer = reach + weights[arc]
                found[k] = v
                offers[k] = offer
                k += offer < distances[v]
                arc += one
            if k == _FOUND:
                _write(distances, work, thread, k, shared)
                k = 0
    work.counts[thread, RELAXED] += relaxed
    if k > 0:
        _write(distances, work, thread, k, shared)
    _give_back(work.free, work.words, work.rows[thread], chunk)


@njit(_nrt=False)
def _write(distances: AnyArray, work: BinMemory, thread: int, number: int, shared: bool) -> None:
    """Write the improvements that were found, and enter the vertices into bins."""
    words, row = work.words, work.rows[thread]
    found, offers = work.found[thread], work.offers[thread]
    own = work.marks[thread]
    scale, first, low = work.scale[0], own[FIRST], own[LOW]
    if shared:
        for j in range(min(_AHEAD, number)):
            prefetch_to_write(distances, found[j])
    for j in range(number):
        if shared and j + _AHEAD < number:
            prefetch_to_write(distances, found[j + _AHEAD])
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
        _enter(work.entries, work.reached, work.before, work.free, words, row, position, v, offer)


@njit(_nrt=False)
def enter_anew(work: BinMemory, thread: int, vertex: int, distance: Any) -> None:
    """Enter a vertex with its distance into a thread's row."""
    own = work.marks[thread]
    position = min(bin_of(distance, work.scale[0]) - own[FIRST], BINS)
    if position <= own[LOW]:
        position = CURRENT
    _enter(
        *(work.entries, work.reached, work.before, work.free),
        *(work.words, work.rows[thread], position, np.uint32(vertex), distance),
    )


@njit(forceinline=True, _nrt=False)
def _enter(
    entries: Int32s,
    reached: AnyArray,
    before: Int32s,
    free: Int32s,
    words: Int64s,
    row: Int32s,
    position: int,
    vertex: int,
    distance: Any,
) -> None:
    """Append a vertex to a chain of a thread's row."""
    chain = np.int64(row[position])
    place: Any = chain & ~MORE
    more: Any = chain & MORE
    if place & (words[FULL] - 1) == 0:
        chunk = _take(free, words, row)
        if chunk < 0:
            atomic_exchange(words, LOST, np.int64(1))
            return
        if place:
            before[chunk] = chain
            more = np.int64(MORE)
        place = chunk * CHUNK
    entries[place] = np.int32(vertex)
    reached[place] = distance
    row[position] = (place + 1) | more


@njit(forceinline=True, _nrt=False)
def _list_last(work: BinMemory, thread: int, entry: int) -> None:
    """Append to a thread's own list, which has room."""
    own = work.marks[thread]
    work.lists[thread, own[_LENGTH] & (_LISTED - 1)] = entry
    atomic_exchange(own, _LENGTH, own[_LENGTH] + 1)
    tell_surplus(work, thread)


@njit(_nrt=False)
def _list_pieces(work: BinMemory, thread: int, entry: int, degree: int) -> bool:
    """List the arcs of a vertex in pieces; False if there is no room for all."""
    pieces = np.int64((degree + np.uint64(PIECE - 1)) // np.uint64(PIECE))
    if left_to_take(work.marks, thread) + pieces > _LISTED:
        return False
    for piece in range(pieces):
        chunk = _take(work.free, work.words, work.rows[thread])
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
    if left_to_take(work.marks, thread) == _LISTED:
        return False
    chunk = _take(work.free, work.words, work.rows[thread])
    if chunk < 0:
        return False
    begin = chunk * CHUNK
    for i in range(first, last):
        work.entries[begin + i - first] = work.entries[i]
        work.reached[begin + i - first] = work.reached[i]
    _list_last(work, thread, begin + last - first)
    return True


@njit(forceinline=True, _nrt=False)
def _take(free: Int32s, words: Int64s, row: Int32s) -> Any:
    """A free chunk, or -1."""
    kept = row[_KEPT]
    if kept > 0:
        row[_KEPT] = kept - 1
        return np.int64(row[_STACK + kept - 1])
    while True:
        top = load_shared(words, FREE)
        chunk = (top & _NAME) - 1
        if chunk < 0:
            return np.int64(-1)
        after = ((top >> 32) + 1) << 32 | load_shared(free, chunk)
        if compare_exchange(words, FREE, top, after) == top:
            return chunk


@njit(forceinline=True, _nrt=False)
def _give_back(free: Int32s, words: Int64s, row: Int32s, chunk: int) -> None:
    kept = row[_KEPT]
    if kept < _MOST_KEPT:
        row[_STACK + kept] = chunk
        row[_KEPT] = kept + 1
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
        _give_back(work.free, work.words, work.rows[0], chunk)
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
        _give_back(work.free, work.words, work.rows[thread], chunk)


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
        while left_to_take(work.marks, 0) < _LISTED:
            last = _taken(work.lists, work.marks, thread)
            if last == 0:
                break
            found = True
            _list_last(work, 0, last)
    return found


@njit(_nrt=False)
def find_again(distances: AnyArray, work: BinMemory, infinity: Any) -> None:
    """After the pool was used up: enter every vertex that was reached."""
    free_all(work)
    for v in range(len(distances)):
        if distances[v] < infinity:
            enter_anew(work, 0, v, distances[v])
