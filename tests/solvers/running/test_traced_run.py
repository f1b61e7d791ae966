"""Figures of a device: threads, warps and bytes of every iteration against a count by
hand, thread by thread.
"""

from __future__ import annotations

import csv
import importlib
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solvers.core.recorder import TraceRecorder
from solvers.core.result import Result
from solvers.core.trace import WARP, ActivityTrace, LaunchLog, MatrixTrace
from solvers.core.variant import Bytes, DeviceWork, Traffic, Variant, all_variants, find_variant
from solvers.devices.device import Device
from solvers.devices.kernel import kernel_text
from solvers.features.lesson.thread_states import ThreadState, thread_states
from solvers.graphs.graph import Graph
from solvers.running.records import write_iterations
from solvers.running.request import Choice, RunRequest
from solvers.running.run import run
from solvers.running.traced_run import device_activity, timed_arcs_per_s
from tests.graphs import at_random
from tests.solvers.running.requests import TRACE_ONLY

BLOCK = 64


def passes(graph: Graph, source: int = 0) -> list[np.ndarray]:
    """Vertices that came nearer in each synchronous pass of Bellman-Ford, the source first."""
    known = np.full(graph.n, np.inf)
    known[source] = 0
    found = [np.array([source])]
    while len(found[-1]):
        after = known.copy()
        np.minimum.at(after, graph.indices, known[graph.tails] + graph.weights)
        found.append(np.flatnonzero(after < known))
        known = after
    return found[:-1]


