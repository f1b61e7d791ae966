"""Ids at the ends of arcs, and their indices 0 .. n - 1, in slices that can be cancelled."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from solvers.graphs.csr import slices
from solvers.system.array_types import AnyArray, Bools, Int32s, Int64s
from solvers.system.jit import njit

_RANGE = 2**18  # ids merged at a time
_SORTED = 2**17  # ids sorted between two checks for cancellation
_SOUGHT = 2**14  # arcs whose ends are sought, by bisection in millions of ids, between two checks
_SAMPLED = 2**8  # every such id is a sample from which the ranges are determined


def distinct_ends(ends: AnyArray, checkpoint: Callable[[], None]) -> Int64s:
    """The distinct ids of ends, (m, 2), ascending: by a table or, where they are far
    apart, by sorting.
    """
    if len(ends) == 0:
        return np.empty(0, dtype=np.int64)
    highest = int(ends.max())
    if _is_dense(highest, ends.size):
        seen = np.zeros(highest + 1, dtype=np.bool_)
        for begin, end in slices(len(ends)):
            _mark(ends, begin, end, seen)
            checkpoint()
        return np.flatnonzero(seen).astype(np.int64)
    return sorted_distinct(ends, checkpoint)


def sorted_distinct(numbers: AnyArray, checkpoint: Callable[[], None]) -> Int64s:
    """The distinct numbers, ascending; sorted in pieces, because a single sort could
    not be cancelled.
    """
    parts = [np.empty(0, dtype=numbers.dtype)]
    for begin, end in slices(len(numbers), _SORTED):
        parts.append(distinct(numbers[begin:end]))
        checkpoint()
    return _merged(parts, checkpoint).astype(np.int64)


def _merged(parts: list[AnyArray], checkpoint: Callable[[], None]) -> AnyArray:
    """Merge ascending parts into one ascending array of distinct numbers, by ranges of
    some milliseconds each.

    The ranges are determined from samples of all parts, so that they have about equal
    size.
    """
    samples = np.sort(np.concatenate([part[::_SAMPLED] for part in parts]))
    bounds = samples[_RANGE // _SAMPLED :: _RANGE // _SAMPLED]
    cuts = [np.concatenate(([0], np.searchsorted(part, bounds), [len(part)])) for part in parts]
    ranges = []
    for k in range(len(bounds) + 1):
        pieces = [part[cut[k] : cut[k + 1]] for part, cut in zip(parts, cuts, strict=True)]
        ranges.append(distinct(np.concatenate(pieces)))
        checkpoint()
    return np.concatenate(ranges)


def distinct(numbers: AnyArray) -> AnyArray:
    """The distinct numbers, ascending. Not ``np.unique``, which since NumPy 2.3 uses
    hashing and is far slower here.
    """
    ordered = np.sort(numbers, axis=None)
    is_first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def _is_dense(highest: int, count: int) -> bool:
    """Whether a lookup table over all ids up to ``highest`` is small enough compared
    with ``count`` ids.
    """
    return highest <= 8 * count + 1_000_000


def numbered(ends: AnyArray, ids: Int64s, checkpoint: Callable[[], None]) -> tuple[Int32s, Int32s]:
    """The indices of the ends of arcs, (m, 2), in ``ids``, (n,) ascending, which has them
    all: tails and heads, (m,) int32.
    """
    tails, heads = np.empty(len(ends), dtype=np.int32), np.empty(len(ends), dtype=np.int32)
    if _is_dense(int(ids[-1]), len(ids) + ends.size):
        lookup = np.zeros(int(ids[-1]) + 1, dtype=np.int32)
        for begin, end in slices(len(ids)):
            lookup[ids[begin:end]] = np.arange(begin, end, dtype=np.int32)
            checkpoint()
        for begin, end in slices(len(ends)):
            _renumber(ends, begin, end, lookup, tails, heads)
            checkpoint()
    else:
        for begin, end in slices(len(ends), _SOUGHT):
            tails[begin:end] = np.searchsorted(ids, ends[begin:end, 0])
            heads[begin:end] = np.searchsorted(ids, ends[begin:end, 1])
            checkpoint()
    return tails, heads


@njit
def _mark(ends: AnyArray, begin: int, end: int, seen: Bools) -> None:
    for arc in range(begin, end):
        seen[ends[arc, 0]] = True
        seen[ends[arc, 1]] = True


@njit
def _renumber(
    ends: AnyArray, begin: int, end: int, lookup: Int32s, tails: Int32s, heads: Int32s
) -> None:
    for arc in range(begin, end):
        tails[arc] = lookup[ends[arc, 0]]
        heads[arc] = lookup[ends[arc, 1]]
