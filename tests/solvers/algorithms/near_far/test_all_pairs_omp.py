"""32 sources together: batches of any size, whatever the number of threads; lanes do not leak into one another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solvers.algorithms.near_far import all_pairs_omp
from solvers.algorithms.near_far.lane_search import LANES
from solvers.core.problem import Problem, Recorder, Solution
from solvers.core.recorder import MatrixRecorder
from solvers.core.variant import find_variant
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.verification.verify import verify_apsp
from tests import graphs
from tests.weight_types import types_of


def solve(graph: Graph, recorder: Recorder | None = None, **parameters: Any) -> Solution:
    settled = find_variant("apsp-lanes-omp").settle(parameters)
    return all_pairs_omp.solve(Problem(graph, None, None, settled, recorder=recorder))


@pytest.mark.openmp
@pytest.mark.parametrize("n", [1, LANES - 1, LANES, LANES + 1, 3 * LANES + 5])
def test_batches_that_are_not_full(n: int) -> None:
    graph = graphs.at_random(n, 3 * n, seed=n)
    np.testing.assert_array_equal(to_float(solve(graph).distances), graphs.right_matrix(graph))


@pytest.mark.openmp
@pytest.mark.parametrize("dtype", types_of("apsp-lanes-omp"))
def test_one_thread_and_all_agree(dtype: str) -> None:
    graph = graphs.at_random(300, 900, seed=3, dtype=dtype, directed=False)
    alone, together = solve(graph, threads=1), solve(graph)
    np.testing.assert_array_equal(alone.distances, together.distances)
    assert verify_apsp(graph, alone.distances).verified
    assert alone.relaxations == together.relaxations


@pytest.mark.openmp
def test_lanes_of_different_components_stay_apart() -> None:
    """Every second source lies on another ring: half of each row is out of reach."""
    n = 2 * LANES
    graph = graphs.from_list(n, [(i, (i + 2) % n, 1 + i % 5) for i in range(n)], "int32", name="two rings")
    distances = to_float(solve(graph).distances)
    assert np.isinf(distances[0::2, 1::2]).all()
    assert np.isinf(distances[1::2, 0::2]).all()
    assert np.isfinite(distances[0::2, 0::2]).all()


@pytest.mark.openmp
def test_every_arc_is_relaxed_for_every_source_that_reaches_it() -> None:
    graph = graphs.at_random(200, 800, seed=5)
    solution = solve(graph)
    reached = np.isfinite(graphs.right_matrix(graph))
    assert solution.relaxations is not None
    assert solution.relaxations >= (reached * graph.out_degrees).sum()


@pytest.mark.openmp
def test_a_watched_run_shows_all_rows_once() -> None:
    graph = graphs.at_random(500, 1_500, seed=6)
    recorder = MatrixRecorder(graph.n)
    solve(graph, recorder)
    bands = [tuple(step.tiles[0][:2]) for step in recorder.finish().steps]
    assert [first for first, _ in bands] == [0, *(last for _, last in bands[:-1])]
    assert bands[-1][1] == graph.n
    assert len(bands) > 3
