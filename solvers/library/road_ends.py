"""Questions of a `Router` whose ends are points of roads.

A point is left over the arcs of its road and reached over those of the other one, each
with the part of its weight that is travelled: the distance is the least over these at
most two by two ways, or along the road if both are on it. The network and its hierarchy
stay as they are. Where turns are forbidden, an arc is left at the copy of its head, and
reached from the copies of its tail that have it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from solvers.graphs.cut_roads import divided, with_points
from solvers.graphs.graph import Graph
from solvers.graphs.junctions import Junctions
from solvers.graphs.labelled import VertexIds
from solvers.graphs.road_points import NO_ARC, RoadPoint, is_place, nearest_points
from solvers.library.paths import Path
from solvers.library.router_proofs import RouterProver, as_float
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.units import to_public_unit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from solvers.running.network_state import RouterState

End = int | RoadPoint
"""A vertex of the network, or a point of a road."""


class RoadWay(NamedTuple):
    """The shortest way between two ends; in what is searched, from one vertex to another."""

    length: Any  # in the unit of the weights; None where there is no way
    start: int = NO_ARC  # `NO_ARC` for a way along one road
    end: int = NO_ARC
    between: Any = 0  # the length from ``start`` to ``end``


class _Cut(NamedTuple):
    """A point on an arc of its road: the share from its tail, and whether it is the arc back."""

    arc: int
    share: float
    is_back: bool


def points_near(state: RouterState, places: ArrayLike) -> tuple[RoadPoint, ...]:
    """The nearest points of roads that are not closed; arcs are those of the network. Raises
    as `nearest_points`.
    """
    if state.graph is state.network:
        return nearest_points(state.network, places)
    closed = state.weights >= state.kind.infinity
    return nearest_points(state.network, places, closed=closed, kept_with=state.graph)


@dataclass(frozen=True)
class PlaceAnswers:
    """Answers of a router where ends may be places, proved, in the public unit."""

    state: RouterState
    names: VertexIds
    prover: RouterProver

    def question(self, source: Hashable, target: Hashable) -> RoadQuestion | None:
        """The question where an end is a place; None where both are vertices."""
        if not any(is_place(self.state.network, end) for end in (source, target)):
            return None
        return self._questions([(source, target)])[0]

    def length(self, question: RoadQuestion) -> int | float:
        way = question.way
        if way.length is None:
            return float("inf")
        if self.prover.proves_all and way.start != way.end:
            self.prover.prove_pair(self.state.searched, way.start, way.end, float(way.between))
        exact: int | float = to_public_unit(way.length, self.state.network.weight_unit)
        return exact

    def path(self, question: RoadQuestion) -> Path | None:
        self.length(question)  # proved
        found = question.path()
        if found is None:
            return None
        cut, vertices = found
        return Path(map(cut.vertex_id, vertices.tolist()), cut, vertices)

    def lengths(self, pairs: list[Any]) -> Float64s:
        """Of pairs of ids and places, (k,)."""
        lengths = lengths_between(self._questions(pairs), self.state)
        searched = self.state.searched
        self.prover.prove_pairs(searched, lengths.starts, lengths.ends, lengths.between)
        return to_public_unit(lengths.found, self.state.network.weight_unit)

    def _questions(self, pairs: list[Any]) -> list[RoadQuestion]:
        """The questions about pairs of ids and places, all of which are looked up together."""
        state, network = self.state, self.state.network
        ends = [
            tuple(end) if isinstance(end, np.ndarray) else end for pair in pairs for end in pair
        ]
        places = list(dict.fromkeys(end for end in ends if is_place(network, end)))
        points = dict(zip(places, points_near(state, places) if places else (), strict=True))
        at: list[Any] = []
        for end in ends:
            point = points.get(end)
            vertex = self.names.index(end) if point is None else point.vertex
            at.append(point if vertex is None else vertex)
        return [RoadQuestion(state, *both) for both in zip(at[::2], at[1::2], strict=True)]


@dataclass(frozen=True)
class RoadQuestion:
    """The way between two ends, at least one of which is a point of a road."""

    state: RouterState
    source: End
    target: End

    @cached_property
    def way(self) -> RoadWay:
        found, choices = self._along_one_road(), self.choices
        if choices:
            starts, ends, parts = zip(*choices, strict=True)
            searched = self.state.searched
            if self.state.prepared:  # a few pairs take less time than to share them among threads
                lengths = [searched.length(a, b) for a, b in zip(starts, ends, strict=True)]
            else:
                lengths = searched.lengths(np.array(starts), np.array(ends)).tolist()
            found += [
                RoadWay(part + length, start, end, length)
                for start, end, part, length in zip(starts, ends, parts, lengths, strict=True)
                if length < self.state.kind.infinity
            ]
        # a part may weigh nothing: of equal ways not the one that passes over the whole road
        return min(found, key=lambda way: (way.length, way.between), default=RoadWay(None))

    def path(self) -> tuple[Graph, Int32s] | None:
        """The network cut at the points, with the weights of the state, and the vertices of
        the way in it; None without one.
        """
        way, state = self.way, self.state
        if way.length is None:
            return None
        ends = (self.source, self.target)
        points = [end for end in ends if isinstance(end, RoadPoint)]
        cut, at = with_points(_weighed(state), points)
        places = iter(at)
        own = [next(places) if isinstance(end, RoadPoint) else end for end in ends]
        if way.start == NO_ARC:
            return cut, np.array(list(dict.fromkeys(own)), np.int32)  # one for the same point
        vertices = state.junctions.path(state.searched.path(way.start, way.end)).tolist()
        first = own[:1] if isinstance(self.source, RoadPoint) else []
        last = own[1:] if isinstance(self.target, RoadPoint) else []
        return cut, np.array([*first, *vertices, *last], np.int32)

    @property
    def choices(self) -> list[tuple[int, int, Any]]:
        """From where to where in what is searched a way may lead, and the length before and
        behind.
        """
        pairs = product(self._exits(self.source), self._entries(self.target))
        return [(start, end, leaving + reaching) for (start, leaving), (end, reaching) in pairs]

    @property
    def along_one_road(self) -> float:
        """The length of the way that stays on one road; inf without one."""
        return min((float(way.length) for way in self._along_one_road()), default=np.inf)

    def _along_one_road(self) -> list[RoadWay]:
        source, target = self.source, self.target
        if isinstance(source, int) or isinstance(target, int):
            return []
        found = []
        for one, other in product(_cuts(source), _cuts(target)):
            if one.arc == other.arc and one.share <= other.share and self._is_open(one.arc):
                found.append(RoadWay(self._parts(other)[0] - self._parts(one)[0]))
        return found

    def _exits(self, end: End) -> list[tuple[int, Any]]:
        """Vertices of what is searched by which an end is left, and the lengths up to them."""
        if isinstance(end, int):
            return [(end, 0)]
        junctions = self.state.junctions
        found = []
        for cut in _cuts(end):
            if self._is_open(cut.arc):
                own = _positions(junctions, cut.arc)
                leaving = own[junctions.searched.tails[own] < junctions.network.n][0]
                head = int(junctions.searched.indices[leaving])
                found.append((head, self._parts(cut)[1]))
        return found

    def _entries(self, end: End) -> list[tuple[int, Any]]:
        """Vertices of what is searched from which an end is reached, and the lengths from
        them, with what turns cost.
        """
        junctions = self.state.junctions
        if isinstance(end, int):
            return [(int(junctions.end(end) or 0), 0)]
        searched, found = junctions.searched, []
        for cut in _cuts(end):
            if self._is_open(cut.arc):
                part = self._parts(cut)[0]
                for own in _positions(junctions, cut.arc).tolist():
                    more = searched.weights[own] - junctions.network.weights[cut.arc]
                    found.append((int(searched.tails[own]), part + more.item()))
        return found

    def _is_open(self, arc: int) -> bool:
        return bool(self.state.weights[arc] < self.state.kind.infinity)

    def _parts(self, cut: _Cut) -> list[Any]:
        """The parts of an arc's weight before and behind a point."""
        weight = self.state.weights[cut.arc]
        parts: list[Any] = divided(weight, [cut.share], from_head=cut.is_back).tolist()
        return parts


