"""Dijkstra's algorithm with a linear scan for the next vertex.

Idea
    Of all unsettled vertices take the one of least distance, found by scanning all of
    them; settle it, relax the arcs that leave it, and repeat.

Why it is correct
    With non-negative weights, no path through another unsettled vertex can be shorter
    than the least distance, so that distance is final. The scan ends where no unsettled
    vertex is reachable.

Parameters
    ``layout``: compressed rows or adjacency matrix.

Source
    Martín 2009, Fig. 1; Song 2025, Algorithm 1.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from solvers.algorithms.dijkstra.layouts import LAYOUT, MATRIX, host_matrix, matrix_bytes
from solvers.algorithms.dijkstra.nearest import nearest_unsettled
from solvers.algorithms.dijkstra.settling import (
    NO_VERTEX,
    Advance,
    serial_variant,
    settle_one_by_one,
)
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.pseudocode import DIJKSTRA
from solvers.core.variant import Citation
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Int32s, Int64s, UInt8s
from solvers.system.jit import njit

_ID = "dijkstra-array"


def _memory(graph: Graph) -> int:
    """A distance, a predecessor and a flag per vertex."""
    return graph.n * (graph.distance_type.dtype.itemsize + 5)


@serial_variant(
    id=_ID,
    title="array",
    pseudocode=DIJKSTRA,
    papers=(Citation("Martín 2009", "Fig. 1"), Citation("Song 2025", "Algorithm 1")),
    parameters=(LAYOUT,),
    idea=(
        "Take the unsettled vertex of least distance, found by scanning all vertices; settle it "
        "and relax the arcs that leave it. No queue: the simplest form of Dijkstra's algorithm, "
        "which the parallel versions start from."
    ),
    watch="One vertex settles per step, in order of distance: "
    "the settled region grows outwards from the source.",
    cost="O(n²) for the scans and O(m) relaxations; with the matrix O(n²) for both",
    caveat="The scan stops early where no unsettled vertex can be reached; "
    "the papers' loops continue to n.",
    memory=_memory,
    layout_memory=matrix_bytes,
)
def solve(problem: Problem) -> Solution:
    source = problem.given_source
    graph, phases = problem.graph, Phases()
    with phases.measure("prepare"):
        distances = problem.start_distances(source)
        predecessors = np.full(graph.n, NO_VERTEX, dtype=np.int32)
        settled = np.zeros(graph.n, dtype=np.uint8)
        advance = _advance(problem, distances, predecessors, settled)
    return settle_one_by_one(
        problem, distances, predecessors, phases, advance, graph.n + graph.m / graph.n
    )


def _advance(
    problem: Problem, distances: AnyArray, predecessors: Int32s, settled: UInt8s
) -> Advance:
    """How to settle a span of vertices in the chosen layout."""
    graph, kind = problem.graph, problem.distance_type
    infinity = kind.dtype.type(kind.infinity)
    arrays = (distances, predecessors, settled, infinity)
    if problem.parameters["layout"] == MATRIX:
        return partial(
            settle_by_scan_matrix, host_matrix(graph, kind, _ID, problem.progress), *arrays
        )
    return partial(settle_by_scan, graph.indptr, graph.indices, problem.weights(), *arrays)


@njit
def settle_by_scan(
    indptr: Int64s,
    heads: Int32s,
    weights: AnyArray,
    distances: AnyArray,
    predecessors: Int32s,
    settled: UInt8s,
    infinity: Any,
    order: Int32s,
    improved: Int32s,
) -> int:
    """Settle up to ``len(order)`` vertices; see `settling.Advance`."""
    for count in range(order.shape[0]):
        u = nearest_unsettled(distances, settled, infinity)
        if u < 0:
            return count
        settled[u] = 1
        order[count] = u
        improved[count] = 0
        last_improved = -1
        for arc in range(indptr[u], indptr[u + 1]):
            v = heads[arc]
            through = distances[u] + weights[arc]
            if settled[v] == 0 and through < distances[v]:
                distances[v] = through
                predecessors[v] = u
                if v != last_improved:  # parallel arcs lie side by side
                    improved[count] += 1
                    last_improved = v
    return order.shape[0]


@njit
def settle_by_scan_matrix(
    matrix: AnyArray,
    distances: AnyArray,
    predecessors: Int32s,
    settled: UInt8s,
    infinity: Any,
    order: Int32s,
    improved: Int32s,
) -> int:
    """As `settle_by_scan`, over the rows of an adjacency matrix."""
    for count in range(order.shape[0]):
        u = nearest_unsettled(distances, settled, infinity)
        if u < 0:
            return count
        settled[u] = 1
        order[count] = u
        improved[count] = 0
        for v in range(matrix.shape[1]):
            through = distances[u] + matrix[u, v]
            if settled[v] == 0 and through < distances[v]:
                distances[v] = through
                predecessors[v] = u
                improved[count] += 1
    return order.shape[0]
