"""Live solving: answers for end points that move, as fast as possible; never measurements.

Answers are distances, nearest sources and a path.

The solver uses the hierarchy if it is prepared, otherwise a heap on small graphs and
delta-stepping on others. Its working memory serves every query, also after roads were
closed or slowed; only the answer is new.

Without a hierarchy, both searches settle the nearest of all sources at once: they are
ordinary searches that begin with several vertices at distance zero. Which source is
nearest follows from the distances, by one breadth-first search over tight arcs.

The path to one vertex is found from distances alone, by a walk back over tight arcs,
without predecessors of other vertices. At each vertex the walk takes the tail with the
least sum of distance and arc, the lowest of several, as ``verification/paths.py`` does;
so both find the same path. It backtracks at dead ends, which only cycles of weight zero
lead to, and visits no vertex twice.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.auto.table import SMALL
from solvers.algorithms.bucket_width import bucket_width
from solvers.algorithms.dary_heap import OUTSIDE, Heap
from solvers.algorithms.dijkstra.heap import no_log, settle
from solvers.algorithms.hierarchy.preparation import hierarchy_of, metric_of
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.algorithms.hierarchy.sweep import NO_OWNER, ClimbBuffers, settle_nearest
from solvers.algorithms.near_far import delta_threads
from solvers.errors import ForeignQuery, Unavailable, UnsuitableGraph
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.running.live_query import (
    LiveAnswer,
    LiveQuery,
    LiveWeights,
    network_of,
    require_vertex,
)
from solvers.system.array_types import AnyArray, Int32s, Int64s, UInt8s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.openmp import team

_OWNER = "live"
_NEGATIVE = (
    "Live mode needs non-negative weights, or a hierarchy: {name} has negative weights, and no "
    "hierarchy is prepared. Run Bellman-Ford instead."
)
_CYCLE = (
    "{name} has a negative cycle, so there are no shortest paths to show live. "
    "Run Bellman-Ford to see the cycle."
)

_ARITY = 4
_SETTLED_A_LOOK = 65_536
_ARCS_A_LOOK = 2_000_000

_NONE = -1
_ROUNDINGS = 8  # a hierarchy adds up both distances in different orders


def own_weights(graph: Graph) -> LiveWeights:
    """The graph's weights, without a hierarchy; for a graph with changed roads, over
    all roads of its base.

    Raises UnsuitableGraph if even 64-bit integers could overflow.
    """
    kind = graph.distance_type
    if graph.base is not None:
        return LiveWeights(graph, kind, graph.base.weights_of_all(kind))
    return LiveWeights(graph, kind, graph.weights.astype(kind.dtype, copy=False))


def prepare(graph: Graph, progress: Progress = SILENT) -> LiveWeights:
    """The graph's weights with a hierarchy, made now or before, and everything else
    that the first answer needs.

    For a graph with changed roads, hierarchy and metric of its base are made first:
    then only changes are customised.

    Raises SeparatorsTooLarge, OutOfMemory, Unavailable, OrderFailed, UnsuitableGraph,
    Cancelled.
    """
    weights = own_weights(graph)
    with team(0, _OWNER) as threads:
        hierarchy, _ = hierarchy_of(weights.network, _OWNER, progress)
        if weights.network is not graph:
            metric_of(weights.network, hierarchy, weights.kind, threads, progress)
        metric, _ = metric_of(graph, hierarchy, weights.kind, threads, progress)
    arcs_in(weights.network)
    return replace(weights, hierarchy=hierarchy, metric=metric)


class LiveSolver:
    """Answers queries about one graph, one at a time, also after changes to its roads."""

    def __init__(self, graph: Graph):
        self._graph = graph = network_of(graph)
        self._walk = PathWalk(graph)
        self._climbs: tuple[Hierarchy, WeightType, ClimbBuffers] | None = None
        self._search: tuple[WeightType, NearestSearch] | None = None
        self._queue = np.empty(graph.n, np.int32)

    def solve(self, query: LiveQuery, progress: Progress = SILENT) -> LiveAnswer:
        """Answer a query.

        Raises ForeignQuery if it is about another graph; UnsuitableGraph for negative
        weights without a hierarchy, and for a negative cycle; Cancelled.
        """
        if query.weights.network is not self._graph:
            raise ForeignQuery(query.graph.name, f"the solver is for {self._graph.name}")
        began = time.perf_counter()
        weights, sources = query.weights, np.array(query.sources, np.int32)
        distances = np.empty(self._graph.n, weights.kind.dtype)
        if weights.prepared:
            owners, method = self._sweep(weights, sources, distances, progress), "hierarchy"
        else:
            owners, method = self._settle(weights, sources, distances, progress)
        path = None
        if query.target is not None:
            path = self._walk.path(
                distances, weights.arcs, weights.kind, query.sources, query.target
            )
        reached = int(np.count_nonzero(distances < weights.kind.infinity))
        took = (time.perf_counter() - began) * 1e3
        return LiveAnswer(
            query,
            distances,
            owners if len(query.sources) > 1 else None,
            path,
            reached,
            method,
            took,
        )

    def _sweep(
        self,
        weights: LiveWeights,
        sources: Int32s,
        distances: NDArray[np.number],
        progress: Progress,
    ) -> UInt8s:
        """Fill ``distances`` by the hierarchy."""
        hierarchy, metric = weights.hierarchy, weights.metric
        assert hierarchy is not None  # `LiveWeights.prepared`
        assert metric is not None
        if (
            self._climbs is None
            or self._climbs[0] is not hierarchy
            or self._climbs[1] is not weights.kind
        ):
            self._climbs = hierarchy, weights.kind, ClimbBuffers.of(hierarchy, weights.kind)
        owners = np.empty(self._graph.n if len(sources) > 1 else 0, np.uint8)
        with team(0, _OWNER) as threads:
            settle_nearest(
                hierarchy,
                metric,
                weights.kind,
                sources,
                self._climbs[2],
                distances,
                owners,
                threads,
                progress,
            )
        return owners

    def _settle(
        self,
        weights: LiveWeights,
        sources: Int32s,
        distances: NDArray[np.number],
        progress: Progress,
    ) -> tuple[UInt8s, str]:
        """Fill ``distances`` by a search."""
        self._require_searchable(weights)
        if self._search is None or self._search[0] is not weights.kind:
            self._search = weights.kind, _search_for(self._graph, weights)
        search = self._search[1]
        infinity = weights.kind.dtype.type(weights.kind.infinity)
        distances[:] = infinity
        distances[sources] = 0
        search.settle(weights.arcs, sources, distances, progress)
        owners = np.empty(0, np.uint8)
        if len(sources) > 1:
            arcs = self._graph.indptr, self._graph.indices, weights.arcs
            owners = _nearest_sources(*arcs, distances, sources, infinity, self._queue)
        return owners, search.name

    def _require_searchable(self, weights: LiveWeights) -> None:
        if weights.metric is not None and weights.metric.negative_cycle:
            raise UnsuitableGraph(_CYCLE.format(name=self._graph.name))
        if weights.has_negative:
            raise UnsuitableGraph(_NEGATIVE.format(name=self._graph.name))


def _search_for(graph: Graph, weights: LiveWeights) -> NearestSearch:
    if graph.n + graph.m >= SMALL:
        try:
            return BucketSearch(graph, weights.kind)
        except Unavailable:
            pass
    return HeapSearch(graph, weights.kind)


class NearestSearch(Protocol):
    name: str

    def settle(
        self, weights: AnyArray, sources: Int32s, distances: AnyArray, progress: Progress
    ) -> None:
        """Fill ``distances``, which are infinity but for the sources; raises Cancelled."""


class HeapSearch:
    """Dijkstra's algorithm with a heap, on one core."""

    name = "Dijkstra, heap"

    def __init__(self, graph: Graph, kind: WeightType):
        self._arcs = graph.indptr, graph.indices
        n = graph.n
        self._heap = Heap(np.empty(n, kind.dtype), np.empty(n, np.int32), np.empty(n, np.int32))

    def settle(
        self, weights: AnyArray, sources: Int32s, distances: AnyArray, progress: Progress
    ) -> None:
        keys, vertices, position = self._heap
        size = len(sources)
        position[:] = OUTSIDE
        keys[:size], vertices[:size], position[sources] = (
            0,
            sources,
            np.arange(size, dtype=np.int32),
        )
        while size:
            progress.checkpoint()
            size, _, _ = settle(
                *self._arcs, weights, distances, self._heap, size, _SETTLED_A_LOOK, _ARITY, no_log()
            )


