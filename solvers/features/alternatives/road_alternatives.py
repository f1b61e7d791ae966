"""Several ways between ends of which some are points of roads.

Between each two legs of the ends a hierarchy finds the shortest way and alternatives. Of
all of these, those are taken that keep the limits of `via_paths` in the whole: they are
simple also where they would pass a point of the ends again, and they are judged with the
parts of the roads of these. What is new besides detours over via vertices is that a way
leaves or reaches a point by the other direction of its road: so its first and its last
part must be shortest paths, too.

Where no hierarchy answers, or weights are negative, the network is cut at the points.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from solvers.algorithms.hierarchy.via_paths import Limits
from solvers.features.alternatives.ways import LIMITS, find_ways, ways_note
from solvers.features.ends_on_roads.road_ends import Legs, RoadQuestion, RoadWay
from solvers.graphs.following_arcs import NO_ARC
from solvers.graphs.graph import Graph
from solvers.graphs.places import with_places
from solvers.library.paths import Alternatives, Path
from solvers.running.prepared_network import prepared_network, searched_network
from solvers.system.array_types import AnyArray, Float64s, Int64s

_ROUNDINGS = 4  # as of `HierarchyEngine.alternatives`


def alternatives_of(
    question: RoadQuestion, ends: tuple[Hashable, Hashable], k: int
) -> Alternatives:
    """The shortest path and up to ``k`` alternatives; as of `Router.alternatives`."""
    state, shortest = question.state, question.path()
    if shortest is None:
        return Alternatives((), (), ways_note(-1, k, LIMITS))
    if not state.finds_alternatives:
        return _in_cut_network(state.graph, ends, k)
    search = _Search(question)
    candidates = search.candidates(k, LIMITS) if search.length else []  # limits are shares of it
    taken, shared = [search.shortest], [0.0]
    for one in sorted(candidates, key=lambda each: each.rank(search.shortest)):
        if len(taken) > k:
            break
        common = one.length_on(np.concatenate([other.arcs for other in taken]))
        if common <= LIMITS.sharing * search.length:
            taken.append(one)
            shared.append(common / search.length)
    others = (question.path_of(one.way, one.between) for one in taken[1:])
    return Alternatives((shortest, *others), tuple(shared), ways_note(len(taken) - 1, k, LIMITS))


def _in_cut_network(whole: Graph, ends: tuple[Hashable, Hashable], k: int) -> Alternatives:
    graph, (source, target), points = with_places(whole, ends)
    assert source is not None
    assert target is not None
    negative = graph.has_negative_weights
    state = (prepared_network if negative else searched_network)(graph)
    found, paths = find_ways(state, source, target, k), list[Path]()
    for way in found.ways:
        ids = map(graph.vertex_id, way.vertices.tolist())
        paths.append(Path(ids, graph, way.vertices))
        paths[-1].points = points[0], points[1]
    return Alternatives(tuple(paths), tuple(way.shared for way in found.ways), found.note)


@dataclass(frozen=True, eq=False)
class _Candidate:
    way: RoadWay
    between: Int64s  # arcs of what is searched, between the legs
    arcs: Int64s  # of the network; negative numbers of those of which a part is travelled
    weights: Float64s

    @cached_property
    def length(self) -> float:
        return float(self.weights.sum())

    def length_on(self, arcs: Int64s) -> float:
        """The length of those that are among some arcs."""
        return float(self.weights[np.isin(self.arcs, arcs)].sum())

    def rank(self, shortest: _Candidate) -> float:
        """The lesser, the earlier it is tried."""
        return 2 * self.length + self.length_on(shortest.arcs)


class _Search:
    """The candidates between the ends of a question."""

    def __init__(self, question: RoadQuestion):
        self._question, self._searched = question, question.state.searched
        self._first, self._last = question.legs
        kind = question.state.kind
        unit = 0.0 if kind.is_integer else float(np.finfo(kind.dtype).eps)
        self._more = 1 + _ROUNDINGS * unit * question.state.network.n**0.5
        self.length = float(question.ways[0].length)
        self.shortest = self._candidate(*question.shortest)

    def candidates(self, count: int, limits: Limits) -> list[_Candidate]:
        """Ways that keep the limits but for what they share with each other."""
        found = []
        for way in self._question.ways:
            if float(way.length) > (1 + limits.stretch) * self.length * self._more:
                break
            if not self._passes_an_end(way):
                several = self._arcs(way, count + 1, limits)
                found += [self._candidate(way, arcs) for arcs in several]
        return [one for one in found if self._is_admissible(one, limits)]

    def _arcs(self, way: RoadWay, count: int, limits: Limits) -> list[Int64s]:
        """Arcs of what is searched between the legs of a way, of it and of alternatives."""
        start, end = self._first.vertices[way.first].item(), self._last.vertices[way.last].item()
        if way.is_along or start == end:
            return [np.empty(0, np.int64)]
        if way.between:  # shares are of the whole length
            scale = self.length / float(way.between)
            limits = Limits(limits.stretch, limits.sharing * scale, limits.optimality * scale)
        return self._question.state.alternatives(start, end, count, limits)

    def _candidate(self, way: RoadWay, between: Int64s) -> _Candidate:
        arcs, weights = self._question.travelled(way, between)
        arcs = arcs.copy()
        if len(arcs) and self._first.arcs[way.first] != NO_ARC:
            arcs[0] = -2 - 2 * arcs[0]
        if len(arcs) and self._last.arcs[way.last] != NO_ARC and not way.is_along:
            arcs[-1] = -3 - 2 * arcs[-1]
        return _Candidate(way, between, arcs, weights.astype(np.float64))

    def _passes_an_end(self, way: RoadWay) -> bool:
        """Whether the legs of a way pass the other end, which lies on the same road."""
        if way.is_along:
            return False
        i, j = np.arange(len(self._first.of)), np.arange(len(self._last.of))
        ahead = self._first.along(i[:, None], self._last, j) < np.inf
        return bool(ahead[way.first].any() or ahead[:, way.last].any())

    def _is_admissible(self, one: _Candidate, limits: Limits) -> bool:
        shared = one.length_on(self.shortest.arcs)
        detours, replaced = one.length - shared, self.length - shared
        return (
            shared <= limits.sharing * self.length
            and detours <= (1 + limits.stretch) * replaced * self._more
            and self._is_simple(one)
            and self._begins_and_ends_shortest(one, limits.optimality * self.length)
        )

    def _is_simple(self, one: _Candidate) -> bool:
        """Whether it meets no vertex twice, and no point of the ends."""
        network, inner = self._question.state.network, one.arcs[one.arcs >= 0]
        on_roads = np.concatenate((self._first.arcs, self._last.arcs))
        vertices = np.append(network.tails[inner], network.indices[inner[-1:]])
        return not np.isin(inner, on_roads).any() and len(np.unique(vertices)) == len(vertices)

    def _begins_and_ends_shortest(self, one: _Candidate, reach: float) -> bool:
        """Whether its parts of so much length from points of roads are shortest paths."""
        graph, weights = self._searched.network, self._searched.weights[one.between]
        so_far, i, j = np.concatenate(([0.0], np.cumsum(weights))), one.way.first, one.way.last
        vertices = np.append(graph.tails[one.between], graph.indices[one.between[-1:]])
        ahead = so_far + self._first.lengths[i]
        behind = (so_far[-1] - so_far + self._last.lengths[j])[::-1]
        return all(
            legs.arcs[leg] == NO_ARC or self._is_shortest(legs, lengths, met, reach, back)
            for legs, leg, lengths, met, back in (
                (self._first, i, ahead, vertices, False),
                (self._last, j, behind, vertices[::-1], True),
            )
        )

    def _is_shortest(
        self, legs: Legs, lengths: Float64s, vertices: AnyArray, reach: float, back: bool
    ) -> bool:
        """Whether the first vertex so far from an end along a way is not nearer by another."""
        far = np.flatnonzero(lengths >= reach)
        if not len(far) or not len(vertices):
            return False  # it leads to the other end, longer than the shortest
        vertex, nearest = int(vertices[far[0]]), np.inf
        for leg, more in zip(legs.vertices.tolist(), legs.lengths.tolist(), strict=True):
            pair = (vertex, leg) if back else (leg, vertex)
            length = self._searched.length(*pair)
            if length < self._searched.kind.infinity:
                nearest = min(nearest, float(length) + more)
        return bool(lengths[far[0]] <= nearest * self._more)
