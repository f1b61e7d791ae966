"""Customisation: the weights of every up arc in both directions, from the weights of the graph.

The weight of an up arc is the length of the shortest path between its ends over lower vertices. It is the least of the
graph's own arcs and of the *lower triangles*: detours over a lower vertex that has up arcs to both ends. Rows are
filled from the lowest vertex to the highest, each from finished rows only; disjoint subtrees do not depend on one
another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.supergraph import Hierarchy, batches
from solvers.graphs.weights import WeightType
from solvers.system.cancel import SILENT, Progress
from solvers.system.intrinsics import atomic_add
from solvers.system.jit import njit

_TRIANGLES_A_LOOK = 20_000_000  # estimated, between two cancellation checks


@dataclass(frozen=True)
class Metric:
    """Weights of the up arcs.

    Attributes
    ----------
    up : (arcs up,) array of a distance type
        From the lower end to the upper; infinity where no path over lower vertices leads there.
    down : (arcs up,) array
        From the upper end to the lower; the same array if all weights are the same in both directions.
    negative_cycle : bool
        Some cycle is negative, and weights above it mean nothing.
    guarded : bool
        Some weights are negative, so infinity plus a weight may be below infinity.
    infinity : number of that type
    """

    up: NDArray[Any]
    down: NDArray[Any]
    negative_cycle: bool
    guarded: bool
    infinity: Any

    @property
    def is_symmetric(self) -> bool:
        return self.up is self.down


def customise(
    hierarchy: Hierarchy,
    weights: NDArray[Any],
    kind: WeightType,
    threads: int,
    progress: Progress = SILENT,
    *,
    stop_at_cycle: bool = True,
) -> Metric:
    """Weights of all up arcs.

    Parameters
    ----------
    weights : (m,) array of ``kind``
        Of the graph's arcs.
    threads : int
        OpenMP threads; the caller has set numba to them.
    stop_at_cycle : bool
        Leave the rest undone once a negative cycle has been found.

    Raises
    ------
    Cancelled
    """
    progress.checkpoint()
    infinity = kind.dtype.type(kind.infinity)
    guarded = bool(len(weights) and weights.min() < 0)
    up, down = np.empty(hierarchy.arcs, kind.dtype), np.empty(hierarchy.arcs, kind.dtype)
    inputs = (hierarchy.input_first, hierarchy.input_arc, hierarchy.input_up)
    symmetric = bool(_spread(threads, (*inputs, hierarchy.up_first, weights, up, down, infinity)))
    if symmetric:
        down = up
    rows = (hierarchy.up_first, hierarchy.up_depth, hierarchy.down_first, hierarchy.down_tail, hierarchy.down_arc)
    closed = np.zeros(threads, np.bool_)  # by thread: whether it has met a negative cycle
    metric = (up, down, infinity, symmetric, guarded and kind.is_integer, hierarchy.tree.height, closed)
    for roots, sizes, parallel in hierarchy.stages:
        for first, last in task_batches(hierarchy, roots, sizes):
            progress.checkpoint(int(roots[first]), hierarchy.n)
            if stop_at_cycle and closed.any():
                break
            work = (roots[first:last], sizes[first:last], np.zeros(1, np.int64), *rows, *metric)
            if parallel:
                _share_subtrees(threads, work)
            else:
                _fill_subtrees(0, *work)
    return Metric(up, down, bool(closed.any()), guarded, infinity)


def task_batches(hierarchy: Hierarchy, roots: NDArray[np.int32], sizes: NDArray[np.int32]) -> list[tuple[int, int]]:
    """Ranges of subtrees whose lower triangles are looked at between two cancellation checks."""
    return batches(_triangles(hierarchy, roots, sizes), _TRIANGLES_A_LOOK)


def _triangles(hierarchy: Hierarchy, roots: NDArray[np.int32], sizes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Lower triangles in each subtree, roughly, by the number of arcs up and down from each vertex."""
    up, down = np.diff(hierarchy.up_first).astype(np.float64), np.diff(hierarchy.down_first)
    sums = np.concatenate(([0.0], np.cumsum(up * (up + down) / 2)))
    ends = roots.astype(np.int64) + 1
    return sums[ends] - sums[ends - sizes]


@njit(cache=True, nogil=True, parallel=True)
def _spread(threads: int, work: tuple[Any, ...]) -> bool:
    """Give up arcs the weights of the graph's arcs; True if both directions are the same everywhere."""
    differ = 0
    for t in prange(threads):
        differ += _spread_part(np.int64(t), threads, *work)
    return differ == 0