class BucketSearch:
    """Delta-stepping on all cores. Raises Unavailable without OpenMP."""

    name = "delta-stepping"

    def __init__(self, graph: Graph, kind: WeightType):
        self._graph, self._kind = graph, kind
        with team(0, _OWNER) as threads:
            self._queues = delta_threads.start(graph, 0, threads, watched=False)

    def settle(
        self, weights: AnyArray, sources: Int32s, distances: AnyArray, progress: Progress
    ) -> None:
        delta = bucket_width(self._graph, self._kind, 0.0, on_cpu=True)
        bounds = np.array([delta, 0, delta], dtype=self._kind.dtype)
        delta_threads.restart(self._queues, sources)
        arcs = self._graph.indptr, self._graph.indices, weights
        unfinished = True
        with team(len(self._queues.memory), _OWNER):
            while unfinished:
                progress.checkpoint()
                unfinished = delta_threads.advance(
                    *arcs, distances, bounds, self._queues, _ARCS_A_LOOK, delta_threads.FUSED
                )


@njit
def _nearest_sources(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    distances: AnyArray,
    sources: Int32s,
    infinity: Any,
    queue: Int32s,
) -> UInt8s:
    """For each vertex the position in ``sources`` of a nearest source, or `NO_OWNER`;
    ``queue``, (n,), is overwritten.

    The ``distances`` are those of a search: each is exactly the sum of its
    predecessor's and the arc's weight.
    """
    owners = np.full(len(indptr) - 1, NO_OWNER, np.uint8)
    head, tail = 0, 0
    for i in range(len(sources)):
        if owners[sources[i]] == NO_OWNER:
            owners[sources[i]] = i
            queue[tail] = sources[i]
            tail += 1
    while head < tail:
        u = queue[head]
        head += 1
        for a in range(indptr[u], indptr[u + 1]):
            v = indices[a]
            if (
                owners[v] == NO_OWNER
                and distances[v] < infinity
                and distances[u] + weights[a] == distances[v]
            ):
                owners[v] = owners[u]
                queue[tail] = v
                tail += 1
    return owners


