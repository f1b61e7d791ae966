"""Compiled searches by Dijkstra's algorithm in NetworkX's order: with a heap, from both
ends, with buckets.

With a heap, for any weights: a vertex is inserted whenever it comes nearer, and skipped
if it leaves the heap once more after it is settled. So equal distances are settled in
the order of their insertion, which decides the order of the result and which of several
shortest paths is found. Negative weights are not refused: as in NetworkX, the search
goes on until a settled vertex would come nearer. The heap is a d-ary one of (key,
tick): of equal keys the one of the least tick leaves first. With ticks that count
insertions this is the order of Python's ``heapq`` on tuples (key, counter, ...), on
which NetworkX's searches rest. Its functions are inlined, as in
`solvers.system.dary_heap`.

From both ends the ends take turns, one entry of a heap each.

With a bucket per distance, for non-negative integers of moderate size:

Idea
    Distances that wait lie within the greatest length of the least, so a ring of so
    many buckets holds them, one distance each. A bucket is a queue: of equal distances
    the one inserted first leaves first, as in NetworkX. Insertion and removal take
    constant time; a step to the next distance is one read. The search can pause after a
    bucket, so that results are read on another core while it goes on.

Why it is correct
    The buckets are visited in the order of distance, and lengths are not negative, so
    the first time that a vertex leaves a bucket its distance is final. Entries that a
    shorter path made obsolete no longer match the distance.

Source
    Dial 1969, Algorithm 360: Shortest-path forest with topological ordering.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solvers.features.networkx_backend.arcs import ArcRows
from solvers.system.array_types import Float64s, Int32s, Int64s, UInt8s
from solvers.system.dary_heap import pop_entry, push_entry
from solvers.system.jit import njit

UNSEEN, SEEN, SETTLED = 0, 1, 2
FINISHED, PAUSED, CONTRADICTION = 0, 1, -1
_SETTLED_COUNT, _SEEN_COUNT, _TICK, _SIZE = range(4)  # positions in the counters


NO_PATH = -2
_NONE = -1

UNREACHED = 2**62
TOO_SPARSE = -2
_SETTLED, _SEEN, _ENTRIES, _WAITING, _NOW, _EMPTY = range(6)  # positions in the counters


class DijkstraLabels(NamedTuple):
    """What a search writes."""

    distances: Float64s  # (n,) float64 or int64; final for settled vertices
    # (n,), or (0,) if not wanted; the vertex that each was last improved from, -1 for
    # none
    parents: Int32s
    order: Int32s  # (n,); vertices in the order of settling
    first_seen: Int32s  # (n,); vertices in the order of first being reached
    status: UInt8s  # (n,), or (0,) for buckets; `UNSEEN`, `SEEN` or `SETTLED`
    # (6,); of settled and of reached vertices, and what a search needs to go on
    counters: Int64s


def begin_heap(sources: Int32s, labels: DijkstraLabels, heap: TimedHeap) -> None:
    """Put the sources into the heap, all at 0."""
    count = len(sources)
    labels.status.fill(UNSEEN)
    labels.status[sources], labels.distances[sources] = SEEN, 0
    labels.first_seen[:count] = heap.vertices[:count] = sources
    heap.keys[:count], heap.ticks[:count] = 0, np.arange(count)  # ascending, which is a heap
    labels.counters[:] = 0
    labels.counters[[_SEEN_COUNT, _TICK, _SIZE]] = count


@njit
def search_by_heap(
    rows: ArcRows, target: int, cutoff: float, pause: int, labels: DijkstraLabels, heap: TimedHeap
) -> int:
    """Settle up to ``pause`` more vertices, until ``target`` is settled (-1 for no
    target), none beyond ``cutoff``.

    Returns `FINISHED` or `PAUSED`; `CONTRADICTION` if a settled vertex would come
    nearer.
    """
    indptr, heads, lengths = rows
    distances, parents, order, first_seen, status, counters = labels
    keys, ticks, vertices = heap
    settled = counters[_SETTLED_COUNT]
    seen = counters[_SEEN_COUNT]
    tick = counters[_TICK]
    size = counters[_SIZE]
    keeps_parents = parents.shape[0] > 0
    enough = settled + pause
    state = FINISHED
    while size > 0:
        if settled >= enough:
            state = PAUSED
            break
        u = vertices[ticks[0]]
        size = pop_entry(keys, ticks, size)
        if status[u] == SETTLED:
            continue
        status[u] = SETTLED
        order[settled] = u
        settled += 1
        if u == target:
            break
        distance = distances[u]
        for arc in range(indptr[u], indptr[u + 1]):
            v = heads[arc]
            through = distance + lengths[arc]
            if through > cutoff:
                continue
            if status[v] == SETTLED:
                if through < distances[v]:
                    state = CONTRADICTION
                continue
            if status[v] == UNSEEN or through < distances[v]:
                if status[v] == UNSEEN:
                    status[v] = SEEN
                    first_seen[seen] = v
                    seen += 1
                distances[v] = through
                if keeps_parents:
                    parents[v] = u
                vertices[tick] = v
                size = push_entry(keys, ticks, size, through, tick)
                tick += 1
        if state == CONTRADICTION:
            break
    counters[_SETTLED_COUNT] = settled
    counters[_SEEN_COUNT] = seen
    counters[_TICK] = tick
    counters[_SIZE] = size
    return state


class TimedHeap(NamedTuple):
    """Room for entries, and what each insertion put in."""

    keys: Float64s  # (room,)
    ticks: Int32s  # (room,); which insertion an entry is
    vertices: Int32s  # (room,); by tick: the vertex that was inserted

    @classmethod
    def with_room(cls, room: int) -> TimedHeap:
        """Empty arrays for so many entries."""
        return cls(np.empty(room), np.empty(room, np.int32), np.empty(room, np.int32))


class EndSearch(NamedTuple):
    """The arcs that one end follows, and its labels."""

    rows: ArcRows
    distances: Float64s  # (n,)
    parents: Int32s  # (n,); the next vertex towards this end; -1 for the end itself
    status: UInt8s  # (n,); `UNSEEN`, `SEEN` or `SETTLED`
    heap: TimedHeap

    @classmethod
    def along(cls, rows: ArcRows) -> EndSearch:
        """The state before a search along these arcs."""
        n = len(rows.indptr) - 1
        labels = np.empty(n), np.full(n, _NONE, np.int32), np.full(n, UNSEEN, np.uint8)
        return cls(rows, *labels, TimedHeap.with_room(len(rows.heads) + 1))


@njit
def search_from_two_ends(
    forth: EndSearch, back: EndSearch, source: int, target: int
) -> tuple[int, float]:
    """Search until a vertex is settled from both ends; ``source`` and ``target`` differ.

    Returns a vertex on the shortest path, and the path's length; in place of the vertex
    `NO_PATH`, or `CONTRADICTION` if a settled vertex would come nearer.
    """
    forth.distances[source], forth.status[source], forth.heap.vertices[0] = 0.0, SEEN, source
    back.distances[target], back.status[target], back.heap.vertices[0] = 0.0, SEEN, target
    sizes, ticks = np.zeros(2, np.int64), np.ones(2, np.int64)
    sizes[0] = push_entry(forth.heap.keys, forth.heap.ticks, 0, 0.0, 0)
    sizes[1] = push_entry(back.heap.keys, back.heap.ticks, 0, 0.0, 0)
    meeting, length = _NONE, 0.0
    turn = 1
    while sizes[0] > 0 and sizes[1] > 0:
        turn = 1 - turn
        own, other = (forth, back) if turn == 0 else (back, forth)
        keys, entries, vertices = own.heap
        u = vertices[entries[0]]
        sizes[turn] = pop_entry(keys, entries, sizes[turn])
        if own.status[u] == SETTLED:
            continue
        own.status[u] = SETTLED
        if other.status[u] == SETTLED:
            return meeting, length
        for arc in range(own.rows.indptr[u], own.rows.indptr[u + 1]):
            v = own.rows.heads[arc]
            through = own.distances[u] + own.rows.lengths[arc]
            if own.status[v] == SETTLED:
                if through < own.distances[v]:
                    return CONTRADICTION, 0.0
            elif own.status[v] == UNSEEN or through < own.distances[v]:
                own.distances[v] = through
                own.status[v] = SEEN
                own.parents[v] = u
                vertices[ticks[turn]] = v
                sizes[turn] = push_entry(keys, entries, sizes[turn], through, ticks[turn])
                ticks[turn] += 1
                if other.status[v] != UNSEEN:
                    whole = through + other.distances[v]
                    if meeting == _NONE or length > whole:
                        meeting, length = v, whole
    return NO_PATH, 0.0


class Buckets(NamedTuple):
    """A ring of queues; the first entries are their heads, each the position before the
    first entry of a bucket.
    """

    last: Int32s  # (a power of two,); last entry of each bucket, its head if it is empty
    vertices: Int32s  # (buckets + insertions,); by entry
    # (buckets + insertions,); by entry the next of its bucket, -1 for none
    following: Int32s

    @classmethod
    def with_room(cls, widest: int, room: int) -> Buckets:
        """For lengths up to ``widest`` and that many insertions."""
        ring = 1 << int(widest).bit_length()
        return cls(
            np.empty(ring, np.int32),
            np.empty(ring + room, np.int32),
            np.empty(ring + room, np.int32),
        )

    @property
    def room(self) -> int:
        """The number of insertions that there is room for."""
        return len(self.vertices) - len(self.last)

    def begin(self, sources: Int32s, labels: DijkstraLabels) -> None:
        """Empty all buckets, and put the sources into that of distance 0."""
        ring, count = len(self.last), len(sources)
        self.last[:] = np.arange(ring, dtype=np.int32)
        self.following[:ring] = _NONE
        labels.distances.fill(UNREACHED)
        labels.counters[:] = 0
        if count:
            self.vertices[ring : ring + count] = sources
            self.following[ring : ring + count] = np.arange(ring + 1, ring + count + 1)
            self.following[ring + count - 1] = _NONE
            self.following[0], self.last[0] = ring, ring + count - 1
            labels.distances[sources] = 0
            labels.first_seen[:count] = sources
        labels.counters[[_SEEN, _ENTRIES, _WAITING]] = count, ring + count, count


@njit
def search_by_buckets(
    rows: ArcRows,
    target: int,
    cutoff: int,
    pause: int,
    patience: int,
    labels: DijkstraLabels,
    buckets: Buckets,
) -> int:
    """Settle about ``pause`` more vertices, until ``target`` is settled (-1 for no
    target), none beyond ``cutoff``.

    Returns `FINISHED` or `PAUSED`; `TOO_SPARSE` if more than ``patience`` buckets were
    empty.
    """
    indptr, heads, lengths = rows
    distances, parents, order, first_seen, _, counters = labels
    last, vertices, following = buckets
    mask = last.shape[0] - 1
    settled, seen, entries = counters[_SETTLED], counters[_SEEN], counters[_ENTRIES]
    waiting, now, empty = counters[_WAITING], counters[_NOW], counters[_EMPTY]
    keeps_parents = parents.shape[0] > 0
    enough = settled + pause
    state = FINISHED
    while waiting > 0:
        bucket = now & mask
        entry = following[bucket]
        if entry == _NONE:
            empty += 1
            if empty > patience:
                state = TOO_SPARSE
                break
            now += 1
            continue
        if settled >= enough:
            state = PAUSED
            break
        found = False
        while entry != _NONE:
            u = vertices[entry]
            waiting -= 1
            if distances[u] == now:
                order[settled] = u
                settled += 1
                found = u == target
                if found:
                    break
                for arc in range(indptr[u], indptr[u + 1]):
                    v = heads[arc]
                    through = now + lengths[arc]
                    if through < distances[v] and through <= cutoff:
                        if distances[v] == UNREACHED:
                            first_seen[seen] = v
                            seen += 1
                        distances[v] = through
                        if keeps_parents:
                            parents[v] = u
                        vertices[entries] = v
                        following[entries] = _NONE
                        position = through & mask
                        following[last[position]] = entries
                        last[position] = entries
                        entries += 1
                        waiting += 1
            entry = following[entry]
        if found:
            break
        following[bucket] = _NONE
        last[bucket] = bucket
        now += 1
    counters[_SETTLED], counters[_SEEN], counters[_ENTRIES] = settled, seen, entries
    counters[_WAITING], counters[_NOW], counters[_EMPTY] = waiting, now, empty
    return state
