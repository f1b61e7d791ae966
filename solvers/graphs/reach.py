"""Reach: what lies within a budget of the source, with the points on roads where the budget ends."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Graph
from solvers.graphs.streets import NO_ARC, streets_of
from solvers.graphs.weights import weight_type
from solvers.host.jit import njit
from solvers.host.threads import ThreadTeam

_PART = 1 << 16  # streets per task


@dataclass(frozen=True, eq=False)
class Reach:
    """What lies within a budget.

    An arc ``(u, v)`` is covered from ``u``, as far as the budget goes; a street with arcs both ways also from ``v``.

    Attributes
    ----------
    budget : float
        In the unit of the distances.
    vertices : int
        Vertices whose distance is at most the budget.
    arcs : int
        Arcs that can be travelled to their heads within the budget.
    length : float
        Total length of the covered streets, each counted once and partly covered ones in part, in ``unit``.
    unit : str
        As `Streets.unit`.
    border_tails, border_heads : (k,) int32
        Arcs on which the budget ends, each from a vertex within it.
    border_shares : (k,) float64
        Covered share of these arcs, in 0..1; 0 where the budget ends at the tail.
    """

    budget: float
    vertices: int
    arcs: int
    length: float
    unit: str
    border_tails: NDArray[np.int32]
    border_heads: NDArray[np.int32]
    border_shares: NDArray[np.float64]


def reach_of(graph: Graph, distances: NDArray[np.float64], budget: float, team: ThreadTeam) -> Reach:
    """Compute the reach; O(n + m). Streets of a graph with changed roads are those of its base, some of them closed.

    Parameters
    ----------
    distances : (n,) float64
        From the source, inf where unreachable.
    budget : float
        In the unit of the distances.
    team : ThreadTeam
    """
    whole, weights = _with_closed(graph)
    infinity = float(weight_type(weights.dtype).infinity)
    streets = streets_of(whole, team)
    parts = [(first, min(len(streets), first + _PART)) for first in range(0, len(streets), _PART)]
    measured: list[Any] = [None] * len(parts)
    arrays = (streets.tails, streets.there, streets.back, streets.lengths, whole.indices, weights, distances)

    def measure(number: int, first: int, last: int) -> None:
        measured[number] = _measure(first, last, *arrays, budget, infinity)

    team.run(partial(measure, number, *part) for number, part in enumerate(parts))
    within = int(np.count_nonzero(distances <= budget))
    tails, heads, shares = (
        np.concatenate([part[2 + i] for part in measured] or [np.empty(0, kind)])
        for i, kind in enumerate((np.int32, np.int32, np.float64))
    )
    arcs, length = sum(part[0] for part in measured), float(sum(part[1] for part in measured))
    return Reach(budget, within, int(arcs), length, streets.unit, tails, heads, shares)


def _with_closed(graph: Graph) -> tuple[Graph, NDArray[Any]]:
    """A graph with all roads, and its weights, infinity for closed ones."""
    base = graph.base
    if base is None:
        return graph, graph.weights
    return base.graph, graph.derived("weights over the base", lambda: base.weights_of_all(graph.distance_type))


@njit(cache=True, nogil=True)
def _covered(distance: float, weight: float, budget: float) -> float:
    """Share of an arc that is covered from its tail, which is within the budget; 1 for an arc without length."""
    left = budget - distance
    return 1.0 if weight <= left else left / weight


@njit(cache=True, nogil=True)
def _measure(
    first: int,
    last: int,
    tails: NDArray[np.int32],
    there: NDArray[np.int64],
    back: NDArray[np.int64],
    lengths: NDArray[np.float64],
    indices: NDArray[np.int32],
    weights: NDArray[Any],
    distances: NDArray[np.float64],
    budget: float,
    infinity: float,
) -> tuple[int, float, NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Number of whole arcs, covered length and border of streets ``first`` to ``last - 1``."""
    arcs, length, count = 0, 0.0, 0
    border_tails = np.empty(2 * (last - first), np.int32)
    border_heads = np.empty(2 * (last - first), np.int32)
    border_shares = np.empty(2 * (last - first), np.float64)
    for s in range(first, last):
        u, v = tails[s], indices[there[s]]
        both = back[s] != NO_ARC and weights[back[s]] < infinity
        from_u = distances[u] <= budget and weights[there[s]] < infinity
        from_v = both and distances[v] <= budget
        if not (from_u or from_v):
            continue
        share_u = _covered(distances[u], weights[there[s]], budget) if from_u else 0.0
        share_v = _covered(distances[v], weights[back[s]], budget) if from_v else 0.0
        arcs += (from_u and share_u == 1.0) + (from_v and share_v == 1.0)
        if share_u + share_v >= 1.0:
            length += lengths[s]
            continue
        length += lengths[s] * (share_u + share_v)
        for inside, tail, head, share in ((from_u, u, v, share_u), (from_v, v, u, share_v)):
            if inside:
                border_tails[count], border_heads[count], border_shares[count] = tail, head, share
                count += 1
    return arcs, length, border_tails[:count].copy(), border_heads[:count].copy(), border_shares[:count].copy()
