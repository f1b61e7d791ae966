"""Working memory of delta-stepping on cores: rows of bins, chunks, lists of work, and the words
that threads share. What is done with them is in ``delta_chains.py`` and ``delta_bins.py``.

They lie in three arrays, one for each type, since a compiled call takes longer the more
arrays it is given: on small graphs as long as a tenth of the search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s, UInt32s, UInt64s
from solvers.system.intrinsics import array_at, every_second_at
from solvers.system.jit import njit

CHUNK = 64  # entries; a power of two
BINS = 128
# Positions in a thread's row after those of the bins: two more chains, and a stack of
# free chunks, which were used last and are in its cache.
BEYOND, CURRENT, KEPT, STACK = BINS, BINS + 1, BINS + 2, BINS + 3
MOST_KEPT = 61
_ROW = STACK + MOST_KEPT
FOUND = 1024  # improvements that a thread collects before it writes them
LISTED = 4096  # chunks in the list of a thread

MORE = 1 << 30  # added to the name of a chain of more than one chunk

ENDED, ABORTED = 1, 2  # values of the word `STOP`
CLOSED, OPEN, FILLING = range(3)  # values of the word `STATUS`
NOWHERE = 1 << 54  # more than any bin's number

# Integers shared by all threads, each on cache lines of its own: the last chunk that was
# given back, counted from 1, below the number of changes, by which two states with the same
# chunk differ; numbers of threads that wait, and that take part; what they may do, ...
(FREE, PRESENT, ACTIVE, STATUS, ASKED, STOP, LOST, NEXT) = (16 * i for i in range(8))
# the least bin of which a thread listed more than it takes itself, and this thread, counted
# from 1
SURPLUS = 16 * 9
# ... and those of the leading thread
(WIDE, FULL, LATES, CLEAN, ADDRESSES) = (16 * 10 + i for i in range(5))
BOUNDED, PASS = 16 * 10 + 6, 16 * 10 + 7  # whether offers are bounded; the pass to be made first
# where the arcs into each vertex lie, of a bounded search; numbers of chunks, and of threads
INTO, _CHUNKS, _THREADS = 16 * 10 + 8, 16 * 10 + 11, 16 * 10 + 12
PAIRS = 16 * 10 + 13  # where heads and weights of arcs lie in pairs of four bytes each; 0 if not
_WORDS = 176
_LINE = 64  # bytes of a cache line

BOUND, BELOW, PULLED = range(3)  # of `BinMemory.bounds`

# Integers of each thread: its own, on one cache line, and on another the length of its
# list and how much of it is taken.
STATE, FIRST, LOW, LIMIT = range(4)
LENGTH, CLAIMED = 16, 17
LEVEL = 32  # the bin that it empties, for others to see; `NOWHERE` if none
_MARKS = 48

# Of a thread: arcs relaxed, bins opened; in a bounded search also the arcs of settled
# vertices, and those of them that lead beyond the bound
RELAXED, OPENED, SETTLED, LEFT = range(4)
_COUNTS = 16


class BinMemory(NamedTuple):
    """The working memory of a search, by `parts_of`."""

    entries: Int32s  # (chunks * CHUNK,): vertices
    reached: AnyArray  # (chunks * CHUNK,) of the distance type: with which they were entered
    before: Int32s  # (chunks,): the chain that each continues, if any
    # A chain is named by the place after its last entry, and `MORE` if that is not in its
    # first chunk; 0 if it is empty.
    free: Int32s  # (chunks,): the free chunk given back before this one, counted from 1
    rows: Int32s  # (threads, _ROW): the chain of each bin
    lists: Int32s  # (threads, LISTED): chunks: the place after the last entry; pieces negative
    marks: Int64s  # (threads, _MARKS)
    found: UInt32s  # (threads, FOUND): vertices, and distances offered to them
    offers: AnyArray
    counts: Int64s  # (threads, _COUNTS)
    words: Int64s  # (_WORDS,)
    scale: Float64s  # (1,): bins a unit of distance
    bounds: AnyArray  # (3,) of the distance type, of a bounded search: see `delta_passes.py`

    @property
    def round(self) -> int:
        """Number of bins so far, of the thread that emptied most."""
        return int(max(self.counts[:, OPENED].tolist()))

    @property
    def relaxed(self) -> int:
        """Arcs relaxed by all threads since the start."""
        return int(sum(self.counts[:, RELAXED].tolist()))


class UnsignedArcs(NamedTuple):
    """A graph as the threads read it: unsigned, so that no index counts from the end.

    Where a search is bounded, arcs are sorted by weight, those into each vertex, too.
    Elsewhere heads and weights may be every second element of one array, so that the arcs
    of most vertices lie on one cache line, not two.
    """

    indptr: UInt64s
    indices: UInt32s
    weights: AnyArray
    into_indptr: UInt64s
    into_indices: UInt32s
    into_weights: AnyArray


class MemoryArrays(NamedTuple):
    """The arrays in which the working memory of a search lies."""

    integers: Int32s
    reals: AnyArray  # of the distance type
    words: Int64s


def working_memory(n: int, kind: WeightType, threads: int) -> MemoryArrays:
    """For any search of a graph of ``n`` vertices."""
    chunks = (2 * n // CHUNK + threads * (BINS + 128) + 31) // 16 * 16
    integers = chunks * (CHUNK + 2) + threads * (_ROW + LISTED + FOUND)
    words = _on_lines(_WORDS + threads * (_MARKS + _COUNTS) + 1, np.dtype(np.int64))
    words[:] = 0
    words[_CHUNKS], words[_THREADS] = chunks, threads
    reals = _on_lines(chunks * CHUNK + threads * FOUND + 3, kind.dtype)
    reals[-3:] = 0
    return MemoryArrays(_on_lines(integers, np.dtype(np.int32)), reals, words)


def _on_lines(size: int, dtype: np.dtype[Any]) -> AnyArray:
    """An array that begins with a cache line, so that threads share none of its parts."""
    spare = np.empty(size + _LINE // dtype.itemsize, dtype)
    first = -spare.ctypes.data % _LINE // dtype.itemsize
    return spare[first : first + size]


@njit(_nrt=False)
def parts_of(integers: Int32s, reals: AnyArray, words: Int64s) -> BinMemory:
    """The working memory that lies in these arrays."""
    chunks, threads = words[_CHUNKS], words[_THREADS]
    places, offers = chunks * CHUNK, chunks * CHUNK + threads * FOUND
    rows = places + 2 * chunks
    lists = rows + threads * _ROW
    found = lists + threads * LISTED
    counts = _WORDS + threads * _MARKS
    scale = counts + threads * _COUNTS
    return BinMemory(
        integers[:places],
        reals[:places],
        integers[places : places + chunks],
        integers[places + chunks : rows],
        integers[rows:lists].reshape((threads, _ROW)),
        integers[lists:found].reshape((threads, LISTED)),
        words[_WORDS:counts].reshape((threads, _MARKS)),
        integers[found : found + threads * FOUND].view(np.uint32).reshape((threads, FOUND)),
        reals[places:offers].reshape((threads, FOUND)),
        words[counts:scale].reshape((threads, _COUNTS)),
        words[:_WORDS],
        words[scale : scale + 1].view(np.float64),
        reals[offers : offers + 3],
    )


@njit(_nrt=False)
def arcs_of(indptr: UInt64s, indices: UInt32s, weights: AnyArray, words: Int64s) -> UnsignedArcs:
    """The arcs out of each vertex, and those into it where these words tell of them."""
    return UnsignedArcs(
        indptr,
        indices,
        weights,
        array_at(indptr, words[INTO]),
        array_at(indices, words[INTO + 1]),
        array_at(weights, words[INTO + 2]),
    )


@njit(_nrt=False)
def arcs_in_pairs(arcs: UnsignedArcs, pairs: int) -> UnsignedArcs:
    """The same arcs, read where they lie in pairs."""
    return UnsignedArcs(
        arcs.indptr,
        every_second_at(arcs.indices, pairs),
        every_second_at(arcs.weights, pairs + 4),
        arcs.into_indptr,
        arcs.into_indices,
        arcs.into_weights,
    )
