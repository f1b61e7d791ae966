"""Which arcs of a road network follow each other: all turns, the way back along a road, angles."""

from __future__ import annotations

import numpy as np

from solvers.graphs.graph import Graph
from solvers.system.array_types import Float64s, Int64s
from solvers.system.ranges import numbers_in

NO_ARC = -1
_DIGITS = 9  # of angles in degrees


def crossing_turns(network: Graph, arcs: Int64s) -> tuple[Int64s, Int64s]:
    """All turns from the given arcs: the arc before and the arc after, (t,) each."""
    vertices = network.indices[arcs]
    counts = network.out_degrees[vertices]
    return np.repeat(arcs, counts), numbers_in(network.indptr[vertices], counts)


def opposite_arcs(network: Graph) -> Int64s:
    """The arc back along the road of each arc, (m,); -1 without one. Kept with the network.

    Of parallel roads without shapes, the k-th lightest arc there and the k-th lightest
    back are one road, by the first of the weights that were read, whatever was chosen,
    closed, weighed or cut since. Loops have an arc back if they have a shape.
    """
    return network.cached("opposite arcs", lambda: _opposite_arcs(network))


def _opposite_arcs(network: Graph) -> Int64s:
    made = network.base or network.cut
    if made is None:
        return _paired_by_weights(network)
    back = opposite_arcs(made.graph)[made.arcs]
    place = np.full(made.graph.m, NO_ARC)
    place[made.arcs] = np.arange(network.m)
    found = np.where(back == NO_ARC, NO_ARC, place[back])
    parts = np.flatnonzero((np.bincount(made.arcs) > 1)[made.arcs])
    of, tails, heads, backs = (
        column[parts].tolist() for column in (made.arcs, network.tails, network.indices, back)
    )
    named = dict(zip(zip(of, tails, heads, strict=True), parts.tolist(), strict=True))
    of_backs = zip(backs, heads, tails, strict=True)
    found[parts] = [named.get(part, NO_ARC) for part in of_backs]
    return found


def _paired_by_weights(network: Graph) -> Int64s:
    tails, heads = network.tails.astype(np.int64), network.indices.astype(np.int64)
    low, high = np.minimum(tails, heads), np.maximum(tails, heads)
    roads, weights = network.roads, network.weights
    if roads is not None and roads.weights:
        weights = roads.weights[0].values
    shapes = None if roads is None else roads.shapes
    along = np.zeros(network.m, np.int64) if shapes is None else shapes.of_arc
    is_back, shape = (tails > heads) | ((tails == heads) & (along < 0)), np.abs(along)
    order = np.lexsort((weights, is_back, shape, high, low))
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
    found = np.full(network.m, NO_ARC, np.int64)
    found[order[fits]] = order[(first[group] + other)[fits]]
    return found


def ways_on(network: Graph) -> Int64s:
    """The number of arcs that lead on from the head of each arc, (m,), all roads that were read
    among them; the arc back along its road is none.
    """
    made = network.base or network.cut
    own = network.out_degrees[network.indices] - (opposite_arcs(network) != NO_ARC)
    if made is None:
        return own
    is_point = network.indices >= made.graph.n
    return np.where(is_point, own, ways_on(made.graph)[made.arcs])


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
    angles = np.degrees(np.arctan2(cross, (came * goes).sum(axis=1))).round(_DIGITS)
    return np.where(angles == -180, 180, angles)


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
