"""Search for a negative cycle after a run has detected one, and its verification.

Every vertex that the source reaches starts again from distance 0, as if each were a
source; then arcs are relaxed with the parent of each vertex recorded, until the parents
close a cycle. If they close none within n passes, the graph has no negative cycle:
while parents form a forest, every distance is that of a simple path, which has at most
n - 1 arcs. For the same reason sums stay within twice the bound on path lengths, and
cannot overflow. Vertices that the source does not reach are left out: a cycle among
them affects no shortest path.
"""

from __future__ import annotations

import math

import numpy as np

from solvers.algorithms.arcs import vertex_ranges
from solvers.core.problem import Problem
from solvers.errors import NegativeCycle
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Bools, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit


def raise_if_negative_cycle(problem: Problem, distances: AnyArray, iterations: int) -> None:
    """Find the cycle that is reachable from the source and raise NegativeCycle.

    Returns only if no cycle is found after all: with floating-point weights a cycle of
    length 0 can look negative through rounding. Of ``distances``, (n,), only which
    vertices are reached is used; ``iterations`` are the passes made until the cycle
    showed. Raises Cancelled, too.
    """
    reached = distances < problem.distance_type.infinity
    vertices = find_negative_cycle(problem.graph, reached, problem.progress)
    if vertices:
        raise negative_cycle_error(problem.graph, vertices, iterations)


def find_negative_cycle(
    graph: Graph, reached: Bools, progress: Progress = SILENT
) -> tuple[int, ...]:
    """The vertices of a negative cycle among those ``reached`` (n,), in order; empty if
    none; raises Cancelled.
    """
    potential = np.zeros(graph.n, dtype=np.int64 if graph.weight_type.is_integer else np.float64)
    weights = graph.weights_in(potential.dtype)
    parents = np.full(graph.n, -1, dtype=np.int32)
    ranges = vertex_ranges(graph.indptr)
    for _ in range(graph.n + 1):
        fell = False
        for first, last in ranges:
            fell |= _relax_rows(
                graph.indptr, graph.indices, weights, reached, potential, parents, first, last
            )
            progress.checkpoint()
        if not fell:
            return ()
        cycle = tuple(_cycle_among(parents).tolist())
        if cycle and cycle_weight(graph, cycle) < 0:
            return cycle
    return ()


def negative_cycle_error(
    graph: Graph, vertices: tuple[int, ...], iterations: int = 0
) -> NegativeCycle:
    """The error to raise for a negative cycle through ``vertices``, found after so many
    iterations.
    """
    return NegativeCycle(
        tuple(map(graph.vertex_id, vertices)), vertices, cycle_weight(graph, vertices), iterations
    )


def cycle_weight(graph: Graph, vertices: tuple[int, ...]) -> float:
    """Weight of the cycle through ``vertices`` by its lightest arcs, exactly rounded."""
    least = []
    for tail, head in zip(vertices, (*vertices[1:], vertices[0]), strict=True):
        row = graph.row(tail)
        least.append(graph.weights[row][graph.indices[row] == head].min().item())
    return float(sum(least)) if graph.weight_type.is_integer else math.fsum(least)


@njit
def _relax_rows(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    reached: Bools,
    potential: AnyArray,
    parents: Int32s,
    first: int,
    last: int,
) -> bool:
    fell = False
    for tail in range(first, last):
        if not reached[tail]:
            continue
        for arc in range(indptr[tail], indptr[tail + 1]):
            candidate = potential[tail] + weights[arc]
            if candidate < potential[indices[arc]]:
                potential[indices[arc]] = candidate
                parents[indices[arc]] = tail
                fell = True
    return fell


@njit
def _cycle_among(parents: Int32s) -> Int32s:
    """A cycle of the parent pointers, in the direction of the arcs; empty if they form a forest."""
    # 0: not yet visited, else the start of the walk that did, + 1
    walk_of = np.zeros(parents.shape[0], dtype=np.int32)
    for start in range(parents.shape[0]):
        v = start
        while v >= 0 and walk_of[v] == 0:
            walk_of[v] = start + 1
            v = parents[v]
        if v >= 0 and walk_of[v] == start + 1:
            cycle = [v]
            u = parents[v]
            while u != v:
                cycle.append(u)
                u = parents[u]
            return np.array(cycle[::-1], dtype=np.int32)
    return np.empty(0, dtype=np.int32)
