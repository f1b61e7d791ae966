"""A team of threads that empties bins of vertices, each at its own pace: delta-stepping on
cores.

One thread leads. It empties its bins by itself while they hold little. Where one holds
more, it opens the search to threads that wait: each takes chunks of the earliest bin that
anybody has more of than one chunk, and enters what these lower into bins of its own.
Nobody meets anybody: before a thread goes on to its next bin it takes chunks of earlier
ones from others, and it stays within some bins of the last. The search ends once no
thread has any left, and the leading thread closes it.

Threads that found nothing wait a millisecond or two for more, or the next search, before
they sleep: they find it in less than a thread takes that the system must wake. The
leading thread has all others leave, and goes on alone with what they had, once one that
it waits for makes no progress, since then other programs occupy the cores; so it does in
the next searches.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from solvers.algorithms.bucket_width import MANY, bin_width, threads_worth
from solvers.algorithms.near_far.delta_bins import (
    DONE,
    FILLED,
    GROWN,
    HELP,
    LOOK,
    adopt,
    empty_bins,
    fill,
    tell_surplus,
)
from solvers.algorithms.near_far.delta_chains import (
    enter_anew,
    find_again,
    free_all,
    sort_beyond,
    take_chain,
)
from solvers.algorithms.near_far.delta_memory import (
    ABORTED,
    ACTIVE,
    ADDRESSES,
    ASKED,
    BINS,
    CHUNK,
    CLEAN,
    CLOSED,
    CURRENT,
    ENDED,
    FILLING,
    FIRST,
    FULL,
    LATES,
    LEVEL,
    LOST,
    LOW,
    NEXT,
    NOWHERE,
    OPEN,
    OPENED,
    PAIRS,
    PASS,
    PRESENT,
    RELAXED,
    STATE,
    STATUS,
    STOP,
    SURPLUS,
    WIDE,
    BinMemory,
    arcs_of,
    parts_of,
    working_memory,
)
from solvers.algorithms.near_far.delta_passes import NO_PASS, RANGE, share_pass
from solvers.algorithms.near_far.search_times import SearchTimes
from solvers.graphs.graph import Graph
from solvers.graphs.weights import INT32, WeightType
from solvers.system.array_types import AnyArray, Int32s, Int64s, UInt32s, UInt64s
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
from solvers.system.threads import ask_for_help, pause

# A list is worth others' while if it takes one thread some ten microseconds: in arcs, of
# which a vertex is worth some.
_WIDE_ARCS, _WORTH = 3000, 6
# Chunks are full by half on graphs of few arcs, whose bins hold too little for many threads,
# unless there is one thread.
_LARGE, _DENSE = 1_000_000, 4
_SPARSE = 4  # arcs a vertex, up to which searches wait for memory: heads and weights lie in pairs
_PAIRS = "arcs in pairs"

_PATIENCE = 5_000  # pauses after which a thread leaves: a millisecond or two
_WAIT = 2_000  # pauses that the leading thread waits before it looks around
_LATE = 20  # waits without progress after which it goes on alone
_MOST = 0.4  # of the arcs: if the leading thread relaxed more, a search alone is tried

_ALL = 1 << 62  # arcs: without a limit
_AWAY, _HERE, _CALLED = range(3)  # states of a thread


def pairs_bytes(graph: Graph) -> int:
    """Of a graph's arcs in pairs; 0 where its searches do not put them into pairs."""
    is_sparse = graph.m <= _SPARSE * graph.n
    return 8 * graph.m if is_sparse and graph.distance_type is INT32 else 0


