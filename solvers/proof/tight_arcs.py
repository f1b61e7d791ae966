"""The conditions of right distances, checked along tight arcs: exactly, or but for rounding (see `verify`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Graph
from solvers.graphs.weights import weight_type
from solvers.host.jit import njit
from solvers.proof.exact import ExactLengths, make_shortest, plus, unit_roundoff

# Which condition failed, if any.
PROVED, SOURCE_NOT_ZERO, NOT_RELAXED, NOT_CONNECTED = range(4)


def weights_fit(graph: Graph, dtype: np.dtype[Any]) -> bool:
    """Whether distances of a type can be sums of the graph's weights.

    A narrower type wraps integers, cuts off decimals and makes infinity of large numbers; then what is proved with the
    weights in that type says nothing of the graph.
    """
    weights = graph.weights
    if weights.dtype.kind == dtype.kind and weights.dtype.itemsize <= dtype.itemsize:
        return True
    with np.errstate(invalid="ignore", over="ignore"):
        cast = weights.astype(dtype)
        if weights.dtype.kind == dtype.kind == "f":
            return np.array_equal(np.isfinite(cast), np.isfinite(weights))
        return np.array_equal(cast.astype(weights.dtype), weights)


class TightArcChecker:
    """Checks answers on one graph, with working memory that is reused for many rows.

    Attributes
    ----------
    is_integer : bool
    reached : (n,) bool
    arcs : (n,) int32
        Fewest tight arcs from the source, as `follow_tight_arcs` found them.
    """

    def __init__(self, graph: Graph, dtype: np.dtype[Any]):
        kind = weight_type(dtype)
        self.is_integer = kind.is_integer
        self._graph = graph
        self._arrays = (graph.indptr, graph.indices, graph.weights.astype(dtype, copy=False))
        self._infinity = kind.dtype.type(kind.infinity)
        self._unit = 0.0 if kind.is_integer else unit_roundoff(kind.dtype)
        self._queue = np.empty(graph.n, dtype=np.int32)
        self.reached = np.empty(graph.n, dtype=np.bool_)
        self.arcs = np.zeros(graph.n, dtype=np.int32)

    def failure(self, source: int, distances: NDArray[Any]) -> tuple[int, int, int, int]:
        """``(condition, tail, head, arc)`` of the first condition that fails; ``PROVED`` if none does."""
        found: tuple[int, int, int, int] = _first_failure(
            *self._arrays, source, distances, self._infinity, self._queue, self.reached
        )
        return found

    def rounded_failure(
        self, source: int, distances: NDArray[Any], roundings: int | None = None
    ) -> tuple[int, int, int, int]:
        """As `failure`, for floating-point sums in an unspecified order of additions.

        Two trees of paths bound the rounding. The answer's own, along arcs that are tight but for the roundings made so
        far, says how many additions may have made a distance too short. The exact shortest one says how many may have
        made it too long: a right solver is never worse than the rounded sum of that path. ``roundings`` allows just so
        many instead.
        """
        along_answer = ExactLengths.unreached(self._graph.n)
        found: tuple[int, int, int, int] = _first_rounded_failure(
            *self._arrays, source, distances, self._unit, self._queue, self.reached, *along_answer.arrays
        )
        if found[0] != PROVED:
            return found
        cycles = 1
        if not make_shortest(self._graph, shortest := along_answer.copy()):
            # A cycle of weight zero but for rounding, which goes round for ever: count its gain as rounding too.
            cycles = 2
            if not make_shortest(self._graph, shortest := along_answer.copy(), self._unit):
                return NOT_CONNECTED, -1, source, -1
        deviation = shortest.deviation(distances)
        above = cycles * shortest.allowance(self._unit, roundings)
        below = np.maximum(above, cycles * along_answer.allowance(self._unit, roundings))
        wrong = np.flatnonzero(~((deviation <= above) & (deviation >= -below)))
        return (NOT_CONNECTED, -1, int(wrong[0]), -1) if len(wrong) else (PROVED, -1, -1, -1)

    def follow_tight_arcs(self, source: int, distances: NDArray[Any]) -> None:
        """Set `reached` and `arcs` by following arcs that are tight up to one rounding, among finite vertices."""
        self.arcs[:] = 0
        _follow_tight_arcs(
            *self._arrays, source, distances, self._infinity, 4 * self._unit, self._queue, self.reached, self.arcs
        )


@njit(cache=True, nogil=True)
def _follow_tight_arcs(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[Any],
    source: int,
    distances: NDArray[Any],
    infinity: Any,
    tolerance: float,
    queue: NDArray[np.int32],
    reached: NDArray[np.bool_],
    arcs: NDArray[np.int32],
) -> None:
    """Mark in ``reached`` what tight arcs lead to, whatever else the arcs offer. ``tolerance`` is relative."""
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


@njit(cache=True, nogil=True)
def _first_failure(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[Any],
    source: int,
    distances: NDArray[Any],
    infinity: Any,
    queue: NDArray[np.int32],
    reached: NDArray[np.bool_],
) -> tuple[int, int, int, int]:
    """Search the tight arcs breadth first; sums are rounded to the distances' type."""
    if distances[source] != 0:
        return SOURCE_NOT_ZERO, source, source, -1
    n = indptr.shape[0] - 1
    for v in range(n):
        if not distances[v] >= -infinity:  # no path is so short; nor would its sums be safe from wrapping. Catches NaN
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
                return NOT_RELAXED, u, v, arc  # the second: an integer sum may be infinity, which says unreachable
            if not reached[v] and distances[v] == offered:
                reached[v] = True
                queue[queued] = v
                queued += 1
    for v in range(n):
        if not reached[v] and distances[v] < infinity:
            return NOT_CONNECTED, -1, v, -1
    return PROVED, -1, -1, -1


@njit(cache=True, nogil=True)
def _first_rounded_failure(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[Any],
    source: int,
    distances: NDArray[Any],
    unit: float,
    queue: NDArray[np.int32],
    reached: NDArray[np.bool_],
    high: NDArray[np.float64],
    low: NDArray[np.float64],
    arcs: NDArray[np.int32],
    magnitude: NDArray[np.float64],
) -> tuple[int, int, int, int]:
    """Search arcs that are tight but for the roundings made along both paths; sum the tree found, exactly."""
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
