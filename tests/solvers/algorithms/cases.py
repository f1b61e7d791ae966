"""Graphs and helpers of the algorithms' tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from solvers.core.problem import Problem, Recorder, Solution
from solvers.core.recorder import MatrixRecorder, TraceRecorder
from solvers.core.variant import Answers, Variant, find_variant
from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.system.cancel import SILENT, CancelToken, Progress
from solvers.verification.paths import depths
from solvers.verification.verify import verify_sssp

ON_HOST = ("bf-python", "bf-serial")
TWO_ARRAYS = ("bf-vertex", "bf-strided", "bf-strided-flag")
IN_PLACE = ("bf-edge", "bf-edge-flags", "bf-edge-flags-shared")
FLAGGED = ("bf-strided-flag", "bf-edge-flags", "bf-edge-flags-shared")
ALL = ON_HOST + TWO_ARRAYS + IN_PLACE


def graph_of(n: int, *arcs: tuple[int, int, float], dtype: Any = np.int32) -> Graph:
    """A graph of (tail, head, weight) triples."""
    columns = np.array(arcs, dtype=np.float64).reshape(-1, 3)
    return Graph.from_arcs(n, columns[:, 0], columns[:, 1], columns[:, 2].astype(dtype))


def random_graph(
    n: int, m: int, seed: int, *, negative: bool = False, dtype: Any = np.int32
) -> Graph:
    """Random arcs, self-loops and parallel arcs included; with ``negative`` some
    weights are, but no cycle is.
    """
    random = np.random.default_rng(seed)
    tails, heads = random.integers(0, n, m), random.integers(0, n, m)
    weights = random.integers(0, 50, m)
    if negative:  # reduced by a potential: every cycle keeps its length
        potential = random.integers(0, 60, n)
        weights = weights + potential[tails] - potential[heads]
    return Graph.from_arcs(n, tails, heads, weights.astype(dtype))


def chain(n: int, *, backwards: bool = False) -> Graph:
    """0 → 1 → ... → n - 1, of weight 1; ``backwards`` numbers the vertices so that arcs
    go from high to low.

    The source is vertex 0 or, backwards, n - 1.
    """
    order = np.arange(n)[::-1] if backwards else np.arange(n)
    return Graph.from_arcs(n, order[:-1], order[1:], np.ones(n - 1, dtype=np.int32))


def textbook(graph: Graph, source: int) -> tuple[np.ndarray, int]:
    """Two-array Bellman-Ford with NumPy: distances, and the last pass that changed one.
    No negative cycles.
    """
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
    target: int | None = None,
    progress: Progress = SILENT,
    recorder: Recorder | None = None,
    **given: Any,
) -> Solution:
    """Run one variant, for all pairs where it does that; ``device`` is used where it
    runs on one.
    """
    variant: Variant = find_variant(variant_id)
    where = device if variant.runs_on.takes_device else None
    start = None if variant.answers is Answers.APSP else source
    return variant.solve(Problem(graph, start, target, given, where, progress, recorder=recorder))


def watched(
    variant_id: str, graph: Graph, device: Device | None = None, **options: Any
) -> tuple[Solution, Any]:
    """A watched run and its trace: an `ActivityTrace`, or a `MatrixTrace` for all pairs."""
    all_pairs = find_variant(variant_id).answers is Answers.APSP
    recorder = MatrixRecorder(graph.n) if all_pairs else TraceRecorder(graph.n)
    return solve(variant_id, graph, device, recorder=recorder, **options), recorder.finish()


def expect_verified(graph: Graph, solution: Solution, source: int = 0) -> None:
    verdict = verify_sssp(graph, source, solution.distances)
    assert verdict.verified, verdict.text


def cancelled() -> Progress:
    """A progress of a run that was cancelled before it began."""
    token = CancelToken()
    token.cancel()
    return Progress(token)


def cancelled_when(reached: Callable[[float, float], bool]) -> tuple[Progress, list[float]]:
    """A progress that cancels the run once its report is far enough, and the work done
    at each report.
    """
    token, heard = CancelToken(), []

    def report(done: float, total: float) -> None:
        heard.append(done)
        if reached(done, total):
            token.cancel()

    return Progress(token, report), heard


def expect_tree(graph: Graph, solution: Solution, source: int = 0) -> None:
    """The predecessors reach what is reachable, by arcs as long as the distances differ."""
    predecessors, distances = solution.predecessors, solution.distances
    assert predecessors is not None
    reachable = np.isfinite(to_float(distances))
    np.testing.assert_array_equal(depths(predecessors, source) >= 0, reachable)
    reached = predecessors >= 0
    np.testing.assert_array_equal(reached, reachable & (np.arange(graph.n) != source))
    inner = predecessors[graph.indices] == graph.tails
    through = distances[graph.tails[inner]] + graph.weights[inner]
    least = np.full(graph.n, np.inf)
    np.minimum.at(least, graph.indices[inner], through.astype(float))
    np.testing.assert_array_equal(least[reached], to_float(distances)[reached])


def by_scipy(graph: Graph, source: int) -> NDArray[np.float64]:
    """SciPy's distances; the least of parallel arcs, and zeros kept, which a sparse
    graph takes for arcs.
    """
    order = np.lexsort((graph.weights, graph.indices, graph.tails))
    tails, heads = graph.tails[order], graph.indices[order]
    first = np.insert((np.diff(tails) != 0) | (np.diff(heads) != 0), 0, True)[: graph.m]
    entries = (graph.weights[order][first].astype(float), (tails[first], heads[first]))
    distances: NDArray[np.float64] = dijkstra(
        csr_matrix(entries, shape=(graph.n, graph.n)), indices=source
    )
    return distances