def made_up(
    variant_id: str, *, is_cpu: bool = False, grid: int | None = None, stride: int = 1
) -> Result:
    """A traced run of 200 vertices and 700 arcs, as the variant's kernels would have made it."""
    graph, variant = at_random(200, 700, 5), find_variant(variant_id)
    work = variant.device_work
    log = LaunchLog("Pretend", is_cpu, work)
    recorder = TraceRecorder(graph.n, launches=log)
    fronts = passes(graph)
    for k, front in enumerate(fronts):
        items = graph.m if "edge" in variant_id else graph.n
        blocks = -(-items // BLOCK)
        log.launched("initialize", 99, 99)  # belongs to no iteration
        log.launched("relax", blocks if grid is None else grid, BLOCK)
        for other in work.others:
            log.launched(other, 1, BLOCK)
        improved = len(fronts[k + 1]) if k + 1 < len(fronts) else 0
        relaxed = (
            graph.m
            if variant_id in ("bf-vertex", "bf-strided", "bf-edge")
            else graph.out_degrees[front].sum()
        )
        recorder.iteration(front.astype(np.int32), int(relaxed), improved, 0.5)
    trace = replace(recorder.finish(1e9), stride=stride)
    return Result(variant, variant.settle({}), graph, 0, None, trace=trace)


def useful_by_hand(result: Result, k: int) -> set[int]:
    """Numbers of the threads whose vertex, or whose arc's tail, is in the frontier."""
    trace, graph = result.trace, result.graph
    assert isinstance(trace, ActivityTrace)
    front = set(trace.frontier(k).tolist())
    if "edge" in result.variant.id:
        return {arc for arc in range(graph.m) if int(graph.tails[arc]) in front}
    if "strided" in result.variant.id:
        return {v % (trace.launches.grid * BLOCK) for v in front}
    return front


@pytest.mark.parametrize(
    "variant_id", ["bf-vertex", "bf-strided-flag", "bf-edge", "bf-edge-flags", "da2cf-f-gpu"]
)
@pytest.mark.parametrize("grid", [None, 1])
def test_useful_threads_and_busy_warps_are_those_counted_by_hand(
    variant_id: str, grid: int | None
) -> None:
    if grid is not None and "strided" not in variant_id:
        pytest.skip("only strided kernels have fewer threads than vertices")
    result = made_up(variant_id, grid=grid)
    found = device_activity(result)
    assert len(found.useful) > 3
    for k in range(len(found.useful)):
        by_hand = useful_by_hand(result, k)
        assert found.useful[k] == len(by_hand)
        assert found.busy_warps[k] == len({thread // WARP for thread in by_hand})
        states = thread_states(result, k)
        assert set(states.useful.tolist()) == by_hand
        assert states.busy_warps.tolist() == sorted({thread // WARP for thread in by_hand})
        assert states.useful_count == len(by_hand)
        drawn = states.of_warps(np.arange(states.warps))
        assert set(np.flatnonzero(drawn.ravel() == ThreadState.USEFUL).tolist()) == by_hand
        assert states.shares(10_000) * WARP == pytest.approx(
            np.bincount([t // WARP for t in by_hand], minlength=states.warps)
        )


def test_launches_are_those_of_the_kernels_of_an_iteration() -> None:
    found = device_activity(made_up("bf-vertex"))
    assert set(found.launches.tolist()) == {2}, (
        "relax and keep; what starts the run is not part of an iteration"
    )
    assert [set(values.tolist()) for values in (found.blocks, found.warps, found.threads)] == [
        {4},
        {8},
        {256},
    ]


def test_threads_of_reached_vertices_work_in_vain_unless_they_are_flagged() -> None:
    unflagged, flagged = made_up("bf-vertex"), made_up("da2cf-f-gpu")
    fronts = passes(unflagged.graph)
    reached = set(np.concatenate(fronts[:3]).tolist())
    for result, wanted in ((unflagged, reached - set(fronts[2].tolist())), (flagged, set())):
        states = thread_states(result, 2)
        drawn = states.of_warps(np.arange(states.warps)).ravel()
        assert set(np.flatnonzero(drawn == ThreadState.WORKS).tolist()) == wanted
        assert (drawn[result.graph.n :] == ThreadState.BEYOND).all()
    activity = device_activity(unflagged)
    assert activity.working[2] == len(reached)


def test_bytes_are_counted_thread_by_thread() -> None:
    result = made_up("bf-vertex")
    found, graph = device_activity(result), result.graph
    fronts = passes(graph)
    for k in (0, 2):
        reached = np.unique(np.concatenate(fronts[: k + 1]))
        improved = len(fronts[k + 1]) if k + 1 < len(fronts) else 0
        by_hand = 0
        for v in range(graph.n):
            by_hand += 4  # relax: previous[v]
            if v in reached:
                # bounds; head, weight, its distance
                by_hand += 16 + int(graph.out_degrees[v]) * (4 + 4 + 4)
            by_hand += 8  # keep: distance[v], previous[v]
        assert found.requested_bytes[k] == by_hand + 4 * improved
    assert found.bytes_per_s[0] == pytest.approx(found.requested_bytes[0] / 0.5e-3)
    assert found.bandwidth == 1e9


def test_what_is_not_known_is_not_there() -> None:
    every_second = device_activity(made_up("bf-vertex", stride=2))
    assert every_second.working is None, "who was reached between the kept frontiers is unknown"
    assert every_second.requested_bytes is None
    assert every_second.useful is not None
    on_cpu = device_activity(made_up("bf-vertex", is_cpu=True))
    assert on_cpu.busy_warps is None, "a processor has no warps"
    in_matrix = made_up("da2cf-f-gpu")
    parameters = {**in_matrix.parameters, "layout": "matrix"}
    found = device_activity(replace(in_matrix, parameters=parameters))
    assert found.requested_bytes is None
    batched = made_up("sssp-near-far")
    found = device_activity(batched)
    assert timed_arcs_per_s(batched) is None
    assert (found.threads, found.useful, found.launches) == (None, None, None)
    assert found.requested_bytes is not None
    assert thread_states(batched, 0) is None
    host = Result(find_variant("bf-serial"), {}, batched.graph, 0, None)
    assert device_activity(host) is None
    assert thread_states(host, 0) is None


def test_an_iteration_without_a_time_has_no_rate() -> None:
    result = made_up("bf-vertex")
    trace = result.trace
    assert isinstance(trace, ActivityTrace)
    ms = trace.ms.copy()
    ms[1] = 0.0
    found = device_activity(replace(result, trace=replace(trace, ms=ms)))
    assert np.isnan(found.arcs_per_s[1])
    assert found.arcs_per_s[0] == pytest.approx(result.graph.m / 0.5e-3)


def test_divergence_of_a_warp_is_the_share_of_its_lanes_and_steps() -> None:
    graph = Graph.from_arcs(
        64, np.array([0, 0, 0, 1, 40, 40]), np.array([1, 2, 3, 4, 41, 42]), np.ones(6, np.int32)
    )
    variant = find_variant("da2cf-f-gpu")
    assert variant.device_work is not None
    log = LaunchLog("Pretend", False, variant.device_work)
    recorder = TraceRecorder(graph.n, launches=log)
    log.launched("relax", 1, BLOCK)
    recorder.iteration(np.array([40, 0, 1]), 6, 0, 0.1)
    states = thread_states(Result(variant, {}, graph, 0, None, trace=recorder.finish()), 0)
    assert states.lane_use == pytest.approx(3 / 64)
    assert states.loop_use == pytest.approx((3 + 1 + 2) / (32 * 3 + 32 * 2))


@pytest.mark.parametrize(
    "entry", [v for v in all_variants() if v.device_work is not None], ids=lambda v: v.id
)
def test_the_kernels_named_are_in_the_variants_file(entry: Variant) -> None:
    work, module = entry.device_work, importlib.import_module(entry.module)
    assert module.__file__ is not None
    names = set(
        re.findall(
            r"KERNEL void (\w+)\(", kernel_text(Path(module.__file__).with_name(entry.kernel))
        )
    )
    assert not work.relaxing or names & set(work.relaxing)
    assert not work.others or names & set(work.others)


def test_a_run_on_a_device_counts_its_launches(device: Device) -> None:
    graph = at_random(300, 900, 1)
    entry = find_variant("bf-edge-flags")
    choice = Choice(entry, entry.settle({"block": BLOCK}))
    (result,) = run(RunRequest(graph, 0, None, (choice,), device, TRACE_ONLY, trace=True))
    found = device_activity(result)
    assert result.ok
    assert found.device_name == device.name
    assert set(found.launches.tolist()) == {2}
    assert set(found.threads.tolist()) == {-(-graph.m // BLOCK) * BLOCK}
    assert found.bandwidth is not None
    assert 1e7 < found.bandwidth < 1e14


def test_traffic_adds_what_is_counted() -> None:
    traffic = Traffic(vertex=Bytes(1, 2), improved=Bytes(values=1))
    assert traffic.needed() == {"vertex", "improved"}
    assert traffic.total({"vertex": 10, "improved": 3, "arc": 99}, 8) == 10 * 17 + 3 * 8
    assert DeviceWork().traffic is None


def test_the_table_of_iterations_has_what_is_known_of_the_device(tmp_path: Path) -> None:
    known, unknown = made_up("bf-edge-flags"), made_up("sssp-near-far")
    write_iterations([known, unknown], tmp_path / "iterations.csv")
    with (tmp_path / "iterations.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    first = next(row for row in rows if row["variant"] == "bf-edge-flags")
    degree = int(known.graph.out_degrees[0])
    columns = ("kernel_launches", "blocks", "threads_launched", "threads_useful")
    assert [first[name] for name in columns] == ["2", "11", "704", str(degree)]
    assert int(first["requested_bytes"]) >= 3 * known.graph.n + 5 * known.graph.m
    other = next(row for row in rows if row["variant"] == "sssp-near-far")
    assert [other[name] for name in columns] == [""] * 4
    assert other["requested_bytes"]


def test_a_run_without_kernels_has_no_launches() -> None:
    graph, variant = at_random(40, 120, 5), find_variant("fw-serial")
    (result,) = run(
        RunRequest(
            graph, 0, None, (Choice(variant, variant.settle({})),), None, TRACE_ONLY, trace=True
        )
    )
    assert isinstance(result.trace, MatrixTrace)
    assert result.trace.device_name == ""
    assert not any(step.launches for step in result.trace.steps)
