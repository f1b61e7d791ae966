"""Conversion of an arc list to CSR: a counting sort by tail, then a sort of each row by
head. Stable. Where a row is too long to be sorted in one go, counting sorts by head and
then by tail replace both.

O(n + m) on graphs of low degree. Arcs are moved directly to their final position,
without a permutation array. The work is done in slices of some milliseconds, between
which the caller can check for cancellation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from solvers.system.array_types import AnyArray, Int32s, Int64s, read_only
from solvers.system.jit import njit
from solvers.system.ranges import offsets_of

SLICE = 2**19
_CELLS = 2**20  # written in about 1 ms, or some 20 ms if the pages are newly allocated
# arcs of a row; a longer one would not be sorted between two checks for cancellation
_LONGEST_SORTED = 2**17
_SHORT_RUN = 32  # up to this length insertion sort is faster than merge sort


@njit
def _count(tails: Int32s, begin: int, end: int, indptr: Int64s) -> None:
    for arc in range(begin, end):
        indptr[tails[arc] + 1] += 1


@njit
def _add_up(begin: int, end: int, indptr: Int64s, cursor: Int64s) -> None:
    """Prefix sum of the counts of rows ``begin`` to ``end``, continuing that of the rows before."""
    for vertex in range(begin, end):
        cursor[vertex] = indptr[vertex]
        indptr[vertex + 1] += indptr[vertex]


@njit
def _scatter(
    tails: Int32s,
    heads: Int32s,
    weights: AnyArray,
    begin: int,
    end: int,
    cursor: Int64s,
    sorted_heads: Int32s,
    sorted_weights: AnyArray,
) -> None:
    for arc in range(begin, end):
        position = cursor[tails[arc]]
        cursor[tails[arc]] = position + 1
        sorted_heads[position] = heads[arc]
        sorted_weights[position] = weights[arc]


@njit
def _sort_rows(indptr: Int64s, first: int, last: int, heads: Int32s, bits: AnyArray) -> None:
    for vertex in range(first, last):
        sort_along(heads, bits, indptr[vertex], indptr[vertex + 1])


@njit
def sort_along(keys: AnyArray, values: AnyArray, begin: int, end: int) -> None:
    """Sort a range by key, values along with them: short runs by insertion, then merged.

    Stable. ``values`` may be ``keys``. NumPy's functions would do, but take seconds to
    compile.
    """
    for run in range(begin, end, _SHORT_RUN):
        for following in range(run + 1, min(run + _SHORT_RUN, end)):
            key, value, place = keys[following], values[following], following
            while place > run and keys[place - 1] > key:
                keys[place] = keys[place - 1]
                values[place] = values[place - 1]
                place -= 1
            keys[place] = key
            values[place] = value
    width = _SHORT_RUN
    while width < end - begin:
        _merge_runs(keys, values, begin, end, width)
        width *= 2


@njit
def _merge_runs(keys: AnyArray, values: AnyArray, begin: int, end: int, width: int) -> None:
    """Merge sorted runs of ``width`` in pairs; of equal keys, those of the first run stay first."""
    first_keys, first_values = np.empty(width, keys.dtype), np.empty(width, values.dtype)
    for run in range(begin, end - width, 2 * width):
        for i in range(width):
            first_keys[i] = keys[run + i]
            first_values[i] = values[run + i]
        one, other, stop = 0, run + width, min(run + 2 * width, end)
        place = run
        while one < width:
            if other < stop and keys[other] < first_keys[one]:
                keys[place] = keys[other]
                values[place] = values[other]
                other += 1
            else:
                keys[place] = first_keys[one]
                values[place] = first_values[one]
                one += 1
            place += 1


@njit
def first_not_less(values: AnyArray, begin: int, end: int, sought: int) -> int:
    """The first place from ``begin`` on where ascending values are not less than
    ``sought``; ``end`` if all are.
    """
    while begin < end:
        middle = (begin + end) >> 1
        if values[middle] < sought:
            begin = middle + 1
        else:
            end = middle
    return begin


@njit
def row_of(indptr: Int64s, arc: int) -> int:
    """The row that an arc is in."""
    return first_not_less(indptr, 0, len(indptr), arc + 1) - 1


def slices(count: int, size: int = SLICE) -> Iterator[tuple[int, int]]:
    """Half-open ranges ``(begin, end)`` of at most ``size`` that cover ``range(count)``."""
    for begin in range(0, count, size):
        yield begin, min(begin + size, count)


def row_slices(indptr: Int64s) -> Iterator[tuple[int, int]]:
    """Ranges of rows that hold at most `SLICE` rows, and at most `SLICE` arcs more than
    their first row.
    """
    for begin, end in slices(len(indptr) - 1):
        while begin < end:
            last = (
                int(np.searchsorted(indptr[begin : end + 1], indptr[begin] + SLICE, side="right"))
                - 1
                + begin
            )
            last = min(end, max(begin + 1, last))
            yield begin, last
            begin = last


def cell_slices(rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """Ranges of a matrix's rows, each small enough to be written between two checks for
    cancellation.

    The size allows for page faults, which slow down the first write to newly allocated
    memory.
    """
    return slices(rows, max(1, _CELLS // max(1, columns)))


def rows_of_arcs(
    n: int,  # number of vertices
    tails: Int32s,
    heads: Int32s,
    weights: AnyArray,  # (m,)
    # called between slices of the work; may raise to cancel
    checkpoint: Callable[[], None] = lambda: None,
) -> tuple[Int64s, Int32s, AnyArray]:
    """CSR arrays of an arc list, heads ascending within each row; parallel arcs keep their order.

    Parameters
    ----------
    tails, heads : (m,) int32

    Returns
    -------
    indptr : (n + 1,) int64
    indices : (m,) int32
    weights : (m,) array
    """
    if _are_in_order(n, tails, heads, checkpoint):  # as those of a CSR matrix are
        return _begins(n, tails), heads.copy(), weights.copy()
    bits = _as_integers(weights)
    indptr, indices, ordered = _bucketed(n, tails, heads, bits, checkpoint)
    if n and int(np.diff(indptr).max()) > _LONGEST_SORTED:
        by_head, tails, bits = _bucketed(n, heads, tails, bits, checkpoint)
        indptr, indices, ordered = _bucketed(n, tails, _keys(by_head, checkpoint), bits, checkpoint)
    else:
        for first, last in row_slices(indptr):
            _sort_rows(indptr, first, last, indices, ordered)
            checkpoint()
    return indptr, indices, ordered.view(weights.dtype)


def _are_in_order(n: int, tails: Int32s, heads: Int32s, checkpoint: Callable[[], None]) -> bool:
    """Whether arcs are by tail, and those of a tail by head."""
    for begin, end in slices(len(tails)):
        checkpoint()
        part = slice(begin, end + 1)  # with the first of the next slice
        keys = tails[part].astype(np.int64) * n + heads[part]
        if (keys[1:] < keys[:-1]).any():
            return False
    return True


def _begins(n: int, tails: Int32s) -> Int64s:
    """Where the arcs of each vertex begin among arcs by tail, (n + 1,)."""
    return offsets_of(np.bincount(tails, minlength=n))


def unpaired_arc(indptr: Int64s, indices: Int32s, weights: AnyArray) -> int:
    """The first arc that has no opposite of the same weight; -1 if all have one,
    parallel arcs as many. Loops do.

    ``indptr``, (n + 1,) int64. ``indices``, (m,) int32: ascending within each row;
    otherwise this takes longer. ``weights``, (m,) of 32 or 64 bits.
    """
    bits = read_only(_as_integers(weights))
    if _rows_are_paired(read_only(indptr), read_only(indices), bits):
        return -1
    # Rows that are not ascending, or 0.0 and -0.0? Compare by value, which also finds the arc.
    tails = np.repeat(np.arange(len(indptr) - 1, dtype=np.int32), np.diff(indptr))
    there, back = np.lexsort((weights, indices, tails)), np.lexsort((weights, tails, indices))
    pairs = (
        (tails[there], indices[back]),
        (indices[there], tails[back]),
        (weights[there], weights[back]),
    )
    differ = np.flatnonzero(np.logical_or.reduce([one != other for one, other in pairs]))
    if not len(differ):
        return -1
    one, other = int(there[differ[0]]), int(back[differ[0]])
    # The lesser of the two has nothing to match on the other side.
    mine, theirs = (
        (tails[one], indices[one], weights[one]),
        (indices[other], tails[other], weights[other]),
    )
    return one if mine < theirs else other


def _as_integers(weights: AnyArray) -> AnyArray:
    """The bits of weights that are only moved and compared: fewer types to compile for."""
    return weights.view(f"i{weights.dtype.itemsize}")


@njit
def _rows_are_paired(indptr: Int64s, indices: Int32s, bits: AnyArray) -> bool:
    """Whether the arcs to greater heads are those to lesser heads, reversed; one pass
    over ascending rows.

    The arcs into a vertex from lesser ones come in ascending order of tails, in which
    its row lists the opposites.
    """
    n = indptr.shape[0] - 1
    # in each row, where the opposites begin of arcs that are still to come
    opposite = indptr[:-1].copy()
    for u in range(n):
        a, end = opposite[u], indptr[u + 1]
        while a < end and indices[a] == u:
            a += 1
        while a < end:
            v, last = indices[a], a + 1
            while last < end and indices[last] == v:
                last += 1
            if v <= u or v >= n:
                return False
            b = opposite[v]
            back = b + last - a
            if back > indptr[v + 1] or indices[b] != u or indices[back - 1] != u:
                return False
            if last - a == 1:
                if bits[a] != bits[b]:
                    return False
            elif not _are_same(bits[a:last].copy(), bits[b:back].copy()):
                return False
            opposite[v] = back
            a = last
    return True


@njit
def _are_same(these: AnyArray, those: AnyArray) -> bool:
    """Whether two arrays of one length hold the same values, in whatever order; sorts them."""
    sort_along(these, these, 0, len(these))
    sort_along(those, those, 0, len(those))
    differing = 0
    for i in range(len(these)):
        differing += these[i] != those[i]
    return differing == 0


def _bucketed(
    n: int, keys: Int32s, others: Int32s, weights: AnyArray, checkpoint: Callable[[], None]
) -> tuple[Int64s, Int32s, AnyArray]:
    """Stable counting sort of arcs by ``keys``, one of their ends: where each key
    begins (n + 1,), others, weights.
    """
    keys, others, weights = map(read_only, (keys, others, weights))
    indptr = np.zeros(n + 1, dtype=np.int64)
    for begin, end in slices(len(keys)):
        _count(keys, begin, end, indptr)
        checkpoint()
    cursor = np.empty(n, dtype=np.int64)
    for first, last in slices(n):
        _add_up(first, last, indptr, cursor)
        checkpoint()
    indices, ordered = np.empty_like(others), np.empty_like(weights)
    for begin, end in slices(len(keys)):
        _scatter(keys, others, weights, begin, end, cursor, indices, ordered)
        checkpoint()
    return indptr, indices, ordered


def _keys(indptr: Int64s, checkpoint: Callable[[], None]) -> Int32s:
    """The key of every sorted arc, (m,)."""
    keys = np.empty(int(indptr[-1]), dtype=np.int32)
    for first, last in slices(len(indptr) - 1):
        counts = np.diff(indptr[first : last + 1])
        keys[indptr[first] : indptr[last]] = np.repeat(
            np.arange(first, last, dtype=np.int32), counts
        )
        checkpoint()
    return keys


def mirrored(
    tails: Int32s, heads: Int32s, weights: AnyArray, checkpoint: Callable[[], None] = lambda: None
) -> tuple[Int32s, Int32s, AnyArray]:
    """Both arcs of every edge: the given arcs, then the opposite ones; self-loops are
    not duplicated.
    """
    pairs = ((tails, heads), (heads, tails), (weights, weights))
    both = [np.empty(2 * len(forth), dtype=forth.dtype) for forth, _ in pairs]
    last = len(tails)
    for begin, end in slices(len(tails)):
        turn = tails[begin:end] != heads[begin:end]
        first, last = last, last + int(np.count_nonzero(turn))
        for column, (forth, back) in zip(both, pairs, strict=True):
            column[begin:end] = forth[begin:end]
            column[first:last] = back[begin:end][turn]
        checkpoint()
    return both[0][:last], both[1][:last], both[2][:last]


@njit
def depth_first_ranks(indptr: Int64s, indices: Int32s) -> Int64s:
    """The place of each vertex, (n,), in a depth-first traversal from vertex to vertex."""
    n = len(indptr) - 1
    ranks = np.full(n, -1, np.int64)
    waiting = np.empty(len(indices) + n, np.int64)
    count = 0
    for start in range(n):
        waiting[0], size = start, 1
        while size > 0:
            size -= 1
            v = waiting[size]
            if ranks[v] >= 0:
                continue
            ranks[v] = count
            count += 1
            for a in range(indptr[v], indptr[v + 1]):
                if ranks[indices[a]] < 0:
                    waiting[size] = indices[a]
                    size += 1
    return ranks
