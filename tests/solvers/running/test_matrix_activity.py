"""Figures of all-pairs runs on a device, phase by phase: launches, relaxations and
bytes against counts by hand.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from solvers.algorithms.floyd_warshall import blocked, cell_shared, vertex
from solvers.algorithms.floyd_warshall.on_device import Phase, _relaxed, cell_values
from solvers.core.recorder import MatrixRecorder
from solvers.core.result import Result
from solvers.core.trace import WARP, KernelLog, MatrixTrace
from solvers.core.variant import find_variant
from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.running.request import Choice, RunRequest
from solvers.running.run import run
from solvers.running.traced_run import device_activity
from tests.graphs import at_random, right_distances
from tests.solvers.running.requests import TRACE_ONLY


def bytes_of_a_step(variant_id: str, n: int) -> int:
    """What the threads of one step of Floyd-Warshall read and always write, thread by
    thread, in cells of 4 bytes.
    """
    if variant_id == "fw-cell":
        return 4 * sum(3 for _ in range(n * n))
    across, tile = -(-n // 32), 32 * 32
    cells = 0
    for row in range(across):
        for column in range(across):
            if (row, column) == (0, 0):
                cells += tile * 2  # in and out
            elif 0 in (row, column):
                cells += tile * 3  # the pivot tile and its own in, its own out
            else:
                # a tile of the column, one of the row and its own in; out only what
                # falls
                cells += tile * 3
    return 4 * cells


def reachable_arcs(graph: Graph) -> int:
    """Arcs that leave a vertex which a source reaches, for all sources together."""
    return sum(
        int(graph.out_degrees[np.isfinite(right_distances(graph, v))].sum()) for v in range(graph.n)
    )


@pytest.mark.parametrize("variant_id", ["fw-cell", "fw-tiled-shared", "apsp-frontier"])
def test_phases_have_their_launches_relaxations_and_bytes(variant_id: str, device: Device) -> None:
    graph, variant = at_random(70, 300, 5), find_variant(variant_id)
    request = RunRequest(
        graph, 0, None, (Choice(variant, variant.settle({})),), device, TRACE_ONLY, trace=True
    )
    (result,) = run(request)
    trace, found = result.trace, device_activity(result)
    assert isinstance(trace, MatrixTrace)
    assert (trace.device_name, trace.is_cpu) == (device.name, device.is_cpu)
    assert found is not None
    for step in trace.steps:
        assert step.launches
        for launched in step.launches:
            assert launched.threads <= launched.blocks * launched.block
            assert launched.warps >= launched.threads / WARP
            assert launched.launches >= 1
    if variant_id == "fw-cell":
        assert all(step.cells == graph.n**2 <= step.launches[0].threads for step in trace.steps)
        assert len(trace.steps) == graph.n
    relaxed = sum(step.relaxed or 0 for step in trace.steps)
    if variant_id == "apsp-frontier":
        assert relaxed == reachable_arcs(graph)
        assert found.requested_bytes.sum() == relaxed * 8 + graph.n**2 * 4
    else:
        steps = len({step.step for step in trace.steps})
        assert relaxed == graph.n**3
        assert found.requested_bytes.sum() == steps * bytes_of_a_step(variant_id, graph.n)


def test_threads_of_the_other_kernels_are_counted_one_by_one() -> None:
    n, block = 70, 32
    assert cell_values(n) * 4 == bytes_of_a_step("fw-cell", n)
    assert vertex._values(n) == sum(1 + sum(2 for _ in range(n)) for _ in range(n))
    blocks = [(row, first) for row in range(n) for first in range(0, n, block)]
    assert cell_shared._values(block, n) == sum(1 + 2 * block for _ in blocks)


def phases_of_blocked(n: int) -> list[Phase]:
    size = -(-n // blocked.TILE) * blocked.TILE
    on: Any = SimpleNamespace(matrix=None, size=size)
    return [phase for step in range(size // blocked.TILE) for phase in blocked._phases(on, step)]


def test_work_done_ahead_counts_where_it_is_done() -> None:
    """The pivot tile of the next step is closed in the last phase of a step; its own
    phase launches nothing.
    """
    n, tile = 300, blocked.TILE
    phases = phases_of_blocked(n)
    relaxed = [_relaxed(phase, tile, n) for phase in phases]
    assert sum(relaxed) == n**3
    closing = [i for i, phase in enumerate(phases) if phase.number == 1]
    assert [relaxed[i] > 0 for i in closing] == [True, False, False]
    assert [phases[i].values() > 0 for i in closing] == [True, False, False]
    products, closed = 3 * (2 * 2 + 2 * 2), 3
    assert sum(phase.values() for phase in phases) == (products * 4 + closed * 2) * tile**2


def made_up(relaxed: int | None, asked: int | None, bandwidth: float | None) -> Result:
    graph, log = at_random(60, 200, 5), KernelLog("Pretend", is_cpu=False)
    recorder = MatrixRecorder(graph.n, launches=log)
    for step in range(2):
        log.launched("relax", 5, 1024)
        ms = 2.0 * step  # the first took no time
        recorder.matrix_step(step, 1, np.array([[0, 60, 0, 60]]), None, ms, relaxed, asked)
    variant = find_variant("fw-cell")
    return Result(variant, variant.settle({}), graph, 0, None, trace=recorder.finish(bandwidth))


def test_rates_and_shares_follow_from_counts_and_times() -> None:
    found = device_activity(made_up(3600, 4_000_000, 1e10))
    assert np.isnan(found.arcs_per_s[0]), "no time, no rate"
    assert found.arcs_per_s[1] == pytest.approx(1.8e6)
    assert found.bytes_per_s[1] == pytest.approx(2e9)
    assert found.bandwidth == 1e10
    assert set(found.useful.tolist()) == {3600}
    found = device_activity(made_up(None, None, None))
    assert np.isnan(found.arcs_per_s).all()
    assert (found.requested_bytes, found.bytes_per_s) == (None, None)
    assert set(found.threads.tolist()) == {5120}
