"""Working memory of delta-stepping on cores: rows of bins, chunks, lists of work, and the words
that threads share. What is done with them is in ``delta_chains.py`` and ``delta_bins.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s, UInt32s, UInt64s

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
_WORDS = 176

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
    """The working memory of a search, by `working_memory`."""

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
        return int(self.counts[:, OPENED].max())

    @property
    def relaxed(self) -> int:
        """Arcs relaxed by all threads since the start."""
        return int(self.counts[:, RELAXED].sum())


class UnsignedArcs(NamedTuple):
    """A graph as the threads read it: unsigned, so that no index counts from the end.

    Where a search is bounded, arcs are sorted by weight, those into each vertex, too.
    """

    indptr: UInt64s
    indices: UInt32s
    weights: AnyArray
    into_indptr: UInt64s
    into_indices: UInt32s
    into_weights: AnyArray


def working_memory(n: int, kind: WeightType, threads: int) -> BinMemory:
    """For any search of a graph of ``n`` vertices."""
    chunks = 2 * n // CHUNK + threads * (BINS + 128) + 16
    return BinMemory(
        entries=np.empty(chunks * CHUNK, np.int32),
        reached=np.empty(chunks * CHUNK, kind.dtype),
        before=np.empty(chunks, np.int32),
        free=np.empty(chunks, np.int32),
        rows=np.empty((threads, _ROW), np.int32),
        lists=np.empty((threads, LISTED), np.int32),
        marks=np.zeros((threads, _MARKS), np.int64),
        found=np.empty((threads, FOUND), np.uint32),
        offers=np.empty((threads, FOUND), kind.dtype),
        counts=np.empty((threads, _COUNTS), np.int64),
        words=np.zeros(_WORDS, np.int64),
        scale=np.empty(1),
        bounds=np.zeros(3, kind.dtype),
    )
