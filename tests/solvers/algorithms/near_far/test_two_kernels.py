"""Near-far on any device: both ways to do a task agree, gaps are jumped over, and the log never overflows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from solvers.algorithms.near_far import two_kernels
from solvers.core.problem import Problem, Recorder, Solution
from solvers.core.recorder import TraceRecorder
from solvers.core.variant import find_variant
from solvers.devices.device import Device
from solvers.errors import Cancelled
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.system.cancel import SILENT, CancelToken, Progress
from solvers.verification.verify import verify_sssp
from tests import graphs


def solve(
    graph: Graph,
    device: Device,
    source: int = 0,
    progress: Progress = SILENT,
    recorder: Recorder | None = None,
    **parameters: Any,
) -> Solution:
    return two_kernels.solve(
        Problem(
            graph, source, None, find_variant("sssp-near-far").settle(parameters), device, progress, recorder=recorder
        )
    )


@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_one_block_and_all_blocks_agree(device: Device, dtype: str) -> None:
    """With ``alone`` 1 nearly every round and sift is left to all blocks; with a million, none."""
    graph = graphs.at_random(3_000, 9_000, seed=2, dtype=dtype, directed=False)
    together = solve(graph, device, alone=1)
    by_itself = solve(graph, device, alone=1_000_000)
    np.testing.assert_array_equal(together.distances, by_itself.distances)
    verdict = verify_sssp(graph, 0, together.distances)
    assert verdict.verified, verdict.text


@pytest.mark.parametrize("dtype", graphs.DTYPES)
@pytest.mark.parametrize("alone", [1, 1_000_000])
def test_a_hub_is_shared_out_in_pieces(device: Device, dtype: str, alone: int) -> None:
    """Three hubs, one of them the source, have more arcs than an entry; the trace names each of them once a round."""
    hubs = (0, 1_000, 2_000)
    spokes = [(hub, (hub + i) % 3_000, 1 + (7 * i) % 90) for hub in hubs for i in range(1, 5 * two_kernels._PIECE // 2)]
    graph = graphs.from_list(3_000, spokes + [(i, i + 1, 40) for i in range(2_999)], dtype, name="hubs")
    assert two_kernels.TwoKernelShape.of(graph, device, find_variant("sssp-near-far").settle({})).piece
    recorder = TraceRecorder(graph.n)
    solution = solve(graph, device, recorder=recorder, alone=alone, delta=0.3)
    np.testing.assert_allclose(to_float(solution.distances), graphs.right_distances(graph, 0), rtol=1e-6)
    trace = recorder.finish()
    assert trace.frontier(0).tolist() == [0]
    for i in range(len(trace)):
        frontier = trace.frontier(i)
        assert len(set(frontier.tolist())) == len(frontier)
        assert trace.relaxed[i] == graph.out_degrees[frontier].sum()


def test_narrow_buckets_cost_rounds_and_wide_ones_make_it_bellman_ford(device: Device) -> None:
    """Between buckets of one weight unit and a single bucket the answer stays; rounds do not."""
    graph = graphs.at_random(2_000, 6_000, seed=4, directed=False)
    narrow, single = solve(graph, device, delta=0.01), solve(graph, device, delta=1e6)
    np.testing.assert_array_equal(narrow.distances, single.distances)
    assert narrow.iterations > 2 * single.iterations


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_a_gap_in_the_distances_is_jumped(device: Device, dtype: str) -> None:
    """The split would take 10,000 steps of delta to the far side; by the least distance kept back it takes two."""
    arcs = [(i, i + 1, 1) for i in range(10)] + [(10, 11, 1_000_000)] + [(i, i + 1, 1) for i in range(11, 20)]
    graph = graphs.from_list(21, arcs, dtype, name="an island")
    recorder = TraceRecorder(graph.n)
    solution = solve(graph, device, recorder=recorder, delta=0.01)
    np.testing.assert_array_equal(to_float(solution.distances), graphs.right_distances(graph, 0))
    assert solution.iterations == 21, "a round for each vertex, and none in between"


def test_a_width_lost_to_rounding_does_not_stop_it(device: Device) -> None:
    """In float32, 1e8 + 1 is 1e8: only the least distance kept back can move the split on."""
    arcs = [(i, i + 1, 1e8) for i in range(8)] + [(0, 9, 1e-6)]
    graph = graphs.from_list(10, arcs, np.float32, name="coarse")
    solution = solve(graph, device, delta=0.01)
    np.testing.assert_allclose(to_float(solution.distances), graphs.right_distances(graph, 0), rtol=1e-6)


@contextmanager
def _small_log(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patched:
        patched.setattr(two_kernels, "_NOTED_BEYOND_N", 1)
        patched.setattr(two_kernels, "_ROUNDS_NOTED", 7)
        yield


@pytest.mark.parametrize("alone", [1, 1_000_000])
def test_a_full_log_makes_the_device_wait_and_loses_nothing(
    device: Device, monkeypatch: pytest.MonkeyPatch, alone: int
) -> None:
    graph = graphs.at_random(500, 1_500, seed=6, directed=False)
    traces = []
    for small in (False, True):
        recorder = TraceRecorder(graph.n)
        if small:
            with _small_log(monkeypatch):
                solution = solve(graph, device, recorder=recorder, alone=alone, delta=1.0)
        else:
            solution = solve(graph, device, recorder=recorder, alone=alone, delta=1.0)
        traces.append(recorder.finish())
        assert verify_sssp(graph, 0, solution.distances).verified
        assert len(traces[-1]) == solution.iterations
    reached = np.isfinite(graphs.right_distances(graph, 0))
    for trace in traces:
        assert trace.improved.sum() >= reached.sum() - 1
        for k in range(len(trace)):
            assert len(set(trace.frontier(k).tolist())) == len(trace.frontier(k)), "a vertex stands once in a queue"


def test_fewer_relaxations_than_bellman_ford(device: Device) -> None:
    graph = graphs.at_random(1_500, 6_000, seed=8, directed=False)

    def relaxed(variant_id: str) -> int:
        recorder = TraceRecorder(graph.n)
        entry = find_variant(variant_id)
        entry.solve(Problem(graph, 0, None, entry.settle({}), device, recorder=recorder))
        return recorder.finish().total_relaxed

    assert relaxed("sssp-near-far") < relaxed("bf-strided-flag")


def test_cancel_between_two_batches(device: Device) -> None:
    graph = graphs.at_random(500, 1_500, seed=6, directed=False)
    looks: list[None] = []

    def look() -> None:
        looks.append(None)
        if len(looks) == 2:
            token.cancel()

    token = CancelToken(look)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(two_kernels, "_TASKS_A_LAUNCH", 1)
        with pytest.raises(Cancelled):
            solve(graph, device, progress=Progress(token))
    assert len(looks) == 2
