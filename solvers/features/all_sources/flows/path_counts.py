"""Counts of shortest paths in the arcs of a hierarchy, and flows over them given to the
arcs of the graph.

A path is a sequence of vertices: parallel arcs of the least weight are one path, and
share its flow. An up arc stands for the graph's own arcs between its ends, where they
are as light as it is, and for the detours of its length over a lower vertex: its *tight
lower triangles*. The highest inner vertex of a path is unique, so a path belongs to
exactly one of them, and counts multiply: those of a triangle are the counts of its two
arcs.

From the lowest vertex to the highest, counts are added up. From the highest to the
lowest, the flow of an up arc goes to its own arcs and its tight lower triangles, in
proportion to these counts. Disjoint subtrees are independent.

Counts grow exponentially with the length of a path. A count may be scaled by 2 to the
power of ``-rate`` times the length: all shortest paths between two vertices are equally
long, so that shares do not change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from solvers.algorithms.hierarchy.metric import Metric, MetricArrays, customise, triangle_batches
from solvers.algorithms.hierarchy.preparation import prepare, two_vertices
from solvers.algorithms.hierarchy.supergraph import (
    Hierarchy,
    HierarchyArrays,
    Subtrees,
    take_subtree,
)
from solvers.errors import UnsuitableGraph
from solvers.features.all_sources.flows.path_flows import FlowTotals, counting_rate, simple_arcs
from solvers.graphs.derived import hash_of_content
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Float64s, Int32s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.threads import in_threads

MOST_COUNT = 1e290  # beyond which counts of paths are scaled
_MOST_EXPONENT = 900  # of scaled counts
_MOST_TRIED = 16  # sources for whose counts a scale is sought


class PathCounts(NamedTuple):
    """Shortest paths in the up arcs, over lower vertices, scaled; 0 where no path leads there.

    Both are (arcs up,), and the same array if the metric is symmetric.
    """

    up: Float64s  # from the lower end to the upper
    down: Float64s  # and back


class PathFlows(NamedTuple):
    """Flows over the up arcs, (arcs up,) float64: from the lower end to the upper, and back."""

    up: Float64s
    down: Float64s


def count_paths(
    hierarchy: Hierarchy,
    metric: Metric,
    weights: AnyArray,
    rate: float,
    threads: int,
    progress: Progress = SILENT,
) -> PathCounts:
    """Count the shortest paths of every up arc. Raises Cancelled.

    ``weights``, (m,) array: of the graph's arcs; none is negative. ``rate``: of the
    scale, per unit of length. ``threads``: that share the work.
    """
    up = np.zeros(hierarchy.arcs)
    down = up if metric.is_symmetric else np.zeros(hierarchy.arcs)
    arrays, counts = hierarchy.arrays, PathCounts(up, down)
    own = (threads, arrays, metric.arrays, weights, rate, counts)
    in_threads(threads, _count_own_arcs, *own)
    for subtrees, independent in triangle_batches(hierarchy):
        progress.checkpoint(int(subtrees.roots[0]), hierarchy.n)
        workers = threads if independent else 1
        work = (subtrees, arrays, metric.arrays, hierarchy.tree.height, counts)
        in_threads(workers, _count_subtrees, *work)
    return counts


def arc_flows(
    hierarchy: Hierarchy,
    metric: Metric,
    weights: AnyArray,
    rate: float,
    counts: PathCounts,
    flows: PathFlows,  # over the up arcs; changed
    threads: int,
    progress: Progress = SILENT,
) -> Float64s:
    """Flows of the graph's arcs, (m,), from those of the up arcs.

    Weights, rate and threads are as those of `count_paths`, which made ``counts``.
    Raises Cancelled.
    """
    arrays = hierarchy.arrays
    for subtrees, independent in triangle_batches(hierarchy, from_roots=True):
        progress.checkpoint(hierarchy.n - int(subtrees.roots[0]), hierarchy.n)
        workers = threads if independent else 1
        work = (subtrees, arrays, metric.arrays, hierarchy.tree.height, counts, flows)
        in_threads(workers, _unpack_subtrees, *work)
    found = np.zeros(len(weights))
    own = (threads, arrays, metric.arrays, weights, rate, counts, flows, found)
    in_threads(threads, _give_to_own_arcs, *own)
    return found


def load_counting(kind: WeightType) -> Hierarchy:
    """Have the functions compiled that count paths and give flows to arcs, or loaded, on the
    hierarchy of two vertices.
    """
    weights, hierarchy = two_vertices(kind)
    metric = customise(hierarchy, weights, kind, 1)
    counts = count_paths(hierarchy, metric, weights, 0.0, 1)
    arc_flows(hierarchy, metric, weights, 0.0, counts, PathFlows(np.zeros(1), np.zeros(1)), 1)
    return hierarchy


@njit
def _count_own_arcs(
    part: int,
    parts: int,
    arrays: HierarchyArrays,
    metric: MetricArrays,
    weights: AnyArray,
    rate: float,
    counts: PathCounts,
) -> None:
    """One path, scaled, where an own arc of one range of vertices is as light as the up arc."""
    input_arc, input_up, up, down = arrays.input_arc, arrays.input_up, metric.up, metric.down
    begin, end = _own_arcs(part, parts, arrays)
    for i in range(begin, end):
        weight, a = weights[input_arc[i]], input_up[i]
        if a >= 0 and weight == up[a]:
            counts.up[a] = 2.0 ** (-rate * weight)
        elif a < 0 and weight == down[~a]:
            counts.down[~a] = 2.0 ** (-rate * weight)


@njit
def _count_subtrees(
    _: int,
    subtrees: Subtrees,
    arrays: HierarchyArrays,
    metric: MetricArrays,
    height: int,
    counts: PathCounts,
) -> None:
    """Count in a subtree from its lowest vertex to its root, then take the next."""
    up, down, infinity, _, symmetric = metric
    row_up, row_down = np.empty(height, up.dtype), np.empty(height, up.dtype)  # by depth
    more_up, more_down = np.empty(height), np.empty(height)
    while True:
        i = take_subtree(subtrees)
        if i < 0:
            break
        root = subtrees.roots[i]
        for v in range(root + 1 - subtrees.sizes[i], root + 1):
            begin, end = arrays.up_first[v], arrays.up_first[v + 1]
            for a in range(begin, end):
                k = arrays.up_depth[a]
                row_up[k], row_down[k] = up[a], down[a]
                more_up[k] = more_down[k] = 0.0
            for e in range(arrays.down_first[v], arrays.down_first[v + 1]):
                arc, last = arrays.down_arc[e], arrays.up_first[arrays.down_tail[e] + 1]
                to_lower, from_lower = down[arc], up[arc]
                for b in range(arc + 1, last):
                    k = arrays.up_depth[b]
                    if to_lower + up[b] == row_up[k]:
                        more_up[k] += counts.down[arc] * counts.up[b]
                    if not symmetric and down[b] + from_lower == row_down[k]:
                        more_down[k] += counts.down[b] * counts.up[arc]
            for a in range(begin, end):
                k = arrays.up_depth[a]
                if row_up[k] < infinity:
                    counts.up[a] += more_up[k]
                if not symmetric and row_down[k] < infinity:
                    counts.down[a] += more_down[k]


@njit
def _unpack_subtrees(
    _: int,
    subtrees: Subtrees,
    arrays: HierarchyArrays,
    metric: MetricArrays,
    height: int,
    counts: PathCounts,
    flows: PathFlows,
) -> None:
    """Share the flows of a subtree from its root to its lowest vertex, then take the next."""
    up, down = metric.up, metric.down
    row_up, row_down = np.empty(height, up.dtype), np.empty(height, up.dtype)  # by depth
    path_up, path_down = np.empty(height), np.empty(height)  # flow over a path
    while True:
        i = take_subtree(subtrees)
        if i < 0:
            break
        root = subtrees.roots[i]
        for v in range(root, root - subtrees.sizes[i], -1):
            for a in range(arrays.up_first[v], arrays.up_first[v + 1]):
                k = arrays.up_depth[a]
                row_up[k], row_down[k] = up[a], down[a]
                path_up[k] = flows.up[a] / counts.up[a] if flows.up[a] > 0 else 0.0
                path_down[k] = flows.down[a] / counts.down[a] if flows.down[a] > 0 else 0.0
            for e in range(arrays.down_first[v], arrays.down_first[v + 1]):
                arc, last = arrays.down_arc[e], arrays.up_first[arrays.down_tail[e] + 1]
                to_lower, from_lower = down[arc], up[arc]
                for b in range(arc + 1, last):
                    k = arrays.up_depth[b]
                    if path_up[k] > 0 and to_lower + up[b] == row_up[k]:
                        flow = path_up[k] * counts.down[arc] * counts.up[b]
                        flows.down[arc] += flow
                        flows.up[b] += flow
                    if path_down[k] > 0 and down[b] + from_lower == row_down[k]:
                        flow = path_down[k] * counts.down[b] * counts.up[arc]
                        flows.down[b] += flow
                        flows.up[arc] += flow


@njit
def _own_arcs(part: int, parts: int, arrays: HierarchyArrays) -> tuple[int, int]:
    """Where the own arcs of one range of vertices begin and end."""
    first, n = arrays.input_first, len(arrays.input_first) - 1
    return first[n * part // parts], first[n * (part + 1) // parts]


@njit
def _give_to_own_arcs(
    part: int,
    parts: int,
    arrays: HierarchyArrays,
    metric: MetricArrays,
    weights: AnyArray,
    rate: float,
    counts: PathCounts,
    flows: PathFlows,
    found: Float64s,
) -> None:
    """Parallel arcs of the least weight share the one path that they are."""
    input_arc, input_up, up, down = arrays.input_arc, arrays.input_up, metric.up, metric.down
    n = len(arrays.input_first) - 1
    base = arrays.up_first[n * part // parts]
    ways = np.zeros((2, arrays.up_first[n * (part + 1) // parts] - base), np.int32)
    begin, end = _own_arcs(part, parts, arrays)
    for i in range(begin, end):
        weight, a = weights[input_arc[i]], input_up[i]
        if a >= 0 and weight == up[a]:
            ways[0, a - base] += 1
        elif a < 0 and weight == down[~a]:
            ways[1, ~a - base] += 1
    for i in range(begin, end):
        weight, a = weights[input_arc[i]], input_up[i]
        path = 2.0 ** (-rate * weight)
        if a >= 0 and weight == up[a] and flows.up[a] > 0:
            found[input_arc[i]] = flows.up[a] / counts.up[a] * path / ways[0, a - base]
        elif a < 0 and weight == down[~a] and flows.down[~a] > 0:
            found[input_arc[i]] = flows.down[~a] / counts.down[~a] * path / ways[1, ~a - base]


class CountedHierarchy:
    """A graph's hierarchy with counts of shortest paths, of which engines add up flows.

    The graph has passed `require_countable`; ``name`` is the engine's, for errors; the
    caller has set the number of OpenMP threads; ``row`` gives the distances from a
    source. Raises SeparatorsTooLarge, OutOfMemory, Unavailable, OrderFailed, Cancelled.
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        threads: int,
        row: Callable[[int, Progress], AnyArray],
        progress: Progress,
    ):
        ready = prepare(graph, None, name, progress, threads=threads)
        self.note, self.hierarchy, self.metric = ready.note, ready.hierarchy, ready.metric
        self._graph, self._threads, self._row = graph, threads, row
        self._weights = graph.weights_in(self.metric.up.dtype)
        self._scale(0.0, progress)

    @property
    def counts(self) -> PathCounts:
        """Of the up arcs, scaled so that they can be held."""
        return self._scaled[1]

    @property
    def numbering(self) -> str:
        """Hash of what numbers the up arcs: the order of contraction, and the arcs it gives."""
        found = self.hierarchy
        return hash_of_content((found.tree.order, found.up_first, found.up_depth))

    def nothing(self) -> FlowTotals:
        """Totals of no source; flows are carried over up arcs, up and down."""
        n, arcs = self.hierarchy.n, self.hierarchy.arcs
        return FlowTotals((np.zeros(arcs), np.zeros(arcs)), np.zeros(n), np.zeros(n))

    def arc_flows(self, totals: FlowTotals, progress: Progress) -> Float64s:
        """Flows of the graph's arcs, (m,); raises Cancelled."""
        flows = PathFlows(*(carried.copy() for carried in totals.carried))
        return arc_flows(
            self.hierarchy,
            self.metric,
            self._weights,
            *self._scaled,
            flows,
            self._threads,
            progress,
        )

    def scale_for(self, sources: Int32s, progress: Progress) -> None:
        """Count again, scaled so that the counts of the paths from the first of ``sources`` can
        be held, or from another, where they differ too much for that one's scale.

        Raises UnsuitableGraph if there is no such scale; Cancelled.
        """
        arcs, greatest = simple_arcs(self._graph), 0.0
        for source in sources[:: -(-len(sources) // _MOST_TRIED)].tolist():
            row = self._row(source, progress.silent())
            rate, exponent = counting_rate(row, source, arcs, self.metric.infinity)
            if exponent <= _MOST_EXPONENT and rate > self._scaled[0]:
                self._scale(rate, progress)
                return
            greatest = max(greatest, exponent)
        many = f"up to 2^{2 * greatest:.0f}" if greatest > _MOST_EXPONENT else "so many"
        raise UnsuitableGraph(
            f"{self._graph.name} has {many} shortest paths between two vertices, more than can be "
            "counted from all sources alike. Weights that differ a little more leave fewer."
        )

    def _scale(self, rate: float, progress: Progress) -> None:
        counts = count_paths(
            self.hierarchy, self.metric, self._weights, rate, self._threads, progress
        )
        self._scaled = rate, counts  # together, as other threads may read them
