"""The variant: right where many paths have the same length, stoppable at any vertex, and seen in its passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from solvers.algorithms.bmssp import bmssp
from solvers.core.problem import Problem, Recorder, Solution
from solvers.core.recorder import TraceRecorder
from solvers.core.variant import find_variant
from solvers.errors import Cancelled
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.weights import to_float
from solvers.system.cancel import SILENT, CancelToken, Progress
from solvers.verification.paths import depths
from solvers.verification.verify import verify_sssp
from tests import graphs
from tests.data import data_file
from tests.weight_types import skip_where_not_tested

SHAPES = [(0, 0), (1, 1), (2, 1), (2, 3), (3, 2), (5, 4)]
every_shape = pytest.mark.parametrize(("k", "t"), SHAPES)


def solve(
    graph: Graph, source: int = 0, progress: Progress = SILENT, recorder: Recorder | None = None, **parameters: int
) -> Solution:
    return find_variant("bmssp").solve(Problem(graph, source, None, parameters, None, progress, recorder=recorder))


def by_scipy(graph: Graph, source: int) -> NDArray[np.float64]:
    """SciPy's distances; the least of parallel arcs, and zeros kept, which a sparse graph takes for arcs."""
    order = np.lexsort((graph.weights, graph.indices, graph.tails))
    tails, heads = graph.tails[order], graph.indices[order]
    first = np.insert((np.diff(tails) != 0) | (np.diff(heads) != 0), 0, True)[: graph.m]
    entries = (graph.weights[order][first].astype(float), (tails[first], heads[first]))
    return dijkstra(csr_matrix(entries, shape=(graph.n, graph.n)), indices=source)


def expect_scipys(graph: Graph, source: int = 0, **parameters: int) -> None:
    solution = solve(graph, source, **parameters)
    np.testing.assert_array_equal(to_float(solution.distances), by_scipy(graph, source))
    assert verify_sssp(graph, source, solution.distances).verified
    expect_tree(graph, source, solution)


def expect_tree(graph: Graph, source: int, solution: Solution) -> None:
    """The predecessors reach what is reachable, by arcs as long as the distances differ."""
    predecessors, distances = solution.predecessors, solution.distances
    assert predecessors is not None
    np.testing.assert_array_equal(depths(predecessors, source) >= 0, np.isfinite(to_float(distances)))
    inner = predecessors[graph.indices] == graph.tails
    through = distances[graph.tails[inner]] + graph.weights[inner]
    least = np.full(graph.n, np.inf)
    np.minimum.at(least, graph.indices[inner], through.astype(float))
    reached = predecessors >= 0
    np.testing.assert_array_equal(least[reached], to_float(distances)[reached])


def grid(width: int, weight: int = 1) -> Graph:
    """A square grid of equal weights: as many shortest paths as there can be."""
    at = np.arange(width * width).reshape(width, width)
    arcs = [*zip(at[:, :-1].flat, at[:, 1:].flat, strict=True), *zip(at[:-1].flat, at[1:].flat, strict=True)]
    return graphs.from_list(width * width, [(u, v, weight) for u, v in arcs], directed=False, name="grid")


def random_of(weights: Sequence[int], n: int, m: int, seed: int) -> Graph:
    generator = np.random.default_rng(seed)
    ends = generator.integers(0, n, (2, m)).tolist()
    chosen = generator.choice(list(weights), m).tolist()
    return graphs.from_list(n, list(zip(*ends, chosen, strict=True)), name="random")


# --- ties -------------------------------------------------------------------------------------------------------------


@every_shape
@pytest.mark.parametrize("weight", [0, 1])
def test_a_grid_of_equal_weights(weight: int, k: int, t: int) -> None:
    expect_scipys(grid(30, weight), source=432, k=k, t=t)


@every_shape
def test_cycles_of_weight_zero(k: int, t: int) -> None:
    """Rings of zeros, joined by arcs of weight 0 and 1 in both directions."""
    rings, size = 30, 7
    arcs = [(r * size + i, r * size + (i + 1) % size, 0) for r in range(rings) for i in range(size)]
    arcs += [(r * size, ((r * 11 + 1) % rings) * size + 3, r % 2) for r in range(rings)]
    arcs += [(((r * 11 + 1) % rings) * size + 3, r * size, 1) for r in range(rings)]
    expect_scipys(graphs.from_list(rings * size, arcs), k=k, t=t)


