"""What turns cost at the junctions of a road network, and its U-turns: those that detours round
forbidden turns would make are forbidden, with all roads and after roads are closed.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from solvers.graphs.following_arcs import (
    NO_ARC,
    crossing_turns,
    opposite_arcs,
    turn_angles,
    ways_on,
)
from solvers.graphs.graph import Graph, RoadPatch
from solvers.graphs.turn_rules import U_TURN, TurnRules
from solvers.graphs.weights import FLOAT64
from solvers.system.array_types import AnyArray, Bools, Float64s, Int32s, Int64s
from solvers.system.jit import njit
from solvers.text import plural
from solvers.units import SECONDS_PER_UNIT

_STRAIGHT, _SHARP = 30.0, 120.0  # degrees
_MOST_SEARCHED = 2_000  # arcs of a detour round one forbidden turn
_KEPT_RULES = 4  # of changed roads, for each network
_MOST_KEPT = 2  # times as many U-turns as a network has rules are taken over by other weights
_MOST_NAMED = 3

_Turns = tuple[Int64s, Int64s, Bools]


def has_way_on(network: Graph) -> Bools:
    """Whether another arc than the one back leaves the head of each arc, (m,): its end is no
    dead end.
    """
    return _has_way_on(network, np.empty(0, np.int64))


def _has_way_on(network: Graph, closed: Int64s) -> Bools:
    """The same where some arcs are closed."""
    opposite = opposite_arcs(network)
    back = (opposite != NO_ARC) & ~np.isin(opposite, closed)
    degrees = network.out_degrees - np.bincount(network.tails[closed], minlength=network.n)
    return degrees[network.indices] > back


def turn_costs(network: Graph, rules: TurnRules, before: Int64s, after: Int64s) -> AnyArray:
    """What turns cost, (t,) of the weights' type; 0 where weights are not times."""
    costs, kind = rules.costs, network.weights.dtype
    if costs is None or network.weight_unit not in SECONDS_PER_UNIT:
        return np.zeros(len(before), kind)
    angles = turn_angles(network, before, after)
    size = np.abs(angles)
    back = opposite_arcs(network)[before] == after
    seconds = np.where(size <= _STRAIGHT, 0.0, np.where(angles > 0, costs.left, costs.right))
    seconds += np.where(size > _SHARP, costs.sharp, 0.0)
    seconds[ways_on(network)[before] < 2] = 0.0  # a road that bends
    seconds += np.where(np.isin(before, rules.signals), costs.signals, 0.0)
    seconds[back] = costs.around
    return (seconds / SECONDS_PER_UNIT[network.weight_unit]).round().astype(kind)


def without_u_turns(network: Graph, rules: TurnRules, weights: Sequence[AnyArray]) -> TurnRules:
    """The rules with those U-turns forbidden that shortest paths would make to get round a
    forbidden turn, by any of the weights, (m,) each.

    Such a path leaves the junction of the turn, turns on the road and comes back. So only
    U-turns matter that are nearer than half of the shortest way round without any; at dead
    ends they are allowed.
    """
    turns, way_on = _real_turns(network, rules), has_way_on(network)
    found = [_u_turns(network, rules, column, way_on, turns)[0] for column in weights]
    return _with_u_turns(network, rules, np.unique(np.concatenate(found)))


def new_dead_ends(graph: Graph) -> Int64s:
    """The vertices, ascending, that closed roads make dead ends, where a graph with rules
    against U-turns allows to turn round: so a path may be shorter than with all roads.
    """
    base, rules = graph.base, graph.turns
    if base is None or rules is None or not rules.has_effect or not rules.forbids_u_turns:
        return np.empty(0, np.int64)
    patch = base.of_network
    ends = has_way_on(patch.graph) & ~_has_way_on(patch.graph, patch.closed)
    ends[patch.closed] = False
    return np.unique(patch.graph.indices[ends]).astype(np.int64)


def dead_ends_text(graph: Graph) -> str:
    """What `new_dead_ends` means for paths; "" without any."""
    ends = new_dead_ends(graph)
    if not len(ends):
        return ""
    shown = [graph.vertex_text(int(end)) for end in ends[:_MOST_NAMED]]
    more = ["…"] * (len(ends) > _MOST_NAMED)
    return (
        f"Closed roads make {plural(len(ends), 'dead end')}, where paths may turn round: "
        f"{', '.join(shown + more)}. So a path may be shorter than before."
    )


