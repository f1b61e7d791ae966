"""The programs that settle vertex after vertex: order, predecessors, spans, and Cancel in the midst of a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solvers.algorithms.dijkstra import settling
from solvers.core.problem import Problem
from solvers.core.recorder import TraceRecorder
from solvers.core.variant import find_variant
from solvers.errors import Cancelled
from solvers.graphs.weights import to_float
from solvers.system.cancel import CancelToken, Progress
from solvers.verification.paths import depths
from tests import graphs
from tests.weight_types import skip_where_not_tested

PROGRAMS = (
    ("dijkstra-array", {"layout": "csr"}),
    ("dijkstra-array", {"layout": "matrix"}),
    ("dijkstra-fibonacci", {}),
)
everyone = pytest.mark.parametrize(("variant_id", "given"), PROGRAMS)


@everyone
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_vertices_settle_in_order_of_distance(variant_id: str, given: dict[str, Any], dtype: str) -> None:
    skip_where_not_tested(variant_id, dtype)
    graph = graphs.at_random(200, 900, seed=5, dtype=dtype)
    recorder = TraceRecorder(graph.n)
    solution = find_variant(variant_id).solve(Problem(graph, 0, None, given, recorder=recorder))
    trace, right = recorder.finish(), graphs.right_distances(graph, 0)
    reached = np.isfinite(right)
    assert solution.iterations == len(trace) == reached.sum()
    assert (trace.active == 1).all()
    order = to_float(solution.distances)[trace.vertices]
    assert (np.diff(order) >= 0).all()
    assert trace.total_relaxed == solution.relaxations == graph.out_degrees[reached].sum()


@everyone
@pytest.mark.parametrize("name", ["a cycle of zeros", "zero weights", "parallel arcs", "a grid"])
def test_predecessors_form_a_shortest_path_tree(variant_id: str, given: dict[str, Any], name: str) -> None:
    graph = graphs.by_hand(name)
    solution = find_variant(variant_id).solve(Problem(graph, 0, None, given))
    predecessors, distances = solution.predecessors, solution.distances
    assert predecessors is not None
    np.testing.assert_array_equal(depths(predecessors, 0) >= 0, np.isfinite(graphs.right_distances(graph, 0)))
    for v in np.flatnonzero(predecessors >= 0).tolist():
        u = int(predecessors[v])
        least = graph.weights[graph.row(u)][graph.indices[graph.row(u)] == v].min()
        assert distances[u] + least == distances[v]


@everyone
@pytest.mark.parametrize("steps", [1, 700, 10**9])
def test_spans_of_any_length_give_the_same(
    variant_id: str, given: dict[str, Any], steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = graphs.at_random(100, 600, seed=6)
    monkeypatch.setattr(settling, "_STEPS_PER_SPAN", steps)
    solution = find_variant(variant_id).solve(Problem(graph, 0, None, given))
    right = graphs.right_distances(graph, 0)
    np.testing.assert_array_equal(to_float(solution.distances), right)
    assert solution.iterations == np.isfinite(right).sum()


@everyone
def test_cancel_in_the_midst(variant_id: str, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graphs.at_random(100, 600, seed=6)
    monkeypatch.setattr(settling, "_STEPS_PER_SPAN", 1)
    token, settled = CancelToken(), []

    def after_thirty(done: float, total: float) -> None:
        settled.append(done)
        if done == 30:
            token.cancel()

    with pytest.raises(Cancelled):
        find_variant(variant_id).solve(Problem(graph, 0, None, given, None, Progress(token, after_thirty)))
    assert settled[-1] <= 31
