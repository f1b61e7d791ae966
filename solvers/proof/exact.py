"""Exact path lengths for floating-point graphs, with which rounded distances are compared.

A length is kept as an unevaluated sum of two float64 numbers, ``high + low``. Adding a weight is error free but for
the last bits of ``low`` (Knuth's TwoSum), so a sum of n weights is known to some 100 bits.

A rounded distance of a path of k arcs may differ from the exact length by k roundings of the sum of the arcs'
magnitudes: |d - D| <= k * u * (|w1| + ... + |wk|), u being half a unit in the last place (Higham, Accuracy and
Stability of Numerical Algorithms, section 4.2). That holds for any order of additions, and it is all that is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Graph
from solvers.host.jit import njit

# An improvement less than this share of the magnitudes is rounding of the low parts: a cycle of weight zero in exact
# arithmetic would otherwise improve without end.
_MARGIN = 2.0**-90


@dataclass(frozen=True, eq=False)
class ExactLengths:
    """Exact lengths of a tree of paths from one source.

    Attributes
    ----------
    high, low : (n,) float64
        The length is their sum; ``high`` is infinite where there is no path.
    arcs : (n,) int32
        Arcs of the path.
    magnitude : (n,) float64
        Sum of the magnitudes of their weights.
    """

    high: NDArray[np.float64]
    low: NDArray[np.float64]
    arcs: NDArray[np.int32]
    magnitude: NDArray[np.float64]

    @classmethod
    def unreached(cls, n: int) -> ExactLengths:
        return cls(np.full(n, np.inf), np.zeros(n), np.zeros(n, np.int32), np.zeros(n))

    @property
    def arrays(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
        return self.high, self.low, self.arcs, self.magnitude

    def allowance(self, unit: float, roundings: int | None = None) -> NDArray[np.float64]:
        """Largest rounding error of each length, (n,).

        Parameters
        ----------
        unit : float
            Unit roundoff of the distances' type.
        roundings : int, optional
            One for each arc of the path where not given.
        """
        return (self.arcs if roundings is None else roundings) * self.magnitude * (unit * (1 + 2.0**-20))

    def copy(self) -> ExactLengths:
        return ExactLengths(self.high.copy(), self.low.copy(), self.arcs.copy(), self.magnitude.copy())

    def deviation(self, distances: NDArray[Any]) -> NDArray[np.float64]:
        """``distances`` minus the exact lengths, (n,) float64; 0 where both are infinite."""
        wide = distances.astype(np.float64)
        with np.errstate(invalid="ignore"):
            return np.where(wide == self.high, -self.low, wide - self.high - self.low)


def unit_roundoff(dtype: np.dtype[Any]) -> float:
    """Half a unit in the last place of 1: the largest relative error of one rounding."""
    return float(np.finfo(dtype).eps) / 2


def exact_lengths_along(graph: Graph, source: int, parents: NDArray[np.int32]) -> ExactLengths | None:
    """Exact shortest lengths, starting from a tree of nearly shortest paths.

    Parameters
    ----------
    graph : Graph
    source : int
    parents : (n,) int32
        Vertex before each on a path from ``source``; -1 for the source and for vertices it does not reach.

    Returns
    -------
    ExactLengths or None
        None where the tree is far from shortest, or a negative cycle makes that meaningless.
    """
    for margin in (_MARGIN, unit_roundoff(graph.weights.dtype)):  # the second: cycles that weigh zero but for rounding
        lengths = ExactLengths.unreached(graph.n)
        _sum_along_tree(graph.indptr, graph.indices, graph.weights, source, parents, *lengths.arrays)
        if make_shortest(graph, lengths, margin):
            return lengths
    return None


def make_shortest(graph: Graph, lengths: ExactLengths, margin: float = _MARGIN) -> bool:
    """Relax arcs in exact arithmetic until no path is shorter; False if that takes unreasonably long.

    The lengths are those of real paths before and after, so when no arc improves any of them they are shortest.

    Parameters
    ----------
    graph : Graph
    lengths : ExactLengths
        Of real paths; changed in place.
    margin : float
        Improvements below this share of the magnitudes are left alone.
    """
    return bool(_relax_until_shortest(graph.indptr, graph.indices, graph.weights, *lengths.arrays, margin))


@njit(cache=True, nogil=True, inline="always")
def plus(high: float, low: float, weight: float) -> tuple[float, float]:
    """``high + low + weight`` as another pair."""
    total = high + weight
    part = total - high
    low = low + ((high - (total - part)) + (weight - part))
    result = total + low
    return result, low - (result - total)


@njit(cache=True, nogil=True)
def _sum_along_tree(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[Any],
    source: int,
    parents: NDArray[np.int32],
    high: NDArray[np.float64],
    low: NDArray[np.float64],
    arcs: NDArray[np.int32],
    magnitude: NDArray[np.float64],
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


@njit(cache=True, nogil=True)
def _relax_until_shortest(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[Any],
    high: NDArray[np.float64],
    low: NDArray[np.float64],
    arcs: NDArray[np.int32],
    magnitude: NDArray[np.float64],
    margin: float,
) -> bool:
    """Label-correcting relaxation, first in, first out; False past ``8 n`` improvements more than there are arcs."""
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
