"""The two directions of each road, as the network was read, and which arcs the roads that were
cut at points have: derived from the points that were said (`RoadPoints`), not from what cuts
roads (`RoadCut.arcs`) or pairs their arcs (`opposite_arcs`).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from solvers.graphs.graph import Graph
from solvers.graphs.places import RoadPoint, RoadPoints
from solvers.system.array_types import AnyArray, Float64s, Int64s

_NONE = -1


@dataclass(frozen=True)
class CutArcs:
    """The arcs that a graph must have after some of its roads were cut, in order, (m,) each;
    ``of`` are those that they were, or were a part of, and ``along`` ascends along the parts.
    """

    tails: Int64s
    heads: Int64s
    weights: AnyArray
    of: Int64s
    along: Int64s

    def parts(self, arc: int) -> list[int]:
        """The parts, in order, of an arc that there was before."""
        order, of = self._by_road
        first, last = np.searchsorted(of, (arc, arc + 1))
        found: list[int] = order[first:last].tolist()
        return found

    @cached_property
    def _by_road(self) -> tuple[Int64s, Int64s]:
        order = np.lexsort((self.along, self.of))
        return order, self.of[order]


def points_of(graph: Graph) -> list[RoadPoint]:
    """The points at which the roads of a cut graph were cut last."""
    said = graph.overlay.said[len(graph.uncut.overlay.said) :]
    return [point for one in said if isinstance(one, RoadPoints) for point in one.points]


def cut_arcs(graph: Graph) -> CutArcs:
    """Kept with the cut graph, which does not change."""
    return graph.cached("arcs of cut roads", lambda: _cut_arcs(graph.uncut, points_of(graph)))


def arcs_back(graph: Graph, arcs: Int64s) -> Int64s:
    """The arc back along the road of each of some arcs, (k,), -1 without one that is open.

    Of parallel roads of one shape, the k-th lightest there and back are one road as they were
    read, by the first of their weights. A loop has an arc back if it has a shape.
    """
    if graph.base is not None:
        before, of = graph.base.graph, graph.base.arcs
    elif graph.cut is not None:
        before, of = graph.uncut, cut_arcs(graph).of
    else:
        return _back_by_weights(graph, arcs)
    back = arcs_back(before, of[arcs])
    tails, heads = _ends(graph, arcs)
    which, near = _leaving(graph, heads)
    fits = (of[near] == back[which]) & (graph.indices[near] == tails[which])
    found = np.full(len(arcs), _NONE)
    found[which[fits]] = near[fits]
    return found


def ways_on(graph: Graph, arcs: Int64s) -> Int64s:
    """The number of arcs that lead on from the head of each of some arcs, (k,), all roads that
    were read among them; the arc back along its road is none.
    """
    if graph.base is not None:
        return ways_on(graph.base.graph, graph.base.arcs[arcs])
    heads = graph.indices[arcs]
    found = np.diff(graph.indptr)[heads] - (arcs_back(graph, arcs) != _NONE)
    if graph.cut is not None:
        old = heads < graph.uncut.n
        found[old] = ways_on(graph.uncut, cut_arcs(graph).of[arcs[old]])
    return found


def _back_by_weights(network: Graph, asked: Int64s) -> Int64s:
    # all arcs between the ends of those that are asked for
    arcs = _leaving(network, np.unique(_ends(network, asked)))[1]
    tails, heads = _ends(network, arcs)
    roads = network.roads
    shapes = None if roads is None else roads.shapes
    read = roads.weights[0].values if roads and roads.weights else network.weights
    along = np.zeros(len(arcs), np.int64) if shapes is None else shapes.of_arc[arcs]
    goes_back = np.where(tails == heads, along < 0, tails > heads)
    ends = np.minimum(tails, heads) * network.n + np.maximum(tails, heads)
    order = np.lexsort((read[arcs], goes_back, np.abs(along), ends))
    road = np.stack((ends, np.abs(along)))
    way = np.concatenate((road, goes_back[None]))[:, order]
    begins = np.append(True, (way[:, 1:] != way[:, :-1]).any(axis=0))[: len(arcs)]
    rank = np.empty(len(arcs), np.int64)
    place = np.arange(len(arcs))
    rank[order] = place - np.maximum.accumulate(np.where(begins, place, 0))
    order = np.lexsort((goes_back, rank, *road[::-1]))
    one, other = order[:-1], order[1:]
    pairs = (road[:, one] == road[:, other]).all(axis=0) & (rank[one] == rank[other])
    found = np.full(len(arcs), _NONE)
    found[one[pairs]], found[other[pairs]] = arcs[other[pairs]], arcs[one[pairs]]
    return found[np.searchsorted(arcs, asked)]


def _ends(graph: Graph, arcs: Int64s) -> tuple[Int64s, Int64s]:
    tails = np.searchsorted(graph.indptr, arcs, side="right") - 1
    return tails, graph.indices[arcs].astype(np.int64)


def _leaving(graph: Graph, vertices: Int64s) -> tuple[Int64s, Int64s]:
    """The arcs that leave each of some vertices, in their order, and which of them it is."""
    counts = graph.indptr[vertices + 1] - graph.indptr[vertices]
    which = np.repeat(np.arange(len(vertices)), counts)
    first = graph.indptr[vertices] - np.cumsum(counts) + counts
    return which, first[which] + np.arange(len(which))


def _cut_arcs(whole: Graph, points: list[RoadPoint]) -> CutArcs:
    """Arcs that were not cut, and behind those of the same ends the parts of others."""
    tails, heads, weights, of = zip(*_parts(whole, points), strict=True)
    n = whole.n + len(points)
    own = np.delete(np.arange(whole.m), of)
    keys = np.array(tails, np.int64) * n + heads
    order = np.argsort(keys, kind="stable")
    at = np.searchsorted(whole.tails[own].astype(np.int64) * n + whole.indices[own], keys[order])

    def with_parts(values: AnyArray, of_parts: Any) -> AnyArray:
        return np.insert(values, at, np.array(of_parts, values.dtype)[order])

    return CutArcs(
        with_parts(whole.tails[own].astype(np.int64), tails),
        with_parts(whole.indices[own].astype(np.int64), heads),
        with_parts(whole.weights[own], weights),
        with_parts(own, of),
        with_parts(np.zeros_like(own), range(len(of))),
    )


def _parts(whole: Graph, points: list[RoadPoint]) -> list[tuple[int, int, Any, int]]:
    """Tail, head and weight of the parts of each arc that was cut, and the arc."""
    vertices: defaultdict[int, dict[float, int]] = defaultdict(dict)
    backs = {point.back for point in points} - {_NONE}
    for vertex, point in enumerate(points, whole.n):
        vertices[point.there][point.share] = vertex
        if point.back != _NONE:
            vertices[point.back][1 - point.share] = vertex
    found = []
    for arc, at in vertices.items():
        shares = np.array(sorted(at))
        ends = [int(whole.tails[arc]), *(at[s] for s in sorted(at)), int(whole.indices[arc])]
        marks = [0, *_up_to(whole.weights[arc], shares, arc in backs), whole.weights[arc].item()]
        lengths = np.diff(np.array(marks, whole.weights.dtype)).tolist()
        found += [(*two, length, arc) for two, length in zip(pairwise(ends), lengths, strict=True)]
    return found


def _up_to(weight: Any, shares: Float64s, is_back: bool) -> list[Any]:
    """The weight of an arc up to shares of its length; of whole numbers rounded to the nearest
    even, from the end at which the arc there begins.
    """
    if weight.dtype.kind != "i":
        return (weight * shares).astype(weight.dtype).tolist()
    if is_back:
        return (weight - np.rint(weight * (1 - shares))).astype(weight.dtype).tolist()
    return np.rint(weight * shares).astype(weight.dtype).tolist()
