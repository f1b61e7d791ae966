"""Streets: the arcs of a graph with opposite arcs joined, so that each road counts once.

The k-th lightest arc from ``u`` to ``v`` and the k-th lightest from ``v`` to ``u`` are one street; an arc without such
a partner (a one-way road) and a self-loop are streets of their own. Parallel roads stay apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Graph
from solvers.graphs.readers.units import great_circle
from solvers.host.jit import njit
from solvers.host.threads import ThreadTeam, split_evenly
from solvers.text import METRES_PER_UNIT

NO_ARC = -1
_PARTS_PER_THREAD = 8  # degrees differ


@dataclass(frozen=True, eq=False)
class Streets:
    """The streets of a graph.

    Attributes
    ----------
    tails : (s,) int32
        Tail of each street's arc ``there``; the head of its arc ``back``.
    there : (s,) int64
        Index of one arc of each street, ascending.
    back : (s,) int64
        Index of the opposite arc, or `NO_ARC`.
    lengths : (s,) float64
        In ``unit``. The lengths of a road network that has them; else from the weights, before roads were slowed, if
        these are lengths, as the mean of both arcs; from
        the coordinates if they are geographic and the weights something else, such as travel times; from the weights
        otherwise.
    unit : str
        Unit of ``lengths``: "m", or the unit of the weights.
    """

    tails: NDArray[np.int32]
    there: NDArray[np.int64]
    back: NDArray[np.int64]
    lengths: NDArray[np.float64]
    unit: str

    def __len__(self) -> int:
        return len(self.there)


def streets_of(graph: Graph, team: ThreadTeam) -> Streets:
    """The streets of ``graph``; computed once and kept with it."""
    made: Streets = graph.derived("streets", lambda: _make(graph, team))
    return made


def _make(graph: Graph, team: ThreadTeam) -> Streets:
    partner = np.empty(graph.m, np.int64)
    arrays = graph.indptr, graph.indices, graph.weights, partner
    team.run(partial(_pair_arcs, *part, *arrays) for part in split_evenly(graph.n, _PARTS_PER_THREAD * team.threads))
    there = np.flatnonzero((partner == NO_ARC) | (np.arange(graph.m) < partner))
    tails, back = graph.tails[there], partner[there]
    lengths, unit = _lengths(graph, tails, there, back)
    return Streets(tails, there, back, lengths, unit)


def _lengths(
    graph: Graph, tails: NDArray[np.int32], there: NDArray[np.int64], back: NDArray[np.int64]
) -> tuple[NDArray[np.float64], str]:
    places = graph.coordinates
    if (metres := _metres_column(graph)) is not None:
        return metres[there].astype(np.float64) * METRES_PER_UNIT["dm"], "m"
    if graph.weight_unit not in METRES_PER_UNIT and places is not None and places.geographic:
        metres = great_circle(places.xy[tails], places.xy[graph.indices[there]])
        return np.nan_to_num(metres), "m"  # 0 for a street without a place
    weights = graph.weights if graph.base is None else graph.base.graph.weights[graph.base.arcs]
    own = weights[there].astype(np.float64)
    opposite = np.where(back == NO_ARC, own, weights[back].astype(np.float64))
    lengths = np.maximum(0.0, 0.5 * own + 0.5 * opposite)
    factor = METRES_PER_UNIT.get(graph.weight_unit)
    return (lengths, graph.weight_unit) if factor is None else (lengths * factor, "m")


def _metres_column(graph: Graph) -> NDArray[Any] | None:
    """Lengths that a road network carries beside its weights, in decimetres; None if it has none."""
    column = None if graph.roads is None else graph.roads.column_of_unit("dm")
    return None if column is None else column.values


@njit(cache=True, nogil=True)
def _pair_arcs(
    first: int,
    last: int,
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[Any],
    partner: NDArray[np.int64],
) -> None:
    """Write the partner of every arc that leaves vertices ``first`` to ``last - 1``."""
    for u in range(first, last):
        start = indptr[u]
        while start < indptr[u + 1]:
            v = indices[start]
            end = start + 1
            while end < indptr[u + 1] and indices[end] == v:
                end += 1
            begin = indptr[v] + np.searchsorted(indices[indptr[v] : indptr[v + 1]], u)
            stop = begin
            while stop < indptr[v + 1] and indices[stop] == u:
                stop += 1
            if u == v:
                partner[start:end] = NO_ARC
            elif end - start == 1 and stop - begin == 1:
                partner[start] = begin
            else:
                own, opposite = np.argsort(weights[start:end]), np.argsort(weights[begin:stop])
                for rank in range(end - start):
                    partner[start + own[rank]] = begin + opposite[rank] if rank < stop - begin else NO_ARC
            start = end