class BucketSearch:
    """Searches of one graph by a number of threads, one after another, in the same memory."""

    _many = MANY

    def __init__(self, graph: Graph, kind: WeightType, threads: int):
        self._graph, self._kind = graph, kind
        self._infinity = kind.dtype.type(kind.infinity)
        self._rows = graph.indptr.view(np.uint64), graph.indices.view(np.uint32)
        self._threads = threads_worth(graph.m, threads, self._many)
        self._take_memory()
        self.unfinished = False
        self._weights, self._process = kind.dtype, os.getpid()
        self._compiles = True
        self._alone = True  # whether this search is left to one thread
        self.times = SearchTimes()
        self._widths: dict[tuple[float, bool], float] = {}
        self._may_pair = pairs_bytes(graph) > 0
        self._pairs: UInt32s | None = None
        self._own_searches = 0  # of the graph's own weights

    def start(
        self, weights: AnyArray, distances: AnyArray, sources: Int32s, delta: float = 0.0
    ) -> None:
        """Before the first bin, which holds the sources, whose distances are 0.

        ``distances`` may hold anything, and ``delta`` is the width of a bin in mean weights; 0
        chooses.
        """
        # threads that wait know weights of one type, and none came along with a fork
        if weights.dtype != self._weights or os.getpid() != self._process:
            self._take_memory()
            self._weights, self._process, self._compiles = weights.dtype, os.getpid(), True
        self._given = (*self._arcs(weights), distances, *self._memory)
        self.work.words[PAIRS] = self._place_of_pairs(weights) if self._may_pair else 0
        began = perf_counter()
        self._is_first = self._compiles
        if self._compiles:
            help_along(*self._given, self._infinity, 0)  # before another thread needs it
            self._compiles = False
        self._chooses = self._threads > 1
        self._alone = not self._chooses or self.times.is_faster_alone()
        width = self._width_of(delta)
        self._begin(width, sources)
        if not self._alone:
            self._ask()
        start(*self._given, self._infinity, sources, width, self._alone)
        self.unfinished = True
        self._taken = perf_counter() - began

    def advance(self, arcs: int) -> None:
        """Go on until this thread has relaxed about so many ``arcs``, or is done."""
        began = perf_counter()
        status = advance(*self._given, self._infinity, arcs)
        if status == HELP:
            self._ask()
        if status == DONE and self._has_next_stage():
            begin_stage(self.work.words, self._graph.n)
            status = LOOK
        self.unfinished = status != DONE
        self._taken += perf_counter() - began
        if status == DONE and self._chooses and not self._is_first:  # which may compile
            relaxed = self.work.counts[:, RELAXED].tolist()
            was_left = bool(self.work.words[STOP])
            by_one = relaxed[0] > _MOST * sum(relaxed)
            self.times.note(self._alone, self._taken, was_left or by_one, sum(relaxed))

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
            abort(self.work.words)
            raise

    def _take_memory(self) -> None:
        self._memory = working_memory(self._graph.n, self._kind, self._threads)
        self.work: BinMemory = parts_of.__wrapped__(*self._memory)

    def _arcs(self, weights: AnyArray) -> tuple[UInt64s, UInt32s, AnyArray]:
        return *self._rows, weights

    def _place_of_pairs(self, weights: AnyArray) -> int:
        """Where the graph's arcs lie in pairs: from the second search of its own weights on."""
        if weights.ctypes.data != self._graph.weights.ctypes.data:
            return 0
        self._own_searches += 1
        if self._pairs is None and self._own_searches > 1:
            self._pairs = self._graph.cached(_PAIRS, lambda: _paired(self._rows[1], weights))
        return 0 if self._pairs is None else self._pairs.ctypes.data

    def _width_of(self, delta: float) -> float:
        key = delta, self._alone
        if key not in self._widths:
            threads = 1 if self._alone else self._threads
            self._widths[key] = float(bin_width(self._graph, self._kind, delta, threads))
        return self._widths[key]

    def _begin(self, width: float, sources: Int32s) -> None:
        """Before the first stage; ``width`` is that of a bin."""

    def _has_next_stage(self) -> bool:
        """After a stage: set the bounds and the pass of the next, if there is one."""
        return False

    def _ask(self) -> None:
        """Ask for all threads that sleep, but for those that were and have not come, since
        other searches occupy them: when they do, it is to the search of that time.
        """
        states = self.work.marks[:, STATE]
        away = [t for t, state in enumerate(states.tolist()) if state == _AWAY and t > 0]
        if away:
            states[away] = _CALLED
            ask_for_help(len(away), partial(_serve, self._given, self._infinity, away))


def _paired(heads: UInt32s, weights: AnyArray) -> UInt32s:
    """Heads with the bits of their weights behind them, (m, 2)."""
    pairs = np.empty((len(heads), 2), np.uint32)
    pairs[:, 0], pairs[:, 1] = heads, weights.view(np.uint32)
    return pairs


def _serve(given: tuple[AnyArray, ...], infinity: Any, threads: list[int], asked: int) -> None:
    help_along(*given, infinity, threads[asked - 1])