@dataclass(frozen=True)
class ArcsIn:
    """The arcs into each vertex, by ascending tail; those of ``v`` are at ``first[v]``
    to ``first[v + 1]``.
    """

    first: Int64s  # (n + 1,)
    tails: Int32s  # (m,)
    arcs: Int64s  # (m,) index of each in the graph


def arcs_in(graph: Graph) -> ArcsIn:
    """The arcs into each vertex, kept with the graph."""
    return graph.cached("arcs in", lambda: ArcsIn(*_arcs_in(graph.indptr, graph.indices)))


class PathWalk:
    """Finds paths; keeps its working memory, and is not thread-safe."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._into = arcs_in(graph)
        self._seen = np.zeros(graph.n, np.int32)
        self._way = np.empty(graph.n, np.int32)
        self._walks = 0

    def path(
        self,
        distances: AnyArray,
        weights: AnyArray,
        kind: WeightType,
        sources: tuple[int, ...],
        target: int,
    ) -> Int32s | None:
        """The vertices from a source to ``target``, both included; None if it is unreachable.

        ``distances``, (n,), and ``weights``, (m,), are of the type ``kind``. Raises
        ForeignQuery if these are not of the walk's graph.
        """
        self._require_own(distances, weights, target)
        if not distances[target] < kind.infinity:
            return None
        self._walks += 1
        slack = (
            0.0
            if kind.is_integer
            else _ROUNDINGS * float(np.finfo(kind.dtype).eps) * (len(distances) ** 0.5 + 1)
        )
        count = _walk_back(
            self._into.first,
            self._into.tails,
            self._into.arcs,
            weights,
            distances,
            kind.dtype.type(kind.infinity),
            slack,
            np.array(sources, np.int32),
            target,
            self._seen,
            self._walks,
            self._way,
        )
        return self._way[:count][::-1].copy() if count else None

    def _require_own(self, distances: AnyArray, weights: AnyArray, target: int) -> None:
        graph = self._graph
        if distances.shape != (graph.n,) or weights.shape != (graph.m,):
            counts = f"{len(distances)} distances and {len(weights)} weights"
            raise ForeignQuery(
                graph.name, f"there are {counts} for its {graph.n} vertices and {graph.m} arcs"
            )
        require_vertex(graph, target)


@njit
def _arcs_in(indptr: Int64s, indices: Int32s) -> tuple[Int64s, Int32s, Int64s]:
    n, m = len(indptr) - 1, len(indices)
    first, tails, arcs = np.zeros(n + 1, np.int64), np.empty(m, np.int32), np.empty(m, np.int64)
    for a in range(m):
        first[indices[a] + 1] += 1
    for v in range(n):
        first[v + 1] += first[v]
    position = first[:-1].copy()
    for u in range(n):
        for a in range(indptr[u], indptr[u + 1]):
            k = position[indices[a]]
            tails[k], arcs[k] = u, a
            position[indices[a]] = k + 1
    return first, tails, arcs


@njit
def _walk_back(
    first: Int64s,
    tails: Int32s,
    arcs: Int64s,
    weights: AnyArray,
    distances: AnyArray,
    infinity: Any,
    slack: float,
    sources: Int32s,
    target: int,
    seen: Int32s,
    walk: int,
    way: Int32s,
) -> int:
    """Write the vertices from the target to a source; returns their number, 0 if no
    source was met.
    """
    way[0], seen[target], count = target, walk, 1
    while count > 0:
        v = way[count - 1]
        for s in sources:
            if s == v and distances[v] == 0:
                return count
        best, best_through = _NONE, infinity
        for k in range(first[v], first[v + 1]):
            u = tails[k]
            if seen[u] == walk or not distances[u] < infinity or not weights[arcs[k]] < infinity:
                continue
            through = distances[u] + weights[arcs[k]]
            if through < best_through:
                best, best_through = u, through
        room = slack * (abs(best_through) + abs(distances[v])) if best != _NONE else 0.0
        if best != _NONE and best_through <= distances[v] + room:
            seen[best] = walk
            way[count] = best
            count += 1
        else:
            count -= 1
    return 0
