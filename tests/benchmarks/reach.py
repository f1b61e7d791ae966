"""What every relaxing algorithm must do at least on one question: arcs to relax, and hops that wait for one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.system.jit import njit

_SAMPLE = 64  # sources whose hops are counted, of all pairs
_SEED = 0


@dataclass(frozen=True)
class Reach:
    """Counts for one source, or summed over all.

    Attributes
    ----------
    vertices : int
        Reached.
    arcs : int
        That leave them: each must be relaxed once at least.
    hops : int
        Of all shortest paths to a vertex the fewest arcs, for the vertex that has most: a distance passes from vertex
        to vertex, so no order of relaxing can do with fewer dependent steps. Of all pairs: the sum over sources,
        estimated from 64 of them.
    """

    vertices: int
    arcs: int
    hops: int


def reach_of(graph: Graph, source: int, distances: NDArray[Any]) -> Reach:
    """The counts for one source."""
    lengths = to_float(distances)
    reached = np.isfinite(lengths)
    hops = fewest_steps(graph, source, distances, np.arange(graph.n, dtype=np.int32))
    return Reach(int(reached.sum()), int(graph.out_degrees[reached].sum()), hops)


def reach_of_all(graph: Graph, matrix: NDArray[Any]) -> Reach:
    """The counts for all pairs."""
    n, vertices, arcs = graph.n, 0, 0
    for first in range(0, n, 256):
        reached = np.isfinite(to_float(matrix[first : first + 256]))
        vertices += int(reached.sum())
        arcs += int((reached.sum(axis=0) * graph.out_degrees).sum())
    sample = np.random.default_rng(_SEED).choice(n, min(n, _SAMPLE), replace=False)
    apart = np.arange(n, dtype=np.int32)
    hops = [fewest_steps(graph, int(source), matrix[source], apart) for source in sample]
    return Reach(vertices, arcs, round(float(np.mean(hops)) * n))


def fewest_steps(graph: Graph, source: int, distances: NDArray[Any], part_of: NDArray[np.int32]) -> int:
    """Steps from part to part on the way to the vertex that needs most of them, by shortest paths with fewest.

    With every vertex a part of its own, these are hops.
    """
    lengths = to_float(distances)
    tolerance = 0.0 if np.issubdtype(distances.dtype, np.integer) else 1e-5
    return int(_fewest_steps(graph.indptr, graph.indices, graph.weights, lengths, source, part_of, tolerance))


@njit(cache=True, nogil=True)
def _fewest_steps(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[Any],
    lengths: NDArray[np.float64],
    source: int,
    part_of: NDArray[np.int32],
    tolerance: float,
) -> int:
    """Breadth first over tight arcs, where an arc inside a part takes no step."""
    n = len(lengths)
    steps = np.full(n, -1, np.int32)
    here, beyond = np.empty(n, np.int32), np.empty(n, np.int32)
    here[0], count, step, last = source, 1, 0, 0
    steps[source] = 0
    while count:
        at = waiting = 0
        while at < count:
            tail = here[at]
            at += 1
            last = step
            for arc in range(indptr[tail], indptr[tail + 1]):
                head = indices[arc]
                if 0 <= steps[head] <= step or lengths[tail] + weights[arc] > lengths[head] * (1 + tolerance):
                    continue
                if part_of[head] == part_of[tail]:
                    steps[head] = step
                    here[count] = head
                    count += 1
                elif steps[head] < 0:  # unless an arc inside a part turns out to reach it in this step
                    steps[head] = step + 1
                    beyond[waiting] = head
                    waiting += 1
        count, step = 0, step + 1
        for i in range(waiting):
            if steps[beyond[i]] == step:
                here[count] = beyond[i]
                count += 1
    return last
