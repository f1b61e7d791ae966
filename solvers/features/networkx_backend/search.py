"""Searches of a converted graph, and their results in terms of its nodes.

Also all predecessors on shortest paths, in the order in which NetworkX's searches meet
them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.errors import NotDispatched
from solvers.features.networkx_backend.arcs import ArcRows, DispatchArcs
from solvers.features.networkx_backend.graph import DispatchGraph
from solvers.features.networkx_backend.kernels import (
    CONTRADICTION,
    FINISHED,
    TOO_SPARSE,
    UNREACHED,
    Buckets,
    DijkstraLabels,
    TimedHeap,
    begin_heap,
    search_by_buckets,
    search_by_heap,
)
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.system.jit import njit

NO_VERTEX = -1
_PATIENCE = 8  # empty buckets visited per vertex or arc, above which a heap is faster
OVERLAP_FROM = 50_000  # nodes, from which a second thread pays
_PIECE = 2**15  # vertices settled between two looks at the result


def walk_back(parents: Int32s, vertex: int) -> list[int]:
    """The vertices from ``vertex`` to the end that it was reached from."""
    positions = [vertex]
    while (vertex := int(parents[vertex])) != NO_VERTEX:
        positions.append(vertex)
    return positions


@dataclass(frozen=True, eq=False)
class SearchTree:
    """What a search found: of Dijkstra's algorithm, or in breadth."""

    graph: DispatchGraph
    arcs: DispatchArcs
    sources: list[int]
    order: Int32s  # (k,); the settled vertices, in the order of settling
    first_seen: Int32s  # in the order of being reached; without a target the settled ones
    distances: AnyArray  # (n,) int32, int64 or float64; of settled vertices
    parents: Int32s  # (n,); -1 for the sources

    def values(self, vertices: Int32s) -> list[Any]:
        """Distances of settled vertices as Python's numbers."""
        return self.arcs.numbers(self.distances, vertices, self.parents)

    def distance(self, vertex: int) -> int | float:
        """Distance of a settled vertex."""
        return self.values(np.array([vertex], np.int32))[0]

    def lengths(self) -> dict[Any, Any]:
        """Distances by node, in the order of settling."""
        return self.with_whole_sources(dict(self.pairs(0)))

    def pairs(self, first: int) -> Iterator[tuple[Any, Any]]:
        """Nodes and distances of the settled vertices from the one at position ``first`` on."""
        piece = self.order[first:]
        return zip(self.graph.index.named(piece), self.values(piece), strict=True)

    def with_whole_sources(self, lengths: dict[Any, Any]) -> dict[Any, Any]:
        """``lengths`` with 0 for the sources instead of 0.0, as in NetworkX."""
        if not self.arcs.whole:
            for source in self.sources:
                lengths[self.graph.index.nodes[source]] = 0
        return lengths

    def reached(self, vertex: int) -> bool:
        """Whether a search for that target found it."""
        return vertex != NO_VERTEX and len(self.order) > 0 and self.order[-1] == vertex

    def path(self, vertex: int) -> list[Any]:
        """Nodes from a source to a settled vertex."""
        return self.graph.index.named(np.array(walk_back(self.parents, vertex)[::-1], np.int32))

    def paths(self, *, backwards: bool = False) -> dict[Any, list[Any]]:
        """Paths by node: the sources', then the others' in the order of settling; from
        the sources, or backwards to them.
        """
        nodes = self.graph.index.nodes
        by_vertex: dict[int, list[Any]] = {source: [nodes[source]] for source in self.sources}
        parents = self.parents[self.order].tolist()
        for vertex, parent in zip(self.order.tolist(), parents, strict=True):
            if parent != NO_VERTEX:
                before = by_vertex[parent]
                by_vertex[vertex] = (
                    [nodes[vertex], *before] if backwards else [*before, nodes[vertex]]
                )
        return {nodes[vertex]: path for vertex, path in by_vertex.items()}

    def predecessor_lists(self) -> PredecessorLists:
        """All predecessors on shortest paths, in the order of settling."""
        distances = np.full(self.arcs.n, np.nan)
        distances[self.order] = self.distances[self.order]
        return tight_predecessors(self.arcs.rows, self.order, distances)