@njit(_nrt=False)
def start(
    indptr: UInt64s,
    indices: UInt32s,
    weights: AnyArray,
    distances: AnyArray,
    integers: Int32s,
    reals: AnyArray,
    words: Int64s,
    infinity: Any,
    sources: Int32s,
    width: float,
    alone: bool,
) -> None:
    """Before the first bin, which holds the sources; ``width`` is that of a bin."""
    work = parts_of(integers, reals, words)
    n, m = len(indptr) - 1, len(indices)
    words[ADDRESSES], words[ADDRESSES + 1] = weights.ctypes.data, distances.ctypes.data
    words[ASKED] = words[SURPLUS] = words[NEXT] = words[LATES] = 0
    words[PASS] = NO_PASS
    words[STOP] = ENDED if alone else 0
    if n > FILLED and not alone and load_shared(words, PRESENT):
        atomic_exchange(words, STATUS, np.int64(FILLING))
        atomic_exchange(words, SURPLUS, np.int64(1))
    words[WIDE] = 1 + _WIDE_ARCS * n // (_WORTH * n + m)
    words[FULL] = CHUNK if alone or m > max(_LARGE, _DENSE * n) else CHUNK // 2
    work.counts[:] = 0
    work.scale[0] = 1.0 / width
    if words[CLEAN] == 0:
        free_all(work)
    words[CLEAN] = 0
    work.marks[:, FIRST : LEVEL + 1] = 0
    work.marks[:, LEVEL] = NOWHERE
    fill(distances, work, infinity)
    atomic_exchange(words, SURPLUS, np.int64(0))
    atomic_exchange(words, STATUS, np.int64(CLOSED))
    idle = 0
    while load_shared(words, ACTIVE):
        idle += 1
        pause(idle)
    for v in sources:
        distances[v] = 0
        enter_anew(work, 0, v, distances[v])


@njit(_nrt=False)
def begin_stage(words: Int64s, n: int) -> None:
    """After another, in which all bins were emptied."""
    words[CLEAN] = words[NEXT] = 0
    if load_shared(words, STOP) == 0 and load_shared(words, PRESENT) and n > 2 * RANGE:
        atomic_exchange(words, STATUS, np.int64(FILLING))


@njit(_nrt=False)
def advance(
    indptr: UInt64s,
    indices: UInt32s,
    weights: AnyArray,
    distances: AnyArray,
    integers: Int32s,
    reals: AnyArray,
    words: Int64s,
    infinity: Any,
    limit: int,
) -> int:
    """Lead, until no vertex is left (`DONE`), about ``limit`` arcs were relaxed by this
    thread or some milliseconds waited (`LOOK`), or others should be asked to help (`HELP`).
    """
    arcs = arcs_of(indptr, indices, weights, words)
    work = parts_of(integers, reals, words)
    if words[PASS] != NO_PASS:
        if not share_pass(arcs, distances, work, 0, limit, words[STATUS] == FILLING):
            return LOOK
        if words[STATUS] == FILLING:
            atomic_exchange(words, STATUS, np.int64(OPEN))
        words[PASS] = NO_PASS
    while True:
        status = empty_bins(arcs, distances, work, 0, limit, words[STATUS] == OPEN)
        if status == LOOK:
            return LOOK
        if status == GROWN:
            atomic_exchange(words, STATUS, np.int64(OPEN))
            tell_surplus(work, 0)
            atomic_exchange(work.marks[0], LEVEL, work.marks[0][FIRST] + work.marks[0][LOW])
            if load_shared(words, ASKED):
                atomic_exchange(words, ASKED, np.int64(0))
                return HELP
            continue
        if words[STATUS] == OPEN and not _others_end(work):
            if load_shared(words, SURPLUS):
                continue
            return LOOK
        if load_shared(words, STOP) and adopt(distances, work):
            continue
        if words[LOST] == 0:
            words[CLEAN] = 1
            return DONE
        find_again(distances, work, infinity)


