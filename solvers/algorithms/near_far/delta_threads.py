"""Bins of vertices that a team of threads fills and empties: the work of delta-stepping
on cores.

A thread enters the vertices whose distance it lowers into bins of its own, each a chain
of chunks of one pool. The first thread leads: it posts the chunks of the next few bins,
a group, in a ring, from which every thread claims them. What falls within the group a
thread keeps until a chunk is full, and then posts: with little to do it goes on by
itself, and shares what is much. Vertices of many arcs are posted in pieces. A group ends
when nothing is posted and nobody works.

``reached[v]`` is the distance with which ``v`` was relaxed last. A vertex is left to be
relaxed exactly if its distance is another: so an entry that is out of date is known
when it is claimed, and where the pool is used up, all that is left is found again.

Nobody waits for a thread that has claimed nothing. Threads join and leave at any
time, and while a group is small the leading thread works alone, without atomic
operations. It stops asking for help once a thread that it waits for makes no progress,
since then other programs occupy the cores.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from solvers.algorithms.bucket_width import bin_width
from solvers.graphs.graph import Graph
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
    spin_once,
)
from solvers.system.jit import njit
from solvers.system.threads import ask_for_help

CHUNK = 64  # entries; a power of two
BINS = 128
# Positions in a thread's row after those of the bins: two more chains, and a stack of
# free chunks, which were used last and are in its cache.
_BEYOND, _CURRENT, _KEPT, _STACK = BINS, BINS + 1, BINS + 2, BINS + 3
_MOST_KEPT = 29
_ROW = _STACK + _MOST_KEPT
_FOUND = 1024  # improvements that a thread collects before it writes them
PIECE = 2048  # arcs of a vertex that are posted as one piece of work
_SHARE_ARCS = 8192  # after which the rest of a chunk is posted again
_MOST_CLAIMED = 8  # entries claimed at once
_PREFETCHED = 64  # arcs of a vertex
_WIDEST = 16  # bins of a group
_VERTICES_EACH = 128  # of a group for each thread: with fewer, the next is made wider

# A group is wide if it takes one thread some ten microseconds: in arcs, of which
# a vertex is worth some.
_WIDE, _WORTH = 3000, 6
_FEW_ARCS = 200_000  # of a graph for which no thread is asked to help

# The pause of a core is some 40 to 140 cycles. A thread looks for work every few pauses,
# lets others run after some hundred microseconds, and leaves after a millisecond.
_POLL, _SPINS, _PATIENCE = 6, 500, 5_000
_WAIT = 2_000  # pauses that the leading thread waits before it looks around
_LATE = 2  # waits without progress after which the leading thread goes on alone

_MORE = 1 << 30  # added to the name of a chain of more than one chunk

DONE, LOOK, HELP, _GROWN = range(4)
_ENDED, ABORTED = 1, 2  # values of the word `STOP`
_AT_ONCE, _NEVER, _IF_WIDE = range(3)  # of `_ASKED`: when others are asked to help
_FARTHEST = 4e18  # bins are counted to

# Integers shared by all threads, each on cache lines of its own: numbers of entries
# posted in the ring and claimed from it, of chunks given back and taken, ...
_POSTED, _CLAIMED, _FREED, _TAKEN, _ACTIVE, _OPEN, _PRESENT, _ASKED, STOP, _LOST, _SEARCH = (
    16 * i for i in range(11)
)
# ... and those of the leading thread
_FIRST, _SPLIT, _ROUND, _THREADS, _SHARED, _WIDE_CHUNKS, _TARGET, _LATES, _SPAN = (
    176 + i for i in range(9)
)
_WORDS = 192

_RELAXED, _VERTICES, _AGAIN = range(3)
_COUNTS = 16


class BinMemory(NamedTuple):
    """The working memory of a search, by `working_memory`."""

    reached: AnyArray  # (n,) of the distance type
    entries: Int32s  # (chunks * CHUNK,)
    before: Int32s  # (chunks,): the chain that each continues, if any
    # A chain is named by the place after its last entry, and `_MORE` if that is not in its
    # first chunk; 0 if it is empty.
    ring: Int32s  # (2**k,): chunks posted: the place after the last entry; pieces negative
    free: Int32s  # (2**k,): chunks of the pool that are free, counted from 1
    rows: Int32s  # (threads, _ROW): the chain of each bin
    found: UInt32s  # (threads, _FOUND): vertices, and distances offered to them
    offers: AnyArray
    counts: Int64s  # (threads, _COUNTS)
    words: Int64s  # (_WORDS,)
    scale: Float64s  # (1,): bins a unit of distance

    @property
    def search(self) -> int:
        """Number of searches in this memory, the current one included."""
        return int(self.words[_SEARCH])

    @property
    def round(self) -> int:
        """Number of groups so far."""
        return int(self.words[_ROUND])

    @property
    def relaxed(self) -> int:
        """Arcs relaxed by all threads since the start."""
        return int(self.counts[:, _RELAXED].sum())


class UnsignedArcs(NamedTuple):
    """A graph as the threads read it: unsigned, so that no index counts from the end."""

    indptr: UInt64s
    indices: UInt32s
    weights: AnyArray


class BucketSearch:
    """Searches of one graph by a number of threads, one after another, in the same memory."""

    def __init__(self, graph: Graph, kind: WeightType, threads: int):
        self._graph, self._kind = graph, kind
        self.work = working_memory(graph.n, kind, threads)
        self.unfinished = False

    def start(
        self, weights: AnyArray, distances: AnyArray, sources: Int32s, delta: float = 0.0
    ) -> None:
        """Before the first group, which holds the sources, whose distances are 0.

        ``delta``: width of a bucket in mean weights; 0 chooses.
        """
        graph = self._graph
        arcs = UnsignedArcs(graph.indptr.view(np.uint64), graph.indices.view(np.uint32), weights)
        self._given = (arcs, distances, self.work, self._kind.dtype.type(self._kind.infinity))
        width = float(bin_width(graph, self._kind, delta))
        start(*self._given, sources, width, 0 if delta else _VERTICES_EACH)
        if len(self.work.rows) > 1:
            help_along(*self._given, -1, 1)  # compiles it, before another thread needs it
        self.unfinished = True

    def advance(self, arcs: int) -> None:
        """Go on until this thread has relaxed about so many ``arcs``, or is done."""
        status = advance(*self._given, arcs)
        if status == HELP:
            helping = partial(help_along, *self._given, self.work.search)
            ask_for_help(len(self.work.rows) - 1, helping)
        self.unfinished = status != DONE

    def hop(self, frontier: Int32s, fell: Int32s) -> tuple[int, int]:
        """As `hop`; the search is done where it relaxes no vertex."""
        number, improved = hop(*self._given[:3], frontier, fell)
        self.unfinished = number > 0
        return int(number), int(improved)

    is_usable = True  # kept between trials

    def close(self) -> None:
        """Nothing is held but memory."""

    @contextmanager
    def aborted_on_error(self) -> Iterator[None]:
        """Have the other threads leave it as it is if the ``with`` block raises."""
        try:
            yield
        except BaseException:
            self.work.words[STOP] = ABORTED
            raise


def working_memory(n: int, kind: WeightType, threads: int) -> BinMemory:
    """For any search of a graph of ``n`` vertices."""
    chunks = 2 * n // CHUNK + threads * (BINS + 64) + 16
    slots = 1 << int(chunks).bit_length()
    return BinMemory(
        reached=np.empty(n, kind.dtype),
        entries=np.empty(chunks * CHUNK, np.int32),
        before=np.empty(chunks, np.int32),
        ring=np.empty(slots, np.int32),
        free=np.empty(slots, np.int32),
        rows=np.empty((threads, _ROW), np.int32),
        found=np.empty((threads, _FOUND), np.uint32),
        offers=np.empty((threads, _FOUND), kind.dtype),
        counts=np.empty((threads, _COUNTS), np.int64),
        words=np.zeros(_WORDS, np.int64),
        scale=np.empty(1),
    )


@njit(_nrt=False)
def start(
    arcs: UnsignedArcs,
    distances: AnyArray,
    work: BinMemory,
    infinity: Any,
    sources: Int32s,
    width: float,
    each: int,
) -> None:
    """Before the first group, which holds the sources.

    ``width`` is that of a bin; ``each`` is the number of vertices a thread for which
    a group is made wider.
    """
    words, threads = work.words, len(work.rows)
    atomic_add(words, _SEARCH, np.int64(1))
    atomic_exchange(words, STOP, np.int64(_ENDED))
    while load_shared(words, _PRESENT) > 0:  # of the last search
        give_way()
    work.rows[:] = 0
    work.counts[:] = 0
    work.reached[:] = infinity
    work.ring[:] = 0
    for word in range(_WORDS):
        if word not in (_PRESENT, _SEARCH):
            words[word] = 0
    work.scale[0] = 1.0 / width
    _free_all(work)
    n, m = len(arcs.indptr) - 1, len(arcs.indices)
    words[_THREADS], words[_ASKED] = 1, _NEVER
    if threads > 1 and m > _FEW_ARCS:
        words[_ASKED] = _AT_ONCE
    words[_TARGET] = each
    words[_SPAN] = 1
    words[_WIDE_CHUNKS] = 1 + _WIDE * n // (CHUNK * (_WORTH * n + m))
    for v in sources:
        _enter(work.entries, work.before, work.ring, work.free, words, work.rows[0], 0, v)


@njit(_nrt=False)
def advance(
    arcs: UnsignedArcs, distances: AnyArray, work: BinMemory, infinity: Any, limit: int
) -> int:
    """Lead, until no vertex is left (`DONE`), about ``limit`` arcs were relaxed by this
    thread or some milliseconds waited (`LOOK`), or others could help (`HELP`).
    """
    words = work.words
    while True:
        shared = words[_SHARED] != 0
        status = relax_posted(arcs, distances, work, 0, infinity, limit, shared)
        if status == _GROWN:
            if load_shared(words, _ASKED) != _NEVER:
                words[_ASKED] = _NEVER
                words[_THREADS] = len(work.rows)
                return HELP
            words[_SHARED] = 1
            atomic_exchange(words, _OPEN, np.int64(1))
            continue
        if status == LOOK:
            return LOOK
        if shared:
            status = _wait_for_others(work)
            if status == _GROWN:
                continue
            if status == LOOK:
                return LOOK
            words[_SHARED] = 0
        if words[_LOST]:
            _find_again(distances, work)
            if work.rows[0, _CURRENT] or words[_POSTED] > words[_CLAIMED]:
                continue
        if not _post_next_group(distances, work):
            atomic_exchange(words, STOP, np.int64(1))
            return DONE
        words[_ROUND] += 1


@njit(_nrt=False)
def help_along(
    arcs: UnsignedArcs,
    distances: AnyArray,
    work: BinMemory,
    infinity: Any,
    search: int,
    thread: int,
) -> None:
    """Relax with the others what is posted, until for long nothing is; at once if the
    memory is in another search by now.
    """
    words = work.words
    atomic_add(words, _PRESENT, np.int64(1))
    idle = _PATIENCE if load_shared(words, _SEARCH) != search else 0
    while idle < _PATIENCE and load_shared(words, STOP) == 0:
        if load_shared(words, _OPEN) and load_shared(words, _CLAIMED) < load_shared(words, _POSTED):
            atomic_add(words, _ACTIVE, np.int64(1))
            if load_shared(words, _OPEN):
                relax_posted(arcs, distances, work, thread, infinity, np.int64(1) << 62, True)
                idle = 0
            atomic_add(words, _ACTIVE, np.int64(-1))
            continue
        idle += 1
        for _ in range(_POLL):  # not to hold up those that post and claim
            spin_once()
        if idle > _SPINS:
            give_way()
    if load_shared(words, _SEARCH) == search and load_shared(words, _PRESENT) == 1:
        atomic_exchange(words, _ASKED, np.int64(_IF_WIDE))
    atomic_add(words, _PRESENT, np.int64(-1))


@njit(_nrt=False)
def hop(
    arcs: UnsignedArcs, distances: AnyArray, work: BinMemory, frontier: Int32s, fell: Int32s
) -> tuple[int, int]:
    """Relax the vertices that are left in the group, and none that these lower.

    Returns their number, 0 if no vertex is left, and that of the vertices lowered. They
    are written to ``frontier``, (n,). ``fell``, (n,), holds the last round in which each
    vertex was lowered. For a single thread.
    """
    indptr, indices, weights = arcs
    words, row = work.words, work.rows[0]
    number = 0
    while number == 0:
        if row[_CURRENT]:
            _post(work.ring, words, _POSTED, row[_CURRENT])
            row[_CURRENT] = 0
        number = _take_posted(distances, work, frontier)
        if number > 0:
            break
        if words[_LOST]:
            _find_again(distances, work)
        elif not _post_next_group(distances, work):
            return 0, 0
    words[_ROUND] += 1
    improved = 0
    for i in range(number):
        u = np.uint32(frontier[i])
        work.counts[0, _RELAXED] += np.int64(indptr[u + np.uint64(1)] - indptr[u])
        for arc in range(indptr[u], indptr[u + np.uint64(1)]):
            v = indices[arc]
            offer = distances[u] + weights[arc]
            if offer < distances[v]:
                distances[v] = offer
                improved += fell[v] != words[_ROUND]
                fell[v] = words[_ROUND]
                _enter_anew(distances, work, v)
    return number, improved


@njit(_nrt=False)
def _take_posted(distances: AnyArray, work: BinMemory, frontier: Int32s) -> int:
    """Vertices that are posted and not relaxed yet, each once."""
    number = 0
    while True:
        last = _claim(work.ring, work.words, _CLAIMED, _POSTED)
        if last == 0:
            return number
        chunk = (last - 1) // CHUNK
        for i in range(chunk * CHUNK, last):
            v = work.entries[i]
            if distances[v] != work.reached[v]:
                work.reached[v] = distances[v]
                frontier[number] = v
                number += 1
        _give_back(work.free, work.words, work.rows[0], chunk)


@njit(_nrt=False)
def _wait_for_others(work: BinMemory) -> int:
    """Until the group is done; `_GROWN` if there is something to claim, `LOOK` after a
    while.
    """
    words = work.words
    before = _progress(work)
    for _ in range(_WAIT):
        if load_shared(words, _CLAIMED) < load_shared(words, _POSTED):
            return _GROWN
        if load_shared(words, _ACTIVE) == 0:
            if load_shared(words, _OPEN) == 0:
                return DONE
            # A thread that saw it open is active by now, and ends what it claims.
            atomic_exchange(words, _OPEN, np.int64(0))
        spin_once()
    if _progress(work) == before:
        words[_LATES] += 1
        if words[_LATES] == _LATE:
            atomic_exchange(words, STOP, np.int64(_ENDED))
    give_way()
    return LOOK


@njit(_nrt=False)
def _progress(work: BinMemory) -> Any:
    relaxed = np.int64(0)
    for thread in range(len(work.rows)):
        relaxed += load_shared(work.counts[thread], _RELAXED)
    return relaxed


@njit(_nrt=False)
def relax_posted(
    arcs: UnsignedArcs,
    distances: AnyArray,
    work: BinMemory,
    thread: int,
    infinity: Any,
    limit: int,
    shared: bool,
) -> int:
    """Claim chunks and relax their vertices, until there are none, nor any of this thread's
    own in the group.
    """
    indptr, indices, weights = arcs
    reached, entries, _, ring, free, rows, _, _, counts, words, _ = work
    found, offers, row = work.found[thread], work.offers[thread], rows[thread]
    relaxed, vertices, again = (
        counts[thread, _RELAXED],
        counts[thread, _VERTICES],
        counts[thread, _AGAIN],
    )
    limit += relaxed
    status = DONE
    one = np.uint64(1)
    at, until = np.int64(0), np.int64(0)  # entries of the ring that are claimed
    while status == DONE or at < until:
        if at == until:
            at, until = _claim_some(words, shared)
        if at < until:
            last = _taken_from(ring, at)
            at += 1
        else:
            last = np.int64(row[_CURRENT])
            if last == 0:
                break
            row[_CURRENT] = 0
        piece = np.uint64(0)
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
            prefetch(reached, u)
            prefetch(distances, u)
        for i in range(first, last):
            u = np.uint32(entries[i])
            arc, end = indptr[u], indptr[u + one]
            for line in range(arc, min(end, arc + np.uint64(_PREFETCHED)), np.uint64(16)):
                prefetch(indices, line)
                prefetch(weights, line)
        k, limit_here = 0, relaxed + _SHARE_ARCS
        for i in range(first, last):
            if (
                shared
                and relaxed > limit_here
                and last - i > 1
                and _post_rest(entries, ring, free, words, i, last)
            ):
                break
            u = np.uint32(entries[i])
            reach = distances[u]
            arc, end = indptr[u], indptr[u + one]
            if is_piece:
                arc += piece
                end = min(end, arc + np.uint64(PIECE))
            else:
                known = reached[u]
                if reach == known:
                    continue
                reached[u] = reach
                vertices += 1
                again += known != infinity
                if (
                    end - arc > np.uint64(2 * PIECE)
                    and (shared or _can_be_helped(words))
                    and _post_pieces(entries, ring, free, words, u, end - arc)
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
                    _write(distances, work, thread, k, infinity, shared)
                    k = 0
            counts[thread, _RELAXED] = relaxed
        if k > 0:
            _write(distances, work, thread, k, infinity, shared)
        _give_back(free, words, row, chunk)
        if relaxed >= limit:
            status = LOOK
        elif not shared:
            waiting = load_shared(words, _POSTED) - load_shared(words, _CLAIMED)
            if (waiting >= words[_WIDE_CHUNKS] and _can_be_helped(words)) or (
                waiting > 0 and load_shared(words, _ASKED) == _AT_ONCE
            ):
                status = _GROWN
        elif load_shared(words, STOP) == ABORTED:
            break
    counts[thread, _VERTICES] = vertices
    counts[thread, _AGAIN] = again
    return status


@njit(forceinline=True, _nrt=False)
def _can_be_helped(words: Int64s) -> bool:
    if load_shared(words, STOP):
        return False
    return load_shared(words, _ASKED) != _NEVER or load_shared(words, _PRESENT) > 0


@njit(forceinline=True, _nrt=False)
def _bin(distance: Any, scale: float) -> Any:
    return np.int64(min(distance * scale, _FARTHEST))


@njit(_nrt=False)
def _write(
    distances: AnyArray, work: BinMemory, thread: int, number: int, infinity: Any, shared: bool
) -> None:
    """Write the improvements that were found, and enter the vertices into bins."""
    entries, before, ring, free, words = work.entries, work.before, work.ring, work.free, work.words
    found, offers, row = work.found[thread], work.offers[thread], work.rows[thread]
    scale, first, split = work.scale[0], words[_FIRST], words[_SPLIT]
    for j in range(number):
        v, offer = found[j], offers[j]
        old = distances[v]
        if offer >= old:
            continue
        if shared:
            old = atomic_min(distances, v, offer)
            if offer >= old:
                continue
        else:
            distances[v] = offer
        position = min(_bin(offer, scale) - first, BINS)
        if position < split:
            position = _CURRENT
        elif (old < infinity) & (min(_bin(old, scale) - first, BINS) == position):
            continue  # it is there already
        _enter(entries, before, ring, free, words, row, position, np.int32(v))


@njit(forceinline=True, _nrt=False)
def _claim_some(words: Int64s, shared: bool) -> Any:
    """Claim a share of what is posted, as numbers of entries from one up to another: the less
    the less is left.
    """
    while True:
        at = load_shared(words, _CLAIMED)
        left = load_shared(words, _POSTED) - at
        if left <= 0:
            return at, at
        some: Any = np.int64(1)
        if shared:
            some = max(some, min(_MOST_CLAIMED, left // (2 + 2 * load_shared(words, _PRESENT))))
        if compare_exchange(words, _CLAIMED, at, at + some) == at:
            return at, at + some
        spin_once()


@njit(forceinline=True, _nrt=False)
def _taken_from(ring: Int32s, at: int) -> Any:
    """A claimed entry, once it is written."""
    slot = at & (len(ring) - 1)
    while load_shared(ring, slot) == 0:
        spin_once()
    return np.int64(atomic_exchange(ring, slot, np.int32(0)))


@njit(forceinline=True, _nrt=False)
def _claim(ring: Int32s, words: Int64s, claimed: int, posted: int) -> Any:
    """The next entry of a ring, or 0."""
    while True:
        at = load_shared(words, claimed)
        if at >= load_shared(words, posted):
            return np.int64(0)
        if compare_exchange(words, claimed, at, at + 1) == at:
            break
    return _taken_from(ring, at)


@njit(forceinline=True, _nrt=False)
def _post(ring: Int32s, words: Int64s, posted: int, entry: int) -> None:
    at = atomic_add(words, posted, np.int64(1))
    atomic_exchange(ring, at & (len(ring) - 1), np.int32(entry))


@njit(forceinline=True, _nrt=False)
def _take(free: Int32s, words: Int64s, row: Int32s) -> Any:
    """A free chunk, or -1."""
    kept = row[_KEPT]
    if kept == 0:
        return _claim(free, words, _TAKEN, _FREED) - 1
    row[_KEPT] = kept - 1
    return np.int64(row[_STACK + kept - 1])


@njit(forceinline=True, _nrt=False)
def _give_back(free: Int32s, words: Int64s, row: Int32s, chunk: int) -> None:
    kept = row[_KEPT]
    if kept == _MOST_KEPT:
        _post(free, words, _FREED, chunk + 1)
        return
    row[_STACK + kept] = chunk
    row[_KEPT] = kept + 1


@njit(forceinline=True, _nrt=False)
def _enter(
    entries: Int32s,
    before: Int32s,
    ring: Int32s,
    free: Int32s,
    words: Int64s,
    row: Int32s,
    position: int,
    vertex: int,
) -> None:
    """Append a vertex to a chain of a thread's row; a full chunk of the group is posted."""
    chain = np.int64(row[position])
    place: Any = chain & ~_MORE
    more: Any = chain & _MORE
    if place % CHUNK == 0:
        chunk = _take(free, words, row)
        if chunk < 0:
            words[_LOST] = 1
            return
        if place:
            before[chunk] = chain
            more = np.int64(_MORE)
        place = chunk * CHUNK
    entries[place] = vertex
    place += 1
    if position == _CURRENT and place % CHUNK == 0:
        _post(ring, words, _POSTED, place)
        place = 0
    row[position] = place | more


