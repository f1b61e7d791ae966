"""Searches that settle the nearest of all sources at once, with working memory that serves
any weights of a network.

They are ordinary searches that begin with several vertices at distance zero. Which
source is nearest follows from the distances, by one breadth-first search over tight
arcs.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np

from solvers.algorithms.auto.table import SMALL
from solvers.algorithms.dijkstra.heap import no_log, settle
from solvers.algorithms.hierarchy.sweep import NO_OWNER
from solvers.algorithms.near_far.delta_threads import BucketSearch
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Int32s, Int64s, UInt8s
from solvers.system.cancel import Progress
from solvers.system.dary_heap import OUTSIDE, Heap
from solvers.system.jit import njit
from solvers.system.openmp import threads_for

_TEAM = "search"
_ARITY = 4
_SETTLED_A_LOOK = 65_536
_ARCS_A_LOOK = 2_000_000

_Made = TypeVar("_Made")


class NearestMemory:
    """Working memory of one thread: what was made last is used again for the same things."""

    def __init__(self) -> None:
        self._made: tuple[tuple[object, ...], Any] | None = None

    def of(self, things: tuple[object, ...], make: Callable[[], _Made]) -> _Made:
        """What ``make`` gives for these things, which are compared by identity."""
        if self._made is None or not all(map(operator.is_, self._made[0], things)):
            self._made = things, make()
        made: _Made = self._made[1]
        return made


def search_for(graph: Graph, kind: WeightType) -> NearestSearch:
    """The faster search with its working memory, which also serves other weights of this type."""
    if graph.n + graph.m >= SMALL:
        return TeamSearch(graph, kind)
    return HeapSearch(graph, kind)


class NearestSearch(Protocol):
    name: str

    def settle(
        self, weights: AnyArray, sources: Int32s, distances: AnyArray, progress: Progress
    ) -> None:
        """Fill ``distances``, whatever they hold; raises Cancelled."""


class HeapSearch:
    """Dijkstra's algorithm with a heap, on one core."""

    name = "Dijkstra, heap"

    def __init__(self, graph: Graph, kind: WeightType):
        self._arcs, self._infinity = (graph.indptr, graph.indices), kind.infinity
        n = graph.n
        self._heap = Heap(np.empty(n, kind.dtype), np.empty(n, np.int32), np.empty(n, np.int32))

    def settle(
        self, weights: AnyArray, sources: Int32s, distances: AnyArray, progress: Progress
    ) -> None:
        keys, vertices, position = self._heap
        size = len(sources)
        distances[:] = self._infinity
        distances[sources] = 0
        position[:] = OUTSIDE
        keys[:size] = 0
        vertices[:size] = sources
        position[sources] = np.arange(size, dtype=np.int32)
        while size:
            progress.checkpoint()
            size, _, _ = settle(
                *self._arcs, weights, distances, self._heap, size, _SETTLED_A_LOOK, _ARITY, no_log()
            )


class TeamSearch:
    """Delta-stepping on all cores."""

    name = "delta-stepping"

    def __init__(self, graph: Graph, kind: WeightType):
        self._search = BucketSearch(graph, kind, threads_for(0, _TEAM))

    def settle(
        self, weights: AnyArray, sources: Int32s, distances: AnyArray, progress: Progress
    ) -> None:
        search = self._search
        search.start(weights, distances, sources)
        with search.aborted_on_error():
            while search.unfinished:
                progress.checkpoint()
                search.advance(_ARCS_A_LOOK)


@njit
def nearest_sources(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    distances: AnyArray,
    sources: Int32s,
    infinity: Any,
) -> UInt8s:
    """For each vertex the position in ``sources`` of a nearest source, or `NO_OWNER`.

    The ``distances`` are those of a search: each is exactly the sum of its
    predecessor's and the arc's weight.
    """
    n = len(indptr) - 1
    owners, queue = np.full(n, NO_OWNER, np.uint8), np.empty(n, np.int32)
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
