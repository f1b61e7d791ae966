"""The live solver: distances, nearest sources and a path for end points that move.

It chooses by itself: the hierarchy where it is prepared, else a heap on small graphs and delta-stepping on others. Its
working memory serves every query, also after roads were closed or slowed; only the answer is new.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.auto.table import SMALL
from solvers.algorithms.hierarchy.nearest_source import ClimbBuffers, settle_nearest
from solvers.algorithms.hierarchy.preparation import hierarchy_of, metric_of
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.errors import ForeignQuery, Unavailable, UnsuitableGraph
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.host.observer import SILENT, Observer
from solvers.host.openmp import team
from solvers.running.live.path_walk import PathWalk, arcs_in
from solvers.running.live.query import LiveAnswer, LiveQuery, LiveWeights, network_of
from solvers.running.live.search import BucketSearch, HeapSearch, NearestSearch, owners_of

_OWNER = "live"
_NEGATIVE = (
    "Live mode needs non-negative weights, or a hierarchy: {name} has negative weights, and no hierarchy is prepared. "
    "Run Bellman-Ford instead."
)
_CYCLE = "{name} has a negative cycle, so there are no shortest paths to show live. Run Bellman-Ford to see the cycle."


def own_weights(graph: Graph) -> LiveWeights:
    """The graph's weights, without a hierarchy; of a graph with changed roads, over all roads of its base.

    Raises
    ------
    UnsuitableGraph
        If even 64-bit integers could overflow.
    """
    kind = graph.distance_type
    if graph.base is not None:
        return LiveWeights(graph, kind, graph.base.weights_of_all(kind))
    return LiveWeights(graph, kind, graph.weights.astype(kind.dtype, copy=False))


def prepare(graph: Graph, observer: Observer = SILENT) -> LiveWeights:
    """The graph's weights with a hierarchy, made now or before, and what else the first answer would wait for.

    For a graph with changed roads, hierarchy and metric of its base are made first: then only changes are customised.

    Raises
    ------
    SeparatorsTooLarge, OutOfMemory, Unavailable, OrderFailed, UnsuitableGraph, Cancelled
    """
    weights = own_weights(graph)
    with team(0, _OWNER) as threads:
        hierarchy, _ = hierarchy_of(weights.network, _OWNER, observer)
        if weights.network is not graph:
            metric_of(weights.network, hierarchy, weights.kind, threads, observer)
        metric, _ = metric_of(graph, hierarchy, weights.kind, threads, observer)
    arcs_in(weights.network)
    return replace(weights, hierarchy=hierarchy, metric=metric)


class LiveSolver:
    """Answers queries about one graph, one at a time.

    Parameters
    ----------
    graph : Graph
        One solver serves all changes to its roads: what counts is the graph with all of them.
    """

    def __init__(self, graph: Graph):
        self._graph = graph = network_of(graph)
        self._walk = PathWalk(graph)
        self._climbs: tuple[Hierarchy, WeightType, ClimbBuffers] | None = None
        self._search: tuple[WeightType, NearestSearch] | None = None
        self._queue = np.empty(graph.n, np.int32)

    def solve(self, query: LiveQuery, observer: Observer = SILENT) -> LiveAnswer:
        """Answer a query.

        Raises
        ------
        ForeignQuery
            If it is about another graph.
        UnsuitableGraph
            For negative weights without a hierarchy, and for a negative cycle.
        Cancelled
        """
        if query.weights.network is not self._graph:
            raise ForeignQuery(query.graph.name, f"the solver is for {self._graph.name}")
        began = time.perf_counter()
        weights, sources = query.weights, np.array(query.sources, np.int32)
        distances = np.empty(self._graph.n, weights.kind.dtype)
        if weights.prepared:
            owners, method = self._sweep(weights, sources, distances, observer), "hierarchy"
        else:
            owners, method = self._settle(weights, sources, distances, observer)
        path = None
        if query.target is not None:
            path = self._walk.path(distances, weights.arcs, weights.kind, query.sources, query.target)
        reached = int(np.count_nonzero(distances < weights.kind.infinity))
        took = (time.perf_counter() - began) * 1e3
        return LiveAnswer(query, distances, owners if len(query.sources) > 1 else None, path, reached, method, took)

    def _sweep(
        self, weights: LiveWeights, sources: NDArray[np.int32], distances: NDArray[np.number], observer: Observer
    ) -> NDArray[np.uint8]:
        """Fill ``distances`` by the hierarchy."""
        hierarchy, metric = weights.hierarchy, weights.metric
        assert hierarchy is not None  # `LiveWeights.prepared`
        assert metric is not None
        if self._climbs is None or self._climbs[0] is not hierarchy or self._climbs[1] is not weights.kind:
            self._climbs = hierarchy, weights.kind, ClimbBuffers.of(hierarchy, weights.kind)
        owners = np.empty(self._graph.n if len(sources) > 1 else 0, np.uint8)
        with team(0, _OWNER) as threads:
            settle_nearest(
                hierarchy, metric, weights.kind, sources, self._climbs[2], distances, owners, threads, observer
            )
        return owners

    def _settle(
        self, weights: LiveWeights, sources: NDArray[np.int32], distances: NDArray[np.number], observer: Observer
    ) -> tuple[NDArray[np.uint8], str]:
        """Fill ``distances`` by a search."""
        self._require_searchable(weights)
        if self._search is None or self._search[0] is not weights.kind:
            self._search = weights.kind, _search_for(self._graph, weights)
        search = self._search[1]
        infinity = weights.kind.dtype.type(weights.kind.infinity)
        distances[:] = infinity
        distances[sources] = 0
        search.settle(weights.arcs, sources, distances, observer)
        owners = np.empty(0, np.uint8)
        if len(sources) > 1:
            owners = owners_of(self._graph, weights.arcs, distances, sources, infinity, self._queue)
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
