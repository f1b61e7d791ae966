"""Compound-frontier Dijkstra on one core, relaxing the successors of the frontier (FCPU).

Idea
    All unresolved vertices that share the least distance form the frontier. Each
    iteration relaxes the arcs that leave it, finds the next least distance by a scan,
    and marks the vertices that have it.

Why it is correct
    All unresolved vertices at the least distance can be settled together: with
    non-negative weights none can improve another. The unresolved vertices at the next
    least distance form the next frontier, so settled vertices never return.

Parameters
    ``layout``: compressed rows or adjacency matrix.

Source
    Martín 2009, section 3, Figs. 2–4 (FCPU); section 5 for the matrix. The paper's
    update also admits settled vertices, which would relax arcs of weight zero again.
"""

from __future__ import annotations

from solvers.algorithms.dijkstra.frontier_host import (
    relax_matrix_rows,
    relax_successors,
    solve_on_host,
    vertex_bytes,
)
from solvers.algorithms.dijkstra.layouts import LAYOUT, matrix_bytes
from solvers.algorithms.dijkstra.settling import serial_variant
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import FRONTIER_DIJKSTRA
from solvers.core.variant import Citation

_ID = "da2cf-f-cpu"


@serial_variant(
    id=_ID,
    title="compound frontier F, CPU",
    short_title="frontier F, CPU",
    pseudocode=FRONTIER_DIJKSTRA,
    papers=(Citation("Martín 2009", "section 3, Figs. 2–4 (FCPU); section 5 for the matrix"),),
    parameters=(LAYOUT,),
    idea=(
        "Dijkstra's algorithm settles one vertex at a time. All vertices at the same least "
        "distance may be settled together: none can improve another. They form the compound "
        "frontier. F relaxes the arcs that leave frontier vertices, then scans for the next least "
        "distance, then marks the vertices that have it."
    ),
    watch=(
        "Each step is a ring of vertices at exactly the same distance. With few different weights "
        "the rings are large and few; on a road network nearly every ring is a single vertex."
    ),
    cost="k iterations of O(n), one per distinct distance (k ≤ n), "
    "and O(m) relaxations in all; matrix: O(n²) for them",
    caveat=(
        "The paper's update step makes every vertex at the least distance the frontier, "
        "settled ones too; with arcs of weight zero those would be relaxed again. "
        "Here only unresolved vertices enter it."
    ),
    memory=vertex_bytes,
    layout_memory=matrix_bytes,
)
def solve(problem: Problem) -> Solution:
    return solve_on_host(problem, _ID, relax_successors, relax_matrix_rows)
