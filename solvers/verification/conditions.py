"""The conditions of right distances, checked along tight arcs: exactly, or but for
rounding (see `verify`).

For floating-point graphs, rounded distances are compared with exact path lengths. A
length is kept as an unevaluated sum of two float64 numbers, ``high + low``. Adding a
weight is error free but for the last bits of ``low`` (Knuth's TwoSum), so a sum of n
weights is known to some 100 bits.

A rounded distance of a path of k arcs may differ from the exact length by k roundings
of the sum of the arcs' magnitudes: |d - D| <= k * u * (|w1| + ... + |wk|), u being half
a unit in the last place (Higham, Accuracy and Stability of Numerical Algorithms,
section 4.2). That holds for any order of additions, and it is all that is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.graphs.graph import Graph
from solvers.graphs.weights import DISTANCE_TYPES, is_weight_type, weight_type
from solvers.system.array_types import AnyArray, Bools, Float64s, Int32s, Int64s
from solvers.system.jit import njit

# Which condition failed, if any.
PROVED, SOURCE_NOT_ZERO, NOT_RELAXED, NOT_CONNECTED = range(4)

# An improvement less than this share of the magnitudes is rounding of the low parts: a
# cycle of weight zero in exact arithmetic would otherwise improve without end.
_MARGIN = 2.0**-90


def weights_fit(graph: Graph, dtype: np.dtype[Any]) -> bool:
    """Whether distances of a type can be sums of the graph's weights.

    A narrower type wraps integers, cuts off decimals and makes infinity of large
    numbers; then what is proved with the weights in that type says nothing of the
    graph. In float32 the rounding of sums is more than anybody means by proved.
    """
    weights = graph.weights
    if not is_weight_type(dtype) or weight_type(dtype) not in DISTANCE_TYPES:
        return False
    if weights.dtype.kind == dtype.kind and weights.dtype.itemsize <= dtype.itemsize:
        return True
    with np.errstate(invalid="ignore"):
        return np.array_equal(weights.astype(dtype).astype(weights.dtype), weights)


class TightArcChecker:
    """Checks answers on one graph, with working memory that is reused for many rows.

    `follow_tight_arcs` sets ``arcs``, (n,), to the fewest tight arcs from the source.
    """

    def __init__(self, graph: Graph, dtype: np.dtype[Any]):
        kind = weight_type(dtype)
        self.is_integer = kind.is_integer
        self._graph = graph
        self._arrays = (graph.indptr, graph.indices, graph.weights_in(dtype))
        self._infinity = kind.dtype.type(kind.infinity)
        self._unit = 0.0 if kind.is_integer else unit_roundoff(kind.dtype)
        self._queue = np.empty(graph.n, dtype=np.int32)
        self.reached = np.empty(graph.n, dtype=np.bool_)
        self.arcs = np.zeros(graph.n, dtype=np.int32)

    def failure(self, source: int, distances: AnyArray) -> tuple[int, int, int, int]:
        """``(condition, tail, head, arc)`` of the first condition that fails;
        ``PROVED`` if none does.
        """
        found: tuple[int, int, int, int] = _first_failure(
            *self._arrays, source, distances, self._infinity, self._queue, self.reached
        )
        return found

    def rounded_failure(
        self, source: int, distances: AnyArray, roundings: int | None = None
    ) -> tuple[int, int, int, int]:
        """As `failure`, for floating-point sums in an unspecified order of additions.

        Two trees of paths bound the rounding. The answer's own, along arcs that are
        tight except for the roundings made so far, bounds how many additions may have
        made a distance too short. The exact shortest one bounds how many may have made
        it too long: a correct solver is never worse than the rounded sum of that path.
        ``roundings`` sets their number instead.
        """
        along_answer = ExactLengths.unreached(self._graph.n)
        found: tuple[int, int, int, int] = _first_rounded_failure(
            *self._arrays,
            source,
            distances,
            self._unit,
            self._queue,
            self.reached,
            *along_answer.arrays,
        )
        if found[0] != PROVED:
            return found
        cycles = 1
        if not make_shortest(self._graph, shortest := along_answer.copy()):
            # A cycle of weight zero except for rounding, which improves forever: count
            # its gain as rounding too.
            cycles = 2
            if not make_shortest(self._graph, shortest := along_answer.copy(), self._unit):
                return NOT_CONNECTED, -1, source, -1
        deviation = shortest.deviation(distances)
        above = cycles * shortest.allowance(self._unit, roundings)
        below = np.maximum(above, cycles * along_answer.allowance(self._unit, roundings))
        wrong = np.flatnonzero(~((deviation <= above) & (deviation >= -below)))
        return (NOT_CONNECTED, -1, int(wrong[0]), -1) if len(wrong) else (PROVED, -1, -1, -1)

    def follow_tight_arcs(self, source: int, distances: AnyArray) -> None:
        """Set `reached` and `arcs` by following arcs that are tight up to one rounding,
        among finite vertices.
        """
        self.arcs[:] = 0
        _follow_tight_arcs(
            *self._arrays,
            source,
            distances,
            self._infinity,
            4 * self._unit,
            self._queue,
            self.reached,
            self.arcs,
        )


@njit
def _follow_tight_arcs(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    source: int,
    distances: AnyArray,
    infinity: Any,
    tolerance: float,
    queue: Int32s,
    reached: Bools,
    arcs: Int32s,
) -> None:
    """Mark in ``reached`` what tight arcs lead to, whatever else the arcs offer.
    ``tolerance`` is relative.
    """
    reached[:] = False
    reached[source] = distances[source] == 0
    queue[0] = source
    followed, queued = 0, int(reached[source])
    while followed < queued:
        u = queue[followed]
        followed += 1
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            allowed = tolerance * (abs(distances[u]) + abs(weights[arc]))
            is_tight = abs(distances[u] + weights[arc] - distances[v]) <= allowed
            if is_tight and not reached[v] and distances[v] < infinity:
                reached[v] = True
                arcs[v] = arcs[u] + 1
                queue[queued] = v
                queued += 1


@njit
def _first_failure(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    source: int,
    distances: AnyArray,
    infinity: Any,
    queue: Int32s,
    reached: Bools,
) -> tuple[int, int, int, int]:
    """Search the tight arcs breadth first; sums are rounded to the distances' type."""
    if distances[source] != 0:
        return SOURCE_NOT_ZERO, source, source, -1
    n = indptr.shape[0] - 1
    for v in range(n):
        # no path is so short; nor would its sums be safe from wrapping. Catches NaN
        if not distances[v] >= -infinity:
            return NOT_CONNECTED, -1, v, -1
    reached[:] = False
    reached[source] = True
    queue[0] = source
    settled, queued = 0, 1
    while settled < queued:
        u = queue[settled]
        settled += 1
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            offered = distances[u] + weights[arc]
            if distances[v] > offered or (distances[v] >= infinity and weights[arc] < np.inf):
                # the second: an integer sum may be infinity, which says unreachable
                return NOT_RELAXED, u, v, arc
            if not reached[v] and distances[v] == offered:
                reached[v] = True
                queue[queued] = v
                queued += 1
    for v in range(n):
        if not reached[v] and distances[v] < infinity:
            return NOT_CONNECTED, -1, v, -1
    return PROVED, -1, -1, -1


