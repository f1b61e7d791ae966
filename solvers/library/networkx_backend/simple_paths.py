"""NetworkX's simple paths between two nodes from the shortest on, by Yen's algorithm.

Parameters, results and exceptions are documented there. Each path after the first
leaves an earlier one at some vertex, from where a search from both ends avoids the
vertices before it and the arcs by which earlier paths left it. The next path is the
shortest of all that were found so and not given yet. The searches meet arcs in
NetworkX's order, so that of paths of one length the same comes first.

An arc that is avoided becomes a loop of length 0, which no search takes.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterator
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np

from solvers.library.networkx_backend.arcs import ArcRows, DispatchArcs
from solvers.library.networkx_backend.dijkstra import walk_between
from solvers.library.networkx_backend.graph import DispatchGraph, Weight, converted
from solvers.library.networkx_backend.unweighted import way_between
from solvers.system.array_types import Int32s
from solvers.system.jit import njit


def shortest_simple_paths(
    G: Any, source: Hashable, target: Hashable, weight: Weight = None
) -> Iterator[list[Any]]:
    """Simple paths between two nodes, from the shortest on."""
    graph = converted(G)
    return _named_paths(graph, _Detours(graph, weight), source, target)


def _named_paths(
    graph: DispatchGraph, detours: _Detours, source: Hashable, target: Hashable
) -> Iterator[list[Any]]:
    first = graph.required(source, "source node {} not in graph")
    last = graph.required(target, "target node {} not in graph")
    found = False
    for path in _paths(detours, first, last):
        found = True
        yield graph.index.named(np.array(path))
    if not found:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")


def _paths(detours: _Detours, first: int, last: int) -> Iterator[list[int]]:
    given: list[list[int]] = []
    waiting: list[tuple[float, int, tuple[int, ...]]] = []  # (length, number, vertices), as a heap
    known: set[tuple[int, ...]] = set()  # the vertices of those
    pushed = 0
    shortest = detours.search(first, last)
    found = [] if shortest is None else [shortest]
    while found or waiting:
        for length, vertices in found:
            if tuple(vertices) not in known:
                known.add(tuple(vertices))
                heapq.heappush(waiting, (length, pushed, tuple(vertices)))
                pushed += 1
        if not waiting:
            return
        path = heapq.heappop(waiting)[2]
        known.remove(path)
        yield list(path)
        given.append(list(path))
        found = list(_deviations(detours, given))


def _deviations(detours: _Detours, given: list[list[int]]) -> Iterator[tuple[float, list[int]]]:
    """From each vertex of the last path but its last, the shortest way on that no given
    path takes.
    """
    path = given[-1]
    lengths = detours.lengths_along(path)
    for i in range(1, len(path)):
        root = path[:i]
        for other in given:
            if other[:i] == root:
                detours.avoid_arc(other[i - 1], other[i])
        if (found := detours.search(root[-1], path[-1])) is not None:
            yield sum(lengths[: i - 1]) + found[0], root[:-1] + found[1]
        detours.avoid_vertex(root[-1])
    detours.restore()


class _Detours:
    """Searches from both ends that avoid arcs and vertices."""

    def __init__(self, graph: DispatchGraph, weight: Weight):
        arcs = graph.arcs(weight)
        back = graph.reverse.arcs() if weight is None else graph.backward(weight, arcs)
        self._weighted, self._directed = weight is not None, graph.is_directed()
        self._whole_rows = arcs, back
        self._forth, self._back = (
            DispatchArcs(a.indptr, a.heads.copy(), a.lengths.copy(), a.whole) for a in (arcs, back)
        )

    def search(self, first: int, last: int) -> tuple[float, list[int]] | None:
        """Length and vertices of a shortest path; None if there is none. Raises
        ValueError as NetworkX does.
        """
        if first == last:
            return 0, [first]
        if self._weighted:
            return walk_between(self._forth, self._back, first, last)
        way = way_between(self._forth, self._back, first, last)
        return None if way is None else (len(way) - 1, way)

    def lengths_along(self, path: list[int]) -> list[Any]:
        """Lengths of the arcs of a path, as Python's numbers."""
        return [self._whole_rows[0].length_of(u, v) for u, v in pairwise(path)]

    def avoid_arc(self, u: int, v: int) -> None:
        """Until `restore`; without directions the arc back, too."""
        for tail, head in ((u, v),) if self._directed else ((u, v), (v, u)):
            for rows, a, b in ((self._forth, tail, head), (self._back, head, tail)):
                _turn_into_loops(rows.rows, np.array([a], np.int32), b)

    def avoid_vertex(self, vertex: int) -> None:
        """Until `restore`."""
        for own, other in zip(self._whole_rows, (self._back, self._forth), strict=True):
            near = own.heads[own.indptr[vertex] : own.indptr[vertex + 1]]
            _turn_into_loops(other.rows, near, vertex)

    def restore(self) -> None:
        """Avoid nothing again."""
        for rows, whole in zip((self._forth, self._back), self._whole_rows, strict=True):
            rows.heads[:], rows.lengths[:] = whole.heads, whole.lengths


@njit
def _turn_into_loops(rows: ArcRows, tails: Int32s, head: int) -> None:
    indptr, heads, lengths = rows
    for u in tails:
        for arc in range(indptr[u], indptr[u + 1]):
            if heads[arc] == head:
                heads[arc], lengths[arc] = u, 0.0
