"""Rows are proved in a device's memory: right ones, and no wrong one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.graphs.weights import INT32, weight_type
from solvers.system.array_types import AnyArray, Bools
from solvers.verification import device_rows
from solvers.verification.device_rows import proved_on_device
from tests import graphs
from tests.kernels import compile_for_cuda

KERNEL = Path(device_rows.__file__).with_name("device_rows.cu")


def positive(seed: int, dtype: type) -> Graph:
    """A random graph, not all of which can be reached from each vertex."""
    drawn = graphs.at_random(40, 70, seed=seed, dtype=dtype, directed=True)
    return replace(drawn, weights=np.maximum(drawn.weights, 1))


def rows_of(graph: Graph) -> AnyArray:
    kind = graph.distance_type
    return np.array(
        [graphs.as_solved(graphs.right_distances(graph, s), kind) for s in range(graph.n)]
    )


def proved(graph: Graph, device: Device, rows: AnyArray, chosen: AnyArray) -> Bools:
    with device.session() as session:
        return proved_on_device(graph, session, session.upload(rows), np.arange(graph.n), chosen)


def test_compiles_without_a_warning() -> None:
    assert compile_for_cuda(KERNEL, INT32, "sm_75") == ""


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("seed", range(3))
def test_right_rows_are_proved_and_wrong_ones_are_not(
    seed: int, dtype: type, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row is wrong by one distance: too long, too short, missing, invented or negative."""
    monkeypatch.setattr(device_rows, "_MARKS", 3 * 8)  # of three blocks, which take many rows
    graph, draw = positive(seed, dtype), np.random.default_rng(seed)
    rows, all_rows = rows_of(graph), np.arange(graph.n)
    infinity = weight_type(rows.dtype).infinity
    assert (rows >= infinity).any()
    assert proved(graph, device, rows, all_rows).all()
    for change in (1, -1, infinity, -(10**6)):
        wrong, places = rows.copy(), draw.integers(graph.n, size=graph.n)
        before = rows[all_rows, places]
        wrong[all_rows, places] = np.where(before < infinity, before + change, 5)
        is_whole = draw.integers(2, size=graph.n) == 1
        wrong[is_whole] = rows[is_whole]
        chosen = all_rows[::3]
        assert proved(graph, device, wrong, chosen).tolist() == is_whole[chosen].tolist()


def test_what_supports_only_itself_is_not_proved(device: Device) -> None:
    """Two vertices that the source does not reach, each at the other's distance plus an arc."""
    graph = graphs.from_list(4, [(0, 1, 2), (2, 3, 1), (3, 2, 1)])
    right = np.array([[0, 2, INT32.infinity, INT32.infinity]], np.int32)
    rows = np.repeat(right, 4, axis=0)
    rows[1, 2:] = 5, 6
    rows[2, 2:] = 5, 5
    with device.session() as session:
        found = proved_on_device(
            graph, session, session.upload(rows), np.zeros(4, np.int64), np.arange(4)
        )
    assert found.tolist() == [True, False, False, True]


def test_other_weights_are_left_to_others(device: Device) -> None:
    """Round a cycle of weight zero every distance has a tight arc into it."""
    cycle = graphs.from_list(3, [(0, 1, 9), (1, 2, 0), (2, 1, 0)])
    for graph in (cycle, replace(cycle, weights=cycle.weights.astype(np.float64))):
        assert not proved(graph, device, rows_of(graph), np.arange(3)).any()
    assert not proved(positive(0, np.int32), device, np.zeros((3, 2), np.int32), np.arange(3)).any()
