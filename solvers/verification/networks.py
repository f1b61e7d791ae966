"""Proof of answers about a network with turns: that a path makes no forbidden turn, and
that distances are the shortest by allowed turns.

Which turns are allowed is derived here, once for each prover, from the network as it was
read (its restrictions, and its rules for U-turns and costs) and from the roads that are
open now, with their weights. Nothing that a solver keeps is looked at: neither the U-turns
that are listed (`TurnSearch.completed`) nor what is searched (`SearchedGraph`).

A path is followed arc by arc, with the last ones in mind. Distances are searched again
over the arcs travelled last, in a graph with an arc for each allowed turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

import numpy as np

from solvers.core.result import Verdict
from solvers.graphs.graph import Graph
from solvers.graphs.turn_rules import U_TURN, ZONE, TurnRules
from solvers.graphs.weights import WeightType, to_float
from solvers.system.array_types import AnyArray, Bools, Float64s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.text import format_distance, plural
from solvers.units import SECONDS_PER_UNIT
from solvers.verification.paths import lightest_arcs
from solvers.verification.reference import reference_distances
from solvers.verification.ways_back import arcs_back, cut_arcs, ways_on

Walk = tuple[int, ...]

_STRAIGHT, _SHARP = 30.0, 120.0  # degrees
_NONE = -1
_ROUNDINGS = 4  # of sums of floating-point weights in another order
_VISITORS, _OTHER = "v", "o"  # roads for destination only, and others
_LED_THROUGH = _OTHER + _VISITORS + _OTHER
_THROUGH = -2  # stands for a relation where a path leads through roads for destination only


def verify_path(graph: Graph, path: AnyArray, distance: int | float | None = None) -> Verdict:
    """Verify that arcs lead along the vertices of a path, (k,), by allowed turns, and that
    the path has the length ``distance`` where it is given and integer.
    """
    arcs = lightest_arcs(graph, path)
    rules = graph.network.turns
    is_priced = distance is not None and rules is not None and rules.costs is not None
    if not is_priced and (arcs >= 0).all() and _is_plain(graph, path, arcs):
        wide = np.int64 if graph.weight_type.is_integer else np.float64
        length: int | float = graph.weights[arcs].sum(dtype=wide).item()
    else:
        checker = _Turns(graph, path)
        steps = ((*ends, checker.arcs(*ends)) for ends in pairwise(path.tolist()))
        walked = _walked(graph, checker, steps)
        if isinstance(walked, str):
            return Verdict(False, 1, f"Not a path: {walked}.")
        length = walked
    if isinstance(distance, int) and length != distance:
        own, claimed = (format_distance(d, graph.weight_unit) for d in (length, distance))
        return Verdict(False, 1, f"The path has the length {own}, but {claimed} is claimed.")
    return Verdict(True, 0, f"{plural(max(0, len(path) - 2), 'turn')} allowed.")


def verify_arcs(graph: Graph, arcs: AnyArray) -> Verdict:
    """Verify that some arcs, (k,), are open, and that turns allow each after those before it;
    they are positions in the network as read.
    """
    network = graph.network
    ends = np.stack((network.tails[arcs], network.indices[arcs]))
    steps = zip(*ends.tolist(), ([arc] for arc in arcs.tolist()), strict=True)
    walked = _walked(graph, _Turns(graph, ends), steps)
    if isinstance(walked, str):
        return Verdict(False, 1, f"Not a path: {walked}.")
    return Verdict(True, 0, f"{plural(max(0, len(arcs) - 1), 'turn')} allowed.")


def has_rules(graph: Graph) -> bool:
    """Whether paths obey rules that are known here. Of a network that another process has split
    by its own, this one has no arcs.
    """
    return graph.network.has_turns and graph.network.m > 0


def cut_rules_differ(graph: Graph) -> bool:
    """Whether the rules of a graph whose roads were cut are not those before, of the parts: a
    sequence begins with the last part of its first arc, and ends with the first of its last.
    """
    whole, now = graph.uncut, graph.turns
    before = whole.turns
    if before is None or now is None:
        return before is not now
    at = np.full(whole.network.m, _NONE)
    at[_named(whole)] = np.arange(whole.m)

    def parts(arcs: Iterable[int]) -> list[list[int]]:
        return [cut_arcs(graph).parts(int(at[arc])) for arc in arcs]

    expected: dict[Walk, int] = {}
    for walk, relation in _restrictions(before).items():
        first, *middle, last = parts(walk)
        if first and last and all(middle):  # all of its arcs are open
            expected[first[-1], *chain(*middle), last[0]] = relation
    signals = {one[-1] for one in parts(before.signals) if one}
    visitors = {*chain(*parts(before.for_destination))}
    said = expected, signals, visitors, before.costs, before.no_u_turns
    own = {*now.signals.tolist()}, {*now.for_destination.tolist()}, now.costs, now.no_u_turns
    return said != (_restrictions(now), *own)


class RuledDistances:
    """Distances in one network, by turns that are derived when this is made."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._travelled, self._vertex_of = _travelled(graph)

    @property
    def size(self) -> int:
        """Vertices and arcs that are searched from each source."""
        return self._travelled.n + self._travelled.m

    def distances(self, source: int, progress: Progress = SILENT) -> AnyArray | None:
        """Distances from a vertex by allowed turns, (n,) in int64 or float64, their infinity
        where there is no way; None if it reaches a negative cycle.
        """
        found = reference_distances(self._travelled, source, progress)
        if found is None:
            return None
        own = found[: self._graph.n].copy()
        np.minimum.at(own, self._vertex_of, found)
        own[source] = min(own[source], 0)
        return own

    def distances_to(self, target: int, progress: Progress = SILENT) -> AnyArray | None:
        """As `distances`, from all vertices to one."""
        back, n = self._back_to(target), self._travelled.n
        found = reference_distances(back, n, progress)
        return None if found is None else found[: self._graph.n]

    def _back_to(self, target: int) -> Graph:
        """What is travelled, backwards, and a vertex behind it before all ends at the target."""
        there, ends = self._travelled, np.flatnonzero(self._vertex_of == target)
        first = np.full(len(ends), there.n)
        return Graph.from_arcs(
            there.n + 1,
            np.concatenate((there.indices, first)),
            np.concatenate((there.tails, ends)),
            np.concatenate((there.weights, np.zeros(len(ends), there.weights.dtype))),
            name=self._graph.name,
        )

    def failure(
        self,
        source: int,
        distances: AnyArray,
        target: int | None = None,
        progress: Progress = SILENT,
        *,
        to_source: bool = False,
    ) -> Verdict | None:
        """What is wrong with distances from a vertex, or to it, (n,); None if nothing is."""
        search = self.distances_to if to_source else self.distances
        graph, right = self._graph, search(source, progress)
        if right is None:
            return Verdict(False, graph.n, "The source reaches a negative cycle.")
        is_exact = graph.weight_type.is_integer and distances.dtype.kind == "i"
        wrong = _differ(distances, right, graph.n, is_exact=is_exact)
        if target is not None:
            claimed = np.isfinite(to_float(distances))
            claimed[target] = True
            wrong &= claimed
        if not wrong.any():
            return None
        first = int(np.argmax(wrong)) if target is None or not wrong[target] else target
        claimed_text, right_text = (
            format_distance(to_float(row[[first]])[0], graph.weight_unit)
            for row in (distances, right)
        )
        name = graph.vertex_id(first)
        text = f"Vertex {name}: {claimed_text} claimed; by allowed turns it is {right_text}."
        return Verdict(False, int(wrong.sum()), text)


