"""The shortest simple paths between two vertices, by Yen's algorithm on the state of a
router. Vertices are indices here.

Each further path leaves an earlier one at some vertex, and goes on by the shortest way
that meets no vertex before it and takes no arc by which an earlier path with the same
beginning went on. That way is searched for by A*: the distance to the target without
these conditions, which the router knows, is the bound. It is exact, so that only what
is no longer than the detour is looked at, and it makes negative weights harmless.

Source: Yen, "Finding the k shortest loopless paths in a network", Management Science
17, 1971; Lawler, "A procedure for computing the k best solutions", Management Science
18, 1972, for beginning where the path itself left an earlier one.
"""

from __future__ import annotations

import heapq
from collections.abc import Set
from itertools import pairwise
from typing import Any

from solvers.running.network_state import RouterState
from solvers.running.router_state import SearchState

Path = tuple[int, ...]


def shortest_simple_paths(
    state: RouterState, source: int, target: int, count: int
) -> list[tuple[Any, Path]]:
    """Lengths, in the unit of the weights, and vertices of up to ``count`` paths, the
    shortest first; none where the target is out of reach.

    Of parallel arcs the lightest is taken: paths differ in their vertices.
    """
    spurs = _Spurs(state, target)
    found: list[tuple[Any, Path]] = []
    waiting: list[tuple[Any, Path, int]] = []  # length, vertices, and where it left another
    first = spurs.search(source, frozenset(), frozenset())
    if first is not None:
        waiting.append((spurs.length(first), first, 0))
    while waiting and len(found) < count:
        length, path, left = heapq.heappop(waiting)
        found.append((length, path))
        for i in range(left, len(path) - 1):
            root = path[: i + 1]
            taken = {other[i + 1] for _, other in found if other[: i + 1] == root}
            spur = spurs.search(path[i], frozenset(root[:-1]), taken)
            if spur is not None:
                whole = root[:-1] + spur
                heapq.heappush(waiting, (spurs.length(whole), whole, i))
    return found


class _Spurs:
    """Shortest ways to one target, of which some vertices and first arcs are no part."""

    def __init__(self, state: RouterState, target: int):
        self._state, self._target = state, target
        self._arcs: dict[int, dict[int, Any]] = {}
        self._bounds: dict[int, Any] = {}
        self._row = None
        if not state.prepared:
            back = state.graph.reverse
            self._row = SearchState(back, back, state.note).row(target)

    def length(self, path: Path) -> Any:
        return sum(self._arcs_from(u)[v] for u, v in pairwise(path))

    def search(self, start: int, avoided: Set[int], taken: Set[int]) -> Path | None:
        """From ``start``, not to the vertices ``avoided``, and at first to none of those
        ``taken``; None if there is no such way.
        """
        best, before = {start: 0}, dict[int, int]()
        waiting = [(self._bound(start), 0, start)]
        while waiting:
            _, negated, u = heapq.heappop(waiting)
            if u == self._target:
                return _walk(before, start, u)
            if -negated > best[u]:
                continue
            for v, weight in self._arcs_from(u).items():
                if v in avoided or (u == start and v in taken):
                    continue
                length, bound = best[u] + weight, self._bound(v)
                if bound < self._state.kind.infinity and (v not in best or length < best[v]):
                    best[v], before[v] = length, u
                    # of equal ones the one that is nearer to the target
                    heapq.heappush(waiting, (length + bound, -length, v))
        return None

    def _arcs_from(self, vertex: int) -> dict[int, Any]:
        """Weights of the lightest arcs by their heads, without loops."""
        if vertex not in self._arcs:
            graph, arcs = self._state.graph, dict[int, Any]()
            row = graph.row(vertex)
            for head, weight in zip(
                graph.indices[row].tolist(), graph.weights[row].tolist(), strict=True
            ):
                if head != vertex and (head not in arcs or weight < arcs[head]):
                    arcs[head] = weight
            self._arcs[vertex] = arcs
        return self._arcs[vertex]

    def _bound(self, vertex: int) -> Any:
        """The distance to the target, which the kind's infinity stands for if there is none."""
        if vertex not in self._bounds:
            known = self._row
            exact = self._state.length(vertex, self._target) if known is None else known[vertex]
            self._bounds[vertex] = exact if isinstance(exact, (int, float)) else exact.item()
        return self._bounds[vertex]


def _walk(before: dict[int, int], start: int, end: int) -> Path:
    vertices = [end]
    while vertices[-1] != start:
        vertices.append(before[vertices[-1]])
    return tuple(reversed(vertices))
