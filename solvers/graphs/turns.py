"""Turns at the junctions of a road network: which arcs follow each other, U-turns, angles
and costs; and the U-turns that detours round forbidden turns would make.
"""

from __future__ import annotations

import heapq

import numpy as np

from solvers.graphs.graph import Graph
from solvers.graphs.turn_rules import U_TURN, TurnRules
from solvers.system.array_types import AnyArray, Bools, Float64s, Int32s, Int64s
from solvers.system.jit import njit
from solvers.units import SECONDS_PER_UNIT

_STRAIGHT, _SHARP = 30.0, 120.0  # degrees
_MOST_SEARCHED = 2_000  # arcs of a detour round one forbidden turn
_NONE = -1


def crossing_turns(network: Graph, arcs: Int64s) -> tuple[Int64s, Int64s]:
    """All turns from the given arcs: the arc before and the arc after, (t,) each."""
    vertices = network.indices[arcs]
    counts = network.out_degrees[vertices]
    before = np.repeat(arcs, counts)
    step = np.arange(len(before)) - np.repeat(np.cumsum(counts) - counts, counts)
    return before, np.repeat(network.indptr[vertices], counts) + step


def opposite_arcs(network: Graph) -> Int64s:
    """The arc back along the road of each arc, (m,); -1 without one. Kept with the network.

    Of parallel roads without shapes, the k-th lightest arc there and the k-th lightest
    back are one road.
    """
    return network.cached("opposite arcs", lambda: _opposite_arcs(network))


def _opposite_arcs(network: Graph) -> Int64s:
    tails, heads = network.tails.astype(np.int64), network.indices.astype(np.int64)
    is_back = tails > heads
    low, high = np.minimum(tails, heads), np.maximum(tails, heads)
    shapes = None if network.roads is None else network.roads.shapes
    shape = np.zeros(network.m, np.int64) if shapes is None else np.abs(shapes.of_arc)
    order = np.lexsort((network.weights, is_back, shape, high, low))
    road = np.stack((low, high, shape), axis=1)[order]
    begins = np.ones(len(order), np.bool_)
    begins[1:] = (road[1:] != road[:-1]).any(axis=1)
    group = np.cumsum(begins) - 1
    back = is_back[order]
    first = np.flatnonzero(begins)
    there = np.bincount(group, ~back).astype(np.int64) if len(order) else np.empty(0, np.int64)
    place = np.arange(len(order)) - first[group] if len(order) else np.empty(0, np.int64)
    other = np.where(back, place - there[group], place + there[group])
    size = np.diff(np.append(first, len(order)))
    fits = (other >= 0) & np.where(back, other < there[group], other < size[group])
    fits &= low[order] != high[order]
    found = np.full(network.m, _NONE, np.int64)
    found[order[fits]] = order[(first[group] + other)[fits]]
    return found


def has_way_on(network: Graph) -> Bools:
    """Whether another arc than the one back leaves the head of each arc, (m,): its end is no
    dead end.
    """
    return network.out_degrees[network.indices] > (opposite_arcs(network) != _NONE)


def turn_angles(network: Graph, before: Int64s, after: Int64s) -> Float64s:
    """Degrees from straight on, (t,): positive to the left, negative to the right; 180 back.

    0 without coordinates.
    """
    places = network.coordinates
    if places is None:
        return np.zeros(len(before))
    vertex = network.indices[before]
    here = places.xy[vertex]
    came, goes = here - _points(network, before, last=True), _points(network, after) - here
    if places.geographic:
        scale = np.cos(np.radians(here[:, 1]))
        came, goes = (
            came * np.stack((scale, scale * 0 + 1), 1),
            goes * np.stack((scale, scale * 0 + 1), 1),
        )
    cross = came[:, 0] * goes[:, 1] - came[:, 1] * goes[:, 0]
    return np.degrees(np.arctan2(cross, (came * goes).sum(axis=1)))


def _points(network: Graph, arcs: Int64s, *, last: bool = False) -> Float64s:
    """The point of each arc that is next to its tail, or to its head, along its curve."""
    assert network.coordinates is not None
    ends = network.tails[arcs] if last else network.indices[arcs]
    points = network.coordinates.xy[ends].copy()
    shapes = None if network.roads is None else network.roads.shapes
    if shapes is None:
        return points
    numbers = shapes.of_arc[arcs].astype(np.int64)
    curved = np.flatnonzero(numbers)
    at_end = (numbers[curved] > 0) == last
    of = np.abs(numbers[curved])
    points[curved] = shapes.points[np.where(at_end, shapes.offsets[of] - 1, shapes.offsets[of - 1])]
    return points