def agree(distances: AnyArray, right: AnyArray, kind: WeightType, n: int) -> bool:
    """Whether distances of a type are the right ones, in floating point but for rounding."""
    return not _differ(distances, right, n, is_exact=kind.is_integer).any()


def _differ(distances: AnyArray, right: AnyArray, n: int, *, is_exact: bool) -> Bools:
    """Mask of the distances, (k,), that are not the right ones but for rounding."""
    own, true = to_float(distances), to_float(right)
    if is_exact:
        infinite = np.isinf(own) | np.isinf(true)
        return np.where(infinite, own != true, distances != right)
    slack = _ROUNDINGS * float(np.finfo(np.float64).eps) * (n**0.5 + 1)
    largest = float(np.abs(true[np.isfinite(true)]).max(initial=0.0))
    return ~np.isclose(own, true, rtol=slack, atol=slack * largest)


def _travelled(graph: Graph) -> tuple[Graph, Int64s]:
    """The graph of what was travelled last: the vertices of the network, at which ways begin,
    then its arcs, then the further beginnings of forbidden sequences. Beside it the vertex
    at which each of them ends.
    """
    network, rules, n, m = graph.network, graph.network.turns, graph.n, graph.m
    own = _named(graph)
    heads, degrees = graph.indices.astype(np.int64), np.diff(graph.indptr)
    before = np.repeat(np.arange(m), degrees[heads])
    firsts = np.cumsum(degrees[heads]) - degrees[heads]
    after = np.arange(len(before)) + np.repeat(graph.indptr[heads] - firsts, degrees[heads])
    assert rules is not None
    sequences = _restrictions(rules)
    pairs = np.array([a * network.m + b for a, b in _of_two(sequences)], np.int64)
    allowed = np.ones(len(before), np.bool_)
    if len(pairs):
        allowed = ~np.isin(own[before] * network.m + own[after], pairs)
    back = np.full(network.m, _NONE)
    if rules.forbids_u_turns:
        back = arcs_back(network, np.arange(network.m))
        is_back = back[own[before]] == own[after]
        allowed &= ~(is_back & (degrees[heads[before]] > 1))
    before, after = before[allowed], after[allowed]
    longer = _Longer(graph, sequences, own, back)
    follows = after.copy()
    for (a, b), state in longer.of_two.items():
        follows[(before == a) & (after == b)] = state - n
    starts = np.repeat(np.arange(n), degrees)
    wide = np.int64 if graph.weight_type.is_integer else np.float64
    weights = graph.weights.astype(wide)
    turns = own[before], own[after]
    turned = weights[after] + _turn_costs(network, rules, *turns, back[turns[0]])
    more = np.array(list(longer.turns), np.int64).reshape(-1, 4)
    turns = own[more[:, 2]], own[more[:, 3]]
    further = weights[more[:, 3]] + _turn_costs(network, rules, *turns, back[turns[0]])
    tails = np.concatenate((starts, n + before, more[:, 0]))  # ascending
    vertex_of = np.concatenate((np.arange(n), heads, longer.heads))
    arcs = np.concatenate((np.arange(m), after, more[:, 3]))
    whole = (
        tails,
        np.concatenate((n + np.arange(m), n + follows, more[:, 1])),
        np.concatenate((weights, turned, further)),
    )
    if len(rules.for_destination):
        is_visitor = np.isin(own, rules.for_destination)[arcs]
        whole, vertex_of = _in_layers(*whole, is_visitor, len(vertex_of)), np.tile(vertex_of, 3)
    tails, heads, lengths = whole
    counts = np.bincount(tails, minlength=len(vertex_of))
    indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    travelled = Graph(indptr, heads.astype(np.int32), lengths.astype(wide), name=graph.name)
    return travelled, vertex_of