@njit(_nrt=False)
def help_along(
    indptr: UInt64s,
    indices: UInt32s,
    weights: AnyArray,
    distances: AnyArray,
    integers: Int32s,
    reals: AnyArray,
    words: Int64s,
    infinity: Any,
    thread: int,
) -> None:
    """Take part in searches, until for long nothing is asked.

    Weights and distances are those of the current search, of the types of these. The first
    thread returns at once.
    """
    work = parts_of(integers, reals, words)
    own = work.marks[thread]
    if thread == 0 or compare_exchange(own, STATE, np.int64(_CALLED), np.int64(_HERE)) != _CALLED:
        return
    atomic_add(words, PRESENT, np.int64(1))
    idle = 0
    while idle < _PATIENCE:
        status = load_shared(words, STATUS)
        if status == FILLING or (status == OPEN and load_shared(words, SURPLUS)):
            atomic_add(words, ACTIVE, np.int64(1))  # before it sees whether it still may
            status = load_shared(words, STATUS)
            if status != CLOSED:
                arcs = arcs_of(indptr, indices, array_at(weights, words[ADDRESSES]), words)
                reached = array_at(distances, words[ADDRESSES + 1])
                if status == FILLING and words[PASS] == NO_PASS:
                    fill(reached, work, infinity)
                elif load_shared(words, STOP) == 0:
                    if status == FILLING:
                        share_pass(arcs, reached, work, thread, _ALL, True)
                    empty_bins(arcs, reached, work, thread, _ALL, True)
                idle = 0
            atomic_add(words, ACTIVE, np.int64(-1))
        idle += 1
        pause(idle)
    atomic_exchange(own, STATE, np.int64(_AWAY))
    if atomic_add(words, PRESENT, np.int64(-1)) == 1:
        atomic_exchange(words, ASKED, np.int64(1))


@njit(_nrt=False)
def abort(words: Int64s) -> None:
    """Have all threads leave the search; returns when nobody works on it."""
    atomic_exchange(words, STOP, np.int64(ABORTED))
    atomic_exchange(words, STATUS, np.int64(CLOSED))
    while load_shared(words, ACTIVE):
        give_way()


@njit(_nrt=False)
def hop(
    indptr: UInt64s,
    indices: UInt32s,
    weights: AnyArray,
    distances: AnyArray,
    integers: Int32s,
    reals: AnyArray,
    words: Int64s,
    infinity: Any,
    frontier: Int32s,
    fell: Int32s,
) -> tuple[int, int]:
    """Relax the vertices that are left in the bin, and none that these lower.

    Returns their number, 0 if no vertex is left, and that of the vertices lowered. They
    are written to ``frontier``, (n,). ``fell``, (n,), holds the last round in which each
    vertex was lowered. For a single thread.
    """
    work = parts_of(integers, reals, words)
    row, own, counts = work.rows[0], work.marks[0], work.counts[0]
    number = 0
    while number == 0:
        position = np.int64(CURRENT)
        while row[position] == 0:
            position = own[LOW] + 1 if position == CURRENT else position + 1
            if position == BINS:
                if not sort_beyond(distances, work, 0):
                    if work.words[LOST] == 0:
                        return 0, 0
                    find_again(distances, work, infinity)
                position = np.int64(CURRENT)
        if position < CURRENT:
            own[LOW] = position
        chain = row[position]
        row[position] = 0
        number = take_chain(distances, work, chain, frontier, number)
    counts[OPENED] += 1
    improved = 0
    for i in range(number):
        u = np.uint32(frontier[i])
        counts[RELAXED] += np.int64(indptr[u + np.uint64(1)] - indptr[u])
        for arc in range(indptr[u], indptr[u + np.uint64(1)]):
            v = indices[arc]
            offer = distances[u] + weights[arc]
            if offer < distances[v]:
                distances[v] = offer
                improved += fell[v] != counts[OPENED]
                fell[v] = counts[OPENED]
                enter_anew(work, 0, v, offer)
    return number, improved


@njit(_nrt=False)
def _others_end(work: BinMemory) -> bool:
    """Wait until nobody takes part any more, and nobody may; False if there is more to take, or
    after a while.
    """
    words = work.words
    before = _progress(work)
    for _ in range(_WAIT):
        if load_shared(words, SURPLUS) and load_shared(words, STOP) == 0:
            return False
        if load_shared(words, ACTIVE) == 0:
            atomic_exchange(words, STATUS, np.int64(CLOSED))
            if load_shared(words, ACTIVE) == 0:
                return True
            atomic_exchange(words, STATUS, np.int64(OPEN))
        spin_once()
    words[LATES] = words[LATES] + 1 if _progress(work) == before else 0
    if words[LATES] >= _LATE and load_shared(words, STOP) == 0:
        atomic_exchange(words, STOP, np.int64(ENDED))
    give_way()
    return False


@njit(_nrt=False)
def _progress(work: BinMemory) -> Any:
    relaxed = np.int64(0)
    for thread in range(len(work.rows)):
        relaxed += load_shared(work.counts[thread], RELAXED)
    return relaxed
