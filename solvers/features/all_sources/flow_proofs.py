"""Proofs of flows by what they must add up to: the length of all paths, and a balance at
every vertex.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solvers.core.result import Verdict
from solvers.features.all_sources.flows.path_flows import FlowTotals
from solvers.features.all_sources.flows.whole_weights import WholeWeights
from solvers.graphs.graph import Graph
from solvers.system.array_types import Float64s

TOLERANCE = 1e-9  # relative: sums of many flows are rounded


class LengthClaim(NamedTuple):
    """That flow times weight is something else, which was computed in another way."""

    name: str
    length: float
    expected: float
    allowed: float  # difference


def length_claim(whole: WholeWeights, arcs: Float64s, totals: FlowTotals) -> LengthClaim:
    """In whole units: up to one for each arc of a path where weights are rounded to them."""
    length = float((arcs * whole.graph.weights).sum())
    rounding = 0.0 if whole.wide is None else float(arcs.sum())
    allowed = TOLERANCE * totals.length + rounding
    return LengthClaim("the length of all paths", length, totals.length, allowed)


def fault_of_flows(
    graph: Graph, arcs: Float64s, whole: FlowTotals, claims: list[LengthClaim]
) -> Verdict | None:
    """What is wrong with flows: their lengths, balances, or signs."""
    for claim in claims:
        if not abs(claim.length - claim.expected) <= claim.allowed:
            return Verdict(
                False,
                1,
                f"Flow times weight is {claim.length:.17g} in all, but {claim.name} is "
                f"{claim.expected:.17g}.",
            )
    into, out = np.bincount(graph.indices, arcs, graph.n), np.bincount(graph.tails, arcs, graph.n)
    gap = np.abs((out - into) - (whole.starts - whole.ends))
    wrong = np.flatnonzero(~(gap <= TOLERANCE * (into + out + whole.starts)))
    if not len(wrong) and (arcs >= 0).all():
        return None
    vertex = (
        graph.vertex_id(int(wrong[0]))
        if len(wrong)
        else graph.vertex_id(int(graph.tails[arcs.argmin()]))
    )
    return Verdict(False, max(1, len(wrong)), f"Flows at vertex {vertex} do not balance.")


def passing(graph: Graph, arcs: Float64s, totals: FlowTotals) -> Float64s:
    """Betweenness of the vertices: what flows in, less what ends there; both directions
    of a pair count once.
    """
    passing = np.bincount(graph.indices, arcs, graph.n) - totals.ends
    rounding = TOLERANCE * totals.ends
    return np.where(np.abs(passing) <= rounding, 0.0, passing) * (1.0 if graph.directed else 0.5)
