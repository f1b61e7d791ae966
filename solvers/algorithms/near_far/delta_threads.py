"""A thread's work in delta-stepping: relax chunks of the frontier, then continue with
the vertices found.

A vertex is at most once in the next round's queue and at most once in the far pile;
flags, set and cleared by atomic exchange, record that. A thread that takes a vertex off
a queue clears its flag before it reads the distance, and one that lowers a distance
writes it before it checks the flag: so a fall is either read or queued again, never
lost.

Queues are filled in chunks: a thread reserves the next ``CHUNK`` entries by one atomic
step, and fills them without any. Entries that it leaves empty hold -1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import prange

from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.intrinsics import atomic_add, atomic_exchange, atomic_min
from solvers.system.jit import njit

CHUNK = 64  # entries reserved, and vertices taken, in one atomic step
FUSED = 1024  # vertices that a thread keeps for itself before it shares
# Vertices below which one thread does a task alone. On an idle machine 256 would do;
# but where other programs keep the cores busy, waiting for a thread that is not running
# costs a time slice, a hundred times what it could have saved.
RELAXED_TOGETHER, SIFTED_TOGETHER = 1024, 32_768
# arcs after which a thread shares what it kept, so that no round is longer than some
# milliseconds
SHARE_ARCS = 1 << 17

RELAX, SIFT, DONE = 0, 1, 2

# Integers shared by all threads, each on its own cache line.
_TAKEN, _NEAR, _FAR, _ROUND, _SIDE, _TASK, _COUNT = (8 * i for i in range(7))
WORDS = 8 * 7

# What a thread remembers between its shares: its reserved entries, and its counts.
_NEAR_AT, _NEAR_END, _FAR_AT, _FAR_END, _RELAXED, _IMPROVED = range(6)
MEMORY = 8

# Of ``bounds``: vertices up to SPLIT are near; those up to SETTLED were near before the last sift.
SPLIT, SETTLED, DELTA = range(3)


class Queues(NamedTuple):
    """The working memory of a run, created by ``start``."""

    near: Int32s  # (2, n + chunks): queues of the rounds with even and with odd number
    far: Int32s  # (2, n + chunks): the pile, and the side that the next sift fills
    # (n,): 1 for a vertex that is in a queue, in the pile
    queued: Int32s
    piled: Int32s
    own: Int32s  # (threads, 2, FUSED): what each thread keeps for itself
    memory: Int64s  # (threads, MEMORY)
    words: Int64s  # (WORDS,)
    # (n,) int32, or empty in unwatched runs: the last round, counted from 1, in which a vertex fell
    fell: Int32s

    @property
    def round(self) -> int:
        """Number of rounds before the current task."""
        return int(self.words[_ROUND])

    @property
    def relaxed(self) -> int:
        """Arcs relaxed by all threads since the start."""
        return int(self.memory[:, _RELAXED].sum())

    @property
    def improved(self) -> int:
        """Improved vertices, each counted once per round; 0 in unwatched runs."""
        return int(self.memory[:, _IMPROVED].sum())

    def frontier(self) -> Int32s:
        """The vertices of the current round, (k,); empty if the current task is a sift."""
        if self.words[_TASK] != RELAX:
            return np.empty(0, dtype=np.int32)
        entries = self.near[self.round & 1, : int(self.words[_COUNT])]
        return entries[entries >= 0]


def start(graph: Graph, source: int, threads: int, watched: bool) -> Queues:
    """Queues before the first round, which relaxes the source."""
    n, entries = graph.n, graph.n + (threads + 1) * CHUNK
    queues = Queues(
        near=np.empty((2, entries), np.int32),
        far=np.empty((2, entries), np.int32),
        queued=np.zeros(n, np.int32),
        piled=np.zeros(n, np.int32),
        own=np.empty((threads, 2, FUSED), np.int32),
        memory=np.zeros((threads, MEMORY), np.int64),
        words=np.zeros(WORDS, np.int64),
        fell=np.zeros(n if watched else 0, np.int32),
    )
    restart(queues, np.array([source], np.int32))
    return queues


def restart(queues: Queues, sources: Int32s) -> None:
    """Return to before the first round, which relaxes several sources; those of an
    unwatched run only.
    """
    for array in (queues.queued, queues.piled, queues.memory, queues.words):
        array.fill(0)
    count = len(sources)
    queues.near[0, :count] = sources
    queues.queued[sources] = 1
    queues.words[_COUNT] = count


@njit(parallel=True)
def advance(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    distances: AnyArray,
    bounds: AnyArray,
    queues: Queues,
    arcs: int,
    fused: int,
) -> bool:
    """Do at least one task, and more until about ``arcs`` arcs were relaxed; False once
    none is left.

    ``fused`` is how many vertices a thread may keep for itself: 0 makes every hop a
    round.
    """
    memory, words = queues.memory, queues.words
    limit = memory[:, _RELAXED].sum() + arcs
    while words[_TASK] != DONE:
        if words[_COUNT] < (RELAXED_TOGETHER if words[_TASK] == RELAX else SIFTED_TOGETHER):
            _share(indptr, indices, weights, distances, bounds, queues, fused, 0)
        else:
            for thread in prange(memory.shape[0]):
                _share(indptr, indices, weights, distances, bounds, queues, fused, np.int64(thread))
        _next_task(distances, bounds, queues.near, queues.far, memory, words)
        if memory[:, _RELAXED].sum() >= limit:
            break
    return words[_TASK] != DONE


@njit
def _share(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    distances: AnyArray,
    bounds: AnyArray,
    queues: Queues,
    fused: int,
    thread: int,
) -> None:
    """One thread's share of the current task."""
    near, far, queued, piled, own, memory, words, fell = queues
    if words[_TASK] == RELAX:
        _relax_share(
            indptr,
            indices,
            weights,
            distances,
            bounds,
            near,
            far,
            queued,
            piled,
            own[thread],
            memory[thread],
            words,
            fell,
            fused,
        )
    else:
        _sift_share(distances, bounds, near, far, queued, piled, memory[thread], words)


