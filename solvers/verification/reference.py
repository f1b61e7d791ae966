"""Reference single-source distances by frontier Bellman-Ford, for counting wrong
distances when a proof fails.

Written for simplicity rather than speed, in the widest type, and not used by any
solver. For floating-point graphs the sums are then made exact (`exact`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.graphs.graph import Graph
from solvers.graphs.weights import INT64, weight_type
from solvers.system.array_types import AnyArray, Bools, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.text import format_count, grouped
from solvers.verification.conditions import (
    ExactLengths,
    closes_cycle,
    exact_lengths_along,
    unit_roundoff,
)


@dataclass(frozen=True, eq=False)
class ExactReference:
    """Correct distances from one source."""

    # (n,) INT64's infinity, or inf, where unreachable. Rounded to float64 for floating-point graphs
    distances: AnyArray
    lengths: ExactLengths | None  # the same without rounding; None for integer graphs

    def reaches(self, vertex: int) -> bool:
        return bool(self.distances[vertex] < weight_type(self.distances.dtype).infinity)

    def text(self, vertex: int) -> str:
        return distance_text(self.distances[vertex])

    def differing(self, distances: AnyArray, arcs: Int32s | None = None) -> Bools:
        """Mask of the wrong distances, (n,).

        ``distances``, (n,) array. ``arcs``, (n,) int32: numbers of arcs of the paths
        that a floating-point answer took, by which it may have rounded down more often
        than along the exact shortest ones.
        """
        unreachable = distances >= weight_type(distances.dtype).infinity
        right_unreachable = self.distances >= weight_type(self.distances.dtype).infinity
        if self.lengths is None:
            different = distances != self.distances
        else:
            unit = unit_roundoff(distances.dtype)
            above = self.lengths.allowance(unit)
            below = (
                above if arcs is None else np.maximum(above, arcs * self.lengths.magnitude * unit)
            )
            deviation = self.lengths.deviation(distances)
            different = ~((deviation <= above) & (deviation >= -below))
        return np.where(
            unreachable | right_unreachable, unreachable != right_unreachable, different
        )


def distance_text(distance: Any) -> str:
    """A distance as text, with thousands separators; "unreachable" for infinity."""
    kind = weight_type(np.asarray(distance).dtype)
    if distance >= kind.infinity:
        return "unreachable"
    return format_count(int(distance)) if kind.is_integer else grouped(float(distance), ".9g")


def exact_reference(
    graph: Graph, source: int, progress: Progress = SILENT
) -> ExactReference | None:
    """Correct distances from ``source``; None if it reaches a negative cycle. Raises
    `Cancelled`.
    """
    found = _reference_tree(graph, source, progress)
    if found is None:
        return None
    distances, parents = found
    if graph.weight_type.is_integer:
        return ExactReference(distances, None)
    lengths = exact_lengths_along(graph, source, parents)
    return None if lengths is None else ExactReference(lengths.high + lengths.low, lengths)


def reference_distances(graph: Graph, source: int, progress: Progress = SILENT) -> AnyArray | None:
    """Distances, (n,), as of `ExactReference`, but rounded sums; None if ``source``
    reaches a negative cycle.
    """
    found = _reference_tree(graph, source, progress)
    return None if found is None else found[0]


def _reference_tree(
    graph: Graph, source: int, progress: Progress
) -> tuple[AnyArray, Int32s] | None:
    """Distances, and the predecessor of each vertex on its path."""
    integer = graph.weight_type.is_integer
    distances = np.full(
        graph.n, INT64.infinity if integer else np.inf, dtype=np.int64 if integer else np.float64
    )
    parents = np.full(graph.n, -1, dtype=np.int32)
    distances[source] = 0
    frontier = np.array([source], dtype=np.int32)
    # The parents close a cycle soon after a negative cycle is first gone round. Looking
    # after 1, 2, 4, 8 ... rounds finds it without waiting for n of them, at negligible
    # cost.
    rounds, next_check = 0, 1
    while len(frontier):
        progress.checkpoint()
        frontier = _relax_round(
            graph.indptr, graph.indices, graph.weights, frontier, distances, parents
        )
        rounds += 1
        if rounds == next_check:
            if parents[source] != -1 or closes_cycle(parents):
                return None
            next_check *= 2
    return distances, parents


@njit
def _relax_round(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    frontier: Int32s,
    distances: AnyArray,
    parents: Int32s,
) -> Int32s:
    """Relax the arcs that leave the frontier; returns the improved vertices, possibly
    with repeats.
    """
    fallen = []
    for u in frontier:
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            through = distances[u] + weights[arc]
            if through < distances[v]:
                distances[v] = through
                parents[v] = u
                fallen.append(v)
    return np.array(fallen, dtype=np.int32)