def rules_of_changed(patch: RoadPatch) -> TurnRules | None:
    """The rules of a graph with changed roads, which name arcs of the network with all
    roads: its own, unless other U-turns would shorten paths now, or closed roads make dead
    ends.

    Only forbidden turns are looked at whose ways round lead past changed roads.
    """
    patch = patch.of_network
    network, rules = patch.graph, patch.graph.turns
    if rules is None or not rules.has_effect or not rules.forbids_u_turns:
        return rules
    way_on = _has_way_on(network, patch.closed)
    ends = np.flatnonzero(has_way_on(network) & ~way_on)
    wanted = np.empty(0, np.int64)
    if rules.costs is None and len(patch.changed):
        turns = _real_turns(network, rules)
        vertices, near = network.cached("near turns", lambda: _near_turns(network, rules))
        past = np.zeros(network.n, np.bool_)
        past[network.tails[patch.changed]] = True
        of = np.unique(near[past[vertices]])
        weights = patch.weights_of_all(FLOAT64)
        some = turns[0][of], turns[1][of], turns[2][of]
        wanted, _, _ = _u_turns(network, rules, weights, way_on, some)
        wanted = np.setdiff1d(wanted, _named_u_turns(network, rules))
    required = np.setdiff1d(np.union1d(rules.u_turns, wanted), ends)
    kept: list[TurnRules] = network.cached("turns of changed roads", list)
    for known in (rules, *kept):
        if _fits(known, required, ends):
            return known
    if rules.costs is not None:
        made = replace(rules, new_ends=ends)
    else:
        before = next((one for one in kept if len(one.u_turns) < _MOST_KEPT * len(rules)), rules)
        u_turns = np.union1d(before.u_turns, required)
        made = _with_u_turns(network, rules, np.setdiff1d(u_turns, ends))
    kept[:] = [made, *kept[: _KEPT_RULES - 1]]
    return made


def _named_u_turns(network: Graph, rules: TurnRules) -> Int64s:
    """The arcs after which a relation forbids the U-turn."""
    firsts = rules.offsets[:-1][(np.diff(rules.offsets) == 2) & (rules.relations != U_TURN)]
    arcs = rules.arcs[firsts]
    return arcs[opposite_arcs(network)[arcs] == rules.arcs[firsts + 1]]


def _fits(rules: TurnRules, required: Int64s, ends: Int64s) -> bool:
    """Whether rules that are kept forbid all U-turns that are required now, and none at the
    new dead ends. Others that they forbid may not be made now either, wherever they are.
    """
    if rules.costs is not None:
        return np.array_equal(rules.new_ends, ends)
    listed = rules.u_turns
    return bool(np.isin(required, listed).all() and not np.isin(ends, listed).any())


def _with_u_turns(network: Graph, rules: TurnRules, arcs: Int64s) -> TurnRules:
    """The rules with the U-turns after these arcs forbidden, beside what relations forbid."""
    sequences = {one: number for one, number in rules.forbidden.items() if number != U_TURN}
    for arc, back in zip(arcs.tolist(), opposite_arcs(network)[arcs].tolist(), strict=True):
        sequences.setdefault((arc, back), U_TURN)
    made = TurnRules.of(sequences, report=rules.report, no_u_turns=True)
    return replace(made, for_destination=rules.for_destination)


def _real_turns(network: Graph, rules: TurnRules) -> _Turns:
    """The turns of forbidden sequences that are no U-turns: the arcs before and after, and
    whether it is not the first turn of its sequence.
    """
    inner = np.ones(len(rules.arcs), np.bool_)
    inner[rules.offsets[1:] - 1] = False
    places = np.flatnonzero(inner)
    before, after = rules.arcs[places], rules.arcs[places + 1]
    later = ~np.isin(places, rules.offsets)
    real = opposite_arcs(network)[before] != after
    return before[real], after[real], later[real]


def _near_turns(network: Graph, rules: TurnRules) -> tuple[Int64s, Int64s]:
    """Vertices on ways round forbidden turns, and the turns, as places in `_real_turns`."""
    turns, way_on = _real_turns(network, rules), has_way_on(network)
    _, vertices, near = _u_turns(network, rules, network.weights, way_on, turns)
    return vertices, near


def _u_turns(
    network: Graph,
    rules: TurnRules,
    weights: AnyArray,
    way_on: Bools,
    turns: _Turns,
) -> tuple[Int64s, Int64s, Int64s]:
    """Arcs after which a U-turn would shorten the way round one of the turns; vertices that
    a search for such a way came to, and for which turn.
    """
    last = rules.offsets[1:][rules.relations != U_TURN] - 1
    keys = rules.arcs[last - 1] * network.m + rules.arcs[last]
    is_pair = np.diff(rules.offsets)[rules.relations != U_TURN] == 2
    visitors = np.zeros(network.m, np.bool_)
    visitors[rules.for_destination] = True
    # a path may begin with roads for destination only: then others may come in between
    both = np.flatnonzero(visitors[turns[0]] & visitors[turns[1]])
    of = np.concatenate((np.arange(len(turns[0])), both))
    found, vertices, near = _search_u_turns(
        network.indptr,
        network.indices,
        weights.astype(np.float64),
        opposite_arcs(network),
        way_on,
        visitors,
        np.unique(keys),
        np.unique(keys[is_pair]),
        turns[0][of],
        turns[1][of],
        turns[2][of],
        np.arange(len(of)) >= len(turns[0]),
    )
    return found, vertices, of[near]


