"""Live solving: answers for end points that move, as fast as possible; never measurements.

Answers are distances, nearest sources and a path.

The solver asks the hierarchy if it is prepared, otherwise a heap on small graphs and
delta-stepping on others (`engines`). Its working memory serves every query, also
after roads were closed or slowed; only the answer is new.

The path to one vertex is found from distances alone, by a walk back over tight arcs,
without predecessors of other vertices. At each vertex the walk takes the tail with the
least sum of distance and arc, the lowest of several, as ``verification/paths.py`` does;
so both find the same path. It backtracks at dead ends, which only cycles of weight zero
lead to, and visits no vertex twice.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from solvers.errors import ForeignQuery
from solvers.features.live.query import LiveAnswer, LiveQuery, require_vertex
from solvers.graphs.graph import Graph
from solvers.graphs.searched import searched_graph
from solvers.graphs.weights import WeightType
from solvers.running.nearest import NearestMemory
from solvers.running.ways import FindWays, FoundWays, way_finder
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit

_NONE = -1
_ROUNDINGS = 8  # a hierarchy adds up both distances in different orders


class LiveSolver:
    """Answers queries about one graph, one at a time, also after changes to its roads."""

    def __init__(self, graph: Graph):
        self._graph = graph = graph.network
        self._walk, self._memory = PathWalk(graph), NearestMemory()
        self._walk_of_window = PathWalk(graph)

    def solve(self, query: LiveQuery, progress: Progress = SILENT) -> LiveAnswer:
        """Answer a query.

        Raises ForeignQuery if it is about another graph; UnsuitableGraph for negative
        weights without a hierarchy, and for a negative cycle; Cancelled.
        """
        state = query.state
        if state.network is not self._graph:
            raise ForeignQuery(query.graph.name, f"the solver is for {self._graph.name}")
        began = time.perf_counter()
        sources = np.array(query.sources, np.int32)
        distances = np.empty(state.searched.network.n, state.kind.dtype)
        owners, method = state.nearest(sources, distances, self._memory, progress)
        path = None
        if query.target is not None:
            path = self._walk.to(query, distances, query.target)
        ways = None if path is None else self._ways(query, int(path[0]))
        path = ways.ways[0].vertices if ways is not None and ways.ways else path
        translation = state.translation
        own = translation.distances(distances)
        reached = int(np.count_nonzero(own < state.kind.infinity))
        took = (time.perf_counter() - began) * 1e3
        return LiveAnswer(
            query,
            own,
            owners if len(query.sources) > 1 else None,
            path,
            reached,
            method,
            took,
            partial(self._walk_of_window.to, query, distances),
            ways,
        )

    def _ways(self, query: LiveQuery, source: int) -> FoundWays | None:
        """The ways from the nearest source, if they are asked for and a hierarchy finds them."""
        state, target = query.state, query.target
        if not query.alternatives or target is None:
            return None
        return self._find_ways(state, source, target, query.alternatives)

    @cached_property
    def _find_ways(self) -> FindWays:
        return way_finder()


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
    """Finds paths in a network; keeps its working memory, and is not thread-safe."""

    def __init__(self, network: Graph):
        self._begin(searched_graph(network).searched)

    def _begin(self, graph: Graph) -> None:
        self._graph, self._into = graph, arcs_in(graph)
        self._seen = np.zeros(graph.n, np.int32)
        self._way = np.empty(graph.n, np.int32)
        self._walks = 0

    def to(self, query: LiveQuery, distances: AnyArray, target: int) -> Int32s | None:
        """The vertices from a source of a query to a target, by the distances of what was
        searched for it. Raises as `path`.
        """
        state, searched = query.state, query.state.searched
        require_vertex(state.network, target)
        if searched.network is not self._graph:  # by other rules, with other roads closed
            self._begin(searched.network)
        found = self.path(distances, searched.weights, state.kind, query.sources, state.end(target))
        return None if found is None else state.translation.path(found)

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
