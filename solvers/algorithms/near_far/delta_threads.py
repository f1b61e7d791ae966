"""A team of threads that empties bins of vertices, group by group: delta-stepping on cores.

One thread leads. It chooses the next bins that hold anything, a group, and relaxes them by
itself where they hold little. Else it invites threads that wait: each lists its own
chunks of these bins, relaxes them, helps others with theirs, and arrives with the number
of its next bin. Once all have arrived the next group begins, so there is one meeting a
group, and nobody waits for a thread that was not invited.

Threads that were dismissed wait a millisecond or two for the next group, or search, before
they sleep: they find it in less than a thread takes that the system must wake. The
leading thread dismisses all, and goes on alone, once one that it waits for makes no
progress, since then other programs occupy the cores; so it does in the next searches.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from solvers.algorithms.bucket_width import bin_width
from solvers.algorithms.near_far.delta_bins import (
    ABORTED,
    ADDRESSES,
    ALONE,
    ARRIVED,
    ASKED,
    BINS,
    CURRENT,
    DONE,
    ENDED,
    FIRST,
    GO,
    GROWN,
    HELP,
    LATES,
    LISTED,
    LOOK,
    LOST,
    LOW,
    MEMBER,
    MEMBERS,
    NUMBER,
    OPEN,
    PHASE,
    PRESENT,
    RELAXED,
    REST,
    ROUND,
    SHARED,
    SINCE,
    SPAN,
    SPLIT,
    STATE,
    STOP,
    SURPLUS,
    TARGET,
    VOTE,
    WIDE,
    BinMemory,
    UnsignedArcs,
    empty_list,
    enter_anew,
    find_again,
    free_all,
    list_chain,
    relax_listed,
    sort_beyond,
    take_chain,
    tell_surplus,
    working_memory,
)
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.intrinsics import (
    array_at,
    atomic_add,
    atomic_exchange,
    compare_exchange,
    give_way,
    load_shared,
    spin_once,
)
from solvers.system.jit import njit
from solvers.system.threads import ask_for_help

_WIDEST = 16  # bins of a group
_VERTICES_EACH = 64  # of a group for each thread: with fewer, the next is made wider
# A group is wide if it takes one thread some ten microseconds: in arcs, of which
# a vertex is worth some.
_WIDE_ARCS, _WORTH = 3000, 6
# Arcs of a graph for which no thread is asked to help; fewer where there are many threads.
_FEW_ARCS, _FEWER, _MANY = 200_000, 50_000, 8
_MOST_ALONE = 64  # groups in a row that are not wide, after which the others are dismissed

# The pause of a core is some 40 to 140 cycles. A thread looks every few pauses,
# lets others run after some hundred microseconds, and leaves after a millisecond or two.
_POLL, _SPINS, _PATIENCE = 6, 500, 5_000
_WAIT = 2_000  # pauses that the leading thread waits before it looks around
_NOTICE = 200  # pauses that a member has to begin with a group, before it is dismissed
# The leading thread goes on alone after so many members that did not begin, or waits
# without progress, each of which counts as some, less one for each search.
_LATE, _STALLED = 16, 8
_SEARCHES_ALONE = 20  # after one that it went on with alone

_AWAY, _WAITING, _INVITED, _BUSY, _DISMISSED = range(5)  # states of a thread
_NEXT, _RELAX, _MEET = range(3)  # phases of a group


class BucketSearch:
    """Searches of one graph by a number of threads, one after another, in the same memory."""

    def __init__(self, graph: Graph, kind: WeightType, threads: int):
        self._graph, self._kind = graph, kind
        self.work = working_memory(graph.n, kind, threads)
        self.unfinished = False
        self._weights = kind.dtype
        self._compiles = True

    def start(
        self, weights: AnyArray, distances: AnyArray, sources: Int32s, delta: float = 0.0
    ) -> None:
        """Before the first group, which holds the sources, whose distances are 0.

        ``delta``: width of a bucket in mean weights; 0 chooses.
        """
        graph, threads = self._graph, len(self.work.rows)
        if weights.dtype != self._weights:  # threads that wait know weights of one type
            self.work = working_memory(graph.n, self._kind, threads)
            self._weights, self._compiles = weights.dtype, True
        arcs = UnsignedArcs(graph.indptr.view(np.uint64), graph.indices.view(np.uint32), weights)
        self._given = (arcs, distances, self.work)
        self._infinity = self._kind.dtype.type(self._kind.infinity)
        width = float(bin_width(graph, self._kind, delta, threads))
        start(*self._given, sources, width, 0 if delta else _VERTICES_EACH)
        if threads > 1:
            if self._compiles:
                help_along(*self._given, 0)  # before another thread needs it
                self._compiles = False
            words = self.work.words
            words[ADDRESSES], words[ADDRESSES + 1] = weights.ctypes.data, distances.ctypes.data
            few = _FEWER if threads >= _MANY else _FEW_ARCS
            if graph.m > few and words[STOP] == 0:
                self._ask()
        self.unfinished = True

    def advance(self, arcs: int) -> None:
        """Go on until this thread has relaxed about so many ``arcs``, or is done."""
        status = advance(*self._given, self._infinity, arcs)
        if status == HELP:
            self._ask()
        self.unfinished = status != DONE

    def hop(self, frontier: Int32s, fell: Int32s) -> tuple[int, int]:
        """As `hop`; the search is done where it relaxes no vertex."""
        number, improved = hop(*self._given, self._infinity, frontier, fell)
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
            abort(self.work)
            raise

    def _ask(self) -> None:
        """Ask for all threads that sleep."""
        away = [int(t) for t in np.flatnonzero(self.work.marks[:, STATE] == _AWAY) if t > 0]
        if away:
            ask_for_help(len(away), partial(_serve, *self._given, away))


def _serve(
    arcs: UnsignedArcs, distances: AnyArray, work: BinMemory, threads: list[int], asked: int
) -> None:
    help_along(arcs, distances, work, threads[asked - 1])


@njit(_nrt=False)
def start(
    arcs: UnsignedArcs,
    distances: AnyArray,
    work: BinMemory,
    sources: Int32s,
    width: float,
    each: int,
) -> None:
    """Before the first group, which holds the sources.

    ``width`` is that of a bin; ``each`` is the number of vertices a thread for which
    a group is made wider.
    """
    words = work.words
    n, m = len(arcs.indptr) - 1, len(arcs.indices)
    for word in (ASKED, STOP, LOST, FIRST, LOW, SPLIT, OPEN, SURPLUS, PHASE, ROUND, SHARED):
        words[word] = 0
    words[ALONE] = 0
    words[LATES] = max(0, words[LATES] - 1)
    if words[REST] > 0:
        words[REST] -= 1
        words[STOP] = ENDED
    words[SPAN], words[TARGET] = 1, each
    for thread in range(len(work.rows)):  # of a search that was left
        empty_list(work.marks, thread)
    words[WIDE] = 1 + _WIDE_ARCS * n // (_WORTH * n + m)
    work.counts[:] = 0
    work.scale[0] = 1.0 / width
    free_all(work)
    for v in sources:
        enter_anew(distances, work, v)


@njit(_nrt=False)
def advance(
    arcs: UnsignedArcs, distances: AnyArray, work: BinMemory, infinity: Any, limit: int
) -> int:
    """Lead, until no vertex is left (`DONE`), about ``limit`` arcs were relaxed by this
    thread or some milliseconds waited (`LOOK`), or others should be asked to help (`HELP`).
    """
    words = work.words
    while True:
        if words[PHASE] == _NEXT:
            if not _begin_group(distances, work, infinity):
                _dismiss(work)
                return DONE
            words[PHASE] = _RELAX
        if words[PHASE] == _RELAX:
            status = relax_listed(arcs, distances, work, 0, limit, words[SHARED] != 0)
            if status == LOOK:
                return LOOK
            if status == GROWN:
                if words[MEMBERS] or load_shared(words, PRESENT):
                    _invite(work)
                    continue
                atomic_exchange(words, ASKED, np.int64(0))
                return HELP
            words[PHASE] = _MEET
        if words[SHARED]:
            status = _meet(work)
            if status == LOOK:
                return LOOK
            if status == GROWN:
                words[PHASE] = _RELAX
                continue
        words[PHASE] = _NEXT


@njit(_nrt=False)
def help_along(arcs: UnsignedArcs, distances: AnyArray, work: BinMemory, thread: int) -> None:
    """Wait to be invited, and take part in groups, until for long nothing is asked.

    Weights and distances are those of the current search, of the types of these. The first
    thread returns at once.
    """
    words, own = work.words, work.marks[thread]
    if thread == 0 or compare_exchange(own, STATE, np.int64(_AWAY), np.int64(_WAITING)) != _AWAY:
        return
    atomic_add(words, PRESENT, np.int64(1))
    idle = 0
    while True:
        state = load_shared(own, STATE)
        if state == _INVITED:
            weights = array_at(arcs.weights, words[ADDRESSES])
            searched = UnsignedArcs(arcs.indptr, arcs.indices, weights)
            _take_part(searched, array_at(distances, words[ADDRESSES + 1]), work, thread)
            idle = 0
        if state != _WAITING:  # dismissed, perhaps before it saw that it was invited
            atomic_exchange(own, STATE, np.int64(_WAITING))
            atomic_add(words, PRESENT, np.int64(1))
        idle += 1
        if idle > _PATIENCE:
            before = compare_exchange(own, STATE, np.int64(_WAITING), np.int64(_AWAY))
            if before == _WAITING:
                break
        _pause(idle)
    if atomic_add(words, PRESENT, np.int64(-1)) == 1:
        atomic_exchange(words, ASKED, np.int64(1))


@njit(_nrt=False)
def abort(work: BinMemory) -> None:
    """Have all threads leave the search; returns when nobody works on it."""
    words = work.words
    atomic_exchange(words, STOP, np.int64(ABORTED))
    if words[SHARED] and words[PHASE] != _NEXT:
        while _meet(work) != DONE:
            give_way()
    _dismiss(work)


@njit(_nrt=False)
def hop(
    arcs: UnsignedArcs,
    distances: AnyArray,
    work: BinMemory,
    infinity: Any,
    frontier: Int32s,
    fell: Int32s,
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
        if row[CURRENT] == 0 and not _choose_bins(distances, work, infinity):
            return 0, 0
        chain = row[CURRENT]
        row[CURRENT] = 0
        number = take_chain(distances, work, chain, frontier, number)
        for position in range(words[LOW], words[SPLIT]):
            chain = row[position]
            row[position] = 0
            number = take_chain(distances, work, chain, frontier, number)
    words[ROUND] += 1
    improved = 0
    for i in range(number):
        u = np.uint32(frontier[i])
        work.counts[0, RELAXED] += np.int64(indptr[u + np.uint64(1)] - indptr[u])
        for arc in range(indptr[u], indptr[u + np.uint64(1)]):
            v = indices[arc]
            offer = distances[u] + weights[arc]
            if offer < distances[v]:
                distances[v] = offer
                improved += fell[v] != words[ROUND]
                fell[v] = words[ROUND]
                enter_anew(distances, work, v)
    return number, improved


@njit(_nrt=False)
def _begin_group(distances: AnyArray, work: BinMemory, infinity: Any) -> bool:
    """Choose the next bins, and list them or have their threads do so; False if all are empty."""
    words, marks = work.words, work.marks
    if not _choose_bins(distances, work, infinity):
        return False
    words[ROUND] += 1
    is_wide = words[NUMBER] >= words[WIDE] and load_shared(words, STOP) == 0
    words[ALONE] = 0 if is_wide else words[ALONE] + 1
    if words[ALONE] > _MOST_ALONE or load_shared(words, STOP):
        _dismiss(work)
    words[SHARED] = 0
    empty_list(marks, 0)
    for thread in range(len(work.rows)):
        if not (is_wide and marks[thread, MEMBER]):
            _list_bins(work, 0, work.rows[thread])
    if is_wide and (words[MEMBERS] or load_shared(words, PRESENT)):
        _invite(work)
    return True


@njit(_nrt=False)
def _list_bins(work: BinMemory, thread: int, row: Int32s) -> None:
    """List for a thread what a row holds of the group."""
    words = work.words
    for position in range(words[LOW], words[SPLIT] + 1):
        position = position if position < words[SPLIT] else CURRENT
        if row[position]:
            row[position] = list_chain(work, thread, row[position])


@njit(_nrt=False)
def _choose_bins(distances: AnyArray, work: BinMemory, infinity: Any) -> bool:
    """The next bins that hold anything; False if none does."""
    words, marks = work.words, work.marks
    number, span = marks[0, LISTED], words[SPAN]
    for thread in range(1, len(work.rows)):
        if words[SHARED] and marks[thread, MEMBER]:
            number += marks[thread, LISTED]
    words[NUMBER] = number
    target = words[TARGET] * (1 + words[MEMBERS]) if words[MEMBERS] else np.int64(0)
    if target:
        target = (span * target + number // 2) // max(number, 1)
    words[SPAN] = max(1, min(_WIDEST, 2 * span, target))
    if words[LOST]:
        find_again(distances, work, infinity)
        marks[:, VOTE] = BINS
    low = _next_bin(work)
    if low == BINS:
        if not sort_beyond(distances, work):
            return False
        low = np.int64(0)
    words[LOW] = low
    words[SPLIT] = max(words[SPLIT], min(BINS, low + words[SPAN]))
    return True


@njit(_nrt=False)
def _next_bin(work: BinMemory) -> Any:
    """The first bin of any thread that is not empty, `BINS` if all are."""
    words, marks = work.words, work.marks
    least = np.int64(BINS)
    for thread in range(len(work.rows)):
        if words[SHARED] and marks[thread, MEMBER]:
            least = min(least, marks[thread, VOTE])
        else:
            least = min(least, _first_bin(work.rows[thread], words[LOW], least))
    return least


@njit(_nrt=False)
def _first_bin(row: Int32s, low: int, end: int) -> Any:
    if row[CURRENT]:
        return np.int64(low)
    position = np.int64(low)
    while position < end and row[position] == 0:
        position += 1
    return position


@njit(_nrt=False)
def _invite(work: BinMemory) -> None:
    """Let all threads that wait take part in the group, which begins for them here."""
    words, marks = work.words, work.marks
    go = words[GO] + (1 - words[SHARED])
    words[SHARED] = 1
    words[OPEN] = 1
    tell_surplus(work, 0)
    for thread in range(1, len(work.rows)):
        own = marks[thread]
        if own[MEMBER] or load_shared(own, STATE) != _WAITING:
            continue
        own[SINCE] = go
        empty_list(marks, thread)
        before = compare_exchange(own, STATE, np.int64(_WAITING), np.int64(_INVITED))
        if before == _WAITING:
            own[MEMBER] = 1
            words[MEMBERS] += 1
            atomic_add(words, PRESENT, np.int64(-1))
    atomic_exchange(words, GO, go)


@njit(_nrt=False)
def _dismiss(work: BinMemory) -> None:
    """Between two groups: nobody takes part any more."""
    words, marks = work.words, work.marks
    for thread in range(1, len(work.rows)):
        if marks[thread, MEMBER]:
            marks[thread, MEMBER] = 0
            atomic_exchange(marks[thread], STATE, np.int64(_DISMISSED))
    words[MEMBERS] = words[ALONE] = words[SHARED] = 0


@njit(_nrt=False)
def _meet(work: BinMemory) -> int:
    """Wait for all members (`DONE`), or for a while (`LOOK`); `GROWN` if one that has not
    begun was dismissed, and its share is listed for this thread.
    """
    words, marks = work.words, work.marks
    before = _progress(work)
    waited = 0
    while True:
        busy = 0
        for thread in range(1, len(work.rows)):
            own = marks[thread]
            if not own[MEMBER]:
                continue
            is_idle = load_shared(own, STATE) == _INVITED
            if is_idle and load_shared(own, ARRIVED) == words[GO]:
                continue
            busy += 1
            if is_idle and waited > _NOTICE:
                state = compare_exchange(own, STATE, np.int64(_INVITED), np.int64(_DISMISSED))
                if state == _INVITED:
                    own[MEMBER] = 0
                    words[MEMBERS] -= 1
                    _count_late(words, 1)
                    _list_bins(work, 0, work.rows[thread])
                    return GROWN
        if busy == 0:
            if load_shared(words, OPEN) == 0:
                return DONE
            atomic_exchange(words, OPEN, np.int64(0))  # who saw it open is busy by now
            continue
        if load_shared(words, SURPLUS) and load_shared(words, OPEN):
            return GROWN
        spin_once()
        waited += 1
        if waited > _WAIT:
            if _progress(work) == before:
                _count_late(words, _STALLED)
            give_way()
            return LOOK


@njit(_nrt=False)
def _count_late(words: Int64s, number: int) -> None:
    words[LATES] += number
    if words[LATES] >= _LATE and load_shared(words, STOP) == 0:
        atomic_exchange(words, STOP, np.int64(ENDED))
        words[LATES], words[REST] = 0, _SEARCHES_ALONE


@njit(_nrt=False)
def _progress(work: BinMemory) -> Any:
    relaxed = np.int64(0)
    for thread in range(len(work.rows)):
        relaxed += load_shared(work.counts[thread], RELAXED)
    return relaxed


@njit(_nrt=False)
def _take_part(arcs: UnsignedArcs, distances: AnyArray, work: BinMemory, thread: int) -> None:
    """Relax in every group, until dismissed."""
    words, own, row = work.words, work.marks[thread], work.rows[thread]
    go, most = own[SINCE], np.int64(1) << 62
    while True:
        idle = 0
        while load_shared(words, GO) < go and load_shared(own, STATE) == _INVITED:
            idle += 1
            _pause(idle)
            if load_shared(words, SURPLUS) and load_shared(words, OPEN):  # of the last group
                if compare_exchange(own, STATE, np.int64(_INVITED), np.int64(_BUSY)) != _INVITED:
                    return
                if load_shared(words, OPEN) and load_shared(words, GO) < go:
                    relax_listed(arcs, distances, work, thread, most, True)
                    own[VOTE] = _first_bin(row, words[LOW], BINS)
                if compare_exchange(own, STATE, np.int64(_BUSY), np.int64(_INVITED)) != _BUSY:
                    return
        if compare_exchange(own, STATE, np.int64(_INVITED), np.int64(_BUSY)) != _INVITED:
            return
        if go > own[SINCE]:  # before, the leading thread has listed all
            empty_list(work.marks, thread)
            _list_bins(work, thread, row)
            tell_surplus(work, thread)
        relax_listed(arcs, distances, work, thread, most, True)
        own[VOTE] = _first_bin(row, words[LOW], BINS)
        atomic_exchange(own, ARRIVED, go)
        if compare_exchange(own, STATE, np.int64(_BUSY), np.int64(_INVITED)) != _BUSY:
            return
        go += 1


@njit(forceinline=True, _nrt=False)
def _pause(idle: int) -> None:
    for _ in range(_POLL if idle > _POLL else 1):
        spin_once()
    if idle > _SPINS:
        give_way()