@njit
def _first_rounded_failure(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    source: int,
    distances: AnyArray,
    unit: float,
    queue: Int32s,
    reached: Bools,
    high: Float64s,
    low: Float64s,
    arcs: Int32s,
    magnitude: Float64s,
) -> tuple[int, int, int, int]:
    """Search arcs that are tight except for roundings along both paths; sum the tree
    found, exactly.
    """
    if distances[source] != 0:
        return SOURCE_NOT_ZERO, source, source, -1
    n = indptr.shape[0] - 1
    reached[:] = False
    reached[source] = True
    queue[0] = source
    high[source] = 0.0
    settled, queued = 0, 1
    while settled < queued:
        u = queue[settled]
        settled += 1
        for arc in range(indptr[u], indptr[u + 1]):
            v, weight = indices[arc], float(weights[arc])
            summed = magnitude[u] + abs(weight)
            allowed = 2.0 * (arcs[u] + 1) * unit * summed
            surplus = float(distances[v]) - (float(distances[u]) + weight)
            if surplus > allowed:
                return NOT_RELAXED, u, v, arc
            if not reached[v] and surplus >= -allowed:
                reached[v] = True
                high[v], low[v] = plus(high[u], low[u], weight)
                arcs[v] = arcs[u] + 1
                magnitude[v] = summed
                queue[queued] = v
                queued += 1
    for v in range(n):
        if not reached[v] and not distances[v] >= np.inf:  # "not >=" rather than "<": catches NaN
            return NOT_CONNECTED, -1, v, -1
    return PROVED, -1, -1, -1


@dataclass(frozen=True, eq=False)
class ExactLengths:
    """Exact lengths of a tree of paths from one source."""

    # (n,) the length is their sum; ``high`` is infinite where there is no path
    high: Float64s
    low: Float64s
    arcs: Int32s  # (n,) arcs of the path
    magnitude: Float64s  # (n,) sum of the magnitudes of their weights

    @classmethod
    def unreached(cls, n: int) -> ExactLengths:
        return cls(np.full(n, np.inf), np.zeros(n), np.zeros(n, np.int32), np.zeros(n))

    @property
    def arrays(
        self,
    ) -> tuple[Float64s, Float64s, Int32s, Float64s]:
        return self.high, self.low, self.arcs, self.magnitude

    def allowance(self, unit: float, roundings: int | None = None) -> Float64s:
        """Largest rounding error of each length, (n,), at a unit roundoff; by default
        one rounding for each arc.
        """
        return (
            (self.arcs if roundings is None else roundings)
            * self.magnitude
            * (unit * (1 + 2.0**-20))
        )

    def copy(self) -> ExactLengths:
        return ExactLengths(
            self.high.copy(), self.low.copy(), self.arcs.copy(), self.magnitude.copy()
        )

    def deviation(self, distances: AnyArray) -> Float64s:
        """``distances`` minus the exact lengths, (n,) float64; 0 where both are infinite."""
        wide = distances.astype(np.float64)
        with np.errstate(invalid="ignore"):
            return np.where(wide == self.high, -self.low, wide - self.high - self.low)


