"""The arcs between pairs of vertices that changes to roads apply to, and their weights
afterwards; areas of such roads.

A `RoadArea` is many roads that are changed alike and listed as one entry, such as all
inside a lasso.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvers.errors import ParameterError, UnknownArc, UnsuitableGraph, WeightNotChanged
from solvers.graphs.graph import Graph
from solvers.graphs.weights import INT64
from solvers.system.array_types import AnyArray, Bools, Float64s, Int64s
from solvers.system.ranges import numbers_in

CLOSED = math.inf
_NEAREST = 3

_SMALL = 1 << 31  # ids from 0 up to it are packed in pairs into 64 bits


@dataclass(frozen=True, eq=False)
class ChangedArcs:
    """The arcs of closed and slowed roads."""

    positions: Int64s  # (k,) in the graph's ``indices``, ascending, each once
    factors: Float64s  # (k,) `CLOSED` for closed arcs

    @property
    def closed(self) -> Int64s:
        return self.positions[self.factors == CLOSED]

    @property
    def slowed(self) -> Int64s:
        """Positions of the other arcs."""
        return self.positions[self.factors != CLOSED]


def changed_arcs(
    graph: Graph,
    tails: Sequence[Hashable],
    heads: Sequence[Hashable],
    factors: Float64s,  # (k,)
    one_way: Bools,  # (k,) only arcs from tail to head count, not those back
) -> ChangedArcs:
    """The arcs between pairs of vertices, parallel ones too; where two pairs name one
    arc, the later counts.

    Raises UnknownVertex; UnknownArc if there is no arc between the ends of a pair, or
    not in the direction that counts.
    """
    starts, ends = graph.vertices(tails), graph.vertices(heads)
    firsts = np.concatenate((_first_arc(graph, starts, ends), _first_arc(graph, ends, starts)))
    lasts = np.concatenate(
        (_first_arc(graph, starts, ends + 1), _first_arc(graph, ends, starts + 1))
    )
    counts = np.where(np.concatenate((np.zeros(len(starts), np.bool_), one_way)), 0, lasts - firsts)
    missing = np.flatnonzero(counts[: len(starts)] + counts[len(starts) :] == 0)
    if len(missing):
        tail, head = (graph.vertex_id(int(side[missing[0]])) for side in (starts, ends))
        raise UnknownArc(tail, head, graph.name, _arcs_at(graph, int(starts[missing[0]])))
    positions = numbers_in(firsts, counts)
    pairs = np.repeat(np.tile(np.arange(len(starts)), 2), counts)
    order = np.lexsort((pairs, positions))
    positions, pairs = positions[order], pairs[order]
    latest = np.append(positions[1:] != positions[:-1], True)[: len(positions)]
    return ChangedArcs(positions[latest], factors[pairs[latest]])


def same_both_ways(graph: Graph, changed: ChangedArcs) -> bool:
    """Whether each arc is changed as the arcs in the opposite direction are."""
    tails = _tails(graph, changed.positions)
    heads = graph.indices[changed.positions].astype(np.int64)
    there, back = tails * graph.n + heads, heads * graph.n + tails
    order = np.argsort(there, kind="stable")
    ranks = np.searchsorted(there[order], back)
    found = ranks < len(there)
    opposite = order[np.where(found, ranks, 0)]
    return bool(
        (found & (there[opposite] == back) & (changed.factors[opposite] == changed.factors)).all()
    )


def multiplied(graph: Graph, changed: ChangedArcs) -> AnyArray:
    """The weights of the arcs that are not closed, (s,) of the graph's weight type, as
    `RoadChanges.apply` says.

    Raises WeightNotChanged if a weight is negative, or would pass the range of its
    type.
    """
    positions, factors = changed.slowed, changed.factors[changed.factors != CLOSED]
    weights = graph.weights[positions]
    for factor in np.unique(factors).tolist():
        chosen = np.flatnonzero(factors == factor)
        values, which = np.unique(weights[chosen], return_inverse=True)
        products = []
        for number, value in enumerate(values.tolist()):
            product, problem = _product(graph, value, factor)
            if problem is not None:
                raise _not_changed(
                    graph, int(positions[chosen[which == number][0]]), factor, *problem
                )
            products.append(product)
        weights[chosen] = np.array(products, weights.dtype)[which]
    return weights


def require_paths_in_range(graph: Graph, result: Graph, changed: ChangedArcs) -> None:
    """Raise `WeightNotChanged`, for the slowed arc now heaviest, if no type holds the
    distances in ``result``.
    """
    slowed = changed.slowed
    if not len(slowed):
        return
    try:
        result.distance_type  # noqa: B018 computed once, and kept with the graph
    except UnsuitableGraph as error:
        factors = changed.factors[changed.factors != CLOSED]
        heaviest = int(np.argmax(graph.weights[slowed] * factors))
        reason = "lengths of paths over it could exceed the range of 64-bit numbers"
        remedy = "Choose a smaller factor, or close the road."
        raise _not_changed(
            graph, int(slowed[heaviest]), float(factors[heaviest]), reason, remedy
        ) from error


def _tails(graph: Graph, positions: Int64s) -> Int64s:
    return np.searchsorted(graph.indptr, positions, side="right") - 1


def _first_arc(graph: Graph, tails: Int64s, heads: Int64s) -> Int64s:
    """For each pair, the first arc from the tail whose head is not below ``heads``; the
    end of its row without one.
    """
    low, high = graph.indptr[tails], graph.indptr[tails + 1]
    while (unsettled := low < high).any():
        middle = np.minimum((low + high) // 2, graph.m - 1)
        below = unsettled & (graph.indices[middle] < heads)
        low, high = np.where(below, middle + 1, low), np.where(unsettled & ~below, middle, high)
    return low


def _arcs_at(graph: Graph, vertex: int) -> list[str]:
    heads = graph.indices[graph.row(vertex)].tolist()
    return [
        f"{graph.vertex_id(vertex)} – {graph.vertex_id(head)}" for head in dict.fromkeys(heads)
    ][:_NEAREST]


def _product(
    graph: Graph, weight: int | float, factor: float
) -> tuple[int | float, tuple[str, str] | None]:
    """A weight multiplied, or the reason why it cannot be, and a remedy."""
    kind = graph.weight_type
    if weight < 0:
        reason = f"its weight {weight:g} is negative, so a factor above 1 would make it smaller"
        return weight, (reason, "Only non-negative weights can be slowed; close the road.")
    product: int | float
    if kind.is_integer:
        product = max(
            math.floor(Fraction(weight) * Fraction(factor) + Fraction(1, 2)), min(weight, 1)
        )
        most: int | float = INT64.infinity - 1 if kind is INT64 else int(np.iinfo(kind.dtype).max)
    else:
        product, most = weight * factor, kind.longest
    if product > most:
        reason = f"{weight:g} × {factor:g} exceeds the range of {kind.name} ({most:g})"
        return weight, (reason, "Choose a smaller factor, or close the road.")
    return product, None


def _not_changed(
    graph: Graph, arc: int, factor: float, reason: str, remedy: str
) -> WeightNotChanged:
    tail = int(_tails(graph, np.array([arc]))[0])
    ends = graph.vertex_id(tail), graph.vertex_id(int(graph.indices[arc]))
    return WeightNotChanged(*ends, factor, reason, remedy)


@dataclass(frozen=True, eq=False)
class RoadArea:
    """Roads between many pairs of vertices, changed in both directions; arrays make it
    as fast as one road.

    Raises ParameterError if the factor is 0, negative or not a number.
    """

    # (k, 2) ids of the vertices, the lesser of each pair first; ascending, each pair
    # once; read-only. Made by `of`
    ends: Int64s
    factor: float = CLOSED  # as of a `RoadChange`

    def __post_init__(self) -> None:
        if not self.factor > 0:
            reason = "a factor must be a number above 0; close the roads if nothing may use them"
            raise ParameterError("road changes", "factor of an area", self.factor, reason)

    @classmethod
    def of(cls, ends: NDArray[np.integer], factor: float = CLOSED) -> RoadArea:
        """The area of these roads, (k, 2), in any order and direction; repetitions are left out."""
        pairs = np.sort(np.asarray(ends, np.int64).reshape(-1, 2), axis=1)
        if len(pairs) and pairs.min() >= 0 and pairs.max() < _SMALL:
            keys = np.unique(_keys(pairs))
            pairs = np.stack((keys >> 32, keys & (2**32 - 1)), axis=1)
        else:
            pairs = np.unique(pairs, axis=0)
        pairs.flags.writeable = False
        return cls(pairs, factor)

    def __len__(self) -> int:
        return len(self.ends)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RoadArea):
            return NotImplemented
        return self is other or (
            self.factor == other.factor and np.array_equal(self.ends, other.ends)
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.factor, self.ends.tobytes()))

    @property
    def closes(self) -> bool:
        return self.factor == CLOSED

    def without(self, ends: NDArray[np.integer]) -> RoadArea:
        """The area without these roads, (j, 2) as for `of`."""
        kept = ~self.holds(ends)
        return self if kept.all() else RoadArea.of(self.ends[kept], self.factor)

    def holds(self, ends: NDArray[np.integer]) -> Bools:
        """Mask of the roads of this area that are among ``ends``, (k,)."""
        return _are_among(self.ends, RoadArea.of(ends).ends)

    def covers(self, ends: NDArray[np.integer]) -> Bools:
        """Mask of the roads ``ends``, (j, 2) in any direction, that are in this area."""
        return _are_among(np.sort(np.asarray(ends, np.int64), axis=1), self.ends)


def _are_among(pairs: Int64s, others: Int64s) -> Bools:
    """Mask of the pairs that are among others; both with the lesser id first."""
    if not len(pairs) or not len(others):
        return np.zeros(len(pairs), np.bool_)
    if min(pairs.min(), others.min()) >= 0 and max(pairs.max(), others.max()) < _SMALL:
        return np.isin(_keys(pairs), _keys(others))
    _, numbers = np.unique(np.concatenate((pairs, others)), axis=0, return_inverse=True)
    numbers = numbers.reshape(-1)
    return np.isin(numbers[: len(pairs)], numbers[len(pairs) :])


def _keys(pairs: Int64s) -> Int64s:
    return (pairs[:, 0] << 32) | pairs[:, 1]