@njit(_nrt=False)
def _post_pieces(
    entries: Int32s, ring: Int32s, free: Int32s, words: Int64s, vertex: int, degree: int
) -> bool:
    """Post the arcs of a vertex in pieces; False if the pool is used up."""
    pieces = np.int64((degree + np.uint64(PIECE - 1)) // np.uint64(PIECE))
    for piece in range(pieces):
        chunk = _claim(free, words, _TAKEN, _FREED) - 1
        if chunk < 0:
            words[_LOST] = 1
            return False
        entries[chunk * CHUNK] = vertex
        entries[chunk * CHUNK + 1] = piece
        _post(ring, words, _POSTED, -(chunk + 1))
    return True


@njit(_nrt=False)
def _post_rest(
    entries: Int32s, ring: Int32s, free: Int32s, words: Int64s, first: int, last: int
) -> bool:
    """Post some entries again, in a chunk of their own; False if the pool is used up."""
    chunk = _claim(free, words, _TAKEN, _FREED) - 1
    if chunk < 0:
        return False
    begin = chunk * CHUNK
    for i in range(first, last):
        entries[begin + i - first] = entries[i]
    _post(ring, words, _POSTED, begin + last - first)
    return True


@njit(_nrt=False)
def _post_next_group(distances: AnyArray, work: BinMemory) -> bool:
    """Post the next bins that hold anything; False if none does.

    So many that every thread finds work.
    """
    before, ring, words, rows = work.before, work.ring, work.words, work.rows
    threads = words[_THREADS]
    present = load_shared(words, _PRESENT)
    wide = words[_WIDE_CHUNKS] * CHUNK
    target = max(wide, words[_TARGET] * (1 + present)) if words[_TARGET] else np.int64(0)
    span = words[_SPAN] if present else np.int64(1)
    while True:
        split, number, left, posted = words[_SPLIT], 0, span, words[_POSTED]
        while split < BINS and left > 0:
            for thread in range(threads):
                chain: Any = np.int64(rows[thread, split])
                if chain == 0:
                    continue
                rows[thread, split] = 0
                while chain:
                    place = chain & ~_MORE
                    chunk = (place - 1) // CHUNK
                    number += place - chunk * CHUNK
                    ring[posted & (len(ring) - 1)] = place
                    posted += 1
                    chain = np.int64(before[chunk]) if chain & _MORE else np.int64(0)
            split += 1
            left -= number > 0
        words[_SPLIT] = split
        atomic_exchange(words, _POSTED, posted)  # nobody else posts between two groups
        if number > 0:
            words[_SPAN] = max(1, min(_WIDEST, 2 * span, (span * target + number // 2) // number))
            return True
        if not _sort_beyond(distances, work):
            return False


@njit(_nrt=False)
def _sort_beyond(distances: AnyArray, work: BinMemory) -> bool:
    """Let the bins begin at the least vertex that lies beyond them; False if there is none."""
    reached, entries, before, words = work.reached, work.entries, work.before, work.words
    threads, scale = words[_THREADS], work.scale[0]
    none = np.int64(1) << 62
    least = none
    for thread in range(threads):
        chain: Any = np.int64(work.rows[thread, _BEYOND])
        while chain:
            place = chain & ~_MORE
            chunk = (place - 1) // CHUNK
            for i in range(chunk * CHUNK, place):
                v = entries[i]
                if distances[v] != reached[v]:
                    least = min(least, _bin(distances[v], scale))
            chain = np.int64(before[chunk]) if chain & _MORE else np.int64(0)
    if least == none:
        return False
    words[_FIRST], words[_SPLIT] = least, 0
    for thread in range(threads):
        chain = np.int64(work.rows[thread, _BEYOND])
        work.rows[thread, _BEYOND] = 0
        while chain:
            place = chain & ~_MORE
            chunk = (place - 1) // CHUNK
            for i in range(chunk * CHUNK, place):
                v = entries[i]
                if distances[v] != reached[v]:
                    _enter_anew(distances, work, v)
            chain = np.int64(before[chunk]) if chain & _MORE else np.int64(0)
            _give_back(work.free, words, work.rows[0], chunk)
    return True


@njit(_nrt=False)
def _enter_anew(distances: AnyArray, work: BinMemory, vertex: int) -> None:
    words = work.words
    position = min(_bin(distances[vertex], work.scale[0]) - words[_FIRST], BINS)
    if position < words[_SPLIT]:
        position = _CURRENT
    _enter(work.entries, work.before, work.ring, work.free, words, work.rows[0], position, vertex)


@njit(_nrt=False)
def _free_all(work: BinMemory) -> None:
    words, free, chunks = work.words, work.free, len(work.before)
    free[:] = 0
    for chunk in range(chunks):
        free[chunk] = chunk + 1
    words[_TAKEN] = 0
    words[_FREED] = chunks


@njit(_nrt=False)
def _find_again(distances: AnyArray, work: BinMemory) -> None:
    """After the pool was used up: empty it, and enter every vertex that is left."""
    words = work.words
    words[_LOST] = 0
    work.rows[:] = 0
    _free_all(work)
    for v in range(len(distances)):
        if distances[v] != work.reached[v]:
            _enter_anew(distances, work, v)
