"""Passes over all vertices between the stages of a bounded search: the work of `pull_omp.py`.

A stage settles all vertices nearer than a bound, and looks at no arc that leads farther
(`BOUND`). The pass before it takes up what the stages before left, those below `BELOW`:
either settled vertices go on along their arcs, which are sorted by weight, or the other
vertices look back along theirs, of which only those lighter than the best offer count, and
only tails that the last pass did not know (`PULLED` and farther).

Threads take ranges of vertices in turn, and enter what falls into bins of their own. No
thread waits for another: vertices below `BELOW` have their last distances, and the stage
lowers none of these.
"""

from __future__ import annotations

import numpy as np

from solvers.algorithms.near_far.delta_bins import find_improved, first_beyond, write
from solvers.algorithms.near_far.delta_chains import enter_anew
from solvers.algorithms.near_far.delta_memory import (
    ABORTED,
    BELOW,
    BOUND,
    LEFT,
    NEXT,
    PASS,
    PULLED,
    RELAXED,
    SETTLED,
    STOP,
    BinMemory,
    UnsignedArcs,
)
from solvers.system.array_types import AnyArray
from solvers.system.intrinsics import atomic_add, atomic_min, load_shared
from solvers.system.jit import njit

NO_PASS, GO_ON, LOOK_BACK = range(3)  # values of the word `PASS`
RANGE = 1 << 11  # vertices that a thread takes at a time


@njit(_nrt=False)
def share_pass(
    arcs: UnsignedArcs, distances: AnyArray, work: BinMemory, thread: int, limit: int, shared: bool
) -> bool:
    """Take ranges until none is left, or, then False, until this thread has looked at about
    ``limit`` arcs and vertices.
    """
    n, words, counts = len(distances), work.words, work.counts[thread]
    limit += counts[RELAXED]
    while load_shared(words, STOP) != ABORTED:
        first = atomic_add(words, NEXT, np.int64(RANGE))
        if first >= n:
            return True
        if words[PASS] == GO_ON:
            _go_on(arcs, distances, work, thread, first, min(n, first + RANGE), shared)
        else:
            _look_back(arcs, distances, work, thread, first, min(n, first + RANGE))
        limit -= RANGE
        if counts[RELAXED] >= limit:
            return False
    return True


@njit(_nrt=False)
def _go_on(
    arcs: UnsignedArcs,
    distances: AnyArray,
    work: BinMemory,
    thread: int,
    first: int,
    last: int,
    shared: bool,
) -> None:
    """Relax the next arcs of settled vertices."""
    indptr, weights, counts = arcs.indptr, arcs.weights, work.counts[thread]
    below, bound = work.bounds[BELOW], work.bounds[BOUND]
    one, k = np.uint64(1), np.uint64(0)
    for u in range(np.uint64(first), np.uint64(last)):
        reach = distances[u]
        if reach >= below:
            continue
        arc, end = indptr[u], indptr[u + one]
        counts[SETTLED] += np.int64(end - arc)
        arc = first_beyond(weights, arc, end, reach, below)
        stop = first_beyond(weights, arc, end, reach, bound)
        counts[LEFT] += np.int64(end - stop)
        counts[RELAXED] += np.int64(stop - arc)
        k = find_improved(arcs, distances, work, thread, reach, arc, stop, k, shared)
    write(distances, work, thread, k, shared)


@njit(_nrt=False)
def _look_back(
    arcs: UnsignedArcs, distances: AnyArray, work: BinMemory, thread: int, first: int, last: int
) -> None:
    """Find the best offer of settled vertices to each that is not, and enter those that the
    stage settles.
    """
    indptr, into_indptr = arcs.indptr, arcs.into_indptr
    into_indices, into_weights = arcs.into_indices, arcs.into_weights
    counts, one = work.counts[thread], np.uint64(1)
    below, bound, pulled = work.bounds[BELOW], work.bounds[BOUND], work.bounds[PULLED]
    for v in range(np.uint64(first), np.uint64(last)):
        reach = distances[v]
        if reach < below:
            counts[SETTLED] += np.int64(indptr[v + one] - indptr[v])
            continue
        best, begin, end = reach, into_indptr[v], into_indptr[v + one]
        arc = begin
        while arc < end:
            weight = into_weights[arc]
            if pulled + weight >= best:
                break
            tail = distances[into_indices[arc]]
            if pulled <= tail < below:
                best = min(best, tail + weight)
            arc += one
        counts[RELAXED] += np.int64(arc - begin)
        if best < reach and atomic_min(distances, v, best) <= best:
            continue  # another thread lowered it, and entered it
        if best < bound and indptr[v] < indptr[v + one]:
            enter_anew(work, thread, v, best)
