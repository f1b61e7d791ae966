"""Customisation again where weights have changed: only the up arcs whose weights can
differ are computed anew.

An up arc depends on the graph's own arcs that it stands for and on its lower triangles.
Changed up arcs are taken in the order of their lower ends. Where one differs from
before, the triangles that it is a leg of are looked at: the arc above may change only
if the detour was as short as that arc, or has become shorter. Such arcs are computed
anew, from all of their triangles; the others keep their weights. Weights are those of
`customise`, bit for bit.

Source: original implementation, after Dibbelt, Strasser and Wagner 2016 (partial
updates).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.algorithms.hierarchy.elimination_tree import NONE
from solvers.algorithms.hierarchy.metric import Metric, customise
from solvers.algorithms.hierarchy.supergraph import Hierarchy, HierarchyArrays
from solvers.graphs.csr import row_of
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Bools, Int32s, Int64s, UInt16s
from solvers.system.cancel import SILENT, Progress
from solvers.system.dary_heap import pop_entry, push_entry
from solvers.system.jit import njit

_ARCS_A_LOOK = 1 << 12  # up arcs between two cancellation checks
_FEW = 16  # changed arcs that are always worth it; ...
_SHARE = 800  # ... past one of so many arcs, customising everything is as fast


def recustomise(
    graph: Graph,  # whose arcs the hierarchy names; its own weights do not count
    hierarchy: Hierarchy,
    metric: Metric,  # of weights that differ from ``weights`` at ``changed`` only
    weights: AnyArray,  # (m,) infinity for an arc that is closed
    changed: Int64s,  # (k,) places of arcs in the graph
    kind: WeightType,
    # OpenMP threads, for the case that everything is customised; the caller has set
    # numba to them
    threads: int,
    progress: Progress = SILENT,
) -> Metric:
    """The metric of ``weights``; ``metric`` stays as it is; raises Cancelled."""
    if metric.negative_cycle or len(changed) > max(_FEW, graph.m // _SHARE):
        return customise(hierarchy, weights, kind, threads, progress)
    tree, arrays = hierarchy.tree, hierarchy.arrays
    tails = np.searchsorted(graph.indptr, changed, side="right") - 1
    lows = np.minimum(tree.rank[tails], tree.rank[graph.indices[changed]])
    own = np.unique(_up_arcs(changed, lows, arrays))
    up = metric.up.copy()
    symmetric = metric.is_symmetric and bool(_same_both_ways(own, arrays, weights, metric.infinity))
    down = up if symmetric else metric.down.copy()
    queue, queued = np.empty(hierarchy.arcs, np.int64), np.zeros(hierarchy.arcs, np.bool_)
    queue[: len(own)], queued[own] = own, True  # ascending, so a heap
    path = np.full(tree.height, NONE, np.int32)
    waiting, negative = len(own), False
    while waiting and not negative:
        progress.checkpoint()
        waiting, negative = _update(
            _ARCS_A_LOOK, queue, waiting, queued, arrays, weights, up, down, path, metric.infinity
        )
    if negative:
        return customise(hierarchy, weights, kind, threads, progress)
    guarded = metric.guarded or bool((weights[changed] < 0).any())
    return Metric(up, down, False, guarded, metric.infinity)


@njit
def _up_arcs(changed: Int64s, lows: Int32s, arrays: HierarchyArrays) -> Int64s:
    """The up arcs that stand for some of the graph's arcs; loops are part of none."""
    input_first, input_arc, input_up = arrays.input_first, arrays.input_arc, arrays.input_up
    found, count = np.empty(len(changed), np.int64), 0
    for i in range(len(changed)):
        for k in range(input_first[lows[i]], input_first[lows[i] + 1]):
            if input_arc[k] == changed[i]:
                found[count] = input_up[k] if input_up[k] >= 0 else ~input_up[k]
                count += 1
    return found[:count]


@njit
def _same_both_ways(
    arcs: Int64s, arrays: HierarchyArrays, weights: AnyArray, infinity: Any
) -> bool:
    """Whether the graph's own arcs weigh the same in both directions of each of these up arcs."""
    for a in arcs:
        low = row_of(arrays.up_first, a)
        upwards, downwards = _own_weights(a, low, arrays, weights, infinity)
        if upwards != downwards:
            return False
    return True


