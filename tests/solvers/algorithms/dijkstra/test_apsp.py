"""Dijkstra from every source: batches, launches cut short, queues, cancelling, and a result too large for the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solvers.algorithms.dijkstra import apsp_source
from solvers.core.problem import Problem, Solution
from solvers.core.recorder import MatrixRecorder
from solvers.core.trace import MatrixTrace
from solvers.core.variant import find_variant
from solvers.devices.device import Device
from solvers.errors import Cancelled, OutOfMemory, ParameterError
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.system import machine
from solvers.system.cancel import CancelToken, Progress
from tests import graphs
from tests.weight_types import types_of

SERIAL, ON_DEVICE = "dijkstra-apsp-serial", "dijkstra-apsp-source"
GRAPH = graphs.at_random(150, 500, seed=12)


def solve(variant_id: str, graph: Graph, device: Device | None = None, **given: Any) -> tuple[Solution, MatrixTrace]:
    recorder = MatrixRecorder(graph.n)
    entry = find_variant(variant_id)
    solution = entry.solve(Problem(graph, None, None, entry.settle(given), device, recorder=recorder))
    return solution, recorder.finish()


def expect_right(graph: Graph, solution: Solution) -> None:
    right = graphs.right_matrix(graph)
    np.testing.assert_allclose(to_float(solution.distances), right, rtol=1e-5)
    assert solution.relaxations == sum(int(graph.out_degrees[np.isfinite(row)].sum()) for row in right)


@pytest.mark.parametrize("queue", ["array", "heap"])
@pytest.mark.parametrize("dtype", types_of("dijkstra-apsp-serial"))
def test_serial(dtype: str, queue: str) -> None:
    graph = graphs.at_random(90, 300, seed=2, dtype=dtype)
    solution, trace = solve(SERIAL, graph, queue=queue)
    expect_right(graph, solution)
    assert solution.iterations == graph.n
    tiles = np.concatenate([step.tiles for step in trace.steps])
    assert tiles[:, 0].tolist() == [0, *tiles[:-1, 1].tolist()], "rows in order, none left out"
    assert tiles[-1].tolist() == [88, 90, 0, 90]


@pytest.mark.parametrize("layout", ["csr", "matrix"])
@pytest.mark.parametrize(("batch", "batches"), [(0, 1), (1000, 1), (150, 1), (64, 3), (1, 150)])
def test_batches_of_any_size(layout: str, batch: int, batches: int, device: Device) -> None:
    solution, trace = solve(ON_DEVICE, GRAPH, device, layout=layout, batch=batch)
    expect_right(GRAPH, solution)
    assert solution.iterations == len(trace) == batches


@pytest.mark.parametrize("most_steps", [1, 3])
def test_launches_that_settle_a_few_vertices_each(
    most_steps: int, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apsp_source, "_MOST_STEPS", most_steps)
    expect_right(GRAPH, solve(ON_DEVICE, GRAPH, device, batch=100)[0])


def test_launches_aim_at_fifty_milliseconds() -> None:
    assert apsp_source._next_steps(1, 0.001) == 2, "doubled at most"
    assert apsp_source._next_steps(64, 0.1) == 32
    assert apsp_source._next_steps(1, 9.0) == 1, "at least one"
    assert apsp_source._next_steps(4096, 0.001) == 4096


def test_a_batch_is_what_fits(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Free memory for 40 rows of distances and flags, of which nine tenths are used."""
    monkeypatch.setattr(type(device), "free_bytes", lambda self: 40 * 5 * GRAPH.n)
    solution, trace = solve(ON_DEVICE, GRAPH, device)
    expect_right(GRAPH, solution)
    assert [tuple(step.tiles[0, :2]) for step in trace.steps] == [(0, 36), (36, 72), (72, 108), (108, 144), (144, 150)]


@pytest.mark.parametrize("variant_id", [SERIAL, ON_DEVICE])
def test_a_result_too_large_for_the_host_is_refused(
    variant_id: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(10**6, 80_000))
    with pytest.raises(OutOfMemory, match=f"{variant_id}: the distance matrix of random 150/500 needs 90 kB"):
        solve(variant_id, GRAPH, device)


@pytest.mark.parametrize(
    ("variant_id", "given"), [(SERIAL, {"queue": "array"}), (SERIAL, {"queue": "heap"}), (ON_DEVICE, {"batch": 10})]
)
def test_cancel_in_the_midst(variant_id: str, given: dict[str, Any], device: Device) -> None:
    token, heard = CancelToken(), []

    def after_a_third(done: float, total: float) -> None:
        heard.append(done / total)
        if done / total > 1 / 3:
            token.cancel()

    entry = find_variant(variant_id)
    with pytest.raises(Cancelled):
        entry.solve(Problem(GRAPH, None, None, entry.settle(given), device, Progress(token, after_a_third)))
    assert heard == sorted(heard), "progress never goes back"
    assert heard[-1] < 0.5


def test_parameters_out_of_range() -> None:
    for given in ({"batch": -1}, {"block": 0}, {"layout": "list"}):
        with pytest.raises(ParameterError):
            find_variant(ON_DEVICE).settle(given)