def restricted_turns(graph: Graph) -> dict[int, list[tuple[int, int]]]:
    """By vertex, the turns that are allowed from arcs whose turns there a relation
    restricts: the arcs before and after, of the network with all roads.
    """
    network = graph.network
    return network.cached("restricted turns", lambda: _restricted_turns(network))


def _restricted_turns(network: Graph) -> dict[int, list[tuple[int, int]]]:
    if network.turns is None:
        return {}
    forbidden = network.turns.forbidden
    arcs = sorted({one[0] for one, number in forbidden.items() if number and len(one) == 2})
    before, after = crossing_turns(network, np.array(arcs, np.int64))
    back = (opposite_arcs(network)[before] == after) & has_way_on(network)[before]
    found: dict[int, list[tuple[int, int]]] = {}
    for turn in zip(before[~back].tolist(), after[~back].tolist(), strict=True):
        if turn not in forbidden:
            found.setdefault(int(network.indices[turn[0]]), []).append(turn)
    return found


@njit
def _is_among(keys: Int64s, key: int) -> bool:
    place = np.searchsorted(keys, key)
    return bool(place < len(keys) and keys[place] == key)


@njit
def _search_u_turns(
    indptr: Int64s,
    indices: Int32s,
    weights: Float64s,
    opposite: Int64s,
    way_on: Bools,
    visitors: Bools,
    ends: Int64s,
    pairs: Int64s,
    before: Int64s,
    after: Int64s,
    later: Bools,
    leaves: Bools,
) -> tuple[Int64s, Int64s, Int64s]:
    """As `_u_turns`; closed arcs weigh inf. A way round takes none of the turns at the ``ends``
    of forbidden sequences, so that it is allowed; a U-turn may come after any that are not
    forbidden as ``pairs``. On a via way, one may also turn back and forth to be on it anew.

    Roads for destination only, the ``visitors``, may be taken at the ends of a path alone. So a
    way round changes once to the kind of the arc after, or never; it ``leaves`` such roads and
    comes back to one at its end where that is asked for.
    """
    seen = np.full(len(indices), -1, np.int64)
    chosen = np.zeros(len(indices), np.bool_)
    vertices, turns = [0 for _ in range(0)], [0 for _ in range(0)]
    for k in range(len(before)):
        radius = np.inf
        if not (weights[before[k]] < np.inf and weights[after[k]] < np.inf):
            radius = 0.0
        for stage in range(2):
            if radius == 0.0:
                continue
            heap = [(0.0, before[k])]
            settled = 0
            while len(heap) and settled < _MOST_SEARCHED:
                cost, arc = heapq.heappop(heap)
                if seen[arc] == 2 * k + stage:
                    continue
                seen[arc] = 2 * k + stage
                settled += 1
                v = indices[arc]
                if stage == 0:
                    vertices.append(v)
                    turns.append(k)
                elif way_on[arc] and opposite[arc] >= 0 and (settled > 1 or later[k]):
                    chosen[arc] = True
                is_back = False
                for follows in range(indptr[v], indptr[v + 1]):
                    if follows == opposite[arc] and way_on[arc]:
                        continue
                    if settled == 1 and follows == after[k]:
                        continue
                    if _is_among(ends if stage == 0 else pairs, arc * len(indices) + follows):
                        continue
                    if visitors[follows] != visitors[arc]:
                        if leaves[k]:
                            is_bad = stage == 0 and visitors[follows] and follows != after[k]
                        elif visitors[before[k]] == visitors[after[k]]:
                            is_bad = True
                        else:
                            is_bad = visitors[follows] != visitors[after[k]]
                        if is_bad:
                            continue
                    if follows == after[k]:
                        is_back = True
                    further = cost + weights[follows]
                    if stage == 1:  # there and back
                        if opposite[follows] < 0:
                            continue
                        further += weights[opposite[follows]]
                    if further <= radius and further < np.inf:
                        heapq.heappush(heap, (further, follows))
                if stage == 0 and is_back:
                    radius = cost
                    break
    return np.flatnonzero(chosen), np.array(vertices, np.int64), np.array(turns, np.int64)