def turn_costs(network: Graph, rules: TurnRules, before: Int64s, after: Int64s) -> AnyArray:
    """What turns cost, (t,) of the weights' type; 0 where weights are not times."""
    costs, kind = rules.costs, network.weights.dtype
    if costs is None or network.weight_unit not in SECONDS_PER_UNIT:
        return np.zeros(len(before), kind)
    angles = turn_angles(network, before, after)
    size = np.abs(angles)
    back = opposite_arcs(network)[before] == after
    choices = network.out_degrees[network.indices[before]] - (opposite_arcs(network)[before] != -1)
    seconds = np.where(size <= _STRAIGHT, 0.0, np.where(angles > 0, costs.left, costs.right))
    seconds += np.where(size > _SHARP, costs.sharp, 0.0)
    seconds[choices < 2] = 0.0  # a road that bends
    seconds += np.where(np.isin(network.indices[before], rules.signals), costs.signals, 0.0)
    seconds[back] = costs.around
    return (seconds / SECONDS_PER_UNIT[network.weight_unit]).round().astype(kind)


def without_u_turns(network: Graph, rules: TurnRules, weights: list[AnyArray]) -> TurnRules:
    """The rules with those U-turns forbidden that shortest paths would make to get round a
    forbidden turn, by any of the weights, (m,) each.

    Such a path leaves the junction of the turn, turns on the road and comes back. So only
    U-turns matter that are nearer than half of the shortest way round without any; at dead
    ends they are allowed.
    """
    arcs, cuts = rules.arcs, rules.offsets
    inner = np.ones(len(arcs), np.bool_)
    inner[cuts[1:] - 1] = False
    before = arcs[inner]
    after = arcs[np.flatnonzero(inner) + 1]
    opposite, way_on = opposite_arcs(network), has_way_on(network)
    real = opposite[before] != after
    pairs = cuts[:-1][np.diff(cuts) == 2]
    banned = np.unique(arcs[pairs] * network.m + arcs[pairs + 1])
    found: set[int] = set()
    for column in weights:
        lists = _u_turns(
            network.indptr,
            network.indices,
            column.astype(np.float64),
            opposite,
            way_on,
            banned,
            before[real],
            after[real],
        )
        found.update(lists.tolist())
    sequences = dict(rules.forbidden)
    for arc in sorted(found):
        sequences.setdefault((arc, int(opposite[arc])), U_TURN)
    return TurnRules.of(sequences, report=rules.report)


def restricted_turns(graph: Graph) -> dict[int, list[tuple[int, int]]]:
    """By vertex, the turns that are allowed from arcs whose turns there a relation
    restricts: the arcs before and after, of the network with all roads.
    """
    network = graph if graph.base is None else graph.base.graph
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
def _is_banned(banned: Int64s, key: int) -> bool:
    place = np.searchsorted(banned, key)
    return bool(place < len(banned) and banned[place] == key)


@njit
def _u_turns(
    indptr: Int64s,
    indices: Int32s,
    weights: Float64s,
    opposite: Int64s,
    way_on: Bools,
    banned: Int64s,
    before: Int64s,
    after: Int64s,
) -> Int64s:
    """Arcs after which a U-turn would shorten the way round one of the turns."""
    seen = np.full(len(indices), -1, np.int64)
    chosen = np.zeros(len(indices), np.bool_)
    for k in range(len(before)):
        radius = np.inf
        for stage in range(2):
            if stage == 1 and radius == 0.0:
                continue
            heap = [(0.0, before[k])]
            settled = 0
            while len(heap) and settled < _MOST_SEARCHED:
                cost, arc = heapq.heappop(heap)
                if seen[arc] == 2 * k + stage:
                    continue
                seen[arc] = 2 * k + stage
                settled += 1
                if stage == 1 and settled > 1 and way_on[arc]:
                    chosen[arc] = True
                v = indices[arc]
                is_back = False
                for follows in range(indptr[v], indptr[v + 1]):
                    if follows == opposite[arc] and way_on[arc]:
                        continue
                    if settled == 1 and follows == after[k]:
                        continue
                    if _is_banned(banned, arc * len(indices) + follows):
                        continue
                    if follows == after[k]:
                        is_back = True
                    further = cost + weights[follows]
                    if stage == 1:  # there and back
                        if opposite[follows] < 0:
                            continue
                        further += weights[opposite[follows]]
                    if further <= radius:
                        heapq.heappush(heap, (further, follows))
                if stage == 0 and is_back:
                    radius = cost
                    break
    return np.flatnonzero(chosen)
