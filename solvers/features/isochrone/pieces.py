"""The pieces of roads of isochrones of several budgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from solvers.graphs.graph import Graph
from solvers.graphs.isochrone import Isochrone, streets_of, with_all_roads
from solvers.system.array_types import Float64s, Int64s
from solvers.system.threads import ThreadTeam


@dataclass(frozen=True, eq=False)
class RoadPieces:
    """The parts of roads that lie within one of several budgets, and within no smaller one."""

    network: Graph  # with all roads
    arcs: Int64s  # (k,) of it
    begins: Float64s  # (k,) share of the arc at which each piece begins
    ends: Float64s
    bands: Int64s  # (k,) number of the budget
    lengths: Float64s  # (k,) in ``unit``
    unit: str  # as `Streets.unit`


def pieces_of(graph: Graph, isochrones: Sequence[Isochrone], team: ThreadTeam) -> RoadPieces:
    """The pieces of roads of isochrones ``for_pieces`` of ascending budgets, those of the least
    first.
    """
    network, _ = with_all_roads(graph)
    streets = streets_of(network, team)
    parts: list[tuple[Int64s, Float64s, Float64s, Int64s]] = []
    from_tail = from_head = np.zeros(len(streets))
    is_done = np.zeros(len(streets), np.bool_)
    for band, (ahead, behind) in enumerate(isochrone.shares.T for isochrone in isochrones):
        is_whole = ahead + behind >= 1.0
        for begins, ends, chosen in (
            (from_tail, 1.0 - from_head, is_whole),
            (from_tail, ahead, ~is_whole),
            (1.0 - behind, 1.0 - from_head, ~is_whole),
        ):
            found = np.flatnonzero(chosen & ~is_done & (ends > begins))
            of_band = np.full(len(found), band, np.int64)
            parts.append((found, begins[found], ends[found], of_band))
        from_tail, from_head, is_done = ahead, behind, is_whole
    own, begins, ends, bands = (np.concatenate(column) for column in zip(*parts, strict=True))
    lengths = streets.lengths[own] * (ends - begins)
    return RoadPieces(network, streets.there[own], begins, ends, bands, lengths, streets.unit)