@njit(cache=True, nogil=True)
def _spread_part(
    part: int,
    parts: int,
    input_first: NDArray[np.int64],
    input_arc: NDArray[np.int64],
    input_up: NDArray[np.int64],
    up_first: NDArray[np.int64],
    weights: NDArray[Any],
    up: NDArray[Any],
    down: NDArray[Any],
    infinity: Any,
) -> int:
    """The up arcs of one range of vertices; returns how many of them differ in their two directions."""
    n = len(input_first) - 1
    begin, end = n * part // parts, n * (part + 1) // parts
    for a in range(up_first[begin], up_first[end]):
        up[a] = infinity
        down[a] = infinity
    for k in range(input_first[begin], input_first[end]):
        weight, a = weights[input_arc[k]], input_up[k]
        if a >= 0:
            up[a] = min(up[a], weight)
        else:
            down[~a] = min(down[~a], weight)
    differ = 0
    for a in range(up_first[begin], up_first[end]):
        differ += up[a] != down[a]
    return differ


@njit(cache=True, nogil=True, parallel=True)
def _share_subtrees(threads: int, work: tuple[Any, ...]) -> None:
    """Threads take subtrees as they become free."""
    for t in prange(threads):
        _fill_subtrees(np.int64(t), *work)


@njit(cache=True, nogil=True)
def _fill_subtrees(
    thread: int,
    roots: NDArray[np.int32],
    sizes: NDArray[np.int32],
    taken: NDArray[np.int64],
    up_first: NDArray[np.int64],
    up_depth: NDArray[np.uint16],
    down_first: NDArray[np.int64],
    down_tail: NDArray[np.int32],
    down_arc: NDArray[np.int64],
    up: NDArray[Any],
    down: NDArray[Any],
    infinity: Any,
    symmetric: bool,
    guarded: bool,
    height: int,
    closed: NDArray[np.bool_],
) -> None:
    """Fill the rows of a subtree from its lowest vertex to its root, then take the next."""
    row_up, row_down = np.empty(height, up.dtype), np.empty(height, up.dtype)  # by depth
    negative = False
    while True:
        i = atomic_add(taken, 0, 1)
        if i >= len(roots):
            break
        for v in range(roots[i] + 1 - sizes[i], roots[i] + 1):
            if symmetric:
                negative |= _fill_symmetric(v, row_up, up_first, up_depth, down_first, down_tail, down_arc, up)
            else:
                negative |= _fill_row(
                    v, row_up, row_down, up_first, up_depth, down_first, down_tail, down_arc, up, down, infinity,
                    guarded,
                )  # fmt: skip
    closed[thread] |= negative


@njit(cache=True, nogil=True)
def _fill_row(
    v: int,
    row_up: NDArray[Any],
    row_down: NDArray[Any],
    up_first: NDArray[np.int64],
    up_depth: NDArray[np.uint16],
    down_first: NDArray[np.int64],
    down_tail: NDArray[np.int32],
    down_arc: NDArray[np.int64],
    up: NDArray[Any],
    down: NDArray[Any],
    infinity: Any,
    guarded: bool,
) -> bool:
    """Finish the up arcs of ``v``; True if one of them closes a negative cycle. Rows are working memory."""
    begin, end = up_first[v], up_first[v + 1]
    for a in range(begin, end):
        row_up[up_depth[a]] = up[a]
        row_down[up_depth[a]] = down[a]
    for e in range(down_first[v], down_first[v + 1]):
        arc, last = down_arc[e], up_first[down_tail[e] + 1]
        to_lower, from_lower = down[arc], up[arc]
        if guarded:
            for b in range(np.uint64(arc + 1), np.uint64(last)):
                k = up_depth[b]
                if to_lower < infinity and up[b] < infinity:
                    row_up[k] = min(row_up[k], to_lower + up[b])
                if from_lower < infinity and down[b] < infinity:
                    row_down[k] = min(row_down[k], down[b] + from_lower)
        else:
            for b in range(np.uint64(arc + 1), np.uint64(last)):
                k = up_depth[b]
                row_up[k] = min(row_up[k], to_lower + up[b])
                row_down[k] = min(row_down[k], down[b] + from_lower)
    negative = False
    for a in range(begin, end):
        up[a] = row_up[up_depth[a]]
        down[a] = row_down[up_depth[a]]
        negative |= up[a] < infinity and down[a] < infinity and up[a] + down[a] < 0
    return negative


@njit(cache=True, nogil=True)
def _fill_symmetric(
    v: int,
    row: NDArray[Any],
    up_first: NDArray[np.int64],
    up_depth: NDArray[np.uint16],
    down_first: NDArray[np.int64],
    down_tail: NDArray[np.int32],
    down_arc: NDArray[np.int64],
    up: NDArray[Any],
) -> bool:
    """As `_fill_row`, where both directions weigh the same: no weight is negative unless that closes a cycle."""
    begin, end = up_first[v], up_first[v + 1]
    for a in range(begin, end):
        row[up_depth[a]] = up[a]
    for e in range(down_first[v], down_first[v + 1]):
        arc = down_arc[e]
        to_lower = up[arc]
        for b in range(np.uint64(arc + 1), np.uint64(up_first[down_tail[e] + 1])):
            k = up_depth[b]
            row[k] = min(row[k], to_lower + up[b])
    negative = False
    for a in range(begin, end):
        up[a] = row[up_depth[a]]
        negative |= up[a] < 0
    return negative