class Searcher:
    """Dijkstra's algorithm on one graph with one set of lengths, as often as needed;
    keeps its arrays.

    The arrays of a `SearchTree` are written again by the next search.

    ``keeps_parents``: whether paths will be asked for.
    """

    def __init__(self, graph: DispatchGraph, arcs: DispatchArcs, *, keeps_parents: bool = True):
        self._graph, self._arcs = graph, arcs
        self._small = arcs.small
        self._buckets: Buckets | None = None
        self._heap: TimedHeap | None = None
        self._starts: list[int] = []
        self._target, self._limit = NO_VERTEX, math.inf
        n = arcs.n
        self._labels = DijkstraLabels(
            np.empty(0),
            np.empty(n if keeps_parents else 0, np.int32),
            np.empty(n, np.int32),
            np.empty(n, np.int32),
            np.empty(0, np.uint8),
            np.zeros(6, np.int64),
        )

    def search(
        self, sources: Iterable[int], target: int = NO_VERTEX, cutoff: Any = None
    ) -> SearchTree:
        """Search from distinct sources, until the target is settled, and not beyond ``cutoff``.

        Raises NetworkX's ValueError where negative lengths let a settled vertex come
        nearer; NotDispatched for a cutoff that is not a number. What cannot be compared
        raises Python's exception, as in NetworkX.
        """
        self.begin(sources, target, cutoff)
        self.advance(self._arcs.n + 1)
        return self.tree

    @property
    def tree(self) -> SearchTree:
        """What has been settled so far."""
        settled, seen = self._labels.counters[:2].tolist()
        labels = self._labels
        return SearchTree(
            self._graph,
            self._arcs,
            self._starts,
            labels.order[:settled],
            labels.first_seen[:seen],
            labels.distances,
            labels.parents,
        )

    def begin(self, sources: Iterable[int], target: int = NO_VERTEX, cutoff: Any = None) -> None:
        """Get ready for a search; parameters as in `search`."""
        self._starts, self._target = list(sources), target
        self._limit = math.inf if cutoff is None else self._required_limit(cutoff)
        self._labels.parents.fill(NO_VERTEX)
        if self._small is None:
            self._begin_heap()
            return
        room = self._arcs.m + len(self._starts)
        if self._buckets is None or self._buckets.room < room:
            self._buckets = Buckets.with_room(int(self._arcs.most), room)
            self._labels = self._labels._replace(distances=np.empty(self._arcs.n, np.int64))
        self._buckets.begin(np.array(self._starts, np.int32), self._labels)

    def _required_limit(self, cutoff: Any) -> float:
        """The cutoff as a number; any will do where no source has an edge, for NetworkX
        compares none then.
        """
        indptr = self._arcs.indptr
        if not any(indptr[start + 1] > indptr[start] for start in self._starts):
            return math.inf
        return as_limit(cutoff)

    def _begin_heap(self) -> None:
        room = self._arcs.m + len(self._starts)
        if self._heap is None or len(self._heap.keys) < room:
            n = self._arcs.n
            self._heap = TimedHeap.with_room(room)
            self._labels = self._labels._replace(
                distances=np.empty(n), status=np.empty(n, np.uint8)
            )
        begin_heap(np.array(self._starts, np.int32), self._labels, self._heap)

    def advance(self, pause: int) -> bool:
        """Settle about ``pause`` more vertices; returns whether the search has ended.
        Raises as `search`.
        """
        state = (
            self._advance_buckets(pause) if self._small is not None else self._advance_heap(pause)
        )
        if state == TOO_SPARSE:
            # Begun again with a heap, which settles the same vertices in the same order.
            pause += int(self._labels.counters[0])
            self._small = None
            self._begin_heap()
            state = self._advance_heap(pause)
        if state == CONTRADICTION:
            raise ValueError("Contradictory paths found:", "negative weights?")
        return state == FINISHED

    def _advance_buckets(self, pause: int) -> int:
        assert self._small is not None
        assert self._buckets is not None
        arcs, limit = self._arcs, self._limit
        most = UNREACHED - 1 if limit >= UNREACHED else math.floor(max(limit, -1))
        patience = _PATIENCE * (arcs.n + arcs.m)
        return search_by_buckets(
            ArcRows(arcs.indptr, arcs.heads, self._small),
            self._target,
            most,
            pause,
            patience,
            self._labels,
            self._buckets,
        )

    def _advance_heap(self, pause: int) -> int:
        assert self._heap is not None
        return search_by_heap(
            self._arcs.rows, self._target, self._limit, pause, self._labels, self._heap
        )


