"""Dijkstra adapted to compound frontiers (DA2CF) on the host: the three steps of an
iteration, and the loop.

All unresolved vertices that share the least distance are settled at once: they form the
*compound frontier*. An iteration relaxes with it, finds the least distance among the
unresolved vertices, and makes those that have it the next frontier. Relaxing has two
forms: F walks the arcs out of frontier vertices, U the arcs into unresolved ones.

The steps are plain loops over all vertices, as the paper's are; the hybrids call the
same ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from solvers.algorithms.arcs import settled_arcs
from solvers.algorithms.dijkstra.layouts import MATRIX, host_matrix
from solvers.core.problem import Phases, Problem, Solution
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Int32s, Int64s, UInt8s
from solvers.system.jit import njit

# Loop steps between two cancellation checks: some 30 ms.
_STEPS_PER_SLICE = 2**24


@dataclass(frozen=True, eq=False)
class FrontierState:
    """What DA2CF keeps per vertex."""

    distances: AnyArray  # (n,) of the distance type
    frontier: UInt8s  # (n,): 1 where the vertex was settled by the iteration before
    unresolved: UInt8s  # (n,): 1 until the vertex is settled

    @classmethod
    def at_start(cls, problem: Problem, source: int) -> FrontierState:
        """The state before the first iteration: the source is the frontier."""
        n = problem.graph.n
        state = cls(problem.start_distances(source), np.zeros(n, np.uint8), np.ones(n, np.uint8))
        state.frontier[source] = 1
        state.unresolved[source] = 0
        return state

    @property
    def arrays(self) -> tuple[AnyArray, UInt8s, UInt8s]:
        return self.distances, self.frontier, self.unresolved


def vertex_bytes(graph: Graph) -> int:
    """Bytes of what DA2CF keeps per vertex: a distance and two flags."""
    return graph.n * (graph.distance_type.dtype.itemsize + 2)


def solve_on_host(
    problem: Problem,
    variant_id: str,
    by_rows: Callable[..., None],
    by_matrix: Callable[..., None],
    *,
    predecessors: bool = False,
) -> Solution:
    """Iterate until no unresolved vertex can be reached; every step runs on the host.

    Relaxing is `relax_successors` or another such function of compressed rows, or one of the
    matrix, by the layout; of the reverse graph if that is along ``predecessors``. Raises
    UnsuitableGraph, OutOfMemory, Cancelled.
    """
    source, kind, phases = problem.given_source, problem.distance_type, Phases()
    with phases.measure("prepare"):
        state = FrontierState.at_start(problem, source)
        graph = problem.graph.reverse if predecessors else problem.graph
        n, progress = graph.n, problem.progress
        if problem.parameters["layout"] == MATRIX:
            matrix = host_matrix(graph, kind, variant_id, progress)
            relax, steps = partial(by_matrix, matrix), float(n)
        else:
            arcs = graph.indptr, graph.indices, graph.weights_in(kind.dtype)
            relax, steps = partial(by_rows, *arcs), 1 + graph.m / n
    infinity = kind.dtype.type(kind.infinity)
    slices = tuple(slices_of(n, steps))
    watch = FrontierWatch(problem, lambda: state.distances, lambda: state.frontier)
    iterations, least = 0, kind.dtype.type(0)
    with phases.measure("solve"):
        while least < infinity:
            watch.begin()
            for first, last in slices:
                progress.checkpoint()
                relax(*state.arrays, first, last)
            least = least_unresolved(state.distances, state.unresolved, infinity)
            promote(*state.arrays, least)
            watch.end()
            iterations += 1
    relaxations = settled_arcs(problem.graph, state.distances)
    return Solution(state.distances, iterations, phases, relaxations)


def slices_of(vertices: int, steps_per_vertex: float) -> Iterator[tuple[int, int]]:
    """Ranges of vertices whose relaxation takes some tens of milliseconds at most."""
    width = max(1, int(_STEPS_PER_SLICE / max(1.0, steps_per_vertex)))
    for first in range(0, vertices, width):
        yield first, min(vertices, first + width)


class FrontierWatch:
    """Reports every iteration of a watched run; does nothing in others.

    ``distances`` and ``frontier`` return the current (n,) arrays, fetched from the
    device if needed.
    """

    def __init__(
        self, problem: Problem, distances: Callable[[], AnyArray], frontier: Callable[[], AnyArray]
    ):
        self._recorder = problem.recorder
        self._out_degrees = problem.graph.out_degrees
        self._distances = distances
        self._frontier = frontier
        self._active = np.empty(0, dtype=np.int32)
        self._before = np.empty(0)
        self._started = 0.0

    def begin(self) -> None:
        """Record the frontier of an iteration, before its arcs are relaxed."""
        if self._recorder is not None:
            self._active = np.flatnonzero(self._frontier()).astype(np.int32)
            self._before = self._distances().copy()
            self._started = time.perf_counter()

    def end(self) -> None:
        """Report the iteration, once all its work is done or queued."""
        if self._recorder is not None:
            ms = (time.perf_counter() - self._started) * 1e3
            improved = int(np.count_nonzero(self._distances() != self._before))
            relaxed = int(self._out_degrees[self._active].sum())
            self._recorder.iteration(self._active, relaxed, improved, ms, self._distances())


@njit
def relax_successors(
    indptr: Int64s,
    heads: Int32s,
    weights: AnyArray,
    distances: AnyArray,
    frontier: UInt8s,
    unresolved: UInt8s,
    first: int,
    last: int,
) -> None:
    """F: for each frontier vertex in range, relax the arcs to unresolved successors."""
    for u in range(first, last):
        if frontier[u]:
            for arc in range(indptr[u], indptr[u + 1]):
                v = heads[arc]
                if unresolved[v]:
                    distances[v] = min(distances[v], distances[u] + weights[arc])


@njit
def relax_predecessors(
    indptr: Int64s,
    tails: Int32s,
    weights: AnyArray,
    distances: AnyArray,
    frontier: UInt8s,
    unresolved: UInt8s,
    first: int,
    last: int,
) -> None:
    """U: for each unresolved vertex in range, relax the arcs from frontier predecessors
    (rows of the reverse graph).
    """
    for v in range(first, last):
        if unresolved[v]:
            for arc in range(indptr[v], indptr[v + 1]):
                u = tails[arc]
                if frontier[u]:
                    distances[v] = min(distances[v], distances[u] + weights[arc])


@njit
def relax_matrix_rows(
    matrix: AnyArray,
    distances: AnyArray,
    frontier: UInt8s,
    unresolved: UInt8s,
    first: int,
    last: int,
) -> None:
    """F over the adjacency matrix: row u holds the arcs that leave u."""
    for u in range(first, last):
        if frontier[u]:
            for v in range(matrix.shape[1]):
                if unresolved[v]:
                    distances[v] = min(distances[v], distances[u] + matrix[u, v])


@njit
def relax_matrix_columns(
    transposed: AnyArray,
    distances: AnyArray,
    frontier: UInt8s,
    unresolved: UInt8s,
    first: int,
    last: int,
) -> None:
    """U over the matrix of the reverse graph: its row v, the column v of the matrix,
    holds the arcs into v.
    """
    for v in range(first, last):
        if unresolved[v]:
            for u in range(transposed.shape[1]):
                if frontier[u]:
                    distances[v] = min(distances[v], distances[u] + transposed[v, u])


@njit
def least_unresolved(distances: AnyArray, unresolved: UInt8s, infinity: Any) -> Any:
    """The least distance of an unresolved vertex; infinity if none is left or reachable."""
    least = infinity
    for v in range(distances.shape[0]):
        if unresolved[v] and distances[v] < least:
            least = distances[v]
    return least


@njit
def promote(distances: AnyArray, frontier: UInt8s, unresolved: UInt8s, least: Any) -> None:
    """Make the unresolved vertices at distance ``least`` the frontier, and settle them."""
    for v in range(distances.shape[0]):
        settles = unresolved[v] != 0 and distances[v] == least
        frontier[v] = settles
        if settles:
            unresolved[v] = 0