def _in_layers(
    tails: Int64s, heads: Int64s, lengths: AnyArray, is_visitor: Bools, n: int
) -> tuple[Int64s, Int64s, AnyArray]:
    """The arcs of a graph in three layers, in order: of ways that had roads for destination
    only, if any; that had another road last; that had such a road after another one.
    """
    others = np.flatnonzero(~is_visitor)
    visits = np.flatnonzero(is_visitor)
    steps = ((0, 0, visits), (0, 1, others), (1, 1, others), (1, 2, visits), (2, 2, visits))
    found_tails = np.concatenate([layer * n + tails[of] for layer, _, of in steps])
    found_heads = np.concatenate([layer * n + heads[of] for _, layer, of in steps])
    order = np.argsort(found_tails, kind="stable")
    found_lengths = np.concatenate([lengths[of] for *_, of in steps])
    return found_tails[order], found_heads[order], found_lengths[order]


def _named(graph: Graph) -> Int64s:
    """The arc of the network as read that each arc is, (m,)."""
    return np.arange(graph.m) if graph.base is None else graph.base.arcs


def _restrictions(rules: TurnRules) -> dict[Walk, int]:
    """The sequences that are forbidden whatever roads are open. U-turns that are listed
    beside a rule against them follow from it, and are not among them.
    """
    ruled = rules.forbids_u_turns
    return {one: relation for one, relation in rules.forbidden.items() if relation or not ruled}


def _of_two(sequences: dict[Walk, int]) -> list[Walk]:
    return [one for one in sequences if len(one) == 2]