class LengthsBetween(NamedTuple):
    """Lengths between many ends, and those in what is searched that they are made of."""

    found: Float64s  # (k,) in the unit of the weights, inf without a way
    starts: Int64s  # (q,) vertices of what is searched
    ends: Int64s
    between: Float64s  # (q,)


def lengths_between(questions: Sequence[RoadQuestion], state: RouterState) -> LengthsBetween:
    """The lengths of the shortest ways of many questions to one state, asked together."""
    several = [question.choices for question in questions]
    flat = [choice for choices in several for choice in choices]
    starts, ends = (np.array([choice[side] for choice in flat], np.int64) for side in (0, 1))
    between = as_float(state.searched.lengths(starts, ends), state.kind)
    found = np.array([question.along_one_road for question in questions], np.float64)
    whole = between + np.array([choice[2] for choice in flat], np.float64)
    np.minimum.at(found, np.repeat(np.arange(len(several)), list(map(len, several))), whole)
    return LengthsBetween(found, starts, ends, between)


def _cuts(point: RoadPoint) -> list[_Cut]:
    there, back = _Cut(point.there, point.share, False), _Cut(point.back, 1 - point.share, True)
    return [there] if point.back == NO_ARC else [there, back]


def _positions(junctions: Junctions, arc: int) -> Int64s:
    """Where an arc of the network is in what is searched."""
    if not junctions.is_split:
        return np.array([arc], np.int64)
    order = junctions.searched.cached(
        "arcs by those of the network", lambda: np.argsort(junctions.arc_of, kind="stable")
    )
    first, last = (
        np.searchsorted(junctions.arc_of, arc, side=side, sorter=order)
        for side in ("left", "right")
    )
    found: Int64s = order[first:last]
    return found


def _weighed(state: RouterState) -> Graph:
    """The network with the weights of a state; closed arcs keep those that they had."""
    network = state.network
    if state.graph is network:
        return network
    weights: AnyArray = np.where(
        state.weights < state.kind.infinity, state.weights, network.weights
    ).astype(network.weights.dtype)
    return replace(network, weights=weights, directed=True, base=None, assume_symmetric=True)
