"""A road network as it is searched where turns are forbidden or cost something, and the
way back to its junctions.

What is searched is an ordinary graph, so that every algorithm and every proof applies.
Its first n vertices are the junctions of the network, at which paths start, and which
have all their arcs. Where what comes next depends on the arc by which one has come, that
arc leads to a *copy* of the junction, whose arcs are those that are allowed then. A copy
stands for the beginning of a forbidden sequence of arcs: the longest one with which the
arcs travelled end (the automaton of Aho and Corasick). A junction with copies also has
an *end*, to which arcs of weight 0 lead from the junction and its copies; as a target,
it stands for the junction.

Roads for destination only may be travelled at the beginning of a path and at its end, but
not between other roads. So copies also tell in which *phase* a path is: at its beginning,
while it has had such roads only; between, by another road; or at its end, by such a road
after another one, from where only such roads lead on.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from solvers.features.turns.u_turns import has_way_on, turn_costs
from solvers.graphs.csr import depth_first_ranks, rows_of_arcs
from solvers.graphs.following_arcs import NO_ARC, opposite_arcs
from solvers.graphs.graph import Graph, Overlay, RoadPatch
from solvers.graphs.road_patch import patched_arrays
from solvers.graphs.searched import SearchedGraph
from solvers.graphs.turn_rules import TurnCosts, TurnRules
from solvers.graphs.weights import to_float
from solvers.system.array_types import AnyArray, Bools, Float64s, Int32s, Int64s
from solvers.system.ranges import numbers_in


@dataclass(frozen=True, eq=False, repr=False)
class SplitGraph(Graph):
    """What is searched; its vertices have the ids of their junctions."""

    vertex_of: Int32s = field(default_factory=lambda: np.empty(0, np.int32))
    junctions: int = 0
    labels: tuple[Hashable, ...] = ()  # of the junctions, where they have any

    def __len__(self) -> int:
        return self.junctions  # told as the number of vertices

    def count(self, chosen: Bools) -> int:
        return len(np.unique(self.vertex_of[chosen]))

    def vertex_id(self, vertex: int) -> Hashable:
        junction = int(self.vertex_of[vertex])
        return self.labels[junction] if self.labels else int(self.ids[junction])


# what is searched, and the further fields of `Junctions`
_Split = tuple[Graph, Int32s, Int64s, Int32s]


@dataclass(frozen=True, eq=False)
class Junctions(SearchedGraph):
    """A network with split junctions."""

    def end(self, target: int) -> int:
        return int(self.end_of[target])

    def ends(self, targets: AnyArray | None) -> AnyArray:
        return self.end_of if targets is None else self.end_of[targets]

    def arcs(self, found: Int64s) -> Int64s:
        return self.arc_of[found]

    def positions(self, arcs: Int64s) -> tuple[Int64s, Int64s]:
        order = self.searched.cached(
            "arcs by those of the network", lambda: np.argsort(self.arc_of, kind="stable")
        )
        low, high = (
            np.searchsorted(self.arc_of, arcs, side=side, sorter=order)
            for side in ("left", "right")
        )
        which = np.repeat(np.arange(len(arcs)), high - low)
        return order[numbers_in(low, high - low)], which

    def distances(self, found: AnyArray, *, all_pairs: bool = False) -> AnyArray:
        if all_pairs:
            found = found[: self.network.n]
        return np.ascontiguousarray(found[..., self.end_of])

    def distances_to(self, found: AnyArray) -> AnyArray:
        return np.ascontiguousarray(found[..., : self.network.n])

    def masses(self, origins: Float64s, destinations: Float64s) -> tuple[Float64s, Float64s]:
        starts, ends = np.zeros((2, self.searched.n))
        starts[: self.network.n], ends[self.end_of] = origins, destinations
        return starts, ends

    def on_vertices(self, values: Float64s) -> Float64s:
        return np.bincount(self.vertex_of, values, self.network.n).astype(np.float64)

    def on_arcs(self, values: Float64s) -> Float64s:
        real = self.arc_of >= 0
        found = np.bincount(self.arc_of[real], values[real], self.network.m)
        return found.astype(np.float64)

    def starts(self, found: AnyArray) -> Float64s:
        found = to_float(found)
        real = np.flatnonzero(self.arc_of >= 0)
        own = self.arc_of[real]
        turns = self.searched.weights[real] - self.network.weights[own]
        starts = np.full(self.network.m, np.inf)
        np.minimum.at(starts, own, found[self.searched.tails[real]] + turns)
        return starts

    def path(self, found: Int32s) -> Int32s:
        if not len(found):
            return found
        vertices, last = self.vertex_of[found], found[-1]
        is_end = last >= self.network.n and last == self.end_of[vertices[-1]]
        return vertices[:-1] if len(found) > 1 and is_end else vertices

    def predecessors(self, found: Int32s) -> Int32s:
        before = found[self.end_of]
        here = np.arange(self.network.n)
        while (same := (before >= 0) & (self.vertex_of[before] == here)).any():
            before[same] = found[before[same]]
        return np.where(before >= 0, self.vertex_of[before], before).astype(np.int32)

    def weights(self, of_network: AnyArray, infinity: Any) -> AnyArray:
        real = self.arc_of >= 0
        own = of_network[self.arc_of[real]]
        weights = np.zeros(self.searched.m, of_network.dtype)
        # what turns cost
        more = self.searched.weights[real] - self.network.weights[self.arc_of[real]]
        weights[real] = np.where(own < infinity, own + more.astype(own.dtype), own)
        return weights

    def own_weights(self, found: AnyArray) -> AnyArray:
        # of the arcs of the junctions themselves, before which no turn costs anything
        own = np.flatnonzero((self.arc_of >= 0) & (self.searched.tails < self.network.n))
        weights = np.empty(self.network.m, found.dtype)
        weights[self.arc_of[own]] = found[own]
        return weights

    def steps(self, path: AnyArray, lightest: Int64s) -> tuple[Int64s, AnyArray, Int64s]:
        arcs, missing = lightest.copy(), np.flatnonzero(lightest < 0)
        weights = self.network.weights[arcs]
        # turns matter from the vertex before junctions that are split to the one after
        splits = (self.end_of[path] >= self.network.n) | self._are_told_apart(path)
        is_split = np.concatenate(([False], splits, [False]))
        for first, after in np.flatnonzero(np.diff(is_split)).reshape(-1, 2).tolist():
            begin, end = max(0, first - 1), min(len(path) - 1, after)
            own, own_weights = self._arcs(path[begin : end + 1])
            arcs[begin : begin + len(own)] = own
            weights[begin : begin + len(own)] = own_weights
            missing = np.append(missing, np.arange(begin + len(own), end))
        return arcs, weights, missing

    def _are_told_apart(self, path: AnyArray) -> bool:
        """Whether roads along the junctions of a path may be for destination only or not, so
        that all before them decides which are taken.
        """
        rules = self.network.turns
        if rules is None or not len(rules.for_destination):
            return False
        whole = self.network.network
        tails = whole.cached("tails of roads of both kinds", lambda: _of_both_kinds(whole, rules))
        return bool(np.isin(path, tails).any())

    def _arcs(self, path: AnyArray) -> tuple[Int64s, AnyArray]:
        """The arcs of the cheapest way along junctions, (k - 1,), and their weights with
        those of the turns before them.

        Arcs are positions in the network; from the first that may not be used on, they are
        missing.
        """
        graph, junctions = self.searched, path.tolist()
        reached: dict[int, Any] = {junctions[0]: 0} if junctions else {}
        came: list[dict[int, tuple[int, int]]] = []
        for head in junctions[1:]:
            following: dict[int, Any] = {}
            by: dict[int, tuple[int, int]] = {}
            for tail, cost in reached.items():
                row = graph.row(tail)
                for arc in range(row.start, row.stop):
                    vertex = int(graph.indices[arc])
                    if self.vertex_of[vertex] != head or self.arc_of[arc] == NO_ARC:
                        continue
                    through = cost + graph.weights[arc].item()
                    if vertex not in following or through < following[vertex]:
                        following[vertex], by[vertex] = through, (tail, arc)
            if not following:
                break
            reached = following
            came.append(by)
        arcs = np.empty(len(came), np.int64)
        vertex = min(reached, key=reached.__getitem__, default=-1)
        for step in range(len(came) - 1, -1, -1):
            vertex, arcs[step] = came[step][vertex]
        return self.arc_of[arcs], graph.weights[arcs]


def _of_both_kinds(network: Graph, rules: TurnRules) -> Int64s:
    """The tails of parallel arcs of which some are for destination only."""
    visitors = np.zeros(network.m, np.bool_)
    visitors[rules.for_destination] = True
    ends = network.tails.astype(np.int64) * network.n + network.indices
    both = np.intersect1d(ends[visitors], ends[~visitors])
    return np.unique(both // max(1, network.n))


def junctions_of(network: Graph, rules: TurnRules) -> Junctions:
    """How a network is searched by rules that name its arcs; what is searched is kept with it."""
    if rules is network.turns:
        # without the network itself, which would be in a cycle
        return Junctions(network, *network.cached("junctions", lambda: _searched(network, rules)))
    by_rules: WeakKeyDictionary[TurnRules, Junctions] = network.cached(
        "junctions by rules", WeakKeyDictionary
    )
    if rules not in by_rules:
        ruled = network.with_overlay(replace(network.overlay, turns=rules))
        by_rules[rules] = junctions_of(ruled, rules)
    return replace(by_rules[rules], network=network)


def _searched(network: Graph, rules: TurnRules) -> _Split:
    base = network.base
    return _split(network, rules) if base is None else _changed(network, base, rules)


def junctions_elsewhere(searched: Graph, end_of: Int32s) -> Junctions:
    """As `TurnSearch.elsewhere`."""
    n = len(end_of)
    network = Graph(
        np.zeros(n + 1, np.int64),
        searched.indices[:0],
        searched.weights[:0],
        ids=searched.ids[:n],
        name=searched.name,
    ).with_turns(TurnRules.of({}, TurnCosts()))  # which are part of what is searched
    none = np.empty(0, np.int64)
    kept = searched, none.astype(np.int32), none, end_of
    return Junctions(network, *network.cached("junctions", lambda: kept))


def _changed(graph: Graph, base: RoadPatch, rules: TurnRules) -> _Split:
    """The same of a graph with changed roads: what is searched has such roads, too."""
    whole = junctions_of(base.graph, rules)
    new = np.full(base.graph.m, NO_ARC, np.int64)
    new[base.arcs] = np.arange(graph.m)
    real = whole.arc_of >= 0
    closed = np.flatnonzero(real & (new[whole.arc_of] == NO_ARC))
    own = base.graph.weights.copy()
    own[base.slowed] = base.weights
    weights = whole.weights(own, np.inf)
    slowed = np.flatnonzero(real & (new[whole.arc_of] != NO_ARC))
    slowed = slowed[weights[slowed] != whole.searched.weights[slowed]]
    weights = weights[slowed]
    patch = RoadPatch(whole.searched, closed, slowed, weights)
    indptr, indices, weights = patched_arrays(patch)
    searched = replace(
        whole.searched,
        indptr=indptr,
        indices=indices,
        weights=weights,
        name=graph.name,
        overlay=Overlay(base=patch),
        assume_symmetric=True,
    )
    arc_of = whole.arc_of[patch.arcs]
    arc_of = np.where(arc_of == NO_ARC, NO_ARC, new[arc_of])
    return searched, whole.vertex_of, arc_of, whole.end_of


@dataclass(frozen=True, eq=False)
class _Arcs:
    """Arcs of what is searched."""

    tails: Int64s
    heads: Int64s
    arcs: Int64s  # in the network; `NO_ARC` into an end
    extra: AnyArray  # what the turn before costs

    @classmethod
    def joined(cls, parts: list[_Arcs]) -> _Arcs:
        columns = [(part.tails, part.heads, part.arcs, part.extra) for part in parts]
        return cls(*(np.concatenate(column) for column in zip(*columns, strict=True)))


class _Phase(IntEnum):
    """Which roads for destination only may follow, by what was travelled."""

    BEGIN = 0  # none but such roads, if any
    BETWEEN = 1  # another road last
    END = 2  # such a road after another one: only such roads follow


_State = tuple[tuple[int, ...], _Phase]


class _States:
    """What is told apart of the arcs travelled: those with which a forbidden sequence begins,
    and the phase, where roads are for destination only.

    Vertices are numbered: junctions, copies for single arcs, those for a phase alone, and
    those for longer beginnings.
    """

    def __init__(self, network: Graph, rules: TurnRules):
        n, heads = network.n, network.indices.astype(np.int64)
        self.forbidden, self.network = rules.forbidden, network
        self.visitors = np.zeros(network.m, np.bool_)  # arcs for destination only
        self.visitors[rules.for_destination] = True
        firsts = rules.arcs[rules.offsets[:-1]]
        single = np.unique(firsts) if rules.costs is None else np.arange(network.m)
        # a road for destination only is come to at the beginning or at the end
        twice = single[self.visitors[single]]
        self.single = np.concatenate((single, twice))
        self.phases = np.where(self.visitors[self.single], _Phase.BEGIN, _Phase.BETWEEN)
        self.phases[len(single) :] = _Phase.END
        copies = n + np.arange(len(self.single))
        has_copy = np.zeros(network.m, np.bool_)
        has_copy[single] = True
        self.between, self.end = self._of_phase(has_copy, n + len(copies))
        count = n + len(copies) + len(self.between) + len(self.end)
        # the vertex that each arc leads to: at the beginning of a path, and later
        self.first, self.later = heads.copy(), heads.copy()
        for vertices, is_end in ((self.between, False), (self.end, True)):
            arcs = np.flatnonzero((self.visitors == is_end) & np.isin(heads, vertices))
            place = n + len(copies) + np.searchsorted(vertices, heads[arcs])
            self.later[arcs] = place + (len(self.between) if is_end else 0)
        others = np.flatnonzero(~self.visitors)
        self.first[others] = self.later[others]
        self.first[single] = copies[: len(single)]
        self.later[single] = copies[: len(single)]
        self.later[twice] = copies[len(single) :]
        walks = {one[:size] for one in self.forbidden for size in range(2, len(one))}
        states = sorted((walk, phase) for walk in walks for phase in self._phases_after(walk))
        self.longer: dict[_State, int] = {state: count + i for i, state in enumerate(states)}
        last = np.array([walk[-1] for walk, _ in states], np.int64)
        self.vertex_of = np.concatenate(
            (np.arange(n), heads[self.single], self.between, self.end, heads[last])
        )

    def _of_phase(self, has_copy: Bools, first: int) -> tuple[Int64s, Int64s]:
        """Vertices with a copy for those who come by another road and may go on by one for
        destination only; and for those who come by such a road after another one.
        """
        network = self.network
        onwards = np.zeros(network.n, np.bool_)
        onwards[network.tails[self.visitors]] = True
        ordinary = network.indices[~self.visitors & ~has_copy]
        between = np.unique(ordinary[onwards[ordinary]])
        end = np.unique(network.indices[self.visitors & ~has_copy])
        return between.astype(np.int64), end.astype(np.int64)

    def phase_after(self, phase: _Phase, arc: int) -> _Phase | None:
        """The phase after an arc; None if it may not follow."""
        if not self.visitors[arc]:
            return None if phase is _Phase.END else _Phase.BETWEEN
        return _Phase.BEGIN if phase is _Phase.BEGIN else _Phase.END

    def _phases_after(self, walk: tuple[int, ...]) -> set[_Phase]:
        phases: set[_Phase] = set(_Phase)
        for arc in walk:
            phases = {
                after for phase in phases if (after := self.phase_after(phase, arc)) is not None
            }
        return phases

    def after(self, state: _State, arc: int) -> int | None:
        """The vertex that an arc leads to; None if it may not follow."""
        walk, phase = (*state[0], arc), self.phase_after(state[1], arc)
        suffixes = [walk[i:] for i in range(len(walk) - 1)]
        if phase is None or any(suffix in self.forbidden for suffix in suffixes):
            return None
        known = (self.longer[one, phase] for one in suffixes if (one, phase) in self.longer)
        return next(known, int((self.first if phase is _Phase.BEGIN else self.later)[arc]))

    def heads(self, phases: Int64s, arcs: Int64s) -> Int64s:
        """The vertices that arcs lead to in phases, (t,)."""
        return np.where(phases == _Phase.BEGIN, self.first[arcs], self.later[arcs])

    def from_phases(self) -> _Arcs:
        """The arcs that leave vertices for a phase alone."""
        network = self.network
        vertices = np.concatenate((self.between, self.end))
        of, arcs = _rows(network, vertices)
        allowed = (of < len(self.between)) | self.visitors[arcs]
        of, arcs = of[allowed], arcs[allowed]
        tails = network.n + len(self.single) + of
        return _Arcs(tails, self.later[arcs], arcs, np.zeros(len(arcs), network.weights.dtype))


def _rows(network: Graph, vertices: Int32s | Int64s) -> tuple[Int64s, Int64s]:
    """The arcs that leave vertices: the place of each in the list, and the arc, (t,)."""
    counts = network.out_degrees[vertices]
    of = np.repeat(np.arange(len(vertices)), counts)
    return of, numbers_in(network.indptr[vertices], counts)


def _split(network: Graph, rules: TurnRules) -> _Split:
    n, states = network.n, _States(network, rules)
    ended = np.unique(states.vertex_of[n:])
    end_of = np.arange(n)
    end_of[ended] = len(states.vertex_of) + np.arange(len(ended))
    arcs = np.arange(network.m)
    copies = np.concatenate((ended, n + np.arange(len(states.vertex_of) - n)))
    none = np.zeros(0, network.weights.dtype)
    parts = [
        _Arcs(network.tails.astype(np.int64), states.first, arcs, np.zeros(network.m, none.dtype)),
        states.from_phases(),
        _from_copies(network, rules, states),
        _Arcs(
            copies,
            end_of[states.vertex_of[copies]],
            np.full(len(copies), NO_ARC),
            np.zeros(len(copies), none.dtype),
        ),
    ]
    whole = _Arcs.joined(parts)
    vertex_of = np.concatenate((states.vertex_of, ended)).astype(np.int32)
    place = _places(network, vertex_of)
    vertex_of[place], end_of = vertex_of.copy(), place[end_of]
    indptr, indices, order = rows_of_arcs(
        len(vertex_of),
        place[whole.tails].astype(np.int32),
        place[whole.heads].astype(np.int32),
        np.arange(len(whole.arcs)),
    )
    arc_of = whole.arcs[order]
    real = arc_of != NO_ARC
    weights = whole.extra[order]
    weights[real] += network.weights[arc_of[real]]
    first = int(network.ids[-1]) + 1
    places = network.coordinates
    searched = SplitGraph(
        indptr,
        indices,
        weights,
        None if places is None else replace(places, xy=places.xy[vertex_of]),
        np.concatenate((network.ids, first + np.arange(len(vertex_of) - n))),
        network.name,
        weight_unit=network.weight_unit,
        vertex_of=vertex_of,
        junctions=n,
        labels=getattr(network, "labels", ()),
    )
    return searched, vertex_of, arc_of, end_of.astype(np.int32)


def _places(network: Graph, vertex_of: Int32s) -> Int64s:
    """Where each vertex stands: behind the junctions, copies and ends of neighbours near each
    other, so that searches find them in the processor's cache.
    """
    ranks = depth_first_ranks(network.indptr, network.indices)
    order = np.argsort(ranks[vertex_of[network.n :]], kind="stable")
    places = np.arange(len(vertex_of))
    places[network.n + order] = places[network.n :]
    return places


def _from_copies(network: Graph, rules: TurnRules, states: _States) -> _Arcs:
    """The arcs that leave copies."""
    of, after = _rows(network, network.indices[states.single])
    before, phases = states.single[of], states.phases[of]
    allowed = (phases != _Phase.END) | states.visitors[after]
    way_on = has_way_on(network)
    way_on[rules.new_ends] = False
    if rules.costs is not None:
        allowed &= ~((opposite_arcs(network)[before] == after) & way_on[before])
    pairs = np.array([a * network.m + b for a, b in _pairs(states.forbidden)], np.int64)
    allowed &= ~np.isin(before * network.m + after, pairs)
    of, before, after, phases = of[allowed], before[allowed], after[allowed], phases[allowed]
    tails, heads = network.n + of, states.heads(phases, after)
    begun = np.array([a * network.m + b for a, b in _pairs(walk for walk, _ in states.longer)])
    keys = before * network.m + after
    for place in np.flatnonzero(np.isin(keys, begun)).tolist():
        arc = int(after[place])
        phase = states.phase_after(_Phase(phases[place]), arc)
        assert phase is not None  # it is allowed
        heads[place] = states.longer[(int(before[place]), arc), phase]
    longer = [
        (vertex, head, state[0][-1], arc)
        for state, vertex in states.longer.items()
        for arc in range(*network.row(int(network.indices[state[0][-1]])).indices(network.m))
        if (head := states.after(state, arc)) is not None
    ]
    added = np.array(longer, np.int64).reshape(-1, 4)
    if rules.costs is not None and len(added):
        back = opposite_arcs(network)[added[:, 2]] == added[:, 3]
        added = added[~(back & way_on[added[:, 2]])]
    before, after = np.concatenate((before, added[:, 2])), np.concatenate((after, added[:, 3]))
    return _Arcs(
        np.concatenate((tails, added[:, 0])),
        np.concatenate((heads, added[:, 1])),
        after,
        turn_costs(network, rules, before, after),
    )


def _pairs(sequences: Any) -> list[tuple[int, int]]:
    return [one for one in sequences if len(one) == 2]