class _Longer:
    """Beginnings, of two arcs and more, of forbidden sequences of open arcs."""

    def __init__(self, graph: Graph, sequences: dict[Walk, int], own: Int64s, back: Int64s):
        at = {int(name): arc for arc, name in enumerate(own)} if _some_longer(sequences) else {}
        self._graph, self._own, self._back = graph, own, back
        self._forbidden = {
            tuple(at[arc] for arc in one) for one in sequences if all(arc in at for arc in one)
        }
        begun = sorted({one[:size] for one in self._forbidden for size in range(2, len(one))})
        self._states = {walk: graph.n + graph.m + i for i, walk in enumerate(begun)}
        self.of_two = {walk: state for walk, state in self._states.items() if len(walk) == 2}
        self.heads = graph.indices[[walk[-1] for walk in begun]].astype(np.int64)

    @property
    def turns(self) -> Iterator[tuple[int, int, int, int]]:
        """Of each turn the beginning, what it leads to, and the arcs before and after."""
        graph = self._graph
        for walk, state in self._states.items():
            row = graph.row(int(graph.indices[walk[-1]]))
            for arc in range(row.start, row.stop):
                whole = (*walk, arc)
                ends = [whole[i:] for i in range(len(whole) - 1)]
                if any(end in self._forbidden for end in ends) or self._is_u_turn(walk[-1], arc):
                    continue
                found = (self._states[end] for end in ends if end in self._states)
                yield state, next(found, graph.n + arc), walk[-1], arc

    def _is_u_turn(self, before: int, after: int) -> bool:
        is_back = self._back[self._own[before]] == self._own[after]
        return bool(is_back and len(self._graph.weights[self._graph.row(self._tail(after))]) > 1)

    def _tail(self, arc: int) -> int:
        return int(np.searchsorted(self._graph.indptr, arc, side="right")) - 1


def _some_longer(sequences: dict[Walk, int]) -> bool:
    return any(len(one) > 2 for one in sequences)


def _turn_costs(
    network: Graph, rules: TurnRules, before: Int64s, after: Int64s, back: Int64s
) -> AnyArray:
    """What turns cost by the rules, (t,), in whole units of the weights; ``back`` are the arcs
    back of those before, (t,).
    """
    costs = rules.costs
    if costs is None or network.weight_unit not in SECONDS_PER_UNIT or not len(before):
        return np.zeros(len(before), np.int64)
    angles = _angles(network, before, after)
    seconds = np.zeros(len(before))
    seconds[angles > _STRAIGHT] = costs.left
    seconds[angles < -_STRAIGHT] = costs.right
    seconds[np.abs(angles) > _SHARP] += costs.sharp
    seconds[ways_on(network, before) < 2] = 0.0
    seconds[np.isin(before, rules.signals)] += costs.signals
    seconds[back == after] = costs.around
    return (seconds / SECONDS_PER_UNIT[network.weight_unit]).round().astype(network.weights.dtype)


def _angles(network: Graph, before: Int64s, after: Int64s) -> Float64s:
    """Degrees by which turns leave straight on, (t,), positive to the left."""
    places = network.coordinates
    if places is None:
        return np.zeros(len(before))
    at = network.indices[before]
    onto = places.xy[at]
    shapes = None if network.roads is None else network.roads.shapes
    tails = np.searchsorted(network.indptr, before, side="right") - 1
    came = places.xy[tails].copy()
    goes = places.xy[network.indices[after]].copy()
    if shapes is not None:
        for points, arcs, last in ((came, before, -1), (goes, after, 0)):
            for i in np.flatnonzero(shapes.of_arc[arcs]).tolist():
                points[i] = shapes.of(int(arcs[i]))[last]
    into, away = onto - came, goes - onto
    if places.geographic:
        wide = np.cos(np.radians(onto[:, 1]))
        into[:, 0] *= wide
        away[:, 0] *= wide
    across = into[:, 0] * away[:, 1] - into[:, 1] * away[:, 0]
    along = into[:, 0] * away[:, 0] + into[:, 1] * away[:, 1]
    degrees: Float64s = np.degrees(np.arctan2(across, along)).round(9)
    return 180 - (180 - degrees) % 360  # straight back is to the left


def _is_plain(graph: Graph, path: AnyArray, arcs: Int64s) -> bool:
    """Whether the arcs of a path are the only ones along its vertices, no restriction begins
    with two of them, and none is a U-turn: then all turns are allowed.
    """
    network = graph.network
    rules = network.turns
    if rules is None or not rules.has_effect:
        return True
    if (path[2:] == path[:-2]).any():
        return False
    tails = np.searchsorted(graph.indptr, arcs, side="right") - 1
    for beside in (arcs - 1, arcs + 1):
        inside = (graph.indptr[tails] <= beside) & (beside < graph.indptr[tails + 1])
        heads = graph.indices[np.where(inside, beside, arcs)]
        if (inside & (heads == graph.indices[arcs])).any():
            return False
    own = arcs if graph.base is None else graph.base.arcs[arcs]
    others = np.flatnonzero(~np.isin(own, rules.for_destination))
    if len(others) and others[-1] - others[0] >= len(others):
        return False  # through roads for destination only
    begins = rules.arcs[rules.offsets[:-1]], rules.arcs[rules.offsets[:-1] + 1]
    on_path = np.zeros(network.m, np.bool_)
    on_path[own] = True
    return not (on_path[begins[0]] & on_path[begins[1]]).any()


