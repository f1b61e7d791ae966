"""Dijkstra's algorithm with an indexed d-ary heap on one core.

Idea
    Unsettled vertices that have been reached wait in a heap with the nearest at its
    root. A vertex is in the heap once, and `position` holds its index; a shorter path
    moves it up instead of adding it again. Keys are stored beside the vertices, so that
    sifting reads no distances, and sifting is inlined. The run is cut into batches,
    between which it can be cancelled.

Why it is correct
    The least key belongs to a vertex that no other can still improve, weights being
    non-negative; so it is settled, and its arcs are relaxed once.

Parameters
    ``arity``: children of a heap node; a larger one gives fewer levels, and the
    children share cache lines.

Source
    Bodra 2025, "Background: Dijkstra algorithm".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solvers.algorithms.dijkstra.settling import report_settled, serial_variant
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.pseudocode import DIJKSTRA
from solvers.core.variant import Citation
from solvers.graphs.graph import Graph
from solvers.parameters import Parameter
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.dary_heap import Heap, heap_of_one, offer, pop
from solvers.system.jit import njit

# Vertices settled between two cancellation checks: 10-20 ms on large graphs.
_BATCH = 65_536


class SettledLog(NamedTuple):
    """Log of the settled vertices; arrays of length 0 in unwatched runs."""

    vertices: Int32s
    improved: Int64s


def _working_bytes(graph: Graph) -> int:
    """Distances, and the heap's three arrays."""
    return graph.n * (2 * graph.weights.dtype.itemsize + 8)


@serial_variant(
    id="dijkstra-heap",
    title="heap",
    pseudocode=DIJKSTRA,
    papers=(Citation("Bodra 2025", "Background: Dijkstra algorithm"),),
    idea=(
        "Reached, unsettled vertices wait in a heap with the nearest at its root. Take the "
        "nearest: no other path to it can be shorter, so it is settled. Relax its arcs, move up "
        "the vertices whose distance fell, and repeat. Every arc is relaxed exactly once, at the "
        "price of a sequential order."
    ),
    parameters=(
        Parameter(
            "arity",
            4,
            "children of a heap node (2: the textbook's binary heap; 4: for caches)",
            choices=(2, 4, 8),
        ),
    ),
    watch=(
        "One vertex per step, in order of distance: "
        "the settled region grows outwards from the source, and no vertex is active twice. "
        "Bellman-Ford advances in the same way but crosses vertices again and again."
    ),
    cost="O((n + m) log n) time on one core, O(n) memory; n dependent steps, so no parallelism.",
    caveat=(
        "The baseline for every parallel variant: a GPU is worthwhile only where it is "
        "faster than this on one core."
    ),
    memory=_working_bytes,
)
def solve(problem: Problem) -> Solution:
    """Settle vertices in the order of their distance; raises UnsuitableGraph,
    ParameterError, Cancelled.
    """
    graph, progress, recorder = problem.graph, problem.progress, problem.recorder
    source = problem.given_source
    phases = Phases()
    with phases.measure("prepare"):
        kind = problem.distance_type
        distances = problem.start_distances(source)
        arcs = (graph.indptr, graph.indices, problem.weights())
        heap = heap_of_one(graph.n, kind.dtype, source)
        log = _log(0 if recorder is None else _BATCH)
    batch = 1 if recorder is not None and recorder.wants_distances else _BATCH
    size, settled, relaxed = 1, 0, 0
    while size:
        progress.checkpoint(settled, graph.n)
        begun = phases.solve
        with phases.measure("solve"):
            size, count, scanned = settle(
                *arcs, distances, heap, size, batch, problem.parameters["arity"], log
            )
        settled += count
        relaxed += scanned
        if recorder is not None:
            settled_now = log.vertices[:count], log.improved[:count]
            report_settled(recorder, graph, *settled_now, distances, phases.solve - begun)
    return Solution(distances, settled, phases, relaxed)


def _log(length: int) -> SettledLog:
    return SettledLog(np.empty(length, np.int32), np.empty(length, np.int64))


def no_log() -> SettledLog:
    """The log of an unwatched run."""
    return _log(0)


@njit
def settle(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    distances: AnyArray,
    heap: Heap,
    size: int,
    budget: int,
    arity: int,
    log: SettledLog,
) -> tuple[int, int, int]:
    """Settle up to ``budget`` vertices; returns the heap's size and the counts of
    settled vertices and relaxed arcs.
    """
    keys, vertices, position = heap
    settled = 0
    relaxed = 0
    while size > 0 and settled < budget:
        u = vertices[0]
        distance = keys[0]
        size = pop(keys, vertices, position, size, arity)
        improved = 0
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            through = distance + weights[arc]
            if through < distances[v]:
                distances[v] = through
                improved += 1
                size = offer(keys, vertices, position, size, through, v, arity)
        if log.vertices.shape[0] > 0:
            log.vertices[settled] = u
            log.improved[settled] = improved
        settled += 1
        relaxed += indptr[u + 1] - indptr[u]
    return size, settled, relaxed
