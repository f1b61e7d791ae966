"""The shortest simple paths between two vertices, by Yen's algorithm on the state of a
router. Vertices are indices here.

The ways on are searched for by A*: the distance to the target without conditions, which
the router knows, is the bound. It is exact, so that only what is no longer than the
detour is looked at, and it makes negative weights harmless.

Where turns are forbidden, a junction is several vertices of what is searched. A way that
meets two of them is no answer, and every answer lacks one or the other: ways without the
one and ways without the other are searched for, the shortest first.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Set
from dataclasses import dataclass
from itertools import islice
from typing import Any

from solvers.algorithms.yen import simple_paths
from solvers.errors import UnsuitableGraph
from solvers.running.prepared_network import PreparedNetwork, searched_network

Path = tuple[int, ...]

_MOST_BRANCHES = 10_000  # for one way: such a question may take time exponential in n


@dataclass(frozen=True)
class SimplePath:
    """A path of what is searched, with its junctions, which are vertices of the network."""

    length: Any  # in the unit of the weights
    vertices: Path
    junctions: Path

    def __lt__(self, other: SimplePath) -> bool:
        return bool((self.length, self.vertices) < (other.length, other.vertices))


def shortest_simple_paths(
    state: PreparedNetwork, source: int, target: int, count: int
) -> list[SimplePath]:
    """Up to ``count`` paths, the shortest first; none where the target is out of reach. No
    two vertices of a path are of one junction.

    Of parallel arcs the lightest is taken: paths differ in their junctions. Raises
    UnsuitableGraph where forbidden turns leave too many ways to be looked at.
    """
    return list(islice(simple_paths(_Spurs(state, target).search, source), count))


class _Spurs:
    """Shortest ways to one target, of which some vertices and first arcs are no part."""

    def __init__(self, state: PreparedNetwork, target: int):
        self._searched, self._target, self._end = state.searched, target, state.end(target)
        self._junction_of = state.translation.vertex_of
        self._arcs: dict[int, dict[int, Any]] = {}
        self._bounds: dict[int, Any] = {}
        self._row = None
        if not state.prepared:
            self._row = searched_network(self._searched.graph.reverse).row(self._end)

    def search(self, root: Path, taken: Set[int]) -> SimplePath | None:
        """The shortest path that begins with the junctions of a root, goes on to none of those
        ``taken``, and meets no junction twice; None if there is no such way.
        """
        starts = self._along(root)
        branches: list[tuple[SimplePath, frozenset[int]]] = []
        left = _MOST_BRANCHES
        wanted = [frozenset[int]()]
        while True:
            for avoided in wanted:
                found = self._search(starts, root, taken, avoided)
                if found is not None:
                    heapq.heappush(branches, (found, avoided))
            if not branches:
                return None
            best, avoided = heapq.heappop(branches)
            twice = self._same_junction(best.vertices)
            if twice is None:
                return best
            wanted = [avoided | {vertex} for vertex in twice]
            left -= 1
            if not left:
                raise UnsuitableGraph(
                    f"{self._searched.network.name} has forbidden turns by which too many ways "
                    "meet a vertex twice: ask for fewer paths, or for alternatives."
                )

    def _along(self, root: Path) -> Mapping[int, tuple[Any, Path]]:
        """The vertices that ways along the junctions of a root end at, with the shortest
        length and way to each.
        """
        reached: dict[int, tuple[Any, Path]] = {root[0]: (0, (root[0],))}
        for junction in root[1:]:
            following: dict[int, tuple[Any, Path]] = {}
            for u, (length, way) in reached.items():
                for v, weight in self._arcs_from(u).items():
                    if self._junction(v) == junction and (
                        v not in following or length + weight < following[v][0]
                    ):
                        following[v] = length + weight, (*way, v)
            reached = following
        return reached

    def _search(
        self,
        starts: Mapping[int, tuple[Any, Path]],
        root: Path,
        taken: Set[int],
        avoided: Set[int],
    ) -> SimplePath | None:
        """The shortest way on from the starts, not back to the root, and not to vertices
        ``avoided``.
        """
        known, best = set(root), {u: length for u, (length, _) in starts.items()}
        before = dict[int, int]()
        waiting = [(length + self._bound(u), -length, u) for u, length in best.items()]
        heapq.heapify(waiting)
        while waiting:
            _, negated, u = heapq.heappop(waiting)
            if u == self._end:
                way = _walk(before, starts, u)
                return SimplePath(-negated, way, self._junctions(way))
            if -negated > best[u]:
                continue
            at_target = self._junction(u) == self._target
            for v, weight in self._arcs_from(u).items():
                junction = self._junction(v)
                is_end = v == self._end and at_target
                is_taken = junction in known or (u in starts and junction in taken)
                if not is_end and (v in avoided or at_target or is_taken):
                    continue
                length, bound = best[u] + weight, self._bound(v)
                if bound < self._searched.kind.infinity and (v not in best or length < best[v]):
                    best[v], before[v] = length, u
                    # of equal ones the one that is nearer to the target
                    heapq.heappush(waiting, (length + bound, -length, v))
        return None

    def _same_junction(self, way: Path) -> tuple[int, int] | None:
        """Two vertices on a way that are of one junction, but for the end."""
        at: dict[int, int] = {}
        for vertex in self._without_end(way):
            other = at.setdefault(self._junction(vertex), vertex)
            if other != vertex:
                return other, vertex
        return None

    def _without_end(self, way: Path) -> Path:
        is_double = len(way) > 1 and self._junction(way[-2]) == self._target
        return way[:-1] if is_double else way

    def _junctions(self, way: Path) -> Path:
        return tuple(map(self._junction, self._without_end(way)))

    def _junction(self, vertex: int) -> int:
        return int(self._junction_of[vertex]) if len(self._junction_of) else vertex

    def _arcs_from(self, vertex: int) -> dict[int, Any]:
        """Weights of the lightest arcs by their heads, without loops."""
        if vertex not in self._arcs:
            graph, arcs = self._searched.graph, dict[int, Any]()
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
            exact = self._searched.length(vertex, self._end) if known is None else known[vertex]
            self._bounds[vertex] = exact if isinstance(exact, (int, float)) else exact.item()
        return self._bounds[vertex]


def _walk(before: dict[int, int], starts: Mapping[int, tuple[Any, Path]], end: int) -> Path:
    vertices = [end]
    while vertices[-1] in before:
        vertices.append(before[vertices[-1]])
    return (*starts[vertices.pop()][1], *reversed(vertices))