def _walked(
    graph: Graph, checker: _Turns, steps: Iterable[tuple[int, int, list[int]]]
) -> int | float | str:
    """Length of a path by allowed turns, arc by arc; what is wrong if it is none. Steps are
    tails, heads, and arcs of the network between these.
    """
    # the last arcs, and the kinds of roads so far, in order
    walks: dict[tuple[Walk, str], int | float] = {((), ""): 0}
    for tail, head, arcs in steps:
        following: dict[tuple[Walk, str], int | float] = {}
        fault = f"there is no arc {graph.vertex_id(tail)} → {graph.vertex_id(head)}"
        for (walk, passed), length in walks.items():
            for arc in filter(checker.is_open, arcs):
                roads = checker.roads(passed, arc)
                relation = checker.forbidden_by((*walk, arc))
                if relation is None and _LED_THROUGH in roads:
                    relation = _THROUGH
                if relation is not None:
                    fault = _words(graph, tail, head, relation)
                    continue
                longer = length + checker.weight(walk, arc)
                kept = (*walk, arc)[-checker.memory :], roads
                following[kept] = min(longer, following.get(kept, longer))
        if not following:
            return fault
        walks = following
    return min(walks.values())


def _words(graph: Graph, tail: int, head: int, relation: int) -> str:
    turn = f"the turn into {graph.vertex_id(tail)} → {graph.vertex_id(head)}"
    if relation == _THROUGH:
        return f"{turn} leads on from roads for destination only, to which others led"
    if relation == U_TURN:
        return f"{turn} is a U-turn, and no dead end is there"
    if relation == ZONE:
        return f"{turn} leads through {graph.vertex_id(tail)}, a zone where paths begin and end"
    return f"{turn} is forbidden by relation {relation}"


class _Turns:
    """The turns along a path."""

    def __init__(self, graph: Graph, path: AnyArray):
        self._graph, self._own = graph, _named(graph)
        self._network, rules = graph.network, graph.network.turns
        self._rules = TurnRules.of({}) if rules is None else rules
        self._forbidden = _restrictions(self._rules)
        self.memory = max([2, *map(len, self._forbidden)]) - 1
        self._back: dict[int, int] = {}
        if self._rules.forbids_u_turns:
            rows = (self._network.row(vertex) for vertex in np.unique(path).tolist())
            near = np.array([arc for row in rows for arc in range(row.start, row.stop)], np.int64)
            backs = arcs_back(self._network, near).tolist()
            self._back = dict(zip(near.tolist(), backs, strict=True))
        self._visitors = set(self._rules.for_destination.tolist())

    def arcs(self, tail: int, head: int) -> list[int]:
        """Arcs between two vertices, as the network as read names them."""
        row = self._graph.row(tail)
        found: list[int] = self._own[row][self._graph.indices[row] == head].tolist()
        return found

    def is_open(self, arc: int) -> bool:
        place = np.searchsorted(self._own, arc)
        return bool(place < len(self._own) and self._own[place] == arc)

    def roads(self, passed: str, arc: int) -> str:
        """The kinds of roads of a path, each once in a row, with an arc more."""
        kind = _VISITORS if arc in self._visitors else _OTHER
        return passed if passed.endswith(kind) else passed + kind

    def forbidden_by(self, walk: Walk) -> int | None:
        """The relation that forbids the last arc of a walk, or `U_TURN`; None if none does."""
        found = (self._forbidden.get(walk[i:]) for i in range(len(walk) - 1))
        relation = next((one for one in found if one is not None), None)
        if relation is None and self._is_u_turn(walk):
            return U_TURN
        return relation

    def _is_u_turn(self, walk: Walk) -> bool:
        if len(walk) < 2 or self._back.get(walk[-2], _NONE) != walk[-1]:
            return False
        # the road back is open, or nobody would be on it
        row = self._graph.row(int(self._network.indices[walk[-2]]))
        return row.stop - row.start > 1

    def weight(self, walk: Walk, arc: int) -> int | float:
        """Of an arc, with what the turn into it costs."""
        own = int(np.searchsorted(self._own, arc))
        weight: int | float = self._graph.weights[own].item()
        if walk and self._rules.costs is not None:
            turn = np.array([[walk[-1]], [arc], [self._back[walk[-1]]]])
            weight += _turn_costs(self._network, self._rules, *turn)[0].item()
        return weight
