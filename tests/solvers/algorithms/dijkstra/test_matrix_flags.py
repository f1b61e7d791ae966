"""Song's matrix program: predecessors that form a shortest-path tree although the kernel races for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solvers.algorithms.dijkstra import matrix_flags
from solvers.core.problem import Problem, Solution
from solvers.core.recorder import TraceRecorder
from solvers.core.trace import ActivityTrace
from solvers.core.variant import find_variant
from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.verification.paths import depths
from tests import graphs

ENTRY = find_variant("dijkstra-matrix-flags")


def solve(graph: Graph, device: Device, **given: Any) -> tuple[Solution, ActivityTrace]:
    recorder = TraceRecorder(graph.n)
    solution = ENTRY.solve(Problem(graph, 0, None, ENTRY.settle(given), device, recorder=recorder))
    return solution, recorder.finish()


def expect_a_tight_tree(graph: Graph, solution: Solution) -> None:
    """Each reached vertex has an arc from its predecessor that accounts for its distance, and hangs on the source."""
    distances, predecessors = solution.distances, solution.predecessors
    assert predecessors is not None
    reached = np.isfinite(graphs.right_distances(graph, 0))
    assert (predecessors[~reached] == -1).all()
    assert predecessors[0] == -1
    assert (depths(predecessors, 0)[reached] >= 0).all()
    through = distances[graph.tails] + graph.weights == distances[graph.indices]
    tight = set(zip(graph.tails[through].tolist(), graph.indices[through].tolist(), strict=True))
    for v in np.flatnonzero(reached).tolist():
        assert v == 0 or (int(predecessors[v]), v) in tight


@pytest.mark.parametrize("block", [32, 256])
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_predecessors_form_a_shortest_path_tree(dtype: str, block: int, device: Device) -> None:
    graph = graphs.at_random(600, 5000, seed=2, dtype=dtype, low=1)
    expect_a_tight_tree(graph, solve(graph, device, block=block)[0])


def test_many_threads_writing_to_one_vertex(device: Device) -> None:
    """The hub's 1,000 neighbours all reach the last vertex in the same pass, at different lengths."""
    n = 1002
    arcs = [(0, i, 1) for i in range(1, n - 1)] + [(i, n - 1, n - i) for i in range(1, n - 1)]
    graph = graphs.from_list(n, arcs)
    for _ in range(20):
        solution, _ = solve(graph, device)
        assert solution.distances[n - 1] == 3
        assert solution.predecessors is not None
        assert solution.predecessors[n - 1] == n - 2


def test_predecessors_that_lost_a_race_are_mended(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spoil every predecessor after the passes: the mending kernel must put all of them right."""
    graph = graphs.at_random(200, 1200, seed=8, low=1)
    each_slice = matrix_flags._Passes._each_slice

    def spoil_before_mending(passes: Any, kernel: str, *arguments: Any) -> None:
        if kernel == "repair_predecessors":
            wrong = np.full(graph.n, 7, dtype=np.int32)
            wrong[7] = 8
            wrong[~np.isfinite(graphs.right_distances(graph, 0))] = -1
            wrong[0] = -1
            passes._session.write(passes.predecessor, wrong)
        each_slice(passes, kernel, *arguments)

    monkeypatch.setattr(matrix_flags._Passes, "_each_slice", spoil_before_mending)
    expect_a_tight_tree(graph, solve(graph, device)[0])


def test_a_cycle_of_predecessors_is_left_to_the_recovery_sweep(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a cycle of zeros each vertex accounts for the next: tight arcs, but no tree."""
    graph = graphs.by_hand("a cycle of zeros")
    each_slice = matrix_flags._Passes._each_slice

    def close_the_cycle(passes: Any, kernel: str, *arguments: Any) -> None:
        if kernel == "repair_predecessors":
            passes._session.write(passes.predecessor, np.array([-1, 3, 1, 2, 3, -1], dtype=np.int32))
        each_slice(passes, kernel, *arguments)

    monkeypatch.setattr(matrix_flags._Passes, "_each_slice", close_the_cycle)
    assert solve(graph, device)[0].predecessors is None


def test_active_are_those_whose_distance_fell_in_the_pass_before(device: Device) -> None:
    graph = graphs.at_random(300, 1500, seed=3)
    solution, trace = solve(graph, device)
    assert trace.iterations == solution.iterations
    assert trace.frontier(0).tolist() == [0]
    assert trace.active[1:].tolist() == trace.improved[:-1].tolist()
    assert trace.improved[-1] == 0, "the last pass finds that nothing falls any more"
    reached = np.isfinite(graphs.right_distances(graph, 0))
    assert trace.relaxed[-1] == graph.out_degrees[reached].sum(), "every reached row is relaxed again"


def test_sliced_launches_give_the_same(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """On processors the n² cells of a pass are cut into launches of some rows each."""
    graph = graphs.at_random(300, 1500, seed=3)
    whole, _ = solve(graph, device)
    monkeypatch.setattr("solvers.algorithms.dijkstra.frontier_host._STEPS_PER_SLICE", 70 * graph.n)
    cut, _ = solve(graph, device)
    np.testing.assert_array_equal(cut.distances, whole.distances)
    expect_a_tight_tree(graph, cut)
