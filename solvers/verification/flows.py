"""Verification of flows of shortest paths: by what they must add up to, which is the length of
all paths and a balance at every vertex, and by those of another program.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from solvers.core.result import Verdict
from solvers.graphs.graph import Graph
from solvers.system.array_types import Float64s, Int32s
from solvers.text import plural

TOLERANCE = 1e-9  # relative: sums of many flows are rounded
_ROUNDING = 16 * float(np.finfo(np.float64).eps)  # of the greatest of them


class LengthClaim(NamedTuple):
    """That flow times weight is something else, which was computed in another way."""

    name: str
    length: float
    expected: float
    allowed: float  # difference


def verify_flows(
    graph: Graph,
    arcs: Float64s,
    balance: Float64s,
    starts: Float64s,
    lengths: Iterable[LengthClaim],
) -> Verdict:
    """Verify lengths, balances and signs of flows of arcs, (m,).

    ``starts`` is what starts at each vertex, (n,), and ``balance`` the same less what ends
    there.
    """
    for claim in lengths:
        if not abs(claim.length - claim.expected) <= claim.allowed:
            return Verdict(
                False,
                1,
                f"Flow times weight is {claim.length:.17g} in all, but {claim.name} is "
                f"{claim.expected:.17g}.",
            )
    into, out = np.bincount(graph.indices, arcs, graph.n), np.bincount(graph.tails, arcs, graph.n)
    gap = np.abs((out - into) - balance)
    wrong = np.flatnonzero(~(gap <= TOLERANCE * (into + out + starts)))
    if not len(wrong) and (arcs >= 0).all():
        return Verdict(True, 0, "Lengths and balances of flows proved.")
    vertex = (
        graph.vertex_id(int(wrong[0]))
        if len(wrong)
        else graph.vertex_id(int(graph.tails[arcs.argmin()]))
    )
    return Verdict(False, max(1, len(wrong)), f"Flows at vertex {vertex} do not balance.")


def verify_same_flows(graph: Graph, sources: Int32s, claimed: Float64s, found: Float64s) -> Verdict:
    """Verify flows of arcs from some sources, (m,), by those that another program found."""
    # of each arc: of millions of vertices the greatest flow times this is a path
    allowed = TOLERANCE * found + _ROUNDING * float(found.max(initial=0.0))
    wrong = np.flatnonzero(~(np.abs(claimed - found) <= allowed))
    if not len(wrong):
        return Verdict(True, 0, f"Flows of {plural(len(sources), 'source')} recomputed.")
    arc, one = int(wrong[0]), len(sources) == 1
    tail, head = graph.vertex_id(int(graph.tails[arc])), graph.vertex_id(int(graph.indices[arc]))
    start = graph.vertex_id(int(sources[0])) if one else plural(len(sources), "source")
    words = (
        f"From {start}, the flow of {tail} → {head} is {claimed[arc]:.17g}, not {found[arc]:.17g}."
    )
    return Verdict(False, len(wrong), words, tuple(sources.tolist()))