@njit
def _relax_share(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    distances: AnyArray,
    bounds: AnyArray,
    near: Int32s,
    far: Int32s,
    queued: Int32s,
    piled: Int32s,
    own: Int32s,
    memory: Int64s,
    words: Int64s,
    fell: Int32s,
    fused: int,
) -> None:
    """Relax chunks of the frontier while there are any, then this thread's own
    vertices, hop by hop.
    """
    number = np.int32(words[_ROUND] + 1)
    frontier, following = near[(number - 1) & 1], near[number & 1]
    pile = far[words[_SIDE]]
    count, split = words[_COUNT], bounds[SPLIT]
    near_at = memory[_NEAR_AT]
    near_end = memory[_NEAR_END]
    far_at = memory[_FAR_AT]
    far_end = memory[_FAR_END]
    watched = fell.shape[0] > 0
    relaxed, kept, side = 0, 0, 0
    one, zero, chunk = np.int32(1), np.int32(0), np.int64(CHUNK)
    keeping = own[0]
    while True:
        begin = atomic_add(words, _TAKEN, chunk)
        end = min(begin + CHUNK, count)
        queue = frontier
        if begin >= count:
            if kept == 0:
                break
            queue, begin, end = keeping, 0, kept
            side ^= 1
            keeping, kept = own[side], 0
        room = fused if relaxed < SHARE_ARCS else 0
        for i in range(begin, end):
            u = queue[i]
            if u < 0:
                continue
            atomic_exchange(queued, u, zero)
            reached = distances[u]
            relaxed += indptr[u + 1] - indptr[u]
            for arc in range(indptr[u], indptr[u + 1]):
                v = indices[arc]
                offered = reached + weights[arc]
                if offered >= distances[v] or offered >= atomic_min(distances, v, offered):
                    continue
                if watched and atomic_exchange(fell, v, number) != number:
                    memory[_IMPROVED] += 1
                if offered > split:
                    if piled[v] == 0 and atomic_exchange(piled, v, one) == 0:
                        if far_at == far_end:
                            far_at = atomic_add(words, _FAR, chunk)
                            far_end = far_at + CHUNK
                        pile[far_at] = v
                        far_at += 1
                elif atomic_exchange(queued, v, one) == 0:
                    if kept < room:
                        keeping[kept] = v
                        kept += 1
                        continue
                    if near_at == near_end:
                        near_at = atomic_add(words, _NEAR, chunk)
                        near_end = near_at + CHUNK
                    following[near_at] = v
                    near_at += 1
    memory[_NEAR_AT] = near_at
    memory[_NEAR_END] = near_end
    memory[_FAR_AT] = far_at
    memory[_FAR_END] = far_end
    memory[_RELAXED] += relaxed