@every_shape
@pytest.mark.parametrize("seed", range(4))
def test_few_different_weights(seed: int, k: int, t: int) -> None:
    expect_scipys(random_of([0, 0, 1, 2], 600, 1500, seed), k=k, t=t)


@pytest.mark.parametrize("seed", range(4))
def test_many_vertices_with_the_papers_parameters(seed: int) -> None:
    """Several levels: 20,000 vertices make k = 2, t = 5, and three levels above the base case."""
    expect_scipys(random_of([0, 1, 3] if seed % 2 else range(1, 10**6), 20_000, 60_000, seed), source=seed)


def test_rounding_makes_no_difference() -> None:
    """In float32 a weight of 1 vanishes beside 2^25, so that sums tie that are not equal: all are decided alike."""
    skip_where_not_tested("bmssp", "float32")
    generator = np.random.default_rng(2)
    n, m = 500, 2500
    ends = generator.integers(0, n, (2, m)).tolist()
    weights = generator.choice([0.5, 1, 3, 2.0**25], m).tolist()
    graph = graphs.from_list(n, list(zip(*ends, weights, strict=True)), "float32")
    expected = find_variant("dijkstra-heap").solve(Problem(graph, 0)).distances
    for k, t in SHAPES:
        solution = solve(graph, k=k, t=t)
        np.testing.assert_array_equal(solution.distances, expected)
        np.testing.assert_array_equal(solution.predecessors, solve(graph).predecessors)


def test_predecessors_do_not_depend_on_the_shape() -> None:
    graph = random_of([0, 1, 2], 400, 1600, 9)
    first, *rest = (solve(graph, k=k, t=t).predecessors for k, t in SHAPES)
    for other in rest:
        np.testing.assert_array_equal(other, first)


# --- runs -------------------------------------------------------------------------------------------------------------


def test_cancel_is_heard_within_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bmssp, "_BUDGET", 100)
    token, heard = CancelToken(), []

    def after_ten(done: float, total: float) -> None:
        heard.append(done)
        if len(heard) == 10:
            token.cancel()

    with pytest.raises(Cancelled):
        solve(random_of(range(1, 100), 2000, 8000, 1), progress=Progress(token, after_ten))
    assert len(heard) == 10
    assert heard == sorted(heard)


@pytest.mark.parametrize("budget", [1, 500])
def test_budgets_change_nothing(budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_of(range(1, 100), 2000, 8000, 1)
    whole = solve(graph)
    monkeypatch.setattr(bmssp, "_BUDGET", budget)
    cut = solve(graph)
    np.testing.assert_array_equal(cut.distances, whole.distances)
    assert (cut.iterations, cut.relaxations) == (whole.iterations, whole.relaxations)


def test_the_queues_grow_where_many_vertices_wait() -> None:
    """From a hub all others are reached at once: more than the queues have room for at first."""
    n = 5000
    arcs: list[Any] = [(0, v, 1 + (7 * v) % n) for v in range(1, n)]
    expect_scipys(graphs.from_list(n, arcs))


@pytest.mark.parametrize("logged", [64, 2**16])
def test_what_is_completed_together_is_active_together(logged: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every arc that leaves a reached vertex is relaxed at least once; large calls make large passes."""
    monkeypatch.setattr(bmssp, "_LOGGED", logged)
    graph = random_of(range(1, 100), 3000, 9000, 3)
    recorder = TraceRecorder(graph.n)
    solution = solve(graph, recorder=recorder)
    trace = recorder.finish()
    reached = np.isfinite(to_float(solution.distances))
    assert trace.iterations == solution.iterations
    assert trace.total_relaxed == solution.relaxations >= graph.out_degrees[reached].sum()
    assert (trace.first_active >= 0).tolist() == reached.tolist()
    assert trace.active.max() > reached.sum() / 8
    assert np.median(trace.active) <= 4, "most passes are small"


@pytest.mark.data
def test_new_york_as_scipy_has_it() -> None:
    graph = read_graph(data_file("dimacs/USA-road-d.NY.gr.gz")).graph
    expect_scipys(graph, source=1000)