def as_limit(cutoff: Any) -> float:
    """The greatest float that does not exceed a cutoff; infinity for NaN, which
    NetworkX never finds exceeded.

    Raises NotDispatched for a cutoff that can be compared but is not a number; what
    cannot be compared raises Python's exception, as in NetworkX.
    """
    below_zero = bool(cutoff < 0)
    try:
        limit = float(cutoff)
    except OverflowError:  # of an integer
        return -math.inf if below_zero else math.inf
    except (TypeError, ValueError):
        raise NotDispatched(f"the cutoff {cutoff!r}", "it is not a real number") from None
    if math.isnan(limit):
        return math.inf
    return math.nextafter(limit, -math.inf) if limit > cutoff else limit


def search(
    graph: DispatchGraph,
    weight: Any,
    sources: Iterable[Hashable],
    target: Hashable = None,
    cutoff: Any = None,
) -> SearchTree:
    """One search from nodes; the target may be none of the graph's nodes, and None is none."""
    starts = dict.fromkeys(map(graph.index.position, sources))
    goal = NO_VERTEX if target is None else graph.index.position(target)
    return Searcher(graph, graph.arcs(weight)).search(starts, goal, cutoff)


def search_lengths(
    graph: DispatchGraph, weight: Any, sources: Iterable[Hashable], cutoff: Any = None
) -> dict[Any, Any]:
    """Distances from nodes, by node in the order of settling.

    In large graphs making the result takes as long as the search. So the search runs in
    a thread of its own, and what it has settled is added to the result while it
    continues.
    """
    arcs = graph.arcs(weight)
    searcher = Searcher(graph, arcs, keeps_parents=arcs.floats is not None)
    searcher.begin(dict.fromkeys(map(graph.index.position, sources)), cutoff=cutoff)
    lengths: dict[Any, Any] = {}
    if len(graph) < OVERLAP_FROM:
        searcher.advance(len(graph) + 1)
        return searcher.tree.lengths()
    with ThreadPoolExecutor(1, "search") as pool:
        finished, step = False, pool.submit(searcher.advance, _PIECE)
        while not finished:
            finished, tree = step.result(), searcher.tree
            if not finished:
                step = pool.submit(searcher.advance, _PIECE)
            lengths.update(tree.pairs(len(lengths)))
    return tree.with_whole_sources(lengths)


@dataclass(frozen=True, eq=False)
class PredecessorLists:
    """Lists of vertices."""

    offsets: Int64s  # (n + 1,); vertex ``v``'s list is ``members[offsets[v]:offsets[v + 1]]``
    members: Int32s

    def of(self, vertex: int) -> Int32s:
        """Predecessors of a vertex."""
        return self.members[self.offsets[vertex] : self.offsets[vertex + 1]]


def tight_predecessors(rows: ArcRows, order: Int32s, distances: Float64s) -> PredecessorLists:
    """For each vertex the tails of the arcs that give it its distance, in ``order``,
    that of settling.

    ``distances`` (n,) are NaN for vertices that are not settled.
    """
    offsets = np.zeros(len(rows.indptr), np.int64)
    _count_tight(rows, order, distances, offsets[1:])
    np.cumsum(offsets, out=offsets)
    members = np.empty(int(offsets[-1]), np.int32)
    _fill_tight(rows, order, distances, offsets[:-1].copy(), members)
    return PredecessorLists(offsets, members)


@njit
def _count_tight(rows: ArcRows, order: Int32s, distances: Float64s, counts: Int64s) -> None:
    indptr, heads, lengths = rows
    for u in order:
        for arc in range(indptr[u], indptr[u + 1]):
            if distances[u] + lengths[arc] == distances[heads[arc]]:
                counts[heads[arc]] += 1


@njit
def _fill_tight(
    rows: ArcRows, order: Int32s, distances: Float64s, cursor: Int64s, members: Int32s
) -> None:
    indptr, heads, lengths = rows
    for u in order:
        for arc in range(indptr[u], indptr[u + 1]):
            v = heads[arc]
            if distances[u] + lengths[arc] == distances[v]:
                members[cursor[v]] = u
                cursor[v] += 1