def unit_roundoff(dtype: np.dtype[Any]) -> float:
    """Half a unit in the last place of 1: the largest relative error of one rounding."""
    return float(np.finfo(dtype).eps) / 2


def exact_lengths_along(graph: Graph, source: int, parents: Int32s) -> ExactLengths | None:
    """Exact shortest lengths; None if the given tree is far from shortest, or there is
    a negative cycle.

    ``parents``, (n,), is a tree of nearly shortest paths; -1 for the source and for
    vertices it does not reach.
    """
    # the second: cycles that weigh zero but for rounding
    for margin in (_MARGIN, unit_roundoff(graph.weights.dtype)):
        lengths = ExactLengths.unreached(graph.n)
        _sum_along_tree(
            graph.indptr, graph.indices, graph.weights, source, parents, *lengths.arrays
        )
        if make_shortest(graph, lengths, margin):
            return lengths
    return None


def make_shortest(graph: Graph, lengths: ExactLengths, margin: float = _MARGIN) -> bool:
    """Relax arcs in exact arithmetic, in place, until no path is shorter; False if that
    takes unreasonably long.

    The lengths are those of real paths before and after, so when no arc improves any of
    them they are shortest. Improvements below ``margin``, a share of the magnitudes,
    are ignored.
    """
    return bool(
        _relax_until_shortest(graph.indptr, graph.indices, graph.weights, *lengths.arrays, margin)
    )


@njit(inline="always")
def plus(high: float, low: float, weight: float) -> tuple[float, float]:
    """``high + low + weight`` as another pair."""
    total = high + weight
    part = total - high
    low = low + ((high - (total - part)) + (weight - part))
    result = total + low
    return result, low - (result - total)


@njit
def _sum_along_tree(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    source: int,
    parents: Int32s,
    high: Float64s,
    low: Float64s,
    arcs: Int32s,
    magnitude: Float64s,
) -> None:
    """Sum each vertex's path, parents first; of parallel arcs the lightest counts."""
    n = parents.shape[0]
    chain = np.empty(n, np.int32)
    high[source] = 0.0
    for start in range(n):
        length, v = 0, start
        while high[v] == np.inf and parents[v] >= 0 and length < n:
            chain[length] = v
            length += 1
            v = parents[v]
        if high[v] == np.inf:
            continue
        for step in range(length - 1, -1, -1):
            u, v = v, chain[step]
            weight = np.inf
            for arc in range(indptr[u], indptr[u + 1]):
                if indices[arc] == v and weights[arc] < weight:
                    weight = float(weights[arc])
            if weight == np.inf:
                break
            high[v], low[v] = plus(high[u], low[u], weight)
            arcs[v] = arcs[u] + 1
            magnitude[v] = magnitude[u] + abs(weight)


@njit
def _relax_until_shortest(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    high: Float64s,
    low: Float64s,
    arcs: Int32s,
    magnitude: Float64s,
    margin: float,
) -> bool:
    """Label-correcting relaxation, first in, first out; False past ``8 n`` improvements
    more than there are arcs.
    """
    n = indptr.shape[0] - 1
    queue = np.empty(n, np.int32)
    waiting = np.ones(n, np.bool_)
    for v in range(n):
        queue[v] = v
    first, count, left = 0, n, 8 * n + indices.shape[0]
    while count > 0:
        u = queue[first]
        first = (first + 1) % n
        count -= 1
        waiting[u] = False
        if high[u] == np.inf:
            continue
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            weight = float(weights[arc])
            through_high, through_low = plus(high[u], low[u], weight)
            summed = magnitude[u] + abs(weight)
            if high[v] != np.inf:
                gain = (high[v] - through_high) + (low[v] - through_low)
                if gain <= margin * summed:
                    continue
            if left == 0 or v == u:
                return False
            left -= 1
            high[v], low[v] = through_high, through_low
            arcs[v], magnitude[v] = arcs[u] + 1, summed
            if not waiting[v]:
                waiting[v] = True
                queue[(first + count) % n] = v
                count += 1
    return True


@njit
def closes_cycle(predecessors: Int32s) -> bool:
    """Whether the predecessors contain a cycle. O(n): a chain stops at vertices that an
    earlier chain has visited.
    """
    n = predecessors.shape[0]
    chain_of = np.full(n, -1, dtype=np.int32)
    for start in range(n):
        v = start
        while v != -1 and chain_of[v] == -1:
            chain_of[v] = start
            v = predecessors[v]
        if v != -1 and chain_of[v] == start:
            return True
    return False
