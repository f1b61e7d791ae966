"""Searches of a converted graph, and their results in terms of its nodes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import NotDispatched
from solvers.library.networkx_backend import bucket_search, heap_search
from solvers.library.networkx_backend.arcs import DispatchArcs
from solvers.library.networkx_backend.bucket_search import Buckets, search_by_buckets
from solvers.library.networkx_backend.dispatch_graph import DispatchGraph
from solvers.library.networkx_backend.heap_search import CONTRADICTION, Labels, search_by_heap
from solvers.library.networkx_backend.tight_predecessors import PredecessorLists, tight_predecessors
from solvers.library.networkx_backend.timed_heap import TimedHeap

NO_VERTEX = -1
_PATIENCE = 8  # empty buckets visited per vertex or arc, above which a heap is faster


@dataclass(frozen=True, eq=False)
class SearchTree:
    """What a search of Dijkstra's algorithm found.

    Attributes
    ----------
    graph : DispatchGraph
    arcs : DispatchArcs
    sources : list of int
    order : (k,) int32
        The settled vertices, in the order of settling.
    first_seen : int32 array
        The vertices reached, in the order of being reached; the same as settled ones where there was no target.
    distances : (n,) int64 or float64
        Of settled vertices.
    parents : (n,) int32
        -1 for the sources.
    """

    graph: DispatchGraph
    arcs: DispatchArcs
    sources: list[int]
    order: NDArray[np.int32]
    first_seen: NDArray[np.int32]
    distances: NDArray[Any]
    parents: NDArray[np.int32]

    def values(self, vertices: NDArray[np.int32]) -> list[Any]:
        """Distances of settled vertices as Python's numbers: integers if all lengths are."""
        found = self.distances[vertices]
        values: list[Any] = (found.astype(np.int64, copy=False) if self.arcs.whole else found).tolist()
        return values

    def distance(self, vertex: int) -> int | float:
        value: int | float = self.values(np.array([vertex], np.int32))[0]
        return value

    def lengths(self) -> dict[Any, Any]:
        """Distances by node, in the order of settling."""
        index = self.graph.index
        found = dict(zip(index.named(self.order), self.values(self.order), strict=True))
        if not self.arcs.whole:
            for source in self.sources:  # they are 0 in NetworkX, not 0.0
                found[index.nodes[source]] = 0
        return found

    def reached(self, vertex: int) -> bool:
        """Whether a search for that target found it."""
        return vertex != NO_VERTEX and len(self.order) > 0 and self.order[-1] == vertex

    def path(self, vertex: int) -> list[Any]:
        """Nodes from a source to a settled vertex."""
        places = [vertex]
        while (vertex := int(self.parents[vertex])) != NO_VERTEX:
            places.append(vertex)
        return self.graph.index.named(np.array(places[::-1], np.int32))

    def paths(self) -> dict[Any, list[Any]]:
        """Paths by node: the sources', then the others' in the order of settling."""
        nodes = self.graph.index.nodes
        by_vertex: dict[int, list[Any]] = {source: [nodes[source]] for source in self.sources}
        parents = self.parents[self.order].tolist()
        for vertex, parent in zip(self.order.tolist(), parents, strict=True):
            if parent != NO_VERTEX:
                by_vertex[vertex] = [*by_vertex[parent], nodes[vertex]]
        return {nodes[vertex]: path for vertex, path in by_vertex.items()}

    def predecessor_lists(self) -> PredecessorLists:
        """All predecessors on shortest paths, in the order of settling."""
        distances = np.full(self.arcs.n, np.nan)
        distances[self.order] = self.distances[self.order]
        return tight_predecessors(self.arcs.indptr, self.arcs.heads, self.arcs.lengths, self.order, distances)


