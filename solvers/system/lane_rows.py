"""Loops over rows of sixteen lanes, for numba CPU code: distances relaxed and summarised,
shortest paths counted, and flows shared over them.

A row holds one element for each lane, and rows are contiguous arrays, (k, ROW). Counts and
flows are float64; distances are of any distance type. Which lanes an arc is tight in, that
is, on a shortest path, is a mask of sixteen bits. What is infinite in a row or among the
weights is left out.

Functions are inlined: passing arrays costs more than a short loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.system.array_types import AnyArray, Float64s, Int32s, UInt16s
from solvers.system.intrinsics import (
    at_most,
    bits_of,
    both,
    condition_of,
    converted,
    divided,
    equal,
    less,
    load,
    minus,
    plus,
    select,
    spread,
    store,
    times,
    total,
)
from solvers.system.jit import njit

_GOLDEN = 0.6180339887498949


@njit(inline="always")
def relax_rows(
    rows: AnyArray,
    row: int,
    keeps: bool,
    others: AnyArray,  # of the same type
    other: int,
    picked: AnyArray,  # (m,) unsigned
    weights: AnyArray,  # (m,) of the rows' type
    begin: int,
    end: int,
    infinity: Any,
) -> None:
    """Set ``rows[row]`` and ``others[other]`` to the least of ``others[picked[i]] +
    weights[i]``, element by element, with i from ``begin`` to ``end``.

    If ``keeps`` is true, ``rows[row]`` itself is one of the candidates; else it need not
    be initialised.
    """
    infinite = spread(rows, infinity)
    least = load(rows, row) if keeps else infinite
    for i in range(np.uint64(begin), np.uint64(end)):
        above, weight = load(others, picked[i]), spread(rows, weights[i])
        offered = plus(above, weight)
        finite = both(less(above, infinite), less(weight, infinite))
        least = select(both(less(offered, least), finite), offered, least)
    store(rows, row, least)
    store(others, other, least)


@njit(inline="always")
def summarise_rows(
    rows: AnyArray,
    begin: int,
    end: int,
    step: int,
    infinity: Any,
    budget: Any,
    farthest: AnyArray,  # (ROW,) of the rows' type: greatest elements so far
    totals: AnyArray,  # (ROW,) int64 or float64: sums so far; float64 for rows of floats
    reached: Int32s,  # (ROW,) numbers of finite elements so far, ...
    within: Int32s,  # ... and of those that are at most ``budget``
) -> None:
    """Add rows of distances, ``begin``, ``begin + step``, ... below ``end``, to the greatest,
    the sum and two counts of each column.
    """
    infinite, most, zero = spread(rows, infinity), spread(rows, budget), spread(rows, 0)
    greatest, sums = load(farthest, 0), load(totals, 0)
    finite_ones, near_ones = load(reached, 0), load(within, 0)
    for i in range(begin, end, step):
        row = load(rows, i)
        finite = less(row, infinite)
        greatest = select(both(finite, less(greatest, row)), row, greatest)
        sums = plus(sums, converted(totals, select(finite, row, zero)))
        finite_ones = plus(finite_ones, converted(reached, finite))
        near_ones = plus(near_ones, converted(within, both(finite, at_most(row, most))))
    store(farthest, 0, greatest)
    store(totals, 0, sums)
    store(reached, 0, finite_ones)
    store(within, 0, near_ones)


@njit(inline="always")
def count_rows(
    distances: AnyArray,
    counts: Float64s,
    row: int,
    keeps: bool,
    picked: AnyArray,  # (m,) unsigned
    weights: AnyArray,  # (m,) of the distances' type
    factors: Float64s,  # (m,)
    masks: UInt16s,  # (m,)
    begin: int,
    end: int,
    infinity: Any,
) -> None:
    """Add the counts of all arcs that are tight to those of a row, and write down in
    which lanes each arc is tight.

    Arc i, from ``begin`` to ``end``, is tight where ``distances[picked[i]] + weights[i]
    == distances[row]``, both finite; it adds ``counts[picked[i]] * factors[i]`` to
    ``counts[row]``, and its lanes are ``masks[i]``. If ``keeps`` is false, ``counts[row]``
    need not be initialised.
    """
    infinite, least = spread(distances, infinity), load(distances, row)
    nothing = spread(counts, 0)
    so_far = load(counts, row) if keeps else nothing
    for i in range(np.uint64(begin), np.uint64(end)):
        above, weight = load(distances, picked[i]), spread(distances, weights[i])
        finite = both(less(above, infinite), less(weight, infinite))
        tight = both(finite, equal(plus(above, weight), least))
        mask = bits_of(tight)
        masks[i] = mask
        if mask != 0:
            paths = times(load(counts, picked[i]), spread(counts, factors[i]))
            so_far = plus(so_far, select(tight, paths, nothing))
    store(counts, row, so_far)


@njit(inline="always")
def reached_rows(
    distances: AnyArray,
    row: int,
    limit: Any,
    mass: float,
    totals: Float64s,  # (ROW,)
    arrived: Float64s,  # (ROW,)
) -> int:
    """The lanes, uint16, in which ``distances[row]`` is at most ``limit``.

    Adds ``mass`` times these distances to ``totals``, and ``mass`` to ``arrived``, in
    these lanes.
    """
    found, nothing, each = load(distances, row), spread(totals, 0), spread(totals, mass)
    inside = at_most(found, spread(distances, limit))
    far = times(converted(totals, found), each)
    store(totals, 0, plus(load(totals, 0), select(inside, far, nothing)))
    store(arrived, 0, plus(load(arrived, 0), select(inside, each, nothing)))
    mask: int = bits_of(inside)
    return mask


@njit(inline="always")
def end_rows(
    shares: Float64s,
    counts: Float64s,
    row: int,
    mask: int,
    mass: float,  # of the vertex, as a destination
    origins: Float64s,  # (ROW,) masses of the lanes' sources
) -> float:
    """Let paths end at a vertex: adds ``mass * origins / counts[row]`` to
    ``shares[row]`` in the lanes of ``mask``; returns the sum of ``mass * origins`` there.
    """
    inside, nothing = condition_of(mask), spread(shares, 0)
    ends = times(load(origins, 0), spread(shares, mass))
    each = select(inside, divided(ends, load(counts, row)), nothing)
    store(shares, row, plus(load(shares, row), each))
    ending: float = total(select(inside, ends, nothing))
    return ending


@njit(inline="always")
def share_rows(
    shares: Float64s,
    counts: Float64s,
    row: int,
    picked: AnyArray,  # (m,) unsigned
    factors: Float64s,  # (m,)
    masks: UInt16s,  # (m,)
    flows: Float64s,  # (m,)
    begin: int,
    end: int,
) -> None:
    """Pass ``shares[row]`` on over tight arcs: the reverse of `count_rows`.

    Arc i, in the lanes of ``masks[i]``, adds ``shares[row] * factors[i]`` to
    ``shares[picked[i]]``, and the sum over these lanes of that times
    ``counts[picked[i]]`` to ``flows[i]``.
    """
    share, nothing = load(shares, row), spread(shares, 0)
    for i in range(np.uint64(begin), np.uint64(end)):
        if masks[i] == 0:
            continue
        p = picked[i]
        passed = times(share, spread(shares, factors[i]))
        passed = select(condition_of(masks[i]), passed, nothing)
        store(shares, p, plus(load(shares, p), passed))
        flows[i] += total(times(passed, load(counts, p)))


@njit(inline="always")
def align_rows(
    distances: AnyArray,
    counts: Float64s,
    row: int,
    picked: AnyArray,  # (m,)
    infinity: Any,
    shifts: bool,
    nearest: AnyArray,  # (ROW,) of the distances' type
    paths: Float64s,  # (ROW,)
    keys: Float64s,  # (ROW,)
    aligned: AnyArray,  # (m, ROW) of the distances' type
    ratios: Float64s,  # (m, ROW)
) -> None:
    """Make lanes comparable that differ by a number added to distances, or a factor of counts.

    Of the rows ``row + picked[i]``, each lane's least distance goes to ``nearest`` and its
    count there to ``paths``. ``aligned`` has the distances, less the least if ``shifts``,
    ``ratios`` the counts divided by ``paths``, and ``keys`` a hash of both.
    """
    infinite, one = spread(distances, infinity), spread(counts, 1)
    least, first, key = infinite, one, spread(counts, 0)
    for i in range(len(picked)):
        found = load(distances, row + picked[i])
        is_less = less(found, least)
        least = select(is_less, found, least)
        first = select(is_less, load(counts, row + picked[i]), first)
    first = select(less(spread(counts, 0), first), first, one)
    store(nearest, 0, least)
    store(paths, 0, first)
    origin = least if shifts else spread(distances, 0)
    turn = 0.0
    for i in range(len(picked)):
        found = load(distances, row + picked[i])
        is_finite = less(found, infinite)
        far = select(is_finite, minus(found, origin), found)
        ratio = divided(load(counts, row + picked[i]), first)
        store(aligned, i, far)
        store(ratios, i, ratio)
        turn += _GOLDEN  # a sum of multiples that are no fractions of one another
        turn -= np.floor(turn)
        hashed = plus(converted(counts, select(is_finite, far, spread(distances, -1))), ratio)
        key = plus(key, times(hashed, spread(counts, 0.5 + turn)))
    store(keys, 0, key)