@njit
def _own_weights(
    a: int, low: int, arrays: HierarchyArrays, weights: AnyArray, infinity: Any
) -> tuple[Any, Any]:
    """The least of the graph's own arcs that an up arc stands for, upwards and downwards."""
    input_first, input_arc, input_up = arrays.input_first, arrays.input_arc, arrays.input_up
    upwards, downwards = infinity, infinity
    for k in range(input_first[low], input_first[low + 1]):
        if input_up[k] == a:
            upwards = min(upwards, weights[input_arc[k]])
        elif input_up[k] == ~a:
            downwards = min(downwards, weights[input_arc[k]])
    return upwards, downwards


@njit
def _update(
    most: int,
    queue: Int64s,  # (arcs up,) a heap of the up arcs that wait, of which there are ``waiting``
    waiting: int,
    queued: Bools,  # (arcs up,) whether an arc is or was in the queue
    arrays: HierarchyArrays,
    weights: AnyArray,
    up: AnyArray,
    down: AnyArray,
    path: Int32s,  # (height,) by depth, the last vertex met there; -1 at first
    infinity: Any,
) -> tuple[int, bool]:
    """Compute up to ``most`` arcs anew; returns how many wait, and whether one closes a
    negative cycle.
    """
    parent = arrays.parent
    depth = arrays.depth
    up_first = arrays.up_first
    up_depth = arrays.up_depth
    down_first, down_tail, down_arc = arrays.down_first, arrays.down_tail, arrays.down_arc
    for _ in range(most):
        if waiting == 0:
            break
        a = queue[0]
        waiting = pop_entry(queue, queue, waiting)
        low = row_of(up_first, a)
        before_up, before_down = up[a], down[a]
        upwards, downwards = _own_weights(a, low, arrays, weights, infinity)
        k = up_depth[a]
        for e in range(down_first[low], down_first[low + 1]):
            leg, last = down_arc[e], up_first[down_tail[e] + 1]
            b = _find(up_depth, leg + 1, last, k)
            if b == last:
                continue
            if down[leg] < infinity and up[b] < infinity:
                upwards = min(upwards, down[leg] + up[b])
            if down[b] < infinity and up[leg] < infinity:
                downwards = min(downwards, down[b] + up[leg])
        up[a], down[a] = upwards, downwards
        if upwards < infinity and downwards < infinity and upwards + downwards < 0:
            return waiting, True
        if upwards == before_up and downwards == before_down:
            continue
        v = low
        while v != NONE and path[depth[v]] != v:
            path[depth[v]] = v
            v = parent[v]
        for other in range(up_first[low], up_first[low + 1]):
            if other == a:
                continue
            near, far = min(a, other), max(a, other)
            base = path[up_depth[near]]
            above = _find(up_depth, up_first[base], up_first[base + 1], up_depth[far])
            if queued[above]:
                continue
            near_up, near_down, far_up, far_down = up[near], down[near], up[far], down[far]
            if near == a:
                old_near_up = before_up
                old_near_down = before_down
                old_far_up = far_up
                old_far_down = far_down
            else:
                old_near_up = near_up
                old_near_down = near_down
                old_far_up = before_up
                old_far_down = before_down
            if _differs(
                old_near_down, old_far_up, near_down, far_up, up[above], infinity
            ) or _differs(old_far_down, old_near_up, far_down, near_up, down[above], infinity):
                queued[above] = True
                waiting = push_entry(queue, queue, waiting, above, above)
    return waiting, False


@njit
def _differs(
    first: Any, second: Any, new_first: Any, new_second: Any, arc: Any, infinity: Any
) -> bool:
    """Whether a detour of two legs may change an arc: it was as short as the arc and is
    not now, or is now shorter.
    """
    was = first + second if first < infinity and second < infinity else infinity
    now = new_first + new_second if new_first < infinity and new_second < infinity else infinity
    return now < arc or (was == arc and now != was)


@njit
def _find(up_depth: UInt16s, begin: int, end: int, wanted: int) -> int:
    """The first up arc among ``begin`` to ``end`` that ends at the depth ``wanted``;
    ``end`` if none does.
    """
    left, right = begin, end
    while left < right:
        middle = (left + right) // 2
        if up_depth[middle] > wanted:
            left = middle + 1
        else:
            right = middle
    return left if left < end and up_depth[left] == wanted else end