class Searcher:
    """Dijkstra's algorithm on one graph with one set of lengths, as often as needed; keeps its arrays.

    The arrays of a `SearchTree` are written again by the next search.
    """

    def __init__(self, graph: DispatchGraph, arcs: DispatchArcs):
        self._graph, self._arcs = graph, arcs
        n = arcs.n
        self._buckets: Buckets | None = None
        self._heap: TimedHeap | None = None
        self._small = arcs.small
        self._parents, self._order, self._first_seen = (np.empty(n, np.int32) for _ in range(3))
        self._distances: NDArray[Any] = np.empty(0)
        self._status = np.empty(0, np.uint8)

    def search(self, sources: Iterable[int], target: int = NO_VERTEX, cutoff: float | None = None) -> SearchTree:
        """Search from distinct sources, until the target is settled, and not beyond ``cutoff``.

        Raises
        ------
        ValueError
            NetworkX's, where negative lengths let a settled vertex come nearer.
        """
        starts = list(sources)
        self._parents.fill(NO_VERTEX)
        counts = (bucket_search.TOO_SPARSE, 0)
        limit = as_limit(cutoff)
        if self._small is not None:
            counts = self._by_buckets(np.array(starts, np.int32), target, limit)
        if counts[0] == bucket_search.TOO_SPARSE:
            self._small = None
            self._parents.fill(NO_VERTEX)
            counts = self._by_heap(np.array(starts, np.int32), target, limit)
        if counts[0] == CONTRADICTION:
            raise ValueError("Contradictory paths found:", "negative weights?")
        settled, seen = counts
        return SearchTree(
            self._graph,
            self._arcs,
            starts,
            self._order[:settled],
            self._first_seen[:seen],
            self._distances,
            self._parents,
        )

    def _by_buckets(self, sources: NDArray[np.int32], target: int, cutoff: float) -> tuple[int, int]:
        arcs = self._arcs
        assert self._small is not None
        if self._buckets is None or len(self._buckets.vertices) < arcs.m + len(sources):
            self._buckets = Buckets.with_room(int(arcs.most), arcs.m + len(sources))
            self._distances = np.empty(arcs.n, np.int64)
        self._buckets.first.fill(-1)
        self._distances.fill(bucket_search.UNREACHED)
        most = bucket_search.UNREACHED - 1 if cutoff >= bucket_search.UNREACHED else math.floor(max(cutoff, -1))
        patience = _PATIENCE * (arcs.n + arcs.m)
        labels = Labels(self._distances, self._parents, self._order, self._first_seen, self._status)
        counts: tuple[int, int] = search_by_buckets(
            arcs.indptr, arcs.heads, self._small, sources, target, most, patience, labels, self._buckets
        )
        return counts

    def _by_heap(self, sources: NDArray[np.int32], target: int, cutoff: float) -> tuple[int, int]:
        arcs = self._arcs
        if self._heap is None or len(self._heap.keys) < arcs.m + len(sources):
            self._heap = TimedHeap.with_room(arcs.m + len(sources))
            self._distances, self._status = np.empty(arcs.n), np.empty(arcs.n, np.uint8)
        self._status.fill(heap_search.UNSEEN)
        labels = Labels(self._distances, self._parents, self._order, self._first_seen, self._status)
        counts: tuple[int, int] = search_by_heap(
            arcs.indptr, arcs.heads, arcs.lengths, sources, target, cutoff, labels, self._heap
        )
        return counts


def as_limit(cutoff: Any) -> float:
    """A cutoff as a float; infinity for None and NaN, which NetworkX never finds exceeded."""
    if cutoff is None:
        return math.inf
    try:
        limit = float(cutoff)
    except (TypeError, ValueError, OverflowError):
        raise NotDispatched(f"the cutoff {cutoff!r}", "it is not a real number") from None
    return math.inf if math.isnan(limit) else limit


def search(
    graph: DispatchGraph,
    weight: Any,
    sources: Iterable[Hashable],
    target: Hashable = None,
    cutoff: Any = None,
) -> SearchTree:
    """One search from nodes; the target may be none of the graph's nodes, and None is none."""
    starts = dict.fromkeys(map(graph.index.place, sources))
    goal = NO_VERTEX if target is None else graph.index.place(target)
    return Searcher(graph, graph.arcs(weight)).search(starts, goal, cutoff)
