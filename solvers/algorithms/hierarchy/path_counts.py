"""Counts of shortest paths in the arcs of a hierarchy, and flows over them given to the arcs of the graph.

A path is a sequence of vertices: parallel arcs of the least weight are one way, and share what flows over it. An up arc
stands for the graph's own arcs between its ends, where they are as light as it is, and for the detours of its length
over a lower vertex: its *tight lower triangles*. The highest inner vertex of a path is unique, so a path belongs to
exactly one of them, and counts multiply: those of a triangle are the counts of its two arcs.

From the lowest vertex to the highest, counts are added up. From the highest to the lowest, the flow of an up arc goes
to its own arcs and its tight lower triangles, in proportion to these counts. Disjoint subtrees are independent.

Counts grow exponentially with the length of a path. A count may be scaled by 2 to the power of ``-rate`` times the
length: all shortest paths between two vertices are equally long, so that shares do not change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.metric import Metric, task_batches
from solvers.algorithms.hierarchy.preparation import prepare
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.algorithms.path_flows import FlowTotals, counting_rate, simple_arcs
from solvers.errors import UnsuitableGraph
from solvers.graphs.graph import Graph
from solvers.system.cancel import SILENT, Progress
from solvers.system.intrinsics import atomic_add
from solvers.system.jit import njit


class PathCounts(NamedTuple):
    """Shortest paths in the up arcs, over lower vertices, scaled.

    Attributes
    ----------
    up, down : (arcs up,) float64
        From the lower end to the upper, and back; 0 where no path leads there. The same array if the metric is
        symmetric.
    """

    up: NDArray[np.float64]
    down: NDArray[np.float64]


class _Arcs(NamedTuple):
    """What a kernel needs of hierarchy and metric."""

    up_first: NDArray[np.int64]
    up_depth: NDArray[np.uint16]
    down_first: NDArray[np.int64]
    down_tail: NDArray[np.int32]
    down_arc: NDArray[np.int64]
    up: NDArray[Any]
    down: NDArray[Any]
    height: int
    infinity: Any


def count_paths(
    hierarchy: Hierarchy, metric: Metric, weights: NDArray[Any], rate: float, threads: int, progress: Progress = SILENT
) -> PathCounts:
    """Count the shortest paths of every up arc.

    Parameters
    ----------
    weights : (m,) array of the metric's type
        Of the graph's arcs; none is negative.
    rate : float
        Of the scale, per unit of length.
    threads : int
        OpenMP threads, which the caller has set.

    Raises
    ------
    Cancelled
    """
    up = np.zeros(hierarchy.arcs)
    down = up if metric.is_symmetric else np.zeros(hierarchy.arcs)
    inputs = (hierarchy.input_arc, hierarchy.input_up)
    _count_own_arcs(*inputs, weights, metric.up, metric.down, rate, up, down)
    arcs, counts = _arcs(hierarchy, metric), PathCounts(up, down)
    for roots, sizes, parallel in hierarchy.stages:
        for first, last in task_batches(hierarchy, roots, sizes):
            progress.checkpoint(int(roots[first]), hierarchy.n)
            taken = np.zeros(1, np.int64)
            work = (roots[first:last], sizes[first:last], taken, arcs, counts, metric.is_symmetric)
            _count_in_threads(threads if parallel else 1, *work)
    return counts


def arc_flows(
    hierarchy: Hierarchy,
    metric: Metric,
    weights: NDArray[Any],
    rate: float,
    counts: PathCounts,
    flows: tuple[NDArray[np.float64], NDArray[np.float64]],
    threads: int,
    progress: Progress = SILENT,
) -> NDArray[np.float64]:
    """Flows of the graph's arcs, (m,), from those of the up arcs.

    Parameters
    ----------
    weights, rate, threads
        As those of `count_paths`, which made ``counts``.
    flows : pair of (arcs up,) float64
        Over the up arcs, up and down; changed.

    Raises
    ------
    Cancelled
    """
    arcs = _arcs(hierarchy, metric)
    for roots, sizes, parallel in reversed(hierarchy.stages):
        for first, last in reversed(task_batches(hierarchy, roots, sizes)):
            progress.checkpoint(hierarchy.n - int(roots[last - 1]), hierarchy.n)
            taken = np.zeros(1, np.int64)
            work = (roots[first:last], sizes[first:last], taken, arcs, counts, *flows)
            _unpack_in_threads(threads if parallel else 1, *work)
    found = np.zeros(len(weights))
    inputs = (hierarchy.input_arc, hierarchy.input_up)
    _give_to_own_arcs(*inputs, weights, metric.up, metric.down, rate, *counts, *flows, found)
    return found


def _arcs(hierarchy: Hierarchy, metric: Metric) -> _Arcs:
    return _Arcs(
        hierarchy.up_first, hierarchy.up_depth, hierarchy.down_first, hierarchy.down_tail, hierarchy.down_arc,
        metric.up, metric.down, hierarchy.tree.height, metric.infinity,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _count_own_arcs(
    input_arc: NDArray[np.int64],
    input_up: NDArray[np.int64],
    weights: NDArray[Any],
    up: NDArray[Any],
    down: NDArray[Any],
    rate: float,
    count_up: NDArray[np.float64],
    count_down: NDArray[np.float64],
) -> None:
    """One path, scaled, where an own arc is as light as the up arc."""
    for i in range(len(input_arc)):
        weight, a = weights[input_arc[i]], input_up[i]
        if a >= 0 and weight == up[a]:
            count_up[a] = 2.0 ** (-rate * weight)
        elif a < 0 and weight == down[~a]:
            count_down[~a] = 2.0 ** (-rate * weight)


@njit(cache=True, nogil=True, parallel=True)
def _count_in_threads(
    threads: int,
    roots: NDArray[np.int32],
    sizes: NDArray[np.int32],
    taken: NDArray[np.int64],
    arcs: _Arcs,
    counts: PathCounts,
    symmetric: bool,
) -> None:
    for _ in prange(threads):
        _count_subtrees(roots, sizes, taken, arcs, counts, symmetric)


@njit(cache=True, nogil=True)
def _count_subtrees(
    roots: NDArray[np.int32],
    sizes: NDArray[np.int32],
    taken: NDArray[np.int64],
    arcs: _Arcs,
    counts: PathCounts,
    symmetric: bool,
) -> None:
    """Count in a subtree from its lowest vertex to its root, then take the next."""
    kind = arcs.up.dtype
    row_up, row_down = np.empty(arcs.height, kind), np.empty(arcs.height, kind)  # by depth
    more_up, more_down = np.empty(arcs.height), np.empty(arcs.height)
    while True:
        i = atomic_add(taken, 0, 1)
        if i >= len(roots):
            break
        for v in range(roots[i] + 1 - sizes[i], roots[i] + 1):
            begin, end = arcs.up_first[v], arcs.up_first[v + 1]
            for a in range(begin, end):
                k = arcs.up_depth[a]
                row_up[k], row_down[k] = arcs.up[a], arcs.down[a]
                more_up[k] = more_down[k] = 0.0
            for e in range(arcs.down_first[v], arcs.down_first[v + 1]):
                arc, last = arcs.down_arc[e], arcs.up_first[arcs.down_tail[e] + 1]
                to_lower, from_lower = arcs.down[arc], arcs.up[arc]
                for b in range(arc + 1, last):
                    k = arcs.up_depth[b]
                    if to_lower + arcs.up[b] == row_up[k]:
                        more_up[k] += counts.down[arc] * counts.up[b]
                    if not symmetric and arcs.down[b] + from_lower == row_down[k]:
                        more_down[k] += counts.down[b] * counts.up[arc]
            for a in range(begin, end):
                k = arcs.up_depth[a]
                if row_up[k] < arcs.infinity:
                    counts.up[a] += more_up[k]
                if not symmetric and row_down[k] < arcs.infinity:
                    counts.down[a] += more_down[k]


@njit(cache=True, nogil=True, parallel=True)
def _unpack_in_threads(
    threads: int,
    roots: NDArray[np.int32],
    sizes: NDArray[np.int32],
    taken: NDArray[np.int64],
    arcs: _Arcs,
    counts: PathCounts,
    flow_up: NDArray[np.float64],
    flow_down: NDArray[np.float64],
) -> None:
    for _ in prange(threads):
        _unpack_subtrees(roots, sizes, taken, arcs, counts, flow_up, flow_down)


@njit(cache=True, nogil=True)
def _unpack_subtrees(
    roots: NDArray[np.int32],
    sizes: NDArray[np.int32],
    taken: NDArray[np.int64],
    arcs: _Arcs,
    counts: PathCounts,
    flow_up: NDArray[np.float64],
    flow_down: NDArray[np.float64],
) -> None:
    """Share the flows of a subtree from its root to its lowest vertex, then take the next; the last comes first."""
    kind = arcs.up.dtype
    row_up, row_down = np.empty(arcs.height, kind), np.empty(arcs.height, kind)  # by depth
    path_up, path_down = np.empty(arcs.height), np.empty(arcs.height)  # flow over a path
    while True:
        i = len(roots) - 1 - atomic_add(taken, 0, 1)
        if i < 0:
            break
        for v in range(roots[i], roots[i] - sizes[i], -1):
            for a in range(arcs.up_first[v], arcs.up_first[v + 1]):
                k = arcs.up_depth[a]
                row_up[k], row_down[k] = arcs.up[a], arcs.down[a]
                path_up[k] = flow_up[a] / counts.up[a] if flow_up[a] > 0 else 0.0
                path_down[k] = flow_down[a] / counts.down[a] if flow_down[a] > 0 else 0.0
            for e in range(arcs.down_first[v], arcs.down_first[v + 1]):
                arc, last = arcs.down_arc[e], arcs.up_first[arcs.down_tail[e] + 1]
                to_lower, from_lower = arcs.down[arc], arcs.up[arc]
                for b in range(arc + 1, last):
                    k = arcs.up_depth[b]
                    if path_up[k] > 0 and to_lower + arcs.up[b] == row_up[k]:
                        flow = path_up[k] * counts.down[arc] * counts.up[b]
                        flow_down[arc] += flow
                        flow_up[b] += flow
                    if path_down[k] > 0 and arcs.down[b] + from_lower == row_down[k]:
                        flow = path_down[k] * counts.down[b] * counts.up[arc]
                        flow_down[b] += flow
                        flow_up[arc] += flow


@njit(cache=True, nogil=True)
def _give_to_own_arcs(
    input_arc: NDArray[np.int64],
    input_up: NDArray[np.int64],
    weights: NDArray[Any],
    up: NDArray[Any],
    down: NDArray[Any],
    rate: float,
    count_up: NDArray[np.float64],
    count_down: NDArray[np.float64],
    flow_up: NDArray[np.float64],
    flow_down: NDArray[np.float64],
    found: NDArray[np.float64],
) -> None:
    """Parallel arcs of the least weight share the one path that they are."""
    ways = np.zeros((2, len(up)), np.int32)
    for i in range(len(input_arc)):
        weight, a = weights[input_arc[i]], input_up[i]
        if a >= 0 and weight == up[a]:
            ways[0, a] += 1
        elif a < 0 and weight == down[~a]:
            ways[1, ~a] += 1
    for i in range(len(input_arc)):
        weight, a = weights[input_arc[i]], input_up[i]
        path = 2.0 ** (-rate * weight)
        if a >= 0 and weight == up[a] and flow_up[a] > 0:
            found[input_arc[i]] = flow_up[a] / count_up[a] * path / ways[0, a]
        elif a < 0 and weight == down[~a] and flow_down[~a] > 0:
            found[input_arc[i]] = flow_down[~a] / count_down[~a] * path / ways[1, ~a]


MOST_COUNT = 1e290  # beyond which counts of paths are scaled
_MOST_EXPONENT = 900  # of scaled counts


class CountedHierarchy:
    """A graph's hierarchy with counts of shortest paths, of which engines add up flows.

    Parameters
    ----------
    graph : Graph
        By `require_countable`.
    name : str
        Of the engine, for errors.
    threads : int
        OpenMP threads, which the caller has set.
    row : callable(int, Progress)
        The row of distances from a source.
    progress : Progress
        For the preparation.

    Raises
    ------
    SeparatorsTooLarge, OutOfMemory, Unavailable, OrderFailed, Cancelled
    """

    def __init__(
        self, graph: Graph, name: str, threads: int, row: Callable[[int, Progress], NDArray[Any]], progress: Progress
    ):
        ready = prepare(graph, None, name, progress, threads=threads)
        self.note, self.hierarchy, self.metric = ready.note, ready.hierarchy, ready.metric
        self._graph, self._threads, self._row = graph, threads, row
        self._weights = graph.weights.astype(self.metric.up.dtype, copy=False)
        self._scale(0.0, progress)

    def nothing(self) -> FlowTotals:
        """Totals of no source; flows are carried over up arcs, up and down."""
        n, arcs = self.hierarchy.n, self.hierarchy.arcs
        return FlowTotals((np.zeros(arcs), np.zeros(arcs)), np.zeros(n), np.zeros(n))

    def arc_flows(self, totals: FlowTotals, progress: Progress) -> NDArray[np.float64]:
        """Flows of the graph's arcs, (m,); raises Cancelled."""
        up, down = (flows.copy() for flows in totals.carried)
        return arc_flows(
            self.hierarchy, self.metric, self._weights, self._rate, self.counts, (up, down), self._threads, progress
        )

    def scale_for(self, source: int, progress: Progress) -> None:
        """Count again, scaled so that the counts of the paths from ``source`` can be held.

        Raises
        ------
        UnsuitableGraph
            If there is no such scale.
        Cancelled
        """
        arcs, row = simple_arcs(self._graph), self._row(source, progress.silent())
        rate, exponent = counting_rate(row, source, arcs, self.metric.infinity)
        if exponent > _MOST_EXPONENT or rate <= self._rate:
            raise UnsuitableGraph(
                f"{self._graph.name} has up to 2^{2 * exponent:.0f} shortest paths between two vertices, more than can "
                "be counted. Weights that differ a little more leave fewer."
            )
        self._scale(rate, progress)

    def _scale(self, rate: float, progress: Progress) -> None:
        self._rate = rate
        self.counts = count_paths(self.hierarchy, self.metric, self._weights, rate, self._threads, progress)
