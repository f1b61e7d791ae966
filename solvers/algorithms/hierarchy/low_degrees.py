"""Elimination of vertices with few neighbours, before what is left is dissected.

A vertex of at most three neighbours adds few arcs wherever it stands in an order. It is
eliminated: taken out, and its neighbours are joined to one another. Of a road network
about a third is left, which METIS orders in about a third of the time, and the hierarchy
has fewer arcs than if METIS had ordered all (after Ost, Schulz and Strash 2020, who
eliminate up to two neighbours).

This is done in rounds. Of two neighbours only one is eliminated in a round, so that
paths and trees are eliminated in rounds of the order of the logarithm of their length,
and the hierarchy does not become as high as they are long. There are no more rounds than
that: a ladder would be eliminated rung by rung from its ends, which METIS bisects.
"""

from __future__ import annotations

import numpy as np

from solvers.algorithms.hierarchy.adjacency import Adjacency
from solvers.graphs.csr import slices
from solvers.system.array_types import Bools, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.ranges import offsets_of

MOST_NEIGHBOURS = 3  # of a vertex that is eliminated
ROOM = 8  # neighbours, beside which none is eliminated if there are more: rows are as long
_ROUNDS = 2  # at most, in multiples of the logarithm of n: a path takes 1 to 1.25 of it
_VERTICES_A_LOOK = 1 << 18  # between two cancellation checks
_NEVER = -1


def eliminate_low_degrees(
    adjacency: Adjacency, progress: Progress = SILENT
) -> tuple[Int32s, Int32s, Adjacency]:
    """The vertices eliminated, in order, those left, and the structure among these.

    Raises Cancelled.
    """
    n = adjacency.n
    degree = np.diff(adjacency.first).astype(np.int32)
    rows = np.empty((n, ROOM), np.int32)
    for begin, end in slices(n, _VERTICES_A_LOOK):
        progress.checkpoint()
        _fill(adjacency.first, adjacency.neighbours, begin, end, rows)
    order = _eliminated(rows, degree, progress)
    left = np.ones(n, np.bool_)
    left[order] = False
    rest = np.flatnonzero(left).astype(np.int32)
    return order, rest, _structure(adjacency, rest, rows, degree, progress)


def _eliminated(rows: Int32s, degree: Int32s, progress: Progress) -> Int32s:
    n = len(degree)
    order, blocked = np.empty(n, np.int32), np.full(n, _NEVER, np.int32)
    following, queued = np.empty(n, np.int32), degree <= MOST_NEIGHBOURS
    waiting, done, turn = np.flatnonzero(queued).astype(np.int32), 0, 0
    while len(waiting) and turn < _ROUNDS * n.bit_length():
        # the fewest neighbours first: in any order, hierarchies have 3 to 4 % more arcs
        waiting, follow = waiting[np.argsort(degree[waiting].astype(np.int8), kind="stable")], 0
        for begin, end in slices(len(waiting), _VERTICES_A_LOOK):
            progress.checkpoint()
            some = waiting[begin:end]
            done, follow = _eliminate(
                rows, degree, some, turn, blocked, queued, order, done, following, follow
            )
        waiting, turn = following[:follow].copy(), turn + 1
    return order[:done].copy()


def _structure(
    adjacency: Adjacency, rest: Int32s, rows: Int32s, degree: Int32s, progress: Progress
) -> Adjacency:
    first = offsets_of(degree[rest])
    number = np.empty(adjacency.n, np.int32)
    number[rest] = np.arange(len(rest), dtype=np.int32)
    neighbours = np.empty(first[-1], np.int32)
    for begin, end in slices(len(rest), _VERTICES_A_LOOK):
        progress.checkpoint()
        _number(
            adjacency.first, adjacency.neighbours, rest, rows, number, first, begin, end, neighbours
        )
    return Adjacency(first, neighbours)


@njit
def _fill(first: Int64s, neighbours: Int32s, begin: int, end: int, rows: Int32s) -> None:
    """Copy the rows that have room; longer ones do not change."""
    for v in range(begin, end):
        start = first[v]
        degree = first[v + 1] - start
        if degree <= ROOM:
            for k in range(degree):
                rows[v, k] = neighbours[start + k]


@njit
def _eliminate(
    rows: Int32s,
    degree: Int32s,
    waiting: Int32s,
    turn: int,
    blocked: Int32s,  # (n,), the last turn in which a neighbour was eliminated
    queued: Bools,
    order: Int32s,
    done: int,
    following: Int32s,
    follow: int,
) -> tuple[int, int]:
    """Eliminate those of ``waiting`` with no neighbour eliminated in this turn. Appends to
    ``order`` and to ``following``, who wait next, and returns how many they have.
    """
    for v in waiting:
        d = degree[v]
        if d > MOST_NEIGHBOURS:
            queued[v] = False
        elif blocked[v] == turn:
            following[follow] = v
            follow += 1
        else:
            queued[v] = False
            if _has_room(rows, degree, v):
                order[done] = v
                done += 1
                for i in range(d):
                    u = rows[v, i]
                    blocked[u] = turn
                    _join(rows, degree, u, v)
                    if degree[u] <= MOST_NEIGHBOURS and not queued[u]:
                        queued[u] = True
                        following[follow] = u
                        follow += 1
    return done, follow


@njit
def _has_room(rows: Int32s, degree: Int32s, v: int) -> bool:
    """Whether the neighbours' rows hold what they get if ``v`` is eliminated."""
    most = 0
    for i in range(degree[v]):
        most = max(most, degree[rows[v, i]])
    return most + max(0, degree[v] - 2) <= ROOM


@njit
def _join(rows: Int32s, degree: Int32s, u: int, v: int) -> None:
    """Replace ``v`` in its neighbour's row by its other neighbours."""
    row, count = rows[u], degree[u]
    for k in range(count):
        if row[k] == v:
            count -= 1
            row[k] = row[count]
            break
    for i in range(degree[v]):
        w, known = rows[v, i], count
        for k in range(count):
            if row[k] == w:
                known = k
        if w != u and known == count:
            row[count] = w
            count += 1
    degree[u] = count


@njit
def _number(
    whole_first: Int64s,
    whole_neighbours: Int32s,
    rest: Int32s,
    rows: Int32s,
    number: Int32s,
    first: Int64s,
    begin: int,
    end: int,
    neighbours: Int32s,
) -> None:
    """Write rows of ``rest`` by its numbers, ascending."""
    for i in range(begin, end):
        v, start = rest[i], first[i]
        wide = whole_first[v + 1] - whole_first[v] > ROOM
        for k in range(first[i + 1] - start):
            w = number[whole_neighbours[whole_first[v] + k] if wide else rows[v, k]]
            place = start + k
            while place > start and neighbours[place - 1] > w:
                neighbours[place] = neighbours[place - 1]
                place -= 1
            neighbours[place] = w
