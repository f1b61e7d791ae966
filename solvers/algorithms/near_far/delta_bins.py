"""Bins of vertices by distance, and how a thread relaxes them: the work of delta-stepping on
cores. What a team of threads settles together is in ``delta_threads.py``.

A thread enters a vertex whose distance it lowers into a bin of its own, a chain of chunks
of one pool, with the distance. An entry is valid as long as the vertex has that
distance: each fall is entered once, so each is relaxed at most once. Where the pool is
used up, entries are left out, and after the group all that may be left is entered again.

What is to be relaxed in a group stands in lists of chunks, one for each thread, which takes
them from its own list first, since it has their vertices in its cache, and then from
others'. What falls within the group is its own next chunk; where that becomes several,
they go to its list. Vertices of many arcs are listed in pieces.
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
    load_shared,
    prefetch,
    spin_once,
)
from solvers.system.jit import njit

CHUNK = 32  # entries; a power of two
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
_FARTHEST = 4e18  # bins are counted to

MORE = 1 << 30  # added to the name of a chain of more than one chunk

DONE, LOOK, GROWN, HELP = range(4)
ENDED, ABORTED = 1, 2  # values of the word `STOP`

# Integers shared by all threads, each on cache lines of its own: numbers of chunks given
# back and taken, of threads that wait to be invited, ...
(FREED, TAKEN, PRESENT, ASKED, STOP, LOST, GO) = (16 * i for i in range(7))
# ... beside `GO`, what a group is: the first bin's number, the first and the end of its
# bins, and whether threads that are idle may take of it
FIRST, LOW, SPLIT, OPEN = (GO + i for i in range(1, 5))
# a thread that listed more than it takes itself, counted from 1
SURPLUS = 16 * 7
# ... and those of the leading thread
(PHASE, ROUND, SHARED, MEMBERS, WIDE, TARGET, LATES, SPAN, NUMBER, ALONE, REST, ADDRESSES) = (
    128 + i for i in range(12)
)
_WORDS = 160

# Integers of each thread: what it tells the leading thread, on one cache line, and on
# another the length of its list and how much of it is taken.
STATE, MEMBER, SINCE, ARRIVED, VOTE, LISTED = range(6)
_LENGTH, _CLAIMED = 16, 17
_MARKS = 32

RELAXED = 0
_COUNTS = 16


class BinMemory(NamedTuple):
    """The working memory of a search, by `working_memory`."""

    entries: Int32s  # (chunks * CHUNK,): vertices
    reached: AnyArray  # (chunks * CHUNK,) of the distance type: with which they were entered
    before: Int32s  # (chunks,): the chain that each continues, if any
    # A chain is named by the place after its last entry, and `MORE` if that is not in its
    # first chunk; 0 if it is empty.
    free: Int32s  # (2**k,): chunks of the pool that are free, counted from 1
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
        """Number of groups so far."""
        return int(self.words[ROUND])

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
        free=np.empty(1 << int(chunks).bit_length(), np.int32),
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
def relax_listed(
    arcs: UnsignedArcs,
    distances: AnyArray,
    work: BinMemory,
    thread: int,
    limit: int,
    shared: bool,
) -> int:
    """Relax what is listed, and what falls within the group, until nothing is left to this
    thread (`DONE`), it relaxed ``limit`` arcs (`LOOK`), or others could help (`GROWN`).
    """
    words, marks, row = work.words, work.marks, work.rows[thread]
    limit += work.counts[thread, RELAXED]
    status = DONE
    while status == DONE:
        last = _taken(work.lists, marks, thread)
        if last == 0 and row[CURRENT]:
            last = _own_next(work, thread)
        if last == 0 and shared:
            last = _taken_from_others(work, thread)
        if last == 0:
            break
        _relax(arcs, distances, work, thread, last, shared)
        if work.counts[thread, RELAXED] >= limit:
            status = LOOK
        if thread == 0 and could_be_helped(words, shared):
            left = left_to_take(marks, 0)
            if left > 1 and left * CHUNK >= words[WIDE]:
                status = GROWN
        if load_shared(words, STOP) == ABORTED:
            break
    return status


@njit(forceinline=True, _nrt=False)
def could_be_helped(words: Int64s, shared: bool) -> bool:
    """Whether more threads would come, if invited or asked."""
    if load_shared(words, STOP):
        return False
    if load_shared(words, PRESENT) > 0:
        return True
    return not shared and (words[MEMBERS] > 0 or load_shared(words, ASKED) > 0)


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
        if compare_exchange(own, _CLAIMED, at, at + 1) == at:
            return np.int64(lists[thread, at])


@njit(_nrt=False)
def _taken_from_others(work: BinMemory, thread: int) -> Any:
    words, threads = work.words, len(work.rows)
    surplus = load_shared(words, SURPLUS)
    if surplus:
        last = _taken(work.lists, work.marks, surplus - 1)
        if last:
            return last
    for away in range(1, threads):
        other = thread + away
        other = other if other < threads else other - threads
        last = _taken(work.lists, work.marks, other)
        if last:
            tell_surplus(work, other)
            return last
    if surplus:
        compare_exchange(words, SURPLUS, surplus, np.int64(0))
    return np.int64(0)


@njit(forceinline=True, _nrt=False)
def tell_surplus(work: BinMemory, thread: int) -> None:
    """Tell idle threads of whom they may take, if nothing is told yet."""
    if left_to_take(work.marks, thread) > 1 and load_shared(work.words, SURPLUS) == 0:
        atomic_exchange(work.words, SURPLUS, np.int64(thread + 1))


@njit(_nrt=False)
def _own_next(work: BinMemory, thread: int) -> Any:
    """The last chunk of what fell within the group; those before it are listed."""
    row = work.rows[thread]
    chain: Any = np.int64(row[CURRENT])
    row[CURRENT] = 0
    if chain & MORE:
        row[CURRENT] = list_chain(work, thread, work.before[((chain & ~MORE) - 1) // CHUNK])
        tell_surplus(work, thread)
    return chain & ~MORE


@njit(_nrt=False)
def list_chain(work: BinMemory, thread: int, first: int) -> Any:
    """List a chain's chunks for a thread; returns what found no place."""
    own, chain = work.marks[thread], np.int64(first)
    length = own[_LENGTH]
    while chain and length < _LISTED:
        place = chain & ~MORE
        work.lists[thread, length] = place
        length += 1
        own[LISTED] += place - (place - 1) // CHUNK * CHUNK
        chain = np.int64(work.before[(place - 1) // CHUNK]) if chain & MORE else np.int64(0)
    atomic_exchange(own, _LENGTH, length)
    return chain


@njit(_nrt=False)
def empty_list(marks: Int64s, thread: int) -> None:
    """Before a group, in which nobody takes from it yet."""
    own = marks[thread]
    own[_LENGTH] = own[_CLAIMED] = own[LISTED] = 0


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
    scale, first, split = work.scale[0], words[FIRST], words[SPLIT]
    for j in range(number):
        v, offer = found[j], offers[j]
        if offer >= distances[v]:
            continue
        if not shared:
            distances[v] = offer
        elif offer >= atomic_min(distances, v, offer):
            continue
        position = min(bin_of(offer, scale) - first, BINS)
        if position < split:
            position = CURRENT
        _enter(work.entries, work.reached, work.before, work.free, words, row, position, v, offer)


@njit(_nrt=False)
def enter_anew(distances: AnyArray, work: BinMemory, vertex: int) -> None:
    """Enter a vertex with its distance into the first thread's row."""
    words, distance = work.words, distances[vertex]
    position = min(bin_of(distance, work.scale[0]) - words[FIRST], BINS)
    if position < words[SPLIT]:
        position = CURRENT
    _enter(
        *(work.entries, work.reached, work.before, work.free),
        *(words, work.rows[0], position, np.uint32(vertex), distance),
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
    if place % CHUNK == 0:
        chunk = _take(free, words, row)
        if chunk < 0:
            words[LOST] = 1
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
    work.lists[thread, own[_LENGTH]] = entry
    atomic_exchange(own, _LENGTH, own[_LENGTH] + 1)
    tell_surplus(work, thread)


@njit(_nrt=False)
def _list_pieces(work: BinMemory, thread: int, entry: int, degree: int) -> bool:
    """List the arcs of a vertex in pieces; False if there is no room for all."""
    pieces = np.int64((degree + np.uint64(PIECE - 1)) // np.uint64(PIECE))
    if work.marks[thread, _LENGTH] + pieces > _LISTED:
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
    if work.marks[thread, _LENGTH] == _LISTED:
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
        at = load_shared(words, TAKEN)
        if at >= load_shared(words, FREED):
            return np.int64(-1)
        if compare_exchange(words, TAKEN, at, at + 1) == at:
            break
    slot = at & (len(free) - 1)
    while load_shared(free, slot) == 0:  # its name is not written yet
        spin_once()
    return np.int64(atomic_exchange(free, slot, np.int32(0))) - 1


@njit(forceinline=True, _nrt=False)
def _give_back(free: Int32s, words: Int64s, row: Int32s, chunk: int) -> None:
    kept = row[_KEPT]
    if kept < _MOST_KEPT:
        row[_STACK + kept] = chunk
        row[_KEPT] = kept + 1
        return
    at = atomic_add(words, FREED, np.int64(1))
    atomic_exchange(free, at & (len(free) - 1), np.int32(chunk + 1))


@njit(_nrt=False)
def free_all(work: BinMemory) -> None:
    """Empty all bins."""
    words, free, chunks = work.words, work.free, len(work.before)
    work.rows[:] = 0
    free[:] = 0
    for chunk in range(chunks):
        free[chunk] = chunk + 1
    words[TAKEN] = 0
    words[FREED] = chunks


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
def sort_beyond(distances: AnyArray, work: BinMemory) -> bool:
    """Let the bins begin at the least vertex that lies beyond them; False if there is none."""
    entries, reached, words = work.entries, work.reached, work.words
    scale, threads = work.scale[0], len(work.rows)
    none = np.int64(1) << 62
    least = none
    for thread in range(threads):
        chain: Any = np.int64(work.rows[thread, BEYOND])
        while chain:
            place = chain & ~MORE
            chunk = (place - 1) // CHUNK
            for i in range(chunk * CHUNK, place):
                if distances[entries[i]] == reached[i]:
                    least = min(least, bin_of(reached[i], scale))
            chain = np.int64(work.before[chunk]) if chain & MORE else np.int64(0)
    if least == none:
        return False
    words[FIRST], words[LOW], words[SPLIT] = least, 0, 0
    for thread in range(threads):
        chain = np.int64(work.rows[thread, BEYOND])
        work.rows[thread, BEYOND] = 0
        while chain:
            place = chain & ~MORE
            chunk = (place - 1) // CHUNK
            for i in range(chunk * CHUNK, place):
                if distances[entries[i]] == reached[i]:
                    enter_anew(distances, work, entries[i])
            chain = np.int64(work.before[chunk]) if chain & MORE else np.int64(0)
            _give_back(work.free, words, work.rows[0], chunk)
    return True


@njit(_nrt=False)
def find_again(distances: AnyArray, work: BinMemory, infinity: Any) -> None:
    """After the pool was used up: enter every vertex that is not settled by earlier groups."""
    words = work.words
    words[LOST] = 0
    free_all(work)
    words[SPLIT] = words[LOW]
    low = words[FIRST] + words[LOW]
    for v in range(len(distances)):
        if distances[v] < infinity and bin_of(distances[v], work.scale[0]) >= low:
            enter_anew(distances, work, v)
