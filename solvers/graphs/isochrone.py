"""Isochrones: what lies within a budget of the source, with the points on roads where
the budget ends.

They are made of streets: the arcs of a graph with opposite arcs joined, so that each
road counts once. The k-th lightest arc from ``u`` to ``v`` and the k-th lightest from
``v`` to ``u`` are one street; an arc without such a partner (a one-way road) and a
self-loop are streets of their own. Parallel roads stay apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from solvers.graphs.csr import first_not_less, sort_along
from solvers.graphs.following_arcs import NO_ARC
from solvers.graphs.graph import Graph
from solvers.graphs.weighting import great_circle
from solvers.graphs.weights import weight_type
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam, split_evenly
from solvers.text import format_distance
from solvers.units import METRES_PER_UNIT, TENTHS_OF_METRES

_PART = 1 << 16  # streets per task
_PARTS_PER_THREAD = 8  # degrees differ


@dataclass(frozen=True, eq=False)
class Isochrone:
    """What lies within a budget.

    An arc ``(u, v)`` is covered from ``u``, as far as the budget goes; a street with
    arcs both ways also from ``v``.
    """

    budget: float  # in the unit of the distances
    vertices: int  # vertices whose distance is at most the budget
    arcs: int  # arcs that can be travelled to their heads within the budget
    # total length of the covered streets, each counted once and partly covered ones in
    # part, in ``unit``
    length: float
    unit: str  # as `Streets.unit`
    border_tails: Int32s  # (k,) of the arcs on which the budget ends, vertices within it
    border_heads: Int32s  # (k,) of these arcs
    # (k,) covered share of these arcs, in 0..1; 0 where the budget ends at the tail
    border_shares: Float64s
    # (s, 2) covered share of each of the `streets_of` all roads, from the tail of its arc
    # ``there`` and from its head; together 1 or more if all of it is covered. None, (0, 2),
    # where pieces are not wanted
    shares: Float64s


def within_text(budget: float, unit: str) -> str:
    """What legends and files say of a budget: ``"within 5.00 km"``."""
    return f"within {format_distance(budget, unit, exact=False)}"


def isochrone_of(
    graph: Graph,
    distances: Float64s,
    budget: float,
    team: ThreadTeam,
    starts: Float64s | None = None,
    *,
    for_pieces: bool = False,
) -> Isochrone:
    """The isochrone of a budget, in the unit of ``distances``: (n,), inf where
    unreachable. O(n + m).

    Streets of a graph with changed roads are those of its base, some of them closed.
    ``starts``, (m,) of all roads, are the distances at which each arc can be entered. Without
    them, it is the distance of the tail or, where turns matter and make it later, that of the
    head less the weight.
    """
    whole, weights = with_all_roads(graph)
    if starts is None:
        starts = _starts(graph, whole, weights, distances)
    infinity = float(weight_type(weights.dtype).infinity)
    streets = streets_of(whole, team)
    parts = [(first, min(len(streets), first + _PART)) for first in range(0, len(streets), _PART)]
    measured: list[Any] = [None] * len(parts)
    arrays = (
        streets.tails,
        streets.there,
        streets.back,
        streets.lengths,
        whole.indices,
        weights,
        distances,
        starts,
    )
    shares = np.zeros((len(streets) if for_pieces else 0, 2))

    def measure(number: int, first: int, last: int) -> None:
        measured[number] = _measure(first, last, *arrays, budget, infinity, shares)

    team.run(partial(measure, number, *part) for number, part in enumerate(parts))
    within = int(np.count_nonzero(distances <= budget))
    tails, heads, at = (
        np.concatenate([part[2 + i] for part in measured] or [np.empty(0, kind)])
        for i, kind in enumerate((np.int32, np.int32, np.float64))
    )
    arcs, length = sum(part[0] for part in measured), float(sum(part[1] for part in measured))
    border = tails, heads, at
    return Isochrone(budget, within, int(arcs), length, streets.unit, *border, shares)


def _starts(graph: Graph, whole: Graph, weights: AnyArray, distances: Float64s) -> Float64s:
    """The distances at which arcs can be entered, (m,), by those of their ends; none where
    these are the distances of their tails.
    """
    if not graph.has_turns:
        return np.empty(0)
    starts = distances[whole.tails]
    with np.errstate(invalid="ignore"):  # of two ends that are not reached
        by_head = distances[whole.indices] - weights
    return np.where(np.isfinite(starts), np.maximum(starts, by_head), np.inf)


def with_all_roads(graph: Graph) -> tuple[Graph, AnyArray]:
    """A graph with all roads, and its weights, infinity for closed ones."""
    base = graph.base
    if base is None:
        return graph, graph.weights
    return base.graph, graph.cached(
        "weights over the base", lambda: base.weights_of_all(graph.distance_type)
    )


@njit
def _covered(distance: float, weight: float, budget: float) -> float:
    """Share of an arc that is covered from its tail, which is within the budget; 1 for
    an arc without length.
    """
    left = budget - distance
    return 1.0 if weight <= left else left / weight


@njit
def _measure(
    first: int,
    last: int,
    tails: Int32s,
    there: Int64s,
    back: Int64s,
    lengths: Float64s,
    indices: Int32s,
    weights: AnyArray,
    distances: Float64s,
    starts: Float64s,
    budget: float,
    infinity: float,
    shares: Float64s,
) -> tuple[int, float, Int32s, Int32s, Float64s]:
    """Number of whole arcs, covered length and border of streets ``first`` to ``last - 1``,
    whose ``shares`` are written.
    """
    arcs, length, count = 0, 0.0, 0
    border_tails = np.empty(2 * (last - first), np.int32)
    border_heads = np.empty(2 * (last - first), np.int32)
    border_shares = np.empty(2 * (last - first), np.float64)
    for s in range(first, last):
        u, v = tails[s], indices[there[s]]
        both = back[s] != NO_ARC and weights[back[s]] < infinity
        at_u, at_v = distances[u], distances[v]
        if starts.shape[0] > 0:
            at_u, at_v = starts[there[s]], starts[back[s]] if both else np.inf
        from_u = at_u <= budget and weights[there[s]] < infinity
        from_v = both and at_v <= budget
        if not (from_u or from_v):
            continue
        share_u = _covered(at_u, weights[there[s]], budget) if from_u else 0.0
        share_v = _covered(at_v, weights[back[s]], budget) if from_v else 0.0
        if shares.shape[0] > 0:
            shares[s, 0], shares[s, 1] = share_u, share_v
        arcs += (from_u and share_u == 1.0) + (from_v and share_v == 1.0)
        if share_u + share_v >= 1.0:
            length += lengths[s]
            continue
        length += lengths[s] * (share_u + share_v)
        for inside, tail, head, share in ((from_u, u, v, share_u), (from_v, v, u, share_v)):
            if inside:
                border_tails[count], border_heads[count], border_shares[count] = tail, head, share
                count += 1
    return (
        arcs,
        length,
        border_tails[:count].copy(),
        border_heads[:count].copy(),
        border_shares[:count].copy(),
    )


@dataclass(frozen=True, eq=False)
class Streets:
    """The streets of a graph, each once, with their lengths."""

    tails: Int32s  # (s,) tail of each street's arc ``there``
    there: Int64s  # (s,) index of one arc of each street, ascending
    back: Int64s  # (s,) index of the opposite arc, or `NO_ARC`
    # (s,) in ``unit``: those of a road network that has them; else from geographic
    # coordinates, if the weights are no lengths, such as travel times; else from the
    # weights before roads were slowed, as the mean of both arcs
    lengths: Float64s
    unit: str  # unit of ``lengths``: "m", or the unit of the weights

    def __len__(self) -> int:
        return len(self.there)


def streets_of(graph: Graph, team: ThreadTeam) -> Streets:
    """The streets of ``graph``; computed once and kept with it."""
    return graph.cached("streets", lambda: _make(graph, team))


def _make(graph: Graph, team: ThreadTeam) -> Streets:
    partner = np.empty(graph.m, np.int64)
    arrays = graph.indptr, graph.indices, graph.weights, partner
    team.run(
        partial(_pair_arcs, *part, *arrays)
        for part in split_evenly(graph.n, _PARTS_PER_THREAD * team.threads)
    )
    there = np.flatnonzero((partner == NO_ARC) | (np.arange(graph.m) < partner))
    tails, back = graph.tails[there], partner[there]
    lengths, unit = _lengths(graph, tails, there, back)
    return Streets(tails, there, back, lengths, unit)


def _lengths(graph: Graph, tails: Int32s, there: Int64s, back: Int64s) -> tuple[Float64s, str]:
    places = graph.coordinates
    if (metres := _metres_column(graph)) is not None:
        return metres[there].astype(np.float64) * METRES_PER_UNIT[TENTHS_OF_METRES], "m"
    if graph.weight_unit not in METRES_PER_UNIT and places is not None and places.geographic:
        metres = great_circle(places.xy[tails], places.xy[graph.indices[there]])
        return np.nan_to_num(metres), "m"  # 0 for a street without a place
    weights = graph.weights if graph.base is None else graph.base.graph.weights[graph.base.arcs]
    own = weights[there].astype(np.float64)
    opposite = np.where(back == NO_ARC, own, weights[back].astype(np.float64))
    lengths = np.maximum(0.0, 0.5 * own + 0.5 * opposite)
    factor = METRES_PER_UNIT.get(graph.weight_unit)
    return (lengths, graph.weight_unit) if factor is None else (lengths * factor, "m")


def _metres_column(graph: Graph) -> AnyArray | None:
    """Lengths that a road network carries beside its weights, in tenths of metres; None
    if it has none.
    """
    column = None if graph.roads is None else graph.roads.column_of_unit(TENTHS_OF_METRES)
    return None if column is None else column.values


@njit
def _order_of(keys: AnyArray) -> Int64s:
    """The places of the keys by size; sorts them."""
    order = np.arange(len(keys))
    sort_along(keys, order, 0, len(keys))
    return order


@njit
def _pair_arcs(
    first: int, last: int, indptr: Int64s, indices: Int32s, weights: AnyArray, partner: Int64s
) -> None:
    """Write the partner of every arc that leaves vertices ``first`` to ``last - 1``."""
    for u in range(first, last):
        start = indptr[u]
        while start < indptr[u + 1]:
            v = indices[start]
            end = start + 1
            while end < indptr[u + 1] and indices[end] == v:
                end += 1
            begin = first_not_less(indices, indptr[v], indptr[v + 1], u)
            stop = begin
            while stop < indptr[v + 1] and indices[stop] == u:
                stop += 1
            if u == v:
                partner[start:end] = NO_ARC
            elif end - start == 1 and stop - begin == 1:
                partner[start] = begin
            else:
                own = _order_of(weights[start:end].copy())
                opposite = _order_of(weights[begin:stop].copy())
                for rank in range(end - start):
                    partner[start + own[rank]] = (
                        begin + opposite[rank] if rank < stop - begin else NO_ARC
                    )
            start = end
