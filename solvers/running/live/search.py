"""Searches from several sources where no hierarchy is prepared, in memory that is used again.

Both settle the nearest of all sources at once: they are ordinary searches that begin with several vertices at distance
zero. Which source is nearest follows from the distances, by one breadth-first search over tight arcs.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.bucket_width import bucket_width
from solvers.algorithms.dary_heap import OUTSIDE, Heap
from solvers.algorithms.dijkstra.heap import no_log, settle
from solvers.algorithms.hierarchy.nearest_source import NO_OWNER
from solvers.algorithms.near_far import delta_threads
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.host.jit import njit
from solvers.host.observer import Observer
from solvers.host.openmp import team

_ARITY = 4
_SETTLED_A_LOOK = 65_536
_ARCS_A_LOOK = 2_000_000
_OWNER = "live"


class NearestSearch(Protocol):
    """A search from all sources at once."""

    name: str

    def settle(
        self, weights: NDArray[Any], sources: NDArray[np.int32], distances: NDArray[Any], observer: Observer
    ) -> None:
        """Fill ``distances``, which are infinity but for the sources.

        Raises
        ------
        Cancelled
        """


class HeapSearch:
    """Dijkstra's algorithm with a heap, on one core."""

    name = "Dijkstra, heap"

    def __init__(self, graph: Graph, kind: WeightType):
        self._arcs = graph.indptr, graph.indices
        n = graph.n
        self._heap = Heap(np.empty(n, kind.dtype), np.empty(n, np.int32), np.empty(n, np.int32))

    def settle(
        self, weights: NDArray[Any], sources: NDArray[np.int32], distances: NDArray[Any], observer: Observer
    ) -> None:
        keys, vertices, position = self._heap
        size = len(sources)
        position[:] = OUTSIDE
        keys[:size], vertices[:size], position[sources] = 0, sources, np.arange(size, dtype=np.int32)
        while size:
            observer.checkpoint()
            size, _, _ = settle(
                *self._arcs, weights, distances, self._heap, size, _SETTLED_A_LOOK, _ARITY, no_log()
            )  # fmt: skip


class BucketSearch:
    """Delta-stepping on all cores.

    Raises
    ------
    Unavailable
        Without OpenMP.
    """

    name = "delta-stepping"

    def __init__(self, graph: Graph, kind: WeightType):
        self._graph, self._kind = graph, kind
        with team(0, _OWNER) as threads:
            self._queues = delta_threads.start(graph, 0, threads, watched=False)

    def settle(
        self, weights: NDArray[Any], sources: NDArray[np.int32], distances: NDArray[Any], observer: Observer
    ) -> None:
        delta = bucket_width(self._graph, self._kind, 0.0, on_cpu=True)
        bounds = np.array([delta, 0, delta], dtype=self._kind.dtype)
        delta_threads.restart(self._queues, sources)
        arcs = self._graph.indptr, self._graph.indices, weights
        unfinished = True
        with team(len(self._queues.memory), _OWNER):
            while unfinished:
                observer.checkpoint()
                unfinished = delta_threads.advance(
                    *arcs, distances, bounds, self._queues, _ARCS_A_LOOK, delta_threads.FUSED
                )


def owners_of(
    graph: Graph, weights: NDArray[Any], distances: NDArray[Any], sources: NDArray[np.int32], infinity: Any,
    queue: NDArray[np.int32],
) -> NDArray[np.uint8]:  # fmt: skip
    """(n,) uint8: for each vertex the place in ``sources`` of a nearest source, or `NO_OWNER`.

    Parameters
    ----------
    distances : (n,)
        Exactly those of a search: each is the sum of its predecessor's and the arc's weight.
    queue : (n,) int32
        Working memory.
    """
    return _spread_owners(graph.indptr, graph.indices, weights, distances, sources, infinity, queue)


@njit(cache=True, nogil=True)
def _spread_owners(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[Any],
    distances: NDArray[Any],
    sources: NDArray[np.int32],
    infinity: Any,
    queue: NDArray[np.int32],
) -> NDArray[np.uint8]:
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
            if owners[v] == NO_OWNER and distances[v] < infinity and distances[u] + weights[a] == distances[v]:
                owners[v] = owners[u]
                queue[tail] = v
                tail += 1
    return owners
