"""Compound-frontier Dijkstra on one core, relaxing unresolved vertices from their
predecessors (UCPU).

Idea
    As ``f_cpu``, but every unresolved vertex looks for frontier vertices among the
    tails of its incoming arcs. A vertex writes only its own distance, so the loop could
    run in parallel without atomics.

Why it is correct
    All unresolved vertices at the least distance can be settled together: with
    non-negative weights none can improve another. The unresolved vertices at the next
    least distance form the next frontier, so settled vertices never return. An
    unresolved vertex that has a frontier vertex as a predecessor sees it, so the same
    arcs are relaxed as in ``f_cpu``.

Parameters
    ``layout``: compressed rows of the reverse graph, or the transposed matrix.

Source
    Martín 2009, section 3, Figs. 2–4 (UCPU); section 5 for the matrix.
"""

from __future__ import annotations

from solvers.algorithms.dijkstra.frontier_host import (
    relax_matrix_columns,
    relax_predecessors,
    solve_on_host,
    vertex_bytes,
)
from solvers.algorithms.dijkstra.layouts import LAYOUT, matrix_bytes
from solvers.algorithms.dijkstra.settling import serial_variant
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import UNRESOLVED_DIJKSTRA
from solvers.core.variant import Citation
from solvers.graphs.graph import Graph

_ID = "da2cf-u-cpu"


def _memory(graph: Graph) -> int:
    """The vertices' state, and the reverse graph."""
    return vertex_bytes(graph) + (graph.n + 1) * 8 + graph.m * (4 + graph.weights.dtype.itemsize)


@serial_variant(
    id=_ID,
    title="compound frontier U, CPU",
    short_title="frontier U, CPU",
    pseudocode=UNRESOLVED_DIJKSTRA,
    papers=(Citation("Martín 2009", "section 3, Figs. 2–4 (UCPU); section 5 for the matrix"),),
    parameters=(LAYOUT,),
    idea=(
        "The compound frontier as in F, relaxed from the other end: every unresolved vertex looks "
        "for frontier vertices among the tails of its incoming arcs. Each vertex writes only its "
        "own distance, so the same loop needs no atomics in parallel; but arcs into unresolved "
        "vertices are read in every iteration."
    ),
    watch=(
        "The rings are those of F, in the same order; only the time differs. It is longest at the "
        "start, when nearly every vertex is unresolved."
    ),
    cost="k iterations (one per distinct distance, k ≤ n) that read every arc into "
    "an unresolved vertex: O(k m)",
    caveat=(
        "Needs the reverse graph; making it counts as preparation, once per graph. "
        "Only unresolved vertices enter the frontier (the paper's update also admits settled ones, "
        "which would matter with arcs of weight zero). The matrix is stored transposed, "
        "so that the CPU reads it in order."
    ),
    memory=_memory,
    layout_memory=matrix_bytes,
)
def solve(problem: Problem) -> Solution:
    return solve_on_host(problem, _ID, relax_predecessors, relax_matrix_columns, predecessors=True)
