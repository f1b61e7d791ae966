"""NetworkX's simple paths between two nodes from the shortest on, by Yen's algorithm.

Parameters, results and exceptions are documented there. The ways on are searched for
from both ends, and meet arcs in NetworkX's order, so that of paths of one length the
same comes first.

An arc that is avoided becomes a loop of length 0, which no search takes.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Set
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np

from solvers.algorithms.yen import simple_paths
from solvers.features.networkx_backend.arcs import ArcRows, DispatchArcs
from solvers.features.networkx_backend.dijkstra import walk_between
from solvers.features.networkx_backend.graph import DispatchGraph, Weight, converted
from solvers.features.networkx_backend.unweighted import way_between
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
    for path in simple_paths(partial(detours.path, last), first):
        found = True
        yield graph.index.named(np.array(path.junctions))
    if not found:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")


@dataclass(frozen=True, order=True)
class _NumberedPath:
    """Of paths of one length the one that was found first is less."""

    length: Any
    number: int
    junctions: tuple[int, ...]


class _Detours:
    """Searches from both ends that avoid arcs and vertices."""

    def __init__(self, graph: DispatchGraph, weight: Weight):
        arcs = graph.arcs(weight)
        back = graph.reverse.arcs() if weight is None else graph.backward(weight, arcs)
        self._weighted, self._directed = weight is not None, graph.is_directed()
        self._whole_rows = arcs, back
        self._numbers = itertools.count()
        self._root: tuple[int, ...] = ()  # whose vertices and arcs are avoided
        self._forth, self._back = (
            DispatchArcs(a.indptr, a.heads.copy(), a.lengths.copy(), a.whole) for a in (arcs, back)
        )

    def path(self, last: int, root: tuple[int, ...], taken: Set[int]) -> _NumberedPath | None:
        """The shortest path that begins with some vertices, and goes on to none of those
        ``taken``.
        """
        if root[: len(self._root)] != self._root:
            self.restore()
        for vertex in root[max(0, len(self._root) - 1) : -1]:
            self.avoid_vertex(vertex)
        self._root = root
        for head in taken:
            self.avoid_arc(root[-1], head)
        found = self.search(root[-1], last)
        if found is None:
            return None
        length = sum(self.lengths_along(root)) + found[0]
        return _NumberedPath(length, next(self._numbers), (*root[:-1], *found[1]))

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

    def lengths_along(self, path: tuple[int, ...]) -> list[Any]:
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
        self._root = ()
        for rows, whole in zip((self._forth, self._back), self._whole_rows, strict=True):
            rows.heads[:], rows.lengths[:] = whole.heads, whole.lengths


@njit
def _turn_into_loops(rows: ArcRows, tails: Int32s, head: int) -> None:
    indptr, heads, lengths = rows
    for u in tails:
        for arc in range(indptr[u], indptr[u + 1]):
            if heads[arc] == head:
                heads[arc], lengths[arc] = u, 0.0
