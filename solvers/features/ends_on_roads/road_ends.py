"""Questions of a `Router` whose ends are points of roads.

A point is left over the arcs of its road and reached over those of the other one, each
with the part of its weight that is travelled: the distance is the least over these at
most two by two ways, or along the road if both are on it. The network and its hierarchy
stay as they are. Where turns are forbidden, an arc is left at the copy of its head, and
reached from the copies of its tail that have it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from solvers.errors import UnknownVertex, VerificationFailed
from solvers.features.ends_on_roads.cut_roads import before, new_ids
from solvers.features.ends_on_roads.paths import PartOfArc, RoadPath
from solvers.features.ends_on_roads.road_points import nearest_points
from solvers.graphs.following_arcs import NO_ARC
from solvers.graphs.labelled import VertexIds
from solvers.graphs.places import RoadPoint, is_place
from solvers.graphs.weights import as_float
from solvers.system.array_types import AnyArray, Bools, Float64s, Int32s, Int64s
from solvers.system.ranges import numbers_in
from solvers.units import to_public_unit
from solvers.verification.networks import agree
from solvers.verification.prover import NetworkProver

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from solvers.running.prepared_network import PreparedNetwork

End = int | RoadPoint
"""A vertex of the network, or the point of a road that stands for a place."""

_CELLS = 1 << 24  # of a table of what is searched, computed at a time


def points_near(state: PreparedNetwork, places: ArrayLike) -> tuple[RoadPoint, ...]:
    """The nearest points of roads that are not closed; arcs are those of the network. Raises
    as `nearest_points`.
    """
    if state.graph is state.network:
        return nearest_points(state.network, places)
    closed = state.weights >= state.kind.infinity
    return nearest_points(state.network, places, closed=closed, kept_with=state.graph)


class Legs(NamedTuple):
    """How several ends are left, or how they are reached: vertices, and points by the parts
    of the arcs of their roads. Legs of one end follow one another.
    """

    of: Int64s  # (q,) the end
    vertices: Int64s  # of what is searched, to which a leg leads, or from which it comes
    lengths: AnyArray  # of the type of distances, with what the turn into the arc costs
    arcs: Int64s  # of the network, `NO_ARC` at a vertex
    shares: Float64s  # of the arc from its tail to the point
    before: AnyArray  # the weight of that part
    are_backs: Bools

    @classmethod
    def leaving(cls, state: PreparedNetwork, ends: Iterable[End]) -> Legs:
        return cls._of(state, ends, are_last=False)

    @classmethod
    def reaching(cls, state: PreparedNetwork, ends: Iterable[End]) -> Legs:
        return cls._of(state, ends, are_last=True)

    @classmethod
    def _of(cls, state: PreparedNetwork, ends: Iterable[End], *, are_last: bool) -> Legs:
        rows: list[tuple[int, int, int, float, bool]] = []
        for i, end in enumerate(ends):
            vertex = _vertex_of(end)
            if vertex is not None:
                rows.append((i, vertex, NO_ARC, 0.0, False))
                continue
            assert isinstance(end, RoadPoint)
            rows.append((i, 0, end.there, end.share, False))
            if end.back != NO_ARC:
                rows.append((i, 0, end.back, 1 - end.share, True))
        kinds = np.int64, np.int64, np.int64, np.float64, np.bool_
        columns = [np.array(*of) for of in zip(zip(*rows, strict=True), kinds, strict=False)]
        of, vertices, arcs, shares, are_backs = columns or [np.empty(0, kind) for kind in kinds]
        network, translation, weights = state.network, state.translation, state.weights
        at_vertex = np.flatnonzero(arcs == NO_ARC)
        on_road = np.flatnonzero(arcs != NO_ARC)
        on_road = on_road[weights[arcs[on_road]] < state.kind.infinity]
        searched, (own, which) = translation.searched, translation.positions(arcs[on_road])
        if not are_last:  # a path begins at a junction, which has every arc once
            first = searched.tails[own] < network.n
            own, which = own[first], which[first]
        legs = np.concatenate((at_vertex, on_road[which]))
        parts = np.zeros(len(arcs), weights.dtype)
        parts[on_road] = before(weights[arcs[on_road]], shares[on_road], are_backs[on_road])
        at_road, roads = parts[on_road[which]], arcs[on_road[which]]
        if are_last:
            more = searched.weights[own] - network.weights[roads]
            lengths, outer = at_road + more.astype(weights.dtype), searched.tails[own]
            at_ends = translation.ends(vertices[at_vertex])
        else:
            lengths, outer = weights[roads] - at_road, searched.indices[own]
            at_ends = vertices[at_vertex]
        order = np.argsort(of[legs], kind="stable")
        legs = legs[order]
        return cls(
            of[legs],
            np.concatenate((at_ends, outer)).astype(np.int64)[order],
            np.concatenate((parts[at_vertex], lengths))[order],
            arcs[legs],
            shares[legs],
            parts[legs],
            are_backs[legs],
        )

    def along(self, i: Any, last: Legs, j: Any) -> AnyArray:
        """The lengths, as float64, from a point left by leg ``i`` to one that leg ``j`` reaches
        on the same arc; inf on others, and if the point is behind.
        """
        same = (self.arcs[i] == last.arcs[j]) & (self.arcs[i] != NO_ARC)
        same &= self.shares[i] <= last.shares[j]
        return np.where(same, (last.before[j] - self.before[i]).astype(np.float64), np.inf)

    def first(self, ends: AnyArray) -> Int64s:
        """The first leg of each of some ends; of the end after the last, the number of legs."""
        return np.searchsorted(self.of, ends)


class RoadWay(NamedTuple):
    """A shortest way between two ends: over legs, and from one vertex of what is searched to
    another between them, or along the arc of both legs.
    """

    length: Any  # in the unit of the weights
    between: Any  # the length from vertex to vertex
    is_along: bool
    first: int  # legs
    last: int


class BetweenLegs(NamedTuple):
    """A shortest way from where one leg ends to where another begins."""

    first: int  # legs
    last: int
    start: int  # vertices of what is searched
    end: int
    length: Any  # infinity if there is no way


@dataclass(frozen=True)
class RoadQuestion:
    """The ways between two ends, at least one of which is a point of a road."""

    state: PreparedNetwork
    names: VertexIds
    prover: NetworkProver
    source: End
    target: End

    @cached_property
    def legs(self) -> tuple[Legs, Legs]:
        return Legs.leaving(self.state, [self.source]), Legs.reaching(self.state, [self.target])

    @cached_property
    def between(self) -> list[BetweenLegs]:
        """Of each two legs."""
        first, last = self.legs
        i, j = (each.ravel() for each in np.indices((len(first.of), len(last.of))))
        starts, ends = first.vertices[i], last.vertices[j]
        columns, searched = [each.tolist() for each in (i, j, starts, ends)], self.state.searched
        lengths: list[Any]
        if self.state.prepared:  # a few pairs take less time than to share them among threads
            lengths = list(map(searched.length, *columns[2:]))
        else:
            lengths = searched.lengths(starts, ends).tolist()
        return list(map(BetweenLegs, *columns, lengths))

    @cached_property
    def ways(self) -> list[RoadWay]:
        """The shortest by each two legs, and those along one arc; the shortest first."""
        first, last = self.legs
        found = list[RoadWay]()
        for i, j, _, _, length in self.between:
            if length < self.state.kind.infinity:
                more = (first.lengths[i] + last.lengths[j]).item()
                found.append(RoadWay(more + length, length, False, i, j))
            if first.along(i, last, j) < np.inf:
                part = (last.before[j] - first.before[i]).item()
                found.append(RoadWay(part, 0, True, i, j))
        # a part may weigh nothing: of equal ways not the one that passes over the whole road
        return sorted(found, key=lambda way: (way.length, way.between, not way.is_along))

    @cached_property
    def shortest(self) -> tuple[RoadWay, Int64s]:
        """A shortest way, and the arcs of what is searched between its legs."""
        from solvers.verification.paths import lightest_arcs

        way, (first, last), searched = self.ways[0], self.legs, self.state.searched
        if way.is_along:
            return way, np.empty(0, np.int64)
        start, end = first.vertices[way.first].item(), last.vertices[way.last].item()
        arcs = lightest_arcs(searched.network, searched.path(start, end), searched.weights)
        own = self.state.translation.arcs(arcs)
        on_roads = {*first.arcs.tolist(), *last.arcs.tolist()} - {NO_ARC}
        if on_roads.isdisjoint(own.tolist()):
            return way, arcs
        # with arcs that weigh nothing it may pass the point of an end again
        for k in np.flatnonzero((own >= 0) & np.isin(own, last.arcs))[:1].tolist():
            reached = last.vertices == searched.network.tails[arcs[k]]
            leg = np.flatnonzero((last.arcs == own[k]) & reached)[0]
            way, arcs, own = way._replace(last=int(leg)), arcs[:k], own[:k]
        for k in np.flatnonzero((own >= 0) & np.isin(own, first.arcs))[-1:].tolist():
            leg = np.flatnonzero(first.arcs == own[k])[0]
            way, arcs = way._replace(first=int(leg)), arcs[k + 1 :]
        return way, arcs

    def travelled(self, way: RoadWay, between: Int64s) -> tuple[Int64s, AnyArray]:
        """The arcs of a way, with arcs of what is searched between its legs, and their weights
        as far as they are travelled.
        """
        (first, last), state = self.legs, self.state
        if way.is_along:
            is_same = first.shares[way.first] == last.shares[way.last]
            arcs, weights = first.arcs[[way.first]], np.array([way.length])
            return (arcs[:0], weights[:0]) if is_same else (arcs, weights)
        arcs, weights = state.travelled(between)
        ahead, behind = (
            [k] if legs.arcs[k] != NO_ARC else []
            for legs, k in zip(self.legs, way[3:], strict=True)
        )
        return (
            np.concatenate((first.arcs[ahead], arcs, last.arcs[behind])),
            np.concatenate((first.lengths[ahead], weights, last.lengths[behind])),
        )

    @cached_property
    def length(self) -> int | float:
        """Of a shortest way, proved, in the public unit; inf if there is none."""
        if self.prover.proves_all:  # also of ways that are longer: they might not be
            state = self.state
            state.require(self.prover.failure)
            for _, _, start, end, length in self.between:
                claimed = float(as_float(length, state.kind))
                state.require(self.prover.pair(start, end, claimed))
        if not self.ways:
            return float("inf")
        exact: int | float = to_public_unit(self.ways[0].length, self.state.network.weight_unit)
        return exact

    def path(self) -> RoadPath | None:
        """A shortest path, proved; None if there is none."""
        if self.length == np.inf:
            return None
        way, between = self.shortest
        arcs = self.travelled(way, between)[0]
        self.state.require(self.prover.arcs(self.state.network, arcs))
        if self.prover.proves_all:
            _, weights = self.travelled(way, between)
            total, length = np.array([[weights.sum()], [way.length]], np.float64)
            if not agree(total, length, self.state.kind, self.state.graph.n):
                raise VerificationFailed("A path", "Its weights do not add up to its length.", 1)
        return self.path_of(way, between)

    def path_of(self, way: RoadWay, between: Int64s) -> RoadPath:
        """The path of a way, as `travelled`; raises VerificationFailed if one arc does not lead
        to the next.
        """
        (first, last), i, j = self.legs, way.first, way.last
        arcs, weights = self.travelled(way, between)
        network, parts = self.state.network, list[PartOfArc]()
        if way.is_along:
            shares = first.shares[i], last.shares[j]
            parts = [PartOfArc(0, shares, first.are_backs[i], 1)][: len(arcs)]
        else:
            if first.arcs[i] != NO_ARC:
                parts.append(PartOfArc(0, (first.shares[i],), first.are_backs[i], 1))
            if last.arcs[j] != NO_ARC:
                parts.append(PartOfArc(-1, (last.shares[j],), last.are_backs[j], 0))
        ids = self.names.listed(self._along(arcs))
        ends = (self.source, self.target)
        points = [end if isinstance(end, RoadPoint) else None for end in ends]
        on_roads = [point for point in points if point is not None and point.vertex is None]
        new = new_ids(network, on_roads)
        if last.arcs[j] != NO_ARC:
            ids[-1:] = new[-1:]
        if first.arcs[i] != NO_ARC:
            ids[:1] = new[:1]
        both = points[0], points[1]
        return RoadPath(ids, network, (arcs, weights), parts, both, self.state.graph)

    def _along(self, arcs: Int64s) -> Int32s:
        """The vertices along successive arcs, (k + 1,)."""
        network, source, target = (
            self.state.network,
            _vertex_of(self.source),
            _vertex_of(self.target),
        )
        found = np.append(network.tails[arcs], network.indices[arcs[-1:]])
        if not len(arcs):
            found = np.array([] if source is None else [source], np.int32)
        leads_on = np.array_equal(network.indices[arcs[:-1]], found[1:-1])
        leads_on &= source is None or found[0] == source
        leads_on &= target is None or found[-1] == target
        if not leads_on:
            raise VerificationFailed("A path", "Its arcs do not lead on to the target.", 1)
        return found


@dataclass(frozen=True)
class PlaceAnswers:
    """Answers of a router where ends may be places, proved, in the public unit."""

    state: PreparedNetwork
    names: VertexIds
    prover: NetworkProver

    @property
    def _unit(self) -> str:
        return self.state.network.weight_unit

    def question(self, source: Hashable, target: Hashable) -> RoadQuestion | None:
        """The question where an end is a place; None where both are vertices."""
        if not any(is_place(self.state.network, end) for end in (source, target)):
            return None
        return RoadQuestion(self.state, self.names, self.prover, *self.ends((source, target)))

    def starts(self, source: Hashable) -> list[tuple[int, Any]]:
        """The vertices of what is searched from which all others are reached from an end, and
        the lengths up to them.
        """
        legs = Legs.leaving(self.state, self.ends((source,)))
        return list(zip(legs.vertices.tolist(), legs.lengths.tolist(), strict=True))

    def lengths(self, pairs: list[Any]) -> Float64s:
        """Of pairs of ids and places, (k,)."""
        ends = self.ends([end for pair in pairs for end in pair], "pairs", 2)
        first, last = (Legs.leaving(self.state, ends[::2]), Legs.reaching(self.state, ends[1::2]))
        k = np.arange(len(pairs))
        counts = np.diff(first.first(np.arange(len(pairs) + 1)))
        others = np.diff(last.first(np.arange(len(pairs) + 1)))
        sizes = counts * others
        pair = np.repeat(k, sizes)
        step = numbers_in(0, sizes)
        i = first.first(pair) + step // others[pair]
        j = last.first(pair) + step % others[pair]
        searched, kind = self.state.searched, self.state.kind
        starts, goals = first.vertices[i], last.vertices[j]
        between = as_float(searched.lengths(starts, goals), kind)
        self.state.require(self.prover.pairs(starts, goals, between))
        found = np.minimum(between + first.lengths[i] + last.lengths[j], first.along(i, last, j))
        least = np.minimum.reduceat(found, np.cumsum(sizes) - sizes) if len(pairs) else found
        return to_public_unit(least, self._unit)

    def table(self, sources: Sequence[End], targets: Sequence[End] | None) -> Float64s:
        """Distances from each source to each target, all vertices for None."""
        state, first = self.state, Legs.leaving(self.state, sources)
        last = None if targets is None else Legs.reaching(state, targets)
        columns = state.network.n if targets is None else len(targets)
        found = np.empty((len(sources), columns), np.float64)
        width = state.network.n if last is None else len(last.of)
        rows = max(1, _CELLS // (2 * max(1, width)))
        for begin in range(0, len(sources), rows):
            part = slice(begin, min(begin + rows, len(sources)))
            legs = np.arange(*first.first(np.array([part.start, part.stop])).tolist())
            found[part] = self._rows(first, legs, last)
        return to_public_unit(found, self._unit)

    def _rows(self, first: Legs, i: Int64s, last: Legs | None) -> Float64s:
        """The rows of a table from the sources of some legs."""
        searched = self.state if last is None else self.state.searched
        starts, goals = first.vertices[i], None if last is None else last.vertices
        table = searched.table(starts, goals)
        self.state.require(self.prover.table(starts, goals, table.__getitem__))
        table = table + first.lengths[i][:, None]
        if last is not None:
            table += last.lengths
            shared = np.flatnonzero(np.isin(last.arcs, first.arcs[i]) & (last.arcs != NO_ARC))
            along = first.along(i[:, None], last, shared)
            table[:, shared] = np.minimum(table[:, shared], along)
            if len(last.of):
                table = np.minimum.reduceat(table, np.flatnonzero(np.diff(last.of, prepend=-1)), 1)
        return np.minimum.reduceat(table, np.flatnonzero(np.diff(first.of[i], prepend=-1)), 0)

    def ends(self, given: Sequence[Any], of: str = "", step: int = 1) -> list[End]:
        """The vertices of ids and the points of places, which are looked up together.

        ``of`` names the list for `UnknownVertex`, ``step`` is how many belong together in it.
        """
        network = self.state.network
        ends = [tuple(end.tolist()) if isinstance(end, np.ndarray) else end for end in given]
        places = list(dict.fromkeys(end for end in ends if is_place(network, end)))
        points = dict(zip(places, points_near(self.state, places) if places else (), strict=True))
        found = list[End]()
        for i, end in enumerate(ends):
            point = points.get(end) if type(end) is tuple else None
            try:
                found.append(self.names.index(end) if point is None else point)
            except UnknownVertex as error:
                if not of:
                    raise
                raise error.at(i // step, of) from None
        return found


def _vertex_of(end: End) -> int | None:
    """The vertex that an end is; None between vertices."""
    return end if isinstance(end, int) else end.vertex
