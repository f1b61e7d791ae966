"""Every compound-frontier program settles the same vertices in the same iterations as the plain algorithm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solvers.core.problem import Problem, Solution
from solvers.core.recorder import TraceRecorder
from solvers.core.trace import ActivityTrace
from solvers.core.variant import find_variant
from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from tests import graphs
from tests.solvers.algorithms.dijkstra.reference import compound_frontiers

ON_HOST = (
    ("da2cf-f-cpu", {"layout": "csr"}),
    ("da2cf-f-cpu", {"layout": "matrix"}),
    ("da2cf-u-cpu", {"layout": "csr"}),
    ("da2cf-u-cpu", {"layout": "matrix"}),
)
ON_DEVICE = (
    ("da2cf-uh1", {}),
    ("da2cf-uh2", {}),
    ("da2cf-uh3", {}),
    ("da2cf-u-gpu", {"layout": "csr"}),
    ("da2cf-u-gpu", {"layout": "matrix"}),
    ("da2cf-u-gpu", {"layout": "matrix", "block": 32}),
    ("da2cf-u-gpu-2min", {}),
    ("da2cf-u-gpu-2min", {"block": 32}),
    ("da2cf-u-gpu-plus", {}),
    ("da2cf-u-gpu-plus", {"block": 32}),
    ("da2cf-f-gpu", {"layout": "csr"}),
    ("da2cf-f-gpu", {"layout": "matrix"}),
    ("da2cf-f-gpu", {"layout": "matrix", "block": 32}),
)
# Rows, blocks and reductions with a remainder: 300 and 2,100 are no multiples of any block size.
CASES = {
    "zero weights": graphs.by_hand("zero weights"),
    "a cycle of zeros": graphs.by_hand("a cycle of zeros"),
    "ties": graphs.by_hand("ties"),
    "one vertex": graphs.by_hand("one vertex"),
    "a few weights": graphs.from_list(300, [(i, (i * i + 7 * k) % 300, k % 3) for i in range(300) for k in range(5)]),
    "random": graphs.at_random(300, 1500, seed=5),
    "floats": graphs.at_random(300, 1500, seed=6, dtype="float32"),
    "larger": graphs.at_random(2100, 9000, seed=7, dtype="int64"),
}


def solve(variant_id: str, graph: Graph, device: Device | None, **given: Any) -> tuple[Solution, ActivityTrace]:
    """A watched run from vertex 0."""
    entry = find_variant(variant_id)
    recorder = TraceRecorder(graph.n)
    solution = entry.solve(Problem(graph, 0, None, entry.settle(given), device, recorder=recorder))
    return solution, recorder.finish()


def expect_the_frontiers(variant_id: str, given: dict[str, Any], graph: Graph, device: Device | None) -> None:
    solution, trace = solve(variant_id, graph, device, **given)
    expected = compound_frontiers(graph, 0)
    assert solution.iterations == len(expected)
    assert [sorted(trace.frontier(k).tolist()) for k in range(len(trace))] == expected
    assert trace.relaxed.tolist() == [int(graph.out_degrees[f].sum()) for f in expected]
    assert solution.relaxations == trace.total_relaxed
    np.testing.assert_allclose(
        to_float(solution.distances), graphs.right_distances(graph, 0), rtol=1e-5 if graph.name == "floats" else 1e-6
    )


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("variant_id", "given"), ON_HOST)
def test_frontiers_on_the_host(variant_id: str, given: dict[str, Any], name: str) -> None:
    expect_the_frontiers(variant_id, given, CASES[name], None)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("variant_id", "given"), ON_DEVICE)
def test_frontiers_on_a_device(variant_id: str, given: dict[str, Any], name: str, device: Device) -> None:
    expect_the_frontiers(variant_id, given, CASES[name], device)


def test_improved_counts_vertices_not_arcs() -> None:
    """0 reaches 1 by two parallel arcs, the lighter second; that is one vertex improved."""
    graph = graphs.by_hand("parallel arcs")
    for variant_id in ("da2cf-f-cpu", "dijkstra-array", "dijkstra-fibonacci"):
        _, trace = solve(variant_id, graph, None)
        assert trace.improved.tolist() == [1, 1, 0], variant_id


def test_an_unwatched_run_is_the_same(device: Device) -> None:
    graph = CASES["random"]
    for variant_id, given in (*ON_HOST, *ON_DEVICE):
        entry = find_variant(variant_id)
        unwatched = entry.solve(Problem(graph, 0, None, entry.settle(given), device))
        watched, _ = solve(variant_id, graph, device, **given)
        np.testing.assert_array_equal(unwatched.distances, watched.distances)
        assert (unwatched.iterations, unwatched.relaxations) == (watched.iterations, watched.relaxations)