@njit
def _sift_share(
    distances: AnyArray,
    bounds: AnyArray,
    near: Int32s,
    far: Int32s,
    queued: Int32s,
    piled: Int32s,
    memory: Int64s,
    words: Int64s,
) -> None:
    """Distribute chunks of the pile: into the next round, to the other side, or drop them."""
    following, pile, kept = near[words[_ROUND] & 1], far[words[_SIDE] ^ 1], far[words[_SIDE]]
    count, split, settled = words[_COUNT], bounds[SPLIT], bounds[SETTLED]
    near_at = memory[_NEAR_AT]
    near_end = memory[_NEAR_END]
    far_at = memory[_FAR_AT]
    far_end = memory[_FAR_END]
    chunk = np.int64(CHUNK)
    while True:
        begin = atomic_add(words, _TAKEN, chunk)
        if begin >= count:
            break
        for i in range(begin, min(begin + CHUNK, count)):
            v = pile[i]
            if v < 0:
                continue
            if distances[v] > split:
                if far_at == far_end:
                    far_at = atomic_add(words, _FAR, chunk)
                    far_end = far_at + CHUNK
                kept[far_at] = v
                far_at += 1
                continue
            piled[v] = 0
            if distances[v] > settled:
                queued[v] = 1
                if near_at == near_end:
                    near_at = atomic_add(words, _NEAR, chunk)
                    near_end = near_at + CHUNK
                following[near_at] = v
                near_at += 1
    memory[_NEAR_AT] = near_at
    memory[_NEAR_END] = near_end
    memory[_FAR_AT] = far_at
    memory[_FAR_END] = far_end


@njit
def _next_task(
    distances: AnyArray, bounds: AnyArray, near: Int32s, far: Int32s, memory: Int64s, words: Int64s
) -> None:
    """Finish the current task and choose the next; run by one thread, between two
    parallel loops.
    """
    if words[_TASK] == RELAX:
        words[_ROUND] += 1
    queue = near[words[_ROUND] & 1]
    for thread in range(memory.shape[0]):
        queue[memory[thread, _NEAR_AT] : memory[thread, _NEAR_END]] = -1
        memory[thread, _NEAR_AT] = memory[thread, _NEAR_END] = 0
    words[_COUNT] = words[_NEAR]
    words[_NEAR] = words[_TAKEN] = 0
    words[_TASK] = RELAX
    if words[_COUNT] > 0:
        return
    pile = far[words[_SIDE]]
    for thread in range(memory.shape[0]):
        pile[memory[thread, _FAR_AT] : memory[thread, _FAR_END]] = -1
        memory[thread, _FAR_AT] = memory[thread, _FAR_END] = 0
    words[_COUNT] = words[_FAR]
    words[_FAR] = 0
    words[_SIDE] ^= 1
    if words[_COUNT] == 0:
        words[_TASK] = DONE
        return
    words[_TASK] = SIFT
    bounds[SETTLED] = bounds[SPLIT]
    bounds[SPLIT] = (
        max(bounds[SPLIT], _least_beyond(distances, pile, words[_COUNT], bounds[SPLIT]))
        + bounds[DELTA]
    )


@njit
def _least_beyond(distances: AnyArray, pile: Int32s, count: int, settled: Any) -> Any:
    """The least distance in the pile that is not settled; ``settled`` if there is none.

    The next bucket begins there, so none is empty; and it holds that vertex even where
    rounding swallows delta.
    """
    least = settled
    for i in range(count):
        v = pile[i]
        if v >= 0 and distances[v] > settled and (least == settled or distances[v] < least):
            least = distances[v]
    return least
