"""Dijkstra's algorithm with a Fibonacci heap.

Idea
    A decreased key only cuts the vertex out of its tree; extracting the minimum joins trees of equal rank. Vertices
    that lost two children are cut as well, which bounds the ranks.

Why it is correct
    The heap returns the unsettled vertex of least distance, which is final with non-negative weights. A tree of
    rank r holds a number of vertices exponential in r, because a vertex loses at most one child before it is cut
    itself; hence the amortised bounds.

Parameters
    None.

Source
    Martín 2009, sections 1 and 6 (FH). The paper uses SPLIB of 1996; this is an original implementation in arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.dijkstra.fibonacci_heap import COUNT, FibonacciHeap, decrease, empty_heap, extract, insert
from solvers.algorithms.dijkstra.settling import NO_VERTEX, settle_one_by_one
from solvers.algorithms.requirements import require_nonnegative, required_source
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.pseudocode import DIJKSTRA
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.graphs.graph import Graph
from solvers.system.jit import njit

_ID = "dijkstra-fibonacci"

# Settling a vertex: an extraction that walks the roots, and links all over memory.
_STEPS_PER_VERTEX = 1000


def _memory(graph: Graph) -> int:
    return graph.n * (graph.distance_type.dtype.itemsize + 6 * 4 + 1)


@variant(
    id=_ID,
    title="Fibonacci heap",
    algorithm=Algorithm.DIJKSTRA,
    answers=Answers.SSSP,
    runs_on=RunsOn.SERIAL,
    mapping=WorkMapping.CORE_BY_VERTEX,
    pseudocode=DIJKSTRA,
    papers=(Citation("Martín 2009", "sections 1 and 6 (FH)"),),
    needs_nonnegative=True,
    idea=(
        "A heap that defers its work: a decreased key only cuts a vertex out of its tree, and extracting the minimum "
        "joins trees of equal rank. Vertices that lost two children are cut as well, which bounds the ranks. In "
        "theory no comparison-based Dijkstra is faster; in practice its links are scattered over memory and a plain "
        "heap is often faster. Compare the two."
    ),
    watch="One vertex settles per step, in order of distance, as with any other queue.",
    cost="O(m + n log n), amortised: decrease O(1), extract O(log n)",
    caveat=(
        "The paper uses the SPLIB library of 1996; this is an original implementation, in arrays instead of pointers. "
        "Vertices enter the heap when first reached, not all at the start."
    ),
    memory=_memory,
)
def solve(problem: Problem) -> Solution:
    require_nonnegative(problem.graph, _ID)
    source = required_source(problem, _ID)
    graph, kind, phases = problem.graph, problem.distance_type, Phases()
    with phases.measure("prepare"):
        distances = problem.start_distances(source)
        predecessors = np.full(graph.n, NO_VERTEX, dtype=np.int32)
        heap = empty_heap(distances)
        insert(heap, source)
        infinity, weights = kind.dtype.type(kind.infinity), problem.weights()

    def advance(order: NDArray[np.int32], improved: NDArray[np.int32]) -> int:
        return _settle(graph.indptr, graph.indices, weights, heap, predecessors, infinity, order, improved)

    return settle_one_by_one(problem, distances, predecessors, phases, advance, _STEPS_PER_VERTEX + graph.m / graph.n)


@njit(cache=True, nogil=True)
def _settle(
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    weights: NDArray[Any],
    heap: FibonacciHeap,
    predecessors: NDArray[np.int32],
    infinity: Any,
    order: NDArray[np.int32],
    improved: NDArray[np.int32],
) -> int:
    """Settle up to ``len(order)`` vertices; see `settling.Advance`. The heap's keys are the distances."""
    distances = heap.keys
    for count in range(order.shape[0]):
        if heap.head[COUNT] == 0:
            return count
        u = extract(heap)
        order[count] = u
        improved[count] = 0
        last_improved = -1
        for arc in range(indptr[u], indptr[u + 1]):
            v = heads[arc]
            through = distances[u] + weights[arc]
            if through >= distances[v]:
                continue
            if distances[v] == infinity:
                distances[v] = through
                insert(heap, v)
            else:
                decrease(heap, v, through)
            predecessors[v] = u
            if v != last_improved:  # parallel arcs lie side by side
                improved[count] += 1
                last_improved = v
    return order.shape[0]
