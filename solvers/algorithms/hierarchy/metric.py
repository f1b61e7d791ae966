"""Customisation: the weights of every up arc in both directions, from the weights of the graph.

The weight of an up arc is the length of the shortest path between its ends over lower
vertices. It is the least of the graph's own arcs and of the *lower triangles*: detours
over a lower vertex that has up arcs to both ends. Rows are filled from the lowest
vertex to the highest, each from finished rows only; disjoint subtrees do not depend on
one another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from solvers.algorithms.hierarchy.supergraph import (
    Hierarchy,
    HierarchyArrays,
    Subtrees,
    batches,
    subtree_batches,
    take_subtree,
)
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Bools, Float64s, Int32s, Int64s, UInt16s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit, prange
from solvers.system.threads import in_threads

_TRIANGLES_A_LOOK = 20_000_000  # estimated, between two cancellation checks


class MetricArrays(NamedTuple):
    """What kernels read of a `Metric`; ``guarded`` only where a sum with infinity may
    fall below it: not of floats.
    """

    up: AnyArray
    down: AnyArray
    infinity: Any
    guarded: bool
    symmetric: bool


@dataclass(frozen=True)
class Metric:
    """Weights of the up arcs."""

    # (arcs up,) of a distance type, from the lower end to the upper; infinity where no
    # path over lower vertices leads there
    up: AnyArray
    # (arcs up,), from the upper end to the lower; the same array if all weights are the
    # same in both directions
    down: AnyArray
    negative_cycle: bool  # some cycle is negative, and weights above it mean nothing
    guarded: bool  # some weights are negative, so infinity plus a weight may be below infinity
    infinity: Any

    @property
    def is_symmetric(self) -> bool:
        return self.up is self.down

    @property
    def arrays(self) -> MetricArrays:
        guarded = self.guarded and self.up.dtype.kind == "i"
        return MetricArrays(self.up, self.down, self.infinity, guarded, self.is_symmetric)


def customise(
    hierarchy: Hierarchy,
    weights: AnyArray,  # (m,) of the graph's arcs
    kind: WeightType,
    threads: int,  # OpenMP threads; the caller has set numba to them
    progress: Progress = SILENT,
    *,
    stop_at_cycle: bool = True,  # leave the rest undone once a negative cycle has been found
) -> Metric:
    """Weights of all up arcs; raises Cancelled."""
    progress.checkpoint()
    infinity = kind.dtype.type(kind.infinity)
    guarded = bool(len(weights) and weights.min() < 0)
    up, down = np.empty(hierarchy.arcs, kind.dtype), np.empty(hierarchy.arcs, kind.dtype)
    whole = (hierarchy.arrays, weights, up, down, infinity)
    symmetric = not any(in_threads(threads, _spread, threads, *whole))
    metric = Metric(up, up if symmetric else down, False, guarded, infinity)
    cyclic = np.zeros(threads, np.bool_)  # by thread: whether it has met a negative cycle
    for subtrees, independent in triangle_batches(hierarchy):
        progress.checkpoint(int(subtrees.roots[0]), hierarchy.n)
        if stop_at_cycle and cyclic.any():
            break
        work = (subtrees, hierarchy.arrays, metric.arrays, hierarchy.tree.height, cyclic)
        if independent:
            _share_subtrees(threads, *work)
        else:
            _fill_subtrees(0, *work)
    return replace(metric, negative_cycle=bool(cyclic.any()))


def triangle_batches(
    hierarchy: Hierarchy, *, from_roots: bool = False
) -> Iterator[tuple[Subtrees, bool]]:
    """`subtree_batches` whose lower triangles are looked at between two cancellation checks."""
    return subtree_batches(
        hierarchy, _triangles_below(hierarchy), _TRIANGLES_A_LOOK, from_roots=from_roots
    )


def row_batches(hierarchy: Hierarchy) -> list[tuple[int, int]]:
    """Ranges of vertices whose lower triangles are looked at between two cancellation checks."""
    return batches(np.diff(_triangles_below(hierarchy)), _TRIANGLES_A_LOOK)


def _triangles_below(hierarchy: Hierarchy) -> Float64s:
    """Lower triangles of all vertices of lower rank, (n + 1,), roughly, by the number
    of arcs up and down.
    """
    up, down = np.diff(hierarchy.up_first).astype(np.float64), np.diff(hierarchy.down_first)
    return np.concatenate(([0.0], np.cumsum(up * (up + down) / 2)))


@njit
def _spread(
    part: int,
    parts: int,
    arrays: HierarchyArrays,
    weights: AnyArray,
    up: AnyArray,
    down: AnyArray,
    infinity: Any,
) -> int:
    """Give the up arcs of one range of vertices the weights of the graph's arcs; returns
    how many of them differ in their two directions.
    """
    input_first, input_arc, input_up = arrays.input_first, arrays.input_arc, arrays.input_up
    n = len(input_first) - 1
    begin, end = n * part // parts, n * (part + 1) // parts
    arcs = range(arrays.up_first[begin], arrays.up_first[end])
    for a in arcs:
        up[a] = infinity
        down[a] = infinity
    for k in range(input_first[begin], input_first[end]):
        weight, a = weights[input_arc[k]], input_up[k]
        if a >= 0:
            up[a] = min(up[a], weight)
        else:
            down[~a] = min(down[~a], weight)
    differ = 0
    for a in arcs:
        differ += up[a] != down[a]
    return differ


@njit(parallel=True)
def _share_subtrees(
    threads: int,
    subtrees: Subtrees,
    arrays: HierarchyArrays,
    weights: MetricArrays,
    height: int,
    cyclic: Bools,
) -> None:
    for t in prange(threads):
        _fill_subtrees(np.int64(t), subtrees, arrays, weights, height, cyclic)


@njit
def _fill_subtrees(
    thread: int,
    subtrees: Subtrees,
    arrays: HierarchyArrays,
    weights: MetricArrays,
    height: int,
    cyclic: Bools,
) -> None:
    """Fill the rows of a subtree from its lowest vertex to its root, then take the next."""
    up, down, infinity, guarded, symmetric = weights
    # here: looked up for every row, they cost a tenth
    up_first, up_depth = arrays.up_first, arrays.up_depth
    down_first, down_tail, down_arc = arrays.down_first, arrays.down_tail, arrays.down_arc
    row_up, row_down = np.empty(height, up.dtype), np.empty(height, up.dtype)  # by depth
    negative = False
    while True:
        i = take_subtree(subtrees)
        if i < 0:
            break
        root = subtrees.roots[i]
        for v in range(root + 1 - subtrees.sizes[i], root + 1):
            if symmetric:
                negative |= _fill_symmetric(
                    v, row_up, up_first, up_depth, down_first, down_tail, down_arc, up
                )
            else:
                negative |= _fill_row(
                    v,
                    row_up,
                    row_down,
                    up_first,
                    up_depth,
                    down_first,
                    down_tail,
                    down_arc,
                    up,
                    down,
                    infinity,
                    guarded,
                )
    cyclic[thread] |= negative


@njit
def _fill_row(
    v: int,
    row_up: AnyArray,
    row_down: AnyArray,
    up_first: Int64s,
    up_depth: UInt16s,
    down_first: Int64s,
    down_tail: Int32s,
    down_arc: Int64s,
    up: AnyArray,
    down: AnyArray,
    infinity: Any,
    guarded: bool,
) -> bool:
    """Finish the up arcs of ``v``; True if one of them closes a negative cycle. Rows
    are working memory.
    """
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


@njit
def _fill_symmetric(
    v: int,
    row: AnyArray,
    up_first: Int64s,
    up_depth: UInt16s,
    down_first: Int64s,
    down_tail: Int32s,
    down_arc: Int64s,
    up: AnyArray,
) -> bool:
    """As `_fill_row`, where both directions weigh the same: no weight is negative
    unless that closes a cycle.
    """
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
