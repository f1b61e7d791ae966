"""The path to one vertex, from distances alone: a walk back over tight arcs, without predecessors of other vertices.

At each vertex the walk takes the tail whose distance and arc add up to least, the lowest of several, as
``proof/paths.py`` does; so both find the same path. It goes back where it meets a dead end, which only cycles of weight
zero lead to, and visits no vertex twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import ForeignQuery
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.host.jit import njit
from solvers.running.live.query import require_vertex

_NONE = -1
_ROUNDINGS = 8  # a hierarchy adds up both distances in orders of their own


@dataclass(frozen=True)
class ArcsIn:
    """The arcs into each vertex, by ascending tail.

    Attributes
    ----------
    first : (n + 1,) int64
        Vertex ``v``'s entries are ``first[v]`` to ``first[v + 1]``.
    tails : (m,) int32
    arcs : (m,) int64
        Place of each in the graph.
    """

    first: NDArray[np.int64]
    tails: NDArray[np.int32]
    arcs: NDArray[np.int64]


def arcs_in(graph: Graph) -> ArcsIn:
    """The arcs into each vertex, kept with the graph."""
    return graph.derived("arcs in", lambda: ArcsIn(*_arcs_in(graph.indptr, graph.indices)))


class PathWalk:
    """Finds paths; keeps its working memory, and is not thread-safe."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._into = arcs_in(graph)
        self._seen = np.zeros(graph.n, np.int32)
        self._way = np.empty(graph.n, np.int32)
        self._walks = 0

    def path(
        self, distances: NDArray[Any], weights: NDArray[Any], kind: WeightType, sources: tuple[int, ...], target: int
    ) -> NDArray[np.int32] | None:
        """The vertices from a source to ``target``, both included; None if it is unreachable.

        Parameters
        ----------
        distances : (n,) array of ``kind``
        weights : (m,) array of ``kind``

        Raises
        ------
        ForeignQuery
            If these are not of the walk's graph.
        """
        self._require_own(distances, weights, target)
        if not distances[target] < kind.infinity:
            return None
        self._walks += 1
        slack = 0.0 if kind.is_integer else _ROUNDINGS * float(np.finfo(kind.dtype).eps) * (len(distances) ** 0.5 + 1)
        count = _walk_back(
            self._into.first, self._into.tails, self._into.arcs, weights, distances, kind.dtype.type(kind.infinity),
            slack, np.array(sources, np.int32), target, self._seen, self._walks, self._way,
        )  # fmt: skip
        return self._way[:count][::-1].copy() if count else None

    def _require_own(self, distances: NDArray[Any], weights: NDArray[Any], target: int) -> None:
        graph = self._graph
        if distances.shape != (graph.n,) or weights.shape != (graph.m,):
            counts = f"{len(distances)} distances and {len(weights)} weights"
            raise ForeignQuery(graph.name, f"there are {counts} for its {graph.n} vertices and {graph.m} arcs")
        require_vertex(graph, target)


@njit(cache=True, nogil=True)
def _arcs_in(
    indptr: NDArray[np.int64], indices: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    n, m = len(indptr) - 1, len(indices)
    first, tails, arcs = np.zeros(n + 1, np.int64), np.empty(m, np.int32), np.empty(m, np.int64)
    for a in range(m):
        first[indices[a] + 1] += 1
    for v in range(n):
        first[v + 1] += first[v]
    place = first[:-1].copy()
    for u in range(n):
        for a in range(indptr[u], indptr[u + 1]):
            k = place[indices[a]]
            tails[k], arcs[k] = u, a
            place[indices[a]] = k + 1
    return first, tails, arcs


@njit(cache=True, nogil=True)
def _walk_back(
    first: NDArray[np.int64],
    tails: NDArray[np.int32],
    arcs: NDArray[np.int64],
    weights: NDArray[Any],
    distances: NDArray[Any],
    infinity: Any,
    slack: float,
    sources: NDArray[np.int32],
    target: int,
    seen: NDArray[np.int32],
    walk: int,
    way: NDArray[np.int32],
) -> int:
    """Write the vertices from the target to a source; returns their number, 0 if no source was met."""
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
