"""The adjacency matrix: its cells, on host and device, and its refusal where it cannot fit."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.algorithms.dijkstra.layouts import device_matrix, host_matrix
from solvers.core.problem import Phases, Problem
from solvers.core.variant import find_variant
from solvers.devices.device import Device
from solvers.errors import Cancelled, OutOfMemory
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WEIGHT_TYPES
from solvers.system import machine
from solvers.system.cancel import SILENT, CancelToken, Progress
from tests import graphs

HUGE = 200_000  # vertices: their matrix takes 160 GB


def dense(graph: Graph, infinity: float) -> np.ndarray:
    """The matrix by its definition."""
    matrix = np.full((graph.n, graph.n), infinity, dtype=graph.weights.dtype)
    np.minimum.at(matrix, (graph.tails, graph.indices), graph.weights)
    np.fill_diagonal(matrix, 0)
    return matrix


def edgeless(n: int) -> Graph:
    return Graph(np.zeros(n + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.int32), name="huge")


@pytest.mark.parametrize("dtype", graphs.DTYPES)
@pytest.mark.parametrize("name", ["parallel arcs", "self-loops", "no arcs", "one vertex", "complete"])
def test_cells_on_host_and_device(name: str, dtype: str, device: Device) -> None:
    graph, kind = graphs.by_hand(name, dtype), WEIGHT_TYPES[dtype]
    expected = dense(graph, kind.infinity)
    np.testing.assert_array_equal(host_matrix(graph, kind, "test", SILENT), expected)
    with device.session() as session:
        cells = session.download(device_matrix(session, Problem(graph, 0), Phases(), "test"))
    np.testing.assert_array_equal(cells.reshape(graph.n, graph.n), expected)


@pytest.mark.parametrize("variant_id", ["dijkstra-array", "da2cf-f-cpu", "da2cf-u-cpu"])
def test_a_matrix_too_large_for_the_host_is_refused(variant_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(16 * 10**9, 8 * 10**9))
    with pytest.raises(OutOfMemory, match=rf"{variant_id}.*matrix of huge needs 160 GB; .* has 8 GB free") as refusal:
        find_variant(variant_id).solve(Problem(edgeless(HUGE), 0, parameters={"layout": "matrix"}))
    assert refusal.value.needed_bytes == 4 * HUGE**2


@pytest.mark.parametrize(
    "variant_id", ["da2cf-u-gpu", "da2cf-f-gpu", "da2cf-f-gpu-racy", "dijkstra-matrix-flags", "dijkstra-apsp-source"]
)
def test_a_matrix_too_large_for_the_device_is_refused(
    variant_id: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(0, 0))  # a system that does not tell
    monkeypatch.setattr(type(device), "free_bytes", lambda self: 10**9)
    entry = find_variant(variant_id)
    given = {"layout": "matrix"} if any(p.name == "layout" for p in entry.parameters) else {}
    graph = edgeless(20_000)
    with pytest.raises(OutOfMemory, match=r"matrix of huge needs 1.6 GB"):
        entry.solve(Problem(graph, 0, None, entry.settle(given), device))


def test_building_a_matrix_can_be_cancelled() -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        host_matrix(graphs.by_hand("a grid"), WEIGHT_TYPES["int32"], "test", Progress(token))


@pytest.mark.parametrize("variant_id", ["dijkstra-array", "da2cf-f-cpu", "da2cf-u-cpu"])
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_the_matrix_gives_what_the_rows_give(variant_id: str, dtype: str) -> None:
    graph = graphs.at_random(120, 700, seed=4, dtype=dtype)
    answers = [
        find_variant(variant_id).solve(Problem(graph, 3, parameters={"layout": name})) for name in ("csr", "matrix")
    ]
    np.testing.assert_array_equal(answers[0].distances, answers[1].distances)
    assert answers[0].iterations == answers[1].iterations
