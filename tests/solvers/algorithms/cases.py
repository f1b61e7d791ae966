"""Graphs and helpers of the Bellman-Ford tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.core.problem import Problem, Recorder, Solution
from solvers.core.variant import RunsOn, Variant, find_variant
from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.system.cancel import SILENT, Progress

ON_HOST = ("bf-python", "bf-serial")
TWO_ARRAYS = ("bf-vertex", "bf-strided", "bf-strided-flag")
IN_PLACE = ("bf-edge", "bf-edge-flags", "bf-edge-flags-shared")
FLAGGED = ("bf-strided-flag", "bf-edge-flags", "bf-edge-flags-shared")
ALL = ON_HOST + TWO_ARRAYS + IN_PLACE


def graph_of(n: int, *arcs: tuple[int, int, float], dtype: Any = np.int32) -> Graph:
    """A graph of (tail, head, weight) triples."""
    columns = np.array(arcs, dtype=np.float64).reshape(-1, 3)
    return Graph.from_arcs(n, columns[:, 0], columns[:, 1], columns[:, 2].astype(dtype))


def random_graph(n: int, m: int, seed: int, *, negative: bool = False, dtype: Any = np.int32) -> Graph:
    """Random arcs, self-loops and parallel arcs included; with ``negative`` some weights are, but no cycle is."""
    random = np.random.default_rng(seed)
    tails, heads = random.integers(0, n, m), random.integers(0, n, m)
    weights = random.integers(0, 50, m)
    if negative:  # reduced by a potential: every cycle keeps its length
        potential = random.integers(0, 60, n)
        weights = weights + potential[tails] - potential[heads]
    return Graph.from_arcs(n, tails, heads, weights.astype(dtype))


def chain(n: int, *, backwards: bool = False) -> Graph:
    """0 → 1 → ... → n - 1, of weight 1; ``backwards`` numbers the vertices so that arcs go from high to low.

    The source is vertex 0 or, backwards, n - 1.
    """
    order = np.arange(n)[::-1] if backwards else np.arange(n)
    return Graph.from_arcs(n, order[:-1], order[1:], np.ones(n - 1, dtype=np.int32))


def textbook(graph: Graph, source: int) -> tuple[np.ndarray, int]:
    """Two-array Bellman-Ford with NumPy: distances, and the last pass that changed one. No negative cycles."""
    distances = np.full(graph.n, np.inf)
    distances[source] = 0
    for passes in range(graph.n + 1):
        lower = distances.copy()
        np.minimum.at(lower, graph.indices, distances[graph.tails] + graph.weights)
        if (lower == distances).all():
            return distances, passes
        distances = lower
    raise AssertionError("the graph has a negative cycle")


def solve(
    variant_id: str,
    graph: Graph,
    device: Device | None = None,
    *,
    source: int = 0,
    progress: Progress = SILENT,
    recorder: Recorder | None = None,
    **given: Any,
) -> Solution:
    """Run one variant; ``device`` is used where it runs on one."""
    variant: Variant = find_variant(variant_id)
    where = device if variant.runs_on is RunsOn.GPU else None
    return variant.solve(
        Problem(graph, source, parameters=variant.settle(given), device=where, progress=progress, recorder=recorder)
    )
